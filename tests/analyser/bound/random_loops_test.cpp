// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Random loops on hostile numbers: what the machine computes lies within its radius of what long double computes, whose own radius
//! counts as well. Steps are random terms over two formats and integers, with functions, casts and decisions; elements run from
//! subnormal numbers to where squares overflow.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bound/running.hpp"
#include "ir/real_function.hpp"

namespace twofold::analyser {
namespace {

using namespace bounding;

class random_loop {
 public:
  explicit random_loop(unsigned seed) : random_(seed) {
    const type formats[] = {float_type, double_type};
    pass p;
    p.index = "i";
    for (int k = 0; k < 2; ++k) {
      const type t = formats[random_() % 2];
      const std::string name = "x" + std::to_string(k);
      parameter x{name, "", t, parameter_role::input_array, {}};
      p.elements.push_back({symbol(symbol_kind::element, name, t), name, 0, {}});
      reals_.push_back(p.elements.back().symbol);
      spec_.parameters.push_back(x);
    }
    for (int k = 0; k < 2; ++k) {
      merged_variable v;
      v.name = "s" + std::to_string(k), v.type = formats[random_() % 2];
      v.init = number(static_cast<long>(random_() % 3), v.type);
      reals_.push_back(symbol(symbol_kind::state, v.name, v.type));
      decision_.state.push_back(v);
    }
    spec_.passes.push_back(p);
    reals_.push_back(number(mpq_class(1, 3), double_type));
    reals_.push_back(number(mpq_class(1, 3), float_type));
    for (int k = 0; k < 14; ++k) reals_.push_back(next());
    for (merged_variable& v : decision_.state) {
      v.step = as(any(), v.type);
      v.merge = symbol(symbol_kind::left, v.name, v.type);  // a fold does not merge
    }
  }
  //! Elements of a size of their own for each array.
  loop_data data(int n) {
    loop_data d;
    d.last = n;
    for (const parameter& p : spec_.parameters) {
      std::vector<ball>& x = d.arrays[symbol(symbol_kind::array, p.name, p.element)];
      const bool narrow = p.element.bits == 32;
      const int scales[] = {0, 0, 0, 3, 6, narrow ? 60 : 500, narrow ? 120 : 1000, narrow ? -40 : -300, narrow ? -140 : -1060};
      const int scale = scales[random_() % std::size(scales)];
      const double common = unit();
      const auto kind = random_() % 3;
      for (int i = 0; i < n; ++i) {
        const double v = std::ldexp(kind == 0 ? common : unit(), scale);
        x.push_back({narrow ? static_cast<long double>(static_cast<float>(v)) : static_cast<long double>(v), 0, 0, sort::real, true});
      }
    }
    return d;
  }
  [[nodiscard]] const spec& loop() const { return spec_; }
  [[nodiscard]] const decision& decided() const { return decision_; }

 private:
  double unit() { return std::ldexp(static_cast<double>(random_()), -31) - 1; }
  term any() { return reals_[random_() % reals_.size()]; }
  static term as(term t, type to) { return t->type == to ? t : cast(t, to); }
  term next() {
    static constexpr const char* functions[] = {"exp",  "exp2", "log",  "log2", "log1p", "expm1", "sqrt", "cbrt",
                                                "tanh", "sin",  "atan", "erfc", "floor", "cosh",  "fabs", "round"};
    const term a = any(), b = as(any(), a->type);
    switch (random_() % 16) {
      case 0:
      case 1:
      case 2:
        return add(a, b);
      case 3:
        return sub(a, b);
      case 4:
      case 5:
      case 6:
        return mul(a, b);
      case 7:
        return div(a, b);
      case 8:
        return random_() % 2 ? min(a, b) : max(a, b);
      case 9:
        return select(random_() % 2 ? less(a, b) : less_equal(a, b), as(any(), a->type), as(any(), a->type));
      case 10:
        return cast(a, a->type == float_type ? double_type : float_type);
      case 11:
        return cast(cast(a, int_type), a->type);
      case 12:
        return random_() % 2 ? call("pow", {a, b}, a->type) : call("fma", {a, b, as(any(), a->type)}, a->type);
      case 13:
        return call("hypot", {a, b}, a->type);
      default:
        return call(functions[random_() % std::size(functions)], {a}, a->type);
    }
  }
  std::mt19937 random_;
  std::vector<term> reals_;
  spec spec_;
  decision decision_;
};

TEST(random_loops, stay_within_their_radius) {
  int compared = 0, rounded = 0, refused = 0;
  for (unsigned seed = 1; seed <= 12000; ++seed) {
    reset_terms();
    random_loop r(seed);
    const int n = 1 + static_cast<int>(seed % 6);
    const loop_data data = r.data(n);
    const bracket fold{0, n, {}};
    try {
      const auto machine = run_bounded(r.loop(), r.decided(), data, fold, precision::machine);
      const auto wide = run_bounded(r.loop(), r.decided(), data, fold, precision::wide);
      for (std::size_t k = 0; k < machine.size(); ++k) {
        const ball &m = machine[k].values[0], &w = wide[k].values[0];
        if (std::isinf(m.e) || std::isinf(w.e)) continue;
        ++compared;
        if (std::isinf(m.x) || std::isinf(w.x)) {
          EXPECT_EQ(m.x, w.x) << seed << ": " << to_text(r.decided().state[k].step);
          continue;
        }
        const auto apart = static_cast<double>(std::fabs(m.x - w.x));
        rounded += apart > 0;
        EXPECT_LE(apart, (m.e + w.e) * (1 + 0x1p-40)) << seed << ": " << to_text(r.decided().state[k].step);
      }
    } catch (const no_bound&) {
      ++refused;
    }
  }
  EXPECT_GT(compared, 4000);
  EXPECT_GT(rounded, 1500);
}

ball of(term t, std::initializer_list<std::pair<term, long double>> at) {
  ball_program g({t}, ball_domain(precision::machine));
  for (const auto& [x, v] : at) g.set(g.find(x), ball{v, 0, 0, sort::real, true});
  g.run();
  EXPECT_TRUE(g.result(0).defined);
  return g.result(0).v;
}

//! Exact e^-200 is not 0, and in float a 0 that is multiplied back is as wrong as can be.
TEST(ball, what_underflows_is_not_exact) {
  reset_terms();
  const term x = symbol(symbol_kind::parameter, "x", float_type);
  const ball tiny = of(call("exp", {x}, float_type), {{x, -200.0L}});
  EXPECT_EQ(tiny.x, 0);
  EXPECT_GE(tiny.e, std::exp(-200.0));
  EXPECT_EQ(of(call("exp", {x}, float_type), {{x, -HUGE_VALL}}).e, 0);
  EXPECT_EQ(of(call("log", {x}, float_type), {{x, 1}}).e, 0);
  EXPECT_EQ(of(call("exp", {x}, float_type), {{x, 0}}).e, 0);
}

//! The square overflows; times 2^-200 it would have been 1 again: the lesser of it and 5 is 1, not 5.
TEST(ball, an_overflow_that_loses_a_comparison_is_not_forgotten) {
  reset_terms();
  const term x = symbol(symbol_kind::parameter, "x", float_type), y = symbol(symbol_kind::parameter, "y", float_type);
  const term back = mul(mul(mul(x, x), y), y);
  EXPECT_TRUE(std::isinf(of(min(back, number(5, float_type)), {{x, 0x1p100L}, {y, 0x1p-100L}}).e));
  EXPECT_TRUE(std::isinf(of(min(number(5, float_type), back), {{x, 0x1p100L}, {y, 0x1p-100L}}).e));
}

//! Through long double a sum of doubles near a tie would be rounded twice.
TEST(ball, doubles_round_once) {
  reset_terms();
  const term x = symbol(symbol_kind::parameter, "x", double_type), y = symbol(symbol_kind::parameter, "y", double_type);
  std::mt19937_64 random(5);
  const auto number = [&] { return std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 64) - 30); };
  for (int i = 0; i < 20000; ++i) {
    const double a = number(), b = number();
    EXPECT_EQ(of(add(x, y), {{x, a}, {y, b}}).x, a + b);
    EXPECT_EQ(of(mul(x, y), {{x, a}, {y, b}}).x, a * b);
    if (b != 0) {
      EXPECT_EQ(of(div(x, y), {{x, a}, {y, b}}).x, a / b);
    }
  }
}

