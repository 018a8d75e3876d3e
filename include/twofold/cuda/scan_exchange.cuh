// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How blocks learn what lies before their tiles.
#pragma once

#include "twofold/cuda/ptx/mbarrier.cuh"
#include "twofold/cuda/scan_job.cuh"

namespace twofold::cuda {

namespace detail {
//! The fold of a wave of twisted states: all of them and the carry are written at one reference, then values are added, which costs no
//! action at every merge. False, and nothing is changed, where that would lose something. aggregate(j): of block j; next(): when all are
//! read.
template <class R, class Aggregate, class Next>
__device__ __forceinline__ bool fold_at_one_reference(const R& r, state_of<R>& carry, state_of<R>& own, int each, int blocks, int b,
                                                      const Aggregate& aggregate, const Next& next) {
  constexpr int most = 5;
  const int lane = static_cast<int>(threadIdx.x) % 32, first = lane * each;
  state_of<R> a[most];
  auto k = carry.at;
#pragma unroll
  for (int i = 0; i < most; ++i)
    if (i < each && first + i < blocks) a[i] = aggregate(first + i).s, k = r.later_reference(k, a[i].at);
#pragma unroll
  for (int by = 1; by < 32; by *= 2) k = r.later_reference(k, __shfl_xor_sync(~0u, k, by));
  bool keeps = r.keeps_at(carry, k);
#pragma unroll
  for (int i = 0; i < most; ++i)
    if (i < each && first + i < blocks) keeps = keeps && r.keeps_at(a[i], k);
  if (!__all_sync(~0u, keeps)) return false;
  next();
  auto sum = r.identity().amount, before = sum;
#pragma unroll
  for (int i = 0; i < most; ++i) {
    if (i < each && first + i == b) before = sum;
    if (i < each && first + i < blocks) sum = r.add_values(sum, r.at_reference(a[i], k).amount);
  }
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    const auto left = shuffle_up(sum, by);
    if (lane >= by) sum = r.add_values(left, sum);
  }
  const auto left = shuffle_up(sum, 1);
  const auto whole = r.at_reference(carry, k).amount;
  own = {k, r.add_values(whole, lane > 0 ? r.add_values(left, before) : before)};
  carry = {k, r.add_values(whole, shuffle_from(sum, 31))};
  return true;
}
}  // namespace detail

//! One warp of every block: folds the aggregates of each wave in one fixed tree, hands the block what lies before its tile, and carries the
//! rest to the next wave. Packets are read in the order in which they lie, so that a request takes whole sectors, and change hands through
//! shared memory: every block reads all of them, and the requests of a wave are what the cache has to bear besides the data. Those of the
//! next wave are asked for as soon as this one is folded: they have mostly arrived by then.
template <class Shape, int Stages, class R, class In, class Out>
__device__ __forceinline__ void exchange_waves(const scan_job<R, In, Out>& job, index tiles, std::uint64_t launch, std::uint64_t* payloads,
                                               typename Shape::state* prefix, std::uint64_t* ready) {
  using state = typename Shape::state;
  using S = decltype(state::s);
  constexpr int per_state = packets<S>::count, most = 5 * per_state, at_once = most <= 10 ? most : 10, ring = 2 * Stages;
  [[maybe_unused]] auto* const heads = reinterpret_cast<std::uint32_t*>(payloads + 160 * per_state);
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
    const auto there = [&](const packet& p) {
      const std::uint64_t rest = key.rest(p.payload, p.seal);
      return rest == 0 || (Shape::marked && rest == packet_key::mark);
    };
#pragma unroll 1
    for (int first = 0; first < count; first += 32 * at_once) {
      if (first > 0) fetch(base, first, count);
      for (bool waiting = true; waiting;) {
        waiting = false;
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          if (const int i = first + 32 * k + lane; i < count && !there(x[k])) x[k] = load_packet(base + i), waiting = true;
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (const int i = first + 32 * k + lane; i < count) {
          payloads[i] = x[k].payload;
          if constexpr (Shape::marked) heads[i] = key.rest(x[k].payload, x[k].seal) != 0;
        }
    }
    __syncwarp();
    const auto aggregate = [&](int j) {
      state a;
      a.s = packets<S>::unpack(payloads + j * per_state);
      if constexpr (Shape::marked) a.head = heads[j * per_state];
      return a;
    };
    const int first_block = lane * each, blocks = count / per_state;
    const auto ask_for_next = [&] {
      __syncwarp();
      slot = slot == ring - 1 ? 0 : slot + 1;
      base = job.waves + slot * G * per_state;
      if (left_tiles > G) fetch(base, 0, packets_of(left_tiles - G));
    };
    bool folded = false;
    state own;  // what lies before this block: in one lane
    if constexpr (twisted_pieces<R, Shape::marked>)
      folded = detail::fold_at_one_reference(r, carry.s, own.s, each, blocks, b, aggregate, ask_for_next);
    if (!folded) {
      state v, before;  // of the lane's aggregates; of those before this block's
      v.s = r.identity();
      if constexpr (Shape::marked) v.head = 0;
      before = v;
#pragma unroll
      for (int k = 0; k < 5; ++k) {
        const int j = first_block + k;
        if (k < each && j == b) before = v;
        if (k < each && j < blocks) v = m.combine(v, aggregate(j));
      }
      ask_for_next();
      const state inclusive = warp_inclusive(m, v, lane);
      const state left = shuffle_up(inclusive, 1);
      own = m.combine(carry, lane > 0 ? m.combine(left, before) : before);
      carry = m.combine(carry, shuffle_from(inclusive, 31));
    }
    if (lane == b / each) {
      prefix[stage] = own;
      ptx::mbarrier_arrive(&ready[stage]);
    }
    // all blocks have published, hence read the number of this launch
    if (w == 0 && b == 0 && lane == 0) *job.launch = launch + 1;
    stage = stage == Stages - 1 ? 0 : stage + 1;
  }
}

}  // namespace twofold::cuda
