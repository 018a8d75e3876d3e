// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Closed compositions: steps that are linear over a semiring with coefficients from the element, beside finite control and
//! variables that remember the previous element. The entries of the summary are the added state; `reduce` keeps the least of it.
#include <algorithm>
#include <array>

#include "derive/condition.hpp"
#include "derive/control.hpp"
#include "derive/gaps.hpp"
#include "derive/reduce.hpp"
#include "derive/summary.hpp"

namespace twofold::analyser::deriving {
namespace {

constexpr std::size_t max_data = 4;

// --- which variables, and what they are

std::optional<group> classified(const part& p, semiring s) {
  group g;
  g.over = s;
  std::vector<finite_set> ranges;
  for (const state_variable* v : with_upstream(p)) {
    if (v->extent && p.variables[0]->extent != v->extent) return std::nullopt;
    const bool settles = v->type.kind == sort::boolean && v->step->is(op::number) && v->init->is(op::number);  // "started"
    if (!has_state(v->step) && !settles) {
      g.lag.push_back(v);
      continue;
    }
    if (const auto range = finite_range(*v)) {
      g.control.push_back(v);
      ranges.push_back(*range);
    } else if (v->type.kind != sort::boolean && !v->type.is_modular()) {
      g.data.push_back(v);
    } else if (v->type.is_modular() && s == semiring::plus_times) {
      g.data.push_back(v);
    } else {
      return std::nullopt;
    }
  }
  if (g.data.size() > max_data || g.control.size() + g.data.size() == 0) return std::nullopt;
  auto states = control_states(g.control, ranges);
  if (states.empty()) return std::nullopt;
  g.states = std::move(states);
  return g;
}

// --- parameters

struct component {
  term constant;  // set: the same for every piece
  candidate::variable variable;
};
struct parameter_names {
  std::string stem, why;
};

class closure_search {
 public:
  closure_search(const part& p, group g, summary step) : p_(p), g_(std::move(g)), step_(std::move(step)), thrift_(p.state) {
    // the rows of a larger table tell little of one another: what the least of it is would be sought in vain
    constexpr std::size_t small = 2;
    const bool own = std::all_of(g_.control.begin(), g_.control.end(),
                                 [&](const auto* v) { return std::find(p.variables.begin(), p.variables.end(), v) != p.variables.end(); });
    if (own && g_.lag.empty() && g_.states.size() > small) thrift_ = thrift::whole;
  }

  std::optional<part_result> run() {
    if (!g_.lag.empty() && !first_elements()) return std::nullopt;
    summary start = g_.lag.empty() ? step_ : identity(g_);
    classify(start);
    if (g_.lag.empty() && flags_beside_values()) {
      for (auto& t : step_)
        for (auto& row : t.rows)
          for (entry& e : row) e = {boolean(true), select(e.present, e.value, number(0, e.value->type))};
      start = step_;
      components_.clear(), positions_.clear();
      classify(start);
    }
    const auto left = named(symbol_kind::left), right = named(symbol_kind::right), state = named(symbol_kind::state);
    summary merged = after(g_, right, through_junction(left)), pushed = after(g_, step_, state);
    fill(start, merged, pushed);
    std::vector<candidate::variable> own, added = firsts_;
    for (const state_variable* v : p_.variables) own.push_back(carried(*v));
    if (!own_merges(right, own)) return std::nullopt;
    for (auto& c : components_)
      if (!c.constant) added.push_back(c.variable);
    for (auto& v : added) {  // component by component; what is the same for all of them is made a scalar at the end
      v.extent = p_.variables[0]->extent;
      v.component = p_.variables[0]->component;
    }
    auto r = reduce(p_.upstream, own, added, ranges(), hints(), thrift_, at_start());
    if (!r) return std::nullopt;
    r->whole = thrift_ == thrift::whole;
    for (auto& v : r->variables) v.merge = pruned(v.merge);
    r->mechanism = !g_.lag.empty()   ? "junction with the previous element"
                   : g_.data.empty() ? "finite control"
                                     : std::string(name_of(g_.over)) + "-linear";
    return r;
  }

