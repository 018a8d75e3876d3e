// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The state of a block under a twisted operator, in vector lanes. All lanes collect values at one reference, so that no lane ever
//! rescales and lanes add up without any action. The reference is that of what was seen before, for any reference near the block's own is
//! legal; whether it was near is asked of the value collected. A tile for which it was not is collected again at its own.
#pragma once

#include "twofold/algebra/twist.hpp"
#include "twofold/cpu/block.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu::detail {

inline constexpr index twist_tile = 8192;   // elements between two looks at the reference; as floats they fit a first-level cache
inline constexpr index twist_sample = 256;  // from so many a reference that is near enough for the tile is mostly found

//! The tile as twistings see it, with its largest element found in lanes.
template <int N, class S>
struct lane_tile {
  const S& base;
  [[nodiscard]] index size() const { return base.size(); }
  template <class F>
  void apply(index i, F&& f) const {
    base.apply(i, f);
  }
  //! A NaN beside numbers may be passed over: its weight will tell. Where nothing is larger than −inf, a NaN is found.
  [[nodiscard]] TWOFOLD_FLATTEN auto largest() const {
    using T = std::remove_cvref_t<decltype(*base.data)>;
    using V = simd::vec<T, N>;
    constexpr int K = 4;
    T most = -math::infinity<T>;
    const index n = size();
    if (base.stride == 1 && n >= N) {
      const auto larger = [](const auto& a, const auto& b) __attribute__((always_inline)) { return simd::larger(a, b); };
      V m[K];
      each<K>([&](auto k) __attribute__((always_inline)) { m[k] = V::load(base.data + n - N); });  // the last ones, and some of them again
      index i = 0;
      for (; i + N * K <= n; i += N * K)
        each<K>([&](auto k) __attribute__((always_inline)) { m[k] = simd::larger(V::load(base.data + i + k * N), m[k]); });
      for (; i + N <= n; i += N) m[0] = simd::larger(V::load(base.data + i), m[0]);
      const T y = simd::first_lane(simd::by_halves<N / 2>(larger(larger(m[0], m[1]), larger(m[2], m[3])), larger));
      most = y > most ? y : most;
    } else {
      index i = 0;
      for (const T* x = base.data; i < n; ++i, x += base.stride) most = *x > most ? *x : most;
    }
    if (most > -math::infinity<T>) return most;
    index i = 0;
    for (const T* x = base.data; i < n; ++i, x += base.stride)
      if (*x != *x) return *x;
    return most;
  }
};

//! A count is the same in all lanes: of a state that stands for all of them it is the sum.
template <int N, class To, class From>
void add_up(To& to, const From& from) {
  if constexpr (simd::is_vec<From>) to = static_cast<To>(simd::total(from));
  else if constexpr (std::is_arithmetic_v<From>) to = from * N;
  else if constexpr (std::is_array_v<From>)
    for (std::size_t i = 0; i < std::extent_v<From>; ++i) add_up<N>(to[i], from[i]);
  else
    twofold::detail::with_members(
        to, [&](auto&... t) { twofold::detail::with_members(from, [&](const auto&... f) { (add_up<N>(t, f), ...); }); });
}

//! Weights 2^(score − reference): references are largest scores. Near: no weight above 2^8.
template <int N, class R>
struct weighing {
  const R& r;
  using how = std::remove_cvref_t<decltype(std::declval<const R&>().how)>;
  using wide = over_lanes<how, N>;
  using value = typename wide::value;
  using reference = typename how::reference;
  //! Elements to look at before the whole tile is; 0: the largest score of all is wanted.
  static constexpr index sample(index n) {
    return std::is_same_v<std::remove_cvref_t<decltype(std::declval<const R&>().gauge)>, gauge::integer> && n > 2 * twist_sample
               ? twist_sample
               : 0;
  }
  wide v = with_lanes<N>(r.how);

