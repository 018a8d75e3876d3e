// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The level of one thread: some vectors of a row in registers, as a tile that operators reduce by leaf.
#pragma once

#include "twofold/cuda/element.cuh"

namespace twofold::cuda {

//! R lifts (position, x): argmax and the like.
template <class R, class A>
inline constexpr bool takes_position = !reduces<R, A> && reduces<R, index, A>;

//! Where a thread's vectors lie in a row that is cut into slots of one vector each: slot 0 begins `head` elements before the row's first
//! element (so that slots are aligned although the row is not); the thread has slots first, first + step, ….
struct slots_of_thread {
  int first;
  int step;
  int head;
};

//! Which elements of V vectors lie within a row of `count` elements, as bits.
template <int V, int E>
__device__ __forceinline__ std::uint64_t present_bits(const slots_of_thread& s, int count) {
  std::uint64_t bits = 0;
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const int at = (s.first + v * s.step) * E - s.head;
    const int low = min(max(-at, 0), E), high = min(max(count - at, 0), E);
    const std::uint32_t some = high > low ? ((1u << high) - 1u) & ~((1u << low) - 1u) : 0u;
    bits |= static_cast<std::uint64_t>(some) << (v * E);
  }
  return bits;
}

//! V vectors of a row in registers as a source. Absent elements are masked: apply does not call f for them.
template <class R, class In, int V, bool Masked>
struct thread_tile {
  using A = operand_of<R, In>;
  static constexpr int per = per_vector<In>;
  static constexpr bool ascending = true;
  static_assert(V * per <= 64);
  const uint4 (&raw)[V];
  slots_of_thread slots;
  index origin;        //!< position of the row's element 0
  std::uint64_t bits;  //!< of Masked tiles: which elements are there

  __device__ __forceinline__ static constexpr index size() { return V * per; }
  __device__ __forceinline__ bool visible(int i) const { return !Masked || (bits >> i & 1); }
  template <class F>
  __device__ __forceinline__ void apply(index i, F&& f) const {
    const int k = static_cast<int>(i);
    if (!visible(k)) return;
    const A x = element<In, A>(raw[k / per], k % per);
    if constexpr (takes_position<R, A>)
      f(origin + static_cast<index>((slots.first + k / per * slots.step) * per - slots.head + k % per), x);
    else f(x);
  }
};

//! V vectors from memory: row points at the row's first element. Vectors that lie partly outside are gathered by element: nothing is read
//! outside the row.
template <class In, int V>
__device__ __forceinline__ void load_slots(uint4 (&raw)[V], const In* row, const slots_of_thread& s, int count) {
  constexpr int E = per_vector<In>;
  const In* const base = row - s.head;
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const int slot = s.first + v * s.step, at = slot * E - s.head;
    if (at >= 0 && at + E <= count) {
      raw[v] = *reinterpret_cast<const uint4*>(base + static_cast<index>(slot) * E);
    } else {
      bundle<In, E> some{};
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (at + e >= 0 && at + e < count) some.x[e] = row[at + e];
      memcpy(&raw[v], &some, 16);
    }
  }
}

}  // namespace twofold::cuda
