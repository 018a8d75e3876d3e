// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A smaller loop with the same fault.
#pragma once

#include <functional>

#include "fuzz/sample.hpp"

namespace twofold::analyser::fuzz {

//! Drops variables and outputs and puts operands or small constants in the place of operations as long as `still_wrong` says so.
//! What was known of the loop is forgotten: a changed loop may merge or not.
[[nodiscard]] sample shrunk(const sample& s, const std::function<bool(const sample&)>& still_wrong, std::size_t most_tries = 600);

}  // namespace twofold::analyser::fuzz
