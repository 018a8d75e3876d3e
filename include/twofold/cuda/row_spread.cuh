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
  int slots = 0;              //!< of a warp's slice of a piece: 16 bytes each
  int stages = 1;             //!< pieces that a block holds
  int ahead = 1;              //!< of which are reduced before the answer of the first is asked for
};

//! Pieces a lane merges.
inline constexpr int spread_each = 2;
inline constexpr int spread_most_stages = 8;

//! What a block has in shared memory besides the stages.
template <class R, class Answer>
struct spread_room {
  std::uint64_t full[spread_most_stages][8];   //!< a warp's slice has come
  std::uint64_t reduced[spread_most_stages];   //!< all warps' states are in `states`
  std::uint64_t answered[spread_most_stages];  //!< the answer of the piece's row is there
  words<state_of<R>> states[spread_most_stages][8];
  words<Answer> answers[spread_most_stages];
};

//! A warp's slice of a piece, as a row of its own, and the aligned slots that it touches.
template <class In>
struct spread_slice {
  static constexpr int E = per_vector<In>;
  typename row_walk<In>::tile piece;
  int slots;
  __device__ __forceinline__ spread_slice(const row_source<In>& in, index row, int number, int per_slice) {
    const In* const data = in.data + row * in.pitch;
    piece = row_walk<In>{data, misalignment(data), in.columns}.at(number, per_slice * E);
    if (piece.count < 0) piece.count = 0;
    slots = piece.count > 0 ? (piece.count + piece.head + E - 1) / E : 0;
  }
  __device__ __forceinline__ bool ragged() const { return piece.head != 0 || (piece.count + piece.head) % E != 0; }
};

//! The pieces of a block, one after the other: number b, b + G, … of all.
struct spread_cursor {
  index row;
  int part, stage = 0;
  std::uint32_t parity = 0;  //!< of the stage's barriers
  __device__ __forceinline__ explicit spread_cursor(int parts) : row(blockIdx.x / parts), part(static_cast<int>(blockIdx.x) % parts) {}
  __device__ __forceinline__ void next(const spread_job& job) {
    row += static_cast<int>(gridDim.x) / job.parts, part += static_cast<int>(gridDim.x) % job.parts;
    if (part >= job.parts) part -= job.parts, ++row;
    if (++stage == job.stages) stage = 0, parity ^= 1;
  }
};

//! One warp: merges the states of the others and publishes them; merges those of all pieces of a row and hands its answer to the others.
template <class R, class Room>
__device__ __forceinline__ void spread_exchange(const R& r, const spread_job& job, Room& room, int mine, int warps) {
  using S = state_of<R>;
  constexpr int per_state = packets<S>::count;
  const int lane = static_cast<int>(threadIdx.x) % 32, each = (job.parts + 31) / 32;
  const auto combine = merge_by<is_symmetric<R>>([&](const auto& a, const auto& b) { return r.combine(a, b); });
  const auto packets_of = [&](index row, int part) { return job.packets + (row * job.parts + part) * per_state; };
  spread_cursor reduced(job.parts), mapped(job.parts);
  packets<S> states[spread_each];
  const auto mine_to_merge = [&](int i) { return i < each && lane * each + i < job.parts; };
  for (int k = 0; k < mine + job.ahead; ++k) {
    const bool answers = k >= job.ahead;
    if (answers)  // asked for now, waited for when this block's next piece is reduced
#pragma unroll
      for (int i = 0; i < spread_each; ++i)
        if (mine_to_merge(i)) states[i].fetch(packets_of(mapped.row, lane * each + i));
    if (k < mine) {
      ptx::mbarrier_wait(&room.reduced[reduced.stage], reduced.parity);
      const S s = merge_lanes(from_words<S>(room.states[reduced.stage][lane & (warps - 1)]), warps, combine);
      if (lane == 0) publish(packets_of(reduced.row, reduced.part), s, packet_key(1, static_cast<std::uint64_t>(reduced.row)));
      reduced.next(job);
    }
    if (!answers) continue;
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
      room.answers[mapped.stage] = to_words(r.finalize(all));
      ptx::mbarrier_arrive(&room.answered[mapped.stage]);
    }
    mapped.next(job);
  }
}

