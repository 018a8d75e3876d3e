// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file log-sum-exp whose bits depend on the set of elements alone: weights are integers, and each of their binary digits has a fixed
//! place among bins of 32 digits on an absolute grid. Only the three highest bins are kept; a digit is dropped for where it lies, not for
//! when it came.
#pragma once

#include "twofold/algebra/reduction.hpp"
#include "twofold/ops/reproducible/weight.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! Σ e^s = Σ (bin[i] + above[i]·2^64)·2^(32·(top − 2 + i)), but for what lay below.
struct exponential_bins {
  std::uint64_t bin[3];
  std::uint32_t above[3];    //!< carries out of a bin; nothing is carried into the next one, or order would matter
  std::int32_t top;          //!< the largest ⌊log2 weight / 32⌋
  float farthest;            //!< the largest score of size far_score or more; −inf if there is none
  std::uint32_t not_finite;  //!< exact::special
  TWOFOLD_HD friend constexpr bool operator==(const exponential_bins&, const exponential_bins&) = default;
};

//! @brief  ln Σ exp(x_i), without overflow, the same bits for any order of the elements.
//! @math   e^x = q·2^(k−27) with an integer q of 28 bits; Σ over digits by place; answer = ln 2·(exponent) + ln(mantissa)
//! @laws   associative and commutative bit for bit; any schedule, CPU and GPU give the same bits
//! @empty  −inf, as for all x_i = −inf
//! @special NaN gives NaN; +inf gives +inf
//! @error  |Δ| ≤ 1.55u + n·2^−63 + u·|answer|: the weights' error and the cast; no maximum, height or order enters. Scores of size 2^30 or
//!         more are not weighed: there the answer is the largest score, correctly rounded for n < 2^42
//! @pre    fewer than 2^64 elements
//! @cost   state of 48 bytes; some 30 instructions per element
//! @source T7 of docs/numerics.md; Demmel, Nguyen (2015) for the bins
template <class T>
struct reproducible_log_sum_exp {
  static_assert(std::is_same_v<T, float>, "weights are made of float; half types are widened to it");
  using input = T;
  using state = exponential_bins;
  static constexpr const char* tag = "reproducible_log_sum_exp";
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  static constexpr bool exact_over_machine = true;

  TWOFOLD_HD constexpr state identity() const { return {{0, 0, 0}, {0, 0, 0}, nowhere, -math::infinity<float>, exact::none}; }
  TWOFOLD_HD state lift(const T& x) const {
    state s = identity();
    push_into(s, x);
    return s;
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state s = a;
    combine_into(s, b);
    return s;
  }
  TWOFOLD_HD constexpr void combine_into(state& s, const state& b) const {
    state t = b;
    const std::int32_t top = s.top < t.top ? t.top : s.top;
    raise(s, top), raise(t, top);
    TWOFOLD_UNROLL
    for (int i = 0; i < 3; ++i) s.above[i] += t.above[i] + static_cast<std::uint32_t>(exact::add_with_carry(s.bin[i], t.bin[i], 0));
    s.farthest = s.farthest < t.farthest ? t.farthest : s.farthest;
    s.not_finite |= t.not_finite;
  }
  TWOFOLD_HD void push_into(state& s, const T& x) const {
    if (set_apart(s, x)) return;
    const exact::weight w = exact::weight_of(x);
    if (w.exponent >> 5 > s.top) raise(s, w.exponent >> 5);
    state one = identity();
    one.top = s.top;
    add(one, w);
    combine_into(s, one);
  }

