// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Integers of a fixed number of 64-bit words, in two's complement: Z/2^(64·W). Their addition is associative and commutative bit
//! for bit, which is all that a reproducible sum needs. No floating-point instruction occurs here, so no rounding mode, flush or
//! contraction can change a bit; host and device compute the same.
#pragma once

#include <cstdint>

#include "twofold/algebra/config.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace exact {

//! @name The few instructions that host and device spell differently.
//! @{
TWOFOLD_HD constexpr int leading_zeros(std::uint64_t x) {  // x ≠ 0
#if defined(__CUDA_ARCH__)
  return __clzll(static_cast<long long>(x));
#else
  return __builtin_clzll(x);
#endif
}
//! The high half of a·b.
TWOFOLD_HD constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<wide>(a) * b >> 64);
#endif
}
//! x ← x + y + carry; the new carry.
TWOFOLD_HD constexpr std::uint64_t add_with_carry(std::uint64_t& x, std::uint64_t y, std::uint64_t carry) {
  const std::uint64_t s = x + y, t = s + carry;
  carry = static_cast<std::uint64_t>(s < y) | static_cast<std::uint64_t>(t < s);
  x = t;
  return carry;
}
//! x << by and x >> by for 0 ≤ by ≤ 64 and more.
TWOFOLD_HD constexpr std::uint64_t shifted_left(std::uint64_t x, int by) { return by < 64 ? x << by : 0; }
TWOFOLD_HD constexpr std::uint64_t shifted_right(std::uint64_t x, int by) { return by < 64 ? x >> by : 0; }
//! @}

//! A signed number of 128 bits.
struct two_words {
  std::uint64_t low, high;
  TWOFOLD_HD constexpr void add(const two_words& b) { high += b.high + add_with_carry(low, b.low, 0); }
  TWOFOLD_HD constexpr void negate_if(bool negative) {
    const std::uint64_t flip = negative ? ~std::uint64_t{0} : 0;
    low ^= flip, high ^= flip;
    high += add_with_carry(low, negative ? 1 : 0, 0);
  }
  //! 0 ≤ by ≤ 127
  TWOFOLD_HD constexpr void shift_left(int by) {
    if (by >= 64) high = low << (by - 64), low = 0;
    else if (by > 0) high = high << by | low >> (64 - by), low <<= by;
  }
};

//! @brief  Σ of words[i]·2^(64i), modulo 2^(64·W); the top bit is the sign.
template <int W>
struct wide_integer {
  static_assert(W >= 3);
  std::uint64_t words[W];  // little-endian

  template <class Self, class F>
  TWOFOLD_HD static constexpr void each_field(Self& self, F&& f) {
    for (auto& w : self.words) f(w);
  }
  TWOFOLD_HD friend constexpr bool operator==(const wide_integer& a, const wide_integer& b) {
    bool equal = true;
    for (int i = 0; i < W; ++i) equal = equal && a.words[i] == b.words[i];
    return equal;
  }

  [[nodiscard]] TWOFOLD_HD constexpr bool negative() const { return words[W - 1] >> 63 != 0; }

  TWOFOLD_HD constexpr void add(const wide_integer& b) {
    std::uint64_t carry = 0;
    TWOFOLD_UNROLL
    for (int i = 0; i < W; ++i) carry = add_with_carry(words[i], b.words[i], carry);
  }
  //! This ← this + x·2^position. @pre 0 ≤ position < 64·W
  TWOFOLD_HD constexpr void add_at(const two_words& x, int position) {
    const int at = position >> 6, by = position & 63;
    const std::uint64_t sign = x.high >> 63 != 0 ? ~std::uint64_t{0} : 0;
    const std::uint64_t part[3] = {x.low << by, x.high << by | shifted_right(x.low, 64 - by), sign << by | shifted_right(x.high, 64 - by)};
    std::uint64_t carry = 0;
#if defined(__CUDA_ARCH__)  // registers have no run-time index: every word is added to, by select
#pragma unroll
    for (int i = 0; i < W; ++i) {
      const int k = i - at;
      const std::uint64_t y = k < 0 ? 0 : k == 0 ? part[0] : k == 1 ? part[1] : k == 2 ? part[2] : sign;
      carry = add_with_carry(words[i], y, carry);
    }
#else
    for (int i = at; i < W; ++i) {
      const std::uint64_t y = i - at < 3 ? part[i - at] : sign;
      if (i - at >= 3 && y + carry == 0) break;  // nothing more to add, or −1 and a carry
      carry = add_with_carry(words[i], y, carry);
    }
#endif
  }

