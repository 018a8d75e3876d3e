// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scans along the middle axis of [batches, length, columns], columns contiguous: a lane owns a column and walks along it, fed by a
//! ring of rows in shared memory. Where there are few columns the length is cut into parts: their states first, then every part from its
//! carry.
#pragma once

#include "twofold/cuda/scan.cuh"

namespace twofold::cuda {

template <class R, class In, class Out>
struct column_scan_job {
  R r;
  In in;
  Out out;
  index batches = 0, length = 0, columns = 0;
  state_of<R> init;
  index parts = 1, part = 0;      //!< of the length; rows of one part
  state_of<R>* states = nullptr;  //!< [part][batch][column], where parts > 1
  bool vectors = false;
};

//! How a column scan will run.
struct column_scan_plan {
  index parts = 1, part = 0;  //!< the bracketing: parts of the length, folded in order
  std::size_t workspace = 0;  //!< bytes
  bool direct = false;        //!< rows come straight into registers: where they lie at any address
};

namespace detail {

//! Rows of 32 columns of several arrays in shared memory, one array after the other.
template <int H, class... X>
struct column_ring {
  static constexpr int bytes = 0;
  __device__ static void load(std::uint32_t, const arrays<>&, index, index, int, int, bool, int) {}
  template <class F, class... Before>
  __device__ static auto apply(const unsigned char*, int, int, F&& f, const Before&... before) {
    return f(before...);
  }
};
template <int H, class Head, class... Tail>
struct column_ring<H, Head, Tail...> {
  using others = column_ring<H, Tail...>;
  static constexpr int row_bytes = 32 * static_cast<int>(sizeof(Head)), own = H * row_bytes, bytes = own + others::bytes;

