// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Formats agree with the C++ types and with the published tables.
#include "twofold/numerics/formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "twofold/numerics/rounding.hpp"

using namespace twofold::numerics;

template <class T>
void agrees(const format& f) {
  using l = std::numeric_limits<T>;
  EXPECT_EQ(f.unit_roundoff(), static_cast<double>(l::epsilon() / 2));
  EXPECT_EQ(f.largest(), static_cast<double>(l::max()));
  EXPECT_EQ(f.smallest_normal(), static_cast<double>(l::min()));
  EXPECT_EQ(f.smallest_subnormal(), static_cast<double>(l::denorm_min()));
}

TEST(Formats, AgreeWithTheTypes) {
  agrees<float>(format_of<float>);
  agrees<double>(format_of<double>);
}

TEST(Formats, OfSixteenAndEightBits) {
  EXPECT_EQ(fp16.largest(), 65504);
  EXPECT_EQ(fp16.smallest_subnormal(), 0x1p-24);
  EXPECT_EQ(fp16.ones_stagnate_at(), 2048);
  EXPECT_EQ(bf16.largest(), 0x1.fep127);
  EXPECT_EQ(bf16.unit_roundoff(), 0x1p-8);
  EXPECT_EQ(bf16.ones_stagnate_at(), 256);
  EXPECT_EQ(bf16.smallest_subnormal(), 0x1p-133);
  EXPECT_EQ(tf32.unit_roundoff(), 0x1p-11);
  EXPECT_EQ(e4m3.largest(), 448);
  EXPECT_EQ(e4m3.smallest_subnormal(), 0x1p-9);
  EXPECT_EQ(e5m2.largest(), 57344);
  EXPECT_EQ(e5m2.smallest_subnormal(), 0x1p-16);
}

TEST(Formats, OnesStagnateWhereTheySay) {
  float s = 16777210;
  for (int i = 0; i < 100; ++i) s += 1;
  EXPECT_EQ(s, fp32.ones_stagnate_at());
}

TEST(Formats, AreFoundByName) {
  for (const format* f : all_formats) EXPECT_EQ(format_named(f->name), f);
  EXPECT_EQ(format_named("f32"), &fp32);
  EXPECT_EQ(format_named("f8"), nullptr);
  for (const format* f : all_formats)
    EXPECT_NEAR(log2_largest(*f), static_cast<double>(std::log2(static_cast<long double>(f->largest()))), 1e-9);
}

//! Every number of a format, in order, by its own definition; and the midpoints between neighbours, which go to the even one.
TEST(Formats, RoundingIsToNearestEven) {
  static_assert(round_to(bf16, 1 + 0x1p-9) == 1 && round_to(bf16, 1 + 0x1.8p-8) == 1 + 0x1p-7);
  for (const format* f : {&fp16, &e4m3, &e5m2, &bf16}) {
    double before = 0;
    long code = 0;
    for (double x = f->smallest_subnormal(); x <= f->largest(); ++code) {
      EXPECT_EQ(round_to(*f, x), x) << f->name;
      EXPECT_EQ(round_to(*f, -x), -x) << f->name;
      const double middle = (before + x) / 2;  // codes alternate between even and odd significands
      EXPECT_EQ(round_to(*f, middle), code % 2 == 0 ? before : x) << f->name << " " << x;
      EXPECT_EQ(round_to(*f, middle * (1 + 0x1p-40)), x) << f->name;
      EXPECT_EQ(round_to(*f, middle * (1 - 0x1p-40)), before) << f->name;
      before = x;
      int e = 0;
      std::frexp(x, &e);
      x += std::ldexp(1, std::max(e - 1, f->min_exponent) - f->precision + 1);
      if (f == &bf16 && x > 1e3) break;
    }
    EXPECT_EQ(round_to(*f, f->largest() * 4, overflow::saturate), f->largest()) << f->name;
    EXPECT_FALSE(std::isfinite(round_to(*f, f->largest() * 4))) << f->name;
  }
  for (std::uint32_t bits = 1; bits < 0x7f000000u; bits += 65521) {
    float x = 0;
    __builtin_memcpy(&x, &bits, 4);
    const double y = static_cast<double>(x) * 1.2345678901;
    EXPECT_EQ(round_to(fp32, y), static_cast<double>(static_cast<float>(y)));
  }
  EXPECT_TRUE(std::isnan(round_to(e4m3, NAN)));
  EXPECT_EQ(round_to(fp32, INFINITY), INFINITY);
}
