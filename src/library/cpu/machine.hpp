// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Which instructions this machine runs: the one place that asks. Whoever holds kernels for several chooses among its own by it.
#pragma once

#include "twofold/algebra/config.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu::detail {

#if defined(__x86_64__)
//! What x86-64-v3 and -v4 ask for, as far as code without inline assembly can meet it.
inline bool runs_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"); }
inline bool runs_avx512() {
  return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
inline bool runs_avx2() { return false; }
inline bool runs_avx512() { return false; }
#endif

}  // namespace cpu::detail
TWOFOLD_END_NAMESPACE
