// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Four kernels of attention instead of all: enough for `attention_test few`, built in seconds (mutants.py).
#include "twofold/cuda/attention/dispatch.hpp"
#include "twofold/cuda/attention/launch.cuh"

namespace twofold::cuda::attention {

template <attention_type Type, int Head, bool Plain>
cudaError_t launch_head(const attention_problem& p, const attention_plan& plan, std::uint32_t* counter, int multiprocessors,
                        cudaStream_t stream) {
  if constexpr (Type == attention_type::bf16 && Head == 64) {
    if (plan.mask == mask_kind::upper && plan.scores == score_kind::plain && plan.few_keys)
      return launch<schedule<Type, 64, mask_kind::upper, score_kind::plain, true>>(p, counter, multiprocessors, stream);
    if (plan.scores == score_kind::plain)
      return launch<schedule<Type, 64, mask_kind::band, score_kind::plain>>(p, counter, multiprocessors, stream);
    return launch<schedule<Type, 64, mask_kind::band, score_kind::biased>>(p, counter, multiprocessors, stream);
  }
  if constexpr (Type == attention_type::bf16 && Head == 128)
    if (plan.mask == mask_kind::upper && plan.few_keys)
      return launch<schedule<Type, 128, mask_kind::upper, score_kind::plain, true>>(p, counter, multiprocessors, stream);
  return cudaErrorNotSupported;
}

#define TWOFOLD_HEAD(type, head)                                                                                                           \
  template cudaError_t launch_head<attention_type::type, head, true>(const attention_problem&, const attention_plan&, std::uint32_t*, int, \
                                                                     cudaStream_t);                                                        \
  template cudaError_t launch_head<attention_type::type, head, false>(const attention_problem&, const attention_plan&, std::uint32_t*,     \
                                                                      int, cudaStream_t);
TWOFOLD_HEAD(bf16, 64)
TWOFOLD_HEAD(bf16, 128)
TWOFOLD_HEAD(bf16, 192)
TWOFOLD_HEAD(bf16, 256)
TWOFOLD_HEAD(fp16, 64)
TWOFOLD_HEAD(fp16, 128)
TWOFOLD_HEAD(fp16, 192)
TWOFOLD_HEAD(fp16, 256)

}  // namespace twofold::cuda::attention
