// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file No integer stands for an infinity: where a merge needs one for "no elements", the empty state is adjoined. Pieces
//! without elements and chains of merges must then leave integers as the loop does, at both ends of their range too.
#include <fstream>
#include <limits>

#include "support.hpp"

namespace twofold::tests {
namespace {

constexpr const char* source = R"cpp(
#include <algorithm>
  bool stays_above(const int* x, int n) {
    int d = 0;
    bool ok = true;
    for (int i = 0; i < n; ++i) {
      d += x[i];
      if (d < -5) ok = false;
    }
    return ok;
  }
  int profit(const int* price, int n) {
    int lo = 1000, best = 0;
    for (int i = 0; i < n; ++i) {
      lo = std::min(lo, price[i]);
      best = std::max(best, price[i] - lo);
    }
    return best;
  }
  int held(const int* x, int n) {
    int s = 0;
    for (int i = 0; i < n; ++i) s = std::clamp(s + x[i], -3, 3);
    return s;
  }
  int lowest_prefix(const int* x, int n) {
    int s = 0, low = 7;
    for (int i = 0; i < n; ++i) {
      s += x[i];
      low = std::min(low, s);
    }
    return low;
  }
)cpp";

struct adjoined : testing::TestWithParam<const char*> {};

TEST_P(adjoined, equals_the_loop) {
  const folder here;
  const std::string file = here / "loops.cpp", name = GetParam();
  std::ofstream(file) << source;
  const std::string array = name == "profit" ? "price" : "x";
  for (int n : {0, 1, 2, 3, 41}) {
    std::vector<std::int32_t> v;
    for (int i = 0; i < n; ++i) v.push_back(i * i * 37 % 23 - 11);
    if (n == 3) v = {-6, 1000, -7};
    const std::string input = here / ("x" + std::to_string(n) + ".npy");
    cli::write_npy(input, array_of<std::int32_t>("<i4", {n}, v));
    for (const char* schedule : {"tree", "split=7", "tiles=2,tree", "threads=2"}) {
      const outcome o =
          program({"run", file + ":" + name, "--cache", here / "cache", "--json", "--input", array + "=" + input, "--schedule", schedule});
      ASSERT_EQ(o.exit, 0) << name << " " << n << " " << schedule << ": " << o.err << o.out;
      EXPECT_EQ(o.json()["max_difference"].get<double>(), 0) << name << " " << n << " " << schedule << ": " << o.out;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(loops, adjoined, testing::Values("stays_above", "profit", "held", "lowest_prefix"));

}  // namespace
}  // namespace twofold::tests
