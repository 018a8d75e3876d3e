// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One-token mutants of merges.
#include "prove/mutate.hpp"

#include <set>

#include "prove/brief.hpp"
#include "prove/rules.hpp"

namespace twofold::analyser {
namespace {

struct change {
  std::string what;
  term to;
};

class mutator {
 public:
  explicit mutator(const candidate& c) : c_(c) {}

  //! What may stand in the place of this node: changes of the node itself, not of what is below it.
  std::vector<change> at(term t) const {
    std::vector<change> r;
    const auto& a = t->args;
    const auto other = [&](op k, const char* what) { r.push_back({what, make(k, {a[0], a[1]}, t->type)}); };
    const bool numeric = t->type.kind != sort::boolean;
    switch (t->kind) {
      case op::add:
        if (a[1]->is(op::neg))
          r.push_back({"- → +", add(a[0], a[1]->args[0])}), r.push_back({"operands of - exchanged", sub(a[1]->args[0], a[0])});
        else r.push_back({"+ → -", sub(a[0], a[1])});
        other(op::mul, "+ → *"), other(op::max, "+ → max");
        break;
      case op::mul:
        other(op::add, "* → +"), other(op::max, "* → max");
        if (t->type.kind == sort::real) r.push_back({"* → /", div(a[0], a[1])});
        break;
      case op::div:
        r.push_back({"/ → *", mul(a[0], a[1])}), r.push_back({"operands of / exchanged", div(a[1], a[0])});
        break;
      case op::neg:
        r.push_back({"sign dropped", a[0]});
        break;
      case op::max:
        other(op::min, "max → min"), other(op::add, "max → +");
        break;
      case op::min:
        other(op::max, "min → max"), other(op::add, "min → +");
        break;
      case op::abs:
        r.push_back({"abs dropped", a[0]});
        break;
      case op::less:
        other(op::less_equal, "< → <="), r.push_back({"< turned", less(a[1], a[0])}), other(op::equal, "< → ==");
        break;
      case op::less_equal:
        other(op::less, "<= → <"), r.push_back({"<= turned", less_equal(a[1], a[0])}), other(op::equal, "<= → ==");
        break;
      case op::equal:
        r.push_back({"== → !=", logical_not(t)});
        break;
      case op::logical_and:
        other(op::logical_or, "and → or");
        break;
      case op::logical_or:
        other(op::logical_and, "or → and");
        break;
      case op::logical_not:
        r.push_back({"not dropped", a[0]});
        break;
      case op::select:
        r.push_back({"condition negated", select(logical_not(a[0]), a[1], a[2])});
        r.push_back({"select → then", a[1]}), r.push_back({"select → otherwise", a[2]});
        break;
      case op::number:
        if (!numeric) r.push_back({"constant negated", logical_not(t)});
        else {
          r.push_back({"constant + 1", number(mpq_class(t->value + 1), t->type)});
          if (sgn(t->value) != 0)
            r.push_back({"constant → 0", number(0, t->type)}), r.push_back({"sign of constant", number(mpq_class(-t->value), t->type)});
        }
        break;
      case op::call:
        if (t->name == "exp" || t->name == "exp2")
          r.push_back({"sign of the exponent", call(t->name, {neg(a[0])}, t->type)}), r.push_back({"exponential → 1", number(1, t->type)});
        if (t->name == "log" || t->name == "sqrt") r.push_back({t->name + " dropped", a[0]});
        break;
      case op::symbol:
        symbols_for(t, r);
        break;
      default:
        break;
    }
    if (t->is(op::add) || t->is(op::mul) || t->is(op::max) || t->is(op::min) || t->is(op::logical_and) || t->is(op::logical_or))
      r.push_back({"left operand dropped", a[1]}), r.push_back({"right operand dropped", a[0]});
    if (t->is(op::div)) r.push_back({"division dropped", a[0]});
    return r;
  }

  void walk(term t, const std::function<term(term)>& whole, std::vector<std::pair<std::string, term>>& out) const {
    for (const change& m : at(t))
      if (m.to != t) out.emplace_back(m.what + " in " + brief(t), whole(m.to));
    for (std::size_t i = 0; i < t->args.size(); ++i)
      if (!(t->is(op::read) && i == 0))
        walk(
            t->args[i],
            [&, i](term u) {
              std::vector<term> args = t->args;
              args[i] = u;
              return whole(rebuild(t, std::move(args)));
            },
            out);
  }

 private:
  void symbols_for(term t, std::vector<change>& r) const {
    const bool left = t->is_symbol(symbol_kind::left);
    if (!left && !t->is_symbol(symbol_kind::right)) return;
    const candidate::variable* own = nullptr;
    for (const auto& v : c_.variables)
      if (v.name == t->name) own = &v;
    for (const auto& v : c_.variables) {
      if (v.type != t->type || (own && v.extent != own->extent)) continue;  // a component in the place of a scalar is no merge
      const term l = left_of(v), rr = right_of(v);
      if (v.name == t->name) r.push_back({"left ↔ right", left ? rr : l});
      else r.push_back({"another variable", left ? l : rr});
    }
  }
  const candidate& c_;
};

}  // namespace

std::vector<mutant> mutants(const candidate& c) {
  std::vector<mutant> r;
  const mutator m(c);
  for (std::size_t i = 0; i < c.variables.size(); ++i) {
    const auto& v = c.variables[i];
    std::vector<std::pair<std::string, term>> changed;
    m.walk(
        v.merge, [](term t) { return t; }, changed);
    std::set<term> seen{v.merge};
    for (const auto& [what, t] : changed) {
      if (t->type.kind != v.merge->type.kind || !seen.insert(t).second) continue;
      mutant one{v.name + ": " + what, c};
      one.merge.variables[i].merge = t;
      r.push_back(std::move(one));
    }
  }
  return r;
}

}  // namespace twofold::analyser
