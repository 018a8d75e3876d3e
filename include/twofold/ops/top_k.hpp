// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The k largest elements and where they are.
#pragma once

#include "twofold/ops/arg_min_max.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! The best `count` of at most K elements, best first.
template <class X, int K>
struct best_elements {
  index count = 0;
  extremum<X> best[K]{};
  TWOFOLD_HD constexpr index size() const { return count; }
  TWOFOLD_HD constexpr const extremum<X>& operator[](index i) const { return best[i]; }
  TWOFOLD_HD friend constexpr bool operator==(const best_elements& a, const best_elements& b) {
    for (index i = 0; i < a.count && a.count == b.count; ++i)
      if (!(a[i] == b[i])) return false;
    return a.count == b.count;
  }
};

namespace detail {
//! Merges two sorted lists as Single decides between two elements: the order is total, so no tree matters.
template <class X, int K, class Single>
struct best_k {
  static_assert(K >= 1);
  using input = X;
  using state = best_elements<X, K>;
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  static constexpr bool exact_over_machine = true;
  TWOFOLD_HD constexpr state identity() const { return {}; }
  TWOFOLD_HD constexpr state lift(const index& position, const X& x) const {
    state s{};
    s.count = 1;
    s.best[0] = {position, x};
    return s;
  }
  //! An element that is worse than all K costs one comparison.
  TWOFOLD_HD constexpr void push_into(state& s, const index& position, const X& x) const {
    const extremum<X> one{position, x};
    if (s.count == K && !before(one, s.best[K - 1])) return;
    index i = s.count < K ? s.count++ : K - 1;
    for (; i > 0 && before(one, s.best[i - 1]); --i) s.best[i] = s.best[i - 1];
    s.best[i] = one;
  }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    state s{};
    index i = 0, j = 0;
    while (s.count < K && (i < a.count || j < b.count)) {
      const bool left = j == b.count || (i < a.count && before(a[i], b[j]));
      s.best[s.count++] = left ? a[i++] : b[j++];
    }
    return s;
  }
  TWOFOLD_HD constexpr state finalize(const state& s) const { return s; }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const {
    for (index i = 0; i < a.count && a.count == b.count; ++i)
      if (!Single{}.same(a[i], b[i])) return false;
    return a.count == b.count;
  }

 private:
  TWOFOLD_HD static constexpr bool before(const extremum<X>& a, const extremum<X>& b) { return Single{}.same(Single{}.combine(b, a), a); }
};
}  // namespace detail

//! @brief  The K largest elements with their positions, largest first; fewer where there are fewer elements.
//! @math   sorted by (value descending, position ascending)
//! @laws   commutative and exact over the machine
//! @empty  none
//! @special NaN comes before every number, as in argmax; −0 and +0 tie
//! @cost   one comparison per element that is not among the K, at most K otherwise; a merge K comparisons
template <class X, int K>
struct top_k : detail::best_k<X, K, argmax<X>> {
  static constexpr const char* tag = "top_k";
};

//! @brief  The K smallest elements: ties, empty and NaN as top_k.
template <class X, int K>
struct bottom_k : detail::best_k<X, K, argmin<X>> {
  static constexpr const char* tag = "bottom_k";
};

TWOFOLD_END_NAMESPACE
