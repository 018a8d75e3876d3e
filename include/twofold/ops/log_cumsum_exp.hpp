// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file log-cumsum-exp under its own name: log-sum-exp, scanned.
#pragma once

#include "twofold/ops/log_sum_exp.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @brief  y_i = ln Σ_{j≤i} exp(x_j): scan(log_cumsum_exp<T>{}, x, y). A reduction by it gives the last.
//! @units  nats
//! @laws   as log_sum_exp, whose states it shares
//! @error  as log_sum_exp at every i
template <class T, class Gauge = gauge::integer>
struct log_cumsum_exp : log_sum_exp<T, Gauge> {};

TWOFOLD_END_NAMESPACE