  TWOFOLD_HD constexpr void negate() {
    std::uint64_t carry = 1;
    for (int i = 0; i < W; ++i) words[i] = ~words[i], carry = add_with_carry(words[i], 0, carry);
  }
  //! This ← this·factor. @pre not negative
  TWOFOLD_HD constexpr void multiply(std::uint64_t factor) {
    std::uint64_t above = 0;
    for (int i = 0; i < W; ++i) {
      const std::uint64_t high = multiply_high(words[i], factor);
      words[i] *= factor;
      above = high + add_with_carry(words[i], above, 0);
    }
  }
  //! This ← ⌊this/divisor⌋; the remainder. @pre not negative, divisor ≠ 0
  //! @cost a division of 64 bits per half word where divisor < 2^32, else a step per bit
  TWOFOLD_HD constexpr std::uint64_t divide(std::uint64_t divisor) {
    std::uint64_t rest = 0;
    for (int i = W - 1; i >= 0; --i) {
      if (divisor >> 32 == 0) {
        const std::uint64_t upper = rest << 32 | words[i] >> 32, q = upper / divisor;
        const std::uint64_t lower = (upper - q * divisor) << 32 | (words[i] & 0xffffffffu), p = lower / divisor;
        rest = lower - p * divisor;
        words[i] = q << 32 | p;
      } else {
        std::uint64_t quotient = 0;
        for (int bit = 63; bit >= 0; --bit) {
          const bool over = rest >> 63 != 0;
          rest = rest << 1 | (words[i] >> bit & 1);
          if (over || rest >= divisor) rest -= divisor, quotient |= std::uint64_t{1} << bit;
        }
        words[i] = quotient;
      }
    }
    return rest;
  }
};

//! a·a in 2·W words. @pre a not negative
template <int W>
TWOFOLD_HD constexpr wide_integer<2 * W> squared(const wide_integer<W>& a) {
  wide_integer<2 * W> s{};
  for (int i = 0; i < W; ++i) {
    std::uint64_t above = 0;
    for (int j = 0; j < W; ++j) {  // s += a[i]·a[j] at i + j
      std::uint64_t high = multiply_high(a.words[i], a.words[j]);
      const std::uint64_t low = a.words[i] * a.words[j];
      high += add_with_carry(s.words[i + j], low, 0);
      high += add_with_carry(s.words[i + j], above, 0);
      above = high;
    }
    s.words[i + W] = above;  // not written before
  }
  return s;
}

//! x in To words; what it has more is its sign.
template <int To, int W>
TWOFOLD_HD constexpr wide_integer<To> widened_to(const wide_integer<W>& x) {
  wide_integer<To> y{};
  for (int i = 0; i < To; ++i) y.words[i] = i < W ? x.words[i] : x.negative() ? ~std::uint64_t{0} : 0;
  return y;
}
//! x·2^(64·by) in To words.
template <int To, int W>
TWOFOLD_HD constexpr wide_integer<To> moved_up(const wide_integer<W>& x, int by) {
  wide_integer<To> y{};
  for (int i = 0; i < W; ++i)
    if (i + by < To) y.words[i + by] = x.words[i];
  return y;
}

}  // namespace exact
TWOFOLD_END_NAMESPACE
