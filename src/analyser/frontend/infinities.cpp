// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `m == -INFINITY`: symbols stand for finite numbers, but a variable that starts at −inf is infinite until it has seen an
//! element. Such comparisons are kept as they are while the function runs, and become a boolean here: `m_set`, false at first, true
//! once m is finite. Where the comparison makes no difference (l·e^(m−m') is 0 anyway for l = 0), it goes.
#include <algorithm>
#include <functional>

#include "frontend/extended.hpp"
#include "frontend/passes.hpp"
#include "frontend/refusal.hpp"

namespace twofold::analyser::frontend {
namespace {

bool is_infinite(term t) { return t->is(op::infinity) || t->is(op::minus_infinity); }
bool has_infinity(term t) {
  return contains(t, [](const node& n) { return n.is(op::infinity) || n.is(op::minus_infinity); });
}
bool is_mark(const node& n) { return n.is(op::call) && !n.name.empty() && n.name[0] == '@'; }

term folded(const node& mark, term a, term b) {
  return mark.name == "@less" ? less(a, b) : mark.name == "@less_equal" ? less_equal(a, b) : equal(a, b);
}

term without_casts(term t) {
  while (t->is(op::cast) && t->args[0]->type.kind == sort::real) t = t->args[0];
  return t;
}

std::vector<term> marks_in(term t) {
  std::vector<term> out;
  if (t)
    (void)contains(t, [&](const node& n) {
      if (is_mark(n)) out.emplace_back(&n);
      return false;
    });
  std::sort(out.begin(), out.end());
  return out;
}

[[noreturn]] void refuse_mark(const location& at) {
  refuse_at("TF4038", at, "a comparison with infinity", "whether the carried variable is infinite here is not known",
            "keep a flag that says whether an element was seen");
}

//! Is the value finite, given which variables are? Null: not known.
class finiteness {
 public:
  finiteness(const record& l, const std::map<term, term>& flags) : loop_(l), flags_(flags) {}

  term of(term t) const {
    if (is_infinite(t)) return boolean(false);
    if (auto f = flags_.find(t); f != flags_.end()) return f->second;
    if (!touches(t)) return boolean(true);
    switch (t->kind) {
      case op::cast:
      case op::neg:
        return of(t->args[0]);
      case op::max:
      case op::min: {
        const bool loses = starts_at(t, t->is(op::max) ? op::minus_infinity : op::infinity);  // the infinity loses against any number
        const bool wins = starts_at(t, t->is(op::max) ? op::infinity : op::minus_infinity);
        if (!loses && !wins) return {};
        const term a = of(t->args[0]), b = of(t->args[1]);
        return a && b ? (loses ? logical_or(a, b) : logical_and(a, b)) : term{};
      }
      case op::select: {
        const term a = of(t->args[1]), b = of(t->args[2]);
        return a && b ? select(t->args[0], a, b) : term{};
      }
      case op::add: {
        const term a = of(t->args[0]), b = of(t->args[1]);
        return a && b ? logical_and(a, b) : term{};
      }
      default:
        return {};
    }
  }

