// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Collects the conditions of definedness of a term.
#include "prove/domain.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace twofold::analyser {
namespace {

class collector {
 public:
  std::vector<domain_condition> found;

  void visit(term t) {
    if (t->total) return;  // without this, branches that are always defined would be walked under every guard
    if (!seen_.insert({t->id, guards_}).second) return;
    if (seen_.size() > 20'000) throw limit_error("more than 20000 guarded subexpressions");
    switch (t->kind) {
      case op::select:
        visit(t->args[0]);
        under(t->args[0], t->args[1]);
        under(logical_not(t->args[0]), t->args[2]);
        return;
      case op::logical_and:
        visit(t->args[0]);
        under(t->args[0], t->args[1]);
        return;
      case op::logical_or:
        visit(t->args[0]);
        under(logical_not(t->args[0]), t->args[1]);
        return;
      case op::inner_fold:
        return fold(t);
      default:
        break;
    }
    for (term a : t->args) visit(a);
    require(t);
  }

 private:
  //! The body is evaluated for indices below the count only. What is known of symbols of the same name outside is not known of these.
  void fold(term t) {
    visit(t->args[0]);
    visit(t->args[1]);
    const term j = symbol(symbol_kind::inner_index, t->name, long_type), count = cast(t->args[0], long_type);
    const std::vector<term> outside = guards_;
    std::erase_if(guards_, [&](term guard) { return speaks_of(guard, t->name); });
    const term range = logical_and(less_equal(number(0, long_type), j), less(j, count));
    ranges_[range] = t->name;
    under(range, t->args[2]);
    guards_ = outside;
  }
  //! Of what the fold of this name binds.
  static bool speaks_of(term t, const std::string& fold) {
    return contains(t, [&](const node& n) {
      return (n.is_symbol(symbol_kind::inner_index) || n.is_symbol(symbol_kind::accumulator)) && n.name == fold;
    });
  }
  void under(term guard, term t) {
    guards_.push_back(guard);
    visit(t);
    guards_.pop_back();
  }
  void need(term condition, term where) {
    std::vector<term> guards = guards_;
    std::erase_if(guards, [&](term guard) {  // the range of an index says something of that index alone
      const auto it = ranges_.find(guard);
      return it != ranges_.end() && !speaks_of(condition, it->second) &&
             std::none_of(guards_.begin(), guards_.end(), [&](term g) { return g != guard && speaks_of(g, it->second); });
    });
    if (!is_number(condition, 1) && needed_.insert({condition->id, guards}).second) found.push_back({guards, condition, where});
  }
  static term zero(term like) { return number(0, like->type); }
  static term nonzero(term a) { return logical_not(equal(a, zero(a))); }
  static term positive(term a) { return less(zero(a), a); }

  void require(term t) {
    const auto& a = t->args;
    switch (t->kind) {
      case op::div:
      case op::quotient:
      case op::remainder:
        return need(nonzero(a[1]), t);
      case op::shift_left:
      case op::shift_right:
        need(less_equal(zero(a[1]), a[1]), t);
        return need(less(a[1], number(t->type.bits, a[1]->type)), t);
      case op::call:
        return require_call(t);
      default:
        return;
    }
  }
  void require_call(term t) {
    const std::string& f = t->name;
    const auto& a = t->args;
    if (f == "log" || f == "log2" || f == "log10") return need(positive(a[0]), t);
    if (f == "log1p") return need(less(number(-1, a[0]->type), a[0]), t);
    if (f == "sqrt") return need(less_equal(zero(a[0]), a[0]), t);
    if (f == "acos" || f == "asin") return need(less_equal(abs(a[0]), number(1, a[0]->type)), t);
    if (f == "acosh") return need(less_equal(number(1, a[0]->type), a[0]), t);
    if (f == "atanh") return need(less(abs(a[0]), number(1, a[0]->type)), t);
    if (f == "fmod" || f == "remainder") return need(nonzero(a[1]), t);
    if (f == "pow") return require_pow(t);
  }
  //! x^y: a natural exponent is always defined; a whole one needs x ≠ 0; any other x > 0 (x = 0 is allowed for y > 0 constant).
  void require_pow(term t) {
    const term x = t->args[0], y = t->args[1];
    if (x->is(op::number) && sgn(x->value) > 0) return;
    if (!y->is(op::number)) return need(positive(x), t);
    const bool whole = y->value.get_den() == 1, rising = sgn(y->value) >= 0;
    if (whole && rising) return;
    need(whole ? nonzero(x) : rising ? less_equal(zero(x), x) : positive(x), t);
  }

  std::vector<term> guards_;
  std::map<term, std::string> ranges_;  // guard → the fold whose index it is of
  std::set<std::pair<std::uint32_t, std::vector<term>>> seen_, needed_;
};

}  // namespace

term domain_condition::implication() const {
  term needed = condition;
  for (term guard : guards) needed = logical_or(logical_not(guard), needed);
  return needed;
}

std::vector<domain_condition> domain_conditions(term t) {
  collector c;
  c.visit(t);
  return std::move(c.found);
}

}  // namespace twofold::analyser
