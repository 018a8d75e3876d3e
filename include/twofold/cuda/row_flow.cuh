// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rows that fit the shared memory of one block flow through it piece by piece: the copy engine fetches pieces of the next rows
//! while those of a row that is answered are mapped, and no block waits for another (sm_90).
#pragma once

#include "twofold/cuda/row_piece.cuh"

namespace twofold::cuda::kernels {

struct flow_job {
  int parts = 1;   //!< pieces of a row
  int slots = 0;   //!< of a piece: 16 bytes each
  int stages = 1;  //!< pieces in shared memory: a row and more
  int ahead = 0;   //!< pieces that are reduced, or all of the row, before a piece is mapped
};

inline constexpr int flow_most_stages = 16, flow_most_warps = 16;

//! What a block has in shared memory besides the stages. Warps hand in a state a row, or, where order matters, a state a piece.
template <class R, class Answer>
struct flow_room {
  static constexpr int answers_kept = 4;  //!< rows that are answered and not mapped, or reduced and not answered: two and two ends
  static constexpr int handed_in = is_commutative<R> ? answers_kept : 2 * flow_most_stages;
  std::uint64_t full[flow_most_stages];     //!< a piece has come
  std::uint64_t emptied[flow_most_stages];  //!< all warps have what they map in registers
  std::uint64_t reduced[handed_in];         //!< all warps' states are in `states`
  std::uint64_t answered[answers_kept];     //!< the answer of a row is there
  row_piece piece[flow_most_stages];
  words<state_of<R>> states[handed_in][flow_most_warps];
  words<Answer> answers[answers_kept];

