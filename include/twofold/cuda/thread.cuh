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
    const int low = ::min(::max(-at, 0), E), high = ::min(::max(count - at, 0), E);
    const std::uint32_t some = high > low ? ((1u << high) - 1u) & ~((1u << low) - 1u) : 0u;
    bits |= static_cast<std::uint64_t>(some) << (v * E);
  }
  return bits;
}

//! The same where no vector lies partly outside: the first bit of each.
template <int V, int E>
__device__ __forceinline__ std::uint64_t present_vectors(const slots_of_thread& s, int count) {
  std::uint64_t bits = 0;
  int at = s.first * E - s.head;
#pragma unroll
  for (int v = 0; v < V; ++v, at += s.step * E) bits |= static_cast<std::uint64_t>(at >= 0 && at + E <= count) << (v * E);
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
  std::uint64_t bits;  //!< which elements are there, where some may be absent; of whole vectors the first bit says it

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
  //! @name The half types, where all elements are there.
  //! @{
  static constexpr bool packed = (std::is_same_v<In, __nv_bfloat16> || std::is_same_v<In, __half>)&&Absent == absence::none;
  using pair = std::conditional_t<std::is_same_v<In, __half>, __half2, __nv_bfloat162>;
  //! Elements 2k and 2k + 1 as they are.
  __device__ __forceinline__ pair two(int k) const {
    const std::uint32_t word[4] = {raw[k / 4].x, raw[k / 4].y, raw[k / 4].z, raw[k / 4].w};
    pair p;
    memcpy(&p, &word[k % 4], 4);
    return p;
  }
  //! The first element that equals x (which is exact in In), −1 where none does: a comparison and a bit for every two.
  __device__ __forceinline__ int first_equal(const A& x) const requires(packed) {
    const In one = narrowed<In>(x);
    const pair both{one, one};
    int first = 2 * 4 * V;
#pragma unroll
    for (int part = (4 * V - 1) / 16; part >= 0; --part) {
      std::uint32_t bits = 0;
#pragma unroll
      for (int k = 0; k < (4 * V < 16 ? 4 * V : 16); ++k) bits |= __heq2_mask(two(16 * part + k), both) & (0x10001u << k);
      const int even = __ffs(static_cast<int>(bits & 0xffff)), odd = __ffs(static_cast<int>(bits >> 16));
      const int here = ::min(even ? 2 * even - 2 : 64, odd ? 2 * odd - 1 : 64);
      if (here < 64) first = 32 * part + here;
    }
    return first < 2 * 4 * V ? first : -1;
  }
  //! So many elements are handed out at once: f(x) for the array of those of vector v.
  __device__ __forceinline__ static constexpr int together() requires(packed) { return per; }
  template <class F>
  __device__ __forceinline__ void apply_together(int v, F&& f) const requires(packed) {
    A x[per];
#pragma unroll
    for (int e = 0; e < per; ++e) x[e] = element<In, A>(raw[v], e);
    f(x);
  }
  //! @}
  //! The largest element, NaN if one is, two at a time: the half types compare as they are.
  __device__ __forceinline__ A largest() const requires(packed) {
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

//! Has R an element without influence? Then what is absent is filled with it, and nothing has to be masked.
template <class R, class In>
inline constexpr bool has_unseen = requires {
  R::unseen();
}
&&std::is_floating_point_v<computed_of<In>> && !is_fp8<In>;  // −inf is no number of e4m3
//! Sixteen bytes of it; zeros where there is none.
template <class R, class In>
__device__ __forceinline__ uint4 absent_vector() {
  uint4 v{};
  if constexpr (has_unseen<R, In>) {
    bundle<In, per_vector<In>> b;
#pragma unroll
    for (In& x : b.x) x = narrowed<In>(static_cast<computed_of<In>>(R::unseen()));
    memcpy(&v, &b, 16);
  }
  return v;
}

//! The same for what lies behind all elements only (of argmax: the worst value, which loses to every earlier one).
template <class R, class In>
inline constexpr bool has_unseen_behind = requires {
  R::unseen_behind();
}
&&std::is_floating_point_v<computed_of<In>> && !is_fp8<In>;
template <class R, class In>
__device__ __forceinline__ uint4 filler_behind() {
  if constexpr (has_unseen_behind<R, In>) {
    uint4 v;
    bundle<In, per_vector<In>> b;
#pragma unroll
    for (In& x : b.x) x = narrowed<In>(static_cast<computed_of<In>>(R::unseen_behind()));
    memcpy(&v, &b, 16);
    return v;
  } else {
    return absent_vector<R, In>();
  }
}

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
    if constexpr (has_unseen<R, In>) return f(anchored_tile<R, In, V, absence::none>{{raw, slots, origin, bits}, anchor});
    if (absent == absence::none) return f(anchored_tile<R, In, V, absence::none>{{raw, slots, origin, bits}, anchor});
    if (absent == absence::vectors) return f(anchored_tile<R, In, V, absence::vectors>{{raw, slots, origin, bits}, anchor});
    return f(anchored_tile<R, In, V, absence::elements>{{raw, slots, origin, bits}, anchor});
  }
};

