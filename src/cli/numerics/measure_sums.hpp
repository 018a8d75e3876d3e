// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Measuring sums in emulated formats, and Welford, moments and affine recurrences by the library's own operators.
#pragma once

#include "numerics/measure.hpp"

namespace twofold::cli::accuracy {

measurement measure_sums(const question& q, double seconds, std::int64_t most, const progress& tell);

}  // namespace twofold::cli::accuracy
