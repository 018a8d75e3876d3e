// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The order of attempts on one pass: drop what no output sees, split into strongly connected parts, upstream first, and give
//! each part to the mechanisms in turn.
#include <algorithm>

#include "derive/graph.hpp"
#include "derive/part.hpp"

namespace twofold::analyser::deriving {
namespace {

using mechanism = std::optional<part_result> (*)(const part&, std::vector<std::string>&);
constexpr mechanism mechanisms[] = {accumulator, in_place_of_element, potential, threshold, closure, bounded, replay};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::optional<part_result> all_parts(const pass& loop, const std::vector<term>& observed, std::vector<std::string>& tried) {
  part_result all;
  std::vector<std::string> used;
  for (const auto& variables : parts_of(loop, observable(loop, observed))) {
    const part p{loop, variables, all.variables};
    std::optional<part_result> r;
    std::vector<std::string> in_vain;
    for (mechanism m : mechanisms)
      if ((r = m(p, in_vain))) break;
    if (!r) {
      append(tried, in_vain);
      return std::nullopt;
    }
    if (std::find(used.begin(), used.end(), r->mechanism) == used.end()) used.push_back(r->mechanism);
    append(all.variables, r->variables);
    for (term i : r->invariant)
      if (std::find(all.invariant.begin(), all.invariant.end(), i) == all.invariant.end()) all.invariant.push_back(i);
    append(all.coordinates, r->coordinates);
    append(all.bounds, r->bounds);
    append(all.guesses, r->guesses);
  }
  for (const auto& m : used) all.mechanism += (all.mechanism.empty() ? "" : ", ") + m;
  return all;
}

}  // namespace twofold::analyser::deriving
