// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Measured errors stay below the stated bounds, over families of data that stress each term and over shapes of
//! trees; and the bounds are not so slack, nor the checks so blunt, that a wrong bound would pass.
#include "twofold/numerics/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ops/reference.hpp"
#include "twofold/algebra/tile.hpp"
#include "twofold/numerics/formats.hpp"
#include "twofold/ops/ops.hpp"

namespace tf = twofold;
namespace num = twofold::numerics;
using reference::real;

namespace {

const double u32 = num::fp32.unit_roundoff(), u64 = num::fp64.unit_roundoff();

//! A state computed in tiles of b (0: pushed one by one), merged in a chain or in a balanced tree, and the shape that
//! this is.
struct shape_of_run {
  std::string name;
  tf::index tile;
  bool balanced;
  [[nodiscard]] num::tree_shape shape(tf::index n) const {
    const double b = static_cast<double>(std::min(std::max<tf::index>(tile, 1), n)), pieces = std::ceil(static_cast<double>(n) / b);
    if (tile == 0) return {1, 0, static_cast<double>(n)};
    return {b, balanced ? num::balanced_levels(pieces) : pieces - 1};
  }
};
const std::vector<shape_of_run> shapes = {{"fold", 0, false},       {"one tile", 1 << 30, false}, {"tiles of 16", 16, false},
                                          {"tree of 16", 16, true}, {"tree of 1", 1, true},       {"tree of 128", 128, true}};

template <class R, class S>
auto run(const R& r, const S& src, const shape_of_run& how) {
  std::vector<tf::state_of<R>> level;
  if (how.tile == 0) {
    auto s = r.identity();
    for (tf::index i = 0; i < src.size(); ++i) tf::push_at(r, s, src, i);
    return s;
  }
  for (tf::index i = 0; i < src.size(); i += how.tile) level.push_back(tf::leaf(r, src.sub(i, std::min(i + how.tile, src.size()))));
  if (!how.balanced) {
    auto s = r.identity();
    for (const auto& piece : level) s = r.combine(s, piece);
    return s;
  }
  while (level.size() > 1) {
    std::vector<tf::state_of<R>> next;
    for (std::size_t i = 0; i < level.size(); i += 2) next.push_back(i + 1 < level.size() ? r.combine(level[i], level[i + 1]) : level[i]);
    level = next;
  }
  return level[0];
}

template <class T>
struct family {
  std::string name;
  std::function<T(std::mt19937_64&, tf::index i, tf::index n)> draw;
};
template <class T>
std::vector<T> draw(const family<T>& f, std::mt19937_64& g, tf::index n) {
  std::vector<T> x;
  for (tf::index i = 0; i < n; ++i) x.push_back(f.draw(g, i, n));
  return x;
}
template <class T>
T normal(std::mt19937_64& g) {
  return static_cast<T>(std::normal_distribution<double>()(g));
}

//! measured/bound must be ≤ 1; the worst one seen is kept for the tightness checks.
struct worst {
  double ratio = 0;
  void see(real error, double bound, const std::string& what) {
    const double r = static_cast<double>(error / bound);
    EXPECT_LE(r, 1) << what;
    ratio = std::max(ratio, r);
  }
};

const std::vector<tf::index> sizes = {1, 2, 3, 17, 130, 1000, 5000};

template <class T>
std::vector<family<T>> value_families() {
  using g = std::mt19937_64;
  return {
      {"normal", [](g& r, tf::index, tf::index) { return normal<T>(r); }},
      {"offset 1e3", [](g& r, tf::index, tf::index) { return T(1000) + normal<T>(r); }},
      {"offset 1e6", [](g& r, tf::index, tf::index) { return T(1e6) + normal<T>(r); }},
      {"sorted with offset", [](g&, tf::index i, tf::index n) { return T(1e5) + T(100) * static_cast<T>(i) / static_cast<T>(n); }},
      {"first is an outlier", [](g& r, tf::index i, tf::index) { return i == 0 ? T(1e5) : normal<T>(r); }},
      {"last is an outlier", [](g& r, tf::index i, tf::index n) { return i + 1 == n ? T(-1e5) : normal<T>(r); }},
      {"two clusters", [](g& r, tf::index i, tf::index n) { return (i < n / 2 ? T(-1e4) : T(1e4)) + normal<T>(r); }},
      {"powers", [](g&, tf::index i, tf::index) { return static_cast<T>(std::exp2(static_cast<double>(i % 40))); }},
      {"alternating", [](g& r, tf::index i, tf::index) { return (i % 2 ? T(-1e3) : T(1e3)) + normal<T>(r); }},
  };
}

template <class T>
real magnitude(const std::vector<T>& x) {
  real s = 0;
  for (const T e : x) s += std::fabs(static_cast<real>(e));
  return s;
}

}  // namespace

