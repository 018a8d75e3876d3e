// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Relations between variables: those of fixed shapes that no run contradicts, and bounds on variables and their differences that the
//! runs themselves suggest, everywhere or where a flag is up or down.
#include "derive/relations.hpp"

#include <algorithm>

#include "derive/linear.hpp"

namespace twofold::analyser::deriving {
namespace {

std::vector<term> without_contradicted(const std::vector<term>& guesses, const experiences& seen) {
  exact_program p(guesses, true);
  const placing place(p, seen);
  std::vector<bool> alive(guesses.size(), true);
  for (const auto& x : seen.runs)
    for (const values* state : {&x.left, &x.right, &x.whole}) {
      place.state(p, *state);
      place.fixed(p, x.fixed);
      p.run();
      for (std::size_t i = 0; i < guesses.size(); ++i) {
        const exact* v = p.value(i);
        if (!v || v->value == 0) alive[i] = false;
      }
    }
  std::vector<term> r;
  for (std::size_t i = 0; i < guesses.size(); ++i)
    if (alive[i]) r.push_back(guesses[i]);
  return r;
}

//! Bounds on variables and on differences of two, as tight as the states that were seen: everywhere, and where a flag is up or down. A
//! bound counts that is met often; one that is met once says only where the runs happened to end.
class bounds_seen {
 public:
  bounds_seen(const variable_list& all, const experiences& seen) : all_(all) {
    constexpr long large = 1L << 40;
    for (const auto& v : all) {
      const auto at = static_cast<std::size_t>(std::find(seen.states.begin(), seen.states.end(), v.symbol) - seen.states.begin());
      columns_.emplace_back();
      for (const auto& x : seen.runs)
        for (const values* s : {&x.left, &x.right, &x.whole}) {
          const exact& e = (*s)[at];
          const bool small = e.kind == exact::kind::finite && e.value.get_den() == 1 && ::abs(e.value) < large;
          columns_.back().value.push_back(small ? e.value.get_num().get_si() : 0);
          columns_.back().small &= small;
        }
    }
    states_ = columns_.empty() ? 0 : columns_[0].value.size();
    for (const auto& v : all)
      (void)contains(v.step, [&](const node& n) {
        if (n.is(op::number) && n.type.kind != sort::boolean)
          for (const long by : {-1, 0, 1}) constants_.insert(n.value + by);
        return false;
      });
  }

  void append_to(std::vector<term>& guesses) {
    known_.insert(guesses.begin(), guesses.end());
    within(std::vector<bool>(states_, true), {}, guesses);
    for (std::size_t f = 0; f < all_.size(); ++f) {
      if (all_[f].type.kind != sort::boolean) continue;
      for (const bool up : {true, false}) within(where(f, 1, up), up ? logical_not(all_[f].symbol) : all_[f].symbol, guesses);
    }
    for (std::size_t v = 0; v < all_.size(); ++v)  // where a number is still what it started from, and where it is not
      if (is_number_here(v) && all_[v].init && all_[v].init->is(op::number) && all_[v].init->value.get_den() == 1) started_from(v, guesses);
  }

 private:
  //! Only whole numbers: of others no bound is met often.
  bool is_number_here(std::size_t v) const { return all_[v].type.kind != sort::boolean && !all_[v].type.is_modular() && columns_[v].small; }
  std::vector<bool> where(std::size_t v, long value, bool equal) const {
    std::vector<bool> here;
    for (long x : columns_[v].value) here.push_back((x == value) == equal);
    return here;
  }

  void started_from(std::size_t v, std::vector<term>& guesses) {
    const term still = equal(all_[v].symbol, all_[v].init);
    for (const bool yes : {true, false}) {
      const std::vector<bool> here = where(v, all_[v].init->value.get_num().get_si(), yes);
      const term unless = yes ? logical_not(still) : still;
      within(here, unless, guesses);
      for (std::size_t f = 0; f < all_.size(); ++f) {
        if (all_[f].type.kind != sort::boolean) continue;
        std::size_t up = 0, all = 0;
        for (std::size_t k = 0; k < states_; ++k) {
          all += here[k];
          up += here[k] && columns_[f].value[k] != 0;
        }
        if (all < fewest || (up != 0 && up != all)) continue;
        const term guess = logical_or(unless, up ? all_[f].symbol : logical_not(all_[f].symbol));
        if (known_.insert(guess).second) guesses.push_back(guess);
      }
    }
  }

