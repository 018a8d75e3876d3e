// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a candidate has to satisfy, as a list of obligations; `check` decides them, `evidence` writes them down.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "prove/prove.hpp"

namespace twofold::analyser {

//! The same number, infinity or NaN, whatever the width of the type.
[[nodiscard]] bool same_constant(term a, term b);
[[nodiscard]] term left_of(const candidate::variable& v);
[[nodiscard]] term right_of(const candidate::variable& v);

//! State symbols of the candidate → other terms, all at once.
[[nodiscard]] substitution states_to(const candidate& c, const std::function<term(const candidate::variable&)>& f);
//! The lift of every variable: as given, or the step on s0 with infinities folded away.
[[nodiscard]] std::vector<term> lifts_of(const candidate& c);
//! The invariant with states replaced.
[[nodiscard]] std::vector<term> invariant_at(const candidate& c, const substitution& s);

//! What the loop's own terms need to be defined, as far as it speaks of parameters and elements only (D1: the domain of elements).
struct domain_assumptions {
  std::vector<term> conditions;
  std::vector<std::string> texts;
  bool granted = false;            // the caller's own hypotheses are among the conditions
  std::vector<term> consequences;  // of these, which the loop's terms rest on: obligations like the others
};
[[nodiscard]] domain_assumptions own_domain(const std::vector<pass>& passes);

//! What the candidate takes each variable of the loop to be, as a term over its own state. Variables that it drops are absent.
[[nodiscard]] substitution decoded_variables(const pass& loop, const candidate& c);

//! Why the candidate is not even well formed (a merge that reads the element, an unknown symbol …), or nothing.
[[nodiscard]] std::optional<std::string> malformed(const pass& loop, const candidate& c);

//! Some variable may hold an infinity.
[[nodiscard]] bool is_unbounded(const candidate& c);

struct obligations_or_reason {
  std::vector<obligation> obligations;
  std::string failed, reason;        // set if the obligations cannot even be stated
  std::vector<std::string> assumed;  // where the loop itself is defined, in words
};
//! Lemma 2 on Inv: lift ∈ Inv, Inv closed under step and merge, a ⊙ lift(x) = g_x(a), a ⊙ g_x(b) = g_x(a ⊙ b).
[[nodiscard]] obligations_or_reason merge_obligations(const candidate& c);
//! d, with an unknown value for what is decoded under a condition only, where the condition fails. By induction on the input s_u = d_u(t)
//! wherever u is claimed at t: a step that reads unknown values is right whatever they are.
[[nodiscard]] substitution with_unknowns(const candidate& c, substitution d);
//! D3: d(lift(x)) = f_x(s0), d(g_x(t)) = f_x(d(t)) on Inv, and d(t0) = s0 where t0 is given.
[[nodiscard]] obligations_or_reason decoding_obligations(const pass& loop, const candidate& c);

}  // namespace twofold::analyser
