// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exactness, factors, linear forms.
#include "bound/factors.hpp"

#include <algorithm>

#include "bound/ball.hpp"
#include "ir/nearest.hpp"

namespace twofold::analyser::bounding {
namespace {

bool representable(const node& n) {
  return n.type.bits == 32 ? mpq_class(nearest<float>(n.value)) == n.value : mpq_class(nearest<double>(n.value)) == n.value;
}
bool mentions(term t, term x) {
  return contains(t, [&](const node& n) { return term(&n) == x; });
}

//! One for each element, added up in floating point: exact as long as it fits the significand.
bool counts(const merged_variable& v) {
  if (v.type.kind != sort::real || !v.lift || !v.merge || !is_number(v.lift, 1) || (v.init && !is_number(v.init, 0))) return false;
  const auto sum_of = [](term t, term x, const auto& other) {
    return t->is(op::add) && ((t->args[0] == x && other(t->args[1])) || (t->args[1] == x && other(t->args[0])));
  };
  const term left = symbol(symbol_kind::left, v.name, v.type), right = symbol(symbol_kind::right, v.name, v.type);
  if (!sum_of(v.merge, left, [&](term t) { return t == right; })) return false;
  return !v.step || sum_of(v.step, symbol(symbol_kind::state, v.name, v.type), [](term t) { return is_number(t, 1); });
}

}  // namespace

bool wider(type from, type to) {
  if (from.kind == sort::real) return to.kind == sort::real && from.bits <= to.bits;
  if (to.kind == sort::real) return from.bits < (to.bits == 32 ? 24 : 53);
  return true;
}

void factors::find_lifts() {
  substitution start;
  for (const merged_variable& v : d_.state)
    if (v.init) start[symbol(symbol_kind::state, v.name, v.type)] = v.init;
  for (merged_variable& v : d_.state) {
    if (v.lift || !v.step) continue;
    const term lift = substitute(v.step, start);
    if (!contains(lift, [](const node& n) { return n.is_symbol(symbol_kind::state); })) v.lift = lift;
  }
}

void factors::take_elements_as_given() {
  substitution given;
  for (const merged_variable& v : d_.state) exact_.insert(v.name);
  for (const merged_variable& v : d_.state) {
    if (!v.lift || v.type.kind != sort::real || exact(v.lift) || !exact(v.merge)) continue;
    given[v.lift] = symbol(symbol_kind::element, "the value of one element for " + v.name, v.type);
    selected_.insert(v.name);
  }
  exact_.clear();
  if (given.empty()) return;
  for (merged_variable& v : d_.state)
    for (term* t : {&v.lift, &v.step})
      if (*t) *t = substitute(*t, given);
}

//! An operation, its operands being exact: none is asked about twice, however often it is shared.
bool factors::exact(term t) const {
  const auto rounded = [&](const node& n) {
    if (n.is(op::symbol)) {
      const bool varies = n.is_symbol(symbol_kind::state) || n.is_symbol(symbol_kind::left) || n.is_symbol(symbol_kind::right);
      return varies && !exact_.contains(n.name);
    }
    if (n.type.kind != sort::real)
      return n.is(op::call) && n.args[0]->type.kind == sort::real && find_function(n.name) == function::unknown;
    switch (n.kind) {
      case op::inner_fold:
      case op::add:
      case op::mul:
      case op::div:
        return true;
      case op::number:
        return !representable(n);
      case op::cast:
        return !wider(n.args[0]->type, n.type);
      case op::call:
        return call_roundings(find_function(n.name), n.type.bits) != 0 || find_function(n.name) == function::unknown;
      default:
        return false;
    }
  };
  return t && !contains(t, rounded);
}

void factors::find_exact() {
  for (const merged_variable& v : d_.state) {
    exact_.insert(v.name);
    if (counts(v)) counts_.insert(v.name), longest_ = std::min(longest_, v.type.bits == 32 ? 0x1p24 : 0x1p53);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const merged_variable& v : d_.state) {
      if (!exact_.contains(v.name) || counts_.contains(v.name)) continue;
      const bool kept = exact(v.merge) && (v.step ? exact(v.step) : exact(v.lift)) && (!v.init || exact(v.init));
      if (kept) continue;
      exact_.erase(v.name);
      changed = true;
    }
  }
}

