// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Enumeration of decision trees on bit sets of runs.
#include "derive/trees.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "derive/tree_terms.hpp"

namespace twofold::analyser::deriving {
namespace {

constexpr std::size_t most_trees = 10;

class tree_search {
 public:
  tree_search(const observations& seen, const std::vector<candidate::variable>& known, std::size_t own, std::size_t target)
      : seen_(seen),
        own_(known[own]),
        target_(target),
        terms_(terms_for(known, own)),
        fits_all_(terms_.values.size()),
        holds_all_(terms_.conditions.size()) {}

  //! Takes in the runs that have been added. The first half of them is for search, so is every later one.
  void look() {
    const std::size_t before = looked_;
    const auto add = [](std::vector<run_set>& to, const std::vector<run_set>& more) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = to[i] | more[i];
    };
    add(fits_all_, seen_.equal_to(terms_.values, target_, before));
    looked_ = seen_.size();
    all_ = seen_.every();
    fits_ = fits_all_;
    for (std::size_t k = before; k < looked_; ++k)
      if (k % 2 == 0 || before > 0) every_.insert(k);
    possible_ = cover(every_, leaves_of(every_)).size() <= most_leaves;
    if (!possible_) return;
    add(holds_all_, seen_.where(terms_.conditions, before));
    values_ = terms_.values, conditions_ = terms_.conditions, simple_ = terms_.simple;
    holds_ = holds_all_;
    drop_equal(values_, fits_, false);
    drop_equal(conditions_, holds_, true);
    sizes_.clear();
    for (const run_set& f : fits_) sizes_.push_back(f.size());
  }

  //! Trees for half of the runs that hold of the others too; else once more with those of which they do not hold.
  std::vector<term> run(std::size_t depth) {
    if (!possible_) return {};
    constexpr std::size_t rounds = 16;
    for (std::size_t k = 0; k < rounds; ++k) {
      auto trees = small_trees();
      if (trees.empty() && depth > 2) trees = grown_trees(depth);
      const std::vector<run_set> right = trees.empty() ? std::vector<run_set>{} : seen_.equal_to(trees, target_);
      std::vector<term> confirmed;
      for (std::size_t i = 0; i < trees.size(); ++i) {
        if (right[i] == all_) confirmed.push_back(trees[i]);
        else every_ = every_ | (all_ - right[i]);
      }
      if (trees.empty() || !confirmed.empty()) return confirmed;
    }
    return {};
  }

 private:
  //! All trees of one comparison, or all of two where one side is a leaf.
  std::vector<term> small_trees() const {
    std::vector<term> found;
    if (const term t = leaf_for(every_)) return {t};
    stumps(every_, most_trees, found);
    for (std::size_t c = 0; c < conditions_.size() && found.size() < most_trees; ++c)
      for (const bool then : {true, false}) {
        const run_set yes = every_ & holds_[c], no = every_ - yes, &here = then ? yes : no, &rest = then ? no : yes;
        if (yes.empty() || no.empty() || !has_leaf(here)) continue;
        std::vector<term> inner;
        stumps(rest, 1, inner);
        if (!inner.empty())
          found.push_back(then ? select(conditions_[c], leaf_for(here), inner[0]) : select(conditions_[c], inner[0], leaf_for(here)));
      }
    std::stable_sort(found.begin(), found.end(), [](term a, term b) { return count_nodes({{a}}) < count_nodes({{b}}); });
    return found;
  }

  //! Trees of one comparison: two leaves that cover the runs together, and a condition that holds where only the one is right and does not
  //! where only the other is.
  void stumps(const run_set& where, std::size_t most, std::vector<term>& to) const {
    const std::vector<run_set> leaves = leaves_of(where);
    for (std::size_t i = 0; i < leaves.size(); ++i)
      for (std::size_t j = i + 1; j < leaves.size(); ++j) {
        const run_set only_j = where - leaves[i], only_i = where - leaves[j];
        if (!only_j.within(leaves[j])) continue;
        for (std::size_t c = 0; c < conditions_.size(); ++c) {
          const run_set& holds = holds_[c];
          const bool straight = only_i.within(holds) && !only_j.meets(holds), turned = only_j.within(holds) && !only_i.meets(holds);
          if (!straight && !turned) continue;
          to.push_back(select(conditions_[c], leaf_for(where & holds), leaf_for(where - holds)));
          if (to.size() >= most) return;
        }
      }
  }

