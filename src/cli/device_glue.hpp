// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The CUDA text that `run --device cuda` compiles: the merged loop as kernels.
#pragma once

#include <string>
#include <vector>

#include "emit/cpp.hpp"

namespace twofold::cli {

//! Kernels twofold_fold, twofold_whole (where something needs the state of all elements), twofold_scan_K and twofold_map_K for the K-th of
//! the arrays written element by element, and `twofold_sizes`.
struct device_text {
  std::string text;
  bool has_whole = false;
};

//! @errors TF3101 what keeps the loop from a GPU
device_text device_glue(const analyser::spec& s, const analyser::cpp_reduction& r);

}  // namespace twofold::cli
