// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A source read backwards, and an operator with its arguments exchanged. Together they walk from the right and
//! keep the order.
#pragma once

#include "twofold/algebra/tile.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace detail {

//! Element i is element n − 1 − i of `base`.
template <class S>
struct reversed_source {
  S base;
  [[nodiscard]] TWOFOLD_HD constexpr index size() const { return base.size(); }
  template <class F>
  TWOFOLD_HD constexpr decltype(auto) apply(index i, F&& f) const {
    return base.apply(base.size() - 1 - i, f);
  }
  [[nodiscard]] TWOFOLD_HD constexpr reversed_source sub(index first, index last) const {
    return {base.sub(base.size() - last, base.size() - first)};
  }
};

//! a ⊙ b = b • a over a reversed source: (x_{n−1} ⊙ … ⊙ x_0) = x_0 • … • x_{n−1}. Its leaf is that of the tile as it
//! lies in memory.
template <class R>
struct exchanged {
  using state = state_of<R>;
  const R& base;
  constexpr state identity() const { return base.identity(); }
  template <class... X>
  constexpr state lift(const X&... x) const {
    return base.lift(x...);
  }
  constexpr state combine(const state& a, const state& b) const { return base.combine(b, a); }
  template <class S>
  constexpr state leaf(const reversed_source<S>& tile) const {
    return twofold::leaf(base, tile.base);
  }
  constexpr auto finalize(const state& s) const { return base.finalize(s); }
};

}  // namespace detail
TWOFOLD_END_NAMESPACE
