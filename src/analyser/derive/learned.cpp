// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The merge of one variable as a small decision tree, found by enumeration: what the two pieces and the merges upstream hold is
//! compared on exact runs, and a tree of at most two comparisons over simple values that gives the state of every whole word is a
//! candidate. Last in line: it knows nothing of the step, so whatever else explains more comes first.
#include <algorithm>
#include <array>
#include <map>

#include "derive/reduce.hpp"
#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {
namespace {

constexpr std::size_t most_runs = 256, most_conditions = 700, most_values = 400, most_trees = 10;

//! One bit per run.
using run_set = std::array<std::uint64_t, most_runs / 64>;
bool is_within(const run_set& a, const run_set& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] & ~b[k]) return false;
  return true;
}
run_set common(const run_set& a, const run_set& b) {
  run_set r;
  for (std::size_t k = 0; k < a.size(); ++k) r[k] = a[k] & b[k];
  return r;
}
run_set minus_runs(const run_set& a, const run_set& b) {
  run_set r;
  for (std::size_t k = 0; k < a.size(); ++k) r[k] = a[k] & ~b[k];
  return r;
}
bool is_empty(const run_set& a) {
  return std::all_of(a.begin(), a.end(), [](std::uint64_t w) { return w == 0; });
}

//! Terms over the two pieces, evaluated on all runs at once.
class observations {
 public:
  observations(const std::vector<candidate::variable>& all) : all_(all) {
    word_runner runner(all, 5);
    std::minstd_rand random(3);
    for (std::size_t tries = 0; tries < 3 * most_runs && runs_.size() < most_runs; ++tries) {
      if (tries % 8 == 0) runner.choose_parameters();
      const std::size_t longest = tries % 4 == 3 ? 16 : 5;  // long ones for what counts up to a limit
      const auto u = runner.draw(1 + random() % longest), v = runner.draw(1 + random() % longest);
      if (!u || !v) continue;
      auto word = u->word;
      word.insert(word.end(), v->word.begin(), v->word.end());
      const auto whole = runner.run(word);
      if (!whole) continue;
      std::vector<exact> parameters;
      for (std::size_t i = 0; i < runner.parameters().size(); ++i) parameters.push_back(runner.parameter(i));
      runs_.push_back({u->value, v->value, *whole, std::move(parameters)});
    }
    parameters_ = runner.parameters();
    for (std::size_t k = 0; k < runs_.size(); ++k) every_[k / 64] |= std::uint64_t{1} << (k % 64);
  }

  //! Two splits agree in all that both pieces hold, and not in the whole: no merge of these states exists.
  [[nodiscard]] bool contradictory() const {
    std::map<std::vector<exact>, exact> whole;
    for (const run& x : runs_) {
      std::vector<exact> both = x.left;
      both.insert(both.end(), x.right.begin(), x.right.end());
      both.insert(both.end(), x.parameters.begin(), x.parameters.end());
      const auto [it, fresh] = whole.try_emplace(std::move(both), x.whole.back());
      if (!fresh && !(it->second == x.whole.back())) return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] const run_set& every() const { return every_; }

  //! For each term the runs in which it is true (Booleans), or equals the last variable of the whole word (`target`).
  [[nodiscard]] std::vector<run_set> where(const std::vector<term>& terms, bool target) const {
    std::vector<run_set> r(terms.size());
    exact_program p(terms, true);
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      const run& x = runs_[k];
      for (std::size_t i = 0; i < all_.size(); ++i) {
        p.set(left_of(all_[i].symbol), x.left[i]);
        p.set(right_of(all_[i].symbol), x.right[i]);
      }
      for (std::size_t i = 0; i < parameters_.size(); ++i) p.set(parameters_[i], x.parameters[i]);
      p.run();
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const exact* v = p.value(i);
        const bool holds = v && (target ? *v == x.whole.back() : v->value != 0);
        if (holds) r[i][k / 64] |= std::uint64_t{1} << (k % 64);
      }
    }
    return r;
  }

 private:
  struct run {
    word_runner::state left, right, whole;
    std::vector<exact> parameters;
  };
  const std::vector<candidate::variable>& all_;
  std::vector<run> runs_;
  std::vector<term> parameters_;
  run_set every_{};
};

//! Numbers that the step compares with, adds or takes remainders by.
std::vector<term> constants_of(term t, type of) {
  std::vector<term> r;
  (void)contains(t, [&](const node& n) {
    if (n.is(op::number) && n.type == of && r.size() < 6 && std::find(r.begin(), r.end(), term(&n)) == r.end()) r.emplace_back(&n);
    return false;
  });
  return r;
}

class tree_search {
 public:
  tree_search(const part& p, const state_variable& v) {
    for (const auto& u : p.upstream)
      if (!u.extent) known_.push_back(u);
    known_.push_back(carried(v));
    own_ = &known_.back();
  }

