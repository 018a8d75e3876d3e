// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One array reduced by one launch: every block publishes its state as sealed packets, and the last one merges them in order. The
//! array lies in registers, or threads walk it.
#pragma once

#include "twofold/cuda/packet.cuh"
#include "twofold/cuda/row_kernels.cuh"
#include "twofold/cuda/window.cuh"

namespace twofold::cuda {

namespace detail {
//! What the kernels of one array are for: elements that fill vectors, states of a few words.
template <class R, class... X>
inline constexpr bool is_one_array = false;
template <class R, class T, int... O>
inline constexpr bool is_one_array<R, beside<T, O...>> = false;
template <class R, class X>
inline constexpr bool is_one_array<R, X> = sizeof(X) <= 16 && 16 % sizeof(X) == 0 && sizeof(state_of<R>) <= 64 &&
                                           (reduces<R, operand_of<R, X>> || reduces<R, index, operand_of<R, X>>);
}  // namespace detail

namespace kernels {

//! Where blocks meet: the number of the launch, then from byte 256 on the packets of every block. May hold anything before the first
//! launch.
struct meeting {
  unsigned char* memory;
  __device__ __forceinline__ std::uint64_t* launches() const { return reinterpret_cast<std::uint64_t*>(memory); }
  __device__ __forceinline__ packet* packets_from() const { return reinterpret_cast<packet*>(memory + 256); }
};

//! The packets of several blocks, asked for at once.
template <class R, int Most>
__device__ __forceinline__ state_of<R> states_from(const R& r, const packet* from, int first, int count, packet_key key) {
  packets<state_of<R>> x[Most];
#pragma unroll
  for (int k = 0; k < Most; ++k)
    if (k < count) x[k].fetch(from + (first + k) * packets<state_of<R>>::count);
  state_of<R> s = r.identity();
#pragma unroll
  for (int k = 0; k < Most; ++k)
    if (k < count) {
      while (!x[k].arrived(key)) x[k].fetch(from + (first + k) * packets<state_of<R>>::count);
      combine_into(r, s, x[k].state());
    }
  return s;
}

//! The states of all blocks merged in order, in the first warp of the last block; all other threads get false. s: the block's state, in
//! thread 0. Few packets are read by one warp, since merging more states than there are blocks takes longer than asking for several at
//! once.
//! @pre  room: states_room words of a block; nobody reads them any more. All threads take part
template <class R>
__device__ __forceinline__ bool meet(const R& r, state_of<R>& s, const meeting& where, std::uint64_t launch, std::uint32_t* room) {
  using state = state_of<R>;
  constexpr int at_once = packets<state>::count <= 2 ? 4 : 2;
  const int blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x), t = static_cast<int>(threadIdx.x);
  if (blocks == 1) return t < 32;
  const packet_key key(launch, 0);
  if (t == 0) publish(where.packets_from() + block * packets<state>::count, s, key);
  if (block < blocks - 1) return false;
  const int threads = blocks <= 32 * at_once ? 32 : static_cast<int>(blockDim.x), each = (blocks + threads - 1) / threads;
  if (t >= threads) return false;
  s = r.identity();
#pragma unroll 1
  for (int j = t * each, end = min(j + each, blocks); j < end; j += at_once)
    combine_into(r, s, states_from<R, at_once>(r, where.packets_from(), j, end - j, key));
  __syncwarp();
  s = merge_states(r, {32, 1, 1}, s, room);
  if (threads > 32) {
    const shared_states<state> of_warps{room, 32};
    __syncthreads();
    if (t % 32 == 0) of_warps.put(t / 32, s);
    __syncthreads();
    if (t >= 32) return false;
    s = t < threads / 32 ? of_warps.get(t) : r.identity();
    s = merge_states(r, {32, 1, 1}, s, room);
  }
  if (t == 0) *where.launches() = launch + 1;  // all blocks have read it before they published
  return true;
}

//! @brief  *out = finalize(state of n elements): blocks · threads · V vectors hold all of them.
//! @math   a thread has V neighbouring vectors (of operators that commute: every threads-th vector of its block); threads, then blocks in
//!         order
template <int V, class R, class In, class Out>
__global__ void __launch_bounds__(512) array_held(const R r, const In* const data, const int n, Out* const out, const meeting where) {
  using tile = anchored_tile<R, In, V, absence::none>;
  extern __shared__ uint4 shared[];  // row_room and states_room words
  std::uint32_t* const room = reinterpret_cast<std::uint32_t*>(shared);
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x), head = misalignment(data);
  const std::uint64_t launch = gridDim.x > 1 ? load_launch(where.launches()) : 0;
  const int first = static_cast<int>(blockIdx.x) * threads * V;
  const slots_of_thread slots = is_commutative<R> ? slots_of_thread{first + t, threads, head} : slots_of_thread{first + t * V, 1, head};
  uint4 raw[V];
  load_slots(raw, data, slots, n, filler_behind<R, In>());
  const team all{32, threads / 32, 1};
  state_of<R> s = block_state<R, tile>(r, part_of_thread<R, V, In>(raw, slots, threads, data, n, 0), all, room);
  if (meet(r, s, where, launch, room + row_room<R, tile>(all.warps, 1)) && t == 0) *out = narrowed<Out>(r.finalize(s));
}

