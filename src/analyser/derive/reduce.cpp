// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Greedy removal of parameters, each removal tried on exact runs; invariants by counterexamples.
#include "derive/reduce.hpp"

#include <algorithm>

#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {
namespace {

using variables = std::vector<candidate::variable>;
using values = std::map<term, exact>;

//! What is known of one pair of neighbouring words: the states of both and of the whole, one element, the parameters.
struct experience {
  values left, right, whole;  // by state symbol
  values fixed;               // parameters and one element
};

std::vector<experience> collect(const variables& all, int rounds, unsigned seed) {
  word_runner runner(all, seed);
  std::vector<experience> r;
  std::minstd_rand random(7);
  for (int k = 0; k < rounds; ++k) {
    if (k % 6 == 0) runner.choose_parameters();
    const auto u = runner.draw(1 + random() % 6), v = runner.draw(1 + random() % 6), e = runner.draw(1);
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

void set_all(exact_program& p, const values& v, term (*name)(term)) {
  for (const auto& [s, x] : v) p.set(name ? name(s) : s, x);
}

//! The merges give the states of the whole words.
bool merges_hold(const variables& all, const std::vector<experience>& seen) {
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
std::vector<term> invariants_seen(const variables& all, const std::vector<experience>& seen) {
  std::vector<term> guesses;
  std::vector<const candidate::variable*> numbers, flags;
  for (const auto& v : all) (v.type.kind == sort::boolean ? flags : numbers).push_back(&v);
  const auto bounds = [](const candidate::variable& v) {
    std::vector<term> r;
    if (v.init && !has_infinity(v.init)) r.push_back(v.init);
    for (long c : {0, 1})
      if (!v.init || !is_number(v.init, c)) r.push_back(number(c, v.type));
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
  }
  for (const auto* v : numbers) {
    for (term c : bounds(*v)) relations.push_back(equal(v->symbol, c));
    for (const auto* w : numbers)
      if (v->symbol < w->symbol && v->type == w->type) relations.push_back(equal(v->symbol, w->symbol));
  }
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
    for (const values* state : {&x.left, &x.right, &x.whole}) {
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

//! Looks for an invariant under which the push rule holds, also at states that no run reaches.
class invariant_search {
 public:
  invariant_search(const variables& all, const std::vector<experience>& seen, const std::vector<term>& base, int rounds) : all_(all), rounds_(rounds) {
    for (term t : base) {  // what is given speaks of variables that may be gone
      const auto used = symbols(t);
      const auto here = [&](term s) { return !s->is_symbol(symbol_kind::state) || std::any_of(all.begin(), all.end(), [&](const auto& v) { return v.symbol == s; }); };
      if (std::all_of(used.begin(), used.end(), here)) pool_.push_back(t);
    }
    base_ = pool_.size();
    for (term t : invariants_seen(all, seen)) pool_.push_back(t);
    sample(seen);
  }

  std::optional<std::vector<term>> run() {
    std::vector<bool> banned(pool_.size());
    for (std::size_t attempt = 0; attempt <= pool_.size(); ++attempt) {
      std::vector<std::size_t> chosen;
      for (std::size_t k = 0; k < base_; ++k) chosen.push_back(k);
      std::optional<std::size_t> stuck;
      bool fails = false;
      for (bool again = true; again && !fails;) {
        again = false;
        for (const auto& s : samples_) {
          if (!std::all_of(chosen.begin(), chosen.end(), [&](std::size_t k) { return s.holds[k]; })) continue;
          const auto broken = std::find_if(chosen.begin(), chosen.end(), [&](std::size_t k) { return !s.kept[k]; });
          if (s.push && broken == chosen.end()) continue;
          std::size_t k = 0;
          while (k < pool_.size() && (banned[k] || s.holds[k])) ++k;
          if (k < pool_.size()) {
            chosen.push_back(k);
            again = true;
            break;
          }
          if (broken == chosen.end() || *broken < base_) return std::nullopt;  // the push rule fails and nothing forbids this state
          stuck = *broken;
          fails = true;
          break;
        }
      }
      if (!fails) {
        std::vector<term> r;
        for (std::size_t k : chosen) r.push_back(pool_[k]);
        return r;
      }
      banned[*stuck] = true;
    }
    return std::nullopt;
  }

  //! Bounds that hold, one below and one above each variable, make a proof sturdier than the samples can tell.
  void add_bounds(std::vector<term>& chosen) const {
    std::vector<std::size_t> set;
    for (std::size_t k = 0; k < pool_.size(); ++k) {
      const bool in = std::find(chosen.begin(), chosen.end(), pool_[k]) != chosen.end();
      if (in || (pool_[k]->is(op::less_equal) && (pool_[k]->args[0]->is(op::number) || pool_[k]->args[1]->is(op::number)))) set.push_back(k);
    }
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (const auto& s : samples_) {
        if (!std::all_of(set.begin(), set.end(), [&](std::size_t k) { return s.holds[k]; })) continue;
        const auto lost = std::remove_if(set.begin(), set.end(), [&](std::size_t k) { return !s.kept[k]; });
        if (lost != set.end()) {
          set.erase(lost, set.end());
          smaller = true;
        }
      }
    }
    if (!std::all_of(chosen.begin(), chosen.end(), [&](term t) { return std::any_of(set.begin(), set.end(), [&](std::size_t k) { return pool_[k] == t; }); })) return;
    for (std::size_t k : set) {
      const auto weaker = [&](std::size_t j) {  // the same variable with a sharper bound
        const term a = pool_[k], b = pool_[j];
        if (!b->is(op::less_equal) || j == k) return false;
        if (a->args[0]->is(op::number) && b->args[0]->is(op::number)) return a->args[1] == b->args[1] && b->args[0]->value > a->args[0]->value;
        return a->args[1]->is(op::number) && b->args[1]->is(op::number) && a->args[0] == b->args[0] && b->args[1]->value < a->args[1]->value;
      };
      const bool in = std::find(chosen.begin(), chosen.end(), pool_[k]) != chosen.end();
      if (!in && std::none_of(set.begin(), set.end(), weaker)) chosen.push_back(pool_[k]);
    }
  }

 private:
  struct sample_point {
    std::vector<bool> holds, kept;  // each invariant at a and b; after the step and the merge
    bool push = true;
  };

  void sample(const std::vector<experience>& seen) {
    substitution at_left, at_right, lift, merged, step_left, step_right;
    for (const auto& v : all_) {
      at_left[v.symbol] = left_of(v.symbol);
      at_right[v.symbol] = right_of(v.symbol);
    }
    for (const auto& v : all_) {
      merged[v.symbol] = v.merge;
      step_left[v.symbol] = substitute(v.step, at_left);
      step_right[right_of(v.symbol)] = substitute(v.step, at_right);
      lift[right_of(v.symbol)] = lift_of(v, all_);
    }
    std::vector<term> roots;
    for (const auto& v : all_) {
      roots.push_back(substitute(v.merge, lift));
      roots.push_back(substitute(v.step, at_left));
      roots.push_back(substitute(v.merge, step_right));
      roots.push_back(substitute(v.step, merged));
    }
    for (term i : pool_)
      for (const auto* s : {&at_left, &at_right, &step_left, &merged}) roots.push_back(substitute(i, *s));
    exact_program p(roots, true);
    for (int round = 0; round < rounds_; ++round)
      for (const auto& x : seen) {
        const values a = perturbed(x, round), b = perturbed(x, round);
        set_all(p, a, left_of);
        set_all(p, b, right_of);
        set_all(p, x.fixed, nullptr);
        p.run();
        sample_point s;
        bool defined = true;
        for (std::size_t i = 0; i < all_.size(); ++i) {
          const exact* r[4];
          for (std::size_t k = 0; k < 4; ++k) defined &= (r[k] = p.value(4 * i + k)) != nullptr;
          if (defined && (!(*r[0] == *r[1]) || !(*r[2] == *r[3]))) s.push = false;
        }
        const auto truth = [&](std::size_t root) { const exact* v = p.value(root); return v && v->value != 0; };
        for (std::size_t k = 0; k < pool_.size(); ++k) {
          const std::size_t at = 4 * all_.size() + 4 * k;
          s.holds.push_back(truth(at) && truth(at + 1));
          s.kept.push_back(truth(at + 2) && truth(at + 3));
        }
        if (defined) samples_.push_back(std::move(s));
      }
  }

  //! A reached state with none, one or two variables set to something else.
  values perturbed(const experience& x, int round) {
    values v = random_() % 3 == 0 ? x.left : random_() % 2 ? x.right : x.whole;
    for (auto& [s, e] : v)  // finite values only: infinities are no states
      if (e.kind != exact::kind::finite) e = {exact::kind::finite, mpq_class(static_cast<long>(random_() % 7) - 3)};
    if (random_() % 2) {  // two variables alike: relations between them must survive
      std::vector<term> alike;
      const type t = std::next(v.begin(), static_cast<long>(random_() % v.size()))->first->type;
      for (const auto& [s, e] : v)
        if (s->type == t && t.kind != sort::boolean) alike.push_back(s);
      if (alike.size() > 1) {
        const term a = alike[random_() % alike.size()], b = alike[random_() % alike.size()];
        v[a].value = t.is_modular() ? mpq_class(static_cast<long>(random_() % 5)) : mpq_class(static_cast<long>(random_() % 9) - 4);
        v[b].value = v[a].value;
      }
    }
    for (int k = 0; k < round % 4 && !v.empty(); ++k) {
      auto it = v.begin();
      std::advance(it, static_cast<long>(random_() % v.size()));
      const term s = it->first;
      if (s->type.kind == sort::boolean) it->second.value = it->second.value == 0 ? 1 : 0;
      else if (s->type.is_modular()) it->second.value = static_cast<long>(random_() % 6);
      else it->second.value += static_cast<long>(random_() % 9) - 4;
    }
    return v;
  }

  const variables& all_;
  std::vector<term> pool_;
  std::size_t base_ = 0;  // the first ones are given
  int rounds_;
  std::vector<sample_point> samples_;
  std::minstd_rand random_{11};
};

//! p replaced by r everywhere, and gone.
variables replaced(variables all, term p, term r) {
  substitution left, right;
  for (term x : symbols(r)) {
    left[x] = left_of(x);
    right[x] = right_of(x);
  }
  const substitution s{{p, r}, {left_of(p), substitute(r, left)}, {right_of(p), substitute(r, right)}};
  std::erase_if(all, [&](const auto& v) { return v.symbol == p; });
  for (auto& v : all) {
    v.merge = substitute(v.merge, s);
    if (v.kind == role::added) v.step = substitute(v.step, s);
  }
  return all;
}

//! Only added variables that a merge of a carried one needs, directly or through others.
variables without_unused(const variables& all, std::size_t keep) {
  std::vector<bool> used(all.size());
  for (std::size_t i = 0; i < keep; ++i) used[i] = true;
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = keep; used[i] && j < all.size(); ++j) {
        if (used[j]) continue;
        const term s = all[j].symbol;
        const bool read = has_symbol(all[i].merge, left_of(s)) || has_symbol(all[i].merge, right_of(s)) || has_symbol(all[i].step, s);
        if (read) used[j] = grown = true;
      }
  }
  variables r;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (used[i]) r.push_back(all[i]);
  return r;
}

}  // namespace

namespace {

//! Where no initial values of the added variables lead to the state of one element, no value stands for "nothing yet".
void adjoin_empty(variables& all, std::size_t keep) {
  substitution start;
  for (const auto& v : all) start[v.symbol] = v.init ? v.init : v.symbol;
  bool fits = true;
  for (std::size_t i = keep; i < all.size(); ++i)
    fits &= all[i].init && (!all[i].lift || same_on_samples(substitute(all[i].step, start), all[i].lift));
  for (std::size_t i = keep; i < all.size() && !fits; ++i) {
    if (!all[i].lift) all[i].lift = substitute(all[i].step, start);
    all[i].init = term();
  }
}

//! What p may be read off, most telling first.
std::vector<term> readings_of(const variables& all, std::size_t i, const std::map<term, std::vector<term>>& hints) {
  const term p = all[i].symbol;
  std::vector<term> r;
  if (auto it = hints.find(p); it != hints.end()) r = it->second;
  for (std::size_t j = 0; j < all.size(); ++j)
    if (j != i && all[j].type == all[i].type) r.push_back(all[j].symbol);
  if (p->type.kind == sort::boolean) {
    for (std::size_t j = 0; j < all.size(); ++j)
      if (j != i && all[j].type == all[i].type) r.push_back(logical_not(all[j].symbol));
    r.push_back(boolean(true));
    r.push_back(boolean(false));
  } else {
    r.push_back(number(0, p->type));
    r.push_back(number(1, p->type));
  }
  return r;
}

}  // namespace

std::optional<part_result> reduce(const variables& upstream, const variables& own, const variables& added, const std::vector<term>& invariant,
                                  const std::map<term, std::vector<term>>& readings) {
  variables start = upstream;
  start.insert(start.end(), own.begin(), own.end());
  const std::size_t keep = start.size();
  start.insert(start.end(), added.begin(), added.end());
  start = without_unused(start, keep);
  for (unsigned attempt = 1; attempt <= 2; ++attempt) {
    variables all = start;
    const auto seen = collect(all, attempt == 1 ? 60 : 400, attempt);
    if (seen.empty() || !merges_hold(all, seen)) return std::nullopt;
    auto found = invariant_search(all, seen, invariant, 4).run();
    for (std::size_t i = all.size(); i-- > keep;) {
      if (i >= all.size()) continue;  // dropped with another one
      for (term r : readings_of(all, i, readings)) {
        const std::vector<term> used = symbols(r);
        const bool known = std::all_of(used.begin(), used.end(), [&](term s) {
          return !s->is_symbol(symbol_kind::state) || std::any_of(all.begin(), all.end(), [&](const auto& v) { return v.symbol == s; });
        });
        if (!known) continue;
        const variables fewer = without_unused(replaced(all, all[i].symbol, r), keep);
        if (!merges_hold(fewer, seen)) continue;
        auto with_fewer = invariant_search(fewer, seen, invariant, 4).run();
        if (!with_fewer && found) continue;  // while nothing is provable yet, fewer variables can only help
        all = fewer;
        found = with_fewer;
        break;
      }
    }
    const auto more = collect(all, 300, 17 + attempt);
    if (!merges_hold(all, more)) continue;  // a coincidence of the first runs
    invariant_search last(all, more, invariant, 6);
    found = last.run();
    if (!found) continue;
    last.add_bounds(*found);
    adjoin_empty(all, keep);
    part_result r;
    r.variables.assign(all.begin() + static_cast<std::ptrdiff_t>(upstream.size()), all.end());
    r.invariant = *found;
    return r;
  }
  return std::nullopt;
}

}  // namespace twofold::analyser::deriving
