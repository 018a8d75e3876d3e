// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every operator on every triple of special values, under every bracketing, against plain loops in long
//! double.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ops/brackets.hpp"
#include "ops/reference.hpp"
#include "ops/special_values.hpp"
#include "twofold/algebra/fields.hpp"
#include "twofold/ops/ops.hpp"

namespace tf = twofold;
using reference::close;
using reference::real;

namespace {

const float flt_max = std::numeric_limits<float>::max();

template <class T, class F>
void every_triple(F&& f) {
  const auto special = special_values<T>();
  for (const T a : special)
    for (const T b : special)
      for (const T c : special) f(std::vector<T>{a, b, c});
}

std::string show(const std::vector<float>& x) {
  std::string s;
  for (const float e : x) s += std::to_string(e) + " ";
  return s;
}

//! Σ|x| of what is finite: the measure of rounding where numbers cancel.
real size_of(const std::vector<float>& x) {
  real s = 0;
  for (const float e : x) s += std::isfinite(e) ? std::fabs(real(e)) : 0;
  return s;
}

//! accept(answer) for every bracketing of the triple.
template <class R, class Accept>
void check(const R& r, const std::vector<float>& x, Accept&& accept) {
  brackets::every_bracket(r, tf::as_source(x), [&](const auto& s) {
    if (!accept(r.finalize(s))) ADD_FAILURE() << show(x);
  });
}

}  // namespace

TEST(SpecialValues, SumInDouble) {
  every_triple<float>([](const std::vector<float>& x) {
    const real want = reference::sum(x);
    const auto near = [&](double y) { return close(y, want, 3 * 0x1p-53L * size_of(x)) && !(y == 0 && std::signbit(y)); };
    check(tf::sum<float, double>{}, x, near);
    check(tf::pairwise_sum<float, double>{}, x, near);
    check(tf::compensated_sum<float, double>{}, x, [&](double y) {
      return close(y, want, 0x1p-53L * std::fabs(want) + 0x1p-62L * size_of(x));  // the reference rounds too
    });
  });
}

TEST(SpecialValues, MinMax) {
  every_triple<float>([](const std::vector<float>& x) {
    const real largest = reference::maximum(x);
    std::vector<float> negated = x;
    for (float& e : negated) e = -e;
    const real smallest = -reference::maximum(negated);
    check(tf::max<float>{}, x, [&](float y) { return close(y, largest, 0); });
    check(tf::min<float>{}, x, [&](float y) { return close(y, smallest, 0); });
    bool plus_zero = false, positive = false;
    for (const float e : x) plus_zero |= e == 0 && !std::signbit(e), positive |= e > 0;
    if (plus_zero && !positive) check(tf::max<float>{}, x, [](float y) { return std::isnan(y) || !std::signbit(y); });
  });
}

TEST(SpecialValues, ArgMaxTakesTheFirstOfEqualsAndTheFirstNaN) {
  every_triple<float>([](const std::vector<float>& x) {
    tf::index best = 0;  // the loop of NumPy
    for (tf::index i = 1; i < 3; ++i) {
      const float b = x[static_cast<std::size_t>(best)], e = x[static_cast<std::size_t>(i)];
      if (!std::isnan(b) && (std::isnan(e) || e > b)) best = i;
    }
    brackets::every_bracket(tf::argmax<float>{}, tf::indexed(x), [&](const auto& s) { EXPECT_EQ(s.position, best) << show(x); });
  });
}

TEST(SpecialValues, MeanAndWelford) {
  every_triple<float>([](const std::vector<float>& x) {
    const real mean = reference::mean(x), variance = reference::central(x, 2);
    check(tf::mean<float>{}, x, [&](double y) { return close(y, mean, 1e-15L * size_of(x)); });
    tf::welford<float> population;
    population.correction = 0;
    check(population, x, [&](const auto& y) {
      return y.count == 3 && close(y.mean, mean, 1e-15L * size_of(x)) && close(y.variance, variance, 1e-14L * variance) &&
             !(y.variance < 0);
    });
  });
}

