// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Domains agree with the formats' own arithmetic, hold as constant expressions, and refuse with the number that breaks.
#include "twofold/numerics/domains.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "twofold/numerics/rounding.hpp"

using namespace twofold::numerics;

// What can be known when compiling is checked when compiling.
static_assert(p_budget{bf16, 0, 8}.fits());
static_assert(p_budget{e4m3, 8, 0}.fits());
static_assert(!p_budget{e4m3, 8, 4}.fits(), "offset 8 and tau 4 let P reach 2^12");
static_assert(p_budget{e4m3, 4, 4}.fits());
static_assert(p_budget{e5m2, 8, 4}.fits());
static_assert(!accumulator_limit{fp16, 4096, 0, 16}.fits());
static_assert(accumulator_limit{fp32, 131072, 8, 8}.fits());
static_assert(gauge_window_of(fp32, 1 << 24, 256).holds(-95) && gauge_window_of(fp32, 1 << 24, 256).holds(78));
static_assert(!gauge_window_of(fp32, 1 << 24, 256).holds(-96.5) && !gauge_window_of(fp32, 1 << 24, 256).holds(79));
static_assert(!stagnation_limit{bf16, 300}.fits() && stagnation_limit{bf16, 256}.fits());
static_assert(!scale_limit{fp32, 4, 1e30}.fits() && scale_limit{fp32, 1e9, 1}.fits());
static_assert(!square_limit{fp32, 1024, 3e19}.fits() && square_limit{fp32, 1024, 1e17}.fits());
static_assert(!unshifted_limit{fp16, 4096, 12}.fits() && unshifted_limit{fp32, 4096, 100}.fits());
static_assert(!score_limit{fp16, 300, 300}.fits());

TEST(Domains, ExponentsLeaveTheFormatWhereTheySay) {
  for (const format* f : all_formats) {
    const exponent_domain d = exponents_of(*f);
    EXPECT_NEAR(d.overflows_at, std::log2(static_cast<long double>(f->largest())), 1e-9) << f->name;
    EXPECT_LE(d.overflows_at, static_cast<double>(std::log2(static_cast<long double>(f->largest())))) << f->name;
    if (f == &fp64) continue;
    EXPECT_EQ(round_to(*f, std::exp2(d.normal_from)), std::exp2(d.normal_from)) << f->name;
    EXPECT_GT(round_to(*f, std::exp2(d.subnormal_from)), 0) << f->name;
    EXPECT_EQ(round_to(*f, std::exp2(d.subnormal_from - 1)), 0) << f->name;
    EXPECT_LE(round_to(*f, std::exp2(d.overflows_at), overflow::saturate), f->largest()) << f->name;
  }
  EXPECT_NEAR(natural_overflow(fp32), 88.72, 0.005);
  EXPECT_NEAR(natural_overflow(fp16), 11.09, 0.005);
  EXPECT_NEAR(natural_overflow(e4m3), 6.10, 0.005);
}

TEST(Domains, WindowsAreTight) {  // one weight at the edge of the window, in fp32
  const gauge_window w = gauge_window_of(fp32, 1, 1);
  EXPECT_TRUE(std::isfinite(std::exp2(static_cast<float>(-w.lowest - 0.01))));
  EXPECT_TRUE(std::isinf(std::exp2(static_cast<float>(-w.lowest + 0.01))));
  EXPECT_EQ(w.highest, 126 - 24);  // flushed weights then lie below u beside the largest one
}

TEST(Domains, ASaturatedCastLosesTheShareThatIsSaid) {
  const p_budget b{e4m3, 8, 4};
  const double p = std::exp2(b.needed());
  EXPECT_NEAR(1 - round_to(e4m3, p, overflow::saturate) / p, b.lost_share(), 1e-12);
  EXPECT_NEAR(b.lost_share(), 0.89, 0.005);
  EXPECT_EQ((p_budget{e4m3, 4, 4}).lost_share(), 0);
}

TEST(Domains, AccumulatorsOverflowOneElementLater) {
  const accumulator_limit a{fp16, 255, 8};
  EXPECT_TRUE(a.fits());
  EXPECT_FALSE((accumulator_limit{fp16, 256, 8}.fits()));
  EXPECT_TRUE((accumulator_limit{fp16, 4096, -1, 16}.fits()));  // pre-scaled by the power of two that the refusal names
  EXPECT_EQ((accumulator_limit{fp16, 4096, 0, 16}.shift_that_fits()), 1);
  double sum = 0;
  for (int i = 0; i < 256; ++i) sum = round_to(fp16, sum + 256);
  EXPECT_TRUE(std::isinf(sum));
}

TEST(Domains, StagnationIsWhereItSays) {
  for (const format* f : {&bf16, &fp16, &e4m3, &e5m2}) {
    double sum = 0;
    for (int i = 0; i < 5000; ++i) sum = round_to(*f, sum + 1);
    EXPECT_EQ(sum, f->ones_stagnate_at()) << f->name;
  }
}

namespace {
template <class Check>
std::string why(const Check& c) {
  try {
    require(c);
  } catch (const twofold::error& e) {
    return e.what();
  }
  return "";
}
void says(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in: " << text;
}
}  // namespace

TEST(Domains, RefusalsNameTheNumberThatBreaks) {
  says(why(p_budget{e4m3, 8, 4}), {"TF2401", "2^12", "448", "8.80735"});
  says(why(accumulator_limit{fp16, 4096, 0, 16}), {"TF2402", "4096", "65504", "2^16"});
  says(why(stagnation_limit{bf16, 4096}), {"TF2403", "256"});
  says(why(unshifted_limit{fp16, 4096, 12}), {"TF2404", "2^24"});
  says(why(score_limit{fp16, 300, 300}), {"TF2404", "90000"});
  says(why(square_limit{fp32, 1024, 3e19}), {"TF2405", "2^128"});
  says(why(scale_limit{fp32, 4, 1e30}), {"TF2406", "2^398"});
  EXPECT_EQ(why(p_budget{bf16, 0, 8}), "");
  EXPECT_EQ(why(accumulator_limit{fp32, 131072, 8, 8}), "");
}
