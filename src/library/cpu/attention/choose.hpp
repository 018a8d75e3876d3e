// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Which kernels run: the best of this machine.
#pragma once

#include "cpu/attention/work.hpp"

namespace twofold::cpu::detail {

//! Of the best instruction set that this machine has, at most the one given.
kernels best_kernels(attention_target at_most);

}  // namespace twofold::cpu::detail
