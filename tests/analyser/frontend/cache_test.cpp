// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The cache of precompiled headers: the same answers with it, without it, with a damaged one.
#include <gtest/gtest.h>

#include "support.hpp"

namespace twofold::analyser::test {
namespace {

namespace fs = std::filesystem;

const char* const source =
    "// a comment first\n#include <cmath>\n#include <cstddef>\n\n"
    "float f(const float* x, std::size_t n) {\n  float s = 0;\n  for (std::size_t i = 0; i < n; ++i) s += std::sqrt(x[i]);\n  return "
    "s;\n}\n";

//! Not below the folder of the source, which may be read anyway.
struct cache_folder {
  std::string path = (fs::current_path() / ("twofold_cache_" + std::to_string(::getpid()))).string();
  cache_folder() { fs::remove_all(path); }
  ~cache_folder() { fs::remove_all(path); }
  std::vector<fs::path> headers() const {
    std::vector<fs::path> r;
    if (fs::exists(path))
      for (const auto& e : fs::directory_iterator(path))
        if (e.path().extension() == ".pch") r.push_back(e.path());
    return r;
  }
};

std::string answer(const std::string& cache) {
  frontend_options o;
  o.cache_dir = cache;
  const frontend_result r = read_text(source, "f", o);
  return r.specs.empty() ? "nothing"
                         : dump(r.specs[0]) + std::to_string(r.specs[0].where.line) + ":" + std::to_string(r.specs[0].where.column);
}

TEST(Cache, SameAnswerWithAndWithout) {
  const cache_folder c;
  const std::string plain = answer("");
  EXPECT_NE(plain, "nothing");
  EXPECT_EQ(answer(c.path), plain);
  ASSERT_EQ(c.headers().size(), 1u);
  const auto written = fs::last_write_time(c.headers()[0]);
  EXPECT_EQ(answer(c.path), plain);
  EXPECT_EQ(fs::last_write_time(c.headers()[0]), written);
}

TEST(Cache, AnyNameOfTheFolder) {
  const cache_folder c;
  const std::string name = fs::path(c.path).filename().string();
  for (const std::string& path : {name, "./" + name, "../" + fs::current_path().filename().string() + "/" + name + "/"}) {
    fs::remove_all(c.path);
    EXPECT_NE(answer(path), "nothing");
    EXPECT_EQ(c.headers().size(), 1u) << path;
  }
}

TEST(Cache, DamagedHeaderIsDropped) {
  const cache_folder c;
  const std::string plain = answer(c.path);
  ASSERT_EQ(c.headers().size(), 1u);
  const fs::path pch = c.headers()[0];
  for (const std::uintmax_t size : {std::uintmax_t{0}, std::uintmax_t{100}, fs::file_size(pch) / 2}) {
    fs::resize_file(pch, size);
    EXPECT_EQ(answer(c.path), plain) << size;
    EXPECT_EQ(answer(c.path), plain) << size;
  }
  std::ofstream(pch) << "this is not a precompiled header";
  EXPECT_EQ(answer(c.path), plain);
}

TEST(Cache, ErrorsKeepTheirPlace) {
  const cache_folder c;
  frontend_options o;
  o.cache_dir = c.path;
  for (int round = 0; round < 2; ++round) {
    const frontend_result r = read_text("#include <cmath>\nint f() { return y; }\n", "f", o);
    ASSERT_EQ(r.errors.size(), 1u);
    EXPECT_EQ(describe(r.errors[0]).substr(0, 42), "2:18: TF2103: use of undeclared identifier");
  }
}

TEST(Cache, UnwritableFolder) {
  frontend_options o;
  o.cache_dir = "/proc/no/such/folder";
  EXPECT_EQ(read_text(source, "f", o).specs.size(), 1u);
}

TEST(Cache, AbsentHeader) {
  const cache_folder c;
  frontend_options o;
  o.cache_dir = c.path;
  const frontend_result r = read_text("#include <no_such_header_at_all>\nint f() { return 1; }\n", "f", o);
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].code, "TF2103");
  EXPECT_EQ(r.errors[0].where.line, 1);
}

}  // namespace
}  // namespace twofold::analyser::test
