// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file See given.hpp.
#include "ir/given.hpp"

#include <algorithm>
#include <set>

#include "ir/spec.hpp"

namespace twofold::analyser {
namespace {

bool compare(const mpq_class& a, const std::string& relation, const mpq_class& b) {
  if (relation == "<") return a < b;
  if (relation == "<=") return a <= b;
  if (relation == ">") return a > b;
  if (relation == ">=") return a >= b;
  return (a == b) == (relation == "==");
}

//! A symbol that a name stands for, and the offset of the read if it is an element.
struct meaning {
  term symbol;
  std::optional<long> offset;
};

std::vector<meaning> meanings(const std::string& name, const pass& p) {
  std::vector<meaning> r;
  for (const element& e : p.elements)
    if (e.array == name && !e.row_extent) r.push_back({e.symbol, e.offset});
  std::set<term> scalars;
  const auto visit = [&](term t) {
    if (!t) return;
    for (term u : symbols(t))
      if (u->name == name && (u->is_symbol(symbol_kind::parameter) || u->is_symbol(symbol_kind::length))) scalars.insert(u);
  };
  visit(p.begin), visit(p.end);
  for (const state_variable& v : p.state) visit(v.init), visit(v.step), visit(v.extent);
  for (const element_output& o : p.outputs) visit(o.value);
  for (term u : scalars) r.push_back({u, std::nullopt});
  return r;
}

//! Exact: an integer or a truth value becomes a real number, modular ones too (as their value in [0, 2^w)).
term as_real(term t, bool magnitude) {
  const term r = t->type.kind == sort::real ? t : cast(t, double_type);
  return magnitude ? abs(r) : r;
}

term condition(term a, const std::string& relation, term b) {
  if (relation == "<") return less(a, b);
  if (relation == "<=") return less_equal(a, b);
  if (relation == ">") return less(b, a);
  if (relation == ">=") return less_equal(b, a);
  const term same = equal(a, b);
  return relation == "==" ? same : logical_not(same);
}

//! Where a symbol of integers meets a whole number of its own type, the condition is one of integers, which decides more.
std::optional<term> over_integers(term symbol, const comparison::operand& how, const mpq_class& v, const std::string& relation,
                                  bool swapped) {
  const type t = symbol->type;
  if (t.kind != sort::integer || v.get_den() != 1) return std::nullopt;
  const mpz_class high = mpz_class(1) << (t.is_signed ? t.bits - 1 : t.bits), low = t.is_signed ? mpz_class(-high) : mpz_class(0);
  if (v < low || v >= high) return std::nullopt;
  const term s = how.magnitude && t.is_signed ? abs(symbol) : symbol, n = number(v, t);
  return swapped ? condition(n, relation, s) : condition(s, relation, n);
}

mpq_class value(const comparison::operand& o) { return o.magnitude ? mpq_class(::abs(o.number)) : o.number; }

}  // namespace

bool holds(const comparison& c, const std::function<std::vector<std::optional<mpq_class>>(const std::string&)>& values_of) {
  const auto side = [&](const comparison::operand& o) -> std::vector<std::optional<mpq_class>> {
    if (o.name.empty()) return {value(o)};
    auto values = values_of(o.name);
    for (auto& v : values)
      if (v && o.magnitude) v = mpq_class(::abs(*v));
    return values;
  };
  const auto left = side(c.left), right = side(c.right);
  return std::all_of(left.begin(), left.end(), [&](const auto& a) {
    return std::all_of(right.begin(), right.end(), [&](const auto& b) { return a && b && compare(*a, c.relation, *b); });
  });
}

std::vector<term> conditions(const std::vector<comparison>& given, const pass& p) {
  std::vector<term> r;
  const auto keep = [&](term t) {
    if (t != boolean(true) && std::find(r.begin(), r.end(), t) == r.end()) r.push_back(t);
  };
  for (const comparison& c : given) {
    const term left_number = c.left.name.empty() ? number(value(c.left), double_type) : term(),
               right_number = c.right.name.empty() ? number(value(c.right), double_type) : term();
    if (left_number && right_number) keep(condition(left_number, c.relation, right_number));
    else if (right_number) {
      for (const meaning& m : meanings(c.left.name, p))
        keep(over_integers(m.symbol, c.left, value(c.right), c.relation, false)
                 .value_or(condition(as_real(m.symbol, c.left.magnitude), c.relation, right_number)));
    } else if (left_number) {
      for (const meaning& m : meanings(c.right.name, p))
        keep(over_integers(m.symbol, c.right, value(c.left), c.relation, true)
                 .value_or(condition(left_number, c.relation, as_real(m.symbol, c.right.magnitude))));
    } else {
      for (const meaning& a : meanings(c.left.name, p))
        for (const meaning& b : meanings(c.right.name, p)) {
          if (a.offset && b.offset && *a.offset != *b.offset) continue;
          const bool alike = a.symbol->type == b.symbol->type && !c.left.magnitude && !c.right.magnitude;
          keep(alike ? condition(a.symbol, c.relation, b.symbol)
                     : condition(as_real(a.symbol, c.left.magnitude), c.relation, as_real(b.symbol, c.right.magnitude)));
        }
    }
  }
  return r;
}

std::vector<mpq_class> examples(const std::vector<comparison>& given, const std::string& name, bool whole) {
  std::vector<comparison> own;
  std::set<mpq_class> ends;
  for (const comparison& c : given) {
    if (c.left.name != name && c.right.name != name) continue;
    const comparison::operand& other = c.left.name == name ? c.right : c.left;
    if (!other.name.empty()) continue;
    own.push_back(c);
    ends.insert(value(other));
    if (c.left.magnitude || c.right.magnitude) ends.insert(-value(other));
  }
  std::vector<mpq_class> tried;
  if (!own.empty())
    for (int v : {0, 1, -1, 2, -2, 3}) tried.emplace_back(v);
  for (const mpq_class& e : ends)
    for (const mpq_class& away :
         {mpq_class(0), mpq_class(1), mpq_class(-1), mpq_class(1, 2), mpq_class(-1, 2), mpq_class(2), mpq_class(-2)})
      tried.push_back(e + away);
  for (auto a = ends.begin(); a != ends.end(); ++a)  // between the ends
    for (auto b = std::next(a); b != ends.end(); ++b)
      for (const mpq_class& part : {mpq_class(1, 2), mpq_class(1, 4), mpq_class(3, 4), mpq_class(1, 8)})
        tried.push_back(*a + part * (*b - *a));
  std::vector<mpq_class> r;
  for (const mpq_class& v : tried) {
    const auto itself = [&](const std::string&) -> std::vector<std::optional<mpq_class>> { return {v}; };
    const bool allowed = std::all_of(own.begin(), own.end(), [&](const comparison& c) { return holds(c, itself); });
    if (allowed && (!whole || v.get_den() == 1) && std::find(r.begin(), r.end(), v) == r.end()) r.push_back(v);
  }
  return r;
}

}  // namespace twofold::analyser
