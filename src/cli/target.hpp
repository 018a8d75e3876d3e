// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file FILE[:FUNCTION], the way every subcommand is told what to look at.
#pragma once

#include <string>

namespace twofold::cli {

struct target {
  std::string file;
  std::string function;  // may be qualified; empty: every loop of the file
};

//! Splits at the first ':' that follows the name of an existing file (names of files may hold colons, names of functions `::`).
//! @errors TF2101 no such file · TF2124 nothing after the colon
target parse_target(const std::string& text);

//! The same, where a function must be named. @errors TF2124
target parse_function_target(const std::string& text, const std::string& subcommand);

}  // namespace twofold::cli
