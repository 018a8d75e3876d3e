// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the prototypes share: checked calls, hashed random fill, cold medians, one JSON object a line.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                                \
  do {                                                                                                             \
    if (cudaError_t e_ = (call); e_ != cudaSuccess) {                                                              \
      std::printf("{\"error\":\"%s\",\"line\":%d,\"file\":\"%s\"}\n", cudaGetErrorString(e_), __LINE__, __FILE__); \
      std::exit(1);                                                                                                \
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

struct timer {
  cudaEvent_t a, b;
  char* flush;
  static constexpr std::size_t flush_bytes = std::size_t(256) << 20;
  timer() {
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    CHECK(cudaMalloc(&flush, flush_bytes));
  }
  template <class F>
  float once(F&& f) {
    CHECK(cudaMemsetAsync(flush, 1, flush_bytes));
    CHECK(cudaEventRecord(a));
    f();
    CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b));
    CHECK(cudaGetLastError());
    float ms;
    CHECK(cudaEventElapsedTime(&ms, a, b));
    return ms;
  }
  template <class F>
  float median(F&& f, int repeats = 11) {
    for (int i = 0; i < 3; ++i) once(f);
    std::vector<float> t;
    for (int i = 0; i < repeats; ++i) t.push_back(once(f));
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
  }
};
