// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Variance of a population in two walks over the data: first the mean, then the squared distances from it.
#include <span>

double variance(std::span<const double> x) {
  double sum = 0;
  for (double v : x) sum += v;
  const double mean = sum / static_cast<double>(x.size());

  double squares = 0;
  for (double v : x) squares += (v - mean) * (v - mean);
  return squares / static_cast<double>(x.size());
}
