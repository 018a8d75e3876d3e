// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The interface of every mechanism: one strongly connected part of the loop in, merged variables (or nothing) out.
#pragma once

#include <optional>
#include <random>
#include <set>

#include "derive/derive.hpp"
#include "derive/polynomial.hpp"

namespace twofold::analyser::deriving {

//! `least`: the summary reduced as far as exact runs allow, with the invariant that this needs. `whole`: every entry of the summary
//! is carried; more state, and nothing but the laws of the summary to prove. `searched`: as least, and where no mechanism fits, further
//! variables are sought by enumeration.
enum class thrift { least, whole, searched };

//! The part at hand, and what is known upstream of it.
struct part {
  const pass& loop;
  std::vector<const state_variable*> variables;      // strongly connected
  const std::vector<candidate::variable>& upstream;  // already merged, all that the part reads
  thrift state = thrift::least;
};

//! What a mechanism found: the part's own variables (in order), then added ones.
struct part_result {
  std::vector<candidate::variable> variables;
  std::vector<term> invariant;
  std::vector<term> bounds;   // further bounds that runs have not contradicted: worth a second attempt at a proof
  std::vector<term> guesses;  // everything that seems to hold: the last attempt
  std::vector<twist::coordinate> coordinates;
  std::vector<std::pair<term, term>> decode;  // a loop variable that is not carried → a term over the part's variables
  std::vector<term> along;                    // see candidate
  std::string mechanism;
  bool whole = false;  // a summary that is carried as a whole
};

// --- symbols of the two pieces
term left_of(term state);
term right_of(term state);
substitution sides(const std::vector<candidate::variable>& variables, symbol_kind side);
substitution merges(const std::vector<candidate::variable>& variables);

//! A candidate variable for a carried one: its own init and step; the merge is to be filled in.
candidate::variable carried(const state_variable& v);
//! f_x(s0): the step at the initial values, folded.
term lift_of(const state_variable& v, const pass& loop);
term lift_of(const candidate::variable& v, const std::vector<candidate::variable>& all);

//! The part's variables and every loop variable that they read, directly or through others, in source order.
std::vector<const state_variable*> with_upstream(const part& p);

[[nodiscard]] bool has_state(term t);  // any symbol_kind::state inside
[[nodiscard]] bool has_symbol(term t, term symbol);
[[nodiscard]] bool has_infinity(term t);

//! A name that no variable, parameter or element of the loop has: stem, stem_2, …
std::string fresh_name(const std::string& stem, const part& p, const std::vector<candidate::variable>& added = {});
//! A variable that the merge needs beside the loop's own, and why; its start, lift, step and merge are still to be given.
candidate::variable added_variable(const std::string& stem, const part& p, const std::vector<candidate::variable>& added, type t,
                                   std::string why);

//! All parts of a loop that `observed` can see, merged in turn; coordinates of all of them. Nothing if one part resists.
std::optional<part_result> all_parts(const pass& loop, const std::vector<term>& observed, std::vector<std::string>& tried,
                                     thrift state = thrift::least);

//! The same with variables gone that another part tells as well; nothing if there are none.
std::optional<part_result> across_parts(const part_result& all);

//! The loop without the effect of its exit on variables that no longer matter after it, and where they still do (see candidate).
struct thawed_loop {
  pass loop;
  std::vector<std::pair<term, term>> claimed;
};
std::optional<thawed_loop> thawed(const pass& loop, const std::vector<term>& observed);
//! The loop in which a variable begins anew as soon as it no longer matters.
std::optional<thawed_loop> forgetful(const pass& loop, const std::vector<term>& observed);

//! The loop over those elements at which it does not stand still, where that loop merges.
std::optional<part_result> guarded(const pass& loop, const std::vector<term>& observed, std::vector<std::string>& tried);

//! The loop with one variable replaced by how far another one is from it.
struct relative_loop {
  pass loop;
  term variable, value;  // what is decoded, over the loop's new variables
};
std::vector<relative_loop> in_differences(const pass& loop);

// --- the mechanisms
std::optional<part_result> accumulator(const part& p, std::vector<std::string>& tried);
std::optional<part_result> potential(const part& p, std::vector<std::string>& tried);
std::optional<part_result> in_place_of_element(const part& p, std::vector<std::string>& tried);
std::optional<part_result> threshold(const part& p, std::vector<std::string>& tried);
std::optional<part_result> closure(const part& p, std::vector<std::string>& tried);
std::optional<part_result> learned(const part& p, std::vector<std::string>& tried);
std::optional<part_result> featured(const part& p, std::vector<std::string>& tried);

//! The same with fewer further variables, by trees over features of the pieces.
std::optional<part_result> with_fewer(const pass& loop, const std::vector<term>& observed, const part_result& all);

//! The part's variables merged by trees with at most so many further variables.
std::optional<part_result> with_features(const part& p, std::size_t most);

std::optional<part_result> fractional(const part& p, std::vector<std::string>& tried);
std::optional<part_result> bounded(const part& p, std::vector<std::string>& tried);
std::optional<part_result> modular(const part& p, std::vector<std::string>& tried);
std::optional<part_result> products(const part& p, std::vector<std::string>& tried);
std::optional<part_result> galois(const part& p, std::vector<std::string>& tried);
std::optional<part_result> replay(const part& p, std::vector<std::string>& tried);

}  // namespace twofold::analyser::deriving
