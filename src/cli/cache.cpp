// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Where the cache is and how its entries are named.
#include "cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
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
  if (!std::filesystem::is_directory(folder) || access(folder.c_str(), W_OK | X_OK) != 0)
    throw failure(exit_code::environment, "TF5103", "the cache folder \"" + folder + "\" cannot be used",
                  error ? error.message() : "it is not a folder that this user may write to",
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
