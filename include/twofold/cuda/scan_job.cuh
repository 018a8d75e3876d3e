// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a scan reads and the sizes that its types fix.
#pragma once

#include "twofold/cuda/packet.cuh"
#include "twofold/cuda/slot.cuh"

namespace twofold::cuda {

//! Where pieces that are scanned on their own begin.
enum class heads : unsigned char {
  none,   //!< one piece
  rows,   //!< at every multiple of a row length
  flags,  //!< where a bit is set
};

//! Everything that one launch reads: passed by value.
template <class R, class In, class Out>
struct scan_job {
  R r;
  In in;
  Out out;
  index n = 0;
  state_of<R> init;                      //!< every piece starts from it
  index row = 0;                         //!< heads::rows: elements of a row
  const std::uint32_t* flags = nullptr;  //!< heads::flags: bit i of word i/32 marks the first element of a piece
  const index* ends = nullptr;           //!< with flags: two numbers; only elements in [ends[0], ends[1]) take part
  packet* waves = nullptr;               //!< ring of 2·stages waves of gridDim.x states
  std::uint64_t* launch = nullptr;
  bool in_vectors = false, out_vectors = false;  //!< 16-byte accesses are legal (inputs: asked by the small scan; others ask themselves)
};

//! A state, and whether a piece begins in the elements it stands for: then what lies before has no say.
//! The mark may say which: it is that of the last one.
template <class S, bool Marked>
struct piece {
  S s;
  std::uint32_t head;
};
template <class S>
struct piece<S, false> {
  S s;
};
template <class R, bool Marked>
struct piece_merge {
  using state = piece<state_of<R>, Marked>;
  const R& r;
  __device__ __forceinline__ state combine(const state& a, const state& b) const {
    if constexpr (Marked) {
      const words<state_of<R>> both = to_words(r.combine(a.s, b.s)), right = to_words(b.s);
      words<state_of<R>> w;
#pragma unroll
      for (int k = 0; k < words<state_of<R>>::count; ++k) w.w[k] = b.head ? right.w[k] : both.w[k];
      return {from_words<state_of<R>>(w), b.head ? b.head : a.head};
    } else {
      return {r.combine(a.s, b.s)};
    }
  }
};

//! States with references, whose values can be added where they are written at one: see algebra/twist.hpp.
template <class R, bool Marked>
inline constexpr bool twisted_pieces = !Marked && requires(const R& r, const state_of<R>& s) {
  r.keeps_at(s, s.at);
  r.later_reference(s.at, s.at);
};

//! The same for pieces: who has a mark is one vote, so that a step costs no more than without marks.
template <class R>
__device__ __forceinline__ piece<state_of<R>, true> warp_inclusive(const piece_merge<R, true>& m, piece<state_of<R>, true> v, int lane,
                                                                   int lanes = 32) {
  const std::uint32_t marked = __ballot_sync(~0u, v.head != 0) & (~0u >> (31 - lane));
  const int first = marked ? 31 - __clz(static_cast<int>(marked)) : 0;  // nothing before this lane has a say
  v.head = __shfl_sync(~0u, v.head, first);
#pragma unroll
  for (int by = 1; by < lanes; by *= 2) {
    const state_of<R> left = shuffle_up(v.s, by);
    if (lane - by >= first) v.s = m.r.combine(left, v.s);
  }
  return v;
}
//! Without marks: states alone, and of twisted states values at one reference, where nothing is lost by it.
template <class R>
__device__ __forceinline__ piece<state_of<R>, false> warp_inclusive(const piece_merge<R, false>& m, piece<state_of<R>, false> v, int lane,
                                                                    int lanes = 32) {
  if constexpr (twisted_pieces<R, false>) {
    auto k = v.s.at;
#pragma unroll
    for (int by = 1; by < lanes; by *= 2) k = m.r.later_reference(k, __shfl_xor_sync(~0u, k, by));
    if (__all_sync(~0u, m.r.keeps_at(v.s, k))) {
      v.s = m.r.at_reference(v.s, k);
#pragma unroll
      for (int by = 1; by < lanes; by *= 2) {
        const auto left = shuffle_up(v.s.amount, by);
        if (lane >= by) v.s.amount = m.r.add_values(left, v.s.amount);
      }
      return v;
    }
  }
  return {warp_inclusive(m.r, v.s, lane, lanes)};
}

TWOFOLD_HD constexpr int total_size() { return 0; }
template <class... Size>
TWOFOLD_HD constexpr int total_size(std::size_t first, Size... rest) {
  return static_cast<int>(first) + total_size(rest...);
}

//! The static part of a scan: sizes that the compiler knows.
template <class R, class In, class Out, bool Exclusive, bool Reverse, heads Heads>
struct scan_shape;
template <class R, class... X, class... Y, bool Exclusive, bool Reverse, heads Heads>
struct scan_shape<R, arrays<const X...>, arrays<Y...>, Exclusive, Reverse, Heads> {
  static constexpr bool exclusive = Exclusive, reverse = Reverse, marked = Heads != heads::none, indexed = !reduces<R, X...>;
  static constexpr heads where = Heads;
  using merge = piece_merge<R, marked>;
  using state = typename merge::state;
  static constexpr int element = total_size(sizeof(X)...);
  // Tiles of 32 KiB where elements have 4 bytes or more. Two threads a row of 128 bytes hide latency; where merging states is dear, one
  // does. States with references are bound by arithmetic, whose latencies only more warps hide: with the one that exchanges there are
  // twelve, three a scheduler, whose registers hold a row; with fifteen they spill.
  static constexpr bool dear = marked || sizeof(state) > 4, twisted = twisted_pieces<R, marked>;
  static constexpr int warps = element > 8 ? 8 : twisted ? 11 : dear ? 8 : 16, threads = warps * 32;
  static constexpr int E = element <= 4    ? (dear ? 32 : 16)
                           : element <= 8  ? (dear ? 16 : 8)
                           : element <= 16 ? 8
                           : element <= 32 ? 4
                                           : 2,
                       tile = threads * E;
  using slot = rows_slot<E, const X...>;
  using values = row_values<E, X...>;
  //! Of a stage: the tile, and every thread's exclusive state.
  static constexpr int stage_bytes = slot::bytes * warps + static_cast<int>(sizeof(state)) * (threads + 2 * warps + 1);
  static constexpr int packets_of_state = packets<state_of<R>>::count;              // the mark of a piece is in their seals
  static constexpr int payload_bytes = 160 * packets_of_state * (marked ? 12 : 8);  // of a wave, while it is folded
  static constexpr int stages_in(int bytes) {
    const int most = (bytes - payload_bytes - 256) / stage_bytes;
    return most < 6 ? most : 6;
  }
  static constexpr int shared_bytes(int stages) { return stages * stage_bytes + payload_bytes + 256; }
  //! Largest number of elements of an output array that a warp's slot can hold, a lane.
  template <class T>
  static constexpr int piece_of = [] {
    int p = E;
    while (p > 1 && row<T, E>::slot_bytes / (E / p) > slot::bytes) p /= 2;
    return p;
  }();
};

}  // namespace twofold::cuda
