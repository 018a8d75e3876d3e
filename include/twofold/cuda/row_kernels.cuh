// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The kernels that rows are reduced and mapped by. rows.cuh chooses among them; a plan says how.
#pragma once

#include "twofold/algebra/tile.hpp"
#include "twofold/cuda/ptx/sync.cuh"
#include "twofold/cuda/staging.cuh"
#include "twofold/cuda/team.cuh"

namespace twofold::cuda::kernels {

//! Does a sink look at elements of the row, where they are near?
template <class Sink, class Answer, class In>
inline constexpr bool takes_elements = requires(const Sink& sink, const Answer& a, const In* elements) {
  sink(index{}, a, elements);
};

//! What becomes of a row's state: finalised and handed to `sink(row, answer)` by one thread, or, where the row is in shared memory and the
//! sink looks at elements, to sink(row, answer, elements).
template <class Sink>
struct keep_answer {
  using only_reduces = void;
  Sink sink;
  //! Before the row is reduced: what its answer looks up may be fetched.
  __device__ __forceinline__ void ask(index row) const {
    if constexpr (requires { sink.ask(row); }) sink.ask(row);
  }
  template <int V, class R, class In>
  __device__ __forceinline__ void on_chip(const R& r, const state_of<R>& s, index row, bool first, const uint4 (&)[V],
                                          const slots_of_thread&, int, index) const {
    if (first) sink(row, r.finalize(s));
  }
  template <class R, class Tile, class In>
  __device__ __forceinline__ void staged(const R& r, const state_of<R>& s, index row, index, int, bool there, int lane, const Tile&,
                                         const In* elements, uint4*, int, int) const {
    if (there && lane == 0) hand_over(row, r.finalize(s), elements);
  }
  template <int Most, class R, class In, int Words>
  __device__ __forceinline__ void packed(const R& r, const state_of<R>& s, index row, const std::uint32_t (&)[Words], const In* elements,
                                         int) const {
    hand_over(row, r.finalize(s), elements);
  }
  template <class R>
  __device__ __forceinline__ void state(const R& r, const state_of<R>& s, index row) const {
    sink(row, r.finalize(s));
  }

