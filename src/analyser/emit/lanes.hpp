// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The merge over vector lanes: the emitted structure once more, its numbers replaced by Lanes<number>; for code that has the
//! library's headers.
#pragma once

#include <string>

#include "ir/decision.hpp"

namespace twofold::analyser {

//! `template <template <class> class Lanes> struct NAME_lanes`, with lift, push_into, combine_into and combine over states that are never
//! empty; "" where a formula has no form in lanes: state that is a truth value or a vector, arrays read inside, integer division, functions
//! that vectors lack.
//! @param name  of the emitted structure
std::string cpp_lanes(const spec& s, const decision& d, const std::string& name);

}  // namespace twofold::analyser
