// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The kernels, compiled once per instruction set by Highway; the best that this machine has is chosen when the program runs.
//! (Highway's own choice lives in its library, which users would then have to link.)
#include "twofold/algebra/math.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/attention/kernels.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/attention/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace twofold::cpu::detail::HWY_NAMESPACE {
kernels offer() { return {hwy::TargetName(HWY_TARGET), attend_rows, attend_lanes, nullptr, lanes}; }
}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/attention/choose.hpp"

namespace twofold::cpu::detail {

kernels best_kernels([[maybe_unused]] attention_target at_most) {
#if HWY_ARCH_X86
  [[maybe_unused]] const auto allowed = [&](attention_target t) { return at_most == attention_target::best || at_most >= t; };
#if HWY_TARGETS & HWY_AVX3
  if (allowed(attention_target::avx512) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    return N_AVX3::offer();
#endif
#if HWY_TARGETS & HWY_AVX2
  if (allowed(attention_target::avx2) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return N_AVX2::offer();
#endif
#endif
  return HWY_STATIC_DISPATCH(offer)();
}

}  // namespace twofold::cpu::detail
#endif
