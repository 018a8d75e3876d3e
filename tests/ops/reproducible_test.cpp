// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reproducible operators: laws bit for bit, every order, correct rounding against MPFR, and the inputs that break sums.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "ops/brackets.hpp"
#include "ops/reference.hpp"
#include "twofold/algebra/laws.hpp"
#include "twofold/algebra/state_io.hpp"
#include "twofold/ops/ops.hpp"

namespace tf = twofold;

namespace {

//! A number of 9000 bits: every sum of this file is exact in it.
class number {
 public:
  number() {
    mpfr_init2(x_, 9000);
    mpfr_set_zero(x_, 1);
  }
  ~number() { mpfr_clear(x_); }
  number(const number&) = delete;
  number& operator=(const number&) = delete;
  void add(double a) { mpfr_add_d(x_, x_, a, MPFR_RNDN); }
  void add_product(double a, double b) {
    number p;
    mpfr_set_d(p.x_, a, MPFR_RNDN);
    mpfr_mul_d(p.x_, p.x_, b, MPFR_RNDN);
    mpfr_add(x_, x_, p.x_, MPFR_RNDN);
  }
  void divide(unsigned long n) { mpfr_div_ui(x_, x_, n, MPFR_RNDN); }
  //! this ← n·this − other²
  void spread(unsigned long n, const number& other) {
    number square;
    mpfr_sqr(square.x_, other.x_, MPFR_RNDN);
    mpfr_mul_ui(x_, x_, n, MPFR_RNDN);
    mpfr_sub(x_, x_, square.x_, MPFR_RNDN);
  }
  template <class T>
  T rounded() const {
    const T y = std::is_same_v<T, float> ? static_cast<T>(mpfr_get_flt(x_, MPFR_RNDN)) : static_cast<T>(mpfr_get_d(x_, MPFR_RNDN));
    return mpfr_zero_p(x_) ? T(0) : y;  // an exact 0 is +0; what underflows keeps its sign
  }

 private:
  mpfr_t x_;
};

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

//! Families of data: ordinary; offset; wide in exponents; cancelling; subnormal; near overflow; equal; ties.
template <class T>
std::vector<T> draw(std::mt19937_64& g, int family, std::size_t n) {
  std::normal_distribution<double> normal;
  std::vector<T> x(n);
  constexpr int most = std::numeric_limits<T>::max_exponent, least = std::numeric_limits<T>::min_exponent;
  for (std::size_t i = 0; i < n; ++i) {
    const double y = normal(g);
    switch (family) {
      case 0:
        x[i] = static_cast<T>(y);
        break;
      case 1:
        x[i] = static_cast<T>(1e6 + y);
        break;
      case 2:
        x[i] = std::ldexp(static_cast<T>(y), static_cast<int>(g() % 60) - 30);
        break;
      case 3:
        x[i] = std::ldexp(static_cast<T>(y), static_cast<int>(g() % static_cast<unsigned>(most - least)) + least);
        break;
      case 4:
        x[i] = i % 2 == 1 ? -x[i - 1] : std::ldexp(static_cast<T>(y), static_cast<int>(g() % 100));
        break;
      case 5:
        x[i] = std::ldexp(static_cast<T>(y), least + 2 - static_cast<int>(g() % 30));
        break;
      case 6:
        x[i] = std::ldexp(static_cast<T>(y < 0 ? -1 : 1), most - 1);
        break;
      case 7:
        x[i] = T(0.1);
        break;
      default:
        x[i] = i == 0 ? T(1) : std::ldexp(T(1), -std::numeric_limits<T>::digits - (i == n - 1 ? 30 : 0));
        break;
    }
  }
  if (family == 4 && n > 3) x[n / 2] += static_cast<T>(normal(g));
  if (family != 8) std::shuffle(x.begin(), x.end(), g);
  return x;
}
constexpr int families = 9;

//! The state of x with its elements and its pieces in another order, merged at random.
template <class R, class T>
tf::state_of<R> in_disorder(const R& r, std::vector<T> x, std::mt19937_64& g) {
  std::shuffle(x.begin(), x.end(), g);
  std::vector<tf::state_of<R>> pieces;
  for (std::size_t i = 0; i < x.size();) {
    const std::size_t some = std::min<std::size_t>(1 + g() % 700, x.size() - i);
    const auto piece = tf::as_source(x).sub(static_cast<tf::index>(i), static_cast<tf::index>(i + some));
    pieces.push_back(g() % 2 ? tf::leaf(r, piece) : brackets::fold(r, piece));
    i += some;
  }
  while (pieces.size() > 1) {
    const std::size_t a = g() % pieces.size();
    std::swap(pieces[a], pieces.back());
    const auto right = pieces.back();
    pieces.pop_back();
    auto& left = pieces[g() % pieces.size()];
    left = g() % 2 ? r.combine(left, right) : r.combine(right, left);
  }
  return pieces.empty() ? r.identity() : pieces[0];
}

template <class T>
class Reproducible : public testing::Test {};
using number_types = testing::Types<float, double>;
TYPED_TEST_SUITE(Reproducible, number_types);

}  // namespace

