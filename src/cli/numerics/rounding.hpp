// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Arithmetic in a given format, emulated: each operation is done in double and rounded once more to nearest even. For +, −, ×, ÷
//! and formats of at most 24 bits the second rounding is innocent (53 ≥ 2·24 + 2, Figueroa 1995); fp64 is double itself.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "twofold/numerics/formats.hpp"

namespace twofold::cli::accuracy {

//! Rounds doubles to a format; subnormals are kept; what is too large becomes an infinity, or the largest number where the format has none
//! or casts saturate.
class rounder {
 public:
  explicit rounder(const numerics::format& f, bool saturates = false)
      : drop_(static_cast<unsigned>(53 - f.precision)),
        largest_(f.largest()),
        smallest_normal_(f.smallest_normal()),
        // Adding and subtracting this rounds to multiples of the smallest subnormal.
        magic_(f.precision == 53 ? 0 : 1.5 * std::ldexp(f.smallest_subnormal(), 52)),
        top_(saturates || f.lost_codes > 0 ? f.largest() : HUGE_VAL) {}

  double operator()(double x) const {
    if (drop_ == 0 || !std::isfinite(x) || x == 0) return x;
    double r;
    if (std::fabs(x) < smallest_normal_) {
      r = (x + magic_) - magic_;
    } else {
      const auto bits = std::bit_cast<std::uint64_t>(x);
      const std::uint64_t odd = bits >> drop_ & 1u, half = (std::uint64_t{1} << (drop_ - 1)) - 1;
      r = std::bit_cast<double>((bits + half + odd) >> drop_ << drop_);
    }
    return std::fabs(r) > largest_ ? std::copysign(top_, x) : r;
  }

 private:
  unsigned drop_;
  double largest_, smallest_normal_, magic_, top_;
};

}  // namespace twofold::cli::accuracy
