// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rows of several matrices reduced together and mapped to several others: what surrounds a softmax or a norm (a residual that is
//! added and kept, weights, a mask, a gradient) in the same pass.
#pragma once

#include <tuple>

#include "twofold/cuda/rows.cuh"

namespace twofold::cuda {

//! One of the arrays: element (row, column) at data[row·pitch + column·step]. pitch 0: one row for all (weights, a mask); step 0: one
//! number a row; else step is 1.
template <class T>
struct beside {
  T* data = nullptr;
  index pitch = 0;
  int step = 1;
};

namespace kernels {

template <class... X>
struct many {};
template <class Head, class... Tail>
struct many<Head, Tail...> {
  beside<Head> here;
  bool wide;  //!< rows begin on 16 bytes, elements lie side by side
  many<Tail...> rest;
};

//! E neighbouring elements of every input, V times.
template <int V, int E, class... X>
struct many_values {
  __device__ __forceinline__ void load(const many<>&, index, const slots_of_thread&, int) {}
  template <class F, class... Before>
  __device__ __forceinline__ auto apply(int, int, F&& f, const Before&... before) const {
    return f(before...);
  }
};
template <int V, int E, class Head, class... Tail>
struct many_values<V, E, Head, Tail...> {
  using element_type = std::remove_const_t<Head>;
  bundle<element_type, E> x[V];
  many_values<V, E, Tail...> rest;
  __device__ __forceinline__ void load(const many<Head, Tail...>& from, index row, const slots_of_thread& s, int count) {
    constexpr int bytes = sizeof(bundle<element_type, E>), step = bytes < 16 ? bytes : 16;
    using part = bundle<element_type, step / static_cast<int>(sizeof(element_type))>;
    const Head* const data = from.here.data + row * from.here.pitch;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const int at = (s.first + v * s.step) * E;
      if (from.wide && at + E <= count) {
#pragma unroll
        for (int k = 0; k < bytes / step; ++k) reinterpret_cast<part*>(&x[v])[k] = reinterpret_cast<const part*>(data + at)[k];
      } else {
#pragma unroll
        for (int e = 0; e < E; ++e) x[v].x[e] = at + e < count ? data[(at + e) * from.here.step] : element_type(0.0f);
      }
    }
    rest.load(from.rest, row, s, count);
  }
  //! f(element e of vector v of every input, widened).
  template <class F, class... Before>
  __device__ __forceinline__ auto apply(int v, int e, F&& f, const Before&... before) const {
    return rest.apply(v, e, static_cast<F&&>(f), before..., widened<computed_of<element_type>>(x[v].x[e]));
  }
};

//! E neighbouring elements of every output.
template <int E, class... Y>
struct many_answers {
  __device__ __forceinline__ void put(int) {}
  __device__ __forceinline__ void store(const many<>&, index, int, int) const {}
};
template <int E, class Head, class... Tail>
struct many_answers<E, Head, Tail...> {
  Head y[E];
  many_answers<E, Tail...> rest;
  template <class A, class... More>
  __device__ __forceinline__ void put(int e, const A& a, const More&... more) {
    y[e] = narrowed<Head>(a);
    rest.put(e, more...);
  }
  __device__ __forceinline__ void store(const many<Head, Tail...>& to, index row, int at, int count) const {
    Head* const data = to.here.data + row * to.here.pitch + at;
    if (to.wide && at + E <= count) {
      store_bundle(data, y);
    } else {
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (at + e < count) data[e] = y[e];
    }
    rest.store(to.rest, row, at, count);
  }
};

//! The elements of a thread as a source of the inputs of R. Whole: none is absent.
template <class Values, int V, int E, class Before, bool Whole = false>
struct many_tile {
  const Values& values;
  slots_of_thread slots;
  index row;
  int count;
  const Before& before;
  __device__ __forceinline__ static constexpr index size() { return V * E; }
  template <class F>
  __device__ __forceinline__ void apply(index i, F&& then) const {
    const int k = static_cast<int>(i), column = (slots.first + k / E * slots.step) * E + k % E;
    if (!Whole && column >= count) return;
    values.apply(k / E, k % E, [&](const auto&... x) { before(row, static_cast<index>(column), x..., then); });
  }
};

template <int V, int E, class In>
struct values_of_many;
template <int V, int E, class... X>
struct values_of_many<V, E, many<X...>> {
  using type = many_values<V, E, X...>;
};
template <int E, class Out>
struct answers_of_many;
template <int E, class... Y>
struct answers_of_many<E, many<Y...>> {
  using type = many_answers<E, Y...>;
};

//! @brief  All inputs of a row read once by the team that has it, as in rows_on_chip; then all outputs.
template <int V, int E, class R, class In, class Out, class Before, class F>
__global__ void __launch_bounds__(512, 1) rows_of_many(const R r, const index rows, const index columns, const In in, const Out out,
                                                       const team t, const Before before, const F f, const index first_row) {
  using values_type = typename values_of_many<V, E, In>::type;
  using tile = many_tile<values_type, V, E, Before>;
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
  const bool there = row < rows;
  const index from = there ? row : 0;
  const int count = there ? static_cast<int>(columns) : 0, threads = t.lanes * t.warps * t.blocks;
  const slots_of_thread slots = is_commutative<R> ? slots_of_thread{rank, threads, 0} : slots_of_thread{rank * V, 1, 0};
  values_type values;
  values.load(in, from, slots, count);
#if __CUDA_ARCH__ >= 900
  if (t.blocks > 1) cluster_wait();
#endif
  const bool whole = __all_sync(~0u, (slots.first + (V - 1) * slots.step + 1) * E <= count);
  const state_of<R> s = row_state<R, tile>(
      r,
      [&](const auto& g) {
        if (whole) return g(many_tile<values_type, V, E, Before, true>{values, slots, from, count, before});
        return g(tile{values, slots, from, count, before});
      },
      t, memory);
  if (!there) return;
  const auto answer = r.finalize(s);
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const int at = (slots.first + v * slots.step) * E;
    if (at >= count) break;
    typename answers_of_many<E, Out>::type y;
#pragma unroll
    for (int e = 0; e < E; ++e)
      values.apply(v, e, [&](const auto&... x) {
        f(answer, row, static_cast<index>(::min(at + e, count - 1)), x..., [&](const auto&... one) { y.put(e, one...); });
      });
    y.store(out, row, at, count);
  }
}
}  // namespace kernels

