// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Names of symbols in reports.
#include "names.hpp"

#include <map>
#include <set>

namespace twofold::cli {
using namespace analyser;

namespace {
std::string position(const std::string& index, long offset) {
  if (offset == 0) return index;
  return index + (offset > 0 ? "+" : "-") + std::to_string(offset > 0 ? offset : -offset);
}
}  // namespace

namer names_of(const spec& s, const decision& d) {
  std::map<std::string, std::string> vectors;  // variable → its generic index
  for (const merged_variable& v : d.state)
    if (v.extent) vectors[v.name] = v.component ? v.component->name : "j";
  std::map<term, std::string> elements;
  for (const pass& p : s.passes)
    for (const element& e : p.elements) {
      const std::string index = p.index.empty() ? "i" : p.index;
      elements[e.symbol] = e.array.empty() ? e.symbol->name : e.array + "[" + position(index, e.offset) + "]";
    }
  return [vectors, elements](const node& n) -> std::string {
    if (!n.is(op::symbol)) return {};
    if (const auto e = elements.find(term(&n)); e != elements.end()) return e->second;
    const auto v = vectors.find(n.name);
    if (v == vectors.end()) return {};
    switch (n.symbol) {
      case symbol_kind::left:
        return "a." + n.name + "[" + v->second + "]";
      case symbol_kind::right:
        return "b." + n.name + "[" + v->second + "]";
      case symbol_kind::state:
        return n.name + "[" + v->second + "]";
      default:
        return {};
    }
  };
}

}  // namespace twofold::cli
