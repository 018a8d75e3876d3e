// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Recurrences h ← max(h + a, b): affine maps where addition is max and multiplication is plus. Alignment rows, Viterbi steps,
//! clamped walks and release times of schedules are of this kind.
#pragma once

#include "twofold/algebra/math.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! The map h ↦ max(h + shift, floor).
template <class T>
struct max_plus_map {
  T shift;
  T floor;
  TWOFOLD_HD constexpr T operator()(const T& h) const {
    const T moved = h + shift;
    return moved < floor || math::is_nan(floor) ? floor : moved;
  }
  friend constexpr bool operator==(const max_plus_map&, const max_plus_map&) = default;
};

//! @brief  h_n of h_i = max(h_{i−1} + a_i, b_i), h_0 = initial. A scan gives all h_i.
//! @math   combine: (a1, b1), (a2, b2) ↦ (a1 + a2, max(b1 + a2, b2)); identity (0, −inf)
//! @laws   not commutative: order matters
//! @empty  initial, which enters at finalize only
//! @special a of +inf above a floor of −inf is NaN, as ∞ − ∞ in the loop; a visible NaN gives NaN
//! @error  |Δh_t| ≤ (n + d)·u·max |partial sum of a|, d the height of the tree; floors are exact
//! @source Baccelli, Cohen, Olsder, Quadrat, Synchronization and Linearity (1992)
template <class T>
requires std::is_floating_point_v<T>
struct max_plus_recurrence {
  using state = max_plus_map<T>;
  static constexpr const char* tag = "max_plus_recurrence";
  T initial{};
  TWOFOLD_HD constexpr state identity() const { return {-T(0), -math::infinity<T>}; }
  TWOFOLD_HD constexpr state lift(const T& a, const T& b) const { return {a, b}; }
  TWOFOLD_HD constexpr state combine(const state& left, const state& right) const {
    if (is_identity(right)) return left;  // by select: −inf + inf would be NaN
    if (is_identity(left)) return right;
    return {left.shift + right.shift, left.floor == -math::infinity<T> ? right.floor : right(left.floor)};
  }
  TWOFOLD_HD constexpr T finalize(const state& s) const { return is_identity(s) ? initial : s(initial); }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const { return near(a.shift, b.shift) && near(a.floor, b.floor); }

 private:
  TWOFOLD_HD static constexpr bool is_identity(const state& s) { return s.shift == T(0) && s.floor == -math::infinity<T>; }
  TWOFOLD_HD static constexpr bool near(const T& a, const T& b) {
    if (a == b || (math::is_nan(a) && math::is_nan(b))) return true;
    const T size = (a < T(0) ? -a : a) + T(1);
    return math::close(a, b, size);
  }
};

TWOFOLD_END_NAMESPACE
