// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reading: opened without waiting, so that a pipe that nobody writes to cannot stop the program.
#include "files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "failure.hpp"

namespace twofold::cli {
namespace {

[[noreturn]] void unreadable(const std::string& path, const std::string& why, const std::string& fix) {
  throw failure(exit_code::bad_input, "TF2125", "cannot read \"" + path + "\"", why, fix);
}

std::string kind_of(const struct stat& about) {
  if (S_ISREG(about.st_mode)) return {};
  if (S_ISDIR(about.st_mode)) return "a folder";
  if (S_ISFIFO(about.st_mode)) return "a pipe";
  return S_ISSOCK(about.st_mode) ? "a socket" : "a device";
}

//! Bytes that can be had without swapping; nothing where the system does not say.
std::uint64_t free_memory() {
  std::ifstream all("/proc/meminfo");
  std::string key, unit;
  for (std::uint64_t kib = 0; all >> key >> kib && std::getline(all, unit);)
    if (key == "MemAvailable:") return kib * 1024;
  return UINT64_MAX;
}

std::string amount(std::uint64_t bytes) {
  return bytes >> 30 > 0 ? fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30))
                         : fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

input_file::input_file(std::string path) : path_(std::move(path)), fd_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat about {};
  if (fd_ < 0 || fstat(fd_, &about) != 0) {
    const std::string why = std::strerror(errno);
    if (fd_ >= 0) close(fd_);
    unreadable(path_, why, "check the path, its folder and its permissions");
  }
  if (const std::string kind = kind_of(about); !kind.empty()) {
    close(fd_);
    unreadable(path_, "it is " + kind + ", not a regular file", "copy what it holds to a file and name that");
  }
  size_ = static_cast<std::uint64_t>(about.st_size);
}

input_file::~input_file() { close(fd_); }

std::size_t input_file::read(void* to, std::size_t n) {
  std::size_t done = 0;
  while (done < n) {
    const ssize_t got = ::read(fd_, static_cast<char*>(to) + done, std::min<std::size_t>(n - done, 1 << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) unreadable(path_, std::strerror(errno), "check the path, its folder and its permissions");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::string special_kind(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 ? kind_of(about) : std::string();
}

void expect_memory(std::uint64_t bytes, const std::string& what) {
  constexpr std::uint64_t never_asked = 1 << 20;
  if (bytes <= never_asked) return;
  if (const std::uint64_t free = free_memory(); bytes > free)
    throw failure(exit_code::bad_input, "TF2125", fmt::format("{} needs {} of memory", what, amount(bytes)),
                  fmt::format("{} are free on this machine", amount(free)), "give a smaller array, or use a machine with more memory");
}

std::string read_file(const std::string& path) {
  input_file in(path);
  expect_memory(in.size(), "\"" + path + "\"");
  std::string bytes(in.size(), '\0');
  bytes.resize(in.read(bytes.data(), bytes.size()));
  // what grew meanwhile, and files of the system that say they are empty
  for (char block[1 << 12]; const std::size_t n = in.read(block, sizeof block);) bytes.append(block, n);
  return bytes;
}

}  // namespace twofold::cli
