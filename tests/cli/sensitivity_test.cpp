// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What rounding explains: differences of stable sums pass, those of a wrong merge do not.
#include "sensitivity.hpp"

#include <cmath>
#include <numeric>

#include "support.hpp"

namespace twofold::tests {
namespace {

using cli::answers;
using cli::binding;

cli::npy_array scalar(double v) { return array_of<double>("<f8", {}, {v}); }
answers one(double v) {
  answers a;
  a.values.emplace_back("return", scalar(v));
  return a;
}

binding of(const std::vector<double>& x) {
  binding b;
  b.parameters.push_back({"x", array_of<double>("<f8", {static_cast<std::int64_t>(x.size())}, x), false});
  b.last = static_cast<std::int64_t>(x.size());
  return b;
}
std::vector<double> values(const binding& b) {
  std::vector<double> v(b.parameters[0].value.data.size() / sizeof(double));
  std::memcpy(v.data(), b.parameters[0].value.data.data(), v.size() * sizeof(double));
  return v;
}
answers sum(const binding& b) {
  const auto v = values(b);
  return one(std::accumulate(v.begin(), v.end(), 0.0));
}

//! Whether `merged` passes as the sum of x; how often the loop was run.
std::pair<bool, int> passes(const std::vector<double>& x, double merged, std::optional<double> tolerance = {}) {
  const binding b = of(x);
  const answers loop = sum(b);
  cli::comparison c = cli::compare(loop, one(merged), true);
  int runs = 0;
  cli::judge(c, loop, b, {}, tolerance, [&](const binding& other) { return ++runs, sum(other); });
  return {c.explained(), runs};
}

TEST(sensitivity, takes_the_last_places_for_granted) {
  const std::vector<double> x(100, 0.1);
  const double s = std::accumulate(x.begin(), x.end(), 0.0);
  EXPECT_EQ(passes(x, s), std::pair(true, 0));
  EXPECT_EQ(passes(x, s * (1 + 4e-16)), std::pair(true, 0));
}

TEST(sensitivity, knows_what_cancellation_does) {
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) x.push_back(std::sin(i) * 1e10), x.push_back(-x.back() + 1e-3);
  const double s = std::accumulate(x.begin(), x.end(), 0.0);
  EXPECT_TRUE(passes(x, s + 1e-5).first) << "far more than the last places of 1, far less than those of 1e10 a thousand times";
  EXPECT_FALSE(passes(x, s + 1e3).first);
}

TEST(sensitivity, notices_a_lost_element) {
  const std::vector<double> x(1000, 1.0);
  EXPECT_FALSE(passes(x, 999).first);
  EXPECT_TRUE(passes(x, 999, 0.01).first) << "the user allowed it";
  EXPECT_FALSE(passes(x, 999, 1e-6).first);
  EXPECT_EQ(passes(x, 999, 1e-6).second, 0) << "a tolerance needs no further runs";
}

TEST(sensitivity, says_nothing_where_the_loop_fails_on_neighbouring_inputs) {
  const binding b = of({1, 2, 3});
  cli::comparison c = cli::compare(one(6), one(5), true);
  cli::judge(c, one(6), b, {}, {},
             [](const binding&) -> answers { throw cli::failure(cli::exit_code::undecided, "TF3103", "it threw", "", ""); });
  EXPECT_TRUE(c.explained());
}

}  // namespace
}  // namespace twofold::tests
