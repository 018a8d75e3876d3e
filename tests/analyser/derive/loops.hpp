// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Specs written by hand, as the front end would hand them over, and the printing of what was derived from them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "derive/derive.hpp"

namespace loops {

using namespace twofold::analyser;

inline term st(const char* name, type t = double_type) { return symbol(symbol_kind::state, name, t); }
inline term el(const char* name, type t = double_type) { return symbol(symbol_kind::element, name, t); }
inline term pa(const char* name, type t = double_type) { return symbol(symbol_kind::parameter, name, t); }
inline term ix() { return symbol(symbol_kind::index, "i", long_type); }
inline term num(double v) { return number(mpq_class(v), double_type); }
inline term integer(long v) { return number(v, int_type); }
inline term exp(term a) { return call("exp", {a}, a->type); }
inline term log(term a) { return call("log", {a}, a->type); }
inline term real(term a) { return cast(a, double_type); }

struct var {
  term symbol, init, step;
  bool seen = true;     // an output reads it
  bool vector = false;  // generic component of a vector
};

//! One pass; every variable marked `seen` is an output of its own name.
inline pass one_pass(const std::vector<var>& vars) {
  pass p;
  p.index = "i";
  p.begin = number(0, long_type);
  p.end = pa("n_total", long_type);
  const term j = symbol(symbol_kind::component, "j", long_type), d = pa("d", long_type);
  for (const var& v : vars) {
    state_variable s;
    s.name = v.symbol->name;
    s.type = v.symbol->type;
    s.symbol = v.symbol;
    s.init = v.init;
    s.step = v.step;
    if (v.vector) {
      s.extent = d;
      s.component = j;
    }
    p.state.push_back(s);
  }
  for (const var& v : vars)
    for (term s : symbols(v.step)) {
      if (s->is_symbol(symbol_kind::index)) p.position_aware = true;
      const bool known = std::any_of(p.elements.begin(), p.elements.end(), [&](const element& e) { return e.symbol == s; });
      if (s->is_symbol(symbol_kind::element) && !known) p.elements.push_back({s, s->name, 0, {}});
    }
  return p;
}

inline term result_of(term state) { return symbol(symbol_kind::result, state->name, state->type); }

inline spec several(const std::vector<std::vector<var>>& passes, const std::vector<std::pair<std::string, term>>& outputs) {
  spec s;
  s.function = "f";
  for (const auto& vars : passes) {
    s.passes.push_back(one_pass(vars));
    for (const auto& v : vars) s.results.push_back(result_of(v.symbol));
  }
  for (const auto& [name, value] : outputs) s.outputs.push_back({name, value->type, value, {}, {}});
  return s;
}

inline spec single(const std::vector<var>& vars) {
  std::vector<std::pair<std::string, term>> outputs;
  for (const auto& v : vars)
    if (v.seen) outputs.emplace_back(v.symbol->name, result_of(v.symbol));
  spec s = several({vars}, outputs);
  for (auto& o : s.outputs)
    for (const auto& v : s.passes[0].state)
      if (v.name == o.name) {
        o.extent = v.extent;
        o.component = v.component;
      }
  return s;
}

inline std::string describe(const derivation& d) {
  std::string r = "[" + d.mechanism + "]\n";
  for (const auto& v : d.merge.variables) {
    r += "  " + v.name + (v.kind == role::added ? " (added)" : "") + "\n    init  " + (v.init ? to_text(v.init) : "-");
    if (v.lift) r += "\n    lift  " + to_text(v.lift);
    r += "\n    step  " + to_text(v.step) + "\n    merge " + (v.merge ? to_text(v.merge) : "-") + "\n";
    if (!v.why.empty()) r += "    why   " + v.why + "\n";
  }
  for (term t : d.merge.invariant) r += "  inv " + to_text(t) + "\n";
  for (const auto& [s, t] : d.merge.decode) r += "  decode " + to_text(s) + " = " + to_text(t) + "\n";
  if (d.merge.twist)
    for (const auto& c : d.merge.twist->coordinates)
      r += "  coordinate " + c.name + " (" + c.monoid + ") gains " + (c.lift ? to_text(c.lift) : "-") + "\n";
  for (const auto& o : d.finalize) r += "  out " + o.name + " = " + to_text(o.value) + "\n";
  return r;
}

}  // namespace loops
