// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Which loops run: the best that this machine has.
#include "cpu/compiled/loops.hpp"
#include "twofold/cpu/vectors.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

namespace detail {
const compiled::calls* compiled_for([[maybe_unused]] int level) {
#if defined(__x86_64__)
  // What x86-64-v3 and -v4 ask for, as far as code without inline assembly can meet it.
  if (level >= 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && compiled::avx512() != nullptr)
    return compiled::avx512();
  if (level >= 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return compiled::avx2();
#endif
  return nullptr;
}
}  // namespace detail

const char* vectors_here() { return compiled::offered != nullptr ? compiled::offered->instructions : "the program's own"; }
void limit_vectors(int level) { compiled::offered = detail::compiled_for(level); }

}  // namespace cpu
TWOFOLD_END_NAMESPACE
