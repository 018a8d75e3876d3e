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

//! Words of shared memory that one merge of a team takes, within a block.
template <class S>
__host__ __device__ constexpr int team_room(int warps) {
  return warps > 1 ? block_room<S>(32 * warps) : 0;
}

//! @brief  All threads of a team within one block get its states merged in the order of threads.
//! @pre    as merge_threads; memory: team_room words, used once
template <class S, class Op>
__device__ __forceinline__ S merge_team(const team& t, S s, std::uint32_t* memory, const Op& op) {
  return t.warps > 1 ? merge_threads(s, t.warps, memory, op) : merge_lanes(s, t.lanes, op);
}

//! Can parts of a tile be surveyed apart and collected at one reference?
template <class R, class Tile>
concept surveys = requires(const R& r, const Tile& tile) {
  r.collect(tile, r.survey(tile));
};

//! Does R guess a reference from one element that all threads of a row may know?
template <class A>
struct first_of_row {
  A first;
  __device__ __forceinline__ A pivot() const { return first; }
};
template <class R, class In>
inline constexpr bool guesses_from_first = requires(const R& r, const first_of_row<operand_of<R, In>>& first) {
  r.guess(first);
};

//! Does R guess a reference that needs no survey?
template <class R, class Tile>
concept guesses = requires(const R& r, const Tile& tile) {
  r.value_at(tile, r.guess(tile));
};

//! What is exchanged to reduce a tile that a team holds: surveys, then values at one reference; or else states alone.
template <class R, class Tile>
struct exchanged {
  using survey = state_of<R>;
  using value = state_of<R>;
};
template <class R, class Tile>
requires surveys<R, Tile>
struct exchanged<R, Tile> {
  using survey = std::remove_cvref_t<decltype(std::declval<const R&>().survey(std::declval<const Tile&>()))>;
  using value = std::remove_cvref_t<decltype(std::declval<const R&>().collect(std::declval<const Tile&>(), std::declval<survey>()))>;
};

//! Words of shared memory that row_state takes; `rounds` rooms of a cluster (a kernel that walks several rows alternates between two).
//! Rooms of the cluster come first: they hold barriers, which are aligned.
template <class R>
__host__ __device__ constexpr int row_cluster_room(int blocks, int rounds) {
  return blocks > 1 ? (rounds * cluster_room<state_of<R>> + 3) / 4 * 4 : 0;
}
template <class R, class Tile>
__host__ __device__ constexpr int row_room(int warps, int blocks, int rounds = 1) {
  const int cluster = row_cluster_room<R>(blocks, rounds);
  if constexpr (guesses<R, Tile>) return cluster + 2 * team_room<typename R::value>(warps);
  else if constexpr (surveys<R, Tile>)
    return cluster + team_room<typename exchanged<R, Tile>::survey>(warps) + team_room<typename exchanged<R, Tile>::value>(warps);
  else return cluster + team_room<state_of<R>>(warps);
}

//! Are R's states values at a reference, which add up where they have one reference?
template <class R>
concept has_references = requires(const R& r, const state_of<R>& s) {
  typename R::reference;
  R::symmetric_values;
  r.empty(s);
  s.at == s.at;
  r.add_values(s.amount, s.amount);
};

//! Words of shared memory that merge_states takes.
template <class R>
__host__ __device__ constexpr int states_room(int warps) {
  if constexpr (requires { requires R::merges_by_reference; })
    return team_room<typename R::reference>(warps) + team_room<typename R::value>(warps);
  else return team_room<state_of<R>>(warps);
}
//! @brief  merge_team of states. A twist whose gauge takes the later reference moves every state once, to the last reference of all, and
//! then
//!         adds values: far less than merges one after the other. Within a warp that is tried with every twist: states often have one
//!         reference already.
//! @pre    as merge_team; memory: states_room words, used once
template <class R>
__device__ __forceinline__ state_of<R> merge_states(const R& r, const team& t, state_of<R> s, std::uint32_t* memory) {
  if constexpr (requires { requires R::merges_by_reference; }) {
    using reference = typename R::reference;
    const reference g = merge_team(t, s.at, memory, merge_by<true>([&](const auto& a, const auto& b) { return r.join(a, b); }));
    auto v = r.empty(s) ? r.identity().amount : r.at_reference(s, g).amount;
    v = merge_team(t, v, memory + team_room<reference>(t.warps),
                   merge_by<R::symmetric_values>([&](const auto& a, const auto& b) { return r.add_values(a, b); }));
    return {g, v};
  } else {
    if constexpr (has_references<R>) {
      const unsigned some = t.warps > 1 ? 0 : __ballot_sync(~0u, !r.empty(s));
      if (some != 0) {
        const typename R::reference g = shuffle_from(s.at, __ffs(static_cast<int>(some)) - 1);
        const bool none = r.empty(s);
        if (__all_sync(~0u, none || s.at == g))
          return {g, merge_lanes(none ? r.identity().amount : s.amount, t.lanes,
                                 merge_by<R::symmetric_values>([&](const auto& a, const auto& b) { return r.add_values(a, b); }))};
      }
    }
    return merge_team(t, s, memory, merge_by<is_symmetric<R>>([&](const auto& a, const auto& b) { return r.combine(a, b); }));
  }
}

