// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The compiled schedules, and the choice among them when a problem runs.
#pragma once

#include <type_traits>

#include "twofold/cuda/attention/dispatch.hpp"
#include "twofold/cuda/attention/launch.cuh"

namespace twofold::cuda::attention {

template <attention_type Type, int Head, mask_kind Mask, score_kind Scores = score_kind::plain, bool Short = false, bool Gathered = false,
          bool Rounded = false>
struct schedule {
  using element = std::conditional_t<Type == attention_type::bf16, __nv_bfloat16, __half>;
  static constexpr tile_shape shape = shape_of(Head, Mask, Scores, Short, Gathered, Rounded);
  static constexpr mask_kind mask = Mask;
  static constexpr score_kind scores = Scores;
};

template <attention_type Type, int Head>
cudaError_t launch_head(const attention_problem& p, const attention_plan& plan, std::uint32_t* counter, int multiprocessors,
                        cudaStream_t stream) {
  const auto run = [&]<mask_kind Mask, score_kind Scores, bool Short = false, bool Gathered = false, bool Rounded = false>() {
    return launch<schedule<Type, Head, Mask, Scores, Short, Gathered, Rounded>>(p, counter, multiprocessors, stream);
  };
  const auto plain = [&]<mask_kind Mask>() {
    if constexpr (short_keys(Head, Mask, score_kind::plain) > 0)
      if (plan.few_keys) return run.template operator()<Mask, score_kind::plain, true>();
    return run.template operator()<Mask, score_kind::plain>();
  };
  using enum mask_kind;
  // What is most general does for the rest: a begin and an end for every mask, a bias that is null for every score.
  if (plan.gathered) return run.template operator()<band, score_kind::biased, false, true>();
  if (plan.rounded) return run.template operator()<band, score_kind::plain, false, false, true>();
  if (plan.scores == score_kind::biased) return run.template operator()<band, score_kind::biased>();
  if (plan.scores == score_kind::shaped)
    return plan.mask == band ? run.template operator()<band, score_kind::shaped>() : run.template operator()<upper, score_kind::shaped>();
  return plan.mask == full    ? plain.template operator()<full>()
         : plan.mask == upper ? plain.template operator()<upper>()
                              : plain.template operator()<band>();
}

}  // namespace twofold::cuda::attention
