// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rows and columns of any strided matrix reduced, or reduced and mapped: softmax, norms, argmax and whatever reduction a user has.
#pragma once

#include <vector>

#include "twofold/cpu/element.hpp"
#include "twofold/cpu/reduce.hpp"
#include "twofold/cpu/row_map.hpp"
#include "twofold/schedule/rows.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

namespace detail {

inline constexpr index panel_rows = 16;         //!< rows that are read together where elements of one row lie apart: one line of a cache
inline constexpr index task_elements = 32768;   //!< what a thread takes at a time, in whole rows
inline constexpr index stream_bytes = 1 << 22;  //!< results larger than a second-level cache go past the caches

//! Memory of the calling thread, aligned to a vector, kept for the next call.
template <class T>
T* scratch(index n, int which) {
  static thread_local std::vector<T> kept[3];
  std::vector<T>& v = kept[which];
  constexpr index pad = simd::vector_bytes / static_cast<index>(sizeof(T));
  if (static_cast<index>(v.size()) < n + pad) v.resize(static_cast<std::size_t>(n + pad));
  const auto at = reinterpret_cast<std::uintptr_t>(v.data());
  return v.data() + (simd::vector_bytes - at % simd::vector_bytes) % simd::vector_bytes / sizeof(T);
}

template <class E>
void widen(const E* x, index n, working<E>* to) {
  if (!by_library<E>(compiled_elements{}, [&](const auto& calls, int k) { calls.widen[k](x, n, to); })) widen_here(x, 1, n, to);
}
template <class E>
void narrow(const working<E>* x, index n, E* to, index stride) {
  const auto listed = [&](const auto& calls, int k) { calls.narrow[k](x, n, to); };
  if (stride != 1 || !by_library<E>(compiled_elements{}, listed)) narrow_here(x, n, to, stride);
}

template <class E>
void check_rows(const row_source<E>& m) {
  static_assert(is_element<E>, "TF1012: rows are of float, double, float16 or bfloat16 (TF1012: twofold explain TF1012)");
  if (m.rows < 0 || m.columns < 0) twofold::detail::refuse_shape(m.rows, m.columns);
}

//! f(k, first, x, n) for every row k and every piece [first, first + n) of it, x its elements side by side in working precision.
template <class E, class F>
void for_each_piece(const row_source<E>& m, index length, const executor& ex, const F& f) {
  using T = working<E>;
  const bool apart = m.stride != 1 && m.columns > 1;
  const index pieces = m.columns > length ? (m.columns + length - 1) / length : 1;
  const index each = apart ? panel_rows : length < task_elements ? task_elements / (length > 0 ? length : 1) : 1;
  const auto some = [&](index t) {
    const index row = t / pieces * each, last = row + each < m.rows ? row + each : m.rows;
    const index first = t % pieces * length, n = first + length < m.columns ? length : m.columns - first;
    if (apart) {
      T* const panel = scratch<T>(panel_rows * n, 0);
      for (index i = 0; i < n; ++i)
        for (index k = row; k < last; ++k) panel[(k - row) * n + i] = static_cast<T>(m.data[k * m.pitch + (first + i) * m.stride]);
      for (index k = row; k < last; ++k) f(k, first, panel + (k - row) * n, n);
    } else {
      for (index k = row; k < last; ++k) {
        if constexpr (std::is_same_v<E, T>) {
          f(k, first, m.data + k * m.pitch + first, n);
        } else {
          T* const piece = scratch<T>(n, 0);
          widen(m.data + k * m.pitch + first, n, piece);
          f(k, first, piece, n);
        }
      }
    }
  };
  ex((m.rows + each - 1) / each * pieces, 0, task(some));
}

//! Rows longer than a block are bracketed as cpu::reduce does: blocks, merged by a tree. So threads may share a row, whatever their number.
template <class E>
bool long_rows(const row_source<E>& m) {
  return m.columns > block;
}
//! f(k, state of row k) for every row, of rows that are long.
template <class R, class E, class F>
void for_each_long_row(const R& r, const row_source<E>& m, const executor& ex, const F& f) {
  const index blocks = (m.columns + block - 1) / block;
  twofold::detail::cells<state_of<R>> states(static_cast<std::size_t>(m.rows * blocks), {r.identity()});
  for_each_piece(m, block, ex, [&](index k, index first, const working<E>* x, index n) {
    states[static_cast<std::size_t>(k * blocks + first / block)].state = state_of_piece(r, x, first, n);
  });
  for (index k = 0; k < m.rows; ++k) {
    twofold::detail::merger<R> row(r, true);
    for (index b = 0; b < blocks; ++b) row.add(0, std::move(states[static_cast<std::size_t>(k * blocks + b)].state));
    f(k, row.result());
  }
}
//! f(k, answer of row k) for every row.
template <class R, class E, class F>
void for_each_answer(const R& r, const row_source<E>& m, const executor& ex, const F& f) {
  if (long_rows(m)) return for_each_long_row(r, m, ex, [&](index k, const state_of<R>& s) { f(k, r.finalize(s)); });
  for_each_piece(m, m.columns, ex, [&](index k, index, const working<E>* x, index n) { f(k, r.finalize(state_of_piece(r, x, 0, n))); });
}

}  // namespace detail

