// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Backward passes of row operators: softmax, layer and RMS norm with the sums for their weights. (Cross-entropy: cross_entropy.cuh.)
#pragma once

#include "twofold/cuda/columns.cuh"
#include "twofold/cuda/row_pairs.cuh"
#include "twofold/ops/sum.hpp"

namespace twofold::cuda {

namespace detail {
//! dx = y·(dy − Σ y·dy).
struct softmax_gradient {
  template <class A>
  __device__ __forceinline__ A operator()(const A& dot, index, index, const A& y, const A& dy) const {
    return y * (dy - dot);
  }
};
}  // namespace detail

//! @brief  The gradient of softmax with respect to its input, from its output y and the gradient dy of that.
//! @math   dx_j = y_j·(dy_j − Σ_i y_i·dy_i)
//! @error  |Δdx_j| ≤ u·y_j·(2|dy_j| + (h + 2)·Σ|y·dy|), h the height of the tree
//! @cost   one read of y and dy, one write. @see map_row_pairs for shapes and errors
template <class T>
void softmax_backward(const row_source<T>& y, const T* dy, index dy_pitch, T* dx, index dx_pitch, workspace w = {},
                      cudaStream_t stream = nullptr) {
  map_row_pairs(sum<float>{}, y, dy, dy_pitch, dx, dx_pitch, product_of_two{}, detail::softmax_gradient{}, w, stream);
}

//! What the forward pass of a norm knows of a row.
struct norm_statistics {
  float mean;   //!< 0 for RMS norm
  float scale;  //!< 1/√(variance + epsilon), or 1/√(mean square + epsilon)
};
//! A sink for reduce_rows_into(layer_norm<float, float>{}, …) or of rms_norm: the statistics of every row.
struct keep_statistics {
  norm_statistics* out;
  template <class Answer>
  __device__ __forceinline__ void operator()(index row, const Answer& a) const {
    if constexpr (requires { a.mean; }) out[row] = {a.mean, a.scale};
    else out[row] = {0, a.scale};
  }
};

namespace detail {
struct two_sums {
  struct state {
    float g, gx;
    friend constexpr bool operator==(const state&, const state&) = default;
  };
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  TWOFOLD_HD constexpr state identity() const { return {0, 0}; }
  TWOFOLD_HD constexpr state lift(const float& g, const float& x) const { return {g, g * x}; }
  TWOFOLD_HD void push_into(state& s, const float& g, const float& x) const { s.g += g, s.gx = math::fma(g, x, s.gx); }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const { return {a.g + b.g, a.gx + b.gx}; }
  TWOFOLD_HD constexpr state finalize(const state& s) const { return s; }
};
//! g = weight·dy and the normalised x of an element. The weights of a thread's columns are read once, by vectors.
template <class W>
struct norm_gradient {
  const norm_statistics* rows;
  const W* weight;
  float per_column;  //!< 1/columns
  bool centred;      //!< layer norm: the mean was subtracted

