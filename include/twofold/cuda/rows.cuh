// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rows of a matrix reduced, or reduced and then mapped, on a GPU: any operator, any length, pitch and alignment.
#pragma once

#include <cuda_runtime.h>

#include "twofold/cuda/launch.hpp"
#include "twofold/cuda/row_flow.cuh"
#include "twofold/cuda/row_packed.cuh"
#include "twofold/cuda/row_ring.cuh"
#include "twofold/cuda/row_spread.cuh"
#include "twofold/schedule/can_run.hpp"

namespace twofold::cuda {

//! Answers into an array: out[row] = answer, narrowed; of an argmax the position where Out is an integer.
template <class Out>
struct to_array {
  Out* out;
  template <class Answer>
  __device__ __forceinline__ void operator()(index row, const Answer& a) const {
    if constexpr (requires { a.position; } && std::is_integral_v<Out>) out[row] = static_cast<Out>(a.position);
    else out[row] = narrowed<Out>(a);
  }
};

//! y = answer(x): what softmax and the norms mean. Uses the answer's path without special cases where it has one.
struct by_answer {
  template <class M, class A>
  __device__ __forceinline__ auto operator()(const M& m, const A& x, index, index) const {
    return m(x);
  }
  template <class M>
  requires requires(const M& m) { m.plain(); }
  __device__ __forceinline__ bool plain(const M& m) const { return m.plain(); }
  template <class M, class A>
  requires requires(const M& m) { m.plain(); }
  __device__ __forceinline__ auto plain(const M& m, const A& x, index, index) const { return m.plain(x); }
  //! Where the output has fewer digits than the arithmetic.
  template <class M, class A>
  requires requires(const M& m, const A& x) { m.plain_narrow(x); }
  __device__ __forceinline__ auto plain_narrow(const M& m, const A& x, index, index) const { return m.plain_narrow(x); }
};

//! The task of a row problem, as plan_rows wants it.
template <class R, class In>
row_task task_of(const row_source<In>& in, bool maps) {
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(in.data) % 16 == 0 && (in.rows <= 1 || in.pitch * static_cast<index>(sizeof(In)) % 16 == 0);
  return {in.rows, in.columns, sizeof(In), sizeof(state_of<R>), maps, aligned, in.pitch == in.columns, false, is_commutative<R>};
}

namespace detail {
template <class R>
using answer_of = std::remove_cvref_t<decltype(std::declval<const R&>().finalize(std::declval<const state_of<R>&>()))>;
template <class R>
std::size_t answers_bytes(index rows) {
  return (static_cast<std::size_t>(rows) * sizeof(answer_of<R>) + 15) / 16 * 16;
}
}  // namespace detail

//! Bytes of workspace that a plan needs: states of pieces, and answers of rows that are read again. 0 for plans that keep rows on chip.
template <class R>
std::size_t workspace_bytes(const row_plan& p, index rows) {
  if (p.kernel <= row_kernel::on_chip || p.kernel == row_kernel::flow) return 0;
  if (p.kernel == row_kernel::spread) return static_cast<std::size_t>(rows * p.parts) * packets<state_of<R>>::count * sizeof(packet);
  const std::size_t answers = p.kernel == row_kernel::reread ? detail::answers_bytes<R>(rows) : 0;
  return answers + (p.parts > 1 ? static_cast<std::size_t>(rows * p.parts) * sizeof(state_of<R>) : 0);
}

namespace detail {
template <class In>
void check_rows(const row_source<In>& in, const void* out) {
  if (in.rows < 0 || in.columns < 0) throw error("TF3201", shape_text(in.rows, in.columns), "sizes count elements", "sizes of 0 or more");
  if (in.stride != 1)
    throw error("TF3202", "rows whose elements are " + std::to_string(in.stride) + " apart", "this function walks contiguous rows",
                "stride = 1, or reduce_columns for the other axis");
  if (in.rows > 0 && in.columns > 0 && in.data == nullptr)
    throw error("TF3203", shape_text(in.rows, in.columns), "the input is a null pointer", "a device pointer to the first element");
  if (in.rows > 0 && out == nullptr)
    throw error("TF3203", shape_text(in.rows, in.columns), "the output is a null pointer", "a device pointer with room for the output");
  if (reinterpret_cast<std::uintptr_t>(in.data) % sizeof(In) != 0)
    throw error("TF3204", "an input at an address that is no multiple of its element size", "elements are read whole",
                "a pointer aligned to the element");
}

//! Calls f(integral constant) for the compiled numbers of vectors: First, 2·First, … Last.
template <int First, int Last, class F>
void with_vectors(int vectors, const F& f) {
  if (vectors == First) return f(std::integral_constant<int, First>{});
  if constexpr (First < Last) return with_vectors<2 * First, Last>(vectors, f);
  else
    throw error("TF3205", "a plan with vectors=" + std::to_string(vectors), "no kernel is compiled for it",
                "a power of two up to " + std::to_string(Last) + " (streamed: 4 or more)");
}

//! 128 bytes a thread, 64 elements at most.
template <class In>
inline constexpr int held_vectors = sizeof(In) == 1 ? 4 : 8;

//! Rows that a thread of a staged plan takes from registers; 0: lanes read them from shared memory.
constexpr int packed_rows_of(const row_plan& p, index columns, index element_bytes) {
  const bool packed = p.lanes == 1 && columns >= 1 && columns <= 32 && (element_bytes == 2 || element_bytes == 4);
  return packed ? kernels::packed_rows : 0;
}
constexpr index staged_shared(const row_plan& p, index columns, index element_bytes) {
  const index each = packed_rows_of(p, columns, element_bytes);
  return p.teams * (each > 0 ? each : 1) * columns * element_bytes + 160;
}

//! 16-byte slots of the longest slice that one of `pieces` blocks has of a row.
template <class In>
index slots_of_slice(const row_source<In>& in, index pieces) {
  constexpr index per = per_vector<In>;
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(in.data) % 16 == 0 && (in.rows <= 1 || in.pitch * static_cast<index>(sizeof(In)) % 16 == 0);
  return rounded_up_division(rounded_up_division(in.columns + (aligned ? 0 : per - 1), per), pieces);
}

//! Bytes of dynamic shared memory that a block of the plan's kernel asks for.
template <class R, class In>
index shared_of(const row_plan& p, const row_source<In>& in) {
  using tile = anchored_tile<R, In, 4, absence::none>;  // what is exchanged does not depend on the number of vectors
  const index slice = slots_of_slice(in, p.kernel == row_kernel::ring ? p.blocks : p.parts) * 16;
  switch (p.kernel) {
    case row_kernel::staged:
      return staged_shared(p, in.columns, sizeof(In));
    case row_kernel::ring:
      return kernels::ring_room<R, tile>(p.warps, p.blocks) + p.stages * slice;
    case row_kernel::on_chip:
      return 4 * row_room<R, tile>(p.warps, p.blocks);
    case row_kernel::flow:
      return (sizeof(kernels::flow_room<R, answer_of<R>>) + 127) / 128 * 128 + p.stages * slice;
    case row_kernel::spread:
      return (sizeof(kernels::spread_room<R, answer_of<R>>) + 127) / 128 * 128 + p.stages * slice;
    default:
      return 4 * (is_commutative<R> ? states_room<R>(p.warps) : team_room<state_of<R>>(p.warps));
  }
}
//! What a block may have on the current device; on an H200 where there is none.
inline index largest_shared() {
  int device = 0, bytes = 0;
  if (cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess)
    return bytes;
  (void)cudaGetLastError();
  return card{}.shared_bytes;
}

template <class R, class In>
void check_plan(const row_plan& p, const row_source<In>& in, bool maps, const workspace& w) {
  const auto refuse = [&](const char* why) {
    throw error("TF3205", to_string(p) + " for " + shape_text(in.rows, in.columns), why, to_string(plan_rows(task_of<R>(in, maps))));
  };
  const auto power = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
  if (!power(p.lanes) || p.lanes > 32 || !power(p.warps) || p.warps > 32 || !power(p.blocks) || p.blocks > 16 || p.parts < 1)
    refuse("lanes, warps and blocks are powers of two up to 32, 32 and 16");
  if (p.lanes < 32 && p.warps * p.blocks > 1) refuse("a team of several warps uses all lanes");
  const int most_threads = p.kernel == row_kernel::ring || p.kernel == row_kernel::on_chip ? 1024
                           : p.kernel == row_kernel::staged                                ? 256
                           : p.kernel == row_kernel::spread                                ? 32 * (kernels::spread_most_warps + 1)
                           : p.kernel == row_kernel::flow                                  ? 32 * (kernels::flow_most_warps + 2)
                                                                                           : 512;
  if (p.threads_per_block() % 32 != 0 || p.threads_per_block() > most_threads)
    refuse(
        "a block has 32 to 512 threads, 1024 of one row, 256 of staged rows, 16 warps and those that serve them of rows in pieces");  // what
                                                                                                                                      // registers
                                                                                                                                      // are
                                                                                                                                      // made
                                                                                                                                      // for
  if (p.kernel > row_kernel::on_chip && maps == (p.kernel == row_kernel::streamed))
    refuse("mapping needs on_chip, flow, spread or reread, reducing on_chip or streamed");
  if (p.kernel == row_kernel::staged) {
    if (in.pitch != in.columns) refuse("staged rows lie densely");
  } else if (p.kernel <= row_kernel::on_chip) {
    const index per = 16 / static_cast<index>(sizeof(In)), held = static_cast<index>(p.lanes) * p.warps * p.blocks * p.vectors;
    const bool aligned = task_of<R>(in, maps).aligned;
    if (rounded_up_division(in.columns + (aligned ? 0 : per - 1), per) > held) refuse("the row does not fit");
  }
  if (p.kernel == row_kernel::ring && (p.stages < 1 || p.stages > 16)) refuse("a ring has 1 to 16 stages");
  if (p.kernel == row_kernel::flow) {
    if (p.stages < p.parts || p.stages > kernels::flow_most_stages)
      refuse("a block has all pieces of a row that flows through it, at most 16");
    if (p.ahead < 0 || p.ahead >= p.stages || p.ahead > 2 * p.parts)
      refuse("a flow is ahead by fewer pieces than it has, and by two rows at most");
    if (p.vectors < 4 || slots_of_slice(in, p.parts) > static_cast<index>(32) * p.warps * p.vectors)
      refuse("a piece does not fit the threads of a block");
  }
  if (p.kernel == row_kernel::spread) {
    if (p.parts < 2 || p.parts > 32 * kernels::spread_each) refuse("a spread row has 2 to 64 pieces");
    if (p.ahead < 2 || p.stages <= p.ahead + 1 || p.stages > kernels::spread_most_stages)
      refuse("a spread plan has at most 8 stages, of which two at least are ahead, and two more");
    if (p.vectors < 4 || slots_of_slice(in, p.parts) > static_cast<index>(32) * p.warps * p.vectors)
      refuse("a piece does not fit the threads of a block");
  }
  if (const index need = shared_of<R>(p, in); need > 48 * 1024)
    if (const index most = largest_shared(); need > most)
      refuse(("a block needs " + std::to_string(need) + " bytes of shared memory and can have " + std::to_string(most)).c_str());
  check_workspace(w, workspace_bytes<R>(p, in.rows), to_string(p));
}

//! Rows are mapped in place in shared memory and stored as one piece.
template <class In, class Out>
void check_staged_output(const row_plan& p, index columns, index out_pitch) {
  if (p.kernel != row_kernel::staged || (sizeof(In) == sizeof(Out) && out_pitch == columns)) return;
  throw error("TF3205", to_string(p), "staged rows are mapped in place: the output must lie densely and have elements of the input's size",
              to_string(on_chip_plan(columns / per_vector<In> + 2, {0, columns, sizeof(In), 4, true}, {})));
}

template <class R, class In, class Then>
void launch_staged(const R& r, const row_source<In>& in, const row_plan& p, const Then& then, cudaStream_t stream) {
  const int shared = static_cast<int>(staged_shared(p, in.columns, sizeof(In))), each = packed_rows_of(p, in.columns, sizeof(In));
  const index per_block = p.teams * (each > 0 ? each : 1), limit = index(1) << 30;
  for (index first = 0; first < in.rows; first += limit * per_block) {
    const index left = in.rows - first, rows = left < limit * per_block ? left : limit * per_block,
                blocks = rounded_up_division(rows, per_block);
    if constexpr (sizeof(In) == 2 || sizeof(In) == 4)
      if (each > 0) {
        const auto run = [&](auto most) {
          launch_with(kernels::rows_packed<decltype(most)::value, R, In, Then>, blocks, p.threads_per_block(), 1, shared, stream, r, in,
                      then, first);
        };
        if (in.columns <= 12) run(std::integral_constant<int, 12>{});
        else if (in.columns <= 18) run(std::integral_constant<int, 18>{});
        else run(std::integral_constant<int, 32>{});
        continue;
      }
    launch_with(kernels::rows_staged<R, In, Then>, blocks, p.threads_per_block(), 1, shared, stream, r, in, p.lanes, then, first);
  }
}

//! The states of the parts of rows [first, first + rows), merged.
template <class R, class Sink>
void launch_merged(const R& r, index first, index rows, index parts, const state_of<R>* memory, const Sink& sink, cudaStream_t stream) {
  int warps = parts > 64 ? 8 : 1;
  while (warps > 1 && 4 * states_room<R>(warps) > 48 * 1024) warps /= 2;  // large states
  launch_after(current_card_has_clusters(), kernels::rows_merged<R, Sink>, rows, 32 * warps, 1, 4 * states_room<R>(warps), stream, r,
               memory, parts, sink, first);
}

//! The kernels of a plan, one after the other. `sink` finishes a reduction, `map` writes every element: one of the two is used.
template <class R, class In, class Sink>
void launch_reduction(const R& r, const row_source<In>& in, const row_plan& p, state_of<R>* memory, const Sink& sink, cudaStream_t stream) {
  const index limit = index(1) << 30;  // blocks of one launch
  const index step = p.parts < limit ? limit / p.parts : 1;
  for (index first = 0; first < in.rows; first += step) {
    const index rows = in.rows - first < step ? in.rows - first : step;
    const auto room = [](index warps) {
      return 4 * (is_commutative<R> ? states_room<R>(static_cast<int>(warps)) : team_room<state_of<R>>(static_cast<int>(warps)));
    };
    with_vectors<4, held_vectors<In>>(p.vectors, [&](auto v) {
      launch_with(kernels::rows_streamed<v.value, R, In, Sink>, rows * p.parts, 32 * p.warps, 1, room(p.warps), stream, r, in, p.parts,
                  memory, sink, first);
    });
    if (p.parts > 1) launch_merged(r, first, rows, p.parts, memory, sink, stream);
  }
}

template <class R, class In, class Then>
void launch_on_chip(const R& r, const row_source<In>& in, const row_plan& p, const Then& then, cudaStream_t stream) {
  const team t{p.lanes, p.warps, p.blocks};
  const index per_block = p.warps * p.blocks == 1 ? p.teams : 1, limit = (index(1) << 30) / p.blocks;
  with_vectors<1, held_vectors<In>>(p.vectors, [&](auto v) {
    for (index first = 0; first < in.rows; first += limit * per_block) {
      const index left = in.rows - first, rows = left < limit * per_block ? left : limit * per_block;
      constexpr int vectors = v.value;
      launch_with(kernels::rows_on_chip<vectors, R, In, Then>, rounded_up_division(rows, per_block) * p.blocks, p.threads_per_block(),
                  p.blocks, 4 * row_room<R, anchored_tile<R, In, vectors, absence::none>>(p.warps, p.blocks), stream, r, in, t, then,
                  first);
    }
  });
}

template <class R, class In, class Then>
void launch_ring(const R& r, const row_source<In>& in, const row_plan& p, const Then& then, cudaStream_t stream) {
  const team t{32, p.warps, p.blocks};
  with_vectors<4, held_vectors<In>>(p.vectors, [&](auto v) {
    constexpr int vectors = v.value;
    const int slice = static_cast<int>(slots_of_slice(in, p.blocks));
    const int room = kernels::ring_room<R, anchored_tile<R, In, vectors, absence::none>>(p.warps, p.blocks);
    const auto kernel = kernels::rows_ring<vectors, R, In, Then>;
    const int clusters = resident_clusters(kernel, 32 * p.warps, p.blocks, room + p.stages * slice * 16);
    launch_with(kernel, (in.rows < clusters ? in.rows : clusters) * p.blocks, 32 * p.warps, p.blocks, room + p.stages * slice * 16, stream,
                r, in, t, slice, p.stages, then);
  });
}

//! A spread plan's kernel for `rows` rows: all blocks at once, packets cleared.
template <class... P, class... A>
void launch_resident(void (*kernel)(P...), index rows, const row_plan& p, int shared, const workspace& w, std::size_t cleared,
                     cudaStream_t stream, const A&... arguments) {
  const index pieces = rows * p.parts, resident = resident_clusters(kernel, p.threads_per_block(), 1, shared);
  if (p.parts - 1 > (p.ahead - 1) * resident)
    throw error("TF3205", to_string(p), "pieces of a row would wait for one another: " + std::to_string(resident) + " blocks are resident",
                "a plan of fewer pieces, or another kernel");
  check(cudaMemsetAsync(w.data, 0, cleared, stream), "clearing the states of pieces");
  launch_as(launch_kind::together, kernel, pieces < resident ? pieces : resident, p.threads_per_block(), 1, shared, stream, arguments...);
}

template <class R, class In, class Then>
void launch_flow(const R& r, const row_source<In>& in, const row_plan& p, const Then& then, cudaStream_t stream) {
  const int slots = static_cast<int>(slots_of_slice(in, p.parts)), shared = static_cast<int>(shared_of<R>(p, in));
  with_vectors<4, held_vectors<In>>(p.vectors, [&](auto v) {
    const auto kernel = kernels::rows_flow<v.value, R, In, Then>;
    const index resident = resident_clusters(kernel, p.threads_per_block(), 1, shared);
    launch_with(kernel, in.rows < resident ? in.rows : resident, p.threads_per_block(), 1, shared, stream, r, in,
                kernels::flow_job{static_cast<int>(p.parts), slots, p.stages, p.ahead}, then);
  });
}

template <class R, class In, class Then>
void launch_spread(const R& r, const row_source<In>& in, const row_plan& p, const Then& then, const workspace& w, cudaStream_t stream) {
  const int slots = static_cast<int>(slots_of_slice(in, p.parts)), shared = static_cast<int>(shared_of<R>(p, in));
  with_vectors<4, held_vectors<In>>(p.vectors, [&](auto v) {
    launch_resident(kernels::rows_spread<v.value, R, In, Then>, in.rows, p, shared, w, workspace_bytes<R>(p, in.rows), stream, r, in,
                    kernels::spread_job{static_cast<packet*>(w.data), static_cast<int>(p.parts), slots, p.stages, p.ahead}, then);
  });
}
}  // namespace detail

//! @brief  sink(row, finalize(state of the row)) for every row, on the caller's stream.
//! @math   the state of row k is lift(x_k0) • … • lift(x_k,columns−1), bracketed as the plan says
//! @shape  in: [rows, columns], row k at data + k·pitch (pitch in elements, any sign, base aligned to the element only)
//! @empty  rows without columns give finalize(identity); no rows: nothing is launched
//! @order  neighbours are merged in order; vectors are dealt to threads out of order only where the operator is declared commutative.
//!         Same plan, same bits
//! @errors TF3201 … TF3207, before anything is launched; nothing is allocated, nothing waits
//! @cost   one read of the input
template <class R, class In, class Sink>
void reduce_rows_into(const R& r, const row_source<In>& in, const Sink& sink, const row_plan& p, workspace w = {},
                      cudaStream_t stream = nullptr) {
  detail::check_rows(in, &in);
  detail::check_plan<R>(p, in, false, w);
  if (in.rows == 0) return;
  using then = kernels::keep_answer<Sink>;
  if (p.kernel == row_kernel::staged) detail::launch_staged(r, in, p, then{sink}, stream);
  else if (p.kernel == row_kernel::ring) detail::launch_ring(r, in, p, then{sink}, stream);
  else if (p.kernel == row_kernel::on_chip) detail::launch_on_chip(r, in, p, then{sink}, stream);
  else detail::launch_reduction(r, in, p, static_cast<state_of<R>*>(w.data), then{sink}, stream);
}

//! @brief  out[row] = finalize(state of the row), narrowed to Out. @see reduce_rows_into
template <class R, class In, class Out>
void reduce_rows(const R& r, const row_source<In>& in, Out* out, const row_plan& p, workspace w = {}, cudaStream_t stream = nullptr) {
  detail::check_rows(in, out);
  reduce_rows_into(r, in, to_array<Out>{out}, p, w, stream);
}
template <class R, class In, class Out>
void reduce_rows(const R& r, const row_source<In>& in, Out* out, workspace w = {}, cudaStream_t stream = nullptr) {
  detail::check_rows(in, out);
  reduce_rows(r, in, out, plan_rows(task_of<R>(in, false), current_card()), w, stream);
}

//! @brief  out(row, column) = f(answer of the row, x, row, column): reduce, then map; by default f applies the answer to x.
//! @shape  out: [rows, columns], row k at out + k·out_pitch; may be the input itself (same pitch and element size), else must not overlap
//! it
//! @see    reduce_rows_into for order and errors
//! @cost   one read and one write where the plan keeps rows on chip, else two reads and one write
template <class R, class In, class Out, class F = by_answer>
void map_rows(const R& r, const row_source<In>& in, Out* out, index out_pitch, const row_plan& p, workspace w = {},
              cudaStream_t stream = nullptr, const F& f = {}) {
  detail::check_rows(in, out);
  detail::check_plan<R>(p, in, true, w);
  if (in.rows == 0 || in.columns == 0) return;
  const kernels::map_row<Out, F> map{out, out_pitch, f};
  detail::check_staged_output<In, Out>(p, in.columns, out_pitch);
  if constexpr (sizeof(Out) == sizeof(In))
    if (p.kernel == row_kernel::staged) return detail::launch_staged(r, in, p, map, stream);
  if (p.kernel == row_kernel::ring) return detail::launch_ring(r, in, p, map, stream);
  if (p.kernel == row_kernel::on_chip) return detail::launch_on_chip(r, in, p, map, stream);
  if (p.kernel == row_kernel::spread) return detail::launch_spread(r, in, p, map, w, stream);
  if (p.kernel == row_kernel::flow) return detail::launch_flow(r, in, p, map, stream);
  using answer = detail::answer_of<R>;
  auto* const answers = static_cast<answer*>(w.data);
  auto* const pieces = reinterpret_cast<state_of<R>*>(static_cast<char*>(w.data) + detail::answers_bytes<R>(in.rows));
  detail::launch_reduction(r, in, p, pieces, kernels::keep_for_map<answer>{answers}, stream);
  constexpr index per = 16 / static_cast<index>(sizeof(In));
  const index tiles = detail::rounded_up_division(in.columns + per - 1, 32 * p.warps * 4 * per), limit = (index(1) << 30) / tiles + 1;
  for (index first = 0; first < in.rows; first += limit) {
    const index rows = in.rows - first < limit ? in.rows - first : limit;
    detail::launch(kernels::rows_mapped<4, R, In, answer, kernels::map_row<Out, F>>, rows * tiles, 32 * p.warps, 1, stream, in, tiles,
                   static_cast<const answer*>(answers), map, first);
  }
}
template <class R, class In, class Out>
void map_rows(const R& r, const row_source<In>& in, Out* out, index out_pitch, workspace w = {}, cudaStream_t stream = nullptr) {
  detail::check_rows(in, out);
  row_task t = task_of<R>(in, true);
  t.dense = t.dense && out_pitch == in.columns && sizeof(Out) == sizeof(In);
  card here = current_card();
  row_plan p = plan_rows(t, here);
  if (p.kernel == row_kernel::spread && w.bytes < workspace_bytes<R>(p, in.rows)) here.spreads = false, p = plan_rows(t, here);
  map_rows(r, in, out, out_pitch, p, w, stream);
}

//! @name Asking beforehand: would reduce_rows, or map_rows, take this? @see twofold::can_run
//! @example if (auto yes = can_run(reduce_rows_problem{softmax, in, out, plan, memory}); !yes) report(yes.reason());
//! @{
template <class R, class In, class Out>
struct reduce_rows_problem {
  R r;
  row_source<In> in;
  Out* out;
  row_plan plan;
  workspace memory = {};
};
template <class R, class In, class Out>
struct map_rows_problem {
  R r;
  row_source<In> in;
  Out* out;
  index out_pitch;
  row_plan plan;
  workspace memory = {};
};
template <class R, class In, class Out>
can_run_answer can_run(const reduce_rows_problem<R, In, Out>& p) {
  return twofold::detail::asked([&] {
    detail::check_rows(p.in, p.out);
    detail::check_plan<R>(p.plan, p.in, false, p.memory);
  });
}
template <class R, class In, class Out>
can_run_answer can_run(const map_rows_problem<R, In, Out>& p) {
  return twofold::detail::asked([&] {
    detail::check_rows(p.in, p.out);
    detail::check_plan<R>(p.plan, p.in, true, p.memory);
    detail::check_staged_output<In, Out>(p.plan, p.in.columns, p.out_pitch);
  });
}
//! @}

}  // namespace twofold::cuda
