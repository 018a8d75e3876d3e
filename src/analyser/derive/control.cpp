// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reachable control states: breadth first, with the conditions on the element tried both ways.
#include "derive/control.hpp"

#include <algorithm>

#include "derive/condition.hpp"
#include "derive/part.hpp"
#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {
namespace {

constexpr std::size_t max_control_states = 8;

//! The values t can take, if they are few: constants chosen by conditions, and remainders.
std::optional<finite_set> values_of(term t) {
  constexpr std::size_t limit = max_control_states;
  if (t->is(op::number)) return finite_set{t->value};
  if (t->type.kind == sort::boolean) return finite_set{0, 1};
  if (t->is(op::cast) && t->type.kind == sort::integer && t->args[0]->type.kind != sort::real) return values_of(t->args[0]);
  if (t->is(op::remainder) && t->args[1]->is(op::number) && t->args[1]->value > 0 && t->args[1]->value <= 4) {
    finite_set s;
    if (const auto dividends = values_of(t->args[0])) {
      for (const auto& x : *dividends) s.insert(make(t->kind, {number(x, t->type), t->args[1]}, t->type)->value);
      return s;
    }
    for (mpz_class k = t->type.is_signed ? mpz_class(1 - t->args[1]->value.get_num()) : mpz_class(0); k < t->args[1]->value.get_num(); ++k)
      s.insert(mpq_class(k));
    return s;
  }
  const bool two =
      t->is(op::add) || t->is(op::mul) || t->is(op::min) || t->is(op::max) || t->is(op::bit_xor) || t->is(op::bit_or) || t->is(op::bit_and);
  if (!t->is(op::select) && !two) return std::nullopt;
  const auto a = values_of(t->args[t->is(op::select) ? 1 : 0]), b = values_of(t->args[t->is(op::select) ? 2 : 1]);
  if (!a || !b) return std::nullopt;
  finite_set s;
  if (t->is(op::select)) {
    s = *a;
    s.insert(b->begin(), b->end());
  } else {
    for (const auto& x : *a)
      for (const auto& y : *b) s.insert(make(t->kind, {number(x, t->type), number(y, t->type)}, t->type)->value);
  }
  return s.size() <= limit ? std::optional(s) : std::nullopt;
}

}  // namespace

std::optional<finite_set> finite_range(const state_variable& v) {
  if (v.type.kind == sort::boolean) return v.init->is(op::number) ? std::optional(finite_set{0, 1}) : std::nullopt;
  if (v.type.kind != sort::integer || !v.init->is(op::number)) return std::nullopt;
  finite_set s{v.init->value};
  for (std::size_t k = 0; k <= max_control_states; ++k) {
    finite_set grown = s;
    for (const auto& x : s) {  // value by value: what guards a branch (due == 0 ? … : due - 1) is decided then
      const auto next = values_of(substitute(v.step, {{v.symbol, number(x, v.type)}}));
      if (!next) return std::nullopt;
      grown.insert(next->begin(), next->end());
    }
    if (grown == s) return s;
    if (grown.size() > max_control_states) return std::nullopt;
    s = grown;
  }
  return std::nullopt;
}

namespace {

using control_state = std::vector<mpq_class>;

std::vector<control_state> all_combinations(const std::vector<finite_set>& ranges) {
  std::vector<control_state> r{{}};
  for (const auto& range : ranges) {
    std::vector<control_state> next;
    for (const auto& q : r)
      for (const auto& x : range) {
        next.push_back(q);
        next.back().push_back(x);
      }
    r = std::move(next);
    constexpr std::size_t most = 64;
    if (r.size() > most) return {};
  }
  return r;
}

//! Comparisons and Boolean symbols that a term branches on.
void atoms_of(term t, std::vector<term>& to) {
  const bool atom =
      t->type.kind == sort::boolean && !t->is(op::number) &&
      (t->is(op::symbol) || t->is(op::less) || t->is(op::less_equal) || (t->is(op::equal) && t->args[0]->type.kind != sort::boolean));
  if (atom) {
    if (std::find(to.begin(), to.end(), t) == to.end()) to.push_back(t);
    return;
  }
  for (term a : t->args) atoms_of(a, to);
}

class reachable_states {
 public:
  reachable_states(const std::vector<const state_variable*>& control) : control_(control) {}

  //! Nothing if what follows a state is not a matter of the element alone.
  std::optional<std::vector<control_state>> run() {
    std::vector<control_state> found(1);
    for (const auto* v : control_) {
      if (!v->init->is(op::number)) return std::nullopt;
      found[0].push_back(v->init->value);
    }
    std::set<control_state> known{found[0]};
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto next = after(found[k]);
      if (!next) return std::nullopt;
      for (const auto& q : *next)
        if (known.insert(q).second) found.push_back(q);
      if (found.size() > max_control_states) return std::nullopt;
    }
    return found;
  }

 private:
  std::optional<std::set<control_state>> after(const control_state& q) const {
    constexpr std::size_t most_atoms = 7;
    substitution here;
    for (std::size_t c = 0; c < control_.size(); ++c) here[control_[c]->symbol] = number(q[c], control_[c]->type);
    std::vector<term> next, atoms;
    for (const auto* v : control_) {
      next.push_back(substitute(v->step, here));
      if (has_state(next.back())) return std::nullopt;
      atoms_of(next.back(), atoms);
    }
    if (atoms.size() > most_atoms) return std::nullopt;
    std::set<control_state> r;
    for (std::size_t choice = 0; choice < (std::size_t{1} << atoms.size()); ++choice) {
      substitution chosen;
      term together = boolean(true);
      for (std::size_t k = 0; k < atoms.size(); ++k) {
        const bool yes = (choice >> k & 1) != 0;
        chosen[atoms[k]] = boolean(yes);
        together = logical_and(together, yes ? atoms[k] : logical_not(atoms[k]));
      }
      control_state to;
      for (term t : next) {
        const term value = substitute(t, chosen);
        if (!value->is(op::number)) return std::nullopt;
        to.push_back(value->value);
      }
      if (r.contains(to) || !possible(together)) continue;
      r.insert(to);
    }
    return r;
  }

  //! Not shown to be impossible.
  static bool possible(term condition) {
    if (condition->is(op::number)) return condition->value != 0;
    constexpr double seconds = 0.05;
    return !proved_equal(condition, boolean(false), {}, seconds);
  }

  const std::vector<const state_variable*>& control_;
};

}  // namespace

std::vector<control_state> control_states(const std::vector<const state_variable*>& control, const std::vector<finite_set>& ranges) {
  auto all = all_combinations(ranges);
  if (control.size() > 1)
    if (const auto reached = reachable_states(control).run(); reached && (all.empty() || reached->size() < all.size()))
      std::erase_if(all, [&](const auto& q) { return std::find(reached->begin(), reached->end(), q) == reached->end(); });
  return all.size() <= max_control_states ? all : std::vector<control_state>{};
}

}  // namespace twofold::analyser::deriving
