// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Emitted headers compile without a warning and without Twofold, satisfy its concept, and merge pieces to what the loop computes.
#include "emit/cpp.hpp"

#include "decisions.hpp"
#include "emit/integers.hpp"
#include "emit/sharing.hpp"
#include "process.hpp"
#include "support.hpp"

namespace twofold::tests {
namespace {

const char* const checks = R"(
#include <cstdio>
#include <vector>
#if defined(WITH_TWOFOLD)
#include "twofold/schedule/reduce.hpp"
static_assert(twofold::reduces<denominator_reduction, float> && twofold::reduces<longest_run_reduction, int> && twofold::reduction<blend_reduction>);
static_assert(twofold::is_commutative<denominator_reduction> && !twofold::is_commutative<longest_run_reduction>);
#endif

template <class Op, class State, class Push>
bool pieces_agree(const Op& op, const State& whole, int n, Push push) {  // every cut, empty pieces included
  for (int i = 0; i <= n; ++i)
    for (int j = i; j <= n; ++j) {
      auto a = op.identity(), b = op.identity(), c = op.identity();
      for (int k = 0; k < n; ++k) push(k < i ? a : k < j ? b : c, k);
      const auto left = op.combine(op.combine(a, b), c), right = op.combine(a, op.combine(b, c));
      if (!(left == whole) || !(right == whole)) return false;
    }
  return true;
}

int main() {
  const int x[] = {1, 1, 0, 1, 1, 1, 0, 0, 1};
  const longest_run_reduction runs{};
  auto s = runs.identity();
  for (int v : x) runs.push_into(s, v);
  if (runs.finalize(s) != 3) return 1;
  if (!pieces_agree(runs, s, 9, [&](auto& t, int k) { runs.push_into(t, x[k]); })) return 2;

  const float y[] = {0, -1, 3, 2};
  const denominator_reduction softmax{};
  auto t = softmax.identity();
  for (float v : y) softmax.push_into(t, v);
  for (int i = 0; i <= 4; ++i) {
    auto a = softmax.identity(), b = softmax.identity();
    for (int k = 0; k < 4; ++k) softmax.push_into(k < i ? a : b, y[k]);
    const float l = softmax.finalize(softmax.combine(a, b));
    if (std::abs(l - t.l) > 1e-6f * t.l) return 3;
  }
  const auto nothing = softmax.combine(softmax.identity(), softmax.identity());
  if (!(nothing == softmax.identity()) || softmax.finalize(nothing) != 0) return 4;

  const blend_reduction blend{2};
  const float rows[][2] = {{1, 2}, {3, 4}};
  const auto both = blend.combine(blend.lift(1.0f, rows[0]), blend.lift(3.0f, rows[1]));
  const std::vector<float> out = blend.finalize(both);
  if (out.size() != 2 || out[0] != 2.5f || out[1] != 3.5f) return 5;
  return 0;
}
)";

TEST(emit, headers_compile_alone_and_with_twofold_and_compute) {
  const folder here;
  std::string text;
  for (const example& x : {softmax(), streaks(), weighted_rows()}) text += cpp_header(x.loop, x.answer) + "\n";
  for (std::size_t at; (at = text.find("#pragma once\n")) != std::string::npos;) text.erase(at, 13);
  const std::string source = here.write("all.cpp", text + checks);
  for (const std::vector<std::string>& extra :
       std::vector<std::vector<std::string>>{{}, {"-DWITH_TWOFOLD", "-I", TWOFOLD_SOURCE_DIR "/include"}}) {
    std::vector<std::string> command{"c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-O1", source, "-o", here / "all"};
    command.insert(command.end(), extra.begin(), extra.end());
    const auto built = cli::run_process(command, 300);
    ASSERT_TRUE(built && built->status == 0) << (built ? built->output : "no compiler");
    const auto ran = cli::run_process({here / "all"}, 60);
    EXPECT_EQ(ran->status, 0);
  }
}

TEST(emit, needs_a_merge) {
  const example x = vote();
  EXPECT_THROW(static_cast<void>(cpp_header(x.loop, x.answer)), emit_error);
}

TEST(integers, are_kept_in_64_bits) {
  const term x = symbol(symbol_kind::element, "x", int_type), s = state("s", int_type);
  EXPECT_EQ(to_cpp(widened(add(s, x), false)), "s + static_cast<std::int64_t>(x)");
  EXPECT_FALSE(can_leave_64_bits(add(s, x)));
  EXPECT_TRUE(can_leave_64_bits(mul(s, x)));
  const std::string product = to_cpp(widened(add(mul(s, number(10, int_type)), x), true));
  EXPECT_NE(product.find("std::uint64_t"), std::string::npos) << product;
  EXPECT_EQ(product.find("static_cast<std::int64_t>("), 0u) << product;
  const term u = symbol(symbol_kind::state, "u", type{sort::integer, 32, false});
  EXPECT_EQ(widened(add(u, u), false), add(u, u)) << "unsigned arithmetic is left alone";
  const term narrow = cast(s, type{sort::integer, 8, true});
  EXPECT_NE(to_cpp(widened(narrow, false)).find("std::int8_t"), std::string::npos) << "a cast that changes values stays";
}

TEST(sharing, names_what_others_use) {
  const example x = softmax();
  const shared s = share({{"m", x.answer.state[0].merge}, {"l", x.answer.state[1].merge}}, {});
  ASSERT_EQ(s.lets.size(), 1u);
  EXPECT_EQ(s.lets[0].name, "m");
  EXPECT_EQ(to_text(s.values[1]), "a.l * exp(a.m - m) + b.l * exp(b.m - m)");
}

TEST(sharing, does_not_evaluate_what_a_condition_guards) {
  const term a = state("a", int_type), b = state("b", int_type), q = make(op::quotient, {a, b}, int_type);
  const term guarded = select(equal(b, number(0, int_type)), number(0, int_type), add(mul(q, q), q));
  EXPECT_TRUE(share({{"", guarded}}, {}).lets.empty());
  EXPECT_EQ(share({{"", add(mul(q, q), q)}}, {.fresh_names = true, .smallest = 1, .varies = {}, .taken = {}}).lets.size(), 1u);
}

}  // namespace
}  // namespace twofold::tests
