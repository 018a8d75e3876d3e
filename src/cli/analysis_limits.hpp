// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file --seconds and --memory: what reading a source and deciding a loop may take, the same for every subcommand.
#pragma once

#include <functional>
#include <string>

#include "subcommand.hpp"

namespace twofold::cli {

struct analysis_limits {
  double seconds = 10;
  std::size_t mebibytes = 512;  // 0: none
};

//! Adds both options. Times are finite and positive, memory is a whole number of MiB; anything else is refused with the range.
void add_limits(CLI::App* sub, analysis_limits& l, const std::string& time_of);
//! One more option that takes a time.
CLI::Option* add_seconds(CLI::App* sub, const std::string& name, double& seconds, const std::string& description);

//! Runs `work` in a process of its own, limited until `work` calls `analysed`. Failures of `work` are reported there.
//! @errors TF4101, TF4102 a limit was met · TF7001 the process ended by itself
exit_code in_own_process(const analysis_limits& l, const std::string& what, bool json,
                         const std::function<exit_code(const std::function<void()>& analysed)>& work);

}  // namespace twofold::cli
