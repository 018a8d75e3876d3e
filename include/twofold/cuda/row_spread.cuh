// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Long rows spread over all processors: blocks that stay hold pieces of rows in shared memory from the time they are reduced until
//! the states of all pieces of the row have come, so that rows of many processors' size are read once (sm_90).
#pragma once

#include "twofold/cuda/packet.cuh"
#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/row_kernels.cuh"

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

//! A piece of a row, and the aligned slots that it touches.
struct spread_piece {
  index row, origin;
  int head, count, slots;
};

//! What a block has in shared memory besides the stages.
template <class R, class Answer>
struct spread_room {
  std::uint64_t full[spread_most_stages];      //!< a piece has come
  std::uint64_t reduced[spread_most_stages];   //!< all warps' states are in `states`
  std::uint64_t answered[spread_most_stages];  //!< the answer of the piece's row is there
  std::uint64_t emptied[spread_most_stages];   //!< all warps have what they map in registers
  spread_piece piece[spread_most_stages];
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

//! The stages of a block, one after the other.
struct spread_stage {
  int at = 0;
  std::uint32_t parity = 0;  //!< of the stage's barriers
  __device__ __forceinline__ void next(int stages) {
    if (++at == stages) at = 0, parity ^= 1;
  }
};
//! The pieces of a block: number b, b + G, … of all.
struct spread_cursor : spread_stage {
  index row;
  int part;
  __device__ __forceinline__ explicit spread_cursor(int parts) : row(blockIdx.x / parts), part(static_cast<int>(blockIdx.x) % parts) {}
  __device__ __forceinline__ void next(const spread_job& job) {
    row += static_cast<int>(gridDim.x) / job.parts, part += static_cast<int>(gridDim.x) % job.parts;
    if (part >= job.parts) part -= job.parts, ++row;
    spread_stage::next(job.stages);
  }
};

//! Piece `part` of a row of `in`.
template <class In>
__device__ __forceinline__ spread_piece piece_of_row(const row_source<In>& in, index row, int part, int slots) {
  constexpr int E = per_vector<In>;
  const In* const data = in.data + row * in.pitch;
  const auto tile = row_walk<In>{data, misalignment(data), in.columns}.at(part, slots * E);
  const int count = tile.count > 0 ? tile.count : 0;
  return {row, tile.origin, tile.head, count, count > 0 ? (count + tile.head + E - 1) / E : 0};
}
//! Asks the copy engine for a piece; where its first or last slot lies partly outside of all rows, elements are copied. One thread.
//! @cost  bytes that will arrive: the caller announces them
template <class In>
__device__ __forceinline__ std::uint32_t spread_fetch(uint4* to, const row_source<In>& in, const spread_piece& p, std::uint64_t* full) {
  constexpr int E = per_vector<In>;
  const In *low = in.data, *high = in.data + (in.rows - 1) * in.pitch;  // what may be read lies between the first row and the last
  if (high < low) low = high, high = in.data;
  high += in.columns;
  const In* const data = in.data + p.row * in.pitch + p.origin;
  const In* const from = data - p.head;
  int first = 0, last = p.slots;
  const auto by_elements = [&](int slot) {
    for (int e = 0; e < E; ++e)
      if (const int k = slot * E + e - p.head; k >= 0 && k < p.count) reinterpret_cast<In*>(to)[slot * E + e] = data[k];
  };
  if (last > first && from < low) by_elements(first++);
  if (last > first && from + last * E > high) by_elements(--last);
  const std::uint32_t bytes = static_cast<std::uint32_t>(last - first) * 16;
  if (bytes > 0) ptx::bulk_load(to + first, from + first * E, bytes, full);
  return bytes;
}

//! One warp: fetches pieces, merges the states of the others and publishes them, merges those of all pieces of a row and hands its answer
//! to the others. fetch(cursor): by one lane. Answers come first in a round: they are worked out while the others reduce their next piece.
template <class R, class Room, class Fetch>
__device__ __forceinline__ void spread_exchange(const R& r, const spread_job& job, Room& room, int mine, int warps, const Fetch& fetch) {
  using S = state_of<R>;
  constexpr int per_state = packets<S>::count;
  const int lane = static_cast<int>(threadIdx.x) % 32, each = (job.parts + 31) / 32;
  const auto combine = merge_by<is_symmetric<R>>([&](const auto& a, const auto& b) { return r.combine(a, b); });
  const auto packets_of = [&](index row, int part) { return job.packets + (row * job.parts + part) * per_state; };
  spread_cursor coming(job.parts), reduced(job.parts), mapped(job.parts);
  spread_stage emptied;
  int left = mine;  // pieces to be fetched
  for (int s = 0; s < job.stages && left > 0; ++s, --left) {
    if (lane == 0) fetch(coming);
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
          if (i == 0) all = states[i].state();
          else combine_into(r, all, states[i].state());
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
      ptx::mbarrier_wait(&room.emptied[emptied.at], emptied.parity);
      if (lane == 0) fetch(coming);
      __syncwarp();
      emptied.next(job.stages), coming.next(job), --left;
    }
    if (k < mine) {
      ptx::mbarrier_wait(&room.reduced[reduced.at], reduced.parity);
      const S s = merge_lanes(from_words<S>(room.states[reduced.at][lane & (warps - 1)]), warps, combine);
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
  constexpr int E = per_vector<In>;
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
    return spread_exchange(r, job, room, mine, warps, [&](const spread_cursor& at) {
      const spread_piece p = piece_of_row(in, at.row, at.part, job.slots);
      room.piece[at.at] = p;
      const std::uint32_t bytes = spread_fetch(stages + at.at * job.slots, in, p, &room.full[at.at]);
      ptx::mbarrier_arrive_expect(&room.full[at.at], bytes);
    });
  const auto slots_of = [&](const spread_piece& p) {
    return is_commutative<R> ? slots_of_thread{thread, threads, p.head} : slots_of_thread{thread * V, 1, p.head};
  };
  const auto load = [&](uint4(&raw)[V], const uint4* from, const spread_piece& p, const slots_of_thread& slots, const uint4& absent) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const int slot = slots.first + v * slots.step;
      raw[v] = slot < p.slots ? from[slot] : absent;
    }
  };
  spread_stage reduced, mapped;
  for (int k = 0; k < mine + job.ahead; ++k) {
    if (k < mine) {
      ptx::mbarrier_wait(&room.full[reduced.at], reduced.parity);
      const spread_piece p = room.piece[reduced.at];
      map.ask(p.row);
      const slots_of_thread slots = slots_of(p);
      const uint4* const from = stages + reduced.at * job.slots;
      const uint4 absent = filler_behind<R, In>();
      uint4 raw[V];
      load(raw, from, p, slots, absent);
      if (p.head != 0 || (p.count + p.head) % E != 0) {
        int at = slots.first * E - p.head;
#pragma unroll
        for (int v = 0; v < V; ++v, at += slots.step * E)
          if (at < 0 || (at < p.count && at + E > p.count)) {
            bundle<In, E> some, none;
            memcpy(&some, &raw[v], 16), memcpy(&none, &absent, 16);
#pragma unroll
            for (int e = 0; e < E; ++e)
              if (at + e < 0 || at + e >= p.count) some.x[e] = none.x[e];
            memcpy(&raw[v], &some, 16);
          }
      }
      const state_of<R> state = block_state<R, tile>(
          r, part_of_thread<R, V, In>(raw, slots, threads, reinterpret_cast<const In*>(from) + p.head, p.count, p.origin), team{32, 1, 1},
          nullptr);
      if (lane == 0) {
        room.states[reduced.at][thread / 32] = to_words(state);
        ptx::mbarrier_arrive(&room.reduced[reduced.at]);
      }
      reduced.next(job.stages);
    }
    if (k < job.ahead) continue;
    const spread_piece p = room.piece[mapped.at];
    const slots_of_thread slots = slots_of(p);
    uint4 raw[V];
    load(raw, stages + mapped.at * job.slots, p, slots, {});
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
