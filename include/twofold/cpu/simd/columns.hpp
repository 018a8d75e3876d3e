// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Four neighbouring elements of each of N pieces, as four vectors over the pieces: blocks of 16 bytes are loaded and interleaved,
//! some six instructions a vector, where a gather takes one per element on many processors.
#pragma once

#include "twofold/cpu/simd/vec.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace simd {

//! Columns are read so many at a time.
inline constexpr int columns = 4;

namespace detail {
//! The bits of w, the lowest first: lane w of N.
template <int N>
constexpr int reversed(int w) {
  int r = 0;
  for (int bit = 1; bit < N; bit *= 2) r = 2 * r + w / bit % 2;
  return r;
}
#if defined(TWOFOLD_HIGHWAY)
//! A register whose 16-byte blocks come from the pieces of lanes First, First + Step, …: as many as fit.
template <int N, int First, int Step, class D, class T>
TWOFOLD_INLINE auto blocks_of(D d, const T* x, std::ptrdiff_t apart) {
  constexpr int bytes = static_cast<int>(hn::MaxLanes(d) * sizeof(T));
  if constexpr (bytes <= 16) {
    return hn::LoadU(d, x + reversed<N>(First) * apart);
  } else {
    const hn::Half<D> half;
    constexpr int count = bytes / 32;
    return hn::Combine(d, blocks_of<N, First + count * Step, Step>(half, x, apart), blocks_of<N, First, Step>(half, x, apart));
  }
}
template <class D, class V>
TWOFOLD_INLINE auto pairs_lower(D d, const V& a, const V& b) {
  const hn::RepartitionToWide<hn::RebindToUnsigned<D>> wide;
  return hn::BitCast(d, hn::InterleaveLower(wide, hn::BitCast(wide, a), hn::BitCast(wide, b)));
}
template <class D, class V>
TWOFOLD_INLINE auto pairs_upper(D d, const V& a, const V& b) {
  const hn::RepartitionToWide<hn::RebindToUnsigned<D>> wide;
  return hn::BitCast(d, hn::InterleaveUpper(wide, hn::BitCast(wide, a), hn::BitCast(wide, b)));
}
#endif
}  // namespace detail

//! out[c] = elements c of the N pieces that begin at x, x + apart, x + 2·apart, …; four elements of each piece are read. Lane w has the
//! piece whose number is w with its bits reversed: lanes merged by halves, i with i + N/2 and so on, are then merged in the order of the
//! pieces.
template <class T, int N>
TWOFOLD_INLINE void load_columns(const T* x, std::ptrdiff_t apart, vec<T, N> (&out)[columns]) {
#if defined(TWOFOLD_HIGHWAY)
  constexpr int lanes = layout<T, N>::lanes, block = 16 / static_cast<int>(sizeof(T));
  if constexpr (lanes >= block) {
    const typename layout<T, N>::tag d;
    vec<T, N>::each_part([&](auto i) __attribute__((always_inline)) {
      constexpr int w = static_cast<int>(i) * lanes;
      if constexpr (sizeof(T) == 4) {
        const auto a = detail::blocks_of<N, w, 4>(d, x, apart), b = detail::blocks_of<N, w + 1, 4>(d, x, apart),
                   c = detail::blocks_of<N, w + 2, 4>(d, x, apart), e = detail::blocks_of<N, w + 3, 4>(d, x, apart);
        const auto ab = hn::InterleaveLower(d, a, b), ce = hn::InterleaveLower(d, c, e);
        const auto AB = hn::InterleaveUpper(d, a, b), CE = hn::InterleaveUpper(d, c, e);
        out[0].p[i] = detail::pairs_lower(d, ab, ce), out[1].p[i] = detail::pairs_upper(d, ab, ce);
        out[2].p[i] = detail::pairs_lower(d, AB, CE), out[3].p[i] = detail::pairs_upper(d, AB, CE);
      } else {
        for (int c = 0; c < 2; ++c) {
          const auto a = detail::blocks_of<N, w, 2>(d, x + 2 * c, apart), b = detail::blocks_of<N, w + 1, 2>(d, x + 2 * c, apart);
          out[2 * c].p[i] = hn::InterleaveLower(d, a, b), out[2 * c + 1].p[i] = hn::InterleaveUpper(d, a, b);
        }
      }
    });
    return;
  }
#endif
  for (int c = 0; c < columns; ++c) {
    T y[N];
    for (int w = 0; w < N; ++w) y[w] = x[detail::reversed<N>(w) * apart + c];
    out[c] = vec<T, N>::load(y);
  }
}

}  // namespace simd
TWOFOLD_END_NAMESPACE
