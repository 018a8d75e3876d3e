// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Merges as decision trees: what the two pieces and the merges upstream hold is compared on exact runs, and a small tree that gives
//! the state of every whole word is a candidate. It knows nothing of the step, so whatever else explains more comes first. Where the
//! pieces do not hold enough, features of them are added, as few as leave no two splits contradicting each other.
#include <algorithm>

#include "derive/features.hpp"
#include "derive/graph.hpp"
#include "derive/reduce.hpp"
#include "derive/trees.hpp"

namespace twofold::analyser::deriving {
namespace {

constexpr std::size_t few_runs = 256, many_runs = 640;

std::vector<candidate::variable> scalars(const std::vector<candidate::variable>& all) {
  std::vector<candidate::variable> r;
  for (const auto& v : all)
    if (!v.extent) r.push_back(v);
  return r;
}

//! Features of a part, and which of them are needed.
class feature_search {
 public:
  explicit feature_search(const part& p) : p_(p), features_(features_of(p)), all_(scalars(p.upstream)) {
    upstream_ = all_.size();
    for (const auto* v : p.variables) all_.push_back(carried(*v));
    base_ = all_.size();
    for (const feature& f : features_) all_.push_back(f.variable);
    for (std::size_t i = upstream_; i < base_; ++i) targets_.push_back(i);
  }

  std::optional<part_result> run(std::size_t most) {
    observations seen(all_, many_runs, 5);
    if (seen.size() < few_runs) return std::nullopt;
    find_known(seen);
    for (const auto& chosen : choices(most)) {
      if (searches_ == 0 || proofs_ == 0) break;
      if (contradicts(seen, chosen)) continue;
      if (auto r = with(chosen)) return r;
    }
    return std::nullopt;
  }

 private:
  using selection = std::set<std::size_t>;  // of features

  //! Features that something carried already tells.
  void find_known(const observations& seen) {
    known_.resize(features_.size());
    for (std::size_t k = 0; k < features_.size(); ++k)
      for (std::size_t i = 0; i < base_ && !known_[k]; ++i)
        for (const bool opposite : {false, true})
          if (!known_[k] && all_[i].merge && seen.alike(base_ + k, i, opposite))
            known_[k] = opposite ? logical_not(all_[i].symbol) : all_[i].symbol;
  }

  void close(std::size_t k, selection& to) const {
    if (known_[k] || !to.insert(k).second) return;
    for (std::size_t n : features_[k].needs) close(n, to);
  }

  //! Selections of at most two features beside what they need, the fewest variables first.
  std::vector<selection> choices(std::size_t most) const {
    std::set<selection> all{{}};
    for (std::size_t i = 0; i < features_.size(); ++i)
      for (std::size_t j = i; j < features_.size(); ++j) {
        selection s;
        close(i, s);
        close(j, s);
        if (s.size() <= most) all.insert(s);
      }
    std::vector<selection> r(all.begin(), all.end());
    std::stable_sort(r.begin(), r.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return r;
  }

  bool contradicts(observations& seen, const selection& chosen) const {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < base_; ++i) kept.push_back(i);
    for (std::size_t k : chosen) kept.push_back(base_ + k);
    return seen.contradictory(kept, targets_);
  }

  std::optional<part_result> with(const selection& chosen) {
    constexpr std::size_t depth = 4;
    substitution told;
    for (std::size_t k = 0; k < features_.size(); ++k)
      if (known_[k]) {
        const term s = features_[k].variable.symbol;
        told[s] = known_[k];
        substitution left, right;
        for (term u : symbols(known_[k])) left[u] = left_of(u), right[u] = right_of(u);
        told[left_of(s)] = substitute(known_[k], left);
        told[right_of(s)] = substitute(known_[k], right);
      }
    std::vector<candidate::variable> known(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(base_)), added;
    for (std::size_t k : chosen) {
      added.push_back(features_[k].variable);
      added.back().step = substitute(added.back().step, told);
      added.back().merge = substitute(added.back().merge, told);
      known.push_back(added.back());
    }
    const std::vector<candidate::variable> run = known;
    observations seen(run, many_runs, 5);
    constexpr std::size_t rounds = 3;
    for (std::size_t k = 0; k < rounds; ++k) {
      for (std::size_t i : targets_) {
        known[i].merge = term();
        if (searches_ == 0) return std::nullopt;
        --searches_;
        const auto trees = merge_trees(seen, known, i, i, depth);
        if (trees.empty()) return std::nullopt;
        known[i].merge = trees[0];
      }
      const std::vector<candidate::variable> own(known.begin() + static_cast<std::ptrdiff_t>(upstream_),
                                                 known.begin() + static_cast<std::ptrdiff_t>(base_));
      if (proofs_ == 0) return std::nullopt;
      --proofs_;
      auto r = reduce(p_.upstream, own, added);
      if (r) {
        r->mechanism = "decision tree over features of both pieces";
        return r;
      }
      bool refuted = false;  // by chance the runs agreed
      for (std::size_t i : targets_) refuted |= seen.refutes(known[i].merge, i);
      if (!refuted) return std::nullopt;
    }
    return std::nullopt;
  }

