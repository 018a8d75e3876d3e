// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Ragged rows: segments given by offsets (CSR), scanned or reduced in the same waves of tiles as one long array, so that neither
//! many short segments nor a few huge ones cost more than their bytes.
#pragma once

#include "twofold/cuda/scan.cuh"

namespace twofold::cuda {

//! What a segmented scan or reduction needs: the plan of the scan and memory for marks.
struct segmented_plan {
  scan_plan scan;
  std::size_t workspace = 0;  //!< bytes of device memory, aligned to 16; any contents
};

namespace detail {

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

//! The workspace, part by part.
struct segmented_memory {
  void* scan;
  index* ends;
  std::uint32_t *flags, *newest;
};
template <class Shape>
std::size_t segmented_bytes(const scan_plan& p, index n) {
  const auto words = static_cast<std::size_t>(n / 32 + 1), rows = static_cast<std::size_t>(n / Shape::E + 1);
  return padded(p.workspace) + 256 + padded(4 * words) + (Shape::where == heads::segments ? padded(4 * rows) : 0);
}
template <class Shape>
segmented_memory split(void* workspace, const scan_plan& p, index n) {
  char* at = static_cast<char*>(workspace);
  segmented_memory m{};
  m.scan = at, at += padded(p.workspace);
  m.ends = reinterpret_cast<index*>(at), at += 256;
  m.flags = reinterpret_cast<std::uint32_t*>(at), at += padded(4 * static_cast<std::size_t>(n / 32 + 1));
  m.newest = reinterpret_cast<std::uint32_t*>(at);
  return m;
}

//! Sets the bit of every segment's first element; the answers of empty segments, where wanted. Offsets outside of [0, n] are kept out.
template <class R, class Out>
__global__ void mark_segments(R r, state_of<R> init, Out out, bool answers, const index* offsets, index pieces, index n,
                              std::uint32_t* flags, index* ends) {
  const index step = static_cast<index>(gridDim.x) * blockDim.x, me = static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (me == 0) {
    const index first = offsets[0], last = offsets[pieces];
    ends[0] = first < 0 ? 0 : first, ends[1] = last > n ? n : last;
  }
  for (index k = me; k < pieces; k += step) {
    const index at = offsets[k];
    if (at < offsets[k + 1]) {
      if (at >= 0 && at < n) atomicOr(flags + at / 32, 1u << at % 32);
    } else if (answers) {
      keep_one(out, k, r.finalize(init));
    }
  }
}
//! Of every lane's row: the last segment that begins in it. After the flags are complete.
template <int E>
__global__ void name_segments(const index* offsets, index pieces, index n, const std::uint32_t* flags, std::uint32_t* newest) {
  const index step = static_cast<index>(gridDim.x) * blockDim.x;
  for (index k = static_cast<index>(blockIdx.x) * blockDim.x + threadIdx.x; k < pieces; k += step) {
    const index at = offsets[k];
    if (at < 0 || at >= n || at >= offsets[k + 1]) continue;
    const std::uint32_t row = flags[at / 32] >> (at % 32 / E * E) & (E == 32 ? ~0u : (1u << E % 32) - 1);
    if (row >> (at % E) == 1) newest[at / E] = static_cast<std::uint32_t>(k);
  }
}

inline unsigned grid_for(index n) {
  const index blocks = (n + 255) / 256;
  return static_cast<unsigned>(blocks < 4096 ? blocks : 4096);
}

template <class Shape>
segmented_plan plan_segmented(index n, index pieces) {
  if (pieces < 0 || pieces > 0xfffffffe) refuse_scan(std::to_string(pieces) + " segments", "fewer than 2^32 - 1 of them");
  segmented_plan p{plan_waves<Shape>(n, Shape::where != heads::segments), 0};
  p.workspace = segmented_bytes<Shape>(p.scan, n);
  return p;
}

template <class Shape, class R, class In, class Out>
void run_segmented(const segmented_plan& p, scan_job<R, In, Out> job, const index* offsets, index pieces, void* workspace,
                   cudaStream_t stream) {
  constexpr bool reduces_them = Shape::where == heads::segments;
  if (pieces == 0) return;
  if (offsets == nullptr) refuse_scan("no segment offsets", "device memory of m + 1 offsets for m segments");
  if (workspace == nullptr || reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0)
    refuse_scan("the workspace is null or not aligned to 16 bytes", std::to_string(p.workspace) + " bytes of device memory");
  if (any_null(job.out) || (job.n > 0 && any_null(job.in))) refuse_scan("an array is a null pointer", "device memory for every array");
  const segmented_memory m = split<Shape>(workspace, p.scan, job.n);
  check_cuda(cudaMemsetAsync(m.flags, 0, static_cast<std::size_t>(job.n / 32 + 1) * 4, stream), "clearing marks");
  mark_segments<<<grid_for(pieces), 256, 0, stream>>>(job.r, job.init, job.out, reduces_them, offsets, pieces, job.n, m.flags, m.ends);
  if constexpr (reduces_them) name_segments<Shape::E><<<grid_for(pieces), 256, 0, stream>>>(offsets, pieces, job.n, m.flags, m.newest);
  check_cuda(cudaGetLastError(), "launching a segmented scan");
  job.flags = m.flags, job.ends = m.ends;
  job.offsets = offsets, job.pieces = pieces, job.newest = m.newest;
  run_waves<Shape>(p.scan, job, m.scan, stream);
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
  return detail::plan_segmented<detail::shape_of<inclusive, heads::segments, R, arrays<const X...>, arrays<Y...>>>(n, segments);
}
template <reduction R, class... X, class... Y>
void segmented_reduce(const R& r, const state_of<R>& init, const arrays<const X...>& in, const arrays<Y...>& out, const index* offsets,
                      index segments, index n, const segmented_plan& plan, void* workspace, cudaStream_t stream = nullptr) {
  detail::run_segmented<detail::shape_of<inclusive, heads::segments, R, arrays<const X...>, arrays<Y...>>>(
      plan, detail::job_of<inclusive>(r, in, out, n, init), offsets, segments, workspace, stream);
}

}  // namespace twofold::cuda
