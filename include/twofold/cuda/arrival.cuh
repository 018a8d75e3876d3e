// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Who comes last does what is left to do: warps that hand something in wait for nobody.
#pragma once

#include "twofold/cuda/ptx/mbarrier.cuh"

namespace twofold::cuda {

//! Warps that come to one place in shared memory, round by round. The counter says who is last; the barrier orders what they wrote before.
struct arrivals {
  std::uint64_t all;  //!< of a round
  unsigned count;     //!< since the launch

  //! One thread; its block synchronises afterwards.
  __device__ __forceinline__ void prepare(unsigned warps) {
    ptx::mbarrier_init(&all, warps);
    count = 0;
  }
  //! @brief  True in all lanes of the one warp that is the last of `warps` to come: it sees what the last lanes of the others wrote before.
  //! @pre    all lanes take part; parity: of the round, 0 for the first
  __device__ __forceinline__ bool is_last(unsigned warps, std::uint32_t parity) {
    unsigned before = 0;
    if (threadIdx.x % 32 == 31) {
      ptx::mbarrier_arrive(&all);
      before = atomicAdd(&count, 1u);
    }
    if ((__shfl_sync(~0u, before, 31) + 1) % warps != 0) return false;
    ptx::mbarrier_wait(&all, parity);  // all have come: nobody is waited for
    return true;
  }
};

}  // namespace twofold::cuda
