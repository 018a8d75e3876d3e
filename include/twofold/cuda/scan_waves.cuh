// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The scan kernel. Tiles go round robin over the blocks; the tiles that all blocks hold at one time are a wave. Every block folds
//! the aggregates of a wave in one fixed tree and adds the carry of the waves before, so that the bracketing depends on the number of
//! blocks and on the index alone, never on who is done first.
#pragma once

#include "twofold/cuda/arrival.cuh"
#include "twofold/cuda/ptx/sync.cuh"
#include "twofold/cuda/scan_exchange.cuh"
#include "twofold/cuda/scan_row.cuh"

namespace twofold::cuda {

//! Roles: warp 0 exchanges aggregates, the others move and compute. Compute folds `Stages / 2` waves ahead of the exchange.
template <class Shape, int Stages, class R, class In, class... Y>
__device__ __forceinline__ void scan_by_waves(const scan_job<R, In, arrays<Y...>>& job) {
  using state = typename Shape::state;
  using slot = typename Shape::slot;
  constexpr int E = Shape::E, warps = Shape::warps, threads = Shape::threads, ahead = Stages / 2, tile = Shape::tile;
  constexpr bool reverse = Shape::reverse;
  extern __shared__ __align__(128) unsigned char memory[];
  unsigned char* const slots = memory;
  state* const exclusive = reinterpret_cast<state*>(memory + Stages * warps * slot::bytes);  // [stage][thread]
  state* const warp_total = exclusive + Stages * threads;                                    // [stage][warp]
  state* const warp_before = warp_total + Stages * warps;                                    // [stage][warp]: of the tile
  state* const prefix = warp_before + Stages * warps;                                        // [stage]
  std::uint64_t* const payloads = reinterpret_cast<std::uint64_t*>(memory + (Shape::stage_bytes * Stages + 15) / 16 * 16);
  __shared__ std::uint64_t ready[Stages];
  __shared__ arrivals folded[Stages];  // of warps that have folded their part of a tile
  const R& r = job.r;
  const typename Shape::merge m{r};
  const int G = static_cast<int>(gridDim.x), b = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x) % 32;
  const index tiles = (job.n + tile - 1) / tile;
  const int mine_all = static_cast<int>((tiles - b + G - 1) / G);  // tiles of this block
  const std::uint64_t launch = load_launch(job.launch);
  if (threadIdx.x == 0) {
    for (std::uint64_t& x : ready) ptx::mbarrier_init(&x, 1 + warps);  // the exchange, and all who write what lies before warps
    for (arrivals& x : folded) x.prepare(warps);
  }
  __syncthreads();

