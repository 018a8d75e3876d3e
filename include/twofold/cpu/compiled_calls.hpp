// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How a program calls loops that the library holds for wider vectors than its own: by number, with bytes for arguments, for the two
//! sides are compiled for different instructions and share no type but these. Therefore not in TWOFOLD_BEGIN_NAMESPACE.
#pragma once

#include <cstddef>

namespace twofold {
inline namespace v0 {
namespace compiled {

//! Loops for one set of instructions, numbered as in the lists of compiled.hpp. `n` elements lie side by side.
struct calls {
  const char* instructions;  //!< "AVX2", "AVX-512"
  int register_bytes;
  void (*const* leaf)(const void* op, const void* source, void* state);
  void (*const* map)(const void* op, const void* x, std::ptrdiff_t n, void* y, void* scratch, bool streamed);
  void (*const* apply)(const void* answer, const void* x, std::ptrdiff_t n, void* y, bool streamed);
  void (*const* scan)(const void* op, const void* source, const void* out, const void* before, bool inclusive, bool streamed);
  void (*const* widen)(const void* x, std::ptrdiff_t n, void* to);
  void (*const* narrow)(const void* x, std::ptrdiff_t n, void* to);
};

inline const calls* offered = nullptr;  // written before main, where the library is linked

}  // namespace compiled
}  // namespace v0
}  // namespace twofold
