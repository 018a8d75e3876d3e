// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Prototype (d): the attention forward pass as a schedule of the (m, l, o) monoid on the matrix skeleton, with each overlap as a
//! policy: none, two warpgroups taking turns, next product under softmax, both. Full and causal, bf16, against cuBLAS's rate in the same
//! run.
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cmath>
#include <type_traits>

#include "common.cuh"
#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/ptx/sync.cuh"
#include "twofold/cuda/ptx/wgmma.cuh"
#include "twofold/cuda/tensor_map.hpp"

namespace ptx = twofold::cuda::ptx;
using bf16 = __nv_bfloat16;

__device__ __forceinline__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

//! 2^x by polynomial on the FMA pipe, x <= 0: relative error 8.6e-5 (degree 3, minimax with p(0) = 1), far below the rounding of P to bf16.
//! Takes work off the special-function unit where that is the bound (head size 64).
__device__ __forceinline__ float exp2_polynomial(float x) {
  x = fmaxf(x, -126.0f);
  float rounded;
  asm("add.rm.f32 %0, %1, %2;" : "=f"(rounded) : "f"(x), "f"(12582912.0f));  // 1.5·2^23: the low bits hold floor(x)
  const float f = x - (rounded - 12582912.0f);
  const float p = fmaf(fmaf(fmaf(0.077067042f, f, 0.227644991f), f, 0.695116786f), f, 1.0f);
  return __int_as_float(__float_as_int(p) + (__float_as_int(rounded) << 23));
}

//! What is varied: Polynomial (every how manieth column pair; 0: none) and Lazy (the reference stays while the newcomer exceeds it by at
//! most 8).
template <int Polynomial, bool Lazy>
struct arithmetic {};

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

//! Two rows of the online state of one thread: reference M (log2 units, scaled), partial sum l over this thread's columns.
struct rows_state {
  float m[2] = {-INFINITY, -INFINITY}, l[2] = {0, 0};
};

//! One leaf: scores become weights relative to the joined reference; `scale` is what the older part is multiplied by.
template <bool Masked, int N, int Polynomial, bool Lazy>
__device__ __forceinline__ void leaf(arithmetic<Polynomial, Lazy>, float (&s)[N / 2], rows_state& state, float c, const int (&limit)[2],
                                     int column, float (&scale)[2]) {
  if constexpr (Masked) {
#pragma unroll
    for (int j = 0; j < N / 8; ++j)
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (8 * j + (k & 1) + column > limit[k / 2]) s[4 * j + k] = -INFINITY;
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float a = fmaxf(s[2 * r], s[2 * r + 1]), b = fmaxf(s[4 + 2 * r], s[5 + 2 * r]);
#pragma unroll
    for (int j = 2; j < N / 8; j += 2) {
      a = fmaxf(a, fmaxf(s[4 * j + 2 * r], s[4 * j + 2 * r + 1]));
      b = fmaxf(b, fmaxf(s[4 * j + 4 + 2 * r], s[4 * j + 5 + 2 * r]));
    }
    a = fmaxf(a, b);
    a = fmaxf(a, __shfl_xor_sync(~0u, a, 1));
    a = fmaxf(a, __shfl_xor_sync(~0u, a, 2));
    float joined = fmaxf(state.m[r], a * c);
    if (Lazy && joined - state.m[r] <= 8.0f) joined = state.m[r];
    const float reference = Masked && joined == -INFINITY ? 0.0f : joined;
    scale[r] = exp2_fast(state.m[r] - reference);
    state.m[r] = joined;
    float sum0 = 0, sum1 = 0;
#pragma unroll
    for (int j = 0; j < N / 8; ++j) {
      const float x = fmaf(s[4 * j + 2 * r], c, -reference), y = fmaf(s[4 * j + 2 * r + 1], c, -reference);
      const bool polynomial = Polynomial && j % (Polynomial ? Polynomial : 1) == 1;
      s[4 * j + 2 * r] = polynomial ? exp2_polynomial(x) : exp2_fast(x);
      s[4 * j + 2 * r + 1] = polynomial ? exp2_polynomial(y) : exp2_fast(y);
      sum0 += s[4 * j + 2 * r], sum1 += s[4 * j + 2 * r + 1];
    }
    state.l[r] = fmaf(state.l[r], scale[r], sum0 + sum1);
  }
}

struct problem {
  int sequence, heads, head_group;
  float c;  // log2(e)/sqrt(d)
};

