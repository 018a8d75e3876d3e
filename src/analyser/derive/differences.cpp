// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Variables seen from another one: where all that matters of w is how far u is from it (the sum less the lowest sum so far), the
//! loop in u and d = u − w is simpler, and w = u − d is decoded from it.
#include "derive/part.hpp"
#include "prove/simplify.hpp"

namespace twofold::analyser::deriving {

std::vector<relative_loop> in_differences(const pass& loop) {
  constexpr std::size_t most = 6;
  std::vector<relative_loop> found;
  for (const state_variable& u : loop.state)
    for (const state_variable& w : loop.state) {
      const bool numbers = u.type.kind != sort::boolean && !u.type.is_modular() && u.type == w.type && !u.extent && !w.extent;
      if (&u == &w || !numbers || !has_symbol(w.step, u.symbol) || has_infinity(u.init) || has_infinity(w.init) || found.size() >= most)
        continue;
      relative_loop r{loop, w.symbol, {}};
      const part naming{loop, {}, {}};
      const std::string name = fresh_name(u.name + "_above_" + w.name, naming);
      const term d = symbol(symbol_kind::state, name, w.type);
      r.value = sub(u.symbol, d);
      const substitution to_d{{w.symbol, r.value}};
      bool simpler = true;
      for (state_variable& v : r.loop.state) {
        if (!has_symbol(v.step, w.symbol) && v.symbol != w.symbol) continue;
        const bool own = v.symbol == w.symbol;
        const auto step = simplify(substitute(own ? sub(u.step, w.step) : v.step, to_d), 0.2);
        simpler &= step && !has_symbol(*step, u.symbol);
        if (!simpler) break;
        v.step = *step;
        if (!own) continue;
        v.init = sub(u.init, w.init);
        v.name = name;
        v.symbol = d;
      }
      for (auto& o : r.loop.outputs) simpler &= !has_symbol(o.value, w.symbol);
      if (simpler) found.push_back(std::move(r));
    }
  return found;
}

}  // namespace twofold::analyser::deriving
