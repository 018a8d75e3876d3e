// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Adversaries that attain what the bounds allow: the constants are not slack, or it is known by how much.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "twofold/numerics/bounds.hpp"

namespace num = twofold::numerics;

namespace {

//! Chan's merge of (n, mean, M2), anchored at the larger side.
struct chan {
  long n;
  float mean, m2;
};
chan merged(const chan& a, const chan& b) {
  if (a.n < b.n) return merged(b, a);
  const float n = static_cast<float>(a.n) + static_cast<float>(b.n), d = b.mean - a.mean, share = static_cast<float>(b.n) / n;
  return {a.n + b.n, std::fma(d, share, a.mean), std::fma(d * d, static_cast<float>(a.n) * share, a.m2 + b.m2)};
}

//! A tree over n elements, none of whose sizes is a multiple of 4, and elements such that every merge rounds its mean by nearly half a
//! unit in one direction: the computed mean of every node is its target, the exact one lies off by half a unit per level.
struct drifting_tree {
  std::vector<float> x;
  int height = 0;

  chan build(long n, long target, int direction, int depth = 0) {
    height = std::max(height, depth);
    if (n == 1) {
      x.push_back(static_cast<float>(target));
      return {1, x.back(), 0};
    }
    if (n % 2 == 0) {  // two equal halves: the middle of neighbours is a tie, and ties go to the even target
      EXPECT_EQ(target % 2, 0);
      const chan left = build(n / 2, target, direction, depth + 1);
      return merged(left, build(n / 2, target + direction, direction, depth + 1));
    }
    long a = 2;  // the half that is even but no multiple of 4, prime to the other, nearest to the middle
    for (long even = 2; even < n; even += 4)
      if (std::gcd(even, n) == 1 && std::abs(2 * even - n) < std::abs(2 * a - n)) a = even;
    const long b = n - a, sum = direction * (n - 1) / 2;  // a·i + b·j = sum: the mean lies just below half a unit off
    long i = 0;
    while ((sum - a * i) % b != 0 || (target + i) % 2 != 0) ++i;
    const chan left = build(a, target + i, direction, depth + 1);
    return merged(left, build(b, target + (sum - a * i) / b, direction, depth + 1));
  }
};

}  // namespace

//! T4: the κ term 2dκu is met to a tenth. Two halves far apart, of which one drifts up and one down: no bound that knows the height, κ
//! and u alone can have half that constant.
TEST(Attained, ChansConditionTerm) {
  double best = 0;
  for (const long half : {3L, 11L, 43L, 171L, 683L, 1371L}) {
    drifting_tree tree;
    const long at = (1L << 23) + 40000, apart = 1L << 17;
    const chan low = tree.build(half, at, +1, 1), high = tree.build(half, at + apart, -1, 1);
    const chan all = merged(low, high);
    long double mean = 0, m2 = 0;
    for (const float e : tree.x) mean += static_cast<long double>(e);
    mean /= static_cast<long double>(tree.x.size());
    for (const float e : tree.x) m2 += (static_cast<long double>(e) - mean) * (static_cast<long double>(e) - mean);
    const double n = static_cast<double>(tree.x.size());
    const double kappa = num::variance_condition(n, static_cast<double>(mean), static_cast<double>(m2));
    const double ratio =
        std::fabs(static_cast<double>(all.m2 / m2 - 1)) / num::chan_m2(0x1p-24, {1, static_cast<double>(tree.height)}, kappa);
    EXPECT_LE(ratio, 1) << half;
    best = std::max(best, ratio);
  }
  RecordProperty("ratio", std::to_string(best));
  EXPECT_GT(best, 0.75);
}

//! T5: a fold of ones rounds b by half a unit at every step.
TEST(Attained, AffineFold) {
  const long n = 4097;
  std::vector<double> a(n, 1), b(n, 0x1p-24);
  b[0] = 1;
  float h = 0;
  double want = 0;
  for (const double e : b) h = std::fma(1.0f, h, static_cast<float>(e)), want += e;
  const double bound = num::affine(0x1p-24, 1, a.data(), b.data(), n), error = std::fabs(static_cast<double>(h) - want);
  EXPECT_LE(error, bound);
  EXPECT_GT(error, 0.99 * bound);
}

//! T2's score term: errors η·sign(v − O) of the scores move the output by η·MAD, to first order.
TEST(Attained, ScoreErrorsOfAttention) {
  for (const double eta : {1e-4, 1e-2, 0.1}) {
    double worst = 0;
    for (int k = 1; k < 20; ++k) {  // two values, weights p and 1 − p: the smallest case, and the worst
      const double p = k / 20.0, moved = p * std::exp(eta) / (p * std::exp(eta) + (1 - p) * std::exp(-eta));
      num::attention_arithmetic w;
      w.score_error = eta;
      num::value_spread v{0, 0, 2 * p * (1 - p), 0, 0};
      const double bound = num::attention_terms(0, {1, 0}, 2, w, v).first_order();
      EXPECT_LE(moved - p, bound) << eta << " " << p;
      worst = std::max(worst, (moved - p) / bound);
    }
    EXPECT_GT(worst, 0.9) << eta;
  }
}

//! A row known to be flat pays the mean path of a chain, which is half the dearest: the share is the exact mean.
TEST(Attained, MeanPathOfAFlatRow) {
  for (const long pieces : {2L, 3L, 10L, 1000L}) {
    double sum = static_cast<double>(pieces - 1);
    for (long k = 1; k < pieces; ++k) sum += static_cast<double>(pieces - k);
    const double n = 128.0 * static_cast<double>(pieces);
    EXPECT_NEAR(num::mean_path_share(n, static_cast<double>(pieces), 1 / n),
                sum / static_cast<double>(pieces) / static_cast<double>(pieces - 1), 1e-12);
    EXPECT_EQ(num::mean_path_share(n, static_cast<double>(pieces), 1), 1);
  }
}
