// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Softmax, log-sum-exp and attention with every format emulated: what a kernel of the question's formats, gauge and schedule
//! computes for one row, beside the same row in wide arithmetic.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/question.hpp"
#include "twofold/numerics/families.hpp"

namespace twofold::cli::accuracy {

struct row {
  std::vector<float> scores;  // before the scale
  std::vector<float> values;  // one column of V; empty where there is none
};

//! One row's errors, and what the bounds need to know of it.
struct row_error {
  double l = 0;          //!< |l̂/l − 1|
  double lse = 0;        //!< absolute, nats
  double out = 0;        //!< |Ô − O|
  double typical = 0;    //!< 4·√V / l, V the sum of the squares of all local errors (theorem T6)
  double answer = 0;     //!< |LSE|, nats
  double magnitude = 0;  //!< Σ w|v|
  double output = 0;     //!< |O|
  double deviation = 0;  //!< Σ w|v − O|
  double distances = 0;  //!< ln2·Σ w·D·|v − O|
  double weight = 0;     //!< softmax: worst absolute error of a weight
  double largest_p = 0;  //!< before the cast: what saturates
  bool finite = true;
};

//! How references are used: `mixed` rounds the product s·c apart from the reference of the rescale, as FlashAttention's kernels do.
enum class references { consistent, mixed };

class weight_engine {
 public:
  //! `c` multiplies scores: log2(e)/√head, rounded once to the primitive's format.
  explicit weight_engine(const question& q, references r = references::consistent);
  [[nodiscard]] row_error operator()(const row& r) const;
  [[nodiscard]] double scale() const { return c_; }

 private:
  struct state;
  struct detail;
  question q_;
  references references_;
  double c_;
};

//! A row of n scores of a family (nats, moved by `offset`) within the domain of the question; values within vmax where that is not 0. The
//! same seed, the same row.
row make_row(const numerics::family& f, const question& q, double c, double offset, double vmax, std::uint64_t seed);

}  // namespace twofold::cli::accuracy
