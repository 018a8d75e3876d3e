// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Follows #include lines by text; conditions are ignored, so that more is followed rather than less.
#include "includes.hpp"

#include <filesystem>
#include <set>
#include <sstream>

#include "npy.hpp"

namespace twofold::cli {
namespace fs = std::filesystem;

namespace {

//! The name between quotes or angle brackets, empty where the line is no include.
std::string included(const std::string& line) {
  const auto hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return {};
  const auto word = line.find_first_not_of(" \t", hash + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return {};
  const auto open = line.find_first_of("\"<", word + 7);
  if (open == std::string::npos) return {};
  const auto close = line.find(line[open] == '<' ? '>' : '"', open + 1);
  return close == std::string::npos ? std::string() : line.substr(open + 1, close - open - 1);
}

void follow(const fs::path& file, const std::vector<std::string>& folders, std::set<std::string>& seen, std::string& out) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(file, error);
  if (error || !fs::is_regular_file(real, error) || !seen.insert(real.string()).second) return;
  const std::string text = read_file(real.string());
  out += text;
  out += '\0';
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = included(line);
    if (name.empty()) continue;
    follow(real.parent_path() / name, folders, seen, out);
    for (const std::string& folder : folders) follow(fs::path(folder) / name, folders, seen, out);
  }
}

}  // namespace

std::string text_with_includes(const std::string& file, const std::vector<std::string>& folders) {
  std::set<std::string> seen;
  std::string out;
  follow(file, folders, seen, out);
  return out;
}

}  // namespace twofold::cli