  if (threadIdx.x < 32) {
    exchange_waves<Shape, Stages>(job, tiles, launch, payloads, prefix, ready);
  } else {  // --- move and compute
    const int t = static_cast<int>(threadIdx.x) - 32, warp = t / 32;
    const int row_lane = reverse ? 31 - lane : lane;                   // which row of the slot is mine
    const int segment = (reverse ? warps - 1 - warp : warp) * 32 * E;  // of the tile, in memory
    unsigned char* const mine = slots + warp * slot::bytes;            // of stage 0
    index first = 0, last = job.n;                                     // elements that take part
    if constexpr (Shape::where == heads::flags)
      if (job.ends) first = job.ends[0], last = job.ends[1];
    const auto place_of = [&](int w) {
      const index k = static_cast<index>(w) * G + b;
      return (reverse ? tiles - 1 - k : k) * tile + segment;
    };
    const auto load = [&](int w, int s) {
      if (w < mine_all) {
        const index at = place_of(w);
        const std::uint32_t to = ptx::shared_address(mine + s * warps * slot::bytes);
        if (at + 32 * E <= job.n) slot::load(to, job.in, at, lane);
        else slot::load_some(to, job.in, at, 0, job.n - at, lane);
      }
      ptx::async_commit();
    };
    std::uint32_t marks[ahead + 1] = {};  // asked for a tile ahead, kept until the tile is finished
    const auto marks_of = [&](int w) { return w < mine_all ? detail::marks_at<Shape>(job, place_of(w) + row_lane * E) : 0u; };
    if constexpr (Shape::marked) marks[0] = marks_of(0);
    for (int w = 0; w < Stages; ++w) load(w, w);
    int fold_stage = 0, finish_stage = 0, ring = 0;
    std::uint32_t parity = 0, fold_parity = 0;
    for (int w = 0; w < mine_all + ahead; ++w) {
      std::uint32_t coming = 0;
      if constexpr (Shape::marked) coming = marks_of(w + 1);
      if (w < mine_all) {  // fold tile w, publish its aggregate
        const int s = fold_stage;
        fold_stage = s == Stages - 1 ? 0 : s + 1;
        const index at = place_of(w) + row_lane * E;
        const std::uint32_t bits = detail::in_order<Shape>(marks[0]);
        ptx::async_wait<Stages - 1 - ahead>();
        __syncwarp();
        const unsigned char* const here = mine + s * warps * slot::bytes;
        state v;
        if (place_of(w) + 32 * E <= job.n) {
          typename Shape::values x;
          slot::read(x, here, row_lane);
          v = detail::fold_row<Shape>(r, job.init, x, bits, at);
        } else {
          v = detail::fold_tail<Shape>(r, job.init, here, row_lane, bits, at, job.n);
        }
        const state inclusive = warp_inclusive(m, v, lane);
        exclusive[s * threads + t] = shuffle_up(inclusive, 1);  // of lane 0: of no use
        if (lane == 31) warp_total[s * warps + warp] = inclusive;
        if (folded[s].is_last(warps, fold_parity)) {  // merges the tile's warps; no warp waits for another
          const state all = warp_inclusive(m, warp_total[s * warps + lane % warps], lane, warps), left = shuffle_up(all, 1);
          if (lane < warps) warp_before[s * warps + lane] = left;
          const state total = shuffle_from(all, warps - 1);
          if (lane == 0) {
            const packet_key key(launch, static_cast<std::uint64_t>(w));
            bool head = false;
            if constexpr (Shape::marked) head = total.head != 0;
            publish(job.waves + (ring * G + b) * Shape::packets_of_state, total.s, key, head);
          }
          if (lane < warps) ptx::mbarrier_arrive(&ready[s]);
        }
        if (fold_stage == 0) fold_parity ^= 1;
        ring = ring == 2 * Stages - 1 ? 0 : ring + 1;
      }
      if (const int u = w - ahead; u >= 0) {  // finish tile u
        const int s = finish_stage;
        unsigned char* const here = mine + s * warps * slot::bytes;
        const index segment_at = place_of(u), at = segment_at + row_lane * E;
        typename Shape::values x;
        slot::read(x, here, row_lane);
        ptx::mbarrier_wait(&ready[s], parity);
        state into = prefix[s];  // all that lies before this lane
        if (warp > 0) into = m.combine(into, warp_before[s * warps + warp]);
        if (lane > 0) into = m.combine(into, exclusive[s * threads + t]);
        const bool whole = segment_at >= first && segment_at + 32 * E <= last;
        const std::uint32_t bits = detail::in_order<Shape>(marks[ahead]);
        state_of<R> v = into.s;
        const bool all_there = segment_at + 32 * E <= job.n;
        bool settled = false, outweighs = false;  // every answer of the lane's row at one reference; and sums in fewer steps
        if constexpr (detail::settles<Shape, R, typename Shape::values>) {
          settled = all_there && (!Shape::marked || bits == 0) && r.settle_for(v, detail::row_tile<typename Shape::values, E>{x});
          outweighs = __all_sync(~0u, settled && r.outweighs(v));
        }
        constexpr int P = detail::piece_of_all<Shape, Y...>();
#pragma unroll
        for (int q = 0; q < E / P; ++q) {
          const int which = reverse ? E / P - 1 - q : q;
          row_values<P, Y...> y;
          const auto answer = [&](bool all) {
#pragma unroll
            for (int k = 0; k < P; ++k) {
              const int here_k = reverse ? P - 1 - k : k, e = which * P + here_k;
              if constexpr (Shape::marked)
                if (bits >> (q * P + k) & 1) v = job.init;
              const bool present = all || at + e < job.n;
              if constexpr (Shape::exclusive) detail::keep(y, here_k, detail::scan_answer<Shape>(r, v, x, e, at + e));
              if (present) detail::scan_push<Shape>(r, v, x, e, at + e);
              if constexpr (!Shape::exclusive) detail::keep(y, here_k, r.finalize(v));
            }
          };
          if constexpr (detail::settles<Shape, R, typename Shape::values>) {
            const auto at_once = [&](const auto& push) {
#pragma unroll
              for (int k = 0; k < P; ++k) {
                const int here_k = reverse ? P - 1 - k : k, e = which * P + here_k;
                if constexpr (Shape::exclusive) detail::keep(y, here_k, r.finalize_settled(v));
                x.apply(e, push);
                if constexpr (!Shape::exclusive) detail::keep(y, here_k, r.finalize_settled(v));
              }
            };
            if (outweighs) at_once([&](const auto&... one) { r.push_outweighed(v, one...); });
            else if (settled) at_once([&](const auto&... one) { r.push_settled(v, one...); });
          }
          if (!settled) {
            if (all_there) answer(true);
            else answer(false);
          }
          detail::store_pieces<E, P>(y, job.out, segment_at, which, whole && job.out_vectors, first, last, here, row_lane, lane);
        }
        __syncwarp();
        load(u + Stages, s);
        finish_stage = s == Stages - 1 ? 0 : s + 1;
        if (finish_stage == 0) parity ^= 1;
      }
      if constexpr (Shape::marked) {
#pragma unroll
        for (int k = ahead; k > 0; --k) marks[k] = marks[k - 1];
        marks[0] = coming;
      }
    }
  }
}

template <class Shape, int Stages, class R, class In, class... Y>
__global__ void __launch_bounds__(Shape::threads + 32, 1) scan_waves(const __grid_constant__ scan_job<R, In, arrays<Y...>> job) {
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  scan_by_waves<Shape, Stages>(job);
}

}  // namespace twofold::cuda
