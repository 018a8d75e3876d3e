// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reproducible operators with the library: the same bits with AVX-512, AVX2 and the headers alone, over schedules and threads, in
//! any order; in any rounding mode, and with subnormals flushed.
#include "twofold/cpu/reproducible.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <random>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "twofold/twofold.hpp"

namespace tf = twofold;

namespace {

//! Ordinary, wide, very wide, with subnormals, with what is not finite, cancelling, all zero.
template <class T>
std::vector<T> draw(std::mt19937_64& g, int family, std::size_t n) {
  std::normal_distribution<double> normal;
  std::vector<T> x(n);
  for (T& e : x) {
    const T y = static_cast<T>(normal(g));
    const int most = std::numeric_limits<T>::max_exponent - 4, wide = family == 1 ? 30 : family == 2 ? most : 0;
    e = wide == 0 ? y : std::ldexp(y, static_cast<int>(g() % static_cast<unsigned>(2 * wide)) - wide);
    if (family == 3) e = std::ldexp(y, std::numeric_limits<T>::min_exponent - 5);
    if (family == 4 && g() % 1000 == 0) e = g() % 2 ? std::numeric_limits<T>::infinity() : T(0);
    if (family == 5) e = g() % 2 ? T(1e30) : T(-1e30);
    if (family == 6) e = g() % 3 ? T(0) : T(-0.0);
  }
  return x;
}
constexpr int families = 7;

struct vectors {  // all there are, again, when a test ends
  explicit vectors(int level) { tf::cpu::limit_exact_vectors(level); }
  ~vectors() { tf::cpu::limit_exact_vectors(2); }
};

//! Every schedule, every level of vectors and another order give this state.
template <class R, class Source, class Shuffled>
void everywhere(const R& r, const Source& x, const Shuffled& shuffled, const std::string& what) {
  const vectors headers(0);
  const auto want = tf::reduce_state(r, x, tf::tiles{1000});
  for (const int level : {0, 1, 2}) {
    tf::cpu::limit_exact_vectors(level);
    for (const char* s :
         {"fold", "tiles=128,tree", "tiles=30000,split=7", "lanes=5", "reproducible,tiles=64", "tiles=4096,threads=2", "split=3,threads"})
      EXPECT_EQ(tf::reduce_state(r, x, tf::parse_schedule(s)), want) << what << " " << s << " " << tf::cpu::exact_vectors();
    EXPECT_EQ(tf::leaf(r, x), want) << what << " leaf " << tf::cpu::exact_vectors();
    EXPECT_EQ(tf::leaf(r, shuffled), want) << what << " shuffled " << tf::cpu::exact_vectors();
  }
}

template <class T>
class ReproducibleOnCpu : public testing::Test {};
using number_types = testing::Types<float, double>;
TYPED_TEST_SUITE(ReproducibleOnCpu, number_types);

}  // namespace

TYPED_TEST(ReproducibleOnCpu, VectorsSchedulesThreadsAndOrdersGiveTheSameBits) {
  using T = TypeParam;
  std::mt19937_64 g(5);
  for (int family = 0; family < families; ++family)
    for (const std::size_t n : {63u, 64u, 777u, 20'011u}) {
      const auto x = draw<T>(g, family, n);
      auto y = x;
      std::shuffle(y.begin(), y.end(), g);
      const std::string what = "family " + std::to_string(family) + ", n = " + std::to_string(n);
      everywhere(tf::reproducible_sum<T>{}, tf::as_source(x), tf::as_source(y), "sum, " + what);
      everywhere(tf::reproducible_variance<T>{}, tf::as_source(x), tf::as_source(y), "variance, " + what);
      everywhere(tf::reproducible_dot<T>{}, tf::zip(x, x), tf::zip(y, y), "dot, " + what);
      if constexpr (std::is_same_v<T, float>)
        everywhere(tf::reproducible_log_sum_exp<T>{}, tf::as_source(x), tf::as_source(y), "log-sum-exp, " + what);
    }
}

// Equal large elements, each block with one whose last place is at the edge of what the lanes' sums hold.
TYPED_TEST(ReproducibleOnCpu, EdgesOfTheRoomInALane) {
  using T = TypeParam;
  const tf::reproducible_sum<T> op;
  const T full = std::nextafter(T(2), T(0)), odd = T(1) + std::numeric_limits<T>::epsilon();
  for (int apart = 0; apart < 60; ++apart) {
    std::vector<T> x(8192, std::ldexp(full, apart));
    x[4097] = odd;
    const vectors headers(0);
    const auto want = tf::leaf(op, tf::as_source(x));
    for (const int level : {1, 2}) {
      tf::cpu::limit_exact_vectors(level);
      EXPECT_EQ(tf::leaf(op, tf::as_source(x)), want) << apart << " places apart, " << tf::cpu::exact_vectors();
    }
  }
}

TEST(ReproducibleOnCpu, UnalignedAndStridedArrays) {
  std::mt19937_64 g(6);
  const auto x = draw<float>(g, 0, 4000);
  const tf::reproducible_sum<float> op;
  for (std::size_t first = 0; first < 17; ++first) {
    const tf::array_source<float> here{x.data() + first, 3000, 1}, back{x.data() + first + 2999, 3000, -1};
    EXPECT_EQ(tf::leaf(op, here), tf::leaf(op, back));
  }
}

// The kernels set the modes they need and give the caller's back; the loop of the headers uses integers or exact additions.
TEST(ReproducibleOnCpu, RoundingModesAndFlushingChangeNothing) {
  std::mt19937_64 g(7);
  for (const int family : {0, 2, 3}) {
    const auto x = draw<float>(g, family, 9000);
    const tf::reproducible_sum<float> op;
    const auto want = tf::leaf(op, tf::as_source(x));
    for (const int level : {0, 2}) {
      const vectors only(level);
      for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        const auto s = tf::leaf(op, tf::as_source(x));
        EXPECT_EQ(std::fegetround(), mode);
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(s, want);
      }
#if defined(__x86_64__)
      const unsigned before = _mm_getcsr();
      _mm_setcsr(before | 0x8040);  // flush results and operands
      const auto s = tf::leaf(op, tf::as_source(x));
      _mm_setcsr(before);
      EXPECT_EQ(s, want);
#endif
    }
  }
}

TEST(ReproducibleOnCpu, FlagsOfTheCallerStayAsTheyWere) {
  const std::vector<float> x(8192, 0.1f);
  std::feclearexcept(FE_ALL_EXCEPT);
  (void)tf::leaf(tf::reproducible_sum<float>{}, tf::as_source(x));
  EXPECT_EQ(std::fetestexcept(FE_INEXACT | FE_OVERFLOW | FE_UNDERFLOW), 0);
}