 private:
  template <class Answer, class In>
  __device__ __forceinline__ void hand_over(index row, const Answer& answer, const In* elements) const {
    if constexpr (takes_elements<Sink, Answer, In>) sink(row, answer, elements);
    else sink(row, answer);
  }
};

//! The answers themselves, for a kernel that follows.
template <class Answer>
struct keep_for_map {
  Answer* answers;
  template <class R>
  __device__ __forceinline__ void state(const R& r, const state_of<R>& s, index row) const {
    answers[row] = r.finalize(s);
  }
};

//! A map closed over the answer of a row: y = f(answer, x, row, column).
template <class Answer, class F>
struct mapping {
  const Answer& answer;
  const F& f;
  index row, origin;  //!< of the piece's element 0
  template <class A>
  __device__ __forceinline__ auto operator()(const A& x, int column) const {
    return f(answer, x, row, origin + column);
  }
  template <int E>
  requires requires(const F& f) { f.template at<E>(index{}); }
  __device__ __forceinline__ auto neighbours(int column) const { return f.template at<E>(origin + column); }
};

//! A map that takes whatever column an absent element would have.
template <class F>
struct at_any_column {
  F f;
  static constexpr bool any_column = true;
  template <class A>
  __device__ __forceinline__ auto operator()(const A& x, int column) const {
    return f(x, column);
  }
};
template <class F>
at_any_column(F) -> at_any_column<F>;

//! y = f(x, column) for every element of V vectors, narrowed to Out and stored as wide as alignment allows.
template <class In, class A, int V, class Out, class F>
__device__ __forceinline__ void write_slots(Out* row, const slots_of_thread& s, int count, const uint4 (&raw)[V], const F& f) {
  constexpr int E = per_vector<In>;
  int at = s.first * E - s.head;
  Out* to = row + at;
  const index step = static_cast<index>(s.step) * E;
  const bool aligned = reinterpret_cast<std::uintptr_t>(to) % alignof(bundle<Out, E>) == 0;
#pragma unroll
  for (int v = 0; v < V; ++v, at += s.step * E, to += step) {
    A y[E];
    const bool full = at >= 0 && at + E <= count;
    const auto one_by_one = [&] {  // absent elements are mapped, too, and dropped: as if they stood in a column that exists
#pragma unroll
      for (int e = 0; e < E; ++e) {
        if constexpr (requires { F::any_column; }) y[e] = f(element<In, A>(raw[v], e), at + e);
        else y[e] = f(element<In, A>(raw[v], e), ::min(::max(at + e, 0), count - 1));
      }
    };
    if constexpr (requires { f.template neighbours<E>(at); }) {
      if (full) {
        const auto together = f.template neighbours<E>(at);
#pragma unroll
        for (int e = 0; e < E; ++e) y[e] = together(f.answer, element<In, A>(raw[v], e), e);
      } else if (count > 0) {
        one_by_one();
      }
    } else {
      one_by_one();
    }
    if (aligned && full) {
      store_bundle(to, y);
    } else {
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (at + e >= 0 && at + e < count) to[e] = narrowed<Out>(y[e]);
    }
  }
}

//! The kernels for short rows of up to 12, 18 and 32 elements know that there are more than 0, 12 and 18.
template <int Most>
inline constexpr int packed_always = Most == 12   ? 0
                                     : Most == 18 ? 12
                                                  : 18;

//! Has a map a form for outputs of fewer digits? (Asked of types, outside of functions: nvcc 13.0 answers wrongly inside of some.)
template <class F, class Answer, class A>
inline constexpr bool has_narrow = requires(const F& f, const Answer& answer, const A& x) {
  f.plain_narrow(answer, x, index{}, index{});
};
template <class Bound, class A>
inline constexpr bool has_narrow_of_row = requires(const Bound& of_row, const A& x) {
  of_row.plain_narrow(x, 0);
};

//! Every element mapped by the row's answer: out(row, column) = f(answer, x, row, column).
template <class Out, class F>
struct map_row {
  Out* out;
  index pitch;
  F f;
  //! Before the row is reduced: what its map looks up may be fetched.
  __device__ __forceinline__ void ask(index row) const {
    if constexpr (requires { f.ask(row); }) f.ask(row);
  }
  //! Vectors of a row, or of a slice of it that begins at column `origin`.
  template <int V, class R, class In>
  __device__ __forceinline__ void on_chip(const R& r, const state_of<R>& s, index row, bool, const uint4 (&raw)[V],
                                          const slots_of_thread& slots, int count, index origin) const {
    write(r.finalize(s), row, out + row * pitch + origin, origin, slots, count, raw, static_cast<const In*>(nullptr),
          static_cast<operand_of<R, In>*>(nullptr));
  }
  //! Rows in shared memory: mapped in place, then stored together.
  template <class R, class Tile, class In>
  __device__ __forceinline__ void staged(const R& r, const state_of<R>& s, index row, index first, int rows, bool there, int,
                                         const Tile& part, In* data, uint4* memory, int head, int columns) const {
    static_assert(sizeof(Out) == sizeof(In));
    const auto answer = r.finalize(s);
    const auto all = [&](const auto& map) {
      for (int i = 0; i < part.count; ++i) {
        const int j = part.first + i * part.step;
        reinterpret_cast<Out*>(data)[j] = narrowed<Out>(map(widened<operand_of<R, In>>(data[j]), j));
      }
    };
    bool done = false;
    if constexpr (requires { f.of_row(answer, row, index{}); }) {
      const auto of_row = f.of_row(answer, there ? row : 0, 0);
      if (of_row.plain()) all([&](const auto& x, int j) { return plainly(of_row, x, j); });  // where all is 0, too: one way for a warp
      else if (of_row.zero()) all([](const auto&, int) { return 0.0f; });
      else all([&](const auto& x, int j) { return of_row(x, j); });
      done = true;
    } else if constexpr (requires { f.plain(answer); })
      if (f.plain(answer)) {
        all([&](const auto& x, int j) { return plainly(answer, x, row, j); });
        done = true;
      }
    if (!done) all([&](const auto& x, int j) { return f(answer, x, row, j); });
    stage_out(out + first * pitch, memory, head, rows * columns);
  }
  //! A row in registers that came from shared memory and goes back there; all are put where they belong together.
  template <int Most, class R, class In, int Words>
  __device__ __forceinline__ void packed(const R& r, const state_of<R>& s, index row, const std::uint32_t (&word)[Words], In* data,
                                         int columns) const {
    static_assert(sizeof(Out) == sizeof(In));
    constexpr int per = Most / Words, always = packed_always<Most>;
    const auto answer = r.finalize(s);
    const auto all = [&](const auto& map) {  // everything is mapped, so that what is the same for all is worked out once
      Out y[Most];
#pragma unroll
      for (int j = 0; j < Most; ++j)
        y[j] =
            narrowed<Out>(map(element<In, operand_of<R, In>>({word[j / per], 0, 0, 0}, j % per), j < always ? j : ::min(j, columns - 1)));
#pragma unroll
      for (int j = 0; j < Most; ++j)
        if (j < always || j < columns) reinterpret_cast<Out*>(data)[j] = y[j];
    };
    bool done = false;
    if constexpr (requires { f.of_row(answer, row, index{}); }) {
      const auto of_row = f.of_row(answer, row, 0);
      if (of_row.plain()) all([&](const auto& x, int j) { return plainly(of_row, x, j); });  // where all is 0, too: one way for a warp
      else if (of_row.zero()) all([](const auto&, int) { return 0.0f; });
      else all([&](const auto& x, int j) { return of_row(x, j); });
      done = true;
    } else if constexpr (requires { f.plain(answer); })
      if (f.plain(answer)) {
        all([&](const auto& x, int j) { return plainly(answer, x, row, j); });
        done = true;
      }
    if (!done) all([&](const auto& x, int j) { return f(answer, x, row, j); });
  }
  __device__ __forceinline__ void put_packed(index first, int rows, const uint4* memory, int head, int columns) const {
    stage_out(out + first * pitch, memory, head, rows * columns);
  }
  //! `to` is the output of column `origin`.
  template <int V, class Answer, class In, class A>
  __device__ __forceinline__ void write(const Answer& answer, index row, Out* to, index origin, const slots_of_thread& slots, int count,
                                        const uint4 (&raw)[V], const In*, A*) const {
    if constexpr (requires { f.of_row(answer, row, origin); }) {  // a map that looks up what the row has once
      const auto of_row = f.of_row(answer, row, origin);
      // Rows that share a warp take one way where they can: what plain says of a row that is 0 is 0, too.
      const bool plain = of_row.plain(), zero = of_row.zero();
      if (__all_sync(__activemask(), zero) || (zero && !plain))
        write_slots<In, A>(to, slots, count, raw, at_any_column{[](const A&, int) { return 0.0f; }});
      else if (plain)
        write_slots<In, A>(to, slots, count, raw, at_any_column{[&](const A& x, int column) { return plainly(of_row, x, column); }});
      else write_slots<In, A>(to, slots, count, raw, at_any_column{[&](const A& x, int column) { return of_row(x, column); }});
      return;
    }
    if constexpr (requires { f.plain(answer); }) {  // two loops rather than a decision an element
      if (f.plain(answer)) {
        write_slots<In, A>(to, slots, count, raw, [&](const A& x, int column) { return plainly(answer, x, row, origin + column); });
        return;
      }
    }
    write_slots<In, A>(to, slots, count, raw, mapping<Answer, F>{answer, f, row, origin});
  }

