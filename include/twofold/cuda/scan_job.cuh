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
  bool in_vectors = false, out_vectors = false;  //!< 16-byte accesses are legal
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
      state c = b;
      if (!b.head) c = {r.combine(a.s, b.s), a.head};
      return c;
    } else {
      return {r.combine(a.s, b.s)};
    }
  }
};

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
  // Tiles of 32 KiB where elements have 4 bytes or more. Two threads a row of 128 bytes hide latency, one leaves more memory for large
  // states.
  static constexpr int warps = element <= 8 ? 16 : 8, threads = warps * 32;
  static constexpr int E = element <= 4 ? 16 : element <= 16 ? 8 : element <= 32 ? 4 : 2, tile = threads * E;
  using slot = rows_slot<E, const X...>;
  using values = row_values<E, X...>;
  //! Of a stage: the tile, and every thread's exclusive state.
  static constexpr int stage_bytes = slot::bytes * warps + static_cast<int>(sizeof(state)) * (threads + warps + 1);
  static constexpr int payload_bytes = 160 * packets<state>::count * 8;  // of a wave, while it is folded
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
