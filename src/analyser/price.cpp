// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Counting operations of steps and merges.
#include "price.hpp"

#include <algorithm>
#include <bit>

#include "stages.hpp"

namespace twofold::analyser {

std::optional<std::size_t> price::pays_from(std::size_t workers) const {
  // n·step > (n/p)·push + rounds·merge, in whole numbers: n·(p·step − push) > p·rounds·merge.
  const std::size_t rounds = std::bit_width(workers - 1);
  if (workers * step <= push) return std::nullopt;
  return std::max(workers, workers * rounds * merge / (workers * step - push) + 1);
}

price price_of(const spec& s, const decision& d) {
  std::vector<term> steps, pushes, merges;
  for (const pass& p : s.passes)
    for (const state_variable& v : p.state) steps.push_back(v.step);
  for (const merged_variable& v : d.state) pushes.push_back(v.step), merges.push_back(v.merge);
  return {std::max<std::size_t>(1, operations(steps)), std::max<std::size_t>(1, operations(pushes)), operations(merges)};
}

arrival arrival_of(const decision& d) {
  if (d.commutative == ternary::refuted) return arrival::in_order;
  if (d.commutative == ternary::unknown) return arrival::undecided;
  const auto alone = [](const merged_variable& v) {
    if (!v.merge || v.merge->args.size() != 2 || v.extent) return false;
    switch (v.merge->kind) {
      case op::add:
      case op::min:
      case op::max:
      case op::bit_and:
      case op::bit_or:
      case op::bit_xor:
      case op::logical_and:
      case op::logical_or:
        break;
      default:
        return false;
    }
    const auto is = [&](term t, symbol_kind side) { return t->is_symbol(side) && t->name == v.name; };
    const term x = v.merge->args[0], y = v.merge->args[1];
    return (is(x, symbol_kind::left) && is(y, symbol_kind::right)) || (is(x, symbol_kind::right) && is(y, symbol_kind::left));
  };
  return std::all_of(d.state.begin(), d.state.end(), alone) ? arrival::by_variable : arrival::by_state;
}

}  // namespace twofold::analyser