template <int D, int N, int Groups, int Stages, bool Causal, bool Overlap, bool Turns, int Polynomial = 0, bool Lazy = false>
__global__ void __launch_bounds__(128 * (Groups + 1), 1)
    attention(const __grid_constant__ CUtensorMap map_q, const __grid_constant__ CUtensorMap map_k,
              const __grid_constant__ CUtensorMap map_v, bf16* out, float* lse_log2, problem p, int total_tiles, int* counter) {
  using T = tiles<D, N, Groups, Stages>;
  extern __shared__ unsigned char raw[];
  const std::uint32_t base = (ptx::shared_address(raw) + 1023) & ~1023u;
  unsigned char* memory = raw + (base - ptx::shared_address(raw));
  __shared__ std::uint64_t full_q, empty_q, full_k[Stages], full_v[Stages], empty_k[Stages], empty_v[Stages];
  __shared__ int next_tile[2];       // dealt by the producer with Q; two slots, so that no consumer is overtaken
  constexpr int warps = 4 * Groups;  // every consumer warp says itself that it is done with a stage
  const std::uint32_t q_at = base, k_at = base + T::q_bytes, v_at = k_at + Stages * T::kv_bytes;
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full_q, 1);
    ptx::mbarrier_init(&empty_q, warps);
    for (int s = 0; s < Stages; ++s) {
      ptx::mbarrier_init(&full_k[s], 1), ptx::mbarrier_init(&full_v[s], 1);
      ptx::mbarrier_init(&empty_k[s], warps), ptx::mbarrier_init(&empty_v[s], warps);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const int q_tiles = (p.sequence + T::rows - 1) / T::rows;
  // Heads in groups whose K and V stay in L2; within a group the longest tiles first (causal), neighbours in time share K and V.
  auto place = [&](int tile, int& head, int& block) {
    const int per_group = p.head_group * q_tiles, g = tile / per_group, width = min(p.head_group, p.heads - g * p.head_group),
              rest = tile - g * per_group;
    if (Causal) {
      head = g * p.head_group + rest % width;
      block = q_tiles - 1 - rest / width;
    } else {
      head = g * p.head_group + rest / q_tiles;
      block = rest % q_tiles;
    }
  };
  auto last_tile = [&](int block) {  // number of K/V tiles
    const int keys = Causal ? min(p.sequence, (block + 1) * T::rows) : p.sequence;
    return (keys + N - 1) / N;
  };

  if (group == 0) {  // --- producer
    ptx::registers_release<(Groups == 2 ? 24 : 32)>();
    if (threadIdx.x == 0) {
      int step = 0, turn = 0;
      for (int tile = blockIdx.x;; ++turn) {
        const int following = atomicAdd(counter, 1);  // in flight while this tile is worked on; tiles are dealt longest first
        ptx::mbarrier_wait(&empty_q, (turn & 1) ^ 1);
        next_tile[turn & 1] = tile;
        if (tile >= total_tiles) {
          ptx::mbarrier_arrive(&full_q);
          break;
        }
        int head, block;
        place(tile, head, block);
        tile = following + gridDim.x;
        const int count = last_tile(block);
        ptx::mbarrier_arrive_expect(&full_q, T::q_bytes);
        for (int i = 0; i < T::panels; ++i) ptx::tensor_load(memory + i * T::rows * 128, &map_q, i * 64, block * T::rows, head, &full_q);
        for (int n = count - 1; n >= 0; --n, ++step) {
          const int s = step % Stages;
          const std::uint32_t parity = ((step / Stages) & 1) ^ 1;
          ptx::mbarrier_wait(&empty_k[s], parity);
          ptx::mbarrier_arrive_expect(&full_k[s], T::kv_bytes);
          for (int i = 0; i < T::panels; ++i)
            ptx::tensor_load(memory + T::q_bytes + s * T::kv_bytes + i * N * 128, &map_k, i * 64, n * N, head, &full_k[s]);
          ptx::mbarrier_wait(&empty_v[s], parity);
          ptx::mbarrier_arrive_expect(&full_v[s], T::kv_bytes);
          for (int i = 0; i < T::panels; ++i)
            ptx::tensor_load(memory + T::q_bytes + (Stages + s) * T::kv_bytes + i * N * 128, &map_v, i * 64, n * N, head, &full_v[s]);
        }
      }
    }
  } else {  // --- consumers
    ptx::registers_claim<(Groups == 2 ? 240 : 160)>();
    const int g = group - 1, t = threadIdx.x % 128;
    const bool leader = t % 32 == 0;
    float o[D / 2], s[N / 2];
    std::uint32_t w[N / 4];
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
        ptx::wgmma<D>::template register_a<1>(o, reinterpret_cast<std::uint32_t(&)[4]>(w[4 * i]),
                                              ptx::matrix_descriptor(v + i * 2048, N * 128, 1024), i != 0 ? 1 : accumulate);
      ptx::wgmma_commit();
    };
    // Turns: one warpgroup's softmax runs under the other's products. Barrier 2+g: group g may issue.
    auto my_turn = [&] {
      if constexpr (Turns) ptx::named_sync(2 + g, 256);
    };
    auto your_turn = [&] {
      if constexpr (Turns) ptx::named_arrive(2 + (g ^ 1), 256);
    };
    if (Turns && g == 1) ptx::named_arrive(2, 256);
    int step = 0, turn = 0;
    const int row0 = g * 64 + (t / 32) * 16 + (t % 32) / 4;
    for (;; ++turn) {
      ptx::mbarrier_wait(&full_q, turn & 1);
      const int tile = next_tile[turn & 1];
      if (tile >= total_tiles) break;
      int head, block;
      place(tile, head, block);
      const int count = last_tile(block), first_row = block * T::rows + row0;
      const int limit[2] = {Causal ? min(first_row, p.sequence - 1) : p.sequence - 1,
                            Causal ? min(first_row + 8, p.sequence - 1) : p.sequence - 1};
      // tiles from `clean` down need no mask for this warpgroup
      const int clean = (Causal ? min(block * T::rows + g * 64 + 1, p.sequence) : p.sequence) / N;
      constexpr arithmetic<Polynomial, Lazy> how{};
      rows_state state;
      float scale[2];
      auto softmax = [&](int n) {
        const int column = n * N + 2 * (t % 4);
        if (n >= clean) leaf<true, N>(how, s, state, p.c, limit, column, scale);
        else leaf<false, N>(how, s, state, p.c, limit, column, scale);
      };
      auto rescale = [&] {
        if (Lazy && !__any_sync(~0u, scale[0] != 1.0f || scale[1] != 1.0f)) return;
#pragma unroll
        for (int j = 0; j < D / 8; ++j) o[4 * j] *= scale[0], o[4 * j + 1] *= scale[0], o[4 * j + 2] *= scale[1], o[4 * j + 3] *= scale[1];
      };
      if constexpr (Overlap) {
        ptx::mbarrier_wait(&full_k[step % Stages], (step / Stages) & 1);
        my_turn();
        ptx::wgmma_fence();
        multiply_qk(step % Stages);
        your_turn();
        ptx::wgmma_wait<0>();
        ptx::hold(s);
        if (leader) ptx::mbarrier_arrive(&empty_k[step % Stages]);
        softmax(count - 1);
        narrow(s, w);
        auto iterate = [&](int n, auto masked) {
          const int now = step % Stages, next = (step + 1) % Stages;
          ptx::mbarrier_wait(&full_k[next], ((step + 1) / Stages) & 1);
          my_turn();
          ptx::wgmma_fence();
          multiply_qk(next);
          ptx::mbarrier_wait(&full_v[now], (step / Stages) & 1);
          ptx::wgmma_fence();
          multiply_pv(now, n != count - 1);
          your_turn();
          ptx::wgmma_wait<1>();
          ptx::hold(s);
          if (leader) ptx::mbarrier_arrive(&empty_k[next]);
          leaf<decltype(masked)::value, N>(how, s, state, p.c, limit, (n - 1) * N + 2 * (t % 4), scale);
          ptx::wgmma_wait<0>();
          ptx::hold(o);
          if (leader) ptx::mbarrier_arrive(&empty_v[now]);
          rescale();
          narrow(s, w);
          ++step;
        };
        int n = count - 1;
        for (; n > 0 && n - 1 >= clean; --n) iterate(n, std::true_type{});  // masks only in boundary tiles
        for (; n > 0; --n) iterate(n, std::false_type{});
        if (leader) ptx::mbarrier_arrive(&empty_q);
        ptx::mbarrier_wait(&full_v[step % Stages], (step / Stages) & 1);
        my_turn();
        ptx::wgmma_fence();
        multiply_pv(step % Stages, count > 1);
        your_turn();
        ptx::wgmma_wait<0>();
        ptx::hold(o);
        if (leader) ptx::mbarrier_arrive(&empty_v[step % Stages]);
        ++step;
      } else {
        for (int n = count - 1; n >= 0; --n, ++step) {
          const int now = step % Stages;
          ptx::mbarrier_wait(&full_k[now], (step / Stages) & 1);
          my_turn();
          ptx::wgmma_fence();
          multiply_qk(now);
          ptx::wgmma_wait<0>();
          your_turn();
          ptx::hold(s);
          if (leader) ptx::mbarrier_arrive(&empty_k[now]);
          softmax(n);
          narrow(s, w);
          if (n != count - 1) rescale();
          ptx::mbarrier_wait(&full_v[now], (step / Stages) & 1);
          ptx::wgmma_fence();
          multiply_pv(now, n != count - 1);
          ptx::wgmma_wait<0>();
          ptx::hold(o);
          if (leader) ptx::mbarrier_arrive(&empty_v[now]);
        }
        if (leader) ptx::mbarrier_arrive(&empty_q);
      }
      // --- finalize and store
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        float l = state.l[r];
        l += __shfl_xor_sync(~0u, l, 1);
        l += __shfl_xor_sync(~0u, l, 2);
        const float inverse = l > 0 ? 1.0f / l : (l == 0 ? 0.0f : l);
        const int row = first_row + 8 * r;
        if (row >= p.sequence) continue;
        const long at = static_cast<long>(head) * p.sequence + row;
        if (t % 4 == 0) lse_log2[at] = state.m[r] + log2f(l);
        bf16* target = out + at * D + 2 * (t % 4);
#pragma unroll
        for (int j = 0; j < D / 8; ++j)
          *reinterpret_cast<__nv_bfloat162*>(target + 8 * j) =
              __floats2bfloat162_rn(o[4 * j + 2 * r] * inverse, o[4 * j + 2 * r + 1] * inverse);
      }
    }
    if (Turns && g == 0) ptx::named_sync(2, 256);  // the token that group 1 passed last
  }
}

