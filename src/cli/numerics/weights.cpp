// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The emulated kernel. All in units of log2: x = s·c − M, weights 2^x.
#include "numerics/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "numerics/bounds.hpp"
#include "numerics/rounding.hpp"
#include "numerics/wide_sum.hpp"

namespace twofold::cli::accuracy {
namespace {

using std::numbers::ln2;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

//! A number in [−1, 1] that depends on x alone: equal arguments get equal errors, as from a real exponential.
double signed_hash(double x) {
  auto h = std::bit_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u;
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93u;
  h ^= h >> 32;
  return static_cast<double>(static_cast<std::int64_t>(h)) * 0x1p-63;
}

}  // namespace

//! A reference: the scaled one, M = fl(m·c) or its ceiling, and the score m that it came from.
struct reference {
  double M = minus_infinity, m = minus_infinity;
  [[nodiscard]] bool none() const { return M == minus_infinity; }
};

struct weight_engine::state : reference {
  double l = 0, lp = 0, o = 0;  // Σp, Σ of rounded p, Σ of rounded p · v
  double variance = 0;          // of l
};

//! One question's arithmetic; built for each row, cheap.
struct weight_engine::detail {
  const question& q;
  const plan& shape;
  references refs;
  double c;
  const row& r;
  rounder in_state, in_argument, in_p;
  double u, u_argument, eps, p_scale;
  mutable double largest_p = 0;

  detail(const weight_engine& e, const row& row)
      : q(e.q_),
        shape(e.q_.shape),
        refs(e.references_),
        c(e.c_),
        r(row),
        in_state(q.state),
        in_argument(q.exp.argument),
        in_p(q.p, q.p.precision <= 4),
        u(q.state.unit_roundoff()),
        u_argument(q.exp.argument.unit_roundoff()),
        eps(q.exp.error * 0x1p-24),
        p_scale(std::exp2(q.offset)) {}

  //! 2^x with an error within the primitive's bound; exact at 0.
  double exp2_of(double x) const {
    if (x == 0) return 1;
    const double y = std::exp2(x), spare = eps - u_argument;
    return in_argument(spare > u_argument ? y * (1 + spare * signed_hash(x)) : y);
  }

  reference reference_at(double largest) const {
    const double M = in_argument(largest * c);
    return {q.gauge == gauge::integer ? std::ceil(M) : M, largest};
  }

  //! The state of elements [first, last) at the reference `at`.
  state leaf(index first, index last, const reference& to) const {
    state s;
    s.M = to.M, s.m = to.m;
    for (index i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double score = r.scores[at];
      if (score == minus_infinity) continue;
      const double x = argument(score, to.M);
      const double p = exp2_of(x) * p_scale;
      largest_p = std::max(largest_p, p);
      s.l = in_state(s.l + p);
      const double own = p * (eps + u_argument * ln2 * std::fabs(x)), add = u * s.l;
      s.variance += own * own + add * add;
      if (r.values.empty()) continue;
      const double rounded = narrow_p(q) ? in_p(p) : p;
      s.lp = in_state(s.lp + rounded);
      s.o = in_state(s.o + rounded * r.values[at]);
    }
    return s;
  }
  //! fl(s·c − M), rounded once.
  double argument(double score, double M) const {
    if (q.exp.argument.precision == 53) return std::fma(score, c, -M);
    return in_argument(score * c - M);  // 48 bits fit a double, so only the difference and the last step round
  }

  double factor(const reference& from, const reference& to) const {
    if (from.M == to.M) return 1;
    if (q.gauge == gauge::integer) return std::exp2(from.M - to.M);
    if (refs == references::mixed) return exp2_of(in_argument(in_argument(from.m - to.m) * c));
    return exp2_of(in_argument(from.M - to.M));
  }

  double scaled_sum(double a, double fa, double b, double fb) const {
    if (q.fused) return fa == 1 ? in_state(std::fma(b, fb, a)) : in_state(std::fma(a, fa, in_state(b * fb)));
    return in_state(in_state(a * fa) + in_state(b * fb));
  }

  state merge(const state& a, const state& b) const {
    if (a.none()) return b;
    if (b.none()) return a;
    state s;
    const reference& top = a.M < b.M ? b : a;
    s.M = top.M, s.m = top.m;
    const double fa = factor(a, s), fb = factor(b, s);
    s.l = scaled_sum(a.l, fa, b.l, fb);
    if (!r.values.empty()) {
      s.lp = scaled_sum(a.lp, fa, b.lp, fb);
      s.o = scaled_sum(a.o, fa, b.o, fb);
    }
    const auto square = [](double x) { return x * x; };
    s.variance = square(fa) * a.variance + square(fb) * b.variance + square(lambda(a.M, s.M) * fa * a.l) +
                 square(lambda(b.M, s.M) * fb * b.l) + square(u * s.l);
    return s;
  }
  //! Error of one rescale: of the factor, of its product, of its argument.
  double lambda(double from, double to) const {
    if (from == to || q.gauge == gauge::integer) return 0;
    return eps + (q.fused ? 0 : u) + u_argument * ln2 * std::fabs(from - to);
  }

