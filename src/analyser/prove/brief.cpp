// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Short texts of terms.
#include "prove/brief.hpp"

#include "ir/written_size.hpp"

namespace twofold::analyser {
namespace {

constexpr double longest = 120;

}  // namespace

std::string brief(term t) {
  const auto too_long = [](const node& n) {
    return n.is(op::number) && mpz_sizeinbase(n.value.get_num_mpz_t(), 2) + mpz_sizeinbase(n.value.get_den_mpz_t(), 2) > 512;
  };
  if (contains(t, too_long)) return "an expression with a number of more than 150 digits";
  if (written_size(t) <= longest) return to_text(t);
  return "an expression of " + std::to_string(count_nodes({{t}})) + " distinct parts";
}

}  // namespace twofold::analyser
