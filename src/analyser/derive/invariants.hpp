// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Invariants by counterexamples: shapes that no run contradicts, and of these the few that are needed at invented states. Internal
//! to reduce.
#pragma once

#include <algorithm>

#include "derive/reduce.hpp"
#include "derive/relations.hpp"

namespace twofold::analyser::deriving {

inline experiences collect(const variable_list& all, int rounds, unsigned seed) {
  word_runner runner(all, seed);
  experiences r;
  for (const auto& v : all) r.states.push_back(v.symbol);
  r.fixed = runner.parameters();
  r.fixed.insert(r.fixed.end(), runner.inputs().begin(), runner.inputs().end());
  std::minstd_rand random(7);
  for (int k = 0; k < rounds; ++k) {
    if (k % 6 == 0) runner.choose_parameters();
    const std::size_t longest = k % 5 == 4 ? 14 : 6;  // long ones for what counts up to a limit
    const auto u = runner.draw(1 + random() % longest), v = runner.draw(1 + random() % longest), e = runner.draw(1);
    if (!u || !v || !e) continue;
    auto word = u->word;
    word.insert(word.end(), v->word.begin(), v->word.end());
    const auto both = runner.run(word);
    if (!both) continue;
    values fixed = runner.parameter_values();
    fixed.insert(fixed.end(), e->word[0].begin(), e->word[0].end());
    r.runs.push_back({u->value, v->value, *both, std::move(fixed)});
  }
  return r;
}

//! The merges give the states of the whole words.
inline bool merges_hold(const variable_list& all, const experiences& seen) {
  std::vector<term> roots;
  std::vector<std::size_t> at;
  for (const auto& v : all) {
    roots.push_back(v.merge);
    at.push_back(static_cast<std::size_t>(std::find(seen.states.begin(), seen.states.end(), v.symbol) - seen.states.begin()));
  }
  exact_program p(roots, true);
  const placing place(p, seen);
  for (const auto& x : seen.runs) {
    place.pieces(p, x.left, x.right);
    place.fixed(p, x.fixed);
    p.run();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const exact* m = p.value(i);
      if (!m || !(*m == x.whole[at[i]])) return false;
    }
  }
  return !all.empty() && !seen.runs.empty();
}

//! Two states and an element, reached or not.
struct invented_point {
  values left, right;
  const experience* origin;
  values fixed = {};  // an element near the pieces' own values; none: the origin's
};

//! Reached states with none, some or all variables set to something else; finite values only: infinities are no states.
class point_source {
 public:
  explicit point_source(const experiences& seen) : seen_(seen) {}

  std::vector<invented_point> invent(int rounds) {
    std::vector<invented_point> r;
    for (int k = 0; k < rounds; ++k)
      for (const auto& x : seen_.runs) {
        values left = perturbed(x, k);
        r.push_back({std::move(left), perturbed(x, k), &x, {}});
      }
    return r;
  }
  //! Neighbours of reached states: one variable of one piece is larger or smaller than it is there, or than another one. What only an
  //! invariant between two variables forbids lies here.
  void append_neighbours(std::vector<invented_point>& to) {
    for (const auto& x : seen_.runs)
      for (const bool left : {true, false})
        for (std::size_t i = 0; i < seen_.states.size(); ++i) {
          const type t = seen_.states[i]->type;
          if (t.kind == sort::boolean || (left ? x.left : x.right)[i].kind != exact::kind::finite) continue;
          for (const long by : {1, -1}) {
            if (t.is_modular() && by < 0) continue;
            invented_point p{x.left, x.right, &x, {}};
            (left ? p.left : p.right)[i].value += by;
            to.push_back(std::move(p));
          }
          const std::size_t j = random_() % seen_.states.size();
          const exact& other = (left ? x.left : x.right)[j];
          if (i == j || seen_.states[j]->type != t || t.is_modular() || other.kind != exact::kind::finite) continue;
          invented_point p{x.left, x.right, &x, {}};
          (left ? p.left : p.right)[i].value = other.value + (random_() % 2 ? 2 : -2);
          set_element_near(p);
          to.push_back(std::move(p));
        }
  }

 private:
  //! An element is one of the pieces' own values, or next to it.
  void set_element_near(invented_point& p) {
    p.fixed = p.origin->fixed;
    for (std::size_t k = 0; k < seen_.fixed.size(); ++k) {
      const term e = seen_.fixed[k];
      if (!e->is_symbol(symbol_kind::element) || e->type.kind == sort::boolean || random_() % 4 == 0) continue;
      const std::size_t j = random_() % seen_.states.size();
      const exact& v = (random_() % 2 ? p.left : p.right)[j];
      if (seen_.states[j]->type == e->type && v.kind == exact::kind::finite && !e->type.is_modular()) p.fixed[k].value = v.value + small(1);
    }
  }

