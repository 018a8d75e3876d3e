// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The page for a browser, the line for editors, prices and special values, on decisions made by hand.
#include "html.hpp"

#include "decisions.hpp"
#include "diagnostics.hpp"
#include "support.hpp"
#include "svg.hpp"
#include "words.hpp"

namespace twofold::tests {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string section(const example& x, cli::circumstances c = {}) {
  c.behaviour = behaviour_of(x.loop, x.answer, 5);
  return cli::html_section(x.loop, x.answer, c, "");
}

TEST(html, shows_numbers_that_the_loop_has) {
  const std::string text = section(softmax());
  // 2, 5, -1 | 4, 4, -3, 1: l is 1 + e^-3 + e^-6 and 2 + e^-3 + e^-7, the answer their sum, the right one times 1/e.
  for (const char* part : {"m = 5", "l = 1.05227", "l = 2.0507", "m = 4", "answer = 1.80668", "class=\"a\">a.m", "class=\"b\">b.m", "l·e^m",
                           "the loop on the whole"})
    EXPECT_TRUE(holds(text, part)) << part << "\n" << text;
  EXPECT_FALSE(holds(text, "≈")) << "the merge gives the loop's answer on this sample, to six digits";
}

TEST(html, says_what_is_added_and_why) {
  const std::string text = section(streaks());
  EXPECT_TRUE(holds(text, "class=\"added\">added"));
  EXPECT_TRUE(holds(text, "whether that run is the whole piece"));
  EXPECT_TRUE(holds(text, "associative with added state"));
}

TEST(html, shows_rows_by_formulas_alone) {
  const std::string text = section(weighted_rows());
  EXPECT_TRUE(holds(text, "a.total"));
  EXPECT_TRUE(holds(text, "x₀"));
}

TEST(html, walks_through_a_witness) {
  const std::string text = section(vote());
  for (const char* part : {"The witness", "the same state", "≠", "sum in disguise: no coordinate found"})
    EXPECT_TRUE(holds(text, part)) << part;
  EXPECT_FALSE(holds(section(undecided()), "The witness"));
}

TEST(html, escapes_whatever_names_hold) {
  EXPECT_EQ(cli::escaped("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(cli::escaped("tab\tline\n"), "tab\tline\n");
  EXPECT_EQ(cli::escaped(std::string("nul\0bell\a", 9)),
            "nul\xef\xbf\xbd"
            "bell\xef\xbf\xbd");
  EXPECT_EQ(cli::escaped("\xff\xc0\x80 \xed\xa0\x80 φ ⊙ 𝒳"),
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd φ ⊙ 𝒳");
  example x = vote();
  x.loop.function = "<script>alert(1)</script>";
  x.answer.tried = {"</section><img src=x onerror=alert(1)>"};
  const std::string text = cli::html_page("<b>", {x.loop.function}, {section(x)});
  EXPECT_FALSE(holds(text, "<script"));
  EXPECT_FALSE(holds(text, "<img"));
  EXPECT_TRUE(holds(text, "<title>&lt;b&gt;</title>"));
}

TEST(html, shows_the_function_around_the_loop) {
  const std::string source =
      "int g(int f);\n\nint f(const int* x,\n      int n) {\n  int s = 0;\n  for (;;) { s += 1; }\n  return s;\n}\nint h();\n";
  const cli::excerpt e = cli::function_around(source, "f", 6);
  EXPECT_EQ(e.first, 3);
  ASSERT_EQ(e.lines.size(), 6U);
  EXPECT_EQ(e.lines.back(), "}");
  EXPECT_TRUE(cli::function_around(source, "f", 99).lines.empty());
  EXPECT_TRUE(cli::function_around("", "f", 1).lines.empty());
}

TEST(gcc, is_one_line_for_each_verdict) {
  cli::circumstances c;
  EXPECT_TRUE(cli::gcc_line(softmax().loop, softmax().answer, c)
                  .starts_with("softmax.cpp:5:3: note: denominator: associative: states of neighbouring pieces merge; "));
  const std::string refuted = cli::gcc_line(vote().loop, vote().answer, c);
  EXPECT_TRUE(refuted.starts_with("vote.cpp:4:3: warning: majority: not associative with this state: [2] and [1, 2, 2] end in the same"))
      << refuted;
  EXPECT_TRUE(refuted.ends_with(" [TF4112]\n"));
  EXPECT_TRUE(cli::gcc_line(undecided().loop, undecided().answer, c).ends_with("[TF4113]\n"));
  c.user_merge.source = "mine.cpp:join";
  c.user_merge.answer = vote().answer;
  EXPECT_EQ(cli::gcc_line(vote().loop, softmax().answer, c),
            "vote.cpp:4:3: error: majority: mine.cpp:join is wrong: the loop gives 2, the merge 0 [TF4114]\n");
  const cli::failure f(cli::exit_code::unsupported, "TF4013", "goto", "a jump\ninto a loop", "leave it out", {"a.cpp", 3, 5});
  EXPECT_EQ(cli::gcc_line(f), "a.cpp:3:5: error: goto: a jump into a loop [TF4013]\n");
}

TEST(gcc, is_what_check_prints) {
  folder here;
  const outcome o = program({"check", loops + "vote.cpp:majority", "--format", "gcc", "--cache", here / "cache"});
  EXPECT_EQ(o.exit, 1);
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1);
  EXPECT_TRUE(holds(o.out, "vote.cpp:6:3: warning: majority: not associative")) << o.out;
  EXPECT_EQ(program({"check", loops + "vote.cpp", "--format", "xml"}).exit, 2);
}

TEST(price, says_from_where_on_splitting_pays) {
  EXPECT_EQ((price{10, 10, 10}).pays_from(2), 3U);    // n/2·10 + 10 < n·10
  EXPECT_EQ((price{10, 10, 100}).pays_from(8), 35U);  // n·70 > 8·3·100
  EXPECT_EQ((price{10, 25, 10}).pays_from(2), std::nullopt) << "twice the work on two workers";
  EXPECT_EQ((price{10, 25, 10}).pays_from(4), 6U);  // n·15 > 4·2·10
  for (const std::size_t p : {2U, 3U, 8U, 64U})
    for (const price& k : {price{3, 5, 20}, price{7, 7, 1}, price{2, 9, 30}})
      if (const auto n = k.pays_from(p)) {
        const auto split = [&](std::size_t m) { return m * k.push + p * std::bit_width(p - 1) * k.merge; };
        EXPECT_LT(split(*n), *n * p * k.step);
        if (*n > p) {
          EXPECT_GE(split(*n - 1), (*n - 1) * p * k.step);
        }
      }
}

TEST(order, tells_when_atomics_may_be_used) {
  EXPECT_EQ(arrival_of(softmax().answer), arrival::by_state);
  EXPECT_EQ(arrival_of(streaks().answer), arrival::in_order);
  example sums = weighted_rows();
  EXPECT_EQ(arrival_of(sums.answer), arrival::undecided);
  sums.answer.commutative = ternary::proved;
  sums.answer.state.pop_back();
  EXPECT_EQ(arrival_of(sums.answer), arrival::by_variable);
}

TEST(special_values, are_compared_on_every_split) {
  const machine_behaviour b = behaviour_of(softmax().loop, softmax().answer, 5);
  ASSERT_EQ(b.special.size(), 6U);
  for (const special_row& r : b.special) EXPECT_EQ(r.splits, 17U) << r.value;  // three words of two elements, seven of three with two cuts
  const auto row = [&](const std::string& name) {
    for (const special_row& r : b.special)
      if (r.value == name) return r;
    return special_row{};
  };
  EXPECT_EQ(row("NaN").differ, 0U);
  EXPECT_GT(row("-inf").differ, 0U) << "the loop gives NaN for -inf - -inf where the merge may not";
  EXPECT_FALSE(row("-inf").left.empty());
  EXPECT_EQ(row("+0").differ, 0U);
  ASSERT_TRUE(b.rounding);
  EXPECT_NE(b.rounding->loop, b.rounding->merge);
}

}  // namespace
}  // namespace twofold::tests
