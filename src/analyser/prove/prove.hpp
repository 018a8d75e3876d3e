// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The one small checker on which every positive verdict rests. Generators of merges are untrusted.
#pragma once

#include <string>
#include <vector>

#include "ir/decision.hpp"

namespace twofold::analyser {

//! An identity or implication to be discharged: under `hypotheses` (booleans over finite reals / integers), left == right.
struct obligation {
  std::string name;  // "push(l): a ⊙ f_x(b) = f_x(a ⊙ b)"
  std::vector<term> hypotheses;
  term left, right;
};

enum class outcome { proved, refuted, unknown };

//! A case of an obligation: under its hypotheses and where all of `path` holds, left == right, choices and what equations of the path
//! eliminate having been resolved as the path says. left = true, right = false: no input is in the case.
struct proof_case {
  std::vector<term> path;
  term left, right;
};

struct obligation_result {
  outcome result = outcome::unknown;
  std::string method;  // "exact normaliser", "Z3", …
  std::string detail;  // why unknown; the model when refuted
  //! Where it was proved case by case: what together says the same; the cases cover all inputs.
  std::vector<proof_case> cases = {};
};

//! Decides one obligation: exact normal form first, then case splitting, then Z3. `refuted` only with a checked exact model.
//! Denominators ≠ 0 and log/sqrt domains are obligations of their own, discharged under the same hypotheses.
obligation_result decide(const obligation& o, double seconds);

//! Equality of two terms under hypotheses by decide(); convenience for generators.
bool proved_equal(term a, term b, const std::vector<term>& hypotheses = {}, double seconds = 1);

//! A single-pass loop with (lifted) state, and a merge of it: the input of the checker.
struct candidate {
  struct variable {
    std::string name;
    analyser::type type;
    role kind = role::carried;
    term symbol;  // symbol_kind::state
    term init;    // s0; may be ±inf; null: adjoined, then `lift` must be given
    term lift;    // null: f_x(s0) by substitution and folding
    term step;    // g_x
    term merge;   // over left(name)/right(name)
    std::string why;
    term extent, component;
    bool unbounded = false;  // states may hold the infinity that `init` is ("no second element yet"), beside all finite values
  };
  std::vector<variable> variables;
  std::vector<term> invariant;  // Inv: booleans over state symbols, e.g. n >= 1; proved inductive by the checker
  //! What holds along the loop, wherever the loop itself is defined, and is needed for the decoding only (a denominator that is not 0).
  std::vector<term> along;
  //! Decoding of the original loop: original state symbol → term over the lifted state. Carried variables with the same name need no entry.
  std::vector<std::pair<term, term>> decode;
  //! Where the decoding of a loop variable is claimed: its symbol → a condition over the lifted state. Elsewhere the variable may be
  //! anything (a depth after the loop was left), and nothing that is decoded, no output either, may depend on it there.
  std::vector<std::pair<term, term>> claimed;
  std::optional<analyser::twist> twist;
  std::vector<std::string> notes;
};

struct check_result {
  outcome result = outcome::unknown;
  analyser::proof proof;
  std::string failed;  // the obligation that failed or stayed open
  std::string detail;
  //! What the loop itself needs to be defined at all, of parameters and of single elements: "not (cap == 0)", "every element: 0 < x".
  //! Where it fails the loop has no value (D1: the element domain), so the proof assumes it; it must be printed.
  std::vector<std::string> assumptions;
};

//! Lemma 2 on Inv: lift is well formed; Inv holds of lift(x), is closed under step and merge;
//!   a ⊙ lift(x) = g_x(a)   and   a ⊙ g_x(b) = g_x(a ⊙ b)   for every variable; and the lifted loop decodes to `loop`:
//!   d(t0) = s0 (where t0 is given), d(lift(x)) = f_x(s0), d(g_x(t)) = f_x(d(t)), for t that are met along a loop which is defined (D1). A
//!   loop variable that the candidate neither carries nor decodes is taken as dropped: nothing decoded may depend on it, and the caller
//!   must not need it in an output.
//! `refuted`: the obligation named fails at an exact point of Inv (which a loop need not reach). Evidence is written division-free with
//! rescales as opaque variables.
check_result check(const pass& loop, const candidate& c, double seconds);

//! s0 as a value is neutral: e ⊙ b = b and a ⊙ e = a on Inv, and e ⊙ e = e, infinities folded symbolically. If not, the
//! empty state is adjoined (a branch in the emitted merge). False also where some variable has no init.
bool init_is_identity(const candidate& c, double seconds);

//! A whole spec: `c` is an online loop whose finalize must give the spec's outputs. One pass: `check`, and that the outputs are the
//! source's own or proved equal to them. Several passes: see docs/design/analyser.md for the rule (linearity of sums: a later pass
//! that sums Σ_k a_k(x)·b_k(p) equals Σ_k b_k(p)·A_k).
struct separation {                          // of one later-pass accumulation
  std::string variable;                      // which result
  std::vector<std::pair<term, term>> parts;  // a_k over elements, b_k over earlier results/parameters
};
check_result check_passes(const spec& s, const std::vector<separation>& separations, const candidate& c,
                          const std::vector<output>& finalize, double seconds);

//! Names of the outputs for which the candidate's s0, finalized, is not what the source returns for an empty input (also where s0 is not
//! given): there the empty input is the source's own business.
std::vector<std::string> differs_on_empty(const spec& s, const candidate& c, const std::vector<output>& finalize);

//! Is the merge commutative on Inv? (D8)
ternary commutative(const candidate& c, double seconds);

//! Every exponent of the merge and of the step is ≤ 0 under Inv.
bool stable(const candidate& c, double seconds);

}  // namespace twofold::analyser
