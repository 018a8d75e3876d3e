// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `run` of loops over rows: folds over a row or over the components of a vector stand in what is compiled, with starts that
//! no integer is (the least of a row starts from ∞), that differ from component to component, and where nothing is read.
#include <fstream>

#include "support.hpp"

namespace twofold::tests {
namespace {

constexpr const char* source = R"cpp(
#include <algorithm>
  int sum_of_least(const int* x, int n, int d) {
    int s = 0;
    for (int i = 0; i < n; ++i) {
      int m = x[i * d];
      for (int j = 1; j < d; ++j) m = std::min(m, x[i * d + j]);
      s += m;
    }
    return s;
  }
  unsigned sum_of_greatest(const unsigned* x, int n, int d) {
    unsigned s = 0;
    for (int i = 0; i < n; ++i) {
      unsigned m = x[i * d];
      for (int j = 1; j < d; ++j) m = std::max(m, x[i * d + j]);
      s += m;
    }
    return s;
  }
  int best_segment(const int* x, int* c, int n, int d) {
    int best = -100;
    for (int j = 0; j < d; ++j) c[j] = j - 1;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < d; ++j) {
        c[j] = std::max(c[j] + x[i * d + j], 0);
        best = std::max(best, c[j]);
      }
    return best;
  }
  int greatest_from(const int* x, int* c, int n, int d, int a) {
    for (int j = 0; j < d; ++j) c[j] = a;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < d; ++j) c[j] = std::max(c[j] + x[i * d + j], 0);
    int best = 0;
    for (int j = 0; j < d; ++j) best = std::max(best, c[j]);
    return best;
  }
  void shifted_sums(const int* x, int* c, int n, int d) {
    for (int j = 0; j < d; ++j) c[j] = j;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < d; ++j) c[j] += x[i * d + j];
  }
)cpp";

struct rows : testing::TestWithParam<const char*> {};

TEST_P(rows, equal_the_loop) {
  const folder here;
  const std::string file = here / "loops.cpp", name = GetParam();
  std::ofstream(file) << source;
  for (int n : {0, 1, 2, 11}) {
    std::vector<std::int32_t> v;
    for (int i = 0; i < 3 * n; ++i) v.push_back(i * i * 37 % 23 - (name == "sum_of_greatest" ? 0 : 11));
    const std::string input = here / ("x" + std::to_string(n) + ".npy");
    cli::write_npy(input, array_of<std::int32_t>(name == "sum_of_greatest" ? "<u4" : "<i4", {3 * n}, v));
    std::vector<std::string> words{"run", file + ":" + name, "--cache", here / "cache", "--json", "--input", "x=" + input, "--set", "d=3"};
    if (name == "greatest_from") words.insert(words.end(), {"--set", "a=4"});
    for (const char* schedule : {"tree", "tiles=2,split=3"}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--schedule", schedule});
      const outcome o = program(all);
      ASSERT_EQ(o.exit, 0) << name << " " << n << " " << schedule << ": " << o.err << o.out;
      EXPECT_EQ(o.json()["max_difference"].get<double>(), 0) << name << " " << n << " " << schedule << ": " << o.out;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(loops, rows, testing::Values("sum_of_least", "sum_of_greatest", "best_segment", "greatest_from", "shifted_sums"));

}  // namespace
}  // namespace twofold::tests
