// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Long rows spread over all processors: blocks that stay hold pieces of rows in shared memory from the time they are reduced until
//! the states of all pieces of the row have come, so that rows of many processors' size are read once (sm_90).
#pragma once

#include "twofold/cuda/packet.cuh"
#include "twofold/cuda/row_piece.cuh"

namespace twofold::cuda::kernels {

struct spread_job {
  packet* packets = nullptr;  //!< cleared; the states of all pieces
  int parts = 1;              //!< pieces of a row
  int slots = 0;              //!< of a piece: 16 bytes each
  int stages = 1;             //!< pieces that a block holds
  int ahead = 2;              //!< pieces that are reduced before the first of them is mapped
};

//! Pieces a lane merges.
inline constexpr int spread_each = 2;
inline constexpr int spread_most_stages = 8, spread_most_warps = 16;

//! What a block has in shared memory besides the stages.
template <class R, class Answer>
struct spread_room {
  std::uint64_t full[spread_most_stages];      //!< a piece has come
  std::uint64_t reduced[spread_most_stages];   //!< all warps' states are in `states`
  std::uint64_t answered[spread_most_stages];  //!< the answer of the piece's row is there
  std::uint64_t emptied[spread_most_stages];   //!< all warps have what they map in registers
  row_piece piece[spread_most_stages];
  words<state_of<R>> states[spread_most_stages][spread_most_warps];
  words<Answer> answers[spread_most_stages];

