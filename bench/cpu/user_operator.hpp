// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A user's operator: the largest sum of a prefix. Not commutative. Once generic in the number, once as plain scalar code.
#pragma once

#include "twofold/algebra/math.hpp"
#include "twofold/algebra/reduction.hpp"

namespace bench {

template <class T>
struct best_prefix {
  struct state {
    T sum, best;
  };
  template <template <class> class Lanes>
  using over = best_prefix<Lanes<T>>;
  state identity() const { return {T(0), T(-twofold::math::infinity<T>)}; }
  state lift(const T& x) const { return {x, x}; }
  state combine(const state& a, const state& b) const {
    const T through = a.sum + b.best;
    return {a.sum + b.sum, twofold::math::select(a.best < through, through, a.best)};
  }
  T finalize(const state& s) const { return s.best; }
};

struct scalar_best_prefix {
  using state = best_prefix<float>::state;
  state identity() const { return {0, -twofold::math::infinity<float>}; }
  state lift(float x) const { return {x, x}; }
  state combine(const state& a, const state& b) const {
    const float through = a.sum + b.best;
    return {a.sum + b.sum, a.best < through ? through : a.best};
  }
  float finalize(const state& s) const { return s.best; }
};

}  // namespace bench