TYPED_TEST(Reproducible, LawsHoldBitForBit) {
  using T = TypeParam;
  const std::vector<T> samples = {0,
                                  T(-0.0),
                                  1,
                                  -1,
                                  T(0.1),
                                  std::numeric_limits<T>::max(),
                                  -std::numeric_limits<T>::max(),
                                  std::numeric_limits<T>::denorm_min(),
                                  -std::numeric_limits<T>::min(),
                                  std::numeric_limits<T>::infinity(),
                                  -std::numeric_limits<T>::infinity(),
                                  std::numeric_limits<T>::quiet_NaN()};
  tf::laws::options o;
  o.trials = 1000;
  const auto lawful = [&](const auto& r, const auto& generate) {
    const auto report = tf::laws::check(r, generate, o);
    EXPECT_TRUE(report.passed) << report.to_string();
  };
  static_assert(tf::is_exact_over_machine<tf::reproducible_sum<T>> && tf::is_commutative<tf::reproducible_sum<T>>);
  lawful(tf::reproducible_sum<T>{}, samples);
  lawful(tf::reproducible_variance<T>{}, samples);
  lawful(tf::reproducible_dot<T>{},
         [&](tf::laws::random& g) { return std::tuple<T, T>(samples[g.next() % samples.size()], samples[g.next() % samples.size()]); });
}

TYPED_TEST(Reproducible, SumIsCorrectlyRoundedInAnyOrder) {
  using T = TypeParam;
  std::mt19937_64 g(7);
  const tf::reproducible_sum<T> op;
  for (int family = 0; family < families; ++family)
    for (const std::size_t n : {0u, 1u, 2u, 3u, 17u, 256u, 1025u, 5000u}) {
      const auto x = draw<T>(g, family, n);
      number exact;
      for (const T e : x) exact.add(e);
      const auto s = tf::leaf(op, tf::as_source(x));
      EXPECT_TRUE(same_bits(op.finalize(s), exact.rounded<T>())) << "family " << family << ", n = " << n;
      EXPECT_EQ(in_disorder(op, x, g), s) << "family " << family << ", n = " << n;
      if constexpr (std::is_same_v<T, float>)
        EXPECT_TRUE(same_bits(tf::reproducible_sum<float, double>{}.finalize(s), exact.rounded<double>()));
      else EXPECT_TRUE(same_bits(tf::reproducible_sum<double, float>{}.finalize(s), exact.rounded<float>()));
    }
}

// Equal large elements and a small one whose last place lies at, above and below what a sum in double, or a window, still holds.
TYPED_TEST(Reproducible, EdgesOfTheRoomInAPiece) {
  using T = TypeParam;
  const tf::reproducible_sum<T, double> op;
  const T full = std::nextafter(T(2), T(0)), odd = T(1) + std::numeric_limits<T>::epsilon();
  for (const std::size_t n : {2u, 16u, 255u, 256u, 257u, 1024u, 1025u})
    for (int apart = 0; apart < 100; ++apart) {
      std::vector<T> x(n, std::ldexp(full, apart));
      x[n / 2] = odd;
      number exact;
      for (const T e : x) exact.add(e);
      auto s = tf::leaf(op, tf::as_source(x));
      EXPECT_EQ(s, brackets::fold(op, tf::as_source(x))) << n << " elements, " << apart << " places apart";
      EXPECT_TRUE(same_bits(op.finalize(s), exact.rounded<double>()));
    }
}

