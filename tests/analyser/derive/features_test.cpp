// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Further state from features of the pieces: what no summary covers is found as a tree over them; kinds of numbers keep apart;
//! reachable control; state that begins anew.
#include <algorithm>

#include "derive/control.hpp"
#include "derive/features.hpp"
#include "derive/part.hpp"
#include "derive/relations.hpp"
#include "derive/tree_terms.hpp"
#include "derive/trees.hpp"
#include "expect.hpp"

namespace {

using namespace loops;

const term x = el("x", int_type), on = el("on", boolean_type);
const term one = integer(1), zero = integer(0);

TEST(features, a_counter_that_is_compared_with_a_limit) {
  const term stable = st("stable", int_type), presses = st("presses", int_type), down = st("down", boolean_type);
  const term next = select(on, add(stable, one), zero), held = less_equal(integer(3), next);
  const derivation d = expect_merges(single({{stable, zero, next, false},
                                             {presses, zero, select(held, select(down, presses, add(presses, one)), presses)},
                                             {down, boolean(false), logical_and(on, logical_or(held, down)), false}}),
                                     2);
  EXPECT_NE(d.mechanism.find("features"), std::string::npos);
}

TEST(features, where_the_longest_run_began) {
  const term best = st("best", int_type), cur = st("cur", int_type), pos = st("pos", int_type);
  const term run = select(equal(x, one), add(cur, one), zero), longer = less(best, run);
  expect_merges(single({{best, zero, select(longer, run, best), false},
                        {cur, zero, run, false},
                        {pos, zero, select(longer, add(sub(cast(ix(), int_type), run), one), pos)}}),
                3);
}

TEST(features, the_first_element_that_is_not_passed_over) {
  const term s = st("s", boolean_type), c = st("c", int_type);
  const auto is = [](long k) { return equal(x, integer(k)); };
  const derivation d = expect_merges(single({{s, boolean(false), logical_or(is(1), logical_and(is(0), s)), false},
                                             {c, zero, select(logical_and(is(2), s), add(c, one), c)}}),
                                     1);
  EXPECT_EQ(names(d, role::added).size(), 1U) << describe(d);
}

TEST(features, are_what_they_say) {
  const term cur = st("cur", int_type), prev = st("prev", int_type);
  const pass loop = one_pass({{cur, zero, select(less(prev, x), add(cur, one), one)}, {prev, zero, x}});
  const std::vector<candidate::variable> upstream;
  const deriving::part p{loop, {&loop.state[0], &loop.state[1]}, upstream};
  std::vector<candidate::variable> all;
  for (const auto& f : deriving::features_of(p)) {
    for (std::size_t need : f.needs) EXPECT_LT(need, all.size());
    all.push_back(f.variable);
  }
  for (const auto* own : p.variables) all.push_back(deriving::carried(*own));
  all.back().merge = deriving::right_of(all.back().symbol);  // the last element; `cur` is left without a merge
  EXPECT_GE(all.size(), 8U);
  EXPECT_FALSE(deriving::word_runner(all, 3).differs(500));  // each merges by itself
}

//! Runs of a loop, and its variables as they are known to both pieces.
struct seen_loop {
  std::vector<candidate::variable> variables;
  explicit seen_loop(const pass& loop) {
    for (const auto& v : loop.state) variables.push_back(deriving::carried(v));
  }
};

TEST(observations, two_pieces_that_agree_and_lead_apart) {
  const term n = st("n", int_type), odd = st("odd", boolean_type);
  const pass loop = one_pass({{n, zero, add(n, one)}, {odd, boolean(false), logical_not(odd)}});
  const seen_loop l(loop);
  deriving::observations seen(l.variables, 300, 1);
  ASSERT_GT(seen.size(), 100U);
  EXPECT_FALSE(seen.contradictory({0}, {0, 1}));
  EXPECT_FALSE(seen.contradictory({1}, {1}));
  EXPECT_TRUE(seen.contradictory({1}, {0}));
  EXPECT_FALSE(seen.alike(0, 1, false));
  const std::size_t before = seen.size();
  EXPECT_FALSE(seen.refutes(add(deriving::left_of(n), deriving::right_of(n)), 0));
  EXPECT_EQ(seen.size(), before);
  EXPECT_TRUE(seen.refutes(add(deriving::left_of(n), one), 0));
  EXPECT_GT(seen.size(), before);  // the runs that show it
}

TEST(trees, are_right_on_runs_they_were_not_made_for) {
  const term best = st("best", int_type), last = st("last", int_type);
  // a value that is kept with the largest element: the first of equal ones
  const pass loop = one_pass({{best, integer(-100), max(best, x)}, {last, zero, select(less(best, x), el("y", int_type), last)}});
  seen_loop l(loop);
  l.variables[0].merge = max(deriving::left_of(best), deriving::right_of(best));
  deriving::observations seen(l.variables, 600, 4);
  const auto found = deriving::merge_trees(seen, l.variables, 1, 1, 3);
  ASSERT_FALSE(found.empty());
  const term expected = select(less(deriving::left_of(best), deriving::right_of(best)), deriving::right_of(last), deriving::left_of(last));
  EXPECT_TRUE(deriving::same_on_samples(found[0], expected, 500)) << to_text(found[0]);
}

TEST(tree_terms, a_count_of_events_is_not_compared_with_a_length) {
  const term length = st("length", int_type), events = st("events", int_type), top = st("top", int_type);
  const term next = select(on, add(length, one), zero);
  const pass loop = one_pass(
      {{length, zero, next}, {events, zero, select(less(integer(7), next), add(events, one), events)}, {top, zero, max(top, next)}});
  const seen_loop l(loop);
  const auto terms = deriving::terms_for(l.variables, 1);
  const auto speaks_of_both = [&](term t, term a, term b) {
    const auto has = [&](term s) {
      return deriving::has_symbol(t, deriving::left_of(s)) || deriving::has_symbol(t, deriving::right_of(s));
    };
    return has(a) && has(b);
  };
  for (const auto* list : {&terms.values, &terms.conditions})
    for (term t : *list) {
      EXPECT_FALSE(speaks_of_both(t, events, length)) << to_text(t);
      EXPECT_FALSE(speaks_of_both(t, events, top)) << to_text(t);
    }
  EXPECT_TRUE(std::any_of(terms.conditions.begin(), terms.conditions.end(), [&](term t) { return speaks_of_both(t, length, top); }));
  const auto limit = [&](term t) { return t == less(deriving::left_of(length), integer(7)); };
  EXPECT_TRUE(std::any_of(terms.conditions.begin(), terms.conditions.end(), limit));
}

TEST(control, only_combinations_that_are_reached) {
  const auto is = [](long k) { return equal(x, integer(k)); };
  const term s1 = st("s1", boolean_type), s2 = st("s2", boolean_type);
  const pass loop = one_pass({{s1, boolean(false), is(1)}, {s2, boolean(false), logical_and(is(2), s1)}});
  const std::vector<const state_variable*> both{&loop.state[0], &loop.state[1]};
  const auto states = deriving::control_states(both, {{0, 1}, {0, 1}});
  EXPECT_EQ(states.size(), 3U);  // x is not 1 and 2 at once
  EXPECT_EQ(std::count(states.begin(), states.end(), std::vector<mpq_class>{1, 1}), 0);
  // a step that reads data is no control: then nothing is left out
  const term d = st("d", int_type);
  const pass other = one_pass({{s1, boolean(false), less(d, x)}, {s2, boolean(false), is(2)}, {d, zero, add(d, x)}});
  EXPECT_EQ(deriving::control_states({&other.state[0], &other.state[1]}, {{0, 1}, {0, 1}}).size(), 4U);
}

TEST(control, state_that_no_longer_matters_begins_anew) {
  // bytes still due, and an error that stays: what is due after an error is nobody's business
  const term due = st("due", int_type), bad = st("bad", boolean_type);
  const term more = less(x, zero), starts = select(less(x, integer(9)), zero, select(less(x, integer(99)), one, integer(2)));
  const term none = equal(due, zero);
  spec s = single({{due, zero, select(more, select(none, due, sub(due, one)), starts), false},
                   {bad, boolean(false), logical_or(bad, select(more, none, logical_not(none))), false}});
  s.outputs = {{"return", boolean_type, logical_and(logical_not(result_of(bad)), equal(result_of(due), zero)), {}, {}}};
  const derivation d = expect_merges(s, 4);
  EXPECT_EQ(d.merge.claimed.size(), 1U) << describe(d);
}

TEST(relations, bounds_that_the_runs_suggest) {
  const term cur = st("cur", int_type), best = st("best", int_type), idle = st("idle", boolean_type);
  const pass loop = one_pass({{cur, zero, select(on, add(cur, one), zero)},
                              {best, one, max(best, select(on, add(cur, integer(2)), integer(2)))},
                              {idle, boolean(true), logical_not(on)}});
  seen_loop l(loop);
  deriving::word_runner runner(l.variables, 2);
  deriving::experiences e;
  for (const auto& v : l.variables) e.states.push_back(v.symbol);
  for (int k = 0; k < 80; ++k) {
    const auto u = runner.draw(1 + static_cast<std::size_t>(k) % 7);
    e.runs.push_back({u->value, u->value, u->value, {}});
  }
  const auto found = deriving::invariants_seen(l.variables, e);
  const auto has = [&](term t) { return std::find(found.begin(), found.end(), t) != found.end(); };
  EXPECT_TRUE(has(less_equal(add(cur, one), best)) || has(less_equal(add(best, integer(-2)), cur)) || has(less_equal(cur, best)));
  EXPECT_TRUE(has(logical_or(logical_not(idle), equal(cur, zero))));
  for (term t : found) EXPECT_FALSE(t == less_equal(best, number(9, int_type)));  // how long the words were is no bound
}

}  // namespace