TEST(Bounds, LambertW) {
  for (const double x : {1e-6, 0.1, 1.0, std::exp(1.0), 46.7, 3e3, 6e6}) {
    const double w = num::lambert_w(x);
    EXPECT_NEAR(w * std::exp(w) / x, 1, 1e-12);
  }
  EXPECT_EQ(num::lambert_w(0), 0);
  EXPECT_NEAR(num::lambert_w(131071 / std::exp(1.0)), 8.63, 0.005);
}

TEST(Bounds, BalancedLevels) {
  EXPECT_EQ(num::balanced_levels(1), 0);
  EXPECT_EQ(num::balanced_levels(2), 1);
  EXPECT_EQ(num::balanced_levels(3), 2);
  EXPECT_EQ(num::balanced_levels(1024), 10);
}

TEST(Bounds, Sums) {
  std::mt19937_64 g(1);
  worst plain, compensated;
  for (const auto& f : value_families<float>())
    for (const tf::index n : sizes)
      for (const auto& s : shapes) {
        const auto x = draw(f, g, n);
        const auto src = tf::as_source(x);
        const real want = reference::sum(x), size = magnitude(x);
        const std::string what = f.name + ", " + s.name + ", n = " + std::to_string(n);
        const auto t = s.shape(n);
        const tf::sum<float> a;
        plain.see(std::fabs(a.finalize(run(a, src, s)) - want), num::sum(u32, t) * static_cast<double>(size) + 1e-30, what);
        const tf::pairwise_sum<float> p;
        plain.see(std::fabs(p.finalize(run(p, src, s)) - want), num::pairwise_sum(u32, t) * static_cast<double>(size) + 1e-30, what);
        const tf::compensated_sum<float> c;
        const double bound = u32 * static_cast<double>(std::fabs(want)) + num::compensated_sum(u32, t) * static_cast<double>(size);
        compensated.see(std::fabs(c.finalize(run(c, src, s)) - want), bound + 1e-30, what);
      }
  EXPECT_GT(compensated.ratio, 0.5);  // half an ulp of the result is met
}

TEST(Bounds, SumOfEqualHalfUlpsMeetsTheBound) {  // every addition loses half an ulp: the bound is not slack
  std::vector<float> x(4097, 0x1p-24f);
  x[0] = 1;
  const auto shape = shapes[0];
  const tf::sum<float> a;
  const double error = static_cast<double>(reference::sum(x)) - a.finalize(run(a, tf::as_source(x), shape));
  const double bound = num::sum(u32, shape.shape(4097)) * static_cast<double>(magnitude(x));
  EXPECT_LE(error, bound);
  EXPECT_GT(error, 0.99 * bound);
}

