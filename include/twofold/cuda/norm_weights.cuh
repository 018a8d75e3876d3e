// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Weights and biases of norms: what map_rows applies after the answer, one pair for each column.
#pragma once

#include "twofold/cuda/element.cuh"

namespace twofold::cuda {

//! A map for map_rows: y = answer(x)·weight[column] + bias[column]. Either pointer may be null: then 1, or 0.
//! @example map_rows(layer_norm<float, float>{}, in, out, pitch, plan, memory, stream, norm_weights<float>{gamma, beta})
template <class W>
struct norm_weights {
  const W* weight = nullptr;
  const W* bias = nullptr;

  template <class M, class A>
  __device__ __forceinline__ auto operator()(const M& answer, const A& x, index, index column) const {
    const float y = answer(x);
    return fmaf(y, weight ? widened<float>(weight[column]) : 1.0f, bias ? widened<float>(bias[column]) : 0.0f);
  }

  //! The weights of E neighbouring columns, fetched as widely as their address allows.
  template <int E>
  struct neighbours {
    float w[E], b[E];
    template <class M, class A>
    __device__ __forceinline__ float operator()(const M& answer, const A& x, int e) const {
      return fmaf(static_cast<float>(answer(x)), w[e], b[e]);
    }
  };
  //! Of columns [column, column + E), all of which exist.
  template <int E>
  __device__ __forceinline__ neighbours<E> at(index column) const {
    neighbours<E> n;
    fetch<E>(n.w, weight, column, 1.0f);
    fetch<E>(n.b, bias, column, 0.0f);
    return n;
  }

 private:
  template <int E>
  __device__ __forceinline__ static void fetch(float (&to)[E], const W* from, index column, float otherwise) {
#pragma unroll
    for (int e = 0; e < E; ++e) to[e] = otherwise;
    if (from == nullptr) return;
    if (reinterpret_cast<std::uintptr_t>(from + column) % alignof(bundle<W, E>) == 0) {
      const bundle<W, E> some = *reinterpret_cast<const bundle<W, E>*>(from + column);
#pragma unroll
      for (int e = 0; e < E; ++e) to[e] = widened<float>(some.x[e]);
    } else {
#pragma unroll
      for (int e = 0; e < E; ++e) to[e] = widened<float>(from[column + e]);
    }
  }
};

}  // namespace twofold::cuda
