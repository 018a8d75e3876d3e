// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops that pass over some elements: where a condition on the element fails, nothing changes. If the loop over the others merges,
//! so does this one, pieces in which nothing counted being neutral. Whether something counted is a flag, or told by a variable that is
//! positive from then on (a weight, a scale): then it also keeps what is divided by away from 0.
#include <algorithm>

#include "derive/condition.hpp"
#include "derive/part.hpp"
#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {
namespace {

//! Conditions on the element alone that steps branch on.
std::set<term> conditions_of(const pass& loop) {
  std::set<term> r;
  for (const auto& v : loop.state)
    (void)contains(v.step, [&](const node& n) {
      if (n.is(op::select) && !has_state(n.args[0]) && !n.args[0]->is(op::number)) r.insert(n.args[0]);
      return false;
    });
  return r;
}

//! The loop where the condition is known to be `value`.
std::optional<pass> restricted(const pass& loop, term condition, bool value) {
  pass r = loop;
  for (std::size_t i = 0; i < loop.state.size(); ++i) {
    const auto& v = loop.state[i];
    substitution known{{condition, boolean(value)}, {logical_not(condition), boolean(!value)}};
    if (pruned(substitute(v.step, {{condition, boolean(!value)}, {logical_not(condition), boolean(value)}})) != v.symbol)
      return std::nullopt;
    r.state[i].step = pruned(substitute(v.step, known));
  }
  return r;
}

//! 0 < v on all states of words in which something counted, and v = 0 on the others.
bool tells(const std::vector<candidate::variable>& all, std::size_t flag, std::size_t v) {
  word_runner runner(all, 9);
  int both[2] = {0, 0};
  for (int k = 0; k < 120; ++k) {
    if (k % 8 == 0) runner.choose_parameters();
    const auto p = runner.draw(1 + static_cast<std::size_t>(k) % 4);
    if (!p) continue;
    const exact& e = p->value[v];
    const bool counted = p->value[flag].value != 0;
    if (e.kind != exact::kind::finite || (counted ? sgn(e.value) <= 0 : sgn(e.value) != 0)) return false;
    ++both[counted];
  }
  return both[0] > 3 && both[1] > 3;
}

}  // namespace

std::optional<part_result> guarded(const pass& loop, const std::vector<term>& observed, std::vector<std::string>& tried) {
  for (term c : conditions_of(loop))
    for (const bool value : {true, false}) {
      const auto inner = restricted(loop, c, value);
      if (!inner) continue;
      std::vector<std::string> in_vain;
      auto r = all_parts(*inner, observed, in_vain);
      if (!r || !r->along.empty()) continue;
      const term counts = value ? c : logical_not(c);
      if (std::any_of(r->variables.begin(), r->variables.end(),
                      [](const auto& v) { return !v.init || v.lift || v.extent || has_infinity(v.init); })) {
        tried.push_back("the loop over the elements that count merges, and no value stands for none of them");
        continue;
      }
      const part naming{loop, {}, r->variables};
      candidate::variable flag = added_variable("some", naming, {}, boolean_type, "the merge must know whether an element counted at all");
      flag.init = boolean(false);
      flag.step = logical_or(flag.symbol, counts);
      flag.merge = logical_or(left_of(flag.symbol), right_of(flag.symbol));
      auto& all = r->variables;
      for (auto& v : all) v.step = select(counts, v.step, v.symbol);
      all.push_back(flag);
      const std::size_t n = all.size() - 1;
      term some = flag.symbol;
      std::vector<term> positive;
      for (std::size_t i = 0; i < n; ++i)
        if (is_number(all[i].init, 0) && all[i].type.kind == sort::real && tells(all, n, i)) positive.push_back(all[i].symbol);
      if (!positive.empty()) {
        some = less(number(0, positive[0]->type), positive[0]);
        all.pop_back();
      }
      const substitution left = sides(all, symbol_kind::left), right = sides(all, symbol_kind::right);
      const term a = substitute(some, left), b = substitute(some, right);
      for (std::size_t i = 0; i < n; ++i)
        all[i].merge = select(a, select(b, all[i].merge, left_of(all[i].symbol)), right_of(all[i].symbol));
      std::vector<term> invariant;
      for (term t : r->invariant) invariant.push_back(logical_or(logical_not(some), t));
      for (std::size_t i = 0; i < n; ++i)
        if (positive.empty() || all[i].symbol != positive[0]) invariant.push_back(logical_or(some, equal(all[i].symbol, all[i].init)));
      for (std::size_t i = 0; i < positive.size(); ++i)
        invariant.push_back(i == 0 ? less_equal(number(0, positive[0]->type), positive[0])
                                   : logical_or(logical_not(some), less(number(0, positive[i]->type), positive[i])));
      r->invariant = invariant;
      r->bounds.clear();
      r->guesses.clear();
      r->coordinates.clear();
      r->mechanism += ", over the elements that count";
      return r;
    }
  return std::nullopt;
}

}  // namespace twofold::analyser::deriving
