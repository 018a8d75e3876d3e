// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The source text that `run` compiles: the user's own function called on arrays, and the merged loop under a schedule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emit/cpp.hpp"

namespace twofold::cli {

//! glue/frame.hpp and glue/prelude.hpp as text.
std::string_view glue_prelude();

//! One translation unit that defines `int twofold_sequential(twofold_run::frame*)` and `int twofold_scheduled(twofold_run::frame*)`.
//! `source` is the absolute path of the user's file, which is included. `lanes`: the merge over vector lanes
//! (emit/lanes.hpp), in which leaves are then computed; may be empty.
std::string glue_text(const std::string& source, const analyser::spec& s, const analyser::cpp_reduction& r, const std::string& lanes = {});

//! Names of the function's parameters in order, read off its declaration; a structure is one of them, whatever its fields are in the spec.
std::vector<std::string> parameter_names(const analyser::spec& s);

//! Index of a parameter by name. @pre it exists
std::size_t parameter_index(const analyser::spec& s, const std::string& name);

}  // namespace twofold::cli
