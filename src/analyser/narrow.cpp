// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file See narrow.hpp.
#include "narrow.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>

#include "prove/prove.hpp"

namespace twofold::analyser {
namespace {

constexpr double seconds_each = 0.1;

//! Over parameters, lengths and elements alone: the hypotheses speak of nothing else.
bool of_inputs(term t) {
  const std::vector<term> all = symbols(t);
  return !all.empty() && std::all_of(all.begin(), all.end(), [](term u) {
    return u->is_symbol(symbol_kind::parameter) || u->is_symbol(symbol_kind::length) || u->is_symbol(symbol_kind::element);
  });
}

std::vector<term*> terms_of(pass& p) {
  std::vector<term*> r;
  for (state_variable& v : p.state) r.insert(r.end(), {&v.init, &v.step});
  for (element_output& o : p.outputs) r.push_back(&o.value);
  return r;
}

//! What a term is on every input that is left, and why.
struct known {
  term value, because;
};

std::optional<known> decided(term t, const std::vector<term>& given) {
  const auto first = [&](std::initializer_list<known> ways) -> std::optional<known> {
    for (const known& k : ways)
      if (proved_equal(k.because, boolean(true), given, seconds_each)) return k;
    return std::nullopt;
  };
  switch (t->kind) {
    case op::less:
    case op::less_equal:
    case op::equal:
      return first({{boolean(true), t}, {boolean(false), logical_not(t)}});
    case op::min:
    case op::max: {
      const term a = t->args[0], b = t->args[1], low = t->kind == op::min ? a : b, high = t->kind == op::min ? b : a;
      return first({{low, less_equal(a, b)}, {high, less_equal(b, a)}});
    }
    case op::abs: {
      const term a = t->args[0], zero = number(0, a->type);
      return first({{a, less_equal(zero, a)}, {neg(a), less_equal(a, zero)}});
    }
    default:
      return std::nullopt;
  }
}

//! The innermost first: what is decided inside may decide what is around it.
void simplify(pass& p) {
  std::set<term> open;
  for (int round = 0; round < 4; ++round) {
    std::set<term> found;
    for (term* t : terms_of(p))
      if (*t)
        (void)contains(*t, [&](const node& n) {
          const term here(&n);
          if (n.total && !open.contains(here) && of_inputs(here)) found.insert(here);
          return false;
        });
    substitution values;
    for (term t : found) {
      if (const auto k = decided(t, p.given)) {
        values.emplace(t, k->value);
        p.used.push_back(k->because);
      } else {
        open.insert(t);
      }
    }
    if (values.empty()) return;
    for (term* t : terms_of(p))
      if (*t) *t = substitute(*t, values);
  }
}

}  // namespace

spec narrowed(spec s) {
  if (s.given.empty()) return s;
  for (pass& p : s.passes) {
    p.given = conditions(s.given, p);
    if (!p.given.empty()) simplify(p);
  }
  return s;
}

bool is_void(const spec& s) {
  return std::any_of(s.passes.begin(), s.passes.end(), [&](const pass& p) {
    const std::vector<term> given = conditions(s.given, p);
    return !given.empty() && proved_equal(boolean(true), boolean(false), given, 1);
  });
}

}  // namespace twofold::analyser
