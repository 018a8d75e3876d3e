// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Inputs for a user's loop: families of arrays of the lengths that it needs, and the user's own values where given.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bind.hpp"
#include "bound/running.hpp"
#include "ir/spec.hpp"

namespace twofold::cli::accuracy {

struct data_request {
  std::int64_t n = 1000;   // iterations
  std::int64_t inner = 8;  // every other length
  given values;            // --input and --set: kept as they are
};

//! The families of numerics/families.hpp, one after another: of scores, of values, of scales.
int data_families();
std::string data_family(int k);  // "scores, half ulps"

//! Files in `folder` for every array that was not given, values for every scalar that was not; n is inferred or set. The first array of
//! real numbers is of the family, each other one of the same or of a family of values.
//! @errors TF2116 a length that does not follow from n
given make_data(const analyser::spec& s, const data_request& r, int family, std::uint64_t seed, const std::string& folder);

//! A binding as the analyser runs it.
analyser::bounding::loop_data loop_data_of(const analyser::spec& s, const binding& b);

}  // namespace twofold::cli::accuracy
