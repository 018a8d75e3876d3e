// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Errors of the GPU's own exp, log and reciprocal on every 32-bit input (every 16-bit one for the half types), against float64,
//! and a probe of how the tensor cores round: what the error table of numerics rests on. JSON lines.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstring>

#include "../prototypes/common.cuh"
#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/ptx/wgmma.cuh"

namespace ptx = twofold::cuda::ptx;

#define UNARY(name, instruction, reference, domain)                \
  struct name {                                                    \
    static constexpr const char* text = #name;                     \
    __device__ static float f(float x) {                           \
      float y;                                                     \
      asm(instruction " %0, %1;" : "=f"(y) : "f"(x));              \
      return y;                                                    \
    }                                                              \
    __device__ static double exact(double x) { return reference; } \
    __device__ static bool in_domain(float x) { return domain; }   \
  };
#define FUNCTION(name, expression, reference, domain)              \
  struct name {                                                    \
    static constexpr const char* text = #name;                     \
    __device__ static float f(float x) { return expression; }      \
    __device__ static double exact(double x) { return reference; } \
    __device__ static bool in_domain(float x) { return domain; }   \
  };

UNARY(ex2_approx, "ex2.approx.f32", exp2(x), true)
UNARY(ex2_approx_ftz, "ex2.approx.ftz.f32", exp2(x), true)
UNARY(lg2_approx, "lg2.approx.f32", log2(x), x > 0)
UNARY(rcp_approx, "rcp.approx.f32", 1.0 / x, x != 0)
UNARY(rsqrt_approx, "rsqrt.approx.f32", rsqrt(x), x > 0)
UNARY(sqrt_approx, "sqrt.approx.f32", sqrt(x), x > 0)
UNARY(tanh_approx, "tanh.approx.f32", tanh(x), true)
FUNCTION(exp2f_, exp2f(x), exp2(x), true)
FUNCTION(expf_, expf(x), exp(x), true)
FUNCTION(fast_expf, __expf(x), exp(x), true)
FUNCTION(logf_, logf(x), log(x), x > 0)
FUNCTION(log2f_, log2f(x), log2(x), x > 0)
FUNCTION(fast_logf, __logf(x), log(x), x > 0)
FUNCTION(log1pf_, log1pf(x), log1p(x), x > -1)

struct result {
  double worst;              // largest relative error, in units of 2^-24, where the exact result is normal
  double worst_nonpositive;  // the same over x <= 0
  double sum;                // signed relative errors
  double worst_absolute;     // largest absolute error where |exact| <= 1
  unsigned long long count, flushed;
  unsigned worst_bits;
};

__device__ float from_order(std::uint32_t i) {
  return __uint_as_float(i & 0x80000000u ? i & 0x7fffffffu : ~i);
}  // ascending over all floats

template <class F>
__global__ void sweep(result* all, std::uint64_t per_thread) {
  result r{};
  const std::uint64_t first = (blockIdx.x * (std::uint64_t)blockDim.x + threadIdx.x) * per_thread;
  for (std::uint64_t i = first; i < first + per_thread; ++i) {
    const float x = from_order(static_cast<std::uint32_t>(i));
    if (isnan(x) || isinf(x) || !F::in_domain(x)) continue;
    const float y = F::f(x);
    const double e = F::exact(x);
    if (fabs(e) >= 0x1p-126 && fabs(e) < 0x1.ffffffp127) {
      const double d = (double(y) - e) / e * 0x1p24;
      r.sum += d;
      r.count++;
      if (!(fabs(d) <= r.worst)) r.worst = fabs(d), r.worst_bits = __float_as_uint(x);
      if (x <= 0 && !(fabs(d) <= r.worst_nonpositive)) r.worst_nonpositive = fabs(d);
      if (fabs(e) <= 1 && !(fabs(y - e) <= r.worst_absolute)) r.worst_absolute = fabs(y - e);
    } else if (fabs(e) < 0x1p-126 && e != 0 && y == 0) {
      r.flushed++;
    }
  }
  all[blockIdx.x * blockDim.x + threadIdx.x] = r;
}

