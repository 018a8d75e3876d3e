// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Data of the plots: the error of l against n, against the schedule and against the offset of the scores (bound, typical,
//! measured); what a shared denominator gains; and the saturation map of narrow P over offset × tau. Writes one JSON object.
//!     g++ -std=c++20 -O2 -I include -I tests/numerics/harness bench/numerics/curves.cpp -o curves && ./curves > numerics_curves.json
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

#include "emulated.hpp"
#include "twofold/numerics/domains.hpp"
#include "twofold/schedule/text.hpp"

using namespace harness;

namespace {

const char* comma = "";

//! Σ 2^(s·c − y) in double, y the largest.
double wide(const std::vector<float>& x, float scale, double& at) {
  const double c = static_cast<double>(scale);
  at = -INFINITY;
  for (const float s : x) at = std::fmax(at, static_cast<double>(s) * c);
  double sum = 0;
  for (const float s : x) sum += std::exp2(static_cast<double>(s) * c - at);
  return sum;
}

struct errors {
  double worst = 0, square = 0, typical = 0;
  int rows = 0;
  void see(double e, double four_deviations) {
    worst = std::fmax(worst, e), square += e * e, typical = std::fmax(typical, four_deviations), ++rows;
  }
  [[nodiscard]] double rms() const { return rows > 0 ? std::sqrt(square / rows) : 0; }
};

//! Rows of normal scores (standard deviation 1, about `offset`) under a schedule of the library's operator; all relative to l, in u.
template <class Gauge>
errors measure(tf::index n, const tf::schedule& s, double offset, int rows) {
  const tf::certified<tf::softmax<float, Gauge>> op;
  tf::laws::random g(static_cast<std::uint64_t>(n) * 31 + 7);
  errors e;
  std::vector<float> x(static_cast<std::size_t>(n));
  for (int row = 0; row < rows; ++row) {
    for (float& v : x) v = static_cast<float>(offset + num::detail::normal(g));
    double at = 0;
    const double want = wide(x, op.how.of.score.scale, at);
    const auto state = tf::reduce_state(op, x, s);
    const double l = static_cast<double>(state.amount.sum);
    e.see(std::fabs(l * std::exp2(static_cast<double>(state.at) - at) / want - 1) / u32, 4 * op.how.deviation(state.amount) / l / u32);
  }
  return e;
}

num::weight_arithmetic arithmetic(bool integer) {
  num::weight_arithmetic w;
  w.reference = integer ? num::reference_rule::integer : num::reference_rule::maximum;
  return w;
}

void row(const char* kind, const char* gauge, const char* schedule, double n, double offset, double bound, double model, const errors& e) {
  std::printf(
      "%s\n    {\"plot\": \"%s\", \"gauge\": \"%s\", \"schedule\": \"%s\", \"n\": %.0f, \"offset\": %g, \"bound_u\": %.4g, \"typical_u\": "
      "%.4g, "
      "\"typical_model_u\": %.4g, \"measured_max_u\": %.4g, \"measured_rms_u\": %.4g, \"rows\": %d}",
      comma, kind, gauge, schedule, n, offset, bound, e.typical, model, e.worst, e.rms(), e.rows);
  comma = ",";
}

void point(const char* kind, bool integer, const char* text, tf::index n, double offset, int rows) {
  const tf::schedule s = tf::parse_schedule(text);
  const auto shape = num::shape_of(n, s);
  const errors e = integer ? measure<tf::gauge::integer>(n, s, offset, rows) : measure<tf::gauge::maximum>(n, s, offset, rows);
  const auto w = arithmetic(integer);
  row(kind, integer ? "integer" : "maximum", text, static_cast<double>(n), offset,
      num::softmax_sum(u32, shape, static_cast<double>(n), w) / u32, 4 * std::sqrt(num::softmax_sum_variance(shape, w)), e);
}

//! Mixed references, as FlashAttention 2 and 3 write them, beside the consistent ones of the same kernel.
void mixed(double offset) {
  const tf::index n = 4096;
  const tf::schedule s = tf::parse_schedule("tiles=64,tree");
  const auto shape = num::shape_of(n, s);
  for (const style how : {style::mixed, style::consistent}) {
    const emulated_softmax op{how};
    tf::laws::random g(5);
    errors e;
    double most = 0;
    for (int k = 0; k < 100; ++k) {
      std::vector<float> x(static_cast<std::size_t>(n));
      for (float& v : x)
        v = static_cast<float>(offset + num::detail::normal(g)), most = std::fmax(most, std::fabs(static_cast<double>(v * op.scale)));
      double at = 0;
      const double want = wide(x, op.scale, at);
      const auto state = tf::reduce_state(op, x, s);
      const double reference =
          how == style::consistent ? static_cast<double>(state.m * op.scale) : static_cast<double>(state.m) * static_cast<double>(op.scale);
      e.see(std::fabs(static_cast<double>(state.l) * std::exp2(reference - at) / want - 1) / u32, 0);
    }
    auto w = op.arithmetic();
    if (how == style::mixed) w.mixed_reference = most;
    row("error against offset", how == style::mixed ? "mixed" : "consistent", "tiles=64,tree", static_cast<double>(n), offset,
        num::softmax_sum(u32, shape, static_cast<double>(n), w) / u32, 0, e);
  }
}

//! rms error of the output with P in bf16, l from the rounded P or not; values about `offset` standard deviations off 0.
void shared(const num::format& p, double offset) {
  double square[2] = {0, 0};
  for (const bool whether : {true, false}) {
    narrow_attention op;
    op.p = &p, op.shared = whether;
    tf::laws::random g(9);
    int rows = 0;
    for (; rows < 400; ++rows) {
      std::vector<float> s(1024), v(1024);
      for (float& e : s) e = static_cast<float>(num::detail::normal(g));
      for (float& e : v) e = static_cast<float>(offset + num::detail::normal(g));
      double at = 0, o = 0;
      const double total = wide(s, op.scale, at);
      for (std::size_t i = 0; i < s.size(); ++i)
        o += std::exp2(static_cast<double>(s[i]) * static_cast<double>(op.scale) - at) * static_cast<double>(v[i]);
      const double e = static_cast<double>(tf::reduce(op, tf::zip(s, v), tf::tiles{128})) - o / total;
      square[whether] += e * e / 400;
    }
  }
  std::printf(
      "%s\n    {\"plot\": \"shared denominator\", \"p\": \"%s\", \"value_offset\": %g, \"rms_shared\": %.4g, \"rms_not_shared\": %.4g, "
      "\"gain\": %.3g}",
      comma, p.name, offset, std::sqrt(square[1]), std::sqrt(square[0]), std::sqrt(square[0] / square[1]));
}

//! rms error of the output with a cast that saturates and a denominator that does not, where the reference lags by up to tau.
void saturation(const num::format& p, int offset, int tau) {
  tf::laws::random g(3);
  double square = 0;
  const int rows = 150, n = 128;
  for (int k = 0; k < rows; ++k) {
    const double lag = tau * num::detail::uniform(g);  // how far this row's maximum lies above the stale reference
    std::vector<double> y(n), v(n);
    double most = -INFINITY, l = 0, o = 0, wide_l = 0, wide_o = 0;
    for (double& e : y) e = 2 * num::detail::normal(g), most = std::fmax(most, e);
    for (double& e : v) e = num::detail::normal(g);
    for (int i = 0; i < n; ++i) {
      const double w = std::exp2(y[static_cast<std::size_t>(i)] - most + lag);
      l += w,
          o += num::round_to(p, std::ldexp(w, offset), num::overflow::saturate) * std::ldexp(1, -offset) * v[static_cast<std::size_t>(i)];
      wide_l += w, wide_o += w * v[static_cast<std::size_t>(i)];
    }
    const double e = o / l - wide_o / wide_l;
    square += e * e / rows;
  }
  const num::p_budget budget{p, static_cast<double>(offset), static_cast<double>(tau)};
  std::printf(
      "%s\n    {\"plot\": \"saturation\", \"p\": \"%s\", \"offset\": %d, \"tau\": %d, \"rms\": %.4g, \"fits\": %s, \"lost_share\": %.4f}",
      comma, p.name, offset, tau, std::sqrt(square), budget.fits() ? "true" : "false", budget.lost_share());
}

}  // namespace

