// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Results in files: all of a group or none, through links, never over a device or a pipe. Inputs: regular files and nothing else.
#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <thread>

#include "failure.hpp"
#include "support.hpp"

namespace twofold::tests {
namespace {
namespace fs = std::filesystem;

template <class F>
std::string refusal_of(F&& f) {
  try {
    f();
  } catch (const cli::failure& e) {
    EXPECT_EQ(e.exit, cli::exit_code::bad_input);
    EXPECT_EQ(e.code, "TF2125");
    EXPECT_FALSE(e.fix.empty());
    return e.why;
  }
  return "nothing was refused";
}

TEST(files, links_are_followed_and_stay_links) {
  const folder here;
  const std::string goal = here.write("goal", "old");
  fs::create_symlink("goal", here / "link");
  fs::create_symlink("link", here / "link of link");
  fs::create_symlink("absent", here / "dangling");
  cli::write_file(here / "link of link", "new");
  cli::write_file(here / "dangling", "made");
  EXPECT_EQ(cli::read_file(goal), "new");
  EXPECT_EQ(cli::read_file(here / "absent"), "made");
  for (const char* link : {"link", "link of link", "dangling"}) EXPECT_TRUE(fs::is_symlink(here / link)) << link;
  fs::create_symlink("round", here / "round");
  EXPECT_NE(refusal_of([&] { cli::write_file(here / "round", "x"); }), "nothing was refused");
  EXPECT_EQ(here.files(), 6u) << "temporary files stay behind";
}

TEST(files, an_existing_goal_keeps_its_permissions) {
  const folder here;
  const std::string secret = here.write("secret", "old");
  fs::permissions(secret, fs::perms::owner_read | fs::perms::owner_write);
  cli::write_file(secret, "new");
  EXPECT_EQ(fs::status(secret).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(files, devices_and_pipes_are_written_through_and_stay_what_they_are) {
  const folder here;
  cli::write_file("/dev/null", "nothing");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const std::string pipe = here / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(refusal_of([&] { cli::write_file(pipe, "x"); }).find("nobody reads"), std::string::npos);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  cli::write_file(pipe, "through");
  char text[16] = {};
  EXPECT_EQ(read(reader, text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_NE(refusal_of([&] { cli::write_file(here / "", "x"); }), "nothing was refused");
}

TEST(files, a_reader_that_leaves_is_an_error_not_a_signal) {
  const folder here;
  const std::string pipe = here / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  std::thread leaves([&] {
    usleep(50000);
    close(reader);
  });
  EXPECT_NE(refusal_of([&] { cli::write_file(pipe, std::string(1 << 20, 'x')); }), "nothing was refused");
  leaves.join();
}

TEST(files, a_group_is_written_whole_or_not_at_all) {
  const folder here;
  const std::string one = here.write("one", "old");
  fs::create_directory(here / "folder");
  EXPECT_NE(refusal_of([&] { cli::write_files({{one, "new"}, {here / "two", "new"}, {here / "folder", "new"}}); }), "nothing was refused");
  EXPECT_NE(refusal_of([&] { cli::write_files({{one, "new"}, {here / "absent/three", "new"}}); }), "nothing was refused");
  EXPECT_EQ(cli::read_file(one), "old");
  EXPECT_EQ(here.files(), 2u);
  cli::write_files({{one, "1"}, {here / "two", "2"}});
  EXPECT_EQ(cli::read_file(one) + cli::read_file(here / "two"), "12");
  EXPECT_EQ(here.files(), 3u);
}

TEST(files, one_file_named_twice_is_refused) {
  const folder here;
  const std::string y = here / "y";
  fs::create_directory(here / "folder");
  const auto twice = [](const std::string& a, const std::string& b) { return refusal_of([&] { cli::expect_writable({a, b}); }); };
  EXPECT_NE(twice(y, y).find("same file"), std::string::npos);
  EXPECT_NE(twice(y, here / "./y").find("same file"), std::string::npos);
  EXPECT_NE(twice(y, here / "folder/../y").find("same file"), std::string::npos);
  cli::write_file(y, "there");
  fs::create_symlink("y", here / "link");
  fs::create_hard_link(y, here / "name");
  EXPECT_NE(twice(here / "link", y).find("same file"), std::string::npos);
  EXPECT_NE(twice(here / "name", y).find("same file"), std::string::npos);
  EXPECT_EQ(twice("/dev/null", "/dev/null"), "nothing was refused");
  EXPECT_EQ(twice(y, here / "z"), "nothing was refused");
}

TEST(files, standard_output_is_taken) {
  testing::internal::CaptureStdout();
  const std::string why = refusal_of([] { cli::write_file("/dev/stdout", "x"); });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_NE(why.find("own result"), std::string::npos);
}

TEST(files, only_regular_files_are_read) {
  const folder here;
  const std::string pipe = here / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(refusal_of([&] { cli::read_file(pipe); }).find("a pipe"), std::string::npos) << "and nobody waits for a writer";
  EXPECT_NE(refusal_of([&] { cli::read_file(here / ""); }).find("a folder"), std::string::npos);
  EXPECT_NE(refusal_of([] { cli::read_file("/dev/zero"); }).find("a device"), std::string::npos);
  EXPECT_NE(refusal_of([] { cli::read_npy("/dev/zero"); }).find("a device"), std::string::npos);
}

TEST(files, what_does_not_fit_memory_is_not_begun) {
  const folder here;
  constexpr off_t bytes = off_t{1} << 43;
  constexpr std::size_t begins = 128;
  std::string begin = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(begins - 10) + '\0' +
                      "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(bytes - off_t{begins}) + ",), }";
  begin.resize(begins - 1, ' ');
  begin += '\n';
  const std::string huge = here.write("huge.npy", begin);
  if (truncate(huge.c_str(), bytes) != 0) GTEST_SKIP() << "no such large files here";
  try {
    cli::read_npy(huge);
    ADD_FAILURE() << "8 TiB were read";
  } catch (const cli::failure& f) {
    EXPECT_EQ(f.code, "TF2125") << f.why;
    EXPECT_NE(f.what_was_wrong.find("8192.0 GiB"), std::string::npos) << f.what_was_wrong;
  }
  const std::string source = here.write("huge.cpp", "");
  ASSERT_EQ(truncate(source.c_str(), bytes), 0);
  EXPECT_NE(program({"check", source}).err.find("TF2101"), std::string::npos);
}

}  // namespace
}  // namespace twofold::tests
