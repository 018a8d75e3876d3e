// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounded accumulators: v ↦ min(high, max(low, v + sum)) is closed under composition.
#include <algorithm>

#include "derive/reduce.hpp"
#include "derive/semiring.hpp"

namespace twofold::analyser::deriving {
namespace {

//! v ↦ min(high, max(low, v + shift)), low ≤ high; bounds may be absent.
struct clamp {
  term shift;
  entry low, high;
};

entry moved(const entry& e, term by) { return {e.present, add(e.value, by)}; }

//! What the clamp f makes of a bound that may be absent; where it is, f's own bound stays.
entry through(const clamp& f, const entry& bound, const entry& own) {
  const entry above = joined(semiring::max_plus, moved(bound, f.shift), f.low), below = joined(semiring::min_plus, above, f.high);
  return chosen(bound.present, below, own);
}
clamp after(const clamp& later, const clamp& first) {
  return {add(first.shift, later.shift), through(later, first.low, later.low), through(later, first.high, later.high)};
}

class reader {
 public:
  explicit reader(term v) : v_(v) {}

  std::optional<clamp> operator()(term t) {
    const term zero = number(0, v_->type);
    if (t == v_) return clamp{zero, absent(v_->type), absent(v_->type)};
    if (!has_symbol(t, v_)) return clamp{zero, {boolean(true), t}, {boolean(true), t}};  // a reset
    if (t->is(op::select) && !has_symbol(t->args[0], v_)) {
      const auto a = (*this)(t->args[1]), b = (*this)(t->args[2]);
      if (!a || !b) return std::nullopt;
      return clamp{select(t->args[0], a->shift, b->shift), chosen(t->args[0], a->low, b->low), chosen(t->args[0], a->high, b->high)};
    }
    if (!t->is(op::add) && !t->is(op::max) && !t->is(op::min)) return std::nullopt;
    const bool left = has_symbol(t->args[0], v_);
    const term k = t->args[left ? 1 : 0];
    if (left && has_symbol(k, v_)) return std::nullopt;
    auto f = (*this)(t->args[left ? 0 : 1]);
    if (!f) return f;
    const entry bound{boolean(true), k};
    if (t->is(op::add)) return clamp{add(f->shift, k), moved(f->low, k), moved(f->high, k)};
    const semiring s = t->is(op::max) ? semiring::max_plus : semiring::min_plus;
    const bool raises = t->is(op::max);
    const auto both = [&](const entry& e) { return chosen(e.present, joined(s, e, bound), absent(v_->type)); };
    return raises ? clamp{f->shift, joined(s, f->low, bound), both(f->high)} : clamp{f->shift, both(f->low), joined(s, f->high, bound)};
  }

 private:
  term v_;
};

}  // namespace

std::optional<part_result> bounded(const part& p, std::vector<std::string>& tried) {
  if (p.variables.size() != 1 || p.variables[0]->extent) return std::nullopt;
  const state_variable& v = *p.variables[0];
  const bool ordered = v.type.kind == sort::real || (v.type.kind == sort::integer && v.type.is_signed);
  const auto f = ordered ? reader(v.symbol)(tidied(v.step)) : std::nullopt;
  const auto is_free = [&](term t) { return !has_state(t); };
  if (!f || !is_free(f->shift) || !is_free(f->low.value) || !is_free(f->high.value) || !is_free(f->low.present) ||
      !is_free(f->high.present)) {
    tried.push_back("the step of " + v.name + " is no composition of minimum, maximum and addition");
    return std::nullopt;
  }
  std::vector<candidate::variable> added;
  const auto add_variable = [&](const char* stem, type t, const char* why) {
    candidate::variable c;
    c.name = fresh_name(stem, p, added);
    c.type = t;
    c.kind = role::added;
    c.symbol = symbol(symbol_kind::state, c.name, t);
    c.why = why;
    added.push_back(c);
  };
  add_variable("sum", v.type, "the merge must know how far the right piece shifts a value that meets no bound");
  add_variable("low", v.type, "the merge must know the least value that the right piece can end with");
  add_variable("high", v.type, "the merge must know the greatest value that the right piece can end with");
  const bool has_low = is_number(f->low.present, 1), has_high = is_number(f->high.present, 1);
  if (!has_low) add_variable("has_low", boolean_type, "the merge must know whether the right piece has a lower bound");
  if (!has_high) add_variable("has_high", boolean_type, "the merge must know whether the right piece has an upper bound");
  const auto of = [&](symbol_kind side) {
    std::size_t k = 3;
    const auto at = [&](std::size_t i) { return symbol(side, added[i].name, added[i].type); };
    clamp c{at(0), {boolean(true), at(1)}, {boolean(true), at(2)}};
    if (!has_low) c.low.present = at(k++);
    if (!has_high) c.high.present = at(k);
    return c;
  };
  const auto put = [&](const clamp& c, term candidate::variable::*to) {
    std::size_t k = 3;
    const auto value = [&](const entry& e) { return is_number(e.present, 1) ? e.value : select(e.present, e.value, number(0, v.type)); };
    added[0].*to = c.shift;
    added[1].*to = value(c.low);
    added[2].*to = value(c.high);
    if (!has_low) added[k++].*to = c.low.present;
    if (!has_high) added[k].*to = c.high.present;
  };
  put(*f, &candidate::variable::lift);
  put(after(*f, of(symbol_kind::state)), &candidate::variable::step);
  put(after(of(symbol_kind::right), of(symbol_kind::left)), &candidate::variable::merge);
  put({number(0, v.type), has_low ? entry{boolean(true), minus_infinity(v.type)} : absent(v.type),
       has_high ? entry{boolean(true), infinity(v.type)} : absent(v.type)},
      &candidate::variable::init);
  candidate::variable own = carried(v);
  const clamp right = of(symbol_kind::right);
  const entry shifted{boolean(true), add(left_of(v.symbol), right.shift)};
  own.merge = joined(semiring::min_plus, joined(semiring::max_plus, shifted, right.low), right.high).value;
  auto r = reduce(p.upstream, {own}, added, {}, {}, p.state);
  if (r) r->mechanism = "bounded accumulator";
  return r;
}

}  // namespace twofold::analyser::deriving
