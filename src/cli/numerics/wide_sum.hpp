// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sums of references, without loss (Neumaier): as good as their terms.
#pragma once

#include <cmath>

namespace twofold::cli::accuracy {

class wide_sum {
 public:
  void add(long double x) {
    const long double t = sum_ + x;
    lost_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - t) + x : (x - t) + sum_;
    sum_ = t;
  }
  [[nodiscard]] long double value() const { return sum_ + lost_; }

 private:
  long double sum_ = 0, lost_ = 0;
};

}  // namespace twofold::cli::accuracy
