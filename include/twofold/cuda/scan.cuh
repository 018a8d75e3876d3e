// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scans on a device: one pass over memory, asynchronous, the same bits in every run.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "twofold/algebra/error.hpp"
#include "twofold/algebra/opposite.hpp"
#include "twofold/cuda/launch.hpp"
#include "twofold/cuda/scan_small.cuh"
#include "twofold/cuda/status.hpp"
#include "twofold/schedule/scan.hpp"

namespace twofold::cuda {

//! How a scan will run: chosen by plan_scan, printable, and the caller's to change before launching.
struct scan_plan {
  bool small = false;         //!< one wave of small blocks holds everything in registers
  int blocks = 0;             //!< tiles of a wave: the bracketing follows from this number and the index. All blocks must fit on the device
  int stages = 0;             //!< tiles that a block holds
  int tile = 0;               //!< elements
  int shared = 0;             //!< bytes of shared memory a block
  std::size_t workspace = 0;  //!< bytes of device memory, aligned to 16; may hold anything before the first launch, and is used by one
                              //!< launch at a time
};

//! The states themselves as answers.
template <class R>
struct as_states : R {
  __host__ __device__ constexpr state_of<R> finalize(const state_of<R>& s) const { return s; }
};

namespace detail {

[[noreturn]] inline void refuse_scan(const std::string& limit, const std::string& works) {
  throw error("TF3211", "a scan on the device", limit, works);
}
struct device_limits {
  int sms = 0, shared = 0, major = 0;
};
inline device_limits limits_of_device() {
  int device = 0;
  device_limits d;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&d.sms, cudaDevAttrMultiProcessorCount, device), "asking for the number of multiprocessors");
  check(cudaDeviceGetAttribute(&d.shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for the shared memory");
  check(cudaDeviceGetAttribute(&d.major, cudaDevAttrComputeCapabilityMajor, device), "asking for its compute capability");
  return d;
}

inline bool all_aligned(const arrays<>&) { return true; }
template <class Head, class... Tail>
bool all_aligned(const arrays<Head, Tail...>& a) {
  return reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0 && all_aligned(a.rest);
}
inline bool any_null(const arrays<>&) { return false; }
template <class Head, class... Tail>
bool any_null(const arrays<Head, Tail...>& a) {
  return a.data == nullptr || any_null(a.rest);
}

template <scan_kind Kind, class R>
using walked = std::conditional_t<Kind.order == walk::suffix, opposite<R>, R>;
template <scan_kind Kind, heads Heads, class R, class In, class Out>
using shape_of = scan_shape<walked<Kind, R>, In, Out, Kind.ends == bounds::exclusive, Kind.order != walk::forward, Heads>;
template <class Shape>
inline constexpr int stages_of = Shape::stages_in(227 << 10);

template <class Shape>
scan_plan plan_waves(index n, bool small_too = true) {
  constexpr int stages = stages_of<Shape>;
  static_assert(stages >= 2, "the state or the elements are too large for a scan on the device: at most 64 bytes each");
  if (n < 0) refuse_scan("its length is " + std::to_string(n), "a length of 0 or more");
  scan_plan p{false, 0, stages, Shape::tile, Shape::shared_bytes(stages), 16};
  if (n == 0) return p;
  const device_limits d = limits_of_device();
  using few = small_scan<Shape>;
  if (small_too && n <= index{d.sms} * few::tile) {
    p = {true, static_cast<int>((n + few::tile - 1) / few::tile), 1, few::tile, 0, 16};
    if (p.blocks > 1) p.workspace = 256 + static_cast<std::size_t>(p.blocks) * packets<typename Shape::state>::count * sizeof(packet);
    return p;
  }
  if (p.shared > d.shared)
    refuse_scan("it needs " + std::to_string(p.shared) + " bytes of shared memory a block, this device has " + std::to_string(d.shared),
                "a device of compute capability 9.0");
  const index tiles = (n + p.tile - 1) / p.tile;
  p.blocks = static_cast<int>(tiles < d.sms ? tiles : d.sms);
  p.workspace = 256 + static_cast<std::size_t>(2 * stages) * static_cast<std::size_t>(p.blocks) * Shape::packets_of_state * sizeof(packet);
  return p;
}

//! together: the blocks wait for one another, so all of them must be on the device at once, whatever else runs there. Else the kernel waits
//! for the one before it by itself, and may be brought to the processors while that one still runs (sm_90).
template <class Job>
void launch_scan(void (*kernel)(Job), int blocks, int threads, int shared, bool together, cudaStream_t stream, const Job& job) {
  const launch_kind kind = together ? launch_kind::together : current_card_has_clusters() ? launch_kind::follows : launch_kind::plain;
  launch_as(kind, kernel, blocks, threads, 1, shared, stream, job);
}

template <class Shape, class R, class In, class... Y>
void run_waves(const scan_plan& p, scan_job<R, In, arrays<Y...>> job, void* workspace, cudaStream_t stream) {
  if (job.n == 0) return;
  if (any_null(job.in) || any_null(job.out)) refuse_scan("an array is a null pointer", "device memory for every array");
  job.in_vectors = all_aligned(job.in);
  job.out_vectors = all_aligned(job.out);
  if (workspace == nullptr || reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0)
    refuse_scan("the workspace is null or not aligned to 16 bytes", std::to_string(p.workspace) + " bytes of device memory");
  job.launch = static_cast<std::uint64_t*>(workspace);
  job.waves = reinterpret_cast<packet*>(static_cast<char*>(workspace) + 256);
  using few = small_scan<Shape>;
  if (p.small) {
    if (p.tile != few::tile || p.blocks < 1 || p.blocks * index{p.tile} < job.n || (p.blocks - 1) * index{p.tile} >= job.n)
      refuse_scan("the plan is not one of this problem", "plan_scan for the same operator, arrays, kind and length");
    return launch_scan(scan_small<Shape, R, In, Y...>, p.blocks, few::threads, 0, false, stream, job);
  }
  if (p.blocks < 1 || p.blocks > 160 || p.stages != stages_of<Shape> || p.tile != Shape::tile)
    refuse_scan("the plan is not one of this problem", "plan_scan for the same operator, arrays and kind, with 1 to 160 blocks");
  const auto kernel = scan_waves<Shape, stages_of<Shape>, R, In, Y...>;
  launch_scan(kernel, p.blocks, Shape::threads + 32, p.shared, p.blocks > 1, stream, job);
}

template <scan_kind Kind, class R, class In, class Out>
auto job_of(const R& r, const In& in, const Out& out, index n, const state_of<R>& init) {
  return scan_job<walked<Kind, R>, In, Out>{{r}, in, out, n, init};
}

}  // namespace detail

//! @brief  What scan (or scan_rows, scan_flagged: by Heads) needs for n elements of these arrays.
//! @errors TF3211 it cannot run, and why · TF3207 CUDA's own
template <scan_kind Kind = inclusive, heads Heads = heads::none, reduction R, class... X, class... Y>
scan_plan plan_scan(const R&, const arrays<const X...>&, const arrays<Y...>&, index n) {
  return detail::plan_waves<detail::shape_of<Kind, Heads, R, arrays<const X...>, arrays<Y...>>>(n);
}

//! @brief  out[i] = finalize of the state of the elements that Kind names (schedule/scan.hpp), starting from init.
//! @math   tiles of plan.tile elements, dealt round robin to plan.blocks blocks. prefix(tile) = carry of the waves before · tree over the
//! tiles
//!         before it in its wave; within a tile a tree over threads, within a thread a fold
//! @shape  one element of every array a position; out may be an input itself where the element sizes agree, else must not overlap.
//!         Arrays aligned to 16 bytes are moved by vectors, others by elements
//! @order  the same bits in every run for equal (n, kind, plan.blocks); the operator's order is kept
//! @errors TF3211 null arrays, a workspace or plan that does not fit: before anything is launched · TF3207 CUDA's own
//! @cost   one read and one write of memory; two pushes an element, one merge a tile and block. Asynchronous on the stream; nothing is
//!         allocated; can be captured in a graph
template <scan_kind Kind = inclusive, reduction R, class... X, class... Y>
void scan(const R& r, const state_of<R>& init, const arrays<const X...>& in, const arrays<Y...>& out, index n, const scan_plan& plan,
          void* workspace, cudaStream_t stream = nullptr) {
  detail::run_waves<detail::shape_of<Kind, heads::none, R, arrays<const X...>, arrays<Y...>>>(
      plan, detail::job_of<Kind>(r, in, out, n, init), workspace, stream);
}
template <scan_kind Kind = inclusive, reduction R, class... X, class... Y>
void scan(const R& r, const arrays<const X...>& in, const arrays<Y...>& out, index n, const scan_plan& plan, void* workspace,
          cudaStream_t stream = nullptr) {
  scan<Kind>(r, r.identity(), in, out, n, plan, workspace, stream);
}

//! @brief  The same within every row of `length` neighbouring elements: nothing is carried from one row to the next.
//! @see    scan; plan_scan with heads::rows. Positions (for operators that ask) count through the whole array
template <scan_kind Kind = inclusive, reduction R, class... X, class... Y>
void scan_rows(const R& r, const state_of<R>& init, const arrays<const X...>& in, const arrays<Y...>& out, index rows, index length,
               const scan_plan& plan, void* workspace, cudaStream_t stream = nullptr) {
  if (rows < 0 || length < 0 || (length > 0 && rows > (index{1} << 62) / length))
    detail::refuse_scan(std::to_string(rows) + " rows of " + std::to_string(length) + " elements", "a number of elements below 2^62");
  auto job = detail::job_of<Kind>(r, in, out, rows * length, init);
  job.row = length;
  detail::run_waves<detail::shape_of<Kind, heads::rows, R, arrays<const X...>, arrays<Y...>>>(plan, job, workspace, stream);
}

//! @brief  The same within pieces: bit i of word i/32 of `flags` marks the first element of a piece (bits at and after n are ignored).
//! @see    scan; plan_scan with heads::flags; segmented.cuh makes flags from offsets
template <scan_kind Kind = inclusive, reduction R, class... X, class... Y>
void scan_flagged(const R& r, const state_of<R>& init, const arrays<const X...>& in, const arrays<Y...>& out, const std::uint32_t* flags,
                  index n, const scan_plan& plan, void* workspace, cudaStream_t stream = nullptr, const index* ends = nullptr) {
  if (flags == nullptr && n > 0) detail::refuse_scan("no flags", "device memory of (n + 31)/32 words");
  auto job = detail::job_of<Kind>(r, in, out, n, init);
  job.flags = flags;
  job.ends = ends;
  detail::run_waves<detail::shape_of<Kind, heads::flags, R, arrays<const X...>, arrays<Y...>>>(plan, job, workspace, stream);
}

}  // namespace twofold::cuda
