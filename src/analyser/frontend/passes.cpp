// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file From recorded loops to the passes of a spec.
#include "frontend/passes.hpp"

#include <algorithm>
#include <functional>

#include "frontend/refusal.hpp"

namespace twofold::analyser::frontend {

term iteration_symbol(int depth) { return symbol(symbol_kind::index, "@" + std::to_string(depth), long_type); }

void recording::assume(const std::string& s) {
  if (std::find(assumptions.begin(), assumptions.end(), s) == assumptions.end()) assumptions.push_back(s);
}
void recording::note(const std::string& s) {
  if (std::find(notes.begin(), notes.end(), s) == notes.end()) notes.push_back(s);
}

bool widens_what_wraps(term t, term k) {
  return contains(t, [&](const node& n) {
    if (!n.is(op::cast) || n.type.kind != sort::integer || !n.args[0]->type.is_modular() || n.args[0]->type.bits >= n.type.bits)
      return false;
    if (!mentions(n.args[0], k)) return false;
    const auto form = affine_in(to_polynomial(n.args[0]), k);
    const auto start = form ? form->rest.constant() : std::nullopt, slope = form ? form->slope.constant() : std::nullopt;
    return !start || !slope || *start < 0 || *slope < 0;
  });
}

bool same_rows(const element& a, const element& b) {
  if (!a.row_extent || !b.row_extent) return !a.row_extent && !b.row_extent;
  return to_polynomial(a.row_extent) == to_polynomial(b.row_extent);
}

std::string fresh_name(const record& l, std::string wanted) {
  while (std::any_of(l.state.begin(), l.state.end(), [&](const carried& v) { return v.name == wanted; })) wanted += "_";
  return wanted;
}

location site(const recording& r, term t, const location& fallback) {
  if (auto it = r.sites.find(t); it != r.sites.end()) return it->second;
  location found = fallback;
  bool any = false;
  if (t)
    (void)contains(t, [&](const node& n) {
      if (any || !n.is(op::read)) return false;
      if (auto it = r.sites.find(term(&n)); it != r.sites.end()) found = it->second, any = true;
      return false;
    });
  return found;
}

namespace {

bool same_count(term a, term b) { return to_polynomial(a) == to_polynomial(b); }

//! Removes what no output depends on: first variables, then whole loops.
class liveness {
 public:
  explicit liveness(std::vector<term> roots) : roots_(std::move(roots)) {}

  void prune(std::vector<record>& loops) {
    for (std::size_t i = loops.size(); i-- > 0;) {
      record& l = loops[i];
      for (const written& w : l.writes) {
        roots_.push_back(w.value);
        if (w.head) roots_.push_back(w.head);
      }
      std::vector<bool> needed(l.state.size());
      for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t v = 0; v < l.state.size(); ++v) {
          if (needed[v] || !(seen(l.state[v].result) || seen(l.state[v].symbol))) continue;
          needed[v] = changed = true;
          roots_.push_back(l.state[v].step);
          roots_.push_back(l.state[v].init);
          if (l.state[v].extent) roots_.push_back(l.state[v].extent);
        }
      }
      std::vector<carried> kept;
      for (std::size_t v = 0; v < l.state.size(); ++v)
        if (needed[v]) kept.push_back(l.state[v]);
      l.state = std::move(kept);
      if (!l.state.empty() || !l.writes.empty()) roots_.push_back(l.count);
      // state symbols are local to a loop: an earlier one may use the same names
      std::erase_if(roots_,
                    [&](term t) { return contains(t, [](const node& n) { return n.is_symbol(symbol_kind::state); }) && !keep_results(t); });
    }
    std::erase_if(loops, [](const record& l) { return l.state.empty() && l.writes.empty(); });
  }

 private:
  //! A root of this loop matters to earlier ones only through results: keep those.
  bool keep_results(term t) {
    for (term s : symbols(t))
      if (s->is_symbol(symbol_kind::result)) extra_.push_back(s);
    return false;
  }
  bool seen(term symbol) const {
    const auto in = [&](term t) { return mentions(t, symbol); };
    return std::any_of(roots_.begin(), roots_.end(), in) || std::any_of(extra_.begin(), extra_.end(), in);
  }
  std::vector<term> roots_, extra_;
};

