// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The compiled schedules, and the choice among them when a problem runs.
#pragma once

#include <type_traits>

#include "twofold/cuda/attention/dispatch.hpp"
#include "twofold/cuda/attention/launch.cuh"

namespace twofold::cuda::attention {

template <attention_type Type, int Head, mask_kind Mask, score_kind Scores = score_kind::plain, bool Short = false>
struct schedule {
  using element = std::conditional_t<Type == attention_type::bf16, __nv_bfloat16, __half>;
  static constexpr tile_shape shape = shape_of(Head, Mask, Scores, Short);
  static constexpr mask_kind mask = Mask;
  static constexpr score_kind scores = Scores;
};

template <attention_type Type, int Head>
cudaError_t launch_head(const attention_problem& p, mask_kind mask, score_kind scores, bool few_keys, std::uint32_t* counter,
                        int multiprocessors, cudaStream_t stream) {
  const auto go = [&]<mask_kind Mask>() {
    if constexpr (short_keys(Head, Mask, score_kind::plain) > 0)
      if (few_keys) return launch<schedule<Type, Head, Mask, score_kind::plain, true>>(p, counter, multiprocessors, stream);
    return launch<schedule<Type, Head, Mask>>(p, counter, multiprocessors, stream);
  };
  if (scores == score_kind::changed)
    return launch<schedule<Type, Head, mask_kind::band, score_kind::changed>>(p, counter, multiprocessors, stream);
  switch (mask) {
    case mask_kind::full:
      return go.template operator()<mask_kind::full>();
    case mask_kind::upper:
      return go.template operator()<mask_kind::upper>();
    default:
      return go.template operator()<mask_kind::band>();
  }
}

}  // namespace twofold::cuda::attention
