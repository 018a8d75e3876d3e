// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Random terms: what is proved equal agrees at every exact point (the interpreter is the judge, not the prover's own
//! folding), a changed term is never proved equal to one that it differs from, and rewritten terms are nearly always proved.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ir/evaluate.hpp"
#include "prove/normal.hpp"
#include "prove/prove.hpp"

namespace twofold::analyser {
namespace {

enum class flavour { real, integer, word };

struct generator {
  flavour f;
  type t() const { return f == flavour::real ? double_type : f == flavour::integer ? int_type : type{sort::integer, 8, false}; }
  std::vector<term> variables() const {
    std::vector<term> r;
    for (const char* n : {"x", "y", "z"}) r.push_back(symbol(symbol_kind::parameter, n, t()));
    return r;
  }
  term leaf() const {
    if (*rc::gen::inRange(0, 3) == 0) return number(*rc::gen::inRange(f == flavour::word ? 0 : -2, 4), t());
    return variables()[static_cast<std::size_t>(*rc::gen::inRange(0, 3))];
  }
  term condition(int depth) const {
    const term a = value(depth), b = value(depth);
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        return less(a, b);
      case 1:
        return less_equal(a, b);
      case 2:
        return equal(a, b);
      case 3:
        return logical_and(less(a, b), less_equal(value(0), value(0)));
      default:
        return logical_not(less(a, b));
    }
  }
  term value(int depth) const {
    if (depth == 0) return leaf();
    const term a = value(depth - 1), b = value(depth - 1);
    switch (*rc::gen::inRange(0, f == flavour::real ? 11 : 9)) {
      case 0:
      case 1:
        return add(a, b);
      case 2:
        return sub(a, b);
      case 3:
        return mul(a, b);
      case 4:
        return max(a, b);
      case 5:
        return min(a, b);
      case 6:
        return select(condition(depth - 1), a, b);
      case 7:
        return f == flavour::word ? neg(a) : abs(a);
      case 8:
        return f == flavour::real ? call("exp", {a}, t()) : f == flavour::word ? make(op::bit_xor, {a, b}, t()) : neg(a);
      case 9:
        return div(a, add(mul(b, b), number(1)));
      default:
        return call("floor", {a}, t());
    }
  }
};

//! Values at some points, exp(k) as 2^k: the laws in use hold for it as well.
std::vector<std::pair<exact, exact>> values(const generator& g, term a, term b, unsigned seed) {
  std::vector<std::pair<exact, exact>> r;
  std::uint64_t s = seed * 2654435761U + 12345;
  const auto next = [&] { return s = s * 6364136223846793005ULL + 1442695040888963407ULL, static_cast<long>(s >> 40); };
  for (int k = 0; k < 40; ++k) {
    exact_environment env;
    for (term v : g.variables()) {
      mpq_class x = g.f == flavour::word ? next() % 256 : next() % 9 - 4;
      env[v] = {exact::kind::finite, x};
    }
    const auto x = evaluate(a, env, {}, true), y = evaluate(b, env, {}, true);
    if (x && y) r.emplace_back(*x, *y);
  }
  return r;
}
bool agree(const std::vector<std::pair<exact, exact>>& v) {
  for (const auto& [x, y] : v)
    if (!(x == y)) return false;
  return true;
}

//! The same function in other words, by one law at a random place.
term rewritten(term t, int depth, const generator& g) {
  if (depth == 0 || t->args.empty()) {
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        if (t->type.kind != sort::boolean) return add(t, sub(g.variables()[0], g.variables()[0]));
        return t;
      case 1:
        if (t->type.kind != sort::boolean) return neg(neg(t));
        return t;
      case 2:
        if (t->is(op::add) || t->is(op::max) || t->is(op::min) || t->is(op::mul)) return make(t->kind, {t->args[1], t->args[0]}, t->type);
        return t;
      default:
        if (t->is(op::max) && !t->type.is_modular()) return select(less_equal(t->args[0], t->args[1]), t->args[1], t->args[0]);
        if (t->is(op::mul) && t->args[1]->is(op::add))
          return add(mul(t->args[0], t->args[1]->args[0]), mul(t->args[0], t->args[1]->args[1]));
        if (t->is(op::less)) return logical_not(less_equal(t->args[1], t->args[0]));
        return t;
    }
  }
  std::vector<term> args;
  for (term a : t->args) args.push_back(rewritten(a, depth - 1, g));
  return rebuild(t, std::move(args));
}

struct soundness : ::testing::TestWithParam<flavour> {};

TEST_P(soundness, what_is_proved_agrees_everywhere) {
  const generator g{GetParam()};
  int proved = 0, refuted = 0;
  EXPECT_TRUE(rc::check("proved ⇒ equal at exact points; refuted ⇒ not an identity", [&] {
    reset_terms();
    const term a = g.value(2), b = g.value(*rc::gen::inRange(1, 3));
    const auto r = decide({"", {}, a, b}, 0.5);
    const bool same = agree(values(g, a, b, *rc::gen::arbitrary<unsigned>()));
    if (r.result == outcome::proved) {
      ++proved;
      RC_ASSERT(same);
    }
    if (r.result == outcome::refuted) {
      ++refuted;
      RC_ASSERT(!r.detail.empty());
      RC_ASSERT(!normaliser().equal(a, b));
    }
  }));
  EXPECT_GT(refuted, 10);
}

TEST_P(soundness, normal_forms_have_the_same_values) {
  const generator g{GetParam()};
  EXPECT_TRUE(rc::check("simplify keeps every value", [&] {
    reset_terms();
    const term a = g.value(3);
    const auto b = simplify(a, 0.5);
    if (b) RC_ASSERT(agree(values(g, a, *b, *rc::gen::arbitrary<unsigned>())));
  }));
}

TEST_P(soundness, other_words_for_the_same_are_proved) {
  const generator g{GetParam()};
  int proved = 0, asked = 0;
  EXPECT_TRUE(rc::check("a = rewritten(a)", [&] {
    reset_terms();
    const term a = g.value(2);
    const term b = rewritten(rewritten(a, *rc::gen::inRange(0, 3), g), *rc::gen::inRange(0, 3), g);
    const auto r = decide({"", {}, a, b}, 1);
    RC_ASSERT(r.result != outcome::refuted);
    ++asked, proved += r.result == outcome::proved;
  }));
  EXPECT_GE(proved * 100, asked * 90) << proved << " of " << asked;
}

INSTANTIATE_TEST_SUITE_P(prover, soundness, ::testing::Values(flavour::real, flavour::integer, flavour::word), [](const auto& i) {
  return i.param == flavour::real ? "real" : i.param == flavour::integer ? "integer" : "word";
});

}  // namespace
}  // namespace twofold::analyser
