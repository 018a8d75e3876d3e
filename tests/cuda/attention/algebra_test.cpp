// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The device's states are the algebra's states: what the kernel leaves of pieces of the keys is merged on the host by the operator
//! itself (ops/attention.hpp) and compared with the operator's own fold. Plain C++: the call needs no CUDA compiler. Exits 77 without a
//! device.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "twofold/cuda/attention/forward.hpp"
#include "twofold/ops/attention.hpp"

namespace {

int cases = 0, failures = 0;

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::printf("{\"error\":\"%s\"}\n", cudaGetErrorString(e));
  std::exit(1);
}

template <class T>
struct device_array {
  T* data = nullptr;
  explicit device_array(std::size_t n) { check(cudaMalloc(reinterpret_cast<void**>(&data), n * sizeof(T))); }
  explicit device_array(const std::vector<T>& x) : device_array(x.size()) {
    check(cudaMemcpy(data, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data); }
  std::vector<T> host(std::size_t n) const {
    std::vector<T> x(n);
    check(cudaMemcpy(x.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
    return x;
  }
};

//! Numbers that bf16 holds exactly: multiples of 1/64 up to 2.
struct numbers {
  std::vector<float> value;
  std::vector<std::uint16_t> bits;
  numbers(std::size_t n, std::uint64_t seed) {
    for (std::size_t i = 0; i < n; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      const float x = static_cast<float>(static_cast<int>(seed >> 40 & 127) - 64) / 32.0f;
      std::uint32_t word;
      std::memcpy(&word, &x, 4);
      value.push_back(x), bits.push_back(static_cast<std::uint16_t>(word >> 16));
    }
  }
};

void rows(int d, std::int64_t keys, std::int64_t cut) {
  ++cases;
  const std::int64_t queries = 70;
  const numbers q(queries * d, 1), k(keys * d, 2), v(keys * d, 3);
  const device_array<std::uint16_t> dq(q.bits), dk(k.bits), dv(v.bits);
  const device_array<float> at(2 * queries), l(2 * queries), o(2 * queries * d);
  const device_array<std::uint32_t> memory(4);
  for (int piece = 0; piece < 2; ++piece) {
    const std::int64_t from = piece == 0 ? 0 : cut;
    twofold::cuda::attention_problem p;
    p.queries = queries, p.keys = piece == 0 ? cut : keys - cut, p.head_size = p.value_size = d;
    p.q_stride.row = p.k_stride.row = p.v_stride.row = d;
    p.q = dq.data, p.k = dk.data + from * d, p.v = dv.data + from * d;
    p.state_at = at.data + piece * queries, p.state_l = l.data + piece * queries, p.state_o = o.data + piece * queries * d;
    twofold::cuda::attention_forward(p, {memory.data, 16});
  }
  const auto ha = at.host(2 * queries), hl = l.host(2 * queries), ho = o.host(2 * queries * d);
  const twofold::attention<double> op(d);
  double worst = 0;
  for (std::int64_t i = 0; i < queries; ++i) {
    auto merged = op.identity(), whole = op.identity();
    for (int piece = 0; piece < 2; ++piece) {
      const std::int64_t row = piece * queries + i;
      auto s = op.identity();
      s.at = ha[row], s.amount.l = hl[row];
      s.amount.o = decltype(s.amount.o)(d);
      for (int e = 0; e < d; ++e) s.amount.o[e] = ho[row * d + e];
      op.combine_into(merged, s);
    }
    for (std::int64_t j = 0; j < keys; ++j) {
      double dot = 0;
      for (int e = 0; e < d; ++e) dot += double(q.value[i * d + e]) * double(k.value[j * d + e]);
      op.push_into(whole, dot, v.value.data() + j * d);
    }
    const auto got = op.finalize(merged), want = op.finalize(whole);
    worst = std::max(worst, std::abs(got.lse_log2 - want.lse_log2) / 1e-4);
    for (int e = 0; e < d; ++e) worst = std::max(worst, std::abs(got.output[e] - want.output[e]) / 0x1p-7);  // |v| ≤ 2, P in bf16
  }
  if (worst <= 1) return;
  ++failures;
  std::printf("FAILED d%d, %ld keys cut at %ld: %.2f of the bound\n", d, long(keys), long(cut), worst);
}

}  // namespace

int main() {
  int devices = 0, major = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major != 9) return 77;
  for (int d : {64, 128, 256}) rows(d, 100, 37), rows(d, 300, 0), rows(d, 300, 300), rows(d, 513, 256);
  std::printf("{\"cases\":%d,\"failures\":%d}\n", cases, failures);
  return failures != 0;
}
