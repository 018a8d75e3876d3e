// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The state of one tile: its lanes side by side, each by push or by leaf, merged in order.
#pragma once

#include "twofold/algebra/tile.hpp"
#include "twofold/schedule/merger.hpp"
#include "twofold/schedule/plan.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace detail {

//! The tile's elements pushed one after the other: the loop itself.
template <class R, class S>
state_of<R> pushed(const R& r, const S& piece) {
  state_of<R> s = r.identity();
  for (index i = 0, n = piece.size(); i < n; ++i) push_at(r, s, piece, i);
  return s;
}

//! True where `leaf` is nothing but pushes, which lanes may then interleave: the states are the same, the latencies
//! overlap.
template <class R, class S>
inline constexpr bool leaf_is_pushes = !requires(const R& r, const S& s) {
  { r.leaf(s) } -> std::convertible_to<state_of<R>>;
};

template <class State>
struct cell {  // bool states: std::vector<bool> packs its elements, and neighbours could not be written at the same
               // time
  State state;
};
template <class State>
using cells = std::vector<cell<State>>;

//! Lanes [w, w + sizeof...(K)) by pushes, one element of each at a time: their latencies overlap, their states stay
//! in registers.
template <class R, class S, std::size_t... K>
void push_together(const R& r, const S& tile, cells<state_of<R>>& lane, index width, index w, std::index_sequence<K...>) {
  const index n = tile.size(), each = n / width;
  const S piece[] = {tile.sub(cut(n, width, w + static_cast<index>(K)).first, cut(n, width, w + static_cast<index>(K)).last)...};
  state_of<R> s[] = {((void)K, r.identity())...};
  for (index i = 0; i < each; ++i) (push_at(r, s[K], piece[K], i), ...);
  ((piece[K].size() > each ? push_at(r, s[K], piece[K], each) : void()), ...);
  ((lane[static_cast<std::size_t>(w) + K].state = std::move(s[K])), ...);
}
template <class R, class S>
void push_lanes(const R& r, const S& tile, cells<state_of<R>>& lane, index width) {
  index w = 0;
  for (; width - w >= 8; w += 8) push_together(r, tile, lane, width, w, std::make_index_sequence<8>{});
  for (; width - w >= 2; w += 2) push_together(r, tile, lane, width, w, std::make_index_sequence<2>{});
  if (w < width) push_together(r, tile, lane, width, w, std::make_index_sequence<1>{});
}

template <class R, class S>
state_of<R> lanes_state(const R& r, const S& tile, const plan& p, index width) {
  const index n = tile.size();
  cells<state_of<R>> lane(static_cast<std::size_t>(width), {r.identity()});
  if (leaf_is_pushes<R, S> || !p.leaf) {
    push_lanes(r, tile, lane, width);
  } else {
    for (index w = 0; w < width; ++w) {
      const extent e = cut(n, width, w);
      lane[w].state = leaf(r, tile.sub(e.first, e.last));
    }
  }
  merger<R> merged(r, p.tree);
  for (auto& c : lane) merged.add(0, std::move(c.state));
  return merged.result();
}

//! The state of a non-empty tile as the plan says.
template <class R, class S>
state_of<R> tile_state(const R& r, const S& tile, const plan& p) {
  const index width = p.lanes < tile.size() ? p.lanes : tile.size();
  if (width > 1) return lanes_state(r, tile, p, width);
  if (!p.leaf && tile.size() == 1) return lift_at(r, tile, 0);                  // push from the identity, without merging with it
  return p.leaf || is_exact_over_machine<R> ? leaf(r, tile) : pushed(r, tile);  // where all bracketings have the same bits, the cheaper one
}

}  // namespace detail
TWOFOLD_END_NAMESPACE
