// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Features from the conditions in the steps of a group of variables.
#include "derive/features.hpp"

#include <algorithm>

namespace twofold::analyser::deriving {
namespace {

constexpr std::size_t most_conditions = 5, most_elements = 3;

bool is_element(const node& n) { return n.is_symbol(symbol_kind::element) || n.is_symbol(symbol_kind::index); }

class feature_maker {
 public:
  explicit feature_maker(const part& p) : p_(p), group_(with_upstream(p)) {}

  std::vector<feature> run() {
    for (const auto* v : group_)
      for (term s : symbols(v->step))
        if (is_element(*s) && std::find(elements_.begin(), elements_.end(), s) == elements_.end()) elements_.push_back(s);
    if (elements_.size() > most_elements) elements_.resize(most_elements);
    for (const auto* v : group_) conditions_in(v->step);
    for (term e : elements_) (void)first(e);
    for (term c : conditions_) {
      if (reads_lag(c)) {
        breaks(c);
        continue;
      }
      for (const term holds : {c, logical_not(c)}) along(holds);
    }
    const type t = number_type();
    candidate::variable more = made("longer", boolean_type, "the merge must know whether the right piece has more than one element");
    more.lift = boolean(false);
    more.step = more.merge = boolean(true);
    put(more, {});
    candidate::variable length = made("length", t, "the merge must know how many elements the right piece has");
    length.init = number(0, t);
    length.step = add(length.symbol, number(1, t));
    length.merge = add(left_of(length.symbol), right_of(length.symbol));
    put(length, {});
    return std::move(found_);
  }

 private:
  //! Conditions on the element, or on it and what is kept of the one before.
  void conditions_in(term t) {
    if (t->type.kind == sort::boolean && t->is(op::number)) return;
    const bool condition = t->type.kind == sort::boolean && contains(t, is_element) && only_lag(t);
    if (condition && conditions_.size() < most_conditions) {
      const bool known = std::any_of(conditions_.begin(), conditions_.end(), [&](term c) { return c == t || c == logical_not(t); });
      if (!known) conditions_.push_back(t);
    }
    if (t->is(op::inner_fold)) return;
    for (term a : t->args) conditions_in(a);
  }
  const state_variable* kept(term s) const {
    for (const auto* v : group_)
      if (v->symbol == s) return v;
    return nullptr;
  }
  //! All states in it are overwritten by every element.
  bool only_lag(term t) const {
    const auto all = symbols(t);
    return std::all_of(all.begin(), all.end(), [&](term s) {
      if (!s->is_symbol(symbol_kind::state)) return true;
      const state_variable* v = kept(s);
      return v && !has_state(v->step) && !v->step->is(op::number);
    });
  }
  bool reads_lag(term t) const { return has_state(t); }

  candidate::variable made(const std::string& stem, type t, const std::string& why) {
    std::vector<candidate::variable> taken;
    for (const feature& f : found_) taken.push_back(f.variable);
    candidate::variable v;
    v.name = fresh_name(stem, p_, taken);
    v.type = t;
    v.kind = role::added;
    v.symbol = symbol(symbol_kind::state, v.name, t);
    v.why = why;
    return v;
  }
  std::size_t put(const candidate::variable& v, std::vector<std::size_t> needs) {
    found_.push_back({v, std::move(needs)});
    return found_.size() - 1;
  }
  //! Counts are of the type of the integers that the loop has, if there are any.
  type number_type() const {
    for (const auto* v : p_.variables)
      if (v->type.kind == sort::integer && v->type.is_signed) return v->type;
    for (const auto* v : group_)
      if (v->type.kind == sort::integer && v->type.is_signed) return v->type;
    return int_type;
  }

  std::size_t first(term e) {
    const auto it = std::find_if(firsts_.begin(), firsts_.end(), [&](const auto& f) { return f.first == e; });
    if (it != firsts_.end()) return it->second;
    const char* why = "the merge must know the right piece's first element";
    candidate::variable f = made(elements_.size() > 1 ? "first_" + e->name : "first", e->type, why);
    f.lift = e;
    f.step = f.symbol;
    f.merge = left_of(f.symbol);
    firsts_.emplace_back(e, put(f, {}));
    return firsts_.back().second;
  }

