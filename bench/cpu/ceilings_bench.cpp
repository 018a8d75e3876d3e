// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the machine can do: read memory, copy it, add, and take exponentials, by loops that do nothing else.
#include <cstring>

#include "contenders.hpp"
#include "twofold/cpu/block.hpp"
#include "twofold/cpu/threads.hpp"

namespace bench {
namespace {

using twofold::index;
using lanes = twofold::simd::vec<float, 16>;
constexpr int chains = 8;

//! Adds what f makes of every vector.
template <class F>
float added(const float* x, index n, const F& f) {
  lanes s[chains];
  twofold::cpu::detail::each<chains>([&](auto k) __attribute__((always_inline)) { s[k] = lanes(0); });
  for (index i = 0; i < n; i += 16 * chains)
    twofold::cpu::detail::each<chains>([&](auto k) __attribute__((always_inline)) { s[k] += f(lanes::load(x + i + 16 * k)); });
  twofold::cpu::detail::each<chains - 1>([&](auto k) __attribute__((always_inline)) { s[0] += s[k + 1]; });
  return twofold::simd::total(s[0]);
}
float added(const float* x, index n) {
  return added(
      x, n, [](const lanes& v) __attribute__((always_inline)) { return v; });
}
float added_exponentials(const float* x, index n) {
  const lanes scale(1.44269504f), at(-14.0f);
  return added(
      x, n, [&](const lanes& v) __attribute__((always_inline)) { return twofold::math::exp2(twofold::math::fma(v, scale, at)); });
}

//! What two moments about a point cost at least where floats are added up as doubles: widen, subtract, add, multiply and add.
double added_squares(const float* x, index n) {
  using wide = twofold::simd::vec<double, 16>;
  constexpr int some = 4;
  const wide at(1.0);
  wide sum[some], squares[some];
  twofold::cpu::detail::each<some>([&](auto k) __attribute__((always_inline)) { sum[k] = squares[k] = wide(0); });
  for (index i = 0; i < n; i += 16 * some)
    twofold::cpu::detail::each<some>([&](auto k) __attribute__((always_inline)) {
      const wide d = wide(lanes::load(x + i + 16 * k)) - at;
      sum[k] += d;
      squares[k] = wide::multiply_add(d, d, squares[k]);
    });
  twofold::cpu::detail::each<some - 1>([&](auto k) __attribute__((always_inline)) { sum[0] += sum[k + 1], squares[0] += squares[k + 1]; });
  const double s = twofold::simd::total(sum[0]), m = static_cast<double>(n);
  return (twofold::simd::total(squares[0]) - s * s / m) / (m - 1);
}

template <class F>
double by_threads(index n, const F& f) {
  constexpr index piece = 1 << 17;
  std::vector<double> parts(static_cast<std::size_t>(n / piece));
  const auto one = [&](index k) { parts[static_cast<std::size_t>(k)] = f(k * piece, piece); };
  twofold::cpu::threads_executor()(n / piece, 0, twofold::task(one));
  double s = 0;
  for (const double p : parts) s += p;
  return s;
}

}  // namespace

void add_ceilings(std::vector<contender>& all) {
  const float* const x = signal();
  float* const y = room();
  for (const size_class& c : sizes) {
    const index n = c.elements;
    const auto items = static_cast<double>(n), bytes = 4 * items;
    const double sum = truth_of(n).sum, weights = std::exp(truth_of(n).log_sum_exp - 14 * 0.69314718);
    if (&c != &in_memory) {
      all.push_back({std::string("add/") + c.name + "/ceiling", items, bytes, [=] { return added(x, n); }, sum, 1e-4 * items});
      all.push_back(
          {std::string("exp/") + c.name + "/ceiling", items, bytes, [=] { return added_exponentials(x, n); }, weights, 1e-3 * weights});
      all.push_back(
          {std::string("moments/") + c.name + "/ceiling", items, bytes, [=] { return added_squares(x, n); }, truth_of(n).variance, 1e-9});
      continue;
    }
    all.push_back({std::string("read/") + c.name + "/ceiling", items, bytes,
                   [=] { return by_threads(n, [&](index i, index m) { return added(x + i, m); }); }, sum, 1e-4 * items});
    all.push_back({std::string("read/") + c.name + "/ceiling_1_thread", items, bytes,
                   [=] {
                     double s = 0;
                     for (index i = 0; i < n; i += 1 << 17) s += added(x + i, 1 << 17);
                     return s;
                   },
                   sum, 1e-4 * items});
    all.push_back({std::string("copy/") + c.name + "/ceiling", items, 2 * bytes,
                   [=] {
                     by_threads(n, [&](index i, index m) {
                       for (index j = i; j < i + m; j += 16) lanes::load(x + j).stream(y + j);
                       return 0.0;
                     });
                     return static_cast<double>(y[n - 1]);
                   },
                   x[n - 1], 0});
  }
}

}  // namespace bench
