// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rational bounds of irrational values: they must hold, and be narrow.
#include "refute/enclosure.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace twofold::analyser {
namespace {

exact rational(const mpq_class& v) {
  exact e;
  e.value = v;
  e.value.canonicalize();
  return e;
}

std::optional<enclosure> at(const char* f, std::vector<mpq_class> args) {
  std::vector<term> symbols;
  for (std::size_t k = 0; k < args.size(); ++k) symbols.push_back(symbol(symbol_kind::element, "x" + std::to_string(k), double_type));
  enclosure_program p({call(f, symbols, double_type)});
  for (std::size_t k = 0; k < args.size(); ++k) p.set(symbols[k], rational(args[k]));
  p.run();
  const enclosure* v = p.value(0);
  return v ? std::optional(*v) : std::nullopt;
}

//! digits: the value, correct to 40 decimals.
void expect_value(const char* f, const mpq_class& x, const char* digits) {
  const std::optional<enclosure> e = at(f, {x});
  ASSERT_TRUE(e) << f;
  ASSERT_TRUE(e->thick) << f;
  std::string text(digits);
  const std::size_t point = text.find('.');
  mpz_class scale;
  mpz_ui_pow_ui(scale.get_mpz_t(), 10, text.size() - point - 1);
  mpq_class v(mpz_class(text.erase(point, 1), 10), scale);
  v.canonicalize();
  const mpq_class last_digit(1, scale);
  EXPECT_LE(e->low, v + last_digit) << f;
  EXPECT_GE(e->high, v - last_digit) << f;
  EXPECT_LT(e->high - e->low, mpq_class(1, mpz_class(1) << 100)) << f << ": too wide to be of use";
}

TEST(enclosure, contains_the_published_digits) {
  expect_value("exp", 1, "2.7182818284590452353602874713526624977572");
  expect_value("exp", -3, "0.0497870683678639429793424156500617766317");
  expect_value("log", 2, "0.6931471805599453094172321214581765680755");
  expect_value("log", 10, "2.3025850929940456840179914546843642076011");
  expect_value("sqrt", 2, "1.4142135623730950488016887242096980785697");
  expect_value("tanh", 1, "0.7615941559557648881194582826047935904128");
  expect_value("sin", 1, "0.8414709848078965066525023216302989996226");
  expect_value("cos", 1, "0.5403023058681397174009366074429766037323");
}

TEST(enclosure, agrees_with_the_library_everywhere) {
  EXPECT_TRUE(rc::check([] {
    const int n = *rc::gen::inRange(-200, 200);
    const mpq_class x(n, 16);
    const double d = n / 16.0;
    const auto near = [&](const char* f, const mpq_class& v, double expected) {
      const std::optional<enclosure> e = at(f, {v});
      RC_ASSERT(e.has_value());
      const double low = e->thick ? e->low.get_d() : e->v.value.get_d(), high = e->thick ? e->high.get_d() : low;
      const double slack = 1e-14 * (1 + std::abs(expected));
      RC_ASSERT(low - slack <= expected && expected <= high + slack);
    };
    near("exp", x, std::exp(d));
    near("tanh", x, std::tanh(d));
    near("expm1", x, std::expm1(d));
    near("sin", x, std::sin(d));
    near("cos", x, std::cos(d));
    if (n > 0) {
      near("log", x, std::log(d));
      near("sqrt", x, std::sqrt(d));
      near("log2", x, std::log2(d));
    }
  }));
}

TEST(enclosure, stays_exact_where_it_can) {
  EXPECT_EQ(at("exp", {0}), enclosure(rational(1)));
  EXPECT_EQ(at("sqrt", {mpq_class(9, 4)}), enclosure(rational(mpq_class(3, 2))));
  EXPECT_EQ(at("pow", {2, -3}), enclosure(rational(mpq_class(1, 8))));
  EXPECT_FALSE(at("log", {-1}));
  EXPECT_FALSE(at("sqrt", {-2}));
  EXPECT_FALSE(at("mystery", {1}));
  EXPECT_FALSE(at("exp", {1000})) << "too large to be of use";
}

TEST(enclosure, undecided_comparisons_are_undefined) {
  const term x = symbol(symbol_kind::element, "x", double_type);
  const term e = call("exp", {x}, double_type),
             same = mul(call("exp", {div(x, number(2))}, double_type), call("exp", {div(x, number(2))}, double_type));
  enclosure_program p({less(e, same), equal(e, same), less(e, number(3)), max(e, same), select(less(number(2), e), number(1), number(0)),
                       call("floor", {e}, double_type)});
  p.set(x, rational(1));
  p.run();
  EXPECT_EQ(p.value(0), nullptr);
  EXPECT_EQ(p.value(1), nullptr);
  EXPECT_EQ(*p.value(2), enclosure(rational(1)));
  ASSERT_NE(p.value(3), nullptr);
  EXPECT_TRUE(p.value(3)->thick);
  EXPECT_EQ(*p.value(4), enclosure(rational(1)));
  EXPECT_EQ(p.value(5), nullptr);
}

TEST(enclosure, apart_means_certainly_different) {
  const enclosure one(rational(1)), e = *at("exp", {1}), e2 = *at("exp", {mpq_class(1) + mpq_class(1, 1L << 40)});
  EXPECT_TRUE(apart(one, e));
  EXPECT_TRUE(apart(e, e2));
  EXPECT_FALSE(apart(e, e));
  EXPECT_FALSE(apart(one, one));
  EXPECT_TRUE(apart(e, enclosure(exact{exact::kind::minus_infinity, {}})));
  EXPECT_EQ(to_text(*at("tanh", {1})), "0.761594156…");
}

}  // namespace
}  // namespace twofold::analyser
