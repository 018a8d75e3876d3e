// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Inputs, the operators under the question's schedule, and references in long double.
#include "numerics/measure_sums.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "numerics/rounding.hpp"
#include "numerics/wide_sum.hpp"
#include "twofold/numerics/families.hpp"
#include "twofold/ops/affine.hpp"
#include "twofold/ops/moments.hpp"
#include "twofold/ops/welford.hpp"
#include "twofold/schedule/reduce.hpp"

namespace twofold::cli::accuracy {
namespace {

using values = std::vector<double>;

//! A sum whose every operation is rounded to a format, and the sum of the squares of what that can lose (theorem T6).
struct emulated_sum {
  using input = double;
  struct state {
    double sum = 0, low = 0, variance = 0;
  };
  rounder round;
  double u;
  summing how;

  state identity() const { return {}; }
  state lift(double x) const { return {x, 0, 0}; }
  state combine(const state& a, const state& b) const {
    state s;
    s.sum = round(a.sum + b.sum);
    s.variance = a.variance + b.variance + (u * s.sum) * (u * s.sum);
    if (how == summing::compensated) {  // Knuth's two-sum, as compensated_sum does it
      const double b_part = round(s.sum - a.sum), a_part = round(s.sum - b_part);
      const double error = round(round(a.sum - a_part) + round(b.sum - b_part));
      s.low = round(round(a.low + b.low) + error);
      s.variance = (u * s.sum) * (u * s.sum);
    }
    return s;
  }
  template <class Tile>
  state leaf(const Tile& tile) const {
    return range(tile, 0, tile.size());
  }
  state finalize(const state& s) const { return {round(s.sum + s.low), 0, s.variance}; }

