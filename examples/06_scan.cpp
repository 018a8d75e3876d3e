// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A recurrence in parallel: an exponential moving average is a scan of affine maps, whose order matters.
#include <cmath>
#include <cstdio>
#include <vector>

#include "twofold/twofold.hpp"

namespace tf = twofold;

int main() {
  constexpr int n = 100'000;
  constexpr double alpha = 0.1;
  std::vector<tf::affine<double>> step(n);
  for (int i = 0; i < n; ++i) step[i] = {1 - alpha, alpha * std::sin(0.001 * i)};

  std::vector<double> y(n);
  tf::scan(tf::affine_recurrence<double>{}, step, y, tf::threads{} | tf::tiles{1024} | tf::tree{});

  double average = 0, worst = 0;  // the loop
  for (int i = 0; i < n; ++i) {
    average = (1 - alpha) * average + alpha * std::sin(0.001 * i);
    worst = std::fmax(worst, std::abs(y[i] - average));
  }
  std::printf("y[9] = %.6f, y[99999] = %.6f, largest difference from the loop %s 1e-14\n", y[9], y[n - 1],
              worst < 1e-14 ? "below" : "above");

  // Which elements an answer covers, and from which side: four kinds of scan.
  const std::vector<int> x = {1, 2, 3, 4};
  std::vector<long> out(4);
  const auto print = [&](const char* kind, tf::scan_kind k) {
    tf::scan(tf::sum<int, long>{}, x, out, k);
    std::printf("%-10s %ld %ld %ld %ld\n", kind, out[0], out[1], out[2], out[3]);
  };
  print("inclusive", tf::inclusive);
  print("exclusive", tf::exclusive);
  print("suffix", tf::suffix);
}
