// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Prototype (a): a persistent row kernel fed by a ring of bulk copies. Does it hold 0.95 of copy with a trivial map,
//! and of read with a reduction? And does softmax of whole rows on chip keep that pace?
#include <cmath>

#include "common.cuh"
#include "twofold/cuda/ptx/copy.cuh"

namespace ptx = twofold::cuda::ptx;

enum class job { map, sum, softmax };

// One row a tile. Thread 0 keeps the ring full; all threads consume. Bulk: results go back through shared memory and the copy engine.
template <job Job, int Threads, int Row, int Stages, bool Bulk, int PerSm>
__global__ void __launch_bounds__(Threads, PerSm) ring(const float* __restrict__ in, float* __restrict__ out, long rows, float factor) {
  extern __shared__ __align__(128) unsigned char memory[];
  float(*tile)[Row] = reinterpret_cast<float(*)[Row]>(memory);
  __shared__ std::uint64_t full[Stages];
  __shared__ float partial[32];
  constexpr std::uint32_t bytes = Row * 4;
  constexpr int vectors = Row / 4 / Threads;
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  if (t == 0) {
    for (int s = 0; s < Stages; ++s) ptx::mbarrier_init(&full[s], 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const long first = blockIdx.x, step = gridDim.x;
  if (t == 0)
    for (int s = 0; s < Stages - (Bulk ? 1 : 0); ++s)
      if (long r = first + s * step; r < rows) {
        ptx::mbarrier_arrive_expect(&full[s], bytes);
        ptx::bulk_load(tile[s], in + r * Row, bytes, &full[s]);
      }
  auto block_fold = [&](float v, auto op) {
    for (int o = 16; o; o /= 2) v = op(v, __shfl_xor_sync(~0u, v, o));
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    v = partial[lane % (Threads / 32)];
    for (int o = Threads / 64; o; o /= 2) v = op(v, __shfl_xor_sync(~0u, v, o));
    __syncthreads();
    return v;
  };
  long k = 0;
  for (long r = first; r < rows; r += step, ++k) {
    const int s = static_cast<int>(k % Stages);
    ptx::mbarrier_wait(&full[s], static_cast<std::uint32_t>(k / Stages) & 1);
    float4 x[vectors];
    float4* source = reinterpret_cast<float4*>(tile[s]);
#pragma unroll
    for (int i = 0; i < vectors; ++i) x[i] = source[t + i * Threads];
    if constexpr (Job == job::map) {
#pragma unroll
      for (int i = 0; i < vectors; ++i) x[i] = {x[i].x * factor, x[i].y * factor, x[i].z * factor, x[i].w * factor};
    } else if constexpr (Job == job::sum) {
      float v = 0;
#pragma unroll
      for (int i = 0; i < vectors; ++i) v += (x[i].x + x[i].y) + (x[i].z + x[i].w);
      v = block_fold(v, [](float a, float b) { return a + b; });
      if (t == 0) out[r] = v;
    } else {
      float m = -INFINITY;
#pragma unroll
      for (int i = 0; i < vectors; ++i) m = fmaxf(m, fmaxf(fmaxf(x[i].x, x[i].y), fmaxf(x[i].z, x[i].w)));
      m = block_fold(m, [](float a, float b) { return fmaxf(a, b); });
      const float c = 1.4426950408889634f, shift = m * c;
      float l = 0;
#pragma unroll
      for (int i = 0; i < vectors; ++i) {
        x[i] = {exp2f(fmaf(x[i].x, c, -shift)), exp2f(fmaf(x[i].y, c, -shift)), exp2f(fmaf(x[i].z, c, -shift)),
                exp2f(fmaf(x[i].w, c, -shift))};
        l += (x[i].x + x[i].y) + (x[i].z + x[i].w);
      }
      l = block_fold(l, [](float a, float b) { return a + b; });
      const float w = 1.0f / l;
#pragma unroll
      for (int i = 0; i < vectors; ++i) x[i] = {x[i].x * w, x[i].y * w, x[i].z * w, x[i].w * w};
    }
    if constexpr (Job == job::sum || !Bulk) {
      if constexpr (Job == job::map) __syncthreads();  // everyone has read this stage (the folds already say so)
      if (t == 0)
        if (long n = r + Stages * step; n < rows) {
          ptx::mbarrier_arrive_expect(&full[s], bytes);
          ptx::bulk_load(tile[s], in + n * Row, bytes, &full[s]);
        }
      if constexpr (Job != job::sum) {
        float4* target = reinterpret_cast<float4*>(out + r * Row);
#pragma unroll
        for (int i = 0; i < vectors; ++i) __stcs(target + t + i * Threads, x[i]);
      }
    } else {
#pragma unroll
      for (int i = 0; i < vectors; ++i) source[t + i * Threads] = x[i];
      ptx::fence_proxy_async();
      __syncthreads();
      if (t == 0) {
        ptx::bulk_store(out + r * Row, tile[s], bytes);
        ptx::bulk_commit();
        ptx::bulk_wait_read<1>();  // the store of the row before has left its stage: refill that one
        if (long n = r + (Stages - 1) * step; n < rows) {
          const int before = static_cast<int>((k + Stages - 1) % Stages);
          ptx::mbarrier_arrive_expect(&full[before], bytes);
          ptx::bulk_load(tile[before], in + n * Row, bytes, &full[before]);
        }
      }
    }
  }
  if (Bulk && t == 0) ptx::bulk_wait<0>();
}

__global__ void fill(float* x, long n) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) x[i] = 4 * hashed_float(i);
}
__global__ void plain_copy(const float4* __restrict__ in, float4* __restrict__ out, long n) {
  const long step = (long)gridDim.x * blockDim.x;
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += 4 * step) {
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (i + k * step < n) v[k] = __ldcs(in + i + k * step);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (i + k * step < n) __stcs(out + i + k * step, v[k]);
  }
}
__global__ void plain_read(const float4* __restrict__ in, float* out, long n) {
  const long step = (long)gridDim.x * blockDim.x;
  float s = 0;
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += 8 * step) {
    float4 v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = i + k * step < n ? __ldcs(in + i + k * step) : float4{0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < 8; ++k) s += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  }
  if (s == 12345.678f) out[0] = s;
}

