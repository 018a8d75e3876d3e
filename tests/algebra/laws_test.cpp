// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The law checker catches operators that are wrong in the ways people get them wrong, and says so in few
//! elements.
#include "twofold/algebra/laws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "twofold/ops/sum.hpp"

namespace tf = twofold;
using tf::laws::check;
using tf::laws::law;

namespace {

//! A lawful operator, in the parts that the broken ones below replace: 2×2 matrices are maps of (h, 1).
struct recurrence {
  using input = int;
  struct state {
    int scale, value;
    bool operator==(const state&) const = default;
  };
  [[nodiscard]] state identity() const { return {1, 0}; }
  [[nodiscard]] state lift(int x) const { return {2, x}; }
  [[nodiscard]] state combine(state a, state b) const { return {a.scale * b.scale, a.value * b.scale + b.value}; }
  [[nodiscard]] int finalize(state s) const { return s.value; }
};

struct swapped : recurrence {  // operands exchanged: still a monoid, but of the reversed loop
  [[nodiscard]] state push(state s, int x) const { return recurrence::combine(s, lift(x)); }
  [[nodiscard]] state combine(state a, state b) const { return recurrence::combine(b, a); }
};
struct wrong_identity : recurrence {
  [[nodiscard]] state identity() const { return {0, 0}; }
};
struct falsely_commutative : recurrence {
  static constexpr bool commutative = true;
};
struct forgets_a_term : recurrence {  // lawful by itself: only the loop it should merge can tell
  [[nodiscard]] state push(state s, int x) const { return {s.scale * 2, s.value * 2 + x}; }
  [[nodiscard]] state combine(state a, state b) const { return {a.scale * b.scale, a.value + b.value}; }
};
struct wrong_push : recurrence {
  [[nodiscard]] state push(state s, int x) const { return {s.scale * 2, s.value + x}; }
};
struct wrong_leaf : recurrence {
  template <class Tile>
  [[nodiscard]] state leaf(const Tile& tile) const {
    state s = identity();  // loses the last element of tiles of three or more
    for (tf::index i = 0; i < std::min<tf::index>(tile.size(), 2); ++i) tile.apply(i, [&](int x) { s = combine(s, lift(x)); });
    return s;
  }
};
struct average {  // associative? (a+b)/2 is not
  using input = double;
  using state = double;
  [[nodiscard]] double identity() const { return 0; }
  [[nodiscard]] double lift(double x) const { return x; }
  [[nodiscard]] double combine(double a, double b) const { return a == 0 ? b : b == 0 ? a : (a + b) / 2; }
  [[nodiscard]] double finalize(double s) const { return s; }
};
struct welford_without_count {  // merges as if both sides were equally long
  using input = double;
  struct state {
    double mean, m2;
    bool operator==(const state&) const = default;
  };
  [[nodiscard]] state identity() const { return {0, 0}; }
  [[nodiscard]] state lift(double x) const { return {x, 0}; }
  [[nodiscard]] state combine(state a, state b) const {
    if (a == identity()) return b;
    if (b == identity()) return a;
    const double d = b.mean - a.mean;
    return {a.mean + d / 2, a.m2 + b.m2 + d * d / 2};
  }
  [[nodiscard]] double finalize(state s) const { return s.m2; }
};
struct init_twice {  // the initial value is folded into every piece
  using input = int;
  using state = int;
  [[nodiscard]] int identity() const { return 1; }
  [[nodiscard]] int lift(int x) const { return x; }
  [[nodiscard]] int combine(int a, int b) const { return a + b; }
  [[nodiscard]] int finalize(int s) const { return s; }
};
struct last_element {  // "identity" 0 for "take the right one": a value that can also be an element
  using input = int;
  using state = int;
  [[nodiscard]] int identity() const { return 0; }
  [[nodiscard]] int lift(int x) const { return x; }
  [[nodiscard]] int combine(int, int b) const { return b; }
  [[nodiscard]] int finalize(int s) const { return s; }
};
struct inexact_but_declared_exact : tf::sum<float> {
  static constexpr bool exact_over_machine = true;
};
struct modest_sum : tf::sum<int> {
  static constexpr bool commutative = false;
};
struct in_place_differs : recurrence {
  void push_into(state& s, int x) const { s = {s.scale * 2, s.value * 2 + (x == 3 ? 4 : x)}; }
};

template <class R>
tf::laws::counterexample broken(const R& r, law expected, tf::index most_elements) {
  const auto report = check(r);
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.failure.broken, expected) << report.to_string();
  EXPECT_LE(report.failure.elements, most_elements) << report.to_string();
  EXPECT_NE(report.failure.left_side, report.failure.right_side);
  return report.failure;
}

}  // namespace

