// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Vectors of two rows as a source of what is reduced, and what is mapped from them.
#pragma once

#include "twofold/cuda/row_kernels.cuh"

namespace twofold::cuda::kernels {

//! Two functions, given apart, of pairs: what is reduced and what is written. Maps that keep something of a row or of neighbouring columns
//! in registers bring an `of_row` of their own (backward.cuh).
template <class Before, class F>
struct pair_maps {
  Before before;
  F f;
  struct nothing {};
  struct bound {
    const pair_maps& how;
    index row;
    template <int E>
    __device__ __forceinline__ nothing beside(index, index) const {
      return {};
    }
    template <class X, class Y, class Then>
    __device__ __forceinline__ void reduce(nothing, int, index column, const X& x, const Y& y, const Then& then) const {
      how.before(row, column, x, y, then);
    }
    template <class Answer, class X, class Y>
    __device__ __forceinline__ auto map(const Answer& answer, nothing, int, index column, const X& x, const Y& y) const {
      return how.f(answer, row, column, x, y);
    }
  };
  __device__ __forceinline__ bound of_row(index row) const { return {*this, row}; }
};

//! Elements of both rows as a source of the inputs of R. Whole: none is absent.
template <class X, class Y, int V, class Bound, bool Whole = false>
struct pair_tile {
  static constexpr int E = per_vector<X>;
  using beside = decltype(std::declval<const Bound&>().template beside<E>(index{}, index{}));
  const uint4 (&x)[V];
  const uint4 (&y)[V];
  const beside (&more)[V];
  slots_of_thread slots;
  int count;
  index origin;  //!< of column 0 of a piece
  const Bound& how;
  __device__ __forceinline__ static constexpr index size() { return V * E; }
  template <class F>
  __device__ __forceinline__ void apply(index i, F&& f) const {
    const int k = static_cast<int>(i), v = k / E, column = (slots.first + v * slots.step) * E + k % E;
    if (!Whole && column >= count) return;
    how.reduce(more[v], k % E, origin + column, element<X, computed_of<X>>(x[v], k % E), element<Y, computed_of<Y>>(y[v], k % E), f);
  }
};

//! A vector of either row mapped: columns [at, at + E) of a piece of `count` columns that begins at `origin`; `to` is its first output.
template <class X, class Y, class Out, class Answer, class Bound, class Beside>
__device__ __forceinline__ void write_pairs(Out* to, int at, int count, index origin, bool aligned, const Answer& answer, const Bound& how,
                                            const Beside& more, const uint4& x, const uint4& y) {
  constexpr int E = per_vector<X>;
  computed_of<X> z[E];
  const auto map = [&](int e) {
    z[e] = how.map(answer, more, e, origin + at + e, element<X, computed_of<X>>(x, e), element<Y, computed_of<Y>>(y, e));
  };
  if (aligned && at + E <= count) {
#pragma unroll
    for (int e = 0; e < E; ++e) map(e);
    store_bundle(to + at, z);
  } else {
#pragma unroll
    for (int e = 0; e < E; ++e)
      if (at + e < count) map(e), to[at + e] = narrowed<Out>(z[e]);
  }
}

}  // namespace twofold::cuda::kernels
