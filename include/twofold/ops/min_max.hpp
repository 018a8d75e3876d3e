// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Minimum and maximum.
#pragma once

#include "twofold/algebra/adjoin.hpp"
#include "twofold/algebra/math.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

namespace detail {

//! The larger of two under IEEE 754-2019 maximum: NaN wins (the left one of two), and −0 < +0. A total rule, so that
//! the result does not depend on the tree: associative and commutative bit for bit, payloads of several NaNs apart.
template <class X>
TWOFOLD_HD constexpr X maximum(const X& a, const X& b) {
  if constexpr (math::lanewise<X>) return X::maximum(a, b);
  else {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<X, float>)
      if (!__builtin_is_constant_evaluated()) return math::larger_or_nan(a, b);
#endif
    if (b < a) return a;
    if (a < b) return b;
    if constexpr (std::is_floating_point_v<X>) {  // equal, or a NaN
      if (math::is_nan(b) && !math::is_nan(a)) return b;
      if (a == b && math::sign_bit(a)) return b;
    }
    return a;
  }
}
template <class X>
TWOFOLD_HD constexpr X minimum(const X& a, const X& b) {
  if constexpr (math::lanewise<X>) return X::minimum(a, b);
  else {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<X, float>)
      if (!__builtin_is_constant_evaluated()) return math::smaller_or_nan(a, b);
#endif
    if (a < b) return a;
    if (b < a) return b;
    if constexpr (std::is_floating_point_v<X>) {
      if (math::is_nan(b) && !math::is_nan(a)) return b;
      if (a == b && math::sign_bit(b)) return b;
    }
    return a;
  }
}

//! max without its empty case: a semigroup.
template <class X>
struct max_of_some {
  using input = X;
  using state = X;
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  static constexpr bool exact_over_machine = true;
  TWOFOLD_HD constexpr X lift(const X& x) const { return x; }
  TWOFOLD_HD constexpr X combine(const X& a, const X& b) const { return maximum(a, b); }
  TWOFOLD_HD constexpr X finalize(const X& s) const { return s; }
};
template <class X>
struct min_of_some : max_of_some<X> {
  TWOFOLD_HD constexpr X combine(const X& a, const X& b) const { return minimum(a, b); }
};
//! A floating type has a value for "nothing yet": the infinity that every other value beats.
template <class X>
struct max_of_floats : max_of_some<X> {
  TWOFOLD_HD constexpr X identity() const { return -math::infinity<X>; }
};
template <class X>
struct min_of_floats : min_of_some<X> {
  TWOFOLD_HD constexpr X identity() const { return math::infinity<X>; }
};

}  // namespace detail

//! @brief  Largest element.
//! @math   max_i x_i, with −0 < +0
//! @laws   commutative and exact over the machine
//! @empty  −inf for floating types; for all others `maybe<X>` without a value (no smallest value stands for
//!         "nothing")
//! @special a visible NaN gives NaN
//! @cost   one comparison per element and per merge
template <class X>
struct max : std::conditional_t<math::is_floating<X>, detail::max_of_floats<X>, adjoin<detail::max_of_some<X>>> {
  template <template <class> class Lanes>
  using over = max<Lanes<X>>;
  static constexpr const char* tag = "max";
};

//! @brief  Smallest element: the mirror image of max; empty gives +inf (floating types) or no value.
template <class X>
struct min : std::conditional_t<math::is_floating<X>, detail::min_of_floats<X>, adjoin<detail::min_of_some<X>>> {
  template <template <class> class Lanes>
  using over = min<Lanes<X>>;
  static constexpr const char* tag = "min";
};

TWOFOLD_END_NAMESPACE
