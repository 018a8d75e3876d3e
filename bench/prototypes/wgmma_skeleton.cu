// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Prototype (c): the matrix skeleton of attention, S = Q·Kᵀ then O += cvt(S)·V, no softmax: one producer warp feeding K and V tiles,
//! two or three consumer warpgroups of 64 query rows. Does it reach cuBLAS in the same run?
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cmath>

#include "common.cuh"
#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/ptx/sync.cuh"
#include "twofold/cuda/ptx/wgmma.cuh"
#include "twofold/cuda/tensor_map.hpp"

namespace ptx = twofold::cuda::ptx;
using bf16 = __nv_bfloat16;

template <int D, int N, int Groups, int Stages>
struct tiles {
  static constexpr int panels = D / 64, rows = 64 * Groups;
  static constexpr int q_bytes = rows * D * 2, kv_bytes = N * D * 2;
  static constexpr int shared = q_bytes + 2 * Stages * kv_bytes + 1024;
  static constexpr int threads = 128 * (Groups + 1);
};

template <int Words>
__device__ __forceinline__ void narrow(const float (&s)[2 * Words], std::uint32_t (&p)[Words]) {
#pragma unroll
  for (int i = 0; i < Words; ++i) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(p[i]) : "f"(s[2 * i + 1]), "f"(s[2 * i]));
}

