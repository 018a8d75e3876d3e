// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How far ahead of a loop memory is asked for: one law, whatever the loop.
#pragma once

#include <cstdint>

#include "twofold/algebra/config.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu::detail {

//! Bytes between what is asked of memory, into the second-level cache, and what is worked on: eight pages, since the hardware's own
//! prefetching stops at the end of one.
inline constexpr std::int64_t bytes_ahead = 1 << 15;
//! Bytes from which on it is asked on into the first-level cache, where a loop has ten instructions a line or more: what it waits for then
//! is the second-level cache.
inline constexpr std::int64_t bytes_just_ahead = 1 << 11;

}  // namespace cpu::detail
TWOFOLD_END_NAMESPACE
