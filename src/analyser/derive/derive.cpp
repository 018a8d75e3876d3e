// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The order of attempts: drop what no output sees, split into strongly connected parts, upstream first, and give each part to
//! the mechanisms in turn.
#include "derive/derive.hpp"

#include "derive/part.hpp"
#include "derive/separation.hpp"

namespace twofold::analyser {
namespace {

using namespace deriving;

std::vector<output> outputs_over_states(const spec& s) {
  substitution to_state;
  std::size_t k = 0;
  for (const pass& p : s.passes)
    for (const auto& v : p.state) to_state[s.results[k++]] = v.symbol;
  std::vector<output> r = s.outputs;
  for (output& o : r) o.value = substitute(o.value, to_state);
  return r;
}

std::optional<derivation> single_pass(const pass& loop, const std::vector<output>& finalize, std::vector<std::string>& tried) {
  std::vector<term> observed;
  for (const auto& o : finalize) observed.push_back(o.value);
  for (const auto& o : loop.outputs) observed.push_back(o.value);
  const auto r = all_parts(loop, observed, tried);
  if (!r) return std::nullopt;
  derivation d;
  d.finalize = finalize;
  d.mechanism = r->mechanism;
  d.merge.variables = r->variables;
  d.merge.invariant = r->invariant;
  if (!r->coordinates.empty()) d.merge.twist = twist{r->coordinates, {}, false};
  return d;
}

}  // namespace

derive_result derive(const spec& s, double) {
  derive_result r;
  const auto finalize = outputs_over_states(s);
  if (s.passes.size() == 1)
    if (auto d = single_pass(s.passes[0], finalize, r.tried)) r.found.push_back(*d);
  if (s.passes.size() > 1)
    for (representation as : {representation::own_results, representation::sums})
      if (auto d = fuse(s, as, r.tried)) r.found.push_back(*d);
  return r;
}

}  // namespace twofold::analyser
