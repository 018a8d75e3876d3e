// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file JSON as text. Names of files are bytes, JSON is Unicode: what is not UTF-8 becomes U+FFFD instead of an error.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace twofold::cli {

//! indent −1: one line.
template <class Json>
std::string json_text(const Json& j, int indent = 2) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace twofold::cli
