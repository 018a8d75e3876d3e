// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exact sums in vectors of double, for one set of instructions at a time: src/library/reproducible.cpp includes this file once for
//! each (Highway's foreach_target), so it has no include guard.
//!
//! A block is added up in plain double arithmetic while the processor watches: its sticky flag "inexact" stays clear if and only if no
//! addition rounded. Then the few sums of the lanes are exact and go to the wide integer. Where the flag was raised, the block is taken
//! apart level by level: (x + M) − M keeps of every x what lies above a grid coarse enough for exact sums, and x minus that is exact too.
#include <hwy/highway.h>

#include "twofold/cpu/ahead.hpp"

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace twofold {
inline namespace v0 {
namespace cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using doubles = hn::ScalableTag<double>;
using vector = hn::Vec<doubles>;
using floats_of_doubles = hn::Rebind<float, doubles>;

inline constexpr index lanes = HWY_MAX_BYTES / 8;  // on x86 a vector is as long as its target says

//! The largest |x| as bits: larger than infinity's if one is NaN.
HWY_INLINE std::uint32_t largest_bits(const float* x, index count) {
  const hn::ScalableTag<std::int32_t> d;
  const auto magnitude = hn::Set(d, 0x7fffffff);
  auto most = hn::Zero(d), more = hn::Zero(d);
  for (index i = 0; i < count; i += 4 * lanes) {
    most = hn::Max(most, hn::And(magnitude, hn::LoadU(d, reinterpret_cast<const std::int32_t*>(x + i))));
    more = hn::Max(more, hn::And(magnitude, hn::LoadU(d, reinterpret_cast<const std::int32_t*>(x + i + 2 * lanes))));
  }
  return static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(d, hn::Max(most, more))));
}
HWY_INLINE int exponent_of_bits(std::uint32_t b) { return b >= 0x7f800000u ? infinite : static_cast<int>(b >> 23) - 127; }

//! The elements of a sum or the products of a dot, as vectors of double, every one of them exact; and a bound of their exponents.
struct float_terms {
  static constexpr bool quick = true;  // 24 digits have room to add up in double
  const float* x;
  HWY_INLINE vector at(index i) const { return hn::PromoteTo(doubles{}, hn::LoadU(floats_of_doubles{}, x + i)); }
  [[nodiscard]] HWY_INLINE float_terms from(index i) const { return {x + i}; }
  [[nodiscard]] HWY_INLINE int exponent(index count) const { return exponent_of_bits(largest_bits(x, count)); }
};
struct double_terms {
  static constexpr bool quick = true;
  const double* x;
  HWY_INLINE vector at(index i) const { return hn::LoadU(doubles{}, x + i); }
  [[nodiscard]] HWY_INLINE double_terms from(index i) const { return {x + i}; }
  [[nodiscard]] HWY_INLINE int exponent(index count) const {
    const hn::ScalableTag<std::int64_t> d;
    const auto magnitude = hn::Set(d, 0x7fffffffffffffffll);
    auto most = hn::Zero(d);
    for (index i = 0; i < count; i += lanes) most = hn::Max(most, hn::And(magnitude, hn::BitCast(d, at(i))));
    std::int64_t all[lanes], largest = 0;
    hn::StoreU(most, d, all);
    for (const std::int64_t b : all) largest = b > largest ? b : largest;
    return largest >= 0x7ff0000000000000ll ? infinite : static_cast<int>(largest >> 52) - 1023;
  }
};
struct product_terms {  // 24 digits times 24 digits fit into 53, but leave no room
  static constexpr bool quick = false;
  const float *x, *y;
  HWY_INLINE vector at(index i) const {
    const floats_of_doubles d;
    return hn::Mul(hn::PromoteTo(doubles{}, hn::LoadU(d, x + i)), hn::PromoteTo(doubles{}, hn::LoadU(d, y + i)));
  }
  [[nodiscard]] HWY_INLINE product_terms from(index i) const { return {x + i, y + i}; }
  [[nodiscard]] HWY_INLINE int exponent(index count) const {
    const int a = exponent_of_bits(largest_bits(x, count)), b = exponent_of_bits(largest_bits(y, count));
    return a == infinite || b == infinite ? infinite : a + b + 1;
  }
};