//! @name Arrays for map_many_rows: a matrix, one row for all rows (weights), one number for each row.
//! @{
template <class T>
beside<T> matrix(T* data, index pitch) {
  return {data, pitch, 1};
}
template <class T>
beside<const T> per_column(const T* data) {
  return {data, 0, 1};
}
template <class T>
beside<const T> per_row(const T* data) {
  return {data, 1, 0};
}
//! @}
template <class... X>
struct many_inputs {
  std::tuple<beside<X>...> of;
};
template <class... Y>
struct many_outputs {
  std::tuple<beside<Y>...> of;
};
template <class... X>
many_inputs<const X...> inputs(const beside<X>&... x) {
  return {{beside<const X>{x.data, x.pitch, x.step}...}};
}
template <class... Y>
many_outputs<Y...> outputs(const beside<Y>&... y) {
  return {{y...}};
}

namespace detail {
inline kernels::many<> many_from(index) { return {}; }
template <class Head, class... Tail>
kernels::many<Head, Tail...> many_from(index rows, const beside<Head>& here, const beside<Tail>&... rest) {
  const auto bytes = static_cast<index>(sizeof(Head));
  const bool wide = here.step == 1 && reinterpret_cast<std::uintptr_t>(here.data) % 16 == 0 && (rows <= 1 || here.pitch * bytes % 16 == 0);
  return {here, wide, many_from(rows, rest...)};
}
template <class T>
void check_beside(const beside<T>& a, index rows, index columns) {
  constexpr bool output = !std::is_const_v<T>;
  const std::string what = shape_text(rows, columns);
  if (a.data == nullptr) throw error("TF3203", what, "an array is a null pointer", "a device pointer to the first element");
  if (reinterpret_cast<std::uintptr_t>(a.data) % sizeof(T) != 0)
    throw error("TF3204", what, "an array at an address that is no multiple of its element size", "a pointer aligned to the element");
  if (a.step != 1 && (a.step != 0 || output))
    throw error("TF3202", what, "elements of a row are " + std::to_string(a.step) + " apart",
                output ? "outputs whose elements lie side by side" : "step 1, or 0 for one number a row");
  if (output && a.pitch == 0 && rows > 1) throw error("TF3202", what, "all rows of an output lie at one place", "a pitch");
}

//! Elements a thread moves at once: 16 bytes of the narrowest type, at most 32 of the widest.
template <class... T>
inline constexpr int many_per_vector = [] {
  constexpr int sizes[] = {static_cast<int>(sizeof(T))...};
  int least = 16, most = 1;
  for (int s : sizes) least = s < least ? s : least, most = s > most ? s : most;
  return 16 / least < 32 / most ? 16 / least : 32 / most;
}();
//! How many of them a thread keeps: some 160 bytes of all inputs.
template <int E, class... X>
inline constexpr int many_vectors = [] {
  const int bytes = E * (0 + ... + static_cast<int>(sizeof(X)));
  return 4 * bytes <= 160 ? 4 : 2 * bytes <= 160 ? 2 : 1;
}();

constexpr row_plan plan_many(index vectors, int each, const card& c) {
  row_plan p;
  p.vectors = each;
  if (vectors <= static_cast<index>(32) * each) {
    p.lanes = static_cast<int>(power_of_two_from(rounded_up_division(vectors > 0 ? vectors : 1, each)));
    p.teams = 128 / p.lanes;
    return p;
  }
  const index threads = power_of_two_from(rounded_up_division(vectors, each));
  index blocks = 1;
  while (threads / blocks > 256 && blocks < 8 && blocks < c.largest_cluster) blocks *= 2;
  while (threads / blocks > 512 && blocks < c.largest_cluster) blocks *= 2;
  p.blocks = static_cast<int>(blocks), p.warps = static_cast<int>(threads / blocks / 32);
  return p;
}
}  // namespace detail

