// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Splits FILE:FUNCTION.
#include "target.hpp"

#include <filesystem>

#include "failure.hpp"

namespace twofold::cli {
namespace {
bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}
}  // namespace

target parse_target(const std::string& text) {
  if (is_file(text)) return {text, {}};
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    const std::string file = text.substr(0, colon), function = text.substr(colon + 1);
    if (!is_file(file)) continue;
    if (function.empty())
      throw failure(exit_code::bad_input, "TF2124", "nothing follows the colon in \"" + text + "\"", "a function is named as FILE:FUNCTION",
                    "name a function, or leave the colon out to look at every loop of the file");
    return {file, function};
  }
  const std::string file = text.substr(0, text.find(':'));
  throw failure(exit_code::bad_input, "TF2101", "no file named \"" + file + "\"",
                std::filesystem::is_directory(file) ? "it is a folder" : "nothing of that name exists here",
                "give the path of a C++ source, then a colon and a function: path/to/file.cpp:function");
}

target parse_function_target(const std::string& text, const std::string& subcommand) {
  target t = parse_target(text);
  if (t.function.empty())
    throw failure(exit_code::bad_input, "TF2124", "no function named in \"" + text + "\"",
                  "twofold " + subcommand + " works on one loop function",
                  "twofold " + subcommand + " " + text + ":FUNCTION; \"twofold check " + text + "\" lists the loop functions of the file");
  return t;
}

}  // namespace twofold::cli