 private:
  //! The map without special cases; with fewer digits where the output has no more.
  template <class Answer, class A>
  __device__ __forceinline__ auto plainly(const Answer& answer, const A& x, index row, index column) const {
    if constexpr (sizeof(Out) < 4 && has_narrow<F, Answer, A>) return f.plain_narrow(answer, x, row, column);
    else return f.plain(answer, x, row, column);
  }
  template <class Bound, class A>
  __device__ __forceinline__ static auto plainly(const Bound& of_row, const A& x, int column) {
    if constexpr (sizeof(Out) < 4 && has_narrow_of_row<Bound, A>) return of_row.plain_narrow(x, column);
    else return of_row.plain(x, column);
  }
};

//! Does `then` only take the state, so that registers are free for more elements?
template <class Then>
inline constexpr bool only_reduces = requires {
  typename Then::only_reduces;
};

//! @brief  Rows that a team holds in registers: read once, reduced, then handed to `then`.
//! Teams of fewer than 32 lanes share a warp; teams of one warp share a block; else a block or a cluster has one row.
template <int V, class R, class In, class Then>
__global__ void __launch_bounds__(1024, 1)
    rows_on_chip(const R r, const row_source<In> in, const team t, const Then then, const index first_row) {
  using tile = anchored_tile<R, In, V, absence::none>;
  extern __shared__ uint4 shared[];  // row_room words
  std::uint32_t* const memory = reinterpret_cast<std::uint32_t*>(shared);
  int rank = threadIdx.x;
  index row = first_row;
  if (t.warps * t.blocks == 1) {
    const int shift = 31 - __clz(t.lanes);
    rank = threadIdx.x & (t.lanes - 1);
    row += static_cast<index>(blockIdx.x) * (blockDim.x >> shift) + (threadIdx.x >> shift);
  } else if (t.blocks == 1) {
    row += blockIdx.x;
  } else {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) prepare_row_room<R>(memory);
    cluster_arrive();
    rank += cluster_rank() * static_cast<int>(blockDim.x);
#endif
    row += blockIdx.x / t.blocks;
  }
  const int threads = t.lanes * t.warps * t.blocks;
  const bool there = row < in.rows;
  const In* const data = in.data + (there ? row : 0) * in.pitch;
  const int count = there ? static_cast<int>(in.columns) : 0, head = misalignment(data);
  const slots_of_thread slots = is_commutative<R> ? slots_of_thread{rank, threads, head} : slots_of_thread{rank * V, 1, head};
  uint4 raw[V];
  load_slots(raw, data, slots, count, filler_behind<R, In>());
  if (there) then.ask(row);
#if __CUDA_ARCH__ >= 900
  if (t.blocks > 1) cluster_wait();  // every block has begun: its shared memory may be written
#endif
  const state_of<R> s = row_state<R, tile>(r, part_of_thread<R, V, In>(raw, slots, threads, data, count, 0), t, memory);
  if (there) then.template on_chip<V, R, In>(r, s, row, rank == 0, raw, slots, count, 0);
}

