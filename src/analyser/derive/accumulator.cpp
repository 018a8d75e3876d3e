// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Direct accumulators: v' = v ⊕ g(x) for a monoid ⊕. g is what the step gives at the identity of ⊕; that the step is
//! v ⊕ g(x) at every v is seen on exact samples and proved by the checker, so the spelling (select, guard, swapped operands) does not
//! matter.
#include "derive/part.hpp"
#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {
namespace {

struct monoid {
  const char* name;
  term identity;
  term (*combine)(term, term);
  bool idempotent;
};

term bits(op k, term a, term b) { return make(k, {a, b}, a->type); }

std::vector<monoid> monoids_of(type t) {
  if (t.kind == sort::boolean)
    return {{"and", boolean(true), logical_and, true},
            {"or", boolean(false), logical_or, true},
            {"xor", boolean(false), [](term a, term b) { return logical_not(equal(a, b)); }, false}};
  std::vector<monoid> m{{"+", number(0, t), add, false}, {"*", number(1, t), mul, false}};
  m.push_back({"max", minus_infinity(t), max, true});
  m.push_back({"min", infinity(t), min, true});
  if (t.kind == sort::integer) {
    m.push_back({"|", number(0, t), [](term a, term b) { return bits(op::bit_or, a, b); }, true});
    m.push_back({"&", number(-1, t), [](term a, term b) { return bits(op::bit_and, a, b); }, true});
    m.push_back({"^", number(0, t), [](term a, term b) { return bits(op::bit_xor, a, b); }, false});
  }
  return m;
}

//! a ⊕ b where both pieces began with s0 = init: what one init too many needs. Null where there is no inverse.
term without_second_init(const monoid& m, term merge, term init) {
  if (m.idempotent || init == m.identity) return merge;
  const std::string op = m.name;
  if (op == "+") return sub(merge, init);
  if (op == "*" && init->type.kind == sort::real && init->is(op::number) && !is_number(init, 0)) return div(merge, init);
  if (op == "^") return bits(op::bit_xor, merge, init);
  if (op == "xor") return init == boolean(true) ? logical_not(merge) : merge;
  return {};
}

//! v' = f(v, x) for a function that is a monoid on its own: gcd, lcm.
std::optional<term> known_function(const state_variable& v) {
  const term s = v.step;
  if (!s->is(op::call) || s->args.size() != 2) return std::nullopt;
  const bool associative = s->name == "gcd" || s->name == "lcm" || s->name == "std::gcd" || s->name == "std::lcm" || s->name == "hypot";
  const bool first = s->args[0] == v.symbol, second = s->args[1] == v.symbol;
  if (!associative || first == second || has_state(s->args[first ? 1 : 0])) return std::nullopt;
  const bool lcm = s->name.ends_with("lcm");
  if (!is_number(v.init, lcm ? 1 : 0)) return std::nullopt;
  return call(s->name, {left_of(v.symbol), right_of(v.symbol)}, s->type);
}

}  // namespace

std::optional<part_result> accumulator(const part& p, std::vector<std::string>&) {
  if (p.variables.size() != 1) return std::nullopt;
  const state_variable& v = *p.variables[0];
  part_result r;
  r.mechanism = "accumulator";
  candidate::variable c = carried(v);
  if (const auto merge = known_function(v)) {
    c.merge = *merge;
    r.variables.push_back(c);
    return r;
  }
  if (!has_state(v.step)) {  // keeps the last element's value
    c.merge = right_of(v.symbol);
    r.mechanism = "last";
    r.variables.push_back(c);
    return r;
  }
  for (const monoid& m : monoids_of(v.type)) {
    const term g = substitute(v.step, {{v.symbol, m.identity}});
    if (has_state(g)) continue;
    // A latch differs at few points only; where few points are exact (exp, log), one that agrees says nothing.
    if (!same_on_samples(v.step, m.combine(v.symbol, g)) || !same_on_samples(v.step, m.combine(v.symbol, g), 400)) continue;
    const bool guarded = has_infinity(g);
    // no element need count (a key that does not occur): the state is then the infinity that it starts from
    if (guarded && has_infinity(v.init) && (v.type.kind != sort::real || v.init != m.identity)) continue;
    c.merge = without_second_init(m, m.combine(left_of(v.symbol), right_of(v.symbol)), v.init);
    if (!c.merge) continue;
    if (m.idempotent && v.init != m.identity) r.invariant.push_back(equal(m.combine(v.symbol, v.init), v.symbol));
    if (std::string(m.name) == "max" && v.init != m.identity) r.invariant = {less_equal(v.init, v.symbol)};
    if (std::string(m.name) == "min" && v.init != m.identity) r.invariant = {less_equal(v.symbol, v.init)};
    if (std::string(m.name) == "+" && g->is(op::number) && sgn(g->value) > 0 && v.init->is(op::number) && sgn(v.init->value) >= 0 &&
        !v.type.is_modular())
      r.invariant.push_back(less_equal(add(v.init, g), v.symbol));
    r.coordinates.push_back({v.name, m.name, v.symbol, guarded ? term() : lift_of(v, p.loop)});
    r.variables.push_back(c);
    return r;
  }
  return std::nullopt;
}

}  // namespace twofold::analyser::deriving