//! Sixteen bytes that are read once: they need not stay in L1.
__device__ __forceinline__ uint4 load_once(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
  return v;
}

//! @brief  The same for arrays of any length: every thread goes on from its own state. What was in the cache before stays there, which pays
//!         where the array is not much larger than the cache.
//! @pre    the operator commutes
//! @math   block b has the b-th of gridDim.x pieces of neighbouring tiles; a thread has every threads-th vector of a tile
template <class R, class In, class Out>
__global__ void __launch_bounds__(256, 2)
    array_walked(const R r, const In* const data, const index n, Out* const out, const meeting where) {
  constexpr int V = sizeof(In) == 1 ? 4 : 8, E = per_vector<In>;  // 64 elements at most
  extern __shared__ uint4 shared[];                               // two rooms of states_room words
  std::uint32_t* const room = reinterpret_cast<std::uint32_t*>(shared);
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x), per_tile = threads * V * E;
  const std::uint64_t launch = gridDim.x > 1 ? load_launch(where.launches()) : 0;
  const row_walk<In> walk{data, misalignment(data), n};
  const index tiles = walk.tiles(per_tile), each = tiles / gridDim.x, longer = tiles % gridDim.x, b = blockIdx.x;
  const index begin = b * each + (b < longer ? b : longer), end = begin + each + (b < longer);
  state_of<R> s = r.identity();
  for (index k = begin; k < end; ++k) {
    const auto piece = walk.at(k, per_tile);
    const slots_of_thread slots{t, threads, piece.head};
    uint4 raw[V];
    if (piece.head == 0 && piece.count == per_tile) {
      const uint4* const from = reinterpret_cast<const uint4*>(piece.data) + t;
#pragma unroll
      for (int v = 0; v < V; ++v) raw[v] = load_once(from + v * threads);
      leaf_into(r, s, thread_tile<R, In, V, absence::none>{raw, slots, piece.origin, 0});
    } else {
      load_slots(raw, piece.data, slots, piece.count, filler_behind<R, In>());
      if (has_unseen<R, In> || (has_unseen_behind<R, In> && piece.head == 0))
        leaf_into(r, s, thread_tile<R, In, V, absence::none>{raw, slots, piece.origin, 0});
      else if constexpr (!has_unseen<R, In>)
        leaf_into(r, s, thread_tile<R, In, V, absence::elements>{raw, slots, piece.origin, present_bits<V, E>(slots, piece.count)});
    }
  }
  const int warps = threads / 32;
  s = merge_states(r, {32, warps, 1}, s, room);
  if (meet(r, s, where, launch, room + states_room<R>(warps)) && t == 0) *out = narrowed<Out>(r.finalize(s));
}

}  // namespace kernels
}  // namespace twofold::cuda
