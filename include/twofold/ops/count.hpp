// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How many elements there are (masked ones are absent and not counted).
#pragma once

#include <cstdint>

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @brief  Number of elements, whatever they are.
//! @laws   commutative and exact over the machine
//! @empty  0
struct count {
  using state = std::int64_t;
  static constexpr const char* tag = "count";
  static constexpr bool commutative = true;
  static constexpr bool exact_over_machine = true;
  TWOFOLD_HD constexpr state identity() const { return 0; }
  template <class... X>
  TWOFOLD_HD constexpr state lift(const X&...) const {
    return 1;
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    return static_cast<state>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  TWOFOLD_HD constexpr state finalize(const state& s) const { return s; }
};

TWOFOLD_END_NAMESPACE
