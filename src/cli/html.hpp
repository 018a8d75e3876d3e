// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The report as a page for a browser: one file that loads nothing and runs nothing.
#pragma once

#include <string>
#include <vector>

#include "decision_json.hpp"
#include "special_values.hpp"

namespace twofold::cli {

//! The part of the page about one loop. `source`: the text of its file, of which the function is shown.
std::string html_section(const analyser::spec& s, const analyser::decision& d, const circumstances& c, const std::string& source);

//! A whole page of sections; also well-formed XML. `names` are the functions, in the same order.
std::string html_page(const std::string& title, const std::vector<std::string>& names, const std::vector<std::string>& sections);

//! The lines of the function whose loop stands at `line`, first to last; at most `most` of them.
struct excerpt {
  int first = 1;
  std::vector<std::string> lines;
};
excerpt function_around(const std::string& source, const std::string& function, int line, std::size_t most = 60);

}  // namespace twofold::cli
