// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What says that the harness itself is sharp: adversaries that attain the bounds, a negative control that must break one,
//! and a check of the wide reference in 160 bits.
#include <mpfr.h>

#include <cmath>
#include <cstdio>

#include "emulated.hpp"

namespace harness {
namespace {

//! Records which elements begin the right-hand side of a merge with the piece that holds element 0: there, one element of weight u is
//! just lost.
struct spine {
  struct state {
    tf::index first, count;
    bool holds_first;
  };
  std::vector<bool>* marks;
  [[nodiscard]] state identity() const { return {0, 0, false}; }
  [[nodiscard]] state lift(float i) const { return {static_cast<tf::index>(i), 1, i == 0}; }
  [[nodiscard]] state combine(const state& a, const state& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    if (a.holds_first) (*marks)[static_cast<std::size_t>(b.first)] = true;
    return {a.first, a.count + b.count, a.holds_first || b.holds_first};
  }
  [[nodiscard]] state finalize(const state& s) const { return s; }
};

//! Half-ulp adversary under one way: measured/bound of l, elements without weight left out.
double attained(int way, tf::index n, tf::index tile) {
  input in;
  in.tile = tile, in.tree = 7;
  in.x.resize(static_cast<std::size_t>(n));
  for (tf::index i = 0; i < n; ++i) in.x[static_cast<std::size_t>(i)] = static_cast<float>(i);
  std::vector<bool> marks(in.x.size());
  evaluate(spine{&marks}, tf::as_source(in.x), way, in);
  double visible = 1;
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    visible += marks[i];
    in.x[i] = i == 0 ? 0 : marks[i] ? static_cast<float>(std::log(u32) * (1 + 1e-6)) : -INFINITY;
  }
  const tf::softmax<float> op;
  const auto [s, shape] = evaluate(op, tf::as_source(in.x), way, in);
  double want = 0;
  for (const float e : in.x)
    if (e != -INFINITY) want += std::exp2(static_cast<double>(e) * static_cast<double>(op.how.score.scale) - static_cast<double>(s.at));
  return std::fabs(static_cast<double>(s.amount) / want - 1) / num::softmax_sum(u32, shape, visible);
}

//! Arguments, all rounded the same way: one score at 0, the rest at the distance that costs most, each the worst of a hundred floats there;
//! l compensated, so that additions do not hide it. measured/bound of l.
double argument_adversary() {
  const tf::index n = 1261;
  const tf::log_sum_exp<float> op;
  const double c = static_cast<double>(op.how.score.scale), distance = 1 + num::mean_distance(static_cast<double>(n));
  tf::laws::random g(3);
  input in;
  in.x.push_back(0);
  while (in.size() < n) {
    float worst = 0;
    double most = -1;
    for (int k = 0; k < 100; ++k) {
      const float s = static_cast<float>(-distance - 1e-2 * num::detail::uniform(g));
      const double error =
          static_cast<double>(std::exp2(std::fma(s, op.how.score.scale, 0.0f))) / std::exp2(static_cast<double>(s) * c) - 1;
      if (error > most) most = error, worst = s;
    }
    in.x.push_back(worst);
  }
  const auto [s, shape] = evaluate(op, tf::as_source(in.x), 1, in);
  double want = 0;
  for (const float e : in.x) want += std::exp2(static_cast<double>(e) * c - static_cast<double>(s.at));
  num::weight_arithmetic w;
  w.compensated = true;
  const double l = static_cast<double>(s.amount.high) + static_cast<double>(s.amount.low);
  return std::fabs(l / want - 1) / num::softmax_sum(u32, shape, static_cast<double>(n), w);
}

//! The largest ratio of mixed references (FlashAttention 2 and 3) to the bound that does not know of them.
double mixed_against_pure_bound(std::uint64_t seed) {
  tf::laws::random g(seed);
  double worst = 0;
  for (int draw = 0; draw < 40; ++draw) {
    const tf::index n = 512;
    input in;
    in.tile = 8, in.tree = g.next();
    for (tf::index i = 0; i < n; ++i) in.x.push_back(static_cast<float>(-1e4 + 30 * static_cast<double>(i) / 512 + num::detail::normal(g)));
    const emulated_softmax op{style::mixed};
    double most = -INFINITY, sum = 0;
    for (const float e : in.x) most = std::fmax(most, static_cast<double>(e));
    for (const float e : in.x) sum += std::exp2((static_cast<double>(e) - most) * static_cast<double>(op.scale));
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op, tf::as_source(in.x), way, in);
      const double error = std::fabs(static_cast<double>(s.l) / sum - 1);
      worst = std::fmax(worst, error / num::softmax_sum(u32, shape, static_cast<double>(n), op.arithmetic()));
    }
  }
  return worst;
}

//! Largest relative difference of the double reference from 160 bits, over `rows` rows of every family.
double reference_error(int rows, std::uint64_t seed) {
  tf::laws::random g(seed);
  double worst = 0;
  mpfr_t x, sum;
  mpfr_inits2(160, x, sum, nullptr);
  std::vector<double> wide;
  for (int row = 0; row < rows; ++row) {
    const auto& family = num::score_families[static_cast<std::size_t>(row) % std::size(num::score_families)];
    const tf::index n = 1 + static_cast<tf::index>(g.next() % 256);
    wide.resize(static_cast<std::size_t>(n));
    family.fill(g, wide.data(), n, u32);
    const double c = static_cast<double>(static_cast<float>(tf::math::log2_e));
    double at = -INFINITY, plain = 0;
    for (double& e : wide) e = static_cast<double>(static_cast<float>(e)), at = std::fmax(at, e * c);
    mpfr_set_zero(sum, 1);
    for (const double e : wide) {
      if (e == -INFINITY) continue;
      plain += std::exp2(e * c - at);
      mpfr_set_d(x, e, MPFR_RNDN);
      mpfr_mul_d(x, x, c, MPFR_RNDN);
      mpfr_sub_d(x, x, at, MPFR_RNDN);
      mpfr_exp2(x, x, MPFR_RNDN);
      mpfr_add(sum, sum, x, MPFR_RNDN);
    }
    mpfr_d_sub(x, plain, sum, MPFR_RNDN);
    mpfr_div(x, x, sum, MPFR_RNDN);
    worst = std::fmax(worst, std::fabs(mpfr_get_d(x, MPFR_RNDN)));
  }
  mpfr_clears(x, sum, nullptr);
  return worst;
}

}  // namespace

bool run_controls(std::string& json) {
  bool good = true;
  const auto line = [&](const std::string& what, double value, bool as_it_should) {
    std::printf("%-62s %10.4g  %s\n", what.c_str(), value, as_it_should ? "as it should be" : "WRONG");
    json += (json.empty() ? "" : ",\n") + ("    {\"control\": \"" + what + "\", \"value\": ") + std::to_string(value) +
            ", \"passed\": " + (as_it_should ? "true" : "false") + "}";
    good = good && as_it_should;
  };
  for (const int way : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
    const double ratio = attained(way, 65536, 128);
    line(std::string("half-ulp adversary, ") + ways[way] + ", measured/bound", ratio, ratio <= 1 && ratio >= 0.9);
  }
  const double arguments = argument_adversary();
  line("argument adversary, one tile, compensated, measured/bound", arguments, arguments <= 1 && arguments > 0.5);
  const double mixed = mixed_against_pure_bound(11);
  line("negative control: mixed references over the pure bound", mixed, mixed > 10);
  const double reference = reference_error(10000, 13);
  line("the wide reference against 160 bits, in u", reference / u32, reference < 1e-3 * u32);
  return good;
}

}  // namespace harness
