// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Values and conditions by the loop's own comparisons and sums.
#include "derive/tree_terms.hpp"

#include <algorithm>
#include <set>

#include "derive/part.hpp"

namespace twofold::analyser::deriving {
namespace {

constexpr std::size_t most_conditions = 600, most_values = 300;
constexpr int any = -1;  // goes with every kind

//! Which variables hold numbers of one kind, and the constants that go with them. Variables, elements and constants that meet in a sum, an
//! extremum, a choice or a comparison are of one kind.
class kinds {
 public:
  explicit kinds(const std::vector<candidate::variable>& known) {
    for (const auto& v : known) {
      group g{{v.symbol}, {}};
      if (v.type.kind != sort::boolean) collect(v.step, g);
      if (v.init && v.init->is(op::number)) g.constants.insert(v.init);
      if (v.type.kind != sort::boolean) join(g);
      else inside(v.step);
    }
    for (const auto& v : known) {
      const int k = find(v.symbol);
      const bool alone = k == any || std::none_of(known.begin(), known.end(), [&](const auto& w) {
                           return w.symbol != v.symbol && groups_[static_cast<std::size_t>(k)].symbols.contains(w.symbol);
                         });
      of_.push_back(v.kind == role::added && alone ? any : k);  // a count that was added may be compared with any other
    }
  }
  [[nodiscard]] int of(std::size_t v) const { return of_[v]; }
  [[nodiscard]] static bool fit(int a, int b) { return a == any || b == any || a == b; }
  [[nodiscard]] static int joint(int a, int b) { return a == any ? b : a; }

  //! Constants of a kind (of all kinds for any), of this type.
  [[nodiscard]] std::vector<term> constants(int kind, type t) const {
    constexpr std::size_t most = 8;
    std::vector<term> r;
    for (std::size_t k = 0; k < groups_.size(); ++k)
      if (kind == any || kind == static_cast<int>(k))
        for (term c : groups_[k].constants)
          if (c->type == t && r.size() < most && std::find(r.begin(), r.end(), c) == r.end()) r.push_back(c);
    return r;
  }

 private:
  struct group {
    std::set<term> symbols, constants;
  };

  //! What a number is made of; its conditions are looked at by themselves.
  void collect(term t, group& g) {
    if (t->type.kind == sort::boolean) return inside(t);
    if (t->is(op::number)) g.constants.insert(t);
    if (t->is(op::symbol)) g.symbols.insert(t);
    for (term a : t->args) collect(a, g);
  }
  void inside(term condition) {
    const bool comparison = condition->is(op::less) || condition->is(op::less_equal) || condition->is(op::equal);
    if (comparison && condition->args[0]->type.kind != sort::boolean) {
      group g;
      for (term a : condition->args) collect(a, g);
      join(g);
      return;
    }
    for (term a : condition->args) {
      if (a->type.kind == sort::boolean) inside(a);
      else {
        group g;
        collect(a, g);
        join(g);
      }
    }
  }
  void join(group g) {
    for (std::size_t k = groups_.size(); k-- > 0;) {
      const bool meets = std::any_of(g.symbols.begin(), g.symbols.end(), [&](term s) { return groups_[k].symbols.contains(s); });
      if (!meets) continue;
      g.symbols.merge(groups_[k].symbols);
      g.constants.merge(groups_[k].constants);
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(k));
    }
    groups_.push_back(std::move(g));
  }
  int find(term symbol) const {
    for (std::size_t k = 0; k < groups_.size(); ++k)
      if (groups_[k].symbols.contains(symbol)) return static_cast<int>(k);
    return any;
  }

  std::vector<group> groups_;
  std::vector<int> of_;
};

struct typed {
  term value;
  int kind;
};

class term_maker {
 public:
  term_maker(const std::vector<candidate::variable>& known, std::size_t own) : known_(known), own_(known[own]), at_(own), kinds_(known) {}

  tree_terms run() {
    values();
    conditions();
    return std::move(r_);
  }

 private:
  //! lX + rY, and the same with what Y started from taken off.
  std::vector<typed> sums(type t) const {
    std::vector<typed> r;
    for (std::size_t x = 0; x < known_.size(); ++x)
      for (std::size_t y = 0; y < known_.size(); ++y) {
        if (!(known_[x].type == t) || !(known_[y].type == t) || t.kind == sort::boolean || !kinds::fit(kinds_.of(x), kinds_.of(y)))
          continue;
        const term sum = add(left_of(known_[x].symbol), right_of(known_[y].symbol)), from = known_[y].init;
        const int kind = kinds::joint(kinds_.of(x), kinds_.of(y));
        r.push_back({sum, kind});
        if (from && !has_infinity(from) && !is_number(from, 0)) r.push_back({sub(sum, from), kind});
      }
    return r;
  }