 private:
  template <class Tile>
  state range(const Tile& tile, index first, index last) const {
    if (how == summing::pairwise && last - first > 8) {
      const index middle = first + (last - first) / 2;
      return combine(range(tile, first, middle), range(tile, middle, last));
    }
    state s;
    for (index i = first; i < last; ++i) tile.apply(i, [&](double x) { s = i == first ? lift(x) : combine(s, lift(x)); });
    return s;
  }
};

//! Numbers of the state's format, within max|x|.
values make(const numerics::family& f, const question& q, std::uint64_t seed) {
  laws::random random(seed * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(f.name[0]));
  values x(static_cast<std::size_t>(q.n));
  f.fill(random, x.data(), q.n, q.state.unit_roundoff());
  double largest = 0;
  for (const double v : x) largest = std::max(largest, std::fabs(v));
  const rounder round(q.state, true);
  for (double& v : x) v = round(largest > 0 ? q.vmax * (v / largest) : v);
  return x;
}

struct outcome {
  double error = 0, bound = 0, typical = 0;
  bool finite = true;
};

outcome sum_of(const question& q, const values& x, const guarantee& g) {
  const auto s = reduce(emulated_sum{rounder(q.state), q.state.unit_roundoff(), q.sum}, x, q.how);
  wide_sum exact, size;
  for (const double v : x) exact.add(v), size.add(std::fabs(v));
  const double magnitude = static_cast<double>(size.value());
  outcome o{static_cast<double>(std::fabs(s.sum - exact.value())), g.value() * magnitude, 4 * std::sqrt(s.variance), std::isfinite(s.sum)};
  if (q.sum == summing::compensated) {  // u|s| + (h u)²Σ|x|
    const double u = g.u, h = u * g.squared_units;
    o.bound = u * static_cast<double>(std::fabs(exact.value())) * (1 + 2 * u) + (h / (1 - h)) * (h / (1 - h)) * magnitude;
  }
  if (magnitude > 0) o.error /= magnitude, o.bound /= magnitude, o.typical /= magnitude;
  return o;
}

//! Data of mean κ and deviation 1.
template <class T>
std::vector<T> with_mean(const values& shape, double kappa) {
  std::vector<T> x;
  double mean = 0, square = 0;
  for (const double v : shape) mean += v;
  mean /= static_cast<double>(shape.size());
  for (const double v : shape) square += (v - mean) * (v - mean);
  const double deviation = std::sqrt(square / static_cast<double>(shape.size()));
  for (const double v : shape) x.push_back(static_cast<T>((deviation > 0 ? (v - mean) / deviation : 0) + kappa));
  return x;
}

template <class T>
outcome variance_of(const question& q, const values& shape, const tree& t) {
  const std::vector<T> x = with_mean<T>(shape, q.kappa);
  const welford<T, T> op{};
  const auto s = reduce_state(op, x, q.how);
  wide_sum sum, m2;
  for (const T v : x) sum.add(v);
  const long double mean = sum.value() / static_cast<long double>(x.size());
  for (const T v : x) m2.add((v - mean) * (v - mean));
  if (m2.value() == 0) return {};
  question own = q;
  own.kappa = static_cast<double>(std::sqrt(static_cast<long double>(x.size()) * mean * mean / m2.value()));
  return {static_cast<double>(std::fabs(op.m2(s) / m2.value() - 1)), guarantee_of(own, t).value(), 0, std::isfinite(op.m2(s))};
}

//! Data as for the variance; the moment of the order asked for, relative to Σ|x−mean|^k.
template <class T, int Order>
outcome moment_of(const question& q, const values& shape, const tree& t) {
  const std::vector<T> x = with_mean<T>(shape, q.kappa);
  const auto answer = reduce(moments<T, Order, T>{}, x, q.how);
  wide_sum sum, central, size, square;
  for (const T v : x) sum.add(v);
  const auto n = static_cast<long double>(x.size());
  const long double mean = sum.value() / n;
  for (const T v : x) {
    const long double d = v - mean;
    long double power = d * d;
    square.add(power);
    for (int k = 3; k <= Order; ++k) power *= d;
    central.add(power), size.add(std::fabs(power));
  }
  if (square.value() == 0) return {};
  question own = q;
  own.kappa = static_cast<double>(std::sqrt(1 + n * mean * mean / square.value()));
  const double error = static_cast<double>(std::fabs(answer.central[Order] - central.value() / n) / (size.value() / n));
  return {error, guarantee_of(own, t).value(), 0, std::isfinite(answer.central[Order])};
}
template <class T>
outcome moment_of(const question& q, const values& shape, const tree& t) {
  return q.order == 2 ? moment_of<T, 2>(q, shape, t) : q.order == 3 ? moment_of<T, 3>(q, shape, t) : moment_of<T, 4>(q, shape, t);
}

template <class T>
outcome recurrence_of(const question& q, const values& shape) {
  const double height = height_of(q);
  std::vector<affine<T>> steps;
  const double largest = q.vmax;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const double a = q.rho * (i % 3 == 0 ? 1.0 : 1.0 - 0.01 * std::fabs(shape[i]) / largest);
    steps.push_back({static_cast<T>(std::min(a, static_cast<double>(static_cast<T>(q.rho)))), static_cast<T>(shape[i])});
  }
  const T h = reduce(affine_recurrence<T>{}, steps, q.how);
  long double exact = 0, reach = 1;
  double total = 0;
  for (const auto& s : steps) exact = static_cast<long double>(s.scale) * exact + s.offset;
  for (std::size_t i = steps.size(); i-- > 0 && reach > 0;) {
    total += static_cast<double>((static_cast<long double>(steps.size() - 1 - i) + height) * reach) *
             std::fabs(static_cast<double>(steps[i].offset));
    reach *= std::fabs(static_cast<long double>(steps[i].scale));
  }
  const double u = q.state.unit_roundoff(), scale = largest;
  return {static_cast<double>(std::fabs(h - exact)) / scale, u * total * (1 + 2 * u * (static_cast<double>(q.n) + height)) / scale, 0,
          std::isfinite(h)};
}

outcome once(const question& q, const values& x, const guarantee& g, const tree& t) {
  const bool narrow = q.state.precision == 24;
  switch (q.what) {
    case operation::sum:
      return sum_of(q, x, g);
    case operation::affine:
      return narrow ? recurrence_of<float>(q, x) : recurrence_of<double>(q, x);
    case operation::moments:
      return narrow ? moment_of<float>(q, x, t) : moment_of<double>(q, x, t);
    default:
      return narrow ? variance_of<float>(q, x, t) : variance_of<double>(q, x, t);
  }
}

}  // namespace

measurement measure_sums(const question& q, double seconds, std::int64_t most, const progress& tell) {
  using clock = std::chrono::steady_clock;
  measurement m;
  const tree t = tree_of(q.shape);
  const guarantee g = guarantee_of(q, t);
  const auto start = clock::now();
  for (std::uint64_t seed = q.seed;; ++seed)
    for (const numerics::family& f : numerics::value_families) {
      m.seconds = std::chrono::duration<double>(clock::now() - start).count();
      if ((m.seconds >= seconds && m.inputs >= std::ssize(numerics::value_families)) || m.inputs >= most) return m;
      if (tell) tell(std::min(1.0, m.seconds / seconds));
      const outcome o = once(q, make(f, q, seed), g, t);
      ++m.inputs;
      if (!o.finite) {
        ++m.broken;
        continue;
      }
      m.main.add(o.error, o.bound, f.name, seed);
      m.typical = std::max(m.typical, o.typical);
    }
}

}  // namespace twofold::cli::accuracy