  long small(long spread) { return static_cast<long>(random_() % static_cast<unsigned>(2 * spread + 1)) - spread; }
  static mpq_class fitting(long v, type t) { return t.is_modular() ? std::abs(v) : v; }

  values perturbed(const experience& x, int round) {
    values v = random_() % 3 == 0 ? x.left : random_() % 2 ? x.right : x.whole;
    for (exact& e : v)
      if (e.kind != exact::kind::finite) e = {exact::kind::finite, mpq_class(small(3))};
    if (random_() % 2) make_two_alike(v);
    for (int k = 0; k < round % 4 && !v.empty(); ++k) {
      const std::size_t i = random_() % v.size();
      const type t = seen_.states[i]->type;
      if (t.kind == sort::boolean) v[i].value = v[i].value == 0 ? 1 : 0;
      else if (t.is_modular()) v[i].value = std::abs(small(5));
      else v[i].value += small(4);
    }
    return v;
  }

  //! Relations between variables must survive.
  void make_two_alike(values& v) {
    if (v.empty()) return;
    const type t = seen_.states[random_() % v.size()]->type;
    std::vector<std::size_t> alike;
    for (std::size_t i = 0; i < v.size(); ++i)
      if (seen_.states[i]->type == t && t.kind != sort::boolean) alike.push_back(i);
    if (alike.size() < 2) return;
    const mpq_class value = fitting(small(4), t);
    for (int k = 0; k < 2; ++k) v[alike[random_() % alike.size()]].value = value;
  }

  const experiences& seen_;
  std::minstd_rand random_{11};
};

//! Looks for an invariant under which the push rule holds also at invented points. Only points that fail something are looked at closely.
class invariant_search {
 public:
  invariant_search(const variable_list& all, const experiences& seen, const std::vector<invented_point>& points,
                   const std::vector<term>& base, const std::vector<term>& guesses)
      : seen_(seen), points_(points) {
    const auto here = [&](term t) {
      const auto used = symbols(t);
      return std::all_of(used.begin(), used.end(), [&](term s) {
        return !s->is_symbol(symbol_kind::state) || std::any_of(all.begin(), all.end(), [&](const auto& v) { return v.symbol == s; });
      });
    };
    for (term t : base)
      if (here(t)) pool_.push_back(t);
    base_ = pool_.size();
    for (term t : guesses)
      if (here(t)) pool_.push_back(t);
    for (const auto& v : all) {
      left_[v.symbol] = left_of(v.symbol);
      right_[v.symbol] = right_of(v.symbol);
    }
    for (const auto& v : all) {
      merged_[v.symbol] = v.merge;
      stepped_[v.symbol] = substitute(v.step, left_);
    }
    try_push_rule(all);
  }

