// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Walks a plan in blocks of tiles, hands the blocks to an executor in waves of bounded memory, and delivers
//! their states in order. The blocks are cut by index, so that running them here, there or at the same time gives the
//! same bits.
#pragma once

#include "twofold/schedule/executor.hpp"
#include "twofold/schedule/tile_state.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace detail {

inline constexpr index block_elements = 16384;  // walking that many dwarfs the cost of handing the block over …
inline constexpr index blocks_wanted = 256;     // … but an element may be a long row: few elements are still spread
inline constexpr index wave_blocks = 1024;      // enough for every thread; bounds what is held at one time …
inline constexpr index wave_states = 65536;     // … together with this

//! Tiles [tile, tile + count) of one part. For tree: count is a power of two and `tile` (counted from the origin) a
//! multiple of it.
struct block {
  index part = 0;
  index tile = 0;
  index count = 0;
};

//! Enumerates the blocks of a plan from left to right.
class block_walk {
 public:
  //! `origin`: the number of leaves before the first tile (reproducible pieces do not begin at 0).
  explicit block_walk(const plan& p, index origin = 0) : plan_(p), origin_(origin), tiles_(p.tiles_in(p.part(0))) {
    const index wanted = p.size / blocks_wanted < block_elements ? p.size / blocks_wanted : block_elements;
    while (p.tile > 0 && p.tile <= wanted / (largest_ * 2)) largest_ *= 2;
  }
  [[nodiscard]] index largest() const { return largest_; }
  bool next(block& b) {
    while (tile_ == tiles_) {
      if (++part_ >= plan_.parts) return false;
      tile_ = 0;
      tiles_ = plan_.tiles_in(plan_.part(part_));
    }
    b = {part_, tile_, count()};
    tile_ += b.count;
    return true;
  }

 private:
  [[nodiscard]] index count() const {
    const index left = tiles_ - tile_;
    if (!plan_.tree) return left < largest_ ? left : largest_;
    index c = largest_;
    while (c > left || (origin_ + tile_) % c != 0) c /= 2;
    return c;
  }
  plan plan_;
  index origin_, tiles_, part_ = 0, tile_ = 0, largest_ = 1;
};

//! Calls emit(level, state) for the states of a block, in order: one per tile for fold, one in all for tree.
template <class R, class S, class Emit>
void run_block(const R& r, const S& src, const plan& p, const block& b, const Emit& emit) {
  const extent part = p.part(b.part);
  const auto one = [&](index t) {
    const extent e = p.tile_of(part, t);
    return tile_state(r, src.sub(e.first, e.last), p);
  };
  const auto lifted = [&](index t) { return lift_at(r, src, part.first + t); };
  if (p.tree && p.tile == 1 && !p.leaf) return emit(log2_of(b.count), block_state(r, lifted, b.tile, b.count));
  if (p.tree) return emit(log2_of(b.count), block_state(r, one, b.tile, b.count));
  for (index t = 0; t < b.count; ++t) emit(0, one(b.tile + t));
}

//! One wave: its blocks and where their states go.
struct wave_item {
  block what;
  index slot = 0;
};

template <class R, class S, class Sink>
void for_each_state_threaded(const R& r, const S& src, const plan& p, block_walk walk, const executor& ex, const Sink& sink) {
  std::vector<wave_item> items;
  cells<state_of<R>> slots;
  for (bool more = true; more;) {
    items.clear();
    index used = 0;
    for (block b; static_cast<index>(items.size()) < wave_blocks && (used == 0 || used + walk.largest() <= wave_states);) {
      if (!(more = walk.next(b))) break;
      items.push_back({b, used});
      used += p.tree ? 1 : b.count;
    }
    if (static_cast<index>(slots.size()) < used) slots.resize(static_cast<std::size_t>(used), {r.identity()});
    const auto run_item = [&](index k) {
      const wave_item& item = items[static_cast<std::size_t>(k)];
      index at = item.slot;
      run_block(r, src, p, item.what, [&](int, state_of<R>&& s) { slots[static_cast<std::size_t>(at++)].state = std::move(s); });
    };
    ex(static_cast<index>(items.size()), p.thread_limit, task(run_item));
    for (const wave_item& item : items)
      for (index t = 0, states = p.tree ? 1 : item.what.count; t < states; ++t)
        sink(item.what.part, p.tree ? log2_of(item.what.count) : 0, std::move(slots[static_cast<std::size_t>(item.slot + t)].state));
  }
}

//! Calls sink(part, level, state) in the calling thread, from left to right, for the states that make up the plan.
template <class R, class S, class Sink>
void for_each_state(const R& r, const S& src, const plan& p, index origin, const executor& ex, const Sink& sink) {
  if (p.size == 0) return;
  block_walk walk(p, origin);
  if (p.threaded && ex.run != nullptr) return for_each_state_threaded(r, src, p, walk, ex, sink);
  for (block b; walk.next(b);) run_block(r, src, p, b, [&](int level, state_of<R>&& s) { sink(b.part, level, std::move(s)); });
}

}  // namespace detail
TWOFOLD_END_NAMESPACE
