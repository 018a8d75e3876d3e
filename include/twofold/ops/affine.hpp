// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file First-order linear recurrences h ← a·h + b: composition of affine maps, scalar or small matrix.
#pragma once

#include "twofold/algebra/math.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! The map h ↦ scale·h + offset: one step of the recurrence, and as well any number of steps.
template <class T>
struct affine {
  T scale;
  T offset;
  TWOFOLD_HD constexpr T operator()(const T& h) const {
    if constexpr (math::is_floating<T>) return math::fma(scale, h, offset);
    else return scale * h + offset;
  }
  friend constexpr bool operator==(const affine&, const affine&) = default;
};
template <class T>
affine(T, T) -> affine<T>;

//! first, then second: h ↦ second(first(h)).
template <class T>
TWOFOLD_HD constexpr affine<T> then(const affine<T>& first, const affine<T>& second) {
  return {second.scale * first.scale, second(first.offset)};
}

//! @brief  h_n of h_i = a_i·h_{i−1} + b_i, h_0 = initial. A scan gives all h_i.
//! @math   combine: (a1,b1), (a2,b2) ↦ (a2·a1, a2·b1 + b2); identity (1, 0)
//! @laws   not commutative: order matters
//! @empty  initial, which enters at finalize only: once, however the input is cut
//! @special 0·inf is NaN as in IEEE arithmetic. With |a| > 1 the product of scales may overflow although no h_i does
//! @error  |Δh_t| ≤ u·Σ_i ((t−i) + d)·|a_t⋯a_{i+1}·b_i|, d the height of the tree (numerics/bounds.hpp: affine)
//! @source Blelloch, Prefix sums and their applications (1990)
template <class T>
struct affine_recurrence {
  using state = affine<T>;
  template <template <class> class Lanes>
  using over = affine_recurrence<Lanes<T>>;
  static constexpr const char* tag = "affine_recurrence";
  T initial{};
  TWOFOLD_HD constexpr state identity() const {
    if constexpr (math::is_floating<T>) return {T(1), -T(0)};  // −0 is neutral in floating point
    else return {T(1), T(0)};
  }
  TWOFOLD_HD constexpr state lift(const T& a, const T& b) const { return {a, b}; }
  TWOFOLD_HD constexpr state lift(const affine<T>& step) const { return step; }
  TWOFOLD_HD constexpr state combine(const state& left, const state& right) const {
    // The empty left side by select, never by arithmetic: right.scale may be infinite, and inf·0 is NaN. No branch: a scan merges at every
    // element. An empty right side needs none in floating point: 1·x and 1·x + −0 are x, bit for bit.
    const state both = then(left, right);
    const auto no_left = is_identity(left);
    if constexpr (math::is_floating<T>) {
      return {math::select(no_left, right.scale, both.scale), math::select(no_left, right.offset, both.offset)};
    } else {
      const auto no_right = is_identity(right);
      const T scale = math::select(no_right, left.scale, both.scale), offset = math::select(no_right, left.offset, both.offset);
      return {math::select(no_left, right.scale, scale), math::select(no_left, right.offset, offset)};
    }
  }
  TWOFOLD_HD constexpr T finalize(const state& s) const {
    if constexpr (math::is_floating<T>) return s(initial);  // 1·initial + −0 is initial
    else return math::select(is_identity(s), initial, s(initial));
  }

 private:
  TWOFOLD_HD static constexpr auto is_identity(const state& s) {
    if constexpr (math::lanewise<T> && math::is_floating<T>) return (s.scale == T(1)) & math::is_minus_zero(s.offset);
    else if constexpr (math::lanewise<T>) return (s.scale == T(1)) & (s.offset == T(0));
    else if constexpr (std::is_floating_point_v<T>) return static_cast<bool>((s.scale == T(1)) & math::is_minus_zero(s.offset));
    else return static_cast<bool>((s.scale == T(1)) & (s.offset == T(0)));
  }
};

//! The map h ↦ scale·h + offset on N-vectors; scale row by row.
template <class T, int N>
struct affine_map {
  T scale[N][N];  // (row, column)
  T offset[N];
  TWOFOLD_HD friend constexpr bool operator==(const affine_map& a, const affine_map& b) {
    for (int i = 0; i < N; ++i) {
      if (!(a.offset[i] == b.offset[i])) return false;
      for (int j = 0; j < N; ++j)
        if (!(a.scale[i][j] == b.scale[i][j])) return false;
    }
    return true;
  }
};

//! An N-vector, the answer of a matrix recurrence.
template <class T, int N>
struct vector_of {
  T entries[N];
  TWOFOLD_HD constexpr const T& operator[](index i) const { return entries[i]; }
  TWOFOLD_HD constexpr T& operator[](index i) { return entries[i]; }
};

//! @brief  h_n of h_i = A_i·h_{i−1} + b_i on N-vectors, h_0 = initial.
//! @math   combine: (A1,b1), (A2,b2) ↦ (A2·A1, A2·b1 + b2); the identity is adjoined by value (I, 0)
//! @laws   not commutative
//! @empty  initial
//! @cost   N³ + N² multiply-adds per merge: for small N
template <class T, int N>
struct affine_matrix_recurrence {
  using input = affine_map<T, N>;
  using state = affine_map<T, N>;
  static constexpr const char* tag = "affine_matrix_recurrence";
  vector_of<T, N> initial{};

  TWOFOLD_HD constexpr state identity() const {
    state e{};
    for (int i = 0; i < N; ++i) e.scale[i][i] = T(1);
    return e;
  }
  TWOFOLD_HD constexpr state lift(const input& step) const { return step; }
  TWOFOLD_HD constexpr state combine(const state& left, const state& right) const {
    if (left == identity()) return right;
    if (right == identity()) return left;
    state r{};
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        r.scale[i][j] = right.scale[i][0] * left.scale[0][j];
        for (int k = 1; k < N; ++k) r.scale[i][j] += right.scale[i][k] * left.scale[k][j];
      }
      r.offset[i] = right.offset[i];
      for (int k = 0; k < N; ++k) r.offset[i] += right.scale[i][k] * left.offset[k];
    }
    return r;
  }
  TWOFOLD_HD constexpr vector_of<T, N> finalize(const state& s) const {
    vector_of<T, N> h = initial;
    if (s == identity()) return h;
    for (int i = 0; i < N; ++i) {
      h[i] = s.offset[i];
      for (int j = 0; j < N; ++j) h[i] += s.scale[i][j] * initial[j];
    }
    return h;
  }
};

TWOFOLD_END_NAMESPACE
