// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One test for each statement of docs/numerics.md that no other test checks: what holds, and where it fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "twofold/numerics/certified.hpp"
#include "twofold/ops/affine.hpp"
#include "twofold/ops/attention.hpp"
#include "twofold/ops/softmax.hpp"
#include "twofold/ops/sum.hpp"
#include "twofold/ops/welford.hpp"
#include "twofold/schedule/reduce.hpp"

namespace tf = twofold;

namespace {

constexpr double u = 0x1p-24;

//! x rounded to `digits` significant binary digits, ties to even; exponents are not limited.
double rounded(double x, int digits) {
  if (x == 0 || !std::isfinite(x)) return x;
  int e = 0;
  const double m = std::frexp(x, &e);
  return std::ldexp(std::nearbyint(std::ldexp(m, digits)), e - digits);
}
constexpr int bf16 = 8, fp16 = 11;

std::vector<float> scores(std::mt19937_64& g, std::size_t n, float mean, float deviation) {
  std::normal_distribution<float> d(mean, deviation);
  std::vector<float> s(n);
  for (float& x : s) x = d(g);
  return s;
}
double sum_of_weights(const std::vector<float>& s, double scale, double at) {
  double l = 0;
  for (const float x : s) l += std::exp2(std::fma(static_cast<double>(x), scale, -at));
  return l;
}
float largest(const std::vector<float>& s) { return *std::max_element(s.begin(), s.end()); }

//! Tiles of 64 under a tree, in float. `factor(from, to)` rescales; states keep `stored`.
struct pair {
  float m, l;
};
pair tiled(const std::vector<float>& s, float scale, bool mixed) {
  std::vector<pair> all;
  for (std::size_t i = 0; i < s.size(); i += 64) {
    const std::vector<float> tile(s.begin() + static_cast<long>(i), s.begin() + static_cast<long>(std::min(s.size(), i + 64)));
    const float most = largest(tile), at = most * scale;
    float l = 0;
    for (const float x : tile) l += exp2f(std::fma(x, scale, -at));
    all.push_back({mixed ? most : at, l});
  }
  const auto factor = [&](float from, float to) { return from == to ? 1.0f : exp2f(mixed ? (from - to) * scale : from - to); };
  for (; all.size() > 1; all.resize((all.size() + 1) / 2))
    for (std::size_t k = 0; 2 * k < all.size(); ++k) {
      if (2 * k + 1 == all.size()) {
        all[k] = all[2 * k];
        continue;
      }
      const pair a = all[2 * k], b = all[2 * k + 1];
      const float m = std::max(a.m, b.m);
      all[k] = {m, a.l * factor(a.m, m) + b.l * factor(b.m, m)};
    }
  return {mixed ? all[0].m * scale : all[0].m, all[0].l};
}
double relative_error(const pair& p, const std::vector<float>& s, float scale) {
  return std::fabs(p.l / sum_of_weights(s, scale, p.m) - 1);
}

}  // namespace

// log2(e)/√D: products of independent standard normals have variance D, and 2^(x·log2 e) = e^x.
TEST(Chapter, ScaleIsLog2EOverTheRootOfTheHeadSize) {
  std::mt19937_64 g(1);
  std::normal_distribution<double> d;
  for (const int size : {16, 64, 128}) {
    double squares = 0;
    const int draws = 20000;
    for (int k = 0; k < draws; ++k) {
      double dot = 0;
      for (int i = 0; i < size; ++i) dot += d(g) * d(g);
      squares += dot * dot / size;
    }
    EXPECT_NEAR(squares / draws, 1, 0.06);
    const double c = std::log2(std::exp(1.0)) / std::sqrt(size);
    EXPECT_NEAR(std::exp2(3.7 * c), std::exp(3.7 / std::sqrt(size)), 1e-14);
  }
}

