// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scans in one pass over memory: a thread takes the next block, summarises it into its cache, receives the state before it from the
//! block on its left, hands on the state after it, and answers while the block is still in its cache.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "twofold/cpu/in_lanes.hpp"
#include "twofold/cpu/scan_block.hpp"
#include "twofold/schedule/scan.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

namespace detail {

inline constexpr index scan_elements = index{1} << 15;  //!< elements of a block: read and written in a second-level cache
inline constexpr index scan_streams = index{1} << 22;   //!< from so many results on they go past the caches
inline constexpr int patience = 20000;                  //!< looks before a waiting thread gives way: the left block is about to be done
inline constexpr index scan_takers = 256;               //!< calls that take blocks: more than there are threads

//! The state before a block, handed over by the thread that did the block on its left.
template <class State>
struct handover {
  std::atomic<int> ready{0};  // 1: state is there; −1: somebody failed
  State state;
};

template <bool Inclusive, class R, class S, class T>
void scan_blocks(const R& r, const S& src, const array_output<T>& out, const executor& ex) {
  const index n = src.size(), blocks = (n + scan_elements - 1) / scan_elements;
  if (blocks < 2) {
    if (n > 0) scan_block<Inclusive>(r, src, out, r.identity(), false);
    return;
  }
  struct shared {
    std::atomic<index> next{0};
    std::atomic<bool> failed{false};
  } all;
  using state = state_of<R>;
  const auto places = std::make_unique<handover<state>[]>(static_cast<std::size_t>(blocks));
  const bool streamed = n >= scan_streams;
  const auto take = [&](index) {
    try {
      for (index b = all.next.fetch_add(1); b < blocks && !all.failed; b = all.next.fetch_add(1)) {
        const index first = b * scan_elements, last = first + scan_elements < n ? first + scan_elements : n;
        const S piece = src.sub(first, last);
        const bool sums = b + 1 < blocks;
        const state mine = sums ? in_lanes<R>(r).leaf(piece) : r.identity();
        state before = r.identity();
        if (b > 0) {
          handover<state>& left = places[static_cast<std::size_t>(b)];
          for (int spins = 0; left.ready.load(std::memory_order_acquire) == 0 && !all.failed; ++spins)
            if (spins > patience) std::this_thread::yield();
          if (all.failed) return;
          before = left.state;
        }
        if (sums) {
          handover<state>& right = places[static_cast<std::size_t>(b + 1)];
          right.state = b > 0 ? r.combine(before, mine) : mine;
          right.ready.store(1, std::memory_order_release);
        }
        scan_block<Inclusive>(r, piece, out.sub(first, last), std::move(before), streamed);
      }
    } catch (...) {
      all.failed = true;
      throw;
    }
  };
  ex(blocks < scan_takers ? blocks : scan_takers, 0, task(take));
}

}  // namespace detail

//! @brief  out[i] = the answer for elements up to and including i (inclusive), or before i (exclusive).
//! @math   blocks of 32768 elements; the state before a block is the left fold of the states of the blocks before it. Within a block
//!         prefixes of a vector by doubling, then the carry: fixed by positions alone
//! @shape  in: n elements; out: exactly n, and may be the input itself
//! @laws   needs: combine associative, identity neutral. Order is kept
//! @order  the same bits for any number of threads and any width of vectors
//! @errors TF2206, TF2207 as scan; suffix and backward scans: twofold::scan
//! @cost   one pass over memory; 2n pushes in cache
template <reduction R, class In, class Out>
void scan(const R& r, const In& in, Out&& out, bounds ends = bounds::inclusive, const executor& ex = default_executor()) {
  const auto src = as_source(in);
  const auto to = as_output(out);
  (void)twofold::detail::check_scan(src, to, {});
  if (ends == bounds::inclusive) detail::scan_blocks<true>(r, src, to, ex);
  else detail::scan_blocks<false>(r, src, to, ex);
}

}  // namespace cpu
TWOFOLD_END_NAMESPACE