  //! Two walks: the largest element, then weights into bins that stay where they are.
  template <class Tile>
  TWOFOLD_HD state leaf(const Tile& tile) const {
    state s = identity();
    float most = -math::infinity<float>;
    bool near = true;
    const index n = tile.size();
#if !defined(__CUDA_ARCH__)
    if (n >> 32 != 0) {  // bins could overflow
      for (index i = 0; i < n; ++i) tile.apply(i, [&](const T& x) { push_into(s, x); });
      return s;
    }
#endif
    TWOFOLD_UNROLL
    for (index i = 0; i < n; ++i)
      tile.apply(i, [&](const T& x) {
        near = near && ((x < exact::near_score && x > -exact::near_score) || x == -math::infinity<T>);
        most = most < x ? x : most;
      });
    if (near) {
      if (most == -math::infinity<float>) return s;
      s.top = exact::near_weight(most).exponent >> 5;  // exponents are monotone in the score
      TWOFOLD_UNROLL
      for (index i = 0; i < n; ++i)
        tile.apply(i, [&](const T& x) {
          if (x != -math::infinity<T>) add(s, exact::near_weight(x));
        });
    } else {
      most = -math::infinity<float>;
      TWOFOLD_UNROLL
      for (index i = 0; i < n; ++i)
        tile.apply(i, [&](const T& x) {
          if (!set_apart(s, x)) most = most < x ? x : most;
        });
      if (most == -math::infinity<float>) return s;
      s.top = exact::weight_of(most).exponent >> 5;
      TWOFOLD_UNROLL
      for (index i = 0; i < n; ++i)
        tile.apply(i, [&](const T& x) {
          if (x < exact::far_score && x > -exact::far_score) add(s, exact::weight_of(x));
        });
    }
    return s;
  }

  TWOFOLD_HD T finalize(const state& s) const {
    if (s.not_finite != exact::none) return (s.not_finite & exact::not_a_number) != 0 ? math::nan<T> : math::infinity<T>;
    if (s.farthest > T(0) || s.top == nowhere) return s.farthest;
    exact::wide_integer<4> sum{};
    for (int i = 0; i < 3; ++i) sum.add_at({s.bin[i], s.above[i]}, 32 * i);
    return static_cast<T>(exact::natural_log(sum, 32 * (s.top - 2)));
  }

 private:
  static constexpr std::int32_t nowhere = -(1 << 28);

  //! Elements that are not weighed: −inf, which is absent; what is not finite; scores of size far_score or more.
  TWOFOLD_HD static constexpr bool set_apart(state& s, const T& x) {
    if (x < exact::far_score && x > -exact::far_score) return false;
    if (x != x) s.not_finite |= exact::not_a_number;
    else if (x == math::infinity<T>) s.not_finite |= exact::plus_infinity;
    else if (s.farthest < x) s.farthest = x;
    return true;
  }
  //! Bins move down as their top moves up; what falls out is dropped.
  TWOFOLD_HD static constexpr void raise(state& s, std::int32_t top) {
    const std::int32_t by = top - s.top;
    if (by == 0) return;
    TWOFOLD_UNROLL
    for (int i = 0; i < 3; ++i) {  // from the lowest up: sources are still there
      const bool kept = by < 3 - i;
      s.bin[i] = kept ? s.bin[by == 1 ? (i < 2 ? i + 1 : 2) : 2] : 0;
      s.above[i] = kept ? s.above[by == 1 ? (i < 2 ? i + 1 : 2) : 2] : 0;
    }
    s.top = top;
  }
  //! A weight whose highest digit is not above the top bin, into bins that have room.
  TWOFOLD_HD static constexpr void add(state& s, const exact::weight& w) {
    const std::int32_t low_bin = s.top - 2, bins_up = (w.exponent >> 5) - low_bin;  // places may lie 2^32 apart
    const std::int32_t place = bins_up < -1 ? -59 : 32 * bins_up + (w.exponent & 31) - 27;
    const std::uint32_t kept = place >= 0 ? w.mantissa : place > -32 ? w.mantissa >> -place : 0;
    const std::int32_t from = place >= 0 ? place : 0;
    const std::uint64_t digits = static_cast<std::uint64_t>(kept) << (from & 31);
    const std::uint64_t low = digits & 0xffffffffu, high = digits >> 32;
    s.bin[0] += from < 32 ? low : 0;
    s.bin[1] += from < 32 ? high : from < 64 ? low : 0;
    s.bin[2] += from < 32 ? 0 : from < 64 ? high : low;
  }
};

TWOFOLD_END_NAMESPACE
