// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file References for the operators: plain loops in long double, written as a reader would first write them.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

namespace reference {

using real = long double;
inline constexpr real infinity = std::numeric_limits<real>::infinity();
inline constexpr real nan = std::numeric_limits<real>::quiet_NaN();

template <class T>
real sum(const std::vector<T>& x) {
  real s = 0;
  for (const T& e : x) s += e;
  return s;
}

//! Σ (x − p) / n, with p taken off first so that an offset costs the reference no digits.
template <class T>
real mean_beyond(const std::vector<T>& x, real p) {
  real s = 0;
  for (const T& e : x) s += static_cast<real>(e) - p;
  return s / static_cast<real>(x.size());
}
template <class T>
real pivot(const std::vector<T>& x) {
  return !x.empty() && std::isfinite(x[0]) ? static_cast<real>(x[0]) : 0;
}

template <class T>
real mean(const std::vector<T>& x) {
  return x.empty() ? nan : pivot(x) + mean_beyond(x, pivot(x));
}

//! Σ (x−mean)^k / n.
template <class T>
real central(const std::vector<T>& x, int k) {
  const real p = pivot(x), m = mean_beyond(x, p);
  real s = 0;
  for (const T& e : x) {
    real power = 1;
    for (int i = 0; i < k; ++i) power *= (static_cast<real>(e) - p) - m;
    s += power;
  }
  return s / static_cast<real>(x.size());
}

//! Largest element; NaN if any; −inf for none.
template <class T>
real maximum(const std::vector<T>& x) {
  real m = -infinity;
  for (const T& e : x) {
    if (std::isnan(e)) return nan;
    if (e > m) m = e;
  }
  return m;
}

//! ln Σ exp(x); −inf for none.
template <class T>
real log_sum_exp(const std::vector<T>& x) {
  const real m = maximum(x);
  if (std::isinf(m) || std::isnan(m)) return m;
  real s = 0;
  bool leader = false;  // the maximum itself is left out of the sum, for log1p
  for (const T& e : x) {
    if (!leader && e == m) leader = true;
    else s += std::exp(static_cast<real>(e) - m);
  }
  return m + std::log1p(s);
}

//! exp(x_i) / Σ exp(x_j); zeros for all −inf; NaN for every element if one is NaN or +inf.
template <class T>
std::vector<real> softmax(const std::vector<T>& x) {
  const real m = maximum(x);
  std::vector<real> w(x.size(), 0);
  if (m == -infinity) return w;
  real s = 0;
  for (const T& e : x) s += std::exp(static_cast<real>(e) - m);
  for (std::size_t i = 0; i < x.size(); ++i) w[i] = std::exp(static_cast<real>(x[i]) - m) / s;
  return w;
}

//! Both NaN, equal, or apart by at most `tolerance`.
inline bool close(real a, real b, real tolerance) { return (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= tolerance; }

}  // namespace reference
