// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Which loops run: the best that this machine has.
#include "cpu/compiled/loops.hpp"
#include "cpu/machine.hpp"
#include "twofold/cpu/vectors.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

namespace detail {
const compiled::calls* compiled_for([[maybe_unused]] int level) {
#if defined(__x86_64__)
  if (level >= 2 && runs_avx512() && compiled::avx512() != nullptr) return compiled::avx512();
  if (level >= 1 && runs_avx2()) return compiled::avx2();
#endif
  return nullptr;
}
}  // namespace detail

const char* vectors_here() { return compiled::offered != nullptr ? compiled::offered->instructions : "the program's own"; }
void limit_vectors(int level) { compiled::offered = detail::compiled_for(level); }

}  // namespace cpu
TWOFOLD_END_NAMESPACE
