// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Ragged rows: segments given by offsets (CSR), scanned or reduced in tiles of elements, so that neither many short segments nor a
//! few huge ones cost more than their bytes.
#pragma once

#include "twofold/cuda/launch.hpp"
#include "twofold/cuda/scan.cuh"
#include "twofold/cuda/segment_tiles.cuh"

namespace twofold::cuda {

//! What a segmented scan or reduction needs: the plan of the scan and memory for marks.
struct segmented_plan {
  scan_plan scan;
  std::size_t workspace = 0;  //!< bytes of device memory, aligned to 16; any contents
};

namespace detail {

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

//! Sets the bit of every segment's first element. Offsets outside of [0, n] are kept out.
template <class Index>
__global__ void mark_segments(const Index* offsets, Index pieces, Index n, std::uint32_t* flags, Index* ends) {
  const index step = static_cast<index>(gridDim.x) * blockDim.x, me = static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (me == 0) {
    const index first = offsets[0], last = offsets[pieces];
    ends[0] = first < 0 ? 0 : first, ends[1] = last > n ? n : last;
  }
  for (index k = me; k < pieces; k += step) {
    const index at = offsets[k];
    if (at < offsets[k + 1] && at >= 0 && at < n) atomicOr(flags + at / 32, 1u << at % 32);
  }
}

inline unsigned grid_for(index n) {
  const index blocks = (n + 255) / 256;
  return static_cast<unsigned>(blocks < 4096 ? blocks : 4096);
}

inline void check_segments(index n, index pieces) {
  if (n < 0 || pieces < 0 || pieces > 0xfffffffd)
    refuse_scan(std::to_string(pieces) + " segments in " + std::to_string(n) + " elements", "fewer than 2^32 - 2 segments");
}
template <class In, class Out>
void check_arrays(const In& in, const Out& out, index n, const index* offsets, const void* workspace, std::size_t bytes) {
  if (offsets == nullptr) refuse_scan("no segment offsets", "device memory of m + 1 offsets for m segments");
  if (workspace == nullptr || reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0)
    refuse_scan("the workspace is null or not aligned to 16 bytes", std::to_string(bytes) + " bytes of device memory");
  if ((n > 0 && any_null(in)) || any_null(out)) refuse_scan("an array is a null pointer", "device memory for every array");
}

//! The next part of a workspace.
template <class T>
void take(char*& at, std::size_t count, T*& part) {
  part = reinterpret_cast<T*>(at);
  at += padded(count * sizeof(T));
}

template <class Shape>
segmented_plan plan_segmented(index n, index pieces) {
  check_segments(n, pieces);
  segmented_plan p{plan_waves<Shape>(n), 0};
  p.workspace = padded(p.scan.workspace) + 256 + padded(4 * static_cast<std::size_t>(n / 32 + 1));
  return p;
}

template <class Shape, class R, class In, class Out>
void run_segmented(const segmented_plan& p, scan_job<R, In, Out> job, const index* offsets, index pieces, void* workspace,
                   cudaStream_t stream) {
  if (pieces == 0 || job.n == 0) return;
  check_arrays(job.in, job.out, job.n, offsets, workspace, p.workspace);
  auto* const ends = reinterpret_cast<index*>(static_cast<char*>(workspace) + padded(p.scan.workspace));
  auto* const flags = reinterpret_cast<std::uint32_t*>(ends + 256 / sizeof(index));
  check(cudaMemsetAsync(flags, 0, static_cast<std::size_t>(job.n / 32 + 1) * 4, stream), "clearing marks");
  mark_segments<<<grid_for(pieces), 256, 0, stream>>>(offsets, pieces, job.n, flags, ends);
  check(cudaGetLastError(), "launching a segmented scan");
  job.flags = flags, job.ends = ends;
  run_waves<Shape>(p.scan, job, workspace, stream);
}

}  // namespace detail

//! @brief  scan within every segment [offsets[k], offsets[k + 1]); nothing is carried from one to the next.
//! @shape  offsets: m + 1 numbers in device memory, 0 ≤ offsets[0] ≤ … ≤ offsets[m] ≤ n. They are not checked before the launch, but
//! nothing
//!         outside of [0, n) is touched. Elements outside of all segments are not written
//! @order  the same bits in every run; a segment's bits depend on where it lies in the array
//! @errors, cost  as scan; the marks cost an eighth of a byte an element more, written and read
template <scan_kind Kind = inclusive, reduction R, class... X, class... Y>
segmented_plan plan_segmented_scan(const R&, const arrays<const X...>&, const arrays<Y...>&, index n, index segments) {
  return detail::plan_segmented<detail::shape_of<Kind, heads::flags, R, arrays<const X...>, arrays<Y...>>>(n, segments);
}
template <scan_kind Kind = inclusive, reduction R, class... X, class... Y>
void segmented_scan(const R& r, const state_of<R>& init, const arrays<const X...>& in, const arrays<Y...>& out, const index* offsets,
                    index segments, index n, const segmented_plan& plan, void* workspace, cudaStream_t stream = nullptr) {
  detail::run_segmented<detail::shape_of<Kind, heads::flags, R, arrays<const X...>, arrays<Y...>>>(
      plan, detail::job_of<Kind>(r, in, out, n, init), offsets, segments, workspace, stream);
}

//! @brief  out[k] = finalize of the state of segment k; of init for an empty one.
//! @shape  offsets as above; out: one element of every array a segment
//! @cost   one read of the arrays, of the offsets and of the marks
template <reduction R, class... X, class... Y>
segmented_plan plan_segmented_reduce(const R&, const arrays<const X...>&, const arrays<Y...>&, index n, index segments) {
  using shape = detail::shape_of<inclusive, heads::flags, R, arrays<const X...>, arrays<Y...>>;
  detail::check_segments(n, segments);
  const auto tiles = static_cast<std::size_t>((n + shape::tile - 1) / shape::tile);
  const std::size_t each = sizeof(index) + sizeof(typename shape::state) + sizeof(state_of<R>) + 4;
  return {{}, (tiles + 1) * each + (tiles / segment_group + 1) * sizeof(typename shape::state) + 5 * 256};
}
template <reduction R, class... X, class... Y>
void segmented_reduce(const R& r, const state_of<R>& init, const arrays<const X...>& in, const arrays<Y...>& out, const index* offsets,
                      index segments, index n, const segmented_plan& plan, void* workspace, cudaStream_t stream = nullptr) {
  using shape = detail::shape_of<inclusive, heads::flags, R, arrays<const X...>, arrays<Y...>>;
  using Job = segment_job<R, arrays<const X...>, arrays<Y...>>;
  detail::check_segments(n, segments);
  if (segments == 0) return;
  detail::check_arrays(in, out, n, offsets, workspace, plan.workspace);
  const index tiles = n > 0 ? (n + shape::tile - 1) / shape::tile : 1;  // of no elements: all segments are empty
  const auto slots = static_cast<std::size_t>(tiles + 1);
  Job job{r, in, out, n, init, offsets, segments};
  char* at = static_cast<char*>(workspace);
  detail::take(at, slots, job.sums), detail::take(at, slots, job.ends), detail::take(at, slots, job.starts),
      detail::take(at, slots, job.ended), detail::take(at, slots / segment_group + 1, job.groups);
  const auto kernel = segment_tiles<shape, Job>;
  constexpr int shared = detail::segment_room<shape>::bytes;
  const bool early = detail::current_card_has_clusters();  // each kernel is brought to the processors while the one before ends
  const auto groups = (tiles + segment_group - 1) / segment_group;
  const index resident = index{detail::limits_of_device().sms} * detail::segment_room<shape>::blocks;
  constexpr index starts = 256 * detail::starts_at_once;
  detail::launch_with(detail::find_starts<shape, Job>, (segments + 2 + starts - 1) / starts, 256, 1, 0, stream, job, tiles);
  detail::launch_after(early, kernel, tiles < resident ? tiles : resident, shape::threads, 1, shared, stream, job, tiles);
  if (groups > 1) detail::launch_after(early, sum_tiles<Job>, groups - 1, segment_group, 1, 0, stream, job, tiles);
  detail::launch_after(early, join_segments<Job>, groups, segment_group, 1, 0, stream, job, tiles);
}

}  // namespace twofold::cuda
