// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Softmax of a row: one reduction, whose answer is the map to apply to every element. Masked means absent.
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "twofold/twofold.hpp"

namespace tf = twofold;

int main() {
  const std::vector<float> logits = {1000.0f, 1001.0f, 1002.0f, std::nanf("")};  // exp(1000) is no float
  const auto visible = [](tf::index i) { return i != 3; };                       // the NaN is masked: it has no influence

  const auto weight = tf::reduce(tf::softmax<float>{}, tf::masked(logits, visible), tf::tiles{2} | tf::tree{});
  for (int i = 0; i < 3; ++i) std::printf("%.6f ", weight(logits[i]));
  std::printf("\n");

  const float z = tf::reduce(tf::log_sum_exp<float>{}, tf::masked(logits, visible));
  std::printf("log-sum-exp %.4f\n", z);

  // Nothing visible: weights 0, log-sum-exp −inf. Never NaN, never a uniform row.
  const std::vector<float> hidden(8, -std::numeric_limits<float>::infinity());
  std::printf("nothing visible: weight %g, log-sum-exp %g\n", tf::reduce(tf::softmax<float>{}, hidden)(hidden[0]),
              tf::reduce(tf::log_sum_exp<float>{}, hidden));
}