TYPED_TEST(Reproducible, DotIsCorrectlyRoundedInAnyOrder) {
  using T = TypeParam;
  std::mt19937_64 g(8);
  const tf::reproducible_dot<T> op;
  for (int family = 0; family < families; ++family)
    for (const std::size_t n : {1u, 2u, 300u, 1500u}) {
      const auto x = draw<T>(g, family, n), y = draw<T>(g, (family * 5 + 2) % families, n);
      number exact;
      for (std::size_t i = 0; i < n; ++i) exact.add_product(x[i], y[i]);
      const auto s = tf::leaf(op, tf::zip(x, y));
      EXPECT_TRUE(same_bits(op.finalize(s), exact.rounded<T>())) << "family " << family << ", n = " << n;
      auto reversed = op.identity();
      for (std::size_t i = n; i-- > 0;) op.combine_into(reversed, op.lift(x[i], y[i]));
      EXPECT_EQ(reversed, s);
    }
}

TYPED_TEST(Reproducible, MeanAndVarianceAreCorrectlyRounded) {
  using T = TypeParam;
  std::mt19937_64 g(9);
  const tf::reproducible_variance<T, T> op;
  for (int family = 0; family < families; ++family)
    for (const std::size_t n : {1u, 2u, 3u, 1000u}) {
      const auto x = draw<T>(g, family, n);
      number first, second;
      for (const T e : x) first.add(e), second.add_product(e, e);
      second.spread(n, first);
      second.divide(n);
      if (n > 1) second.divide(n - 1);
      first.divide(n);
      const auto s = tf::leaf(op, tf::as_source(x));
      const auto y = op.finalize(s);
      EXPECT_EQ(y.count, static_cast<std::int64_t>(n));
      EXPECT_TRUE(same_bits(y.mean, first.rounded<T>())) << "family " << family << ", n = " << n << ": " << y.mean;
      if (n > 1) EXPECT_TRUE(same_bits(y.variance, second.rounded<T>())) << "family " << family << ", n = " << n << ": " << y.variance;
      else EXPECT_TRUE(std::isnan(y.variance));
      EXPECT_EQ(in_disorder(op, x, g), s);
    }
}

TYPED_TEST(Reproducible, SpecialValues) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), big = std::numeric_limits<T>::max();
  const T tiny = std::numeric_limits<T>::denorm_min();
  const auto sum = [](const std::vector<T>& x) {
    const tf::reproducible_sum<T> op;
    const T y = op.finalize(tf::leaf(op, tf::as_source(x)));
    brackets::every_bracket(op, tf::as_source(x), [&](const auto& s) { EXPECT_TRUE(same_bits(op.finalize(s), y)); });
    return y;
  };
  EXPECT_TRUE(same_bits(sum({}), T(0)));
  EXPECT_TRUE(same_bits(sum({T(-0.0), T(-0.0)}), T(0)));
  EXPECT_EQ(sum({inf, 1}), inf);
  EXPECT_EQ(sum({1, -inf}), -inf);
  EXPECT_TRUE(std::isnan(sum({inf, 1, -inf})));
  EXPECT_TRUE(std::isnan(sum({nan, inf})));
  EXPECT_EQ(sum({big, big, -big}), big);  // what overflows on the way does no harm
  EXPECT_EQ(sum({big, big}), inf);
  EXPECT_EQ(sum({-big, -big, tiny}), -inf);
  EXPECT_EQ(sum({tiny, tiny, -tiny}), tiny);
  EXPECT_EQ(sum({big, tiny, -big}), tiny);
  const tf::reproducible_dot<T> dot;
  EXPECT_TRUE(std::isnan(dot.finalize(dot.lift(inf, 0))));
  EXPECT_EQ(dot.finalize(dot.lift(inf, -2)), -inf);
  EXPECT_EQ(dot.finalize(dot.combine(dot.lift(big, big), dot.lift(-big, big))), 0);            // no product overflows
  EXPECT_EQ(dot.finalize(dot.combine(dot.lift(tiny, T(0.5)), dot.lift(tiny, T(0.5)))), tiny);  // nor underflows
  const tf::reproducible_variance<T> variance;
  EXPECT_TRUE(std::isnan(variance.finalize(variance.identity()).mean));
  EXPECT_EQ(variance.finalize(variance.lift(inf)).mean, inf);
  EXPECT_TRUE(std::isnan(variance.finalize(variance.combine(variance.lift(1), variance.lift(inf))).variance));
}