template <int D, int N, int Groups, int Stages, bool Overlap>
__global__ void __launch_bounds__(128 * (Groups + 1), 1)
    skeleton(const __grid_constant__ CUtensorMap map_q, const __grid_constant__ CUtensorMap map_k,
             const __grid_constant__ CUtensorMap map_v, bf16* out, int sequence, int total_tiles) {
  using T = tiles<D, N, Groups, Stages>;
  extern __shared__ unsigned char raw[];
  const std::uint32_t base = (ptx::shared_address(raw) + 1023) & ~1023u;
  unsigned char* memory = raw + (base - ptx::shared_address(raw));
  __shared__ std::uint64_t full_q, empty_q, full_k[Stages], full_v[Stages], empty_k[Stages], empty_v[Stages];
  const std::uint32_t q_at = base, k_at = base + T::q_bytes, v_at = k_at + Stages * T::kv_bytes;
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full_q, 1);
    ptx::mbarrier_init(&empty_q, Groups);
    for (int s = 0; s < Stages; ++s) {
      ptx::mbarrier_init(&full_k[s], 1), ptx::mbarrier_init(&full_v[s], 1);
      ptx::mbarrier_init(&empty_k[s], Groups), ptx::mbarrier_init(&empty_v[s], Groups);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const int q_tiles = sequence / T::rows,
            kv_tiles = sequence / N;  // the measured lengths are multiples or the tail is dropped and not counted

  if (group == 0) {  // --- producer
    ptx::registers_release<(Groups == 2 ? 24 : 32)>();
    if (threadIdx.x == 0) {
      int step = 0, turn = 0;
      for (int tile = blockIdx.x; tile < total_tiles; tile += gridDim.x, ++turn) {
        const int head = tile / q_tiles, q_row = head * sequence + (tile % q_tiles) * T::rows, kv_row = head * sequence;
        ptx::mbarrier_wait(&empty_q, (turn & 1) ^ 1);
        ptx::mbarrier_arrive_expect(&full_q, T::q_bytes);
        for (int p = 0; p < T::panels; ++p) ptx::tensor_load(memory + p * T::rows * 128, &map_q, p * 64, q_row, 0, &full_q);
        for (int n = 0; n < kv_tiles; ++n, ++step) {
          const int s = step % Stages;
          const std::uint32_t parity = ((step / Stages) & 1) ^ 1;
          ptx::mbarrier_wait(&empty_k[s], parity);
          ptx::mbarrier_arrive_expect(&full_k[s], T::kv_bytes);
          for (int p = 0; p < T::panels; ++p)
            ptx::tensor_load(memory + T::q_bytes + s * T::kv_bytes + p * N * 128, &map_k, p * 64, kv_row + n * N, 0, &full_k[s]);
          ptx::mbarrier_wait(&empty_v[s], parity);
          ptx::mbarrier_arrive_expect(&full_v[s], T::kv_bytes);
          for (int p = 0; p < T::panels; ++p)
            ptx::tensor_load(memory + T::q_bytes + (Stages + s) * T::kv_bytes + p * N * 128, &map_v, p * 64, kv_row + n * N, 0, &full_v[s]);
        }
      }
    }
  } else {  // --- consumers
    ptx::registers_claim<(Groups == 2 ? 240 : 160)>();
    const int g = group - 1, t = threadIdx.x % 128;
    const bool leader = t == 0;
    float o[D / 2], s[N / 2];
    std::uint32_t p[N / 4];
    auto multiply_qk = [&](int stage) {
      const std::uint32_t k = k_at + stage * T::kv_bytes, q = q_at + g * 64 * 128;
#pragma unroll
      for (int i = 0; i < D / 16; ++i)
        ptx::wgmma<N>::template shared_a<0>(s, ptx::matrix_descriptor(q + (i / 4) * T::rows * 128 + (i % 4) * 32, 16, 1024),
                                            ptx::matrix_descriptor(k + (i / 4) * N * 128 + (i % 4) * 32, 16, 1024), i != 0);
      ptx::wgmma_commit();
    };
    auto multiply_pv = [&](int stage, int accumulate) {
      const std::uint32_t v = v_at + stage * T::kv_bytes;
#pragma unroll
      for (int i = 0; i < N / 16; ++i)
        ptx::wgmma<D>::template register_a<1>(o, reinterpret_cast<std::uint32_t(&)[4]>(p[4 * i]),
                                              ptx::matrix_descriptor(v + i * 2048, N * 128, 1024), i != 0 ? 1 : accumulate);
      ptx::wgmma_commit();
    };
    int step = 0, turn = 0;
    for (int tile = blockIdx.x; tile < total_tiles; tile += gridDim.x, ++turn) {
      ptx::mbarrier_wait(&full_q, turn & 1);
      if constexpr (Overlap) {
        ptx::mbarrier_wait(&full_k[step % Stages], (step / Stages) & 1);
        ptx::wgmma_fence();
        multiply_qk(step % Stages);
        ptx::wgmma_wait<0>();
        ptx::hold(s);
        if (leader) ptx::mbarrier_arrive(&empty_k[step % Stages]);
        narrow(s, p);
        for (int n = 0; n + 1 < kv_tiles; ++n, ++step) {
          const int now = step % Stages, next = (step + 1) % Stages;
          ptx::mbarrier_wait(&full_k[next], ((step + 1) / Stages) & 1);
          ptx::wgmma_fence();
          multiply_qk(next);
          ptx::mbarrier_wait(&full_v[now], (step / Stages) & 1);
          ptx::wgmma_fence();
          multiply_pv(now, n != 0);
          ptx::wgmma_wait<1>();
          if (leader) ptx::mbarrier_arrive(&empty_k[next]);
          ptx::wgmma_wait<0>();
          ptx::hold(s);
          ptx::hold(o);
          if (leader) ptx::mbarrier_arrive(&empty_v[now]);
          narrow(s, p);
        }
        if (leader) ptx::mbarrier_arrive(&empty_q);
        ptx::mbarrier_wait(&full_v[step % Stages], (step / Stages) & 1);
        ptx::wgmma_fence();
        multiply_pv(step % Stages, kv_tiles > 1);
        ptx::wgmma_wait<0>();
        ptx::hold(o);
        if (leader) ptx::mbarrier_arrive(&empty_v[step % Stages]);
        ++step;
      } else {
        for (int n = 0; n < kv_tiles; ++n, ++step) {
          const int now = step % Stages;
          ptx::mbarrier_wait(&full_k[now], (step / Stages) & 1);
          ptx::wgmma_fence();
          multiply_qk(now);
          ptx::wgmma_wait<0>();
          ptx::hold(s);
          ptx::hold(o);
          if (leader) ptx::mbarrier_arrive(&empty_k[now]);
          narrow(s, p);
          ptx::mbarrier_wait(&full_v[now], (step / Stages) & 1);
          ptx::wgmma_fence();
          multiply_pv(now, n != 0);
          ptx::wgmma_wait<0>();
          ptx::hold(o);
          if (leader) ptx::mbarrier_arrive(&empty_v[now]);
        }
        if (leader) ptx::mbarrier_arrive(&empty_q);
      }
      const int head = tile / q_tiles;
      bf16* row =
          out + (static_cast<long>(head) * sequence + (tile % q_tiles) * T::rows + g * 64 + (t / 32) * 16 + (t % 32) / 4) * D + 2 * (t % 4);
#pragma unroll
      for (int j = 0; j < D / 8; ++j) {
        *reinterpret_cast<__nv_bfloat162*>(row + 8 * j) = __floats2bfloat162_rn(o[4 * j], o[4 * j + 1]);
        *reinterpret_cast<__nv_bfloat162*>(row + 8 * D + 8 * j) = __floats2bfloat162_rn(o[4 * j + 2], o[4 * j + 3]);
      }
    }
  }
}

__global__ void fill(bf16* x, long n, std::uint64_t seed, float scale) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
    x[i] = __float2bfloat16(scale * hashed_float(i + seed * 0x100000000ull));
}

static double best_gemm;

