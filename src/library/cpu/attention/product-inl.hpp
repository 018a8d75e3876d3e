// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The matrix product of attention, C (+)= A·B, with a query in every lane. B and C are rows of lanes, A is read number by number
//! where it lies and spread: keys and values need no packing.
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

//! A(m, k) = a[m·row + k·step]; B(k, ·) = b + k·stride; C(m, ·) = c + m·stride; N vectors wide.
template <int R, int N, bool Add>
HWY_INLINE void product_block(std::int64_t depth, const float* HWY_RESTRICT a, std::int64_t row, std::int64_t step,
                              const float* HWY_RESTRICT b, float* HWY_RESTRICT c, std::int64_t stride) {
  const D d;
  V sum[R][N];
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m)
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) sum[m][n] = Add ? hn::LoadU(d, c + m * stride + n * lanes) : hn::Zero(d);
  for (std::int64_t k = 0; k < depth; ++k) {
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
  }
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m)
#pragma GCC unroll 16
    for (int n = 0; n < N; ++n) hn::StoreU(sum[m][n], d, c + m * stride + n * lanes);
}

//! A block of `rows` rows, at most R of them.
template <int R, int N, bool Add>
HWY_INLINE void product_rows(int rows, std::int64_t depth, const float* a, std::int64_t row, std::int64_t step, const float* b, float* c,
                             std::int64_t stride) {
  if constexpr (R > 0) {
    if (rows == R) return product_block<R, N, Add>(depth, a, row, step, b, c, stride);
    product_rows<R - 1, N, Add>(rows, depth, a, row, step, b, c, stride);
  }
}

//! All rows, in blocks of nearly the same height.
template <int N, bool Add>
HWY_NOINLINE void product_panel(std::int64_t rows, std::int64_t depth, const float* a, std::int64_t row, std::int64_t step, const float* b,
                                float* c, std::int64_t stride) {
  for (std::int64_t blocks = (rows + most_rows<N> - 1) / most_rows<N>; blocks > 0; --blocks) {
    const std::int64_t height = (rows + blocks - 1) / blocks;
    product_rows<most_rows<N>, N, Add>(static_cast<int>(height), depth, a, row, step, b, c, stride);
    rows -= height;
    a += height * row;
    c += height * stride;
  }
}

//! C (+)= A·B over panels of `vectors` vectors each; the lanes of a row are panels·vectors.
template <bool Add>
HWY_INLINE void product(int panels, int vectors, std::int64_t rows, std::int64_t depth, const float* a, std::int64_t row, std::int64_t step,
                        const float* b, float* c) {
  const std::int64_t width = vectors * lanes, stride = panels * width;
  for (int i = 0; i < panels; ++i, b += width, c += width) {
    if (vectors == 1) product_panel<1, Add>(rows, depth, a, row, step, b, c, stride);
    else if (vectors == 2) product_panel<2, Add>(rows, depth, a, row, step, b, c, stride);
    else if constexpr (most_vectors > 2) {
      if (vectors == 3) product_panel<3, Add>(rows, depth, a, row, step, b, c, stride);
      else product_panel<4, Add>(rows, depth, a, row, step, b, c, stride);
    }
  }
}

}  // namespace twofold::cpu::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
