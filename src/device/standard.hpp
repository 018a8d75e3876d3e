// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The few names of the standard library that headers and emitted structures use, for run-time compilation, which has no standard
//! library. It stands for <concepts>, <cmath> and the others at once. Compiled by NVRTC only.
#ifndef TWOFOLD_STANDARD_HPP
#define TWOFOLD_STANDARD_HPP

// Compiler built-ins that NVRTC lacks.
constexpr double __builtin_huge_val() { return __builtin_bit_cast(double, 0x7ff0000000000000ull); }
constexpr float __builtin_huge_valf() { return __builtin_bit_cast(float, 0x7f800000u); }
constexpr double __builtin_nan(const char*) { return __builtin_bit_cast(double, 0x7ff8000000000000ull); }
#ifndef __FLT_MAX__
#define __FLT_MAX__ 3.402823466e+38f
#define __FLT_EPSILON__ 1.1920928955078125e-7f
#define __DBL_MAX__ 1.7976931348623157e+308
#define __DBL_EPSILON__ 2.220446049250313e-16
#define __LDBL_MAX__ __DBL_MAX__
#define __LDBL_EPSILON__ __DBL_EPSILON__
#endif

namespace std {

using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));
using nullptr_t = decltype(nullptr);
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
using intmax_t = long;
using uintmax_t = unsigned long;
using intptr_t = long;
using uintptr_t = unsigned long;
static_assert(sizeof(long) == 8, "device code is compiled for the sizes of a 64-bit Linux host");

