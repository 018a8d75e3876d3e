// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Unrolled loops: `for (; i + 3 < n; i += 4) { four iterations }` followed by `for (; i < n; ++i) { one }`. Where the body of the
//! first, run once on unknown values, does what the body of the second does when it is run four times, the second loop alone does all.
//! The first may also be written as a `while`, with another form of its condition, or with n rounded down before it.
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
  const clang::Stmt* init = nullptr;
  std::vector<const clang::Stmt*> body;
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

//! The two operands of a sum or difference with a literal on the right: e and the literal; e and 0 for anything else.
std::pair<const clang::Expr*, long> shifted(const clang::Expr* e, clang::BinaryOperatorKind by) {
  const auto* sum = dyn_cast_or_null<clang::BinaryOperator>(e->IgnoreParenImpCasts());
  const auto k = sum && sum->getOpcode() == by ? literal(sum->getRHS()) : std::nullopt;
  return k ? std::pair{sum->getLHS()->IgnoreParenImpCasts(), *k} : std::pair{e->IgnoreParenImpCasts(), 0L};
}

//! index + ahead < end, as that or with <=, turned around, or with the number taken off the end (a signed one: 3 − 4 wraps otherwise).
bool read_condition(const clang::Expr* e, counted_loop& r) {
  const auto* c = dyn_cast_or_null<clang::BinaryOperator>(e ? e->IgnoreParenImpCasts() : nullptr);
  if (!c || !c->isRelationalOp()) return false;
  const bool turned = c->getOpcode() == clang::BO_GT || c->getOpcode() == clang::BO_GE;
  const bool strict = c->getOpcode() == clang::BO_LT || c->getOpcode() == clang::BO_GT;
  const auto [index, plus] = shifted(turned ? c->getRHS() : c->getLHS(), clang::BO_Add);
  const clang::Expr* right = (turned ? c->getLHS() : c->getRHS())->IgnoreParenImpCasts();
  const auto [end, minus] = right->getType()->isSignedIntegerType() ? shifted(right, clang::BO_Sub) : std::pair{right, 0L};
  r.index = variable(index);
  r.end = end;
  r.ahead = plus + minus - (strict ? 0 : 1);
  return r.index && r.index->getType()->isIntegerType() && r.ahead >= 0;
}

//! By how much the statement moves the index; 0: it does something else.
long step_of(const clang::Stmt* s, const clang::VarDecl* index) {
  const auto* e = dyn_cast_or_null<clang::Expr>(s);
  if (!e) return 0;
  e = e->IgnoreParenImpCasts();
  if (const auto* one = dyn_cast_or_null<clang::UnaryOperator>(e))
    return one->isIncrementOp() && variable(one->getSubExpr()) == index ? 1 : 0;
  const auto* more = dyn_cast_or_null<clang::CompoundAssignOperator>(e);
  return more && more->getOpcode() == clang::BO_AddAssign && variable(more->getLHS()) == index ? literal(more->getRHS()).value_or(0) : 0;
}

std::optional<counted_loop> counted(const clang::Stmt* s) {
  counted_loop r;
  if (const auto* loop = dyn_cast_or_null<clang::ForStmt>(s)) {
    if (loop->getConditionVariable() || !read_condition(loop->getCond(), r)) return std::nullopt;
    r.init = loop->getInit();
    r.body = {loop->getBody()};
    r.step = step_of(loop->getInc(), r.index);
  } else if (const auto* again = dyn_cast_or_null<clang::WhileStmt>(s)) {
    const auto* body = dyn_cast_or_null<clang::CompoundStmt>(again->getBody());
    if (again->getConditionVariable() || !body || body->body_empty() || !read_condition(again->getCond(), r)) return std::nullopt;
    r.body.assign(body->body_begin(), body->body_end());
    r.step = step_of(r.body.back(), r.index);
    r.body.pop_back();
  }
  return r.step >= 1 ? std::optional(r) : std::nullopt;
}

