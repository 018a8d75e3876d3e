// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Where nothing overflows and nothing that matters underflows: windows of references, budgets of narrow formats,
//! limits of accumulators. Every check is a constant expression (`static_assert(p_budget{…}.fits())`); `require(check)`
//! refuses at run time with the number that breaks.
#pragma once

#include <cstdio>

#include "twofold/algebra/error.hpp"
#include "twofold/numerics/formats.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {
namespace detail {

//! log2(x) to 1e-12, x > 0 normal: in constant expressions.
constexpr double log2_of(double x) {
  int e = 0;
  for (; x >= 2; x /= 2) ++e;
  for (; x < 1; x *= 2) --e;
  const double t = (x - 1) / (x + 1), tt = t * t;  // ln x = 2 artanh t, t < 1/3
  double power = t, sum = 0;
  for (int k = 1; k < 60; k += 2, power *= tt) sum += power / k;
  return e + 2 * sum * 1.4426950408889634;
}

//! 2^x to 1e-12: in constant expressions.
constexpr double exp2_of(double x) {
  double whole = 1;
  for (; x >= 1; x -= 1) whole *= 2;
  for (; x < 0; x += 1) whole /= 2;
  double term = 1, sum = 1;
  for (int k = 1; k < 30; ++k) term *= x * 0.6931471805599453 / k, sum += term;
  return whole * sum;
}

inline std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

}  // namespace detail

//! @brief  Exponents at which 2^x leaves a format.
struct exponent_domain {
  double overflows_at;    //!< 2^x rounds beyond the largest number from here on
  double normal_from;     //!< results are normal from here on …
  double subnormal_from;  //!< … and not 0 from here on
};
constexpr exponent_domain exponents_of(const format& f) {
  return {log2_largest(f), static_cast<double>(f.min_exponent), static_cast<double>(f.min_exponent - f.precision + 1)};
}
//! The same for e^x: where it overflows.
constexpr double natural_overflow(const format& f) { return log2_largest(f) * 0.6931471805599453; }

//! @brief  How far a reference M may lie from the true maximum m (log2 units) when n weights meet values up to v.
//! @math   M − m > −(log2 Fmax − log2(n·max(1, v)))   no overflow
//!         M − m ≤ (tiny − 24) − log2 n: what underflows is at most u of l; tiny = −log2 of the smallest normal number
struct gauge_window {
  double lowest;
  double highest;
  [[nodiscard]] constexpr bool holds(double offset) const { return offset > lowest && offset <= highest; }
};
constexpr gauge_window gauge_window_of(const format& state, double n, double largest_value) {
  const double reach = detail::log2_of(n < 1 ? 1 : n);
  const double value = largest_value > 1 ? detail::log2_of(largest_value) : 0;
  return {-(log2_largest(state) - reach - value), -state.min_exponent - state.precision - reach};
}

//! @brief  P stored as p·2^offset while the reference may lag by tau: offset + tau + guard ≤ log2 of the largest P. A cast that
//!         saturates beyond it loses weight that the denominator still counts.
struct p_budget {
  const format& p;
  double offset = 0;
  double tau = 0;
  double guard = 0;
  [[nodiscard]] constexpr double needed() const { return offset + tau + guard; }
  [[nodiscard]] constexpr double available() const { return log2_largest(p); }
  [[nodiscard]] constexpr bool fits() const { return needed() <= available(); }
  //! The share of the dominant weight that a saturating cast loses in the worst case; 0 where the budget holds.
  [[nodiscard]] constexpr double lost_share() const { return fits() ? 0 : 1 - p.largest() / detail::exp2_of(needed()); }
};