std::optional<double> factors::argument(term t) const {
  if (exact(t)) return 0;
  const node& n = *t;
  if (n.is(op::number)) return cost(n.type);
  if (n.is(op::neg)) return argument(n.args[0]);
  if (n.is(op::add) && exact(n.args[0]) && exact(n.args[1])) return cost(n.type);
  if (n.is(op::cast) && n.type.kind == sort::real) {
    const auto a = argument(n.args[0]);
    if (!a) return std::nullopt;
    return *a + (wider(n.args[0]->type, n.type) ? 0 : cost(n.type));
  }
  if (n.is(op::mul) || n.is(op::div)) {
    const auto a = argument(n.args[0]), b = argument(n.args[1]);
    if (a && b) return *a + *b + cost(n.type);
  }
  if (n.is(op::min) || n.is(op::max)) {  // of a difference and 0
    const auto a = argument(n.args[0]), b = argument(n.args[1]);
    if (a && b) return std::max(*a, *b);
  }
  return std::nullopt;
}

std::optional<factor> factors::factor_of(term t) const {
  const node& n = *t;
  if (n.is(op::number) && n.type.kind == sort::real) return factor{n.value > 0, n.value == 1, representable(n) ? 0 : cost(n.type), 0, ""};
  if (n.is_symbol(symbol_kind::left) || n.is_symbol(symbol_kind::right)) {
    if (products_.contains(n.name)) return factor{false, false, 0, 0, n.name};
  }
  if (exact(t)) return factor{n.is(op::abs) || (n.is(op::call) && find_function(n.name) == function::abs), false, 0, 0, ""};
  if (n.is(op::call)) {
    const function f = find_function(n.name);
    if (f == function::exp || f == function::exp2) {
      if (const auto a = argument(n.args[0])) return factor{true, false, call_roundings(f, n.type.bits) * cost(n.type), *a, ""};
      return std::nullopt;
    }
    if (f == function::sqrt) {
      auto inside = factor_of(n.args[0]);
      if (!inside || !inside->product.empty()) return std::nullopt;
      return factor{true, false, inside->roundings / 2 + cost(n.type), inside->argument / 2, ""};
    }
    return std::nullopt;
  }
  if (n.is(op::cast) && n.type.kind == sort::real) {
    auto inside = factor_of(n.args[0]);
    if (inside && !wider(n.args[0]->type, n.type)) inside->roundings += cost(n.type);
    return inside;
  }
  if (n.is(op::neg)) {
    auto inside = factor_of(n.args[0]);
    if (inside) inside->positive = inside->one = false;
    return inside;
  }
  if (n.is(op::mul) || n.is(op::div)) {
    const auto a = factor_of(n.args[0]), b = factor_of(n.args[1]);
    if (!a || !b || (!a->product.empty() && !b->product.empty()) || (n.is(op::div) && !b->product.empty())) return std::nullopt;
    const bool square = n.is(op::mul) && n.args[0] == n.args[1];
    return factor{square || (a->positive && b->positive), false, a->roundings + b->roundings + cost(n.type), a->argument + b->argument,
                  a->product + b->product};
  }
  if (n.is(op::select) && exact(n.args[0])) {
    const auto a = factor_of(n.args[1]), b = factor_of(n.args[2]);
    if (!a || !b || a->product != b->product) return std::nullopt;
    return factor{a->positive && b->positive, a->one && b->one, std::max(a->roundings, b->roundings), std::max(a->argument, b->argument),
                  a->product};
  }
  if (n.is(op::add) && exact(n.args[0]) && exact(n.args[1]))
    return factor{false, false, cost(n.type), 0, ""};  // an exact sum, rounded once
  if (n.is(op::add)) {                                 // of positive factors: no cancellation
    const auto a = factor_of(n.args[0]), b = factor_of(n.args[1]);
    if (!a || !b || !a->positive || !b->positive || !a->product.empty() || !b->product.empty()) return std::nullopt;
    return factor{true, false, std::max(a->roundings, b->roundings) + cost(n.type), std::max(a->argument, b->argument), ""};
  }
  return std::nullopt;
}

