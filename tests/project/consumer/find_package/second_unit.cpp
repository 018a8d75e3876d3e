// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A second translation unit that includes everything: what is not inline would be defined twice.
#include <twofold/twofold.hpp>

namespace tf = twofold;

float second_unit(const float* x, tf::index n) { return tf::reduce(tf::sum<float>{}, tf::array_source<float>{x, n, 1}, tf::tree{}); }
