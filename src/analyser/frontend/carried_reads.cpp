// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Entries of the walked array that are read elsewhere than at the loop index, and are known by then: the entry at a position that
//! is carried (x[at], the best so far), the first one (x[0], a shift), the last one after the loop. What was read there is carried.
#include <algorithm>
#include <functional>

#include "frontend/passes.hpp"

namespace twofold::analyser::frontend {
namespace {

const auto is_array_read = [](const node& n) { return n.is(op::read) && n.args.size() == 2 && n.args[0]->is_symbol(symbol_kind::array); };

//! Array → how far from the iteration number (times ±1) it is read.
using walks = std::map<term, std::vector<affine_form>>;

walks walked_by(const record& l) {
  walks r;
  const auto visit = [&](term t) {
    (void)contains(t, [&](const node& n) {
      if (!is_array_read(n)) return false;
      const auto f = affine_in(to_polynomial(n.args[1]), iteration_symbol(0));
      const auto slope = f ? f->slope.constant() : std::nullopt;
      if (slope && abs(*slope) == 1) r[n.args[0]].push_back(*f);
      return false;
    });
  };
  for (const carried& v : l.state) visit(v.step);
  for (const written& w : l.writes) visit(w.value);
  return r;
}

//! Everything that is evaluated in the iterations of l.
void each_term(record& l, const std::function<void(term&)>& f) {
  for (carried& v : l.state) f(v.step);
  for (written& w : l.writes) f(w.value);
}

term new_result(recording& r, const std::string& name, type t) {
  const int uses = ++r.result_names[name];
  return symbol(symbol_kind::result, uses == 1 ? name : name + "@" + std::to_string(uses - 1), t);
}

carried new_variable(const record& l, recording& r, const std::string& wanted, type t) {
  std::string plain = wanted;
  std::replace(plain.begin(), plain.end(), '.', '_');
  const std::string name = fresh_name(l, plain);
  return {.name = name, .type = t, .symbol = symbol(symbol_kind::state, name, t), .result = new_result(r, name, t), .where = l.where};
}

//! The entry at the position that `at` steps to: a choice between where it is, whose entry is `here`, and positions of this iteration.
std::optional<term> entry_stepped_to(term t, const carried& at, term array, term here) {
  if (t == at.symbol) return here;
  if (t->is(op::select)) {
    const auto a = entry_stepped_to(t->args[1], at, array, here), b = entry_stepped_to(t->args[2], at, array, here);
    if (!a || !b) return std::nullopt;
    return select(t->args[0], *a, *b);
  }
  const auto f = affine_in(to_polynomial(t), iteration_symbol(0));
  const auto slope = f ? f->slope.constant() : std::nullopt;
  if (!slope || abs(*slope) != 1 || contains(t, [](const node& n) { return n.is(op::read) || n.is_symbol(symbol_kind::state); }))
    return std::nullopt;
  return read(array, {to_term(to_polynomial(t))}, here->type);
}

//! x[at], where at is a position that this loop carries: beside it, the entry.
void carry_entries_at_positions(record& l, recording& r, const std::vector<term*>& later) {
  const walks walked = walked_by(l);
  const std::size_t count = l.state.size();
  for (std::size_t i = 0; i < count; ++i) {
    const carried at = l.state[i];
    if (at.type.kind != sort::integer || at.extent) continue;
    for (const auto& [array, forms] : walked) {
      const type t = array->type;
      substitution in_loop, after;
      const auto find = [&, array = array](term where, term position, substitution& s) {
        (void)contains(where, [&](const node& n) {
          if (is_array_read(n) && n.args[0] == array && to_polynomial(n.args[1]) == to_polynomial(position)) s[term(&n)] = position;
          return false;
        });
      };
      each_term(l, [&](term& x) { find(x, at.symbol, in_loop); });
      for (term* x : later) find(*x, at.result, after);
      if (in_loop.empty() && after.empty()) continue;
      carried entry = new_variable(l, r, array->name + "_" + at.name, t);
      const auto step = entry_stepped_to(at.step, at, array, entry.symbol);
      if (!step) continue;
      // Where it starts at no position there is no entry yet, and nobody may look at it.
      const auto start = to_polynomial(at.init).constant();
      entry.init = start && *start < 0 ? number(0L, t) : read(array, {to_term(to_polynomial(at.init))}, t);
      entry.step = *step;
      for (auto& [was, x] : in_loop) x = entry.symbol;
      for (auto& [was, x] : after) x = entry.result;
      l.state.push_back(entry);
      each_term(l, [&](term& x) { x = substitute(x, in_loop); });
      for (term* x : later) *x = substitute(*x, after);
    }
  }
}

//! x[0] and x[n - 1] of a loop over x. A later loop that reads them sees to that itself.
void carry_entries_at_ends(record& l, recording& r, const std::vector<term*>& answers) {
  const polynomial one = to_polynomial(number(1L, long_type)), count = to_polynomial(l.count);
  for (const auto& [array, forms] : walked_by(l)) {
    std::vector<term> fixed;
    const auto find = [&, array = array](term where) {
      (void)contains(where, [&](const node& n) {
        const bool here =
            is_array_read(n) && n.args[0] == array && !mentions(n.args[1], iteration_symbol(0)) && !contains(n.args[1], [](const node& i) {
              return i.is(op::read) || i.is_symbol(symbol_kind::state) || i.is_symbol(symbol_kind::result) ||
                     i.is_symbol(symbol_kind::inner_index) || i.is_symbol(symbol_kind::component);
            });
        if (here && std::find(fixed.begin(), fixed.end(), term(&n)) == fixed.end()) fixed.emplace_back(&n);
        return false;
      });
    };
    each_term(l, [&](term& x) { find(x); });
    const std::size_t inside = fixed.size();
    for (term* x : answers) find(*x);
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      const term was = fixed[i];
      const polynomial at = to_polynomial(was->args[1]);
      const auto reaches = [&](const polynomial& k) {
        return std::find_if(forms.begin(), forms.end(), [&](const affine_form& f) { return f.rest + f.slope * k == at; });
      };
      const bool first = reaches({}) != forms.end() || reaches(polynomial{} - one) != forms.end();
      const auto last = reaches(count - one);
      if (!first && (i < inside || last == forms.end())) continue;
      carried entry = new_variable(l, r, array->name + (first ? "_first" : "_last"), was->type);
      entry.init = first ? was : number(0L, was->type);
      entry.step = first ? entry.symbol : read(array, {to_term(last->rest + last->slope * to_polynomial(iteration_symbol(0)))}, was->type);
      if (!first) r.assume("the range is not empty");
      l.state.push_back(entry);
      if (first) each_term(l, [&](term& x) { x = substitute(x, {{was, entry.symbol}}); });
      for (term* x : answers) *x = substitute(*x, {{was, entry.result}});
    }
  }
}

}  // namespace

void carry_read_entries(record& l, recording& r, const evaluated_later& later) {
  carry_entries_at_positions(l, r, later.all());
  carry_entries_at_ends(l, r, later.answers);
}

}  // namespace twofold::analyser::frontend