//! @brief  Σ of n weights up to 2^tau, times values up to v, in one accumulator: n·2^tau·v < Fmax. With v = 1 that of l.
struct accumulator_limit {
  const format& accumulator;
  double n = 1;
  double tau = 0;
  double largest_value = 1;
  [[nodiscard]] constexpr double needed() const {  // log2 of the largest sum
    return detail::log2_of(n < 1 ? 1 : n) + tau + (largest_value > 0 ? detail::log2_of(largest_value) : 0);
  }
  [[nodiscard]] constexpr double available() const { return log2_largest(accumulator); }
  [[nodiscard]] constexpr bool fits() const { return needed() < available(); }
  //! The largest n that fits.
  [[nodiscard]] constexpr double most() const {
    return accumulator.largest() / (largest_value > 0 ? largest_value : 1) / detail::exp2_of(tau);
  }
  //! Scaling P by 2^−this makes it fit (exactly: a power of two).
  [[nodiscard]] constexpr int shift_that_fits() const {
    int k = 0;
    while (needed() - k >= available()) ++k;
    return k;
  }
};

//! @brief  A running sum of terms of equal size stops growing at 2^precision of them: n below a quarter of it keeps three digits of slack.
struct stagnation_limit {
  const format& accumulator;
  double n = 1;
  [[nodiscard]] constexpr double needed() const { return n; }
  [[nodiscard]] constexpr double available() const { return accumulator.ones_stagnate_at(); }
  [[nodiscard]] constexpr bool fits() const { return n <= available(); }
};

//! @brief  Scores without a reference, 2^(s·c): max s·c + log2 n < log2 Fmax.
struct unshifted_limit {
  const format& state;
  double n = 1;
  double largest_exponent = 0;
  [[nodiscard]] constexpr double needed() const { return largest_exponent + detail::log2_of(n < 1 ? 1 : n); }
  [[nodiscard]] constexpr double available() const { return log2_largest(state); }
  [[nodiscard]] constexpr bool fits() const { return needed() < available(); }
};

//! @brief  Scores q·k themselves: |q||k| ≤ Fmax of the format they are computed in.
struct score_limit {
  const format& score;
  double q_norm = 1, k_norm = 1;
  [[nodiscard]] constexpr double needed() const { return q_norm * k_norm; }
  [[nodiscard]] constexpr double available() const { return score.largest(); }
  [[nodiscard]] constexpr bool fits() const { return needed() <= available(); }
};

//! @brief  M2 of n elements that differ by up to `spread`: spread²·n/4 < Fmax.
struct square_limit {
  const format& state;
  double n = 1;
  double spread = 1;
  [[nodiscard]] constexpr double needed() const {
    return detail::log2_of(n < 1 ? 1 : n) - 2 + (spread > 0 ? 2 * detail::log2_of(spread) : -4096);
  }
  [[nodiscard]] constexpr double available() const { return log2_largest(state); }
  [[nodiscard]] constexpr bool fits() const { return needed() < available(); }
};

//! @brief  Σ|x − g|^k of n elements that differ by up to `spread` from each other and from the reference g: spread^k·n < Fmax.
struct power_limit {
  const format& state;
  double n = 1;
  double spread = 1;
  int order = 4;
  [[nodiscard]] constexpr double needed() const {
    return detail::log2_of(n < 1 ? 1 : n) + (spread > 0 ? order * detail::log2_of(spread) : -4096);
  }
  [[nodiscard]] constexpr double available() const { return log2_largest(state); }
  [[nodiscard]] constexpr bool fits() const { return needed() < available(); }
};

//! @brief  Scales of an affine recurrence: products of up to n of them, |a| ≤ largest. Harmless where |a| ≤ 1.
struct scale_limit {
  const format& state;
  double n = 1;
  double largest = 1;
  [[nodiscard]] constexpr double needed() const { return largest > 1 ? n * detail::log2_of(largest) : 0; }
  [[nodiscard]] constexpr double available() const { return log2_largest(state); }
  [[nodiscard]] constexpr bool fits() const { return needed() < available(); }
};

