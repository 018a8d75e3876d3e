// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Operators whose answers carry a guaranteed error: `reduce(tf::certified{tf::log_sum_exp<float>{}}, x, schedule)` gives
//! value ± error, for that very schedule (certified/enclosure.hpp says what is guaranteed and how).
#pragma once

#include "twofold/numerics/certified/affine.hpp"
#include "twofold/numerics/certified/attention.hpp"
#include "twofold/numerics/certified/enclosure.hpp"
#include "twofold/numerics/certified/exponential.hpp"
#include "twofold/numerics/certified/power_sums.hpp"
#include "twofold/numerics/certified/sums.hpp"
