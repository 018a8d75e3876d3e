// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file All operators.
#pragma once

#include "twofold/ops/affine.hpp"
#include "twofold/ops/arg_min_max.hpp"
#include "twofold/ops/attention.hpp"
#include "twofold/ops/count.hpp"
#include "twofold/ops/covariance.hpp"
#include "twofold/ops/layer_norm.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/maximum_segment_sum.hpp"
#include "twofold/ops/mean.hpp"
#include "twofold/ops/min_max.hpp"
#include "twofold/ops/moments.hpp"
#include "twofold/ops/reproducible/reproducible.hpp"
#include "twofold/ops/softmax.hpp"
#include "twofold/ops/sum.hpp"
#include "twofold/ops/welford.hpp"
