// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Finds repeated subterms of hash-consed formulas: equal subterms are one node, so counting parents is enough.
#include "emit/sharing.hpp"

#include <algorithm>
#include <set>

namespace twofold::analyser {
namespace {

struct use {
  int parents = 0;            // edges into the node from distinct places
  bool always = false;        // evaluated whatever the conditions say
  bool in_component = false;  // occurs in the formula of a vector's component
};

class collector {
 public:
  collector(const std::vector<root>& roots, const sharing_options& o) : options_(o) {
    for (const root& r : roots) {
      ++uses_[r.value].parents;
      visit(r.value, true, r.per_component);
    }
  }
  std::map<term, use>& uses() { return uses_; }

  bool varies(term t) {
    return contains(t, [&](const node& n) {
      return n.is_symbol(symbol_kind::component) || n.is_symbol(symbol_kind::accumulator) || n.is_symbol(symbol_kind::inner_index) ||
             (options_.varies && options_.varies(n));
    });
  }

 private:
  void visit(term t, bool always, bool in_component) {
    use& u = uses_[t];
    const bool news = !u.always && always, first = seen_.insert({t, in_component}).second;
    u.always = u.always || always;
    u.in_component = u.in_component || in_component;
    if (!first && !news) return;
    for (std::size_t i = 0; i < t->args.size(); ++i) {
      const term a = t->args[i];
      const bool conditional =
          (t->is(op::select) && i > 0) || ((t->is(op::logical_and) || t->is(op::logical_or)) && i > 0) || t->is(op::inner_fold);
      if (counted_.insert({t, i}).second) ++uses_[a].parents;
      visit(a, always && !conditional, in_component);
    }
  }

  const sharing_options& options_;
  std::map<term, use> uses_;
  std::set<std::pair<term, bool>> seen_;
  std::set<std::pair<term, std::size_t>> counted_;
};

bool can_fault(term t) {
  return contains(t, [](const node& n) {
    const bool divides = n.is(op::quotient) || n.is(op::remainder), shifts = n.is(op::shift_left) || n.is(op::shift_right);
    if ((divides || shifts) && n.args[1]->is(op::number)) {
      const mpq_class& by = n.args[1]->value;
      return divides ? by == 0 || by == -1 : by < 0 || by >= n.type.bits;
    }
    return divides || shifts || n.is(op::read);
  });
}

//! Operations as they would be written, as far as `enough` of them.
std::size_t operations(term t, std::size_t enough) {
  std::size_t n = t->args.empty() || t->is(op::neg) || t->is(op::cast) ? 0 : 1;
  for (const term a : t->args)
    if (n < enough) n += operations(a, enough - n);
  return n;
}

//! Worth computing once for all components of a vector: anything dearer than an addition.
bool is_dear(term t) {
  return contains(t, [](const node& n) { return n.is(op::call) || n.is(op::div) || n.is(op::inner_fold); });
}

}  // namespace

shared share(const std::vector<root>& roots, const sharing_options& options) {
  collector found(roots, options);
  std::map<term, std::string> named;
  for (const root& r : roots)  // a name that the reader already knows
    if (!r.name.empty() && !r.per_component && !r.value->args.empty() && found.uses()[r.value].parents > 1) named.emplace(r.value, r.name);

  shared out;
  substitution names;
  int fresh = 0;
  const auto define = [&](term t, const std::string& name) {
    out.lets.push_back({name, substitute(t, names)});
    names.emplace(t, symbol(symbol_kind::opaque, name, t->type));
  };
  for (const auto& [t, u] : found.uses()) {  // in order of creation: operands come before what uses them
    if (const auto known = named.find(t); known != named.end()) {
      define(t, known->second);
      continue;
    }
    const bool repeated = u.parents > 1 || (u.in_component && is_dear(t));
    if (!options.fresh_names || !repeated || operations(t, options.smallest) < options.smallest || t->is(op::select)) continue;
    if (found.varies(t) || (!u.always && can_fault(t))) continue;
    std::string name;
    do name = "t" + std::to_string(++fresh);
    while (options.taken && options.taken(name));
    define(t, name);
  }
  for (const root& r : roots) {
    const auto own = named.find(r.value);
    out.is_let.push_back(own != named.end() && own->second == r.name);
    out.values.push_back(substitute(r.value, names));
  }
  return out;
}

}  // namespace twofold::analyser
