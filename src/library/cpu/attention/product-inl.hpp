// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The matrix product of attention, C (+)= A·B, with a query in every lane. B and C are rows of lanes, A is read number by number
//! where it lies and spread: keys and values need no packing, but somebody has to ask for the ones to come.
#if defined(TWOFOLD_ATTENTION_PRODUCT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TWOFOLD_ATTENTION_PRODUCT_INL
#undef TWOFOLD_ATTENTION_PRODUCT_INL
#else
#define TWOFOLD_ATTENTION_PRODUCT_INL
#endif

#include "cpu/attention/numbers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace twofold::cpu::detail::HWY_NAMESPACE {

inline constexpr bool many_registers = HWY_TARGET <= HWY_AVX3 && HWY_TARGET != HWY_AVX2;  // 32 instead of 16
//! Vectors of a panel, and rows of a block of N of them: as many sums as registers hold.
inline constexpr int most_vectors = many_registers ? 4 : 2;
template <int N>
inline constexpr int most_rows = many_registers ? (N == 4   ? 6
                                                   : N == 3 ? 8
                                                   : N == 2 ? 12
                                                            : 14)
                                                : (N == 2 ? 6 : 12);

//! Memory is asked for, whether or not there is any.
enum cache_level { first_level = 3, second_level = 2 };
template <cache_level Level>
HWY_INLINE void ask_for(std::uintptr_t base, std::int64_t bytes) {
  __builtin_prefetch(reinterpret_cast<const void*>(base + static_cast<std::uintptr_t>(bytes)), 0, Level);
}

//! @brief  The rows that the next tile of keys will need, line by line, asked for while products run: they are rarely in the second-level
//!         cache, and no prefetcher foresees them. One line every second step is what a product leaves room for: more at once than a
//!         processor keeps under way would stop it.
struct next_rows {
  std::uintptr_t at, end;            //!< the next line, the end of its row
  std::int64_t bytes, stride, left;  //!< of a row; from row to row; rows after this one
  HWY_INLINE void ask() {
    ask_for<second_level>(at, 0);
    at += 64;
    if (at < end) return;
    if (left > 0) end += static_cast<std::uintptr_t>(stride), --left;
    at = end - static_cast<std::uintptr_t>(bytes);
  }
};

//! A(m, k) = a[m·row + k·step]; B(k, ·) = b + k·stride; C(m, ·) = c + m·stride; N vectors wide.
template <int R, int N, bool Add>
HWY_INLINE void product_block(std::int64_t depth, const float* HWY_RESTRICT a, std::int64_t row, std::int64_t step,
                              const float* HWY_RESTRICT b, float* HWY_RESTRICT c, std::int64_t stride, next_rows& next) {
  const D d;
  V sum[R][N];
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m)
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) {
      sum[m][n] = Add ? hn::LoadU(d, c + m * stride + n * lanes) : hn::Zero(d);
      if constexpr (Add)
        ask_for<first_level>(reinterpret_cast<std::uintptr_t>(c), ((m + R) * stride + n * lanes) * 4);  // the next block's sums
    }
  const auto add = [&]() HWY_ATTR __attribute__((always_inline)) {
    V x[N];
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) x[n] = hn::LoadU(d, b + n * lanes);
#pragma GCC unroll 16
    for (int m = 0; m < R; ++m) {
      const V y = hn::Set(d, a[m * row]);
#pragma GCC unroll 16
      for (int n = 0; n < N; ++n) sum[m][n] = hn::MulAdd(y, x[n], sum[m][n]);
    }
    a += step;
    b += stride;
  };
  next_rows asked = next;  // in registers
  for (std::int64_t k = 0; k + 2 <= depth; k += 2) {
    add();
    asked.ask();
    add();
  }
  if (depth % 2 != 0) add();
  next = asked;
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m)
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) hn::StoreU(sum[m][n], d, c + m * stride + n * lanes);
}

//! A block of `rows` rows, at most R of them.
template <int R, int N, bool Add>
HWY_INLINE void product_rows(int rows, std::int64_t depth, const float* a, std::int64_t row, std::int64_t step, const float* b, float* c,
                             std::int64_t stride, next_rows& next) {
  if constexpr (R > 0) {
    if (rows == R) return product_block<R, N, Add>(depth, a, row, step, b, c, stride, next);
    product_rows<R - 1, N, Add>(rows, depth, a, row, step, b, c, stride, next);
  }
}

//! All rows, in blocks of nearly the same height.
template <int N, bool Add>
HWY_NOINLINE void product_panel(std::int64_t rows, std::int64_t depth, const float* a, std::int64_t row, std::int64_t step, const float* b,
                                float* c, next_rows& next) {
  constexpr std::int64_t stride = N * lanes;
  for (std::int64_t blocks = (rows + most_rows<N> - 1) / most_rows<N>; blocks > 0; --blocks) {
    const std::int64_t height = (rows + blocks - 1) / blocks;
    product_rows<most_rows<N>, N, Add>(static_cast<int>(height), depth, a, row, step, b, c, stride, next);
    rows -= height;
    a += height * row;
    c += height * stride;
  }
}

//! C (+)= A·B, `vectors` vectors wide.
template <bool Add>
HWY_INLINE void product(int vectors, std::int64_t rows, std::int64_t depth, const float* a, std::int64_t row, std::int64_t step,
                        const float* b, float* c, next_rows& next) {
  if (vectors == 1) product_panel<1, Add>(rows, depth, a, row, step, b, c, next);
  else if (vectors == 2) product_panel<2, Add>(rows, depth, a, row, step, b, c, next);
  else if constexpr (most_vectors > 2) {
    if (vectors == 3) product_panel<3, Add>(rows, depth, a, row, step, b, c, next);
    else product_panel<4, Add>(rows, depth, a, row, step, b, c, next);
  }
}

}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
