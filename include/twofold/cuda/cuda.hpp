// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Everything for .cu files: rows, columns and whole arrays reduced or mapped by any operator.
#pragma once

#include "twofold/cuda/columns.cuh"
#include "twofold/cuda/cross_entropy.cuh"
#include "twofold/cuda/norm_weights.cuh"
#include "twofold/cuda/rows.cuh"
