// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Axis 0 of a matrix, or a middle axis of outer × length × inner elements, reduced or reduced and then mapped on a GPU.
#pragma once

#include "twofold/cuda/column_on_chip.cuh"
#include "twofold/cuda/rows.cuh"

namespace twofold::cuda {

//! How columns are reduced or mapped, as a value. Blocks of 32·warps threads have strips of 32 vectors (`wide`) or 32 elements.
struct column_plan {
  bool on_chip = false;  //!< a cluster of `blocks` blocks holds a strip of 32 columns: read once
  bool wide = true;      //!< rows begin on 16 bytes: vectors, else element by element
  int warps = 8;
  int blocks = 1;
  index parts = 1;  //!< pieces of the axis
  friend bool operator==(const column_plan&, const column_plan&) = default;
};

inline std::string to_string(const column_plan& p) {
  const std::string both = std::string(p.wide ? "wide" : "narrow") + ", warps=" + std::to_string(p.warps);
  return p.on_chip ? "columns_on_chip(" + both + ", blocks=" + std::to_string(p.blocks) + ")"
                   : "columns(" + both + ", parts=" + std::to_string(p.parts) + ")";
}

namespace detail {
template <class T>
bool starts_on_16_bytes(const T* data, index outer, index outer_pitch, index length, index pitch, index inner) {
  constexpr index per = 16 / static_cast<index>(sizeof(T));
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (outer <= 1 || outer_pitch % per == 0) && (length <= 1 || pitch % per == 0) &&
         inner % per == 0;
}
template <class R, class In>
index strips_of(const column_source<In>& in, const column_plan& p) {
  return rounded_up_division(in.inner, p.on_chip ? 32 : p.wide ? 32 * kernels::columns_at_once<In> : 32);
}
template <class R, class In>
int strip_bytes(const column_plan& p) {
  return static_cast<int>(p.warps * 32 * (p.wide ? kernels::columns_at_once<In> : 1) * sizeof(state_of<R>));
}
template <class In>
inline constexpr int column_vectors = 32 / per_vector<In> < 8 ? 32 / per_vector<In> : 8;
}  // namespace detail

//! @brief  The plan that the cost model chooses. `out_aligned`: rows of the output begin on 16 bytes, too (of maps).
template <class R, class In>
column_plan plan_columns(const column_source<In>& in, bool maps, bool out_aligned = true, const card& c = {}) {
  column_plan p;
  p.wide = out_aligned && detail::starts_on_16_bytes(in.data, in.outer, in.outer_pitch, in.length, in.pitch, in.inner);
  const index per_warp = static_cast<index>(per_vector<In>) * detail::column_vectors<In>;
  // Of the half types a thread has so few elements of each of its columns that merging costs more than reading twice.
  const index held = sizeof(In) >= 4 ? per_warp * 16 * (c.largest_cluster < 2 ? 1 : 2) : per_warp * 4;
  if (maps && p.wide && in.length <= held && in.length > 0 && sizeof(state_of<R>) <= 40) {
    p.on_chip = true;
    p.blocks = in.length > per_warp * 16 ? 2 : 1;
    p.warps = static_cast<int>(detail::rounded_up_division(in.length, per_warp * p.blocks));
    return p;
  }
  while (p.warps > 1 && detail::strip_bytes<R, In>(p) > 40 * 1024) p.warps /= 2;
  // About two blocks a processor: enough to keep memory busy, few enough that pieces stay long.
  const index strips = detail::strips_of<R>(in, p) * (in.outer > 0 ? in.outer : 1), blocks = static_cast<index>(c.processors) * 2;
  const index most = in.length / (p.warps * kernels::rows_at_once<In>);
  p.parts = strips > 0 && blocks > strips ? blocks / strips : 1;
  if (p.parts > 64) p.parts = 64;  // merged one after the other: each adds a rounding
  if (p.parts > most) p.parts = most > 0 ? most : 1;
  return p;
}

//! Bytes of workspace that a plan needs.
template <class R, class In>
std::size_t workspace_bytes(const column_plan& p, const column_source<In>& in, bool maps) {
  if (p.on_chip) return 0;
  const index columns = in.outer * in.inner;
  return (maps ? detail::answers_bytes<R>(columns) : 0) +
         (p.parts > 1 ? static_cast<std::size_t>(p.parts * columns) * sizeof(state_of<R>) : 0);
}

namespace detail {
template <class In>
void check_columns(const column_source<In>& in, const void* out) {
  check_rows(row_source<In>{in.data, in.length < 0 || in.outer < 0 ? -1 : in.length, in.inner, in.pitch}, out);
}
template <class R, class In, class Then>
void launch_columns(const R& r, const column_source<In>& in, const column_plan& p, state_of<R>* memory, const Then& then,
                    cudaStream_t stream) {
  const index strips = strips_of<R>(in, p), blocks = strips * p.parts * in.outer;
  if (blocks >= index(1) << 31) throw error("TF3205", to_string(p), "more than 2^31 blocks", "fewer parts");
  constexpr int wide = kernels::columns_at_once<In>, deep = kernels::rows_at_once<In>;
  const auto kernel = p.wide ? kernels::columns_streamed<deep, wide, R, In, Then> : kernels::columns_streamed<8, 1, R, In, Then>;
  launch_with(kernel, blocks, 32 * p.warps, 1, strip_bytes<R, In>(p), stream, r, in, strips, p.parts, memory, then);
  if (p.parts > 1)
    launch(kernels::columns_merged<R, Then>, rounded_up_division(in.outer * in.inner, 256), 256, 1, stream, r,
           static_cast<const state_of<R>*>(memory), p.parts, in.inner, in.outer * in.inner, then);
}
template <class R, class In>
void check_column_plan(const column_source<In>& in, const column_plan& p, bool maps, const workspace& w) {
  if (p.warps < 1 || p.warps > (p.on_chip ? kernels::strip_warps<R> : 16) || p.blocks < 1 || p.blocks > 16 || p.parts < 1 ||
      (p.on_chip && (!maps || sizeof(state_of<R>) > 40)) || strip_bytes<R, In>(p) > 48 * 1024 ||
      (p.wide && !starts_on_16_bytes(in.data, in.outer, in.outer_pitch, in.length, in.pitch, in.inner)) ||
      (p.on_chip && in.length > static_cast<index>(per_vector<In>) * column_vectors<In> * p.warps * p.blocks))
    throw error("TF3205", to_string(p), "the plan does not fit the columns", to_string(plan_columns<R>(in, maps)));
  check_workspace(w, workspace_bytes<R>(p, in, maps), to_string(p));
}
}  // namespace detail

//! @brief  sink(o·inner + i, finalize(state of column (o, i))) for every column. Order, errors and cost as reduce_rows_into.
template <class R, class In, class Sink>
void reduce_columns_into(const R& r, const column_source<In>& in, const Sink& sink, const column_plan& p, workspace w = {},
                         cudaStream_t stream = nullptr) {
  detail::check_columns(in, &in);
  detail::check_column_plan<R>(in, p, false, w);
  if (in.outer == 0 || in.inner == 0) return;
  detail::launch_columns(r, in, p, static_cast<state_of<R>*>(w.data), kernels::keep_answer<Sink>{sink}, stream);
}

//! @brief  out[o·inner + i] = finalize(state of column (o, i)), narrowed to Out.
template <class R, class In, class Out>
void reduce_columns(const R& r, const column_source<In>& in, Out* out, const column_plan& p, workspace w = {},
                    cudaStream_t stream = nullptr) {
  detail::check_columns(in, out);
  reduce_columns_into(r, in, to_array<Out>{out}, p, w, stream);
}

//! @brief  out(o, l, i) = f(answer of column (o, i), x, l, i). @see map_rows
template <class R, class In, class Out, class F = by_answer>
void map_columns(const R& r, const column_source<In>& in, Out* out, index out_outer_pitch, index out_pitch, const column_plan& p,
                 workspace w = {}, cudaStream_t stream = nullptr, const F& f = {}) {
  detail::check_columns(in, out);
  detail::check_column_plan<R>(in, p, true, w);
  if (in.outer == 0 || in.inner == 0 || in.length == 0) return;
  if (p.wide && !detail::starts_on_16_bytes(out, in.outer, out_outer_pitch, in.length, out_pitch, in.inner))
    throw error("TF3205", to_string(p), "rows of the output do not begin on 16 bytes", "a plan with wide = false");
  const index strips = detail::strips_of<R>(in, p);
  if constexpr (sizeof(state_of<R>) <= 40)
    if (p.on_chip) {
      detail::launch(kernels::columns_on_chip<detail::column_vectors<In>, R, In, Out, F>, strips * in.outer * p.blocks, 32 * p.warps,
                     p.blocks, stream, r, in, strips, p.blocks, out, out_outer_pitch, out_pitch, f);
      return;
    }
  using answer = detail::answer_of<R>;
  auto* const answers = static_cast<answer*>(w.data);
  auto* const pieces = reinterpret_cast<state_of<R>*>(static_cast<char*>(w.data) + detail::answers_bytes<R>(in.outer * in.inner));
  detail::launch_columns(r, in, p, pieces, kernels::keep_for_map<answer>{answers}, stream);
  const auto kernel = p.wide ? kernels::columns_mapped<8, kernels::columns_at_once<In>, R, In, answer, Out, F>
                             : kernels::columns_mapped<8, 1, R, In, answer, Out, F>;
  // Elements are mapped apart: pieces are short, so that blocks come in many waves.
  const index most = in.length / (16 * p.warps) > 0 ? in.length / (16 * p.warps) : 1;
  const index wanted = detail::rounded_up_division(index(1) << 13, strips * in.outer), parts = wanted < most ? wanted : most;
  detail::launch(kernel, strips * parts * in.outer, 32 * p.warps, 1, stream, in, strips, parts, static_cast<const answer*>(answers), out,
                 out_outer_pitch, out_pitch, f);
}

}  // namespace twofold::cuda