  const part& p_;
  std::vector<feature> features_;
  std::vector<candidate::variable> all_;  // upstream, own, features
  std::size_t upstream_ = 0, base_ = 0;
  std::vector<std::size_t> targets_;
  std::vector<term> known_;                // by feature; null: not told by anything
  std::size_t searches_ = 8, proofs_ = 3;  // searches for trees and for invariants that are left: each may take a tenth of a second
};

}  // namespace

std::optional<part_result> learned(const part& p, std::vector<std::string>& tried) {
  if (p.variables.size() != 1 || p.variables[0]->extent || p.upstream.size() > 6) return std::nullopt;
  const state_variable& v = *p.variables[0];
  std::vector<candidate::variable> known = scalars(p.upstream);
  known.push_back(carried(v));
  const std::size_t own = known.size() - 1;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < known.size(); ++i) all.push_back(i);
  if (observations seen(known, few_runs, 5); seen.size() >= few_runs / 4 && !seen.contradictory(all, {own}))
    for (term merge : merge_trees(seen, known, own, own, 2)) {
      candidate::variable c = carried(v);
      c.merge = merge;
      if (auto r = reduce(p.upstream, {c}, {})) {
        r->mechanism = "decision tree over the states of both pieces";
        return r;
      }
    }
  tried.push_back("no tree of two comparisons of what the pieces hold gives " + v.name + " of the whole");
  return std::nullopt;
}

std::optional<part_result> with_features(const part& p, std::size_t most) {
  constexpr std::size_t most_upstream = 10, most_own = 5;
  const bool vectors = std::any_of(p.variables.begin(), p.variables.end(), [](const auto* v) { return static_cast<bool>(v->extent); });
  if (vectors || p.variables.size() > most_own || p.upstream.size() > most_upstream) return std::nullopt;
  return feature_search(p).run(most);
}

std::optional<part_result> featured(const part& p, std::vector<std::string>&) {
  constexpr std::size_t most = 3;
  return p.state == thrift::searched ? with_features(p, most) : std::nullopt;
}

std::optional<part_result> with_fewer(const pass& loop, const std::vector<term>& observed, const part_result& all) {
  const std::vector<bool> seen = observable(loop, observed);
  std::vector<const state_variable*> own;
  for (std::size_t i = 0; i < loop.state.size(); ++i)
    if (seen[i]) own.push_back(&loop.state[i]);
  if (all.variables.size() < own.size() + 2 || !all.along.empty()) return std::nullopt;
  // what merges by itself stays as it is; the others, with what they read of added variables, are merged anew
  std::set<term> anew;
  for (const auto& v : all.variables)
    if (v.kind == role::added) anew.insert(v.symbol);
  for (const auto* v : own)
    if (std::none_of(all.variables.begin(), all.variables.end(), [&](const auto& w) { return w.symbol == v->symbol; }))
      anew.insert(v->symbol);
  const auto speaks = [&](term t) {
    return std::any_of(anew.begin(), anew.end(),
                       [&](term s) { return has_symbol(t, s) || has_symbol(t, left_of(s)) || has_symbol(t, right_of(s)); });
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& v : all.variables)
      if (speaks(v.merge) || speaks(v.step)) grown |= anew.insert(v.symbol).second;
  }
  std::vector<candidate::variable> upstream;
  for (const auto& v : all.variables)
    if (!anew.contains(v.symbol)) upstream.push_back(v);
  std::erase_if(own, [&](const auto* v) { return !anew.contains(v->symbol); });
  const part p{loop, own, upstream};
  auto r = with_features(p, all.variables.size() - upstream.size() - own.size() - 1);
  if (!r) return r;
  r->variables.insert(r->variables.begin(), upstream.begin(), upstream.end());
  for (term i : all.invariant)
    if (!speaks(i) && std::find(r->invariant.begin(), r->invariant.end(), i) == r->invariant.end()) r->invariant.push_back(i);
  for (const auto& c : all.coordinates)
    if (!speaks(c.phi)) r->coordinates.push_back(c);
  return r;
}

}  // namespace twofold::analyser::deriving