  std::vector<term> trees() {
    const observations seen(known_);
    if (seen.size() < most_runs / 2 || seen.contradictory()) return {};
    collect_values();
    collect_conditions();
    const auto fits = seen.where(values_, true);
    auto holds = seen.where(conditions_, false);
    drop_equal(holds);
    const run_set all = seen.every();
    std::vector<term> found;
    const auto leaf_for = [&](const run_set& where) -> term {
      for (std::size_t i = 0; i < values_.size(); ++i)
        if (is_within(where, fits[i])) return values_[i];
      return {};
    };
    if (const term t = leaf_for(all)) found.push_back(t);
    std::vector<std::pair<std::size_t, bool>> half;  // conditions under which one side is a leaf already
    for (std::size_t c = 0; c < conditions_.size() && found.size() < most_trees; ++c) {
      const run_set yes = holds[c], no = minus_runs(all, yes);
      if (is_empty(yes) || is_empty(no)) continue;
      const term a = leaf_for(yes), b = leaf_for(no);
      if (a && b) found.push_back(select(conditions_[c], a, b));
      else if (a || b) half.emplace_back(c, static_cast<bool>(a));
    }
    if (!found.empty()) return found;
    for (const auto& [c, then] : half) {
      const run_set here = then ? holds[c] : minus_runs(all, holds[c]), rest = minus_runs(all, here);
      const term leaf = leaf_for(here);
      for (std::size_t d = 0; d < conditions_.size() && found.size() < most_trees; ++d) {
        const run_set yes = common(rest, holds[d]), no = minus_runs(rest, holds[d]);
        if (is_empty(yes) || is_empty(no)) continue;
        const term a = leaf_for(yes), b = a ? leaf_for(no) : term();
        if (!a || !b) continue;
        const term inner = select(conditions_[d], a, b);
        found.push_back(then ? select(conditions_[c], leaf, inner) : select(conditions_[c], inner, leaf));
      }
    }
    return found;
  }

 private:
  static bool is_plain_number(type t) { return t.kind != sort::boolean; }

  //! lX + rY as far as Y starts at nothing, and each with what Y started from taken off.
  std::vector<term> sums(type t) const {
    std::vector<term> r;
    for (const auto& x : known_)
      for (const auto& y : known_) {
        if (!(x.type == t) || !(y.type == t) || !is_plain_number(t)) continue;
        const term sum = add(left_of(x.symbol), right_of(y.symbol));
        r.push_back(sum);
        if (y.init && !has_infinity(y.init) && !is_number(y.init, 0)) r.push_back(sub(sum, y.init));
      }
    return r;
  }

  void collect_values() {
    const type t = own_->type;
    const term l = left_of(own_->symbol), r = right_of(own_->symbol);
    values_ = {l, r};
    if (t.kind == sort::boolean) {
      values_.insert(values_.end(), {boolean(true), boolean(false), logical_not(l), logical_not(r), logical_not(equal(l, r)), equal(l, r)});
      return;
    }
    const std::vector<term> constants = constants_of(own_->step, t), all_sums = sums(t);
    for (term s : all_sums) values_.push_back(s);
    for (term s : all_sums)
      for (term side : {l, r}) {
        values_.push_back(max(side, s));
        values_.push_back(min(side, s));
      }
    values_.push_back(max(l, r));
    values_.push_back(min(l, r));
    if (own_->init && !has_infinity(own_->init)) values_.push_back(own_->init);
    for (term c : constants) {
      values_.push_back(c);
      values_.push_back(min(add(l, r), c));
      values_.push_back(max(add(l, r), c));
      if (t.kind == sort::integer && sgn(c->value) > 0)
        for (term m : {c, add(c, number(1, t))}) values_.push_back(make(op::remainder, {add(l, r), m}, t));
    }
    if (values_.size() > most_values) values_.resize(most_values);
  }

  void collect_conditions() {
    std::vector<term> sides;
    for (const auto& u : known_) {
      sides.push_back(left_of(u.symbol));
      sides.push_back(right_of(u.symbol));
      if (&u != own_ && u.merge && u.type.kind != sort::boolean) sides.push_back(u.merge);
    }
    std::vector<term> constants = constants_of(own_->step, own_->type);
    if (own_->init && !has_infinity(own_->init)) constants.push_back(own_->init);
    for (term a : sides)
      if (a->type.kind == sort::boolean) conditions_.push_back(a);
    const auto compare = [&](term a, term b) {
      if (a == b || !(a->type == b->type) || a->type.kind == sort::boolean || conditions_.size() > most_conditions) return;
      conditions_.push_back(less(a, b));
      conditions_.push_back(less(b, a));
      conditions_.push_back(equal(a, b));
    };
    for (std::size_t i = 0; i < sides.size(); ++i)
      for (std::size_t j = i + 1; j < sides.size(); ++j) compare(sides[i], sides[j]);
    for (term a : sides)
      for (term c : constants) compare(a, c);
    for (const auto& u : known_)
      if (&u != own_ && u.merge && u.type.kind != sort::boolean)
        for (term s : sums(u.type)) compare(u.merge, s);
  }

  //! Of conditions that no run tells apart the first (simplest) stays.
  void drop_equal(std::vector<run_set>& holds) {
    std::set<run_set> seen;
    std::vector<term> conditions;
    std::vector<run_set> kept;
    for (std::size_t i = 0; i < conditions_.size(); ++i)
      if (seen.insert(holds[i]).second) {
        conditions.push_back(conditions_[i]);
        kept.push_back(holds[i]);
      }
    conditions_ = std::move(conditions);
    holds = std::move(kept);
  }

  std::vector<candidate::variable> known_;
  const candidate::variable* own_ = nullptr;
  std::vector<term> values_, conditions_;
};

}  // namespace

std::optional<part_result> learned(const part& p, std::vector<std::string>& tried) {
  if (p.variables.size() != 1 || p.variables[0]->extent || p.upstream.size() > 6) return std::nullopt;
  const state_variable& v = *p.variables[0];
  for (term merge : tree_search(p, v).trees()) {
    candidate::variable own = carried(v);
    own.merge = merge;
    if (auto r = reduce(p.upstream, {own}, {})) {
      r->mechanism = "decision tree over the states of both pieces";
      return r;
    }
  }
  tried.push_back("no tree of two comparisons of what the pieces hold gives " + v.name + " of the whole");
  return std::nullopt;
}

}  // namespace twofold::analyser::deriving
