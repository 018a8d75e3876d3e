// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The decision: front end's spec in, verdict out. derive → prove, with refute beside it.
#pragma once

#include "ir/decision.hpp"

namespace twofold::analyser {

decision decide_loop(const spec& s, const options& o);

//! `check --merge`: is the user's merge right for the loop?
decision check_user_merge(const spec& s, const std::vector<term>& merge, const options& o);

}  // namespace twofold::analyser