int main() {
  char date[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
  std::printf(
      "{\"schema\": 1, \"date\": \"%s\", \"what\": \"numerics_curves\", \"program\": \"bench/numerics/curves.cpp\", \"unit\": \"u = 2^-24 "
      "relative to l, unless named rms\", \"rows\": [",
      date);
  for (const char* text : {"fold", "tiles=128", "tiles=128,tree", "tree"})
    for (tf::index n = 16; n <= 262144; n *= 4)
      for (const bool integer : {true, false}) point("error against n", integer, text, n, 0, n > 60000 ? 24 : n > 4000 ? 100 : 400);
  for (const char* text : {"fold", "tiles=65536", "lanes=32,tree", "tiles=128", "tiles=128,split=8", "tiles=128,split=8,tree",
                           "tiles=128,tree", "tree", "reproducible"})
    for (const bool integer : {true, false}) point("error against schedule", integer, text, 65536, 0, 40);
  for (const double offset : {0.0, 10.0, 100.0, 1e3, 1e4, 1e5}) {
    for (const bool integer : {true, false}) point("error against offset", integer, "tiles=64,tree", 4096, offset, 100);
    mixed(offset);
  }
  for (const double offset : {0.0, 1.0, 3.0, 10.0}) shared(num::bf16, offset);
  for (int offset = 0; offset <= 10; ++offset)
    for (int tau = 0; tau <= 8; ++tau) saturation(num::e4m3, offset, tau);
  std::printf("\n  ]}\n");
}