  double largest(index first, index last) const {
    double m = minus_infinity;
    for (index i = first; i < last; ++i) m = std::max(m, static_cast<double>(r.scores[static_cast<std::size_t>(i)]));
    return m;
  }

  //! A piece at its own reference; with a lazy gauge at the running one while it does not lag by more than tau.
  state at_reference(index first, index last, const reference& running) const {
    const double m = largest(first, last);
    if (m == minus_infinity) return {};
    const reference own = reference_at(m);
    const bool stays = q.gauge == gauge::lazy && !running.none() && own.M <= running.M + q.tau;
    return leaf(first, last, stays ? running : own);
  }
  state piece(index first, index last, const reference& running) const {
    if (shape.leaf) return at_reference(first, last, running);
    state s;
    for (index i = first; i < last; ++i) s = merge(s, at_reference(i, i + 1, s.none() ? running : s));
    return s;
  }

  template <class Of>
  state merged(index pieces, const Of& of, bool chained) const {
    if (!shape.tree) {
      state s;
      for (index k = 0; k < pieces; ++k) {
        s = merge(s, of(k, chained ? s : reference{}));
      }
      return s;
    }
    return by_tree(0, pieces, of);
  }
  //! The left subtree takes the largest power of two below the number of pieces.
  template <class Of>
  state by_tree(index first, index last, const Of& of) const {
    if (last - first == 1) return of(first, reference{});
    index left = 1;
    while (2 * left < last - first) left *= 2;
    const state a = by_tree(first, first + left, of);
    return merge(a, by_tree(first + left, last, of));
  }

  state whole() const {
    return merged(
        shape.parts,
        [&](index k, const reference&) {
          const extent part = shape.part(k);
          return merged(
              shape.tiles_in(part),
              [&](index t, const reference& running) {
                const extent tile = shape.tile_of(part, t);
                const index lanes = std::min(shape.lanes, tile.size());
                return merged(
                    lanes,
                    [&](index w, const reference&) {
                      const extent p = cut(tile.size(), lanes, w);
                      return piece(tile.first + p.first, tile.first + p.last, running);
                    },
                    false);
              },
              true);
        },
        false);
  }
};

weight_engine::weight_engine(const question& q, references r) : q_(q), references_(r) {
  c_ = rounder(q.exp.argument)(std::numbers::log2e / std::sqrt(static_cast<double>(q.head)));
}

row_error weight_engine::operator()(const row& r) const {
  const detail d(*this, r);
  const state s = d.whole();
  row_error e;
  e.largest_p = d.largest_p;
  // The reference: exact products s·c as pairs, wide exponentials, sums without loss; relative to the same M.
  const auto distance = [&](std::size_t i) -> long double {
    if (std::isinf(r.scores[i])) return minus_infinity;  // absent
    const double score = r.scores[i], high = score * c_, low = std::fma(score, c_, -high);
    return (static_cast<long double>(high) - s.M) + low;
  };
  const bool wide = q_.state.precision > 24;
  const auto weight = [&](long double x) { return wide ? std::exp2(x) : static_cast<long double>(std::exp2(static_cast<double>(x))); };
  wide_sum l, o, magnitude, deviation, distances;
  const std::size_t n = r.scores.size();
  long double top = minus_infinity;
  for (std::size_t i = 0; i < n; ++i) {
    const long double x = distance(i), p = weight(x);
    top = std::max(top, x);
    l.add(p);
    if (r.values.empty()) continue;
    o.add(p * r.values[i]);
    magnitude.add(p * std::fabs(r.values[i]));
  }
  const double scaled = s.l / d.p_scale;  // exact
  const long double L = l.value(), lse = (static_cast<long double>(s.M) + std::log2(L)) * std::numbers::ln2_v<long double>;
  e.answer = static_cast<double>(std::fabs(lse));
  if (!std::isfinite(s.l) || s.l <= 0) e.finite = false;
  e.l = static_cast<double>(std::fabs(scaled / L - 1));
  const rounder& f = d.in_state;
  e.lse = static_cast<double>(std::fabs(f(f(s.M + f(std::log2(scaled))) * f(ln2)) - lse));
  e.typical = 4 * std::sqrt(s.variance) / s.l;
  if (q_.what == operation::softmax)
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isinf(r.scores[i])) continue;
      const double w = f(d.exp2_of(d.argument(r.scores[i], s.M)) / scaled);
      e.weight = std::max(e.weight, static_cast<double>(std::fabs(w - weight(distance(i)) / L)));
    }
  if (r.values.empty()) return e;
  const long double O = o.value() / L;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isinf(r.scores[i])) continue;
    const long double x = distance(i), away = weight(x) * std::fabs(r.values[i] - O);
    deviation.add(away);
    distances.add(away * (top - x) * static_cast<long double>(ln2));
  }
  e.output = static_cast<double>(std::fabs(O));
  e.magnitude = static_cast<double>(magnitude.value() / L);
  e.deviation = static_cast<double>(deviation.value() / L);
  e.distances = static_cast<double>(distances.value() / L);
  e.out = static_cast<double>(std::fabs(f(s.o / (q_.shared ? s.lp : s.l)) - O));
  e.finite = e.finite && std::isfinite(s.o) && std::isfinite(e.out);
  return e;
}

}  // namespace twofold::cli::accuracy
