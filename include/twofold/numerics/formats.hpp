// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Floating-point formats as values: precision, range, and what follows from them. Includes formats C++ has no
//! type for.
#pragma once

#include "twofold/algebra/math.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

//! 2^e exactly, for |e| ≤ 1074 (subnormal results included).
constexpr double power_of_two(int e) {
  double x = 1;
  for (; e > 0; --e) x *= 2;
  for (; e < 0; ++e) x /= 2;
  return x;
}

//! A binary format with round to nearest even.
struct format {
  const char* name;
  int precision;     //!< significant bits, the hidden one included
  int min_exponent;  //!< smallest normal number: 2^min_exponent
  int max_exponent;  //!< largest numbers lie in [2^max_exponent, 2^(max_exponent+1))
  int lost_codes;    //!< significands lost at the top of the last binade (e4m3 spends one on NaN instead of an infinity)

  //! u: half the distance from 1 to the next number; |fl(x) − x| ≤ u|x| in the normal range.
  [[nodiscard]] constexpr double unit_roundoff() const { return power_of_two(-precision); }
  [[nodiscard]] constexpr double largest() const {
    return power_of_two(max_exponent) * (2 - (1 + lost_codes) * power_of_two(1 - precision));
  }
  [[nodiscard]] constexpr double smallest_normal() const { return power_of_two(min_exponent); }
  [[nodiscard]] constexpr double smallest_subnormal() const { return power_of_two(min_exponent - precision + 1); }
  //! A running sum of ones stops growing here: the next odd number is not representable.
  [[nodiscard]] constexpr double ones_stagnate_at() const { return power_of_two(precision); }
};

inline constexpr format fp64{"fp64", 53, -1022, 1023, 0};
inline constexpr format fp32{"fp32", 24, -126, 127, 0};
inline constexpr format tf32{"tf32", 11, -126, 127, 0};
inline constexpr format fp16{"fp16", 11, -14, 15, 0};
inline constexpr format bf16{"bf16", 8, -126, 127, 0};
inline constexpr format e4m3{"e4m3", 4, -6, 8, 1};  //!< no infinity
inline constexpr format e5m2{"e5m2", 3, -14, 15, 0};

inline constexpr const format* all_formats[] = {&fp64, &fp32, &tf32, &fp16, &bf16, &e4m3, &e5m2};

//! The format of that name ("fp32", or the short "f32"), or null.
constexpr const format* format_named(const char* name) {
  const auto same = [](const char* a, const char* b) {
    while (*a && *a == *b) ++a, ++b;
    return *a == *b;
  };
  for (const format* f : all_formats)
    if (same(name, f->name) || (name[0] == 'f' && f->name[0] == 'f' && same(name + 1, f->name + 2))) return f;
  return nullptr;
}

//! log2 of the largest number, rounded down: a budget of exponents below it cannot overflow.
constexpr double log2_largest(const format& f) {
  // largest = 2^(max_exponent + 1)·(1 − rest), and log(1 − rest) by its series
  double rest = 1 - f.largest() / power_of_two(f.max_exponent) / 2, power = rest, sum = 0;
  for (int k = 1; k <= 60; ++k, power *= rest) sum += power / k;
  return f.max_exponent + 1 - sum * 1.4426950408889634 - 1e-15;
}

//! The format of a C++ type.
template <class T>
inline constexpr format format_of = [] {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return sizeof(T) == 4 ? fp32 : fp64;
}();

}  // namespace numerics
TWOFOLD_END_NAMESPACE
