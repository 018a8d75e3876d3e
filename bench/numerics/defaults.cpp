// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the defaults gain, measured: one rounding of the reference, integer and lazy gauges, (M, l) rather than log-sum-exps of
//! splits, a denominator from the rounded weights, and variance about a reference near the mean. Each beside the formula that it replaces,
//! written out here in float, against double. Prints bench/results/numerics_defaults.json.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "twofold/ops/softmax.hpp"
#include "twofold/ops/welford.hpp"
#include "twofold/schedule/reduce.hpp"

namespace tf = twofold;

namespace {

constexpr double u = 0x1p-24;
const float c = static_cast<float>(1.4426950408889634 / 8);  // log2(e)/sqrt(64), rounded once; the reference takes it as it is

struct measured {
  double worst = 0, squares = 0;
  long count = 0;
  void note(double error) {
    worst = std::max(worst, std::fabs(error));
    squares += error * error, ++count;
  }
  double rms() const { return std::sqrt(squares / static_cast<double>(std::max(count, 1l))); }
};
bool first_row = true;
void row(const std::string& what, const std::string& how, double x, const measured& m, double bound = -1) {
  std::printf("%s{\"what\": \"%s\", \"how\": \"%s\", \"x\": %g, \"max\": %.6g, \"rms\": %.6g", first_row ? "" : ",\n", what.c_str(),
              how.c_str(), x, m.worst, m.rms());
  if (bound >= 0) std::printf(", \"bound\": %.6g", bound);
  std::printf(", \"draws\": %ld}", m.count);
  first_row = false;
}

//! (M, l): the sum is l·2^M. `rescale` says by which factor a reference moves.
struct pair {
  float m, l;
};
template <class Reference, class Rescale>
pair online_tiles(const std::vector<float>& s, std::size_t tile, const Reference& reference, const Rescale& rescale, bool tree) {
  std::vector<pair> all;
  for (std::size_t i = 0; i < s.size(); i += tile) {
    const std::size_t end = std::min(s.size(), i + tile);
    float most = s[i];
    for (std::size_t k = i; k < end; ++k) most = std::max(most, s[k]);
    const float at = reference(most);
    float l = 0;
    for (std::size_t k = i; k < end; ++k) l += exp2f(std::fma(s[k], c, -at));
    all.push_back({rescale.stored(most, at), l});
  }
  const auto merge = [&](const pair& a, const pair& b) {
    const float m = std::max(a.m, b.m);
    return pair{m, a.l * rescale.factor(a.m, m) + b.l * rescale.factor(b.m, m)};
  };
  while (tree && all.size() > 1) {
    for (std::size_t k = 0; 2 * k < all.size(); ++k) all[k] = 2 * k + 1 < all.size() ? merge(all[2 * k], all[2 * k + 1]) : all[2 * k];
    all.resize((all.size() + 1) / 2);
  }
  pair whole = all[0];
  for (std::size_t k = 1; k < all.size(); ++k) whole = merge(whole, all[k]);
  return whole;
}
struct same_reference {  // M = fl(m·c) is what leaf and rescale know
  static float stored(float, float at) { return at; }
  static float factor(float from, float to) { return from == to ? 1.0f : exp2f(from - to); }
};
struct mixed_reference {  // the raw maximum is kept and multiplied anew
  static float stored(float most, float) { return most; }
  static float factor(float from, float to) { return from == to ? 1.0f : exp2f((from - to) * c); }
};

//! log2 Σ 2^(s·c), in double about a common reference.
double log2_sum(const std::vector<float>& s, double& at) {
  at = -INFINITY;
  for (const float x : s) at = std::max(at, static_cast<double>(x) * c);
  double sum = 0;
  for (const float x : s) sum += std::exp2(std::fma(static_cast<double>(x), c, -at));
  return std::log2(sum);
}
//! The relative error of l·2^m in roundings.
double error_of(double m, double l, double at, double log2_l) { return (std::exp2((m - at) + (std::log2(l) - log2_l)) - 1) / u; }

const auto rounded_product = [](float most) { return most * c; };
const auto rounded_up = [](float most) { return std::ceil(most * c); };

void offsets(std::mt19937_64& g) {
  for (const double offset : {0.0, 1e1, 1e2, 1e3, 1e4, 1e5}) {
    measured consistent, integer, mixed, splits, library;
    for (int draw = 0; draw < 200; ++draw) {
      std::normal_distribution<float> d(static_cast<float>(offset), 8);
      std::vector<float> s(4096);
      for (float& x : s) x = d(g);
      double at;
      const double want = log2_sum(s, at);
      const auto note = [&](measured& m, const pair& p, double reference) { m.note(error_of(reference, p.l, at, want)); };
      pair p = online_tiles(s, 64, rounded_product, same_reference{}, true);
      note(consistent, p, p.m);
      p = online_tiles(s, 64, rounded_up, same_reference{}, true);
      note(integer, p, p.m);
      p = online_tiles(s, 64, rounded_product, mixed_reference{}, true);
      note(mixed, p, static_cast<double>(p.m * c));
      float most = -INFINITY, lses[8], total = 0;  // eight splits that hand over their log-sum-exp alone
      for (std::size_t k = 0; k < 8; ++k) {
        const std::vector<float> part(s.begin() + static_cast<long>(512 * k), s.begin() + static_cast<long>(512 * (k + 1)));
        p = online_tiles(part, 64, rounded_product, same_reference{}, true);
        most = std::max(most, lses[k] = p.m + log2f(p.l));
      }
      for (const float x : lses) total += exp2f(x - most);
      splits.note(error_of(most, total, at, want));
      tf::softmax<float> op;
      op.how.score.scale = c;
      const auto state = tf::reduce_state(op, s, tf::tiles{64} | tf::tree{});
      library.note(error_of(state.at, state.amount, at, want));
    }
    row("offset", "one rounded reference", offset, consistent);
    row("offset", "integer reference", offset, integer);
    row("offset", "mixed references", offset, mixed);
    row("offset", "log-sum-exps of splits", offset, splits);
    row("offset", "tf::softmax", offset, library);
  }
}

void lengths(std::mt19937_64& g) {
  for (int log2_n = 6; log2_n <= 16; log2_n += 2) {
    const std::size_t n = std::size_t{1} << log2_n;
    measured whole, chain, tree;
    for (int draw = 0; draw < 64; ++draw) {
      std::normal_distribution<float> d(0, 2);
      std::vector<float> s(n);
      for (float& x : s) x = d(g);
      double at;
      const double want = log2_sum(s, at);
      const auto note = [&](measured& m, const pair& p) { m.note(error_of(p.m, p.l, at, want)); };
      note(whole, online_tiles(s, n, rounded_up, same_reference{}, true));
      note(chain, online_tiles(s, 64, rounded_up, same_reference{}, false));
      note(tree, online_tiles(s, 64, rounded_up, same_reference{}, true));
    }
    const double x = static_cast<double>(n), tiles = x / 64;
    double w = std::log(x);  // W((n−1)/e) by iteration
    for (int k = 0; k < 60; ++k) w = std::log((x - 1) / std::exp(1.0)) - std::log(std::max(w, 1e-3));
    const double leaf = 1 + std::max(w, 0.0);  // one exp2f of 1u, and the rounded arguments
    row("length", "one pass", x, whole, x - 1 + leaf);
    row("length", "tiles of 64, in a row", x, chain, 63 + tiles - 1 + leaf);
    row("length", "tiles of 64, tree", x, tree, 63 + log2_n - 6 + leaf);
  }
}

float bfloat16(float x) {
  std::uint32_t b;
  std::memcpy(&b, &x, 4);
  b = (b + 0x7fff + (b >> 16 & 1)) & 0xffff0000u;
  std::memcpy(&x, &b, 4);
  return x;
}
void denominators(std::mt19937_64& g) {
  for (const double mean : {0.0, 1.0, 3.0, 10.0, 30.0})
    for (const bool equal : {false, true}) {
      measured apart, shared;
      for (int draw = 0; draw < 100; ++draw) {
        std::normal_distribution<double> d;
        const std::size_t n = 1024;
        std::vector<float> p(n), v(n);
        double exact_l = 0, exact_o = 0;
        for (std::size_t i = 0; i < n; ++i) {
          p[i] = equal ? (i == 0 ? 1.0f : 0.7110f) : static_cast<float>(std::exp2(-std::fabs(d(g)) * 3));
          v[i] = static_cast<float>(mean + d(g));
          exact_l += p[i], exact_o += static_cast<double>(p[i]) * v[i];
        }
        double l = 0, rounded_l = 0, o = 0;  // sums in double: what is left is the rounding of P
        for (std::size_t i = 0; i < n; ++i) l += p[i], rounded_l += bfloat16(p[i]), o += static_cast<double>(bfloat16(p[i])) * v[i];
        apart.note((o / l - exact_o / exact_l) / 0x1p-8);
        shared.note((o / rounded_l - exact_o / exact_l) / 0x1p-8);
      }
      const std::string what = equal ? "denominator, equal weights" : "denominator";
      row(what, "l from the weights before rounding", mean, apart);
      row(what, "l from the rounded weights", mean, shared);
    }
}

struct chan {  // n, mean, M2 in float
  float n, mean, m2;
};
void variances(std::mt19937_64& g) {
  for (const double offset : {0.0, 1e1, 1e2, 1e3, 1e4}) {
    measured textbook, ours;
    for (int draw = 0; draw < 100; ++draw) {
      std::normal_distribution<float> d(static_cast<float>(offset), 1);
      std::vector<float> x(4096);
      for (float& e : x) e = d(g);
      std::vector<chan> all;
      double mean = 0, m2 = 0;
      for (const float e : x) mean += e;
      mean /= static_cast<double>(x.size());
      for (const float e : x) m2 += (e - mean) * (e - mean);
      for (std::size_t i = 0; i < x.size(); i += 64) {
        chan s{0, 0, 0};
        for (std::size_t k = i; k < i + 64; ++k) {
          const float delta = x[k] - s.mean;
          s.n += 1, s.mean += delta / s.n, s.m2 += delta * (x[k] - s.mean);
        }
        all.push_back(s);
      }
      while (all.size() > 1) {
        for (std::size_t k = 0; 2 * k < all.size(); ++k) {
          const chan a = all[2 * k], b = all[2 * k + 1];
          const float n = a.n + b.n, delta = b.mean - a.mean;
          all[k] = {n, a.mean + delta * (b.n / n), a.m2 + b.m2 + delta * delta * (a.n * b.n / n)};
        }
        all.resize(all.size() / 2);
      }
      textbook.note((all[0].m2 / m2 - 1) / u);
      const tf::welford<float, float> op;
      ours.note((op.m2(tf::reduce_state(op, x, tf::tiles{64} | tf::tree{})) / m2 - 1) / u);
    }
    row("variance", "n, mean, M2", offset, textbook);
    row("variance", "tf::welford", offset, ours);
  }
}

//! The loop over a row whose scores rise slowly: how often the state is rescaled, and the error.
template <class Gauge>
void rising(const char* how, std::mt19937_64 g) {
  measured m;
  long moves = 0;
  for (int draw = 0; draw < 50; ++draw) {
    std::normal_distribution<float> d;
    std::vector<float> s(4096);
    for (std::size_t i = 0; i < s.size(); ++i) s[i] = d(g) + static_cast<float>(i) * 0.02f;
    double at;
    const double want = log2_sum(s, at);
    tf::softmax<float, Gauge> op;
    op.how.score.scale = c;
    auto state = op.identity();
    for (const float x : s) {
      const float before = state.at;
      op.push_into(state, x);
      moves += state.at != before;
    }
    m.note(error_of(state.at, state.amount, at, want));
  }
  row("rising scores, loop", how, static_cast<double>(moves) / 50, m);
}

}  // namespace

int main() {
  const std::uint64_t seed = 20261130;
  std::mt19937_64 g(seed);
  std::printf(
      "{\"schema\": 1, \"what\": \"numerics_defaults\", \"date\": \"2026-11-30\", \"program\": \"bench/numerics/defaults.cpp\", \"seed\": "
      "%llu,\n",
      static_cast<unsigned long long>(seed));
  std::printf(
      "\"units\": \"u = 2^-24 of l or M2; of O for denominators: 2^-8; x: offset, elements, mean of V, or rescales a row\", \"rows\": [\n");
  offsets(g), lengths(g), denominators(g), variances(g);
  rising<tf::gauge::maximum>("maximum", g);
  rising<tf::gauge::integer>("integer", g);
  rising<tf::gauge::lazy<8>>("lazy, 8", g);
  rising<tf::gauge::lazy<8, tf::gauge::integer>>("lazy, 8, integer", g);
  std::printf("\n]}\n");
}
