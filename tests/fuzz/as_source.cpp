// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A loop of the generator as a programmer might have written it.
#include <algorithm>

#include "fuzz/sample.hpp"

namespace twofold::analyser::fuzz {
namespace {

std::string body_of(const pass& p) {
  const auto text = [&](term t) {
    return to_cpp(t, [&](const node& n) {
      for (const element& e : p.elements)
        if (e.symbol == term(&n)) return e.array + "[i]";
      return n.is(op::symbol) ? n.name : std::string();
    });
  };
  std::string r;
  for (const state_variable& v : p.state) r += "  " + cpp_name(v.type) + " " + v.name + " = " + text(v.init) + ";\n";
  r += "  for (int i = 0; i < n; ++i) {\n";
  if (p.state.size() == 1) return r + "    " + p.state[0].name + " = " + text(p.state[0].step) + ";\n  }\n";
  for (const state_variable& v : p.state) r += "    const " + cpp_name(v.type) + " " + v.name + "_next = " + text(v.step) + ";\n";
  for (const state_variable& v : p.state) r += "    " + v.name + " = " + v.name + "_next;\n";
  return r + "  }\n";
}

}  // namespace

std::string as_source(const spec& s, const std::string& name) {
  std::string parameters, body, structure, type = s.return_type, answer;
  for (const parameter& p : s.parameters) parameters += (parameters.empty() ? "" : ", ") + p.cpp_type + " " + p.name;
  for (const pass& p : s.passes) body += body_of(p);
  if (s.outputs.size() == 1 && s.outputs[0].name == "return") {
    answer = to_cpp(s.outputs[0].value);
  } else {
    type = name + "_result";
    for (const output& o : s.outputs) {
      structure += "  " + cpp_name(o.type) + " " + o.name.substr(o.name.find('.') + 1) + ";\n";
      answer += (answer.empty() ? "{" : ", ") + to_cpp(o.value);
    }
    structure = "struct " + type + " {\n" + structure + "};\n";
    answer += "}";
  }
  return structure + type + " " + name + "(" + parameters + ") {\n" + body + "  return " + answer + ";\n}\n";
}

}  // namespace twofold::analyser::fuzz
