// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file From a seed to a loop: one family or two side by side, an output, and other words for the same.
#include "fuzz/family.hpp"

namespace twofold::analyser::fuzz {

term of_element(making& m, int depth) {
  if (depth == 0)
    return m.random.chance(70) ? m.x() : m.random.chance(50) ? m.y() : m.constant(m.random.between(m.number.is_modular() ? 0 : -2, 3));
  if (m.random.chance(35)) return m.x();
  const term a = of_element(m, depth - 1), b = of_element(m, depth - 1);
  switch (m.random.below(6)) {
    case 0:
    case 1:
      return add(a, b);
    case 2:
      return mul(a, b);
    case 3:
      return max(a, b);
    case 4:
      return m.number.is_modular() ? make(op::bit_xor, {a, b}, m.number) : abs(a);
    default:
      return select(condition_on_element(m), a, b);
  }
}

term condition_on_element(making& m) {
  const term c = m.constant(m.random.between(m.number.is_modular() ? 0 : -1, 2));
  switch (m.random.below(4)) {
    case 0:
      return less(c, m.x());
    case 1:
      return less_equal(m.x(), c);
    case 2:
      return equal(m.x(), c);
    default:
      return logical_not(equal(m.x(), m.y()));
  }
}

term reworded(draw& d, term t, int depth) {
  if (t->args.empty()) return t;
  if (depth > 0 && d.chance(70)) {
    std::vector<term> args;
    for (const term a : t->args) args.push_back(reworded(d, a, depth - 1));
    t = rebuild(t, std::move(args));
    if (t->args.empty()) return t;
  }
  if (t->type.kind == sort::boolean) {
    if (t->is(op::less) && d.chance(30)) return logical_not(less_equal(t->args[1], t->args[0]));
    return t;
  }
  const bool ordered = !t->type.is_modular();
  switch (d.below(5)) {
    case 0:
      if (t->is(op::add) || t->is(op::mul)) return make(t->kind, {t->args[1], t->args[0]}, t->type);
      return t;
    case 1:
      if (t->is(op::max) && ordered) return select(less_equal(t->args[0], t->args[1]), t->args[1], t->args[0]);
      if (t->is(op::min) && ordered) return neg(max(neg(t->args[0]), neg(t->args[1])));
      return t;
    case 2:
      if (t->is(op::mul) && t->args[1]->is(op::add)) return add(mul(t->args[0], t->args[1]->args[0]), mul(t->args[0], t->args[1]->args[1]));
      return t;
    case 3:
      return t->is(op::add) ? sub(t->args[0], neg(t->args[1])) : t;
    default:
      return t;
  }
}

namespace {

//! All results one by one, or one number made of them.
void add_outputs(making& m) {
  spec& s = m.out.loop;
  const bool same = std::all_of(s.results.begin(), s.results.end(), [&](term r) { return r->type == m.number; });
  if (s.results.size() == 1 || (same && m.random.chance(40))) {
    term value = s.results.back();
    for (std::size_t i = 0; i + 1 < s.results.size(); ++i)
      if (m.out.answer == known::merges || m.random.chance(60))
        value = add(value, mul(m.constant(m.random.pick({1L, 2L, 3L})), s.results[i]));
    s.outputs.push_back({"return", value->type, value, {}, {}});
    s.return_type = cpp_name(value->type);
    return;
  }
  for (const term r : s.results) s.outputs.push_back({"return." + r->name, r->type, r, {}, {}});
  s.return_type = "result";
}

}  // namespace

sample generate(std::uint64_t seed) {
  draw random(seed);
  making m(random);
  m.number = random.pick({double_type, double_type, int_type, int_type, word_type});
  const auto one_that_fits = [&](bool beside) {
    for (;;) {
      const named_family& f = random.pick(families());
      const bool fits = m.number.kind == sort::real || (m.number.is_modular() ? f.words : f.integers);
      if (fits && !(beside && f.alone)) return &f;
    }
  };
  const named_family* first = one_that_fits(false);
  m.prefix = "p";
  first->add(m);
  m.out.family = first->name;
  if (!first->alone && random.chance(12)) {
    const named_family* second = one_that_fits(true);
    m.prefix = "q";
    second->add(m);
    m.out.family += std::string(" + ") + second->name;
  }
  add_outputs(m);
  spec& s = m.out.loop;
  s.function = "f";
  s.file = "fuzz.cpp";
  if (s.passes.back().elements.empty()) m.x();
  return m.out;
}

}  // namespace twofold::analyser::fuzz
