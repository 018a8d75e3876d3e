// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention over keys that live in two places: each place reduces its own, and the two states merge.
#include <cmath>
#include <cstdio>
#include <vector>

#include "twofold/twofold.hpp"

namespace tf = twofold;

int main() {
  constexpr int d = 4, n = 1000, here = 617;
  std::vector<float> score(n), value(n * d);
  for (int i = 0; i < n; ++i) score[i] = 40 * std::sin(0.1f * static_cast<float>(i));  // q·k, before scaling by 1/√d
  for (int i = 0; i < n * d; ++i) value[i] = std::cos(0.01f * static_cast<float>(i));

  const tf::attention<float, d> op;
  const auto keys = [&](int first, int last) {  // (score, value row) pairs
    return tf::zip_sources(tf::array_source<float>{score.data() + first, last - first, 1},
                           tf::row_source<float>{value.data() + first * d, last - first, d, d, 1});
  };
  const auto left = tf::reduce_state(op, keys(0, here), tf::tiles{128} | tf::tree{});
  const auto right = tf::reduce_state(op, keys(here, n), tf::tiles{64});
  const auto merged = op.finalize(op.combine(left, right));

  // The formula, in double.
  double top = -INFINITY, l = 0, o[d] = {}, worst = 0;
  for (float s : score) top = std::fmax(top, s / 2.0);
  for (int i = 0; i < n; ++i) {
    const double p = std::exp(score[i] / 2.0 - top);
    l += p;
    for (int j = 0; j < d; ++j) o[j] += p * value[i * d + j];
  }
  for (int j = 0; j < d; ++j) worst = std::fmax(worst, std::abs(merged.output[j] - o[j] / l));
  std::printf("output   %.4f %.4f %.4f %.4f\n", merged.output[0], merged.output[1], merged.output[2], merged.output[3]);
  std::printf("formula  %.4f %.4f %.4f %.4f\n", o[0] / l, o[1] / l, o[2] / l, o[3] / l);
  std::printf("log-sum-exp %.4f, largest difference %s 1e-6\n", merged.lse_ln, worst < 1e-6 ? "below" : "above");
}
