// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file log-sum-exp, softmax and attention on inputs that broke other libraries.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ops/brackets.hpp"
#include "ops/reference.hpp"
#include "twofold/algebra/maps.hpp"
#include "twofold/ops/attention.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/softmax.hpp"

namespace tf = twofold;

namespace {

const double inf = INFINITY;

//! Every bracketing under every gauge.
template <class F>
void log_sum_exps(const std::vector<double>& x, F&& accept) {
  const auto under = [&](const auto& op) { brackets::every_bracket(op, tf::as_source(x), [&](const auto& s) { accept(op.finalize(s)); }); };
  under(tf::log_sum_exp<double>{});
  under(tf::log_sum_exp<double, tf::gauge::maximum>{});
  under(tf::log_sum_exp<double, tf::gauge::lazy<8>>{});
  under(tf::log_sum_exp<double, tf::gauge::lazy<8, tf::gauge::integer>>{});
}

}  // namespace

// P24: (−inf) − (−inf) must never be evaluated.
TEST(LogSumExp, AllMinusInfinityIsMinusInfinity) {
  for (const std::size_t n : {0u, 1u, 2u, 5u}) log_sum_exps(std::vector<double>(n, -inf), [](double y) { EXPECT_EQ(y, -INFINITY); });
  log_sum_exps({inf, 0}, [](double y) { EXPECT_EQ(y, INFINITY); });
  log_sum_exps({0, inf, -inf, inf}, [](double y) { EXPECT_EQ(y, INFINITY); });
  log_sum_exps({inf, NAN}, [](double y) { EXPECT_TRUE(std::isnan(y)); });
  log_sum_exps({-inf, NAN, -inf}, [](double y) { EXPECT_TRUE(std::isnan(y)); });
}

// P25: a running log-sum-exp through runs of −inf.
TEST(LogSumExp, PrefixesThroughMinusInfinity) {
  const tf::log_sum_exp<double> op;
  const auto prefixes = [&](const std::vector<double>& x) {
    std::vector<double> y;
    auto s = op.identity();
    for (const double e : x) {
      tf::push_into(op, s, e);
      y.push_back(op.finalize(s));
    }
    return y;
  };
  const std::vector<double> want = {2, 2, 2, 2.313261688, 2.313261688, 2.313261688, 3.407605964};
  const auto got = prefixes({2, -inf, -inf, 1, -inf, -inf, 3});
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-9);
  EXPECT_EQ(prefixes({-inf, 1}), (std::vector<double>{-inf, 1}));
}

// P27: what lies far below the maximum is not lost where the answer is near 0.
TEST(LogSumExp, KeepsWhatLiesBesideOne) {
  log_sum_exps({0, -40}, [](double y) { EXPECT_NEAR(y / 4.248354255291589e-18, 1, 1e-14); });
  log_sum_exps({-40, 0, -40}, [](double y) { EXPECT_NEAR(y / (2 * 4.248354255291589e-18), 1, 1e-14); });
  const std::vector<double> tiny = {1e-17, -40};
  brackets::every_bracket(tf::log_sum_exp<double, tf::gauge::maximum>{}, tf::as_source(tiny), [](const auto& s) {
    EXPECT_NEAR((tf::log_sum_exp<double, tf::gauge::maximum>{}.finalize(s)) / 1.4248354255291589e-17, 1, 1e-14);
  });
}

TEST(LogSumExp, OffsetsCostNoAccuracy) {
  for (const double offset : {0.0, 1e2, -1e4, 1e8, -1e15})
    log_sum_exps({offset + 1, offset + 2, offset + 3}, [&](double y) {
      const auto want = static_cast<double>(reference::log_sum_exp(std::vector<double>{offset + 1, offset + 2, offset + 3}));
      EXPECT_NEAR(y, want, 3e-16 * (4 + std::fabs(want)));
    });
}

// Far from 0 the rounding of the reference, half an ulp, is more than an exponent can hold.
TEST(LogSumExp, FarScores) {
  for (const double far : {1e7, 1e8, 1e9, 3e9, 1e10, 1e15, 1e20, 1e30, 2e38, -1e7, -1e9, -1e10, -1e20, -1e30, -2e38}) {
    const std::vector<float> x(10, static_cast<float>(far));
    log_sum_exps(std::vector<double>(x.begin(), x.end()), [&](double y) { EXPECT_NEAR(y / (far + std::log(10.0)), 1, 1e-7) << far; });
    brackets::every_bracket(tf::log_sum_exp<float>{}, tf::as_source(x), [&](const auto& s) {
      EXPECT_NEAR(tf::log_sum_exp<float>{}.finalize(s) / (far + std::log(10.0)), 1, 2e-7) << far;
    });
    brackets::every_bracket(tf::softmax<float>{}, tf::as_source(x),
                            [&](const auto& s) { EXPECT_NEAR(tf::softmax<float>{}.finalize(s)(x[0]), 0.1f, 2e-8f) << far; });
    brackets::every_bracket(tf::softmax<double>{}, tf::as_source(std::vector<double>{far * 1e10, far * 1e10}),
                            [&](const auto& s) { EXPECT_NEAR(tf::softmax<double>{}.finalize(s)(far * 1e10), 0.5, 1e-15) << far; });
  }
}