// T0: the relative error of a merge is a convex combination of its children's, plus a local rounding; for factors above 1 as well.
TEST(Chapter, MergesNeverAmplifyRelativeErrors) {
  std::mt19937_64 g(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int k = 0; k < 100000; ++k) {
    const double a = std::exp2(20 * unit(g)), b = std::exp2(20 * unit(g)), alpha = std::exp2(20 * unit(g)), beta = std::exp2(20 * unit(g));
    const double rho_a = 1e-3 * unit(g), rho_b = 1e-3 * unit(g);
    const double exact = alpha * a + beta * b, wrong = alpha * a * (1 + rho_a) + beta * b * (1 + rho_b);
    EXPECT_LE(std::fabs(wrong / exact - 1), std::max(std::fabs(rho_a), std::fabs(rho_b)) + 1e-15);
    // the same for an output o/l whose parts are merged with the same factors
    const double va = unit(g), vb = unit(g), ea = 1e-3 * unit(g), eb = 1e-3 * unit(g);
    const double o = (alpha * a * (va + ea) + beta * b * (vb + eb)) / exact - (alpha * a * va + beta * b * vb) / exact;
    EXPECT_LE(std::fabs(o), std::max(std::fabs(ea), std::fabs(eb)) + 1e-15);
  }
}

// T1: |argument of the leaf| and the differences of references along any path to the root add up to the distance from the final maximum;
// weighted, that is at most W((n − 1)/e).
TEST(Chapter, ArgumentErrorsTelescope) {
  std::mt19937_64 g(3);
  for (int k = 0; k < 2000; ++k) {
    const std::size_t n = 2 + g() % 500;
    std::vector<double> x(n);
    std::exponential_distribution<double> d(0.2);
    for (double& e : x) e = -std::floor(d(g) * 1024) / 1024;
    x[g() % n] = 0;  // the maximum
    const std::size_t i = g() % n;
    double reference = x[i], path = 0;  // leaf of one element; then neighbours join in any order
    for (int step = 0; step < 20; ++step) {
      const double joined = std::max(reference, x[g() % n]);
      path += joined - reference, reference = joined;
    }
    path += 0 - reference;
    EXPECT_EQ(path, -x[i]);
    double l = 0, weighted = 0;
    for (const double e : x) l += std::exp2(e), weighted += std::exp2(e) * -e * std::log(2.0);
    double w = 1;
    for (int it = 0; it < 50; ++it) w -= (w * std::exp(w) - (static_cast<double>(n) - 1) / std::exp(1.0)) / (std::exp(w) * (1 + w));
    EXPECT_LE(weighted / l, w + 1e-12);
  }
}

// The bound of tiles in a row is at most that of one pass from tiles of 2 + ε_r/u elements on, and for no smaller ones.
TEST(Chapter, TilingHelpsFromTheCrossoverOn) {
  for (const int rescale : {-2, 0, 1, 4})  // ε_r/u: −2 stands for an exact rescale
    for (int b = 1; b <= 64; ++b)
      for (int tiles = 2; tiles <= 200; ++tiles) {
        const int one_pass = b * tiles - 1, in_tiles = b - 1 + (tiles - 1) * std::max(2 + rescale, 1);
        EXPECT_EQ(in_tiles <= one_pass, b >= std::max(2 + rescale, 1));
      }
}

// The gauge view: any reference in the window denotes the same sum; outside, weights overflow or are flushed.
TEST(Chapter, AnyReferenceInTheWindowIsTheSameSum) {
  std::mt19937_64 g(4);
  const auto s = scores(g, 1000, 0, 1);
  const float top = largest(s);
  const auto at = [&](float reference) {
    float l = 0;
    for (const float x : s) l += exp2f(x - reference);
    return l;
  };
  const double want = sum_of_weights(s, 1, top);
  for (const float shift : {-100.0f, -64.0f, -8.0f, 0.0f, 0.5f, 8.0f, 78.0f})
    EXPECT_NEAR(at(top + shift) * std::exp2(static_cast<double>(shift)) / want, 1, 200 * u);
  EXPECT_EQ(at(top - 130), INFINITY);
  EXPECT_EQ(at(top + 152), 0);
}

// T2 with a shared denominator: the output is a convex combination of the rounded weights' rows, whatever rounding did to them.
TEST(Chapter, ASharedDenominatorStaysInTheHull) {
  std::mt19937_64 g(5);
  bool left = false;
  for (int k = 0; k < 300; ++k) {
    const auto s = scores(g, 64, 0, 2);
    double l = 0, shared = 0, o = 0;
    const double v = 3;  // a column that is constant
    for (const float x : s) {
      const double p = std::exp2(static_cast<double>(x - largest(s))), q = rounded(p, bf16);
      l += p, shared += q, o += q * v;
    }
    EXPECT_NEAR(o / shared, v, 1e-14);
    left = left || std::fabs(o / l - v) > 1e-4;
  }
  EXPECT_TRUE(left);
}

