// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One row of more than 2^33 elements (bfloat16, 17 GB): sums, places of maxima, the largest, a map. Offsets of 32 bits would show at
//! once. One JSON object a line; exit status 1 where something is wrong.
#include <cmath>
#include <cstring>

#include "bench/cuda/rows.hpp"
#include "bench/prototypes/common.cuh"
#include "twofold/cuda/top_k.cuh"
#include "twofold/ops/arg_min_max.hpp"
#include "twofold/ops/softmax.hpp"
#include "twofold/ops/sum.hpp"

namespace {
using namespace bench;
using element = __nv_bfloat16;
constexpr tf::index n = (tf::index(1) << 33) + 12345;

//! 1 at every fourth element, else 0; eight larger ones at the places of `where`.
__global__ void fill(element* x) {
  for (tf::index i = blockIdx.x * static_cast<tf::index>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<tf::index>(gridDim.x) * blockDim.x)
    x[i] = __float2bfloat16_rn(i % 4 == 0 ? 1.0f : 0.0f);
}
__host__ __device__ tf::index place(int k) { return n - 1 - static_cast<tf::index>(k) * 1200000001; }
__global__ void plant(element* x) {
  x[place(static_cast<int>(threadIdx.x))] = __float2bfloat16_rn(16.0f - static_cast<float>(threadIdx.x));
}

int report(const char* what, bool right, double gbs) {
  std::printf("{\"what\":\"huge\",\"check\":\"%s\",\"elements\":%td,\"right\":%s,\"gbs\":%.0f}\n", what, n, right ? "true" : "false", gbs);
  std::fflush(stdout);
  return !right;
}
}  // namespace

int main() {
  element *x, *y;
  unsigned char* work;
  const std::size_t guard = 4096, work_bytes = std::size_t(64) << 20;
  CHECK(cudaMalloc(&x, n * 2));
  CHECK(cudaMalloc(&y, n * 2 + guard));
  CHECK(cudaMalloc(&work, work_bytes));
  fill<<<2112, 256>>>(x);
  plant<<<1, 7>>>(x);
  CHECK(cudaDeviceSynchronize());
  timer clock;
  const tf::row_source<element> in{x, 1, n, n};
  const tf::cuda::workspace w{work, work_bytes};
  int wrong = 0;
  float* const answer = reinterpret_cast<float*>(y);
  const double gigabytes = 2.0 * static_cast<double>(n) / 1e9;

  double want = static_cast<double>((n + 3) / 4);
  for (int k = 0; k < 7; ++k) want += 16.0 - k - (place(k) % 4 == 0 ? 1 : 0);
  float ms = clock.median([&] { tf::cuda::reduce_rows(tf::sum<float>{}, in, answer, w); }, 3);
  float got;
  CHECK(cudaMemcpy(&got, answer, 4, cudaMemcpyDeviceToHost));
  wrong += report("sum", std::abs(got - want) < 1e-6 * want, gigabytes / ms * 1e3);

  ms = clock.median([&] { tf::cuda::reduce_rows(tf::argmax<float>{}, in, reinterpret_cast<std::int64_t*>(y), w); }, 3);
  std::int64_t at;
  CHECK(cudaMemcpy(&at, y, 8, cudaMemcpyDeviceToHost));
  wrong += report("argmax", at == place(0), gigabytes / ms * 1e3);

  const auto p = tf::cuda::plan_top_k(in, 8);
  element* const values = y;
  auto* const positions = reinterpret_cast<std::int64_t*>(y + 1024);
  ms = clock.median([&] { tf::cuda::top_k_rows(in, 8, values, positions, p, w); }, 3);
  std::int64_t places[8];
  CHECK(cudaMemcpy(places, positions, sizeof places, cudaMemcpyDeviceToHost));
  bool right = places[7] == 0;
  for (int k = 0; k < 7; ++k) right = right && places[k] == place(k);
  wrong += report("top 8", right, gigabytes / ms * 1e3);

  CHECK(cudaMemset(y, 0xff, n * 2 + guard));
  ms = clock.median([&] { tf::cuda::map_rows(tf::softmax<float>{}, in, y, n, w); }, 3);
  double total = static_cast<double>((n + 3) / 4) * std::exp(1.0) + static_cast<double>(n - (n + 3) / 4);
  for (int k = 0; k < 7; ++k) total += std::exp(16.0 - k) - (place(k) % 4 == 0 ? std::exp(1.0) : 1.0);
  right = true;
  const auto check = [&](tf::index i, double exponent) {
    element e;
    CHECK(cudaMemcpy(&e, y + i, 2, cudaMemcpyDeviceToHost));
    right = right && std::abs(__bfloat162float(e) - std::exp(exponent) / total) <= 0x1.1p-8 * std::exp(exponent) / total;
  };
  for (int k = 0; k < 7; ++k) check(place(k), 16.0 - k);
  check(0, 1), check(n - 2, (n - 2) % 4 == 0 ? 1 : 0), check((tf::index(1) << 32) + 4, 1), check((tf::index(1) << 33) + 1, 0);
  std::vector<unsigned char> behind(guard);
  CHECK(cudaMemcpy(behind.data(), y + n, guard, cudaMemcpyDeviceToHost));
  for (unsigned char b : behind) right = right && b == 0xff;
  wrong += report("softmax", right, 2 * gigabytes / ms * 1e3);
  return wrong != 0;
}