  template <class S>
  maybe<reference> settle(const S& tile) const {
    return r.gauge.reference(r.how, r.survey(lane_tile<N, S>{tile}));
  }
  bool usable(const reference& g) const { return r.how.collects_at(g); }
  template <class S>
  TWOFOLD_FLATTEN value collect(const reference& g, const S& tile, index n) const {
    constexpr int K = chains_of<value>;
    const typename wide::reference at(g);
    value s[K];
    each<K>([&](auto k) __attribute__((always_inline)) { s[k] = v.begin_collecting(); });
    index i = 0;
    for (; i + N * K <= n; i += N * K)
      each<K>([&](auto k) __attribute__((always_inline)) {
        ask_for_what_comes(tile, i + k * N);
        apply_lanes<N>(
            tile, i + k * N, 1, [&](const auto& x) __attribute__((always_inline)) { v.collect_one(s[k], at, x); });
      });
    for (; i < n; i += N)
      apply_lanes<N>(
          tile, i, 1, [&](const auto& x) __attribute__((always_inline)) { v.collect_one(s[0], at, x); });
    auto good = v.collected_well(s[0]);
    value all = v.end_collecting(s[0]);
    each<K - 1>([&](auto k) __attribute__((always_inline)) {
      good = good & v.collected_well(s[k + 1]);
      all = v.base().combine(all, v.end_collecting(s[k + 1]));
    });
    well = !simd::any(!good);
    return all;
  }
  //! s ← (g, sum) and what fills no vector, which is filled up with scores that weigh nothing; false, and nothing done, where −inf is not
  //! such a score or the reference is not near.
  template <class S>
  bool add_rest(state_of<R>& s, const reference& g, const value& sum, const S& rest) const {
    if constexpr (requires {
                    rest.data;
                    requires std::is_floating_point_v<std::remove_cvref_t<decltype(*rest.data)>>;
                  }) {
      using T = std::remove_cvref_t<decltype(*rest.data)>;
      if (!r.how.absent(-math::infinity<T>)) return false;
      T filled[N];
      for (T& x : filled) x = -math::infinity<T>;
      for (index i = 0; i < rest.size(); ++i) filled[i] = rest.data[i * rest.stride];
      value more = v.begin_collecting();
      v.collect_one(more, typename wide::reference(g), simd::vec<T, N>::load(filled));
      if (simd::any(!v.collected_well(more))) return false;
      s = {g, sum_of(v.base().combine(sum, v.end_collecting(more)))};
      return true;
    }
    return false;
  }
  //! All lanes as one value.
  typename how::value sum_of(const value& lanes) const { return merged_halves<typename how::value, N>(v.base(), lanes); }
  bool accepts(const reference&, const value&) const { return well; }
  //! At its own reference a tile's weights are at most 1: anything else is infinities or NaN.
  bool accepts_own(const reference&, const value&) const { return well; }

  mutable bool well = true;
};

//! Powers of x − reference: references are near the mean. Near: within half a standard deviation.
template <int N, class R>
struct centring {
  const R& r;
  using how = std::remove_cvref_t<decltype(std::declval<const R&>().how)>;
  using wide = over_lanes<how, N>;
  using value = typename wide::value;
  using reference = typename how::reference;
  static constexpr index sample(index n) {
    return n > 16 * twist_sample ? twist_sample : n > 16 * N ? n / 16 / N * N : n > 2 * N ? 2 * N : 0;
  }
  wide v = with_lanes<N>(r.how);

  bool usable(const reference&) const { return true; }
  template <class S>
  TWOFOLD_INLINE value collect_here(const reference& g, const S& tile, index n) const {
    constexpr int K = chains_of<value>;
    typename wide::reference at{};
    spread(at, g);
    value s[K];
    each<K>([&](auto k) __attribute__((always_inline)) { s[k] = v.base().identity(); });
    index i = 0;
    for (; i + N * K <= n; i += N * K)
      each<K>([&](auto k) __attribute__((always_inline)) {
        ask_for_what_comes(tile, i + k * N);
        apply_lanes<N>(
            tile, i + k * N, 1, [&](const auto&... x) __attribute__((always_inline)) { v.add(s[k], at, x...); });
      });
    for (; i < n; i += N)
      apply_lanes<N>(
          tile, i, 1, [&](const auto&... x) __attribute__((always_inline)) { v.add(s[0], at, x...); });
    return fold_of(v.base(), s);
  }
  template <class S>
  TWOFOLD_FLATTEN value collect(const reference& g, const S& tile, index n) const {
    return collect_here(g, tile, n);
  }
  //! All lanes as one value: by halves as well, but number by number, which spares copies of states as large as these.
  typename how::value sum_of(const value& lanes) const {
    typename how::value all{};
    add_up<N>(all, lanes);
    return all;
  }
  template <class S>
  maybe<reference> settle(const S& tile) const {
    maybe<reference> g;
    tile.apply(0, [&](const auto&... x) { g = {true, r.how.observe(x...)}; });
    g.value = r.how.centre(g.value, sum_of(collect(g.value, tile, tile.size() / N * N)));
    return g;
  }
  //! The state of an array of few vectors, in one piece of code: what goes through memory between two functions takes as long as the sums
  //! do. Its reference is the mean of the first of them, which costs no look at the others; where that is
  //! off the centre, what was collected says where the centre is.
  static constexpr index few = 17 * N - 1;
  template <class S>
  TWOFOLD_FLATTEN state_of<R> state_of_few(const S& tile) const requires requires {
    r.how.observe(tile.data[0]);
    requires std::is_floating_point_v<std::remove_cvref_t<decltype(tile.data[0])>>;
  }
  {
    const index whole = tile.size() / N * N;
    using T = std::remove_cvref_t<decltype(tile.data[0])>;
    T first[N];
    for (int l = 0; l < N; ++l) first[l] = tile.data[l * tile.stride];
    reference g = r.how.observe(simd::total(simd::vec<T, N>::load(first)) / T(N));
    for (bool again = false;; again = true) {
      auto s = sum_of(collect_here(g, tile, whole));
      for (index i = whole; i < tile.size(); ++i) tile.apply(i, [&](const auto&... x) { r.how.add(s, g, x...); });
      if (again || !r.how.off_centre(s)) return {g, s};
      g = r.how.centre(g, s);
    }
  }
  //! s ← (g, sum) and what fills no vector; false, and nothing done, where that moves the centre away.
  template <class S>
  bool add_rest(state_of<R>& s, const reference& g, const value& sum, const S& rest) const {
    auto all = sum_of(sum);
    for (index i = 0; i < rest.size(); ++i) rest.apply(i, [&](const auto&... x) { r.how.add(all, g, x...); });
    if (r.how.off_centre(all)) return false;
    s = {g, all};
    return true;
  }
  bool accepts(const reference&, const value& s) const { return !r.how.off_centre(sum_of(s)); }
  bool accepts_own(const reference&, const value&) const { return true; }
};

