// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Several arrays walked together and reduced to one answer, by any operator: dot products, covariances, weighted moments.
//! One array alone is a row (rows.cuh), for which there are more plans.
#pragma once

#include "twofold/cuda/element.cuh"
#include "twofold/cuda/fold_runs.cuh"
#include "twofold/cuda/launch.hpp"
#include "twofold/cuda/scan.cuh"

namespace twofold::cuda {

//! How a reduction of arrays will run: chosen by plan_reduce, printable, and the caller's to change before launching.
struct reduce_plan {
  int blocks = 0;             //!< any number from 1; parts are dealt round robin to their warps
  index depth = 0;            //!< rows of a lane's run, of which 32 are a part: the bracketing of operators that do not commute
  int shared = 0;             //!< bytes of shared memory a block
  std::size_t workspace = 0;  //!< bytes of device memory, aligned to 16; any contents
};

namespace kernels {
template <class R, class In>
__global__ void __launch_bounds__(fold_shape<R, In>::threads, fold_shape<R, In>::resident)
    fold_arrays(const __grid_constant__ fold_job<R, In> job) {
  fold_runs(job);
}
template <class R, class Out>
__global__ void __launch_bounds__(1024, 1) fold_all(const R r, const state_of<R>* states, index count, state_of<R>* whole, Out* out) {
  fold_states(r, states, count, whole);
  if (threadIdx.x == 31) *out = narrowed<Out>(r.finalize(*whole));
}
}  // namespace kernels

namespace detail {
[[noreturn]] inline void refuse_reduce(const std::string& limit, const std::string& works) {
  throw error("TF3213", "a reduction of arrays on the device", limit, works);
}
//! Blocks that have something to do.
template <class R, class In>
index blocks_of_reduce(index n, index depth, index blocks) {
  using shape = fold_shape<R, In>;
  const index most = (fold_parts(n, shape::row, is_commutative<R> ? 1 : depth).all + shape::warps - 1) / shape::warps;
  return blocks < most ? blocks : most;
}
//! States that the first kernel leaves, and one for the whole.
template <class R, class In>
std::size_t states_of_reduce(index n, index depth, index blocks) {
  if (n == 0) return 1;
  const index states = is_commutative<R> ? blocks_of_reduce<R, In>(n, depth, blocks) : fold_parts(n, fold_shape<R, In>::row, depth).all;
  return 1 + static_cast<std::size_t>(states);
}
}  // namespace detail

//! @brief  What reduce needs for n elements of these arrays: a block for every multiprocessor.
//! @errors TF3213 a negative length · TF3207 CUDA's own
template <reduction R, class... X>
reduce_plan plan_reduce(const R&, const arrays<const X...>&, index n) {
  using shape = fold_shape<R, arrays<const X...>>;
  static_assert(shape::shared_bytes + shape::warps * sizeof(state_of<R>) <= (227 << 10), "the elements are too large");
  if (n < 0) detail::refuse_reduce("its length is " + std::to_string(n), "a length of 0 or more");
  reduce_plan p{1, fold_parts::depth_of(n, shape::row), shape::shared_bytes, 0};
  if (n > 0) {
    const detail::device_limits d = detail::limits_of_device();
    if (p.shared > d.shared)
      detail::refuse_reduce(
          "it needs " + std::to_string(p.shared) + " bytes of shared memory a block, this device has " + std::to_string(d.shared),
          "a device of compute capability 8.0 or 9.0");
    p.blocks = static_cast<int>(detail::blocks_of_reduce<R, arrays<const X...>>(n, p.depth, index{d.sms} * shape::resident));
  }
  p.workspace = detail::states_of_reduce<R, arrays<const X...>>(n, p.depth, p.blocks) * sizeof(state_of<R>);
  return p;
}

//! @brief  *out = finalize of the state of all elements; of the identity where n is 0.
//! @math   a lane folds a run of neighbouring elements (by the operator's leaf where it has one), a warp merges its lanes, one block the
//!         parts that warps leave. Lanes of operators that commute go on from part to part, and are merged once at the end
//! @shape  one element of every array a position; arrays aligned to 16 bytes are moved by vectors, others by elements; out: one answer in
//!         device memory
//! @order  the operator's order is kept, and the bits do not depend on plan.blocks, unless the operator says that it commutes: then they
//!         are those of the same number of blocks (and of any number, where merging is exact)
//! @errors TF3213 null arrays, a workspace or plan that does not fit: before anything is launched · TF3207 CUDA's own
//! @cost   one read of the arrays, a merge a lane and part; two launches. Asynchronous on the stream; nothing is allocated; can be captured
//!         in a graph
template <reduction R, class... X, class Out>
void reduce(const R& r, const arrays<const X...>& in, index n, Out* out, const reduce_plan& plan, void* workspace,
            cudaStream_t stream = nullptr) {
  using In = arrays<const X...>;
  using shape = fold_shape<R, In>;
  if (n < 0) detail::refuse_reduce("its length is " + std::to_string(n), "a length of 0 or more");
  if ((n > 0 && detail::any_null(in)) || out == nullptr)
    detail::refuse_reduce("an array is a null pointer", "device memory for every array");
  if (plan.depth < 1 || plan.depth > fold_parts::most || plan.shared != shape::shared_bytes || plan.blocks < 1)
    detail::refuse_reduce("the plan is not one of this problem",
                          "plan_reduce for the same operator and arrays, with 1 block or more and runs of 1 to " +
                              std::to_string(fold_parts::most) + " rows");
  const std::size_t states = detail::states_of_reduce<R, In>(n, plan.depth, plan.blocks);
  if (workspace == nullptr || reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0 || plan.workspace < states * sizeof(state_of<R>))
    detail::refuse_reduce("the workspace is null, not aligned to 16 bytes, or too small for so many blocks",
                          std::to_string(states * sizeof(state_of<R>)) + " bytes of device memory");
  auto* const whole = static_cast<state_of<R>*>(workspace);
  fold_job<R, In> job{r, in, n, plan.depth, whole + 1};
  const index blocks = detail::blocks_of_reduce<R, In>(n, plan.depth, plan.blocks);
  if (n > 0) detail::launch_with(kernels::fold_arrays<R, In>, blocks, shape::threads, 1, shape::shared_bytes, stream, job);
  detail::launch_with(kernels::fold_all<R, Out>, 1, 1024, 1, 0, stream, r, static_cast<const state_of<R>*>(whole + 1),
                      static_cast<index>(n > 0 ? states - 1 : 0), whole, out);
}

}  // namespace twofold::cuda