namespace {
std::vector<family<float>> score_families() {
  using g = std::mt19937_64;
  return {
      {"normal", [](g& r, tf::index, tf::index) { return normal<float>(r); }},
      {"wide", [](g& r, tf::index, tf::index) { return 20 * normal<float>(r); }},
      {"offset 1e4", [](g& r, tf::index, tf::index) { return 1e4f + normal<float>(r); }},
      {"offset -1e6", [](g& r, tf::index, tf::index) { return -1e6f + normal<float>(r); }},
      {"all equal", [](g&, tf::index, tf::index) { return 0.7f; }},
      {"half ulps", [](g&, tf::index i, tf::index) { return i == 0 ? 0.0f : -24 * 0.6931472f; }},
      {"ascending in small steps", [](g&, tf::index i, tf::index) { return 0.01f * static_cast<float>(i); }},
      {"ascending in large steps", [](g&, tf::index i, tf::index) { return 3.3f * static_cast<float>(i % 50); }},
      {"deep tail", [](g& r, tf::index i, tf::index) { return i % 7 == 0 ? normal<float>(r) : -60 + 5 * normal<float>(r); }},
      {"equal distances",
       [](g&, tf::index i, tf::index n) {
         return i == 0 ? 0.0f : static_cast<float>(-1 - num::lambert_w(static_cast<double>(n - 1) / 2.718281828));
       }},
      {"half absent", [](g& r, tf::index i, tf::index) { return i % 2 ? -INFINITY : normal<float>(r); }},
  };
}
//! Σ exp(x) relative to exp(ref) in long double; the scale is the operator's own rounded constant, as T1 charges it
//! separately.
real weight_sum(const std::vector<float>& x, float scale, float at) {
  real s = 0;
  for (const float e : x)
    if (e != -INFINITY) s += std::exp2(static_cast<real>(e) * static_cast<real>(scale) - static_cast<real>(at));
  return s;
}
template <class Gauge>
double softmax_family(const num::weight_arithmetic& w) {
  std::mt19937_64 g(2);
  worst all;
  for (const auto& f : score_families())
    for (const tf::index n : sizes)
      for (const auto& s : shapes) {
        const auto x = draw(f, g, n);
        const tf::softmax<float, Gauge> op;
        const auto state = run(op, tf::as_source(x), s);
        const real want = weight_sum(x, op.how.score.scale, state.at);
        const double bound = num::softmax_sum(u32, s.shape(n), static_cast<double>(n), w);
        all.see(std::fabs(state.amount / want - 1), bound, f.name + ", " + s.name + ", n = " + std::to_string(n));
      }
  return all.ratio;
}
}  // namespace

TEST(Bounds, SoftmaxSumUnderEveryGauge) {
  EXPECT_GT(softmax_family<tf::gauge::integer>({}), 0.3);
  num::weight_arithmetic difference;
  difference.reference = num::reference_rule::maximum;
  EXPECT_GT(softmax_family<tf::gauge::maximum>(difference), 0.3);
  EXPECT_LE((softmax_family<tf::gauge::lazy<8, tf::gauge::integer>>([] {
              num::weight_arithmetic w;
              w.reference = num::reference_rule::lazy_integer, w.tau = 8;  // weights above 1: exponents to 8
              return w;
            }())),
            1);
}

TEST(Bounds, LogSumExpAndAttention) {
  std::mt19937_64 g(3);
  worst lse, out;
  num::weight_arithmetic in_nats;  // against the true log-sum-exp, the rounded log2(e) counts as well
  in_nats.scale_roundings = num::log2_e_roundings, in_nats.compensated = true;
  for (const auto& f : score_families())
    for (const tf::index n : sizes)
      for (const auto& s : shapes) {
        const auto x = draw(f, g, n);
        const std::string what = f.name + ", " + s.name + ", n = " + std::to_string(n);
        const real want = reference::log_sum_exp(x);
        if (std::isinf(want)) continue;
        const tf::log_sum_exp<float> op;
        lse.see(std::fabs(op.finalize(run(op, tf::as_source(x), s)) - want),
                num::log_sum_exp(u32, s.shape(n), static_cast<double>(n), static_cast<double>(std::fabs(want)), in_nats), what);

        std::vector<float> v(x.size());
        for (float& e : v) e = 3 + normal<float>(g);
        const tf::attention<float, 1> a(1, 1.0);
        const auto y = a.finalize(run(a, tf::zip(x, tf::row_source<float>{v.data(), n, 1, 1}), s));
        real total = 0, o = 0, largest = 0;
        const real top = reference::maximum(x);
        for (std::size_t i = 0; i < x.size(); ++i) {
          if (x[i] == -INFINITY) continue;
          const real p = std::exp2((static_cast<real>(x[i]) - top) * static_cast<real>(a.how.score.scale));
          total += p, o += p * v[i], largest = std::max(largest, std::fabs(static_cast<real>(v[i])));
        }
        out.see(std::fabs(y.output[0] - o / total),
                num::attention_output(u32, s.shape(n), static_cast<double>(n)) * static_cast<double>(largest), what);
      }
  EXPECT_GT(lse.ratio, 0.05);
  EXPECT_GT(out.ratio, 0.02);
}

