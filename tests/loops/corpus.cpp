// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reads the comments of the corpus and the list of known gaps.
#include "corpus.hpp"

#include <fstream>
#include <regex>
#include <stdexcept>

namespace twofold::loops {
namespace {

//! The name before the first parenthesis of a declaration.
std::string function_name(const std::string& line) {
  static const std::regex name(R"(([A-Za-z_]\w*)\s*\()");
  std::smatch m;
  return std::regex_search(line, m, name) ? m[1].str() : "";
}

}  // namespace

std::vector<expectation> read_expectations(const std::filesystem::path& file) {
  static const std::regex form(
      R"(^// \[([HAMNR])\] (associative|not_associative|unknown|refused)( \+(\d+))?(, witness)?( (TF\d{4}))?(: .*)?$)");
  std::ifstream in(file);
  std::vector<expectation> r;
  std::string line;
  bool pending = false;
  for (int number = 1; std::getline(in, line); ++number) {
    const auto fail = [&](const std::string& why) { throw std::runtime_error(file.string() + ":" + std::to_string(number) + ": " + why); };
    if (line.rfind("// [", 0) == 0) {
      std::smatch m;
      if (!std::regex_match(line, m, form)) fail("an expectation that cannot be read: " + line);
      expectation e;
      e.folder = file.parent_path().filename().string();
      e.file = file.stem().string();
      e.kind = m[1].str()[0];
      e.verdict = m[2];
      e.added = m[4].matched ? std::stoi(m[4]) : 0;
      e.witness = m[5].matched;
      e.code = m[7];
      r.push_back(e);
      pending = true;
    } else if (pending && line.rfind("//", 0) != 0 && line.rfind("template", 0) != 0) {
      r.back().function = function_name(line);
      r.back().line = number;
      if (r.back().function.empty()) fail("an expectation must stand above a function");
      pending = false;
    }
  }
  return r;
}

std::map<std::string, std::string> read_gaps(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::map<std::string, std::string> r;
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    const auto space = line.find(' ');
    r.emplace(line.substr(0, space), space == std::string::npos ? "" : line.substr(space + 1));
  }
  return r;
}

}  // namespace twofold::loops
