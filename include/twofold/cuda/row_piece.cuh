// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Pieces of rows in shared memory: what a piece is, how it is fetched by the copy engine wherever its row begins, and how threads
//! take their vectors of it.
#pragma once

#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/row_kernels.cuh"

namespace twofold::cuda::kernels {

//! The stages of a block, one after the other.
struct ring_stage {
  int at = 0;
  std::uint32_t parity = 0;  //!< of the stage's barriers
  __device__ __forceinline__ void next(int stages) {
    if (++at == stages) at = 0, parity ^= 1;
  }
};
//! A piece of a row, the aligned slots that it touches, and the row's first element.
struct row_piece {
  index row, origin;
  int head, count, slots;
  std::uint64_t first = 0;
  template <class In>
  __device__ __forceinline__ In first_of() const {
    In x;
    memcpy(&x, &first, sizeof x);
    return x;
  }
};
//! The first element of a row as bits.
template <class In>
__device__ __forceinline__ std::uint64_t first_element(const row_source<In>& in, index row) {
  static_assert(sizeof(In) <= 8);
  std::uint64_t bits = 0;
  memcpy(&bits, in.data + row * in.pitch, sizeof(In));
  return bits;
}

//! Piece `part` of a row of `in`.
template <class In>
__device__ __forceinline__ row_piece piece_of_row(const row_source<In>& in, index row, index part, int slots) {
  constexpr int E = per_vector<In>;
  const In* const data = in.data + row * in.pitch;
  const auto tile = row_walk<In>{data, misalignment(data), in.columns}.at(part, slots * E);
  const int count = tile.count > 0 ? tile.count : 0;
  return {row, tile.origin, tile.head, count, count > 0 ? (count + tile.head + E - 1) / E : 0};
}
//! Asks the copy engine for a piece; where its first or last slot lies partly outside of all rows, elements are copied. One thread.
//! @cost  bytes that will arrive: the caller announces them
template <class In>
__device__ __forceinline__ std::uint32_t fetch_piece(uint4* to, const row_source<In>& in, const row_piece& p, std::uint64_t* full) {
  constexpr int E = per_vector<In>;
  const In *low = in.data, *high = in.data + (in.rows - 1) * in.pitch;  // what may be read lies between the first row and the last
  if (high < low) low = high, high = in.data;
  high += in.columns;
  const In* const data = in.data + p.row * in.pitch + p.origin;
  const In* const from = data - p.head;
  int first = 0, last = p.slots;
  const auto by_elements = [&](int slot) {
    for (int e = 0; e < E; ++e)
      if (const int k = slot * E + e - p.head; k >= 0 && k < p.count) reinterpret_cast<In*>(to)[slot * E + e] = data[k];
  };
  if (last > first && from < low) by_elements(first++);
  if (last > first && from + last * E > high) by_elements(--last);
  const std::uint32_t bytes = static_cast<std::uint32_t>(last - first) * 16;
  if (bytes > 0) ptx::bulk_load(to + first, from + first * E, bytes, full);
  return bytes;
}

//! A thread's slots of a piece; what lies behind the piece is `absent`.
template <int V>
__device__ __forceinline__ void load_slots_of_piece(uint4 (&raw)[V], const uint4* from, const row_piece& p, const slots_of_thread& slots,
                                                    const uint4& absent) {
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const int slot = slots.first + v * slots.step;
    raw[v] = slot < p.slots ? from[slot] : absent;
  }
}
//! The same with what is absent of slots at the piece's ends filled by elements without influence, where R has some.
template <class R, class In, int V>
__device__ __forceinline__ void load_piece(uint4 (&raw)[V], const uint4* from, const row_piece& p, const slots_of_thread& slots) {
  constexpr int E = per_vector<In>;
  const uint4 absent = filler_behind<R, In>();
  load_slots_of_piece(raw, from, p, slots, absent);
  if (p.head == 0 && (p.count + p.head) % E == 0) return;
  int at = slots.first * E - p.head;
#pragma unroll
  for (int v = 0; v < V; ++v, at += slots.step * E)
    if (at < 0 || (at < p.count && at + E > p.count)) {
      bundle<In, E> some, none;
      memcpy(&some, &raw[v], 16), memcpy(&none, &absent, 16);
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (at + e < 0 || at + e >= p.count) some.x[e] = none.x[e];
      memcpy(&raw[v], &some, 16);
    }
}

}  // namespace twofold::cuda::kernels