// T4: Chan's merge pays for the condition number κ; a reference near the mean does not have it.
TEST(Chapter, APivotRemovesTheConditionNumber) {
  std::mt19937_64 g(6);
  const auto x = scores(g, 4096, 1e4f, 1);
  double mean = 0, m2 = 0;
  for (const float e : x) mean += e;
  mean /= 4096;
  for (const float e : x) m2 += (e - mean) * (e - mean);
  float n = 0, running = 0, textbook = 0;
  for (const float e : x) {
    const float d = e - running;
    n += 1, running += d / n, textbook += d * (e - running);
  }
  const tf::welford<float, float> op;
  const float ours = op.m2(tf::reduce_state(op, x, tf::tiles{64} | tf::tree{}));
  EXPECT_GT(std::fabs(textbook / m2 - 1), 300 * u);
  EXPECT_LT(std::fabs(ours / m2 - 1), 30 * u);
}

// T6: the bound is itself a reduction; it encloses the exact answer under every schedule, and knows the schedule.
TEST(Chapter, TheBoundRidesAlong) {
  std::mt19937_64 g(12);
  for (int k = 0; k < 50; ++k) {
    const auto s = scores(g, 3000, 0, 3);
    double exact = 0;
    for (const float x : s) exact += x;
    double chain = 0, tree = 0;
    for (const auto& [schedule, error] : {std::pair{tf::schedule(tf::fold{}), &chain}, std::pair{tf::tiles{64} | tf::tree{}, &tree}}) {
      const auto y = tf::reduce(tf::certified{tf::sum<float>{}}, s, schedule);
      EXPECT_LE(y.low(), exact);
      EXPECT_GE(y.high(), exact);
      *error = y.error;
    }
    EXPECT_LT(tree, chain);
  }
}

// Where it fails, a: a state that is narrower than the arithmetic rounds at every tile.
TEST(Chapter, ANarrowStateRoundsAtEveryTile) {
  std::mt19937_64 g(7);
  const auto error = [&](std::size_t tile) {
    double squares = 0;
    for (int k = 0; k < 100; ++k) {
      const auto s = scores(g, 1024, 0, 1);
      double l = 0;
      for (std::size_t i = 0; i < s.size(); i += tile) {
        for (std::size_t j = i; j < i + tile; ++j) l += std::exp2(static_cast<double>(s[j]) - 8);
        l = rounded(l, bf16);
      }
      squares += std::pow(l / sum_of_weights(s, 1, 8) - 1, 2);
    }
    return std::sqrt(squares / 100);
  };
  EXPECT_GT(error(16), 2.5 * error(1024));
}

// b: leaves at fl(m·c) and rescales by (m − m')·c use two references: 2·ln 2·u·c·max|m|.
TEST(Chapter, MixedReferencesCostTheOffset) {
  std::mt19937_64 g(8);
  const float scale = static_cast<float>(std::log2(std::exp(1.0)) / 8);
  double one = 0, two = 0;
  for (int k = 0; k < 50; ++k) {
    const auto s = scores(g, 1024, 1e4f, 8);
    one = std::max(one, relative_error(tiled(s, scale, false), s, scale));
    two = std::max(two, relative_error(tiled(s, scale, true), s, scale));
  }
  EXPECT_LT(one, 8 * u);
  EXPECT_GT(two, 100 * u);
  EXPECT_LT(two, (2 * std::log(2.0) * scale * 1.01e4 + 90) * u);
}

// c: splits that hand over a log-sum-exp have rounded it relative to itself.
TEST(Chapter, LogSumExpsOfSplitsLoseTheOffset) {
  std::mt19937_64 g(9);
  double pairs = 0, logs = 0;
  for (int k = 0; k < 50; ++k) {
    const auto s = scores(g, 1024, 1e4f, 2);
    const tf::softmax<float> op;
    const auto whole = tf::reduce_state(op, s, tf::tiles{64} | tf::tree{});
    float most = -INFINITY, lse[4], total = 0;
    for (int part = 0; part < 4; ++part) {
      const auto state = tf::reduce_state(op, tf::as_source(s).sub(256 * part, 256 * (part + 1)), tf::tiles{64} | tf::tree{});
      most = std::max(most, lse[part] = state.at + log2f(state.amount));
    }
    for (const float x : lse) total += exp2f(x - most);
    pairs = std::max(pairs, relative_error({whole.at, whole.amount}, s, op.how.score.scale));
    logs = std::max(logs, relative_error({most, total}, s, op.how.score.scale));
  }
  EXPECT_LT(pairs, 8 * u);
  EXPECT_GT(logs, 500 * u);
}