  //! `unless`: what lies outside of the context; null for everywhere.
  void within(const std::vector<bool>& here, term unless, std::vector<term>& to) {
    for (std::size_t v = 0; v < all_.size(); ++v)
      if (is_number_here(v)) bound(here, unless, v, v, to);
    for (std::size_t v = 0; v < all_.size(); ++v)
      for (std::size_t w = 0; w < v; ++w)
        if (is_number_here(v) && is_number_here(w) && all_[v].type == all_[w].type) bound(here, unless, v, w, to);
  }

  //! v, or v − w where w is another one.
  void bound(const std::vector<bool>& here, term unless, std::size_t v, std::size_t w, std::vector<term>& to) {
    const std::vector<long>&a = columns_[v].value, &b = columns_[w].value;
    long low = 0, high = 0;
    std::size_t count = 0, at_low = 0, at_high = 0;
    for (std::size_t k = 0; k < states_; ++k) {
      if (!here[k]) continue;
      const long value = v == w ? a[k] : a[k] - b[k];
      if (count == 0 || value < low) low = value, at_low = 0;
      if (count == 0 || value > high) high = value, at_high = 0;
      at_low += value == low;
      at_high += value == high;
      ++count;
    }
    constexpr std::size_t part = 20;
    if (count < fewest) return;
    const type t = all_[v].type;
    const term x = all_[v].symbol, y = v == w ? number(0, t) : all_[w].symbol;
    const auto put = [&](term relation) {
      const term guess = unless ? logical_or(unless, relation) : relation;
      if (!known_.contains(relation) && known_.insert(guess).second) to.push_back(guess);
    };
    const auto often = [&](std::size_t n) { return n >= fewest && n * part >= count; };
    const auto natural = [&](long c) { return std::abs(c) <= 2 || constants_.contains(mpq_class(c)); };  // no limit of what was drawn
    if (low == high && natural(low)) return put(equal(x, add(y, number(low, t))));
    if (often(at_low) && natural(low)) put(less_equal(add(y, number(low, t)), x));
    if (often(at_high) && natural(high)) put(less_equal(x, add(y, number(high, t))));
  }

