// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The program's one error type: where, what, why, what would work, a code that `twofold explain` knows, and how the program exits.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "frontend/frontend.hpp"

namespace twofold::cli {

//! Exit status of the program; scripts rely on these numbers.
enum class exit_code : int { done = 0, negative = 1, bad_input = 2, undecided = 3, unsupported = 4, environment = 5, internal = 70 };

struct failure : std::exception {
  exit_code exit = exit_code::bad_input;
  std::string code;            // "TF2120"
  analyser::location where{};  // file empty where there is no source
  std::string what_was_wrong, why, fix;

  failure(exit_code e, std::string tf, std::string what_, std::string why_, std::string fix_, analyser::location l = {})
      : exit(e), code(std::move(tf)), where(std::move(l)), what_was_wrong(std::move(what_)), why(std::move(why_)), fix(std::move(fix_)) {}
  explicit failure(const analyser::frontend_error& e);
  [[nodiscard]] const char* what() const noexcept override { return what_was_wrong.c_str(); }
};

//! {"code","file","line","column","what","why","fix"}; file, line and column are null where there is no source.
nlohmann::ordered_json to_json(const failure& f);

//! The block that people read, compiler-style first line; ends with a newline.
std::string to_text(const failure& f, bool colour);

}  // namespace twofold::cli
