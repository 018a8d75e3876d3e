// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Headers that run-time compilation sees: the project's own, carried in the program, and a small standard library.
#pragma once

#include <span>

namespace twofold::device {

struct header {
  const char* name;  // as #include names it
  const char* text;
};
std::span<const header> headers();

}  // namespace twofold::device
