// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A spec as text.
#include "frontend/dump.hpp"

namespace twofold::analyser {
namespace {

std::string text(term t) { return t ? to_text(t) : "?"; }

std::string role(parameter_role r) {
  switch (r) {
    case parameter_role::input_array:
      return "input";
    case parameter_role::invariant_array:
      return "invariant";
    case parameter_role::output_array:
      return "output";
    case parameter_role::length:
      return "length";
    default:
      return "scalar";
  }
}

std::string component_mark(term extent) { return extent ? "[j < " + text(extent) + "]" : ""; }

}  // namespace

std::string dump(const spec& s) {
  std::string out = s.signature + "\n";
  for (const parameter& p : s.parameters) {
    out += "  " + role(p.role) + " " + p.name + ": " + cpp_name(p.element);
    for (term e : p.extents) out += "[" + text(e) + "]";
    out += "\n";
  }
  std::size_t result = 0;
  for (const pass& p : s.passes) {
    out += std::string("  pass ") + p.index + " in [" + text(p.begin) + ", " + text(p.end) + ")" + (p.reverse ? " reversed" : "") +
           (p.position_aware ? " position-aware" : "") + "\n";
    for (const element& e : p.elements) {
      out += "    element " + e.symbol->name + " = " + e.array + "[" + p.index +
             (e.offset ? (e.offset > 0 ? " + " : " - ") + std::to_string(std::abs(e.offset)) : "") + "]";
      out += (e.row_extent ? " row of " + text(e.row_extent) : "") + std::string("\n");
    }
    for (const state_variable& v : p.state) {
      out += "    state " + v.name + component_mark(v.extent) + ": " + cpp_name(v.type) + " = " + text(v.init) + " -> " +
             s.results.at(result++)->name + "\n";
      out += "      " + v.name + " <- " + text(v.step) + "\n";
    }
    for (const element_output& o : p.outputs)
      out += "    " + std::string(o.is_scan ? "scan " : "map ") + o.array + "[" + p.index + "] = " + text(o.value) + "\n";
  }
  for (const output& o : s.outputs)
    out += "  output " + o.name + component_mark(o.extent) + ": " + cpp_name(o.type) + " = " + text(o.value) + "\n";
  for (const std::string& a : s.assumptions) out += "  assume " + a + "\n";
  for (const std::string& n : s.notes) out += "  note " + n + "\n";
  return out;
}

}  // namespace twofold::analyser
