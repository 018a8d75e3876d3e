// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention, one measurement per line of input, so that a script can run its peers in between (scripts/cpu_attention.py):
//!
//!     TYPE BATCH HEADS KV_HEADS QUERIES KEYS HEAD_SIZE CAUSAL THREADS SECONDS   →   one line of JSON
//!     multiply SECONDS       the most operations a second: fused multiply-adds of floats, two operations each
//!     read BYTES SECONDS     the most bytes a second out of an array of that size; both on all threads
//!
//! Every shape is first checked against float64 on some rows; a wrong result is printed as an error, never timed.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "twofold/cpu/attention.hpp"
#include "twofold/cpu/block.hpp"
#include "twofold/cpu/threads.hpp"

namespace {

namespace tf = twofold;
using std::int64_t;
using tf::cpu::attention_problem;
using tf::cpu::attention_type;

struct numbers {
  attention_type type;
  std::vector<std::uint32_t> words;
  numbers(attention_type t, int64_t n, std::mt19937_64& bits) : type(t), words(static_cast<std::size_t>(n)) {
    std::normal_distribution<float> normal;
    for (int64_t i = 0; i < n; ++i) set(i, normal(bits));
  }
  void set(int64_t i, float x) {
    if (type == attention_type::float32) reinterpret_cast<float*>(words.data())[i] = x;
    else if (type == attention_type::float16) reinterpret_cast<_Float16*>(words.data())[i] = static_cast<_Float16>(x);
    else {
      std::uint32_t b = 0;
      std::memcpy(&b, &x, 4);
      reinterpret_cast<std::uint16_t*>(words.data())[i] = static_cast<std::uint16_t>((b + 0x7fff + (b >> 16 & 1)) >> 16);
    }
  }
  [[nodiscard]] double get(int64_t i) const {
    if (type == attention_type::float32) return reinterpret_cast<const float*>(words.data())[i];
    if (type == attention_type::float16) return static_cast<double>(reinterpret_cast<const _Float16*>(words.data())[i]);
    const std::uint32_t b = static_cast<std::uint32_t>(reinterpret_cast<const std::uint16_t*>(words.data())[i]) << 16;
    float x = 0;
    std::memcpy(&x, &b, 4);
    return x;
  }
};

//! The largest difference from float64 over some rows.
double difference(const attention_problem& p, const numbers& q, const numbers& k, const numbers& v, const numbers& out) {
  double worst = 0;
  for (int64_t i : {int64_t{0}, p.queries / 2, p.queries - 1}) {
    const int64_t h = p.heads - 1, kv = h / (p.heads / p.kv_heads), last = p.right == 0 ? i + p.keys - p.queries + 1 : p.keys;
    std::vector<double> s(static_cast<std::size_t>(last)), o(static_cast<std::size_t>(p.head_size));
    double most = -1e300, l = 0;
    for (int64_t j = 0; j < last; ++j) {
      double x = 0;
      for (int64_t e = 0; e < p.head_size; ++e)
        x += q.get(h * p.q_stride.head + i * p.head_size + e) * k.get(kv * p.k_stride.head + j * p.head_size + e);
      s[static_cast<std::size_t>(j)] = x / std::sqrt(static_cast<double>(p.head_size));
      most = std::max(most, s[static_cast<std::size_t>(j)]);
    }
    for (int64_t j = 0; j < last; ++j) {
      const double w = std::exp(s[static_cast<std::size_t>(j)] - most);
      l += w;
      for (int64_t e = 0; e < p.head_size; ++e) o[static_cast<std::size_t>(e)] += w * v.get(kv * p.v_stride.head + j * p.head_size + e);
    }
    for (int64_t e = 0; e < p.head_size; ++e)
      worst = std::max(worst, std::fabs(o[static_cast<std::size_t>(e)] / l - out.get(h * p.out_stride.head + i * p.head_size + e)));
  }
  return worst;
}

//! Seconds of the fastest of f's calls.
template <class F>
double best_of(double seconds, const F& f) {
  double best = 1e300, spent = 0;
  for (int runs = 0; spent < seconds || runs < 3; ++runs) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::min(best, took);
    spent += took;
  }
  return best;
}

//! @name What the machine can do: loops that do nothing else.
//! @{
using lanes = tf::simd::vec<float, tf::simd::vector_bytes / 4>;
using tf::cpu::detail::each;
volatile float seen;  // so that nothing is left out