  //! `rows` rows from element `at` on, `pitch` elements apart (negative: upwards), `width` of the 32 columns.
  __device__ static __forceinline__ void load(std::uint32_t slot, const arrays<const Head, const Tail...>& in, index at, index pitch,
                                              int rows, int width, bool vectors, int lane) {
    const char* const from = reinterpret_cast<const char*>(in.data + at);
    const index pitch_bytes = pitch * static_cast<index>(sizeof(Head));
    if (vectors && width == 32) {
      constexpr int units = row_bytes / 16;
#pragma unroll
      for (int u = lane; u < H * units; u += 32)
        if (u / units < rows)
          ptx::async_copy<16>(slot + static_cast<std::uint32_t>(u * 16), from + u / units * pitch_bytes + u % units * 16);
    } else {
      constexpr int granule = row<Head, 1>::granule;
      if (lane < width)
#pragma unroll 4
        for (int h = 0; h < rows; ++h)
          for (int b = 0; b < static_cast<int>(sizeof(Head)); b += granule) {
            const std::uint32_t to = slot + static_cast<std::uint32_t>(h * row_bytes + lane * static_cast<int>(sizeof(Head)) + b);
            copy_granule<granule>(to, from + h * pitch_bytes + lane * static_cast<int>(sizeof(Head)) + b);
          }
    }
    others::load(slot + own, in.rest, at, pitch, rows, width, vectors, lane);
  }
  template <class F, class... Before>
  __device__ static __forceinline__ auto apply(const unsigned char* slot, int h, int lane, F&& f, const Before&... before) {
    const Head& x = *reinterpret_cast<const Head*>(slot + h * row_bytes + lane * static_cast<int>(sizeof(Head)));
    return others::apply(slot + own, h, lane, static_cast<F&&>(f), before..., x);
  }
};

//! H rows of a lane's column, `pitch` elements apart (negative: upwards), from element `at` on; `rows` of them.
template <int H>
__device__ __forceinline__ void load_column(row_values<H>&, const arrays<>&, index, index, index) {}
template <int H, class Head, class... Tail>
__device__ __forceinline__ void load_column(row_values<H, Head, Tail...>& v, const arrays<const Head, const Tail...>& in, index at,
                                            index pitch, index rows) {
  const Head* from = in.data + at;
  if (rows >= H) {
#pragma unroll
    for (int h = 0; h < H; ++h, from += pitch) v.x[h] = *from;
  } else {
#pragma unroll
    for (int h = 0; h < H; ++h, from += pitch)
      if (h < rows) v.x[h] = *from;
  }
  load_column(v.rest, in.rest, at, pitch, rows);
}

template <class In>
struct column_shape;
template <class... X>
struct column_shape<arrays<const X...>> {
  static constexpr int element = total_size(sizeof(X)...);
  static constexpr int H = element <= 64 ? 64 / element : 1;  // rows of a stage
  static constexpr int stages = 6, warps = 8;
  static constexpr int direct_H = element <= 4 ? 16 : element <= 64 ? 64 / element : 1, direct_warps = 4;  // rows of a buffer in registers
  using values = row_values<direct_H, X...>;
  using ring = column_ring<H, X...>;
  static constexpr int shared = stages * warps * ring::bytes;
  template <class R>
  static constexpr bool indexed = !reduces<R, X...>;
};

}  // namespace detail

namespace detail {
//! The state before part p of a lane's column: loads in flight, since the parts before are merged one after the other.
template <class R, class Job>
__device__ __forceinline__ state_of<R> column_prefix(const R& r, const Job& job, index parts, index batch, index column) {
  state_of<R> s = job.init;
  constexpr int at_once = sizeof(s) <= 16 ? 16 : 4;
  for (index p = 0; p < parts; p += at_once) {
    state_of<R> before[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (p + k < parts) before[k] = job.states[((p + k) * job.batches + batch) * job.columns + column];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (p + k < parts) s = r.combine(s, before[k]);
  }
  return s;
}
}  // namespace detail

//! Summary: the states of all parts but the last; else the answers.
template <bool Summary, bool Exclusive, bool Reverse, class R, class In, class Out>
__global__ void __launch_bounds__(256, 2) scan_columns_kernel(const __grid_constant__ column_scan_job<R, In, Out> job) {
  using shape = detail::column_shape<In>;
  using ring = typename shape::ring;
  constexpr int H = shape::H, stages = shape::stages;
  extern __shared__ __align__(128) unsigned char memory[];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const index groups = (job.columns + 31) / 32, id = static_cast<index>(blockIdx.x) * shape::warps + warp;
  const index group = id % groups, batch = id / groups % job.batches, part = id / groups / job.batches;
  if (part >= (Summary ? job.parts - 1 : job.parts)) return;
  const R& r = job.r;
  const index column = group * 32 + lane, begin = part * job.part, end = begin + job.part < job.length ? begin + job.part : job.length;
  const int width = static_cast<int>(job.columns - group * 32 < 32 ? job.columns - group * 32 : 32);
  const index top = batch * job.length * job.columns, pitch = Reverse ? -job.columns : job.columns;
  const auto row_at = [&](index l) { return top + (Reverse ? job.length - 1 - l : l) * job.columns; };
  unsigned char* const mine = memory + warp * stages * ring::bytes;
  const std::uint32_t mine_address = ptx::shared_address(mine);
  const auto load = [&](index l, int s) {
    if (l < end)
      ring::load(mine_address + static_cast<std::uint32_t>(s * ring::bytes), job.in, row_at(l) + group * 32, pitch,
                 static_cast<int>(end - l < H ? end - l : H), width, job.vectors, lane);
    ptx::async_commit();
  };
#pragma unroll
  for (int s = 0; s < stages - 1; ++s) load(begin + s * H, s);
  state_of<R> s = r.identity();
  if constexpr (!Summary) {
    if (lane < width) s = detail::column_prefix(r, job, part, batch, column);
  }
  int stage = 0;
  for (index l = begin; l < end; l += H) {
    ptx::async_wait<stages - 2>();
    __syncwarp();
    const auto walk = [&](bool whole) {
#pragma unroll
      for (int h = 0; h < H; ++h) {
        if (!whole && l + h >= end) break;
        const index at = row_at(l + h) + column;
        ring::apply(mine + stage * ring::bytes, h, lane, [&](const auto&... x) {
          if constexpr (!Summary && Exclusive)
            if (lane < width) detail::keep_one(job.out, at, r.finalize(s));
          if constexpr (shape::template indexed<R>) push_into(r, s, l + h, x...);
          else push_into(r, s, x...);
          if constexpr (!Summary && !Exclusive)
            if (lane < width) detail::keep_one(job.out, at, r.finalize(s));
        });
      }
    };
    if (l + H <= end) walk(true);
    else walk(false);
    __syncwarp();
    load(l + (stages - 1) * H, stage == 0 ? stages - 1 : stage - 1);
    stage = stage == stages - 1 ? 0 : stage + 1;
  }
  if constexpr (Summary)
    if (lane < width) job.states[(part * job.batches + batch) * job.columns + column] = s;
}

//! The same without shared memory: two buffers of rows in registers, one of which is on its way.
template <bool Summary, bool Exclusive, bool Reverse, class R, class In, class Out>
__global__ void __launch_bounds__(128) scan_columns_direct(const __grid_constant__ column_scan_job<R, In, Out> job) {
  using shape = detail::column_shape<In>;
  constexpr int H = shape::direct_H;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const index groups = (job.columns + 31) / 32, id = static_cast<index>(blockIdx.x) * shape::direct_warps + warp;
  const index column = id % groups * 32 + lane, batch = id / groups % job.batches, part = id / groups / job.batches;
  if (part >= (Summary ? job.parts - 1 : job.parts) || column >= job.columns) return;
  const R& r = job.r;
  const index begin = part * job.part, end = begin + job.part < job.length ? begin + job.part : job.length;
  const index pitch = Reverse ? -job.columns : job.columns, top = batch * job.length * job.columns + column;
  const auto place = [&](index l) { return top + (Reverse ? job.length - 1 - l : l) * job.columns; };
  typename shape::values rows[2];
  const auto fetch = [&](int which, index l) {
    if (l < end) detail::load_column(rows[which], job.in, place(l), pitch, end - l);
  };
  fetch(0, begin), fetch(1, begin + H);
  state_of<R> s = r.identity();
  if constexpr (!Summary) s = detail::column_prefix(r, job, part, batch, column);
  const auto walk = [&](int which, index l, bool all) {
    index at = place(l);
#pragma unroll
    for (int h = 0; h < H; ++h, at += pitch) {
      if (!all && l + h >= end) break;
      rows[which].apply(h, [&](const auto&... x) {
        if constexpr (!Summary && Exclusive) detail::keep_one(job.out, at, r.finalize(s));
        if constexpr (shape::template indexed<R>) push_into(r, s, l + h, x...);
        else push_into(r, s, x...);
        if constexpr (!Summary && !Exclusive) detail::keep_one(job.out, at, r.finalize(s));
      });
    }
  };
#pragma unroll 1
  for (index l = begin; l < end; l += 2 * H) {
#pragma unroll
    for (int which = 0; which < 2; ++which) {
      const index here = l + which * H;
      if (here + H <= end) walk(which, here, true);
      else if (here < end) walk(which, here, false);
      fetch(which, here + 2 * H);
    }
  }
  if constexpr (Summary) job.states[(part * job.batches + batch) * job.columns + column] = s;
}

//! @brief  What scan_columns needs for [batches, length, columns].
//! @errors TF3211 sizes that overflow · TF3207 CUDA's own
template <reduction R, class... X>
column_scan_plan plan_scan_columns(const R&, const arrays<const X...>&, index batches, index length, index columns) {
  if (batches < 0 || length < 0 || columns < 0 || (batches > 0 && length > 0 && columns > (index{1} << 58) / batches / length))
    detail::refuse_scan(std::to_string(batches) + " × " + std::to_string(length) + " × " + std::to_string(columns) + " elements",
                        "sizes of 0 or more, fewer than 2^58 elements");
  column_scan_plan p{1, length, 0, ((columns * static_cast<index>(sizeof(X)) % 128 != 0) || ...)};
  if (batches == 0 || length == 0 || columns == 0) return p;
  const index warps = batches * ((columns + 31) / 32), wanted = index{detail::limits_of_device().sms} * 4;
  // reading twice pays only where more than half of the warps would be missing
  if (warps * 2 < wanted) p.parts = wanted / warps;
  if (p.parts > length / 64) p.parts = length / 64 > 0 ? length / 64 : 1;
  p.part = (length + p.parts - 1) / p.parts;
  p.parts = (length + p.part - 1) / p.part;
  if (p.parts > 1) p.workspace = sizeof(state_of<R>) * static_cast<std::size_t>(p.parts * batches * columns);
  return p;
}

//! @brief  Scan along the length of [batches, length, columns] (row-major): every column of every batch on its own.
//! @shape  see scan; the position that an operator may ask for is the one along the length
//! @order  the same bits in every run for equal plans; with one part, a fold
//! @cost   one read and one write; where parts > 1 two reads
template <scan_kind Kind = inclusive, reduction R, class... X, class... Y>
void scan_columns(const R& r, const state_of<R>& init, const arrays<const X...>& in, const arrays<Y...>& out, index batches, index length,
                  index columns, const column_scan_plan& plan, void* workspace, cudaStream_t stream = nullptr) {
  using walked = detail::walked<Kind, R>;
  using In = arrays<const X...>;
  using Out = arrays<Y...>;
  using shape = detail::column_shape<In>;
  if (batches == 0 || length == 0 || columns == 0) return;
  if (detail::any_null(in) || detail::any_null(out)) detail::refuse_scan("an array is a null pointer", "device memory for every array");
  if (plan.parts < 1 || plan.part * plan.parts < length || (plan.parts - 1) * plan.part >= length)
    detail::refuse_scan("the plan is not one of this problem", "plan_scan_columns for the same sizes");
  if (plan.parts > 1 && (workspace == nullptr || reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0))
    detail::refuse_scan("the workspace is null or not aligned to 16 bytes", std::to_string(plan.workspace) + " bytes of device memory");
  column_scan_job<walked, In, Out> job{
      {r}, in, out, batches, length, columns, init, plan.parts, plan.part, static_cast<state_of<R>*>(workspace), false};
  job.vectors = detail::all_aligned(in) && ((columns * static_cast<index>(sizeof(X)) % 16 == 0) && ...);
  const auto go = [&](auto kernel, index parts) {
    const int warps = plan.direct ? shape::direct_warps : shape::warps;
    const index blocks = (batches * ((columns + 31) / 32) * parts + warps - 1) / warps;
    if (blocks > 0x7fffffff) detail::refuse_scan("too many columns for one launch", "fewer batches at a time");
    const int shared = plan.direct ? 0 : shape::shared;
    detail::launch_with(kernel, blocks, 32 * warps, 1, shared, stream, job);
  };
  constexpr bool ex = Kind.ends == bounds::exclusive, reverse = Kind.order != walk::forward;
  const auto run = [&](auto summary, index parts) {
    if (plan.direct) go(scan_columns_direct<decltype(summary)::value, ex, reverse, walked, In, Out>, parts);
    else go(scan_columns_kernel<decltype(summary)::value, ex, reverse, walked, In, Out>, parts);
  };
  if (plan.parts > 1) run(std::true_type{}, plan.parts - 1);
  run(std::false_type{}, plan.parts);
}

}  // namespace twofold::cuda
