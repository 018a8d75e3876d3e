// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The reproducible operators: equal bits for every order of the elements, every schedule, every vector width, CPU and GPU.
#pragma once

#include "twofold/ops/reproducible/dot.hpp"
#include "twofold/ops/reproducible/log_sum_exp.hpp"
#include "twofold/ops/reproducible/sum.hpp"
#include "twofold/ops/reproducible/variance.hpp"