namespace {
//! Chan's merge of (n, mean, M2), anchored at the larger side: what theorem T4 speaks of.
template <class T>
struct chan {
  struct state {
    long n;
    T mean, m2;
  };
  [[nodiscard]] state identity() const { return {0, 0, 0}; }
  [[nodiscard]] state lift(T x) const { return {1, x, 0}; }
  [[nodiscard]] state combine(const state& a, const state& b) const {
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    if (a.n < b.n) return combine(b, a);
    const T n = static_cast<T>(a.n) + static_cast<T>(b.n), d = b.mean - a.mean, share = static_cast<T>(b.n) / n;
    return {a.n + b.n, std::fma(d, share, a.mean), std::fma(d * d, static_cast<T>(a.n) * share, a.m2 + b.m2)};
  }
  [[nodiscard]] state finalize(const state& s) const { return s; }
};
}  // namespace

TEST(Bounds, WelfordAndChan) {
  std::mt19937_64 g(4);
  worst mean, m2, chan_mean, chan_m2;
  double over_t4 = 0;
  for (const auto& f : value_families<float>())
    for (const tf::index n : sizes)
      for (const auto& s : shapes) {
        if (n < 2) continue;
        const auto x = draw(f, g, n);
        const auto src = tf::as_source(x);
        const std::string what = f.name + ", " + s.name + ", n = " + std::to_string(n);
        const real true_mean = reference::mean(x), true_m2 = reference::central(x, 2) * static_cast<real>(n);
        if (true_m2 == 0) continue;
        const double sigma = std::sqrt(static_cast<double>(true_m2) / static_cast<double>(n));
        const double kappa = std::sqrt(1 + static_cast<double>(static_cast<real>(n) * true_mean * true_mean / true_m2));
        const auto t = s.shape(n);

        const tf::welford<float, float> w;
        const auto state = run(w, src, s);
        const auto mean_bound = num::welford_mean(u32, t, static_cast<double>(std::fabs(true_mean)), sigma);
        mean.see(std::fabs(w.finalize(state).mean - true_mean), mean_bound, "mean: " + what);
        const real error = std::fabs(w.m2(state) / true_m2 - 1);
        m2.see(error, num::welford_m2(u32, t, kappa), "M2: " + what);
        over_t4 = std::max(over_t4, static_cast<double>(error) / num::chan_m2(u32, t, kappa));

        const shape_of_run singles{s.name, s.tile == 0 ? 0 : 1, s.balanced};  // T4's trees have single elements as leaves
        const auto c = run(chan<float>{}, src, singles);
        const auto ct = singles.shape(n);
        const double size = static_cast<double>(magnitude(x)) / static_cast<double>(n);
        chan_mean.see(std::fabs(c.mean - true_mean), num::chan_mean(u32, ct, static_cast<double>(n), size, sigma), "Chan's mean: " + what);
        chan_m2.see(std::fabs(c.m2 / true_m2 - 1), num::chan_m2(u32, ct, kappa), "Chan's M2: " + what);
      }
  EXPECT_GT(mean.ratio, 0.1);
  EXPECT_GT(chan_m2.ratio, 0.02);
  EXPECT_LE(over_t4, 1);  // this library's state is within T4's bound as well
}

