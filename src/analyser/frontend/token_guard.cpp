// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Counts tokens, in all and in one statement or list entry.
#include "frontend/token_guard.hpp"

namespace twofold::analyser::frontend {
namespace {

namespace tok = clang::tok;

constexpr std::size_t most_tokens = std::size_t{1} << 22;  // all headers of the standard library have a quarter of that
constexpr std::size_t longest = 8192;                      // in one statement: a chain of operators is a tree as deep
constexpr std::size_t most_recursion = 800;                // a prefix operator takes five kilobytes of Clang's stack
constexpr std::size_t deepest = 512;                       // Clang refuses brackets deeper than 256 itself, with a better message

}  // namespace

void token_guard::watch(clang::Preprocessor& p) {
  p.setTokenWatcher([this](const clang::Token& t) { see(t); });
}

void token_guard::begin_anew(level& l) {
  recursion_ -= l.recursion;
  l.length = l.recursion = 0;
}

//! Prefix operators, statements, assignments and choices: the rest is parsed inside of them. A binary operator is a step of a loop, but
//! `a <` may begin template arguments.
bool token_guard::recurses(const clang::Token& t) const {
  const bool after_operand = tok::isLiteral(previous_) || previous_ == tok::identifier || previous_ == tok::r_paren ||
                             previous_ == tok::r_square || previous_ == tok::kw_true || previous_ == tok::kw_false ||
                             previous_ == tok::kw_this;
  switch (t.getKind()) {
    case tok::plus:
    case tok::minus:
    case tok::star:
    case tok::amp:
    case tok::ampamp:
    case tok::plusplus:
    case tok::minusminus:
      return !after_operand;
    case tok::less:
    case tok::exclaim:
    case tok::tilde:
    case tok::question:
    case tok::colon:
    case tok::equal:
    case tok::plusequal:
    case tok::minusequal:
    case tok::starequal:
    case tok::slashequal:
    case tok::percentequal:
    case tok::ampequal:
    case tok::pipeequal:
    case tok::caretequal:
    case tok::lesslessequal:
    case tok::greatergreaterequal:
    case tok::kw_if:
    case tok::kw_else:
    case tok::kw_for:
    case tok::kw_while:
    case tok::kw_do:
    case tok::kw_switch:
    case tok::kw_case:
    case tok::kw_default:
    case tok::kw_try:
    case tok::kw_sizeof:
    case tok::kw_alignof:
    case tok::kw_new:
    case tok::kw_delete:
    case tok::kw_throw:
    case tok::kw_template:
    case tok::kw_extern:
    case tok::kw_operator:
    case tok::kw_co_await:
    case tok::kw_co_yield:
    case tok::kw___extension__:
    case tok::kw___real:
    case tok::kw___imag:
    case tok::kw___alignof:
      return true;
    default:
      return false;
  }
}

void token_guard::open(bool block) {
  if (levels_.size() < deepest) levels_.push_back({.block = block});
}

void token_guard::close(tok::TokenKind k) {
  const bool was_block = levels_.back().block && k == tok::r_brace;
  if (levels_.size() > 1) {
    recursion_ -= levels_.back().recursion;
    levels_.pop_back();
  }
  levels_.back().ended |= was_block;
}

void token_guard::see(const clang::Token& t) {
  const auto end_of_file = [&] {
    // The parser is unwound by what it takes for the end of the file; it has no other way to stop.
    const_cast<clang::Token&>(t).startToken();
    const_cast<clang::Token&>(t).setKind(tok::eof);
  };
  if (met_) return end_of_file();
  if (t.isAnnotation() || t.is(tok::eof)) return;
  const auto meet = [&](std::string what) {
    met_ = excess{t.getLocation(), std::move(what)};
    end_of_file();
  };
  if (++tokens_ > most_tokens) return meet("more than " + std::to_string(most_tokens) + " tokens, macros and includes expanded");
  level* here = &levels_.back();
  if (here->ended) {
    here->ended = false;
    if (!t.isOneOf(tok::kw_else, tok::kw_while, tok::kw_catch)) begin_anew(*here), here->arrow = false;
  }
  if (++here->length > longest) return meet("more than " + std::to_string(longest) + " tokens in one statement");
  if (recurses(t)) {
    ++here->recursion;
    if (++recursion_ > most_recursion)
      return meet("a statement nested deeper than " + std::to_string(most_recursion) + " operators and keywords");
  }
  switch (t.getKind()) {
    case tok::l_paren:
    case tok::l_square:
      open(false);
      break;
    case tok::l_brace: {
      const bool after_head = previous_ == tok::r_paren || previous_ == tok::kw_else || previous_ == tok::kw_do || previous_ == tok::semi ||
                              previous_ == tok::r_brace || previous_ == tok::colon || previous_ == tok::kw_const ||
                              previous_ == tok::kw_noexcept || previous_ == tok::kw_mutable || (previous_ == tok::l_brace && here->block);
      open(after_head || here->arrow);
      break;
    }
    case tok::r_paren:
    case tok::r_square:
    case tok::r_brace:
      close(t.getKind());
      break;
    case tok::semi:
      here->ended = true;
      break;
    case tok::comma:
      if (!here->block) begin_anew(*here);
      break;
    case tok::arrow:
      here->arrow = true;
      break;
    default:
      break;
  }
  previous_ = t.getKind();
}

}  // namespace twofold::analyser::frontend