//! @name The refusals: nothing, or the error that says which number breaks and what would work.
//! @errors TF2401 P's budget · TF2402 an accumulator's range · TF2403 stagnation · TF2404 scores without a reference, or of a narrow
//!         format · TF2405 squares and higher powers · TF2406 products of scales
//! @{
inline std::optional<error> refusal(const p_budget& b) {
  if (b.fits()) return std::nullopt;
  const std::string name = b.p.name;
  return error("TF2401", "P in " + name + " with offset " + detail::number(b.offset) + " and tau " + detail::number(b.tau),
               "P reaches 2^" + detail::number(b.needed()) + ", but the largest " + name + " is " + detail::number(b.p.largest()) +
                   " = 2^" + detail::number(b.available()) + ": the cast saturates, the denominator does not, and up to " +
                   detail::number(100 * b.lost_share()) + " % of the dominant weight is lost",
               "offset + tau at most " + detail::number(b.available() - b.guard));
}
inline std::optional<error> refusal(const accumulator_limit& a) {
  if (a.fits()) return std::nullopt;
  const std::string name = a.accumulator.name;
  const std::string values = a.largest_value != 1 ? "·" + detail::number(a.largest_value) : "";
  return error("TF2402",
               "an accumulator in " + name + " for n = " + detail::number(a.n) + " weights up to 2^" + detail::number(a.tau) +
                   (a.largest_value != 1 ? " and values up to " + detail::number(a.largest_value) : ""),
               "the sum can reach n·2^tau" + values + " = 2^" + detail::number(a.needed()) + ", beyond the largest " + name + ", " +
                   detail::number(a.accumulator.largest()),
               "fp32, or n below " + detail::number(a.most()) + ", or P scaled by 2^-" + std::to_string(a.shift_that_fits()) + " (exact)");
}
inline std::optional<error> refusal(const stagnation_limit& s) {
  if (s.fits()) return std::nullopt;
  const std::string name = s.accumulator.name;
  return error("TF2403", "a running sum in " + name + " of n = " + detail::number(s.n) + " terms",
               "terms of equal size stop counting at " + detail::number(s.available()) + " of them: the sum stagnates",
               "fp32, or tiles of at most " + detail::number(s.available() / 4) + " elements that are merged by tree");
}
inline std::optional<error> refusal(const unshifted_limit& s) {
  if (s.fits()) return std::nullopt;
  return error("TF2404",
               std::string("2^x in ") + s.state.name + " without a reference, x up to " + detail::number(s.largest_exponent) +
                   ", n = " + detail::number(s.n),
               "the sum can reach 2^" + detail::number(s.needed()) + ", the largest number is 2^" + detail::number(s.available()),
               "a reference (gauge::maximum, gauge::integer)");
}
inline std::optional<error> refusal(const score_limit& s) {
  if (s.fits()) return std::nullopt;
  return error("TF2404", std::string("scores in ") + s.score.name + " with |q||k| up to " + detail::number(s.needed()),
               "the largest number is " + detail::number(s.available()), "q scaled before the product, or scores in fp32");
}
inline std::optional<error> refusal(const square_limit& s) {
  if (s.fits()) return std::nullopt;
  return error("TF2405",
               std::string("a variance in ") + s.state.name + " of n = " + detail::number(s.n) + " elements that differ by up to " +
                   detail::number(s.spread),
               "M2 can reach 2^" + detail::number(s.needed()) + ", the largest number is 2^" + detail::number(s.available()),
               "elements scaled by a power of two, or a wider state");
}
inline std::optional<error> refusal(const power_limit& s) {
  if (s.fits()) return std::nullopt;
  return error("TF2405",
               "moments to order " + std::to_string(s.order) + " in " + s.state.name + " of n = " + detail::number(s.n) +
                   " elements that differ by up to " + detail::number(s.spread),
               "a sum of powers can reach 2^" + detail::number(s.needed()) + ", the largest number is 2^" + detail::number(s.available()),
               "elements scaled by a power of two, or a wider state");
}
inline std::optional<error> refusal(const scale_limit& s) {
  if (s.fits()) return std::nullopt;
  return error("TF2406",
               std::string("an affine recurrence in ") + s.state.name + " of n = " + detail::number(s.n) + " steps with |a| up to " +
                   detail::number(s.largest),
               "the product of scales can reach 2^" + detail::number(s.needed()) + ", beyond 2^" + detail::number(s.available()) +
                   ": a tree gives inf or NaN although the fold does not",
               "|a| at most 1, shorter segments, or the fold");
}
//! Throws the refusal where there is one.
template <class Check>
void require(const Check& check) {
  if (auto why = refusal(check)) throw *why;
}
//! @}

}  // namespace numerics
TWOFOLD_END_NAMESPACE