TEST(Bounds, WelfordDoesNotFeelAnOffset) {  // κ enters squared and times u² only
  std::mt19937_64 g(5);
  const tf::welford<float, float> w;
  for (const float offset : {0.0f, 1e2f, 1e4f, 1e5f}) {
    std::vector<float> x(4096);
    for (float& e : x) e = offset + normal<float>(g);
    const real want = reference::central(x, 2) * 4096;
    EXPECT_LE(std::fabs(w.m2(run(w, tf::as_source(x), shapes[3])) / want - 1), 20 * static_cast<real>(u32)) << offset;
  }
}

TEST(Bounds, AffineScans) {
  std::mt19937_64 g(6);
  worst all;
  for (const double rho : {0.5, 0.9, 0.999, 1.0})
    for (const tf::index n : {1, 2, 17, 130, 1000})
      for (const auto& s : shapes) {
        if (s.tile > 1) continue;  // a leaf is a fold of pushes: the shapes of single elements say it all
        std::vector<float> a, b;
        std::vector<double> wide_a, wide_b;
        for (tf::index i = 0; i < n; ++i) {
          a.push_back(static_cast<float>(rho * (1 - 2 * (g() % 3 == 0))));
          b.push_back(normal<float>(g));
          wide_a.push_back(static_cast<double>(a.back()));
          wide_b.push_back(static_cast<double>(b.back()));
        }
        real want = 0;
        for (std::size_t i = 0; i < a.size(); ++i) want = want * static_cast<real>(a[i]) + static_cast<real>(b[i]);
        const tf::affine_recurrence<float> op;
        const real error = std::fabs(op.finalize(run(op, tf::zip(a, b), s)) - want);
        const double height = s.balanced ? num::balanced_levels(static_cast<double>(n)) : 1;  // a fold: (t − i) + 1
        const double bound = num::affine(u32, height, wide_a.data(), wide_b.data(), static_cast<long>(n));
        all.see(error, bound + 1e-30, s.name + ", n = " + std::to_string(n) + ", rho = " + std::to_string(rho));
        double largest = 0;
        for (const double e : wide_b) largest = std::max(largest, std::fabs(e));
        if (rho < 1) {
          EXPECT_LE(bound, 1.0001 * num::affine(u32, height, rho, largest));
        }
      }
  EXPECT_GT(all.ratio, 0.02);
}

TEST(Bounds, MaximumSegmentSums) {
  std::mt19937_64 g(7);
  worst all;
  for (const auto& f : value_families<float>())
    for (const tf::index n : {1, 17, 300})
      for (const auto& s : shapes) {
        const auto x = draw(f, g, n);
        const auto src = tf::as_source(x);
        const tf::maximum_segment_sum<float> narrow;
        const tf::maximum_segment_sum<float, double> wide;
        const double want = *wide.finalize(run(wide, src, s));
        all.see(std::fabs(*narrow.finalize(run(narrow, src, s)) - want),
                num::maximum_segment_sum(u32, {1, s.shape(n).additions()}) * static_cast<double>(magnitude(x)) + 1e-30, f.name);
      }
}

TEST(Bounds, AWrongBoundWouldBeNoticed) {  // the height left out of the sum's bound: the families must break it
  std::mt19937_64 g(8);
  double ratio = 0;
  for (const auto& f : value_families<float>()) {
    const auto x = draw(f, g, 5000);
    const tf::sum<float> a;
    const real error = std::fabs(a.finalize(run(a, tf::as_source(x), shapes[0])) - reference::sum(x));
    ratio = std::max(ratio, static_cast<double>(error / (static_cast<real>(u32) * magnitude(x))));
  }
  EXPECT_GT(ratio, 1);
}
