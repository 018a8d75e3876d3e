// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Families of inputs, each of which stresses one term of a bound: what the harness draws from, and what a report
//! measures on. The same numbers on every machine for the same seed.
#pragma once

#include "twofold/algebra/laws/generate.hpp"
#include "twofold/algebra/math.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace numerics {

//! Fills x[0 … n) for a state whose unit roundoff is u. Round to the element type afterwards.
struct family {
  const char* name;
  const char* stresses;
  void (*fill)(laws::random& g, double* x, index n, double u);
};

namespace detail {

inline double uniform(laws::random& g) { return static_cast<double>(g.next() >> 11) * 0x1p-53; }
inline index position(laws::random& g, index n) { return static_cast<index>(g.next() % static_cast<std::uint64_t>(n)); }
//! Nearly normal: the sum of eight uniform numbers, scaled to variance 1.
inline double normal(laws::random& g) {
  const std::uint64_t a = g.next(), b = g.next();
  double sum = 0;
  for (int k = 0; k < 64; k += 16) sum += static_cast<double>((a >> k) & 0xffff) + static_cast<double>((b >> k) & 0xffff);
  return (sum / 65536 - 4) * 1.224744871391589;
}
template <class F>
void each(double* x, index n, const F& f) {
  for (index i = 0; i < n; ++i) x[i] = f(i);
}
//! 10^a, a uniform between the two.
inline double log_uniform(laws::random& g, double low, double high) {
  return math::exp((low + (high - low) * uniform(g)) * 2.302585092994046);
}

}  // namespace detail

//! Scores in nats.
inline constexpr family score_families[] = {
    {"normal", "nothing in particular",
     [](laws::random& g, double* x, index n, double) { detail::each(x, n, [&](index) { return detail::normal(g); }); }},
    {"wide", "arguments, underflow",
     [](laws::random& g, double* x, index n, double) { detail::each(x, n, [&](index) { return 20 * detail::normal(g); }); }},
    {"offset", "references that round apart",
     [](laws::random& g, double* x, index n, double) {
       const double at = detail::log_uniform(g, 1, 5.5) * (g.next() & 1 ? 1 : -1);
       detail::each(x, n, [&](index) { return at + 3 * detail::normal(g); });
     }},
    {"all equal", "bias: every rounding the same way",
     [](laws::random& g, double* x, index n, double) {
       const double at = 8 * detail::normal(g);
       detail::each(x, n, [&](index) { return at; });
     }},
    {"equal with jitter", "nearly equal weights",
     [](laws::random& g, double* x, index n, double) { detail::each(x, n, [&](index) { return 1e-3 * detail::uniform(g); }); }},
    {"half ulps", "additions: each loses half a unit",
     [](laws::random& g, double* x, index n, double u) {
       const index first = g.next() % 4 == 0 ? detail::position(g, n) : 0;
       detail::each(x, n, [&](index i) { return i == first ? 0.0 : math::log(u); });
     }},
    {"half ulps ascending", "additions at every size of the sum",
     [](laws::random&, double* x, index n, double u) {
       detail::each(x, n, [&](index i) { return i == 0 ? 0.0 : math::log(u * 0.999) + math::log(1 + static_cast<double>(i) * u); });
     }},
    {"one outlier", "dropped mass, a stale reference",
     [](laws::random& g, double* x, index n, double) {
       detail::each(x, n, [&](index) { return detail::normal(g); });
       x[g.next() % 3 == 0 ? 0 : g.next() % 2 == 0 ? n - 1 : detail::position(g, n)] = 5 + 100 * detail::uniform(g);
     }},
    {"alternating", "rescales in both directions",
     [](laws::random& g, double* x, index n, double) {
       const double by = detail::log_uniform(g, -2, 2);
       detail::each(x, n, [&](index i) { return (i % 2 ? by : -by) + 0.1 * detail::normal(g); });
     }},
    {"geometric", "weights of every size",
     [](laws::random& g, double* x, index n, double) {
       const double by = 2 * detail::uniform(g);
       detail::each(x, n, [&](index i) { return -by * static_cast<double>(i); });
     }},
    {"ascending in small steps", "rescales: one per element",
     [](laws::random& g, double* x, index n, double) {
       const double by = detail::log_uniform(g, -4, -1);
       detail::each(x, n, [&](index i) { return by * static_cast<double>(i) + by * detail::uniform(g); });
     }},
    {"ascending in large steps", "rescales and their arguments",
     [](laws::random& g, double* x, index n, double) {
       const double by = 4 * detail::uniform(g);
       detail::each(x, n, [&](index i) { return by * static_cast<double>(i % 100) + detail::uniform(g); });
     }},
    {"deep tail", "flushed weights",
     [](laws::random& g, double* x, index n, double) {
       detail::each(x, n, [&](index i) { return i % 7 == 0 ? detail::normal(g) : -80 + 10 * detail::normal(g); });
     }},
    {"equal distances", "the entropy term",
     [](laws::random& g, double* x, index n, double) {  // one at 0, the rest at −1 − W((n−1)/e): the worst row for arguments
       double w = math::log1p(static_cast<double>(n));
       for (int i = 0; i < 40; ++i)
         w = w * (1 + math::log(static_cast<double>(n > 1 ? n - 1 : 1) / 2.718281828459045) - math::log(w)) / (1 + w), w = w > 0 ? w : 1e-3;
       const index first = g.next() % 2 ? 0 : detail::position(g, n);
       detail::each(x, n, [&](index i) { return i == first ? 0.0 : -1 - w + 1e-5 * detail::uniform(g); });
     }},
    {"half absent", "the identity, empty tiles",
     [](laws::random& g, double* x, index n, double) {
       detail::each(x, n, [&](index) { return g.next() % 2 ? -math::infinity<double> : 3 * detail::normal(g); });
       x[detail::position(g, n)] = 0;
     }},
    {"mixed sizes", "everything at once",
     [](laws::random& g, double* x, index n, double) {
       detail::each(x, n, [&](index) { return detail::normal(g) * detail::log_uniform(g, -3, 2.5); });
     }},
};

