// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reads the merge that a user has written.
#pragma once

#include <map>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {

//! One merge function against the state of one loop.
class merge_reader {
 public:
  merge_reader(clang::ASTContext& c, const clang::FunctionDecl* f, std::vector<state_variable> state)
      : run_(c, true), f_(f), state_(std::move(state)) {}
  //! One term per state variable; throws refusal.
  std::vector<term> read_terms();

 private:
  [[noreturn]] void mismatch(const std::string& why) const;
  void expect_the_same(const state_variable& v, const std::string& field, type leaf) const;
  const state_variable& variable(const std::string& field, std::size_t position) const;
  value symbolic(clang::QualType t, const std::string& name, symbol_kind side, std::size_t& position);
  void collect(clang::QualType t, const value& v, const std::string& name);

  executor run_;
  const clang::FunctionDecl* f_;
  std::vector<state_variable> state_;
  std::map<std::string, term> result_;
};

}  // namespace twofold::analyser::frontend
