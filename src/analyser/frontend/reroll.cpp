// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Unrolled loops: `for (; i + 3 < n; i += 4) { four iterations }` followed by `for (; i < n; ++i) { one }`. Where the body of the
//! first, run once on unknown values, does what the body of the second does when it is run four times, the second loop alone does all.
#include <algorithm>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {
namespace {

using clang::dyn_cast_or_null;

//! while (index + ahead < end) { body; index += step; }
struct counted_loop {
  const clang::VarDecl* index = nullptr;
  const clang::Expr* end = nullptr;
  long ahead = 0, step = 0;
  const clang::Stmt *init = nullptr, *body = nullptr;
};

const clang::VarDecl* variable(const clang::Expr* e) {
  const auto* name = dyn_cast_or_null<clang::DeclRefExpr>(e ? e->IgnoreParenImpCasts() : nullptr);
  return name ? dyn_cast_or_null<clang::VarDecl>(name->getDecl()) : nullptr;
}

std::optional<long> literal(const clang::Expr* e) {
  const auto* n = dyn_cast_or_null<clang::IntegerLiteral>(e ? e->IgnoreParenImpCasts() : nullptr);
  if (!n || n->getValue().getActiveBits() > 16) return std::nullopt;
  return static_cast<long>(n->getValue().getZExtValue());
}

std::optional<counted_loop> counted(const clang::Stmt* s) {
  const auto* loop = dyn_cast_or_null<clang::ForStmt>(s);
  if (!loop || !loop->getCond() || !loop->getInc() || loop->getConditionVariable()) return std::nullopt;
  const auto* c = dyn_cast_or_null<clang::BinaryOperator>(loop->getCond()->IgnoreParenImpCasts());
  if (!c || c->getOpcode() != clang::BO_LT) return std::nullopt;
  counted_loop r;
  r.init = loop->getInit();
  r.body = loop->getBody();
  r.end = c->getRHS()->IgnoreParenImpCasts();
  if (const auto* sum = dyn_cast_or_null<clang::BinaryOperator>(c->getLHS()->IgnoreParenImpCasts());
      sum && sum->getOpcode() == clang::BO_Add) {
    r.index = variable(sum->getLHS());
    const auto k = literal(sum->getRHS());
    if (!k) return std::nullopt;
    r.ahead = *k;
  } else {
    r.index = variable(c->getLHS());
  }
  const clang::Expr* moved = loop->getInc()->IgnoreParenImpCasts();
  if (const auto* one = dyn_cast_or_null<clang::UnaryOperator>(moved);
      one && one->isIncrementOp() && variable(one->getSubExpr()) == r.index)
    r.step = 1;
  else if (const auto* more = dyn_cast_or_null<clang::CompoundAssignOperator>(moved);
           more && more->getOpcode() == clang::BO_AddAssign && variable(more->getLHS()) == r.index)
    r.step = literal(more->getRHS()).value_or(0);
  // an end that is a variable or a parameter: what it holds can be compared
  if (!r.index || r.step < 1 || !variable(r.end) || !r.index->getType()->isIntegerType()) return std::nullopt;
  return r;
}

}  // namespace

bool executor::is_unrolled(const clang::Stmt* first, const clang::Stmt* second) {
  const auto many = counted(first), one = counted(second);
  if (!many || !one || one->init || one->step != 1 || one->ahead != 0 || many->step < 2 || many->step > 16 ||
      many->ahead != many->step - 1 || many->index != one->index || variable(many->end) != variable(one->end))
    return false;
  const auto at_index = frames_.back().variables.find(many->index), at_end = frames_.back().variables.find(variable(many->end));
  if (at_index == frames_.back().variables.end() || at_end == frames_.back().variables.end() || exploring_) return false;
  const memory before = memory_;
  const recording recorded = recording_;
  const auto reads = old_reads_.size(), positions = index_terms_.size();
  // every number and flag that is known here becomes an unknown one; only that nothing was left yet is known
  const auto is_exit = [&](int object) {
    const auto& exits = frames_.back().exits;
    return object == frames_.back().returned ||
           std::any_of(exits.begin(), exits.end(), [&](const auto& e) { return e.first == object || e.second == object; });
  };
  if (!is_number(stopped(), 0)) return false;
  int number_of = 0;
  for (const leaf& l : leaves(memory_))
    if (l.what == leaf::kind::scalar && get(memory_, l) && !is_exit(l.object))
      set(memory_, l, symbol(symbol_kind::state, "@any" + std::to_string(number_of++), get(memory_, l)->type));
  const memory any = memory_;
  const leaf index{.what = leaf::kind::scalar, .object = at_index->second.object},
      end{.what = leaf::kind::scalar, .object = at_end->second.object};
  const term i = get(any, index), n = get(any, end);
  bool same = i && n;
  const int broken = new_cell(value::of(boolean(false)), "", first->getBeginLoc()),
            continued = new_cell(value::of(boolean(false)), "", first->getBeginLoc());
  const memory start = memory_;
  ++depth_;
  frames_.back().exits.emplace_back(broken, continued);
  const auto run = [&](const clang::Stmt* body, long times) {
    memory_ = start;
    for (long k = 0; same && k < times; ++k) {
      set(memory_, index, add(i, number(k, i->type)));
      execute(body);
      same = is_number(stopped(), 0) && get(memory_, end) == n && get(memory_, index) == add(i, number(k, i->type));
    }
    set(memory_, index, i);
    return memory_;
  };
  try {
    const memory a = same ? run(many->body, 1) : start, b = same ? run(one->body, many->step) : start;
    for (const auto& [id, v] : start.cells) same = same && a.cells.at(id) == b.cells.at(id);
    for (const auto& [id, v] : start.arrays) same = same && a.arrays.at(id) == b.arrays.at(id);
  } catch (const refusal&) {
    same = false;
  }
  frames_.back().exits.pop_back();
  --depth_;
  memory_ = before;
  recording_ = recorded;
  old_reads_.resize(reads);
  index_terms_.resize(positions);
  return same;
}

}  // namespace twofold::analyser::frontend
