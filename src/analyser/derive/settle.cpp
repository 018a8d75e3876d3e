// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file See settle.hpp. For a state (g, v), a step to (M, v′), M = max(g, e(x)), and any reference k:
//!     move((M, v′), k) = settled(move((g, v), k), x)
//! is decided by the exact normal form, with M as it stands. By induction over a tile: a fold and a move to the tile's last reference are
//! the same as a move there and settled steps.
#include "derive/settle.hpp"

#include <algorithm>

#include "prove/prove.hpp"

namespace twofold::analyser {
namespace {

term state_of(const merged_variable& v) { return symbol(symbol_kind::state, v.name, v.type); }
term left_of(const merged_variable& v) { return symbol(symbol_kind::left, v.name, v.type); }
term right_of(const merged_variable& v) { return symbol(symbol_kind::right, v.name, v.type); }

bool mentions_state(term t) {
  return contains(t, [](const node& n) { return n.is_symbol(symbol_kind::state); });
}
std::size_t calls(term t) {
  return (t->is(op::call) ? 1 : 0) + [&] {
    std::size_t n = 0;
    for (const term a : t->args) n += calls(a);
    return n;
  }();
}

//! Is it max(v, what the element says), or min, in steps and in merges?
bool is_reference(const merged_variable& v) {
  if (v.extent || v.type.kind != sort::real || !v.step || !v.merge) return false;
  const auto joins = [](term t, term a) {
    return (t->is(op::max) || t->is(op::min)) && t->args.size() == 2 && (t->args[0] == a || t->args[1] == a);
  };
  if (!joins(v.step, state_of(v)) || !joins(v.merge, left_of(v)) || !joins(v.merge, right_of(v)) || v.step->kind != v.merge->kind)
    return false;
  return !mentions_state(v.step->args[v.step->args[0] == state_of(v) ? 1 : 0]);
}

}  // namespace

bool settle(decision& d, double seconds) {
  substitution still, arrived, sides, one_more;
  std::vector<bool> reference;
  for (const merged_variable& v : d.state) {
    reference.push_back(is_reference(v));
    if (v.extent || !v.step || !v.merge || (!reference.back() && !v.init)) return false;
    if (reference.back()) still[v.step] = state_of(v), arrived[v.merge] = right_of(v);
    else sides[right_of(v)] = v.init;
    sides[left_of(v)] = state_of(v);
    one_more[state_of(v)] = v.step;
  }
  if (still.empty() || still.size() == d.state.size()) return false;
  decision out = d;
  std::size_t before = 0, after = 0;
  substitution moved;  // the state written at the right references
  for (std::size_t i = 0; i < d.state.size(); ++i) {
    merged_variable& v = out.state[i];
    v.moved = reference[i] ? right_of(v) : substitute(substitute(v.merge, arrived), sides);
    v.settled = reference[i] ? term() : substitute(v.step, still);
    moved[state_of(v)] = v.moved;
    if (reference[i]) continue;
    before += calls(v.step), after += calls(v.settled);
  }
  if (after >= before) return false;
  for (std::size_t i = 0; i < d.state.size(); ++i) {
    if (reference[i]) continue;
    const merged_variable& v = out.state[i];
    if (!proved_equal(substitute(v.moved, one_more), substitute(v.settled, moved), {}, seconds)) return false;
  }
  d = std::move(out);
  return true;
}

}  // namespace twofold::analyser