TEST(LawsCheck, PassesALawfulOperator) {
  const auto report = check(recurrence{});
  EXPECT_TRUE(report.passed) << report.to_string();
  EXPECT_EQ(report.trials, 400);
  EXPECT_EQ(report.summary(), "every law held in 400 trials (tested, not proved)");
}

TEST(LawsCheck, CatchesSwappedOperands) { broken(swapped{}, law::push, 2); }
TEST(LawsCheck, CatchesAWrongIdentity) { broken(wrong_identity{}, law::identity, 1); }
TEST(LawsCheck, CatchesAFalseCommutativity) { broken(falsely_commutative{}, law::commutativity, 2); }
TEST(LawsCheck, CatchesAForgottenTerm) { broken(forgets_a_term{}, law::push, 3); }
TEST(LawsCheck, CatchesAWrongPush) { broken(wrong_push{}, law::push, 2); }
TEST(LawsCheck, CatchesAWrongLeaf) { EXPECT_EQ(broken(wrong_leaf{}, law::leaf, 3).a, "[0, 0, 0]"); }
TEST(LawsCheck, CatchesAnAverage) { broken(average{}, law::push, 3); }
TEST(LawsCheck, CatchesWelfordWithoutCount) { broken(welford_without_count{}, law::push, 3); }
TEST(LawsCheck, CatchesAnInitialValueInEveryPiece) { broken(init_twice{}, law::identity, 0); }
TEST(LawsCheck, CatchesAnIdentityThatIsAlsoAnElement) { broken(last_element{}, law::identity, 1); }
TEST(LawsCheck, CatchesAnInPlacePushThatDiffers) { EXPECT_EQ(broken(in_place_differs{}, law::push, 1).c, "[3]"); }
TEST(LawsCheck, CatchesFalseExactness) {
  const auto report = check(inexact_but_declared_exact{});
  EXPECT_FALSE(report.passed);
  EXPECT_TRUE(check(tf::sum<float>{}).passed);
}

TEST(LawsCheck, NotesCommutativityThatWasNotDeclared) {
  const auto report = check(modest_sum{});
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.note, "commutative in every trial, though not declared so");
}

TEST(LawsCheck, SaysWhatFailedAndWhere) {
  const auto report = check(wrong_identity{});
  EXPECT_EQ(report.to_string(),
            "identity fails\n"
            "    law      e ⊕ lift(a) = lift(a)\n"
            "    a        [0]\n"
            "    left     (0, 0)\n"
            "    right    (2, 0)\n")
      << report.to_string();
}

TEST(LawsCheck, SamplesKeepTheDomain) {
  struct grows {  // lawful on rising powers of ten only
    using state = int;
    [[nodiscard]] int identity() const { return 0; }
    [[nodiscard]] int lift(int x) const { return x; }
    [[nodiscard]] int combine(int a, int b) const { return std::max(a, b); }
    [[nodiscard]] int finalize(int s) const { return s; }
  };
  EXPECT_TRUE(check(grows{}, std::vector<int>{1, 10, 100}).passed);
  EXPECT_FALSE(check(grows{}, std::vector<int>{1, -10}).passed);  // 0 is not neutral for max on negative numbers
  EXPECT_TRUE(check(grows{}, std::vector<int>{}).passed);
}

TEST(LawsCheck, GeneratorsAndSeveralInputs) {
  struct weighted {
    using state = double;
    [[nodiscard]] double identity() const { return 0; }
    [[nodiscard]] double lift(double x, int w) const { return x * w; }
    [[nodiscard]] double combine(double a, double b) const { return a + b; }
    [[nodiscard]] double finalize(double s) const { return s; }
  };
  EXPECT_TRUE(check(weighted{}).passed);  // the inputs are read off lift
  const auto generate = [](tf::laws::random& g) { return std::tuple<double, int>(g.between(0, 9), g.between(1, 3)); };
  EXPECT_TRUE(check(weighted{}, generate).passed);
}

TEST(LawsCheck, SameSeedSameReport) {
  tf::laws::options o;
  o.seed = 42;
  EXPECT_EQ(check(average{}, o).to_string(), check(average{}, o).to_string());
}