//! Values for sums, moments and the like.
inline constexpr family value_families[] = {
    {"normal", "nothing in particular",
     [](laws::random& g, double* x, index n, double) { detail::each(x, n, [&](index) { return detail::normal(g); }); }},
    {"positive", "sums that grow",
     [](laws::random& g, double* x, index n, double) { detail::each(x, n, [&](index) { return detail::uniform(g); }); }},
    {"offset", "the condition number of a variance",
     [](laws::random& g, double* x, index n, double) {
       const double at = detail::log_uniform(g, 1, 6);
       detail::each(x, n, [&](index) { return at + detail::normal(g); });
     }},
    {"sorted with offset", "references that drift",
     [](laws::random& g, double* x, index n, double) {
       const double at = detail::log_uniform(g, 0, 5), by = detail::log_uniform(g, -3, 2);
       detail::each(x, n, [&](index i) { return at + by * static_cast<double>(i) / static_cast<double>(n); });
     }},
    {"one outlier", "a pivot or a mean far off",
     [](laws::random& g, double* x, index n, double) {
       detail::each(x, n, [&](index) { return detail::normal(g); });
       x[g.next() % 3 == 0 ? 0 : g.next() % 2 == 0 ? n - 1 : detail::position(g, n)] = detail::log_uniform(g, 1, 6);
     }},
    {"two clusters", "one merge that holds all the variance",
     [](laws::random& g, double* x, index n, double) {
       const double by = detail::log_uniform(g, 0, 4), at = detail::log_uniform(g, 0, 5);
       detail::each(x, n, [&](index i) { return at + (i < n / 2 ? -by : by) + detail::normal(g); });
     }},
    {"powers", "terms of every size",
     [](laws::random& g, double* x, index n, double) {
       detail::each(x, n, [&](index i) { return (g.next() & 1 ? 1 : -1) * math::exp2(static_cast<double>(i % 40)); });
     }},
    {"growing", "a reference that moves at every element",
     [](laws::random& g, double* x, index n, double) {
       const double by = 1.02 + detail::uniform(g);
       double size = 1;
       detail::each(x, n, [&](index) { return size = size < 1e15 ? size * by : 1; });
     }},
    {"alternating", "cancellation",
     [](laws::random& g, double* x, index n, double) {
       const double by = detail::log_uniform(g, 0, 5);
       detail::each(x, n, [&](index i) { return (i % 2 ? -by : by) + detail::normal(g); });
     }},
    {"half ulps", "additions: each loses half a unit",
     [](laws::random&, double* x, index n, double u) { detail::each(x, n, [&](index i) { return i == 0 ? 1.0 : u; }); }},
    {"nearly equal", "bias: every rounding the same way",
     [](laws::random& g, double* x, index n, double u) {
       const double at = 1 + detail::uniform(g);
       detail::each(x, n, [&](index) { return at * (1 + 8 * u * static_cast<double>(g.next() % 8)); });
     }},
    {"tiny", "underflow",
     [](laws::random& g, double* x, index n, double) { detail::each(x, n, [&](index) { return 1e-22 * detail::normal(g); }); }},
    {"mixed sizes", "everything at once",
     [](laws::random& g, double* x, index n, double) {
       detail::each(x, n, [&](index) { return detail::normal(g) * detail::log_uniform(g, -3, 4); });
     }},
};

//! Scales a of affine recurrences.
inline constexpr family scale_families[] = {
    {"one half", "short memory", [](laws::random&, double* x, index n, double) { detail::each(x, n, [&](index) { return 0.5; }); }},
    {"near one", "long memory",
     [](laws::random& g, double* x, index n, double) {
       const double a = 1 - detail::log_uniform(g, -5, -1);
       detail::each(x, n, [&](index) { return a; });
     }},
    {"one", "plain sums", [](laws::random&, double* x, index n, double) { detail::each(x, n, [&](index) { return 1.0; }); }},
    {"signs", "cancellation",
     [](laws::random& g, double* x, index n, double) { detail::each(x, n, [&](index) { return g.next() % 2 ? -1.0 : 1.0; }); }},
    {"random contraction", "nothing in particular",
     [](laws::random& g, double* x, index n, double) { detail::each(x, n, [&](index) { return 2 * detail::uniform(g) - 1; }); }},
    {"gates", "forgetting",
     [](laws::random& g, double* x, index n, double) {
       detail::each(x, n, [&](index) { return 1 / (1 + math::exp(-3 * detail::normal(g))); });
     }},
    {"resets", "scales of 0",
     [](laws::random& g, double* x, index n, double) { detail::each(x, n, [&](index) { return g.next() % 16 == 0 ? 0.0 : 0.99; }); }},
    {"decay", "underflow of products", [](laws::random&, double* x, index n, double) { detail::each(x, n, [&](index) { return 1e-3; }); }},
    {"growth", "products above 1",
     [](laws::random& g, double* x, index n, double) { detail::each(x, n, [&](index) { return 1 + 0.1 * detail::uniform(g); }); }},
    {"just below one", "half ulps of the scale",
     [](laws::random&, double* x, index n, double u) { detail::each(x, n, [&](index) { return 1 - u; }); }},
};

}  // namespace numerics
TWOFOLD_END_NAMESPACE
