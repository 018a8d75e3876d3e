// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Where the cache is and how its entries are named.
#include "cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "failure.hpp"

namespace twofold::cli {
namespace {
__extension__ using wide = unsigned __int128;
}

std::string default_cache() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && *xdg == '/') return std::string(xdg) + "/twofold";  // relative paths are to be ignored, says the XDG specification
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/twofold";
  return fmt::format("/tmp/twofold-{}", getuid());
}

void make_cache(const std::string& folder) {
  std::error_code error;
  const bool news = std::filesystem::create_directories(folder, error);
  if (news) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  struct stat about {};
  std::string why;
  if (stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) why = error ? error.message() : "it is not a folder";
  else if (about.st_uid != geteuid()) why = "it belongs to another user, who could exchange what is run from it";
  else if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) why = "other users may write to it, and could exchange what is run from it";
  else if (access(folder.c_str(), W_OK | X_OK) != 0) why = std::strerror(errno);
  if (!why.empty())
    throw failure(exit_code::environment, "TF5103", "the cache folder \"" + folder + "\" cannot be used", why,
                  "name another with --cache DIR or $XDG_CACHE_HOME");
}

std::string content_hash(std::string_view bytes) {
  // FNV-1a, 128 bits: http://www.isthe.com/chongo/tech/comp/fnv/
  const wide prime = (wide{1} << 88) + 0x13b;
  wide h = (wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char c : bytes) {
    h ^= static_cast<unsigned char>(c);
    h *= prime;
  }
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(h >> 64), static_cast<std::uint64_t>(h));
}

}  // namespace twofold::cli
