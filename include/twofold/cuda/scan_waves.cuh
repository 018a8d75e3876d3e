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
  const index* ends = nullptr;           //!< heads::flags: two numbers; only elements in [ends[0], ends[1]) are written
  packet* waves = nullptr;               //!< ring of 2·stages waves of gridDim.x states
  std::uint64_t* launch = nullptr;
  bool in_vectors = false, out_vectors = false;  //!< 16-byte accesses are legal
};

//! A state, and whether a piece begins in the elements it stands for: then what lies before has no say.
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
      if (!b.head) c.s = r.combine(a.s, b.s);
      c.head |= a.head;
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
  static constexpr int E = element <= 4 ? 32 : element <= 8 ? 16 : element <= 16 ? 8 : element <= 32 ? 4 : 2;
  static constexpr int warps = 8, threads = warps * 32, tile = threads * E;
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

//! Bit k: does a piece begin at the k-th of a lane's elements, in the order in which they are scanned? first: the lane's first in memory.
template <class Shape, class Job>
__device__ __forceinline__ std::uint32_t head_bits(const Job& job, index first) {
  constexpr int E = Shape::E;
  std::uint64_t bits = 0;  // bit k: at first + k, in memory order; E + 1 of them
  if constexpr (Shape::where == heads::rows) {
    const index past = job.n <= 0x7fffffff ? static_cast<std::uint32_t>(first) % static_cast<std::uint32_t>(job.row) : first % job.row;
    for (index k = past == 0 ? 0 : job.row - past; k <= E; k += job.row) bits |= std::uint64_t{1} << k;
  } else {
    const auto words = (job.n + 31) / 32;
    const index w = first / 32;
    if (w < words) bits = job.flags[w] >> (first % 32);
    if (E == 32 || Shape::reverse) {
      const index next = first + E;
      const bool head = next / 32 < words && next < job.n && (job.flags[next / 32] >> (next % 32) & 1);
      if constexpr (E < 32) bits &= (std::uint64_t{1} << E) - 1;
      bits |= static_cast<std::uint64_t>(head) << E;
    }
  }
  if constexpr (Shape::reverse) return __brev(static_cast<std::uint32_t>(bits >> 1)) >> (32 - E);
  else return static_cast<std::uint32_t>(bits) & (E == 32 ? ~0u : (1u << E % 32) - 1);
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

//! s ⊙ lift(element e of the warp's slot).
template <class Shape, class R>
__device__ __forceinline__ void push_slot(const R& r, state_of<R>& s, const unsigned char* slot, int e, index position) {
  Shape::slot::at(slot, e, [&](const auto&... x) {
    if constexpr (Shape::indexed) push_into(r, s, position, x...);
    else push_into(r, s, x...);
  });
}

//! The state of a lane's elements, none of them absent.
template <class Shape, class R, class Values>
__device__ __forceinline__ typename Shape::state fold_row(const R& r, const Values& v, std::uint32_t bits, index position) {
  constexpr int E = Shape::E;
  constexpr auto at = [](int k) { return Shape::reverse ? E - 1 - k : k; };
  typename Shape::state s;
  s.s = scan_lift<Shape>(r, v, at(0), position + at(0));
#pragma unroll
  for (int k = 1; k < E; ++k) {
    if constexpr (Shape::marked) {
      if (bits >> k & 1) {
        s.s = scan_lift<Shape>(r, v, at(k), position + at(k));
        continue;
      }
    }
    scan_push<Shape>(r, s.s, v, at(k), position + at(k));
  }
  if constexpr (Shape::marked) s.head = bits != 0;
  return s;
}
//! The same where elements at and after n are absent: a loop over the slot, since the tail is worth no unrolled code.
template <class Shape, class R>
__device__ __forceinline__ typename Shape::state fold_tail(const R& r, const unsigned char* slot, int row_lane, std::uint32_t bits,
                                                           index position, index n) {
  constexpr int E = Shape::E;
  typename Shape::state s;
  s.s = r.identity();
#pragma unroll 1
  for (int k = 0; k < E; ++k) {
    const int at = Shape::reverse ? E - 1 - k : k;
    if constexpr (Shape::marked)
      if (bits >> k & 1) s.s = r.identity();
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
  return v.apply(k, [&](const auto&... x) {
    if constexpr (requires { r.answer(s, position, x...); }) return r.answer(s, position, x...);
    else return r.finalize(s);
  });
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
  const index tiles = (job.n + tile - 1) / tile, waves = (tiles + G - 1) / G;
  const std::uint64_t launch = load_launch(job.launch);
  if (threadIdx.x == 0)
    for (std::uint64_t& x : ready) ptx::mbarrier_init(&x, 1);
  __syncthreads();

  if (threadIdx.x < 32) {  // --- exchange
    constexpr int most = 5, at_once = packets<state>::count <= 2 ? most : packets<state>::count <= 5 ? 2 : 1;
    const int each = (G + 31) / 32;
    state carry;
    carry.s = job.init;
    if constexpr (Shape::marked) carry.head = 0;
    for (index w = 0; w < waves; ++w) {
      const int count = static_cast<int>(min(static_cast<index>(G), tiles - w * G));
      if (b >= count) break;
      const packet_key key(launch, static_cast<std::uint64_t>(w));
      const packet* const base = job.waves + (w % (2 * Stages)) * G * packets<state>::count;
      state v, before;  // of the lane's aggregates; of those before this block's
      v.s = r.identity();
      if constexpr (Shape::marked) v.head = 0;
      before = v;
#pragma unroll 1
      for (int k0 = 0; k0 < each; k0 += at_once) {
        // all loads in flight at once: one trip to L2 a wave where every block has published
        packets<state> x[at_once];
        bool waiting = false;
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          if (const int j = lane * each + k0 + k; k0 + k < each && j < count)
            x[k].fetch(base + j * packets<state>::count), waiting |= !x[k].arrived(key);
        while (waiting) {
          waiting = false;
#pragma unroll
          for (int k = 0; k < at_once; ++k)
            if (const int j = lane * each + k0 + k; k0 + k < each && j < count && !x[k].arrived(key))
              x[k].fetch(base + j * packets<state>::count), waiting |= !x[k].arrived(key);
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          const int j = lane * each + k0 + k;
          if (k0 + k < each && j == b) before = v;
          if (k0 + k < each && j < count) v = m.combine(v, x[k].state());
        }
      }
      const state inclusive = warp_inclusive(m, v, lane);
      const state left = shuffle_up(inclusive, 1);
      if (lane == b / each) {
        prefix[w % Stages] = m.combine(carry, lane > 0 ? m.combine(left, before) : before);
        ptx::mbarrier_arrive(&ready[w % Stages]);
      }
      carry = m.combine(carry, shuffle_from(inclusive, 31));
      // all blocks have published, hence read the number of this launch
      if (w == 0 && b == 0 && lane == 0) *job.launch = launch + 1;
      __syncwarp();
    }
  } else {  // --- move and compute
    const int t = static_cast<int>(threadIdx.x) - 32, warp = t / 32;
    const int row_lane = reverse ? 31 - lane : lane;                   // which row of the slot is mine
    const int segment = (reverse ? warps - 1 - warp : warp) * 32 * E;  // of the tile, in memory
    unsigned char* const mine = slots + warp * slot::bytes;            // of stage 0
    index first = 0, last = job.n;                                     // elements that take part
    if constexpr (Shape::where == heads::flags)
      if (job.ends) first = job.ends[0], last = job.ends[1];
    const auto place_of = [&](index w) { return (reverse ? tiles - 1 - (w * G + b) : w * G + b) * tile + segment; };
    const auto load = [&](index w) {
      if (w < waves && w * G + b < tiles) {
        const index at = place_of(w);
        const std::uint32_t to = ptx::shared_address(mine + (w % Stages) * warps * slot::bytes);
        if (job.in_vectors && at + 32 * E <= job.n) slot::load(to, job.in, at, lane);
        else slot::load_some(to, job.in, at, 0, job.n - at, lane);
      }
      ptx::async_commit();
    };
    for (int w = 0; w < Stages; ++w) load(w);
    for (index w = 0; w < waves + ahead; ++w) {
      if (w < waves && w * G + b < tiles) {  // fold tile w, publish its aggregate
        const int s = static_cast<int>(w % Stages);
        ptx::async_wait<Stages - 1 - ahead>();
        __syncwarp();
        const index at = place_of(w) + row_lane * E;
        const unsigned char* const here = mine + s * warps * slot::bytes;
        std::uint32_t bits = 0;
        if constexpr (Shape::marked) bits = detail::head_bits<Shape>(job, at);
        state v;
        if (place_of(w) + 32 * E <= job.n) {
          typename Shape::values x;
          slot::read(x, here, row_lane);
          v = detail::fold_row<Shape>(r, x, bits, at);
        } else {
          v = detail::fold_tail<Shape>(r, here, row_lane, bits, at, job.n);
        }
        const state inclusive = warp_inclusive(m, v, lane);
        state ex = shuffle_up(inclusive, 1);
        if (lane == 31) warp_total[s * warps + warp] = inclusive;
        ptx::named_sync(1, threads);
        state total = warp_total[s * warps], before = total;
#pragma unroll
        for (int i = 1; i < warps; ++i) {
          if (i == warp) before = total;
          total = m.combine(total, warp_total[s * warps + i]);
        }
        if (t == 0)
          publish(job.waves + ((w % (2 * Stages)) * G + b) * packets<state>::count, total,
                  packet_key(launch, static_cast<std::uint64_t>(w)));
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
      const index u = w - ahead;
      if (u >= 0 && u * G + b < tiles) {  // finish tile u
        const int s = static_cast<int>(u % Stages);
        unsigned char* const here = mine + s * warps * slot::bytes;
        const index segment_at = place_of(u), at = segment_at + row_lane * E;
        typename Shape::values x;
        slot::read(x, here, row_lane);
        std::uint32_t bits = 0;
        if constexpr (Shape::marked) bits = detail::head_bits<Shape>(job, at);
        const bool whole = segment_at >= first && segment_at + 32 * E <= last;
        ptx::mbarrier_wait(&ready[s], static_cast<std::uint32_t>(u / Stages) & 1);
        state_of<R> v = m.combine(prefix[s], exclusive[s * threads + t]).s;
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
        __syncwarp();
        load(u + Stages);
      }
    }
  }
}

template <class Shape, int Stages, class R, class In, class... Y>
__global__ void __launch_bounds__(Shape::threads + 32, 1) scan_waves(const __grid_constant__ scan_job<R, In, arrays<Y...>> job) {
  scan_by_waves<Shape, Stages>(job);
}

}  // namespace twofold::cuda
