// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Elements for the law checker: drawn at random, and made simpler when a counterexample shrinks.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "twofold/algebra/fields.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace laws {

//! SplitMix64: the same numbers on every machine.
class random {
 public:
  explicit random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  //! In [low, high].
  int between(int low, int high) { return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1)); }

 private:
  std::uint64_t state_;
};

namespace detail {

//! What an operator lifts: its `input`, or the parameters of its lift where that is one plain function.
template <class F>
struct parameters;
template <class... X>
struct one_or_tuple {
  using type = std::tuple<std::remove_cvref_t<X>...>;
};
template <class X>
struct one_or_tuple<X> {
  using type = std::remove_cvref_t<X>;
};
template <class R, class Out, class... X>
struct parameters<Out (R::*)(X...) const> : one_or_tuple<X...> {};
template <class R, class Out, class... X>
struct parameters<Out (R::*)(X...) const noexcept> : parameters<Out (R::*)(X...) const> {};
template <class R, class Out, class... X>
struct parameters<Out (R::*)(X...)> : parameters<Out (R::*)(X...) const> {};

template <class R>
struct element {
  static_assert(sizeof(R) == 0,
                "TF1015: laws::check cannot tell what this operator lifts: give it `using input = …`, or pass samples "
                "or a generator (TF1015: twofold explain TF1015)");
};
template <class R>
requires requires { typename R::input; }
struct element<R> {
  using type = typename R::input;
};
template <class R>
requires(
    !requires { typename R::input; } && requires { typename parameters<decltype(&R::lift)>::type; }) struct element<R> {
  using type = typename parameters<decltype(&R::lift)>::type;
};

//! Small whole numbers mostly, for readable counterexamples and exact sums; some halves, some large; characters that
//! loops like.
template <class T>
T draw(random& r) {
  if constexpr (std::is_same_v<T, bool>) {
    return r.between(0, 1) == 1;
  } else if constexpr (std::is_same_v<T, char>) {
    return "ab ()01\n"[r.between(0, 7)];
  } else if constexpr (std::is_floating_point_v<T>) {
    switch (r.between(0, 7)) {
      case 0:
        return static_cast<T>(r.between(-1000, 1000)) / T(8);
      case 1:
        return static_cast<T>(r.between(-32000, 32000));
      case 2:
        return static_cast<T>(r.between(-999, 999)) / T(1000);
      default:
        return static_cast<T>(r.between(-4, 4));
    }
  } else if constexpr (std::is_integral_v<T>) {
    const int largest = sizeof(T) == 1 ? 10 : 100;
    const int low = std::is_signed_v<T> ? -1 : 0;
    return static_cast<T>(r.between(0, 7) == 0 ? r.between(low * largest, largest) : r.between(low * 3, 3));
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    T x;
    std::apply([&](auto&... e) { ((e = draw<std::remove_cvref_t<decltype(e)>>(r)), ...); }, x);
    return x;
  } else {
    T x{};
    for_each_field(x, [&](auto& e) { e = draw<std::remove_cvref_t<decltype(e)>>(r); });
    return x;
  }
}

//! Calls try_it with simpler values of x until one is accepted (true), which x then becomes. True if any was.
template <class T, class Try>
bool simplify(T& x, const Try& try_it) {
  if constexpr (std::is_arithmetic_v<T>) {
    const T old = x;
    const auto becomes = [&](T simpler) {
      if (simpler == old || old != old) return false;
      x = simpler;
      if (try_it()) return true;
      x = old;
      return false;
    };
    if (old == T(0)) return false;
    if (becomes(T(0))) return true;
    if (old == T(1)) return false;
    if (becomes(T(1))) return true;
    if constexpr (std::is_signed_v<T>) {
      if (old < T(0) && old >= T(-1000000)) {
        if (becomes(static_cast<T>(-old))) return true;
      }
    }
    if constexpr (!std::is_same_v<T, bool>) {
      if (old < T(1000000) && old > T(-1000000)) {
        if (becomes(static_cast<T>(static_cast<int>(old) / 2))) return true;
        if (becomes(static_cast<T>(static_cast<int>(old)))) return true;
        if (old > T(1) && becomes(static_cast<T>(old - T(1)))) return true;
      }
    }
    return false;
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    return std::apply([&](auto&... e) { return (simplify(e, try_it) || ...); }, x);
  } else if constexpr (has_fields<T>()) {
    bool any = false;
    for_each_field(x, [&](auto& e) { any = any || simplify(e, try_it); });
    return any;
  } else {
    return false;
  }
}

}  // namespace detail
}  // namespace laws
TWOFOLD_END_NAMESPACE
