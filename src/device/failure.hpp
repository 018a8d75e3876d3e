// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Why nothing runs on a GPU here: no driver, no compiler, no device, or a refusal of one of them.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace twofold::device {

struct failure : std::exception {
  std::string code, what_was_wrong, why, fix;
  failure(std::string code_, std::string what_, std::string why_, std::string fix_)
      : code(std::move(code_)), what_was_wrong(std::move(what_)), why(std::move(why_)), fix(std::move(fix_)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_was_wrong.c_str(); }
};

}  // namespace twofold::device