 private:
  // --- the first step of the right piece, redone with the left piece's last element
  //! Replaces what the step reads of the element by symbols that the piece remembers of its first element.
  bool first_elements() {
    substitution whole;
    for (const state_variable* v : g_.lag) whole[v->step] = symbol(symbol_kind::opaque, "first of " + v->name, v->type);
    summary s = mapped(step_, [&](term t) { return substitute(t, whole); });
    const auto reads_element = [](const summary& x) {
      bool found = false;
      (void)mapped(x, [&](term t) {
        found |= contains(t, [](const node& n) { return n.is_symbol(symbol_kind::element) || n.is_symbol(symbol_kind::index); });
        return t;
      });
      return found;
    };
    substitution to_right;
    const auto remember = [&](term what, term placeholder, const std::string& name) {
      for (const auto& u : p_.upstream)  // an upstream part may remember it already
        if (u.lift == what && u.step == u.symbol && u.merge == left_of(u.symbol)) {
          to_right[placeholder] = right_of(u.symbol);
          return;
        }
      candidate::variable f = added_variable(name, p_, firsts_, what->type,
                                             "the merge must redo the first step of the right piece after the left piece's last element");
      f.lift = what;
      f.step = f.symbol;
      f.merge = left_of(f.symbol);
      firsts_.push_back(f);
      to_right[placeholder] = right_of(f.symbol);
    };
    if (!reads_element(s)) {
      for (const state_variable* v : g_.lag) remember(v->step, whole[v->step], g_.lag.size() > 1 ? "first_" + v->name : "first");
    } else {
      s = step_;
      std::set<term> elements;
      (void)mapped(s, [&](term t) {
        for (term e : symbols(t))
          if (e->is_symbol(symbol_kind::element) || e->is_symbol(symbol_kind::index)) elements.insert(e);
        return t;
      });
      if (elements.size() > 3) return false;
      for (term e : elements) {
        if (e->type.kind == sort::boolean || e->is(op::symbol)) remember(e, e, elements.size() > 1 ? "first_" + e->name : "first");
      }
    }
    for (const state_variable* v : g_.lag) to_right[v->symbol] = left_of(v->symbol);
    junction_ = mapped(s, [&](term t) { return substitute(t, to_right); });
    return true;
  }
  template <class T>
  T through_junction(const T& first) const {
    return g_.lag.empty() ? first : after(g_, junction_, first);
  }

  //! What finite control variables can be, and the entries of their table.
  std::vector<term> ranges() {
    std::vector<term> r;
    const auto one_of_them = [&](const std::vector<term>& control) {
      if (std::all_of(control.begin(), control.end(), [](term c) { return c->is(op::number); })) return;
      term in = boolean(false);
      for (std::size_t q = 0; q < g_.states.size(); ++q) in = logical_or(in, g_.is_state(q, control));
      r.push_back(in);
    };
    const bool only_flags = std::all_of(g_.control.begin(), g_.control.end(), [](const auto* v) { return v->type.kind == sort::boolean; });
    if (!only_flags || g_.states.size() < (std::size_t{1} << g_.control.size())) {
      std::vector<term> own;
      for (const state_variable* v : g_.control) own.push_back(v->symbol);
      one_of_them(own);
      for (const transformer& t : named(symbol_kind::state)) one_of_them(t.control);
    }
    if (thrift_ == thrift::whole && g_.over != semiring::plus_times) filled_rows(r);
    return r;
  }

  //! Something always reaches a variable: no row of a summary over (max, +) is absent altogether.
  void filled_rows(std::vector<term>& to) const {
    std::map<std::pair<std::size_t, std::size_t>, term> some;
    for (std::size_t k = 0; k < components_.size(); ++k) {
      const auto [q, i, j, part] = positions_[k];
      if (i >= g_.data.size() || part != 0) continue;
      const term present = components_[k].constant ? components_[k].constant : components_[k].variable.symbol;
      term& row = some.try_emplace({q, i}, boolean(false)).first->second;
      row = logical_or(row, present);
    }
    for (const auto& [at, present] : some)
      if (!is_number(present, 1)) to.push_back(present);
  }

