// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The scan of what one wave of small blocks holds in registers: one launch, one exchange.
#pragma once

#include "twofold/cuda/block.cuh"
#include "twofold/cuda/scan_waves.cuh"

namespace twofold::cuda {

//! Sizes of the small scan: few elements a thread, many threads, so that every load is in flight at once.
template <class Shape>
struct small_scan;
template <class R, class... X, class... Y, bool Exclusive, bool Reverse, heads Heads>
struct small_scan<scan_shape<R, arrays<const X...>, arrays<Y...>, Exclusive, Reverse, Heads>>
    : scan_shape<R, arrays<const X...>, arrays<Y...>, Exclusive, Reverse, Heads> {
  using base = scan_shape<R, arrays<const X...>, arrays<Y...>, Exclusive, Reverse, Heads>;
  static constexpr int E = base::element <= 4 ? 4 : base::element <= 8 ? 2 : 1;
  static constexpr int warps = 16, threads = 32 * warps, tile = threads * E;
  using values = row_values<E, X...>;
};

namespace detail {

//! A lane's neighbouring elements, straight into registers.
template <int E>
__device__ __forceinline__ void load_direct(row_values<E>&, const arrays<>&, index, index, bool) {}
template <int E, class Head, class... Tail>
__device__ __forceinline__ void load_direct(row_values<E, Head, Tail...>& v, const arrays<const Head, const Tail...>& in, index at, index n,
                                            bool vectors) {
  using mine = row<Head, E>;
  if (vectors && at + E <= n) {
    const char* from = reinterpret_cast<const char*>(in.data + at);
#pragma unroll
    for (int j = 0; j < mine::units; ++j) get<mine::unit>(reinterpret_cast<unsigned char*>(v.x) + j * mine::unit, from + j * mine::unit);
  } else {
#pragma unroll
    for (int k = 0; k < E; ++k)
      if (at + k < n) v.x[k] = in.data[at + k];
  }
  load_direct(v.rest, in.rest, at, n, vectors);
}
template <int E>
__device__ __forceinline__ void store_direct(const row_values<E>&, const arrays<>&, index, index, index, bool) {}
template <int E, class Head, class... Tail>
__device__ __forceinline__ void store_direct(const row_values<E, Head, Tail...>& v, const arrays<Head, Tail...>& out, index at, index first,
                                             index last, bool vectors) {
  using mine = row<Head, E>;
  if (vectors && at >= first && at + E <= last) {
    char* to = reinterpret_cast<char*>(out.data + at);
#pragma unroll
    for (int j = 0; j < mine::units; ++j)
      put<mine::unit>(to + j * mine::unit, reinterpret_cast<const unsigned char*>(v.x) + j * mine::unit);
  } else {
#pragma unroll
    for (int k = 0; k < E; ++k)
      if (at + k >= first && at + k < last) out.data[at + k] = v.x[k];
  }
  store_direct(v.rest, out.rest, at, first, last, vectors);
}

//! The state of a lane's elements, those at and after n absent.
template <class Shape, class R, class Values>
__device__ __forceinline__ typename Shape::state fold_some(const R& r, const state_of<R>& init, const Values& v, std::uint32_t bits,
                                                           index position, index n) {
  constexpr int E = Shape::E;
  typename Shape::state s;
  s.s = r.identity();
#pragma unroll
  for (int k = 0; k < E; ++k) {
    const int at = Shape::reverse ? E - 1 - k : k;
    if constexpr (Shape::marked)
      if (bits >> k & 1) s.s = init;
    if (position + at < n) scan_push<Shape>(r, s.s, v, at, position + at);
  }
  if constexpr (Shape::marked) s.head = bits != 0;
  return s;
}

//! One warp: the states that the blocks before this one publish, merged in order. A block waits for earlier ones only, so that they need
//! not all be on the device at once.
template <class M>
__device__ __forceinline__ state_of<M> blocks_before(const M& m, const state_of<M>& none, const packet* from, int blocks, packet_key key,
                                                     int lane) {
  using state = state_of<M>;
  const int each = (blocks + 31) / 32;
  state v = none;
  for (int k = 0; k < each; ++k) {
    const int j = lane * each + k;
    if (j >= blocks) break;
    packets<state> x;
    do x.fetch(from + j * packets<state>::count);
    while (!x.arrived(key));
    v = m.combine(v, x.state());
  }
  __syncwarp();
  return shuffle_from(warp_inclusive(m, v, lane), 31);
}

}  // namespace detail

//! One tile a block. Threads, lanes, warps and blocks own neighbouring elements in this order.
template <class Base, class R, class In, class... Y>
__global__ void __launch_bounds__(small_scan<Base>::threads) scan_small(const __grid_constant__ scan_job<R, In, arrays<Y...>> job) {
  using Shape = small_scan<Base>;
  using state = typename Shape::state;
  constexpr int E = Shape::E;
  constexpr bool reverse = Shape::reverse;
  __shared__ std::uint32_t room[words<state>::count * 33];
  const shared_states<state> warp_total{room, 33};
  const R& r = job.r;
  const typename Shape::merge m{r};
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  const int t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32, blocks = static_cast<int>(gridDim.x),
            rank = static_cast<int>(blockIdx.x);
  const index elements = static_cast<index>(blocks) * Shape::tile, logical = static_cast<index>(rank) * Shape::tile + t * E;
  const index at = reverse ? elements - E - logical : logical;
  std::uint64_t launch = 0;
  if (warp == 0 && blocks > 1) launch = load_launch(job.launch);
  typename Shape::values x;
  detail::load_direct(x, job.in, at, job.n, job.in_vectors);
  std::uint32_t bits = 0;
  if constexpr (Shape::marked) bits = detail::in_order<Shape>(detail::marks_at<Shape>(job, at));
  const state v =
      at + E <= job.n ? detail::fold_row<Shape>(r, job.init, x, bits, at) : detail::fold_some<Shape>(r, job.init, x, bits, at, job.n);
  const state inclusive = warp_inclusive(m, v, lane);
  const state left = shuffle_up(inclusive, 1);
  if (lane == 31) warp_total.put(warp, inclusive);
  __syncthreads();
  const state warps = warp_inclusive(m, warp_total.get(lane % Shape::warps), lane, Shape::warps);
  state none;
  none.s = r.identity();
  if constexpr (Shape::marked) none.head = 0;
  state before = none;  // everything before this thread's elements: blocks, warps, lanes
  before.s = job.init;
  if (blocks > 1) {
    if (warp == 0) {
      const packet_key key(launch, 0);
      const state total = shuffle_from(warps, Shape::warps - 1);
      if (t == 0 && rank < blocks - 1) publish(job.waves + rank * packets<state>::count, total, key);
      before = m.combine(before, detail::blocks_before(m, none, job.waves, rank, key, lane));
      if (lane == 0) warp_total.put(32, before);
      // the last block has heard from all others: they have read the number of this launch
      if (t == 0 && rank == blocks - 1) *job.launch = launch + 1;
    }
    __syncthreads();
    before = warp_total.get(32);
  }
  if (warp > 0) before = m.combine(before, shuffle_from(warps, warp - 1));
  if (lane > 0) before = m.combine(before, left);
  state_of<R> s = before.s;
  index first = 0, last = job.n;
  if constexpr (Shape::where == heads::flags)
    if (job.ends) first = job.ends[0], last = job.ends[1];
  row_values<E, Y...> y;
#pragma unroll
  for (int k = 0; k < E; ++k) {
    const int e = reverse ? E - 1 - k : k;
    if constexpr (Shape::marked)
      if (bits >> k & 1) s = job.init;
    if constexpr (Shape::exclusive) detail::keep(y, e, r.finalize(s));
    if (at + e < job.n) detail::scan_push<Shape>(r, s, x, e, at + e);
    if constexpr (!Shape::exclusive) detail::keep(y, e, r.finalize(s));
  }
  detail::store_direct(y, job.out, at, first, last, job.out_vectors);
}

}  // namespace twofold::cuda