TEST(SpecialValues, Moments) {
  every_triple<float>([](const std::vector<float>& x) {
    check(tf::moments<float>{}, x, [&](const auto& y) {
      bool ok = close(y.mean, reference::mean(x), 1e-15L * size_of(x));
      for (int k = 2; k <= 4; ++k) {
        const real want = reference::central(x, k);
        const real size = k == 3 ? std::pow(std::sqrt(reference::central(x, 2)), 3.0L) : want;
        ok = ok && close(y.central[k], want, 1e-13L * size);
      }
      return ok;
    });
  });
}

TEST(SpecialValues, CovarianceTreatsEachVariableAlone) {
  every_triple<float>([](const std::vector<float>& x) {
    const std::vector<float> y = {1, 3, 8};
    brackets::every_bracket(tf::covariance<float>{}, tf::zip(x, y), [&](const auto& s) {
      const auto c = tf::covariance<float>{}.finalize(s);
      EXPECT_TRUE(close(c.mean_y, 4, 1e-15L) && close(c.variance_y, 13, 1e-14L)) << show(x);
      EXPECT_TRUE(close(c.mean_x, reference::mean(x), 1e-15L * size_of(x))) << show(x);
      EXPECT_TRUE(close(c.variance_x, reference::central(x, 2) * 1.5L, 1e-14L * reference::central(x, 2))) << show(x);
    });
  });
}

TEST(SpecialValues, LogSumExp) {
  every_triple<float>([](const std::vector<float>& x) {
    const real want = reference::log_sum_exp(x);
    if (std::fabs(want) > 2e38L && std::isfinite(want)) return;  // beyond the domain: see OutsideTheDomainNothingBreaks
    const auto near = [&](float y) { return close(y, want, 4e-7L * (1 + std::fabs(want))); };
    check(tf::log_sum_exp<float>{}, x, near);
    check(tf::log_sum_exp<float, tf::gauge::maximum>{}, x, near);
    check(tf::log_sum_exp<float, tf::gauge::lazy<8, tf::gauge::integer>>{}, x, near);
  });
}

TEST(SpecialValues, OutsideTheDomainNothingBreaks) {
  for (const float large : {flt_max, -flt_max}) {
    const std::vector<float> x = {large, large, -INFINITY};
    check(tf::log_sum_exp<float>{}, x, [&](float y) { return std::isfinite(y) && (y > 0) == (large > 0); });
  }
}

TEST(SpecialValues, Softmax) {
  every_triple<float>([](const std::vector<float>& x) {
    const auto want = reference::softmax(x);
    const auto near = [&](const tf::softmax_weights<float>& w) {
      bool ok = true;
      for (std::size_t i = 0; i < 3; ++i) ok = ok && close(w(x[i]), want[i], 1e-6L);
      return ok;
    };
    check(tf::softmax<float>{}, x, near);
    check(tf::softmax<float, tf::gauge::maximum>{}, x, near);
    check(tf::softmax<float, tf::gauge::lazy<8>>{}, x, near);
  });
}

TEST(SpecialValues, LogSoftmax) {
  every_triple<float>([](const std::vector<float>& x) {
    const auto w = reference::softmax(x);
    const real total = reference::log_sum_exp(x);
    for (const float e : x)
      if (std::fabs(e) == flt_max) return;  // beyond the domain
    check(tf::log_softmax<float>{}, x, [&](const auto& y) {
      bool ok = true;
      for (std::size_t i = 0; i < 3; ++i) {
        const real want = total == -INFINITY ? -INFINITY : std::isnan(w[i]) ? NAN : x[i] - total;
        ok = ok && close(y(x[i]), want, 1e-6L * (1 + std::fabs(total)));
      }
      return ok;
    });
  });
}

TEST(SpecialValues, AttentionScores) {
  const float value[] = {1, -2, 4, 0.5f, -1, 3};
  every_triple<float>([&](const std::vector<float>& x) {
    const tf::attention<float, 2> op(2, 1.0);
    const auto w = reference::softmax(x);
    const auto tiles = tf::zip(x, tf::row_source<float>{value, 3, 2, 2});
    for (const float e : x)
      if (std::fabs(e) == flt_max) return;  // a factor of 1 > 1/log2(e): beyond the domain
    brackets::every_bracket(op, tiles, [&](const auto& s) {
      const auto y = op.finalize(s);
      for (int j = 0; j < 2; ++j) {
        real want = 0;
        for (int i = 0; i < 3; ++i) want += w[static_cast<std::size_t>(i)] * value[2 * i + j];
        EXPECT_TRUE(close(y.output[j], want, 4e-6L)) << show(x) << y.output[j];
      }
      EXPECT_TRUE(close(y.lse_ln, reference::log_sum_exp(x), 1e-6L * (1 + std::fabs(reference::log_sum_exp(x))))) << show(x);
    });
  });
}

