// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The definition of attention in float64, tensors with guard zones, and the comparison of a call with both.
#pragma once

#include "twofold/cpu/attention.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace testing_attention {

namespace tf = twofold;
using namespace tf::cpu;
using std::int64_t;
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

inline double number_at(attention_type t, const void* data, int64_t i) {
  switch (t) {
    case attention_type::float32:
      return static_cast<const float*>(data)[i];
    case attention_type::float16:
      return static_cast<double>(static_cast<const _Float16*>(data)[i]);
    case attention_type::bfloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<const std::uint16_t*>(data)[i]) << 16);
    default:
      return static_cast<const std::int8_t*>(data)[i];
  }
}
inline int64_t size_of(attention_type t) { return t == attention_type::float32 ? 4 : t == attention_type::int8 ? 1 : 2; }
inline double roundoff(attention_type t) {
  return t == attention_type::bfloat16 ? 0x1p-8 : t == attention_type::float16 ? 0x1p-11 : 0x1p-24;
}

//! A tensor [batch, heads, rows, size] with room between rows and heads, filled with something that must never matter.
struct tensor {
  attention_type type;
  int64_t batch, heads, rows, size;
  attention_strides s{};
  std::vector<std::byte> data;
  static constexpr int64_t guard = 64;

  tensor(attention_type t, int64_t b, int64_t h, int64_t r, int64_t d, int64_t gap = 0) : type(t), batch(b), heads(h), rows(r), size(d) {
    s.row = d + gap;
    s.head = s.row * r + gap;
    s.batch = s.head * h + gap;
    data.assign(static_cast<std::size_t>((s.batch * b + 2 * guard) * size_of(t)), std::byte{0xff});  // NaN in every float type
  }
  std::byte* begin() { return data.data() + guard * size_of(type); }
  int64_t at(int64_t b, int64_t h, int64_t r, int64_t d) const { return b * s.batch + h * s.head + r * s.row + d; }
  double get(int64_t b, int64_t h, int64_t r, int64_t d) { return number_at(type, begin(), at(b, h, r, d)); }
  void set(int64_t b, int64_t h, int64_t r, int64_t d, float x) {
    const auto i = at(b, h, r, d);
    if (type == attention_type::float32) reinterpret_cast<float*>(begin())[i] = x;
    else if (type == attention_type::float16) reinterpret_cast<_Float16*>(begin())[i] = static_cast<_Float16>(x);
    else if (type == attention_type::bfloat16) {
      auto bits = std::bit_cast<std::uint32_t>(x);
      if (x == x) bits += 0x7fff + (bits >> 16 & 1);
      reinterpret_cast<std::uint16_t*>(begin())[i] = static_cast<std::uint16_t>(bits >> 16);
    } else reinterpret_cast<std::int8_t*>(begin())[i] = static_cast<std::int8_t>(x);
  }
  template <class G>
  void fill(G&& g) {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t d = 0; d < size; ++d) set(b, h, r, d, g(b, h, r, d));
  }
  //! Bytes outside the tensor are still what they were.
  bool untouched() {
    std::vector<bool> mine(data.size(), false);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t i = 0; i < size * size_of(type); ++i)
            mine[static_cast<std::size_t>((guard + at(b, h, r, 0)) * size_of(type) + i)] = true;
    for (std::size_t i = 0; i < data.size(); ++i)
      if (!mine[i] && data[i] != std::byte{0xff}) return false;
    return true;
  }
};

struct row_result {
  std::vector<double> out;
  double lse = -std::numeric_limits<double>::infinity();
  double largest = 0;  //!< value that was seen
  double size = 0;     //!< largest |score| in nats
};

//! The definition, in float64: two passes over the visible keys.
struct reference {
  const attention_problem& p;
  tensor &q, &k, &v;
  row_result operator()(int64_t b, int64_t h, int64_t i) {
    const int64_t keys = p.key_lengths ? p.key_lengths[b] : p.keys, kv = h / (p.heads / p.kv_heads);
    const int64_t at = i + (p.alignment == attention_alignment::bottom_right ? keys - p.queries : 0);
    const double factor = p.score_factor == 0 ? 1 / std::sqrt(static_cast<double>(p.head_size)) : p.score_factor;
    const auto row = [&](int64_t j) {  // of the tensors
      return p.pages ? std::pair<int64_t, int64_t>{p.pages[b * p.pages_per_sequence + j / p.page_size], j % p.page_size}
                     : std::pair<int64_t, int64_t>{b, j};
    };
    const auto scale = [&](const float* s, const attention_strides& st, int64_t j) {
      return s ? static_cast<double>(s[row(j).first * st.batch + kv * st.head + row(j).second * st.row]) : 1.0;
    };
    row_result r;
    r.out.assign(static_cast<std::size_t>(v.size), 0.0);
    std::vector<std::pair<int64_t, double>> scores;
    double most = -std::numeric_limits<double>::infinity();
    bool spoilt = false;
    for (int64_t j = 0; j < keys; ++j) {
      if (p.left >= 0 && j < at - p.left) continue;
      if (p.right >= 0 && j > at + p.right && j >= p.prefix) continue;
      double s = 0;
      for (int64_t e = 0; e < q.size; ++e) s += q.get(b, h, i, e) * k.get(row(j).first, kv, row(j).second, e);
      s *= scale(p.k_scale, p.k_scale_stride, j) * factor;
      if (p.softcap > 0) s = p.softcap * std::tanh(s / p.softcap);
      if (p.alibi_slopes) s += static_cast<double>(p.alibi_slopes[h]) * static_cast<double>(j - at);
      if (p.bias) s += p.bias[b * p.bias_stride.batch + h * p.bias_stride.head + i * p.bias_stride.row + j * p.bias_column];
      if (p.score.call) {
        auto x = static_cast<float>(s);
        p.score.call(p.score.self, b, h, i, j, 1, &x);
        if (x != static_cast<float>(s)) s = x;
      }
      if (s == -std::numeric_limits<double>::infinity()) continue;
      spoilt |= std::isnan(s);
      most = std::max(most, s);
      r.size = std::max(r.size, std::fabs(s));
      scores.emplace_back(j, s);
    }
    double l = 0;
    const double sink = p.sinks ? static_cast<double>(p.sinks[h]) : -std::numeric_limits<double>::infinity();
    const double m = std::max(most, sink);
    spoilt |= std::isnan(sink);
    for (const auto& [j, s] : scores) {
      const double w = std::isinf(m) ? (s == m ? 1 : 0) : std::exp(s - m);
      l += w;
      for (int64_t e = 0; e < v.size; ++e) {
        const double x = v.get(row(j).first, kv, row(j).second, e) * scale(p.v_scale, p.v_scale_stride, j);
        r.largest = std::max(r.largest, std::fabs(x));
        r.out[static_cast<std::size_t>(e)] += w * x;
      }
    }
    if (p.sinks) l += std::exp(sink - m);
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    if (spoilt) {
      r.lse = nothing;
      for (auto& x : r.out) x = nothing;
    } else if (m == std::numeric_limits<double>::infinity()) {
      r.lse = m;
      for (auto& x : r.out) x = nothing;
    } else if (l > 0) {
      r.lse = m + std::log(l);
      for (auto& x : r.out) x /= l;
    }
    return r;
  }
};

