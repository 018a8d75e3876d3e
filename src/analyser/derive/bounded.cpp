// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounded accumulators: v ↦ min(high, max(low, slope·v + shift)) is closed under composition. A slope turns the bounds over where it
//! is negative.
#include <algorithm>

#include "derive/control.hpp"
#include "derive/opaque.hpp"
#include "derive/reduce.hpp"
#include "derive/sampling.hpp"
#include "derive/semiring.hpp"

namespace twofold::analyser::deriving {
namespace {

//! v ↦ min(high, max(low, slope·v + shift)), low ≤ high; bounds may be absent.
struct clamp {
  term slope, shift;
  entry low, high;
};

bool is_positive(term t, const std::vector<term>& positive) {
  return (t->is(op::number) && sgn(t->value) > 0) || opaque_terms::stands_for_positive(t) ||
         std::find(positive.begin(), positive.end(), t) != positive.end();
}

//! slope·(clamp) + shift: every bound moves, and low and high change places where the slope is negative.
clamp moved(const clamp& f, term slope, term shift, const std::vector<term>& positive) {
  const auto at = [&](const entry& e) { return entry{e.present, add(mul(slope, e.value), shift)}; };
  clamp r{mul(slope, f.slope), add(mul(slope, f.shift), shift), at(f.low), at(f.high)};
  if (is_positive(slope, positive)) return r;
  const term up = less_equal(number(0, slope->type), slope);
  const entry low = r.low;
  r.low = chosen(up, low, r.high);
  r.high = chosen(up, r.high, low);
  return r;
}
//! max(f, bound) or min(f, bound).
clamp raised_to(const clamp& f, const entry& bound) {
  const entry high = chosen(f.high.present, joined(semiring::max_plus, f.high, bound), absent(f.shift->type));
  return {f.slope, f.shift, joined(semiring::max_plus, f.low, bound), high};
}
clamp lowered_to(const clamp& f, const entry& bound) {
  const entry low = chosen(f.low.present, joined(semiring::min_plus, f.low, bound), absent(f.shift->type));
  return {f.slope, f.shift, low, joined(semiring::min_plus, f.high, bound)};
}
clamp after(const clamp& later, const clamp& first, const std::vector<term>& positive) {
  return lowered_to(raised_to(moved(first, later.slope, later.shift, positive), later.low), later.high);
}

class clamp_reader {
 public:
  explicit clamp_reader(term v) : v_(v) {}

  std::optional<clamp> operator()(term t) {
    const term zero = number(0, v_->type), one = number(1, v_->type);
    if (t == v_) return clamp{one, zero, absent(v_->type), absent(v_->type)};
    if (!has_symbol(t, v_)) return clamp{one, zero, {boolean(true), t}, {boolean(true), t}};  // a reset
    if (t->is(op::select)) return chosen_of(t);
    if (t->is(op::neg)) return scaled_by(t->args[0], number(-1, v_->type));
    if (t->is(op::cast) && t->type.kind == sort::real && t->args[0]->type.kind == sort::real) return (*this)(t->args[0]);
    if (t->is(op::div) && !has_symbol(t->args[1], v_)) return scaled_by(t->args[0], div(one, t->args[1]));
    if (!t->is(op::add) && !t->is(op::mul) && !t->is(op::max) && !t->is(op::min)) return std::nullopt;
    const bool left = has_symbol(t->args[0], v_);
    const term k = t->args[left ? 1 : 0], other = t->args[left ? 0 : 1];
    if (left && has_symbol(k, v_)) return std::nullopt;
    if (t->is(op::mul)) return scaled_by(other, k);
    auto f = (*this)(other);
    if (!f) return f;
    if (t->is(op::add)) return moved(*f, one, k, {});
    return t->is(op::max) ? raised_to(*f, {boolean(true), k}) : lowered_to(*f, {boolean(true), k});
  }

 private:
  std::optional<clamp> scaled_by(term t, term k) {
    const auto f = (*this)(t);
    return f ? std::optional(moved(*f, k, number(0, v_->type), {})) : f;
  }
  //! A choice on the element; or a comparison spelt out, which is a maximum or a minimum for all that samples say.
  std::optional<clamp> chosen_of(term t) {
    const term c = t->args[0], yes = t->args[1], no = t->args[2];
    if (has_symbol(c, v_)) {
      for (term extremum : {max(yes, no), min(yes, no)})
        if (!extremum->is(op::select) && same_on_samples(t, extremum, 200)) return (*this)(extremum);
      return std::nullopt;
    }
    const auto a = (*this)(yes), b = (*this)(no);
    if (!a || !b) return std::nullopt;
    return clamp{select(c, a->slope, b->slope), select(c, a->shift, b->shift), chosen(c, a->low, b->low), chosen(c, a->high, b->high)};
  }