  //! What the summary makes of the initial state; nothing unless all own variables can be told by it.
  substitution at_start() {
    if (read_by_nobody_else(p_).size() != p_.variables.size()) return {};
    std::vector<term> control, data;
    for (const auto* v : g_.control) control.push_back(v->init);
    for (const auto* v : g_.data) data.push_back(v->init);
    if (!g_.lag.empty()) return {};
    const transformer end = after(g_, named(symbol_kind::state), point(g_, control, data));
    substitution r;
    for (const auto* v : p_.variables) {
      for (std::size_t c = 0; c < g_.control.size(); ++c)
        if (g_.control[c] == v) r[v->symbol] = pruned(end.control[c]);
      for (std::size_t i = 0; i < g_.data.size(); ++i)
        if (g_.data[i] == v) r[v->symbol] = pruned(g_.is_flipped(i) ? neg(end.rows[i].back().value) : end.rows[i].back().value);
    }
    return r.size() == p_.variables.size() ? r : substitution{};
  }

  //! Over (+, ×) the constant column is the own result less what the initial values contribute.
  std::map<term, std::vector<term>> hints() {
    std::map<term, std::vector<term>> r;
    if (g_.over != semiring::plus_times) {
      summary own = named(symbol_kind::state);
      for (auto& t : own)
        for (std::size_t i = 0; i < g_.data.size(); ++i)
          if (g_.is_flipped(i)) r[t.rows[i].back().value].push_back(neg(g_.data[i]->symbol));
      return r;
    }
    if (g_.states.size() != 1) return r;
    std::vector<term> init;
    for (const auto* v : g_.data) init.push_back(v->init);
    substitution start;
    for (const auto* v : g_.lag) start[left_of(v->symbol)] = v->init;
    for (const auto& f : p_.upstream) start[right_of(f.symbol)] = f.symbol;
    for (const auto& f : firsts_) start[right_of(f.symbol)] = f.symbol;
    const summary first = mapped(junction_, [&](term t) { return substitute(t, start); });
    const transformer s0 = g_.lag.empty() ? point(g_, {}, init) : after(g_, first, point(g_, {}, init));
    summary own = named(symbol_kind::state);
    for (std::size_t i = 0; i < g_.data.size(); ++i) {
      const term alone = own[0].rows[i].back().value;
      own[0].rows[i].back() = absent(alone->type);
      const term rest = after(g_, own, s0).rows[i].back().value;
      if (alone->is_symbol(symbol_kind::state) && !has_infinity(rest)) r[alone].push_back(sub(g_.data[i]->symbol, rest));
    }
    return r;
  }

  // --- components: presence and value of every entry, and the control table
  using position = std::array<std::size_t, 4>;  // control state, row, column, 0 present / 1 value; control: row = data + c, column 0

  template <class F>
  void each(summary& s, F f) const {
    for (std::size_t q = 0; q < s.size(); ++q) {
      for (std::size_t c = 0; c < s[q].control.size(); ++c) f(position{q, g_.data.size() + c, 0, 1}, s[q].control[c]);
      for (std::size_t i = 0; i < s[q].rows.size(); ++i)
        for (std::size_t j = 0; j < s[q].rows[i].size(); ++j) {
          f(position{q, i, j, 0}, s[q].rows[i][j].present);
          f(position{q, i, j, 1}, s[q].rows[i][j].value);
        }
    }
  }

  static bool fixed(term t) {
    return !contains(t, [](const node& n) {
      return n.is_symbol(symbol_kind::element) || n.is_symbol(symbol_kind::index) || n.is_symbol(symbol_kind::state) ||
             n.is_symbol(symbol_kind::opaque);
    });
  }

  //! Over (+, ×) what is absent is 0: a flag is worth carrying only where the value is known.
  [[nodiscard]] bool flags_beside_values() const {
    if (g_.over != semiring::plus_times) return false;
    for (std::size_t k = 0; k + 1 < components_.size(); ++k)
      if (positions_[k][1] < g_.data.size() && positions_[k][3] == 0 && !components_[k].constant && !components_[k + 1].constant)
        return true;
    return false;
  }

