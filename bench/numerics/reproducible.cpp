// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reproducible operators on a CPU: the error of their weights over every float, and their price beside the plain vector loop,
//! interleaved, the least of many repetitions. Prints bench/results/reproducible_weights.json (`weights`) or reproducible_cpu.json
//! (`price`).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include <immintrin.h>

#include "twofold/cpu/reproducible.hpp"
#include "twofold/twofold.hpp"

namespace tf = twofold;

namespace {

void weights() {
  struct range {
    float to;
    double worst = 0, sum = 0;
    float at = 0;
    long long count = 0;
  } ranges[] = {{128}, {1024}, {0x1p20f}};
  for (std::uint32_t b = 0; b < 0x49800000u; ++b)
    for (const float s : {__builtin_bit_cast(float, b), -__builtin_bit_cast(float, b)}) {
      const auto w = tf::exact::near_weight(s);
      const double k = w.exponent;  // e^s / 2^k, the product k·ln 2 in two parts
      const double want = std::exp(std::fma(-k, 0x1.62e42fefa39efp-1, static_cast<double>(s)) - k * 0x1.abc9e3b39803fp-56);
      const double error = (w.mantissa * 0x1p-27 / want - 1) * 0x1p24;
      for (range& r : ranges)
        if (std::fabs(s) < r.to) {
          ++r.count, r.sum += error;
          if (std::fabs(error) > r.worst) r.worst = std::fabs(error), r.at = s;
        }
    }
  std::printf(
      "{\"schema\": 1, \"what\": \"reproducible_weights\", \"date\": \"2026-11-30\", \"program\": \"bench/numerics/reproducible.cpp\",\n");
  std::printf("\"units\": \"u = 2^-24, relative to e^s\", \"rows\": [\n");
  for (const range& r : ranges)
    std::printf("{\"below\": %g, \"floats\": %lld, \"worst_u\": %.4f, \"mean_u\": %.4f, \"at\": \"%a\"}%s\n", r.to, r.count, r.worst,
                r.sum / static_cast<double>(r.count), r.at, &r == &ranges[2] ? "" : ",");
  std::printf("]}\n");
}

volatile double sink;

__attribute__((target("avx512f"))) float plain(const float* x, std::size_t n) {
  __m512 a[8];
  for (auto& v : a) v = _mm512_setzero_ps();
  for (std::size_t i = 0; i + 128 <= n; i += 128)
    for (std::size_t k = 0; k < 8; ++k) a[k] = _mm512_add_ps(a[k], _mm512_loadu_ps(x + i + 16 * k));
  for (std::size_t k = 1; k < 8; ++k) a[0] = _mm512_add_ps(a[0], a[k]);
  return _mm512_reduce_add_ps(a[0]);
}
__attribute__((target("avx512f"))) double plain(const double* x, std::size_t n) {
  __m512d a[8];
  for (auto& v : a) v = _mm512_setzero_pd();
  for (std::size_t i = 0; i + 64 <= n; i += 64)
    for (std::size_t k = 0; k < 8; ++k) a[k] = _mm512_add_pd(a[k], _mm512_loadu_pd(x + i + 8 * k));
  for (std::size_t k = 1; k < 8; ++k) a[0] = _mm512_add_pd(a[0], a[k]);
  return _mm512_reduce_add_pd(a[0]);
}

template <class F>
double seconds(const F& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool first_row = true;
template <class T>
void price(const char* type, const char* data, const std::vector<T>& x, int repetitions) {
  const tf::reproducible_sum<T> op;
  const auto threads = tf::tiles{1 << 16} | tf::threads{};
  double a = 1e9, b = 1e9, both = 1e9, plain_both = 1e9;
  const tf::index half = static_cast<tf::index>(x.size()) / 2;
  for (int k = 0; k < repetitions; ++k) {
    a = std::min(a, seconds([&] { sink = static_cast<double>(plain(x.data(), x.size())); }));
    b = std::min(b, seconds([&] { sink = static_cast<double>(op.finalize(tf::leaf(op, tf::as_source(x)))); }));
    if (x.size() < (1u << 22)) continue;
    auto work = [&](tf::index i) { sink = static_cast<double>(plain(x.data() + i * half, static_cast<std::size_t>(half))); };
    plain_both = std::min(plain_both, seconds([&] { tf::cpu::parallel_for(2, 2, tf::task(work)); }));
    both = std::min(both, seconds([&] { sink = static_cast<double>(tf::reduce(op, x, threads)); }));
  }
  const double n = static_cast<double>(x.size()), bytes = n * sizeof(T) * 1e-9;
  std::printf(
      "%s{\"type\": \"%s\", \"data\": \"%s\", \"n\": %zu, \"vectors\": \"%s\", \"plain_gbs\": %.2f, \"reproducible_gbs\": %.2f, \"ratio\": "
      "%.3f",
      first_row ? "" : ",\n", type, data, x.size(), tf::cpu::exact_vectors(), bytes / a, bytes / b, b / a);
  if (both < 1e9)
    std::printf(", \"plain_2_threads_gbs\": %.2f, \"reproducible_2_threads_gbs\": %.2f, \"ratio_2_threads\": %.3f", bytes / plain_both,
                bytes / both, both / plain_both);
  std::printf("}");
  std::fflush(stdout);
  first_row = false;
}

void prices() {
  double load[3] = {-1, -1, -1};
  if (getloadavg(load, 3) < 1) load[0] = -1;
  std::printf(
      "{\"schema\": 1, \"what\": \"reproducible_cpu\", \"date\": \"2026-11-30\", \"program\": \"bench/numerics/reproducible.cpp\", "
      "\"load\": %.2f,\n",
      load[0]);
  std::printf("\"units\": \"GB/s of input; ratio: time of the reproducible sum over the plain one's\", \"rows\": [\n");
  std::mt19937_64 g(1);
  std::normal_distribution<float> normal;
  for (const std::size_t bytes : {std::size_t{32} << 10, std::size_t{256} << 10, std::size_t{1} << 20, std::size_t{256} << 20}) {
    const int repetitions = bytes > (1u << 22) ? 15 : 1500;
    std::vector<float> x(bytes / 4);
    std::vector<double> y(bytes / 8);
    for (float& e : x) e = normal(g);
    for (double& e : y) e = static_cast<double>(normal(g)) + 1e-8 * static_cast<double>(normal(g));
    price("fp32", "normal", x, repetitions), price("fp64", "normal", y, repetitions);
    for (float& e : x) e = std::ldexp(normal(g), static_cast<int>(g() % 60) - 30);
    price("fp32", "60 binary orders of magnitude", x, repetitions);
    for (float& e : x) e = std::ldexp(normal(g), static_cast<int>(g() % 200) - 100);
    price("fp32", "200 binary orders of magnitude", x, repetitions);
    if (bytes == std::size_t{256} << 10) {
      for (float& e : x) e = normal(g);
      tf::cpu::limit_exact_vectors(1);
      price("fp32", "normal", x, repetitions);
      tf::cpu::limit_exact_vectors(0);
      price("fp32", "normal", x, repetitions);
      tf::cpu::limit_exact_vectors(2);
    }
  }
  std::printf("\n]}\n");
}

}  // namespace

int main(int count, char** argument) {
  if (count != 2) return 2;
  if (std::strcmp(argument[1], "weights") == 0) weights();
  else prices();
}