//! What is absent of a piece of `count` elements at `data` that `threads` threads share, and which elements this thread has.
template <class R, int V, class In>
__device__ __forceinline__ thread_part<R, V, In> part_of_thread(const uint4 (&raw)[V], const slots_of_thread& s, int threads,
                                                                const In* data, int count, index origin) {
  [[maybe_unused]] constexpr int E = per_vector<In>;
  using A = operand_of<R, In>;
  const A anchor = count > 0 ? widened<A>(data[0]) : A{};
  if constexpr (has_unseen<R, In>) return {raw, s, origin, absence::none, ~0ull, anchor};
  // Most warps of a long row see nothing of its ends. The vectors where it begins and ends may be partly outside.
  const int end = s.head + count, behind = end / E - s.first;
  const bool cut = (s.head != 0 && s.first == 0) || (end % E != 0 && behind >= 0 && behind < V * s.step && behind % s.step == 0);
  const bool all = s.first * E >= s.head && (s.first + (V - 1) * s.step + 1) * E <= end;
  const absence absent = __any_sync(~0u, cut) ? absence::elements : __all_sync(~0u, all) ? absence::none : absence::vectors;
  std::uint64_t bits = ~0ull;
  if (absent == absence::vectors) bits = present_vectors<V, E>(s, count);
  if (absent == absence::elements) bits = present_bits<V, E>(s, count);
  return {raw, s, origin, absent, bits, anchor};
}

//! V vectors from memory: row points at the row's first element. Vectors that lie partly outside are gathered by element: nothing is read
//! outside the row.
template <class In, int V>
__device__ __forceinline__ void load_slots(uint4 (&raw)[V], const In* row, const slots_of_thread& s, int count, const uint4& absent = {}) {
  constexpr int E = per_vector<In>;
  int at = s.first * E - s.head;  // of the slot's element 0 in the row
  const In* from = row + at;
  const index step = static_cast<index>(s.step) * E;
  if (at >= 0 && at + ((V - 1) * s.step + 1) * E <= count) {
#pragma unroll
    for (int v = 0; v < V; ++v) raw[v] = *reinterpret_cast<const uint4*>(from + v * step);
    return;
  }
  bool cut = false;  // first everything that is whole, so that all of it is under way before a ragged end is waited for
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const int here = at + v * s.step * E;
    raw[v] = absent;
    if (here >= 0 && here + E <= count) raw[v] = *reinterpret_cast<const uint4*>(from + v * step);
    else cut = cut || (here + E > 0 && here < count);
  }
  if (!cut) return;
#pragma unroll
  for (int v = 0; v < V; ++v, at += s.step * E, from += step)
    if (at + E > 0 && at < count && (at < 0 || at + E > count)) {
      bundle<In, E> some;
      memcpy(&some, &absent, 16);
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (at + e >= 0 && at + e < count) some.x[e] = from[e];
      memcpy(&raw[v], &some, 16);
    }
}

}  // namespace twofold::cuda