//! Entries written one by one: `*out = …` is a number, out[0] … out[m-1] an array.
void add_entries(spec& s, const array_result& a, const array_info& info) {
  const auto& entries = a.held.entries;
  if (entries.empty()) return;
  term chosen;
  std::vector<bool> present(entries.size());
  for (const auto& e : entries) {
    const bool constant = e.index.size() == 1 && e.index[0]->is(op::number) && e.index[0]->value >= 0 &&
                          e.index[0]->value < static_cast<long>(entries.size());
    if (!constant)
      refuse_at("TF4022", info.where, "the writes to '" + info.name + "'",
                "they leave entries in between unwritten, or are at positions that are not numbers", "write entries 0, 1, 2, …");
    present[e.index[0]->value.get_num().get_ui()] = true;
    chosen = chosen ? select(equal(position(), e.index[0]), e.value, chosen) : e.value;
  }
  if (std::find(present.begin(), present.end(), false) != present.end())
    refuse_at("TF4022", info.where, "the writes to '" + info.name + "'", "they leave entries in between unwritten",
              "write entries 0, 1, 2, …");
  if (entries.size() == 1) s.outputs.push_back({info.name, info.element, chosen, {}, {}});
  else s.outputs.push_back({info.name, info.element, chosen, number(static_cast<long>(entries.size()), long_type), position()});
}

//! Entries before the first that a loop writes.
void add_heads(spec& s, const record& l, const std::map<int, array_info>& arrays) {
  const term before = number(-1L, long_type);
  for (const written& w : l.writes) {
    if (!w.apart) continue;
    const auto at = to_polynomial(substitute(w.index, {{iteration_symbol(0), before}})).constant();
    const array_info& info = arrays.at(w.object);
    if (!at || *at < 0)
      refuse_at("TF4022", w.where, "the entry of '" + info.name + "' that is written before the loop", "its position is not a number",
                "write all entries in the loop");
    s.outputs.push_back({info.name + "[" + at->get_str() + "]", info.element, w.apart, {}, {}});
  }
}

//! A looped array must not be read anywhere else: its entries are data, not parameters.
void check_looped_arrays(const spec& s, const recording& r, const std::vector<array_result>& results) {
  std::map<term, location> looped;
  const term k = iteration_symbol(0);
  const auto reads_of = [](term t, const std::function<void(term)>& f) {
    if (t)
      (void)contains(t, [&](const node& n) {
        if (n.is(op::read) && n.args[0]->is_symbol(symbol_kind::array)) f(term(&n));
        return false;
      });
  };
  const auto moves = [&](term read) {
    const auto form = affine_in(to_polynomial(read->args[1]), k);
    return form && !form->slope.is_zero();
  };
  for (const record& l : r.loops) {
    for (const carried& v : l.state)
      reads_of(v.step, [&](term t) {
        if (moves(t)) looped.emplace(t->args[0], l.where);
      });
    for (const written& w : l.writes)
      reads_of(w.value, [&](term t) {
        if (moves(t)) looped.emplace(t->args[0], l.where);
      });
  }
  const auto check = [&](term t, bool in_loop, const location& at) {
    reads_of(t, [&](term read) {
      if (!looped.contains(read->args[0]) || (in_loop && moves(read))) return;
      refuse_at("TF4033", site(r, read, at), "a read of '" + read->args[0]->name + "'",
                in_loop && mentions(read, k) ? "the position depends on the data"
                                             : "the array is walked by the loop and read at a fixed place as well",
                "read at the loop index, at a fixed offset from it, or pass the entry as a parameter");
    });
  };
  for (const record& l : r.loops) {
    for (const carried& v : l.state) check(v.init, false, v.where), check(v.step, true, l.where);
    for (const written& w : l.writes) check(w.value, true, l.where);
  }
  for (const output& o : s.outputs) check(o.value, false, s.where);
  for (const array_result& a : results) {
    const bool by_loop = std::any_of(r.loops.begin(), r.loops.end(), [&](const record& l) {
      return std::any_of(l.writes.begin(), l.writes.end(), [&](const written& w) { return w.object == a.object; });
    });
    if (!by_loop) check(a.held.base, false, s.where);
    for (const auto& e : a.held.entries) check(e.value, false, s.where);
  }
}

