// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rows of scores and values.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "numerics/weights.hpp"

namespace twofold::cli::accuracy {

row make_row(const numerics::family& f, const question& q, double c, double offset, double vmax, std::uint64_t seed) {
  laws::random random(seed * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(f.name[0]));
  std::vector<double> nats(static_cast<std::size_t>(q.n));
  f.fill(random, nats.data(), q.n, q.state.unit_roundoff());
  // Scores, and what the exponential's format makes of s·c, are finite.
  const double largest = std::min(static_cast<double>(std::numeric_limits<float>::max()), q.exp.argument.largest() / c) / 4;
  row r;
  for (const double x : nats) {
    const double s = (x + offset) / (c * std::numbers::ln2);
    r.scores.push_back(std::isinf(s) ? static_cast<float>(s) : static_cast<float>(std::clamp(s, -largest, largest)));
  }
  if (vmax <= 0) return r;
  // Values with a spread, with an offset, all of one sign, or constant, within vmax.
  const auto kind = random.next() % 4;
  for (std::int64_t i = 0; i < q.n; ++i) {
    const double spread = numerics::detail::normal(random) / 4;
    const double value = kind == 0 ? spread : kind == 1 ? 0.5 + spread / 2 : kind == 2 ? std::fabs(spread) : 0.75;
    r.values.push_back(static_cast<float>(vmax * std::clamp(value, -1.0, 1.0)));
  }
  return r;
}

}  // namespace twofold::cli::accuracy
