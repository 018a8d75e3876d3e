// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What tests of attention share: device buffers with guard zones, a case as a value, and one run of it against the float64 loop.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference.cuh"
#include "twofold/cuda/attention/forward.hpp"

using namespace twofold::cuda;

#define CHECK(call)                                                                      \
  do {                                                                                   \
    if (cudaError_t e_ = (call); e_ != cudaSuccess) {                                    \
      std::printf("{\"error\":\"%s\",\"line\":%d}\n", cudaGetErrorString(e_), __LINE__); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

std::uint32_t hashed(std::uint64_t i) {
  std::uint64_t h = (i + 1) * 0x9E3779B97F4A7C15ull;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9ull;
  return static_cast<std::uint32_t>(h >> 32);
}
float uniform(std::uint64_t i) { return static_cast<float>(hashed(i) >> 8) * (2.0f / 16777216.0f) - 1.0f; }

std::uint16_t narrow(float x, attention_type type) {
  std::uint16_t bits;
  if (type == attention_type::bf16) {
    const __nv_bfloat16 h = __float2bfloat16(x);
    std::memcpy(&bits, &h, 2);
  } else {
    const __half h = __float2half(x);
    std::memcpy(&bits, &h, 2);
  }
  return bits;
}

float widen(std::uint16_t bits, attention_type type) {
  if (type == attention_type::bf16) {
    __nv_bfloat16 h;
    std::memcpy(&h, &bits, 2);
    return __bfloat162float(h);
  }
  __half h;
  std::memcpy(&h, &bits, 2);
  return __half2float(h);
}

bool device_for_attention() {
  int devices = 0, major = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return false;
  CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  return major == 9;
}

//! Device memory with a guard zone behind it.
struct buffer {
  void* data = nullptr;
  std::size_t bytes = 0;
  static constexpr std::size_t guard = 4096;
  explicit buffer(std::size_t n) : bytes((n + 255) / 256 * 256) {
    CHECK(cudaMalloc(&data, bytes + guard));
    CHECK(cudaMemset(data, 0xff, bytes + guard));  // NaN in every format
  }
  buffer(const buffer&) = delete;
  ~buffer() { cudaFree(data); }
  bool guard_intact() const {
    std::vector<unsigned char> g(guard);
    CHECK(cudaMemcpy(g.data(), static_cast<char*>(data) + bytes, guard, cudaMemcpyDeviceToHost));
    for (unsigned char c : g)
      if (c != 0xff) return false;
    return true;
  }
};

enum class layout {
  head_major,  // [b,h,s,d]
  row_major,   // [b,s,h,d]
  fused,       // slices of one [b,s,3,h,d]
  apart        // nothing is a multiple of anything: odd strides, gaps, a start of one element
};

struct settings {
  attention_problem p{};
  layout order = layout::head_major;
  float q_size = 1, v_size = 1, v_offset = 0;
  bool states = false, sinks = false, slopes = false;
  bool ones = false;     // values are all 1: a mean of them is 1 exactly, or 0 where nothing is seen
  bool nearest = false;  // dense; outputs between 1/2 and 1 whose weights round to themselves: they are as near as the type allows
  bool exact = false;    // products q·k are exact in fp32: however far scores are from 0, nothing of their differences is lost
  // 1: of its own for every score, NaN where the mask hides it; 2: one for all heads; 3: columns far apart; 4: numbers at the
  // end of fp32; 5: those beside which no score counts, and 0
  int bias = 0;
  std::vector<float> sink_values;  // with `sinks`: of each head
  std::vector<std::int32_t> key_lengths, key_starts, query_offsets, key_offsets;
  std::function<void(std::vector<float>& q, std::vector<float>& k, std::vector<float>& v)> change;  // [b,h,s,d] dense
  std::string name;
};

int failures = 0, cases = 0;
double worst_out = 0, worst_lse = 0;

void fill(std::vector<float>& x, std::uint64_t seed, float size, float offset) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    float s = 0;
    for (int k = 0; k < 4; ++k) s += uniform(4 * i + k + (seed << 40));
    x[i] = offset + size * 0.866f * s;
  }
}

attention_strides place(layout order, std::int64_t heads, std::int64_t rows, std::int64_t d, std::int64_t fused_row) {
  if (order == layout::head_major) return {heads * rows * d, rows * d, d};
  if (order == layout::row_major) return {rows * heads * d, d, heads * d};
  if (order == layout::apart) return {heads * (rows * (d + 3) + 1) + 5, rows * (d + 3) + 1, d + 3};
  return {rows * fused_row, d, fused_row};
}

