// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The answers of a block of neighbouring elements, from the state of everything before it. In vector lanes where the operator's code
//! holds for vectors and nothing in its state is the same for all lanes: prefixes within a vector by doubling, then the carry.
#pragma once

#include "twofold/cpu/block.hpp"
#include "twofold/cpu/compiled.hpp"
#include "twofold/schedule/output.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu::detail {

//! Is every number of this state one of lanes? (A count is not.)
template <class State>
constexpr bool all_lanes() {
  if constexpr (simd::is_vec<State>) return true;
  else if constexpr (std::is_arithmetic_v<State> || std::is_enum_v<State> || std::is_array_v<State>) return false;
  else {
    bool all = true;
    using members = decltype([]<std::size_t... I>(std::index_sequence<I...>) {
      return std::integral_constant<bool, (all_lanes<std::remove_cvref_t<decltype(member<I>(std::declval<State&>()))>>() && ...)>{};
    }(std::make_index_sequence<twofold::detail::field_count<State>()>{}));
    all = members::value;
    return all;
  }
}

template <int By, class State>
TWOFOLD_INLINE State states_moved_up(const State& s, const State& fill) {
  State r = s;
  for_both(
      r, fill, [](auto& x, const auto& f) __attribute__((always_inline)) { x = simd::moved_up<By>(x, f); });
  return r;
}
template <class State>
TWOFOLD_INLINE State last_state(const State& s) {
  State r = s;
  for_both(
      r, s, [](auto& x, const auto& y) __attribute__((always_inline)) { x = simd::last_everywhere(y); });
  return r;
}

template <class R, class S, class T>
inline constexpr bool scans_in_lanes = [] {
  constexpr int N = vector_source<S>::lanes;
  if constexpr (!vector_source<S>::value) return false;
  else if constexpr (!has_lanes<R, N>) return false;
  else {
    using V = over_lanes<R, N>;
    if constexpr (!all_lanes<typename V::state>()) return false;
    else
      return std::is_same_v<std::remove_cvref_t<decltype(std::declval<const V&>().finalize(std::declval<const typename V::state&>()))>,
                            simd::vec<T, N>>;
  }
}();

//! Answers in vectors for as many whole vectors as there are; returns how many elements that was. `before` moves on.
template <bool Inclusive, class R, class S, class T>
TWOFOLD_FLATTEN index scan_vectors(const R& r, const S& src, T* out, state_of<R>& before, bool streamed) {
  constexpr int N = vector_source<S>::lanes;
  const auto v = with_lanes<N>(r);
  using wide = typename std::remove_cvref_t<decltype(v)>::state;
  wide carry = v.identity();
  spread(carry, before);
  const wide none = v.identity();
  const index last = src.size() / N * N;
  for (index i = 0; i < last; i += N) {
    wide s = none;
    apply_lanes<N>(
        src, i, 1, [&](const auto&... x) __attribute__((always_inline)) { s = v.lift(x...); });
    s = v.combine(states_moved_up<1>(s, none), s);
    s = v.combine(states_moved_up<2>(s, none), s);
    s = v.combine(states_moved_up<4>(s, none), s);
    if constexpr (N == 16) s = v.combine(states_moved_up<8>(s, none), s);
    const auto answer = v.finalize(v.combine(carry, Inclusive ? s : states_moved_up<1>(s, none)));
    if (streamed) answer.stream(out + i);
    else answer.store(out + i);
    carry = v.combine(carry, last_state(s));
  }
  state_of<R> lanes[N]{};
  lane_states<N>(lanes, carry);
  if (last > 0) before = lanes[0];
  return last;
}

//! out[i] from `before` and the block's elements up to i (before i where not Inclusive).
template <bool Inclusive, class R, class S, class T>
void scan_block(const R& r, const S& src, const array_output<T>& out, state_of<R> before, bool streamed) {
  index done = 0;
  if constexpr (scans_in_lanes<R, S, T>) {
    using listed = job<R, std::conditional_t<std::is_same_v<S, array_source<T>>, T, void>>;
    if (by_library<listed>(compiled_scans{},
                           [&](const auto& calls, int k) { calls.scan[k](&r, &src, &out, &before, Inclusive, streamed); }))
      return;
    if (out.stride == 1 && side_by_side(src)) {
      const bool aligned = reinterpret_cast<std::uintptr_t>(out.data) % simd::vector_bytes == 0;
      done = scan_vectors<Inclusive>(r, contiguous(src), out.data, before, streamed && aligned);
    }
  }
  for (index i = done, n = src.size(); i < n; ++i) {
    if constexpr (Inclusive) {
      push_at(r, before, src, i);
      out[i] = r.finalize(before);
    } else {
      auto answer = r.finalize(before);
      push_at(r, before, src, i);  // read before the answer is written: the output may be the input
      out[i] = std::move(answer);
    }
  }
}

}  // namespace cpu::detail
TWOFOLD_END_NAMESPACE