//! A piece of a row that a block walks tile by tile: `parts` pieces in all, contiguous and in order.
template <class In>
struct row_walk {
  const In* row;
  int head;
  index columns;
  //! Elements [begin of tile, …) as a row of its own: its first element, position, count and head.
  struct tile {
    const In* data;
    index origin;
    int count;
    int head;
  };
  __device__ __forceinline__ index tiles(int per_tile) const { return (columns + head + per_tile - 1) / per_tile; }
  __device__ __forceinline__ tile at(index k, int per_tile) const {
    const index origin = k == 0 ? 0 : k * per_tile - head, last = (k + 1) * per_tile - head;
    return {row + origin, origin, static_cast<int>((last < columns ? last : columns) - origin), k == 0 ? head : 0};
  }
};

//! @brief  Rows of any length, read once: every block reduces one of `parts` pieces of a row to a state.
//! parts = 1: the state goes to `then`; else to partial[row·parts + part], which rows_merged finishes.
template <int V, class R, class In, class Then>
__global__ void __launch_bounds__(512, 2) rows_streamed(const R r, const row_source<In> in, const index parts, state_of<R>* const partial,
                                                        const Then then, const index first_row) {
  constexpr int E = per_vector<In>;
  extern __shared__ uint4 shared[];             // team_room words
  if (parts > 1) ptx::let_next_kernel_begin();  // rows_merged, which waits for the end of this one
  std::uint32_t* const room = reinterpret_cast<std::uint32_t*>(shared);
  [[maybe_unused]] const auto combine = merge_by<is_symmetric<R>>([&](const auto& a, const auto& b) { return r.combine(a, b); });
  const index row = first_row + blockIdx.x / parts, part = blockIdx.x % parts;
  const team t{32, static_cast<int>(blockDim.x) / 32, 1};
  const int threads = blockDim.x, per_tile = threads * V * E;
  const row_walk<In> walk{in.data + row * in.pitch, misalignment(in.data + row * in.pitch), in.columns};
  const index tiles = walk.tiles(per_tile), each = tiles / parts, longer = tiles % parts;
  const index begin = part * each + (part < longer ? part : longer), end = begin + each + (part < longer);
  state_of<R> s = r.identity();
  // A commutative operator lets every thread keep its own state; else the block merges each tile in order.
  for (index k = begin; k < end; ++k) {
    const auto piece = walk.at(k, per_tile);
    const int rank = threadIdx.x;
    const slots_of_thread slots = is_commutative<R> ? slots_of_thread{rank, threads, piece.head} : slots_of_thread{rank * V, 1, piece.head};
    uint4 raw[V];
    const auto take = [&](const auto& tile) {
      if constexpr (is_commutative<R>) {
        leaf_into(r, s, tile);
      } else {
        combine_into(r, s, merge_team(t, leaf(r, tile), room, combine));
        __syncthreads();
      }
    };
    if (piece.head == 0 && piece.count == per_tile) {
      const uint4* const from = reinterpret_cast<const uint4*>(piece.data) + slots.first;
#pragma unroll
      for (int v = 0; v < V; ++v) raw[v] = from[v * slots.step];
      take(thread_tile<R, In, V, absence::none>{raw, slots, piece.origin, 0});
    } else {
      load_slots(raw, piece.data, slots, piece.count, filler_behind<R, In>());
      if (has_unseen<R, In> || (has_unseen_behind<R, In> && piece.head == 0))
        take(thread_tile<R, In, V, absence::none>{raw, slots, piece.origin, 0});
      else if constexpr (!has_unseen<R, In>)
        take(thread_tile<R, In, V, absence::elements>{raw, slots, piece.origin, present_bits<V, E>(slots, piece.count)});
    }
  }
  if constexpr (is_commutative<R>) s = merge_states(r, t, s, room);
  if (threadIdx.x != 0) return;
  if (parts == 1) then.state(r, s, row);
  else partial[row * parts + part] = s;
}

