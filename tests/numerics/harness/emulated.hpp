// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Softmax and attention as others compute them, in fp32 with narrow formats emulated: what the library's own operators do not
//! do, and the bounds must still cover (or, for the negative control, must not).
#pragma once

#include <cmath>

#include "twofold/numerics/rounding.hpp"

#include "harness.hpp"

namespace harness {

//! How leaf and rescale write their exponents.
enum class style { consistent, difference, mixed };

//! l = Σ 2^(s·c − M) with m, the largest score, as the reference. `exp2_error` perturbs exp2 by that much, at random or always down.
struct emulated_softmax {
  struct state {
    float m, l;
  };
  style how = style::consistent;
  double exp2_error = 0;
  bool one_sided = false;
  float scale = static_cast<float>(tf::math::log2_e);

  [[nodiscard]] float power(float x) const {
    if (exp2_error == 0) return std::exp2(x);
    std::uint32_t bits = 0;
    __builtin_memcpy(&bits, &x, 4);
    tf::laws::random g(bits);
    const double share = one_sided ? -1 : 2 * num::detail::uniform(g) - 1;
    return static_cast<float>(std::exp2(static_cast<double>(x)) * (1 + share * exp2_error));
  }
  [[nodiscard]] float weight(float s, float m) const {
    return how == style::difference ? power((s - m) * scale) : power(std::fma(s, scale, -(m * scale)));
  }
  [[nodiscard]] float factor(float m, float k) const {
    if (m == k) return 1;
    return how == style::consistent ? power(m * scale - k * scale) : power((m - k) * scale);
  }
  [[nodiscard]] state identity() const { return {-INFINITY, 0}; }
  [[nodiscard]] state lift(float s) const { return {s, s == -INFINITY ? 0.0f : weight(s, s)}; }
  [[nodiscard]] state combine(const state& a, const state& b) const {
    if (b.m == -INFINITY) return a;
    if (a.m == -INFINITY) return b;
    const float k = std::fmax(a.m, b.m);
    return {k, a.l * factor(a.m, k) + b.l * factor(b.m, k)};
  }
  template <class Tile>
  [[nodiscard]] state leaf(const Tile& tile) const {
    state v = identity();
    for (tf::index i = 0; i < tile.size(); ++i) tile.apply(i, [&](float s) { v.m = std::fmax(v.m, s); });
    if (v.m == -INFINITY) return v;
    for (tf::index i = 0; i < tile.size(); ++i)
      tile.apply(i, [&](float s) {
        if (s != -INFINITY) v.l += weight(s, v.m);
      });
    return v;
  }
  [[nodiscard]] state finalize(const state& s) const { return s; }
  [[nodiscard]] num::weight_arithmetic arithmetic() const {
    num::weight_arithmetic w;
    w.reference = num::reference_rule::maximum;
    w.exp2_roundings = w.rescale_roundings = exp2_error == 0 ? 1.03 : exp2_error / u32 + 1.0001;
    w.merge_roundings = 2;  // a product and a sum
    w.argument_roundings = how == style::consistent ? 1 : 2;
    return w;
  }
};

//! One column of attention with P in a narrow format: l and o at an integer reference.
struct narrow_attention {
  struct state {
    float at, l, o;
  };
  const num::format* p = &num::bf16;
  bool shared = true;
  int offset = 0;
  int tau = 0;  //!< the reference may lag so far (a tile keeps the reference it meets)
  float scale = static_cast<float>(tf::math::log2_e);

  [[nodiscard]] state identity() const { return {-INFINITY, 0, 0}; }
  [[nodiscard]] state lift(float s, float v) const {
    const float one[] = {s}, row[] = {v};
    return leaf(tf::zip(tf::array_source<float>{one, 1, 1}, tf::array_source<float>{row, 1, 1}));
  }
  [[nodiscard]] state combine(const state& a, const state& b) const {
    if (b.at == -INFINITY) return a;
    if (a.at == -INFINITY) return b;
    const float k = std::fmax(a.at, b.at), f = std::exp2(a.at - k), g = std::exp2(b.at - k);
    return {k, std::fma(b.l, g, a.l * f), std::fma(b.o, g, a.o * f)};
  }
  template <class Tile>
  [[nodiscard]] state leaf(const Tile& tile) const {
    float most = -INFINITY;
    for (tf::index i = 0; i < tile.size(); ++i) tile.apply(i, [&](float s, float) { most = std::fmax(most, s * scale); });
    if (most == -INFINITY) return identity();
    state v{std::ceil(most), 0, 0};
    for (tf::index i = 0; i < tile.size(); ++i)
      tile.apply(i, [&](float s, float value) {
        if (s == -INFINITY) return;
        const float w = std::exp2(std::fma(s, scale, -v.at));
        const double up = num::power_of_two(offset);
        const float q = static_cast<float>(num::round_to(*p, static_cast<double>(w) * up, num::overflow::saturate) / up);
        v.l += shared ? q : w;
        v.o += q * value;
      });
    return v;
  }
  [[nodiscard]] float finalize(const state& s) const { return s.at == -INFINITY ? 0 : s.o / s.l; }
};

}  // namespace harness
