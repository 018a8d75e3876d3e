// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One sum under several schedules: the bracketing is yours to choose, the order is kept, the rounding differs.
#include <cstdio>
#include <vector>

#include "twofold/twofold.hpp"

namespace tf = twofold;

int main() {
  // 0.1 is not a float: every addition rounds, and a long chain of roundings all in one direction drifts away.
  const std::vector<float> x(1'000'000, 0.1f);

  for (const tf::schedule& s :
       {tf::schedule(tf::fold{}), tf::lanes{8} | tf::fold{}, tf::tiles{128} | tf::tree{}, tf::threads{} | tf::tiles{128} | tf::tree{}}) {
    const float sum = tf::reduce(tf::sum<float, float>{}, x, s);
    std::printf("%-24s %.1f\n", tf::to_text(s).c_str(), sum);
  }
  // The operator may carry more: here a second float for what the first one loses.
  std::printf("%-24s %.1f\n", "tree, compensated", tf::reduce(tf::compensated_sum<float, float>{}, x, tf::tree{}));
}
