// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scans in one pass over memory: a thread takes the next block, summarises it into its cache, receives the state before it from the
//! block on its left, hands on the state after it, and answers while the block is still in its cache. Nobody depends on anybody: where the
//! thread on the left does not get on (the machine is busy with other work), its blocks are summarised once more by whoever needs them.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "twofold/cpu/in_lanes.hpp"
#include "twofold/cpu/scan_block.hpp"
#include "twofold/schedule/scan.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

namespace detail {

inline constexpr index scan_elements = index{1} << 15;  //!< elements of a block: read and written in a second-level cache
inline constexpr index scan_streams = index{1} << 22;   //!< from so many results on they go past the caches
inline constexpr index scan_takers = 256;               //!< calls that take blocks: more than there are threads

//! What the thread that does a block tells the others.
template <class State>
struct handover {
  std::atomic<int> known{0};  // 1: the summary is there; 2: the state after the block too
  State summary, after;
};

//! Is it certain that nothing which the source reads is written with the output?
template <class S>
inline constexpr bool of_arrays = false;
template <class T>
inline constexpr bool of_arrays<array_source<T>> = true;
template <class S>
inline constexpr bool of_arrays<indexed_source<S>> = of_arrays<S>;
template <class... S>
inline constexpr bool of_arrays<zip_source<S...>> = (of_arrays<S> && ...);
template <class S, class T>
bool apart(const S& src, const array_output<T>& out) {
  bool meets = !of_arrays<S>;
  twofold::detail::for_each_array(src, [&](const auto* data, index count, index stride) {
    using twofold::detail::footprint_of;
    meets = meets || twofold::detail::meet(footprint_of(data, count, stride), footprint_of(out.data, out.count, out.stride));
  });
  return !meets;
}

//! Waits until `done()`, at most so long; says whether it is.
template <class F>
bool wait_for(const F& done, std::chrono::steady_clock::duration longest) {
  const auto end = std::chrono::steady_clock::now() + longest;
  do {
    for (int looks = 0; looks < 64; ++looks)
      if (done()) return true;
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

template <bool Inclusive, class R, class S, class T>
void scan_blocks(const R& r, const S& src, const array_output<T>& out, const executor& ex) {
  const index n = src.size(), blocks = (n + scan_elements - 1) / scan_elements;
  if (blocks < 2) {
    if (n > 0) scan_block<Inclusive>(r, src, out, r.identity(), false);
    return;
  }
  using state = state_of<R>;
  std::atomic<index> next{0};
  std::atomic<bool> failed{false};
  const auto places = std::make_unique<handover<state>[]>(static_cast<std::size_t>(blocks));
  const bool streamed = n >= scan_streams, read_again = apart(src, out);
  const auto known = [&](index b) { return places[static_cast<std::size_t>(b)].known.load(std::memory_order_acquire); };
  const auto piece_of = [&](index b) {
    const index first = b * scan_elements;
    return src.sub(first, first + scan_elements < n ? first + scan_elements : n);
  };
  const auto take = [&](index) {
    index mine = -1;  // the last block that this thread has done, and the state after it
    state after = r.identity();
    try {
      for (index b = next.fetch_add(1); b < blocks && !failed; b = next.fetch_add(1)) {
        handover<state>& here = places[static_cast<std::size_t>(b)];
        const S piece = piece_of(b);
        const auto begin = std::chrono::steady_clock::now();
        if (b + 1 < blocks) {
          here.summary = in_lanes<R>(r).leaf(piece);
          here.known.store(1, std::memory_order_release);
        }
        if (b > 0 && b - 1 != mine) {
          const auto left_done = [&] { return known(b - 1) == 2 || failed; };
          // As long as the own block took: the left one was begun earlier.
          bool done = wait_for(left_done, std::chrono::steady_clock::now() - begin);
          for (int k = known(b - 1); !read_again && !done; k = known(b - 1), done = left_done())  // a scan in place may be writing there
            if (k != 2) places[static_cast<std::size_t>(b - 1)].known.wait(k);
          if (done && !failed) {
            after = places[static_cast<std::size_t>(b - 1)].after;
          } else {
            for (index j = mine + 1; j < b; ++j) {
              const handover<state>& left = places[static_cast<std::size_t>(j)];
              const int k = known(j);
              if (failed) return;  // known means nothing then
              if (k == 2) after = left.after;
              else if (j == 0) after = k == 1 ? left.summary : in_lanes<R>(r).leaf(piece_of(0));
              else combine_into(r, after, k == 1 ? left.summary : in_lanes<R>(r).leaf(piece_of(j)));
            }
          }
          if (failed) return;
        }
        const state before = after;
        if (b + 1 < blocks) {
          if (b == 0) after = here.summary;
          else combine_into(r, after, here.summary);
          here.after = after;
          here.known.store(2, std::memory_order_release);
          if (!read_again) here.known.notify_all();
          mine = b;
        }
        scan_block<Inclusive>(r, piece, out.sub(b * scan_elements, b * scan_elements + piece.size()), before, streamed);
      }
    } catch (...) {
      failed = true;
      for (index b = 0; b < blocks; ++b) {
        places[static_cast<std::size_t>(b)].known.store(2);
        places[static_cast<std::size_t>(b)].known.notify_all();
      }
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
