// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Splits FILE:FUNCTION.
#include "target.hpp"

#include <filesystem>

#include "failure.hpp"
#include "files.hpp"

namespace twofold::cli {
namespace {
bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

[[noreturn]] void no_source(const std::string& file) {
  const std::string fix = "give the path of a C++ source, then a colon and a function: path/to/file.cpp:function";
  if (const std::string kind = special_kind(file); !kind.empty())
    throw failure(exit_code::bad_input, "TF2101", "\"" + file + "\" is not a source", "it is " + kind + ", not a regular file", fix);
  std::error_code error;
  const auto found = std::filesystem::status(file, error).type();  // or why the path leads nowhere: permissions, too many links
  const bool absent = found == std::filesystem::file_type::not_found || !error;
  throw failure(exit_code::bad_input, "TF2101", "no file named \"" + file + "\"",
                file.empty() ? "the name is empty"
                : absent     ? "nothing of that name exists here"
                             : error.message(),
                fix);
}

void expect_sensible_size(const std::string& file) {
  constexpr std::uint64_t largest = std::uint64_t{64} << 20;
  if (const std::uint64_t size = input_file(file).size(); size > largest)
    throw failure(exit_code::bad_input, "TF2101", "\"" + file + "\" is too large for a source", "it has " + std::to_string(size) + " bytes",
                  "sources of up to 64 MiB are read");
}
}  // namespace

target parse_target(const std::string& text) {
  if (is_file(text)) {
    expect_sensible_size(text);
    return {text, {}};
  }
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    const std::string file = text.substr(0, colon), function = text.substr(colon + 1);
    if (!is_file(file)) continue;
    if (function.empty())
      throw failure(exit_code::bad_input, "TF2124", "nothing follows the colon in \"" + text + "\"", "a function is named as FILE:FUNCTION",
                    "name a function, or leave the colon out to look at every loop of the file");
    expect_sensible_size(file);
    return {file, function};
  }
  no_source(special_kind(text).empty() ? text.substr(0, text.find(':')) : text);
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
