// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Other programs (a compiler, a second solver), started without a shell.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace twofold::cli {

struct process_result {
  int status = -1;  // exit status, or 128 + signal
  bool timed_out = false;
  std::string output;  // stdout and stderr as they came, at most the first MiB
};

//! Where `program` is found along PATH, or itself if it has a slash and can be executed.
std::optional<std::string> find_program(const std::string& program);

//! Runs the program to its end, stdin empty; killed after `seconds`. Nothing where it cannot be started at all.
std::optional<process_result> run_process(const std::vector<std::string>& command, double seconds);

}  // namespace twofold::cli
