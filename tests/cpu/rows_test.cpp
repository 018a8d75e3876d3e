// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rows and columns on the CPU against loops in long double: every length, strides, 16-bit elements, special values, in place.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ops/reference.hpp"
#include "twofold/cpu/rows.hpp"
#include "twofold/ops/ops.hpp"

namespace tf = twofold;
using position = tf::index;

namespace {

template <class E>
struct matrix {
  position rows, columns, pitch, stride;
  std::vector<E> data;
  matrix(position r, position c, bool by_columns, std::uint32_t seed = 3)
      : rows(r),
        columns(c),
        pitch(by_columns ? 1 : c + 3),
        stride(by_columns ? r + 2 : 1),
        data(static_cast<std::size_t>((r + 3) * (c + 3))) {
    std::mt19937 g(seed);
    std::normal_distribution<float> normal(0.5f, 3);
    for (E& x : data) x = static_cast<E>(normal(g));
  }
  E& at(position i, position j) { return data[static_cast<std::size_t>(i * pitch + j * stride)]; }
  [[nodiscard]] double at(position i, position j) const {
    return static_cast<double>(data[static_cast<std::size_t>(i * pitch + j * stride)]);
  }
  [[nodiscard]] tf::row_source<E> source() const { return {data.data(), rows, columns, pitch, stride}; }
  tf::matrix_output<E> output() { return {data.data(), rows, columns, pitch, stride}; }
  [[nodiscard]] std::vector<double> row(position i) const {
    std::vector<double> x;
    for (position j = 0; j < columns; ++j) x.push_back(at(i, j));
    return x;
  }
};

//! What softmax, log-softmax, layer norm and RMS norm of a row are.
struct wanted {
  long double lse, mean, scale, rms;
  explicit wanted(const std::vector<double>& x) {
    const auto n = static_cast<long double>(x.size());
    lse = reference::log_sum_exp(x);
    mean = reference::mean(x);
    scale = 1 / std::sqrt(reference::central(x, 2) + 1e-5L);
    long double squares = 0;
    for (const double v : x) squares += static_cast<long double>(v) * v;
    rms = 1 / std::sqrt(squares / n + 1e-5L);
  }
};

template <class E>
void expect_maps(position rows, position columns, bool by_columns, double unit) {
  const matrix<E> m(rows, columns, by_columns);
  matrix<E> soft = m, logs = m, layer = m, rms = m;
  using T = tf::cpu::working<E>;
  tf::cpu::map_rows(tf::softmax<T>{}, soft.source(), soft.output());  // in place
  tf::cpu::map_rows(tf::log_softmax<T>{}, m.source(), logs.output());
  tf::cpu::map_rows(tf::layer_norm<T>{}, m.source(), layer.output());
  tf::cpu::map_rows(tf::rms_norm<T>{}, m.source(), rms.output());
  for (position i = 0; i < rows; ++i) {
    const wanted w(m.row(i));
    for (position j = 0; j < columns; ++j) {
      const long double x = m.at(i, j), p = std::exp(x - w.lse);
      const long double many = 8 + std::sqrt(static_cast<long double>(columns));
      ASSERT_NEAR(soft.at(i, j), p, unit * (many + 2 * std::fabs(x - w.lse)) * p + 1e-40L + (sizeof(E) == 2 ? 0x1p-24L : 0))
          << i << ' ' << j;
      ASSERT_NEAR(logs.at(i, j), x - w.lse, unit * (20 + 4 * std::fabs(x - w.lse)));
      ASSERT_NEAR(layer.at(i, j), (x - w.mean) * w.scale, unit * 4 * (1 + std::fabs((x - w.mean) * w.scale)));
      ASSERT_NEAR(rms.at(i, j), x * w.rms, unit * many * (1 + std::fabs(x * w.rms)));
    }
  }
}

}  // namespace

