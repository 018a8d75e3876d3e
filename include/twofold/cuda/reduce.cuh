// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Several arrays walked together and reduced to one answer, by any operator: dot products, covariances, weighted moments.
//! One array alone is a row (rows.cuh), for which there are more plans.
#pragma once

#include "twofold/cuda/element.cuh"
#include "twofold/cuda/fold_tiles.cuh"
#include "twofold/cuda/launch.hpp"
#include "twofold/cuda/scan.cuh"

namespace twofold::cuda {

//! How a reduction of arrays will run: chosen by plan_reduce, printable, and the caller's to change before launching.
struct reduce_plan {
  int blocks = 0;             //!< any number from 1; tiles are dealt round robin
  index tile = 0;             //!< elements
  int shared = 0;             //!< bytes of shared memory a block
  std::size_t workspace = 0;  //!< bytes of device memory, aligned to 16; any contents
};

namespace kernels {
template <class R, class In>
__global__ void __launch_bounds__(fold_shape<R, In>::threads, 1) fold_arrays(const __grid_constant__ fold_job<R, In> job) {
  fold_tiles(job);
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
//! States that the first kernel leaves, and one for the whole.
template <class R, class In>
std::size_t states_of_reduce(index n, int blocks) {
  const index tiles = (n + fold_shape<R, In>::tile - 1) / fold_shape<R, In>::tile;
  return 1 + static_cast<std::size_t>(is_commutative<R> && blocks < tiles ? blocks : tiles);
}
}  // namespace detail

//! @brief  What reduce needs for n elements of these arrays: a block for every multiprocessor.
//! @errors TF3213 a negative length · TF3207 CUDA's own
template <reduction R, class... X>
reduce_plan plan_reduce(const R&, const arrays<const X...>&, index n) {
  using shape = fold_shape<R, arrays<const X...>>;
  static_assert(shape::shared_bytes + 2 * shape::warps * sizeof(state_of<R>) <= (227 << 10), "the elements are too large");
  if (n < 0) detail::refuse_reduce("its length is " + std::to_string(n), "a length of 0 or more");
  const index tiles = (n + shape::tile - 1) / shape::tile;
  const int sms = tiles > 0 ? detail::limits_of_device().sms : 1;
  reduce_plan p{static_cast<int>(tiles < sms ? (tiles > 0 ? tiles : 1) : sms), shape::tile, shape::shared_bytes, 0};
  p.workspace = detail::states_of_reduce<R, arrays<const X...>>(n, p.blocks) * sizeof(state_of<R>);
  return p;
}

//! @brief  *out = finalize of the state of all elements; of the identity where n is 0.
//! @math   a lane folds neighbouring elements (by the operator's leaf where it has one), a warp scans its lanes, a tile its warps, one
//! block
//!         the tiles. Operators that commute merge a lane's tiles first and are merged once at the end
//! @shape  one element of every array a position; arrays aligned to 16 bytes are moved by vectors, others by elements; out: one answer in
//!         device memory
//! @order  the operator's order is kept, and the bits do not depend on plan.blocks, unless the operator says that it commutes: then they
//!         are those of the same number of blocks (and of any number, where merging is exact)
//! @errors TF3213 null arrays, a workspace or plan that does not fit: before anything is launched · TF3207 CUDA's own
//! @cost   one read of the arrays, a merge a lane and tile; two launches. Asynchronous on the stream; nothing is allocated; can be captured
//!         in a graph
template <reduction R, class... X, class Out>
void reduce(const R& r, const arrays<const X...>& in, index n, Out* out, const reduce_plan& plan, void* workspace,
            cudaStream_t stream = nullptr) {
  using In = arrays<const X...>;
  using shape = fold_shape<R, In>;
  if (n < 0) detail::refuse_reduce("its length is " + std::to_string(n), "a length of 0 or more");
  if ((n > 0 && detail::any_null(in)) || out == nullptr)
    detail::refuse_reduce("an array is a null pointer", "device memory for every array");
  if (plan.tile != shape::tile || plan.shared != shape::shared_bytes || plan.blocks < 1)
    detail::refuse_reduce("the plan is not one of this problem", "plan_reduce for the same operator and arrays, with 1 block or more");
  const std::size_t states = detail::states_of_reduce<R, In>(n, plan.blocks);
  if (workspace == nullptr || reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0 || plan.workspace < states * sizeof(state_of<R>))
    detail::refuse_reduce("the workspace is null, not aligned to 16 bytes, or too small for so many blocks",
                          std::to_string(states * sizeof(state_of<R>)) + " bytes of device memory");
  auto* const whole = static_cast<state_of<R>*>(workspace);
  fold_job<R, In> job{r, in, n, whole + 1};
  const index tiles = (n + shape::tile - 1) / shape::tile, blocks = plan.blocks < tiles ? plan.blocks : tiles;
  if (n > 0) detail::launch_with(kernels::fold_arrays<R, In>, blocks, shape::threads, 1, shape::shared_bytes, stream, job);
  detail::launch_with(kernels::fold_all<R, Out>, 1, 1024, 1, 0, stream, r, static_cast<const state_of<R>*>(whole + 1),
                      static_cast<index>(n > 0 ? states - 1 : 0), whole, out);
}

}  // namespace twofold::cuda