//! @brief  Rows that many blocks hold together: each block reduces its pieces, publishes their states, and maps a piece once the states of
//! all pieces of its row are there, merged in order. The bracketing depends on the length of a slice alone. Warp 0 exchanges; each of the
//! others has a slice of the piece and waits for no other warp but it.
//! @pre    all blocks are resident; 1 + 2, 4 or 8 warps; parts − 1 ≤ ahead·gridDim.x; parts ≤ 32·spread_each; ahead < stages
template <int V, class R, class In, class Map>
__global__ void __launch_bounds__(288, V == 4 ? 3 : 2)
    rows_spread(const R r, const row_source<In> in, const spread_job job, const Map map) {
#if __CUDA_ARCH__ >= 900
  using tile = anchored_tile<R, In, V, absence::none>;
  using answer_type = std::remove_cvref_t<decltype(r.finalize(r.identity()))>;
  constexpr int E = per_vector<In>;
  extern __shared__ __align__(128) unsigned char spread_memory[];
  auto& room = *reinterpret_cast<spread_room<R, answer_type>*>(spread_memory);
  const int warps = static_cast<int>(blockDim.x) / 32 - 1, warp = static_cast<int>(threadIdx.x) / 32 - 1,
            lane = static_cast<int>(threadIdx.x) % 32;
  const index pieces = in.rows * job.parts;
  const int G = static_cast<int>(gridDim.x), mine = static_cast<int>((pieces - blockIdx.x + G - 1) / G);
  if (threadIdx.x == 0) {
    for (int s = 0; s < job.stages; ++s) {
      for (int w = 0; w < warps; ++w) ptx::mbarrier_init(&room.full[s][w], 1);
      ptx::mbarrier_init(&room.reduced[s], static_cast<std::uint32_t>(warps));
      ptx::mbarrier_init(&room.answered[s], 1);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (warp < 0) return spread_exchange(r, job, room, mine, warps);
  uint4* const slices = reinterpret_cast<uint4*>(spread_memory + (sizeof room + 127) / 128 * 128) + warp * job.slots;  // of stage 0
  const int per_stage = warps * job.slots;
  const In *low = in.data, *high = in.data + (in.rows - 1) * in.pitch;  // what may be read lies between the first row and the last
  if (high < low) low = high, high = in.data;
  high += in.columns;
  const auto slice_at = [&](const spread_cursor& at) { return spread_slice<In>(in, at.row, at.part * warps + warp, job.slots); };
  const auto fetch = [&](const spread_cursor& at) {  // by one lane
    const spread_slice<In> s = slice_at(at);
    uint4* const to = slices + at.stage * per_stage;
    const In* const from = s.piece.data - s.piece.head;
    int first = 0, last = s.slots;
    const auto by_elements = [&](int slot) {
      for (int e = 0; e < E; ++e)
        if (const int k = slot * E + e - s.piece.head; k >= 0 && k < s.piece.count)
          reinterpret_cast<In*>(to)[slot * E + e] = s.piece.data[k];
    };
    if (last > first && from < low) by_elements(first++);
    if (last > first && from + last * E > high) by_elements(--last);
    std::uint64_t* const full = &room.full[at.stage][warp];
    ptx::mbarrier_arrive_expect(full, static_cast<std::uint32_t>(last - first) * 16);
    if (last > first) ptx::bulk_load(to + first, from + first * E, static_cast<std::uint32_t>(last - first) * 16, full);
  };
  const auto slots_of = [&](const spread_slice<In>& s) {
    return is_commutative<R> ? slots_of_thread{lane, 32, s.piece.head} : slots_of_thread{lane * V, 1, s.piece.head};
  };
  spread_cursor coming(job.parts), reduced(job.parts), mapped(job.parts);
  int left = mine;  // pieces to be fetched
  for (int s = 0; s < job.stages && left > 0; ++s, --left) {
    if (lane == 0) fetch(coming);
    coming.next(job);
  }
  for (int k = 0; k < mine + job.ahead; ++k) {
    if (k < mine) {
      const spread_slice<In> s = slice_at(reduced);
      const slots_of_thread slots = slots_of(s);
      const uint4* const from = slices + reduced.stage * per_stage;
      const uint4 absent = filler_behind<R, In>();
      uint4 raw[V];
      map.ask(reduced.row);
      ptx::mbarrier_wait(&room.full[reduced.stage][warp], reduced.parity);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        const int slot = slots.first + v * slots.step;
        raw[v] = slot < s.slots ? from[slot] : absent;
      }
      if (s.ragged()) {
        int at = slots.first * E - s.piece.head;
#pragma unroll
        for (int v = 0; v < V; ++v, at += slots.step * E)
          if (at < 0 || (at < s.piece.count && at + E > s.piece.count)) {
            bundle<In, E> some, none;
            memcpy(&some, &raw[v], 16), memcpy(&none, &absent, 16);
#pragma unroll
            for (int e = 0; e < E; ++e)
              if (at + e < 0 || at + e >= s.piece.count) some.x[e] = none.x[e];
            memcpy(&raw[v], &some, 16);
          }
      }
      const state_of<R> state = block_state<R, tile>(
          r, part_of_thread<R, V, In>(raw, slots, 32, reinterpret_cast<const In*>(from) + s.piece.head, s.piece.count, s.piece.origin),
          team{32, 1, 1}, nullptr);
      if (lane == 0) {
        room.states[reduced.stage][warp] = to_words(state);
        ptx::mbarrier_arrive(&room.reduced[reduced.stage]);
      }
      reduced.next(job);
    }
    if (k < job.ahead) continue;
    const spread_slice<In> s = slice_at(mapped);
    const slots_of_thread slots = slots_of(s);
    const uint4* const from = slices + mapped.stage * per_stage;
    uint4 raw[V];
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const int slot = slots.first + v * slots.step;
      raw[v] = slot < s.slots ? from[slot] : uint4{};
    }
    ptx::mbarrier_wait(&room.answered[mapped.stage], mapped.parity);
    const answer_type answer = from_words<answer_type>(room.answers[mapped.stage]);
    __syncwarp();  // the slice is in registers, the answer too: the stage may be filled again
    if (left > 0) {
      if (lane == 0) fetch(coming);
      coming.next(job);
      --left;
    }
    map.write(answer, mapped.row, map.out + mapped.row * map.pitch + s.piece.origin, s.piece.origin, slots, s.piece.count, raw,
              static_cast<const In*>(nullptr), static_cast<operand_of<R, In>*>(nullptr));
    mapped.next(job);
  }
#endif
}

}  // namespace twofold::cuda::kernels
