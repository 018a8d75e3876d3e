// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Cross-entropy of rows of logits: log-softmax reduced, and its map applied to one element a row; its gradient, in place.
#pragma once

#include "twofold/cuda/rows.cuh"
#include "twofold/ops/softmax.hpp"

namespace twofold::cuda {

//! A sink for reduce_rows_into(log_softmax<float>{}, …): loss[row] = −log_softmax(row)[target[row]].
//! A target outside [0, columns) (for instance −100) is ignored: its loss is 0.
template <class In, class Target, class Out>
struct cross_entropy_loss {
  row_source<In> logits;
  const Target* targets;
  Out* loss;
  __device__ __forceinline__ void ask(index row) const {
    if constexpr (sizeof(Target) >= 4) ptx::bring_near(targets + row);
  }
  template <class T>
  __device__ __forceinline__ void operator()(index row, const log_softmax_values<T>& answer) const {
    (*this)(row, answer, logits.data + row * logits.pitch);
  }
  //! The same with the row's logits where they are nearer.
  template <class T>
  __device__ __forceinline__ void operator()(index row, const log_softmax_values<T>& answer, const In* elements) const {
    const index t = static_cast<index>(targets[row]);
    const bool counts = t >= 0 && t < logits.columns;
    loss[row] = narrowed<Out>(counts ? -answer(widened<T>(elements[t])) : T(0));
  }
};

//! @brief  loss[row] = ln Σ_j exp(x_j) − x_target, evaluated as log_softmax does: nothing as large as the logits is subtracted.
//! @shape  logits: [rows, columns]; targets, loss: [rows] on the device. @see reduce_rows_into for plans and errors
//! @cost   one read of the logits
template <class In, class Target, class Out>
void cross_entropy(const row_source<In>& logits, const Target* targets, Out* loss, const row_plan& p, workspace w = {},
                   cudaStream_t stream = nullptr) {
  detail::check_rows(logits, loss);
  detail::check_rows(logits, targets);
  reduce_rows_into(log_softmax<float>{}, logits, cross_entropy_loss<In, Target, Out>{logits, targets, loss}, p, w, stream);
}

//! A map for map_rows(softmax<float>{}, …): gradient[row, j] = scale·g[row]·(softmax(row)_j − [j = target]), where `upstream` is null g
//! = 1. Rows whose target is outside [0, columns) get 0. The gradient may be written over the logits.
template <class Target>
struct cross_entropy_gradient {
  const Target* targets;
  index columns;
  float scale = 1;                  //!< 1/rows for the mean of the losses
  const float* upstream = nullptr;  //!< the gradient of each row's loss

  //! The map of a row, or of a slice of it that begins at column `origin`.
  template <class M>
  struct bound {
    M answer;
    float factor;  //!< 0 where the row does not count
    int target;    //!< in the slice; −1: elsewhere
    //! Is all of the row 0? What plain says is 0 then, too.
    __device__ __forceinline__ bool zero() const { return factor == 0; }
    __device__ __forceinline__ bool plain() const { return answer.plain(); }
    template <class A>
    __device__ __forceinline__ float operator()(const A& x, int column) const {
      return of(answer(x), column);
    }
    template <class A>
    __device__ __forceinline__ float plain(const A& x, int column) const {
      return of(answer.plain(x), column);
    }
    //! The 1 is subtracted after the product: an error of an ulp of the factor.
    template <class A>
    __device__ __forceinline__ float plain_narrow(const A& x, int column) const {
      const float y = answer.plain_narrow(x) * factor;
      return column == target ? y - factor : y;
    }

   private:
    __device__ __forceinline__ float of(float weight, int column) const { return (column == target ? weight - 1 : weight) * factor; }
  };
  //! What of_row will read is brought near.
  __device__ __forceinline__ void ask(index row) const {
    if constexpr (sizeof(Target) >= 4) ptx::bring_near(targets + row);
    if (upstream) ptx::bring_near(upstream + row);
  }
  template <class M>
  __device__ __forceinline__ bound<M> of_row(const M& answer, index row, index origin) const {
    const index t = static_cast<index>(targets[row]), here = t - origin;
    const bool counts = t >= 0 && t < columns;
    return {answer, counts ? upstream ? scale * upstream[row] : scale : 0.0f,
            counts && here >= 0 && here < (1 << 30) ? static_cast<int>(here) : -1};
  }
  //! One element alone.
  template <class M, class A>
  __device__ __forceinline__ float operator()(const M& answer, const A& x, index row, index column) const {
    const auto bound = of_row(answer, row, column);
    return bound.zero() ? 0.0f : bound(x, 0);
  }
};

//! @brief  The gradient of cross_entropy with respect to the logits, in place or not.
//! @shape  logits, out: [rows, columns], out at out + row·out_pitch; targets, upstream: [rows] on the device. @see map_rows
//! @cost   one read and one write of the logits where rows stay on the chip
template <class In, class Target, class Out>
void cross_entropy_backward(const row_source<In>& logits, const Target* targets, const float* upstream, float scale, Out* out,
                            index out_pitch, const row_plan& p, workspace w = {}, cudaStream_t stream = nullptr) {
  detail::check_rows(logits, targets);
  map_rows(softmax<float>{}, logits, out, out_pitch, p, w, stream,
           cross_entropy_gradient<Target>{targets, logits.columns, scale, upstream});
}

}  // namespace twofold::cuda
