// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Where the smallest or largest element is.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "twofold/algebra/math.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! A position and the element there; position −1 (value-initialised element) where there was no element.
template <class X>
struct extremum {
  index position = -1;
  X value{};
  TWOFOLD_HD constexpr bool has_value() const { return position >= 0; }
  friend constexpr bool operator==(const extremum&, const extremum&) = default;
};

namespace detail {
//! Order (better value first, then lower position); NaN is better than every number. Total on elements, hence no tree
//! matters.
template <class X, class Better>
struct arg_extremum {
  using input = X;
  using state = extremum<X>;
  static constexpr bool commutative = true;
  static constexpr bool symmetric = true;
  static constexpr bool exact_over_machine = true;
  TWOFOLD_HD constexpr state identity() const { return {}; }
  //! position ≥ 0 in the whole sequence: see tile.hpp, indexed.
  TWOFOLD_HD constexpr state lift(const index& position, const X& x) const { return {position, x}; }
  TWOFOLD_HD constexpr state combine(const state& a, const state& b) const {
    if (!b.has_value()) return a;
    return beats(b.position, b.value, a) ? b : a;
  }
  TWOFOLD_HD constexpr void push_into(state& s, const index& position, const X& x) const {
    if (beats(position, x, s)) s = {position, x};
  }
  //! @name leaf in steps, for a tile that several threads hold (see twist.hpp): what the extreme value is; then where it is first.
  //! @{
  static constexpr bool symmetric_join = std::is_same_v<X, float> || std::is_integral_v<X>;  // of double, −0 and +0 keep their places
  static constexpr bool symmetric_values = true;
  template <class Tile>
  requires std::is_arithmetic_v<X> && requires(const Tile& tile) { Tile::ascending; }
  TWOFOLD_HD constexpr X survey(const Tile& tile) const {
    if constexpr (requires { tile.largest(); } && Better{}(1, 0)) return tile.largest();
    X best = worst();
    TWOFOLD_UNROLL
    for (index i = 0, n = tile.size(); i < n; ++i) tile.apply(i, [&](const index&, const X& x) { best = better(best, x); });
    return best;
  }
  TWOFOLD_HD constexpr X join(const X& a, const X& b) const { return better(a, b); }
  template <class Tile>
  TWOFOLD_HD constexpr index collect(const Tile& tile, const X& best) const {
    const int first = first_like(tile, best);
    return first < 0 ? nowhere : tile.position_of(first);
  }
  TWOFOLD_HD constexpr index add_values(const index& a, const index& b) const { return b < a ? b : a; }
  TWOFOLD_HD constexpr state state_at(const X& best, const index& position) const {
    return position == nowhere ? state{} : state{position, best};
  }
  //! @}

  //! s followed by a tile: nothing to do where the tile has nothing better.
  template <class Tile>
  TWOFOLD_HD constexpr void leaf_into(state& s, const Tile& tile) const {
    if constexpr (requires { survey(tile); }) {
      const X best = survey(tile);
      if (s.has_value() && (Better{}(s.value, best) || (s.value == best && s.position < tile.position_of(0)))) return;
      s = combine(s, state_at(best, collect(tile, best)));
    } else {
      s = combine(s, leaf(tile));
    }
  }

