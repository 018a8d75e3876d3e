// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the executor records of each loop, and how the records become the passes of a spec. Knows nothing of Clang.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/memory.hpp"
#include "frontend/polynomial.hpp"

namespace twofold::analyser::frontend {

struct carried {
  std::string name{};
  analyser::type type{};
  term symbol{}, init{}, step{}, result{};
  term extent{};  // null for scalars; vectors are written over position() as read(symbol, position())
  location where{};
};

//! array[position(k)] = value(k), k being the iteration.
struct written {
  int object = -1;
  term index, value;
  term head;        // what was written one place before the loop's first, null if nothing
  term base_after;  // contents after the loop: still these at the end means that this write is the output
  location where;
  term apart{};  // a head that no element has to do with: an answer of its own
};

//! One loop over a symbolic range, in terms of the iteration number `iteration_symbol(0)`.
struct record {
  location where;
  std::string index_name;
  term count;
  term first;         // value of the source's own index in iteration 0
  term last;          // one past its last value, as the source wrote it; null: first + count
  int direction = 1;  // its step, ±1
  std::vector<carried> state;
  std::vector<written> writes;
  term started{};  // the state variable that says whether the first iteration is over, null if none is needed
};

struct recording {
  std::vector<record> loops;
  std::map<term, location> sites;  // where an array entry was read
  std::vector<std::string> assumptions, notes;
  std::vector<std::pair<term, std::string>> narrowings;  // conversions that are assumed not to change their operand
  std::map<std::string, int> result_names;
  void assume(const std::string& s);
  void note(const std::string& s);
};

//! The iteration number of the summarised loop at a nesting depth.
[[nodiscard]] term iteration_symbol(int depth);

//! What an array that the function wrote holds at its end.
struct array_result {
  int object = -1;
  contents held;
  term count;  // of the loop that wrote it, null if none
};

//! Turns the recorded loops into passes and results: reads become elements, dead variables go, a first iteration that is
//! special gets a neutral start or a flag. `s.outputs` holds the scalar outputs already, over result symbols.
void make_passes(spec& s, recording& r, const std::map<int, array_info>& arrays, const std::vector<array_result>& results);

//! The reads of one loop as elements of its tuple; fills elements, begin, end, index, steps. (elements.cpp)
pass to_pass(const record& l, const recording& r, const std::map<int, array_info>& arrays);

//! Extrema over the components of a carried vector are carried component by component; results → what they are then. (components.cpp)
[[nodiscard]] substitution spread_over_components(record& l);

//! What is set where the index meets one place becomes a sum. (once.cpp)
void sum_what_is_set_once(pass& p);

//! Does t widen an unsigned value of the iteration that may have wrapped? i - 1u is the largest number where i is 0, and stays so when
//! it becomes wider; as a polynomial it would be -1.
[[nodiscard]] bool widens_what_wraps(term t, term k);

//! Do both read their array in rows of the same length (or both by entries)?
[[nodiscard]] bool same_rows(const element& a, const element& b);

//! `wanted`, or something like it that no carried variable of the loop is called: the source may use any name.
[[nodiscard]] std::string fresh_name(const record& l, std::string wanted);

//! What is evaluated after a loop.
struct evaluated_later {
  std::vector<term*> loops, answers;
  [[nodiscard]] std::vector<term*> all() const {
    std::vector<term*> r = loops;
    r.insert(r.end(), answers.begin(), answers.end());
    return r;
  }
};
//! m = x[0] before a loop from 1, and `if (i == 0)` inside of one. (first_iteration.cpp)
void treat_first_iteration(record& l, recording& r, const evaluated_later& later);
//! x[at] at a carried position, x[0] beside x[i], x[n - 1] after the loop: what was read is carried. (carried_reads.cpp)
void carry_read_entries(record& l, recording& r, const evaluated_later& later);

//! a ⋈ b where one side is ±inf: a mark if the other side is a carried variable, which may still be infinite (infinities.cpp).
[[nodiscard]] term marked_comparison(op kind, term a, term b);
//! Gives the marks of a loop their meaning; returns, for results that start infinite, when they are finite.
//! `earlier`: results of earlier loops that may be infinite, and the flags that say when they are finite.
//! `infinite`: result → the infinity that it is where its flag is not set, of variables that became a flag and a number.
[[nodiscard]] std::map<term, term> resolve_infinities(record& l, const std::map<term, term>& earlier_starts,
                                                      const std::map<term, term>& earlier_finite, std::map<term, term>& infinite);
//! t with the results of such variables as what they mean.
[[nodiscard]] term with_infinite_results(term t, const std::map<term, term>& finite, const std::map<term, term>& infinite);
//! The same for a term after the loops; `starts`: result → initial value.
[[nodiscard]] term resolve_results(term t, const std::map<term, term>& starts, const std::map<term, term>& finite, const location& at);

//! Where in the source an array entry within t is read; `fallback` if it is not known.
[[nodiscard]] location site(const recording& r, term t, const location& fallback);

}  // namespace twofold::analyser::frontend
