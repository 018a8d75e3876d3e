// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the families of loops share: a loop under construction, and random functions of its element.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/draw.hpp"
#include "fuzz/sample.hpp"

namespace twofold::analyser::fuzz {

inline const type word_type{sort::integer, 32, false};

//! A loop under construction. Families add variables; their names begin with `prefix`, so that several families share a loop.
struct making {
  draw& random;
  type number = double_type;  // of elements and variables
  bool exponents = false;     // elements must stay small integers
  std::string prefix;
  sample out;

  explicit making(draw& d) : random(d) {
    pass p;
    p.index = "i";
    p.begin = analyser::number(0, int_type);
    p.end = length();
    out.loop.passes.push_back(p);
    out.loop.parameters.push_back({"n", "int", int_type, parameter_role::length, {}});
    out.answer = known::merges;
  }
  static term length() { return symbol(symbol_kind::parameter, "n", int_type); }
  static term index() { return symbol(symbol_kind::index, "i", int_type); }

  term constant(long v) const { return analyser::number(v, number); }
  term constant(const mpq_class& v) const { return analyser::number(v, number); }
  //! The entry that this iteration reads from array `name`.
  term reads(const std::string& name, type t) {
    const term e = symbol(symbol_kind::element, name + "[i]", t);
    auto& known_parameters = out.loop.parameters;
    if (std::none_of(known_parameters.begin(), known_parameters.end(), [&](const parameter& p) { return p.name == name; }))
      known_parameters.push_back({name, "const " + cpp_name(t) + "*", t, parameter_role::input_array, {length()}});
    auto& elements = out.loop.passes.back().elements;
    if (std::none_of(elements.begin(), elements.end(), [&](const element& o) { return o.symbol == e; }))
      elements.push_back({e, name, 0, {}});
    return e;
  }
  term x() { return reads("x", number); }
  term y() { return reads("y", number); }
  term parameter_value(const std::string& name) {
    auto& all = out.loop.parameters;
    if (std::none_of(all.begin(), all.end(), [&](const parameter& p) { return p.name == name; }))
      all.push_back({name, cpp_name(number), number, parameter_role::scalar, {}});
    return symbol(symbol_kind::parameter, name, number);
  }
  term variable(const std::string& name, type t) const { return symbol(symbol_kind::state, prefix + name, t); }
  term variable(const std::string& name) const { return variable(name, number); }
  term result(const std::string& name, type t) const { return symbol(symbol_kind::result, prefix + name, t); }
  term carries(term v, term init, term step) {
    out.loop.passes.back().state.push_back({v->name, v->type, v, init, step, {}, {}, {}});
    out.loop.results.push_back(symbol(symbol_kind::result, v->name, v->type));
    return out.loop.results.back();
  }
  void at_best(known k) { out.answer = std::max(out.answer, k); }
};

//! A random function of the element alone: small polynomials, extrema and choices.
term of_element(making& m, int depth = 2);
//! A random condition on the element alone.
term condition_on_element(making& m);
//! The same term in other words: laws of the exact numbers at random places.
term reworded(draw& d, term t, int depth);

using family = void (*)(making&);
struct named_family {
  const char* name;
  family add;
  bool integers = true, words = false;  // beside reals: also over ℤ, also modulo 2^32
  bool alone = false;
};
//! Loops that merge by construction, and loops of which nothing is known.
[[nodiscard]] const std::vector<named_family>& families();

}  // namespace twofold::analyser::fuzz
