// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops with a flag that stays up once it is up: what was carried besides and no longer matters may then be anything. Where the loop
//! stands still it may as well run on, and is what it would be without the exit: a plain sum, say, that the flag watches. Where it runs on
//! and has few values, it may as well begin anew: then fewer combinations with the flag are reached.
#include <algorithm>

#include "derive/control.hpp"
#include "derive/part.hpp"

namespace twofold::analyser::deriving {

std::optional<thawed_loop> thawed(const pass& loop, const std::vector<term>& observed) {
  for (const state_variable& flag : loop.state) {
    const substitution up{{flag.symbol, boolean(true)}}, down{{flag.symbol, boolean(false)}};
    if (flag.type.kind != sort::boolean || flag.extent || !is_number(substitute(flag.step, up), 1)) continue;
    thawed_loop r{loop, {}};
    for (std::size_t i = 0; i < loop.state.size(); ++i) {
      const state_variable& v = loop.state[i];
      const auto uses = [&](term t) { return has_symbol(substitute(t, up), v.symbol); };
      const bool frozen = v.symbol != flag.symbol && has_symbol(v.step, flag.symbol) && substitute(v.step, up) == v.symbol;
      const bool used =
          std::any_of(observed.begin(), observed.end(), uses) ||
          std::any_of(loop.state.begin(), loop.state.end(), [&](const state_variable& w) { return &w != &v && uses(w.step); }) ||
          std::any_of(loop.outputs.begin(), loop.outputs.end(), [&](const element_output& o) { return has_symbol(o.value, v.symbol); });
      if (!frozen || used) continue;
      r.loop.state[i].step = substitute(v.step, down);
      r.claimed.emplace_back(v.symbol, logical_not(flag.symbol));
    }
    if (!r.claimed.empty()) return r;
  }
  return std::nullopt;
}

std::optional<thawed_loop> forgetful(const pass& loop, const std::vector<term>& observed) {
  thawed_loop r{loop, {}};
  for (const state_variable& flag : loop.state) {
    const substitution up{{flag.symbol, boolean(true)}};
    if (flag.type.kind != sort::boolean || flag.extent || !is_number(substitute(flag.step, up), 1)) continue;
    for (std::size_t i = 0; i < loop.state.size(); ++i) {
      const state_variable& v = loop.state[i];
      const auto uses = [&](term t) { return has_symbol(substitute(t, up), v.symbol); };
      const bool used =
          std::any_of(observed.begin(), observed.end(), uses) ||
          std::any_of(loop.state.begin(), loop.state.end(), [&](const state_variable& w) { return &w != &v && uses(w.step); }) ||
          std::any_of(loop.outputs.begin(), loop.outputs.end(), [&](const element_output& o) { return has_symbol(o.value, v.symbol); });
      const bool known = std::any_of(r.claimed.begin(), r.claimed.end(), [&](const auto& c) { return c.first == v.symbol; });
      const auto range = finite_range(v);
      if (v.symbol == flag.symbol || used || known || v.extent || substitute(v.step, up) == v.symbol || !range || range->size() < 3)
        continue;
      r.loop.state[i].step = select(flag.step, v.init, v.step);
      r.claimed.emplace_back(v.symbol, logical_not(flag.symbol));
    }
  }
  return r.claimed.empty() ? std::nullopt : std::optional(r);
}

}  // namespace twofold::analyser::deriving
