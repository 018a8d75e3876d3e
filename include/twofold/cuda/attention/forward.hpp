// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The call, for any C++ compiler: the kernels are in the library twofold::attention (or include schedules.cuh in a .cu file of
//! yours).
#pragma once

#include "twofold/cuda/attention/dispatch.hpp"
#include "twofold/cuda/attention/plan.hpp"
#include "twofold/cuda/launch.hpp"

namespace twofold::cuda {

//! @brief  out = attention(q, k, v) and what else the problem asks for. Asynchronous on the stream, allocates nothing, may be captured in a
//! graph.
//! @errors TF3221 where can_run says no; TF3222 without a device of compute capability 9.0; TF3206, TF3207 as every launch
//! @cost   4·batch·heads·queries·keys·head_size operations, less what the mask leaves out
inline void attention_forward(const attention_problem& p, const workspace& w, cudaStream_t stream = nullptr) {
  const auto answer = can_run(p);
  if (!answer) throw *answer.refusal();
  detail::check_workspace(w, attention_workspace_bytes(p), "attention on the device");
  if (p.batch * p.heads * p.queries == 0) return;
  int device = 0, processors = 0, major = 0, minor = 0;
  detail::check(cudaGetDevice(&device), "asking for the current device");
  detail::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "asking for its processors");
  detail::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking for its compute capability");
  detail::check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "asking for its compute capability");
  if (major != 9 || minor != 0)
    throw error("TF3222", "attention on the device",
                "the kernels are for compute capability 9.0, this device has " + std::to_string(major) + "." + std::to_string(minor),
                "an H100 or H200");
  const attention_plan plan = plan_of(p);
  auto* counter = static_cast<std::uint32_t*>(w.data);
  const auto with = [&]<attention_type Type, int Head>() {
    return plan.plain() ? attention::launch_head<Type, Head, true>(p, plan, counter, processors, stream)
                        : attention::launch_head<Type, Head, false>(p, plan, counter, processors, stream);
  };
  const auto of = [&]<attention_type Type>() {
    return plan.head == 64    ? with.template operator()<Type, 64>()
           : plan.head == 128 ? with.template operator()<Type, 128>()
           : plan.head == 192 ? with.template operator()<Type, 192>()
                              : with.template operator()<Type, 256>();
  };
  detail::check(
      p.type == attention_type::bf16 ? of.template operator()<attention_type::bf16>() : of.template operator()<attention_type::fp16>(),
      "launching attention");
}

}  // namespace twofold::cuda
