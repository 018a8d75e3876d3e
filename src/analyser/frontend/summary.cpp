// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a loop carries: as a recorded pass, or as folds over an inner dimension.
#include "frontend/summary.hpp"

#include <algorithm>

#include "frontend/polynomial.hpp"
#include "frontend/refusal.hpp"

namespace twofold::analyser::frontend {

term closed_form(const memory& entry, const leaf& l, term by, term k) {
  const term start = get(entry, l);
  const type t = start->type;
  const term moved = is_number(by, 1) ? cast(k, t) : is_number(by, -1) ? neg(cast(k, t)) : mul(cast(by, t), cast(k, t));
  return add(start, moved);
}

term assume_false(term t, term condition) {
  // Each alternative that is known not to hold may simplify the others.
  std::vector<term> alternatives{condition};
  while (t && !alternatives.empty()) {
    const term c = alternatives.back();
    alternatives.pop_back();
    if (c->is(op::number)) continue;
    if (c->is(op::logical_or)) {
      alternatives.insert(alternatives.end(), c->args.rbegin(), c->args.rend());
      continue;
    }
    const substitution known = c->is(op::logical_not) ? substitution{{c->args[0], boolean(true)}} : substitution{{c, boolean(false)}};
    t = substitute(t, known);
    for (term& other : alternatives) other = substitute(other, known);
  }
  return t;
}

bool varies(term t, term k) {
  return contains(t, [k](const node& n) {
    return n.is(op::read) || n.is_symbol(symbol_kind::state) || n.is_symbol(symbol_kind::opaque) || &n == k.operator->();
  });
}

//! No read of what an earlier iteration wrote may pass as a read of the old contents.
void executor::check_reads(const loop_form& f, const memory& entry, const iteration& it, const summary& s) {
  (void)f;
  // What a loop wrote into an array of unknown length is its contents from then on: a longer loop would read what is not there.
  const auto within = [&](const old_read& r) {
    const auto written = lengths_.find(r.object);
    if (arrays_.at(r.object).extents[0] || r.index.size() != 1 || written == lengths_.end()) return;
    const auto form = affine_in(to_polynomial(r.index[0]), s.k);
    const auto slope = form ? form->slope.constant() : std::nullopt;
    if (!slope || *slope == 0) return;
    const polynomial last = form->rest + form->slope * (to_polynomial(s.count) - to_polynomial(number(1L, long_type)));
    const auto beyond = ((*slope > 0 ? last : form->rest) - to_polynomial(written->second)).constant();
    if (!beyond || *beyond >= 0)
      refuse("TF4022", r.at,
             "a read of '" + arrays_.at(r.object).name + "', of which an earlier loop wrote " + to_text(written->second) + " entries",
             "this loop may read others, which hold what they held before", "write as many entries as are read");
  };
  for (std::size_t i = it.first_read; i < old_reads_.size(); ++i) {
    const old_read& r = old_reads_[i];
    const auto now = it.after.arrays.find(r.object), before = entry.arrays.find(r.object);
    if (now == it.after.arrays.end() || before == entry.arrays.end()) continue;
    within(r);
    for (const auto& e : now->second.entries) {
      if (std::none_of(e.index.begin(), e.index.end(), [&](term t) { return mentions(t, s.k); })) continue;
      bool safe = e.index.size() == r.index.size();
      for (std::size_t d = 0; safe && d < e.index.size(); ++d) {
        const auto apart = distance(r.index[d], e.index[d]);
        const auto form = affine_in(to_polynomial(e.index[d]), s.k);
        const auto slope = form ? form->slope.constant() : std::nullopt;
        safe = apart && slope && *apart * *slope >= 0;
      }
      if (!safe)
        refuse("TF4019", r.at, "a read of '" + arrays_.at(r.object).name + "' that an earlier iteration may have written",
               "the array itself would be the carried state", "keep the previous value in a variable");
    }
  }
}

//! Flags of the loop (break, return) and, where there are some, the induction variables as they are at the exit.
void executor::close_exits(const memory& entry, const iteration& it, summary& s) {
  s.exited = boolean(false);
  struct flag {
    int cell;
    const char* name;
  };
  for (const auto& [cell, name] : {flag{s.broken, "left"}, flag{frames_.back().returned, "returned"}}) {
    const term raised = it.after.cells.at(cell).scalar;
    if (is_number(raised, 0)) continue;
    const std::string unique = s.fresh_name(name);
    const term x = symbol(symbol_kind::state, s.prefix + unique, boolean_type);
    const leaf l{.object = cell};
    s.done.state.push_back({unique, boolean_type, x, boolean(false), logical_or(x, raised), {}, {}, objects_.at(cell).where});
    s.symbols[l] = x;
    s.carried.push_back(l);
    s.exited = logical_or(s.exited, x);
  }
  if (is_number(s.exited, 0)) return;
  for (const auto& [l, by] : s.closed) {
    const term start = get(entry, l), form = closed_form(entry, l, by, s.k);
    const std::string unique = s.fresh_name(leaf_name(l));
    const term x = symbol(symbol_kind::state, s.prefix + unique, start->type);
    // The exit may be anywhere: the leaves of the select tree differ from the iteration's start by constants.
    const std::function<term(term)> relative = [&](term t) -> term {
      if (t->is(op::select)) {
        const term a = relative(t->args[1]), b = relative(t->args[2]);
        return a && b ? select(t->args[0], a, b) : term{};
      }
      const polynomial moved = to_polynomial(t) - to_polynomial(form);
      const bool fixed = std::none_of(moved.terms.begin(), moved.terms.end(), [&](const auto& m) {
        return std::any_of(m.first.begin(), m.first.end(), [&](term a) { return varies(a, s.k); });
      });
      return fixed ? moved.is_zero() ? x : add(x, to_term(moved, start->type)) : term{};
    };
    const term step = relative(get(it.after, l));
    if (!step) {
      if (exploring_) continue;
      refuse_at("TF4018", objects_.at(l.object).where, "'" + leaf_name(l) + "' at the end of a loop that may be left early",
                "where it stands then is not understood", "keep what is needed in a variable of its own");
    }
    s.done.state.push_back({unique, start->type, x, start, step, {}, {}, objects_.at(l.object).where});
    s.symbols[l] = x;
    s.carried.push_back(l);
  }
}

//! A variable without a value before the loop must not be used by the first iteration, other than to be handed on.
void executor::check_indeterminate(const loop_form& f, const memory& entry, const summary& s) const {
  substitution first{{s.k, number(0L, long_type)}};
  std::vector<term> unknown;
  for (const carried& v : s.done.state) {
    const auto at = std::find_if(s.symbols.begin(), s.symbols.end(), [&](const auto& x) { return x.second == v.symbol; });
    const bool local_array = at->first.what == leaf::kind::base || at->first.what == leaf::kind::entry;
    const bool indeterminate = at->first.what != leaf::kind::lag && !get(entry, at->first) &&
                               !(local_array && arrays_.at(at->first.object).external) &&
                               !(at->first.what == leaf::kind::entry && entry.arrays.at(at->first.object).base);
    const term own = v.extent ? read(v.symbol, {position()}, v.type) : v.symbol;
    const term x = indeterminate ? symbol(symbol_kind::opaque, "?" + v.name, v.type) : v.init;
    if (indeterminate) unknown.push_back(x);
    first[own] = x;
  }
  const std::function<bool(term, term)> hands_on = [&](term t, term x) -> bool {
    if (t == x || !mentions(t, x)) return true;
    return t->is(op::select) && !mentions(t->args[0], x) && hands_on(t->args[1], x) && hands_on(t->args[2], x);
  };
  for (const carried& v : s.done.state)
    for (term x : unknown)
      if (!hands_on(substitute(v.step, first), x))
        refuse("TF4005", f.at, "a variable that is read before it has a value ('" + x->name.substr(1) + "')",
               "its value would be indeterminate", "initialise it before the loop");
}

//! The entry of the iteration before: at first what the array holds before the loop's first entry, then what was just written.
void executor::close_lag(const loop_form& f, const memory& entry, const iteration& it, summary& s, const leaf& l) {
  const array_info& info = arrays_.at(l.object);
  const term at = to_term(to_polynomial(substitute(l.index[0], {{s.k, number(0L, long_type)}})));
  term init, written;
  const contents& before = entry.arrays.at(l.object);
  for (const auto& e : before.entries)
    if (distance(e.index[0], at) == mpz_class(0)) init = e.value;
  if (!init) init = before.base ? substitute(before.base, {{position(), at}}) : original(info, {at});
  if (!init)
    refuse("TF4005", f.at, "a read of '" + info.name + "' before it is written", "its value would be indeterminate",
           "write the first entry before the loop");
  const term slope = to_term(affine_in(to_polynomial(l.index[0]), s.k)->slope);
  for (const auto& e : it.after.arrays.at(l.object).entries)
    if (distance(e.index[0], l.index[0]) == distance(slope, number(0L, long_type))) written = e.value;
  s.done.state.push_back({.name = s.symbols.at(l)->name,
                          .type = info.element,
                          .symbol = s.symbols.at(l),
                          .init = init,
                          .step = written ? written : s.symbols.at(l),
                          .where = objects_.at(l.object).where});
}

//! A vector of which a loop updates a part would be read as that part.
void executor::check_size(const loop_form& f, const array_info& info, int object) const {
  const term size = info.extents[0];
  if (exploring_ || !size || size->is(op::number) || !lengths_.contains(object)) return;
  const term updated = lengths_.at(object);
  const std::string assumed = info.name + ".size() is the number of iterations";
  const auto& all = recording_.assumptions;
  if (to_polynomial(size) == to_polynomial(updated) || std::find(all.begin(), all.end(), assumed) != all.end()) return;
  refuse("TF4022", f.at, "the vector '" + info.name + "' as state",
         "it has " + to_text(size) + " entries, of which " + to_text(updated) + " are updated",
         "give it as many entries as the loop over them visits");
}

void executor::close_states(const loop_form& f, const memory& entry, const iteration& it, summary& s) {
  for (const leaf& l : s.carried) {
    if (l.what == leaf::kind::lag) {
      close_lag(f, entry, it, s, l);
      continue;
    }
    const bool vector = l.what == leaf::kind::base;
    const array_info* info = arrays_.contains(l.object) ? &arrays_.at(l.object) : nullptr;
    term init = get(entry, l);
    if (!init && info) init = vector ? original(*info, {position()}) : original(*info, l.index);
    if (!init && l.what == leaf::kind::entry && entry.arrays.at(l.object).base)
      init = substitute(entry.arrays.at(l.object).base, {{position(), l.index[0]}});
    const type t = type_of(it.after, l, arrays_);
    if (!init) init = number(0L, t);  // indeterminate: any value will do
    carried v{.name = s.symbols.at(l)->name,
              .type = t,
              .symbol = s.symbols.at(l),
              .init = init,
              .step = get(it.after, l),
              .where = objects_.at(l.object).where};
    if (vector) {
      check_size(f, *info, l.object);
      v.extent = info->extents[0] ? info->extents[0] : written_counts_.contains(l.object) ? written_counts_.at(l.object) : term{};
      if (written_counts_.contains(l.object) && info->extents[0] && !info->extents[0]->is(op::number))
        v.extent = written_counts_.at(l.object);
      if (!v.extent && !exploring_)
        refuse("TF4020", f.at, "the vector '" + info->name + "' as state", "its length is not known",
               "initialise it in a loop over its length");
    }
    s.done.state.push_back(std::move(v));
  }
  if (!exploring_) check_indeterminate(f, entry, s);
  close_exits(entry, it, s);
  if (s.depth > 0) return close_folds(f, entry, it, s);
  for (carried& v : s.done.state) {
    const bool flag = v.symbol->type.kind == sort::boolean && mentions(s.exited, v.symbol);
    if (!flag) v.step = select(s.exited, v.extent ? read(v.symbol, {position()}, v.type) : v.symbol, v.step);
    const int n = ++recording_.result_names[v.name];
    v.result = symbol(symbol_kind::result, n == 1 ? v.name : v.name + "@" + std::to_string(n - 1), v.type);
  }
  for (std::size_t i = 0; i < s.carried.size(); ++i) {
    const carried& v = s.done.state[i];
    s.finals[s.carried[i]] = v.extent ? read(v.result, {position()}, v.type) : v.result;
  }
}

substitution executor::summary::prefix_folds(const std::string& bound) const {
  substitution r;
  const term index = symbol(symbol_kind::inner_index, bound, long_type);
  for (const frontend::carried& v : done.state) {
    const bool alone = std::none_of(symbols.begin(), symbols.end(),
                                    [&](const auto& other) { return other.second != v.symbol && mentions(v.step, other.second); });
    if (v.extent || !alone || mentions(v.init, k)) continue;
    const term body = substitute(v.step, {{v.symbol, symbol(symbol_kind::accumulator, bound, v.type)}, {k, index}});
    r[v.symbol] = inner_fold(bound, cast(k, long_type), v.init, body);
  }
  return r;
}

namespace {

//! init ⊕ fold(neutral, …) for body = acc ⊕ g: what is carried by an outer loop stays outside of the opaque fold.
std::optional<term> pulled_out(const std::string& name, term count, term init, term acc, term body) {
  const auto neutral = [&]() -> term {
    switch (body->kind) {
      case op::add:
      case op::bit_or:
      case op::bit_xor:
        return number(0L, body->type);
      case op::mul:
        return number(1L, body->type);
      case op::max:
        return minus_infinity(body->type);
      case op::min:
        return infinity(body->type);
      case op::logical_and:
        return boolean(true);
      case op::logical_or:
        return boolean(false);
      default:
        return {};
    }
  }();
  if (!neutral || init == neutral || body->args.size() != 2) return std::nullopt;
  const int at = body->args[0] == acc ? 0 : body->args[1] == acc ? 1 : -1;
  if (at < 0 || mentions(body->args[static_cast<std::size_t>(1 - at)], acc)) return std::nullopt;
  return make(body->kind, {init, inner_fold(name, count, neutral, body)}, body->type);
}

}  // namespace

void executor::close_folds(const loop_form& f, const memory& entry, const iteration& it, summary& s) {
  (void)entry;
  if (!is_number(it.exit, 0) && !exploring_)
    refuse("TF4021", f.at, "an inner loop that may be left early", "an inner loop is read as a fold over its whole dimension",
           "use a flag, or walk the whole dimension");
  const std::string name = s.depth == 1 ? "t" : "t" + std::to_string(s.depth);
  const term index = symbol(symbol_kind::inner_index, name, long_type);
  for (std::size_t i = 0; i < s.carried.size() && i < s.done.state.size(); ++i) {
    const carried& v = s.done.state[i];
    const leaf& l = s.carried[i];
    if (l.what == leaf::kind::base) {
      if (!exploring_)
        refuse("TF4017", f.at, "a vector that is carried by two nested loops", "only the outermost loop carries vectors",
               "write each component once per iteration");
      s.finals[l] = v.step;
      continue;
    }
    const auto stands_alone = [&](term step) {
      return std::all_of(s.symbols.begin(), s.symbols.end(),
                         [&](const auto& other) { return other.second == v.symbol || !mentions(step, other.second); });
    };
    term step = v.step;
    if (!stands_alone(step)) {  // what it reads of others is what these are by then
      substitution others = s.prefix_folds(name + "s");
      others.erase(v.symbol);
      step = substitute(step, others);
    }
    if (!stands_alone(step) && !exploring_)
      refuse("TF4017", f.at,
             "an inner loop that carries several variables which depend on each other ('" + v.name.substr(s.prefix.size()) + "')",
             "an inner loop is read as one fold per variable", "make it one variable, or move it into a loop of its own");
    const term acc = symbol(symbol_kind::accumulator, name, v.type);
    const term body = substitute(step, {{v.symbol, acc}, {s.k, index}});
    const auto pulled = pulled_out(name, s.count, v.init, acc, body);
    s.finals[l] = pulled ? *pulled : inner_fold(name, s.count, v.init, body);
  }
}

}  // namespace twofold::analyser::frontend
