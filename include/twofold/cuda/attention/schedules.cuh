// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The compiled schedules, and the choice among them when a problem runs.
#pragma once

#include "twofold/cuda/attention/dispatch.hpp"
#include "twofold/cuda/attention/launch.cuh"

namespace twofold::cuda::attention {

template <attention_type Type, int Head, bool Plain>
cudaError_t launch_head(const attention_problem& p, const attention_plan& plan, std::uint32_t* counter, int multiprocessors,
                        cudaStream_t stream) {
  const auto run = [&]<mask_kind Mask, score_kind Scores, bool Short = false, bool Gathered = false, bool Rounded = false>() {
    return launch<schedule<Type, Head, Mask, Scores, Short, Gathered, Rounded>>(p, counter, multiprocessors, stream);
  };
  using enum mask_kind;
  using enum score_kind;
  if constexpr (Plain) {
    const auto on = [&]<mask_kind Mask>() {
      if constexpr (short_keys(Head, Mask, score_kind::plain) > 0)
        if (plan.few_keys) return run.template operator()<Mask, score_kind::plain, true>();
      return run.template operator()<Mask, score_kind::plain>();
    };
    return plan.mask == full    ? on.template operator()<full>()
           : plan.mask == upper ? on.template operator()<upper>()
                                : on.template operator()<band>();
  } else {  // What is most general does for the rest: a begin and an end for every mask, a bias that is null for every score.
    if (plan.gathered && plan.rounded) return run.template operator()<band, biased, false, true, true>();
    if (plan.gathered) return run.template operator()<band, biased, false, true>();
    if (plan.rounded) return run.template operator()<band, score_kind::plain, false, false, true>();
    if (plan.scores == biased) return run.template operator()<band, biased>();
    return plan.mask == band ? run.template operator()<band, shaped>() : run.template operator()<upper, shaped>();
  }
}

}  // namespace twofold::cuda::attention
