// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file N numbers side by side, used like one number: what an operator's number type becomes when its states run in vector lanes.
//! Comparisons give masks; `math::select(mask, a, b)` chooses, as it does for numbers and bool.
#pragma once

#include "twofold/algebra/math.hpp"
#include "twofold/cpu/simd/registers.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace simd {

template <class T, int N>
struct mask;

//! @brief  N lanes of T. Arithmetic is lane by lane and rounds as T does; a number is spread to all lanes.
//! @cost   lies in registers: use it by value in loops, store it to look at single lanes
template <class T, int N>
struct vec {
  using lanewise = vec;
  using number = T;
  using parts_layout = layout<T, N>;
  template <class U>
  using of = vec<U, N>;
  static constexpr int size = N;
  static constexpr int parts = parts_layout::parts;
  using part = typename parts_layout::part;
  part p[parts];

  vec() = default;
  template <class U>
  requires std::is_arithmetic_v<U> TWOFOLD_INLINE vec(U x) : vec(all, [&](auto) { return on::set<T, N>(static_cast<T>(x)); }) {}
  template <class U>
  requires(!std::is_same_v<U, T>) TWOFOLD_INLINE explicit vec(const vec<U, N>& v);

  //! f(part index) for every part.
  struct from_parts {};
  static constexpr from_parts all{};
  template <class F>
  TWOFOLD_INLINE vec(from_parts, const F& f) : vec(f, std::make_index_sequence<parts>{}) {}

  static TWOFOLD_INLINE vec load(const T* x) {
    return vec(all, [&](auto i) { return on::load<T, N>(x + i * parts_layout::lanes); });
  }
  TWOFOLD_INLINE void store(T* x) const {
    each_part([&](auto i) { on::store<T, N>(p[i], x + i * parts_layout::lanes); });
  }
  //! Past the caches; x aligned to vector_bytes.
  TWOFOLD_INLINE void stream(T* x) const {
    each_part([&](auto i) { on::stream<T, N>(p[i], x + i * parts_layout::lanes); });
  }
  template <class F>
  static TWOFOLD_INLINE void each_part(const F& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) { (f(std::integral_constant<std::size_t, I>{}), ...); }
    (std::make_index_sequence<parts>{});
  }

#define TWOFOLD_SIMD_BINARY(sign, name)                                 \
  friend TWOFOLD_INLINE vec operator sign(const vec& a, const vec& b) { \
    return vec(all, [&](auto i) { return on::name(a.p[i], b.p[i]); });  \
  }                                                                     \
  TWOFOLD_INLINE vec& operator sign##=(const vec& b) { return *this = *this sign b; }
  TWOFOLD_SIMD_BINARY(+, add)
  TWOFOLD_SIMD_BINARY(-, sub)
  TWOFOLD_SIMD_BINARY(*, mul)
  TWOFOLD_SIMD_BINARY(/, div)
#undef TWOFOLD_SIMD_BINARY
  friend TWOFOLD_INLINE vec operator-(const vec& a) {
    return vec(all, [&](auto i) { return on::negative(a.p[i]); });
  }
  //! @name What algebra/math.hpp asks for.
  //! @{
  static TWOFOLD_INLINE vec fma(const vec& a, const vec& b, const vec& c) {
    return vec(all, [&](auto i) { return on::fma(a.p[i], b.p[i], c.p[i]); });
  }
  //! The larger (smaller) of two: NaN if either is one, −0 below +0.
  static TWOFOLD_INLINE vec maximum(const vec& a, const vec& b) {
    return vec(all, [&](auto i) { return on::maximum(a.p[i], b.p[i]); });
  }
  static TWOFOLD_INLINE vec minimum(const vec& a, const vec& b) {
    return vec(all, [&](auto i) { return on::minimum(a.p[i], b.p[i]); });
  }
  static TWOFOLD_INLINE mask<T, N> is_minus_zero(const vec& a);
  //! Fused or not, whichever is fast: for polynomials.
  static TWOFOLD_INLINE vec multiply_add(const vec& a, const vec& b, const vec& c) {
    return vec(all, [&](auto i) { return on::multiply_add(a.p[i], b.p[i], c.p[i]); });
  }
  static TWOFOLD_INLINE vec sqrt(const vec& a) {
    return vec(all, [&](auto i) { return on::root(a.p[i]); });
  }
  static TWOFOLD_INLINE vec fabs(const vec& a) {
    return vec(all, [&](auto i) { return on::magnitude(a.p[i]); });
  }
  static TWOFOLD_INLINE vec ceil(const vec& a) {
    return vec(all, [&](auto i) { return on::upwards(a.p[i]); });
  }
  //! The nearest integer, the even one of two.
  static TWOFOLD_INLINE vec nearest(const vec& a) {
    return vec(all, [&](auto i) { return on::nearest(a.p[i]); });
  }
  static vec exp2(const vec& a);          // exponential.hpp
  static vec exp2_flushed(const vec& a);  // exponential.hpp
  static vec exp(const vec& a);           // exponential.hpp
  static vec log(const vec& a);           // logarithm.hpp
  //! @}