  //! Which components are the same for every piece: the least fixed point of one more step on the summary.
  void classify(const summary& start) {
    summary now = start;
    std::map<position, term> constants;
    each(now, [&](const position& at, term& t) { constants[at] = fixed(t) ? t : term(); });
    for (bool changed = true; changed;) {
      changed = false;
      summary s = start;
      std::size_t k = 0;
      each(s, [&](const position& at, term& t) {
        t = constants[at] ? constants[at] : symbol(symbol_kind::opaque, "component " + std::to_string(k), t->type);
        ++k;
      });
      summary next = after(g_, step_, s);
      each(next, [&](const position& at, term& t) {
        const bool absent_value = at[3] == 1 && at[1] < g_.data.size() &&
                                  is_number(constants[{at[0], at[1], at[2], 0}] ? constants[{at[0], at[1], at[2], 0}] : boolean(true), 0);
        if (!constants[at] || t == constants[at]) return;
        if (absent_value && fixed(t)) {
          constants[at] = t;
          return;
        }
        constants[at] = term();
        changed = true;
      });
    }
    std::size_t k = 0;
    each(now, [&](const position& at, term& t) {
      positions_.push_back(at);
      components_.push_back({constants[at], {}});
      if (!constants[at]) name(components_.back().variable, at, t->type);
      ++k;
    });
  }

  void name(candidate::variable& v, const position& at, type t) {
    const auto [q, i, j, part] = at;
    std::string stem;
    const std::size_t n = g_.data.size();
    if (i >= n) {
      stem = g_.control[i - n]->name + "_after";
      v.why = "the merge must know where the right piece leads from the other control state";
    } else if (part == 0) {
      stem = j == n ? "any" : "all";
      v.why = j == n
                  ? "the merge must know whether the right piece sets " + g_.data[i]->name + " afresh"
                  : "the merge must know whether what the left piece leaves in " + g_.data[j]->name + " reaches the end of the right piece";
    } else if (j == n) {
      stem = g_.data[i]->name + "_alone";
      v.why = "the merge must know what the right piece adds to " + g_.data[i]->name + " whatever comes in";
    } else if (g_.over == semiring::plus_times) {
      stem = n == 1 ? "decay" : g_.data[i]->name + "_from_" + g_.data[j]->name;
      v.why = "the merge must know by which factor the right piece passes on " + g_.data[j]->name;
    } else if (i == j) {
      const term by = step_[q].rows[i][j].value;
      stem = is_number(by, 1) ? "length" : "sum";
      v.why = "the merge must know how much the right piece adds to what comes in from the left";
    } else {
      const bool run = !is_number(step_[q].rows[j][j].present, 1);
      const bool high = g_.over == semiring::max_plus;
      stem = run ? "lead" : high ? "best_prefix" : "lowest_prefix";
      v.why = run ? "the right piece's first run may continue the left piece's last one"
                  : "the left piece's " + g_.data[j]->name + " may continue into the right piece";
    }
    std::vector<candidate::variable> taken = firsts_;
    for (const auto& c : components_)
      if (!c.constant) taken.push_back(c.variable);
    v.name = fresh_name(stem, p_, taken);
    v.type = t;
    v.kind = role::added;
    v.symbol = symbol(symbol_kind::state, v.name, t);
  }

  //! The summary written in the components' symbols (of one piece) and constants.
  summary named(symbol_kind side) {
    summary s = identity(g_);
    std::size_t k = 0;
    each(s, [&](const position&, term& t) {
      const component& c = components_[k++];
      t = c.constant ? c.constant : symbol(side, c.variable.name, c.variable.type);
    });
    return s;
  }

  //! Lift, step, merge and init of every component. Values that are absent are 0.
  void fill(const summary& start, const summary& merged, const summary& pushed) {
    const auto put = [&](const summary& from, term candidate::variable::*to) {
      summary s = from;
      std::size_t k = 0;
      term present = boolean(true);
      each(s, [&](const position& at, term& t) {
        component& c = components_[k++];
        const bool entry_part = at[1] < g_.data.size();
        if (entry_part && at[3] == 0) present = t;
        if (c.constant) return;
        const bool may_lack = entry_part && at[3] == 1 && !is_number(present, 1);
        c.variable.*to = may_lack ? select(present, t, number(0, t->type)) : t;
      });
    };
    put(start, &candidate::variable::lift);
    put(merged, &candidate::variable::merge);
    put(pushed, &candidate::variable::step);
    if (!g_.lag.empty()) return;  // the summary of the rest begins after the first element: there is no value before it
    put(identity(g_), &candidate::variable::init);
    std::size_t k = 0;
    summary none = identity(g_);
    each(none, [&](const position& at, term& t) {
      component& c = components_[k++];
      if (c.constant) return;
      const bool value = at[1] < g_.data.size() && at[3] == 1;
      const bool missing = value && is_number(none[at[0]].rows[at[1]][at[2]].present, 0);
      const bool always = missing && components_[k - 2].constant;  // every piece has it, only the empty one does not
      if (always)
        c.variable.init = g_.over == semiring::plus_times ? number(0, t->type)
                          : g_.over == semiring::max_plus ? minus_infinity(t->type)
                                                          : infinity(t->type);
    });
  }

