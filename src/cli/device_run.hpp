// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Runs a merged loop on a GPU: compiled at run time, kept in the cache, launched on copies of the user's arrays.
#pragma once

#include <string>

#include "execute.hpp"

namespace twofold::cli {

struct device_answers {
  answers values;        // milliseconds: of the kernels alone
  std::string device;    // its name
  std::string schedule;  // how the elements were bracketed
  bool from_cache = false;
  double seconds = 0;  // spent compiling or loading
};

//! Before anything is analysed: is there a driver at all? @errors TF3106
void expect_device();

//! @errors TF3101 what keeps the loop from a GPU (exit 4) · TF3104 … TF3107 what is missing or fails (exit 5)
device_answers run_on_device(const analyser::spec& s, const analyser::cpp_reduction& r, const binding& b, const std::string& cache);

}  // namespace twofold::cli