//! The states of a row's parts, merged in order: a block a row.
template <class R, class Then>
__global__ void __launch_bounds__(256)
    rows_merged(const R r, const state_of<R>* const partial, const index parts, const Then then, const index first_row) {
  extern __shared__ uint4 shared[];  // team_room words
  const index row = first_row + blockIdx.x, each = (parts + blockDim.x - 1) / blockDim.x;
  const index begin = threadIdx.x * each, end = begin + each < parts ? begin + each : parts;
  state_of<R> s = r.identity();
  ptx::wait_for_kernel_before();
  for (index k = begin; k < end; ++k) combine_into(r, s, partial[row * parts + k]);
  const team t{32, static_cast<int>(blockDim.x) / 32, 1};
  s = merge_states(r, t, s, reinterpret_cast<std::uint32_t*>(shared));
  if (threadIdx.x == 0) then.state(r, s, row);
}

//! @brief  The second pass over rows that did not fit on the chip: every tile is read again and mapped by its row's state. Tiles are dealt
//! from the last to the first, since the last ones read may still be in the cache.
template <int V, class R, class In, class Answer, class Map>
__global__ void __launch_bounds__(512, 2)
    rows_mapped(const row_source<In> in, const index tiles, const Answer* const answers, const Map map, const index first_row) {
  const index at = static_cast<index>(gridDim.x) - 1 - blockIdx.x;
  const index row = first_row + at / tiles, k = at % tiles;
  const int threads = blockDim.x, per_tile = threads * V * per_vector<In>;
  const row_walk<In> walk{in.data + row * in.pitch, misalignment(in.data + row * in.pitch), in.columns};
  if (k >= walk.tiles(per_tile)) return;
  const auto piece = walk.at(k, per_tile);
  const slots_of_thread slots{static_cast<int>(threadIdx.x), threads, piece.head};
  uint4 raw[V];
  if (piece.head == 0 && piece.count == per_tile) {
    const uint4* const from = reinterpret_cast<const uint4*>(piece.data) + threadIdx.x;
#pragma unroll
    for (int v = 0; v < V; ++v) raw[v] = from[v * threads];
  } else {
    load_slots(raw, piece.data, slots, piece.count);
  }
  map.write(Answer(answers[row]), row, map.out + row * map.pitch + piece.origin, piece.origin, slots, piece.count, raw,
            static_cast<const In*>(nullptr), static_cast<operand_of<R, In>*>(nullptr));
}

}  // namespace twofold::cuda::kernels
