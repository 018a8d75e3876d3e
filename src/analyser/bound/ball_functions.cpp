// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Functions of <cmath> on balls: how far an argument's error moves the value, and what the library itself loses.
#include <algorithm>
#include <numbers>

#include "bound/ball.hpp"
#include "ir/real_function.hpp"

namespace twofold::analyser::bounding {
namespace {

//! ln of how much larger a is than the least number in its ball, e < a.
double shrinkage(double a, double e) { return e < a / 2 ? -std::log1p(-e / a) : std::log(a / (a - e)); }

//! |f(t) − f(a)| ≤ this for |t − a| ≤ e, by the mean value theorem; infinite where f has no bound there.
double moved(function f, double a, double e) {
  switch (f) {
    case function::exp:
      return std::exp(a) * std::expm1(e);
    case function::exp2:
      return std::exp2(a) * std::expm1(e * std::numbers::ln2 * (1 + 0x1p-50));
    case function::expm1:
      return std::exp(a) * std::expm1(e);
    case function::log:
      return e < a ? shrinkage(a, e) : infinite;
    case function::log2:
      return e < a ? shrinkage(a, e) * std::numbers::log2e : infinite;
    case function::log10:
      return e < a ? shrinkage(a, e) * std::numbers::log10e : infinite;
    case function::log1p:
      return e < 1 + a ? shrinkage(1 + a, e) : infinite;
    case function::sqrt:
      return e <= a ? e / (std::sqrt(a) + std::sqrt(a - e)) : std::sqrt(e);
    case function::cbrt:
      return e < std::fabs(a) ? e / (3 * std::pow(std::fabs(a) - e, 2.0 / 3)) : 1.6 * std::cbrt(e);
    case function::sin:
    case function::cos:
      return std::min(e, 2.0);
    case function::atan:
    case function::tanh:
      return std::min(e, 3.2);
    case function::erf:
    case function::erfc:
      return std::min(1.13 * e, 2.0);
    case function::sinh:
    case function::cosh:
      return e * std::cosh(std::fabs(a) + e);
    case function::abs:
      return e;
    default:
      return infinite;
  }
}

double moved_power(double a, double ea, double b, double eb) {
  if (a > ea) {  // through b·log a
    const double la = shrinkage(a, ea), reach = std::fabs(b) * la + eb * (std::fabs(std::log(a)) + la);
    return std::pow(a, b) * std::expm1(reach * (1 + 0x1p-48));
  }
  if (eb == 0 && b >= 1 && b == std::floor(b)) return b * std::pow(std::fabs(a) + ea, b - 1) * ea;
  return infinite;
}

bool is_step(function f) {
  return f == function::floor || f == function::ceil || f == function::trunc || f == function::round || f == function::nearbyint;
}

}  // namespace

double call_roundings(function f, unsigned bits) {
  switch (f) {
    case function::exp:
    case function::exp2:
      return 1.1;  // 0.502 to 0.54 ulp
    case function::log:
    case function::log2:
    case function::pow:
      return bits == 32 ? 1.7 : 1.1;  // logf and powf: 0.82 ulp
    case function::sin:
    case function::cos:
      return 1.2;
    case function::sqrt:
    case function::fma:
    case function::fdim:
      return 1;
    case function::fmin:
    case function::fmax:
    case function::fmod:
    case function::abs:
    case function::copysign:
      return 0;
    case function::expm1:
    case function::log1p:
    case function::asin:
    case function::acos:
    case function::atan:
    case function::atan2:
    case function::tan:
    case function::erf:
    case function::hypot:
      return 2.2;
    case function::cbrt:
      return 8;
    default:
      return is_step(f) ? 0 : 10;
  }
}

void ball_domain::call(const node& n, function f, std::span<const slot* const> args, slot& out) const {
  const ball& a = args[0]->v;
  const ball& b = args[std::min<std::size_t>(1, args.size() - 1)]->v;
  const ball& c = args[std::min<std::size_t>(2, args.size() - 1)]->v;
  if (n.type.kind == sort::integer && a.kind == sort::integer) {
    if (f == function::abs) return integers(n, a, a, out);
    return undefine(out, "a function of integers that has no bound here");
  }
  if (f == function::isnan || f == function::isinf || f == function::isfinite || f == function::signbit) {
    const bool truth = f == function::isnan      ? false  // a NaN is undefined before it gets here
                       : f == function::isinf    ? std::isinf(a.x)
                       : f == function::isfinite ? std::isfinite(a.x)
                                                 : std::signbit(a.x);
    return put(out, {0, 0, truth, sort::boolean, f == function::signbit ? a.e == 0 || std::fabs(a.x) > a.e : std::isfinite(a.e)});
  }
  const type t = n.type.kind == sort::real ? n.type : n.args[0]->type;
  const bool wide = precision_ == precision::wide, narrow = t.bits == 32;
  const long double x =
      wide ? real_function<long double>(f, a.x, b.x, c.x)
      : narrow
          ? static_cast<long double>(real_function<float>(f, static_cast<float>(a.x), static_cast<float>(b.x), static_cast<float>(c.x)))
          : static_cast<long double>(
                real_function<double>(f, static_cast<double>(a.x), static_cast<double>(b.x), static_cast<double>(c.x)));
  if (std::isnan(x)) return undefine(out, "a function outside of its domain, or one that has no bound here");
  const double at = static_cast<double>(a.x), bt = static_cast<double>(b.x);
  double e = 0;
  const bool exact_in = a.e == 0 && (args.size() < 2 || b.e == 0) && (args.size() < 3 || c.e == 0);
  if (f == function::fmin || f == function::fmax) return extreme(n, a, b, f == function::fmin, out);
  if (!exact_in) {
    if (is_step(f))
      e = real_function<long double>(f, lower_end(a), 0, 0) == x && real_function<long double>(f, upper_end(a), 0, 0) == x ? 0 : 1 + a.e;
    else if (f == function::fma) e = std::fabs(at) * b.e + std::fabs(bt) * a.e + a.e * b.e + c.e;
    else if (f == function::pow) e = moved_power(at, a.e, bt, b.e);
    else if (f == function::hypot || f == function::fdim) e = a.e + b.e;
    else if (f == function::copysign) e = b.e == 0 || std::fabs(bt) > b.e ? a.e : infinite;
    else e = args.size() == 1 ? moved(f, at, a.e) : infinite;
    if (std::isinf(a.x) && a.e == 0 && args.size() == 1) e = 0;
  }
  if (std::isinf(e) || std::isnan(e)) return undefine(out, "a function whose value rounding may move without bound");
  // A wide libm is trusted to 8 roundings. f(0) = 0 or 1, log 1 and e^-inf are exact; any other 0 has underflowed.
  const bool one_argument = args.size() == 1,
             free = (at == 0 && (x == 0 || x == 1)) || (one_argument && (std::isinf(a.x) || (at == 1 && x == 0)));
  slot real;
  rounded(real, t, x, e * (1 + 0x1p-48), free ? 0 : call_roundings(f, t.bits) * (wide ? 8 : 1), std::isinf(a.x));
  if (!real.defined || n.type.kind == sort::real) {
    out = real;
    return;
  }
  convert(real.v, t, n.type, out);
}

}  // namespace twofold::analyser::bounding