// Not persistent: one short block a tile, the hardware's own order.
template <int Threads, int Vectors, int Hint>
__global__ void __launch_bounds__(Threads) once(const float4* __restrict__ in, float4* __restrict__ out) {
  const long at = blockIdx.x * (long)(Threads * Vectors) + threadIdx.x;
  float4 v[Vectors];
#pragma unroll
  for (int k = 0; k < Vectors; ++k) v[k] = Hint ? __ldcs(in + at + k * Threads) : __ldg(in + at + k * Threads);
#pragma unroll
  for (int k = 0; k < Vectors; ++k) {
    if (Hint) __stcs(out + at + k * Threads, v[k]);
    else out[at + k * Threads] = v[k];
  }
}
// One block a tile, moved by the copy engine alone.
template <int Bytes>
__global__ void __launch_bounds__(32) once_bulk(const char* __restrict__ in, char* __restrict__ out) {
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(&full, Bytes);
    ptx::bulk_load(memory, in + blockIdx.x * (long)Bytes, Bytes, &full);
    ptx::mbarrier_wait(&full, 0);
    ptx::bulk_store(out + blockIdx.x * (long)Bytes, memory, Bytes);
    ptx::bulk_commit();
    ptx::bulk_wait<0>();
  }
}
// The ring by the copy engine alone; Blocked: each block walks its own contiguous range, else tiles are dealt round robin.
template <int Bytes, int Stages, bool Blocked>
__global__ void __launch_bounds__(32) ring_bulk(const char* __restrict__ in, char* __restrict__ out, long tiles) {
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ std::uint64_t full[Stages];
  if (threadIdx.x != 0) return;
  for (int s = 0; s < Stages; ++s) ptx::mbarrier_init(&full[s], 1);
  ptx::fence_mbarrier_init();
  const long each = (tiles + gridDim.x - 1) / gridDim.x;
  const long count = Blocked ? min(each, tiles - blockIdx.x * each) : (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x;
  auto at = [&](long k) { return (Blocked ? blockIdx.x * each + k : blockIdx.x + k * gridDim.x) * (long)Bytes; };
  auto load = [&](long k) {
    if (k >= count) return;
    ptx::mbarrier_arrive_expect(&full[k % Stages], Bytes);
    ptx::bulk_load(memory + (k % Stages) * Bytes, in + at(k), Bytes, &full[k % Stages]);
  };
  for (int s = 0; s < Stages - 1; ++s) load(s);
  for (long k = 0; k < count; ++k) {
    ptx::mbarrier_wait(&full[k % Stages], (k / Stages) & 1);
    ptx::bulk_store(out + at(k), memory + (k % Stages) * Bytes, Bytes);
    ptx::bulk_commit();
    ptx::bulk_wait_read<1>();
    load(k + Stages - 1);
  }
  ptx::bulk_wait<0>();
}

static double best_copy, best_read;
static const long total = 1l << 28;
static float *in, *out;

template <job Job, int Threads, int Row, int Stages, bool Bulk, int PerSm>
void measure(timer& clock, int sms) {
  auto kernel = ring<Job, Threads, Row, Stages, Bulk, PerSm>;
  const int shared = Row * 4 * Stages;
  if (shared * PerSm > 226 * 1024) return;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const long rows = total / Row;
  CHECK(cudaMemset(out, 0xff, total * 4));
  const float ms = clock.median([&] { kernel<<<sms * PerSm, Threads, shared>>>(in, out, rows, 1.5f); });
  // check three rows against double
  double worst = 0;
  std::vector<float> x(Row), y(Row);
  for (long r : {0l, rows / 2 + 1, rows - 1}) {
    CHECK(cudaMemcpy(x.data(), in + r * Row, Row * 4, cudaMemcpyDeviceToHost));
    double m = -1e30, l = 0, sum = 0;
    for (float v : x) m = std::max<double>(m, v), sum += v;
    for (float v : x) l += std::exp(v - m);
    if (Job == job::sum) {
      CHECK(cudaMemcpy(y.data(), out + r, 4, cudaMemcpyDeviceToHost));
      worst = std::max(worst, std::abs(y[0] - sum) / Row);
    } else {
      CHECK(cudaMemcpy(y.data(), out + r * Row, Row * 4, cudaMemcpyDeviceToHost));
      for (int i = 0; i < Row; ++i) {
        const double want = Job == job::map ? 1.5 * x[i] : std::exp(x[i] - m) / l;
        const double e = std::abs(y[i] - want) / std::max(std::abs(want), 1e-30);
        worst = !(e <= worst) ? e : worst;
      }
    }
  }
  const double bytes = Job == job::sum ? 4.0 * total : 8.0 * total, rate = bytes / ms / 1e6;
  const char* names[] = {"map", "sum", "softmax"};
  std::printf(
      "{\"what\":\"ring_%s\",\"row\":%d,\"threads\":%d,\"stages\":%d,\"bulk_store\":%d,\"per_sm\":%d,\"ms\":%.4f,\"gbs\":%.0f,\"fraction\":"
      "%.4f,\"error\":%.1e}\n",
      names[int(Job)], Row, Threads, Stages, Bulk, PerSm, ms, rate, rate / (Job == job::sum ? best_read : best_copy), worst);
}

int main() {
  timer clock;
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  const int sms = p.multiProcessorCount;
  CHECK(cudaMalloc(&in, total * 4));
  CHECK(cudaMalloc(&out, total * 4));
  fill<<<sms * 8, 256>>>(in, total);
  for (int round = 0; round < 2; ++round) {
    const double memcpy_rate =
        8.0 * total / clock.median([&] { CHECK(cudaMemcpyAsync(out, in, total * 4, cudaMemcpyDeviceToDevice)); }) / 1e6;
    best_copy = std::max(best_copy, memcpy_rate);
    std::printf("{\"what\":\"memcpy\",\"gbs\":%.0f}\n", memcpy_rate);
    for (int per : {2, 4, 8, 16}) {
      const double c = 8.0 * total / clock.median([&] { plain_copy<<<sms * per, 256>>>((float4*)in, (float4*)out, total / 4); }) / 1e6;
      const double r = 4.0 * total / clock.median([&] { plain_read<<<sms * per, 256>>>((float4*)in, out, total / 4); }) / 1e6;
      best_copy = std::max(best_copy, c), best_read = std::max(best_read, r);
      std::printf("{\"what\":\"plain\",\"blocks_per_sm\":%d,\"copy_gbs\":%.0f,\"read_gbs\":%.0f}\n", per, c, r);
    }
  }
  auto copy = [&](const char* name, int a, int b, auto launch) {
    const double c = 8.0 * total / clock.median(launch) / 1e6;
    std::printf("{\"what\":\"%s\",\"a\":%d,\"b\":%d,\"gbs\":%.0f,\"over_memcpy\":%.4f}\n", name, a, b, c, c / best_copy);
  };
  const long n4 = total / 4;
  copy("once", 128, 4, [&] { once<128, 4, 0><<<n4 / 512, 128>>>((float4*)in, (float4*)out); });
  copy("once", 256, 4, [&] { once<256, 4, 0><<<n4 / 1024, 256>>>((float4*)in, (float4*)out); });
  copy("once", 512, 4, [&] { once<512, 4, 0><<<n4 / 2048, 512>>>((float4*)in, (float4*)out); });
  copy("once", 256, 8, [&] { once<256, 8, 0><<<n4 / 2048, 256>>>((float4*)in, (float4*)out); });
  copy("once", 512, 2, [&] { once<512, 2, 0><<<n4 / 1024, 512>>>((float4*)in, (float4*)out); });
  copy("once_hint", 256, 4, [&] { once<256, 4, 1><<<n4 / 1024, 256>>>((float4*)in, (float4*)out); });
  copy("once_hint", 512, 4, [&] { once<512, 4, 1><<<n4 / 2048, 512>>>((float4*)in, (float4*)out); });
  copy("once_bulk", 8192, 0, [&] { once_bulk<8192><<<total / 2048, 32, 8192>>>((char*)in, (char*)out); });
  copy("once_bulk", 16384, 0, [&] { once_bulk<16384><<<total / 4096, 32, 16384>>>((char*)in, (char*)out); });
  copy("once_bulk", 32768, 0, [&] { once_bulk<32768><<<total / 8192, 32, 32768>>>((char*)in, (char*)out); });
  auto ringed = [&](const char* name, auto kernel, int bytes, int stages, int per_sm) {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes * stages));
    copy(name, bytes * 100 + stages, per_sm,
         [&] { kernel<<<sms * per_sm, 32, bytes * stages>>>((char*)in, (char*)out, total * 4 / bytes); });
  };
  ringed("ring_bulk", ring_bulk<8192, 4, false>, 8192, 4, 2);
  ringed("ring_bulk", ring_bulk<4096, 8, false>, 4096, 8, 2);
  ringed("ring_bulk", ring_bulk<4096, 8, false>, 4096, 8, 1);
  ringed("ring_bulk", ring_bulk<4096, 16, false>, 4096, 16, 1);
  ringed("ring_bulk", ring_bulk<4096, 6, false>, 4096, 6, 4);
  ringed("ring_bulk", ring_bulk<4096, 4, false>, 4096, 4, 4);
  ringed("ring_bulk", ring_bulk<2048, 16, false>, 2048, 16, 2);
  ringed("ring_bulk", ring_bulk<2048, 8, false>, 2048, 8, 4);
  ringed("ring_bulk", ring_bulk<2048, 32, false>, 2048, 32, 1);
  ringed("ring_bulk", ring_bulk<2048, 6, false>, 2048, 6, 8);
  ringed("ring_bulk", ring_bulk<1024, 16, false>, 1024, 16, 4);
  measure<job::map, 256, 2048, 4, false, 4>(clock, sms);
  measure<job::map, 256, 2048, 4, true, 4>(clock, sms);
  measure<job::map, 256, 4096, 3, false, 4>(clock, sms);
  measure<job::map, 256, 4096, 3, true, 4>(clock, sms);
  measure<job::map, 256, 4096, 6, true, 2>(clock, sms);
  measure<job::map, 512, 8192, 3, false, 2>(clock, sms);
  measure<job::map, 512, 8192, 3, true, 2>(clock, sms);
  measure<job::map, 512, 8192, 6, true, 1>(clock, sms);
  measure<job::map, 1024, 16384, 3, true, 1>(clock, sms);
  measure<job::sum, 256, 2048, 6, false, 4>(clock, sms);
  measure<job::sum, 256, 4096, 3, false, 4>(clock, sms);
  measure<job::sum, 256, 8192, 3, false, 2>(clock, sms);
  measure<job::sum, 512, 8192, 3, false, 2>(clock, sms);
  measure<job::sum, 512, 8192, 6, false, 1>(clock, sms);
  measure<job::sum, 1024, 16384, 3, false, 1>(clock, sms);
  measure<job::softmax, 256, 2048, 4, false, 4>(clock, sms);
  measure<job::softmax, 256, 2048, 4, true, 4>(clock, sms);
  measure<job::softmax, 256, 4096, 3, true, 4>(clock, sms);
  measure<job::softmax, 256, 4096, 3, false, 4>(clock, sms);
  measure<job::softmax, 512, 8192, 3, false, 2>(clock, sms);
  measure<job::softmax, 512, 8192, 3, true, 2>(clock, sms);
  measure<job::softmax, 1024, 8192, 3, true, 2>(clock, sms);
  measure<job::softmax, 1024, 16384, 3, true, 1>(clock, sms);
  measure<job::softmax, 1024, 16384, 3, false, 1>(clock, sms);
}