  void values() {
    const type t = own_.type;
    const term l = left_of(own_.symbol), r = right_of(own_.symbol);
    auto& to = r_.values;
    if (t.kind == sort::boolean) {
      to = {boolean(true), boolean(false), l, r, logical_not(l), logical_not(r), logical_not(equal(l, r)), equal(l, r)};
      r_.simple = to.size();
      return;
    }
    const int kind = kinds_.of(at_);
    const term one = number(1, t);
    std::vector<term> all_sums;
    for (const typed& s : sums(t))
      if (kinds::fit(s.kind, kind)) all_sums.push_back(s.value);
    std::vector<term> constants = kinds_.constants(kind, t);
    if (std::find(constants.begin(), constants.end(), one) == constants.end()) constants.push_back(one);
    to = {l, r};
    if (own_.init && !has_infinity(own_.init)) to.push_back(own_.init);
    to.insert(to.end(), constants.begin(), constants.end());
    to.insert(to.end(), all_sums.begin(), all_sums.end());
    for (term c : constants)
      if (!is_number(c, 0)) {
        to.push_back(add(add(l, r), c));
        to.push_back(sub(add(l, r), c));
      }
    counted_back(all_sums, kind);
    r_.simple = to.size();
    to.push_back(max(l, r));
    to.push_back(min(l, r));
    for (term s : all_sums)
      for (term side : {l, r}) {
        to.push_back(max(side, s));
        to.push_back(min(side, s));
      }
    for (term c : constants) {
      to.push_back(min(add(l, r), c));
      to.push_back(max(add(l, r), c));
      if (t.kind == sort::integer && sgn(c->value) > 0)
        for (term m : {c, add(c, one)}) to.push_back(make(op::remainder, {add(l, r), m}, t));
    }
    std::vector<term> shifted = all_sums;
    for (term c : constants)
      if (!is_number(c, 0))
        for (term s : all_sums) shifted.push_back(add(s, c));
    for (term s : shifted) {
      to.push_back(max(max(l, r), s));
      to.push_back(min(min(l, r), s));
    }
    if (to.size() > most_values) to.resize(most_values);
  }

  //! x − (lX + rY): counted back from a place that the right piece remembers.
  void counted_back(const std::vector<term>& all_sums, int kind) {
    const type t = own_.type;
    const term one = number(1, t);
    const auto put = [&](term x, term by) {
      const term back = sub(right_of(x), by);
      r_.values.insert(r_.values.end(), {back, add(back, one), sub(back, one)});
    };
    for (std::size_t x = 0; x < known_.size(); ++x) {
      if (!(known_[x].type == t) || known_[x].kind != role::added || !kinds::fit(kinds_.of(x), kind)) continue;
      for (std::size_t y = 0; y < known_.size(); ++y)
        if (known_[y].type == t && x != y && kinds::fit(kinds_.of(y), kind)) put(known_[x].symbol, left_of(known_[y].symbol));
      for (term s : all_sums) put(known_[x].symbol, s);
    }
  }

  void compare(const typed& a, const typed& b) {
    if (a.value == b.value || !(a.value->type == b.value->type) || !kinds::fit(a.kind, b.kind) || r_.conditions.size() > most_conditions)
      return;
    for (term c : {less(a.value, b.value), less(b.value, a.value), equal(a.value, b.value)})
      if (!c->is(op::number)) r_.conditions.push_back(c);
  }

  void conditions() {
    std::vector<typed> sides;
    std::vector<type> types;
    for (std::size_t u = 0; u < known_.size(); ++u) {
      const candidate::variable& v = known_[u];
      if (v.type.kind == sort::boolean) {
        r_.conditions.push_back(left_of(v.symbol));
        r_.conditions.push_back(right_of(v.symbol));
        continue;
      }
      sides.push_back({left_of(v.symbol), kinds_.of(u)});
      sides.push_back({right_of(v.symbol), kinds_.of(u)});
      if (u != at_ && v.merge) sides.push_back({v.merge, kinds_.of(u)});
      if (std::find(types.begin(), types.end(), v.type) == types.end()) types.push_back(v.type);
    }
    for (std::size_t i = 0; i < sides.size(); ++i)
      for (std::size_t j = i + 1; j < sides.size(); ++j) compare(sides[i], sides[j]);
    for (const typed& a : sides)
      for (term c : kinds_.constants(a.kind, a.value->type)) compare(a, {c, any});
    for (const type t : types)
      for (const typed& s : sums(t))
        for (term c : kinds_.constants(s.kind, t)) compare(s, {c, any});
    for (std::size_t u = 0; u < known_.size(); ++u)
      if (u != at_ && known_[u].merge && known_[u].type.kind != sort::boolean)
        for (const typed& s : sums(known_[u].type)) compare({known_[u].merge, kinds_.of(u)}, s);
  }

  const std::vector<candidate::variable>& known_;
  const candidate::variable& own_;
  const std::size_t at_;
  const kinds kinds_;
  tree_terms r_;
};

}  // namespace

tree_terms terms_for(const std::vector<candidate::variable>& known, std::size_t own) { return term_maker(known, own).run(); }

}  // namespace twofold::analyser::deriving