//! Runs p and compares every row; the bound is T2's with tiles of 128 keys, the scores' own rounding, and that of the output's type.
inline void check_on(attention_target target, attention_problem p, tensor& q, tensor& k, tensor& v, const char* what) {
  tensor out(p.type, p.batch, p.heads, p.queries, v.size, 3);
  const auto rows = static_cast<std::size_t>(p.batch * p.heads * p.queries);
  std::vector<float> lse(rows, 7), lse2(rows, 7), at(rows, 7), l(rows, 7), o(rows * static_cast<std::size_t>(v.size), 7);
  p.q = q.begin(), p.k = k.begin(), p.v = v.begin(), p.out = out.begin();
  p.q_stride = q.s, p.k_stride = k.s, p.v_stride = v.s, p.out_stride = out.s;
  p.head_size = q.size, p.value_size = v.size;
  p.lse_ln = lse.data(), p.lse_log2 = lse2.data();
  p.state_at = at.data(), p.state_l = l.data(), p.state_o = o.data();
  attention(p, 0, target);
  reference ref{p, q, k, v};
  const attention_plan plan = plan_of(p, target);
  const double weights = std::string(plan.kernel) == "tiles" || std::string(plan.kernel) == "pairs" ? 0x1p-8 : 0;
  std::size_t dense = 0;
  int wrong = 0;
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t h = 0; h < p.heads; ++h)
      for (int64_t i = 0; i < p.queries; ++i, ++dense) {
        const row_result r = ref(b, h, i);
        const double u = 0x1p-24, eta = 4 * static_cast<double>(p.head_size) * u * (1 + r.size);
        const double bound = (eta + 300 * u + 2 * roundoff(p.type) + 2 * weights) * (r.largest + 1e-30) + 1e-37;
        const auto differs = [&](double got, double want, double by) {
          if (std::isnan(want)) return !std::isnan(got);
          if (std::isinf(want)) return got != want;
          return !(std::fabs(got - want) <= by);
        };
        const bool saturated = std::isfinite(r.lse) && std::fabs(r.lse) > 2e38;  // beyond largest/c scores tie with each other
        bool bad = (!saturated && differs(lse[dense], r.lse, eta + 300 * u + 4 * u * std::fabs(r.lse))) ||
                   (!saturated && differs(lse2[dense] * std::log(2.0), r.lse, eta + 300 * u + 8 * u * std::fabs(r.lse)));
        for (int64_t e = 0; e < v.size; ++e) {
          const double want = r.out[static_cast<std::size_t>(e)];
          bad |= differs(out.get(b, h, i, e), want, bound);
          if (!p.sinks && std::isfinite(want) && l[dense] > 0)
            bad |= differs(o[dense * static_cast<std::size_t>(v.size) + static_cast<std::size_t>(e)] / l[dense], want, bound);
        }
        if (bad && wrong++ < 3)
          ADD_FAILURE() << what << " batch " << b << " head " << h << " query " << i << " of " << p.queries << " keys " << p.keys
                        << " size " << q.size << '/' << v.size << ' ' << plan.kernel << ": out " << out.get(b, h, i, 0) << " wants "
                        << r.out[0] << ", lse " << lse[dense] << " wants " << r.lse << " (bound " << bound << ')';
      }
  EXPECT_TRUE(out.untouched()) << what;
}

//! On the best instruction set, and in turn on one of the others.
inline void check(const attention_problem& p, tensor& q, tensor& k, tensor& v, const char* what) {
  static int turn = 0;
  constexpr attention_target others[] = {attention_target::avx512_bf16, attention_target::avx512, attention_target::avx2,
                                         attention_target::baseline};
  check_on(attention_target::best, p, q, k, v, what);
  check_on(others[turn++ % 3], p, q, k, v, what);
}

}  // namespace testing_attention
