// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What `twofold numerics OPERATOR` is asked, checked and with every default filled in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "twofold/numerics/formats.hpp"
#include "twofold/schedule/plan.hpp"

namespace twofold::cli::accuracy {

enum class operation { attention, softmax, log_sum_exp, sum, variance, moments, affine };
enum class gauge { maximum, lazy, integer };
enum class summing { plain, pairwise, compensated };

//! An exponential: its worst relative error, in roundings of fp32, and the format in which its argument is held.
struct primitive {
  const char* name;
  double error;               //!< worst |relative error| / 2^-24, for arguments ≤ 0
  double measured;            //!< the same as measured; 0 where it was not
  numerics::format argument;  //!< format of its argument
  const char* source;
};

struct question {
  std::string name;  // as the user wrote it
  operation what = operation::attention;
  numerics::format state = numerics::fp32, p = numerics::fp32;
  primitive exp{};
  std::int64_t n = 131072;
  schedule how;     // as asked
  plan shape;       // how applied to n
  double vmax = 1;  // largest |v|; for sums, Welford and affine: largest |x|, |b|
  accuracy::gauge gauge = gauge::maximum;
  double tau = 8;      // how far a newcomer may exceed a lazy reference, log2 units
  double offset = 0;   // P is scaled by 2^offset
  bool shared = true;  // attention: the denominator is summed from the rounded P
  bool fused = false;  // merges by fused multiply-add
  summing sum = summing::plain;
  double kappa = 10;   // |mean| / standard deviation
  double rho = 0.99;   // largest |a| of an affine recurrence
  int order = 4;       // of moments: 2 to 4
  int head = 128;      // of attention: elements of a query
  double qk = 0;       // bound of |q|·|k| entry by entry; 0: not given
  double range = 16;   // largest |score|, in nats
  double seconds = 2;  // for measuring
  std::uint64_t seed = 1;
  bool certify = false;
};

//! The formats and primitives that the command line knows; null where the name is none of them.
const numerics::format* find_format(const std::string& name);
const primitive* find_primitive(const std::string& name);
std::vector<std::string> format_names();
std::vector<std::string> primitive_names();

//! "attention", "lse" … → operation. @errors TF2130 no such operator
operation find_operation(const std::string& name);
std::vector<std::string> operation_names();

//! Does the operator sum weights 2^x?
inline bool has_weights(operation o) { return o == operation::attention || o == operation::softmax || o == operation::log_sum_exp; }

}  // namespace twofold::cli::accuracy