// 2^31 and more elements, without making them: a state doubled 31 times is the state of 2^31 equal pieces.
TYPED_TEST(Reproducible, ManyElements) {
  using T = TypeParam;
  for (const T x : {T(0.1), std::numeric_limits<T>::max(), -std::numeric_limits<T>::denorm_min()}) {
    const tf::reproducible_sum<T> op;
    auto s = op.lift(x);
    const tf::reproducible_variance<T> variance;
    auto v = variance.lift(x);
    for (int k = 0; k < 31; ++k) s = op.combine(s, s), v = variance.combine(v, v);
    EXPECT_EQ(op.finalize(s), std::ldexp(x, 31));
    EXPECT_EQ(variance.finalize(v).count, std::int64_t{1} << 31);
    EXPECT_EQ(variance.finalize(v).mean, static_cast<double>(x));
    EXPECT_EQ(variance.finalize(v).variance, 0);
  }
  if constexpr (std::is_same_v<T, float>) {  // the stated room: 2^42 − 1 times the largest number, and back
    const tf::reproducible_sum<float> op;
    auto s = op.lift(std::numeric_limits<float>::max()), minus = op.lift(-std::numeric_limits<float>::max());
    for (int k = 0; k < 41; ++k) s = op.combine(s, s), minus = op.combine(minus, minus);
    EXPECT_EQ(op.finalize(s), INFINITY);
    EXPECT_EQ(op.finalize(minus), -INFINITY);
    EXPECT_EQ(op.finalize(op.combine(op.combine(s, minus), op.lift(1))), 1);
    tf::reproducible_log_sum_exp<float> lse;
    auto l = lse.lift(1);
    for (int k = 0; k < 63; ++k) l = lse.combine(l, l);  // carries out of 64 bits are kept
    EXPECT_NE(l.above[0] | l.above[1] | l.above[2], 0u);
    EXPECT_EQ(lse.finalize(l), static_cast<float>(1 + 63 * 0.693147180559945309));
  }
}

TEST(Reproducible, StatesAreSavedAndLoaded) {
  const tf::reproducible_variance<double> op;
  const auto s = op.combine(op.lift(1e300), op.lift(-3e-320));
  const auto back = tf::load_state(op, tf::save_state(op, s));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, s);
}

TEST(ReproducibleLogSumExp, LawsHoldBitForBit) {
  tf::laws::options o;
  o.trials = 3000;
  const tf::reproducible_log_sum_exp<float> op;
  for (const auto& samples : {std::vector<float>{0, 1, -40, 88.7f, -103, 1e4f, -1e4f, 2e6f, -2e6f, 1e-30f, -INFINITY},
                              std::vector<float>{0, INFINITY, -INFINITY, NAN, 3e38f, -3e38f, 2e9f, -2e9f, 1e6f},
                              std::vector<float>{0, 22.18f, 22.2f, 44.3f, 44.4f, -22.3f, 66.6f, 110}}) {
    const auto report = tf::laws::check(op, samples, o);
    EXPECT_TRUE(report.passed) << report.to_string();
  }
}

TEST(ReproducibleLogSumExp, AnyOrderGivesTheBitsAndTheErrorIsBounded) {
  std::mt19937_64 g(11);
  const tf::reproducible_log_sum_exp<float> op;
  const double u = 0x1p-24;
  for (const double scale : {0.0, 1.0, 10.0, 40.0, 1e3, 1e6, 1e9})
    for (const double offset : {0.0, -3.0, 100.0, 1e4, -1e6})
      for (const std::size_t n : {1u, 2u, 60u, 3000u}) {
        std::normal_distribution<double> d(offset, scale);
        std::vector<float> x(n);
        for (float& e : x) e = static_cast<float>(d(g));
        const auto s = tf::leaf(op, tf::as_source(x));
        EXPECT_EQ(in_disorder(op, x, g), s) << scale << " " << offset << " " << n;
        const double want = static_cast<double>(reference::log_sum_exp(x)), got = op.finalize(s);
        EXPECT_LE(std::fabs(got - want), 1.56 * u + 0x1p-63 * static_cast<double>(n) + u * std::fabs(want))
            << scale << " " << offset << " " << n;
      }
}

