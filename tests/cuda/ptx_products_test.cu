// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Matrix products of warpgroups against the host: every width, bf16 and fp16, A from shared memory and from registers, B in both
//! orders; small whole numbers, so that every product is exact.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <type_traits>

#include "cuda/check.hpp"
#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/ptx/wgmma.cuh"
#include "twofold/cuda/ptx/wgmma_half.cuh"

namespace {

namespace ptx = twofold::cuda::ptx;

constexpr int M = 64, K = 64;  // four steps of 16
enum mode { shared_keys, registers_keys, shared_transposed, registers_transposed };

template <class Element, int N>
using product = std::conditional_t<std::is_same_v<Element, __half>, ptx::wgmma_half<N>, ptx::wgmma<N>>;

//! Element (row, column) of a panel of 64 columns, swizzled as the copy engine does it: 16-byte chunks change places by row.
__host__ __device__ constexpr int swizzled(int row, int column) { return row * 64 + ((column / 8) ^ (row % 8)) * 8 + column % 8; }

template <class Element>
__device__ std::uint32_t pair(const Element* a) {
  return *reinterpret_cast<const std::uint32_t*>(a);
}

//! d[row][column] = A·B, A [64][64], B [64][N] in rows of k.
template <class Element, int N, mode m>
__global__ void __launch_bounds__(128, 1) multiply(const Element* a, const Element* b, float* d, int* wrong) {
  extern __shared__ unsigned char raw[];
  const std::uint32_t base = (ptx::shared_address(raw) + 1023) & ~1023u;
  auto* const rows = reinterpret_cast<Element*>(raw + (base - ptx::shared_address(raw)));
  constexpr int panels = (N + 63) / 64;
  Element* const by_column = rows + M * 64;              // [N][64]: a row for each column of B, k within it
  Element* const by_row = by_column + panels * 64 * 64;  // panels of [K][64]
  const int t = threadIdx.x;
  for (int i = t; i < M * K; i += 128) rows[swizzled(i / K, i % K)] = a[i];
  for (int i = t; i < K * N; i += 128) {
    const int k = i / N, n = i % N;
    by_column[swizzled(n, k)] = b[i];
    by_row[n / 64 * K * 64 + swizzled(k, n % 64)] = b[i];
  }
  ptx::fence_proxy_async();
  __syncthreads();
  const std::uint32_t a_tile = ptx::descriptor_address(base), columns = ptx::descriptor_address(ptx::shared_address(by_column)),
                      transposed = ptx::descriptor_address(ptx::shared_address(by_row));
  for (int step = 0; step < K / 16; ++step)
    if (ptx::matrix_descriptor(base + 32 * step, 16, 1024) != ptx::descriptor_at<16, 1024>(a_tile, 32 * step)) atomicAdd(wrong, 1);
  const int row = t / 32 * 16 + t % 32 / 4, column = 2 * (t % 4);
  std::uint32_t fragments[K / 16][4];
  for (int step = 0; step < K / 16; ++step)
    for (int i = 0; i < 4; ++i) fragments[step][i] = pair(a + (row + i % 2 * 8) * K + 16 * step + i / 2 * 8 + column);
  float sum[N / 2];
  for (float& x : sum) x = NAN;  // the first step does not look at it
  ptx::hold(sum);
  ptx::wgmma_fence();
#pragma unroll
  for (int step = 0; step < K / 16; ++step) {
    const std::uint64_t left = ptx::descriptor_at<16, 1024>(a_tile, 32 * step);
    const std::uint64_t keys = ptx::descriptor_at<16, 1024>(columns, 32 * step),
                        values = ptx::descriptor_at<K * 128, 1024>(transposed, 2048 * step);
    if constexpr (m == shared_keys) product<Element, N>::template shared_a<0>(sum, left, keys, step != 0);
    else if constexpr (m == registers_keys) product<Element, N>::template register_a<0>(sum, fragments[step], keys, step != 0);
    else if constexpr (m == shared_transposed) product<Element, N>::template shared_a<1>(sum, left, values, step != 0);
    else product<Element, N>::template register_a<1>(sum, fragments[step], values, step != 0);
  }
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::hold(sum);
  for (int i = 0; i < N / 2; ++i) d[(row + i % 4 / 2 * 8) * N + i / 4 * 8 + column + i % 2] = sum[i];
}

std::vector<float> whole_numbers(std::size_t n, unsigned seed) {
  std::vector<float> x(n);
  for (float& v : x) seed = seed * 1664525u + 1013904223u, v = static_cast<float>(static_cast<int>(seed >> 24) % 9 - 4);
  return x;
}

template <class Element, int N>
void test(const char* name) {
  const auto a = whole_numbers(M * K, 1), b = whole_numbers(static_cast<std::size_t>(K) * N, 2);
  std::vector<Element> narrow_a, narrow_b;
  for (float x : a) narrow_a.push_back(static_cast<Element>(x));
  for (float x : b) narrow_b.push_back(static_cast<Element>(x));
  const device_array<Element> da(narrow_a), db(narrow_b);
  const device_array<float> d(static_cast<std::size_t>(M) * N);
  const device_array<int> wrong(std::vector<int>{0});
  constexpr int shared = 1024 + 2 * 64 * (M + 2 * ((N + 63) / 64) * 64);
  const auto run = [&](auto kernel, const char* what) {
    d.poison();
    cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    kernel<<<1, 128, shared>>>(da.data, db.data, d.data, wrong.data);
    cuda(cudaGetLastError());
    const auto got = d.host();
    bool right = true;
    for (int i = 0; i < M; ++i)
      for (int n = 0; n < N; ++n) {
        float want = 0;
        for (int k = 0; k < K; ++k) want += a[i * K + k] * b[k * N + n];
        right &= got[static_cast<std::size_t>(i) * N + n] == want;
      }
    expect(right, what, std::string(name) + " " + std::to_string(N));
  };
  run(multiply<Element, N, shared_keys>, "A in shared memory, B by columns");
  run(multiply<Element, N, registers_keys>, "A in registers, B by columns");
  run(multiply<Element, N, shared_transposed>, "A in shared memory, B by rows");
  run(multiply<Element, N, registers_transposed>, "A in registers, B by rows");
  expect(wrong.host()[0] == 0, "the two ways to make a descriptor agree", name);
}

//! Two groups of products in flight: a wait that leaves one of them has the first.
__global__ void __launch_bounds__(128, 1) two_groups(float* d) {
  extern __shared__ unsigned char raw[];
  const std::uint32_t base = (ptx::shared_address(raw) + 1023) & ~1023u;
  auto* const ones = reinterpret_cast<__nv_bfloat16*>(raw + (base - ptx::shared_address(raw)));
  for (int i = threadIdx.x; i < 64 * 64; i += 128) ones[i] = static_cast<__nv_bfloat16>(1.0f);
  ptx::fence_proxy_async();
  __syncthreads();
  const std::uint64_t tile = ptx::matrix_descriptor(base, 16, 1024);
  float first[32], second[32];
  ptx::wgmma_fence();
  ptx::wgmma<64>::shared_a<0>(first, tile, tile, 0);
  ptx::wgmma_commit();
  ptx::wgmma_fence();
#pragma unroll
  for (int i = 0; i < 16; ++i) ptx::wgmma<64>::shared_a<0>(second, tile, tile, i != 0);
  ptx::wgmma_commit();
  ptx::wgmma_wait<1>();
  ptx::hold(first);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 32; ++i) sum += first[i];
  ptx::wgmma_wait<0>();
  ptx::hold(second);
#pragma unroll
  for (int i = 0; i < 32; ++i) sum += 1000 * second[i];
  d[threadIdx.x] = sum;
}

template <class Element>
void widths(const char* name) {
  test<Element, 64>(name), test<Element, 80>(name), test<Element, 96>(name), test<Element, 112>(name), test<Element, 128>(name);
  test<Element, 144>(name), test<Element, 160>(name), test<Element, 176>(name), test<Element, 192>(name), test<Element, 256>(name);
}

}  // namespace

int main() {
  need_device();
  widths<__nv_bfloat16>("bf16"), widths<__half>("fp16");
  const device_array<float> d(128);
  d.poison();
  two_groups<<<1, 128, 64 * 128 + 1024>>>(d.data);
  cuda(cudaGetLastError());
  for (float x : d.host()) expect(x == 32 * 16 + 32 * 256 * 1000.0f, "two groups in flight");
  std::printf("%d failures\n", failures);
  return failures ? 1 : 0;
}