  //! Deeper ones, split where the least is left to be told apart; the two last splits are sought among all.
  std::vector<term> grown_trees(std::size_t depth) {
    constexpr std::size_t most_found = 4;
    std::vector<term> found;
    budget_ = 60;
    const std::vector<run_set> leaves = leaves_of(every_);
    if (cover(every_, leaves).size() > most_leaves) return found;
    const std::vector<std::size_t> first = splits(every_, leaves, widest);
    if (own_.type.kind == sort::boolean) --depth;  // two values cover all of anything: nothing says in time that a tree is not to be found
    for (std::size_t d = 3; d <= depth && found.empty(); ++d)
      for (std::size_t c : first)
        if (const term t = found.size() < most_found ? grown_from(c, every_, d) : term()) found.push_back(t);
    std::stable_sort(found.begin(), found.end(), [](term a, term b) { return count_nodes({{a}}) < count_nodes({{b}}); });
    return found;
  }

  static constexpr std::size_t most_leaves = 6, widest = 8;

  //! Of the values that are right here a simple one, and the one that is right most often elsewhere; of Booleans the first.
  term leaf_for(const run_set& where) const {
    std::size_t best = 0;
    term r;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (r && (i >= simple_ || own_.type.kind == sort::boolean)) break;
      if (sizes_[i] > best && where.within(fits_[i])) best = sizes_[i], r = values_[i];
    }
    return r;
  }
  bool has_leaf(const run_set& where) const {
    return std::any_of(fits_.begin(), fits_.end(), [&](const run_set& f) { return where.within(f); });
  }

  term grown(const run_set& where, std::size_t depth) {
    if (const term t = leaf_for(where)) return t;
    if (depth == 0) return {};
    if (depth == 1) {
      std::vector<term> found;
      stumps(where, 1, found);
      return found.empty() ? term() : found[0];
    }
    if (budget_ == 0) return {};
    --budget_;
    const std::vector<run_set> leaves = leaves_of(where);
    if (cover(where, leaves).size() > (std::size_t{1} << depth)) return {};
    for (std::size_t c : splits(where, leaves, depth == 2 ? 3 * widest : widest)) {
      const std::size_t half = std::size_t{1} << (depth - 1);
      if (cover(where & holds_[c], leaves).size() > half || cover(where - holds_[c], leaves).size() > half) continue;
      if (const term t = grown_from(c, where, depth)) return t;
    }
    return {};
  }
  term grown_from(std::size_t c, const run_set& where, std::size_t depth) {
    const term a = grown(where & holds_[c], depth - 1), b = a ? grown(where - holds_[c], depth - 1) : term();
    return a && b ? select(conditions_[c], a, b) : term();
  }

  //! The conditions that leave the least to tell apart, the simplest first among equals: of those after which one leaf each is right most
  //! often.
  std::vector<std::size_t> splits(const run_set& where, const std::vector<run_set>& leaves, std::size_t most) const {
    constexpr std::size_t considered = 60, common = 8;
    std::vector<std::pair<double, std::size_t>> scored;
    const auto best = [&](const run_set& side) {
      std::size_t r = 0;
      for (std::size_t i = 0; i < std::min(common, leaves.size()); ++i) r = std::max(r, side.common(leaves[i]));
      return r;
    };
    const auto by_score = [](const auto& a, const auto& b) { return a.first < b.first; };
    for (std::size_t c = 0; c < conditions_.size(); ++c) {
      const run_set yes = where & holds_[c], no = where - holds_[c];
      if (!yes.empty() && !no.empty()) scored.emplace_back(-static_cast<double>(best(yes) + best(no)), c);
    }
    std::stable_sort(scored.begin(), scored.end(), by_score);
    if (scored.size() > considered) scored.resize(considered);
    for (auto& [score, c] : scored) score = disorder(where & holds_[c], leaves) + disorder(where - holds_[c], leaves);
    std::stable_sort(scored.begin(), scored.end(), by_score);
    std::vector<std::size_t> r;
    for (const auto& [score, c] : scored)
      if (r.size() < most) r.push_back(c);
    return r;
  }

