// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The library's loops for AVX2 and AVX-512 give the same bits, and answers like the program's own; which of them run is chosen here.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "twofold/cpu/rows.hpp"
#include "twofold/cpu/scan.hpp"
#include "twofold/ops/ops.hpp"

namespace tf = twofold;

namespace {

//! Every loop that is listed, over lengths around tiles, blocks and vectors; the bytes of all answers one after the other.
class answers {
 public:
  std::vector<double> all;

  template <class T>
  explicit answers(T) {
    std::mt19937 g(3);
    std::normal_distribution<T> normal(T(1), T(2));
    for (const tf::index n : {1, 3, 127, 128, 129, 1000, 4096, 8200, 20000, 70001}) {
      std::vector<T> x, y;
      for (tf::index i = 0; i < n; ++i) x.push_back(normal(g)), y.push_back(normal(g));
      if (n == 1000) x[7] = -HUGE_VAL, x[500] = T(1e30);
      if (n == 8200) x[4000] = NAN;
      every_operator(x, y);
    }
  }

 private:
  template <class T>
  void every_operator(const std::vector<T>& x, const std::vector<T>& y) {
    const auto n = static_cast<tf::index>(x.size());
    keep(tf::cpu::reduce(tf::sum<T>{}, x)), keep(tf::cpu::reduce(tf::max<T>{}, x));
    keep(tf::cpu::reduce(tf::welford<T>{}, x).variance), keep(tf::cpu::reduce(tf::log_sum_exp<T>{}, x));
    if constexpr (sizeof(T) == 4) {  // the others are the same templates; each costs seconds to compile
      keep(tf::cpu::reduce(tf::min<T>{}, x)), keep(tf::cpu::reduce(tf::mean<T>{}, x));
      keep(tf::cpu::reduce(tf::covariance<T>{}, tf::zip(x, y)).covariance);
      keep(tf::cpu::reduce(tf::argmax<T>{}, tf::indexed(x)).position);
      keep(tf::cpu::reduce(tf::sum<std::int64_t>{}, whole<std::int64_t>(n)));
      keep(tf::cpu::reduce(tf::max<std::int32_t>{}, whole<std::int32_t>(n)).value_or(0));
    }
    std::vector<T> out(x.size());
    const auto map = [&](const auto& op) {
      tf::cpu::map_rows(op, tf::row_source<T>{x.data(), 1, n, n}, tf::matrix_output<T>{out.data(), 1, n, n});
      for (const T v : out) keep(v);
    };
    map(tf::softmax<T>{}), map(tf::layer_norm<T>{});
    if constexpr (sizeof(T) == 4) map(tf::log_softmax<T>{}), map(tf::rms_norm<T>{});
    for (const auto ends : {tf::bounds::inclusive, tf::bounds::exclusive}) {
      tf::cpu::scan(tf::sum<T>{}, x, out, ends);
      for (const T v : out) keep(v);
      tf::cpu::scan(tf::max<T>{}, x, out, ends);
      for (const T v : out) keep(v);
    }
    if constexpr (sizeof(T) == 4) {
      std::vector<tf::float16> half;
      for (const T v : x) half.push_back(tf::float16(v));
      tf::cpu::map_rows(tf::softmax<T>{}, tf::row_source<tf::float16>{half.data(), 1, n, n},
                        tf::matrix_output<tf::float16>{half.data(), 1, n, n});
      for (const auto h : half) keep(static_cast<float>(h));
    }
  }
  template <class T>
  static std::vector<T> whole(tf::index n) {
    std::mt19937 g(9);
    std::vector<T> x;
    for (tf::index i = 0; i < n; ++i) x.push_back(static_cast<T>(g()) / 64);
    return x;
  }
  template <class T>
  void keep(T v) {
    all.push_back(v == v ? static_cast<double>(v) : std::nan(""));  // IEEE 754 leaves a NaN's sign to the order of operands
  }
};

}  // namespace

TEST(Vectors, EveryInstructionSetGivesTheSameBits) {
  struct restore {
    ~restore() { tf::cpu::limit_vectors(2); }
  } whatever_happens;
  std::vector<std::string> names;
  std::vector<std::vector<double>> by_level[2];
  for (const int level : {0, 1, 2}) {
    tf::cpu::limit_vectors(level);
    names.emplace_back(tf::cpu::vectors_here());
    by_level[0].push_back(answers(0.0f).all);
    by_level[1].push_back(answers(0.0).all);
  }
  EXPECT_EQ(names[0], "the program's own");
#if defined(__x86_64__)
  // A limit that were ignored would compare one instruction set with itself.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    EXPECT_EQ(names[1], "AVX2");
  }
  if (names[2] != names[1]) {
    EXPECT_EQ(names[2], "AVX-512");
  }
#endif
  for (int precision = 0; precision < 2; ++precision) {
    const auto& level = by_level[precision];
    ASSERT_EQ(level[1].size(), level[2].size());
    if (names[1] != "the program's own") {
      EXPECT_EQ(std::memcmp(level[1].data(), level[2].data(), level[1].size() * sizeof(double)), 0) << names[1] << " and " << names[2];
    }
    const double unit = precision == 0 ? 0x1p-24 : 0x1p-53;  // without fused multiply-add the last bits are others
    for (std::size_t i = 0; i < level[0].size(); ++i) {
      const double a = level[0][i], b = level[2][i];
      ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 2000 * unit * (std::fabs(b) + unit))
          << i << ": " << a << ' ' << b;
    }
  }
}
