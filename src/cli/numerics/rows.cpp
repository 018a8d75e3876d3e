// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Families of rows.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "numerics/weights.hpp"

namespace twofold::cli::accuracy {
namespace {

constexpr const char* row_names[] = {"flat", "normal", "wide", "ascending", "half-ulp", "outlier", "equal", "jitter", "decay", "sinks"};

}  // namespace

const char* name_of(family f) { return row_names[static_cast<int>(f)]; }

row make_row(family f, std::int64_t n, double c, double offset, double vmax, std::uint64_t seed) {
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15u + static_cast<unsigned>(f));
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  const double nats = 1 / (c * std::numbers::ln2);  // a score of 1 nat
  row r;
  r.scores.resize(static_cast<std::size_t>(n));
  const auto count = static_cast<double>(n);
  const auto special = static_cast<std::int64_t>(unit(random) * count);
  const double step = unit(random) * 20 / count, common = normal(random);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<double>(i);
    double x = 0;  // nats
    switch (f) {
      case family::flat:
        x = 1e-3 * normal(random);
        break;
      case family::normal:
        x = normal(random);
        break;
      case family::wide:
        x = 8 * normal(random);
        break;
      case family::ascending:
        x = step * at;
        break;
      case family::half_ulp:
        x = i == 0 ? 0 : -24 * std::numbers::ln2;
        break;
      case family::outlier:
        x = normal(random) + (i == special ? 12 : 0);
        break;
      case family::equal:
        x = common;
        break;
      case family::jitter:
        x = common + 1e-7 * normal(random);
        break;
      case family::decay:
        x = -at * 0.01;
        break;
      case family::sinks:
        x = i < 4 ? 10 + unit(random) : normal(random);
        break;
    }
    r.scores[static_cast<std::size_t>(i)] = static_cast<float>((x + offset) * nats);
  }
  if (vmax <= 0) return r;
  r.values.resize(r.scores.size());
  // Values with a spread, with an offset, all of one sign, or constant, within vmax.
  const int kind = static_cast<int>(random() % 4);
  for (float& v : r.values) {
    const double spread = normal(random) / 4;
    const double value = kind == 0 ? spread : kind == 1 ? 0.5 + spread / 2 : kind == 2 ? std::fabs(spread) : 0.75;
    v = static_cast<float>(vmax * std::clamp(value, -1.0, 1.0));
  }
  return r;
}

}  // namespace twofold::cli::accuracy
