// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Several passes become one: a later pass sums f(x, p) with p earlier results; where f(x, p) = Σ_k a_k(x)·b_k(p), the sums
//! A_k = Σ a_k(x_i) are all it needs.
#pragma once

#include "derive/transport.hpp"

namespace twofold::analyser::deriving {

//! One summand a(x)·b(p) of what a later pass adds up.
struct separated_term {
  monomial b;    // over results and parameters
  polynomial a;  // over elements (and constants)
};

//! f as Σ a_k(x)·b_k(p), or the atom that mixes elements with results.
struct separated {
  std::vector<separated_term> terms;
  term mixed;
};
separated separate(term f);

//! The online loop of a spec of several passes, its separations and its outputs over the online state.
//! `own_results` represents a piece by the loop's results on it (stable); `sums` by plain sums, which never divide.
enum class representation { own_results, sums };
std::optional<derivation> fuse(const spec& s, representation r, std::vector<std::string>& tried);

}  // namespace twofold::analyser::deriving
