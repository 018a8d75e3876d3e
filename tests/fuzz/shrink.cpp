// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Greedy reduction of a loop: the first change that keeps the fault is taken, until none does.
#include "fuzz/shrink.hpp"

#include <algorithm>
#include <set>

namespace twofold::analyser::fuzz {
namespace {

//! Subterms of t that could stand in its place, and small constants.
std::vector<term> smaller(term t) {
  std::vector<term> r;
  for (const term a : t->args)
    if (a->type == t->type) r.push_back(a);
  if (t->type.kind == sort::boolean) r.insert(r.end(), {boolean(false), boolean(true)});
  else r.insert(r.end(), {number(0, t->type), number(1, t->type)});
  r.erase(std::remove(r.begin(), r.end(), t), r.end());
  return r;
}

void nodes_of(term t, std::set<term>& into) {
  if (into.insert(t).second)
    for (const term a : t->args) nodes_of(a, into);
}

//! t with one of its subterms replaced everywhere.
std::vector<term> with_one_change(term t) {
  std::set<term> all;
  nodes_of(t, all);
  std::vector<term> order(all.rbegin(), all.rend()), r;  // the largest first
  for (const term part : order) {
    if (part->args.empty() && part->is(op::number)) continue;
    for (const term instead : smaller(part)) {
      const term changed = part == t ? instead : substitute(t, {{part, instead}});
      if (changed != t && changed->type == t->type) r.push_back(changed);
    }
  }
  return r;
}

void forget_variable(spec& s, std::size_t p, std::size_t v) {
  std::size_t r = v;
  for (std::size_t q = 0; q < p; ++q) r += s.passes[q].state.size();
  const state_variable gone = s.passes[p].state[v];
  const substitution to_init{{gone.symbol, gone.init}, {s.results[r], gone.init}};
  s.passes[p].state.erase(s.passes[p].state.begin() + static_cast<long>(v));
  s.results.erase(s.results.begin() + static_cast<long>(r));
  for (pass& q : s.passes)
    for (state_variable& u : q.state) u.step = substitute(u.step, to_init), u.init = substitute(u.init, to_init);
  for (output& o : s.outputs) o.value = substitute(o.value, to_init);
}

//! All loops that are one change smaller.
std::vector<sample> neighbours(const sample& s) {
  std::vector<sample> r;
  const auto changed = [&](auto change) {
    sample next = s;
    next.answer = known::open;
    change(next.loop);
    r.push_back(std::move(next));
  };
  for (std::size_t p = 0; p < s.loop.passes.size(); ++p)
    for (std::size_t v = 0; s.loop.results.size() > 1 && v < s.loop.passes[p].state.size(); ++v)
      if (s.loop.passes[p].state.size() > 1) changed([&](spec& t) { forget_variable(t, p, v); });
  for (std::size_t o = 0; s.loop.outputs.size() > 1 && o < s.loop.outputs.size(); ++o)
    changed([&](spec& t) { t.outputs.erase(t.outputs.begin() + static_cast<long>(o)); });
  for (std::size_t p = 0; p < s.loop.passes.size(); ++p)
    for (std::size_t v = 0; v < s.loop.passes[p].state.size(); ++v)
      for (const term t : with_one_change(s.loop.passes[p].state[v].step)) changed([&](spec& u) { u.passes[p].state[v].step = t; });
  for (std::size_t o = 0; o < s.loop.outputs.size(); ++o)
    for (const term t : with_one_change(s.loop.outputs[o].value)) changed([&](spec& u) { u.outputs[o].value = t; });
  return r;
}

}  // namespace

sample shrunk(const sample& s, const std::function<bool(const sample&)>& still_wrong, std::size_t most_tries) {
  sample best = s;
  for (bool smaller_found = true; smaller_found;) {
    smaller_found = false;
    for (const sample& next : neighbours(best)) {
      if (most_tries-- == 0) return best;
      if (!still_wrong(next)) continue;
      best = next;
      smaller_found = true;
      break;
    }
  }
  return best;
}

}  // namespace twofold::analyser::fuzz