#define TWOFOLD_SIMD_COMPARE(sign, expression)                                           \
  friend TWOFOLD_INLINE constexpr mask<T, N> operator sign(const vec& a, const vec& b) { \
    return mask<T, N>(mask<T, N>::all, [&](auto i) { return expression; });              \
  }
  TWOFOLD_SIMD_COMPARE(<, on::lt(a.p[i], b.p[i]))
  TWOFOLD_SIMD_COMPARE(>, on::lt(b.p[i], a.p[i]))
  TWOFOLD_SIMD_COMPARE(<=, on::le(a.p[i], b.p[i]))
  TWOFOLD_SIMD_COMPARE(>=, on::le(b.p[i], a.p[i]))
  TWOFOLD_SIMD_COMPARE(==, on::eq(a.p[i], b.p[i]))
  TWOFOLD_SIMD_COMPARE(!=, on::mask_not(on::eq(a.p[i], b.p[i])))
#undef TWOFOLD_SIMD_COMPARE

 private:
  template <class F, std::size_t... I>
  TWOFOLD_INLINE vec(const F& f, std::index_sequence<I...>) : p{f(std::integral_constant<std::size_t, I>{})...} {}
};

//! N truth values beside N lanes of T.
template <class T, int N>
struct mask {
  using lanewise = mask;
  using parts_layout = layout<T, N>;
  static constexpr int parts = parts_layout::parts;
  typename parts_layout::mask_part p[parts];

  mask() = default;
  struct from_parts {};
  static constexpr from_parts all{};
  template <class F>
  TWOFOLD_INLINE mask(from_parts, const F& f) : mask(f, std::make_index_sequence<parts>{}) {}

  friend TWOFOLD_INLINE mask operator&(const mask& a, const mask& b) {
    return mask(all, [&](auto i) { return on::mask_both(a.p[i], b.p[i]); });
  }
  friend TWOFOLD_INLINE mask operator|(const mask& a, const mask& b) {
    return mask(all, [&](auto i) { return on::mask_either(a.p[i], b.p[i]); });
  }
  template <class A, class B>
  static TWOFOLD_INLINE vec<T, N> select(const mask& m, const A& a, const B& b) {
    const vec<T, N> yes(a), no(b);
    return vec<T, N>(vec<T, N>::all, [&](auto i) { return on::choose(m.p[i], yes.p[i], no.p[i]); });
  }
  friend TWOFOLD_INLINE mask operator!(const mask& a) {
    return mask(all, [&](auto i) { return on::mask_not(a.p[i]); });
  }

 private:
  template <class F, std::size_t... I>
  TWOFOLD_INLINE mask(const F& f, std::index_sequence<I...>) : p{f(std::integral_constant<std::size_t, I>{})...} {}
};

template <class T, int N>
TWOFOLD_INLINE mask<T, N> vec<T, N>::is_minus_zero(const vec& a) {
  return mask<T, N>(mask<T, N>::all, [&](auto i) { return on::minus_zero(a.p[i]); });
}

