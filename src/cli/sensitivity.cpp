// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The loop on inputs that are off by what rounding may amount to.
#include "sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "failure.hpp"
#include "scalar_text.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

constexpr double small = 32, stable_ways = 2, all = 0.25;
constexpr int runs = 4;

bool is_float(const npy_array& a) { return a.dtype.starts_with("<f"); }

//! Of the narrowest floating-point type among inputs, variables and answers.
double unit_roundoff(const binding& b, const spec& s) {
  bool single = std::any_of(b.parameters.begin(), b.parameters.end(), [](const bound& p) { return p.value.dtype == "<f4"; });
  for (const pass& p : s.passes)
    for (const state_variable& v : p.state) single |= v.type.kind == sort::real && v.type.bits == 32;
  return single ? 0x1p-24 : 0x1p-53;
}

template <class T>
void perturb(npy_array& a, double relative, std::mt19937_64* random) {
  for (std::size_t i = 0; i < a.data.size() / sizeof(T); ++i) {
    T v;
    std::memcpy(&v, a.data.data() + i * sizeof(T), sizeof(T));
    const double sign = random == nullptr ? 1 : ((*random)() & 1U) != 0 ? 1 : -1;
    v = static_cast<T>(static_cast<double>(v) * (1 + sign * relative));
    std::memcpy(a.data.data() + i * sizeof(T), &v, sizeof(T));
  }
}

//! Run 0: all inputs larger; 1: all smaller; others: each at random.
binding perturbed(binding b, double relative, int run) {
  std::mt19937_64 random(static_cast<std::uint64_t>(run));
  for (bound& p : b.parameters) {
    if (p.is_written || p.value.shape.empty() || !is_float(p.value)) continue;
    std::mt19937_64* const by = run < 2 ? nullptr : &random;
    const double amount = run == 1 ? -relative : relative;
    if (p.value.dtype == "<f4") perturb<float>(p.value, amount, by);
    else perturb<double>(p.value, amount, by);
  }
  return b;
}

double largest(const npy_array& a) {
  double r = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.count()); ++i)
    if (const double x = std::abs(element_value(a, i)); std::isfinite(x)) r = std::max(r, x);
  return r;
}

//! Largest change of an entry that is finite in both; infinite where an entry stops or begins to be finite.
double change(const npy_array& a, const npy_array& b) {
  double r = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::min(a.count(), b.count())); ++i) {
    const double x = element_value(a, i), y = element_value(b, i);
    if (std::isfinite(x) != std::isfinite(y)) return std::numeric_limits<double>::infinity();
    if (std::isfinite(x)) r = std::max(r, std::abs(x - y));
  }
  return r;
}

const npy_array* find(const answers& a, const std::string& name) {
  for (const auto& [n, value] : a.values)
    if (n == name) return &value;
  return nullptr;
}

}  // namespace

void judge(comparison& c, const answers& loop, const binding& b, const spec& s, std::optional<double> tolerance, const loop_runner& run) {
  const double u = unit_roundoff(b, s), relative = u * static_cast<double>(std::max<std::int64_t>(1, b.last - b.first));
  std::vector<difference*> open;
  for (difference& d : c.found) {
    const npy_array* value = find(loop, d.name);
    if (d.is_exact || value == nullptr || !is_float(*value)) continue;
    d.allowed = (tolerance ? *tolerance : small * (value->dtype == "<f4" ? 0x1p-24 : u)) * largest(*value);
    if (d.size > d.allowed) open.push_back(&d);
  }
  if (tolerance || open.empty()) {
    for (difference* d : open) d->unexplained = true;
    return;
  }
  if (relative >= all) return;  // n roundings may be as large as the answer
  for (int k = 0; k < runs; ++k) {
    try {
      const answers off = run(perturbed(b, relative, k));
      for (difference* d : open) d->allowed = std::max(d->allowed, stable_ways * change(*find(loop, d->name), *find(off, d->name)));
    } catch (const failure&) {
      return;  // inputs that are a little off leave the domain of the loop: nothing can be said
    }
    open.erase(std::remove_if(open.begin(), open.end(), [](const difference* d) { return d->size <= d->allowed; }), open.end());
    if (open.empty()) return;
  }
  for (difference* d : open) d->unexplained = true;
}

}  // namespace twofold::cli
