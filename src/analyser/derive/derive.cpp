// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The order of attempts: drop what no output sees, split into strongly connected parts, upstream first, and give each part to
//! the mechanisms in turn.
#include "derive/derive.hpp"

#include "derive/graph.hpp"
#include "derive/part.hpp"

namespace twofold::analyser {
namespace {

using namespace deriving;

using mechanism = std::optional<part_result> (*)(const part&, std::vector<std::string>&);
constexpr mechanism mechanisms[] = {accumulator, potential};

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
  derivation d;
  d.finalize = finalize;
  std::set<std::string> used;
  for (const auto& variables : parts_of(loop, observable(loop, observed))) {
    const part p{loop, variables, d.merge.variables};
    std::optional<part_result> r;
    for (mechanism m : mechanisms)
      if ((r = m(p, tried))) break;
    if (!r) return std::nullopt;
    used.insert(r->mechanism);
    d.merge.variables.insert(d.merge.variables.end(), r->variables.begin(), r->variables.end());
    d.merge.invariant.insert(d.merge.invariant.end(), r->invariant.begin(), r->invariant.end());
    if (!r->coordinates.empty()) {
      if (!d.merge.twist) d.merge.twist.emplace();
      auto& c = d.merge.twist->coordinates;
      c.insert(c.end(), r->coordinates.begin(), r->coordinates.end());
    }
  }
  for (const auto& m : used) d.mechanism += (d.mechanism.empty() ? "" : ", ") + m;
  return d;
}

}  // namespace

derive_result derive(const spec& s, double) {
  derive_result r;
  const auto finalize = outputs_over_states(s);
  if (s.passes.size() == 1)
    if (auto d = single_pass(s.passes[0], finalize, r.tried)) r.found.push_back(*d);
  return r;
}

}  // namespace twofold::analyser
