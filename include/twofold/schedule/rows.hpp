// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every row of a strided matrix reduced or scanned on its own; columns are the rows of the transposed view.
#pragma once

#include "twofold/schedule/ranges.hpp"
#include "twofold/schedule/reduce.hpp"
#include "twofold/schedule/scan.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! The columns of a matrix as rows: no copy, pitch and stride change places.
template <class T>
constexpr row_source<T> transposed(const row_source<T>& m) {
  return {m.data, m.columns, m.rows, m.stride, m.pitch};
}

namespace detail {
[[noreturn]] inline void refuse_shape(index rows, index columns) {
  throw error("TF2204", "a matrix of " + std::to_string(rows) + " by " + std::to_string(columns), "sizes count elements",
              "sizes of 0 or more");
}
template <class T>
constexpr array_source<T> row_of(const row_source<T>& m, index k) {
  return {m.data + k * m.pitch, m.columns, m.stride};
}

//! The extent of a whole matrix in memory, as far as overlap is concerned. Strides of either sign.
template <class T>
footprint footprint_of(const row_source<T>& m) {
  if (m.rows == 0 || m.columns == 0) return {};
  const footprint a = footprint_of(m.data, m.rows, m.pitch), b = footprint_of(m.data + (m.columns - 1) * m.stride, m.rows, m.pitch);
  return {a.first < b.first ? a.first : b.first, a.last < b.last ? b.last : a.last};
}
}  // namespace detail

//! @brief  out[k] = reduce(r, row k, schedule): finalize(identity) for rows without columns.
//! @shape  m: [rows, columns], element (i, j) at data + i·pitch + j·stride, both 64-bit and of either sign or zero;
//!         out: [rows]
//! @order  the bits of a row are those of reduce on it alone
//! @errors TF2204 a negative size · TF2206 output not of length rows · TF2207 output overlaps the matrix
//! @example row_reduce(log_sum_exp<float>{}, row_source<float>{x, rows, columns, columns}, out, threads{})
template <reduction R, class T, class Out>
void row_reduce(const R& r, const row_source<T>& m, Out&& out, const schedule& s = {}, const executor& ex = default_executor()) {
  const auto to = as_output(out);
  if (m.rows < 0 || m.columns < 0) detail::refuse_shape(m.rows, m.columns);
  (void)plan_of(m.columns, s);
  if (to.size() != m.rows) detail::refuse_length("a row reduction's output", to.size(), m.rows);
  if (detail::meet(detail::footprint_of(to.data, to.count, to.stride), detail::footprint_of(m))) detail::refuse_overlap(false);
  detail::for_each_range(
      m.rows, [&](index) { return m.columns; }, s, ex,
      [&](index k, const executor& inner) { to[k] = reduce(r, detail::row_of(m, k), s, inner); });
}

//! A matrix of results: element (i, j) at data + i·pitch + j·stride.
template <class T>
struct matrix_output {
  T* data = nullptr;
  index rows = 0, columns = 0, pitch = 0, stride = 1;
};

//! @brief  Every row scanned on its own. @see scan for kinds and order
//! @shape  m, out: [rows, columns]; out may be m itself (same first element, pitch and stride), never overlap
//!         otherwise
//! @errors TF2204 · TF2206 output of another shape · TF2207 output overlaps the matrix elsewhere
template <reduction R, class T, class O>
void row_scan(const R& r, const row_source<T>& m, const matrix_output<O>& out, scan_kind kind = {}, const schedule& s = {},
              const executor& ex = default_executor()) {
  if (m.rows < 0 || m.columns < 0) detail::refuse_shape(m.rows, m.columns);
  (void)plan_of(m.columns, s);
  if (out.rows != m.rows) detail::refuse_length("rows of a row scan's output", out.rows, m.rows);
  if (out.columns != m.columns) detail::refuse_length("columns of a row scan's output", out.columns, m.columns);
  const bool itself = static_cast<const void*>(out.data) == static_cast<const void*>(m.data) && out.pitch == m.pitch &&
                      out.stride == m.stride && sizeof(O) == sizeof(T);
  const row_source<O> written{out.data, out.rows, out.columns, out.pitch, out.stride};
  if (!itself && detail::meet(detail::footprint_of(written), detail::footprint_of(m))) detail::refuse_overlap(true);
  detail::for_each_range(
      m.rows, [&](index) { return m.columns; }, s, ex,
      [&](index k, const executor& inner) {
        const array_output<O> to{out.data + k * out.pitch, out.columns, out.stride};
        detail::scan_any(r, detail::row_of(m, k), to, kind, plan_of(m.columns, s), static_cast<const state_of<R>*>(nullptr), inner);
      });
}

TWOFOLD_END_NAMESPACE
