// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file --assume: what is read, what is refused, and which witnesses lie outside.
#include "assume.hpp"

#include "decisions.hpp"
#include "failure.hpp"
#include "support.hpp"

namespace twofold::tests {
namespace {

TEST(assume, reads_lists_of_comparisons) {
  const auto all = cli::parse_assumptions("n>=1, |g| <= 1.5, noalias, 0<= x <1");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].all[0].left.name, "n");
  EXPECT_TRUE(all[1].all[0].left.magnitude);
  EXPECT_EQ(all[1].all[0].right.number, mpq_class(3, 2));
  EXPECT_TRUE(all[2].no_alias);
  EXPECT_EQ(all[3].all.size(), 2u);
  EXPECT_TRUE(cli::parse_assumptions("").empty());
  EXPECT_EQ(cli::parse_assumptions("g==-0.1")[0].all[0].right.number, mpq_class(-0.1)) << "the number of the loop's own 0.1";
  EXPECT_EQ(cli::parse_assumptions("n<10000000000000000000000001")[0].all[0].right.number, mpq_class("10000000000000000000000001"));
}

TEST(assume, refuses_the_rest) {
  for (const char* text : {"n", "n>=", ">=1", "n>=1,,x>0", "|x<1", "n ~ 1", "1 2", "n>=1 and x>0", "-", "x<.", ","}) {
    try {
      cli::parse_assumptions(text);
      ADD_FAILURE() << text;
    } catch (const cli::failure& f) {
      EXPECT_EQ(f.code, "TF2121") << text;
    }
  }
}

TEST(assume, names_must_be_parameters) {
  EXPECT_EQ(cli::under(cli::parse_assumptions("n>=1, votes>=0, noalias"), vote().loop).given.size(), 2u);
  EXPECT_THROW(cli::under(cli::parse_assumptions("m>=1"), vote().loop), cli::failure);
}

TEST(assume, a_witness_must_lie_in_the_domain) {
  const example x = vote();  // votes are 0, 1 and 2
  const auto broken = [&](const char* text) {
    return cli::broken_by(cli::parse_assumptions(text), x.loop, *x.answer.counterexample).has_value();
  };
  EXPECT_FALSE(broken("0<=votes<=2"));
  EXPECT_FALSE(broken("|votes|<=2, n>=2"));
  EXPECT_TRUE(broken("votes>=1"));
  EXPECT_TRUE(broken("votes<=1"));
  EXPECT_TRUE(broken("n>=100"));
  EXPECT_TRUE(broken("n<=3")) << "the second word has four elements";
  EXPECT_FALSE(broken("n<=4"));
  EXPECT_TRUE(broken("votes!=2"));
}

}  // namespace
}  // namespace twofold::tests
