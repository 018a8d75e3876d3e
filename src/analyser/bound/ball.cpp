// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Arithmetic on balls. Functions are in ball_functions.cpp.
#include "bound/ball.hpp"

#include <algorithm>

#include "ir/nearest.hpp"

namespace twofold::analyser::bounding {
namespace {

std::uint64_t low_bits(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }
std::int64_t wrapped(std::uint64_t v, type t) {
  v &= low_bits(t.bits);
  if (t.is_signed && t.bits < 64 && (v >> (t.bits - 1)) != 0) v |= ~low_bits(t.bits);
  return static_cast<std::int64_t>(v);
}
bool in_range(std::int64_t v, type t) { return wrapped(static_cast<std::uint64_t>(v), t) == v; }
bool unsigned_less(const node& n) { return n.args[0]->type.is_modular() || n.args[1]->type.is_modular(); }

}  // namespace

double ball_domain::roundoff(type t) const {
  if (precision_ == precision::wide) return 0x1p-64;
  return t.bits == 32 ? 0x1p-24 : 0x1p-53;
}

long double ball_domain::stored(long double x, type t) const {
  if (precision_ == precision::wide) return x;
  return t.bits == 32 ? static_cast<long double>(static_cast<float>(x)) : static_cast<long double>(static_cast<double>(x));
}

//! Results of double are computed in double: a long double between would round twice. Floats have room enough in it.
bool ball_domain::rounding_once(type t) const { return precision_ == precision::machine && t.bits == 64; }

//! x as the machine keeps it; `ulps` roundings of it are lost beside the radius e that was carried in.
void ball_domain::rounded(slot& out, type t, long double x, double e, double ulps, bool from_infinite) const {
  const long double kept = stored(x, t);
  if (std::isnan(kept)) return undefine(out, "a NaN");
  if (std::isinf(kept)) return put(out, {kept, from_infinite && e == 0 ? 0 : infinite, 0, sort::real, true});
  double own = ulps * roundoff(t) * static_cast<double>(std::fabs(kept));
  // Below the normal numbers roundings are absolute.
  const double normal = precision_ == precision::wide ? 0 : t.bits == 32 ? 0x1p-126 : 0x1p-1022;
  if (ulps > 0 && std::fabs(kept) < normal) own = std::max(own, ulps * (t.bits == 32 ? 0x1p-150 : 0x1p-1074));
  const double sum = e + own;  // NaN: infinite times 0
  put(out, {kept, std::isnan(sum) ? infinite : sum == 0 ? 0 : sum * (1 + 0x1p-50), 0, sort::real, true});
}

void ball_domain::constant(const node& n, slot& out) const {
  if (n.is(op::infinity)) return put(out, {HUGE_VALL, 0, 0, sort::real, true});
  if (n.is(op::minus_infinity)) return put(out, {-HUGE_VALL, 0, 0, sort::real, true});
  if (n.is(op::nan)) return undefine(out, "a NaN");
  if (n.type.kind == sort::real) {
    const long double x = precision_ == precision::wide ? nearest<double>(n.value)
                          : n.type.bits == 32           ? static_cast<long double>(nearest<float>(n.value))
                                                        : static_cast<long double>(nearest<double>(n.value));
    const mpq_class gap = abs(n.value - mpq_class(static_cast<double>(x)));
    return put(out, {x, gap == 0 ? 0 : std::nextafter(gap.get_d(), infinite), 0, sort::real, true});
  }
  mpz_class low;
  mpz_fdiv_r_2exp(low.get_mpz_t(), n.value.get_num_mpz_t(), 64);
  put(out, {0, 0, wrapped(low.get_ui(), n.type), n.type.kind, true});
}

void ball_domain::assign(slot& out, const ball& v, type t) const {
  if (v.kind != t.kind) return convert(v, {v.kind, 64, true}, t, out);
  put(out, v);
}

std::optional<std::int64_t> ball_domain::index(const slot& s) const {
  if (!s.defined || s.v.kind == sort::real || !s.v.certain) return std::nullopt;
  return s.v.i;
}

void ball_domain::arithmetic(const node& n, const ball& a, const ball& b, slot& out) const {
  const bool infinite_in = std::isinf(a.x) || std::isinf(b.x);
  const auto size = [](long double v) { return static_cast<double>(std::fabs(v)); };
  switch (n.kind) {
    case op::add: {
      const long double x = rounding_once(n.type) ? static_cast<double>(a.x) + static_cast<double>(b.x) : a.x + b.x;
      // Equal to one summand: nothing was rounded.
      const bool exact = (a.x == 0 || b.x == 0) && precision_ == precision::machine;
      return rounded(out, n.type, x, infinite_in ? ((std::isinf(a.x) ? a.e : 0) + (std::isinf(b.x) ? b.e : 0)) : a.e + b.e, exact ? 0 : 1,
                     infinite_in);
    }
    case op::mul: {
      const long double x = rounding_once(n.type) ? static_cast<double>(a.x) * static_cast<double>(b.x) : a.x * b.x;
      const bool power = a.e == 0 && b.e == 0 && (size(a.x) == 1 || size(b.x) == 1 || a.x == 0 || b.x == 0);
      double e = a.e == 0 && b.e == 0 ? 0 : size(a.x) * b.e + size(b.x) * a.e + a.e * b.e;
      if (infinite_in) {  // infinite for certain where the other factor keeps its sign
        const ball& other = std::isinf(a.x) ? b : a;
        e = (std::isinf(a.x) ? a.e : b.e) + (other.e > 0 && other.e >= size(other.x) ? infinite : 0);
      }
      return rounded(out, n.type, x, e, power || size(a.x) == 1 || size(b.x) == 1 ? 0 : 1, infinite_in);
    }
    case op::neg:
      return put(out, {-a.x, a.e, 0, sort::real, true});
    case op::abs:
      return put(out, {std::fabs(a.x), a.e, 0, sort::real, true});
    default: {  // div
      if (b.e >= size(b.x) && !(b.e == 0)) return undefine(out, "a divisor whose error reaches its size");
      const long double x = rounding_once(n.type) ? static_cast<double>(a.x) / static_cast<double>(b.x) : a.x / b.x;
      const double e = a.e == 0 && b.e == 0 ? 0 : (a.e + size(x) * b.e) / (size(b.x) - b.e);
      return rounded(out, n.type, x, e, size(b.x) == 1 ? 0 : 1, infinite_in);
    }
  }
}

void ball_domain::integers(const node& n, const ball& a, const ball& b, slot& out) const {
  if (!a.certain || !b.certain) return undefine(out, "an integer that rounding may change");
  const type t = n.type;
  const auto x = static_cast<std::uint64_t>(a.i), y = static_cast<std::uint64_t>(b.i);
  const auto give = [&](std::uint64_t v) { put(out, {0, 0, wrapped(v, t), t.kind, true}); };
  if (n.is(op::add) || n.is(op::mul) || n.is(op::neg) || n.is(op::abs)) {
    if (t.is_modular()) return give(n.is(op::add) ? x + y : n.is(op::mul) ? x * y : n.is(op::neg) ? 0 - x : x);
    std::int64_t r = 0;
    const bool negate = n.is(op::neg) || (n.is(op::abs) && a.i < 0);
    const bool overflow = n.is(op::add)   ? __builtin_add_overflow(a.i, b.i, &r)
                          : n.is(op::mul) ? __builtin_mul_overflow(a.i, b.i, &r)
                                          : __builtin_sub_overflow(negate ? 0 : a.i, negate ? a.i : 0, &r);
    if (overflow || !in_range(r, t)) return undefine(out, "a signed overflow");
    return give(static_cast<std::uint64_t>(r));
  }
  switch (n.kind) {
    case op::quotient:
    case op::remainder:
      if (b.i == 0) return undefine(out, "an integer division by zero");
      if (t.is_modular()) return give(n.is(op::quotient) ? x / y : x % y);
      if (b.i == -1) {  // the one quotient that can overflow
        if (n.is(op::remainder)) return give(0);
        if (!in_range(a.i, t) || a.i == std::numeric_limits<std::int64_t>::min() || !in_range(-a.i, t))
          return undefine(out, "a signed overflow");
        return give(0 - x);
      }
      return give(static_cast<std::uint64_t>(n.is(op::quotient) ? a.i / b.i : a.i % b.i));
    case op::bit_and:
      return give(x & y);
    case op::bit_or:
      return give(x | y);
    case op::bit_xor:
      return give(x ^ y);
    case op::bit_not:
      return give(~x);
    default:  // shifts
      if (y >= t.bits) return undefine(out, "a shift by the width of its type or more");
      if (n.is(op::shift_left)) return give(x << y);
      return give(t.is_signed ? static_cast<std::uint64_t>(a.i >> y) : x >> y);
  }
}

//! min and max: a clear winner keeps its own radius; else the larger of both, as both are Lipschitz.
void ball_domain::extreme(const node& n, const ball& a, const ball& b, bool least, slot& out) const {
  if (n.type.kind != sort::real) {
    if (!a.certain || !b.certain) return undefine(out, "an integer that rounding may change");
    const bool less = unsigned_less(n) ? static_cast<std::uint64_t>(b.i) < static_cast<std::uint64_t>(a.i) : b.i < a.i;
    return put(out, less == least ? b : a);
  }
  const bool b_wins = least ? b.x < a.x : a.x < b.x;
  const ball &winner = b_wins ? b : a, &loser = b_wins ? a : b;
  ball r = winner;
  const double gap = static_cast<double>(std::fabs(a.x - b.x));
  // The exact extreme lies within the winner's radius, or is the loser's: at most its radius less the gap further off. A loser that
  // overflowed may be anywhere.
  if (std::isinf(loser.e)) r.e = infinite;
  else if (!std::isinf(gap) && !std::isnan(gap)) r.e = std::max(winner.e, loser.e > gap ? loser.e - gap * (1 - 0x1p-50) : 0);
  put(out, r);
}

void ball_domain::compare(const node& n, const ball& a, const ball& b, slot& out) const {
  bool truth = false, certain = a.certain && b.certain;
  if (a.kind == sort::real || b.kind == sort::real) {
    const long double x = a.kind == sort::real ? a.x : static_cast<long double>(a.i),
                      y = b.kind == sort::real ? b.x : static_cast<long double>(b.i);
    truth = n.is(op::less) ? x < y : n.is(op::less_equal) ? x <= y : x == y;
    const double reach = (a.e + b.e) * (1 + 0x1p-50);
    certain = certain && (reach == 0 || static_cast<double>(std::fabs(x - y)) > reach);
  } else if (unsigned_less(n)) {
    const auto x = static_cast<std::uint64_t>(a.i), y = static_cast<std::uint64_t>(b.i);
    truth = n.is(op::less) ? x < y : n.is(op::less_equal) ? x <= y : x == y;
  } else {
    truth = n.is(op::less) ? a.i < b.i : n.is(op::less_equal) ? a.i <= b.i : a.i == b.i;
  }
  put(out, {0, 0, truth, sort::boolean, certain});
}

//! Where rounding may turn the condition, the exact value may be that of either branch.
void ball_domain::choose(const ball& condition, const slot& then, const slot& otherwise, slot& out) const {
  const slot &taken = condition.i != 0 ? then : otherwise, &other = condition.i != 0 ? otherwise : then;
  out = taken;
  if (condition.certain || !taken.defined) return;
  if (!other.defined) return undefine(out, other.fault);
  if (taken.v.kind == sort::real) {
    const auto apart = static_cast<double>(std::fabs(taken.v.x - other.v.x));
    out.v.e = std::isnan(apart) ? (taken.v.x == other.v.x ? std::max(taken.v.e, other.v.e) : infinite)
                                : std::max(taken.v.e, (apart + other.v.e) * (1 + 0x1p-50));
    return;
  }
  out.v.certain = taken.v.certain && other.v.certain && taken.v.i == other.v.i;
}

void ball_domain::convert(const ball& a, type from, type to, slot& out) const {
  if (from.kind == sort::real) {
    if (to.kind == sort::real) {
      const long double kept = stored(a.x, to);
      if (std::isinf(kept) && !std::isinf(a.x)) return put(out, {kept, infinite, 0, sort::real, true});
      const double moved = std::isinf(kept) ? 0 : static_cast<double>(std::fabs(kept - a.x));
      return put(out, {kept, (a.e + moved) * (1 + 0x1p-50), 0, sort::real, true});
    }
    if (to.kind == sort::boolean) return put(out, {0, 0, a.x != 0, sort::boolean, a.e == 0 || std::fabs(a.x) > a.e});
    const long double whole = std::trunc(a.x), low = to.is_signed ? -std::ldexp(1.0L, to.bits - 1) : 0,
                      high = std::ldexp(1.0L, to.is_signed ? to.bits - 1 : to.bits);
    if (!(whole >= low && whole < high)) return undefine(out, "a conversion of a real number that does not fit the integer");
    const auto i = to.is_signed ? static_cast<std::int64_t>(whole) : static_cast<std::int64_t>(static_cast<std::uint64_t>(whole));
    return put(out, {0, 0, i, sort::integer, a.e == 0 || (std::trunc(lower_end(a)) == whole && std::trunc(upper_end(a)) == whole)});
  }
  if (to.kind == sort::real) {
    if (!a.certain) return undefine(out, "an integer that rounding may change");
    const long double exact = from.is_modular() ? static_cast<long double>(static_cast<std::uint64_t>(a.i)) : static_cast<long double>(a.i);
    const long double kept = stored(exact, to);
    return put(out, {kept, static_cast<double>(std::fabs(kept - exact)), 0, sort::real, true});
  }
  const std::int64_t i = to.kind == sort::boolean ? a.i != 0 : wrapped(static_cast<std::uint64_t>(a.i), to);
  put(out, {0, 0, i, to.kind, a.certain});
}

void ball_domain::apply(const node& n, function f, std::span<const slot* const> args, slot& out) const {
  if (!args[0]->defined) return undefine(out, args[0]->fault);
  const ball& a = args[0]->v;
  if (n.is(op::select)) return choose(a, *args[1], *args[2], out);
  if (n.is(op::logical_and) || n.is(op::logical_or)) {
    const bool decided = (a.i != 0) == n.is(op::logical_or);
    if (decided && a.certain) return put(out, {0, 0, n.is(op::logical_or), sort::boolean, true});
    if (!args[1]->defined) return undefine(out, args[1]->fault);
    const ball& b = args[1]->v;
    const bool truth = n.is(op::logical_or) ? a.i != 0 || b.i != 0 : a.i != 0 && b.i != 0;
    const bool settled = b.certain && (b.i != 0) == n.is(op::logical_or);  // decides whatever the other is
    return put(out, {0, 0, truth, sort::boolean, (a.certain && b.certain) || settled});
  }
  for (const slot* s : args)
    if (!s->defined) return undefine(out, s->fault);
  const ball& b = args[args.size() - 1]->v;
  switch (n.kind) {
    case op::call:
      return call(n, f, args, out);
    case op::cast:
      return convert(a, n.args[0]->type, n.type, out);
    case op::min:
      return extreme(n, a, b, true, out);
    case op::max:
      return extreme(n, a, b, false, out);
    case op::less:
    case op::less_equal:
    case op::equal:
      return compare(n, a, b, out);
    case op::logical_not:
      return put(out, {0, 0, a.i == 0, sort::boolean, a.certain});
    default:
      return n.type.kind == sort::real ? arithmetic(n, a, b, out) : integers(n, a, b, out);
  }
}

}  // namespace twofold::analyser::bounding