  //! What the right piece makes of the left piece's final state.
  bool own_merges(const summary& right, std::vector<candidate::variable>& own) {
    std::vector<term> control, data;
    for (const auto* v : g_.control) control.push_back(left_of(v->symbol));
    for (const auto* v : g_.data) data.push_back(left_of(v->symbol));
    const transformer end = after(g_, right, through_junction(point(g_, control, data)));
    for (auto& v : own) {
      for (std::size_t c = 0; c < g_.control.size(); ++c)
        if (g_.control[c]->symbol == v.symbol) v.merge = end.control[c];
      for (std::size_t i = 0; i < g_.data.size(); ++i)
        if (g_.data[i]->symbol == v.symbol) v.merge = g_.is_flipped(i) ? neg(end.rows[i].back().value) : end.rows[i].back().value;
      for (const auto* l : g_.lag)
        if (l->symbol == v.symbol) v.merge = right_of(v.symbol);
      if (!v.merge) return false;
    }
    return true;
  }

  const part& p_;
  group g_;
  summary step_, junction_;
  thrift thrift_;
  std::vector<candidate::variable> firsts_;
  std::vector<component> components_;
  std::vector<position> positions_;
};

std::optional<part_result> by_summary(const part& p, const group& g) {
  const auto step = step_of(g);
  auto r = step ? closure_search(p, g, *step).run() : std::nullopt;
  if (!r) return r;
  if (const auto filled = without_gaps(p.loop, g, *step))
    if (auto fewer = closure_search(p, g, *filled).run(); fewer && fewer->variables.size() < r->variables.size()) return fewer;
  return r;
}

//! What is overwritten by every element may be data, too, which reaches the next step alone: less to remember than the first element where
//! the step is linear in it.
std::optional<group> with_overwritten_as_data(const group& g) {
  group r = g;
  r.data.insert(r.data.end(), g.lag.begin(), g.lag.end());
  r.lag.clear();
  const bool numbers =
      std::all_of(g.lag.begin(), g.lag.end(), [](const auto* v) { return v->type.kind != sort::boolean && !v->type.is_modular(); });
  return !g.lag.empty() && numbers && g.over == semiring::plus_times && r.data.size() <= max_data ? std::optional(r) : std::nullopt;
}

}  // namespace

std::optional<part_result> closure(const part& p, std::vector<std::string>& tried) {
  std::string names;
  for (const auto* v : p.variables) names += (names.empty() ? "" : ", ") + v->name;
  for (semiring s : {semiring::plus_times, semiring::max_plus, semiring::min_plus}) {
    auto g = classified(p, s);
    if (!g) continue;
    const std::size_t ways = s == semiring::max_plus ? (std::size_t{1} << g->data.size()) - 1 : 1;  // all flipped is (min, +)
    for (std::size_t way = 0; way < ways; ++way) {
      for (std::size_t i = 0; i < g->data.size(); ++i) g->flipped.push_back((way >> i & 1) != 0);
      auto r = by_summary(p, *g);
      if (const auto other = with_overwritten_as_data(*g); other && (!r || r->variables.size() > p.variables.size() + 1))
        if (auto fewer = by_summary(p, *other); fewer && (!r || fewer->variables.size() < r->variables.size())) r = fewer;
      if (r) return r;
      g->flipped.clear();
    }
    if (g->data.empty()) break;
  }
  tried.push_back("the step of " + names + " is not linear over (+, ×), (max, +) or (min, +) beside finite control");
  return std::nullopt;
}

}  // namespace twofold::analyser::deriving
