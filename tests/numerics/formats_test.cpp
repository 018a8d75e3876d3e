// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Formats agree with the C++ types and with the published tables.
#include "twofold/numerics/formats.hpp"

#include <gtest/gtest.h>

#include <limits>

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
