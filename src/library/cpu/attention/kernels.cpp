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
#include "cpu/attention/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace twofold::cpu::detail::HWY_NAMESPACE {
kernels offer() {
  kernels k{hwy::TargetName(HWY_TARGET), attend_rows, attend_lanes, nullptr, nullptr, lanes};
#if HWY_TARGET == HWY_AVX3 && defined(TWOFOLD_HAS_TILES)
  k.tiles = attend_tiles, k.pairs = attend_pairs;
#endif
  return k;
}
}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/attention/choose.hpp"
#include "cpu/machine.hpp"

#if HWY_ARCH_X86 && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace twofold::cpu::detail {

#if HWY_ARCH_X86
namespace {
//! Has the processor AMX with bfloat16 (leaf 7, edx), AVX512_BF16 (leaf 7.1, eax), and does the system let this process use tiles?
bool ask_for_tiles() {
#if defined(__linux__) && defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d >> 22 & 1) == 0 || (d >> 24 & 1) == 0) return false;
  if (!__get_cpuid_count(7, 1, &a, &b, &c, &d) || (a >> 5 & 1) == 0) return false;
  constexpr int request = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request, tile_data) == 0;
#else
  return false;
#endif
}
bool tiles_permitted() {
  static const bool yes = ask_for_tiles();
  return yes;
}
}  // namespace
#endif

kernels best_kernels([[maybe_unused]] attention_target at_most) {
#if HWY_ARCH_X86
  [[maybe_unused]] const auto allowed = [&](attention_target t) { return at_most == attention_target::best || at_most >= t; };
#if HWY_TARGETS & HWY_AVX3
  if (allowed(attention_target::avx512) && runs_avx512()) {
    kernels k = N_AVX3::offer();
    if (!allowed(attention_target::amx) || !tiles_permitted()) k.tiles = nullptr;
    if (!allowed(attention_target::avx512_bf16) || !__builtin_cpu_supports("avx512bf16")) k.pairs = nullptr;
    // Intel's product of pairs takes the time of two multiply-adds in float and saves one: then floats are faster, and more exact.
    if (at_most == attention_target::best && !__builtin_cpu_is("amd")) k.pairs = nullptr;
    return k;
  }
#endif
#if HWY_TARGETS & HWY_AVX2
  if (allowed(attention_target::avx2) && runs_avx2()) return N_AVX2::offer();
#endif
#endif
  return HWY_STATIC_DISPATCH(offer)();
}

}  // namespace twofold::cpu::detail
#endif
