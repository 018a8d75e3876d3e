// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The answer as one page that needs nothing else: text, tables, and plots as inline SVG.
#pragma once

#include <string>

#include "numerics/report.hpp"
#include "numerics/user_loop.hpp"

namespace twofold::cli::accuracy {

std::string html_page(const answer& a);
std::string html_page(const loop_report& r);

}  // namespace twofold::cli::accuracy