//! @brief  out[k] = the answer of row k: log-sum-exp, variance, argmax (its position where Out holds integers), top-k, …
//! @math   float accumulates for elements of 16 bits
//! @shape  m: [rows, columns], element (i, j) at data + i·pitch + j·stride; columns are rows of `transposed(m)`; out: [rows]
//! @order  the bits of a row depend on its length alone, not on its neighbours, threads or vectors
//! @empty  rows without columns: finalize of the identity
//! @errors TF2204 a negative size · TF2206 output not of length rows
//! @cost   one pass over memory. Threads take whole rows, of more than 65536 columns blocks of rows
template <reduction R, class E, class Out>
void reduce_rows(const R& r, const row_source<E>& m, Out&& out, const executor& ex = default_executor()) {
  const auto to = as_output(out);
  detail::check_rows(m);
  if (to.size() != m.rows) twofold::detail::refuse_length("a row reduction's output", to.size(), m.rows);
  detail::for_each_answer(r, m, ex, [&](index k, const auto& a) {
    using slot = std::remove_reference_t<decltype(to[k])>;
    if constexpr (requires { a.position; } && std::is_integral_v<slot>) to[k] = static_cast<slot>(a.position);
    else to[k] = static_cast<slot>(a);
  });
}

//! @brief  Every row mapped by its own answer: softmax, log-softmax, layer norm, RMS norm.
//! @shape  m, out: [rows, columns]; out may be m itself (same first element, strides and type), never overlap otherwise
//! @special, @empty  the operator's own
//! @errors TF2204 · TF2206 output of another shape · TF2207 output overlaps the matrix elsewhere
//! @cost   one pass over memory while a row fits into a cache, two else; softmax takes one exponential an element, two in rows of more than
//!         65536 columns, whose blocks threads share
template <reduction R, class E, class O>
void map_rows(const R& r, const row_source<E>& m, const matrix_output<O>& out, const executor& ex = default_executor()) {
  using T = working<E>;
  static_assert(is_element<O> && std::is_same_v<working<O>, T>,
                "TF1012: the output has the working precision of the input (TF1012: twofold explain TF1012)");
  detail::check_rows(m);
  if (out.rows != m.rows) twofold::detail::refuse_length("rows of a map's output", out.rows, m.rows);
  if (out.columns != m.columns) twofold::detail::refuse_length("columns of a map's output", out.columns, m.columns);
  const bool itself = static_cast<const void*>(out.data) == static_cast<const void*>(m.data) && out.pitch == m.pitch &&
                      out.stride == m.stride && std::is_same_v<O, E>;
  const row_source<O> written{out.data, out.rows, out.columns, out.pitch, out.stride};
  if (!itself && twofold::detail::meet(twofold::detail::footprint_of(written), twofold::detail::footprint_of(m)))
    twofold::detail::refuse_overlap(true);
  const bool direct = std::is_same_v<O, T> && out.stride == 1;
  const bool large = !itself && out.rows * out.columns * static_cast<index>(sizeof(O)) > detail::stream_bytes;
  //! map(x, n, to, scratch, how) for a piece of a row, and where it goes.
  const auto mapped = [&](index k, index first, const T* x, index n, const auto& map) {
    O* const to = out.data + k * out.pitch + first * out.stride;
    T* const kept = detail::scratch<T>(n, 1);
    if constexpr (std::is_same_v<O, T>) {
      if (direct) return map(x, n, to, kept, large ? detail::store_how::streamed : detail::store_how::cached);
    }
    map(x, n, kept, kept, detail::store_how::cached);
    detail::narrow(kept, n, to, out.stride);
  };
  if (!detail::long_rows(m)) {
    detail::for_each_piece(m, m.columns, ex, [&](index k, index, const T* x, index n) {
      mapped(k, 0, x, n,
             [&](const T* from, index length, T* to, T* kept, detail::store_how how) { detail::map_row(r, from, length, to, kept, how); });
    });
  } else {
    std::vector<decltype(r.finalize(r.identity()))> answers;
    detail::for_each_long_row(r, m, ex, [&](index, const state_of<R>& s) { answers.push_back(r.finalize(s)); });
    detail::for_each_piece(m, block, ex, [&](index k, index first, const T* x, index n) {
      mapped(k, first, x, n, [&](const T* from, index length, T* to, T*, detail::store_how how) {
        detail::apply_answer(answers[static_cast<std::size_t>(k)], from, length, to, how);
      });
    });
  }
}

//! @brief  out[k] = ln Σ_j exp(x_kj) − x_k,target(k): the loss of classification, as −log-softmax. A target outside [0, columns) is
//! ignored: 0.
//! @shape  logits: [rows, columns]; targets, out: [rows]
//! @units  nats
//! @errors as reduce_rows
template <class R, class E, class Targets, class Out>
void cross_entropy(const R& log_softmax, const row_source<E>& logits, const Targets& targets, Out&& out,
                   const executor& ex = default_executor()) {
  const auto to = as_output(out);
  const auto wanted = as_source(targets);
  detail::check_rows(logits);
  if (to.size() != logits.rows) twofold::detail::refuse_length("a loss per row", to.size(), logits.rows);
  if (wanted.size() != logits.rows) twofold::detail::refuse_length("a target per row", wanted.size(), logits.rows);
  detail::for_each_answer(log_softmax, logits, ex, [&](index k, const auto& logarithm) {
    wanted.apply(k, [&](const auto& target) {
      const auto t = static_cast<index>(target);
      using slot = std::remove_reference_t<decltype(to[k])>;
      const auto at = [&] { return static_cast<working<E>>(logits.data[k * logits.pitch + t * logits.stride]); };
      to[k] = static_cast<slot>(t < 0 || t >= logits.columns ? 0 : -logarithm(at()));
    });
  });
}

}  // namespace cpu
TWOFOLD_END_NAMESPACE