 private:
  bool touches(term t) const {
    return has_infinity(t) || std::any_of(flags_.begin(), flags_.end(), [&](const auto& f) { return mentions(t, f.first); });
  }
  bool starts_at(term t, op which) const {
    return std::all_of(loop_.state.begin(), loop_.state.end(),
                       [&](const carried& v) { return !flags_.contains(v.symbol) || !mentions(t, v.symbol) || v.init->is(which); });
  }
  const record& loop_;
  const std::map<term, term>& flags_;
};

//! What each mark of t means, `flags` saying of which variables it is known whether they are finite.
substitution meanings(term t, const std::map<term, term>& starts, const std::map<term, term>& flags, const location& at) {
  substitution s;
  for (term m : marks_in(t)) {
    const bool left = is_infinite(m->args[1]);
    const term y = without_casts(m->args[left ? 0 : 1]), limit = m->args[left ? 1 : 0];
    const auto compare = [&](term v) { return left ? folded(*m, v, limit) : folded(*m, limit, v); };
    if (auto f = flags.find(y); f != flags.end()) {
      s[m] = select(f->second, compare(y), compare(starts.at(y)));
      continue;
    }
    substitution first;
    for (const auto& [symbol, start] : starts)
      if (is_infinite(start)) first[symbol] = start;
    if (has_infinity(substitute(y, first))) refuse_mark(at);
    s[m] = compare(y);
  }
  return s;
}

}  // namespace

term marked_comparison(op kind, term a, term b) {
  const bool left = is_infinite(a);
  if (left == is_infinite(b) || is_constant(left ? b : a)) return make(kind, {a, b}, boolean_type);
  const term value = without_casts(left ? b : a);
  // A value chosen between an element and infinity is compared on either side of the choice.
  if (value->is(op::select) && has_infinity(value)) {
    const auto branch = [&](term v) { return left ? marked_comparison(kind, a, v) : marked_comparison(kind, v, b); };
    return select(value->args[0], branch(value->args[1]), branch(value->args[2]));
  }
  const bool may_be_infinite = has_infinity(value) || contains(value, [](const node& n) {
                                 return n.is_symbol(symbol_kind::state) || n.is_symbol(symbol_kind::result);
                               });
  if (!may_be_infinite) return make(kind, {a, b}, boolean_type);
  return call(kind == op::less ? "@less" : kind == op::less_equal ? "@less_equal" : "@equal", {a, b}, boolean_type);
}

bool may_be_nan(term t) {
  return contains(t, [](const node& n) { return n.is(op::nan); });
}

term with_infinite_results(term t, const std::map<term, term>& finite, const std::map<term, term>& infinite) {
  if (!t || infinite.empty()) return t;
  if (const auto v = infinite.find(t); v != infinite.end()) return select(finite.at(t), t, v->second);
  if (t->args.empty()) return t;
  const std::vector<term> parts(t->args.begin(), t->args.end());
  if (t->is(op::select)) {  // where the flag itself is asked, a branch knows it
    const bool negated = parts[0]->is(op::logical_not);
    const term flag = negated ? parts[0]->args[0] : parts[0];
    std::map<term, term> still = infinite;
    std::erase_if(still, [&](const auto& v) { return finite.at(v.first) == flag; });
    if (still.size() < infinite.size())
      return select(parts[0], with_infinite_results(parts[1], finite, negated ? infinite : still),
                    with_infinite_results(parts[2], finite, negated ? still : infinite));
  }
  std::vector<term> args;
  for (term a : parts) args.push_back(with_infinite_results(a, finite, infinite));
  return rebuild(t, std::move(args));
}

std::map<term, term> resolve_infinities(record& l, const std::map<term, term>& earlier_starts, const std::map<term, term>& earlier_finite,
                                        std::map<term, term>& infinite) {
  std::map<term, term> starts, flags, results;
  // An iteration has an element, so what is finite from the first element on is finite here.
  for (const auto& [result, flag] : earlier_finite)
    if (flag->is_symbol(symbol_kind::result)) flags[result] = flag, starts[result] = earlier_starts.at(result);
  const auto all = [&] {
    std::vector<term*> terms;
    for (carried& v : l.state) terms.push_back(&v.step);
    for (written& w : l.writes) terms.push_back(&w.value);
    return terms;
  };
  bool marked = false;
  for (term* t : all()) marked |= !marks_in(*t).empty();
  for (const carried& v : l.state) {
    if (may_be_nan(v.init) || may_be_nan(v.step))
      refuse_at("TF4038", v.where, "a variable that holds NaN ('" + v.name + "')", "verdicts are about numbers, and NaN is none",
                "keep a flag that says whether there is a value");
    if (v.extent) continue;
    starts[v.symbol] = v.init;
    if (is_infinite(v.init)) flags[v.symbol] = symbol(symbol_kind::state, fresh_name(l, v.name + "_set"), boolean_type);
  }
  if (marked)
    for (term* t : all()) {
      const substitution s = meanings(*t, starts, flags, l.where);
      // marks may stand in the conditions of marks: innermost first, by order of creation
      term r = *t;
      for (const auto& [mark, meaning] : s) r = substitute(r, {{mark, meaning}});
      if (!marks_in(r).empty()) refuse_mark(l.where);
      *t = r;
    }
  const finiteness finite(l, flags);
  std::vector<carried> added;
  substitution known;
  std::map<term, term> finite_steps;
  for (carried& v : l.state) {
    if (!flags.contains(v.symbol)) continue;
    const term flag = flags.at(v.symbol), step = finite.of(v.step);
    const bool used = std::any_of(l.state.begin(), l.state.end(), [&](const carried& x) { return mentions(x.step, flag); }) ||
                      std::any_of(l.writes.begin(), l.writes.end(), [&](const written& w) { return mentions(w.value, flag); });
    finite_steps[v.symbol] = step;
    if (!step) {
      if (used) refuse_mark(v.where);
      continue;
    }
    const term result = symbol(symbol_kind::result, flag->name, boolean_type);
    if (is_number(step, 1)) {
      // finite from the first element on: without elements it is not
      results[v.result] = less(number(0L, l.count->type), l.count);
      if (used) {
        substitution first, later;
        for (const carried& x : l.state)
          if (!x.extent) first[x.symbol] = later[x.symbol] = x.init;
        first[flag] = boolean(false), later[flag] = boolean(true);
        const bool same = std::all_of(l.state.begin(), l.state.end(),
                                      [&](const carried& x) { return substitute(x.step, first) == substitute(x.step, later); }) &&
                          l.writes.empty();
        if (same) {
          known[flag] = boolean(true);
          continue;
        }
      }
    } else {
      results[v.result] = result;
    }
    if (used || !is_number(step, 1)) added.push_back({flag->name, boolean_type, flag, boolean(false), step, result, {}, v.where});
  }
  for (term* t : all()) *t = substitute(*t, known);
  for (carried& f : added) {
    f.step = substitute(f.step, known);
    l.state.push_back(f);
  }
  std::erase_if(flags, [&](const auto& f) { return known.contains(f.second); });
  for (const auto& [result, start] : without_infinite_states(l, flags, finite_steps)) {
    infinite[result] = start;
    const auto v = std::find_if(l.state.begin(), l.state.end(), [&](const carried& c) { return c.result == result; });
    const term flag = flags.at(v->symbol), flag_result = symbol(symbol_kind::result, flag->name, boolean_type);
    // what is finite from the first element on keeps saying so
    if (const auto known_finite = results.find(result);
        known_finite == results.end() || known_finite->second->is_symbol(symbol_kind::result))
      results[result] = flag_result;
    if (std::none_of(l.state.begin(), l.state.end(), [&](const carried& c) { return c.symbol == flag; }))
      l.state.push_back(
          {flag->name, boolean_type, flag, boolean(false), substitute(finite_steps.at(v->symbol), known), flag_result, {}, v->where});
  }
  return results;
}

term resolve_results(term t, const std::map<term, term>& starts, const std::map<term, term>& finite, const location& at) {
  if (!t || marks_in(t).empty()) return t;
  const substitution s = meanings(t, starts, finite, at);
  for (const auto& [mark, meaning] : s) t = substitute(t, {{mark, meaning}});
  if (!marks_in(t).empty()) refuse_mark(at);
  return t;
}

}  // namespace twofold::analyser::frontend
