// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Gauges: which reference a twisted state is written at. Any choice denotes the same state; gauges differ in
//! what they cost, in rounding and in where they overflow. A gauge answers four questions about a twisting `how`:
//! - of(how, x…) the reference of a single element
//! - extend(how, s, x…) the reference after non-empty s has received x…
//! - merge(how, a, b) the reference of two non-empty neighbours
//! - settle(how, tile) the one reference of a tile, or nothing if no element of it is present
//! and where the twisting can survey a tile, settle comes in three steps, so that several threads may hold the tile:
//! - survey(how, tile) what a part says · join(how, a, b) of two neighbouring parts · reference(how, survey) as settle
//! Optional: extend_by(how, s, tile) the reference after s has received a tile · guess(how, tile), misses(how, value)
#pragma once

#include "twofold/algebra/adjoin.hpp"
#include "twofold/algebra/math.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace gauge {

namespace detail {
//! The later reference; NaN wins, so that a NaN element is seen in every schedule (fmax would drop it).
template <class G>
TWOFOLD_HD constexpr G later(const G& a, const G& b) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<G, float>)
    if (!__builtin_is_constant_evaluated()) return math::larger_or_nan(a, b);
#endif
  return a < b || b != b ? b : a;
}
//! Asked of types, outside of any function: within one that a scan's kernel calls, nvcc 13.0 answers no where the answer is yes.
template <class Twisting, class... X>
inline constexpr bool may_be_absent = requires(const Twisting& t, const X&... x) {
  t.absent(x...);
};
template <class Twisting, class... X>
TWOFOLD_HD constexpr bool present(const Twisting& how, const X&... x) {
  if constexpr (may_be_absent<Twisting, X...>) return !how.absent(x...);
  else return true;
}
}  // namespace detail

namespace detail {

struct unrounded {
  template <class G>
  TWOFOLD_HD static constexpr G round(const G& g) {
    return g;
  }
};
struct rounded_up {
  template <class G>
  TWOFOLD_HD static constexpr G round(const G& g) {
    return math::ceil(g);
  }
};

//! The largest observed reference, rounded; `round` is monotone and leaves its own results alone.
template <class Rounding>
struct largest : Rounding {
  static constexpr bool symmetric_join = true;
  template <class Twisting, class... X>
  TWOFOLD_HD constexpr auto of(const Twisting& how, const X&... x) const {
    return Rounding::round(how.observe(x...));
  }
  template <class Twisting, class State, class... X>
  TWOFOLD_HD constexpr auto extend(const Twisting& how, const State& s, const X&... x) const {
    const auto g = how.observe(x...);
    return g <= s.at ? s.at : later(s.at, Rounding::round(g));  // a NaN moves the reference: the comparison is false
  }
  template <class Twisting, class State>
  TWOFOLD_HD constexpr auto merge(const Twisting&, const State& a, const State& b) const {
    return later(a.at, b.at);
  }
  template <class Twisting, class Tile>
  requires requires(const Twisting& how, const Tile& tile) { how.survey_largest(tile); }
  TWOFOLD_HD constexpr auto survey(const Twisting& how, const Tile& tile) const { return how.survey_largest(tile); }
  template <class Twisting, class Survey>
  TWOFOLD_HD constexpr Survey join(const Twisting&, const Survey& a, const Survey& b) const {
    return later(a, b);
  }
  template <class Twisting, class Survey>
  TWOFOLD_HD constexpr maybe<Survey> reference(const Twisting& how, const Survey& s) const {
    return {!(s == how.nowhere()), Rounding::round(s)};
  }
  //! The reference of s followed by a tile.
  template <class Twisting, class State, class Tile>
  requires requires(const Twisting& how, const Tile& tile) { how.survey_largest(tile); }
  TWOFOLD_HD constexpr auto extend_by(const Twisting& how, const State& s, const Tile& tile) const {
    return later(s.at, Rounding::round(how.survey_largest(tile)));
  }
  template <class Twisting, class Tile>
  TWOFOLD_HD constexpr auto settle(const Twisting& how, const Tile& tile) const {
    maybe<typename Twisting::reference> best;
    for (index i = 0, n = tile.size(); i < n; ++i)
      tile.apply(i, [&](const auto&... x) {
        if (!present(how, x...)) return;
        const auto g = how.observe(x...);
        best = {true, best.has ? later(best.value, g) : g};
      });
    if (best.has) best.value = Rounding::round(best.value);
    return best;
  }
};

}  // namespace detail

//! @brief  The largest observed reference. Every exponent is ≤ 0: no overflow.
struct maximum : detail::largest<detail::unrounded> {};

//! @brief  The maximum rounded up to an integer: every rescale 2^(g−k) is an exact power of two.
//! @error  a rescale rounds nothing (results near the underflow threshold apart), so it leaves the error bound
struct integer : detail::largest<detail::rounded_up> {};