// d: many equal weights are rounded the same way; an unrounded denominator keeps the bias, a shared one cancels it.
TEST(Chapter, EqualWeightsAreBiasedUnlessTheDenominatorIsShared) {
  const double p = 0.7110, q = rounded(p, bf16), v = 3;
  double l = 1, shared = 1, o = v;
  for (int i = 0; i < 1023; ++i) l += p, shared += q, o += q * v;
  EXPECT_GT(std::fabs(o / l - v), 1e-4);
  EXPECT_NEAR(o / shared, v, 1e-13);
}

// f: accumulators of half types stagnate and overflow long before the answer does.
TEST(Chapter, NarrowAccumulatorsStagnateAndOverflow) {
  double half = 0, brain = 0;
  for (int i = 0; i < 5000; ++i) half = rounded(half + 1, fp16), brain = rounded(brain + 1, bf16);
  EXPECT_EQ(half, 2048);
  EXPECT_EQ(brain, 256);
  EXPECT_GT(4096 * 16.0, 65504.0);  // N rows of |v| = 16 at weight 1: beyond fp16, although the output is 16
}

// g: an absolute error η of a score is a relative error η of its weight; the output moves by at most (e^2η − 1)/2 · MAD.
TEST(Chapter, ScoreErrorsAreRelativeErrorsOfWeights) {
  std::mt19937_64 g(10);
  std::normal_distribution<double> d;
  const double eta = 0.01;
  for (int k = 0; k < 300; ++k) {
    std::vector<double> s(200), v(200);
    for (std::size_t i = 0; i < 200; ++i) s[i] = d(g), v[i] = d(g);
    double l = 0, o = 0, mad = 0, wrong_l = 0, wrong_o = 0;
    for (std::size_t i = 0; i < 200; ++i) l += std::exp(s[i]), o += std::exp(s[i]) * v[i];
    for (std::size_t i = 0; i < 200; ++i) {
      mad += std::exp(s[i]) / l * std::fabs(v[i] - o / l);
      const double moved = std::exp(s[i] + (v[i] > o / l ? eta : -eta));
      wrong_l += moved, wrong_o += moved * v[i];
    }
    const double shift = std::fabs(wrong_o / wrong_l - o / l);
    EXPECT_LE(shift, (std::exp(2 * eta) - 1) / 2 * mad);
    EXPECT_GE(shift, 0.9 * eta * mad);  // attained
  }
}

// h: where the answer cancels, its relative error is large and its absolute error is not: conditioning, not tiling.
TEST(Chapter, CancellationIsConditioning) {
  std::mt19937_64 g(11);
  const auto s = scores(g, 1024, 0, 1);
  const double l = sum_of_weights(s, 1, 0);
  float o = 0;
  double exact = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const float v = i % 2 == 0 ? 1000.0f : -1000.0f, p = exp2f(s[i / 2 * 2]);
    o += p * v, exact += static_cast<double>(p) * v;
  }
  EXPECT_EQ(exact, 0);
  EXPECT_LT(std::fabs(o) / l, 1000 * 1100 * u);  // within the absolute bound; relative to 0 nothing holds
}

// i: products of scales above 1 overflow in a tree although no state of the loop does.
TEST(Chapter, ScalesAboveOneOverflowInATree) {
  const tf::affine_recurrence<float> op;
  auto loop = op.identity();
  for (int i = 0; i < 4; ++i) loop = tf::push(op, loop, 1e30f, 0.0f);
  const auto two = op.combine(op.lift(1e30f, 0.0f), op.lift(1e30f, 0.0f));
  EXPECT_EQ(two.scale, INFINITY);
  float h = 0;
  for (int i = 0; i < 4; ++i) h = std::fma(1e30f, h, 0.0f);
  EXPECT_EQ(h, 0);
  EXPECT_TRUE(std::isnan(two.scale * h));
}

// j: square-root estimates assume roundings without bias; equal terms added one by one have it.
TEST(Chapter, BiasBreaksSquareRootEstimates) {
  const int n = 1 << 20;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += 0.1f;
  const double exact = n * static_cast<double>(0.1f), error = std::fabs(sum / exact - 1);
  EXPECT_GT(error, 4 * std::sqrt(static_cast<double>(n)) * u);  // above the usual 4·√n·u …
  EXPECT_LT(error, n * u);                                      // … and below the guarantee
}
