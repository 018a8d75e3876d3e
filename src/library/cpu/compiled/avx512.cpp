// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The loops for AVX-512: src/library/CMakeLists.txt has the flags.
#define TWOFOLD_TARGET avx512
#include "cpu/compiled/loops-inl.hpp"
//
#include "cpu/compiled/loops.hpp"

namespace twofold::compiled {
#if defined(TWOFOLD_HIGHWAY) && defined(__x86_64__)
const calls* avx512() {
  static const calls all = cpu::detail::calls_with("AVX-512", cpu::detail::compiled_elements{});
  return &all;
}
#else
const calls* avx512() { return nullptr; }
#endif
}  // namespace twofold::compiled
