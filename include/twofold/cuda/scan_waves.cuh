// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The scan kernel. Tiles go round robin over the blocks; the tiles that all blocks hold at one time are a wave. Every block folds
//! the aggregates of a wave in one fixed tree and adds the carry of the waves before, so that the bracketing depends on the number of
//! blocks and on the index alone, never on who is done first.
#pragma once

#include "twofold/cuda/packet.cuh"
#include "twofold/cuda/ptx/sync.cuh"
#include "twofold/cuda/slot.cuh"

namespace twofold::cuda {

//! Where pieces that are scanned on their own begin.
enum class heads : unsigned char {
  none,      //!< one piece
  rows,      //!< at every multiple of a row length
  flags,     //!< where a bit is set
  segments,  //!< where a bit is set, and only the state of each whole piece is wanted
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
  const index* offsets = nullptr;        //!< heads::segments: where each begins; `pieces` + 1 of them
  index pieces = 0;
  const std::uint32_t* newest = nullptr;  //!< heads::segments: for every row that has a head, the piece of its last one
  packet* waves = nullptr;                //!< ring of 2·stages waves of gridDim.x states
  std::uint64_t* launch = nullptr;
  bool in_vectors = false, out_vectors = false;  //!< 16-byte accesses are legal
};

//! A state, and whether a piece begins in the elements it stands for: then what lies before has no say. With heads::segments the mark is
//! the number of the last such piece, plus one.
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
#ifndef TWOFOLD_SCAN_WARPS
#define TWOFOLD_SCAN_WARPS 16
#endif
  static constexpr int W = TWOFOLD_SCAN_WARPS;
  static constexpr int E = (element <= 4 ? 32 : element <= 8 ? 16 : element <= 16 ? 8 : element <= 32 ? 4 : 2) * 8 / W;
  static constexpr int warps = W, threads = warps * 32, tile = threads * E;
  using slot = rows_slot<E, const X...>;
  using values = row_values<E, X...>;
  //! Of a stage: the tile, and every thread's exclusive state.
  static constexpr int stage_bytes = slot::bytes * warps + static_cast<int>(sizeof(state)) * (threads + warps + 1);
  static constexpr int stages_in(int bytes) { return (bytes - 256) / stage_bytes < 6 ? (bytes - 256) / stage_bytes : 6; }
  static constexpr int shared_bytes(int stages) { return stages * stage_bytes + 256; }
  //! Largest number of elements of an output array that a warp's slot can hold, a lane.
  template <class T>
  static constexpr int piece_of = [] {
    int p = E;
    while (p > 1 && row<T, E>::slot_bytes / (E / p) > slot::bytes) p /= 2;
    return p;
  }();
};

