// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The bulk copy engine: linear and tensor copies between global and shared memory (sm_90).
//! Linear copies: addresses and sizes are multiples of 16 bytes.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "twofold/cuda/ptx/mbarrier.cuh"

namespace twofold::cuda::ptx {

//! Shared memory written by ordinary stores becomes visible to the copy engine and the tensor cores. Every writer calls it, then the
//! barrier.
__device__ __forceinline__ void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ __forceinline__ void bulk_load(void* shared, const void* global, std::uint32_t bytes, std::uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
               "l"(global), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
__device__ __forceinline__ void bulk_store(void* global, const void* shared, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global), "r"(shared_address(shared)), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
//! At most `Pending` committed stores still read shared memory.
template <int Pending>
__device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
template <int Pending>
__device__ __forceinline__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

__device__ __forceinline__ void prefetch_tensor_map(const CUtensorMap* m) { asm volatile("prefetch.tensormap [%0];" ::"l"(m) : "memory"); }

//! Every map has three dimensions (column, row, plane): a matrix is plane 0. A box begins at a column that is a multiple of 16 bytes,
//! inside the tensor or not (else an illegal instruction); what reaches beyond the tensor on any side is read as zeros.
__device__ __forceinline__ void tensor_load(void* shared, const CUtensorMap* m, int column, int row, int plane, std::uint64_t* barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
                   shared_address(shared)),
               "l"(m), "r"(column), "r"(row), "r"(plane), "r"(shared_address(barrier))
               : "memory");
}
//! Maps of four dimensions: (column, row, plane, block).
__device__ __forceinline__ void tensor_load(void* shared, const CUtensorMap* m, int column, int row, int plane, int block,
                                            std::uint64_t* barrier) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(
                   shared_address(shared)),
               "l"(m), "r"(column), "r"(row), "r"(plane), "r"(block), "r"(shared_address(barrier))
               : "memory");
}
//! The box begins at coordinates that are not negative (else an illegal instruction). What reaches beyond the tensor is left out, except
//! that the last 16 bytes of a row are written whole: a pitch is a multiple of 16 bytes, so they are the row's own padding.
__device__ __forceinline__ void tensor_store(const CUtensorMap* m, const void* shared, int column, int row, int plane) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(m), "r"(column), "r"(row),
               "r"(plane), "r"(shared_address(shared))
               : "memory");
}

}  // namespace twofold::cuda::ptx