template <int D, int N, int Groups, int Stages, bool Overlap>
void measure(timer& clock, int sms, int sequence) {
  using T = tiles<D, N, Groups, Stages>;
  const int heads = 16384 / sequence * (2048 / D), rows = heads * sequence;
  const long n = static_cast<long>(rows) * D;
  bf16 *q, *k, *v, *out;
  for (bf16** x : {&q, &k, &v, &out}) CHECK(cudaMalloc(x, n * 2));
  fill<<<1056, 256>>>(q, n, 1, 1.0f), fill<<<1056, 256>>>(k, n, 2, 1.0f), fill<<<1056, 256>>>(v, n, 3, 1.0f);
  CHECK(cudaMemset(out, 0xff, n * 2));
  CUtensorMap mq, mk, mv;
  bool ok =
      twofold::cuda::make_tensor_map(mq, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, q, D, rows, D * 2, 64, T::rows, CU_TENSOR_MAP_SWIZZLE_128B);
  ok = ok && twofold::cuda::make_tensor_map(mk, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, k, D, rows, D * 2, 64, N, CU_TENSOR_MAP_SWIZZLE_128B);
  ok = ok && twofold::cuda::make_tensor_map(mv, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, v, D, rows, D * 2, 64, N, CU_TENSOR_MAP_SWIZZLE_128B);
  if (!ok) {
    std::printf("{\"error\":\"tensor map\"}\n");
    return;
  }
  auto kernel = skeleton<D, N, Groups, Stages, Overlap>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::shared));
  const int total = heads * (sequence / T::rows);
  const float ms = clock.median([&] { kernel<<<sms, T::threads, T::shared>>>(mq, mk, mv, out, sequence, total); }, 9);
  // check some rows against double with P rounded to bf16
  std::vector<bf16> hq(D), hk((long)sequence * D), hv((long)sequence * D), ho(D);
  double worst = 0;
  const int used = sequence / N * N, covered = sequence / T::rows * T::rows;
  for (int head : {0, heads - 1})
    for (int r : {0, 77, covered - 1}) {
      const long at = (static_cast<long>(head) * sequence + r) * D;
      CHECK(cudaMemcpy(hq.data(), q + at, D * 2, cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpy(ho.data(), out + at, D * 2, cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpy(hk.data(), k + static_cast<long>(head) * sequence * D, hk.size() * 2, cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpy(hv.data(), v + static_cast<long>(head) * sequence * D, hv.size() * 2, cudaMemcpyDeviceToHost));
      std::vector<double> want(D, 0.0);
      for (int j = 0; j < used; ++j) {
        double dot = 0;
        for (int c = 0; c < D; ++c) dot += double(__bfloat162float(hq[c])) * double(__bfloat162float(hk[(long)j * D + c]));
        const double w = __bfloat162float(__float2bfloat16(static_cast<float>(dot)));
        for (int c = 0; c < D; ++c) want[c] += w * double(__bfloat162float(hv[(long)j * D + c]));
      }
      double num = 0, den = 0;
      for (int c = 0; c < D; ++c) {
        const double e = __bfloat162float(ho[c]) - want[c];
        num += e * e, den += want[c] * want[c];
      }
      const double e = std::sqrt(num / den);
      worst = !(e <= worst) ? e : worst;
    }
  const double flops = 4.0 * heads * double(covered) * used * D, rate = flops / ms / 1e9;
  std::printf(
      "{\"what\":\"skeleton\",\"d\":%d,\"n\":%d,\"groups\":%d,\"stages\":%d,\"overlap\":%d,\"sequence\":%d,\"ms\":%.4f,\"tflops\":%.1f,"
      "\"over_cublas\":%.3f,\"error\":%.1e}\n",
      D, N, Groups, Stages, Overlap, sequence, ms, rate, rate / best_gemm, worst);
  for (bf16* x : {q, k, v, out}) CHECK(cudaFree(x));
}

static double gemm(timer& clock) {
  const int n = 8192;
  bf16 *a, *b, *c;
  for (bf16** x : {&a, &b, &c}) CHECK(cudaMalloc(x, 2l * n * n));
  fill<<<1056, 256>>>(a, (long)n * n, 4, 1.0f), fill<<<1056, 256>>>(b, (long)n * n, 5, 1.0f);
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1, zero = 0;
  const float ms = clock.median(
      [&] {
        cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_16BF, n, b, CUDA_R_16BF, n, &zero, c, CUDA_R_16BF, n,
                     CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
      },
      9);
  cublasDestroy(handle);
  for (bf16* x : {a, b, c}) CHECK(cudaFree(x));
  const double rate = 2.0 * n * n * n / ms / 1e9;
  std::printf("{\"what\":\"cublas\",\"n\":%d,\"tflops\":%.1f}\n", n, rate);
  return rate;
}

int main() {
  timer clock;
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  for (int sequence : {8192, 16384}) {
    best_gemm = gemm(clock);
    measure<128, 128, 2, 2, false>(clock, sms, sequence);
    measure<128, 128, 2, 2, true>(clock, sms, sequence);
    measure<128, 128, 2, 3, true>(clock, sms, sequence);
    measure<128, 176, 2, 2, false>(clock, sms, sequence);
    measure<128, 176, 2, 2, true>(clock, sms, sequence);
    measure<128, 128, 3, 2, false>(clock, sms, sequence);
    best_gemm = std::max(best_gemm, gemm(clock));
    measure<256, 80, 2, 2, false>(clock, sms, sequence);
    measure<256, 80, 2, 2, true>(clock, sms, sequence);
    measure<64, 128, 3, 2, true>(clock, sms, sequence);
    measure<64, 192, 2, 3, true>(clock, sms, sequence);
    measure<64, 128, 2, 4, true>(clock, sms, sequence);
    gemm(clock);
  }
}
