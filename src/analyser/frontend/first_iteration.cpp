// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The first iteration's special case. `m = x[0]; for (i = 1; …)` and `if (i == 0) m = x[0]` both treat the first element by
//! another rule. Where some literal start makes the ordinary step do the same (−inf for a maximum), the loop is the ordinary one;
//! else a carried boolean `started`, false at first, chooses the rule.
#include <algorithm>
#include <functional>
#include <optional>

#include "frontend/passes.hpp"
#include "frontend/refusal.hpp"

namespace twofold::analyser::frontend {
namespace {

using looped_arrays = std::map<term, std::vector<affine_form>>;  // array symbol → positions read, affine in the iteration

bool is_array_read(const node& n) { return n.is(op::read) && n.args[0]->is_symbol(symbol_kind::array); }

void collect_looped(term t, looped_arrays& out) {
  (void)contains(t, [&](const node& n) {
    if (is_array_read(n))
      if (auto f = affine_in(to_polynomial(n.args[1]), iteration_symbol(0)); f && !f->slope.is_zero()) out[n.args[0]].push_back(*f);
    return false;
  });
}

looped_arrays looped_in(const record& l) {
  looped_arrays out;
  for (const carried& v : l.state) collect_looped(v.step, out);
  for (const written& w : l.writes) collect_looped(w.value, out);
  return out;
}

//! Reads of looped arrays at a position that does not move, within t.
std::vector<term> fixed_reads(term t, const looped_arrays& looped) {
  std::vector<term> out;
  (void)contains(t, [&](const node& n) {
    if (is_array_read(n) && looped.contains(n.args[0]) && !mentions(to_polynomial(n.args[1]), iteration_symbol(0))) out.emplace_back(&n);
    return false;
  });
  return out;
}

//! t with each fixed read replaced by the loop's own read of which it is the value at iteration `at`; nothing if there is none.
std::optional<term> follow(term t, const looped_arrays& looped, long at) {
  const polynomial k = to_polynomial(iteration_symbol(0)), offset = to_polynomial(number(at, long_type));
  substitution s;
  for (term r : fixed_reads(t, looped)) {
    const auto& forms = looped.at(r->args[0]);
    const auto f = std::find_if(forms.begin(), forms.end(),
                                [&](const affine_form& x) { return x.rest + x.slope * offset == to_polynomial(r->args[1]); });
    if (f == forms.end()) return std::nullopt;
    std::vector<term> index(r->args.begin() + 1, r->args.end());
    index[0] = to_term(f->rest + f->slope * k);
    s[r] = read(r->args[0], index, r->type);
  }
  return substitute(t, s);
}

term started(record& l, recording& r) {
  if (l.started) return l.started;
  const std::string name = fresh_name(l, "started");
  l.started = symbol(symbol_kind::state, name, boolean_type);
  const int uses = ++r.result_names[name];
  const term result = symbol(symbol_kind::result, uses == 1 ? name : name + "@" + std::to_string(uses - 1), boolean_type);
  l.state.push_back({name, boolean_type, l.started, boolean(false), boolean(true), result, {}, l.where});
  return l.started;
}

term own_symbol(const carried& v) { return v.extent ? read(v.symbol, {position()}, v.type) : v.symbol; }

//! Shifts the iteration by one: iteration 0 is now the element before the loop's first.
void prepend_iteration(record& l) {
  const term k = iteration_symbol(0), before = sub(k, number(1L, long_type));
  for (carried& v : l.state) v.step = substitute(v.step, {{k, before}});
  for (written& w : l.writes) w.index = substitute(w.index, {{k, before}}), w.value = substitute(w.value, {{k, before}});
  l.count = to_term(to_polynomial(l.count) + to_polynomial(number(1L, long_type)));
  l.first = to_term(l.direction == 1 ? to_polynomial(l.first) - to_polynomial(number(1L, long_type))
                                     : to_polynomial(l.first) + to_polynomial(number(1L, long_type)));
}

//! Positions as polynomials: x[1 + (-1)] is x[0].
term normal_positions(term t) {
  substitution r;
  (void)contains(t, [&](const node& n) {
    if (!is_array_read(n)) return false;
    std::vector<term> index;
    for (std::size_t i = 1; i < n.args.size(); ++i) index.push_back(to_term(to_polynomial(n.args[i])));
    r[term(&n)] = read(n.args[0], index, n.type);
    return false;
  });
  return substitute(t, r);
}

//! Literal starts of the `special` variables under which the ordinary step of iteration `at` leads to what it should: at −1
//! (before the loop's first) to the present starts, at 0 to what it leads to from the present starts.
std::optional<std::vector<term>> neutral_starts(const record& l, const std::vector<std::size_t>& special, long at) {
  if (special.size() > 3) return std::nullopt;
  const auto candidates = [](type t) {
    return t.kind == sort::boolean ? std::vector<term>{boolean(false), boolean(true)}
                                   : std::vector<term>{minus_infinity(t), infinity(t), number(0L, t), number(1L, t)};
  };
  std::vector<term> starts;
  for (const carried& v : l.state) starts.push_back(v.init);
  const auto first_step = [&](const std::vector<term>& from, const carried& v) {
    substitution s{{iteration_symbol(0), number(at, long_type)}};
    for (std::size_t i = 0; i < l.state.size(); ++i) s[own_symbol(l.state[i])] = from[i];
    return normal_positions(substitute(v.step, s));
  };
  const auto output_at_first = [&](const std::vector<term>& from, const written& w) {
    substitution s{{iteration_symbol(0), number(at, long_type)}};
    for (std::size_t i = 0; i < l.state.size(); ++i) s[own_symbol(l.state[i])] = from[i];
    return normal_positions(substitute(w.value, s));
  };
  std::vector<term> wanted;
  for (const carried& v : l.state) wanted.push_back(normal_positions(at < 0 ? v.init : first_step(starts, v)));
  const std::function<bool(std::size_t)> search = [&](std::size_t i) {
    if (i == special.size()) {
      for (const written& w : l.writes)
        if (w.head && output_at_first(starts, w) != normal_positions(w.head)) return false;
      for (std::size_t v = 0; v < l.state.size(); ++v)
        if (first_step(starts, l.state[v]) != wanted[v]) return false;
      return true;
    }
    for (term c : candidates(l.state[special[i]].type)) {
      starts[special[i]] = c;
      if (search(i + 1)) return true;
    }
    return false;
  };
  if (!search(0)) return std::nullopt;
  return starts;
}

//! offset[0] = 0 before offset[i + 1] = …: what stands there has nothing to do with the loop.
void set_heads_apart(record& l) {
  for (written& w : l.writes) {
    if (!w.head || contains(w.head, [](const node& n) {
          return n.is(op::read) || n.is_symbol(symbol_kind::state) || n.is_symbol(symbol_kind::result);
        }))
      continue;
    w.apart = w.head;
    w.head = {};
  }
}

void start_before_loop(record& l, recording& r, const looped_arrays& looped) {
  std::vector<std::size_t> special;
  for (std::size_t i = 0; i < l.state.size(); ++i)
    if (!fixed_reads(l.state[i].init, looped).empty()) special.push_back(i);
  const bool headed = std::any_of(l.writes.begin(), l.writes.end(), [](const written& w) { return static_cast<bool>(w.head); });
  if (special.empty() && !headed) return;
  r.assume("the range is not empty");
  const auto all_follow = [&](long at) {
    return std::all_of(special.begin(), special.end(), [&](std::size_t i) { return follow(l.state[i].init, looped, at).has_value(); }) &&
           (at == -1 || !headed) && std::all_of(l.writes.begin(), l.writes.end(), [&](const written& w) {
             return !w.head || follow(w.head, looped, at).has_value();
           });
  };
  // The element that the start reads is the one before the loop's first, or the loop's first itself.
  const bool before = all_follow(-1);
  if (!before && !all_follow(0)) {
    const bool state = !special.empty();
    const location at = state ? site(r, l.state[special.front()].init, l.state[special.front()].where) : l.writes.front().where;
    refuse_at("TF4032", at,
              state ? "the start of '" + l.state[special.front()].name + "'" : std::string("the entry that is written before the loop"),
              "it reads an element that is neither the loop's first nor the one before it",
              "start from a constant or from the first element");
  }
  if (before)
    for (const auto& [array, forms] : looped)
      for (const affine_form& f : forms)
        if (const auto p = (f.rest - f.slope).constant(); p && *p < -1)
          refuse_at("TF4032", l.where, "a loop that looks back further than its start", "the first element would need one before it",
                    "start the loop where all its reads exist");
  if (before && std::any_of(l.writes.begin(), l.writes.end(), [](const written& w) { return !w.head; }))
    refuse_at("TF4032", l.writes.front().where, "an output that the loop writes from its second element on",
              "the first is treated before the loop", "write all entries in the loop");
  if (const auto starts = neutral_starts(l, special, before ? -1 : 0)) {
    if (before) prepend_iteration(l);
    for (written& w : l.writes) w.head = {};
    for (std::size_t i = 0; i < starts->size(); ++i) l.state[i].init = (*starts)[i];
    return;
  }
  const std::size_t count = l.state.size();
  std::vector<term> heads;
  for (const written& w : l.writes) heads.push_back(w.head ? *follow(w.head, looped, -1) : term{});
  std::vector<term> first;  // the state after the start, in terms of the iteration that reads its element
  for (const carried& v : l.state) first.push_back(*follow(v.init, looped, before ? -1 : 0));
  if (before) prepend_iteration(l);
  const term flag = started(l, r), k = iteration_symbol(0);
  substitution begin;
  for (std::size_t i : special) begin[own_symbol(l.state[i])] = first[i];
  for (std::size_t i = 0; i < count; ++i) {
    carried& v = l.state[i];
    const bool is_special = std::find(special.begin(), special.end(), i) != special.end();
    if (before) v.step = select(flag, v.step, is_special ? substitute(first[i], {{k, sub(k, number(1L, long_type))}}) : own_symbol(v));
    else v.step = select(flag, v.step, substitute(v.step, begin));
  }
  for (std::size_t i : special) l.state[i].init = number(0L, l.state[i].type);
  for (std::size_t i = 0; i < heads.size(); ++i)
    if (heads[i])
      l.writes[i].value = select(flag, l.writes[i].value, substitute(heads[i], {{k, sub(k, number(1L, long_type))}})),
      l.writes[i].head = {};
}

//! Whether a comparison of the iteration with constants tells the first iteration (1), all others (-1), or neither (0).
int tells_first(const node& n) {
  if (!n.is(op::less) && !n.is(op::less_equal) && !n.is(op::equal)) return 0;
  if (n.args[0]->type.kind != sort::integer) return 0;
  if (widens_what_wraps(n.args[0], iteration_symbol(0)) || widens_what_wraps(n.args[1], iteration_symbol(0))) return 0;
  const auto f = affine_in(to_polynomial(n.args[1]) - to_polynomial(n.args[0]), iteration_symbol(0));
  if (!f || f->slope.is_zero()) return 0;
  const auto slope = f->slope.constant(), rest = f->rest.constant();
  if (!slope || !rest) return 0;
  const auto holds = [&](long k) {
    const mpz_class d = *slope * k + *rest;
    return n.is(op::equal) ? d == 0 : n.is(op::less) ? d > 0 : d >= 0;
  };
  bool later = holds(1);
  for (long at : {2L, 3L, 1L << 40})
    if (holds(at) != later) return 0;
  // between the samples a comparison with a line changes at most once, an equality not at all unless it holds there
  if (n.is(op::equal) && !holds(0)) return 0;
  if (holds(0) == later) return 0;
  return holds(0) ? 1 : -1;
}

void first_inside_loop(record& l, recording& r, const looped_arrays& looped) {
  substitution flags;
  const auto visit = [&](term t) {
    (void)contains(t, [&](const node& n) {
      if (const int which = tells_first(n); which != 0) flags[term(&n)] = which == 1 ? logical_not(started(l, r)) : started(l, r);
      return false;
    });
  };
  const std::size_t count = l.state.size();
  for (std::size_t i = 0; i < count; ++i) visit(l.state[i].step);
  for (const written& w : l.writes) visit(w.value);
  if (flags.empty()) return;
  const term flag = started(l, r);
  const auto rewrite = [&](term t) {
    t = substitute(t, flags);
    // in the first iteration x[0] is the loop's own element
    substitution first;
    (void)contains(t, [&](const node& n) {
      if (n.is(op::select) && n.args[0] == flag)
        if (auto followed = follow(n.args[2], looped, 0)) first[term(&n)] = select(flag, n.args[1], *followed);
      return false;
    });
    return substitute(t, first);
  };
  for (std::size_t i = 0; i < count; ++i) l.state[i].step = rewrite(l.state[i].step);
  for (written& w : l.writes) w.value = rewrite(w.value);
}

//! Does the first iteration make use of x, which has no value then? What is known of it decides: the starts, and its number.
bool first_uses(const record& l, term x) {
  substitution s{{iteration_symbol(0), number(0L, long_type)}};
  for (const carried& v : l.state)
    if (v.symbol != x) s[own_symbol(v)] = v.init;
  return std::any_of(l.state.begin(), l.state.end(), [&](const carried& v) { return mentions(substitute(v.step, s), x); }) ||
         std::any_of(l.writes.begin(), l.writes.end(), [&](const written& w) { return mentions(substitute(w.value, s), x); });
}

//! y[i] = i > 0 ? f(y[i - 1]) : …: what lies before the first entry is never seen.
void forget_unused_starts(record& l) {
  for (carried& v : l.state) {
    const bool before =
        contains(v.init, [](const node& n) { return is_array_read(n) && n.args[1]->is(op::number) && n.args[1]->value < 0; });
    if (!before || v.extent || first_uses(l, v.symbol)) continue;
    for (written& w : l.writes)
      if (w.head == v.init) w.head = {};
    v.init = number(0L, v.type);
  }
}

//! x[i - 1] in a loop that starts at 0, or that reads x[i] as well, where the first iteration makes no use of it: the previous element is
//! carried.
void carry_previous(record& l, recording& r, const looped_arrays& looped) {
  const term k = iteration_symbol(0);
  substitution previous;
  std::vector<carried> added;
  const auto visit = [&](term t) {
    (void)contains(t, [&](const node& n) {
      if (!is_array_read(n) || n.args.size() != 2) return false;
      const auto f = affine_in(to_polynomial(n.args[1]), k);
      const auto slope = f ? f->slope.constant() : std::nullopt, rest = f ? f->rest.constant() : std::nullopt;
      if (!slope || !rest || *slope != 1 || *rest != -1) return false;
      const auto& forms = looped.at(n.args[0]);
      if (!is_number(l.first, 0) && std::none_of(forms.begin(), forms.end(), [](const affine_form& x) { return x.rest.is_zero(); }))
        return false;
      const std::string name = fresh_name(l, n.args[0]->name + "_prev");
      const term x = symbol(symbol_kind::state, name, n.type);
      if (previous.emplace(term(&n), x).second &&
          std::none_of(added.begin(), added.end(), [&](const carried& v) { return v.symbol == x; })) {
        const int uses = ++r.result_names[name];
        added.push_back({name,
                         n.type,
                         x,
                         number(0L, n.type),
                         read(n.args[0], {k}, n.type),
                         symbol(symbol_kind::result, uses == 1 ? name : name + "@" + std::to_string(uses - 1), n.type),
                         {},
                         l.where});
      }
      return false;
    });
  };
  for (const carried& v : l.state) visit(v.step);
  for (const written& w : l.writes) visit(w.value);
  for (carried& v : l.state) v.step = substitute(v.step, previous);
  for (written& w : l.writes) w.value = substitute(w.value, previous);
  for (const auto& [was, x] : previous)
    if (first_uses(l, x))
      refuse_at("TF4035", site(r, was, l.where), "a read of '" + was->args[0]->name + "' before its first entry",
                "the first iteration would read position -1", "start the loop where all its reads exist");
  l.state.insert(l.state.end(), added.begin(), added.end());
}

}  // namespace

void treat_first_iteration(record& l, recording& r, const evaluated_later& later) {
  first_inside_loop(l, r, looped_in(l));
  forget_unused_starts(l);
  set_heads_apart(l);
  carry_read_entries(l, r, later);
  const looped_arrays looped = looped_in(l);
  start_before_loop(l, r, looped);
  carry_previous(l, r, looped_in(l));
}

}  // namespace twofold::analyser::frontend