// P28: a lane, a tile or the whole first part that saw nothing but −inf.
TEST(Softmax, PartsThatSawNothing) {
  std::vector<float> x(128, -INFINITY);
  x.push_back(0);
  x.push_back(1);
  const tf::softmax<float> op;
  for (const tf::index b : {1, 2, 32, 64, 130}) {
    auto s = op.identity();
    const auto src = tf::as_source(x);
    for (tf::index i = 0; i < src.size(); i += b) s = op.combine(s, tf::leaf(op, src.sub(i, i + b < src.size() ? i + b : src.size())));
    const auto w = op.finalize(s);
    EXPECT_EQ(w(x[0]), 0);
    EXPECT_NEAR(w(x[128]), 0.26894142f, 1e-7f);
    EXPECT_NEAR(w(x[129]), 0.73105858f, 1e-7f);
  }
  const auto masked = tf::masked(x, [](tf::index i) { return i < 128; });
  EXPECT_EQ(op.finalize(tf::leaf(op, masked))(0.0f), 0);  // all masked or −inf: never a uniform row
}

// P29: one documented rule for +inf: the row is NaN, as in the float64 loop; never a plausible uniform row.
TEST(Softmax, InfiniteScores) {
  const std::vector<float> x = {1, 1, INFINITY};
  const tf::softmax<float> op;
  brackets::every_bracket(op, tf::as_source(x), [&](const auto& s) {
    for (const float e : x) EXPECT_TRUE(std::isnan(op.finalize(s)(e)));
  });
}

TEST(Softmax, OfInfiniteScoresEachCountsOne) {  // what an opt-in limit would need is in the state
  const std::vector<float> x = {INFINITY, 3, INFINITY};
  const tf::softmax<float> op;
  brackets::every_bracket(op, tf::as_source(x), [&](const auto& s) {
    EXPECT_EQ(s.at, INFINITY);
    EXPECT_EQ(s.amount, 2);
  });
}

TEST(Softmax, LowestFiniteScoreIsNotAMask) {
  const std::vector<float> x(4, -3.4028234663852886e38f);
  const tf::softmax<float> op;
  brackets::every_bracket(op, tf::as_source(x), [&](const auto& s) { EXPECT_EQ(op.finalize(s)(x[0]), 0.25f); });
}

TEST(LogSoftmax, DominatingElementKeepsItsDigits) {
  const std::vector<double> x = {0, -40, -45};
  const tf::log_softmax<double, tf::gauge::maximum> op;
  brackets::every_bracket(op, tf::as_source(x), [&](const auto& s) {
    EXPECT_NEAR(op.finalize(s)(0.0) / -static_cast<double>(reference::log_sum_exp(x)), 1, 1e-14);
    EXPECT_NEAR(op.finalize(s)(-40.0), -40, 1e-14);
  });
}

namespace {
struct row_data {
  std::vector<float> score, value;
  tf::index d;
  [[nodiscard]] auto source() const {
    return tf::zip(score, tf::row_source<float>{value.data(), static_cast<tf::index>(score.size()), d, d});
  }
};
row_data some_rows(tf::index n, tf::index d) {
  row_data r{std::vector<float>(static_cast<std::size_t>(n)), std::vector<float>(static_cast<std::size_t>(n * d)), d};
  for (std::size_t i = 0; i < r.score.size(); ++i) r.score[i] = static_cast<float>(std::sin(3.0 * double(i)) * 12);
  for (std::size_t i = 0; i < r.value.size(); ++i) r.value[i] = static_cast<float>(std::cos(0.7 * double(i)) * 3);
  return r;
}
//! Output column j in long double.
reference::real output(const row_data& r, double factor, tf::index j) {
  std::vector<double> scaled;
  for (const float s : r.score) scaled.push_back(static_cast<double>(s) * factor);
  const auto w = reference::softmax(scaled);
  reference::real o = 0;
  for (std::size_t i = 0; i < w.size(); ++i) o += w[i] * r.value[i * static_cast<std::size_t>(r.d) + static_cast<std::size_t>(j)];
  return o;
}
}  // namespace

