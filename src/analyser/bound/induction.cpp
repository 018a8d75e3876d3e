// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reads the shape of steps and merges: which variables are exact, which are linear, and what each path loses.
#include "bound/induction.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "bound/ball.hpp"
#include "ir/nearest.hpp"

namespace twofold::analyser::bounding {
namespace {

//! A factor without rounded variables in it: its relative error, in units of u.
struct factor {
  bool positive = false;
  bool one = false;      // exactly 1
  double roundings = 0;  // relative
  double argument = 0;   // roundings of the arguments of its exponentials, relative to the arguments
  std::string product;   // the variable that is a product and a factor of it; empty where none is
};

//! t = left·(…) + right·(…) + rest, in the symbols of one variable.
struct linear {
  std::optional<factor> left, right;                    // coefficients; in steps `left` is that of the state before
  term rest;                                            // null where there is none
  double left_path = 0, right_path = 0, rest_path = 0;  // additions and products after the coefficient
};

class reader {
 public:
  explicit reader(const decision& d) : d_(d) {}

  std::vector<variable_bound> run() {
    take_elements_as_given();
    find_exact();
    std::vector<variable_bound> all;
    for (const merged_variable& v : d_.state) all.push_back(start(v));
    for (variable_bound& b : all)
      if (b.kind == induction_kind::other) as_product(b, variable(b.name));
    for (const variable_bound& b : all)
      if (b.kind == induction_kind::product) products_[b.name] = b.each * b.u;
    for (variable_bound& b : all)
      if (b.kind == induction_kind::other) as_linear(b, variable(b.name));
    return all;
  }

 private:
  const merged_variable& variable(const std::string& name) const {
    return *std::find_if(d_.state.begin(), d_.state.end(), [&](const merged_variable& v) { return v.name == name; });
  }