template <int N, class R>
concept weighed = requires(const R& r) {
  requires has_lanes<std::remove_cvref_t<decltype(r.how)>, N>;
  r.how.begin_collecting();
};
template <int N, class R, class S>
concept centred = requires(const R& r, const S& src, const typename R::value& v, const typename R::reference& g) {
  requires has_lanes<std::remove_cvref_t<decltype(r.how)>, N>;
  requires std::is_same_v<std::remove_cvref_t<decltype(r.gauge)>,
                          gauge::mean>;  // the only gauge whose reference is a function of the class
  r.gauge.settle(r.how, src);
  { r.how.off_centre(v) } -> std::convertible_to<bool>;
  r.how.centre(g, v);
};

//! The state of a block: tiles at a running reference, the lanes merged where it changes and at the end.
template <int N, class R, class S, class How>
state_of<R> twisted_tiles(const R& r, const S& src, const How& how) {
  using value = typename How::value;
  using reference = typename How::reference;
  state_of<R> all = r.identity();
  maybe<reference> at;
  value sum = how.v.base().identity();
  const auto finish = [&] {
    if (!at.has) return;
    combine_into(r, all, state_of<R>{at.value, how.sum_of(sum)});
    at.has = false;
    sum = how.v.base().identity();
  };
  const index n = src.size(), last = n / N * N;
  for (index i = 0; i < last; i += twist_tile) {
    const S tile = src.sub(i, i + twist_tile < last ? i + twist_tile : last);
    const auto collected = [&] {
      if (!at.has || !how.usable(at.value)) return false;
      const value here = how.collect(at.value, tile, tile.size());
      if (!how.accepts(at.value, here)) return false;
      twofold::combine_into(how.v.base(), sum, here);
      return true;
    };
    if (collected()) continue;
    finish();
    if (const index some = How::sample(tile.size()); some > 0) {
      at = how.settle(tile.sub(0, some));
      if (collected()) continue;
    }
    at = how.settle(tile);
    if (!at.has) continue;  // nothing visible
    if (how.usable(at.value)) {
      const value here = how.collect(at.value, tile, tile.size());
      if (how.accepts_own(at.value, here)) {
        sum = here;
        continue;
      }
    }
    at.has = false;
    combine_into(r, all, leaf(r, tile));  // infinities and NaN are the operator's own business
  }
  const S rest = src.sub(last, n);
  if (at.has && rest.size() > 0) {
    state_of<R> here = r.identity();
    if (how.add_rest(here, at.value, sum, rest)) return combine_into(r, all, here), all;
  }
  finish();
  if (rest.size() > 0) combine_into(r, all, leaf(r, rest));
  return all;
}

//! The same of any number of elements: short rows are in a hurry.
template <int N, class R, class S, class How>
state_of<R> twisted_lanes(const R& r, const S& src, const How& how) {
  if constexpr (requires { how.state_of_few(src); })
    if (src.size() >= N && src.size() <= How::few) return how.state_of_few(src);
  return twisted_tiles<N>(r, src, how);
}

}  // namespace cpu::detail
TWOFOLD_END_NAMESPACE