  //! First what the extreme value is, then where it is first: two cheap comparisons an element. A tile whose positions ascend says so by
  //! `ascending` and `position_of(i)`: then the first hit is the lowest. One that knows its largest element says so by `largest()`.
  template <class Tile>
  TWOFOLD_HD constexpr state leaf(const Tile& tile) const {
    X best{};
    bool any = false;
    if constexpr (requires { tile.largest(); } && Better{}(1, 0)) {
      best = tile.largest();
      any = true;
    } else {
      TWOFOLD_UNROLL
      for (index i = 0, n = tile.size(); i < n; ++i)
        tile.apply(i, [&](const index&, const X& x) {
          best = any ? better(best, x) : x;
          any = true;
        });
    }
    if (!any) return {};
    if constexpr (requires { Tile::ascending; }) {
      return {tile.position_of(first_like(tile, best)), best};
    } else {
      const bool nan = math::is_nan(best);
      state s{};
      for (index i = 0, n = tile.size(); i < n; ++i)
        tile.apply(i, [&](const index& position, const X& x) {
          if ((x == best || (nan && math::is_nan(x))) && (s.position < 0 || position < s.position)) s = {position, x};
        });
      return s;
    }
  }
  TWOFOLD_HD constexpr state finalize(const state& s) const { return s; }
  TWOFOLD_HD constexpr bool same(const state& a, const state& b) const {
    return a.position == b.position && (a.value == b.value || (math::is_nan(a.value) && math::is_nan(b.value)));
  }

  //! An element that loses to all that come before it.
  TWOFOLD_HD static constexpr X unseen_behind() requires std::is_floating_point_v<X> { return worst(); }

 private:
  static constexpr index nowhere = PTRDIFF_MAX;
  TWOFOLD_HD static constexpr X worst() {
    if constexpr (std::is_floating_point_v<X>) return Better{}(1, 0) ? -math::infinity<X> : math::infinity<X>;
    else return Better{}(1, 0) ? std::numeric_limits<X>::min() : std::numeric_limits<X>::max();
  }
  //! The first element of an ascending tile that is like `best` (a NaN: any NaN); −1 where none is.
  template <class Tile>
  TWOFOLD_HD static constexpr int first_like(const Tile& tile, const X& best) {
    int first = -1;
    const auto find = [&](const auto& hit) {  // the decision between numbers and NaN is made once
      TWOFOLD_UNROLL
      for (int i = static_cast<int>(tile.size()); i-- > 0;)
        tile.apply(i, [&](const index&, const X& x) {
          if (hit(x)) first = i;
        });
    };
    if (math::is_nan(best)) {
      find([](const X& x) { return math::is_nan(x); });
      return first;
    }
    if constexpr (requires { tile.first_equal(best); }) return tile.first_equal(best);
    find([&](const X& x) { return x == best; });
    return first;
  }
  //! a unless b is better or the first NaN.
  TWOFOLD_HD static constexpr X better(const X& a, const X& b) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<X, float>) {
      if (!__builtin_is_constant_evaluated()) return Better{}(1.0f, 0.0f) ? math::larger_or_nan(a, b) : math::smaller_or_nan(a, b);
    }
#endif
    return Better{}(b, a) || (math::is_nan(b) && !math::is_nan(a)) ? b : a;
  }
  TWOFOLD_HD static constexpr bool beats(const index& position, const X& x, const state& s) {
    if (!s.has_value()) return true;
    if (Better{}(s.value, x)) return false;
    if (Better{}(x, s.value)) return true;
    const bool x_nan = math::is_nan(x), s_nan = math::is_nan(s.value);  // equal, or a NaN
    return x_nan != s_nan ? x_nan : position < s.position;
  }
};
struct less_than {
  template <class X>
  TWOFOLD_HD constexpr bool operator()(const X& a, const X& b) const {
    return a < b;
  }
};
struct greater_than {
  template <class X>
  TWOFOLD_HD constexpr bool operator()(const X& a, const X& b) const {
    return b < a;
  }
};
}  // namespace detail

//! @brief  Position and value of the largest element.
//! @math   the lowest i with x_i = max_j x_j; −0 and +0 are equal
//! @laws   commutative and exact over the machine
//! @empty  position −1
//! @special the first NaN wins over every number (as NumPy and PyTorch do)
template <class X>
struct argmax : detail::arg_extremum<X, detail::greater_than> {
  static constexpr const char* tag = "argmax";
};

//! @brief  Position and value of the smallest element: ties, empty and NaN as argmax.
template <class X>
struct argmin : detail::arg_extremum<X, detail::less_than> {
  static constexpr const char* tag = "argmin";
};

TWOFOLD_END_NAMESPACE
