// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Layer norm and RMS norm: reductions whose answer is the map to apply to every element.
#pragma once

#include "twofold/ops/welford.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! The map x ↦ (x − mean)·scale.
template <class A>
struct normalised_values {
  template <template <class> class Lanes>
  using over = normalised_values<Lanes<A>>;
  A mean;
  A scale;  //!< 1/√(variance + epsilon)
  template <class X>
  TWOFOLD_HD constexpr A operator()(const X& x) const {
    return (static_cast<A>(x) - mean) * scale;
  }
  //! @name The map in the arithmetic of elements narrower than A, the mean in two parts: 4 roundings of X. Where narrow() holds nothing can
  //! overflow on the way, for |x − mean| ≤ √n/scale.
  //! @{
  TWOFOLD_HD constexpr bool narrow() const { return scale > A(1e-18) && scale < A(1e18) && mean > A(-1e18) && mean < A(1e18); }
  template <class X>
  TWOFOLD_HD constexpr X narrow(const X& x) const {
    const X high = static_cast<X>(mean), low = static_cast<X>(mean - static_cast<A>(high));
    return ((x - high) - low) * static_cast<X>(scale);
  }
  //! @}
};

//! @brief  Layer norm of a row: reduce to mean and variance, then apply the answer to every element.
//! @math   y_i = (x_i − μ)/√(σ² + epsilon), σ² = Σ (x_i − μ)²/n
//! @laws   commutative; associative modulo `same`: the state is Welford's
//! @empty  nothing to map; mean and scale are NaN
//! @special NaN or ±inf in a row makes the row NaN, as in the float64 loop
//! @error  |Δy_i| ≤ |y_i|·O(u) + O(u)·|μ|/√(σ² + epsilon): the mean is rounded once; see numerics/bounds.hpp: welford
//! @cost   a tile is read twice, mapped once
template <class X, class A = wide_of<X>, class Gauge = gauge::mean>
struct layer_norm : welford<X, A, Gauge> {
  using typename welford<X, A, Gauge>::state;
  static constexpr const char* tag = "layer_norm";
  A epsilon = static_cast<A>(1e-5);
  TWOFOLD_HD normalised_values<A> finalize(const state& s) const {
    if (s.amount.count == 0) return {math::nan<A>, math::nan<A>};
    const A n = static_cast<A>(s.amount.count), mean = s.at + s.amount.sums[0] / n;
    return {mean, A(1) / math::sqrt(this->m2(s) / n + epsilon)};
  }
};

//! The map x ↦ x·scale.
template <class A>
struct scaled_values {
  template <template <class> class Lanes>
  using over = scaled_values<Lanes<A>>;
  A scale;
  template <class X>
  TWOFOLD_HD constexpr A operator()(const X& x) const {
    return static_cast<A>(x) * scale;
  }
  //! @name As normalised_values.
  //! @{
  TWOFOLD_HD constexpr bool narrow() const { return scale > A(1e-18) && scale < A(1e18); }
  template <class X>
  TWOFOLD_HD constexpr X narrow(const X& x) const {
    return x * static_cast<X>(scale);
  }
  //! @}
};

//! @brief  RMS norm of a row: reduce to the mean square, then apply the answer to every element.
//! @math   y_i = x_i/√(Σ x_j²/n + epsilon)
//! @laws   commutative; associative over the reals
//! @empty  nothing to map; scale is NaN
//! @pre    Σ x² below A's largest number, else the row is 0
//! @error  |Δy_i|/|y_i| ≤ (h/2 + 3)·u, h the height of the tree
//! @cost   one multiply-add per element to reduce, one product to apply
template <class X, class A = wide_of<X>>
struct rms_norm {
  using input = X;
  template <template <class> class Lanes>
  using over = rms_norm<Lanes<X>, Lanes<A>>;
  static constexpr const char* tag = "rms_norm";
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  struct state {
    std::int64_t count;
    A squares;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  A epsilon = static_cast<A>(1e-5);
  TWOFOLD_HD constexpr state identity() const { return {0, A(0)}; }
  TWOFOLD_HD constexpr state lift(const X& x) const { return {1, static_cast<A>(x) * static_cast<A>(x)}; }
  TWOFOLD_HD constexpr void push_into(state& s, const X& x) const {
    s.count += 1;
    s.squares = math::fma(static_cast<A>(x), static_cast<A>(x), s.squares);
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const { return {a.count + b.count, a.squares + b.squares}; }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const {
    return a.count == b.count && math::close(a.squares, b.squares, a.squares);
  }
  TWOFOLD_HD scaled_values<A> finalize(const state& s) const { return {A(1) / math::sqrt(s.squares / static_cast<A>(s.count) + epsilon)}; }
};

TWOFOLD_END_NAMESPACE
