// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Answers as one JSON object: "return.mean" is outputs.return.mean, "return[1]" the second entry of a list.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "execute.hpp"

namespace twofold::cli {

//! `files`: where answers were written, by their flat names ("return.mean"); arrays that were are described, not listed.
nlohmann::ordered_json outputs_json(const answers& a, const std::map<std::string, std::string>& files);

}  // namespace twofold::cli