  term v_;
};

}  // namespace

std::optional<part_result> bounded(const part& p, std::vector<std::string>& tried) {
  if (p.variables.size() != 1 || p.variables[0]->extent) return std::nullopt;
  const state_variable& v = *p.variables[0];
  const bool ordered = v.type.kind == sort::real || (v.type.kind == sort::integer && v.type.is_signed);
  auto f = ordered ? clamp_reader(v.symbol)(tidied(v.step)) : std::nullopt;
  if (const auto range = f ? finite_range(v) : std::nullopt)  // what never leaves a range may as well be kept in it: both bounds are there
    f = lowered_to(raised_to(*f, {boolean(true), number(*range->begin(), v.type)}), {boolean(true), number(*range->rbegin(), v.type)});
  const auto is_free = [&](term t) { return !has_state(t); };
  if (!f || !is_free(f->slope) || !is_free(f->shift) || !is_free(f->low.value) || !is_free(f->high.value) || !is_free(f->low.present) ||
      !is_free(f->high.present)) {
    tried.push_back("the step of " + v.name + " is no composition of minimum, maximum, addition and scaling");
    return std::nullopt;
  }
  const bool scales = !is_number(f->slope, 1);
  std::vector<candidate::variable> added;
  const auto add_variable = [&](const char* stem, type t, const char* why) { added.push_back(added_variable(stem, p, added, t, why)); };
  add_variable("sum", v.type, "the merge must know how far the right piece shifts a value that meets no bound");
  add_variable("low", v.type, "the merge must know the least value that the right piece can end with");
  add_variable("high", v.type, "the merge must know the greatest value that the right piece can end with");
  const bool never_low = is_number(f->low.present, 0), never_high = is_number(f->high.present, 0);
  const bool sides_change = scales && !is_positive(f->slope, {});  // then a bound on one side comes and goes
  const bool alike = !sides_change || f->low.present == f->high.present;
  const bool has_low = alike && is_number(f->low.present, 1), has_high = alike && is_number(f->high.present, 1);
  if (!has_low) add_variable("has_low", boolean_type, "the merge must know whether the right piece has a lower bound");
  if (!has_high) add_variable("has_high", boolean_type, "the merge must know whether the right piece has an upper bound");
  if (scales) add_variable("slope", v.type, "the merge must know by which factor the right piece scales what comes in");
  const auto of = [&](symbol_kind side) {
    std::size_t k = 3;
    const auto at = [&](std::size_t i) { return symbol(side, added[i].name, added[i].type); };
    clamp c{number(1, v.type), at(0), {boolean(true), at(1)}, {boolean(true), at(2)}};
    if (!has_low) c.low.present = at(k++);
    if (!has_high) c.high.present = at(k++);
    if (never_low && !(sides_change && !never_high)) c.low = absent(v.type);
    if (never_high && !(sides_change && !never_low)) c.high = absent(v.type);
    if (scales) c.slope = at(k);
    return c;
  };
  std::vector<term> positive, invariant;
  if (scales && is_positive(f->slope, {})) {
    for (symbol_kind side : {symbol_kind::state, symbol_kind::left, symbol_kind::right}) positive.push_back(of(side).slope);
    invariant.push_back(less(number(0, v.type), of(symbol_kind::state).slope));
  }
  if (sides_change) {  // what turns the bounds over must not find them crossed
    const clamp c = of(symbol_kind::state);
    const term both = logical_and(c.low.present, c.high.present);
    if (!is_number(both, 0)) invariant.push_back(logical_or(logical_not(both), less_equal(c.low.value, c.high.value)));
    if (f->slope->is(op::number)) invariant.push_back(logical_not(equal(c.slope, number(0, v.type))));
  }
  const auto put = [&](const clamp& c, term candidate::variable::*to) {
    std::size_t k = 3;
    const auto value = [&](const entry& e) { return is_number(e.present, 1) ? e.value : select(e.present, e.value, number(0, v.type)); };
    added[0].*to = c.shift;
    added[1].*to = value(c.low);
    added[2].*to = value(c.high);
    if (!has_low) added[k++].*to = c.low.present;
    if (!has_high) added[k++].*to = c.high.present;
    if (scales) added[k].*to = c.slope;
  };
  const clamp right = of(symbol_kind::right), state = of(symbol_kind::state);
  put(*f, &candidate::variable::lift);
  put(after(*f, state, positive), &candidate::variable::step);
  put(after(right, of(symbol_kind::left), positive), &candidate::variable::merge);
  put({number(1, v.type), number(0, v.type), has_low ? entry{boolean(true), minus_infinity(v.type)} : absent(v.type),
       has_high ? entry{boolean(true), infinity(v.type)} : absent(v.type)},
      &candidate::variable::init);
  const auto value_of = [&](const clamp& c, term from) {
    const entry at{boolean(true), add(mul(c.slope, from), c.shift)};
    return joined(semiring::min_plus, joined(semiring::max_plus, at, c.low), c.high).value;
  };
  candidate::variable own = carried(v);
  own.merge = value_of(right, left_of(v.symbol));
  substitution at_start;
  if (!read_by_nobody_else(p).empty() && !has_infinity(v.init)) at_start[v.symbol] = value_of(state, v.init);
  auto r = reduce(p.upstream, {own}, added, invariant, {}, p.state, at_start);
  if (r) r->mechanism = "bounded accumulator";
  return r;
}

}  // namespace twofold::analyser::deriving
