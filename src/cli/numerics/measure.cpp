// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Measuring weights with the emulated kernel; the rest is in measure_sums.cpp.
#include "numerics/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "numerics/measure_sums.hpp"
#include "numerics/weights.hpp"

namespace twofold::cli::accuracy {
namespace {

using clock = std::chrono::steady_clock;

//! The guarantee for one row: where the answer or the values enter, the row's own.
double row_bound(const question& q, const guarantee& g, const row_error& e) {
  if (q.what != operation::log_sum_exp) return g.value();
  const double per_answer = g.terms.back().units / (q.range + std::log(static_cast<double>(q.n)));
  const double first = g.u * (g.units() - g.terms.back().units + per_answer * e.answer);
  return first / (1 - first);
}

//! Theorem T2 with the row's own Σw|v|, |O|, MAD.
double output_bound(const question& q, const row_error& e) {
  const numerics::value_spread v{e.magnitude, e.output, e.deviation, e.distances, q.vmax};
  return numerics::attention_output(q.state.unit_roundoff(), numerics::shape_of(q.n, q.how), static_cast<double>(q.n), arithmetic_of(q), v);
}

measurement measure_weights(const question& q, double seconds, std::int64_t most, const progress& tell) {
  measurement m;
  const weight_engine engine(q);
  const tree t = tree_of(q.shape);
  const guarantee g = guarantee_of(q, t);
  const auto start = clock::now();
  for (std::uint64_t seed = q.seed;; ++seed)
    for (const numerics::family& f : numerics::score_families) {
      m.seconds = std::chrono::duration<double>(clock::now() - start).count();
      if ((m.seconds >= seconds && m.inputs >= std::ssize(numerics::score_families)) || m.inputs >= most) return m;
      if (tell) tell(std::min(1.0, m.seconds / seconds));
      const row r = make_row(f, q, engine.scale(), 0, q.what == operation::attention ? q.vmax : 0, seed);
      const row_error e = engine(r);
      ++m.inputs;
      if (!e.finite) {
        ++m.broken;
        continue;
      }
      const double error = q.what == operation::softmax ? e.weight : q.what == operation::log_sum_exp ? e.lse : e.l;
      m.main.add(error, row_bound(q, g, e), f.name, seed);
      if (q.what == operation::attention) m.output.add(e.out, output_bound(q, e), f.name, seed);
      if (q.what != operation::softmax) m.typical = std::max(m.typical, e.typical);
    }
}

}  // namespace

void observed::add(double error, double bound, const char* of, std::uint64_t with) {
  worst = std::max(worst, error);
  squares += error * error;
  const double r = error == 0 ? 0 : error / bound;
  if (r <= ratio && !family.empty()) return;
  ratio = r, family = of, seed = with;
}

double measurement::rms(const observed& o) const {
  const std::int64_t finite = inputs - broken;
  return finite > 0 ? std::sqrt(o.squares / static_cast<double>(finite)) : 0;
}

bool can_measure(const question& q) {
  if (has_weights(q.what) || q.what == operation::sum) return true;
  return q.state.precision == 24 || q.state.precision == 53;
}

measurement measure(const question& q, double seconds, std::int64_t most, const progress& tell) {
  if (!can_measure(q) || q.n == 0) return {};
  return has_weights(q.what) ? measure_weights(q, seconds, most, tell) : measure_sums(q, seconds, most, tell);
}

}  // namespace twofold::cli::accuracy