//! @brief  Reduces what `before` hands on of every element of several rows, then hands f the answer and the elements again.
//!         before(row, column, x…, then): calls then(inputs of R), once or, where the element has no say, not at all.
//!         f(answer, row, column, x…, out): calls out(y…) once, a number for every output.
//! @example map_many_rows(rms_norm<float, float>{}, rows, columns, inputs(matrix(x, pitch), matrix(residual, pitch), per_column(weight)),
//!            outputs(matrix(sum, pitch), matrix(y, pitch)),
//!            [] __device__ (index, index, float a, float b, float, const auto& then) { then(a + b); },
//!            [] __device__ (const auto& norm, index, index, float a, float b, float w, const auto& out) { out(a + b, norm(a + b) * w); })
//! @shape  an output may be an input where elements and pitches agree, else must not overlap any
//! @order  as reduce_rows_into
//! @errors TF3201 … TF3207, before anything is launched; rows that a cluster cannot hold are refused (TF3205)
//! @cost   one read of every input, one write of every output
template <class R, class... X, class... Y, class Before, class F>
void map_many_rows(const R& r, index rows, index columns, const many_inputs<X...>& in, const many_outputs<Y...>& out, const Before& before,
                   const F& f, cudaStream_t stream = nullptr) {
  constexpr int E = detail::many_per_vector<X..., Y...>, V = detail::many_vectors<E, X...>;
  if (rows < 0 || columns < 0) throw error("TF3201", detail::shape_text(rows, columns), "sizes count elements", "sizes of 0 or more");
  if (rows == 0 || columns == 0) return;
  const auto check = [&](const auto&... a) { (detail::check_beside(a, rows, columns), ...); };
  std::apply(check, in.of), std::apply(check, out.of);
  const card here = current_card();
  const row_plan p = detail::plan_many(detail::rounded_up_division(columns, E), V, here);
  using tile = kernels::many_tile<kernels::many_values<V, E, X...>, V, E, Before>;
  const int shared = 4 * row_room<R, tile>(p.warps, p.blocks);
  if (p.warps > 16 || shared > here.shared_bytes)
    throw error("TF3205", detail::shape_text(rows, columns), "rows of these arrays do not fit on the chip",
                "rows of up to " + std::to_string(index(here.largest_cluster) * 512 * V * E) + " elements");
  const auto from = std::apply([&](const auto&... a) { return detail::many_from(rows, a...); }, in.of);
  const auto to = std::apply([&](const auto&... a) { return detail::many_from(rows, a...); }, out.of);
  const team t{p.lanes, p.warps, p.blocks};
  const index per_block = p.warps * p.blocks == 1 ? p.teams : 1, limit = (index(1) << 30) / p.blocks;
  for (index first = 0; first < rows; first += limit * per_block) {
    const index left = rows - first, some = left < limit * per_block ? left : limit * per_block;
    detail::launch_with(kernels::rows_of_many<V, E, R, kernels::many<X...>, kernels::many<Y...>, Before, F>,
                        detail::rounded_up_division(some, per_block) * p.blocks, p.threads_per_block(), p.blocks, shared, stream, r, rows,
                        columns, from, to, t, before, f, first);
  }
}

}  // namespace twofold::cuda
