// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Short texts of terms.
#include "prove/brief.hpp"

#include <unordered_map>

namespace twofold::analyser {
namespace {

constexpr double longest = 120;

double written_size(term t, std::unordered_map<std::uint32_t, double>& done) {
  if (const auto it = done.find(t->id); it != done.end()) return it->second;
  double n = 1;
  for (term a : t->args) n += written_size(a, done);
  return done[t->id] = n;
}

}  // namespace

std::string brief(term t) {
  const auto too_long = [](const node& n) {
    return n.is(op::number) && mpz_sizeinbase(n.value.get_num_mpz_t(), 2) + mpz_sizeinbase(n.value.get_den_mpz_t(), 2) > 512;
  };
  if (contains(t, too_long)) return "an expression with a number of more than 150 digits";
  std::unordered_map<std::uint32_t, double> done;
  if (written_size(t, done) <= longest) return to_text(t);
  return "an expression of " + std::to_string(done.size()) + " distinct parts";
}

}  // namespace twofold::analyser
