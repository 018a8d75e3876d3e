// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Long rows of two matrices spread over all processors: row_spread.cuh with two inputs.
#pragma once

#include "twofold/cuda/row_pairs_tile.cuh"
#include "twofold/cuda/row_spread.cuh"

namespace twofold::cuda::kernels {

//! @brief  As rows_of_two, with the protocol of rows_spread: a stage holds a piece of either row.
//! @pre    as rows_spread; all rows begin on 16 bytes
template <int V, class R, class X, class Y, class Out, class How>
__global__ void __launch_bounds__(32 * (spread_most_warps + 1), 1)
    rows_of_two_spread(const R r, const row_source<X> in, const row_source<Y> second, const spread_job job, Out* const out,
                       const index out_pitch, const How how) {
#if __CUDA_ARCH__ >= 900
  constexpr int E = per_vector<X>;
  using bound = decltype(how.of_row(index{}));
  using tile = pair_tile<X, Y, V, bound>;
  using answer_type = std::remove_cvref_t<decltype(r.finalize(r.identity()))>;
  extern __shared__ __align__(128) unsigned char spread_memory[];
  auto& room = *reinterpret_cast<spread_room<R, answer_type>*>(spread_memory);
  uint4* const stages = reinterpret_cast<uint4*>(spread_memory + (sizeof room + 127) / 128 * 128);
  const int threads = static_cast<int>(blockDim.x) - 32, warps = threads / 32, thread = static_cast<int>(threadIdx.x) - 32,
            lane = thread & 31;
  const index pieces = in.rows * job.parts;
  const int G = static_cast<int>(gridDim.x), mine = static_cast<int>((pieces - blockIdx.x + G - 1) / G);
  if (threadIdx.x == 0) room.prepare(job.stages, warps);
  __syncthreads();
  if (thread < 0)
    return spread_exchange(
        r, job, room, mine, warps, [](const spread_cursor&) { return 0; },
        [&](const spread_cursor& at, int) {
          const row_piece p = piece_of_row(in, at.row, at.part, job.slots);
          if constexpr (requires { how.ask(at.row); }) how.ask(at.row);
          room.piece[at.at] = p;
          uint4* const to = stages + at.at * 2 * job.slots;
          std::uint64_t* const full = &room.full[at.at];
          const std::uint32_t bytes = fetch_piece(to, in, p, full) + fetch_piece(to + job.slots, second, p, full);
          ptx::mbarrier_arrive_expect(full, bytes);
        });
  const slots_of_thread slots = is_commutative<R> ? slots_of_thread{thread, threads, 0} : slots_of_thread{thread * V, 1, 0};
  const auto load = [&](uint4(&x)[V], uint4(&y)[V], const uint4* from, const row_piece& p) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const int slot = slots.first + v * slots.step;
      x[v] = slot < p.slots ? from[slot] : uint4{};
      y[v] = slot < p.slots ? from[slot + job.slots] : uint4{};
    }
  };
  const auto column_of = [&](int v) { return static_cast<index>(slots.first + v * slots.step) * E; };
  ring_stage reduced, mapped;
  for (int k = 0; k < mine + job.ahead; ++k) {
    if (k < mine) {
      ptx::mbarrier_wait(&room.full[reduced.at], reduced.parity);
      const row_piece p = room.piece[reduced.at];
      const bound here = how.of_row(p.row);
      uint4 x[V], y[V];
      load(x, y, stages + reduced.at * 2 * job.slots, p);
      typename tile::beside more[V];
#pragma unroll
      for (int v = 0; v < V; ++v) more[v] = here.template beside<E>(p.origin + column_of(v), in.columns);
      const bool whole = __all_sync(~0u, (slots.first + (V - 1) * slots.step + 1) * E <= p.count);
      const state_of<R> state = block_state<R, tile>(
          r,
          [&](const auto& g) {
            if (whole) return g(pair_tile<X, Y, V, bound, true>{x, y, more, slots, p.count, p.origin, here});
            return g(tile{x, y, more, slots, p.count, p.origin, here});
          },
          team{32, 1, 1}, nullptr);
      if (lane == 0) {
        room.states[reduced.at][thread / 32] = to_words(state);
        ptx::mbarrier_arrive(&room.reduced[reduced.at]);
      }
      reduced.next(job.stages);
    }
    if (k < job.ahead) continue;
    const row_piece p = room.piece[mapped.at];
    const bound here = how.of_row(p.row);
    uint4 x[V], y[V];
    load(x, y, stages + mapped.at * 2 * job.slots, p);
    ptx::mbarrier_wait(&room.answered[mapped.at], mapped.parity);
    const answer_type answer = from_words<answer_type>(room.answers[mapped.at]);
    __syncwarp();
    if (lane == 0) ptx::mbarrier_arrive(&room.emptied[mapped.at]);
    Out* const to = out + p.row * out_pitch + p.origin;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const auto more = here.template beside<E>(p.origin + column_of(v), in.columns);
      write_pairs<X, Y>(to, static_cast<int>(column_of(v)), p.count, p.origin, true, answer, here, more, x[v], y[v]);
    }
    mapped.next(job.stages);
  }
#endif
}

}  // namespace twofold::cuda::kernels