//! Whether m is n rounded down to a multiple of step, as it is usually written.
bool rounds_down(term m, term n, long step) {
  if (m->type != n->type || n->type.kind != sort::integer) return false;
  const term by = number(step, n->type);
  const bool power = (step & (step - 1)) == 0;
  const mpz_class low = n->type.is_signed ? mpz_class(-step) : (mpz_class(1) << n->type.bits) - step;
  return m == sub(n, make(op::remainder, {n, by}, n->type)) || m == mul(make(op::quotient, {n, by}, n->type), by) ||
         (power && m == make(op::bit_and, {n, number(mpq_class(low), n->type)}, n->type));
}

}  // namespace

//! `many` runs over [0, m), m being the end of `one` rounded down to a multiple of the step: then m iterations were done, and no more.
bool executor::ends_rounded_down(const clang::Stmt* init, const clang::Expr* m, const clang::Expr* n, long step, const leaf& index) {
  const memory before = memory_;
  bool r = false;
  try {
    if (init) execute(init);
    const term start = get(memory_, index);
    r = start && is_number(start, 0) && rounds_down(scalar(m), scalar(n), step);
  } catch (const refusal&) {
    r = false;
  }
  memory_ = before;
  return r;
}

bool executor::is_unrolled(const clang::Stmt* first, const clang::Stmt* second) {
  const auto many = counted(first), one = counted(second);
  if (!many || !one || one->init || one->step != 1 || one->ahead != 0 || many->step < 2 || many->step > 16 || many->index != one->index ||
      many->end->HasSideEffects(context_, false) || one->end->HasSideEffects(context_, false))
    return false;
  const auto at_index = frames_.back().variables.find(many->index);
  if (at_index == frames_.back().variables.end() || exploring_) return false;
  const memory before = memory_;
  const recording recorded = recording_;
  const auto reads = old_reads_.size(), positions = index_terms_.size();
  if (!is_number(stopped(), 0)) return false;
  const leaf index{.what = leaf::kind::scalar, .object = at_index->second.object};
  const bool rounded = many->ahead <= many->step - 1 && ends_rounded_down(many->init, many->end, one->end, many->step, index);
  // every number and flag that is known here becomes an unknown one; only that nothing was left yet is known
  const auto is_exit = [&](int object) {
    const auto& exits = frames_.back().exits;
    return object == frames_.back().returned ||
           std::any_of(exits.begin(), exits.end(), [&](const auto& e) { return e.first == object || e.second == object; });
  };
  int number_of = 0;
  for (const leaf& l : leaves(memory_))
    if (l.what == leaf::kind::scalar && get(memory_, l) && !is_exit(l.object))
      set(memory_, l, symbol(symbol_kind::state, "@any" + std::to_string(number_of++), get(memory_, l)->type));
  for (auto& [object, held] : memory_.arrays) {  // and so does what was written before: it may be anything
    held.entries.clear();
    if (held.base)
      held.base = read(symbol(symbol_kind::array, "@contents" + std::to_string(object), arrays_.at(object).element), {position()},
                       arrays_.at(object).element);
  }
  const int broken = new_cell(value::of(boolean(false)), "", first->getBeginLoc()),
            continued = new_cell(value::of(boolean(false)), "", first->getBeginLoc());
  const memory start = memory_;
  const term i = get(start, index);
  bool same = static_cast<bool>(i);
  ++depth_;
  frames_.back().exits.emplace_back(broken, continued);
  const auto run = [&](const counted_loop& l, long times) {
    memory_ = start;
    const term end = scalar(l.end);
    for (long k = 0; same && k < times; ++k) {
      set(memory_, index, add(i, number(k, i->type)));
      execute_all(l.body, 0);
      same = is_number(stopped(), 0) && get(memory_, index) == add(i, number(k, i->type)) && scalar(l.end) == end;
    }
    set(memory_, index, i);
    return std::pair{memory_, end};
  };
  try {
    if (same) {
      const auto [a, end] = run(*many, 1);
      const auto [b, last] = run(*one, many->step);
      same = same && (rounded || (end == last && many->ahead == many->step - 1));
      for (const auto& [id, v] : start.cells) same = same && a.cells.at(id) == b.cells.at(id);
      for (const auto& [id, v] : start.arrays) same = same && a.arrays.at(id) == b.arrays.at(id);
    }
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
