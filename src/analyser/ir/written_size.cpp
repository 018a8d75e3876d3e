// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sizes of terms as trees, counted on the graphs that they are.
#include "ir/written_size.hpp"

#include <unordered_map>

namespace twofold::analyser {
namespace {

double written(term t, std::unordered_map<std::uint32_t, double>& done) {
  if (const auto it = done.find(t->id); it != done.end()) return it->second;
  double n = 1;
  for (term a : t->args) n += written(a, done);
  return done[t->id] = n;
}

}  // namespace

double written_size(term t) {
  std::unordered_map<std::uint32_t, double> done;
  return written(t, done);
}

}  // namespace twofold::analyser