//! What one piece writes into an array, a neighbouring piece must not read: whichever of them is first would decide what is read there.
//! Passes before the one that writes have ended by then; it and those after it read the array where they stand, or not at all.
void check_in_place(const spec& s, const recording& r) {
  for (std::size_t writer = 0; writer < s.passes.size(); ++writer)
    for (const element_output& o : s.passes[writer].outputs)
      for (std::size_t reader = writer; reader < s.passes.size(); ++reader)
        for (const element& e : s.passes[reader].elements) {
          if (e.array != o.array || (e.offset == 0 && !e.row_extent)) continue;
          const bool later = reader > writer;
          refuse_at(
              "TF4019", r.loops[reader].where,
              "a read of '" + e.array + "' at another place than the one " + (later ? "an earlier loop" : "this iteration") + " writes",
              "another piece of the range writes that entry, so what is read there depends on which piece is first",
              "write to another array");
        }
}

//! Where earlier results and their numbers differ in more than one range, nothing is one multi-pass loop.
term common_count(const std::vector<record>& loops) {
  term count;
  for (const record& l : loops) {
    if (l.state.empty()) continue;
    if (!count) count = l.count;
    else if (!same_count(count, l.count))
      refuse_at("TF4031", l.where, "loops over different ranges",
                "the function's loops must walk the same range to be one loop in several passes",
                "split the function, or give the loops the same bounds");
  }
  return count;
}

//! Fold loops over another dimension than the range (a norm of the query, say) are numbers that the real loop takes as given.
void fold_side_loops(spec& s, std::vector<record>& loops, std::vector<array_result>& results) {
  // The range is that of the loop that carries vectors or reads rows, else of the last loop.
  std::vector<term> counts;
  for (const record& l : loops)
    if (!l.state.empty() && std::none_of(counts.begin(), counts.end(), [&](term c) { return same_count(c, l.count); }))
      counts.push_back(l.count);
  if (counts.size() < 2) return;
  const term k = iteration_symbol(0);
  const auto by_rows = [&](const record& l) {
    return std::any_of(l.state.begin(), l.state.end(),
                       [&](const carried& v) { return v.extent || contains(v.step, [](const node& n) { return n.is(op::inner_fold); }); });
  };
  const auto range = std::find_if(loops.begin(), loops.end(), by_rows);
  if (range == loops.end()) return;
  const term count = range->count;
  substitution folded;
  std::vector<record> kept;
  for (record& l : loops) {
    const bool side = !l.state.empty() && !same_count(l.count, count) && l.writes.empty() &&
                      std::all_of(l.state.begin(), l.state.end(), [&](const carried& v) {
                        return !v.extent && std::none_of(l.state.begin(), l.state.end(), [&](const carried& o) {
                          return o.symbol != v.symbol && mentions(v.step, o.symbol);
                        });
                      });
    for (carried& v : l.state) v.init = substitute(v.init, folded), v.step = substitute(v.step, folded);
    for (written& w : l.writes) w.value = substitute(w.value, folded);
    if (!side) {
      kept.push_back(l);
      continue;
    }
    for (const carried& v : l.state) {
      std::string name = "t";  // not one that the body binds itself
      while (contains(v.step, [&](const node& n) { return n.is(op::inner_fold) && n.name == name; })) name += "s";
      folded[v.result] = inner_fold(name, l.count, v.init,
                                    substitute(v.step, {{v.symbol, symbol(symbol_kind::accumulator, name, v.type)},
                                                        {k, symbol(symbol_kind::inner_index, name, long_type)}}));
    }
  }
  loops = std::move(kept);
  for (output& o : s.outputs) o.value = substitute(o.value, folded);
  for (array_result& a : results)
    if (a.held.base) a.held.base = substitute(a.held.base, folded);
}

}  // namespace