//! Every lane moved up by By; the first By lanes are the last of `fill`.
template <int By, class T, int N>
TWOFOLD_INLINE vec<T, N> moved_up(const vec<T, N>& v, const vec<T, N>& fill) {
#if defined(TWOFOLD_HIGHWAY) && defined(__AVX512F__) && HWY_TARGET <= HWY_AVX3
  if constexpr (vec<T, N>::parts == 1 && sizeof(typename vec<T, N>::part) == 64) {
    const __m512i a = __builtin_bit_cast(__m512i, fill.p[0].raw), b = __builtin_bit_cast(__m512i, v.p[0].raw);
    using raw = decltype(v.p[0].raw);
    vec<T, N> r;
    if constexpr (sizeof(T) == 4) r.p[0].raw = __builtin_bit_cast(raw, _mm512_alignr_epi32(b, a, N - By));
    else r.p[0].raw = __builtin_bit_cast(raw, _mm512_alignr_epi64(b, a, N - By));
    return r;
  }
#endif
#if defined(TWOFOLD_HIGHWAY)
  constexpr int lanes = layout<T, N>::lanes, parts = vec<T, N>::parts, bytes = lanes * sizeof(T);
  if constexpr (By % lanes == 0) {
    return vec<T, N>(vec<T, N>::all, [&](auto i) {
      constexpr int from = static_cast<int>(i) - By / lanes;
      if constexpr (from >= 0) return v.p[from];
      else return fill.p[parts + from];
    });
  } else if constexpr (By < lanes && (bytes == 16 || (bytes == 32 && By * sizeof(T) <= 16))) {
    const typename layout<T, N>::tag d;
    return vec<T, N>(vec<T, N>::all, [&](auto i) {
      const auto& before = [&]() -> const auto& {
        if constexpr (i == 0) return fill.p[parts - 1];
        else return v.p[i - 1];
      }
      ();
      if constexpr (bytes == 16) {
        return hn::CombineShiftRightBytes<16 - By* static_cast<int>(sizeof(T))>(d, v.p[i], before);
      } else {
        const auto blocks = hn::ConcatLowerUpper(d, v.p[i], before);  // the block of 16 bytes before each block
        if constexpr (By * sizeof(T) == 16) return blocks;
        else return hn::CombineShiftRightBytes<16 - By* static_cast<int>(sizeof(T))>(d, v.p[i], blocks);
      }
    });
  }
#endif
  T x[2 * N];
  fill.store(x);
  v.store(x + N);
  return vec<T, N>::load(x + N - By);
}
//! Lane i becomes lane i + By for i < By: the upper half of the 2·By lower lanes. Of the others nothing is said.
template <int By, class T, int N>
TWOFOLD_INLINE vec<T, N> upper_half(const vec<T, N>& v) {
#if defined(TWOFOLD_HIGHWAY)
  constexpr int lanes = layout<T, N>::lanes;
  if constexpr (By >= lanes) {
    return vec<T, N>(vec<T, N>::all, [&](auto i) { return v.p[(i + By / lanes) % vec<T, N>::parts]; });
  } else {
#if defined(__AVX512F__) && HWY_TARGET <= HWY_AVX3
    if constexpr (lanes * sizeof(T) == 64) {
      const __m512i a = __builtin_bit_cast(__m512i, v.p[0].raw);
      vec<T, N> r = v;
      if constexpr (sizeof(T) == 4) r.p[0].raw = __builtin_bit_cast(decltype(v.p[0].raw), _mm512_alignr_epi32(a, a, By));
      else r.p[0].raw = __builtin_bit_cast(decltype(v.p[0].raw), _mm512_alignr_epi64(a, a, By));
      return r;
    }
#endif
    const typename layout<T, N>::tag d;
    vec<T, N> r = v;
    if constexpr (By * sizeof(T) >= 16) r.p[0] = hn::ConcatUpperUpper(d, v.p[0], v.p[0]);
    else r.p[0] = hn::ShiftRightLanes<By>(d, v.p[0]);
    return r;
  }
#else
  T x[2 * N];
  v.store(x), v.store(x + N);
  return vec<T, N>::load(x + By);
#endif
}
//! Lane 0.
template <class T, int N>
TWOFOLD_INLINE T first_lane(const vec<T, N>& v) {
#if defined(TWOFOLD_HIGHWAY)
  return hn::GetLane(v.p[0]);
#else
  return v.p[0].v[0];
#endif
}
//! The last lane in every lane.
template <class T, int N>
TWOFOLD_INLINE vec<T, N> last_everywhere(const vec<T, N>& v) {
#if defined(TWOFOLD_HIGHWAY) && defined(__AVX512F__) && HWY_TARGET <= HWY_AVX3
  if constexpr (vec<T, N>::parts == 1 && sizeof(typename vec<T, N>::part) == 64) {
    const __m512i b = __builtin_bit_cast(__m512i, v.p[0].raw);
    using raw = decltype(v.p[0].raw);
    vec<T, N> r;
    if constexpr (sizeof(T) == 4) r.p[0].raw = __builtin_bit_cast(raw, _mm512_permutexvar_epi32(_mm512_set1_epi32(N - 1), b));
    else r.p[0].raw = __builtin_bit_cast(raw, _mm512_permutexvar_epi64(_mm512_set1_epi64(N - 1), b));
    return r;
  }
#endif
#if defined(TWOFOLD_HIGHWAY)
  using V = vec<T, N>;
  constexpr int lanes = layout<T, N>::lanes, bytes = lanes * sizeof(T), a_block = 16 / sizeof(T);
  if constexpr (bytes == 16 || bytes == 32) {
    const auto last = hn::Broadcast<a_block - 1>(v.p[V::parts - 1]);  // of every block of 16 bytes
    const typename layout<T, N>::tag d;
    const auto one = [&] {
      if constexpr (bytes == 32) return hn::ConcatUpperUpper(d, last, last);
      else return last;
    }();
    return V(V::all, [&](auto) { return one; });
  }
#endif
  T x[N];
  v.store(x);
  return vec<T, N>(x[N - 1]);
}

