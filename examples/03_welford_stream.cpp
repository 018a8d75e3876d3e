// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Mean and variance of data that arrive in pieces, from several places: states merge, wherever they were made.
#include <cstdio>
#include <vector>

#include "twofold/twofold.hpp"

namespace tf = twofold;

int main() {
  const std::vector<double> monday = {1e9 + 4, 1e9 + 7}, tuesday = {1e9 + 13, 1e9 + 16}, nothing;

  tf::stream here{tf::welford<double>{}};
  here.append(monday);
  here.append(nothing);  // an empty piece is a piece
  tf::stream there{tf::welford<double>{}};
  there.append(tuesday);

  auto week = tf::merge(here, there);
  auto [n, mean, variance] = week.result();
  std::printf("n = %lld, mean = %.1f, variance = %.1f\n", static_cast<long long>(n), mean, variance);

  // The textbook's E[x²] − E[x]² loses everything here: the squares are 10^18 and their difference 30.
  double sum = 0, squares = 0;
  for (const auto& day : {monday, tuesday})
    for (double x : day) sum += x, squares += x * x;
  std::printf("by sums of squares: %.1f\n", (squares - sum * sum / 4) / 3);
}
