// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops that are left early: once the flag is up nothing changes any more, and what was carried besides no longer matters. Then the
//! rest may as well run on, and is what it would be without the exit: a plain sum, say, that the flag watches.
#include <algorithm>

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

}  // namespace twofold::analyser::deriving
