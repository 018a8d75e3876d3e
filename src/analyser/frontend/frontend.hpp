// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The only place that knows Clang: C++ source in, specs out. Never runs the code, never starts a shell.
#pragma once

#include <string>
#include <vector>

#include "ir/spec.hpp"

namespace twofold::analyser {

//! What was wrong with the input, where, and what would work. `code` is a TF#### that `explain` knows.
struct frontend_error {
  enum class kind { bad_input, unsupported } kind = kind::unsupported;  // exit 2 / exit 4
  std::string code;
  location where;
  std::string what, why, fix;
};

struct frontend_options {
  std::vector<std::string> include_dirs;  // -I of the user
  std::string standard = "c++20";
  std::string cache_dir;  // precompiled preambles; empty: none
};

struct frontend_result {
  std::vector<spec> specs;             // those that were asked for and understood
  std::vector<frontend_error> errors;  // file does not parse, absent function, unsupported construct …
};

//! `function` empty: every function definition of the main file that contains a loop over a range.
frontend_result read_source(const std::string& file, const std::string& function, const frontend_options& options);

//! The user's own merge, `FILE:COMBINE`: a function (a, b) → state over struct or scalar-tuple states, as one term per state
//! variable of `loop` over symbol_kind::left / right symbols. Accepted forms: `state f(state a, state b)`,
//! `void f(state& a, const state& b)`, or scalars `f(m_a, l_a, m_b, l_b, m&, l&)`.
struct merge_result {
  std::vector<term> merge;  // one per state variable of the loop's last pass, in order
  std::vector<frontend_error> errors;
};
merge_result read_merge(const std::string& file, const std::string& function, const spec& loop, const frontend_options& options);

}  // namespace twofold::analyser