TEST(Rows, MapsOfEveryLength) {
  for (position columns = 1; columns < 150; ++columns) {
    SCOPED_TRACE(columns);
    expect_maps<float>(3, columns, columns % 2 == 0, 0x1p-24);
    if (::testing::Test::HasFatalFailure()) return;
  }
  for (const position columns : {500, 1000, 4096, 5001}) {
    SCOPED_TRACE(columns);
    expect_maps<float>(2, columns, false, 0x1p-24);
    expect_maps<double>(2, columns, true, 0x1p-53);
    expect_maps<tf::float16>(2, columns, false, 0x1p-10);
    expect_maps<tf::bfloat16>(18, columns, true, 0x1p-7);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

//! Rows of more than a block: the bits are those of one reduction, whatever lies beside them and whoever runs it.
TEST(Rows, LongRowsAreSharedByThreads) {
  for (const bool by_columns : {false, true}) {
    const position columns = 2 * tf::cpu::block + 4711;
    expect_maps<float>(2, columns, by_columns, 0x1p-24);
    expect_maps<tf::bfloat16>(1, columns, by_columns, 0x1p-7);
    const matrix<float> m(3, columns, by_columns);
    std::vector<float> lse(3), loss(3);
    std::vector<int> where(3);
    const std::vector<position> target{1, columns - 1, columns};
    tf::cpu::reduce_rows(tf::log_sum_exp<float>{}, m.source(), lse);
    tf::cpu::reduce_rows(tf::argmax<float>{}, m.source(), where);
    tf::cpu::cross_entropy(tf::log_softmax<float>{}, m.source(), target, loss);
    for (position i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      std::vector<float> x;
      for (position j = 0; j < columns; ++j) x.push_back(static_cast<float>(m.at(i, j)));
      EXPECT_EQ(lse[k], tf::cpu::reduce(tf::log_sum_exp<float>{}, x, tf::serial));
      EXPECT_EQ(where[k], std::max_element(x.begin(), x.end()) - x.begin());
      EXPECT_NEAR(loss[k], target[k] == columns ? 0 : lse[k] - x[static_cast<std::size_t>(target[k])], 1e-5);
    }
  }
}

TEST(Rows, LargeResultsGoPastTheCaches) { expect_maps<float>(300, 4099, false, 0x1p-24); }

TEST(Rows, Reductions) {
  for (const bool by_columns : {false, true})
    for (const position columns : {1, 7, 100, 129, 4096, 4500}) {
      const position rows = 37;
      const matrix<float> m(rows, columns, by_columns);
      std::vector<float> lse(rows), loss(rows), largest(rows);
      std::vector<int> where(rows), target(rows);
      for (position i = 0; i < rows; ++i) target[static_cast<std::size_t>(i)] = static_cast<int>(i % 5 == 0 ? -100 : i % columns);
      tf::cpu::reduce_rows(tf::log_sum_exp<float>{}, m.source(), lse);
      tf::cpu::reduce_rows(tf::max<float>{}, m.source(), largest);
      tf::cpu::reduce_rows(tf::argmax<float>{}, m.source(), where);
      tf::cpu::cross_entropy(tf::log_softmax<float>{}, m.source(), target, loss);
      for (position i = 0; i < rows; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const auto x = m.row(i);
        const auto best = std::max_element(x.begin(), x.end());
        const auto want = static_cast<double>(reference::log_sum_exp(x));
        EXPECT_NEAR(lse[k], want, 1e-5);
        EXPECT_EQ(largest[k], *best);
        EXPECT_EQ(where[k], best - x.begin());
        EXPECT_NEAR(loss[k], target[k] < 0 ? 0 : want - x[static_cast<std::size_t>(target[k])], 2e-5);
      }
    }
}

TEST(Rows, SpecialRows) {
  constexpr float inf = HUGE_VALF;
  for (const position n : {5, 200, 4200}) {
    matrix<float> m(5, n, false);
    for (position j = 0; j < n; ++j) m.at(0, j) = -inf;
    m.at(1, n / 2) = NAN;
    m.at(2, n - 1) = inf;
    m.at(3, 0) = -inf;
    for (position j = 0; j < n; ++j) m.at(4, j) = 1e30f;
    matrix<float> soft = m;
    tf::cpu::map_rows(tf::softmax<float>{}, m.source(), soft.output());
    double sum = 0;
    for (position j = 0; j < n; ++j) {
      EXPECT_EQ(soft.at(0, j), 0);
      EXPECT_TRUE(std::isnan(soft.at(1, j)));
      EXPECT_TRUE(std::isnan(soft.at(2, j)));
      EXPECT_NEAR(static_cast<double>(soft.at(4, j)), 1.0 / static_cast<double>(n), 1e-7);
      sum += static_cast<double>(soft.at(3, j));
    }
    EXPECT_EQ(soft.at(3, 0), 0);
    EXPECT_NEAR(sum, 1, 1e-5);
    std::vector<float> lse(5);
    tf::cpu::reduce_rows(tf::log_sum_exp<float>{}, m.source(), lse);
    EXPECT_EQ(lse[0], -inf);
    EXPECT_TRUE(std::isnan(lse[1]));
    EXPECT_EQ(lse[2], inf);
  }
}

TEST(Rows, RefusalsAndNothing) {
  std::vector<float> x(12), out(3);
  const tf::row_source<float> m{x.data(), 3, 4, 4};
  EXPECT_THROW(tf::cpu::reduce_rows(tf::sum<float>{}, m, x), tf::error);
  EXPECT_THROW(tf::cpu::map_rows(tf::softmax<float>{}, m, tf::matrix_output<float>{x.data() + 1, 3, 3, 4}), tf::error);
  EXPECT_THROW(
      tf::cpu::map_rows(tf::softmax<float>{}, tf::row_source<float>{x.data(), 2, 4, 4}, tf::matrix_output<float>{x.data() + 1, 2, 4, 4}),
      tf::error);
  const tf::row_source<float> empty{x.data(), 3, 0, 4};
  tf::cpu::reduce_rows(tf::sum<float>{}, empty, out);
  EXPECT_EQ(out[1], 0);
  tf::cpu::map_rows(tf::softmax<float>{}, tf::row_source<float>{x.data(), 0, 4, 4}, tf::matrix_output<float>{nullptr, 0, 4, 4});
}

TEST(Rows, SixteenBitsRoundToTheNearest) {
  for (std::uint32_t b = 0; b < 65536; ++b) {
    tf::float16 h;
    tf::bfloat16 w;
    h.bits = w.bits = static_cast<std::uint16_t>(b);
    const float x = h, y = w;
    EXPECT_TRUE(std::isnan(x) ? std::isnan(static_cast<float>(tf::float16(x))) : tf::float16(x).bits == h.bits) << b;
    EXPECT_TRUE(std::isnan(y) ? std::isnan(static_cast<float>(tf::bfloat16(y))) : tf::bfloat16(y).bits == w.bits) << b;
  }
  EXPECT_EQ(tf::float16(1 + 0x1p-11f).bits, tf::float16(1.0f).bits);
  EXPECT_EQ(tf::float16(1 + 0x1.8p-10f).bits, tf::float16(1 + 0x1p-9f).bits);
  EXPECT_EQ(static_cast<float>(tf::float16(65519.0f)), 65504.0f);
  EXPECT_EQ(static_cast<float>(tf::float16(65520.0f)), HUGE_VALF);
  EXPECT_EQ(tf::bfloat16(1 + 0x1p-8f).bits, tf::bfloat16(1.0f).bits);
}
