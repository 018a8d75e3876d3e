// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Launching kernels: grids, clusters, workspace, and errors that say what happened.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "twofold/cuda/row_plan.hpp"
#include "twofold/cuda/status.hpp"

namespace twofold::cuda {

//! Device memory that a function may use while it runs on the stream. Uninitialised on entry, of no use afterwards; 16-byte aligned.
struct workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

namespace detail {

inline std::string shape_text(index rows, index columns) {
  return "a matrix of " + std::to_string(rows) + " by " + std::to_string(columns);
}

inline void check_workspace(const workspace& w, std::size_t need, const std::string& what) {
  if (w.bytes < need || (need > 0 && w.data == nullptr))
    throw error("TF3206", what, "needs " + std::to_string(need) + " bytes of workspace, got " + std::to_string(w.data ? w.bytes : 0),
                "workspace_bytes says how much");
  if (reinterpret_cast<std::uintptr_t>(w.data) % 16 != 0)
    throw error("TF3206", what, "the workspace is not aligned to 16 bytes", "memory from cudaMalloc");
}

//! Lets a kernel have as much dynamic shared memory as a block can. Always the same number: another thread that launches the same kernel
//! with another size must not find less.
template <class... P>
void allow_shared(void (*kernel)(P...), int shared) {
  if (shared <= 40 * 1024) return;  // 48 KiB, of which static arrays take some, need no leave
  int device = 0, most = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for its shared memory");
  cudaFuncAttributes a{};
  check(cudaFuncGetAttributes(&a, reinterpret_cast<const void*>(kernel)), "asking for a kernel's shared memory");
  const int left = most - static_cast<int>(a.sharedSizeBytes);
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared > left ? shared : left),
        "asking for shared memory");
}

//! What else a launch asks for.
enum class launch_kind : unsigned char {
  plain,
  follows,   //!< waits for the kernel before it by itself (ptx::wait_for_kernel_before): may be brought to the processors while that runs
  together,  //!< all blocks are resident at once, or nothing is launched
};
//! One launch on a stream; cluster blocks share distributed shared memory.
template <class... P, class... A>
void launch_as(launch_kind kind, void (*kernel)(P...), index blocks, int threads, int cluster, int shared, cudaStream_t stream,
               const A&... arguments) {
  cudaLaunchConfig_t c{};
  c.gridDim = dim3(static_cast<unsigned>(blocks));
  c.blockDim = dim3(static_cast<unsigned>(threads));
  c.dynamicSmemBytes = static_cast<std::size_t>(shared);
  c.stream = stream;
  cudaLaunchAttribute a[2];
  c.attrs = a;
  allow_shared(kernel, shared);
  if (cluster > 1) {
    if (cluster > 8)
      check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            "allowing a cluster of 16 blocks");
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = static_cast<unsigned>(cluster);
    a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    c.numAttrs = 1;
  }
  if (kind == launch_kind::together) {
    a[c.numAttrs].id = cudaLaunchAttributeCooperative;
    a[c.numAttrs].val.cooperative = 1;
    ++c.numAttrs;
  }
  if (kind == launch_kind::follows) {
    a[c.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[c.numAttrs].val.programmaticStreamSerializationAllowed = 1;
    ++c.numAttrs;
  }
  check(cudaLaunchKernelEx(&c, kernel, static_cast<P>(arguments)...), "launching a kernel");
}
template <class... P, class... A>
void launch_after(bool follows, void (*kernel)(P...), index blocks, int threads, int cluster, int shared, cudaStream_t stream,
                  const A&... arguments) {
  launch_as(follows ? launch_kind::follows : launch_kind::plain, kernel, blocks, threads, cluster, shared, stream, arguments...);
}
template <class... P, class... A>
void launch_with(void (*kernel)(P...), index blocks, int threads, int cluster, int shared, cudaStream_t stream, const A&... arguments) {
  launch_as(launch_kind::plain, kernel, blocks, threads, cluster, shared, stream, arguments...);
}
//! How many clusters (or single blocks) of a kernel are resident on the current device at once.
template <class... P>
int resident_clusters(void (*kernel)(P...), int threads, int cluster, int shared) {
  const void* const f = reinterpret_cast<const void*>(kernel);
  allow_shared(kernel, shared);
  if (cluster > 8) check(cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "allowing a cluster of 16 blocks");
  int count = 0;
  if (cluster == 1) {
    int device = 0, processors = 0;
    check(cudaGetDevice(&device), "asking for the current device");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "asking for its processors");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, f, threads, static_cast<std::size_t>(shared)),
          "asking how many blocks are resident");
    return count * processors;
  }
  cudaLaunchConfig_t c{};
  c.gridDim = dim3(static_cast<unsigned>(cluster));
  c.blockDim = dim3(static_cast<unsigned>(threads));
  c.dynamicSmemBytes = static_cast<std::size_t>(shared);
  cudaLaunchAttribute a[1];
  a[0].id = cudaLaunchAttributeClusterDimension;
  a[0].val.clusterDim.x = static_cast<unsigned>(cluster);
  a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
  c.attrs = a, c.numAttrs = 1;
  check(cudaOccupancyMaxActiveClusters(&count, f, &c), "asking how many clusters are resident");
  if (count < 1)
    throw error("TF3205", "a cluster of " + std::to_string(cluster) + " blocks of " + std::to_string(threads) + " threads",
                "no such cluster fits this device", "a plan with smaller blocks or clusters");
  return count;
}

//! sm_90 or later.
inline bool current_card_has_clusters() {
  int device = 0, major = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking for its compute capability");
  return major >= 9;
}

template <class... P, class... A>
void launch(void (*kernel)(P...), index blocks, int threads, int cluster, cudaStream_t stream, const A&... arguments) {
  launch_with(kernel, blocks, threads, cluster, 0, stream, arguments...);
}

}  // namespace detail

//! The current device, as plans see it.
//! @errors TF3207 where there is none
inline card current_card() {
  int device = 0, processors = 0, major = 0;
  detail::check(cudaGetDevice(&device), "asking for the current device");
  detail::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "asking for its processors");
  detail::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking for its compute capability");
  int shared = 0;
  detail::check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for its shared memory");
  return {processors, major >= 9 ? 16 : 1, shared};
}

}  // namespace twofold::cuda