//! The compiler may not move what makes v past this point, nor what uses it before.
HWY_INLINE void pin(vector& v) { asm volatile("" : "+v"(v.raw)); }

//! From memory the hardware's own prefetching stops short: there are more instructions to a line than in a plain sum.
template <class T>
HWY_INLINE void fetch_ahead(const T* x, index count) {
  constexpr index line = 64 / static_cast<index>(sizeof(T)), ahead = cpu::detail::bytes_ahead / static_cast<index>(sizeof(T));
  for (index k = 0; k < count; k += line) __builtin_prefetch(x + k + ahead, 0, 2);  // into the second-level cache
}

//! Sums by lanes of `count` terms, a multiple of 8·lanes; false if an addition rounded. Terms of 24 digits have room to add up in double.
template <class Terms>
HWY_INLINE bool sums_of_short(const Terms& terms, index count, vector (&sum)[2]) {
  watch inexact;
  vector a[8];
  for (vector& v : a) v = hn::Zero(doubles{}), pin(v);
  for (index i = 0; i < count; i += 8 * lanes) {
    fetch_ahead(terms.x + i, 8 * lanes);
    for (index k = 0; k < 8; ++k) a[k] = hn::Add(a[k], terms.at(i + k * lanes));
  }
  for (int half = 4; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) a[k] = hn::Add(a[k], a[k + half]);
  pin(a[0]);
  sum[0] = a[0], sum[1] = hn::Zero(doubles{});
  return !inexact.seen();
}
//! The same for terms of up to 53 digits: the first 26 and the others, apart.
template <class Terms>
HWY_INLINE bool sums_of_long(const Terms& terms, index count, vector (&sum)[2]) {
  watch inexact;
  const auto upper = hn::BitCast(doubles{}, hn::Set(hn::RebindToUnsigned<doubles>{}, ~std::uint64_t{0} << 27));
  vector a[4], b[4];
  for (int k = 0; k < 4; ++k) a[k] = b[k] = hn::Zero(doubles{}), pin(a[k]), pin(b[k]);
  for (index i = 0; i < count; i += 4 * lanes) {
    fetch_ahead(terms.x + i, 4 * lanes);
    for (index k = 0; k < 4; ++k) {
      const vector x = terms.at(i + k * lanes), first = hn::And(x, upper);
      a[k] = hn::Add(a[k], first);
      b[k] = hn::Add(b[k], hn::Sub(x, first));
    }
  }
  for (int half = 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) a[k] = hn::Add(a[k], a[k + half]), b[k] = hn::Add(b[k], b[k + half]);
  pin(a[0]), pin(b[0]);
  sum[0] = a[0], sum[1] = b[0];
  return !inexact.seen();
}
HWY_INLINE bool sums_of(const float_terms& t, index count, vector (&sum)[2]) { return sums_of_short(t, count, sum); }
HWY_INLINE bool sums_of(const double_terms& t, index count, vector (&sum)[2]) { return sums_of_long(t, count, sum); }

//! The lanes to the wide integer; false, and nothing is added, if one is not finite.
template <class State, int N>
HWY_INLINE bool settle(State& s, const vector (&sum)[N]) {
  State more{};
  for (const vector& v : sum) {
    double x[lanes];
    hn::StoreU(v, doubles{}, x);
    for (const double y : x)
      if (y != 0) more.add(exact::term_of(y));
  }
  if (more.not_finite != exact::none) return false;
  s.add(more);
  return true;
}

//! M such that x + M − M is x rounded to a multiple of 2^(e−42), where |x| < 2^(e+1): 2^10 of these sum to less than 2^53 units. The
//! least M leaves nothing of x: its unit is the smallest subnormal.
HWY_INLINE vector grid_above(int e) { return hn::Set(doubles{}, power_of_two(e < -1032 ? -1022 : e + 10) * 1.5); }
//! What of x lies on that grid, by which x becomes smaller: exact, both of it.
HWY_INLINE vector taken(vector& x, const vector& grid) {
  const vector q = hn::Sub(hn::Add(x, grid), grid);
  x = hn::Sub(x, q);
  return q;
}

