// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a guaranteed error costs: certified{R} over R, the same elements, the same schedule. Both are run alternately, many times;
//! the figure is the ratio of the fastest runs. Writes one JSON object.
//!     g++ -std=c++20 -O2 -I include bench/numerics/certified_cost.cpp -o certified_cost && ./certified_cost > certified_cost.json
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "twofold/numerics/certified.hpp"
#include "twofold/schedule/reduce.hpp"
#include "twofold/schedule/text.hpp"

namespace tf = twofold;

namespace {

double seconds_of(const auto& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool first = true;
template <class R, class Data>
void compare(const char* name, const R& plain, const Data& data, double elements, const char* text) {
  const tf::certified<R> certified(plain);
  const tf::schedule s = tf::parse_schedule(text);
  double fast_plain = 1e9, fast_certified = 1e9;
  for (int k = 0; k < 60; ++k) {
    fast_plain = std::min(fast_plain, seconds_of([&] {
                            const auto state = tf::reduce_state(plain, data, s);
                            asm volatile("" : : "r"(&state) : "memory");
                          }));
    fast_certified = std::min(fast_certified, seconds_of([&] {
                                const auto state = tf::reduce_state(certified, data, s);
                                asm volatile("" : : "r"(&state) : "memory");
                              }));
  }
  std::printf("%s\n    {\"operator\": \"%s\", \"schedule\": \"%s\", \"plain_ns\": %.3f, \"certified_ns\": %.3f, \"ratio\": %.3f}",
              first ? "" : ",", name, text, fast_plain / elements * 1e9, fast_certified / elements * 1e9, fast_certified / fast_plain);
  first = false;
}

}  // namespace

int main() {
  char date[16], cpu[128] = "unknown";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
  if (std::FILE* f = std::fopen("/proc/cpuinfo", "r")) {
    for (char line[256]; std::fgets(line, sizeof line, f);)
      if (std::sscanf(line, "model name : %127[^\n]", cpu) == 1) break;
    std::fclose(f);
  }
  double load[1] = {0};
  getloadavg(load, 1);
  std::printf(
      "{\"schema\": 1, \"date\": \"%s\", \"cpu\": \"%s\", \"load_average\": %.1f, \"what\": \"certified_cost\", \"program\": "
      "\"bench/numerics/certified_cost.cpp\", \"rows\": [",
      date, cpu, load[0]);
  std::mt19937 g(1);
  std::normal_distribution<float> normal;
  const int n = 1 << 14;
  std::vector<float> x(n), a(n), v(std::size_t(n) * 64);
  std::vector<double> wide(n);
  for (float& e : x) e = normal(g);
  for (double& e : wide) e = static_cast<double>(normal(g));
  for (float& e : a) e = 0.9f + 0.1f * normal(g);
  for (float& e : v) e = normal(g);
  for (const char* text : {"fold", "tiles=128,tree"}) {
    compare("sum<float>", tf::sum<float>{}, x, n, text);
    compare("sum<double>", tf::sum<double>{}, wide, n, text);
    compare("pairwise_sum<float>", tf::pairwise_sum<float>{}, x, n, text);
    compare("compensated_sum<float>", tf::compensated_sum<float>{}, x, n, text);
    compare("softmax<float>", tf::softmax<float>{}, x, n, text);
    compare("softmax<float, maximum>", tf::softmax<float, tf::gauge::maximum>{}, x, n, text);
    compare("log_sum_exp<float>", tf::log_sum_exp<float>{}, x, n, text);
    compare("welford<float>", tf::welford<float>{}, x, n, text);
    compare("moments<float, 4>", tf::moments<float, 4>{}, x, n, text);
    compare("affine_recurrence<float>", tf::affine_recurrence<float>{}, tf::zip(a, x), n, text);
    const int rows = 1 << 11;
    compare("attention<float, 64>", tf::attention<float, 64>{},
            tf::zip(tf::array_source<float>{x.data(), rows, 1}, tf::row_source<float>{v.data(), rows, 64, 64}), rows, text);
  }
  std::printf("\n  ]}\n");
}
