// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The refuter: minimal witnesses on loops that do not merge, silence on loops that do.
#include "refute/refute.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/evaluate.hpp"
#include "loops.hpp"

namespace twofold::analyser {
namespace {

using piece = counterexample::piece;

piece scalars(std::initializer_list<const char*> entries) {
  piece p;
  for (const char* e : entries) p.push_back({e});
  return p;
}

double number_of(const std::string& text) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  if (text[0] == '\'') return text[1];
  return mpq_class(text).get_d();
}

piece join(const piece& a, const piece& b, const piece& c) {
  piece r = a;
  r.insert(r.end(), b.begin(), b.end());
  r.insert(r.end(), c.begin(), c.end());
  return r;
}

//! Outputs of the machine interpreter on these iterations: it shares nothing with the refuter's way of running words.
std::map<std::string, std::vector<machine>> run_on(const spec& s, const counterexample& c, const piece& iterations) {
  run_inputs in;
  const auto& elements = s.passes.back().elements;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    EXPECT_EQ(elements[e].offset, 0);
    for (const auto& tuple : iterations) in.arrays[elements[e].array].push_back({number_of(tuple[e])});
  }
  for (const auto& [name, value] : c.parameters) in.scalars[name] = {number_of(value)};
  in.scalars["n"] = {static_cast<std::int64_t>(iterations.size())};
  return run_machine(s, in);
}

//! All that D6 asks of a witness.
void expect_confirmed(const spec& s, const counterexample& c) {
  spec states = s;
  states.outputs.clear();
  for (std::size_t k = 0; k < s.results.size(); ++k)
    states.outputs.push_back({"state" + std::to_string(k), s.results[k]->type, s.results[k], {}, {}});
  for (pass& p : states.passes) p.outputs.clear();
  const auto one = run_on(states, c, c.right), two = run_on(states, c, c.right2);
  for (const auto& [name, values] : one)
    EXPECT_EQ(values[0].value, two.at(name)[0].value) << "the right pieces do not end in the same state";
  const auto out = run_on(s, c, join(c.left, c.right, c.suffix)), out2 = run_on(s, c, join(c.left, c.right2, c.suffix));
  bool differ = false;
  for (const auto& [name, values] : out) {
    const std::vector<machine>& others = out2.at(name);
    const std::size_t tail = std::min(values.size(), name.starts_with("return") ? 1 : c.suffix.size());
    for (std::size_t k = 1; k <= tail; ++k) differ |= values[values.size() - k].value != others[others.size() - k].value;
  }
  EXPECT_TRUE(differ) << "the outputs do not differ";
  EXPECT_EQ(c.left.size(), 1u);
  EXPECT_NE(c.result, c.result2);
}

struct expected {
  piece left, right, right2, suffix;
  std::string state, result, result2;
};
void expect_witness(const spec& s, const expected& e) {
  const std::optional<counterexample> c = refute(s, 20, 1);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->left, e.left);
  EXPECT_EQ(c->right, e.right);
  EXPECT_EQ(c->right2, e.right2);
  EXPECT_EQ(c->suffix, e.suffix);
  EXPECT_EQ(c->state, e.state);
  EXPECT_EQ(c->result, e.result);
  EXPECT_EQ(c->result2, e.result2);
  expect_confirmed(s, *c);
}