template <class T, T V>
struct integral_constant {
  static constexpr T value = V;
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;

template <bool B, class T, class F>
struct conditional {
  using type = T;
};
template <class T, class F>
struct conditional<false, T, F> {
  using type = F;
};
template <bool B, class T, class F>
using conditional_t = typename conditional<B, T, F>::type;

template <class T>
struct type_identity {
  using type = T;
};
template <class T>
struct remove_reference : type_identity<T> {};
template <class T>
struct remove_reference<T&> : type_identity<T> {};
template <class T>
struct remove_reference<T&&> : type_identity<T> {};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
struct remove_const : type_identity<T> {};
template <class T>
struct remove_const<const T> : type_identity<T> {};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
struct remove_cv : type_identity<T> {};
template <class T>
struct remove_cv<const T> : type_identity<T> {};
template <class T>
struct remove_cv<volatile T> : type_identity<T> {};
template <class T>
struct remove_cv<const volatile T> : type_identity<T> {};
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;

template <class T, class U>
inline constexpr bool is_same_v = false;
template <class T>
inline constexpr bool is_same_v<T, T> = true;
template <class T, class... U>
inline constexpr bool twofold_one_of = (is_same_v<remove_cv_t<T>, U> || ...);
template <class T>
inline constexpr bool is_floating_point_v = twofold_one_of<T, float, double, long double>;
template <class T>
inline constexpr bool is_integral_v =
    twofold_one_of<T, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned int, long, unsigned long, long long,
                   unsigned long long, wchar_t, char8_t, char16_t, char32_t>;
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <class T>
inline constexpr bool is_signed_v = is_arithmetic_v<T>&& static_cast<T>(-1) < static_cast<T>(0);
template <class T>
inline constexpr bool is_unsigned_v = is_integral_v<T> && !is_signed_v<T>;
template <class T>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class T>
inline constexpr bool is_default_constructible_v = requires {
  T();
};
template <class T>
inline constexpr bool is_empty_v = __is_empty(T);

template <class T>
struct make_unsigned : type_identity<T> {};
template <>
struct make_unsigned<char> : type_identity<unsigned char> {};
template <>
struct make_unsigned<signed char> : type_identity<unsigned char> {};
template <>
struct make_unsigned<short> : type_identity<unsigned short> {};
template <>
struct make_unsigned<int> : type_identity<unsigned int> {};
template <>
struct make_unsigned<long> : type_identity<unsigned long> {};
template <>
struct make_unsigned<long long> : type_identity<unsigned long long> {};
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;

template <class T>
T&& declval() noexcept;
template <class T>
constexpr T&& forward(remove_reference_t<T>& x) noexcept {
  return static_cast<T&&>(x);
}
template <class T>
constexpr remove_reference_t<T>&& move(T&& x) noexcept {
  return static_cast<remove_reference_t<T>&&>(x);
}
template <class T>
constexpr void swap(T& a, T& b) {
  T c = move(a);
  a = move(b);
  b = move(c);
}

template <class T, class U>
concept same_as = is_same_v<T, U> && is_same_v<U, T>;
template <class T, class U>
concept convertible_to = requires(T (&f)()) {
  static_cast<U>(f());
};
template <class T>
concept integral = is_integral_v<T>;
template <class T>
concept signed_integral = integral<T> && is_signed_v<T>;
template <class T>
concept unsigned_integral = integral<T> && !is_signed_v<T>;
template <class T>
concept floating_point = is_floating_point_v<T>;
template <class T>
concept copyable = requires(T& a, const T& b) {
  T(b);
  a = b;
};

template <class T>
struct numeric_limits {
  static constexpr bool is_specialized = is_arithmetic_v<T>;
  static constexpr T max() {
    if constexpr (is_same_v<T, float>) return 3.402823466e+38f;
    else if constexpr (is_same_v<T, double>) return 1.7976931348623157e+308;
    else if constexpr (is_same_v<T, bool>) return true;
    else if constexpr (is_signed_v<T>) return static_cast<T>(~(static_cast<T>(1) << (8 * sizeof(T) - 1)));
    else return static_cast<T>(-1);
  }
  static constexpr T lowest() {
    if constexpr (is_floating_point_v<T>) return -max();
    else if constexpr (is_signed_v<T>) return static_cast<T>(-max() - 1);
    else return T(0);
  }
  static constexpr T min() {
    if constexpr (is_same_v<T, float>) return 1.17549435e-38f;
    else if constexpr (is_same_v<T, double>) return 2.2250738585072014e-308;
    else return lowest();
  }
  static constexpr T infinity() {
    if constexpr (is_floating_point_v<T>) return static_cast<T>(__builtin_huge_val());
    else return T(0);
  }
  static constexpr T quiet_NaN() {
    if constexpr (is_floating_point_v<T>) return static_cast<T>(__builtin_nan(""));
    else return T(0);
  }
  static constexpr T epsilon() {
    if constexpr (is_same_v<T, float>) return 1.1920929e-7f;
    else if constexpr (is_same_v<T, double>) return 2.220446049250313e-16;
    else return T(0);
  }
  static constexpr bool has_infinity = is_floating_point_v<T>, is_signed = is_signed_v<T>, is_integer = is_integral_v<T>;
};

template <class T>
constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T>
constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
constexpr const T& clamp(const T& x, const T& low, const T& high) {
  return x < low ? low : high < x ? high : x;
}
template <class T, class U>
constexpr auto gcd(T a, U b) {
  using W = decltype(a + b);
  W x = a < 0 ? -static_cast<W>(a) : static_cast<W>(a), y = b < 0 ? -static_cast<W>(b) : static_cast<W>(b);
  while (y != 0) {
    const W r = x % y;
    x = y, y = r;
  }
  return x;
}
template <class T, class U>
constexpr auto lcm(T a, U b) {
  using W = decltype(a + b);
  const W x = a < 0 ? -static_cast<W>(a) : static_cast<W>(a), y = b < 0 ? -static_cast<W>(b) : static_cast<W>(b);
  return x == 0 || y == 0 ? W(0) : x / gcd(x, y) * y;
}

// Functions of CUDA's own mathematics under their standard names; integers are computed in double, as <cmath> does.
#define TWOFOLD_STD_1(name)                           \
  inline float name(float x) { return ::name##f(x); } \
  inline double name(double x) { return ::name(x); }  \
  template <class T>                                  \
  requires is_integral_v<T>                           \
  inline double name(T x) { return ::name(static_cast<double>(x)); }
#define TWOFOLD_STD_2(name)                                                                                                          \
  inline float name(float x, float y) { return ::name##f(x, y); }                                                                    \
  inline double name(double x, double y) { return ::name(x, y); }                                                                    \
  template <class T, class U>                                                                                                        \
  requires(is_arithmetic_v<T> && is_arithmetic_v<U> && !(is_same_v<T, float> && is_same_v<U, float>)) inline double name(T x, U y) { \
    return ::name(static_cast<double>(x), static_cast<double>(y));                                                                   \
  }
TWOFOLD_STD_1(exp)
TWOFOLD_STD_1(exp2)
TWOFOLD_STD_1(expm1)
TWOFOLD_STD_1(log)
TWOFOLD_STD_1(log2)
TWOFOLD_STD_1(log10)
TWOFOLD_STD_1(log1p)
TWOFOLD_STD_1(sqrt)
TWOFOLD_STD_1(cbrt)
TWOFOLD_STD_1(sin)
TWOFOLD_STD_1(cos)
TWOFOLD_STD_1(tan)
TWOFOLD_STD_1(asin)
TWOFOLD_STD_1(acos)
TWOFOLD_STD_1(atan)
TWOFOLD_STD_1(sinh)
TWOFOLD_STD_1(cosh)
TWOFOLD_STD_1(tanh)
TWOFOLD_STD_1(erf)
TWOFOLD_STD_1(erfc)
TWOFOLD_STD_1(floor)
TWOFOLD_STD_1(ceil)
TWOFOLD_STD_1(trunc)
TWOFOLD_STD_1(round)
TWOFOLD_STD_1(nearbyint)
TWOFOLD_STD_1(rint)
TWOFOLD_STD_1(fabs)
TWOFOLD_STD_2(pow)
TWOFOLD_STD_2(fmin)
TWOFOLD_STD_2(fmax)
TWOFOLD_STD_2(fmod)
TWOFOLD_STD_2(fdim)
TWOFOLD_STD_2(hypot)
TWOFOLD_STD_2(copysign)
TWOFOLD_STD_2(atan2)
#undef TWOFOLD_STD_1
#undef TWOFOLD_STD_2
inline float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
inline double fma(double x, double y, double z) { return ::fma(x, y, z); }
inline long lround(double x) { return ::lround(x); }
inline long long llround(double x) { return ::llround(x); }
inline long lrint(double x) { return ::lrint(x); }
inline long long llrint(double x) { return ::llrint(x); }
template <class T>
constexpr auto abs(T x) {
  if constexpr (is_same_v<T, float>) return ::fabsf(x);
  else if constexpr (is_same_v<T, double>) return ::fabs(x);
  else return x < 0 ? -x : +x;
}
template <class T>
constexpr bool isnan(T x) {
  return x != x;
}
template <class T>
constexpr bool isinf(T x) {
  if constexpr (is_floating_point_v<T>) return x == x && x - x != 0;
  else return false;
}
template <class T>
constexpr bool isfinite(T x) {
  if constexpr (is_floating_point_v<T>) return x - x == 0;
  else return true;
}
template <class T>
inline bool signbit(T x) {
  return ::copysign(1.0, static_cast<double>(x)) < 0;
}

}  // namespace std

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

#endif
