// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The state of a whole array, for operators that come as text and for several arrays at once. Every lane of a warp owns a run of
//! neighbouring elements and goes on from its own state, so that states are merged once a part of the array and not once a tile.
#pragma once

#include "twofold/cuda/fold_parts.hpp"
#include "twofold/cuda/scan_row.cuh"
#include "twofold/cuda/window.cuh"

namespace twofold::cuda {

template <class R, class In>
struct fold_job {
  R r;
  In in;
  index n = 0;
  index depth = 1;                //!< rows of a lane's run
  state_of<R>* states = nullptr;  //!< one a part, or one a block where the operator commutes
};

//! What blocks may use of a multiprocessor's shared memory: text that is compiled for one device says how much it has.
#ifdef TWOFOLD_SHARED
inline constexpr int fold_shared_memory = TWOFOLD_SHARED;
#else
inline constexpr int fold_shared_memory = 227 << 10;
#endif

//! Sizes that the compiler knows.
template <class R, class In>
struct fold_shape;
template <class R, class... X>
struct fold_shape<R, arrays<const X...>> {
  static constexpr int element = total_size(sizeof(X)...);
  //! A lane's row is 64 to 128 bytes: of 32 single bytes, what a row costs whatever is in it would be most of the time, and 128 take more
  //! than a second to compile.
  static constexpr int E = element <= 2 ? 64 : element <= 4 ? 32 : element <= 8 ? 16 : element <= 16 ? 8 : element <= 32 ? 4 : 2;
  static constexpr int warps = 8, threads = warps * 32, row = 32 * E;
  static constexpr int resident = 2, blocks = resident;  //!< of a multiprocessor, where its shared memory has room for two
  static constexpr bool indexed = !reduces<R, X...>, reverse = false, marked = false;
  using values = windows<E, X...>;
  static constexpr int bytes = values::slot_bytes * warps;
  static constexpr int fit = bytes == 0 ? 2 : (fold_shared_memory / resident - 1024) / bytes, stages = fit < 2 ? 2 : fit < 4 ? fit : 4;
  static constexpr int shared_bytes = bytes * stages;
};

namespace detail {
//! Has R a leaf of its own that asks for the position of the first element?
template <class R, class Tile>
inline constexpr bool has_leaf_at = requires(const R& r, state_of<R>& s, index at, const Tile& tile) {
  r.leaf_into(s, at, tile);
};

//! Has R a form of its own for up to R::few elements, whose states it can take up (integers of fewer bits)?
template <class R>
inline constexpr bool counts_few = requires(const R& r) {
  r.widened(r.of_few().identity());
};

//! s ⊙ the state of a lane's row, none of it absent. States of a few words start anew with every row, as two chains whose latencies
//! overlap; wide ones go on, which merges nothing.
template <class Shape, class R, class Values>
__device__ __forceinline__ void fold_row_whole(const R& r, state_of<R>& s, const Values& x, index at) {
  using tile = row_tile<Values, Shape::E>;
  if constexpr (Shape::indexed && has_leaf_at<R, tile>) r.leaf_into(s, at, tile{x});
  else if constexpr (!Shape::indexed && twofold::detail::has_leaf<R, tile>) leaf_into(r, s, tile{x});
  else if constexpr (sizeof(s) <= 32) combine_into(r, s, fold_halves<Shape>(r, x, at));
  else {
    state_of<R> t = s;  // a copy that is never seen as words: compilers then know the flags in it
#pragma unroll
    for (int k = 0; k < Shape::E; ++k) scan_push<Shape>(r, t, x, k, at + k);
    s = t;
  }
}
//! The same; counted in fewer bits where R has a form for few elements.
template <class Shape, class R, class Values>
__device__ __forceinline__ void fold_row_into(const R& r, state_of<R>& s, const Values& x, index at) {
  if constexpr (counts_few<R>) {
    static_assert(Shape::E <= R::few);
    const auto in_few = [&] { combine_into(r, s, r.widened(fold_halves<Shape>(r.of_few(), x, at))); };
    if constexpr (requires { &R::is_small; }) {
      bool small = true;
#pragma unroll
      for (int k = 0; k < Shape::E; ++k) x.apply(k, [&](const auto&... one) { small = small && r.is_small(one...); });
      if (small) return in_few();
      fold_row_whole<Shape>(r, s, x, at);
    } else {
      in_few();
    }
  } else {
    fold_row_whole<Shape>(r, s, x, at);
  }
}
}  // namespace detail

//! @cost one read of the arrays; a merge of 32 states a part. 16 warps of a multiprocessor; none waits for another
template <class R, class In>
__device__ __forceinline__ void fold_runs(const fold_job<R, In>& job) {
  using shape = fold_shape<R, In>;
  using values = typename shape::values;
  constexpr int E = shape::E, warps = shape::warps, stages = shape::stages;
  constexpr bool free = is_commutative<R>;
  extern __shared__ __align__(128) unsigned char memory[];
  const R& r = job.r;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const fold_parts parts(job.n, shape::row, free ? 1 : job.depth);
  const index step = static_cast<index>(gridDim.x) * warps;
  const bool off = values::off_vectors(job.in);
  unsigned char* const mine = memory + warp * stages * values::slot_bytes;
  struct place {     // a row of every lane
    index part, at;  // the position of lane 0
    int row, deep;
  };
  const auto begin = [&](index part) {
    return place{part, parts.begin(part) * shape::row, 0, static_cast<int>(parts.depth_of_part(part))};
  };
  const auto next = [&](place& p) {
    p.at += E;
    if (++p.row == p.deep) p = begin(p.part + step);
  };
  const auto load = [&](place& p, int stage) {
    if (p.part < parts.all) {
      const std::uint32_t to = ptx::shared_address(mine + stage * values::slot_bytes);
      const bool at_end = (p.part == 0 && p.row == 0) || (p.part == parts.full - 1 && p.row == p.deep - 1);
      if (values::never_vectors || p.part >= parts.full || (off && at_end)) values::load_some(to, job.in, p.at, p.deep * E, job.n, lane);
      else values::load(to, job.in, p.at, p.deep * E, lane);
      next(p);
    }
    ptx::async_commit();
  };
  const index first = static_cast<index>(blockIdx.x) * warps + warp;
  place coming = begin(first), here = coming;
  for (int s = 0; s < stages - 1; ++s) load(coming, s);
  state_of<R> s = r.identity();
  for (int stage = 0; here.part < parts.all;) {
    ptx::async_wait<stages - 2>();
    __syncwarp();
    load(coming, stage == 0 ? stages - 1 : stage - 1);
    const unsigned char* const slot = mine + stage * values::slot_bytes;
    const index at = here.at + lane * here.deep * E;
    if (at + E <= job.n) {
      values x;
      x.read(job.in, slot, lane);
      detail::fold_row_into<shape>(r, s, x, at);
    } else {
#pragma unroll 1
      for (int k = 0; at + k < job.n; ++k)
        values::one(job.in, slot, lane, k, [&](const auto&... x) {
          if constexpr (shape::indexed) push_into(r, s, at + k, x...);
          else push_into(r, s, x...);
        });
    }
    const index part = here.part;
    next(here);
    if constexpr (!free)
      if (here.row == 0) {
        __syncwarp();
        s = warp_inclusive(r, s, lane);
        if (lane == 31) job.states[part] = s;
        s = r.identity();
      }
    stage = stage == stages - 1 ? 0 : stage + 1;
  }
  if constexpr (free) {
    __shared__ __align__(16) unsigned char room[warps * sizeof(state_of<R>)];
    auto* const warp_state = reinterpret_cast<state_of<R>*>(room);
    __syncwarp();
#pragma unroll 1
    for (int turn = 0; turn < 2; ++turn) {  // lanes, then warps
      if (turn == 1 && warp > 0) return;
      if (turn == 1) s = lane < warps ? warp_state[lane] : r.identity();
      s = warp_inclusive(r, s, lane);
      if (lane == 31) (turn == 0 ? warp_state[warp] : job.states[blockIdx.x]) = s;
      if (turn == 0) __syncthreads();
    }
  }
}

//! One block of 1024 threads: the first `count` states, in order, into *to.
template <class R>
__device__ __forceinline__ void fold_states(const R& r, const state_of<R>* states, index count, state_of<R>* to) {
  __shared__ __align__(16) unsigned char room[32 * sizeof(state_of<R>)];
  state_of<R>* const warp_state = reinterpret_cast<state_of<R>*>(room);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const index each = (count + 1023) / 1024, first = each * static_cast<index>(threadIdx.x);
  state_of<R> s = r.identity();
#pragma unroll 1
  for (index i = first; i < first + each && i < count; ++i) s = r.combine(s, states[i]);
#pragma unroll 1
  for (int turn = 0; turn < 2; ++turn) {  // lanes, then warps
    if (turn == 1 && warp > 0) return;
    if (turn == 1) s = warp_state[lane];
    s = warp_inclusive(r, s, lane);
    if (lane == 31) *(turn == 0 ? warp_state + warp : to) = s;
    if (turn == 0) __syncthreads();
  }
}

}  // namespace twofold::cuda
