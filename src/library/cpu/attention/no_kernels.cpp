// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Stands for kernels.cpp where Highway is not installed: can_run then says so.
#include "cpu/attention/choose.hpp"

namespace twofold::cpu::detail {

kernels best_kernels(attention_target) { return {"none", nullptr, nullptr, nullptr, nullptr, 0}; }

}  // namespace twofold::cpu::detail
