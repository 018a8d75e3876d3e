// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The text of a source and of what it includes from given folders: what a cached result of compiling it depends on.
#pragma once

#include <string>
#include <vector>

namespace twofold::cli {

//! Contents of `file` and, recursively, of every include that is found beside it or in `folders`; each once. System headers are left to
//! the compiler's version.
std::string text_with_includes(const std::string& file, const std::vector<std::string>& folders);

}  // namespace twofold::cli