//! Two neighbouring states merged: at one reference already, their values are added.
template <class R>
__device__ __forceinline__ state_of<R> merge_two(const R& r, const state_of<R>& a, const state_of<R>& b) {
  if constexpr (has_references<R>)
    if (a.at == b.at && !r.empty(a) && !r.empty(b)) return {a.at, r.add_values(a.amount, b.amount)};
  return r.combine(a, b);
}

//! @brief  The state of the tile that the threads of a block hold, part by part in order, in every thread.
//! @math   where the operator can survey: one reference for the whole tile, then a sum without rescales; else leaf, then combine.
//! `each(f)` gives f this thread's part: a tile of the form that its absent elements ask for.
template <class R, class Tile, class Each>
__device__ __forceinline__ state_of<R> block_state(const R& r, const Each& each, const team& t, std::uint32_t* memory) {
  if constexpr (guesses<R, Tile>) {
    using value = typename R::value;
    const auto add = merge_by<R::symmetric_values>([&](const auto& a, const auto& b) { return r.add_values(a, b); });
    auto g = each([&](const auto& part) { return r.guess(part); });
    value v = merge_team(t, each([&](const auto& part) { return r.value_at(part, g); }), memory, add);
    const bool again = r.misses(v);  // the same in all threads of a row, hence of a block that has one
    if (__any_sync(~0u, again)) {
      const auto h = again ? r.better(g, v) : g;
      const value w = merge_team(t, each([&](const auto& part) { return r.value_at(part, h); }), memory + team_room<value>(t.warps), add);
      if (again) g = h, v = w;
    }
    return {g, v};
  } else if constexpr (surveys<R, Tile>) {
    using survey = typename exchanged<R, Tile>::survey;
    using value = typename exchanged<R, Tile>::value;
    constexpr bool symmetric = [] {
      if constexpr (requires { survey::symmetric; }) return survey::symmetric;
      else return R::symmetric_join;
    }();
    survey seen = each([&](const auto& part) { return r.survey(part); });
    seen = merge_team(t, seen, memory, merge_by<symmetric>([&](const auto& a, const auto& b) { return r.join(a, b); }));
    value v = each([&](const auto& part) { return r.collect(part, seen); });
    v = merge_team(t, v, memory + team_room<survey>(t.warps),
                   merge_by<R::symmetric_values>([&](const auto& a, const auto& b) { return r.add_values(a, b); }));
    return r.state_at(seen, v);
  } else {
    return merge_team(t, each([&](const auto& part) { return leaf(r, part); }), memory,
                      merge_by<is_symmetric<R>>([&](const auto& a, const auto& b) { return r.combine(a, b); }));
  }
}

//! @brief  block_state, merged in the order of the blocks of a cluster. round: how many rows the cluster has reduced before this one.
//! @pre    memory: row_room words; where blocks > 1 its rooms are prepared and every block has begun
template <class R, class Tile, class Each>
__device__ __forceinline__ state_of<R> row_state(const R& r, const Each& each, const team& t, std::uint32_t* memory, int rounds = 1,
                                                 index round = 0) {
  state_of<R> s = block_state<R, Tile>(r, each, t, memory + row_cluster_room<R>(t.blocks, rounds));
#if __CUDA_ARCH__ >= 900
  if (t.blocks > 1)
    s = merge_blocks(s, t.blocks, memory + static_cast<int>(round % rounds) * cluster_room<state_of<R>>,
                     static_cast<std::uint32_t>(round / rounds) & 1,
                     merge_by<is_symmetric<R>>([&](const auto& a, const auto& b) { return r.combine(a, b); }));
#endif
  return s;
}

//! One thread prepares the rooms of a cluster; a cluster barrier follows before the first row_state.
template <class R>
__device__ __forceinline__ void prepare_row_room(std::uint32_t* memory, int rounds = 1) {
  for (int k = 0; k < rounds; ++k) prepare_cluster_room<state_of<R>>(memory + k * cluster_room<state_of<R>>);
}

}  // namespace twofold::cuda
