// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How blocks learn what lies before their tiles.
#pragma once

#include "twofold/cuda/ptx/mbarrier.cuh"
#include "twofold/cuda/scan_job.cuh"

namespace twofold::cuda {

//! One warp of every block: folds the aggregates of each wave in one fixed tree, hands the block what lies before its tile, and carries the
//! rest to the next wave. Packets are read in the order in which they lie, so that a request takes whole sectors, and change hands through
//! shared memory: every block reads all of them, and the requests of a wave are what the cache has to bear besides the data. Those of the
//! next wave are asked for as soon as this one is folded: they have mostly arrived by then.
template <class Shape, int Stages, class R, class In, class Out>
__device__ __forceinline__ void exchange_waves(const scan_job<R, In, Out>& job, index tiles, std::uint64_t launch, std::uint64_t* payloads,
                                               typename Shape::state* prefix, std::uint64_t* ready) {
  using state = typename Shape::state;
  constexpr int per_state = packets<state>::count, most = 5 * per_state, at_once = most <= 10 ? most : 10, ring = 2 * Stages;
  const R& r = job.r;
  const typename Shape::merge m{r};
  const int G = static_cast<int>(gridDim.x), b = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x) % 32;
  const int each = (G + 31) / 32;
  packet x[at_once];
  const auto fetch = [&](const packet* base, int first, int count) {
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (const int i = first + 32 * k + lane; i < count) x[k] = load_packet(base + i);
  };
  const auto packets_of = [&](index left) { return static_cast<int>(left < G ? left : G) * per_state; };
  state carry;
  carry.s = job.init;
  if constexpr (Shape::marked) carry.head = 0;
  int stage = 0, slot = 0;
  const packet* base = job.waves;
  fetch(base, 0, packets_of(tiles));
  index left_tiles = tiles;
  for (index w = 0; left_tiles > b; ++w, left_tiles -= G) {
    const int count = packets_of(left_tiles);
    const packet_key key(launch, static_cast<std::uint64_t>(w));
#pragma unroll 1
    for (int first = 0; first < count; first += 32 * at_once) {
      if (first > 0) fetch(base, first, count);
      for (bool waiting = true; waiting;) {
        waiting = false;
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          if (const int i = first + 32 * k + lane; i < count && x[k].seal != key.seal(x[k].payload))
            x[k] = load_packet(base + i), waiting = true;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (const int i = first + 32 * k + lane; i < count) payloads[i] = x[k].payload;
    }
    __syncwarp();
    state v, before;  // of the lane's aggregates; of those before this block's
    v.s = r.identity();
    if constexpr (Shape::marked) v.head = 0;
    before = v;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      const int j = lane * each + k;
      if (k < each && j == b) before = v;
      if (k < each && j * per_state < count) v = m.combine(v, packets<state>::unpack(payloads + j * per_state));
    }
    __syncwarp();
    slot = slot == ring - 1 ? 0 : slot + 1;
    base = job.waves + slot * G * per_state;
    if (left_tiles > G) fetch(base, 0, packets_of(left_tiles - G));
    const state inclusive = warp_inclusive(m, v, lane);
    const state left = shuffle_up(inclusive, 1);
    if (lane == b / each) {
      prefix[stage] = m.combine(carry, lane > 0 ? m.combine(left, before) : before);
      ptx::mbarrier_arrive(&ready[stage]);
    }
    carry = m.combine(carry, shuffle_from(inclusive, 31));
    // all blocks have published, hence read the number of this launch
    if (w == 0 && b == 0 && lane == 0) *job.launch = launch + 1;
    stage = stage == Stages - 1 ? 0 : stage + 1;
  }
}

}  // namespace twofold::cuda