template <class F>
__global__ void monotone(unsigned long long* backwards, std::uint64_t per_thread, bool falling) {
  const std::uint64_t first = (blockIdx.x * (std::uint64_t)blockDim.x + threadIdx.x) * per_thread;
  unsigned long long n = 0;
  for (std::uint64_t i = first; i < first + per_thread; ++i) {
    const float x = from_order(static_cast<std::uint32_t>(i)), z = from_order(static_cast<std::uint32_t>(i + 1));
    if (isnan(x) || isnan(z) || isinf(x) || isinf(z) || !F::in_domain(x) || !F::in_domain(z) || (x < 0) != (z < 0)) continue;
    const float a = F::f(x), b = F::f(z);
    n += falling ? a < b : a > b;
  }
  if (n) atomicAdd(backwards, n);
}

template <class F>
void run(bool falling = false) {
  constexpr int blocks = 1024, threads = 256;
  constexpr std::uint64_t per = (1ull << 32) / (blocks * threads);
  result* d;
  unsigned long long* back;
  CHECK(cudaMalloc(&d, blocks * threads * sizeof(result)));
  CHECK(cudaMalloc(&back, 8));
  CHECK(cudaMemset(back, 0, 8));
  sweep<F><<<blocks, threads>>>(d, per);
  monotone<F><<<blocks, threads>>>(back, per, falling);
  std::vector<result> h(blocks * threads);
  CHECK(cudaMemcpy(h.data(), d, h.size() * sizeof(result), cudaMemcpyDeviceToHost));
  unsigned long long backwards;
  CHECK(cudaMemcpy(&backwards, back, 8, cudaMemcpyDeviceToHost));
  result t{};
  for (const result& r : h) {
    if (!(r.worst <= t.worst)) t.worst = r.worst, t.worst_bits = r.worst_bits;
    t.worst_nonpositive = !(r.worst_nonpositive <= t.worst_nonpositive) ? r.worst_nonpositive : t.worst_nonpositive;
    t.worst_absolute = !(r.worst_absolute <= t.worst_absolute) ? r.worst_absolute : t.worst_absolute;
    t.sum += r.sum, t.count += r.count, t.flushed += r.flushed;
  }
  float at;
  std::memcpy(&at, &t.worst_bits, 4);
  std::printf(
      "{\"primitive\":\"%s\",\"inputs\":%llu,\"worst_u\":%.6f,\"worst_u_nonpositive\":%.6f,\"at\":%.9g,\"mean_u\":%.3e,\"worst_absolute_"
      "where_small\":%.4e,\"flushed\":%llu,\"backwards\":%llu}\n",
      F::text, t.count, t.worst, t.worst_nonpositive, at, t.sum / std::max(1ull, t.count), t.worst_absolute, t.flushed, backwards);
  CHECK(cudaFree(d));
  CHECK(cudaFree(back));
}

// --- 16-bit forms, on the host from a full table
__global__ void half_table(unsigned short* e16, unsigned short* eb16, unsigned short* t16) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned short a = static_cast<unsigned short>(i), b;
  asm("ex2.approx.f16 %0, %1;" : "=h"(b) : "h"(a));
  e16[i] = b;
  asm("ex2.approx.ftz.bf16 %0, %1;" : "=h"(b) : "h"(a));
  eb16[i] = b;
  asm("tanh.approx.f16 %0, %1;" : "=h"(b) : "h"(a));
  t16[i] = b;
}

template <class Decode>
void report_half(const char* name, const std::vector<unsigned short>& table, Decode decode, double u, double smallest, double largest,
                 double (*exact)(double)) {
  double worst = 0, sum = 0, at = 0;
  int n = 0;
  for (unsigned i = 0; i < 65536; ++i) {
    const double x = decode(static_cast<unsigned short>(i)), y = decode(table[i]);
    if (!std::isfinite(x)) continue;
    const double e = exact(x);
    if (std::abs(e) < smallest || std::abs(e) > largest) continue;
    const double d = (y - e) / e / u;
    sum += d, ++n;
    if (!(std::abs(d) <= worst)) worst = std::abs(d), at = x;
  }
  std::printf("{\"primitive\":\"%s\",\"inputs\":%d,\"worst_u\":%.6f,\"at\":%.9g,\"mean_u\":%.3e}\n", name, n, worst, at, sum / n);
}