//! Uploads [batch, heads, rows, d] into a tensor with these strides.
void upload(void* device, const std::vector<float>& x, const attention_strides& s, std::int64_t batch, std::int64_t heads,
            std::int64_t rows, std::int64_t d, attention_type type, std::vector<std::uint16_t>& host) {
  for (std::int64_t b = 0, i = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t e = 0; e < d; ++e, ++i) host[b * s.batch + h * s.head + r * s.row + e] = narrow(x[i], type);
  CHECK(cudaMemcpy(device, host.data(), host.size() * 2, cudaMemcpyHostToDevice));
}

//! A mask of finite numbers over whole rows, over parts of rows, and numbers as far on the other side.
float far_bias(std::int64_t kind, std::int64_t j) {
  constexpr float last = 3.402823466e+38f;
  switch (kind) {
    case 0:
      return -last;
    case 1:
      return j % 3 ? -last : 0.0f;
    case 2:
      return j % 7 == 3 ? -INFINITY : -last;
    case 3:
      return j % 5 ? -1e30f : -2e30f;
    case 4:
      return j % 4 ? -1e9f : 1e9f;
    default:
      return j % 4 ? last : -last;
  }
}

void run(settings t) {
  attention_problem& p = t.p;
  ++cases;
  const bool packed_q = !t.query_offsets.empty(), packed_k = !t.key_offsets.empty();
  const std::int64_t q_rows = packed_q ? p.query_rows : p.queries, k_rows = packed_k ? p.key_rows : p.keys;
  const std::int64_t q_batch = packed_q ? 1 : p.batch, k_batch = packed_k ? 1 : p.batch;
  std::vector<float> q(q_batch * p.heads * q_rows * p.head_size), k(k_batch * p.kv_heads * k_rows * p.head_size),
      v(k_batch * p.kv_heads * k_rows * p.value_size);
  fill(q, 1 + cases, t.q_size, 0), fill(k, 2000 + cases, 1, 0), fill(v, 5000 + cases, t.v_size, t.v_offset);
  if (t.ones) v.assign(v.size(), 1.0f);
  if (t.change) t.change(q, k, v);
  const std::int64_t row = p.heads * p.head_size + p.kv_heads * (p.head_size + p.value_size);
  p.q_stride = place(t.order, p.heads, q_rows, p.head_size, row);
  p.k_stride = place(t.order, p.kv_heads, k_rows, p.head_size, row);
  p.v_stride = place(t.order, p.kv_heads, k_rows, p.value_size, row);
  p.out_stride = place(t.order == layout::fused ? layout::row_major : t.order, p.heads, q_rows, p.value_size, 0);
  const auto elements = [](std::int64_t batch, std::int64_t heads, std::int64_t rows, std::int64_t d, const attention_strides& s) {
    return batch * heads * rows == 0 ? 0 : (batch - 1) * s.batch + (heads - 1) * s.head + (rows - 1) * s.row + d;
  };
  const std::int64_t nq = elements(q_batch, p.heads, q_rows, p.head_size, p.q_stride),
                     nk = elements(k_batch, p.kv_heads, k_rows, p.head_size, p.k_stride),
                     nv = elements(k_batch, p.kv_heads, k_rows, p.value_size, p.v_stride),
                     no = elements(q_batch, p.heads, q_rows, p.value_size, p.out_stride);
  const std::int64_t start = t.order == layout::apart ? 2 : 0;  // bytes
  buffer dq(nq * 2 + start), dk(nk * 2 + start), dv(nv * 2 + start), out(no * 2 + start);
  const auto from = [&](const buffer& b) { return static_cast<char*>(b.data) + start; };
  std::vector<std::uint16_t> host;
  const auto nan = narrow(NAN, p.type);  // what lies between the rows must not matter
  host.assign(nq, nan), upload(from(dq), q, p.q_stride, q_batch, p.heads, q_rows, p.head_size, p.type, host);
  host.assign(nk, nan), upload(from(dk), k, p.k_stride, k_batch, p.kv_heads, k_rows, p.head_size, p.type, host);
  host.assign(nv, nan), upload(from(dv), v, p.v_stride, k_batch, p.kv_heads, k_rows, p.value_size, p.type, host);
  p.q = from(dq), p.k = from(dk), p.v = from(dv), p.out = from(out);
  const std::int64_t dense = q_batch * p.heads * q_rows;
  buffer ln(dense * 4), log2(dense * 4), workspace_memory(256), at(dense * 4), l(dense * 4), o(t.states ? dense * p.value_size * 4 : 0),
      sink(p.heads * 4);
  p.lse_ln = static_cast<float*>(ln.data), p.lse_log2 = static_cast<float*>(log2.data);
  if (t.states) p.state_at = static_cast<float*>(at.data), p.state_l = static_cast<float*>(l.data), p.state_o = static_cast<float*>(o.data);
  const auto ints = [](const std::vector<std::int32_t>& x) {
    auto* b = new buffer(x.size() * 4);
    if (!x.empty()) CHECK(cudaMemcpy(b->data, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
    return std::unique_ptr<buffer>(b);
  };
  const auto lengths = ints(t.key_lengths), starts = ints(t.key_starts), query_offsets = ints(t.query_offsets),
             key_offsets = ints(t.key_offsets);
  if (!t.key_lengths.empty()) p.key_lengths = static_cast<std::int32_t*>(lengths->data);
  if (!t.key_starts.empty()) p.key_starts = static_cast<std::int32_t*>(starts->data);
  if (packed_q) p.query_offsets = static_cast<std::int32_t*>(query_offsets->data);
  if (packed_k) p.key_offsets = static_cast<std::int32_t*>(key_offsets->data);
  if (t.sinks) {
    std::vector<float> s(p.heads);
    for (std::size_t h = 0; h < s.size(); ++h)
      s[h] = h < t.sink_values.size() ? t.sink_values[h] : h == 0 ? -INFINITY : h == 1 ? 100.0f : uniform(h) * 3;
    CHECK(cudaMemcpy(sink.data, s.data(), s.size() * 4, cudaMemcpyHostToDevice));
    p.sinks = static_cast<float*>(sink.data);
  }
  const std::int64_t area = p.queries * p.keys;
  buffer slope(p.heads * 4), bias(t.bias == 0 ? 0 : t.bias == 2 ? area * 4 : p.batch * p.heads * area * 4);
  if (t.slopes) {
    std::vector<float> x(p.heads);
    for (std::size_t h = 0; h < x.size(); ++h) x[h] = std::exp2(-0.5f * static_cast<float>(h + 1));
    CHECK(cudaMemcpy(slope.data, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
    p.alibi_slopes = static_cast<float*>(slope.data);
  }
  if (t.bias != 0) {
    std::vector<float> x(bias.bytes / 4, NAN);
    const std::int64_t planes = t.bias == 2 ? 1 : p.batch * p.heads;
    p.bias_stride = {t.bias == 2 ? 0 : p.heads * area, t.bias == 2 ? 0 : area, t.bias == 3 ? 1 : p.keys};
    p.bias_column = t.bias == 3 ? p.queries : 1;
    const std::int64_t shift = p.alignment == attention_alignment::bottom_right ? p.keys - p.queries : 0;
    for (std::int64_t plane = 0; plane < planes; ++plane)
      for (std::int64_t i = 0; i < p.queries; ++i)
        for (std::int64_t j = 0; j < p.keys; ++j)
          if (p.right < 0 || j <= i + shift + p.right || j < p.prefix)
            x[plane * area + i * p.bias_stride.row + j * p.bias_column] = t.bias >= 4          ? far_bias(t.bias == 4 ? i % 6 : i % 3, j)
                                                                          : (i + j) % 50 == 49 ? -INFINITY
                                                                                               : 2 * uniform(plane * area + i * p.keys + j);
    CHECK(cudaMemcpy(bias.data, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
    p.bias = bias.data;
  }
  try {
    attention_forward(p, {workspace_memory.data, workspace_memory.bytes});
  } catch (const std::exception& e) {
    ++failures;
    std::printf("FAILED %s: %s\n", t.name.c_str(), e.what());
    return;
  }
  CHECK(cudaDeviceSynchronize());
  buffer want(dense * p.value_size * 8), size(dense * p.value_size * 8), lse(dense * 8), spread(dense * 8), worst(8);
  CHECK(cudaMemset(worst.data, 0, 8));
  const double factor = p.score_factor != 0 ? p.score_factor : 1 / std::sqrt(double(p.head_size));
  const auto blocks = static_cast<unsigned>(p.batch * p.heads * p.queries);
  auto* w = static_cast<float*>(worst.data);
  const auto f64 = [](buffer& b) { return static_cast<double*>(b.data); };
  float found[2] = {0, 0};
  if (blocks > 0) {
    const std::size_t shared = std::max<std::size_t>(8, p.keys * 8);
    CHECK(cudaFuncSetAttribute(reference::attention, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    reference::attention<<<blocks, 256, shared>>>(p, factor, f64(want), f64(size), f64(lse), f64(spread));
    reference::compare<<<blocks, 128>>>(p, p.type == attention_type::bf16 ? 0x1p-8 : 0x1p-11, t.exact ? 0 : 0x1p-20, f64(want), f64(size),
                                        f64(lse), f64(spread), w);
    CHECK(cudaMemcpy(found, w, 8, cudaMemcpyDeviceToHost));
  }
  std::string wrong;
  if (!(found[0] <= 1)) wrong += " out " + std::to_string(found[0]) + " of its bound;";
  if (!(found[1] <= 1)) wrong += " log-sum-exp " + std::to_string(found[1]) + " of its bound;";
  for (const buffer* b : {&dq, &dk, &dv, &out, &ln, &log2, &workspace_memory, &at, &l, &o})
    if (!b->guard_intact()) wrong += " wrote outside a buffer;";
  if (t.ones) {
    std::vector<std::uint16_t> all(no);
    CHECK(cudaMemcpy(all.data(), from(out), no * 2, cudaMemcpyDeviceToHost));
    for (const std::uint16_t x : all)
      if (x != 0 && x != narrow(1, p.type) && !(t.order == layout::apart && x == 0xffff)) {
        wrong += " a mean of ones is not 1;";
        break;
      }
  }
  if (t.nearest) {
    std::vector<std::uint16_t> all(no);
    std::vector<double> right(no);
    CHECK(cudaMemcpy(all.data(), from(out), no * 2, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(right.data(), want.data, no * 8, cudaMemcpyDeviceToHost));
    const double half = p.type == attention_type::bf16 ? 0x1p-9 : 0x1p-12;
    for (std::int64_t i = 0; i < no; ++i)
      if (!(std::abs(widen(all[i], p.type) - right[i]) <= half + 1e-5)) {
        wrong += " a weight that needs no rounding was rounded;";
        break;
      }
  }
  if (t.order == layout::apart && no > 0) {  // nothing between the rows of the output
    std::vector<std::uint16_t> all(no);
    CHECK(cudaMemcpy(all.data(), from(out), no * 2, cudaMemcpyDeviceToHost));
    std::vector<bool> inside(no);
    for (std::int64_t b = 0; b < q_batch; ++b)
      for (std::int64_t h = 0; h < p.heads; ++h)
        for (std::int64_t r = 0; r < q_rows; ++r)
          for (std::int64_t e = 0; e < p.value_size; ++e)
            inside[b * p.out_stride.batch + h * p.out_stride.head + r * p.out_stride.row + e] = true;
    for (std::int64_t i = 0; i < no; ++i)
      if (!inside[i] && all[i] != 0xffff) {
        wrong += " wrote between the rows;";
        break;
      }
  }
  if (packed_q) {  // rows that no sequence owns are left as they were: every bit 1
    const auto left_alone = [&](const buffer& b, std::int64_t first, std::int64_t bytes) {
      std::vector<unsigned char> x(bytes);
      CHECK(cudaMemcpy(x.data(), static_cast<char*>(b.data) + first, bytes, cudaMemcpyDeviceToHost));
      for (const unsigned char c : x)
        if (c != 0xff) return false;
      return true;
    };
    bool alone = true;
    for (std::int64_t h = 0; h < p.heads; ++h)
      for (std::int64_t r = 0; r < q_rows; ++r) {
        if (r >= t.query_offsets.front() && r < t.query_offsets.back()) continue;
        alone &= left_alone(out, start + (h * p.out_stride.head + r * p.out_stride.row) * 2, p.value_size * 2);
        for (const buffer* b : {&ln, &log2, &at, &l}) alone &= left_alone(*b, (h * q_rows + r) * 4, 4);
        if (t.states) alone &= left_alone(o, (h * q_rows + r) * p.value_size * 4, p.value_size * 4);
      }
    if (!alone) wrong += " wrote rows that no sequence owns;";
  }
  if (t.states && blocks > 0) {  // the states say the same as the outputs
    std::vector<float> ha(dense), hl(dense), ho(dense * p.value_size), hlse(dense);
    CHECK(cudaMemcpy(ha.data(), at.data, dense * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hl.data(), l.data, dense * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(ho.data(), o.data, ho.size() * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hlse.data(), log2.data, dense * 4, cudaMemcpyDeviceToHost));
    for (std::int64_t i = 0; i < dense && !t.sinks && !packed_q; ++i) {
      const double mine = hl[i] == 0 ? -INFINITY : double(ha[i]) + std::log2(double(hl[i]));
      if (!(mine == hlse[i] || std::abs(mine - hlse[i]) < 1e-5 * (1 + std::abs(mine)))) {
        wrong += " a state differs from its log-sum-exp;";
        break;
      }
    }
  }
  if (found[0] > worst_out) worst_out = found[0];
  if (found[1] > worst_lse) worst_lse = found[1];
  if (!wrong.empty()) {
    ++failures;
    if (failures < 40)
      std::printf("FAILED %s: B%ld H%ld/%ld Sq%ld Sk%ld d%ld/%ld left %ld right %ld prefix %ld %s:%s\n", t.name.c_str(), long(p.batch),
                  long(p.heads), long(p.kv_heads), long(p.queries), long(p.keys), long(p.head_size), long(p.value_size), long(p.left),
                  long(p.right), long(p.prefix), p.alignment == attention_alignment::top_left ? "top left" : "bottom right", wrong.c_str());
    std::fflush(stdout);
  }
}