TEST(refuter, majority_vote) {
  expect_witness(loops::majority(),
                 {scalars({"1"}), scalars({"0"}), scalars({"0", "0", "1"}), {}, "(candidate, count) = (0, 1)", "1", "0"});
}
TEST(refuter, running_maximum_quantiser) {
  expect_witness(loops::running_quantizer(),
                 {{{"3", "0"}}, {{"2", "1"}}, {{"2", "0"}, {"1", "2"}}, {}, "(largest, sum) = (2, 2)", "15/8", "9/4"});
}
TEST(refuter, logistic_map) {
  expect_witness(loops::logistic_map(), {scalars({"1"}), scalars({"1"}), scalars({"2", "1"}), {}, "s = 1/4", "3/16", "15/64"});
}
TEST(refuter, elements_larger_than_their_own_count) {
  expect_witness(loops::larger_than_index(), {scalars({"0"}), scalars({"0", "2"}), scalars({"2", "0"}), {}, "(sum, k) = (2, 2)", "0", "2"});
}
TEST(refuter, a_walk_towards_the_median) {
  expect_witness(loops::median_walk(), {scalars({"1"}), scalars({"1"}), scalars({"2"}), {}, "m = 1", "1", "2"});
}
TEST(refuter, sortedness_needs_its_first_element) {
  expect_witness(loops::is_sorted(), {scalars({"0"}), scalars({"0"}), scalars({"-1", "0"}), {}, "(ok, prev) = (true, 0)", "true", "false"});
}
TEST(refuter, maximum_segment_sum_needs_more_than_two_numbers) {
  expect_witness(loops::kadane(), {scalars({"1"}), scalars({"1"}), scalars({"-1", "1"}), {}, "(cur, best) = (1, 1)", "2", "1"});
}
TEST(refuter, halving_average_needs_the_length) {
  expect_witness(loops::running_mean_of_two(), {scalars({"1"}), scalars({"0"}), scalars({"0", "0"}), {}, "a = 0", "1/4", "1/8"});
}
TEST(refuter, longest_run_needs_its_left_edge) {
  expect_witness(loops::longest_run(),
                 {scalars({"true"}), scalars({"true"}), scalars({"false", "true"}), {}, "(best, current) = (1, 1)", "2", "1"});
}
TEST(refuter, bracket_balance_writes_characters) {
  expect_witness(loops::brackets(),
                 {scalars({"'('"}), scalars({"')'"}), scalars({"')'", "')'", "'('"}), {}, "(depth, ok) = (-1, false)", "true", "false"});
}
TEST(refuter, unsigned_prefix_sums_wrap) {
  expect_witness(
      loops::unsigned_prefix(),
      {scalars({"1"}), scalars({"4294967295"}), scalars({"1", "4294967294"}), {}, "(sum, best) = (4294967295, 4294967295)", "1", "2"});
}
//! Signed numbers are ℤ as long as the loop does not overflow: x + 1 = 2³¹ in ints is met by no input.
TEST(refuter, a_witness_does_not_overflow) {
  const auto squares_at = [](const char* sum) {
    const term s = loops::state("s", long_type), x = loops::read_of("x", 0, int_type);
    const term meets = equal(add(x, loops::integer(1)), number(mpq_class(sum), int_type));
    return loops::builder()
        .reads("x", int_type)
        .carries("s", long_type, number(0, long_type), select(meets, mul(s, s), add(s, cast(x, long_type))))
        .returns(loops::result("s", long_type), long_type);
  };
  EXPECT_TRUE(refute(squares_at("2147483647"), 5, 1));
  EXPECT_FALSE(refute(squares_at("2147483648"), 1, 1));
}
TEST(refuter, a_scan_is_told_apart_by_what_follows) {
  const spec s = loops::smooth();
  const std::optional<counterexample> c = refute(s, 20, 1);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->suffix.size(), 1u) << "the last state reaches an output only through one more element";
  EXPECT_EQ(c->parameters, (std::vector<std::pair<std::string, std::string>>{{"alpha", "2"}}));
  expect_confirmed(s, *c);
}
TEST(refuter, several_passes_compare_their_results) {
  const spec s = loops::absolute_deviation();
  const std::optional<counterexample> c = refute(s, 20, 1);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->right.size(), c->right2.size()) << "the mean knows n, so the pieces must be equally long";
  EXPECT_EQ(c->state.substr(0, 10), "(sum, dev)");
  expect_confirmed(s, *c);
}
TEST(refuter, irrational_results_are_told_apart_by_bounds) {
  const std::optional<counterexample> c = refute(loops::recurrent_cell(), 20, 1);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->state, "h = 0");
  EXPECT_EQ(c->right, scalars({"0"}));
  EXPECT_EQ(c->right2, scalars({"0", "0"}));
  double w = 0;
  for (const auto& [name, value] : c->parameters) w = number_of(value);
  const double one = std::tanh(w * std::tanh(number_of(c->left[0][0])));
  EXPECT_NEAR(std::stod(c->result), one, 1e-8);
  EXPECT_NEAR(std::stod(c->result2), std::tanh(w * one), 1e-8);
}
TEST(refuter, is_deterministic) {
  const std::optional<counterexample> a = refute(loops::kadane(), 20, 1), b = refute(loops::kadane(), 20, 99);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->left, b->left);
  EXPECT_EQ(a->right2, b->right2);
}

//! No witness exists: the search must come back empty-handed from every word that it draws.
void expect_none(const spec& s, int longest) {
  collision_options o;
  o.seconds = 20;
  o.longest = longest;
  o.letters = 6;
  const std::optional<counterexample> c = collision(s, o);
  EXPECT_FALSE(c) << "false witness, state " << c->state << ": " << c->result << " against " << c->result2;
  o.reaches_output = false;
  EXPECT_FALSE(collision(s, o));
}
TEST(refuter, is_silent_on_sums) { expect_none(loops::sum(), 6); }
TEST(refuter, is_silent_on_maxima) { expect_none(loops::maximum(), 5); }
TEST(refuter, is_silent_on_first_and_last) {
  expect_none(loops::first(), 5);
  expect_none(loops::last(), 5);
}
TEST(refuter, is_silent_on_welford) { expect_none(loops::welford(), 6); }
TEST(refuter, is_silent_on_affine_maps_with_their_product) { expect_none(loops::affine_with_product(), 5); }
TEST(refuter, is_silent_on_matrix_products) { expect_none(loops::matrix_product(), 4); }
TEST(refuter, is_silent_on_neighbours_read_from_the_array) { expect_none(loops::total_variation(), 6); }
TEST(refuter, is_silent_where_the_position_is_known) { expect_none(loops::larger_than_position(), 7); }
TEST(refuter, is_silent_on_two_pass_variance) { expect_none(loops::mean_two_pass_variance(), 7); }
TEST(refuter, is_silent_on_rows) { expect_none(loops::weighted_rows(), 5); }

}  // namespace
}  // namespace twofold::analyser
