// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Hiding and restoring opaque terms.
#include "derive/opaque.hpp"

namespace twofold::analyser::deriving {
namespace {

//! Functions that the mechanisms understand; others of the element alone are values like any other.
bool is_understood(const node& n) {
  return n.name == "exp" || n.name == "exp2" || n.name == "log" || n.name == "log2" || n.name == "log1p" || n.name == "expm1" ||
         (n.name == "pow" && n.args[1]->is(op::number)) || n.name.ends_with("gcd") || n.name.ends_with("lcm");
}
bool is_odd(const mpq_class& v) { return v.get_den() > 64 || (v.get_den() > 1 && ::abs(v.get_num()) > 4096); }

bool depends_on_run(term t) {
  return contains(t, [](const node& n) { return n.is_symbol(symbol_kind::state) || n.is_symbol(symbol_kind::result); });
}

//! log1p and expm1 in terms of log and exp: exact in the reals.
term plain_function(term t) {
  const term one = number(1, t->type);
  if (t->is(op::call) && t->name == "log1p") return call("log", {add(one, t->args[0])}, t->type);
  if (t->is(op::call) && t->name == "expm1") return sub(call("exp", t->args, t->type), one);
  return t;
}

}  // namespace

term opaque_terms::stand_in(term t) {
  if (auto it = stand_ins_.find(t); it != stand_ins_.end()) return it->second;
  const bool element = contains(
      t, [&](const node& n) { return n.is_symbol(symbol_kind::element) || n.is_symbol(symbol_kind::index) || rows_.contains(term(&n)); });
  const bool positive = t->is(op::number) && sgn(t->value) > 0;
  const std::string name = "#" + std::to_string(stand_ins_.size()) + (positive ? "+" : "");
  const term s = symbol(element ? symbol_kind::element : symbol_kind::parameter, name, t->type);
  stand_ins_[t] = s;
  originals_[s] = t;
  return s;
}

bool opaque_terms::stands_for_positive(term t) {
  return t->is_symbol(symbol_kind::parameter) && t->name.starts_with("#") && t->name.ends_with("+");
}

term opaque_terms::hidden(term t) {
  if (auto it = done_.find(t); it != done_.end()) return it->second;
  term r = t;
  const bool bound =
      contains(t, [](const node& n) { return n.is_symbol(symbol_kind::accumulator) || n.is_symbol(symbol_kind::inner_index); });
  if (t->is(op::number)) {
    if (t->type.kind == sort::real && is_odd(t->value)) r = stand_in(t);
  } else if (!t->args.empty()) {
    const bool opaque = t->is(op::read) || t->is(op::inner_fold) || (t->is(op::call) && !is_understood(*t));
    if (opaque && !depends_on_run(t) && (!bound || t->is(op::inner_fold))) r = stand_in(t);
    else {
      std::vector<term> args;
      for (term a : t->args) args.push_back(hidden(a));
      r = plain_function(rebuild(t, std::move(args)));
    }
  }
  done_[t] = r;
  return r;
}

spec opaque_terms::hide(const spec& s) {
  for (const auto& p : s.passes)
    for (const auto& e : p.elements) rows_.insert(e.symbol);
  spec r = s;
  for (auto& p : r.passes) {
    for (auto& v : p.state) {
      v.init = hidden(v.init);
      v.step = hidden(v.step);
    }
    for (auto& o : p.outputs) o.value = hidden(o.value);
    for (const auto& q : s.parameters) p.elements.push_back({{}, q.name, 0, {}});  // a name that is taken
  }
  for (auto& o : r.outputs) o.value = hidden(o.value);
  return r;
}

derivation opaque_terms::restore(derivation d) const {
  const auto back = [&](term& t) {
    if (t) t = substitute(t, originals_);
  };
  for (auto& v : d.merge.variables)
    for (term* t : {&v.init, &v.lift, &v.step, &v.merge}) back(*t);
  for (auto& i : d.merge.invariant) back(i);
  for (auto& i : d.merge.along) back(i);
  for (auto& [from, to] : d.merge.decode) back(to);
  for (auto& [from, to] : d.merge.claimed) back(to);
  if (d.merge.twist)
    for (auto& c : d.merge.twist->coordinates) {
      back(c.phi);
      back(c.lift);
    }
  for (auto& s : d.separations)
    for (auto& [a, b] : s.parts) {
      back(a);
      back(b);
    }
  for (auto& o : d.finalize) back(o.value);
  return d;
}

}  // namespace twofold::analyser::deriving