inline constexpr index range_size = 4096;  //!< terms that levels take at once: a lane sums at most 2^10 of them
inline constexpr int lowest_exponent = -800, highest_exponent = 900;

//! Any terms whose exponents are at least `lowest_exponent`, level by level, until nothing is left.
template <class State, class Terms>
HWY_NOINLINE void add_by_levels(State& s, const Terms& terms, index count, int e) {
  const doubles d;
  alignas(64) double rest[range_size];
  for (index i = 0; i < count; i += lanes) hn::Store(terms.at(i), d, rest + i);
  for (;;) {
    const vector grid = grid_above(e);
    vector sum[1] = {hn::Zero(d)}, most = hn::Zero(d);
    for (index i = 0; i < count; i += lanes) {
      vector x = hn::Load(d, rest + i);
      sum[0] = hn::Add(sum[0], taken(x, grid));
      most = hn::Max(most, hn::Abs(x));
      hn::Store(x, d, rest + i);
    }
    settle(s, sum);
    const double largest = hn::GetLane(hn::MaxOfLanes(d, most));
    if (largest == 0) return;
    e = exponent_of(largest);
  }
}

//! @brief  Three levels in registers, 126 binary places below the largest term; more of them where that is not all.
//! False, and s as it was, where infinities, NaN or the ends of double's range are among the terms.
template <class State, class Terms>
HWY_INLINE bool add_range(State& s, const Terms& terms, index count) {
  const int e = terms.exponent(count);
  if (e < lowest_exponent || e > highest_exponent) return false;
  const watch default_modes;
  const doubles d;
  const vector grid[3] = {grid_above(e), grid_above(e - 42), grid_above(e - 84)};
  vector sum[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)}, left = hn::Zero(d);
  for (index i = 0; i < count; i += lanes) {
    vector x = terms.at(i);
    for (int k = 0; k < 3; ++k) sum[k] = hn::Add(sum[k], taken(x, grid[k]));
    left = hn::Or(left, x);
  }
  if (hn::AllTrue(d, hn::Eq(left, hn::Zero(d)))) settle(s, sum);
  else add_by_levels(s, terms, count, e);
  return true;
}

//! All of `terms`; what vectors leave over is done by `one_by_one(first, last)`.
template <class State, class Terms, class Rest>
HWY_INLINE void add_all(State& s, const Terms& terms, index count, const Rest& one_by_one) {
  constexpr index block = 8192, step = 8 * lanes;
  index i = 0;
  int skip = 0;  // blocks that are not tried the quick way, since the last one was of no use
  for (; count - i >= step;) {
    const index some = count - i >= block ? block : (count - i) / step * step;
    const Terms here = terms.from(i);
    bool done = false;
    if constexpr (Terms::quick) {
      if (skip > 0) {
        --skip;
      } else {
        vector sum[2];
        done = sums_of(here, some, sum) && settle(s, sum);
        if (!done) skip = 3;
      }
    }
    for (index k = 0; k < some && !done; k += range_size) {
      const index n = some - k < range_size ? some - k : range_size;
      if (!add_range(s, here.from(k), n)) one_by_one(i + k, i + k + n);
    }
    i += some;
  }
  if (i < count) one_by_one(i, count);
}

void add_floats(exact_sum_state<float>& s, const float* x, index count) {
  add_all(s, float_terms{x}, count, [&](index first, index last) { add_floats_by_headers(s, x + first, last - first); });
}
void add_doubles(exact_sum_state<double>& s, const double* x, index count) {
  add_all(s, double_terms{x}, count, [&](index first, index last) { add_doubles_by_headers(s, x + first, last - first); });
}
void add_products(exact_product_state<float>& s, const float* x, const float* y, index count) {
  add_all(s, product_terms{x, y}, count, [&](index first, index last) { add_products_by_headers(s, x + first, y + first, last - first); });
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace v0
}  // namespace twofold
HWY_AFTER_NAMESPACE();
#endif
