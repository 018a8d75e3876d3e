// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The threads that share a row: some lanes of a warp, the warps of a block, or the blocks of a cluster. One function merges their
//! states in order through as many levels as there are; one reduces a tile that all of them hold.
#pragma once

#include "twofold/cuda/cluster.cuh"
#include "twofold/cuda/thread.cuh"

namespace twofold::cuda {

//! lanes · warps · blocks threads: fewer than 32 lanes only where warps = blocks = 1. All are powers of two.
struct team {
  int lanes = 32;
  int warps = 1;
  int blocks = 1;
};

//! Shared memory for two exchanges of a team: one within the block, one across blocks.
template <class S>
struct team_room {
  shared_states<S, 32> warps;
  shared_states<S, 16> blocks;
};

//! @brief  All threads of the team get its states merged in the order of threads.
//! @pre    as merge_warps and merge_blocks; each room serves one call
template <class S, class Op>
__device__ __forceinline__ S merge_team(const team& t, S s, team_room<S>& room, const Op& op) {
  s = merge_lanes(s, t.lanes, op);
  if (t.warps > 1) s = merge_warps(s, t.warps, room.warps, op);
#if __CUDA_ARCH__ >= 900
  if (t.blocks > 1) s = merge_blocks(s, t.blocks, room.blocks, op);
#endif
  return s;
}

//! Can parts of a tile be surveyed apart and collected at one reference?
template <class R, class Tile>
concept surveys = requires(const R& r, const Tile& tile) {
  r.collect(tile, r.survey(tile));
};

template <class R, class Tile>
struct survey_type {
  using type = int;
};
template <class R, class Tile>
requires surveys<R, Tile>
struct survey_type<R, Tile> {
  using type = std::remove_cvref_t<decltype(std::declval<const R&>().survey(std::declval<const Tile&>()))>;
};

//! Shared memory that row_state needs.
template <class R, class Tile>
struct row_room {
  team_room<typename survey_type<R, Tile>::type> surveys;
  team_room<state_of<R>> states;
};

//! @brief  The state of the tile that the team holds, part by part in order, in every thread of the team.
//! @math   where the operator can survey: one reference for the whole row, then a sum without rescales; else leaf, then combine
//! `whole` (the same in all lanes of a warp) says that no element of the thread's part is absent: then `part` is read, else `masked`.
template <class R, class Tile, class Masked>
__device__ __forceinline__ state_of<R> row_state(const R& r, bool whole, const Tile& part, const Masked& masked, const team& t,
                                                 row_room<R, Tile>& room) {
  if constexpr (surveys<R, Tile>) {
    auto seen = whole ? r.survey(part) : r.survey(masked);
    seen = merge_team(t, seen, room.surveys, [&](const auto& a, const auto& b) { return r.join(a, b); });
    const state_of<R> s = whole ? r.collect(part, seen) : r.collect(masked, seen);
    return merge_team(t, s, room.states, [&](const auto& a, const auto& b) { return r.add_collected(a, b); });
  } else {
    const state_of<R> s = whole ? leaf(r, part) : leaf(r, masked);
    return merge_team(t, s, room.states, [&](const auto& a, const auto& b) { return r.combine(a, b); });
  }
}

}  // namespace twofold::cuda