namespace detail {

//! Bit k of E + 1: does a piece begin at element first + k in memory?
template <class Shape, class Job>
__device__ __forceinline__ std::uint64_t head_bits_in_memory(const Job& job, index first) {
  constexpr int E = Shape::E;
  std::uint64_t bits = 0;
  if constexpr (Shape::where == heads::rows) {
    const index past = job.n <= 0x7fffffff ? static_cast<std::uint32_t>(first) % static_cast<std::uint32_t>(job.row) : first % job.row;
    for (index k = past == 0 ? 0 : job.row - past; k <= E; k += job.row) bits |= std::uint64_t{1} << k;
  } else {
    const index words = (job.n + 31) / 32, w = first / 32, next = first + E;
    if (w < words) bits = job.flags[w] >> (first % 32) & (E == 32 ? ~0u : (1u << E % 32) - 1);
    if (Shape::reverse || Shape::where == heads::segments)
      if (next < job.n) bits |= static_cast<std::uint64_t>(job.flags[next / 32] >> (next % 32) & 1) << E;
  }
  return bits;
}
//! Bit k: does a piece begin at the k-th of a lane's elements, in the order in which they are scanned? first: the lane's first in memory.
template <class Shape>
__device__ __forceinline__ std::uint32_t in_order(std::uint64_t bits) {
  constexpr int E = Shape::E;
  if constexpr (Shape::reverse) return __brev(static_cast<std::uint32_t>(bits >> 1)) >> (32 - E);
  else return static_cast<std::uint32_t>(bits) & (E == 32 ? ~0u : (1u << E % 32) - 1);
}
template <class Shape, class Job>
__device__ __forceinline__ std::uint32_t head_bits(const Job& job, index first) {
  return in_order<Shape>(head_bits_in_memory<Shape>(job, first));
}

//! The piece that begins at an element: the last one whose offset is not above (those before it there are empty).
template <class Job>
__device__ __noinline__ index piece_at(const Job& job, index position) {
  index low = 0, high = job.pieces;  // offsets[low] <= position < offsets[high]
  while (high - low > 1) {
    const index middle = low + (high - low) / 2;
    if (job.offsets[middle] <= position) low = middle;
    else high = middle;
  }
  return low;
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

//! Answers of the pieces that end in a lane's row. v, piece: what runs into the row, and which piece it belongs to (-1: none); newest: the
//! piece of the row's last head.
template <class Shape, class Job, class Values>
__device__ __forceinline__ void finish_pieces(const Job& job, auto v, index piece, const Values& x, std::uint64_t bits, index newest,
                                              index at, index first, index last) {
  constexpr int E = Shape::E;
  const std::uint32_t mine = in_order<Shape>(bits);
  // Without empty pieces between them the heads of a row count up to the last one: one look at the first tells, before the walk.
  index next = newest - __popc(mine) + 1;
  const bool counted = mine == 0 || (next >= 0 && job.offsets[next] == at + __ffs(mine) - 1);
#pragma unroll
  for (int k = 0; k < E; ++k) {
    if (at + k < first || at + k >= last) continue;
    if (bits >> k & 1) {
      v = job.init;
      piece = counted ? next++ : piece_at(job, at + k);
    }
    scan_push<Shape>(job.r, v, x, k, at + k);
    if (((bits >> (k + 1) & 1) || at + k + 1 == last) && piece >= 0) keep_one(job.out, piece, job.r.finalize(v));
  }
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

//! One warp of every block: folds the aggregates of each wave in one fixed tree, hands the block what lies before its tile, and carries the
//! rest to the next wave. The packets of the next wave are asked for before this one is folded: they have mostly arrived by then.
template <class Shape, int Stages, class R, class In, class Out>
__device__ __forceinline__ void exchange_waves(const scan_job<R, In, Out>& job, index tiles, std::uint64_t launch,
                                               typename Shape::state* prefix, std::uint64_t* ready) {
  using state = typename Shape::state;
  constexpr int most = 5, at_once = packets<state>::count <= 2 ? most : packets<state>::count <= 5 ? 2 : 1, ring = 2 * Stages;
  const R& r = job.r;
  const typename Shape::merge m{r};
  const int G = static_cast<int>(gridDim.x), b = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x) % 32;
  const int each = (G + 31) / 32, mine = lane * each;
  packets<state> x[at_once];
  const auto fetch = [&](const packet* base, int k0, int count) {
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (const int j = mine + k0 + k; k0 + k < each && j < count) x[k].fetch(base + j * packets<state>::pitch);
  };
  state carry;
  carry.s = job.init;
  if constexpr (Shape::marked) carry.head = 0;
  int stage = 0, slot = 0;
  index left_tiles = tiles;
  const packet* base = job.waves;
  fetch(base, 0, static_cast<int>(min(static_cast<index>(G), left_tiles)));
  for (index w = 0; left_tiles > b; ++w, left_tiles -= G) {
    const int count = static_cast<int>(min(static_cast<index>(G), left_tiles));
    const packet_key key(launch, static_cast<std::uint64_t>(w));
    slot = slot == ring - 1 ? 0 : slot + 1;
    const packet* const next = job.waves + slot * G * packets<state>::pitch;
    state v, before;  // of the lane's aggregates; of those before this block's
    v.s = r.identity();
    if constexpr (Shape::marked) v.head = 0;
    before = v;
#pragma unroll 1
    for (int k0 = 0; k0 < each; k0 += at_once) {
      if (k0 > 0) fetch(base, k0, count);
      // all loads in flight at once: one trip to L2 a wave where every block has published
      for (bool waiting = true; waiting;) {
        waiting = false;
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          if (const int j = mine + k0 + k; k0 + k < each && j < count && !x[k].arrived(key))
            x[k].fetch(base + j * packets<state>::pitch), waiting = true;
#ifdef TWOFOLD_BACKOFF
        if (waiting) __nanosleep(TWOFOLD_BACKOFF);
#endif
      }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int j = mine + k0 + k;
        if (k0 + k < each && j == b) before = v;
        if (k0 + k < each && j < count) v = m.combine(v, x[k].state());
      }
      if (k0 + at_once >= each && left_tiles > G) fetch(next, 0, static_cast<int>(min(static_cast<index>(G), left_tiles - G)));
    }
    const state inclusive = warp_inclusive(m, v, lane);
    const state left = shuffle_up(inclusive, 1);
    if (lane == b / each) {
      prefix[stage] = m.combine(carry, lane > 0 ? m.combine(left, before) : before);
      ptx::mbarrier_arrive(&ready[stage]);
    }
    carry = m.combine(carry, shuffle_from(inclusive, 31));
    // all blocks have published, hence read the number of this launch
    if (w == 0 && b == 0 && lane == 0) *job.launch = launch + 1;
    stage = stage == Stages - 1 ? 0 : stage + 1;
    base = next;
    __syncwarp();
  }
}

//! Roles: warp 0 exchanges aggregates, the others move and compute. Compute folds `Stages / 2` waves ahead of the exchange.
template <class Shape, int Stages, class R, class In, class... Y>
__device__ __forceinline__ void scan_by_waves(const scan_job<R, In, arrays<Y...>>& job) {
  using state = typename Shape::state;
  using slot = typename Shape::slot;
  constexpr int E = Shape::E, warps = Shape::warps, threads = Shape::threads, ahead = Stages / 2, tile = Shape::tile;
  constexpr bool reverse = Shape::reverse;
  extern __shared__ __align__(128) unsigned char memory[];
  unsigned char* const slots = memory;
  state* const exclusive = reinterpret_cast<state*>(memory + Stages * warps * slot::bytes);  // [stage][thread]
  state* const warp_total = exclusive + Stages * threads;                                    // [stage][warp]
  state* const prefix = warp_total + Stages * warps;                                         // [stage]
  __shared__ std::uint64_t ready[Stages];
  const R& r = job.r;
  const typename Shape::merge m{r};
  const int G = static_cast<int>(gridDim.x), b = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x) % 32;
  const index tiles = (job.n + tile - 1) / tile;
  const int mine_all = static_cast<int>((tiles - b + G - 1) / G);  // tiles of this block
  const std::uint64_t launch = load_launch(job.launch);
  if (threadIdx.x == 0)
    for (std::uint64_t& x : ready) ptx::mbarrier_init(&x, 1);
  __syncthreads();