  __device__ __forceinline__ void prepare(int warps) {
    const auto all = static_cast<std::uint32_t>(warps);
    for (std::uint64_t& b : full) ptx::mbarrier_init(&b, 1);
    for (std::uint64_t& b : answered) ptx::mbarrier_init(&b, 1);
    for (std::uint64_t& b : emptied) ptx::mbarrier_init(&b, all);
    for (std::uint64_t& b : reduced) ptx::mbarrier_init(&b, all);
    ptx::fence_mbarrier_init();
  }
};

//! One warp: merges the states of the others, piece by piece or row by row, and hands each row's answer to them.
template <class R, class Room>
__device__ __forceinline__ void flow_answers(const R& r, const flow_job& job, Room& room, index rows, int warps) {
  using S = state_of<R>;
  const int lane = static_cast<int>(threadIdx.x) % 32, each = is_commutative<R> ? 1 : job.parts;
  ring_stage in, out;
  for (index k = 0; k < rows; ++k) {
    S all = r.identity();
    for (int p = 0; p < each; ++p) {
      ptx::mbarrier_wait(&room.reduced[in.at], in.parity);
      const S s = merge_states(r, team{warps, 1, 1}, from_words<S>(room.states[in.at][lane & (warps - 1)]), nullptr);
      if (p == 0) all = s;
      else combine_into(r, all, s);
      in.next(Room::handed_in);
    }
    if (lane == 0) {
      room.answers[out.at] = to_words(r.finalize(all));
      ptx::mbarrier_arrive(&room.answered[out.at]);
    }
    __syncwarp();
    out.next(Room::answers_kept);
  }
}

//! @brief  Rows of up to `stages` pieces, mapped: every block takes a row in gridDim.x. Warp 0 fetches pieces, warp 1 merges what the
//! others found, which reduce and map pieces and wait for no other of their kind.
//! @pre    2 + 1, 2, 4, 8 or 16 warps; parts ≤ stages ≤ flow_most_stages; 0 ≤ ahead < stages; ahead ≤ 2·parts
template <int V, class R, class In, class Map>
__global__ void __launch_bounds__(32 * (flow_most_warps + 2), 1)
    rows_flow(const R r, const row_source<In> in, const flow_job job, const Map map) {
#if __CUDA_ARCH__ >= 900
  using answer_type = std::remove_cvref_t<decltype(r.finalize(r.identity()))>;
  using room_type = flow_room<R, answer_type>;
  extern __shared__ __align__(128) unsigned char flow_memory[];
  auto& room = *reinterpret_cast<room_type*>(flow_memory);
  uint4* const stages = reinterpret_cast<uint4*>(flow_memory + (sizeof room + 127) / 128 * 128);
  const int threads = static_cast<int>(blockDim.x) - 64, warps = threads / 32, thread = static_cast<int>(threadIdx.x) - 64,
            lane = threadIdx.x & 31;
  const index rows = (in.rows - blockIdx.x + gridDim.x - 1) / gridDim.x;  // of this block
  if (threadIdx.x == 0) room.prepare(warps);
  __syncthreads();
  if (thread < -32) {  // fetches
    if (lane != 0) return;
    ring_stage at;
    bool again = false;
    for (index k = 0; k < rows; ++k) {
      for (int part = 0; part < job.parts; ++part) {
        if (again) ptx::mbarrier_wait(&room.emptied[at.at], at.parity ^ 1);
        const row_piece p = piece_of_row(in, blockIdx.x + k * gridDim.x, part, job.slots);
        room.piece[at.at] = p;
        const std::uint32_t bytes = fetch_piece(stages + at.at * job.slots, in, p, &room.full[at.at]);
        ptx::mbarrier_arrive_expect(&room.full[at.at], bytes);
        at.next(job.stages);
        again = again || at.at == 0;
      }
    }
    return;
  }
  if (thread < 0) return flow_answers(r, job, room, rows, warps);
  const auto slots_of = [&](const row_piece& p) {
    return is_commutative<R> ? slots_of_thread{thread, threads, p.head} : slots_of_thread{thread * V, 1, p.head};
  };
  ring_stage reduced, handed_in, mapped, answers;
  index reduced_row = 0;
  int reduced_part = 0;
  state_of<R> s = r.identity();
  const auto reduce_next = [&] {
    ptx::mbarrier_wait(&room.full[reduced.at], reduced.parity);
    const row_piece p = room.piece[reduced.at];
    if (reduced_part == 0) map.ask(p.row);
    const slots_of_thread slots = slots_of(p);
    const uint4* const from = stages + reduced.at * job.slots;
    uint4 raw[V];
    load_piece<R, In>(raw, from, p, slots);
    part_of_thread<R, V, In>(raw, slots, threads, reinterpret_cast<const In*>(from) + p.head, p.count,
                             p.origin)([&](const auto& tile) { leaf_into(r, s, tile); });
    reduced.next(job.stages);
    const bool ends = ++reduced_part == job.parts;
    if (ends || !is_commutative<R>) {
      const state_of<R> all = merge_states(r, team{32, 1, 1}, s, nullptr);
      if (lane == 0) {
        room.states[handed_in.at][thread / 32] = to_words(all);
        ptx::mbarrier_arrive(&room.reduced[handed_in.at]);
      }
      handed_in.next(room_type::handed_in);
      s = r.identity();
    }
    if (ends) reduced_part = 0, ++reduced_row;
  };
  for (index k = 0; k < rows; ++k) {
    for (int part = 0; part < job.parts; ++part) {
      index row = k;  // up to here at least: all of this row, and what lies `ahead` of the piece that is mapped
      int until = part + job.ahead;
      while (until >= job.parts) until -= job.parts, ++row;
      while (reduced_row < rows && (reduced_row <= k || reduced_row < row || (reduced_row == row && reduced_part < until))) reduce_next();
      const row_piece p = room.piece[mapped.at];
      const slots_of_thread slots = slots_of(p);
      uint4 raw[V];
      load_slots_of_piece(raw, stages + mapped.at * job.slots, p, slots, {});
      ptx::mbarrier_wait(&room.answered[answers.at], answers.parity);
      const answer_type answer = from_words<answer_type>(room.answers[answers.at]);
      __syncwarp();
      if (lane == 0) ptx::mbarrier_arrive(&room.emptied[mapped.at]);
      map.write(answer, p.row, map.out + p.row * map.pitch + p.origin, p.origin, slots, p.count, raw, static_cast<const In*>(nullptr),
                static_cast<operand_of<R, In>*>(nullptr));
      mapped.next(job.stages);
    }
    answers.next(room_type::answers_kept);
  }
#endif
}

}  // namespace twofold::cuda::kernels
