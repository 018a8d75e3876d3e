// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Cross-entropy of rows of logits: log-softmax reduced, and its map applied to one element a row.
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
  template <class T>
  __device__ __forceinline__ void operator()(index row, const log_softmax_values<T>& answer) const {
    const index t = static_cast<index>(targets[row]);
    const bool counts = t >= 0 && t < logits.columns;
    loss[row] = narrowed<Out>(counts ? -answer(widened<T>(logits.data[row * logits.pitch + t])) : T(0));
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

}  // namespace twofold::cuda
