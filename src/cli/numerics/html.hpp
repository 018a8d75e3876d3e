// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The answer as one page that needs nothing else: text, tables, and plots as inline SVG.
#pragma once

#include <string>

#include "numerics/report.hpp"

namespace twofold::cli::accuracy {

std::string html_page(const answer& a);

}  // namespace twofold::cli::accuracy