TEST(Attention, ScalesByTheRootOfTheHeadSize) {
  const auto r = some_rows(40, 5);
  const tf::attention<float, 5> fixed;
  const tf::attention<float> dynamic{5};
  const auto a = fixed.finalize(tf::leaf(fixed, r.source())), b = fixed.finalize(brackets::fold(fixed, r.source()));
  const auto c = dynamic.finalize(tf::leaf(dynamic, r.source()));
  for (tf::index j = 0; j < 5; ++j) {
    const auto want = static_cast<double>(output(r, 1 / std::sqrt(5.0), j));
    EXPECT_NEAR(a.output[j], want, 3e-6);
    EXPECT_NEAR(b.output[j], want, 3e-6);
    EXPECT_EQ(a.output[j], c.output[j]);
  }
  EXPECT_NEAR(a.lse_log2 * std::log(2.0f), a.lse_ln, 1e-5f);
}

TEST(Attention, PartialResultsMerge) {
  const auto r = some_rows(60, 3);
  const tf::attention<float> op{3, 0.25};
  const auto src = r.source();
  const auto left = op.finalize(tf::leaf(op, src.sub(0, 20))), right = op.finalize(tf::leaf(op, src.sub(20, 60)));
  const auto from_log2 = op.combine(op.from_partial_log2(left.output, left.lse_log2), tf::leaf(op, src.sub(20, 60)));
  const auto from_ln = op.combine(op.from_partial_ln(left.output, left.lse_ln), op.from_partial_ln(right.output, right.lse_ln));
  const auto whole = op.finalize(tf::leaf(op, src));
  for (tf::index j = 0; j < 3; ++j) {
    EXPECT_NEAR(op.finalize(from_log2).output[j], whole.output[j], 2e-6);
    EXPECT_NEAR(op.finalize(from_ln).output[j], whole.output[j], 2e-6);
  }
  EXPECT_NEAR(op.finalize(from_ln).lse_ln, whole.lse_ln, 2e-6);
  const auto none = op.finalize(op.identity());
  EXPECT_TRUE(op.empty(op.from_partial_ln(none.output, none.lse_ln)));
}

TEST(Attention, NothingVisibleGivesZeros) {
  const auto r = some_rows(6, 2);
  const tf::attention<float> op{2};
  const auto hidden = tf::masked(r.source(), [](tf::index) { return false; });
  for (const auto& s : {op.identity(), tf::leaf(op, hidden), brackets::fold(op, hidden)}) {
    const auto y = op.finalize(s);
    EXPECT_EQ(y.output[0], 0);
    EXPECT_EQ(y.output[1], 0);
    EXPECT_EQ(y.lse_log2, -INFINITY);
    EXPECT_EQ(y.lse_ln, -INFINITY);
  }
}

TEST(Attention, MaskedRowsHaveNoInfluenceWhateverTheyHold) {
  auto r = some_rows(12, 2);
  std::vector<char> visible(12, 1);
  const tf::attention<float, 2> op;
  visible[3] = visible[7] = 0;
  const auto clean = tf::leaf(op, tf::masked(r.source(), visible));
  r.score[3] = NAN;
  r.value[6] = INFINITY;
  r.value[7] = NAN;
  r.value[14] = NAN;
  EXPECT_EQ(tf::leaf(op, tf::masked(r.source(), visible)), clean);
  EXPECT_TRUE(op.same(brackets::fold(op, tf::masked(r.source(), visible)), clean));
  EXPECT_TRUE(std::isnan(op.finalize(tf::leaf(op, r.source())).output[0]));  // visible: NaN
}

TEST(Attention, OverQueryAndKeys) {
  const std::vector<float> q = {1, -2}, keys = {0.5f, 1, 2, -1, 0, 3}, value = {1, 2, 3, 4, 5, 6};
  const auto dot = [&](const auto& key) { return q[0] * key[0] + q[1] * key[1]; };
  const tf::attention<float> op{2};
  const tf::premap over{op, [&](const auto& key, const auto& row, const auto& then) { return then(dot(key), row); }};
  const tf::row_source<float> k{keys.data(), 3, 2, 2}, v{value.data(), 3, 2, 2};
  const std::vector<float> scores = {0.5f - 2, 2 + 2, -6};
  const auto want = tf::leaf(op, tf::zip(scores, v));
  EXPECT_EQ(tf::leaf(over, tf::zip(k, v)), want);
  EXPECT_TRUE(op.same(brackets::fold(over, tf::zip(k, v)), want));
}
