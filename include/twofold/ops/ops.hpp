// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file All operators.
#pragma once

#include "twofold/ops/min_max.hpp"
#include "twofold/ops/sum.hpp"
#include "twofold/ops/welford.hpp"
