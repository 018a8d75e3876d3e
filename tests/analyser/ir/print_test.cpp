// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Numbers as text at the ends of their types.
#include <gtest/gtest.h>

#include "ir/term.hpp"

namespace twofold::analyser {
namespace {

mpq_class power_of_ten(unsigned n) {
  mpz_class z;
  mpz_ui_pow_ui(z.get_mpz_t(), 10, n);
  return z;
}

//! Folding constants exactly (1e300 * 1e300) leaves the range of double: as C++ it is what the machine computes, as a formula itself.
TEST(print, reals_beyond_the_range_of_their_type) {
  const term big = number(power_of_ten(600), double_type), small = number(-power_of_ten(600), double_type);
  EXPECT_EQ(to_cpp(big), "std::numeric_limits<double>::infinity()");
  EXPECT_EQ(to_cpp(small), "-std::numeric_limits<double>::infinity()");
  EXPECT_EQ(to_text(big), power_of_ten(600).get_str());
  EXPECT_EQ(to_cpp(number(1 / power_of_ten(600), double_type)), "0.0");
  EXPECT_EQ(to_cpp(number(power_of_ten(308), double_type)), "1e+308");
}

TEST(print, least_integers_are_no_literals) {
  EXPECT_EQ(to_cpp(number(mpq_class("-9223372036854775808"), long_type)), "std::numeric_limits<std::int64_t>::min()");
  EXPECT_EQ(to_cpp(number(-2147483648L, int_type)), "std::numeric_limits<int>::min()");
}

//! numeric_limits of an integer has 0 for an infinity.
TEST(print, infinities_of_integers_are_the_ends_of_their_range) {
  EXPECT_EQ(to_cpp(infinity(int_type)), "std::numeric_limits<int>::max()");
  EXPECT_EQ(to_cpp(minus_infinity(long_type)), "std::numeric_limits<std::int64_t>::lowest()");
  EXPECT_EQ(to_cpp(minus_infinity(float_type)), "-std::numeric_limits<float>::infinity()");
}

}  // namespace
}  // namespace twofold::analyser