  if (threadIdx.x < 32) {
    exchange_waves<Shape, Stages>(job, tiles, launch, prefix, ready);
  } else {  // --- move and compute
    const int t = static_cast<int>(threadIdx.x) - 32, warp = t / 32;
    const int row_lane = reverse ? 31 - lane : lane;                   // which row of the slot is mine
    const int segment = (reverse ? warps - 1 - warp : warp) * 32 * E;  // of the tile, in memory
    unsigned char* const mine = slots + warp * slot::bytes;            // of stage 0
    index first = 0, last = job.n;                                     // elements that take part
    if constexpr (Shape::where == heads::flags || Shape::where == heads::segments)
      if (job.ends) first = job.ends[0], last = job.ends[1];
    const auto place_of = [&](int w) {
      const index k = static_cast<index>(w) * G + b;
      return (reverse ? tiles - 1 - k : k) * tile + segment;
    };
    const auto load = [&](int w, int s) {
      if (w < mine_all) {
        const index at = place_of(w);
        const std::uint32_t to = ptx::shared_address(mine + s * warps * slot::bytes);
        if (job.in_vectors && at + 32 * E <= job.n) slot::load(to, job.in, at, lane);
        else slot::load_some(to, job.in, at, 0, job.n - at, lane);
      }
      ptx::async_commit();
    };
    for (int w = 0; w < Stages; ++w) load(w, w);
    int fold_stage = 0, finish_stage = 0, ring = 0;
    std::uint32_t parity = 0;
    for (int w = 0; w < mine_all + ahead; ++w) {
      if (w < mine_all) {  // fold tile w, publish its aggregate
        const int s = fold_stage;
        fold_stage = s == Stages - 1 ? 0 : s + 1;
        const index at = place_of(w) + row_lane * E;
        std::uint32_t bits = 0, newest = 0;  // asked for before the tile is waited for
        if constexpr (Shape::marked) bits = detail::head_bits<Shape>(job, at);
        if constexpr (Shape::where == heads::segments)
          if (bits) newest = job.newest[at / E];
        ptx::async_wait<Stages - 1 - ahead>();
        __syncwarp();
        const unsigned char* const here = mine + s * warps * slot::bytes;
        state v;
        if (place_of(w) + 32 * E <= job.n) {
          typename Shape::values x;
          slot::read(x, here, row_lane);
          v = detail::fold_row<Shape>(r, job.init, x, bits, at);
        } else {
          v = detail::fold_tail<Shape>(r, job.init, here, row_lane, bits, at, job.n);
        }
        if constexpr (Shape::where == heads::segments)
          if (bits) v.head = newest + 1;
        const state inclusive = warp_inclusive(m, v, lane);
        state ex = shuffle_up(inclusive, 1);
        if (lane == 31) warp_total[s * warps + warp] = inclusive;
        ptx::named_sync(1, threads);
        const state before_all = warp_inclusive(m, warp_total[s * warps + lane % warps], lane, warps);
        const state before = shuffle_from(before_all, warp > 0 ? warp - 1 : 0), total = shuffle_from(before_all, warps - 1);
        if (t == 0) publish(job.waves + (ring * G + b) * packets<state>::pitch, total, packet_key(launch, static_cast<std::uint64_t>(w)));
        ring = ring == 2 * Stages - 1 ? 0 : ring + 1;
        if (lane == 0) {
          if (warp > 0) ex = before;
          else {
            ex.s = r.identity();
            if constexpr (Shape::marked) ex.head = 0;
          }
        } else if (warp > 0) {
          ex = m.combine(before, ex);
        }
        exclusive[s * threads + t] = ex;
      }
      if (const int u = w - ahead; u >= 0) {  // finish tile u
        const int s = finish_stage;
        unsigned char* const here = mine + s * warps * slot::bytes;
        const index segment_at = place_of(u), at = segment_at + row_lane * E;
        typename Shape::values x;
        slot::read(x, here, row_lane);
        std::uint64_t memory_bits = 0;
        index newest = 0;
        if constexpr (Shape::marked) memory_bits = detail::head_bits_in_memory<Shape>(job, at);
        if constexpr (Shape::where == heads::segments)
          if (detail::in_order<Shape>(memory_bits)) newest = job.newest[at / E];
        ptx::mbarrier_wait(&ready[s], parity);
        const state into = m.combine(prefix[s], exclusive[s * threads + t]);
        if constexpr (Shape::where == heads::segments) {
          detail::finish_pieces<Shape>(job, into.s, static_cast<index>(into.head) - 1, x, memory_bits, newest, at, first, last);
        } else {
          const bool whole = segment_at >= first && segment_at + 32 * E <= last;
          const std::uint32_t bits = detail::in_order<Shape>(memory_bits);
          state_of<R> v = into.s;
          constexpr int P = detail::piece_of_all<Shape, Y...>();
#pragma unroll
          for (int q = 0; q < E / P; ++q) {
            const int which = reverse ? E / P - 1 - q : q;
            row_values<P, Y...> y;
            const auto answer = [&](bool all) {
#pragma unroll
              for (int k = 0; k < P; ++k) {
                const int here_k = reverse ? P - 1 - k : k, e = which * P + here_k;
                if constexpr (Shape::marked)
                  if (bits >> (q * P + k) & 1) v = job.init;
                const bool present = all || at + e < job.n;
                if constexpr (Shape::exclusive) detail::keep(y, here_k, detail::scan_answer<Shape>(r, v, x, e, at + e));
                if (present) detail::scan_push<Shape>(r, v, x, e, at + e);
                if constexpr (!Shape::exclusive) detail::keep(y, here_k, r.finalize(v));
              }
            };
            if (segment_at + 32 * E <= job.n) answer(true);
            else answer(false);
            detail::store_pieces<E, P>(y, job.out, segment_at, which, whole && job.out_vectors, first, last, here, row_lane, lane);
          }
        }
        __syncwarp();
        load(u + Stages, s);
        finish_stage = s == Stages - 1 ? 0 : s + 1;
        if (finish_stage == 0) parity ^= 1;
      }
    }
  }
}

template <class Shape, int Stages, class R, class In, class... Y>
__global__ void __launch_bounds__(Shape::threads + 32, 1) scan_waves(const __grid_constant__ scan_job<R, In, arrays<Y...>> job) {
  scan_by_waves<Shape, Stages>(job);
}

}  // namespace twofold::cuda