TEST(SpecialValues, AttentionValues) {
  const std::vector<float> score = {0.5f, -INFINITY, 1};
  every_triple<float>([&](const std::vector<float>& v) {
    const tf::attention<float, 1> op;
    const auto tiles = tf::zip(score, tf::row_source<float>{v.data(), 3, 1, 1});
    const real a = std::exp(-0.5L), total = a + 1;  // the row of score −inf is not read, whatever it holds
    const real want = (a * v[0] + v[2]) / total;
    brackets::every_bracket(op, tiles, [&](const auto& s) {
      const real got = op.finalize(s).output[0];
      EXPECT_TRUE(close(got, want, 2e-6L * size_of(v) + 1e-44L) || (std::isinf(got) && std::fabs(want) > 1e38L))
          << show(v) << static_cast<double>(got);
    });
  });
}

TEST(SpecialValues, AffineWithBoundedScales) {
  every_triple<float>([](const std::vector<float>& b) {
    const std::vector<float> a = {0.5f, -1, 0.25f};
    const tf::affine_recurrence<float> op;
    const real want = (real(b[0]) * -1 + b[1]) * 0.25L + b[2];
    brackets::every_bracket(op, tf::zip(a, b), [&](const auto& s) {
      EXPECT_TRUE(close(op.finalize(s), want, 1e-6L * size_of(b) + 1e-44L) || size_of(b) >= flt_max) << show(b) << op.finalize(s);
    });
  });
}

TEST(SpecialValues, MaximumSegmentSumInDouble) {
  every_triple<float>([](const std::vector<float>& x) {
    real want = -INFINITY;
    for (std::size_t i = 0; i < 3; ++i) {
      real s = 0;
      for (std::size_t j = i; j < 3; ++j) {
        s += x[j];
        if (std::isnan(s)) want = NAN;
        else if (!std::isnan(want) && s > want) want = s;
      }
    }
    check(tf::maximum_segment_sum<float, double>{}, x, [&](const auto& y) { return y.has && close(*y, want, 1e-15L * size_of(x)); });
  });
}

TEST(SpecialValues, IdentityIsNeutralBitForBit) {
  const auto neutral = [](const auto& op, auto... x) {
    const auto e = op.identity(), s = op.lift(x...);
    const auto bits = [](const auto& state) {
      std::vector<long double> all;
      tf::for_each_field(state, [&](const auto& f) {
        all.push_back(static_cast<long double>(f));
        all.push_back(std::signbit(static_cast<long double>(f)));
        all.push_back(std::isnan(static_cast<long double>(f)));
        if (std::isnan(static_cast<long double>(f))) all[all.size() - 3] = 0;
      });
      return all;
    };
    EXPECT_EQ(bits(op.combine(e, e)), bits(e));
    EXPECT_EQ(bits(op.combine(e, s)), bits(s));
    EXPECT_EQ(bits(op.combine(s, e)), bits(s));
  };
  for (const double x : special_values<double>()) {
    neutral(tf::sum<double>{}, x);
    neutral(tf::compensated_sum<double>{}, x);
    neutral(tf::mean<double>{}, x);
    neutral(tf::max<double>{}, x);
    neutral(tf::min<double>{}, x);
    neutral(tf::argmax<double>{}, tf::index{4}, x);
    neutral(tf::welford<double>{}, x);
    neutral(tf::moments<double>{}, x);
    neutral(tf::covariance<double>{}, x, 1.0);
    neutral(tf::log_sum_exp<double>{}, x);
    neutral(tf::softmax<double>{}, x);
    neutral(tf::log_softmax<double>{}, x);
    neutral(tf::attention<double, 1>{}, x, &x);
    neutral(tf::affine_recurrence<double>{}, 1.0, x);
    neutral(tf::affine_recurrence<double>{}, x, 1.0);
    neutral(tf::maximum_segment_sum<double>{}, x);
  }
}