//! @brief  Keeps the reference while a newcomer exceeds it by at most Tau: fewer rescales in a fold. Merges and tiles
//!         take the maximum, so that no element ever lies more than Tau above the reference: exponents stay ≤ Tau.
//! @laws   the representation depends on the schedule; associative modulo `same` only
template <int Tau, class Base = maximum>
struct lazy : Base {
  template <class Twisting, class State, class... X>
  TWOFOLD_HD constexpr auto extend(const Twisting& how, const State& s, const X&... x) const {
    const auto g = how.observe(x...);
    return g - s.at <= Tau ? s.at : Base::extend(how, s, x...);  // a NaN moves the reference: the comparison is false
  }
};

//! @brief  The centre of the elements (Welford: their mean), a function of the class. Merges and tiles are centred; a
//!         fold keeps its reference until it lies half a standard deviation off the centre, which costs M2 a factor
//!         4/3 of rounding at most.
struct mean {
  template <class Twisting, class... X>
  TWOFOLD_HD constexpr auto of(const Twisting& how, const X&... x) const {
    return how.observe(x...);
  }
  template <class Twisting, class State, class... X>
  TWOFOLD_HD constexpr auto extend(const Twisting& how, const State& s, const X&...) const {
    return how.off_centre(s.amount) ? how.centre(s.at, s.amount) : s.at;
  }
  template <class Twisting, class State>
  TWOFOLD_HD constexpr auto merge(const Twisting& how, const State& a, const State& b) const {
    return how.centre(a.at, a.amount, b.at, b.amount);
  }
  template <class Twisting, class Tile>
  requires requires(const Twisting& how, const Tile& tile) { how.survey_mean(tile); }
  TWOFOLD_HD constexpr auto survey(const Twisting& how, const Tile& tile) const { return how.survey_mean(tile); }
  template <class Twisting, class Survey>
  TWOFOLD_HD constexpr Survey join(const Twisting& how, const Survey& a, const Survey& b) const {
    return how.join_means(a, b);
  }
  template <class Twisting, class Survey>
  TWOFOLD_HD constexpr maybe<typename Twisting::reference> reference(const Twisting& how, const Survey& s) const {
    return {s.count != 0, how.centre(s)};
  }
  //! @name A guess that costs no look at the tile, and whether the sums about it turned out too far from their centre.
  //! @{
  template <class Twisting, class Tile>
  requires requires(const Tile& tile) { tile.pivot(); }
  TWOFOLD_HD constexpr auto guess(const Twisting& how, const Tile& tile) const { return how.observe(tile.pivot()); }
  template <class Twisting, class Value>
  TWOFOLD_HD constexpr bool misses(const Twisting& how, const Value& v) const {
    return how.far_off_centre(v);
  }
  //! @}
  //! The reference of s followed by a tile: as in a fold, s keeps it while it is near the centre.
  template <class Twisting, class State, class Tile>
  requires requires(const Twisting& how, const State& s) { how.off_centre(s.amount); }
  TWOFOLD_HD constexpr auto extend_by(const Twisting& how, const State& s, const Tile& tile) const {
    if (s.amount.count == 0) return reference(how, survey(how, tile)).value;
    return how.off_centre(s.amount) ? how.centre(s.at, s.amount) : s.at;
  }
  template <class Twisting, class Tile>
  TWOFOLD_HD constexpr auto settle(const Twisting& how, const Tile& tile) const {
    maybe<typename Twisting::reference> g;
    auto v = how.base().identity();
    for (index i = 0, n = tile.size(); i < n; ++i)
      tile.apply(i, [&](const auto&... x) {
        if (!detail::present(how, x...)) return;
        if (!g.has) g = {true, how.observe(x...)};
        how.add(v, g.value, x...);
      });
    if (g.has) g.value = how.centre(g.value, v);
    return g;
  }
};

//! @brief  The first element, kept for ever: no division and no rescale in a fold. M2 is accurate while the first
//!         element is as near to the mean as the others are; an outlier in front costs a factor n.
struct pivot : mean {
  void survey() const = delete;  // its reference is the first element: settle says it at once
  void guess() const = delete;
  void extend_by() const = delete;
  template <class Twisting, class State, class... X>
  TWOFOLD_HD constexpr auto extend(const Twisting&, const State& s, const X&...) const {
    return s.at;
  }
  template <class Twisting, class State>
  TWOFOLD_HD constexpr auto merge(const Twisting&, const State& a, const State&) const {
    return a.at;
  }
  template <class Twisting, class Tile>
  TWOFOLD_HD constexpr auto settle(const Twisting& how, const Tile& tile) const {
    maybe<typename Twisting::reference> g;
    for (index i = 0, n = tile.size(); i < n && !g.has; ++i)
      tile.apply(i, [&](const auto&... x) {
        if (detail::present(how, x...)) g = {true, how.observe(x...)};
      });
    return g;
  }
};

}  // namespace gauge
TWOFOLD_END_NAMESPACE