  //! What values fit of these runs, each once, the largest first: of simple values if they cover all.
  std::vector<run_set> leaves_of(const run_set& where) const {
    for (const std::size_t some : {std::min(simple_, fits_.size()), fits_.size()}) {
      constexpr std::size_t most = 24;
      std::set<run_set> known;
      std::vector<std::pair<std::size_t, run_set>> sized;
      for (std::size_t i = 0; i < some; ++i)
        if (const run_set here = where & fits_[i]; !here.empty() && known.insert(here).second) sized.emplace_back(here.size(), here);
      std::stable_sort(sized.begin(), sized.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
      std::vector<run_set> r;
      run_set rest = where;
      for (const auto& [size, here] : sized) {
        if (r.size() < most || here.common(rest) != 0) r.push_back(here);
        rest = rest - here;
      }
      if ((rest.empty() && cover(where, r).size() <= most_leaves) || some == fits_.size()) return r;
    }
    return {};
  }

  //! Sizes of the parts of a greedy cover of these runs; one part more than the most leaves where it takes too many.
  static std::vector<std::size_t> cover(run_set where, const std::vector<run_set>& leaves) {
    std::vector<std::size_t> sizes;
    while (!where.empty() && sizes.size() <= most_leaves) {
      std::size_t best = 0, covered = 0;
      for (std::size_t i = 0; i < leaves.size(); ++i)
        if (const std::size_t here = where.common(leaves[i]); here > covered) best = i, covered = here;
      if (covered == 0) return std::vector<std::size_t>(most_leaves + 1, where.size());
      sizes.push_back(covered);
      where = where - leaves[best];
    }
    return sizes;
  }
  //! The entropy of the cover.
  static double disorder(const run_set& where, const std::vector<run_set>& leaves) {
    const auto sizes = cover(where, leaves);
    double total = 0, r = 0;
    for (const std::size_t n : sizes) total += static_cast<double>(n);
    for (const std::size_t n : sizes) r -= static_cast<double>(n) * std::log2(static_cast<double>(n) / total);
    return r;
  }

  //! Of terms that no run tells apart the first (simplest) stays; of conditions also where they are always opposite.
  void drop_equal(std::vector<term>& terms, std::vector<run_set>& sets, bool opposite) {
    std::set<run_set> known;
    std::vector<term> kept;
    std::vector<run_set> kept_sets;
    std::size_t simple = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (sets[i].empty() || !known.insert(sets[i]).second) continue;
      if (i < simple_ && !opposite) ++simple;
      if (opposite) known.insert(all_ - sets[i]);
      kept.push_back(terms[i]);
      kept_sets.push_back(sets[i]);
    }
    terms = std::move(kept);
    sets = std::move(kept_sets);
    if (!opposite) simple_ = simple;
  }

  const observations& seen_;
  const candidate::variable& own_;
  const std::size_t target_;
  const tree_terms terms_;
  std::vector<run_set> fits_all_, holds_all_;  // of all terms
  std::size_t looked_ = 0;                     // runs taken in
  bool possible_ = true;                       // a few values give the whole in all of them
  run_set all_, every_;                        // all of them, and those that trees are made for
  std::vector<term> values_, conditions_;
  std::size_t simple_ = 0;  // values before this one are no extrema
  std::vector<run_set> fits_, holds_;
  std::vector<std::size_t> sizes_;  // of what values fit
  std::size_t budget_ = 200;
};

}  // namespace

std::vector<term> merge_trees(observations& seen, const std::vector<candidate::variable>& known, std::size_t own, std::size_t target,
                              std::size_t depth) {
  constexpr std::size_t rounds = 8;
  tree_search search(seen, known, own, target);
  for (std::size_t k = 0; k < rounds; ++k) {
    search.look();
    const auto trees = search.run(depth);
    std::vector<term> r;
    for (term t : trees)
      if (!seen.refutes(t, target)) r.push_back(t);
    if (trees.empty() || !r.empty()) return r;
  }
  return {};
}

}  // namespace twofold::analyser::deriving
