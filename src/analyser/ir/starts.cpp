// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Starts of all passes, put in for results.
#include "ir/starts.hpp"

namespace twofold::analyser {
namespace {

struct vector_start {
  term value, component;
};

//! Reads of vectors at single components, as their starts there; false where one cannot be written.
bool components(term value, const std::map<term, vector_start>& vectors, substitution& to) {
  bool written = true;
  (void)contains(value, [&](const node& n) {
    if (!n.is(op::read) || n.args.size() != 2) return false;
    const auto v = vectors.find(n.args[0]);
    if (v == vectors.end()) return false;
    written = written && !contains(v->second.value, [](const node& u) { return u.is(op::inner_fold); });
    to[term(&n)] = substitute(v->second.value, {{v->second.component, n.args[1]}});
    return false;
  });
  return written;
}

}  // namespace

term where_nothing_is_read(const spec& s, term value) {
  substitution starts;
  std::map<term, vector_start> vectors;
  const auto at_start = [&](term t) -> term {
    substitution all = starts;
    return components(t, vectors, all) ? substitute(t, all) : term();
  };
  std::size_t next = 0;
  for (const pass& p : s.passes)
    for (const state_variable& v : p.state) {
      if (next == s.results.size()) break;
      const term start = at_start(v.init), result = s.results[next++];
      if (!start) return {};
      starts[result] = start;
      if (v.extent) vectors[result] = {start, v.component};
    }
  return at_start(value);
}

}  // namespace twofold::analyser
