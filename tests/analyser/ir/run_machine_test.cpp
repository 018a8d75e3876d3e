// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Whole specs through the machine interpreter: passes, vectors, scans, maps, offsets, walks from the end.
#include <gtest/gtest.h>

#include <cmath>

#include "../refute/loops.hpp"
#include "ir/evaluate.hpp"

namespace twofold::analyser {
namespace {

std::vector<machine> doubles(std::initializer_list<double> v) {
  std::vector<machine> r;
  for (double d : v) r.push_back({d});
  return r;
}
double real_of(const machine& m) { return std::get<double>(m.value); }

TEST(run_machine, two_passes_and_a_length_inferred_from_the_array) {
  run_inputs in;
  in.arrays["x"] = doubles({1, 2, 4, 9});
  EXPECT_EQ(real_of(run_machine(loops::mean_two_pass_variance(), in).at("return")[0]), 9.5);
  in.scalars["n"] = {std::int64_t{2}};
  EXPECT_EQ(real_of(run_machine(loops::mean_two_pass_variance(), in).at("return")[0]), 0.25) << "a given length wins";
  in.scalars["n"] = {std::int64_t{5}};
  EXPECT_THROW(run_machine(loops::mean_two_pass_variance(), in), evaluation_error);
}

TEST(run_machine, vectors_are_stepped_component_by_component) {
  run_inputs in;
  in.arrays["w"] = doubles({2, -1});
  in.arrays["v"] = doubles({1, 2, 3, 10, 20, 30});
  in.scalars["d"] = {std::int64_t{3}};
  const auto out = run_machine(loops::weighted_rows(), in).at("o");
  ASSERT_EQ(out.size(), 3u);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(real_of(out[j]), 2.0 * static_cast<double>(j + 1) - 10.0 * static_cast<double>(j + 1));
}

TEST(run_machine, scans_write_every_element_and_maps_see_results) {
  run_inputs in;
  in.arrays["x"] = doubles({8, 0, 4});
  in.scalars["alpha"] = {0.5};
  const auto y = run_machine(loops::smooth(), in).at("y");
  ASSERT_EQ(y.size(), 3u);
  EXPECT_EQ(real_of(y[0]), 4);
  EXPECT_EQ(real_of(y[1]), 2);
  EXPECT_EQ(real_of(y[2]), 3);
  using namespace loops;
  const spec shares = builder()
                          .reads("x")
                          .carries("s", double_type, real(0), add(state("s"), read_of("x")))
                          .add_pass()
                          .reads("x")
                          .writes("y", div(read_of("x"), result("s")), false);
  EXPECT_EQ(real_of(run_machine(shares, in).at("y")[2]), 4.0 / 12.0);
}

TEST(run_machine, offsets_read_neighbours_and_ranges_may_start_later) {
  run_inputs in;
  in.arrays["x"] = doubles({1, 4, 2, 2});
  EXPECT_EQ(real_of(run_machine(loops::total_variation(), in).at("return")[0]), 5);
  in.arrays["x"] = doubles({1});
  EXPECT_EQ(real_of(run_machine(loops::total_variation(), in).at("return")[0]), 0) << "an empty range";
}

TEST(run_machine, walks_from_the_end) {
  using namespace loops;
  const term s = state("s"), x = read_of("x");
  const spec horner = builder().reads("x").reversed().carries("s", double_type, real(0), add(mul(s, real(10)), x)).returns(result("s"));
  run_inputs in;
  in.arrays["x"] = doubles({1, 2, 3});
  EXPECT_EQ(real_of(run_machine(horner, in).at("return")[0]), 321);
}

TEST(run_machine, an_output_before_its_first_entry_is_no_value) {
  using namespace loops;
  const spec counts = builder().from(-1).carries("s", double_type, real(0), add(state("s"), real(1))).writes("y", state("s"), true);
  run_inputs in;
  in.scalars["n"] = {std::int64_t{2}};
  EXPECT_THROW(run_machine(counts, in), evaluation_error);
}

TEST(run_machine, the_index_is_global) {
  run_inputs in;
  in.arrays["x"] = doubles({1, 1, 5, 3.5});
  EXPECT_EQ(real_of(run_machine(loops::larger_than_position(), in).at("return")[0]), 9.5);
}

TEST(run_machine, float_state_is_rounded_at_every_step) {
  using namespace loops;
  const term s = state("s", float_type), x = read_of("x", 0, float_type);
  const spec sum = builder()
                       .reads("x", float_type)
                       .carries("s", float_type, number(0, float_type), add(s, x))
                       .returns(result("s", float_type), float_type);
  run_inputs in;
  float expected = 0;
  for (int i = 0; i < 1000; ++i) {
    in.arrays["x"].push_back({0.1});
    expected += 0.1f;
  }
  EXPECT_EQ(real_of(run_machine(sum, in).at("return")[0]), static_cast<double>(expected));
}

TEST(run_machine, missing_inputs_are_said) { EXPECT_THROW(run_machine(loops::sum(), {}), evaluation_error); }

}  // namespace
}  // namespace twofold::analyser