template <class V>
inline constexpr bool is_vec = false;
template <class T, int N>
inline constexpr bool is_vec<vec<T, N>> = true;

//! True in at least one lane.
template <class T, int N>
TWOFOLD_INLINE bool any(const mask<T, N>& m) {
  bool some = false;
  vec<T, N>::each_part([&](auto i) { some = some || !on::none<T, N>(m.p[i]); });
  return some;
}
//! True in every lane: parts are joined before the one question.
template <class T, int N>
TWOFOLD_INLINE bool all_true(const mask<T, N>& m) {
  auto all = m.p[0];
  vec<T, N>::each_part([&](auto i) {
    if constexpr (i > 0) all = on::mask_both(all, m.p[i]);
  });
  return on::every<T, N>(all);
}

//! m where neither a nor b is NaN.
template <class T, int N>
TWOFOLD_INLINE mask<T, N> ordered_too(const mask<T, N>& m, const vec<T, N>& a, const vec<T, N>& b) {
  return mask<T, N>(mask<T, N>::all, [&](auto i) { return on::ordered_too(m.p[i], a.p[i], b.p[i]); });
}

//! All lanes made one by halves: f(lanes 0 … N/2 − 1, lanes N/2 … N − 1), and so on.
template <int By, class T, int N, class F>
TWOFOLD_INLINE vec<T, N> by_halves(const vec<T, N>& v, const F& f) {
  const vec<T, N> half = f(v, upper_half<By>(v));
  if constexpr (By == 1) return half;
  else return by_halves<By / 2>(half, f);
}
//! The lanes added up by halves.
template <class T, int N>
TWOFOLD_INLINE T total(const vec<T, N>& v) {
  return first_lane(by_halves<N / 2>(
      v, [](const auto& a, const auto& b) __attribute__((always_inline)) { return a + b; }));
}

//! @name Choosing by comparison: a where it holds that a > b, else b. b where a or b is NaN.
//! @{
template <class T, int N>
TWOFOLD_INLINE vec<T, N> larger(const vec<T, N>& a, const vec<T, N>& b) {
  return vec<T, N>(vec<T, N>::all, [&](auto i) { return on::larger(a.p[i], b.p[i]); });
}
template <class T, int N>
TWOFOLD_INLINE vec<T, N> smaller(const vec<T, N>& a, const vec<T, N>& b) {
  return vec<T, N>(vec<T, N>::all, [&](auto i) { return on::smaller(a.p[i], b.p[i]); });
}
//! @}

template <class T, int N>
template <class U>
requires(!std::is_same_v<U, T>) TWOFOLD_INLINE vec<T, N>::vec(const vec<U, N>& v) {
#if defined(TWOFOLD_HIGHWAY)
  if constexpr (std::is_same_v<T, double> && std::is_same_v<U, float> && parts == 2 * vec<U, N>::parts) {
    vec<U, N>::each_part([&](auto i) {
      const typename layout<T, N>::tag d;
      const hn::Half<typename layout<U, N>::tag> half;
      p[2 * i] = hn::PromoteTo(d, hn::LowerHalf(half, v.p[i]));
      p[2 * i + 1] = hn::PromoteTo(d, hn::UpperHalf(half, v.p[i]));
    });
    return;
  }
  if constexpr (std::is_same_v<T, float> && std::is_same_v<U, double> && vec<U, N>::parts == 2 * parts) {
    each_part([&](auto i) {
      const typename layout<T, N>::tag d;
      const hn::Half<decltype(d)> half;
      p[i] = hn::Combine(d, hn::DemoteTo(half, v.p[2 * i + 1]), hn::DemoteTo(half, v.p[2 * i]));
    });
    return;
  }
#endif
  U from[N];
  T to[N];
  v.store(from);
  for (int i = 0; i < N; ++i) to[i] = static_cast<T>(from[i]);
  *this = load(to);
}

}  // namespace simd

TWOFOLD_END_NAMESPACE