  struct column {
    std::vector<long> value;  // by state
    bool small = true;        // all of them whole and not too large
  };
  static constexpr std::size_t fewest = 6;
  const variable_list& all_;
  std::vector<column> columns_;
  std::size_t states_ = 0;
  std::set<term> known_;
  std::set<mpq_class> constants_;
};

// --- affine combinations: a linear system over the field of 2^61 − 1 elements, one equation for each state that was seen

constexpr std::size_t most_columns = 12;

//! The value of variable v in a state of `seen`; nothing where it is infinite.
std::optional<residue> entry_of(const values& state, const experiences& seen, term v) {
  const auto at = static_cast<std::size_t>(std::find(seen.states.begin(), seen.states.end(), v) - seen.states.begin());
  return state[at].kind == exact::kind::finite ? to_mod(state[at].value) : std::nullopt;
}

}  // namespace

placing::placing(const exact_program& p, const experiences& e) {
  const auto note = [&](places& to, term symbol, std::size_t i) {
    if (const std::size_t slot = p.slot(symbol); slot != exact_program::absent) to.emplace_back(slot, i);
  };
  for (std::size_t i = 0; i < e.states.size(); ++i) {
    note(state_, e.states[i], i);
    note(left_, left_of(e.states[i]), i);
    note(right_, right_of(e.states[i]), i);
  }
  for (std::size_t i = 0; i < e.fixed.size(); ++i) note(fixed_, e.fixed[i], i);
}

std::vector<term> invariants_seen(const variable_list& all, const experiences& seen) {
  std::vector<term> guesses;
  std::vector<const candidate::variable*> numbers, flags;
  for (const auto& v : all) (v.type.kind == sort::boolean ? flags : numbers).push_back(&v);
  const auto bounds = [](const candidate::variable& v) {
    std::vector<term> r;
    if (v.init && !has_infinity(v.init)) r.push_back(v.init);
    for (long c : {0, 1})
      if (!v.init || !is_number(v.init, c)) r.push_back(number(c, v.type));
    if (v.kind == role::carried && v.step)  // limits that the step compares with
      (void)contains(v.step, [&](const node& n) {
        if (n.is(op::less) || n.is(op::less_equal) || n.is(op::equal) || n.is(op::min) || n.is(op::max))
          for (term a : n.args)
            if (a->is(op::number) && a->type == v.type && r.size() < 6 && std::find(r.begin(), r.end(), a) == r.end()) r.push_back(a);
        return false;
      });
    return r;
  };
  std::vector<term> relations;
  for (const auto* v : numbers) {
    if (v->type.is_modular()) continue;
    for (term c : bounds(*v)) {
      guesses.push_back(less_equal(c, v->symbol));
      guesses.push_back(less_equal(v->symbol, c));
    }
    for (const auto* w : numbers)
      if (v != w && v->type == w->type) guesses.push_back(less_equal(v->symbol, w->symbol));
    if (v->kind != role::carried || !v->init || has_infinity(v->init)) continue;
    for (term c : bounds(*v))  // still what it started from, or beyond a limit
      if (c != v->init) {
        guesses.push_back(logical_or(equal(v->symbol, v->init), less_equal(c, v->symbol)));
        guesses.push_back(logical_or(equal(v->symbol, v->init), less_equal(v->symbol, c)));
      }
  }
  for (const auto* v : numbers) {
    for (term c : bounds(*v)) relations.push_back(equal(v->symbol, c));
    for (const auto* w : numbers)
      if (v->symbol < w->symbol && v->type == w->type) relations.push_back(equal(v->symbol, w->symbol));
  }
  for (const auto* v : numbers)  // "where there is a second one, it is not above the first"
    for (const auto* w : numbers)
      if (v != w && v->type == w->type && !v->type.is_modular() && v->kind == role::carried && w->kind == role::carried)
        relations.push_back(less_equal(v->symbol, w->symbol));
  for (const auto* f : flags) relations.push_back(f->symbol);
  for (const auto* f : flags)
    for (term r : relations) {
      if (r == f->symbol) continue;
      guesses.push_back(logical_or(logical_not(f->symbol), r));
      guesses.push_back(logical_or(f->symbol, r));
      if (r->type.kind == sort::boolean && r->is(op::symbol)) guesses.push_back(logical_or(logical_not(f->symbol), logical_not(r)));
    }
  if (!guesses.empty()) guesses = without_contradicted(guesses, seen);
  bounds_seen(all, seen).append_to(guesses);
  return guesses;
}

std::optional<term> affine_reading(const variable_list& all, std::size_t i, const experiences& seen) {
  const type t = all[i].type;
  if (t.kind == sort::boolean || t.is_modular() || all[i].extent) return std::nullopt;
  std::vector<term> columns;
  for (const role kind : {role::carried, role::added})
    for (std::size_t j = 0; j < all.size(); ++j)
      if (j != i && all[j].kind == kind && all[j].type == t && !all[j].extent) columns.push_back(all[j].symbol);
  if (columns.empty() || columns.size() + 2 > most_columns) return std::nullopt;
  columns.push_back(all[i].symbol);
  row_space rows(columns.size() + 1);  // the first column is 1
  for (const auto& x : seen.runs)
    for (const values* state : {&x.left, &x.right, &x.whole}) {
      std::vector<residue> row{1};
      for (term v : columns) {
        const auto e = entry_of(*state, seen, v);
        if (!e) return std::nullopt;
        row.push_back(*e);
      }
      rows.add(std::move(row));
      if (rows.rank() == columns.size() + 1) return std::nullopt;  // independent
    }
  for (const auto& v : rows.null_space()) {
    if (v.back() == 0) continue;
    term sum = number(0, t);
    bool whole = true;
    const auto coefficient = [&](residue r) {  // 0 = … + 1·all[i]
      const auto c = to_rational(r == 0 ? 0 : prime - r);
      whole &= c && (t.kind == sort::real || c->get_den() == 1);
      return whole ? *c : mpq_class(0);
    };
    for (std::size_t j = 0; j + 1 < columns.size(); ++j) {
      const mpq_class c = coefficient(v[j + 1]);
      if (c == 0) continue;
      sum = c == 1 ? add(sum, columns[j]) : c == -1 ? sub(sum, columns[j]) : add(sum, mul(number(c, t), columns[j]));
    }
    const mpq_class c0 = coefficient(v[0]);
    if (c0 != 0) sum = add(sum, number(c0, t));
    if (whole && !sum->is(op::number)) return sum;
  }
  return std::nullopt;
}

}  // namespace twofold::analyser::deriving
