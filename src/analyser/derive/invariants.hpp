// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Invariants by counterexamples: shapes that no run contradicts, and of these the few that are needed at invented states. Internal
//! to reduce.
#pragma once

#include <algorithm>

#include "derive/reduce.hpp"
#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {

using variable_list = std::vector<candidate::variable>;
using state_values = std::map<term, exact>;

//! What is known of one pair of neighbouring words: the states of both and of the whole, one element, the parameters.
struct experience {
  state_values left, right, whole;  // by state symbol
  state_values fixed;               // parameters and one element
};

inline std::vector<experience> collect(const variable_list& all, int rounds, unsigned seed) {
  word_runner runner(all, seed);
  std::vector<experience> r;
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
    experience x;
    for (std::size_t i = 0; i < all.size(); ++i) {
      x.left[all[i].symbol] = u->value[i];
      x.right[all[i].symbol] = v->value[i];
      x.whole[all[i].symbol] = (*both)[i];
    }
    for (std::size_t i = 0; i < runner.parameters().size(); ++i) x.fixed[runner.parameters()[i]] = runner.parameter(i);
    for (std::size_t i = 0; i < runner.inputs().size(); ++i) x.fixed[runner.inputs()[i]] = e->word[0][i];
    r.push_back(std::move(x));
  }
  return r;
}

inline void set_all(exact_program& p, const state_values& v, term (*name)(term)) {
  for (const auto& [s, x] : v) p.set(name ? name(s) : s, x);
}

//! The merges give the states of the whole words.
inline bool merges_hold(const variable_list& all, const std::vector<experience>& seen) {
  std::vector<term> roots;
  for (const auto& v : all) roots.push_back(v.merge);
  exact_program p(roots, true);
  int defined = 0;
  for (const auto& x : seen) {
    set_all(p, x.left, left_of);
    set_all(p, x.right, right_of);
    set_all(p, x.fixed, nullptr);
    p.run();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const exact* m = p.value(i);
      if (!m || !(*m == x.whole.at(all[i].symbol))) return false;
      ++defined;
    }
  }
  return defined > 0;
}

//! Shapes an invariant may have, as far as no run contradicts them; simplest first.
inline std::vector<term> invariants_seen(const variable_list& all, const std::vector<experience>& seen) {
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
  if (guesses.empty()) return guesses;
  exact_program p(guesses, true);
  std::vector<bool> alive(guesses.size(), true);
  for (const auto& x : seen)
    for (const state_values* state : {&x.left, &x.right, &x.whole}) {
      set_all(p, *state, nullptr);
      set_all(p, x.fixed, nullptr);
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

//! Two states and an element, reached or not.
struct invented_point {
  state_values left, right;
  const experience* origin;
};

//! Reached states with none, some or all variables set to something else; finite values only: infinities are no states.
class point_source {
 public:
  std::vector<invented_point> invent(const std::vector<experience>& seen, int rounds) {
    std::vector<invented_point> r;
    for (int k = 0; k < rounds; ++k)
      for (const auto& x : seen) r.push_back({perturbed(x, k), perturbed(x, k), &x});
    return r;
  }
  //! Neighbours of reached states: one variable of one piece is larger than it ever is there. What only an invariant between two variables
  //! forbids lies here.
  static void append_neighbours(std::vector<invented_point>& to, const std::vector<experience>& seen) {
    for (const auto& x : seen)
      for (const bool left : {true, false})
        for (const auto& [s, e] : left ? x.left : x.right) {
          if (s->type.kind == sort::boolean || e.kind != exact::kind::finite) continue;
          invented_point p{x.left, x.right, &x};
          (left ? p.left : p.right)[s].value += 1;
          to.push_back(std::move(p));
        }
  }

 private:
  long small(long spread) { return static_cast<long>(random_() % static_cast<unsigned>(2 * spread + 1)) - spread; }
  static mpq_class fitting(long v, type t) { return t.is_modular() ? std::abs(v) : v; }

  state_values perturbed(const experience& x, int round) {
    state_values v = random_() % 3 == 0 ? x.left : random_() % 2 ? x.right : x.whole;
    for (auto& [s, e] : v)
      if (e.kind != exact::kind::finite) e = {exact::kind::finite, mpq_class(small(3))};
    if (random_() % 2) make_two_alike(v);
    for (int k = 0; k < round % 4 && !v.empty(); ++k) {
      auto it = v.begin();
      std::advance(it, static_cast<long>(random_() % v.size()));
      const type t = it->first->type;
      if (t.kind == sort::boolean) it->second.value = it->second.value == 0 ? 1 : 0;
      else if (t.is_modular()) it->second.value = std::abs(small(5));
      else it->second.value += small(4);
    }
    return v;
  }

  //! Relations between variables must survive.
  void make_two_alike(state_values& v) {
    const type t = std::next(v.begin(), static_cast<long>(random_() % v.size()))->first->type;
    std::vector<term> alike;
    for (const auto& [s, e] : v)
      if (s->type == t && t.kind != sort::boolean) alike.push_back(s);
    if (alike.size() < 2) return;
    const mpq_class value = fitting(small(4), t);
    for (int k = 0; k < 2; ++k) v[alike[random_() % alike.size()]].value = value;
  }

  std::minstd_rand random_{11};
};

//! Looks for an invariant under which the push rule holds also at invented points. Only points that fail something are looked at closely.
class invariant_search {
 public:
  invariant_search(const variable_list& all, const std::vector<invented_point>& points, const std::vector<term>& base,
                   const std::vector<term>& guesses)
      : points_(points) {
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
    std::vector<bool> alive(n, true);
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (std::size_t at = 0; at < points_.size(); ++at) {
        if (state_[at] == verdict::undefined) continue;
        place(p, points_[at]);
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

  static void place(exact_program& p, const invented_point& x) {
    set_all(p, x.left, left_of);
    set_all(p, x.right, right_of);
    set_all(p, x.origin->fixed, nullptr);
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
    for (const invented_point& x : points_) {
      place(p, x);
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
    for (std::size_t at = 0; at < points_.size(); ++at) {
      if (state_[at] == verdict::undefined || (chosen.empty() && state_[at] == verdict::holds)) continue;
      place(p, points_[at]);
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
    }
    place(*pool_program_, x);
    std::vector<bool> r;
    for (std::size_t k = 0; k < pool_.size(); ++k) {
      const exact *a = pool_program_->value(2 * k), *b = pool_program_->value(2 * k + 1);
      r.push_back(a && b && a->value != 0 && b->value != 0);
    }
    return r;
  }

  enum class verdict : std::uint8_t { holds, fails, undefined };
  const std::vector<invented_point>& points_;
  std::vector<term> pool_;
  std::size_t base_ = 0;  // the first ones are given
  substitution left_, right_, merged_, stepped_;
  std::vector<verdict> state_;
  std::optional<exact_program> pool_program_;
};

}  // namespace twofold::analyser::deriving
