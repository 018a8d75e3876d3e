// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The loops for AVX2: src/library/CMakeLists.txt has the flags.
#define TWOFOLD_TARGET avx2
#include "cpu/compiled/loops-inl.hpp"
//
#include "cpu/compiled/loops.hpp"

namespace twofold::compiled {
#if defined(TWOFOLD_HIGHWAY) && defined(__x86_64__)
const calls* avx2() {
  static const calls all = cpu::detail::calls_with("AVX2", cpu::detail::compiled_elements{});
  return &all;
}
#else
const calls* avx2() { return nullptr; }
#endif
}  // namespace twofold::compiled
