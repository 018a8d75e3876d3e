// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The special-function unit against double, over all magnitudes; and fragments that warps store to shared memory.
#include <cmath>
#include <limits>

#include "cuda/check.hpp"
#include "twofold/cuda/ptx/math.cuh"
#include "twofold/cuda/ptx/matrix.cuh"

namespace {

namespace ptx = twofold::cuda::ptx;

__global__ void functions(const float* x, float* power, float* inverse, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) power[i] = ptx::exp2_of(x[i]), inverse[i] = ptx::reciprocal_of(x[i]);
}

//! Relative to the right answer, in u = 2^-24; below the least normal number everything is 0.
double error_of(float got, double want) {
  constexpr double least = std::numeric_limits<float>::min();
  if (std::fabs(want) < least) return got == 0 || std::fabs(got) == static_cast<float>(least) ? 0 : 1e9;
  if (std::fabs(want) > std::numeric_limits<float>::max()) return std::isinf(got) ? 0 : 1e9;
  return std::fabs(got - want) / (std::fabs(want) * 0x1p-24);
}

void test_functions() {
  std::vector<float> x = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          127.5f,
                          128.0f,
                          -125.9f,
                          -126.1f,
                          -200.0f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()};
  for (unsigned seed = 1, i = 0; i < 1 << 20; ++i) {
    seed = seed * 1664525u + 1013904223u;
    x.push_back(std::ldexp(1.0f + static_cast<float>(seed >> 9) * 0x1p-23f, static_cast<int>(i % 250) - 125) * (i % 2 ? 1.0f : -1.0f));
    x.push_back((static_cast<float>(seed >> 8) * 0x1p-24f - 0.5f) * 250.0f);
  }
  const int n = static_cast<int>(x.size());
  const device_array<float> in(x), power(x.size()), inverse(x.size());
  power.poison(), inverse.poison();
  functions<<<(n + 255) / 256, 256>>>(in.data, power.data, inverse.data, n);
  cuda(cudaGetLastError());
  const auto p = power.host(), q = inverse.host();
  double worst_power = 0, worst_inverse = 0;
  for (int i = 0; i < n; ++i) {
    worst_power = std::fmax(worst_power, error_of(p[i], std::exp2(static_cast<double>(x[i]))));
    if (x[i] != 0) worst_inverse = std::fmax(worst_inverse, error_of(q[i], 1 / static_cast<double>(x[i])));
  }
  expect(worst_power < 2.5, "powers of two", std::to_string(worst_power) + " u");
  expect(worst_inverse < 1.7, "reciprocals", std::to_string(worst_inverse) + " u");
  expect(p[0] == 1 && p[2] == 2 && p[10] == 0 && std::isinf(p[9]), "exact powers of two");
  expect(std::isinf(q[0]) && q[2] == 1 && q[9] == 0, "exact reciprocals");
}

//! Matrix i of `Count`, row r, column c holds 1000 i + 10 r + c; rows lie where the lanes say, backwards.
template <int Count>
__global__ void store(std::uint16_t* out) {
  __shared__ alignas(16) std::uint16_t room[Count * 64];
  const int lane = threadIdx.x;
  std::uint32_t w[Count];
  for (int i = 0; i < Count; ++i) {
    const std::uint32_t low = 1000 * i + 10 * (lane / 4) + 2 * (lane % 4);
    w[i] = low | (low + 1) << 16;
  }
  const int row = lane < 8 * Count ? 8 * Count - 1 - lane : 0;
  ptx::store_matrices<Count>(ptx::shared_address(room + row * 8), w);
  __syncwarp();
  for (int i = lane; i < Count * 64; i += 32) out[i] = room[i];
}

template <int Count>
void test_store() {
  const device_array<std::uint16_t> out(Count * 64);
  out.poison();
  store<Count><<<1, 32>>>(out.data);
  cuda(cudaGetLastError());
  const auto got = out.host();
  for (int row = 0; row < 8 * Count; ++row)
    for (int c = 0; c < 8; ++c) {
      const int lane = 8 * Count - 1 - row;
      expect(got[row * 8 + c] == 1000 * (lane / 8) + 10 * (lane % 8) + c, "a matrix in shared memory", std::to_string(Count));
    }
}

}  // namespace

int main() {
  need_device();
  test_functions();
  test_store<1>(), test_store<2>(), test_store<4>();
  std::printf("%d failures\n", failures);
  return failures ? 1 : 0;
}