  __device__ __forceinline__ void prepare(int stages, int warps) {
    for (int s = 0; s < stages; ++s) {
      ptx::mbarrier_init(&full[s], 1), ptx::mbarrier_init(&answered[s], 1);
      ptx::mbarrier_init(&reduced[s], static_cast<std::uint32_t>(warps)),
          ptx::mbarrier_init(&emptied[s], static_cast<std::uint32_t>(warps));
    }
    ptx::fence_mbarrier_init();
  }
};

//! The pieces of a block: number b, b + G, … of all.
struct spread_cursor : ring_stage {
  index row;
  int part;
  __device__ __forceinline__ explicit spread_cursor(int parts) : row(blockIdx.x / parts), part(static_cast<int>(blockIdx.x) % parts) {}
  __device__ __forceinline__ void next(const spread_job& job) {
    row += static_cast<int>(gridDim.x) / job.parts, part += static_cast<int>(gridDim.x) % job.parts;
    if (part >= job.parts) part -= job.parts, ++row;
    ring_stage::next(job.stages);
  }
};

//! One warp: fetches pieces, merges the states of the others and publishes them, merges those of all pieces of a row and hands its answer
//! to the others. fetch(cursor, before(cursor)): by one lane; `before` need not wait for the stage. Answers come first in a round: they are
//! worked out while the others reduce their next piece.
template <class R, class Room, class Before, class Fetch>
__device__ __forceinline__ void spread_exchange(const R& r, const spread_job& job, Room& room, int mine, int warps, const Before& before,
                                                const Fetch& fetch) {
  using S = state_of<R>;
  constexpr int per_state = packets<S>::count;
  const int lane = static_cast<int>(threadIdx.x) % 32, each = (job.parts + 31) / 32;
  const auto packets_of = [&](index row, int part) { return job.packets + (row * job.parts + part) * per_state; };
  spread_cursor coming(job.parts), reduced(job.parts), mapped(job.parts);
  ring_stage emptied;
  int left = mine;  // pieces to be fetched
  for (int s = 0; s < job.stages && left > 0; ++s, --left) {
    if (lane == 0) fetch(coming, before(coming));
    coming.next(job);
  }
  packets<S> states[spread_each];
  const auto mine_to_merge = [&](int i) { return i < each && lane * each + i < job.parts; };
  const auto ask = [&] {
#pragma unroll
    for (int i = 0; i < spread_each; ++i)
      if (mine_to_merge(i)) states[i].fetch(packets_of(mapped.row, lane * each + i));
  };
  for (int k = 0; k < mine + job.ahead; ++k) {
    if (k >= job.ahead) {
      const packet_key key(1, static_cast<std::uint64_t>(mapped.row));
      S all = r.identity();
#pragma unroll
      for (int i = 0; i < spread_each; ++i)
        if (mine_to_merge(i)) {
          while (!states[i].arrived(key)) states[i].fetch(packets_of(mapped.row, lane * each + i));
          all = i == 0 ? states[i].state() : merge_two(r, all, states[i].state());
        }
      __syncwarp();
      all = merge_states(r, team{32, 1, 1}, all, nullptr);
      if (lane == 0) {
        room.answers[mapped.at] = to_words(r.finalize(all));
        ptx::mbarrier_arrive(&room.answered[mapped.at]);
      }
      mapped.next(job);
    }
    if (k > job.ahead && left > 0) {  // the piece that was answered a round ago is in registers by now
      const auto known = before(coming);
      ptx::mbarrier_wait(&room.emptied[emptied.at], emptied.parity);
      if (lane == 0) fetch(coming, known);
      __syncwarp();
      emptied.next(job.stages), coming.next(job), --left;
    }
    if (k < mine) {
      ptx::mbarrier_wait(&room.reduced[reduced.at], reduced.parity);
      const S of_warp = from_words<S>(room.states[reduced.at][lane & (warps - 1)]);
      const S s = [&] {
        if constexpr (requires { requires R::merges_by_reference; })
          return merge_lanes(of_warp, warps, merge_by<is_symmetric<R>>([&](const auto& a, const auto& b) { return r.combine(a, b); }));
        else return merge_states(r, team{warps, 1, 1}, of_warp, nullptr);
      }();
      if (lane == 0) publish(packets_of(reduced.row, reduced.part), s, packet_key(1, static_cast<std::uint64_t>(reduced.row)));
      reduced.next(job);
    }
    if (k + 1 >= job.ahead && k + 1 < mine + job.ahead) ask();  // for the next round
  }
}

//! @brief  Rows that many blocks hold together: each block reduces its pieces, publishes their states, and maps a piece once the states of
//! all pieces of its row are there, merged in order. The bracketing depends on the length of a piece alone. Warp 0 exchanges; the others
//! share each piece and wait for no other warp but it.
//! @pre    all blocks are resident; 1 + 2, 4, 8 or 16 warps; parts − 1 ≤ (ahead − 1)·gridDim.x; parts ≤ 32·spread_each; 2 ≤ ahead,
//!         ahead + 1 < stages
template <int V, class R, class In, class Map>
__global__ void __launch_bounds__(32 * (spread_most_warps + 1), 1)
    rows_spread(const R r, const row_source<In> in, const spread_job job, const Map map) {
#if __CUDA_ARCH__ >= 900
  using tile = anchored_tile<R, In, V, absence::none>;
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
  const auto first_of = [&](const spread_cursor& at) {
    if constexpr (guesses_from_first<R, In>) return first_element(in, at.row);
    else return std::uint64_t(0);
  };
  if (thread < 0)
    return spread_exchange(r, job, room, mine, warps, first_of, [&](const spread_cursor& at, std::uint64_t first) {
      row_piece p = piece_of_row(in, at.row, at.part, job.slots);
      p.first = first;
      room.piece[at.at] = p;
      const std::uint32_t bytes = fetch_piece(stages + at.at * job.slots, in, p, &room.full[at.at]);
      ptx::mbarrier_arrive_expect(&room.full[at.at], bytes);
    });
  const auto slots_of = [&](const row_piece& p) {
    return is_commutative<R> ? slots_of_thread{thread, threads, p.head} : slots_of_thread{thread * V, 1, p.head};
  };
  ring_stage reduced, mapped;
  for (int k = 0; k < mine + job.ahead; ++k) {
    if (k < mine) {
      ptx::mbarrier_wait(&room.full[reduced.at], reduced.parity);
      const row_piece p = room.piece[reduced.at];
      map.ask(p.row);
      const slots_of_thread slots = slots_of(p);
      const uint4* const from = stages + reduced.at * job.slots;
      uint4 raw[V];
      load_piece<R, In>(raw, from, p, slots);
      // References are guessed from the row's first element, so that pieces mostly have one.
      const In first = guesses_from_first<R, In> || p.count == 0 ? p.template first_of<In>() : reinterpret_cast<const In*>(from)[p.head];
      const state_of<R> state =
          block_state<R, tile>(r, part_of_thread<R, V, In>(raw, slots, threads, &first, p.count, p.origin), team{32, 1, 1}, nullptr);
      if (lane == 0) {
        room.states[reduced.at][thread / 32] = to_words(state);
        ptx::mbarrier_arrive(&room.reduced[reduced.at]);
      }
      reduced.next(job.stages);
    }
    if (k < job.ahead) continue;
    const row_piece p = room.piece[mapped.at];
    const slots_of_thread slots = slots_of(p);
    uint4 raw[V];
    load_slots_of_piece(raw, stages + mapped.at * job.slots, p, slots, {});
    ptx::mbarrier_wait(&room.answered[mapped.at], mapped.parity);
    const answer_type answer = from_words<answer_type>(room.answers[mapped.at]);
    __syncwarp();
    if (lane == 0) ptx::mbarrier_arrive(&room.emptied[mapped.at]);
    map.write(answer, p.row, map.out + p.row * map.pitch + p.origin, p.origin, slots, p.count, raw, static_cast<const In*>(nullptr),
              static_cast<operand_of<R, In>*>(nullptr));
    mapped.next(job.stages);
  }
#endif
}

}  // namespace twofold::cuda::kernels