  //! Whether c holds all along; how far it holds from the start; what comes first that does not satisfy it.
  void along(term c) {
    candidate::variable all = made("all", boolean_type, "the merge must know whether " + to_text(c) + " all along the right piece");
    all.init = boolean(true);
    all.step = logical_and(all.symbol, c);
    all.merge = logical_and(left_of(all.symbol), right_of(all.symbol));
    const std::size_t a = put(all, {});
    const type t = number_type();
    candidate::variable lead = made("lead", t, "the merge must know for how many elements at its start the right piece has " + to_text(c));
    lead.init = number(0, t);
    lead.step = select(logical_and(all.symbol, c), add(lead.symbol, number(1, t)), lead.symbol);
    lead.merge = select(left_of(all.symbol), add(left_of(lead.symbol), right_of(lead.symbol)), left_of(lead.symbol));
    const std::size_t l = put(lead, {a});
    for (term element : elements_) {
      if (has_symbol(c, element)) continue;
      const bool counts = element->type.kind == sort::integer && element->type.is_signed;  // then as the loop's own counts are
      const term e = counts ? cast(element, t) : element;
      candidate::variable last =
          made("lead_" + element->name, e->type,
               "the merge must know " + element->name + " where the right piece's start with " + to_text(c) + " ends");
      last.init = number(0, e->type);
      last.step = select(logical_and(all.symbol, c), e, last.symbol);
      last.merge =
          select(logical_and(left_of(all.symbol), less(number(0, t), right_of(lead.symbol))), right_of(last.symbol), left_of(last.symbol));
      put(last, {a, l});
    }
    other(c);
  }
  //! The first element that does not satisfy c, which is about it alone: a value that satisfies it stands for none.
  void other(term c) {
    const auto used = symbols(c);
    if (used.size() != 1 || !used[0]->is_symbol(symbol_kind::element)) return;
    const term e = used[0];
    std::vector<term> values{number(0, e->type)};
    (void)contains(c, [&](const node& n) {
      if (n.is(op::number) && n.type == e->type) values.emplace_back(&n);
      return false;
    });
    for (term none : values) {
      if (!is_number(substitute(c, {{e, none}}), 1)) continue;
      candidate::variable f = made("first_other", e->type, "the merge must know the right piece's first element that is not " + to_text(c));
      const auto is_none = [&](term s) { return substitute(c, {{e, s}}); };
      f.init = none;
      f.step = select(is_none(f.symbol), select(c, none, e), f.symbol);
      f.merge = select(is_none(left_of(f.symbol)), right_of(f.symbol), left_of(f.symbol));
      put(f, {});
      return;
    }
  }

  //! The same for a condition between neighbours: c says that a run goes on from one element to the next, or that it does not.
  void breaks(term c) {
    std::vector<std::size_t> needs;
    substitution junction;
    for (term s : symbols(c)) {
      if (is_element(*s)) {
        needs.push_back(first(s));
        junction[s] = right_of(found_[needs.back()].variable.symbol);
      }
      if (s->is_symbol(symbol_kind::state)) junction[s] = left_of(s);
    }
    for (const term goes_on : {c, logical_not(c)}) {
      const term meet = substitute(goes_on, junction);
      candidate::variable all =
          made("all", boolean_type, "the merge must know whether " + to_text(goes_on) + " between all elements of the right piece");
      all.lift = boolean(true);
      all.step = logical_and(all.symbol, goes_on);
      all.merge = logical_and(left_of(all.symbol), logical_and(meet, right_of(all.symbol)));
      const std::size_t a = put(all, needs);
      const type t = number_type();
      candidate::variable lead =
          made("lead", t, "the merge must know how long the right piece's first run with " + to_text(goes_on) + " is");
      lead.lift = number(1, t);
      lead.step = select(logical_and(all.symbol, goes_on), add(lead.symbol, number(1, t)), lead.symbol);
      lead.merge = select(logical_and(left_of(all.symbol), meet), add(left_of(lead.symbol), right_of(lead.symbol)), left_of(lead.symbol));
      std::vector<std::size_t> all_needs = needs;
      all_needs.push_back(a);
      put(lead, all_needs);
    }
  }

  const part& p_;
  std::vector<const state_variable*> group_;
  std::vector<term> elements_, conditions_;
  std::vector<std::pair<term, std::size_t>> firsts_;
  std::vector<feature> found_;
};

}  // namespace

std::vector<feature> features_of(const part& p) { return feature_maker(p).run(); }

}  // namespace twofold::analyser::deriving
