// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the programs on scans share: device arrays between guard zones, and operators that only they need.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "twofold/cuda/scan.cuh"

#define CHECK(call)                                                                                                \
  do {                                                                                                             \
    if (cudaError_t e_ = (call); e_ != cudaSuccess) {                                                              \
      std::printf("{\"error\":\"%s\",\"line\":%d,\"file\":\"%s\"}\n", cudaGetErrorString(e_), __LINE__, __FILE__); \
      std::fflush(stdout), std::exit(1);                                                                           \
    }                                                                                                              \
  } while (0)

__host__ __device__ inline std::uint32_t hashed(std::uint64_t i) {
  std::uint64_t h = (i + 1) * 0x9E3779B97F4A7C15ull;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9ull;
  return static_cast<std::uint32_t>(h >> 32);
}
//! Uniform in [-1, 1).
__host__ __device__ inline float hashed_float(std::uint64_t i) { return static_cast<float>(hashed(i) >> 8) * (2.0f / 16777216.0f) - 1.0f; }

//! n elements on the device, `shift` elements off an aligned address, with guard zones on both sides that must not change.
template <class T>
struct guarded {
  static constexpr std::size_t zone = 4096;
  unsigned char* base = nullptr;
  T* data = nullptr;
  std::size_t bytes = 0, all = 0;
  guarded(std::size_t n, std::size_t shift) : bytes(n * sizeof(T)), all(bytes + 2 * zone + shift * sizeof(T)) {
    CHECK(cudaMalloc(&base, all));
    CHECK(cudaMemset(base, 0xcd, all));
    data = reinterpret_cast<T*>(base + zone) + shift;
  }
  guarded(const guarded&) = delete;
  ~guarded() { cudaFree(base); }
  void set(const std::vector<T>& v) { CHECK(cudaMemcpy(data, v.data(), bytes, cudaMemcpyHostToDevice)); }
  void poison() { CHECK(cudaMemset(data, 0xff, bytes)); }
  std::vector<T> get() const {
    std::vector<T> v(bytes / sizeof(T));
    CHECK(cudaMemcpy(v.data(), data, bytes, cudaMemcpyDeviceToHost));
    return v;
  }
  bool intact() const {
    std::vector<unsigned char> v(all);
    CHECK(cudaMemcpy(v.data(), base, all, cudaMemcpyDeviceToHost));
    const std::size_t from = static_cast<std::size_t>(reinterpret_cast<unsigned char*>(data) - base);
    for (std::size_t i = 0; i < all; ++i)
      if ((i < from || i >= from + bytes) && v[i] != 0xcd) return false;
    return true;
  }
};

//! 2×2 products, left to right.
struct alignas(16) quad {
  float a, b, c, d;
};
struct matrix_product {
  using state = quad;
  TWOFOLD_HD quad identity() const { return {1, 0, 0, 1}; }
  TWOFOLD_HD quad lift(const quad& x) const { return x; }
  TWOFOLD_HD quad combine(const quad& x, const quad& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
  TWOFOLD_HD quad finalize(const quad& s) const { return s; }
};

//! Largest element so far and where it stood last, NaN above all numbers: two outputs of four bytes.
struct place32 {
  float value;
  std::int32_t position;
};
struct running_maximum {
  using state = place32;
  TWOFOLD_HD state identity() const { return {-__builtin_huge_valf(), -1}; }
  TWOFOLD_HD state lift(const twofold::index& i, const float& x) const { return {x, static_cast<std::int32_t>(i)}; }
  TWOFOLD_HD state combine(const state& a, const state& b) const { return b.position >= 0 && takes(b.value, a.value) ? b : a; }
  TWOFOLD_HD void push_into(state& s, const twofold::index& i, const float& x) const {
    const bool t = takes(x, s.value);
    s.value = t ? x : s.value, s.position = t ? static_cast<std::int32_t>(i) : s.position;
  }
  TWOFOLD_HD state finalize(const state& s) const { return s; }
  TWOFOLD_HD static bool takes(float x, float y) { return x >= y || x != x; }
};

//! h ← max(h + a, b).
struct step32 {
  float a, b;
};
struct max_plus {
  using state = step32;
  TWOFOLD_HD state identity() const { return {0, -__builtin_huge_valf()}; }
  TWOFOLD_HD state lift(const float& a, const float& b) const { return {a, b}; }
  TWOFOLD_HD state combine(const state& f, const state& g) const {
    const float moved = f.b + g.a;
    return {f.a + g.a, moved > g.b ? moved : g.b};
  }
  TWOFOLD_HD float finalize(const state& s) const { return s.a > s.b ? s.a : s.b; }  // from h = 0
};
