// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A lane's row in a scan: where pieces begin in it, its state, its answers.
#pragma once

#include "twofold/cuda/scan_job.cuh"

namespace twofold::cuda {

namespace detail {

//! Bit k: does a piece begin at element first + k in memory (walked backwards: at first + k + 1)?
template <class Shape, class Job>
__device__ __forceinline__ std::uint32_t marks_at(const Job& job, index first) {
  constexpr int E = Shape::E;
  static_assert(E <= 32 && 32 % E == 0);
  const index from = first + (Shape::reverse ? 1 : 0);
  std::uint32_t bits = 0;
  if constexpr (Shape::where == heads::rows) {
    const index past = job.n < 0x7fffffff ? static_cast<std::uint32_t>(from) % static_cast<std::uint32_t>(job.row) : from % job.row;
    for (index k = past == 0 ? 0 : job.row - past; k < E; k += job.row) bits |= 1u << k;
  } else if (from < job.n) {
    const index word = from / 32;
    const int shift = static_cast<int>(from % 32);
    bits = job.flags[word] >> shift;
    if constexpr (Shape::reverse)
      if (shift + E > 32 && (word + 1) * 32 < job.n) bits |= job.flags[word + 1] << (32 - shift);
    bits &= ~0u >> (32 - E);
  }
  return bits;
}
//! Bit k: does a piece begin at the k-th of a lane's elements, in the order in which they are scanned?
template <class Shape>
__device__ __forceinline__ std::uint32_t in_order(std::uint32_t marks) {
  if constexpr (Shape::reverse) return __brev(marks) >> (32 - Shape::E);
  else return marks;
}

//! s ⊙ lift(element k).
template <class Shape, class R, class Values>
__device__ __forceinline__ void scan_push(const R& r, state_of<R>& s, const Values& v, int k, index position) {
  v.apply(k, [&](const auto&... x) {
    if constexpr (Shape::indexed) push_into(r, s, position, x...);
    else push_into(r, s, x...);
  });
}
template <class Shape, class R, class Values>
__device__ __forceinline__ state_of<R> scan_lift(const R& r, const Values& v, int k, index position) {
  return v.apply(k, [&](const auto&... x) {
    if constexpr (Shape::indexed) return r.lift(position, x...);
    else return r.lift(x...);
  });
}

template <class Y>
__device__ __forceinline__ void keep_one(const arrays<Y>& out, index at, const auto& answer) {
  out.data[at] = static_cast<Y>(answer);
}
template <class Y, class Z>
__device__ __forceinline__ void keep_one(const arrays<Y, Z>& out, index at, const auto& answer) {
  const auto& [first, second] = answer;
  out.data[at] = static_cast<Y>(first), out.rest.data[at] = static_cast<Z>(second);
}

//! s ⊙ lift(element e of the warp's slot).
template <class Shape, class R>
__device__ __forceinline__ void push_slot(const R& r, state_of<R>& s, const unsigned char* slot, int e, index position) {
  Shape::slot::at(slot, e, [&](const auto&... x) {
    if constexpr (Shape::indexed) push_into(r, s, position, x...);
    else push_into(r, s, x...);
  });
}

//! A lane's elements as a tile, which operators have leaves of.
template <class Values, int E>
struct row_tile {
  const Values& v;
  __device__ static constexpr index size() { return E; }
  __device__ static constexpr index offset(index i) { return i; }  //!< positions between element i and element 0
  template <class F>
  __device__ __forceinline__ auto apply(index i, F&& f) const {
    return v.apply(static_cast<int>(i), f);
  }
};

//! The state of a lane's elements, none of them absent; where a piece begins, it begins with init.
template <class Shape, class R, class Values>
__device__ __forceinline__ typename Shape::state fold_row(const R& r, const state_of<R>& init, const Values& v, std::uint32_t bits,
                                                          index position) {
  constexpr int E = Shape::E;
  constexpr auto at = [](int k) { return Shape::reverse ? E - 1 - k : k; };
  typename Shape::state s;
  if constexpr (requires { r.leaf(row_tile<Values, E>{v}); } && !Shape::marked && !Shape::reverse && !Shape::indexed) {
    s.s = r.leaf(row_tile<Values, E>{v});
    return s;
  }
  s.s = scan_lift<Shape>(r, v, at(0), position + at(0));
  if constexpr (Shape::marked)
    if (bits & 1) s.s = r.combine(init, s.s);
#pragma unroll
  for (int k = 1; k < E; ++k) {
    if constexpr (Shape::marked)
      if (bits >> k & 1) s.s = init;
    scan_push<Shape>(r, s.s, v, at(k), position + at(k));
  }
  if constexpr (Shape::marked) s.head = bits != 0;
  return s;
}
//! The same where elements at and after n are absent: a loop over the slot, since the tail is worth no unrolled code.
template <class Shape, class R>
__device__ __forceinline__ typename Shape::state fold_tail(const R& r, const state_of<R>& init, const unsigned char* slot, int row_lane,
                                                           std::uint32_t bits, index position, index n) {
  constexpr int E = Shape::E;
  typename Shape::state s;
  s.s = r.identity();
#pragma unroll 1
  for (int k = 0; k < E; ++k) {
    const int at = Shape::reverse ? E - 1 - k : k;
    if constexpr (Shape::marked)
      if (bits >> k & 1) s.s = init;
    if (position + at < n) push_slot<Shape>(r, s.s, slot, row_lane * E + at, position + at);
  }
  if constexpr (Shape::marked) s.head = bits != 0;
  return s;
}

//! All of a lane's elements as two chains, so that their latencies overlap.
template <class Shape, class R, class Values>
__device__ __forceinline__ state_of<R> fold_halves(const R& r, const Values& v, index position) {
  constexpr int half = Shape::E / 2;
  state_of<R> a = scan_lift<Shape>(r, v, 0, position), b = scan_lift<Shape>(r, v, half, position + half);
#pragma unroll
  for (int k = 1; k < half; ++k) scan_push<Shape>(r, a, v, k, position + k), scan_push<Shape>(r, b, v, half + k, position + half + k);
  return r.combine(a, b);
}

//! Can all answers of a row be made at one reference?
template <class Shape, class R, class Values>
inline constexpr bool settles = requires(const R& r, state_of<R>& s, const Values& v) {
  r.settle_for(s, row_tile<Values, Shape::E>{v});
  r.finalize_settled(s);
}
&&!Shape::indexed && !requires { &R::answer; };

//! What goes out beside element k: finalize of s; or what the operator makes of s and of the element itself, where it has `answer`.
template <class Shape, class R, class Values>
__device__ __forceinline__ auto scan_answer(const R& r, const state_of<R>& s, const Values& v, int k, index position) {
  if constexpr (requires { &R::answer; }) return v.apply(k, [&](const auto&... x) { return r.answer(s, position, x...); });
  else return r.finalize(s);
}

//! One answer as the output arrays hold it: itself, or one entry per array.
template <int P, class Y>
__device__ __forceinline__ void keep(row_values<P, Y>& to, int k, const auto& answer) {
  to.x[k] = static_cast<Y>(answer);
}
template <int P, class Y, class Z>
__device__ __forceinline__ void keep(row_values<P, Y, Z>& to, int k, const auto& answer) {
  const auto& [first, second] = answer;
  to.x[k] = static_cast<Y>(first), to.rest.x[k] = static_cast<Z>(second);
}

//! Writes elements [piece·P, piece·P + P) of every lane's row.
template <int E, int P, class Y, class... More>
__device__ __forceinline__ void store_pieces(const row_values<P, Y, More...>& y, const arrays<Y, More...>& out, index at, int which,
                                             bool vectors, index first, index last, unsigned char* slot, int row_lane, int lane) {
  __syncwarp();
  row<Y, P>::write(y.x, slot, row_lane);
  __syncwarp();
  Y* const to = out.data + at + which * P;
  if (vectors) row<Y, P>::store(to, E, slot, lane);
  else row<Y, P>::store_some(to, E, first - at - which * P, last - at - which * P, slot, lane);
  if constexpr (sizeof...(More) > 0) store_pieces<E, P>(y.rest, out.rest, at, which, vectors, first, last, slot, row_lane, lane);
}

template <class Shape, class... Y>
TWOFOLD_HD constexpr int piece_of_all() {
  int p = Shape::E;
  ((p = Shape::template piece_of<Y> < p ? Shape::template piece_of<Y> : p), ...);
  return p;
}

}  // namespace detail

}  // namespace twofold::cuda
