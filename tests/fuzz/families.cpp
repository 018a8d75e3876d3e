// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Families of loops: plain monoids behind changes of coordinates, transformers closed under composition, and loops at random.
#include "fuzz/family.hpp"

namespace twofold::analyser::fuzz {
namespace {

term exp(term a) { return call("exp", {a}, a->type); }

//! Sums t_i of functions of the element, seen through s_i = t_i − p_i(s_1 … s_{i−1}): polynomials of the variables before.
void disguised_sum(making& m) {
  const long count = m.random.between(1, 3);
  std::vector<term> old, next;
  for (long i = 0; i < count; ++i) {
    const term s = m.variable("s" + std::to_string(i));
    // One polynomial, of the old values and of the new ones.
    struct monomial {
      std::size_t a, b;
      bool square;
      long factor;
    };
    std::vector<monomial> polynomial;
    if (!old.empty())
      for (long k = m.random.between(0, 2); k > 0; --k)
        polynomial.push_back(
            {m.random.below(old.size()), m.random.below(old.size()), m.random.chance(50), m.random.pick({-2L, -1L, 1L, 2L, 3L})});
    const auto at = [&](const std::vector<term>& v) {
      term sum = m.constant(0);
      for (const monomial& k : polynomial) sum = add(sum, mul(m.constant(k.factor), k.square ? mul(v[k.a], v[k.b]) : v[k.a]));
      return sum;
    };
    const term step = sub(add(add(s, at(old)), of_element(m)), at(next));
    m.carries(s, m.constant(m.random.chance(60) ? 0 : m.random.between(-2, 2)), reworded(m.random, step, 2));
    old.push_back(s);
    next.push_back(step);
  }
}

//! A reference that moves, and what it rescales: (m, l·e^m, …).
void twisted_sum(making& m) {
  m.exponents = true;
  const term r = m.variable("m"), at = m.random.pick({m.x(), neg(m.x()), add(m.x(), m.constant(1))});
  const term moved = max(r, at);
  m.carries(r, minus_infinity(m.number), moved);
  for (long k = m.random.between(1, 2); k > 0; --k) {
    const term l = m.variable("l" + std::to_string(k));
    const term weight = m.random.chance(50) ? m.constant(1) : m.random.chance(50) ? m.y() : of_element(m, 1);
    m.carries(l, m.constant(0), reworded(m.random, add(mul(l, exp(sub(r, moved))), mul(weight, exp(sub(at, moved)))), 1));
  }
}

//! A positive product, and sums that it scales.
void product_and_sum(making& m) {
  const term f = m.random.chance(50) ? add(mul(m.x(), m.x()), m.constant(1)) : m.constant(m.random.pick({2L, 3L, -1L}));
  const term p = m.variable("p"), s = m.variable("s");
  m.carries(p, m.constant(m.random.pick({1L, 1L, 2L})), reworded(m.random, mul(p, f), 1));
  m.carries(s, m.constant(0), reworded(m.random, add(mul(s, f), of_element(m)), 1));
}

//! Means kept up to date, and central sums of second order.
void running_means(making& m) {
  const term n = m.variable("n"), next = add(n, m.constant(1));
  m.carries(n, m.constant(0), next);
  const term g = m.random.chance(60) ? m.x() : of_element(m, 1), mean = m.variable("mean");
  const term moved = add(mean, div(sub(g, mean), next));
  m.carries(mean, m.constant(0), moved);
  if (m.random.chance(50)) m.carries(m.variable("m2"), m.constant(0), add(m.variable("m2"), mul(sub(g, mean), sub(g, moved))));
  if (m.random.chance(30)) {
    const term h = m.y(), other = m.variable("mean2");
    m.carries(other, m.constant(0), add(other, div(sub(h, other), next)));
    m.carries(m.variable("c"), m.constant(0), add(m.variable("c"), mul(sub(h, other), sub(g, moved))));
  }
}

//! s' = A(x)·s + b(x), A lower triangular.
void affine(making& m) {
  m.at_best(known::lifts);
  std::vector<term> all;
  const auto coefficient = [&]() -> term {
    if (m.random.chance(30)) return m.x();
    if (m.random.chance(20) && !m.exponents) return m.parameter_value("c");
    return m.constant(m.number.kind == sort::real && m.random.chance(50) ? mpq_class(1, 2) : mpq_class(m.random.between(-2, 3)));
  };
  for (long i = 0, count = m.random.between(1, 3); i < count; ++i) {
    all.push_back(m.variable("s" + std::to_string(i)));
    term step = of_element(m, 1);
    for (const term s : all)
      if (s == all.back() || m.random.chance(50)) step = add(mul(coefficient(), s), step);
    m.carries(all.back(), m.constant(m.random.between(-1, 1)), reworded(m.random, step, 2));
  }
}

//! s' = max(s + a(x), b(x)), and perhaps the best of it so far.
void maximum_plus(making& m) {
  m.at_best(known::lifts);
  const bool low = m.random.chance(30);
  const auto best_of = [&](term a, term b) { return low ? min(a, b) : max(a, b); };
  const term s = m.variable("here"), a = m.random.chance(70) ? m.x() : of_element(m, 1);
  const term b = m.random.chance(50) ? m.constant(m.random.between(-1, 1)) : m.random.chance(50) ? m.x() : of_element(m, 1);
  const term step = best_of(add(s, a), b);
  m.carries(s, m.constant(m.random.between(-1, 1)), reworded(m.random, step, 2));
  if (m.random.chance(60)) m.carries(m.variable("best"), m.constant(m.random.between(-1, 1)), best_of(m.variable("best"), step));
}

//! A finite machine that reads a class of the element, and perhaps counts what it passes.
void automaton(making& m) {
  m.at_best(known::lifts);
  const long states = m.random.between(2, 4);
  const term q = m.variable("q", int_type), first = condition_on_element(m), second = condition_on_element(m);
  const auto table = [&](long low, long high) {
    term r;
    for (long s = states - 1; s >= 0; --s) {
      const auto entry = [&] { return number(m.random.between(low, high), int_type); };
      const term row = m.random.chance(60) ? select(first, entry(), entry()) : select(first, entry(), select(second, entry(), entry()));
      r = r ? select(equal(q, number(s, int_type)), row, r) : row;
    }
    return r;
  };
  m.carries(q, number(0, int_type), table(0, states - 1));
  if (m.random.chance(50)) m.carries(m.variable("count", int_type), number(0, int_type), add(m.variable("count", int_type), table(0, 2)));
}

//! The element with the largest key; what it carries with it; who wins a tie.
void selection(making& m) {
  const term best = m.variable("best"), key = m.random.chance(70) ? m.x() : of_element(m, 1), taken = m.variable("taken");
  const bool low = m.random.chance(40), late = m.random.chance(40);
  const term better = low ? (late ? less_equal(key, best) : less(key, best)) : late ? less_equal(best, key) : less(best, key);
  m.carries(best, low ? infinity(m.number) : minus_infinity(m.number), select(better, key, best));
  m.carries(taken, m.constant(0), select(better, m.y(), taken));
}

//! What an element does with the one before it.
void neighbours(making& m) {
  m.at_best(known::lifts);
  const term before = m.variable("before"), s = m.variable("s"), x = m.x();
  const term change =
      m.random.pick({abs(sub(x, before)), mul(x, before), max(x, before), select(less(before, x), m.constant(1), m.constant(0))});
  m.carries(s, m.constant(0), add(s, change));
  m.carries(before, m.constant(m.random.between(-1, 1)), x);
}

void clamped(making& m) {
  m.at_best(known::lifts);
  const term s = m.variable("s"), low = m.constant(m.random.between(-2, 0)), high = m.constant(m.random.between(1, 3));
  const term a = m.random.chance(60) ? m.x() : of_element(m, 1);
  m.carries(s, m.constant(m.random.between(0, 1)),
            reworded(m.random, m.random.chance(50) ? min(high, max(low, add(s, a))) : max(low, min(high, add(s, a))), 1));
}

//! Elements weighted by their place.
void positions(making& m) {
  m.out.loop.passes.back().position_aware = true;
  const term i = cast(making::index(), m.number), s = m.variable("s");
  m.carries(s, m.constant(0), add(s, mul(m.random.chance(50) ? i : add(mul(i, i), m.constant(1)), of_element(m, 1))));
}

//! Sums, then sums of a polynomial of elements and of those sums.
void two_passes(making& m) {
  m.at_best(known::lifts);
  const term s = m.variable("s"), n = m.variable("n");
  const term total = m.carries(s, m.constant(0), add(s, m.random.chance(60) ? m.x() : of_element(m, 1)));
  const term count = m.carries(n, m.constant(0), add(n, m.constant(1)));
  pass second = m.out.loop.passes.back();
  second.state.clear(), second.elements.clear();
  m.out.loop.passes.push_back(second);
  const term about = m.random.chance(60) ? div(total, count) : total, u = m.variable("u"), away = sub(m.x(), about);
  const term power = m.random.pick({mul(away, away), mul(away, mul(away, away)), mul(away, m.y()), mul(mul(m.x(), about), away)});
  m.carries(u, m.constant(0), add(u, power));
}

//! A number of any kind: few of these merge.
term anything(making& m, const std::vector<term>& variables, int depth) {
  if (depth == 0) {
    if (m.random.chance(45)) return m.random.pick(variables);
    return m.random.chance(60) ? m.x() : m.constant(m.random.between(m.number.is_modular() ? 0 : -2, 3));
  }
  const term a = anything(m, variables, depth - 1), b = anything(m, variables, depth - 1);
  switch (m.random.below(9)) {
    case 0:
    case 1:
    case 2:
      return add(a, b);
    case 3:
      return sub(a, b);
    case 4:
      return mul(a, b);
    case 5:
      return max(a, b);
    case 6:
      return min(a, b);
    case 7:
      return select(less(a, b), anything(m, variables, depth - 1), b);
    default:
      return m.number.kind == sort::real ? mul(a, m.constant(mpq_class(1, 2)))
             : m.number.is_modular()     ? make(op::bit_xor, {a, b}, m.number)
                                         : abs(a);
  }
}

void anything_at_all(making& m) {
  m.at_best(known::open);
  std::vector<term> variables;
  for (long i = m.random.between(1, 3); i > 0; --i) variables.push_back(m.variable("v" + std::to_string(i)));
  for (const term v : variables)
    m.carries(v, m.constant(m.random.between(m.number.is_modular() ? 0 : -1, 1)),
              anything(m, variables, static_cast<int>(m.random.between(1, 2))));
}

//! Something that merges, seen through a map that forgets: equal states, different futures.
void forgetful(making& m) {
  m.at_best(known::open);
  const term s = m.variable("s"), k = m.variable("k"), x = m.x();
  const term away = add(s, x);
  switch (m.random.below(5)) {
    case 0:
      m.carries(s, m.constant(0), m.number.is_modular() ? mul(away, away) : abs(away));
      return;
    case 1:
      m.carries(s, m.constant(0), select(less(m.constant(m.random.between(1, 3)), away), m.constant(0), away));
      return;
    case 2:
      m.carries(s, m.constant(0), select(equal(k, m.constant(0)), x, s));
      m.carries(k, m.constant(0),
                select(equal(k, m.constant(0)), m.constant(1), select(equal(s, x), add(k, m.constant(1)), sub(k, m.constant(1)))));
      return;
    case 3:
      m.carries(s, m.constant(0), select(less(s, x), away, sub(s, m.constant(1))));
      return;
    default:
      m.carries(s, m.constant(1), add(mul(s, s), x));
      return;
  }
}

}  // namespace

const std::vector<named_family>& families() {
  static const std::vector<named_family> all{{"disguised sum", disguised_sum, true, true},
                                             {"twisted sum", twisted_sum, false},
                                             {"product and sum", product_and_sum, false},
                                             {"running means", running_means, false},
                                             {"affine", affine, true, true},
                                             {"maximum-plus", maximum_plus},
                                             {"automaton", automaton, true, true},
                                             {"selection", selection, false},
                                             {"neighbours", neighbours},
                                             {"clamped", clamped},
                                             {"positions", positions, false},
                                             {"two passes", two_passes, false, false, true},
                                             {"anything", anything_at_all, true, true},
                                             {"forgetful", forgetful, true, true}};
  return all;
}

}  // namespace twofold::analyser::fuzz
