// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops and their merges, run on small words.
#include "fuzz/reference.hpp"

#include <algorithm>

namespace twofold::analyser::fuzz {
namespace {

std::vector<term> values_of(const std::vector<output>& outputs) {
  std::vector<term> r;
  for (const output& o : outputs) r.push_back(o.value);
  return r;
}

//! The index where iteration k of an input stands, and everything that it reads.
std::map<term, value> environment(const spec& s, const std::map<term, value>& parameters, const letter& x, std::size_t k) {
  std::map<term, value> r = parameters;
  r.insert(x.begin(), x.end());
  for (const type t : {int_type, long_type}) r[symbol(symbol_kind::index, s.passes[0].index, t)] = finite(static_cast<long>(k));
  return r;
}

std::map<term, value> with_length(const spec& s, std::map<term, value> parameters, std::size_t length) {
  for (const parameter& p : s.parameters)
    if (p.role == parameter_role::length) parameters[symbol(symbol_kind::parameter, p.name, p.element)] = finite(static_cast<long>(length));
  return parameters;
}

//! The state of one element: the lift where there is one, else the step from the start.
term lift_of(const merged_variable& v, const decision& d) {
  if (v.lift) return v.lift;
  substitution start;
  for (const merged_variable& u : d.state)
    if (u.init) start.emplace(symbol(symbol_kind::state, u.name, u.type), u.init);
  return substitute(v.step, start);
}

template <class Part>
std::vector<term> terms_of(const decision& d, Part part) {
  std::vector<term> r;
  for (const merged_variable& v : d.state) r.push_back(part(v));
  return r;
}

}  // namespace

std::vector<term> elements_of(const spec& s) {
  std::vector<term> r;
  for (const pass& p : s.passes)
    for (const element& e : p.elements)
      if (std::find(r.begin(), r.end(), e.symbol) == r.end()) r.push_back(e.symbol);
  return r;
}

source_loop::source_loop(const spec& s, std::map<term, value> parameters)
    : spec_(s), parameters_(std::move(parameters)), outputs_(values_of(s.outputs)) {
  for (const pass& p : s.passes) {
    std::vector<term> inits, steps;
    for (const state_variable& v : p.state) inits.push_back(v.init), steps.push_back(v.step);
    inits_.emplace_back(inits), steps_.emplace_back(steps);
  }
}

std::vector<value> source_loop::state_after(const word& w, long first) {
  std::vector<value> results;
  std::map<term, value> known = with_length(spec_, parameters_, w.size());
  for (std::size_t p = 0; p < spec_.passes.size(); ++p) {
    const std::vector<state_variable>& variables = spec_.passes[p].state;
    std::vector<value> now = inits_[p].run(known);
    for (std::size_t k = 0; k < w.size(); ++k) {
      std::map<term, value> seen = environment(spec_, known, w[k], k + static_cast<std::size_t>(first));
      for (std::size_t v = 0; v < variables.size(); ++v) seen[variables[v].symbol] = now[v];
      now = steps_[p].run(seen);
    }
    for (const value& v : now) {
      known[spec_.results[results.size()]] = v;
      results.push_back(v);
    }
  }
  return results;
}

answers source_loop::outputs(const std::vector<value>& results, std::size_t length) {
  std::map<term, value> known = with_length(spec_, parameters_, length);
  for (std::size_t r = 0; r < results.size(); ++r) known[spec_.results[r]] = results[r];
  return outputs_.run(known);
}

merged_loop::merged_loop(const spec& s, const decision& d, std::map<term, value> parameters)
    : spec_(s),
      decision_(d),
      parameters_(std::move(parameters)),
      lift_(terms_of(d, [&](const merged_variable& v) { return lift_of(v, d); })),
      step_(terms_of(d, [](const merged_variable& v) { return v.step; })),
      merge_(terms_of(d, [](const merged_variable& v) { return v.merge; })),
      finalize_(values_of(d.finalize)) {
  for (const merged_variable& v : d.state) {
    states_.push_back(symbol(symbol_kind::state, v.name, v.type));
    lefts_.push_back(symbol(symbol_kind::left, v.name, v.type));
    rights_.push_back(symbol(symbol_kind::right, v.name, v.type));
  }
}

merged_loop::state merged_loop::leaf(const word& w, std::size_t from, std::size_t to) {
  state now = lift_.run(environment(spec_, parameters_, w[from], from));
  for (std::size_t k = from + 1; k < to; ++k) {
    std::map<term, value> seen = environment(spec_, parameters_, w[k], k);
    for (std::size_t v = 0; v < states_.size(); ++v) seen[states_[v]] = now[v];
    now = step_.run(seen);
  }
  return now;
}

merged_loop::state merged_loop::merge(const state& a, const state& b) {
  std::map<term, value> seen = parameters_;
  for (std::size_t v = 0; v < states_.size(); ++v) seen[lefts_[v]] = a[v], seen[rights_[v]] = b[v];
  return merge_.run(seen);
}

merged_loop::state merged_loop::tree(const word& w, std::size_t from, std::size_t to, draw& random) {
  if (to - from == 1 || random.chance(20)) return leaf(w, from, to);
  const std::size_t middle = from + 1 + random.below(to - from - 1);
  const state a = tree(w, from, middle, random);
  return merge(a, tree(w, middle, to, random));
}

answers merged_loop::finish(const state& s, std::size_t length) {
  std::map<term, value> known = with_length(spec_, parameters_, length);
  for (std::size_t v = 0; v < states_.size(); ++v) known[states_[v]] = s[v];
  return finalize_.run(known);
}

answers merged_loop::run(const word& w, draw& random) { return finish(tree(w, 0, w.size(), random), w.size()); }

answers merged_loop::cut(const word& w, std::size_t left) { return finish(merge(leaf(w, 0, left), leaf(w, left, w.size())), w.size()); }

}  // namespace twofold::analyser::fuzz
