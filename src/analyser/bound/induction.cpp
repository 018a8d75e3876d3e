// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reads the shape of steps and merges: which variables are exact, which are linear, and what each path loses.
#include "bound/induction.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bound/centred.hpp"
#include "bound/factors.hpp"

namespace twofold::analyser::bounding {
namespace {

class reader {
 public:
  explicit reader(const decision& d) : factors_(d), d_(factors_.given()) {}

  std::vector<variable_bound> run() {
    std::vector<variable_bound> all;
    for (const merged_variable& v : d_.state) all.push_back(start(v));
    for (variable_bound& b : all)
      if (b.kind == induction_kind::other) as_product(b, variable(b.name));
    for (const variable_bound& b : all)
      if (b.kind == induction_kind::product) factors_.add_product(b.name, b.each * b.u);
    for (variable_bound& b : all)
      if (b.kind == induction_kind::other) as_linear(b, variable(b.name));
    find_centred(factors_, all);
    for (variable_bound& b : all)
      if (b.kind != induction_kind::exact || factors_.is_count(b.name)) b.longest = factors_.longest();
    return all;
  }

 private:
  const merged_variable& variable(const std::string& name) const {
    return *std::find_if(d_.state.begin(), d_.state.end(), [&](const merged_variable& v) { return v.name == name; });
  }

  variable_bound start(const merged_variable& v) const {
    variable_bound b;
    b.name = v.name;
    b.u = v.type.kind == sort::real && v.type.bits == 32 ? 0x1p-24 : 0x1p-53;
    if (factors_.is_exact(v.name)) {
      b.kind = factors_.is_selected(v.name) ? induction_kind::selected : induction_kind::exact;
      b.positive = true;
      if (factors_.is_selected(v.name)) {
        b.why = "merges only select: an element's own value is rounded as the loop rounds it, once, and taken as given below";
        return b;
      }
      b.why = factors_.is_count(v.name)   ? v.type.bits == 32 ? "a count: not rounded up to 2^24" : "a count: not rounded up to 2^53"
              : v.type.kind == sort::real ? "selections and comparisons of given numbers alone: nothing is rounded"
                                          : "integers: nothing is rounded";
    } else {
      b.why = "neither linear in what was rounded before, nor a selection: see the running bound";
    }
    return b;
  }

  void as_product(variable_bound& b, const merged_variable& v) {
    if (v.type.kind != sort::real || !v.merge->is(op::mul)) return;
    const term left = symbol(symbol_kind::left, v.name, v.type), right = symbol(symbol_kind::right, v.name, v.type);
    const bool both = (v.merge->args[0] == left && v.merge->args[1] == right) || (v.merge->args[0] == right && v.merge->args[1] == left);
    if (!both || !v.lift) return;
    factors_.in_units_of(b.u);
    const auto lift = factors_.factor_of(v.lift);
    // An exponent that is rounded errs by a part of its size, whatever that is: no number of roundings.
    if (!lift || !lift->product.empty() || lift->argument > 0) return;
    b.each = factors_.cost(v.type) + lift->roundings;
    if (v.step) {
      const term before = symbol(symbol_kind::state, v.name, v.type);
      const auto step = factors_.linear_in(v.step, before, before);
      if (!step || !step->left || step->right || step->rest || step->left->argument > 0) return;
      b.each = std::max(b.each, step->left->roundings + step->left_path);
    }
    b.kind = induction_kind::product;
    b.positive = true;  // relative to itself, whatever its sign
    b.scale = "|" + v.name + "|";
    b.why = "a product: relative errors of factors add up";
  }

  void as_linear(variable_bound& b, const merged_variable& v) {
    factors_.in_units_of(b.u);
    if (v.type.kind != sort::real || !v.lift) return;
    const term left = symbol(symbol_kind::left, v.name, v.type), right = symbol(symbol_kind::right, v.name, v.type);
    const auto merge = factors_.linear_in(v.merge, left, right);
    if (!merge || merge->rest || !merge->left || !merge->right) return;
    const auto lift = factors_.factor_of(v.lift);
    if (!lift || !lift->product.empty()) return;
    std::optional<linear> step;
    std::optional<factor> own = lift;
    if (v.step) {
      const term before = symbol(symbol_kind::state, v.name, v.type);
      step = factors_.linear_in(v.step, before, before);
      if (!step || !step->left || step->right) return;
      if (step->rest) own = factors_.factor_of(step->rest);
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
    if (!merge->left->product.empty() && !merge->right->product.empty()) return;
    const std::string product = merge->left->product + merge->right->product;
    if (!product.empty()) {
      if (b.argument > 0) return;
      b.kind = induction_kind::affine;
      b.each = factors_.error_of_product(product) + (step ? step->left->roundings : 0);
      b.scale = "sum |products of later factors|*|lift|";
      b.why = "merges multiply by the product " + product +
              " of the piece on the right, and add: relative errors of factors add up along a path";
      return;
    }
    // Arguments of rescales add up to a rounding of the distance from the maximum only where rescales compose, and never rise.
    // The mean distance is bounded because the element at the maximum has weight 1: its lift holds no exponential.
    if (b.argument > 0 && (!(d_.twist && d_.twist->stable) || lift->argument > 0)) return;
    b.kind = plain ? induction_kind::sum : induction_kind::weighted;
    b.scale = b.positive && (lift->one || b.argument == 0) ? v.name
              : b.argument > 0                             ? "max|lift|*sum of weights"
              : plain                                      ? "sum |lift|"
                                                           : "sum of factors*|lift|";
    b.why = plain ? "merges add: one rounding per addition on a path"
                  : "merges rescale by positive factors of references that are never rounded: no cancellation, so errors combine convexly";
    if (factors_.any_selected()) b.why += "; an error d of an element's given value changes its weight by a factor of e^d beside this";
  }

  factors factors_;
  const decision& d_;
};

}  // namespace

double variable_bound::units(double pushed, double merges, double n, double distance, double kappa) const {
  if (n > longest) return HUGE_VAL;
  // Levels are counted from the root, where pushes and merges may lie side by side: each counts as the dearer of both.
  const double levels = pushed + 1 + merges;
  const auto by_level = [&](double of_step, double of_merge) { return levels * (merges > 0 ? std::max(of_step, of_merge) : of_step); };
  const double drift = by_level(mean_step, mean_merge), apart = difference * std::sqrt(levels);
  switch (kind) {
    case induction_kind::exact:
    case induction_kind::selected:
      return 0;
    case induction_kind::product:
      return each * n;
    case induction_kind::affine:
      return lift + pushed * step + merges * merge + each * n;
    case induction_kind::mean:
      return drift + apart;
    case induction_kind::spread:
      return 2 * (drift * kappa + apart) + by_level(step, merge) + lift + walk * kappa * std::sqrt(2 * (1 + std::log(levels)));
    case induction_kind::other:
      return -1;
    default:
      return lift + pushed * step + merges * merge + argument * distance;
  }
}

std::vector<variable_bound> induct(const decision& d) { return reader(d).run(); }

}  // namespace twofold::analyser::bounding