//! 3 ± 10⁻³⁰ truncates to 2 or 3, although 3 − 10⁻³⁰ rounds to 3.
TEST(ball, a_whole_number_with_any_radius_is_not_certain) {
  reset_terms();
  const term x = symbol(symbol_kind::parameter, "x", double_type);
  ball_program g({cast(x, int_type)}, ball_domain(precision::machine));
  g.set(g.find(x), ball{3, 1e-30, 0, sort::real, true});
  g.run();
  EXPECT_FALSE(g.result(0).v.certain);
  ball_program f({call("floor", {x}, double_type)}, ball_domain(precision::machine));
  f.set(f.find(x), ball{3, 1e-30, 0, sort::real, true});
  f.run();
  EXPECT_GE(f.result(0).v.e, 1);
}

//! What call_roundings claims, against double, over a part of all floats.
TEST(ball, functions_of_float_lose_no_more_than_is_said) {
  const struct {
    function f;
    double low, high;
  } functions[] = {{function::exp, -80, 80},   {function::exp2, -120, 120}, {function::log, 0, 1e30},   {function::log2, 0, 1e30},
                   {function::log10, 0, 1e30}, {function::log1p, -1, 1e30}, {function::expm1, -80, 80}, {function::sin, -1e4, 1e4},
                   {function::cos, -1e4, 1e4}, {function::tan, -1.5, 1.5},  {function::asin, -1, 1},    {function::acos, -1, 1},
                   {function::atan, -99, 99},  {function::sinh, -80, 80},   {function::cosh, -80, 80},  {function::tanh, -9, 9},
                   {function::erf, -4, 4},     {function::erfc, -4, 9},     {function::sqrt, 0, 1e30},  {function::cbrt, -1e30, 1e30}};
  std::mt19937 random(11);
  for (const auto& f : functions) {
    double worst = 0;
    for (int i = 0; i < 200000; ++i) {
      // Half near 1, where logarithms are worst.
      const double unit = std::ldexp(static_cast<double>(random()), -32), spread = i % 2 ? 1 : std::pow(10, -30 * unit);
      double v = f.low + (f.high - f.low) * std::ldexp(static_cast<double>(random()), -32);
      if (i % 2) v = 0.9 + 0.2 * unit;
      const auto x = static_cast<float>(v * spread);
      if (!(static_cast<double>(x) > f.low && static_cast<double>(x) < f.high)) continue;
      const auto got = static_cast<double>(real_function<float>(f.f, x, 0, 0));
      const double want = real_function<double>(f.f, static_cast<double>(x), 0, 0);
      if (std::fabs(got) > 0x1p-126 && std::isfinite(got)) worst = std::fmax(worst, std::fabs(got / want - 1) * 0x1p24);
    }
    EXPECT_LE(worst, call_roundings(f.f, 32)) << static_cast<int>(f.f);
  }
}

}  // namespace
}  // namespace twofold::analyser
