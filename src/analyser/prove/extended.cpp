// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reading terms over the extended reals.
#include "prove/extended.hpp"

namespace twofold::analyser {
namespace {

term never_true() { return boolean(false); }
extended finite(term t) { return {never_true(), never_true(), t}; }
term finite_at(const extended& e) { return logical_and(logical_not(e.above), logical_not(e.below)); }
extended negated(const extended& e) { return {e.below, e.above, neg(e.value)}; }

extended larger(const extended& a, const extended& b) {
  const term value = select(a.below, b.value, select(b.below, a.value, max(a.value, b.value)));
  return {logical_or(a.above, b.above), logical_and(a.below, b.below), value};
}

}  // namespace

void extended_reader::never(term condition) {
  if (!is_number(condition, 0)) undefined_.push_back(condition);
}

extended extended_reader::operator()(term t, const extended_environment& at) {
  at_ = &at;
  done_.clear();
  return visit(t);
}

extended extended_reader::visit(term t) {
  if (const auto it = at_->find(t); it != at_->end()) return it->second;
  if (const auto it = done_.find(t); it != done_.end()) return it->second;
  const bool finite_throughout =
      !contains(t, [&](const node& n) { return is_special(n) || (n.is(op::symbol) && at_->contains(term(&n))); });
  return done_[t] = finite_throughout ? finite(t) : apply(t);
}

extended extended_reader::apply(term t) {
  const auto arg = [&](std::size_t i) { return visit(t->args[i]); };
  if (!t->args.empty() && !t->is(op::inner_fold)) {
    std::vector<term> values;
    bool all_finite = true;
    for (std::size_t i = 0; i < t->args.size(); ++i) {
      const extended e = arg(i);
      values.push_back(e.value);
      all_finite &= is_number(e.above, 0) && is_number(e.below, 0);
    }
    if (all_finite) return finite(rebuild(t, std::move(values)));
  }
  switch (t->kind) {
    case op::infinity:
      return {boolean(true), never_true(), number(0, t->type)};
    case op::minus_infinity:
      return {never_true(), boolean(true), number(0, t->type)};
    case op::neg:
      return negated(arg(0));
    case op::add: {
      const extended a = arg(0), b = arg(1);
      never(logical_or(logical_and(a.above, b.below), logical_and(a.below, b.above)));
      return {logical_or(a.above, b.above), logical_or(a.below, b.below), add(a.value, b.value)};
    }
    case op::max:
      return larger(arg(0), arg(1));
    case op::min:
      return negated(larger(negated(arg(0)), negated(arg(1))));
    case op::select: {
      const term c = arg(0).value;
      const extended a = arg(1), b = arg(2);
      return {select(c, a.above, b.above), select(c, a.below, b.below), select(c, a.value, b.value)};
    }
    case op::cast:
      if (t->type.kind == sort::real && t->args[0]->type.kind == sort::real) {
        const extended a = arg(0);
        return {a.above, a.below, cast(a.value, t->type)};
      }
      break;
    case op::call:
      if (t->name == "exp" || t->name == "exp2") {
        const extended a = arg(0);
        return {a.above, never_true(), select(a.below, number(0, t->type), call(t->name, {a.value}, t->type))};
      }
      break;
    case op::less:
    case op::less_equal:
    case op::equal:
      return comparison(t);
    case op::logical_and:
    case op::logical_or:
    case op::logical_not: {
      std::vector<term> args;
      for (std::size_t i = 0; i < t->args.size(); ++i) args.push_back(arg(i).value);
      return finite(rebuild(t, std::move(args)));
    }
    default:
      break;
  }
  throw limit_error("an infinity or NaN remains");
}

extended extended_reader::comparison(term t) {
  const extended a = visit(t->args[0]), b = visit(t->args[1]);
  const term both = logical_and(finite_at(a), finite_at(b)), plain = logical_and(both, make(t->kind, {a.value, b.value}, t->type));
  const term same = logical_or(logical_and(a.above, b.above), logical_and(a.below, b.below));
  const term before = logical_or(logical_and(a.below, logical_not(b.below)), logical_and(b.above, logical_not(a.above)));
  switch (t->kind) {
    case op::less:
      return finite(logical_or(plain, before));
    case op::less_equal:
      return finite(logical_or(plain, logical_or(before, same)));
    default:
      return finite(logical_or(plain, same));
  }
}

void state_equal(std::vector<obligation>& to, const std::string& name, const std::vector<term>& hypotheses, const extended& left,
                 const extended& right) {
  if (left.above != right.above || !left.above->total) to.push_back({name + ", where it is ∞", hypotheses, left.above, right.above});
  if (left.below != right.below || !left.below->total) to.push_back({name + ", where it is −∞", hypotheses, left.below, right.below});
  // an operation that has no value has none beside an infinity either, where nothing would be asked of it below
  for (const extended* side : {&left, &right})
    if (!side->value->total) to.push_back({name + " has a value", hypotheses, side->value, side->value});
  std::vector<term> elsewhere = hypotheses;
  elsewhere.push_back(finite_at(left));
  to.push_back({name, elsewhere, left.value, right.value});
}

}  // namespace twofold::analyser