// --- tensor cores: D = 1 + Σ products of the given powers of two, one column, fp32 accumulator
__global__ void probe(float* out, int count, int exponent, float start) {  // `count` products of 2^exponent on top of `start`
  __shared__ __align__(1024) __nv_bfloat16 b[64 * 64];
  const int t = threadIdx.x;
  for (int i = t; i < 64 * 64; i += 128) b[i] = __float2bfloat16(0.0f);
  __syncthreads();
  // K-major panel of 64 rows (n) × 64 elements (k), 128-byte swizzle; row 0 is unswizzled
  if (t < count && t < 16) b[t] = __float2bfloat16(1.0f);
  ptx::fence_proxy_async();
  __syncthreads();
  float d[32];
  for (float& x : d) x = start;
  const float a = exp2f(static_cast<float>(exponent));
  const __nv_bfloat162 pair = __floats2bfloat162_rn(a, a);
  std::uint32_t word;
  memcpy(&word, &pair, 4);
  const std::uint32_t fragment[4] = {word, word, word, word};
  ptx::hold(d);
  ptx::wgmma_fence();
  ptx::wgmma<64>::register_a<0>(d, fragment, ptx::matrix_descriptor(ptx::shared_address(b), 16, 1024), 1);
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::hold(d);
  if (t == 0) *out = d[0];
}

int main() {
  run<ex2_approx>();
  run<ex2_approx_ftz>();
  run<exp2f_>();
  run<expf_>();
  run<fast_expf>();
  run<lg2_approx>();
  run<log2f_>();
  run<logf_>();
  run<fast_logf>();
  run<log1pf_>();
  run<rcp_approx>(true);
  run<rsqrt_approx>(true);
  run<sqrt_approx>();
  run<tanh_approx>();
  unsigned short* d[3];
  std::vector<unsigned short> h[3];
  for (int i = 0; i < 3; ++i) {
    CHECK(cudaMalloc(&d[i], 131072));
    h[i].resize(65536);
  }
  half_table<<<256, 256>>>(d[0], d[1], d[2]);
  for (int i = 0; i < 3; ++i) CHECK(cudaMemcpy(h[i].data(), d[i], 131072, cudaMemcpyDeviceToHost));
  const auto f16 = [](unsigned short v) {
    __half_raw r;
    r.x = v;
    return double(__half2float(__half(r)));
  };
  const auto b16 = [](unsigned short v) {
    const std::uint32_t w = std::uint32_t(v) << 16;
    float f;
    std::memcpy(&f, &w, 4);
    return double(f);
  };
  report_half("ex2_approx_f16", h[0], f16, 0x1p-11, 0x1p-14, 65504, [](double x) { return std::exp2(x); });
  report_half("ex2_approx_ftz_bf16", h[1], b16, 0x1p-8, 0x1p-126, 3e38, [](double x) { return std::exp2(x); });
  report_half("tanh_approx_f16", h[2], f16, 0x1p-11, 0x1p-14, 65504, [](double x) { return std::tanh(x); });
  float* out;
  CHECK(cudaMalloc(&out, 4));
  for (float start : {1.0f, -1.0f})
    for (int count : {1, 2, 4, 8, 16})
      for (int exponent = -30; exponent <= -20; ++exponent) {
        probe<<<1, 128>>>(out, count, exponent, start);
        float got;
        CHECK(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
        const double exact = start + count * std::exp2(exponent);
        const float nearest = static_cast<float>(exact);
        std::printf(
            "{\"wgmma\":\"bf16\",\"start\":%g,\"products\":%d,\"exponent\":%d,\"excess_2^-24\":%.2f,\"nearest_2^-24\":%.2f,\"exact_2^-24\":"
            "%.4f}\n",
            start, count, exponent, (double(got) - start) * 0x1p24, (double(nearest) - start) * 0x1p24, (exact - start) * 0x1p24);
      }
}
