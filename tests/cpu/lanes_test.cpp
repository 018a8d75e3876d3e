// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Leaves in vector lanes: laws, order, lengths, strides, special values, against loops in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ops/reference.hpp"
#include "ops/special_values.hpp"
#include "twofold/algebra/laws.hpp"
#include "twofold/algebra/witness.hpp"
#include "twofold/cpu/reduce.hpp"
#include "twofold/ops/ops.hpp"

namespace tf = twofold;
using tf::cpu::in_lanes;
using real = long double;

namespace {

template <class T>
std::vector<T> numbers(tf::index n, std::uint32_t seed = 1) {
  std::mt19937 g(seed);
  std::normal_distribution<double> normal(3, 2);
  std::vector<T> x;
  for (tf::index i = 0; i < n; ++i) x.push_back(static_cast<T>(normal(g)));
  return x;
}
std::vector<tf::index> lengths() {
  std::vector<tf::index> all{1000, 4095, 4096, 4097, 8191, 20000, 70001, 140000};
  for (tf::index n = 0; n < 300; ++n) all.push_back(n);
  return all;
}
template <class R, class Data>
auto by_lanes(const R& r, const Data& x) {
  return r.finalize(in_lanes<R>(r).leaf(tf::as_source(x)));
}
//! Data that a stride walks: every third element, backwards.
template <class T>
struct strided {
  std::vector<T> all;
  tf::array_source<T> source;
  explicit strided(const std::vector<T>& x) : all(x.size() * 3 + 1, T(77)) {
    const auto n = static_cast<tf::index>(x.size());
    for (tf::index i = 0; i < n; ++i) all[static_cast<std::size_t>(3 * (n - 1 - i))] = x[static_cast<std::size_t>(i)];
    source = {all.data() + (n > 0 ? 3 * (n - 1) : 0), n, -3};
  }
};
void expect_close(real got, real want, real tolerance) {
  EXPECT_TRUE(reference::close(got, want, tolerance))
      << static_cast<double>(got) << " where " << static_cast<double>(want) << " ± " << static_cast<double>(tolerance);
}

//! A user's operator: rotations of a triple and a running word, exact and not commutative; generic in the number.
template <class T>
struct word_of {
  struct state {
    T factor, value;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  template <template <class> class Lanes>
  using over = word_of<Lanes<T>>;
  T base;
  state identity() const { return {T(1), T(0)}; }
  state lift(const T& x) const { return {base, x}; }
  state combine(const state& a, const state& b) const { return {a.factor * b.factor, a.value * b.factor + b.value}; }
  T finalize(const state& s) const { return s.value; }
};

}  // namespace

TEST(Lanes, PathsAreTaken) {
  using tf::cpu::lane_path;
  using floats = tf::array_source<float>;
  EXPECT_EQ((tf::cpu::lane_path_of<tf::sum<float>, floats>), lane_path::interleaved);
  EXPECT_EQ((tf::cpu::lane_path_of<tf::max<int>, tf::array_source<int>>), lane_path::interleaved);
  EXPECT_EQ((tf::cpu::lane_path_of<tf::log_sum_exp<float>, floats>), lane_path::twisted);
  EXPECT_EQ((tf::cpu::lane_path_of<tf::softmax<double>, tf::array_source<double>>), lane_path::twisted);
  EXPECT_EQ((tf::cpu::lane_path_of<tf::welford<float>, floats>), lane_path::twisted);
  EXPECT_EQ((tf::cpu::lane_path_of<tf::welford<float, double, tf::gauge::pivot>, floats>),
            lane_path::scalar);  // its reference is the first element
  EXPECT_EQ((tf::cpu::lane_path_of<tf::covariance<float>, tf::zip_source<floats, floats>>), lane_path::twisted);
  EXPECT_EQ((tf::cpu::lane_path_of<tf::affine_recurrence<float>, tf::zip_source<floats, floats>>), lane_path::ordered);
  EXPECT_EQ((tf::cpu::lane_path_of<tf::maximum_segment_sum<float>, floats>), lane_path::ordered);
  EXPECT_EQ((tf::cpu::lane_path_of<tf::argmax<float>, tf::indexed_source<floats>>), lane_path::extremum);
  EXPECT_EQ((tf::cpu::lane_path_of<tf::product<tf::sum<float>, tf::max<float>>, floats>), lane_path::parts);
  EXPECT_EQ((tf::cpu::lane_path_of<tf::witness, tf::array_source<tf::index>>), lane_path::scalar);
  EXPECT_EQ((tf::cpu::lane_path_of<word_of<std::uint32_t>, tf::array_source<std::uint32_t>>), lane_path::ordered);
}

TEST(Lanes, EveryLengthAndStride) {
  for (const tf::index n : lengths()) {
    SCOPED_TRACE(n);
    const auto x = numbers<float>(n);
    const strided<float> apart(x);
    const std::vector<double> wide(x.begin(), x.end());
    real sum = 0, magnitude = 0;
    for (const double v : wide) sum += v, magnitude += std::fabs(v);
    const auto spread = n == 0 ? real(0) : reference::central(wide, 2) * static_cast<real>(n);
    for (const auto& s : {tf::as_source(x), apart.source}) {
      const real rounding = 0x1p-24 * magnitude * static_cast<real>(20 + std::sqrt(static_cast<double>(n)));
      expect_close(by_lanes(tf::sum<float>{}, s), sum, rounding);
      expect_close(by_lanes(tf::mean<float>{}, s), n == 0 ? NAN : sum / static_cast<real>(n), 0x1p-50 * magnitude);
      EXPECT_EQ(by_lanes(tf::max<float>{}, s), n == 0 ? -HUGE_VALF : *std::max_element(x.begin(), x.end()));
      EXPECT_EQ(by_lanes(tf::min<float>{}, s), n == 0 ? HUGE_VALF : *std::min_element(x.begin(), x.end()));
      EXPECT_EQ(by_lanes(tf::argmax<float>{}, tf::indexed(s)).position, n == 0 ? -1 : std::max_element(x.begin(), x.end()) - x.begin());
      EXPECT_EQ(by_lanes(tf::argmin<float>{}, tf::indexed(s)).position, n == 0 ? -1 : std::min_element(x.begin(), x.end()) - x.begin());
      const auto moments = by_lanes(tf::welford<float>{}, s);
      EXPECT_EQ(moments.count, n);
      if (n > 1) expect_close(moments.variance, spread / static_cast<real>(n - 1), 1e-12L * spread / static_cast<real>(n - 1));
      const auto both = by_lanes(tf::covariance<float>{}, tf::zip(s, s));
      if (n > 1) expect_close(both.covariance, spread / static_cast<real>(n - 1), 1e-12L * spread / static_cast<real>(n - 1));
      expect_close(by_lanes(tf::log_sum_exp<float>{}, s), n == 0 ? -HUGE_VAL : static_cast<double>(reference::log_sum_exp(wide)), 2e-6);
      const auto parts = by_lanes(tf::product{tf::sum<float>{}, tf::max<float>{}}, s);
      expect_close(tf::get<0>(parts), sum, rounding);
      EXPECT_EQ(tf::get<1>(parts), n == 0 ? -HUGE_VALF : *std::max_element(x.begin(), x.end()));
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Lanes, ReferencesOfShortRowsAreNearTheMean) {
  // The first vector's mean is where moments are taken first: here it is four standard deviations off.
  for (tf::index n = 16; n <= 271; n += n < 34 ? 1 : 13) {
    SCOPED_TRACE(n);
    auto x = numbers<float>(n);
    for (std::size_t i = 0; i < 16; ++i) x[i] += 1e4f;
    const strided<float> apart(x);
    for (const auto& s : {tf::as_source(x), apart.source}) {
      const auto near = [&](const auto& r) {
        const auto state = in_lanes<std::remove_cvref_t<decltype(r)>>(r).leaf(s);
        EXPECT_EQ(state.amount.count, n);
        EXPECT_FALSE(r.how.off_centre(state.amount)) << state.at;
      };
      near(tf::welford<float>{});
      near(tf::welford<float, float>{});
      near(tf::layer_norm<float>{});
    }
  }
}

TEST(Lanes, OrderIsKept) {
  for (const tf::index n : lengths()) {
    SCOPED_TRACE(n);
    std::vector<std::uint32_t> x;
    std::mt19937 g(5);
    std::uint32_t want = 0;
    for (tf::index i = 0; i < n; ++i) x.push_back(g()), want = want * 31 + x.back();
    EXPECT_EQ(by_lanes(word_of<std::uint32_t>{31}, x), want);
    EXPECT_EQ(by_lanes(word_of<std::uint32_t>{31}, strided<std::uint32_t>(x).source), want);
    EXPECT_EQ(tf::cpu::reduce(word_of<std::uint32_t>{31}, x), want);
    std::vector<tf::index> positions;
    for (tf::index i = 0; i < n; ++i) positions.push_back(i);
    EXPECT_TRUE(tf::cpu::reduce(tf::witness{}, positions).covers(n));
    std::vector<std::int64_t> steps;
    for (tf::index i = 0; i < n; ++i) steps.push_back(static_cast<std::int64_t>(x[static_cast<std::size_t>(i)] % 41) - 20);
    std::int64_t best = 0, here = 0;
    for (tf::index i = 0; i < n; ++i) {
      here = (i > 0 && here > 0 ? here : 0) + steps[static_cast<std::size_t>(i)];
      best = i == 0 || here > best ? here : best;
    }
    const auto segment = by_lanes(tf::maximum_segment_sum<std::int64_t>{}, steps);
    EXPECT_EQ(segment.has_value(), n > 0);
    EXPECT_EQ(segment.value_or(0), best);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Lanes, AffineStepsOnTwoArrays) {
  for (const tf::index n : {0, 1, 500, 3000, 70000}) {
    std::mt19937 g(9);
    std::vector<double> a, b;
    real h = 0.25L;
    for (tf::index i = 0; i < n; ++i) {
      a.push_back(std::ldexp(static_cast<double>(g() % 1000), -10)), b.push_back(std::ldexp(static_cast<double>(g() % 1000), -9));
      h = static_cast<real>(a.back()) * h + static_cast<real>(b.back());
    }
    expect_close(tf::cpu::reduce(tf::affine_recurrence<double>{0.25}, tf::zip(a, b)), h, 1e-14L * (1 + h));
  }
}

TEST(Lanes, SpecialValuesAnywhere) {
  const auto values = special_values<float>();
  for (const tf::index n : {200, 4500}) {
    for (const float odd : values)
      for (const tf::index at : {tf::index{0}, n / 2, n - 1}) {
        SCOPED_TRACE(::testing::Message() << odd << " at " << at << " of " << n);
        auto x = numbers<float>(n);
        for (float& v : x) v -= 100;  // so that zeros are the largest
        x[static_cast<std::size_t>(at)] = odd;
        const std::vector<double> wide(x.begin(), x.end());
        const auto same = [](double a, double b, double tolerance) {
          return (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= tolerance * std::fabs(b) + 1e-43;
        };
        double most = x[0], sum = 0;
        for (const float v : x) most = std::isnan(most) || std::isnan(v) ? NAN : std::max<double>(most, v), sum += v;
        EXPECT_PRED3(same, by_lanes(tf::max<float>{}, x), most, 0);
        EXPECT_EQ(std::signbit(by_lanes(tf::max<float>{}, x)),
                  std::signbit(by_lanes(tf::max<float>{}, std::vector<float>{static_cast<float>(most)})));
        EXPECT_PRED3(same, by_lanes(tf::sum<float>{}, x), sum, 1e-4);
        EXPECT_PRED3(same, by_lanes(tf::log_sum_exp<float>{}, x), tf::reduce(tf::log_sum_exp<float>{}, x), 2e-6);
        EXPECT_PRED3(same, by_lanes(tf::welford<float>{}, x).variance, tf::reduce(tf::welford<float>{}, x).variance, 1e-9);
        EXPECT_PRED3(same, by_lanes(tf::welford<float>{}, x).mean, tf::reduce(tf::welford<float>{}, x).mean, 1e-9);
        const auto found = by_lanes(tf::argmax<float>{}, tf::indexed(x)), loop = tf::reduce(tf::argmax<float>{}, tf::indexed(x));
        EXPECT_EQ(found.position, loop.position);
        if (::testing::Test::HasFailure()) return;
      }
    const std::vector<float> nothing(static_cast<std::size_t>(n), -HUGE_VALF), zeros(static_cast<std::size_t>(n), -0.0f);
    EXPECT_EQ(by_lanes(tf::log_sum_exp<float>{}, nothing), -HUGE_VALF);
    auto with_zero = zeros;
    with_zero[7] = 0.0f;
    EXPECT_TRUE(std::signbit(by_lanes(tf::max<float>{}, zeros)));
    EXPECT_FALSE(std::signbit(by_lanes(tf::max<float>{}, with_zero)));
    EXPECT_TRUE(std::signbit(by_lanes(tf::min<float>{}, with_zero)));
  }
}

//! References that move: rising data, steps, an outlier in front, an offset, constant data.
TEST(Lanes, ReferencesFollowTheData) {
  const tf::index n = 40000;
  const auto noise = numbers<float>(n);
  for (int shape = 0; shape < 6; ++shape) {
    SCOPED_TRACE(shape);
    std::vector<float> x;
    for (tf::index i = 0; i < n; ++i) {
      const float v = noise[static_cast<std::size_t>(i)], t = static_cast<float>(i);
      x.push_back(shape == 0   ? t * 0.01f + v
                  : shape == 1 ? -t * 0.01f + v
                  : shape == 2 ? (i < 20000 ? v : v + 5000)
                  : shape == 3 ? (i < 64 ? 1e6f : v)
                  : shape == 4 ? 16777216.0f
                               : 1e-3f * v + 4096);
    }
    const std::vector<double> wide(x.begin(), x.end());
    const real spread = reference::central(wide, 2) * static_cast<real>(n);
    expect_close(by_lanes(tf::welford<float>{}, x).variance * static_cast<real>(n - 1), spread, 1e-11L * spread);
    const real total = reference::log_sum_exp(wide);
    expect_close(by_lanes(tf::log_sum_exp<float>{}, x), total, 3e-7L * std::fabs(total) + 1e-6L);
    expect_close(by_lanes(tf::log_sum_exp<double>{}, wide), total, 1e-15L * std::fabs(total) + 1e-14L);
    const auto weights = by_lanes(tf::softmax<float>{}, x);
    real sum = 0;
    for (const float v : x) sum += weights(v);
    expect_close(sum, 1, 2e-5L);
  }
}

TEST(Lanes, SmallWeightsKeepRelativeAccuracy) {
  std::vector<float> x(5000, -HUGE_VALF);
  x[100] = 0, x[4000] = -40;
  expect_close(by_lanes(tf::log_sum_exp<float, tf::gauge::maximum>{}, x), std::exp(-40.0L), 1e-6L * std::exp(-40.0L));
  std::vector<float> far(100000, -13.8f);  // each far below one rounding of the largest, together a tenth of it
  far[50000] = 0;
  const std::vector<double> wide(far.begin(), far.end());
  expect_close(by_lanes(tf::log_sum_exp<float>{}, far), reference::log_sum_exp(wide), 1e-7L);
  expect_close(by_lanes(tf::log_sum_exp<double>{}, wide), reference::log_sum_exp(wide), 1e-15L);
}

TEST(Lanes, LawsHold) {
  const auto lawful = [](const auto& r) {
    const auto report = tf::laws::check(r);
    EXPECT_TRUE(report.passed) << report.to_string();
  };
  lawful(in_lanes(tf::sum<std::int32_t>{}));
  lawful(in_lanes(tf::welford<float>{}));
  lawful(in_lanes(tf::max<float>{}));
}

TEST(Lanes, ThreadsChangeNoBit) {
  const auto x = numbers<float>(300000);
  const auto serial = tf::cpu::reduce(tf::log_sum_exp<float>{}, x, tf::serial);
  EXPECT_EQ(tf::cpu::reduce(tf::log_sum_exp<float>{}, x), serial);
}

namespace {

//! The largest error, in ulp, over a thousandth of all floats; infinities, zeros and NaN must be those of the exact function.
template <class F, class G>
double worst_ulp(const F& function, const G& exact) {
  using V = tf::simd::vec<float, 16>;
  double worst = 0;
  for (std::uint64_t first = 0; first < (std::uint64_t{1} << 32); first += 16 * 1021) {
    float x[16], y[16];
    for (std::uint32_t i = 0; i < 16; ++i) x[i] = __builtin_bit_cast(float, static_cast<std::uint32_t>(first) + 61 * i);
    function(V::load(x)).store(y);
    for (int i = 0; i < 16; ++i) {
      const double want = exact(static_cast<double>(x[i]));
      const auto rounded = static_cast<float>(want);
      if (std::isnan(rounded)) {
        EXPECT_TRUE(std::isnan(y[i])) << x[i];
      } else if (std::isinf(rounded)) {
        EXPECT_EQ(y[i], rounded) << x[i];
      } else {
        int e = 0;
        std::frexp(want, &e);
        worst = std::fmax(worst, std::fabs(y[i] - want) / std::ldexp(1.0, std::max(e - 24, -149)));
      }
    }
  }
  return worst;
}
//! The same for doubles drawn at random, against long double.
template <class F, class G>
double worst_ulp_of_doubles(const F& function, const G& exact, double low, double high) {
  using V = tf::simd::vec<double, 8>;
  std::mt19937_64 g(1);
  std::uniform_real_distribution<double> draw(low, high);
  double worst = 0;
  for (int k = 0; k < 4000; ++k) {
    double x[8], y[8];
    for (double& v : x) v = draw(g);
    function(V::load(x)).store(y);
    for (int i = 0; i < 8; ++i) {
      const real want = exact(static_cast<real>(x[i]));
      int e = 0;
      std::frexp(want, &e);
      worst =
          std::fmax(worst, static_cast<double>(std::fabs(static_cast<real>(y[i]) - want) / std::ldexp(real(1), std::max(e - 53, -1074))));
    }
  }
  return worst;
}
#if defined(__FMA__) || defined(__aarch64__)
constexpr double ulp_bound = 1.0;
#else
constexpr double ulp_bound = 1.5;  // products are rounded before they are added
#endif

}  // namespace

TEST(Lanes, FunctionsOfAThousandthOfAllFloats) {
  using V = tf::simd::vec<float, 16>;
  EXPECT_LE(worst_ulp([](const V& x) { return V::exp2(x); }, [](double x) { return std::exp2(x); }), ulp_bound);
  EXPECT_LE(worst_ulp([](const V& x) { return V::exp(x); }, [](double x) { return std::exp(x); }), ulp_bound);
  EXPECT_LE(worst_ulp([](const V& x) { return V::log(x); }, [](double x) { return std::log(x); }), ulp_bound);
}

TEST(Lanes, FunctionsOfDoubles) {
  using V = tf::simd::vec<double, 8>;
  const double bound = ulp_bound + 0.1;
  for (const double wide : {1.0, 40.0, 1020.0}) {
    EXPECT_LE(worst_ulp_of_doubles([](const V& x) { return V::exp2(x); }, [](real x) { return std::exp2(x); }, -1.05 * wide, wide), bound);
    EXPECT_LE(worst_ulp_of_doubles([](const V& x) { return V::exp(x); }, [](real x) { return std::exp(x); }, -0.72 * wide, 0.69 * wide),
              bound);
  }
  for (const double most : {1e-310, 1e-5, 0.6, 1.2, 3.0, 1e300})
    EXPECT_LE(worst_ulp_of_doubles([](const V& x) { return V::log(x); }, [](real x) { return std::log(x); }, most / 3, most), ulp_bound);
  double x[8] = {0, -0.0, -1, HUGE_VAL, -HUGE_VAL, NAN, 1, 0x1p-1074}, y[8];
  V::log(V::load(x)).store(y);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(y[i] == std::log(x[i]) || (std::isnan(y[i]) && std::isnan(std::log(x[i])))) << x[i];
  V::exp(V::load(x)).store(y);
  for (int i = 0; i < 8; ++i)
    EXPECT_TRUE(std::fabs(y[i] / std::exp(x[i]) - 1) < 1e-15 || y[i] == std::exp(x[i]) || std::isnan(x[i])) << x[i];
}
