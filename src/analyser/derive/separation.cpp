// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Splitting what a later pass adds up into functions of the element and functions of earlier results.
#include <algorithm>

#include "derive/separation.hpp"

namespace twofold::analyser::deriving {
namespace {

bool is_result(const node& n) { return n.is_symbol(symbol_kind::result); }
bool is_element(const node& n) { return n.is_symbol(symbol_kind::element) || n.is_symbol(symbol_kind::index); }

//! A choice on elements alone becomes a sum of products with indicators: select(p, A, B) = [p]·A + [¬p]·B.
term with_indicators(term t) {
  if (t->args.empty()) return t;
  std::vector<term> args;
  for (term a : t->args) args.push_back(with_indicators(a));
  if (t->is(op::select) && t->type.kind == sort::real && !contains(args[0], is_result) && !(is_constant(args[1]) && is_constant(args[2]))) {
    const term one = number(1, t->type), none = number(0, t->type);
    return add(mul(select(args[0], one, none), args[1]), mul(select(args[0], none, one), args[2]));
  }
  return rebuild(t, std::move(args));
}

}  // namespace

separated separate(term f) {
  separated r;
  std::map<monomial, polynomial> by_result;
  for (const auto& [m, c] : expanded(with_indicators(f))) {
    monomial a, b;
    for (const auto& [atom, k] : m) {
      const bool element = contains(atom, is_element), result = contains(atom, is_result);
      if (element && result) {
        r.mixed = atom;
        return r;
      }
      (element ? a : b)[atom] = k;
    }
    polynomial& sum = by_result[b];
    sum = plus(std::move(sum), single(a, c));
  }
  for (const auto& [b, a] : by_result)
    if (!a.empty()) r.terms.push_back({b, a});
  return r;
}

}  // namespace twofold::analyser::deriving
