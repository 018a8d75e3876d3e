// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The table of primitives is what the result files say, the documented errors hold in them, and this machine's library keeps to
//! the figures that bounds assume.
#include "twofold/numerics/primitives.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

using namespace twofold::numerics;

namespace {
std::string text_of(const std::string& file) {
  std::ifstream in(std::string(TWOFOLD_SOURCE_DIR) + "/bench/results/" + file);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}
//! The number of a key in the flat object that begins at `from`.
double number_in(const std::string& text, std::size_t from, const std::string& key) {
  const std::size_t end = text.find('}', from), at = text.find('"' + key + '"', from);
  if (at == std::string::npos || at > end) return NAN;
  return std::stod(text.substr(text.find(':', at) + 1));
}
}  // namespace

TEST(Primitives, AreWhatTheResultFilesSay) {
  for (const primitive& p : primitives) {
    const std::string text = text_of(p.file);
    const std::size_t row = text.find("\"primitive\": \"" + std::string(p.row) + "\"");
    ASSERT_NE(row, std::string::npos) << p.name << " in " << p.file;
    const double worst = number_in(text, row, "worst_u");
    if (worst < 1e6) {
      EXPECT_NEAR(p.measured, worst, 1e-6) << p.name;
    } else {
      EXPECT_TRUE(std::isinf(p.measured)) << p.name;
    }
    if (p.nonpositive > 0) {
      EXPECT_NEAR(p.nonpositive, number_in(text, row, "worst_u_nonpositive"), 1e-6) << p.name;
    }
    EXPECT_NEAR(p.bias, number_in(text, row, "mean_u"), 1e-9) << p.name;
    if (p.absolute > 0) {
      EXPECT_NEAR(p.absolute, number_in(text, row, "worst_absolute_where_small"), 1e-12) << p.name;
    }
  }
}

TEST(Primitives, DocumentedErrorsHold) {
  for (const primitive& p : primitives) {
    if (p.documented > 0) {
      EXPECT_LE(p.measured, p.documented) << p.name;
    }
    EXPECT_EQ(primitive_named(p.name), &p);
  }
  EXPECT_EQ(primitive_named("ex3"), nullptr);
  EXPECT_EQ(primitive_named("ex2.approx")->guaranteed(), 4);
}

//! Bounds take 1.03u for exp2 and 2u for log of this machine's library: every 4099th float, both types; and exact powers at integers.
TEST(Primitives, OfThisMachineAreWithinWhatBoundsAssume) {
  double exp2_worst = 0, log_worst = 0;
  for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += 4099) {
    float x = 0;
    __builtin_memcpy(&x, &bits, 4);
    if (x > 0) {
      const long double exact = std::log(static_cast<long double>(x));
      if (exact != 0)
        log_worst = std::fmax(log_worst, static_cast<double>(std::fabs((static_cast<long double>(std::log(x)) - exact) / exact)));
    }
    if (x > 125) continue;
    const long double exact = std::exp2(static_cast<long double>(-x));
    exp2_worst = std::fmax(exp2_worst, static_cast<double>(std::fabs((static_cast<long double>(std::exp2(-x)) - exact) / exact)));
  }
  EXPECT_LE(exp2_worst, 1.03 * fp32.unit_roundoff());
  EXPECT_LE(log_worst, 2 * fp32.unit_roundoff());
  for (int k = -149; k < 128; ++k) EXPECT_EQ(std::exp2(static_cast<float>(k)), std::ldexp(1.0f, k));
  for (int k = -1074; k < 1024; ++k) EXPECT_EQ(std::exp2(static_cast<double>(k)), std::ldexp(1.0, k));
  double wide_worst = 0;
  for (int k = 0; k < 200000; ++k) {
    const double x = -k * 0.00511;
    const long double exact = std::exp2(static_cast<long double>(x));
    wide_worst = std::fmax(wide_worst, static_cast<double>(std::fabs((static_cast<long double>(std::exp2(x)) - exact) / exact)));
  }
  EXPECT_LE(wide_worst, 1.03 * fp64.unit_roundoff());
}

//! The model of the tensor core's additions gives what the probe saw, row by row: start plus `products` equal products of 2^exponent.
TEST(Primitives, TheModelOfTheTensorCoreReproducesTheProbe) {
  const std::string text = text_of("h200_gpu_primitives.json");
  int rows = 0;
  double worst = 0;
  for (std::size_t at = text.find("\"wgmma\""); at != std::string::npos; at = text.find("\"wgmma\"", at + 1), ++rows) {
    const double start = number_in(text, at, "start"), products = number_in(text, at, "products");
    const double term = std::exp2(number_in(text, at, "exponent"));
    const double sum = start * 0x1p25 + std::trunc(term * 0x1p25) * products;  // in units of 2^-25, each term cut
    const double grid = std::fabs(sum) >= 0x1p25 ? 4 : 2;                      // 24 bits of the sum
    const double excess = number_in(text, at, "excess_2^-24"), exact = number_in(text, at, "exact_2^-24");
    EXPECT_EQ((std::trunc(sum / grid) * grid - start * 0x1p25) / 2, excess) << start << " " << products << " " << term;
    worst = std::fmax(worst, std::fabs(excess - exact));
  }
  EXPECT_GT(rows, 50);
  EXPECT_LE(worst, tensor_core::roundoff_per_instruction * 0x1p24);
  EXPECT_GT(worst, 0.3 * tensor_core::roundoff_per_instruction * 0x1p24);
}