void make_passes(spec& s, recording& r, const std::map<int, array_info>& arrays, const std::vector<array_result>& written_arrays) {
  std::vector<array_result> results = written_arrays;
  // A write is an output if the array still holds what it left there.
  for (record& l : r.loops)
    std::erase_if(l.writes, [&](const written& w) {
      return std::none_of(results.begin(), results.end(), [&](const array_result& a) {
        return a.object == w.object && a.held.base == w.base_after && a.held.entries.empty();
      });
    });
  const auto roots = [&] {
    std::vector<term> all;
    for (const output& o : s.outputs) all.push_back(o.value);
    for (const array_result& a : results) {
      if (a.held.base) all.push_back(a.held.base);
      for (const auto& e : a.held.entries) all.push_back(e.value);
    }
    return all;
  };
  // --- comparisons with infinity: loop by loop, each may read earlier results
  std::map<term, term> starts, finite, infinite;
  for (record& l : r.loops) {
    for (carried& v : l.state) v.init = with_infinite_results(resolve_results(v.init, starts, finite, l.where), finite, infinite);
    std::map<term, term> still = infinite;  // an iteration has an element: what is finite from the first one on is finite here
    std::erase_if(still, [&](const auto& v) { return !finite.at(v.first)->is_symbol(symbol_kind::result); });
    for (carried& v : l.state) v.step = with_infinite_results(v.step, finite, still);
    for (written& w : l.writes) w.value = with_infinite_results(w.value, finite, still);
    std::map<term, term> own;
    finite.merge(resolve_infinities(l, starts, finite, own));
    for (const carried& v : l.state) starts[v.result] = own.contains(v.result) ? own.at(v.result) : v.init;
    infinite.merge(own);
  }
  for (output& o : s.outputs) o.value = with_infinite_results(resolve_results(o.value, starts, finite, s.where), finite, infinite);
  for (array_result& a : results) {
    a.held.base = resolve_results(a.held.base, starts, finite, s.where);
    for (auto& e : a.held.entries) e.value = resolve_results(e.value, starts, finite, s.where);
  }
  liveness(roots()).prune(r.loops);
  for (std::size_t i = 0; i < r.loops.size(); ++i) {
    evaluated_later later;
    for (std::size_t j = i + 1; j < r.loops.size(); ++j) {
      for (carried& v : r.loops[j].state) later.loops.push_back(&v.step);
      for (written& w : r.loops[j].writes) later.loops.push_back(&w.value);
    }
    for (output& o : s.outputs) later.answers.push_back(&o.value);
    for (array_result& a : results) {
      if (a.held.base) later.answers.push_back(&a.held.base);
      for (auto& e : a.held.entries) later.answers.push_back(&e.value);
    }
    treat_first_iteration(r.loops[i], r, later);
  }
  for (std::size_t i = 0; i < r.loops.size(); ++i) {
    const substitution spread = spread_over_components(r.loops[i]);
    if (spread.empty()) continue;
    for (std::size_t j = i + 1; j < r.loops.size(); ++j) {
      for (carried& v : r.loops[j].state) v.init = substitute(v.init, spread), v.step = substitute(v.step, spread);
      for (written& w : r.loops[j].writes) w.value = substitute(w.value, spread);
    }
    for (output& o : s.outputs) o.value = substitute(o.value, spread);
    for (array_result& a : results)
      if (a.held.base) a.held.base = substitute(a.held.base, spread);
  }
  fold_side_loops(s, r.loops, results);
  const term count = common_count(r.loops);
  // Contents that were merged from several loops (two branches, say) are one more walk over the range.
  for (const array_result& a : results) {
    const bool known = std::any_of(r.loops.begin(), r.loops.end(), [&](const record& l) {
      return std::any_of(l.writes.begin(), l.writes.end(), [&](const written& w) { return w.object == a.object; });
    });
    if (known || !a.held.base || !a.held.entries.empty() || !a.count || !count || !same_count(a.count, count)) continue;
    if (contains(a.held.base, [](const node& n) {
          return n.is_symbol(symbol_kind::opaque) || (n.is(op::read) && n.args[0]->is_symbol(symbol_kind::result));
        }))
      continue;
    const term k = iteration_symbol(0);
    r.loops.push_back({.where = arrays.at(a.object).where,
                       .index_name = "i",
                       .count = a.count,
                       .first = number(0L, long_type),
                       .last = {},
                       .direction = 1,
                       .state = {},
                       .writes = {{a.object, k, substitute(a.held.base, {{position(), k}}), {}, a.held.base, arrays.at(a.object).where}}});
  }
  // Arrays that are written by a loop over the range are outputs per element, the others vectors.
  for (const array_result& a : results) {
    const array_info& info = arrays.at(a.object);
    const auto by_range = [&](const record& l) {
      return (!count || same_count(l.count, count)) &&
             std::any_of(l.writes.begin(), l.writes.end(), [&](const written& w) { return w.object == a.object; });
    };
    add_entries(s, a, info);
    if (!a.held.base || std::any_of(r.loops.begin(), r.loops.end(), by_range)) continue;
    const term extent = a.count ? a.count : info.extents[0];
    if (!extent)
      refuse_at("TF4020", info.where, "the output '" + info.name + "'", "its length is not known", "write it in a loop over its length");
    s.outputs.push_back({info.name, info.element, a.held.base, extent, position()});
  }
  for (record& l : r.loops)
    if (count && !same_count(l.count, count)) l.writes.clear();
  std::erase_if(r.loops, [](const record& l) { return l.state.empty() && l.writes.empty(); });
  const bool counts_only = std::all_of(r.loops.begin(), r.loops.end(), [](const record& l) {
    return to_polynomial(l.count).constant() &&
           std::none_of(l.state.begin(), l.state.end(), [](const carried& v) { return mentions(v.step, iteration_symbol(0)); }) &&
           l.writes.empty();
  });
  if (r.loops.empty() || counts_only)
    refuse_at("TF4030", s.where, "no loop over a range",
              "the function has no loop whose number of iterations is a parameter and whose results it uses",
              "point at a function with a loop over an array");
  check_looped_arrays(s, r, results);
  for (const record& l : r.loops) {
    add_heads(s, l, arrays);
    s.passes.push_back(to_pass(l, r, arrays));
    sum_what_is_set_once(s.passes.back());
    // An element means one read, whichever pass it stands in.
    for (const pass& p : s.passes)
      for (const element& a : p.elements)
        for (const element& b : s.passes.back().elements)
          if (a.array == b.array && !same_rows(a, b))
            refuse_at("TF4033", l.where, "a read of '" + b.array + "'", "two loops read it in rows of different lengths",
                      "read it in one way");
    for (const carried& v : l.state) s.results.push_back(v.result);
  }
  check_in_place(s, r);
  s.where = s.passes.front().where;
  // All loops with state walk one range in one direction; outputs of a loop without state are written by the same walk.
  for (const pass& p : s.passes)
    for (const pass& q : s.passes)
      if (&q < &p && !p.state.empty() && !q.state.empty() && p.reverse != q.reverse)
        refuse_at("TF4031", p.where, "loops over different ranges",
                  "the function's loops must walk the same range in the same direction to be one loop in several passes",
                  "split the function, or give the loops the same bounds");
  const auto state = std::find_if(s.passes.begin(), s.passes.end(), [](const pass& p) { return !p.state.empty(); });
  for (const pass& p : s.passes)
    if (state != s.passes.end() && p.state.empty() &&
        (p.reverse != state->reverse || !(to_polynomial(p.begin) == to_polynomial(state->begin)) ||
         !(to_polynomial(p.end) == to_polynomial(state->end))))
      refuse_at("TF4031", p.where, "loops over different ranges",
                "the function's loops must walk the same range in the same direction to be one loop in several passes",
                "split the function, or give the loops the same bounds");
}

}  // namespace twofold::analyser::frontend