TEST(ReproducibleLogSumExp, SpecialValues) {
  const tf::reproducible_log_sum_exp<float> op;
  const auto of = [&](const std::vector<float>& x) {
    const float y = op.finalize(tf::leaf(op, tf::as_source(x)));
    brackets::every_bracket(op, tf::as_source(x), [&](const auto& s) { EXPECT_TRUE(same_bits(op.finalize(s), y)); });
    return y;
  };
  EXPECT_EQ(of({}), -INFINITY);
  EXPECT_EQ(of({-INFINITY, -INFINITY}), -INFINITY);
  EXPECT_EQ(of({-INFINITY, 2}), 2);
  EXPECT_EQ(of({INFINITY, -INFINITY}), INFINITY);
  EXPECT_TRUE(std::isnan(of({INFINITY, NAN})));
  EXPECT_TRUE(std::isnan(of({NAN, 0})));
  EXPECT_EQ(of({3e38f, 1}), 3e38f);
  EXPECT_EQ(of({-3e38f, -2.9e38f}), -2.9e38f);
  EXPECT_EQ(of({-3e38f, -5}), -5);
  EXPECT_EQ(of({0}), 0);
  EXPECT_NEAR(of({0, -40}), 4.248354e-18, 4e-20);  // near 0 the exact difference to 1 is left
}

// All float weights between e^−104 and e^0 lie in 1.1e9 floats: here every 997th, and every one around the seams of the reduction.
TEST(ReproducibleLogSumExp, WeightsAreWithinTheirBound) {
  double worst = 0;
  const auto look = [&](float s) {
    const auto w = tf::exact::weight_of(s);
    const double k = w.exponent, want = std::exp(std::fma(-k, 0x1.62e42fefa39efp-1, static_cast<double>(s)) - k * 0x1.abc9e3b39803fp-56);
    worst = std::max(worst, std::fabs(std::ldexp(w.mantissa, -27) / want - 1));
  };
  for (std::uint32_t b = 0; b < 0x4e800000u; b += 997) {
    look(__builtin_bit_cast(float, b));
    look(-__builtin_bit_cast(float, b));
  }
  for (int k = -150; k <= 150; ++k) {
    float s = static_cast<float>((k + 0.5) * 0.693147180559945309);
    for (int i = 0; i < 20; ++i) s = std::nextafter(s, -INFINITY);
    for (int i = 0; i < 40; ++i, s = std::nextafter(s, INFINITY)) look(s);
  }
  EXPECT_LT(worst, 1.56 * 0x1p-24);
  RecordProperty("worst_u", std::to_string(worst * 0x1p24));
}

TEST(WideInteger, ArithmeticAgainst128Bits) {
  std::mt19937_64 g(3);
  __extension__ using wide = unsigned __int128;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t a = g() >> g() % 64, b = (g() >> g() % 64) | 1, c = g() >> g() % 64;
    tf::exact::wide_integer<3> x{{a, c, 0}};
    x.multiply(b);
    const wide low = static_cast<wide>(a) * b, high = static_cast<wide>(c) * b + static_cast<std::uint64_t>(low >> 64);
    EXPECT_EQ(x.words[0], static_cast<std::uint64_t>(low));
    EXPECT_EQ(x.words[1], static_cast<std::uint64_t>(high));
    EXPECT_EQ(x.words[2], static_cast<std::uint64_t>(high >> 64));
    EXPECT_EQ(x.divide(b), 0u);
    EXPECT_EQ(x, (tf::exact::wide_integer<3>{{a, c, 0}}));
    const wide n = static_cast<wide>(c) << 64 | a;
    EXPECT_EQ(x.divide(b), static_cast<std::uint64_t>(n % b));
    EXPECT_EQ(x.words[0], static_cast<std::uint64_t>(n / b));
    const auto square = tf::exact::squared(tf::exact::wide_integer<3>{{a, 0, 0}});
    EXPECT_EQ(square.words[1], static_cast<std::uint64_t>(static_cast<wide>(a) * a >> 64));
  }
  tf::exact::wide_integer<5> y{};
  y.add_at({~0ull, ~0ull}, 130);  // −2^130
  EXPECT_TRUE(y.negative());
  EXPECT_EQ(tf::exact::rounded<double>(y, -130), -1);
  y.add_at({1, 0}, 130);
  EXPECT_EQ(y, (tf::exact::wide_integer<5>{}));
}
