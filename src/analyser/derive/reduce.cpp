// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Greedy removal of parameters, each removal tried on exact runs.
#include "derive/reduce.hpp"

#include <algorithm>
#include <set>

#include "derive/invariants.hpp"

namespace twofold::analyser::deriving {
namespace {

//! p replaced by r everywhere, and gone.
variable_list replaced(variable_list all, term p, term r) {
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
variable_list without_unused(const variable_list& all, std::size_t keep) {
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
  variable_list r;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (used[i]) r.push_back(all[i]);
  return r;
}

//! The merges on exact runs, with one variable read off the others instead of carried: without making the merges anew for each reading.
class reading_trial {
 public:
  reading_trial(const variable_list& all, std::size_t keep, const experiences& seen)
      : all_(all), keep_(keep), seen_(seen), merges_(merges_of(all), true), place_(merges_, seen) {
    for (const auto& v : all) {
      at_.push_back(static_cast<std::size_t>(std::find(seen.states.begin(), seen.states.end(), v.symbol) - seen.states.begin()));
      std::set<std::size_t> reads;
      for (std::size_t j = 0; j < all.size(); ++j)
        if (has_symbol(v.merge, left_of(all[j].symbol)) || has_symbol(v.merge, right_of(all[j].symbol)) ||
            has_symbol(v.step, all[j].symbol))
          reads.insert(j);
      reads_.push_back(std::move(reads));
    }
  }

  bool holds(std::size_t p, term reading) {
    exact_program read({reading}, true);
    const placing place(read, seen_);
    const std::size_t left = merges_.slot(left_of(all_[p].symbol)), right = merges_.slot(right_of(all_[p].symbol));
    const std::vector<std::size_t> needed = needed_without(p, reading);
    const auto value = [&](const values& state, const values& fixed) {
      place.state(read, state);
      place.fixed(read, fixed);
      read.run();
      return read.value(0);
    };
    for (const auto& x : seen_.runs) {
      place_.pieces(merges_, x.left, x.right);
      place_.fixed(merges_, x.fixed);
      const exact* l = value(x.left, x.fixed);
      if (!l) return false;
      merges_.set(left, *l);
      const exact* r = value(x.right, x.fixed);
      if (!r) return false;
      merges_.set(right, *r);
      merges_.run();
      for (std::size_t i : needed)
        if (const exact* m = merges_.value(i); !m || !(*m == x.whole[at_[i]])) return false;
    }
    return true;
  }

 private:
  static std::vector<term> merges_of(const variable_list& all) {
    std::vector<term> r;
    for (const auto& v : all) r.push_back(v.merge);
    return r;
  }
  //! The variables that are still carried then.
  std::vector<std::size_t> needed_without(std::size_t p, term reading) const {
    std::vector<bool> used(all_.size());
    std::vector<std::size_t> r;
    const auto use = [&](std::size_t i) {
      if (i != p && !used[i]) used[i] = true, r.push_back(i);
    };
    for (std::size_t i = 0; i < keep_; ++i) use(i);
    for (std::size_t k = 0; k < r.size(); ++k)
      for (std::size_t j : reads_[r[k]]) {
        use(j);
        for (std::size_t i = 0; j == p && i < all_.size(); ++i)
          if (has_symbol(reading, all_[i].symbol)) use(i);
      }
    return r;
  }

  const variable_list& all_;
  const std::size_t keep_;
  const experiences& seen_;
  exact_program merges_;
  const placing place_;
  std::vector<std::size_t> at_;               // in a state of `seen_`
  std::vector<std::set<std::size_t>> reads_;  // by variable
};

}  // namespace

namespace {

//! Where no initial values of the added variables lead to the state of one element, no value stands for "nothing yet".
void adjoin_empty(variable_list& all, std::size_t keep) {
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

//! A constant bound on one variable: cheap to prove, and it may make a proof possible that samples thought of as complete.
bool is_bound(term t) { return t->is(op::less_equal) && (t->args[0]->is(op::number) || t->args[1]->is(op::number)); }

//! What p may be read off, most telling first.
std::vector<term> readings_of(const variable_list& all, std::size_t i, const std::map<term, std::vector<term>>& hints) {
  const term p = all[i].symbol;
  std::vector<term> r;
  if (auto it = hints.find(p); it != hints.end()) r = it->second;
  const bool flag = p->type.kind == sort::boolean;
  if (flag) r.insert(r.end(), {boolean(true), boolean(false)});
  for (std::size_t j = 0; j < all.size(); ++j)
    if (j != i && all[j].type == all[i].type) r.push_back(all[j].symbol);
  if (flag) {
    for (std::size_t j = 0; j < all.size(); ++j)
      if (j != i && all[j].type == all[i].type) r.push_back(logical_not(all[j].symbol));
  } else {
    r.push_back(number(0, p->type));
    r.push_back(number(1, p->type));
    if (!p->type.is_modular())
      for (std::size_t j = 0; j < all.size(); ++j)
        if (j != i && all[j].type == all[i].type && all[j].kind == role::carried) r.push_back(neg(all[j].symbol));
  }
  return r;
}

//! Every state symbol of t is one of these.
bool speaks_of(term t, const variable_list& all) {
  const auto used = symbols(t);
  return std::all_of(used.begin(), used.end(), [&](term s) {
    return !s->is_symbol(symbol_kind::state) || std::any_of(all.begin(), all.end(), [&](const auto& v) { return v.symbol == s; });
  });
}

bool is_kept(const variable_list& all, term symbol) {
  return std::any_of(all.begin(), all.end(), [&](const auto& v) { return v.symbol == symbol; });
}

//! An added variable that is a loop's own one by another name goes by that name.
bool under_own_name(const variable_list& all, variable_list& rest, term own, term reading) {
  const auto loop = std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.symbol == own; });
  const auto other = std::find_if(rest.begin(), rest.end(), [&](const auto& v) { return v.symbol == reading; });
  if (other == rest.end() || other->kind != role::added || !(loop->type == other->type) || loop->extent || other->extent) return false;
  const term merge = other->merge;
  *other = *loop;
  other->merge = merge;
  const substitution named{{reading, own}, {left_of(reading), left_of(own)}, {right_of(reading), right_of(own)}};
  for (auto& v : rest) {
    v.merge = substitute(v.merge, named);
    if (v.kind == role::added) v.step = substitute(v.step, named);
  }
  return true;
}

//! Without the own variables that the rest tells: all of them, or none.
std::optional<std::pair<variable_list, std::vector<std::pair<term, term>>>> decoded_at_start(const variable_list& all,
                                                                                             const substitution& at_start) {
  if (at_start.empty()) return std::nullopt;
  variable_list rest = all;
  std::erase_if(rest, [&](const auto& v) { return at_start.contains(v.symbol); });
  for (const auto& v : rest)
    for (const auto& [own, reading] : at_start)
      if (has_symbol(v.step, own) || has_symbol(v.merge, left_of(own)) || has_symbol(v.merge, right_of(own))) return std::nullopt;
  std::vector<std::pair<term, term>> decode;
  for (const auto& [own, reading] : at_start) {
    if (has_infinity(reading) || !speaks_of(reading, rest)) return std::nullopt;
    decode.emplace_back(own, reading);
  }
  std::erase_if(decode, [&](const auto& d) { return under_own_name(all, rest, d.first, d.second); });
  for (auto& [own, reading] : decode)
    for (const auto& v : all)
      if (at_start.contains(v.symbol) && is_kept(rest, v.symbol)) reading = substitute(reading, {{at_start.at(v.symbol), v.symbol}});
  return std::pair{rest, decode};
}

//! The cost of one evaluation of all merges and steps.
long operations(const variable_list& all) {
  std::vector<term> terms;
  for (const auto& v : all) {
    terms.push_back(v.merge);
    terms.push_back(v.step);
  }
  return static_cast<long>(count_nodes(terms));
}

//! The order in which added variables are tried: flags first, for the rest is simpler without them; later ones before earlier ones.
std::vector<term> added_in_order(const variable_list& all, std::size_t keep) {
  std::vector<term> r;
  for (const bool flags : {true, false})
    for (std::size_t i = all.size(); i-- > keep;)
      if ((all[i].type.kind == sort::boolean) == flags) r.push_back(all[i].symbol);
  return r;
}

}  // namespace

std::vector<term> read_by_nobody_else(const part& p) {
  std::vector<term> r;
  const auto is_own = [&](const state_variable& w) { return std::find(p.variables.begin(), p.variables.end(), &w) != p.variables.end(); };
  for (const state_variable* v : p.variables) {
    const bool read = std::any_of(p.loop.state.begin(), p.loop.state.end(),
                                  [&](const state_variable& w) {
                                    return !is_own(w) && (has_symbol(w.step, v->symbol) || has_symbol(w.init, v->symbol));
                                  }) ||
                      (v->extent && std::any_of(p.loop.outputs.begin(), p.loop.outputs.end(),
                                                [&](const element_output& o) { return has_symbol(o.value, v->symbol); }));
    if (!read) r.push_back(v->symbol);
  }
  return r;
}

std::optional<part_result> reduce(const variable_list& upstream, const variable_list& own, const variable_list& added,
                                  const std::vector<term>& invariant, const std::map<term, std::vector<term>>& readings, thrift state,
                                  const substitution& at_start) {
  variable_list start = upstream;
  start.insert(start.end(), own.begin(), own.end());
  std::size_t keep = start.size();
  start.insert(start.end(), added.begin(), added.end());
  start = without_unused(start, keep);
  if (state == thrift::whole) {
    const auto seen = collect(start, 60, 1);  // none where a function of states has no rational values: then the checker alone decides
    if (!seen.runs.empty() && !merges_hold(start, seen)) return std::nullopt;
    adjoin_empty(start, keep);
    part_result r;
    const auto decoded = decoded_at_start(start, at_start);
    const variable_list& kept = decoded ? decoded->first : start;
    if (decoded) r.decode = decoded->second;
    r.variables.assign(kept.begin() + static_cast<std::ptrdiff_t>(upstream.size()), kept.end());
    for (term t : invariant)
      if (speaks_of(t, kept)) r.invariant.push_back(t);
    return r;
  }
  long work = 4'000'000;  // operations on rationals, some 0.4 s; a count gives the same answer on a busy machine
  for (unsigned attempt = 1; attempt <= 2; ++attempt) {
    variable_list all = start;
    const auto seen = collect(all, attempt == 1 ? 60 : 300, attempt);
    if (seen.runs.empty() || !merges_hold(all, seen)) return std::nullopt;
    const auto guesses = invariants_seen(all, seen);
    const auto points = point_source(seen).invent(4);
    bool provable = invariant_search(all, seen, points, invariant, guesses).run().has_value();
    for (const term p : added_in_order(all, keep)) {
      const auto here = std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.symbol == p; });
      if (here == all.end()) continue;  // dropped with another one
      const std::size_t i = static_cast<std::size_t>(here - all.begin());
      reading_trial trial(all, keep, seen);
      std::vector<term> tried = readings_of(all, i, readings);
      if (const auto sum = affine_reading(all, i, seen)) tried.push_back(*sum);
      for (term r : tried) {
        const std::vector<term> used = symbols(r);
        const bool known = std::all_of(used.begin(), used.end(), [&](term s) {
          return !s->is_symbol(symbol_kind::state) || std::any_of(all.begin(), all.end(), [&](const auto& v) { return v.symbol == s; });
        });
        if (!known) continue;
        if (!trial.holds(i, r)) continue;
        const variable_list fewer = without_unused(replaced(all, all[i].symbol, r), keep);
        const long size = operations(fewer);
        if ((work -= 4 * size * static_cast<long>(points.size())) < 0) break;
        const bool still = invariant_search(fewer, seen, points, invariant, guesses).run().has_value();
        if (!still && provable) continue;  // while nothing is provable yet, fewer variables can only help
        all = fewer;
        provable = still;
        break;
      }
    }
    const auto more = collect(all, 200, 17 + attempt);
    if (!merges_hold(all, more)) continue;  // a coincidence of the first runs
    point_source further(more);
    auto more_points = further.invent(5);
    further.append_neighbours(more_points);
    const auto all_guesses = invariants_seen(all, more);
    invariant_search last(all, more, more_points, invariant, all_guesses);
    auto found = last.run();
    if (!found) continue;
    part_result r;
    if (const auto fewer = decoded_at_start(all, at_start))
      if (auto still = invariant_search(fewer->first, more, more_points, invariant, all_guesses).run()) {
        keep -= all.size() - fewer->first.size();
        all = fewer->first;
        r.decode = fewer->second;
        found = still;
      }
    adjoin_empty(all, keep);
    r.variables.assign(all.begin() + static_cast<std::ptrdiff_t>(upstream.size()), all.end());
    r.invariant = *found;
    for (term t : all_guesses)
      if (is_bound(t) && speaks_of(t, all) && std::find(found->begin(), found->end(), t) == found->end()) r.bounds.push_back(t);
    for (term t : last.surviving())
      if (speaks_of(t, all)) r.guesses.push_back(t);
    return r;
  }
  return std::nullopt;
}

}  // namespace twofold::analyser::deriving