std::optional<linear> factors::linear_in(term t, term left, term right) const {
  const node& n = *t;
  if (t == left) return linear{factor{true, true, 0, 0, ""}, std::nullopt, {}, 0, 0, 0};
  if (t == right) return linear{std::nullopt, factor{true, true, 0, 0, ""}, {}, 0, 0, 0};
  if (!mentions(t, left) && !mentions(t, right)) return linear{std::nullopt, std::nullopt, t, 0, 0, 0};
  if (n.is(op::add)) {
    const auto a = linear_in(n.args[0], left, right), b = linear_in(n.args[1], left, right);
    if (!a || !b || (a->left && b->left) || (a->right && b->right) || (a->rest && b->rest)) return std::nullopt;
    linear both = *a;
    if (b->left) both.left = b->left, both.left_path = b->left_path;
    if (b->right) both.right = b->right, both.right_path = b->right_path;
    if (b->rest) both.rest = b->rest, both.rest_path = b->rest_path;
    const double own = cost(n.type);
    both.left_path += own, both.right_path += own, both.rest_path += own;
    return both;
  }
  if (n.is(op::neg)) {
    auto a = linear_in(n.args[0], left, right);
    if (!a || a->rest) return std::nullopt;
    for (auto* c : {&a->left, &a->right})
      if (*c) (*c)->positive = (*c)->one = false;
    return a;
  }
  if (n.is(op::cast) && n.type.kind == sort::real && n.args[0]->type.kind == sort::real) {
    auto a = linear_in(n.args[0], left, right);
    if (a && !wider(n.args[0]->type, n.type)) a->left_path += cost(n.type), a->right_path += cost(n.type), a->rest_path += cost(n.type);
    return a;
  }
  if (n.is(op::mul) || n.is(op::div)) {
    const bool first = mentions(n.args[0], left) || mentions(n.args[0], right);
    if (n.is(op::div) && !first) return std::nullopt;
    const auto inside = linear_in(n.args[first ? 0 : 1], left, right);
    const term by = n.args[first ? 1 : 0];
    if (!inside || mentions(by, left) || mentions(by, right) || inside->rest) return std::nullopt;
    const auto c = factor_of(by);
    if (!c) return std::nullopt;
    linear scaled = *inside;
    for (auto* part : {&scaled.left, &scaled.right})
      if (*part) {
        if (!(*part)->product.empty() && !c->product.empty()) return std::nullopt;
        **part = factor{(*part)->positive && c->positive, (*part)->one && c->one,
                        (*part)->roundings + c->roundings + (c->one ? 0 : cost(n.type)), (*part)->argument + c->argument,
                        (*part)->product + c->product};
      }
    return scaled;
  }
  if (n.is(op::select) && exact(n.args[0])) {  // either branch: the worse of both
    const auto a = linear_in(n.args[1], left, right), b = linear_in(n.args[2], left, right);
    if (!a || !b) return std::nullopt;
    linear worse = *a;
    const auto join = [](std::optional<factor>& x, const std::optional<factor>& y) {
      if (!y) return true;
      if (!x) {
        x = y;
        return true;
      }
      if (x->product != y->product) return false;
      *x = factor{x->positive && y->positive, x->one && y->one, std::max(x->roundings, y->roundings), std::max(x->argument, y->argument),
                  x->product};
      return true;
    };
    if (!join(worse.left, b->left) || !join(worse.right, b->right)) return std::nullopt;
    if (worse.rest && b->rest && worse.rest != b->rest) worse.rest = select(n.args[0], a->rest, b->rest);
    else if (!worse.rest) worse.rest = b->rest;
    worse.left_path = std::max(a->left_path, b->left_path), worse.right_path = std::max(a->right_path, b->right_path);
    worse.rest_path = std::max(a->rest_path, b->rest_path);
    return worse;
  }
  return std::nullopt;
}

}  // namespace twofold::analyser::bounding
