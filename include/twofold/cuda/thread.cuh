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

//! Which elements of a thread's vectors may be absent: none; whole vectors; any.
enum class absence : unsigned char { none, vectors, elements };

//! V vectors of a row in registers as a source. Absent elements are masked: apply does not call f for them.
template <class R, class In, int V, absence Absent>
struct thread_tile {
  using A = operand_of<R, In>;
  static constexpr int per = per_vector<In>;
  static constexpr bool ascending = true;
  static_assert(V * per <= 64);
  const uint4 (&raw)[V];
  slots_of_thread slots;
  index origin;        //!< position of the row's element 0
  std::uint64_t bits;  //!< which elements are there, where some may be absent

  __device__ __forceinline__ static constexpr index size() { return V * per; }
  __device__ __forceinline__ bool visible(int i) const {
    if constexpr (Absent == absence::none) return true;
    else if constexpr (Absent == absence::vectors) return bits >> (i / per * per) & 1;  // one question a vector
    else return bits >> i & 1;
  }
  __device__ __forceinline__ index position_of(int i) const {
    return origin + static_cast<index>((slots.first + i / per * slots.step) * per - slots.head + i % per);
  }
  template <class F>
  __device__ __forceinline__ void apply(index i, F&& f) const {
    const int k = static_cast<int>(i);
    if (!visible(k)) return;
    const A x = element<In, A>(raw[k / per], k % per);
    if constexpr (takes_position<R, A>) f(position_of(k), x);
    else f(x);
  }
  //! The largest element, NaN if one is, two at a time: the half types compare as they are.
  __device__ __forceinline__ A largest() const
      requires((std::is_same_v<In, __nv_bfloat16> || std::is_same_v<In, __half>)&&Absent == absence::none) {
    using pair = std::conditional_t<std::is_same_v<In, __half>, __half2, __nv_bfloat162>;
    const auto two = [&](int k) {
      const std::uint32_t word[4] = {raw[k / 4].x, raw[k / 4].y, raw[k / 4].z, raw[k / 4].w};
      pair p;
      memcpy(&p, &word[k % 4], 4);
      return p;
    };
    pair most = two(0);
#pragma unroll
    for (int k = 1; k < 4 * V; ++k) most = __hmax2_nan(most, two(k));
    return widened<A>(__hmax_nan(most.x, most.y));
  }
};

//! The same with an element that all threads which hold the row know: a pivot for means.
template <class R, class In, int V, absence Absent>
struct anchored_tile : thread_tile<R, In, V, Absent> {
  using typename thread_tile<R, In, V, Absent>::A;
  A anchor;
  __device__ __forceinline__ A pivot() const { return anchor; }
};

//! f(tile) for this thread's vectors, the tile in the form that what is absent asks for. The answer is the same in all lanes of a warp.
template <class R, int V, class In>
struct thread_part {
  const uint4 (&raw)[V];
  slots_of_thread slots;
  index origin;
  absence absent;
  std::uint64_t bits;
  operand_of<R, In> anchor;
  template <class F>
  __device__ __forceinline__ auto operator()(const F& f) const {
    if (absent == absence::none) return f(anchored_tile<R, In, V, absence::none>{{raw, slots, origin, bits}, anchor});
    if (absent == absence::vectors) return f(anchored_tile<R, In, V, absence::vectors>{{raw, slots, origin, bits}, anchor});
    return f(anchored_tile<R, In, V, absence::elements>{{raw, slots, origin, bits}, anchor});
  }
};

//! What is absent of a piece of `count` elements at `data` that `threads` threads share, and which elements this thread has.
template <class R, int V, class In>
__device__ __forceinline__ thread_part<R, V, In> part_of_thread(const uint4 (&raw)[V], const slots_of_thread& s, int threads,
                                                                const In* data, int count, index origin) {
  constexpr int E = per_vector<In>;
  const absence absent = __any_sync(~0u, s.head != 0 || count % E != 0) ? absence::elements
                         : __all_sync(~0u, count == threads * V * E)    ? absence::none
                                                                        : absence::vectors;
  using A = operand_of<R, In>;
  return {raw, s, origin, absent, absent == absence::none ? ~0ull : present_bits<V, E>(s, count), count > 0 ? widened<A>(data[0]) : A{}};
}

//! V vectors from memory: row points at the row's first element. Vectors that lie partly outside are gathered by element: nothing is read
//! outside the row.
template <class In, int V>
__device__ __forceinline__ void load_slots(uint4 (&raw)[V], const In* row, const slots_of_thread& s, int count) {
  constexpr int E = per_vector<In>;
  int at = s.first * E - s.head;  // of the slot's element 0 in the row
  const In* from = row + at;
  const index step = static_cast<index>(s.step) * E;
#pragma unroll
  for (int v = 0; v < V; ++v, at += s.step * E, from += step) {
    if (at >= 0 && at + E <= count) {
      raw[v] = *reinterpret_cast<const uint4*>(from);
    } else {
      bundle<In, E> some{};
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (at + e >= 0 && at + e < count) some.x[e] = from[e];
      memcpy(&raw[v], &some, 16);
    }
  }
}

}  // namespace twofold::cuda