  //! A maximum of rounded scores: its merges only select. The rounded score of an element is a number like any other from there on, the
  //! same wherever the loop uses it (equal terms round equally), so bounds can be relative to the loop over those numbers.
  void take_elements_as_given() {
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

  // --- exactness
  static bool wider(type from, type to) {
    if (from.kind == sort::real) return to.kind == sort::real && from.bits <= to.bits;
    if (to.kind == sort::real) return from.bits < (to.bits == 32 ? 24 : 53);
    return true;
  }
  bool exact(term t) const {
    if (!t) return false;
    const node& n = *t;
    if (n.is(op::symbol)) {
      const bool varies = n.is_symbol(symbol_kind::state) || n.is_symbol(symbol_kind::left) || n.is_symbol(symbol_kind::right);
      return !varies || exact_.contains(n.name);
    }
    if (n.is(op::inner_fold) && n.type.kind == sort::real) return false;
    for (term a : n.args)
      if (!exact(a)) return false;
    if (n.type.kind != sort::real)
      return !(n.is(op::call) && n.args[0]->type.kind == sort::real && find_function(n.name) == function::unknown);
    switch (n.kind) {
      case op::add:
      case op::mul:
      case op::div:
        return false;
      case op::cast:
        return wider(n.args[0]->type, n.type);
      case op::call:
        return call_roundings(find_function(n.name)) == 0 && find_function(n.name) != function::unknown;
      default:
        return true;
    }
  }
  void find_exact() {
    for (const merged_variable& v : d_.state) exact_.insert(v.name);
    for (bool changed = true; changed;) {
      changed = false;
      for (const merged_variable& v : d_.state) {
        if (!exact_.contains(v.name)) continue;
        const bool kept = exact(v.merge) && (v.step ? exact(v.step) : exact(v.lift)) && (!v.init || exact(v.init));
        if (kept) continue;
        exact_.erase(v.name);
        changed = true;
      }
    }
  }

  variable_bound start(const merged_variable& v) const {
    variable_bound b;
    b.name = v.name;
    b.u = v.type.kind == sort::real && v.type.bits == 32 ? 0x1p-24 : 0x1p-53;
    if (exact_.contains(v.name)) {
      b.kind = selected_.contains(v.name) ? induction_kind::selected : induction_kind::exact;
      b.positive = true;
      if (selected_.contains(v.name)) {
        b.why = "merges only select: an element's own value is rounded as the loop rounds it, once, and taken as given below";
        return b;
      }
      b.why = v.type.kind == sort::real ? "selections and comparisons of given numbers alone: nothing is rounded"
                                        : "integers: nothing is rounded";
    } else {
      b.why = "neither linear in what was rounded before, nor a selection: see the running bound";
    }
    return b;
  }

  // --- factors. Roundings are counted in units of the variable's own u: one in another format weighs as much as its u says.
  [[nodiscard]] double cost(type t) const { return (t.bits == 32 ? 0x1p-24 : 0x1p-53) / u_; }
  static bool representable(const node& n) {
    return n.type.bits == 32 ? mpq_class(nearest<float>(n.value)) == n.value : mpq_class(nearest<double>(n.value)) == n.value;
  }
  //! Roundings of an exponent relative to itself.
  std::optional<double> argument(term t) const {
    if (exact(t)) return 0;
    const node& n = *t;
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

  std::optional<factor> factor_of(term t) const {
    const node& n = *t;
    if (n.is(op::number) && n.type.kind == sort::real) return factor{n.value > 0, n.value == 1, representable(n) ? 0 : cost(n.type), 0, ""};
    if (n.is_symbol(symbol_kind::left) || n.is_symbol(symbol_kind::right)) {
      if (products_.contains(n.name)) return factor{false, false, 0, 0, n.name};
    }
    if (exact(t)) return factor{n.is(op::abs) || (n.is(op::call) && find_function(n.name) == function::abs), false, 0, 0, ""};
    if (n.is(op::call)) {
      const function f = find_function(n.name);
      if (f == function::exp || f == function::exp2) {
        if (const auto a = argument(n.args[0])) return factor{true, false, call_roundings(f) * cost(n.type), *a, ""};
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

  // --- linear forms
  static bool mentions(term t, term x) {
    return contains(t, [&](const node& n) { return term(&n) == x; });
  }
  std::optional<linear> linear_in(term t, term left, term right) const {
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

  // --- the two inductions
  void as_product(variable_bound& b, const merged_variable& v) {
    if (v.type.kind != sort::real || !v.merge->is(op::mul)) return;
    const term left = symbol(symbol_kind::left, v.name, v.type), right = symbol(symbol_kind::right, v.name, v.type);
    const bool both = (v.merge->args[0] == left && v.merge->args[1] == right) || (v.merge->args[0] == right && v.merge->args[1] == left);
    if (!both || !v.lift) return;
    u_ = b.u;
    const auto lift = factor_of(v.lift);
    if (!lift || !lift->product.empty()) return;
    b.each = cost(v.type) + lift->roundings;
    if (v.step) {
      const term before = symbol(symbol_kind::state, v.name, v.type);
      const auto step = linear_in(v.step, before, before);
      if (!step || !step->left || step->right || step->rest) return;
      b.each = std::max(b.each, step->left->roundings + step->left_path);
    }
    b.kind = induction_kind::product;
    b.positive = true;  // relative to itself, whatever its sign
    b.scale = "|" + v.name + "|";
    b.why = "a product: relative errors of factors add up";
  }

  void as_linear(variable_bound& b, const merged_variable& v) {
    u_ = b.u;
    if (v.type.kind != sort::real || !v.lift) return;
    const term left = symbol(symbol_kind::left, v.name, v.type), right = symbol(symbol_kind::right, v.name, v.type);
    const auto merge = linear_in(v.merge, left, right);
    if (!merge || merge->rest || !merge->left || !merge->right) return;
    const auto lift = factor_of(v.lift);
    if (!lift || !lift->product.empty()) return;
    std::optional<linear> step;
    std::optional<factor> own = lift;
    if (v.step) {
      const term before = symbol(symbol_kind::state, v.name, v.type);
      step = linear_in(v.step, before, before);
      if (!step || !step->left || step->right) return;
      if (step->rest) own = factor_of(step->rest);
      if (!own || !own->product.empty() || !step->left->product.empty()) return;
    }
    const auto side = [](const std::optional<factor>& f, double path) { return f->roundings + path; };
    b.merge = std::max(side(merge->left, merge->left_path), side(merge->right, merge->right_path));
    b.step = step ? side(step->left, step->left_path) : b.merge;
    b.lift = std::max(lift->roundings, own->roundings);
    // A start that is not 0 makes the first push round as the others do.
    if (v.step && v.init && !is_number(v.init, 0) && !is_special(*v.init)) b.lift += b.step;
    b.argument = std::max({merge->left->argument, merge->right->argument, step ? step->left->argument : 0, own->argument});
    const bool positive = merge->left->positive && merge->right->positive && (!step || step->left->positive);
    b.positive = positive && lift->positive && own->positive;
    const bool plain = merge->left->one && merge->right->one && (!step || step->left->one);
    const std::string product = merge->left->product + merge->right->product;
    if (!product.empty()) {
      if (!products_.contains(product)) return;
      b.kind = induction_kind::affine;
      b.each = products_.at(product) / b.u + (step ? step->left->roundings : 0);
      b.scale = "sum |products of later factors|*|lift|";
      b.why = "merges multiply by the product " + product +
              " of the piece on the right, and add: relative errors of factors add up along a path";
      return;
    }
    // Arguments of rescales add up to a rounding of the distance from the maximum only where rescales compose, and never rise.
    // The mean distance is bounded because the element at the maximum has weight 1: its lift holds no exponential.
    if (b.argument > 0 && (!(d_.twist && d_.twist->stable) || lift->argument > 0)) return;
    b.kind = plain ? induction_kind::sum : induction_kind::weighted;
    const bool counts = plain && v.lift->is(op::number) && v.lift->value.get_den() == 1 && ::abs(v.lift->value) == 1;
    if (counts && (!v.step || step->left_path == b.merge)) {
      b.kind = induction_kind::exact;
      b.why = v.type.bits == 32 ? "a count: not rounded up to 2^24" : "a count: not rounded up to 2^53";
      return;
    }
    b.scale = b.positive && (lift->one || b.argument == 0) ? v.name
              : b.argument > 0                             ? "max|lift|*sum of weights"
              : plain                                      ? "sum |lift|"
                                                           : "sum of factors*|lift|";
    b.why = plain ? "merges add: one rounding per addition on a path"
                  : "merges rescale by positive factors of references that are never rounded: no cancellation, so errors combine convexly";
    if (!selected_.empty()) b.why += "; an error d of an element's given value changes its weight by a factor of e^d beside this";
  }

  decision d_;  // with rounded values of elements as symbols
  std::set<std::string> selected_;
  double u_ = 0x1p-53;  // of the variable at hand
  std::set<std::string> exact_;
  std::map<std::string, double> products_;
};

}  // namespace

double variable_bound::units(double pushed, double merges, double n, double distance) const {
  switch (kind) {
    case induction_kind::exact:
    case induction_kind::selected:
      return 0;
    case induction_kind::product:
      return each * n;
    case induction_kind::affine:
      return lift + pushed * step + merges * merge + each * n;
    case induction_kind::other:
      return -1;
    default:
      return lift + pushed * step + merges * merge + argument * distance;
  }
}

std::vector<variable_bound> induct(const decision& d) { return reader(d).run(); }

}  // namespace twofold::analyser::bounding
