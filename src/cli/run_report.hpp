// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What `run` found, for people and for scripts.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "difference.hpp"
#include "execute.hpp"
#include "terminal.hpp"

namespace twofold::cli {

//! One run: what was asked, what came out.
struct run_result {
  std::string target, file, function, schedule, device;
  executed answers;
  comparison differences;
  std::map<std::string, std::string> files;  // where answers were written, by name
  double compile_seconds = 0;
  bool from_cache = false;
};

nlohmann::ordered_json to_json(const run_result& r);
std::string run_report(const run_result& r, style paint);

}  // namespace twofold::cli