  //! As they lie in memory: widened when they are used.
  template <int E>
  struct weights {
    bundle<W, E> b;
    __device__ __forceinline__ float of(int e) const { return widened<float>(b.x[e]); }
  };
  struct bound {
    const norm_gradient& how;
    float mean, scale;
    //! Of columns [column, column + E), 1 where there is none.
    template <int E>
    __device__ __forceinline__ weights<E> beside(index column, index columns) const {
      weights<E> w;
      const W* const from = how.weight + column;
      constexpr int step = sizeof w.b < 16 ? sizeof w.b : 16;
      using part = bundle<W, step / static_cast<int>(sizeof(W))>;
      if (how.weight == nullptr) {
#pragma unroll
        for (W& x : w.b.x) x = narrowed<W>(1.0f);
      } else if (column + E <= columns && reinterpret_cast<std::uintptr_t>(from) % step == 0) {
#pragma unroll
        for (int k = 0; k < static_cast<int>(sizeof w.b) / step; ++k)
          reinterpret_cast<part*>(&w.b)[k] = reinterpret_cast<const part*>(from)[k];
      } else {
#pragma unroll
        for (int e = 0; e < E; ++e) w.b.x[e] = column + e < columns ? from[e] : narrowed<W>(1.0f);
      }
      return w;
    }
    template <int E, class F>
    __device__ __forceinline__ void reduce(const weights<E>& w, int e, index, float x, float dy, const F& then) const {
      then(dy * w.of(e), (x - mean) * scale);
    }
    template <int E>
    __device__ __forceinline__ float map(const two_sums::state& sums, const weights<E>& w, int e, index, float x, float dy) const {
      const float normalised = (x - mean) * scale;
      return scale * (dy * w.of(e) - ((how.centred ? sums.g : 0.0f) + normalised * sums.gx) * how.per_column);
    }
  };
  __device__ __forceinline__ void ask(index row) const { ptx::bring_near(&rows[row].mean); }
  __device__ __forceinline__ bound of_row(index row) const {
    const float2 s = __ldg(reinterpret_cast<const float2*>(rows) + row);
    return {*this, s.x, s.y};
  }
};

//! Per column over rows [begin, end) of a part: Σ dy·x̂ and Σ dy. A thread has E neighbouring columns; warps take rows in turn.
template <int E, class T>
__global__ void __launch_bounds__(256)
    norm_column_sums(const row_source<T> in, const T* const dy, const index dy_pitch, const norm_statistics* const rows, const index parts,
                     two_sums::state* const partial) {
  __shared__ float room[8][32 * E * 2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const index part = blockIdx.x % parts, column = (blockIdx.x / parts * 32 + lane) * E;
  const index each = in.rows / parts, longer = in.rows % parts, begin = part * each + (part < longer ? part : longer);
  const index end = begin + each + (part < longer);
  float g[E] = {}, gx[E] = {};
  if (column < in.columns)
#pragma unroll 4
    for (index r = begin + warp; r < end; r += 8) {
      const float2 s = __ldg(reinterpret_cast<const float2*>(rows) + r);
      kernels::chunk<T, E> x, d;
      x.load(in.data + r * in.pitch + column);
      d.load(dy + r * dy_pitch + column);
#pragma unroll
      for (int e = 0; e < E; ++e) {
        const float of = d.template get<float>(e);
        g[e] += of;
        gx[e] = fmaf(of, (x.template get<float>(e) - s.x) * s.y, gx[e]);
      }
    }
#pragma unroll
  for (int e = 0; e < E; ++e) room[warp][2 * (lane * E + e)] = g[e], room[warp][2 * (lane * E + e) + 1] = gx[e];
  __syncthreads();
  for (int c = static_cast<int>(threadIdx.x); c < 32 * E; c += 256) {
    const index at = blockIdx.x / parts * 32 * E + c;
    if (at >= in.columns) continue;
    two_sums::state sum{0, 0};
    for (int w = 0; w < 8; ++w) sum.g += room[w][2 * c], sum.gx += room[w][2 * c + 1];
    partial[part * in.columns + at] = sum;
  }
}
//! The sums of the parts, in order.
template <class W>
__global__ void __launch_bounds__(256)
    norm_weight_gradients(const two_sums::state* const partial, const index parts, const index columns, W* const weight, W* const bias) {
  const index c = static_cast<index>(blockIdx.x) * 256 + threadIdx.x;
  if (c >= columns) return;
  two_sums::state sum{0, 0};
  for (index k = 0; k < parts; ++k) {
    const auto more = partial[k * columns + c];
    sum.g += more.g, sum.gx += more.gx;
  }
  if (weight) weight[c] = narrowed<W>(sum.gx);
  if (bias) bias[c] = narrowed<W>(sum.g);
}
//! Pieces of the rows: enough blocks for a card where there are few columns, of at least 64 rows.
constexpr index norm_parts(index rows, index columns) {
  const index strips = rounded_up_division(columns, 128), wanted = strips >= 16 ? 64 : 1024 / (strips > 0 ? strips : 1);
  const index most = rounded_up_division(rows > 0 ? rows : 1, 64);
  return wanted < most ? wanted : most;
}
}  // namespace detail

//! @brief  The gradient of layer norm (centred) or RMS norm with respect to its input, from that input, the gradient dy of the output, the
//!         weights (null: 1) and the statistics that keep_statistics kept.
//! @math   g = w·dy, x̂ = (x − mean)·scale: dx = scale·(g − (Σg + x̂·Σ g·x̂)/n), without Σg for RMS norm
//! @cost   one read of x and dy, one write. @see map_row_pairs for shapes and errors
template <class T, class W>
void norm_backward(const row_source<T>& x, const T* dy, index dy_pitch, const W* weight, const norm_statistics* statistics, bool centred,
                   T* dx, index dx_pitch, workspace memory = {}, cudaStream_t stream = nullptr) {
  detail::check_rows(x, statistics);
  const detail::norm_gradient<W> how{statistics, weight, x.columns > 0 ? 1.0f / static_cast<float>(x.columns) : 0.0f, centred};
  map_row_pairs(detail::two_sums{}, x, dy, dy_pitch, dx, dx_pitch, how, memory, stream);
}
//! Bytes of workspace that norm_backward needs for very long rows. @see map_row_pairs_workspace
template <class T>
std::size_t norm_backward_workspace(const row_source<T>& x) {
  return map_row_pairs_workspace<detail::two_sums>(x, true);
}

//! Bytes of workspace of norm_weights_backward.
inline std::size_t norm_weights_workspace(index rows, index columns) {
  return static_cast<std::size_t>(detail::norm_parts(rows, columns) * columns) * sizeof(detail::two_sums::state);
}
//! @brief  The gradients of a norm's weight and bias (either may be null): weight_c = Σ_rows dy·x̂, bias_c = Σ_rows dy.
//! @order  64 to 1024 parts of the rows, by shape, in each every eighth row by one of eight warps, all merged in order: the same bits in
//! every run
//! @cost   one read of x and dy
template <class T, class W>
void norm_weights_backward(const row_source<T>& x, const T* dy, index dy_pitch, const norm_statistics* statistics, W* weight, W* bias,
                           workspace w, cudaStream_t stream = nullptr) {
  detail::check_rows(x, dy);
  detail::check_rows(x, statistics);
  detail::check_workspace(w, norm_weights_workspace(x.rows, x.columns), "the gradients of a norm's weights");
  if (x.columns == 0) return;
  const index parts = detail::norm_parts(x.rows, x.columns);
  auto* const partial = static_cast<detail::two_sums::state*>(w.data);
  constexpr int E = per_vector<T>;
  const auto starts = [&](const void* data, index pitch) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (x.rows <= 1 || pitch % E == 0);
  };
  const bool wide = starts(x.data, x.pitch) && starts(dy, dy_pitch) && x.columns % E == 0;
  const auto kernel = wide ? detail::norm_column_sums<E, T> : detail::norm_column_sums<1, T>;
  detail::launch_with(kernel, detail::rounded_up_division(x.columns, 32 * (wide ? E : 1)) * parts, 256, 1, 0, stream, x, dy, dy_pitch,
                      statistics, parts, partial);
  detail::launch_with(detail::norm_weight_gradients<W>, detail::rounded_up_division(x.columns, 256), 256, 1, 0, stream,
                      static_cast<const detail::two_sums::state*>(partial), parts, x.columns, weight, bias);
}

}  // namespace twofold::cuda