  std::optional<std::vector<term>> run() {
    std::vector<bool> banned(pool_.size());
    constexpr int attempts = 12;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      std::vector<std::size_t> chosen;
      for (std::size_t k = 0; k < base_; ++k) chosen.push_back(k);
      std::optional<violation> v;
      while ((v = violated(chosen))) {
        const std::vector<bool> holds = holding_at(points_[v->at]);
        std::size_t k = 0;
        while (k < pool_.size() && (banned[k] || holds[k])) ++k;
        if (k == pool_.size()) break;
        chosen.push_back(k);
      }
      if (!v) {
        std::vector<term> r;
        for (std::size_t k : chosen) r.push_back(pool_[k]);
        return r;
      }
      if (!v->lost || *v->lost < base_) return std::nullopt;  // the push rule fails, and nothing forbids this point
      banned[*v->lost] = true;
    }
    return std::nullopt;
  }

  //! All guesses that survive the step and the merge together at every point where all of them hold.
  std::vector<term> surviving() const {
    constexpr std::size_t most = 60;
    const std::size_t n = std::min(pool_.size(), most);
    std::vector<term> roots;
    for (std::size_t k = 0; k < n; ++k)
      for (const auto* s : {&left_, &right_, &stepped_, &merged_}) roots.push_back(substitute(pool_[k], *s));
    exact_program p(roots, true);
    const placing where(p, seen_);
    std::vector<bool> alive(n, true);
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (std::size_t at = 0; at < points_.size(); ++at) {
        if (state_[at] == verdict::undefined) continue;
        place(p, where, points_[at]);
        const auto truth = [&](std::size_t root) {
          const exact* v = p.value(root);
          return v && v->value != 0;
        };
        bool inside = true;
        for (std::size_t k = 0; k < n; ++k) inside &= !alive[k] || (truth(4 * k) && truth(4 * k + 1));
        for (std::size_t k = 0; inside && k < n; ++k)
          if (alive[k] && (!truth(4 * k + 2) || !truth(4 * k + 3))) {
            alive[k] = false;
            smaller = true;
          }
      }
    }
    std::vector<term> r;
    for (std::size_t k = 0; k < n; ++k)
      if (alive[k]) r.push_back(pool_[k]);
    return r;
  }

 private:
  struct violation {
    std::size_t at;
    std::optional<std::size_t> lost;  // the invariant that does not survive; none: the push rule itself
  };

  static void place(exact_program& p, const placing& where, const invented_point& x) {
    where.pieces(p, x.left, x.right);
    where.fixed(p, x.fixed.empty() ? x.origin->fixed : x.fixed);
    p.run();
  }

  void try_push_rule(const variable_list& all) {
    substitution lift, step_right;
    for (const auto& v : all) {
      step_right[right_of(v.symbol)] = substitute(v.step, right_);
      lift[right_of(v.symbol)] = lift_of(v, all);
    }
    std::vector<term> roots;
    for (const auto& v : all)
      for (term t : {substitute(v.merge, lift), stepped_[v.symbol], substitute(v.merge, step_right), substitute(v.step, merged_)})
        roots.push_back(t);
    exact_program p(roots, true);
    const placing where(p, seen_);
    for (const invented_point& x : points_) {
      place(p, where, x);
      bool holds = true, defined = true;
      for (std::size_t i = 0; i < roots.size(); i += 2) {
        const exact *a = p.value(i), *b = p.value(i + 1);
        defined &= a && b;
        holds &= a && b && *a == *b;
      }
      state_.push_back(!defined ? verdict::undefined : holds ? verdict::holds : verdict::fails);
    }
  }

  std::optional<violation> violated(const std::vector<std::size_t>& chosen) const {
    std::vector<term> roots;
    for (std::size_t k : chosen)
      for (const auto* s : {&left_, &right_, &stepped_, &merged_}) roots.push_back(substitute(pool_[k], *s));
    exact_program p(roots, true);
    const placing where(p, seen_);
    for (std::size_t at = 0; at < points_.size(); ++at) {
      if (state_[at] == verdict::undefined || (chosen.empty() && state_[at] == verdict::holds)) continue;
      place(p, where, points_[at]);
      const auto truth = [&](std::size_t root) {
        const exact* v = p.value(root);
        return v && v->value != 0;
      };
      bool inside = true;
      for (std::size_t i = 0; i < chosen.size(); ++i) inside &= truth(4 * i) && truth(4 * i + 1);
      if (!inside) continue;
      if (state_[at] == verdict::fails) return violation{at, {}};
      for (std::size_t i = 0; i < chosen.size(); ++i)
        if (!truth(4 * i + 2) || !truth(4 * i + 3)) return violation{at, chosen[i]};
    }
    return std::nullopt;
  }

  std::vector<bool> holding_at(const invented_point& x) {
    if (!pool_program_) {
      std::vector<term> roots;
      for (term t : pool_)
        for (const auto* s : {&left_, &right_}) roots.push_back(substitute(t, *s));
      pool_program_.emplace(roots, true);
      pool_places_.emplace(*pool_program_, seen_);
    }
    place(*pool_program_, *pool_places_, x);
    std::vector<bool> r;
    for (std::size_t k = 0; k < pool_.size(); ++k) {
      const exact *a = pool_program_->value(2 * k), *b = pool_program_->value(2 * k + 1);
      r.push_back(a && b && a->value != 0 && b->value != 0);
    }
    return r;
  }

  enum class verdict : std::uint8_t { holds, fails, undefined };
  const experiences& seen_;
  const std::vector<invented_point>& points_;
  std::vector<term> pool_;
  std::size_t base_ = 0;  // the first ones are given
  substitution left_, right_, merged_, stepped_;
  std::vector<verdict> state_;
  std::optional<exact_program> pool_program_;
  std::optional<placing> pool_places_;
};

}  // namespace twofold::analyser::deriving