double multiply_rate(double seconds) {
  constexpr int chains = 16, times = 100'000;
  const auto threads = static_cast<tf::index>(std::thread::hardware_concurrency());
  const auto one = [](tf::index) {
    lanes a[chains];
    const lanes x(0.999f), y(0.001f);
    each<chains>([&](auto k) __attribute__((always_inline)) { a[k] = lanes(static_cast<float>(k)); });
    for (int i = 0; i < times; ++i) each<chains>([&](auto k) __attribute__((always_inline)) { a[k] = lanes::multiply_add(a[k], x, y); });
    each<chains - 1>([&](auto k) __attribute__((always_inline)) { a[0] += a[k + 1]; });
    seen = tf::simd::total(a[0]);
  };
  const double best = best_of(seconds, [&] { tf::cpu::threads_executor()(threads, 0, tf::task(one)); });
  return 2.0 * chains * times * lanes::size * static_cast<double>(threads) / best;
}

double read_rate(int64_t bytes, double seconds) {
  constexpr int chains = 8;
  constexpr tf::index piece = 1 << 14;
  const std::vector<float> x(static_cast<std::size_t>(std::max<int64_t>(bytes / 4 / piece, 1) * piece), 1.0f);
  const tf::index pieces = static_cast<tf::index>(x.size()) / piece;
  const auto one = [&](tf::index k) {
    lanes s[chains];
    each<chains>([&](auto c) __attribute__((always_inline)) { s[c] = lanes(0); });
    for (const float* at = x.data() + k * piece; at < x.data() + (k + 1) * piece; at += chains * lanes::size)
      each<chains>([&](auto c) __attribute__((always_inline)) { s[c] += lanes::load(at + c * lanes::size); });
    each<chains - 1>([&](auto c) __attribute__((always_inline)) { s[0] += s[c + 1]; });
    seen = tf::simd::total(s[0]);
  };
  return 4.0 * static_cast<double>(x.size()) / best_of(seconds, [&] { tf::cpu::threads_executor()(pieces, 0, tf::task(one)); });
}
//! @}

}  // namespace

int main() {
  std::string line, last;
  std::unique_ptr<numbers> q, k, v, out;
  attention_problem p;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string type, shape;
    int64_t causal = 0, threads = 0;
    double seconds = 0;
    attention_problem next;
    words >> type;
    if (type == "multiply" || type == "read") {
      int64_t bytes = 0;
      if (type == "read") words >> bytes;
      words >> seconds;
      std::printf("{\"per_second\": %.9g}\n", type == "read" ? read_rate(bytes, seconds) : multiply_rate(seconds));
      std::fflush(stdout);
      continue;
    }
    words >> next.batch >> next.heads >> next.kv_heads >> next.queries >> next.keys >> next.head_size >> causal >> threads >> seconds;
    next.type = next.kv_type = type == "f32" ? attention_type::float32 : type == "f16" ? attention_type::float16 : attention_type::bfloat16;
    next.right = causal ? 0 : -1;
    shape = line.substr(0, line.rfind(' '));
    if (shape != last) {  // the same numbers as long as the shape stays
      last = shape;
      p = next;
      p.q_stride = p.out_stride = {p.heads * p.queries * p.head_size, p.queries * p.head_size, p.head_size};
      p.k_stride = p.v_stride = {p.kv_heads * p.keys * p.head_size, p.keys * p.head_size, p.head_size};
      std::mt19937_64 bits(1);
      q = std::make_unique<numbers>(p.type, p.batch * p.q_stride.batch, bits);
      k = std::make_unique<numbers>(p.type, p.batch * p.k_stride.batch, bits);
      v = std::make_unique<numbers>(p.type, p.batch * p.v_stride.batch, bits);
      out = std::make_unique<numbers>(p.type, p.batch * p.q_stride.batch, bits);
      p.q = q->words.data(), p.k = k->words.data(), p.v = v->words.data(), p.out = out->words.data();
      tf::cpu::attention(p, threads);
      const double worst = difference(p, *q, *k, *v, *out), allowed = p.type == attention_type::float32   ? 1e-5
                                                                      : p.type == attention_type::float16 ? 4e-3
                                                                                                          : 3e-2;
      if (!(worst <= allowed)) {
        std::printf("{\"error\": \"difference %g from float64\"}\n", worst);
        std::fflush(stdout);
        last.clear();
        continue;
      }
    }
    const double best = best_of(seconds, [&] { tf::cpu::attention(p, threads); });
    const auto plan = tf::cpu::plan_of(p);
    std::printf("{\"seconds\": %.9g, \"kernel\": \"%s\", \"target\": \"%s\"}\n", best, plan.kernel, plan.target);
    std::fflush(stdout);
  }
}