__global__ void fill(bf16* x, long n, std::uint64_t seed, float scale) {  // near normal: sum of four uniforms
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) {
    float s = 0;
    for (int k = 0; k < 4; ++k) s += hashed_float(4 * i + k + seed * 0x1000000000ull);
    x[i] = __float2bfloat16(scale * 0.866f * s);
  }
}

static double best_gemm;

template <int D, int N, int Groups, int Stages, bool Causal, bool Overlap, bool Turns, int Polynomial = 0, bool Lazy = false>
void measure(timer& clock, int sms, int sequence) {
  using T = tiles<D, N, Groups, Stages>;
  const int heads = std::max(1, 16384 / sequence) * (2048 / D), rows = heads * sequence;
  const long n = static_cast<long>(rows) * D;
  bf16 *q, *k, *v, *out;
  float* lse;
  for (bf16** x : {&q, &k, &v, &out}) CHECK(cudaMalloc(x, n * 2));
  CHECK(cudaMalloc(&lse, rows * 4l));
  fill<<<1056, 256>>>(q, n, 1, 1.0f), fill<<<1056, 256>>>(k, n, 2, 1.0f), fill<<<1056, 256>>>(v, n, 3, 1.0f);
  CHECK(cudaMemset(out, 0xff, n * 2));
  CUtensorMap mq, mk, mv;
  const auto map = [&](CUtensorMap& m, bf16* x, int box) {
    return twofold::cuda::make_tensor_map(m, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, x, D, sequence, heads, D * 2, D * 2l * sequence, 64, box,
                                          CU_TENSOR_MAP_SWIZZLE_128B);
  };
  if (!map(mq, q, T::rows) || !map(mk, k, N) || !map(mv, v, N)) {
    std::printf("{\"error\":\"tensor map\"}\n");
    return;
  }
  auto kernel = attention<D, N, Groups, Stages, Causal, Overlap, Turns, Polynomial, Lazy>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::shared));
  const int total = heads * ((sequence + T::rows - 1) / T::rows);
  problem p{sequence, heads, 1, static_cast<float>(1.4426950408889634 / std::sqrt(double(D)))};
  while (p.head_group * 2l * sequence * D * 4 <= (32l << 20) && p.head_group < heads) p.head_group *= 2;
  int* counter;
  CHECK(cudaMalloc(&counter, 4));
  const float ms = clock.median(
      [&] {
        CHECK(cudaMemsetAsync(counter, 0, 4));
        kernel<<<std::min(sms, total), T::threads, T::shared>>>(mq, mk, mv, out, lse, p, total, counter);
      },
      9);
  std::vector<bf16> hq(D), hk((long)sequence * D), hv((long)sequence * D), ho(D);
  double worst = 0, worst_lse = 0;
  for (int head : {0, heads - 1}) {
    CHECK(cudaMemcpy(hk.data(), k + static_cast<long>(head) * sequence * D, hk.size() * 2, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hv.data(), v + static_cast<long>(head) * sequence * D, hv.size() * 2, cudaMemcpyDeviceToHost));
    for (int r : {0, 1, 63, 64, 77, 127, 128, sequence / 2 + 3, sequence - 1}) {
      const long at = (static_cast<long>(head) * sequence + r) * D;
      float hl;
      CHECK(cudaMemcpy(hq.data(), q + at, D * 2, cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpy(ho.data(), out + at, D * 2, cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpy(&hl, lse + at / D, 4, cudaMemcpyDeviceToHost));
      const int keys = Causal ? r + 1 : sequence;
      std::vector<double> score(keys), want(D, 0.0);
      double m = -1e300, l = 0;
      for (int j = 0; j < keys; ++j) {
        double dot = 0;
        for (int e = 0; e < D; ++e) dot += double(__bfloat162float(hq[e])) * double(__bfloat162float(hk[(long)j * D + e]));
        score[j] = dot / std::sqrt(double(D)), m = std::max(m, score[j]);
      }
      for (int j = 0; j < keys; ++j) {
        const double x = std::exp(score[j] - m);
        l += x;
        for (int e = 0; e < D; ++e) want[e] += x * double(__bfloat162float(hv[(long)j * D + e]));
      }
      double num = 0, den = 0;
      for (int e = 0; e < D; ++e) {
        const double d = __bfloat162float(ho[e]) - want[e] / l;
        num += d * d, den += want[e] / l * want[e] / l;
      }
      const double e = std::sqrt(num / den), el = std::abs(hl - (m * 1.4426950408889634 + std::log2(l)));
      worst = !(e <= worst) ? e : worst, worst_lse = !(el <= worst_lse) ? el : worst_lse;
    }
  }
  const double flops = 4.0 * heads * double(sequence) * sequence * D * (Causal ? 0.5 : 1.0), rate = flops / ms / 1e9;
  std::printf(
      "{\"what\":\"attention\",\"d\":%d,\"causal\":%d,\"sequence\":%d,\"n\":%d,\"groups\":%d,\"stages\":%d,\"overlap\":%d,\"turns\":%d,"
      "\"polynomial\":%d,\"lazy\":%d,\"ms\":%.4f,\"tflops\":%.1f,\"over_cublas\":%.3f,\"error\":%.1e,\"lse_error\":%.1e}\n",
      D, Causal, sequence, N, Groups, Stages, Overlap, Turns, Polynomial, Lazy, ms, rate, rate / best_gemm, worst, worst_lse);
  std::fflush(stdout);
  for (void* x : {(void*)q, (void*)k, (void*)v, (void*)out, (void*)lse, (void*)counter}) CHECK(cudaFree(x));
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
  best_gemm = gemm(clock);
  for (int sequence : {1024, 8192, 16384}) {
    measure<128, 128, 2, 2, false, false, false>(clock, sms, sequence);
    measure<128, 128, 2, 2, false, true, false>(clock, sms, sequence);
    measure<128, 176, 2, 2, false, true, true>(clock, sms, sequence);
    measure<128, 176, 2, 2, false, true, true, 0, true>(clock, sms, sequence);
    measure<128, 128, 2, 2, true, true, false>(clock, sms, sequence);
    measure<128, 128, 2, 2, true, true, false, 0, true>(clock, sms, sequence);
    measure<64, 128, 3, 2, false, true, false>(clock, sms, sequence);
    measure<64, 128, 3, 2, false, true, false, 0, true>(clock, sms, sequence);
    measure<64, 128, 3, 2, false, true, false, 4, true>(clock, sms, sequence);
    measure<64, 128, 3, 2, true, true, false, 4, true>(clock, sms, sequence);
    measure<64, 128, 2, 2, false, true, true, 4, true>(clock, sms, sequence);
    measure<256, 80, 2, 2, false, true, false, 0, true>(clock, sms, sequence);
    measure<256, 80, 2, 2, true, true, false, 0, true>(clock, sms, sequence);
    gemm(clock);
  }
}
