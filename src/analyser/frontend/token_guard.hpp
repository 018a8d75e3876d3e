// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How much a source may expand to, and how deep it may nest, before Clang's parser recurses on it.
#pragma once

#include <clang/Lex/Preprocessor.h>

#include <optional>
#include <string>
#include <vector>

namespace twofold::analyser::frontend {

//! Clang bounds the nesting of brackets alone. Operators, `if (a) if (b) …`, `a < b < …` and long chains recurse once a token as well,
//! and macros make a million of them from a line. This looks at every token after expansion, and ends the file at the first one that
//! is too many.
class token_guard {
 public:
  void watch(clang::Preprocessor& p);
  struct excess {
    clang::SourceLocation at;
    std::string what;
  };
  [[nodiscard]] const std::optional<excess>& met() const { return met_; }

 private:
  struct level {
    bool block = false;         // statements, in which a comma is an operator
    bool ended = false;         // the last token ended a statement, unless `else` or `while` goes on with it
    bool arrow = false;         // `-> type` before a body
    std::size_t length = 0;     // tokens since the last statement or list entry ended
    std::size_t recursion = 0;  // those of them inside of which what follows is parsed
  };
  void see(const clang::Token& t);
  void open(bool block);
  void close(clang::tok::TokenKind k);
  void begin_anew(level& l);
  [[nodiscard]] bool recurses(const clang::Token& t) const;

  std::vector<level> levels_{level{.block = true}};
  clang::tok::TokenKind previous_ = clang::tok::semi;
  std::size_t tokens_ = 0, recursion_ = 0;  // in all; on all open levels
  std::optional<excess> met_;
};

}  // namespace twofold::analyser::frontend
