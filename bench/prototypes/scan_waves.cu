// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Prototype (b): a one-pass scan whose bracketing is fixed by index. Tiles go in waves of one tile a block; every block
//! folds the wave's aggregates in one fixed tree and adds the carry of the waves before. One warp moves tiles, one exchanges aggregates,
//! the rest compute and run ahead of the exchange. States of 4, 8 and 16 bytes, non-commutative.
#include <cmath>
#include <cstring>

#include "common.cuh"
#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/ptx/sync.cuh"
#include "twofold/cuda/tensor_map.hpp"

namespace ptx = twofold::cuda::ptx;

struct sum_op {
  using state = float;
  static constexpr const char* name = "sum";
  __host__ __device__ static state identity() { return 0; }
  __host__ __device__ static state combine(state a, state b) { return a + b; }
};
struct alignas(8) pair {
  float a, b;
};
struct affine_op {  // x ↦ a·x + b, earlier map first
  using state = pair;
  static constexpr const char* name = "affine";
  __host__ __device__ static state identity() { return {1, 0}; }
  __host__ __device__ static state combine(state f, state g) { return {g.a * f.a, fmaf(g.a, f.b, g.b)}; }
};
struct alignas(16) quad {
  float a, b, c, d;
};
struct matrix_op {  // 2×2 product, left to right
  using state = quad;
  static constexpr const char* name = "matrix";
  __host__ __device__ static state identity() { return {1, 0, 0, 1}; }
  __host__ __device__ static state combine(state x, state y) {
    return {fmaf(x.a, y.a, x.b * y.c), fmaf(x.a, y.b, x.b * y.d), fmaf(x.c, y.a, x.d * y.c), fmaf(x.c, y.b, x.d * y.d)};
  }
};

template <class S>
__device__ S shuffle_up(S v, int by) {
  unsigned w[sizeof(S) / 4];
  memcpy(w, &v, sizeof v);
#pragma unroll
  for (unsigned& x : w) x = __shfl_up_sync(~0u, x, by);
  memcpy(&v, w, sizeof v);
  return v;
}

//! A state travels as 16-byte packets, 12 bytes of payload and a seal, moved whole by one relaxed 128-bit access: no fence. The seal covers
//! every word, so that every word is live: where one is dead, ptxas 13.0 cuts the load into narrower ones, and a torn packet was seen
//! within seconds.
template <class S>
struct packets {
  static constexpr int count = (sizeof(S) + 11) / 12;
  uint4 p[count];
};
__device__ __forceinline__ uint4 load_packet(const uint4* at) {
  std::uint64_t lo, hi;
  asm volatile("{\n.reg .b128 v;\nld.relaxed.gpu.global.b128 v, [%2];\nmov.b128 {%0, %1}, v;\n}" : "=l"(lo), "=l"(hi) : "l"(at) : "memory");
  return {unsigned(lo), unsigned(lo >> 32), unsigned(hi), unsigned(hi >> 32)};
}
__device__ __forceinline__ void store_packet(uint4* at, uint4 v) {
  const std::uint64_t lo = v.x | std::uint64_t(v.y) << 32, hi = v.z | std::uint64_t(v.w) << 32;
  asm volatile("{\n.reg .b128 v;\nmov.b128 v, {%1, %2};\nst.relaxed.gpu.global.b128 [%0], v;\n}" ::"l"(at), "l"(lo), "l"(hi) : "memory");
}
__device__ __forceinline__ unsigned seal(unsigned x, unsigned y, unsigned z, unsigned epoch) { return epoch + x + y + z; }
template <class S>
__device__ void publish(packets<S>* at, S s, unsigned epoch) {
  unsigned w[packets<S>::count * 3] = {};
  memcpy(w, &s, sizeof s);
#pragma unroll
  for (int i = 0; i < packets<S>::count; ++i)
    store_packet(&at->p[i], {w[3 * i], w[3 * i + 1], w[3 * i + 2], seal(w[3 * i], w[3 * i + 1], w[3 * i + 2], epoch)});
}
template <class S>
__device__ bool arrived(const packets<S>& x, unsigned epoch) {
  bool all = true;
#pragma unroll
  for (int i = 0; i < packets<S>::count; ++i) all &= x.p[i].w == seal(x.p[i].x, x.p[i].y, x.p[i].z, epoch);
  return all;
}
template <class S>
__device__ void fetch(packets<S>& x, const packets<S>* at) {
#pragma unroll
  for (int i = 0; i < packets<S>::count; ++i) x.p[i] = load_packet(&at->p[i]);
}
template <class S>
__device__ S unpack(const packets<S>& x) {
  unsigned w[packets<S>::count * 3];
#pragma unroll
  for (int i = 0; i < packets<S>::count; ++i) w[3 * i] = x.p[i].x, w[3 * i + 1] = x.p[i].y, w[3 * i + 2] = x.p[i].z;
  S s;
  memcpy(&s, w, sizeof s);
  return s;
}

template <class Op>
__device__ typename Op::state warp_inclusive(typename Op::state v) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    const auto left = shuffle_up(v, o);
    if (lane >= o) v = Op::combine(left, v);
  }
  return v;
}

// Roles: warp 0 moves tiles, warp 1 folds the waves' aggregates, the others compute. Compute runs `Ahead` waves of folding before finishing
// a tile.
template <class Op, int Threads, int Stages, int Ahead>
__global__ void __launch_bounds__(Threads + 64, 1)
    scan_waves(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, packets<typename Op::state>* aggregates,
               int tiles, unsigned epoch) {
  using S = typename Op::state;
  constexpr int per_chunk = 16 / sizeof(S), warps = Threads / 32;
  constexpr std::uint32_t bytes = Threads * 128;
  extern __shared__ unsigned char raw[];
  unsigned char* memory = raw + ((1024 - (ptx::shared_address(raw) & 1023)) & 1023);
  __shared__ std::uint64_t full[Stages], ready[Stages], done[Stages];
  __shared__ S warp_total[Stages][warps], prefix[Stages], exclusive[Stages][Threads];
  const int G = gridDim.x, b = blockIdx.x, waves = (tiles + G - 1) / G, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < Stages; ++s)
      ptx::mbarrier_init(&full[s], 1), ptx::mbarrier_init(&ready[s], 1), ptx::mbarrier_init(&done[s], Threads);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x < 32) {  // --- move
    if (threadIdx.x == 0) {
      auto load = [&](long w) {
        const long tile = w * G + b;
        if (tile >= tiles) return;
        ptx::mbarrier_arrive_expect(&full[w % Stages], bytes);
        ptx::tensor_load(memory + (w % Stages) * bytes, &in, 0, static_cast<int>(tile * Threads), 0, &full[w % Stages]);
      };
      for (int w = 0; w < Stages; ++w) load(w);
      for (int w = 0; w < waves; ++w) {
        const long tile = static_cast<long>(w) * G + b;
        if (tile >= tiles) break;
        ptx::mbarrier_wait(&done[w % Stages], (w / Stages) & 1);
        ptx::tensor_store(&out, memory + (w % Stages) * bytes, 0, static_cast<int>(tile * Threads), 0);
        ptx::bulk_commit();
        ptx::bulk_wait_read<1>();
        if (w > 0) load(w - 1 + Stages);
      }
      ptx::bulk_wait<0>();
    }
  } else if (threadIdx.x < 64) {  // --- fold the aggregates of each wave in one fixed tree
    S carry = Op::identity();
    constexpr int most = 5;  // G <= 160
    const int each = (G + 31) / 32;
    for (int w = 0; w < waves; ++w) {
      const long base = static_cast<long>(w) * G;
      const int count = static_cast<int>(min(static_cast<long>(G), tiles - base));
      if (b >= count) break;
      S v = Op::identity(), before = v;
      // all loads in flight at once: one trip to L2 a wave where every block has published
      packets<S> x[most];
      bool waiting = false;
#pragma unroll
      for (int k = 0; k < most; ++k)
        if (const int j = lane * each + k; k < each && j < count) fetch(x[k], aggregates + base + j), waiting |= !arrived(x[k], epoch);
      while (waiting) {
        waiting = false;
#pragma unroll
        for (int k = 0; k < most; ++k)
          if (const int j = lane * each + k; k < each && j < count && !arrived(x[k], epoch))
            fetch(x[k], aggregates + base + j), waiting |= !arrived(x[k], epoch);
      }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < most; ++k) {
        const int j = lane * each + k;
        if (k < each && j == b) before = v;
        if (k < each && j < count) v = Op::combine(v, unpack(x[k]));
      }
      const S inclusive = warp_inclusive<Op>(v);
      S ex = shuffle_up(inclusive, 1);
      if (lane == 0) ex = Op::identity();
      if (lane == b / each) {
        prefix[w % Stages] = Op::combine(carry, Op::combine(ex, before));
        ptx::mbarrier_arrive(&ready[w % Stages]);
      }
      unsigned words[sizeof(S) / 4];
      memcpy(words, &inclusive, sizeof(S));
#pragma unroll
      for (unsigned& x : words) x = __shfl_sync(~0u, x, 31);
      S total;
      memcpy(&total, words, sizeof(S));
      carry = Op::combine(carry, total);
      __syncwarp();
    }
  } else {  // --- compute
    const int t = threadIdx.x - 64, warp = t / 32;
    for (int w = 0; w < waves + Ahead; ++w) {
      if (const long tile = static_cast<long>(w) * G + b; w < waves && tile < tiles) {  // fold tile w, publish its aggregate
        const int s = w % Stages;
        ptx::mbarrier_wait(&full[s], (w / Stages) & 1);
        const unsigned char* row = memory + s * bytes + t * 128;
        S v;
#pragma unroll
        for (int c = 0; c < 8; ++c) {
          S x[per_chunk];
          *reinterpret_cast<uint4*>(x) = *reinterpret_cast<const uint4*>(row + ((c ^ (t & 7)) * 16));
#pragma unroll
          for (int k = 0; k < per_chunk; ++k) v = (c == 0 && k == 0) ? x[k] : Op::combine(v, x[k]);
        }
        const S inclusive = warp_inclusive<Op>(v);
        S ex = shuffle_up(inclusive, 1);
        if (lane == 31) warp_total[s][warp] = inclusive;
        ptx::named_sync(1, Threads);
        S before = warp_total[s][0], total = before;
#pragma unroll
        for (int i = 1; i < warps; ++i) {
          if (i == warp) before = total;
          total = Op::combine(total, warp_total[s][i]);
        }
        if (t == 0) publish(aggregates + tile, total, epoch);
        if (lane == 0) ex = warp ? before : Op::identity();
        else if (warp) ex = Op::combine(before, ex);
        exclusive[s][t] = ex;
      }
      const int u = w - Ahead;
      if (u >= 0 && static_cast<long>(u) * G + b < tiles) {  // finish tile u
        const int s = u % Stages;
        ptx::mbarrier_wait(&ready[s], (u / Stages) & 1);
        S v = Op::combine(prefix[s], exclusive[s][t]);
        unsigned char* row = memory + s * bytes + t * 128;
#pragma unroll
        for (int c = 0; c < 8; ++c) {
          S x[per_chunk];
          uint4* at = reinterpret_cast<uint4*>(row + ((c ^ (t & 7)) * 16));
          *reinterpret_cast<uint4*>(x) = *at;
#pragma unroll
          for (int k = 0; k < per_chunk; ++k) x[k] = v = Op::combine(v, x[k]);
          *at = *reinterpret_cast<uint4*>(x);
        }
        ptx::fence_proxy_async();
        ptx::mbarrier_arrive(&done[s]);
      }
    }
  }
}

template <class S>
__global__ void fill(S* x, long n) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) {
    if constexpr (sizeof(S) == 4) x[i] = hashed_float(i);
    else if constexpr (sizeof(S) == 8) x[i] = {0.9f * hashed_float(2 * i), hashed_float(2 * i + 1)};
    else {
      const float u = 3.14159265f * hashed_float(i);
      x[i] = {cosf(u), sinf(u), -sinf(u), cosf(u)};
    }
  }
}

struct wide {  // double reference states
  double v[4];
};
static void push(sum_op, wide& s, float x) { s.v[0] += x; }
static void push(affine_op, wide& s, pair x) { s.v[0] *= x.a, s.v[1] = x.a * s.v[1] + x.b; }
static void push(matrix_op, wide& s, quad x) {
  const double a = s.v[0], b = s.v[1], c = s.v[2], d = s.v[3];
  s = {a * x.a + b * x.c, a * x.b + b * x.d, c * x.a + d * x.c, c * x.b + d * x.d};
}

template <class Op, int Threads, int Stages, int Ahead>
void measure(timer& clock, double best_copy) {
  using S = typename Op::state;
  const long total_bytes = 1l << 30, n = total_bytes / sizeof(S);
  const int tiles = static_cast<int>(total_bytes / (Threads * 128));
  S *in, *out;
  packets<S>* aggregates;
  CHECK(cudaMalloc(&in, total_bytes));
  CHECK(cudaMalloc(&out, total_bytes));
  CHECK(cudaMalloc(&aggregates, tiles * sizeof(packets<S>)));
  CHECK(cudaMemset(aggregates, 0, tiles * sizeof(packets<S>)));
  fill<<<1056, 256>>>(in, n);
  CUtensorMap map_in, map_out;
  if (!twofold::cuda::make_tensor_map(map_in, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, in, 32, total_bytes / 128, 128, 32, Threads,
                                      CU_TENSOR_MAP_SWIZZLE_128B) ||
      !twofold::cuda::make_tensor_map(map_out, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, out, 32, total_bytes / 128, 128, 32, Threads,
                                      CU_TENSOR_MAP_SWIZZLE_128B)) {
    std::printf("{\"error\":\"tensor map\"}\n");
    return;
  }
  auto kernel = scan_waves<Op, Threads, Stages, Ahead>;
  const int shared = Stages * Threads * 128 + 1024;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  unsigned epoch = 0x5eed;
  auto run = [&] { kernel<<<sms, Threads + 64, shared>>>(map_in, map_out, aggregates, tiles, ++epoch); };
  CHECK(cudaMemset(out, 0xff, total_bytes));
  run();
  CHECK(cudaDeviceSynchronize());
  std::vector<S> x(n), y(n), z(n);
  CHECK(cudaMemcpy(x.data(), in, total_bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(y.data(), out, total_bytes, cudaMemcpyDeviceToHost));
  wide s{};
  const S e = Op::identity();
  for (unsigned i = 0; i < sizeof(S) / 4; ++i) s.v[i] = reinterpret_cast<const float*>(&e)[i];
  double worst = 0, scale = 1;
  for (long i = 0; i < n; ++i) {
    push(Op{}, s, x[i]);
    for (unsigned k = 0; k < sizeof(S) / 4; ++k) {
      scale = std::max(scale, std::abs(s.v[k]));
      const double d = std::abs(reinterpret_cast<const float*>(&y[i])[k] - s.v[k]);
      worst = !(d <= worst) ? d : worst;
    }
  }
  bool same_bits = true;
  for (int repeat = 0; repeat < 6 && same_bits; ++repeat) {
    CHECK(cudaMemset(aggregates, repeat % 2 ? 0 : 0xff, tiles * sizeof(packets<S>)));  // stale packets must not hide a torn read
    run();
    CHECK(cudaMemcpy(z.data(), out, total_bytes, cudaMemcpyDeviceToHost));
    same_bits = std::memcmp(y.data(), z.data(), total_bytes) == 0;
  }
  const float ms = clock.median(run);
  const double rate = 2.0 * total_bytes / ms / 1e6;
  std::printf(
      "{\"what\":\"scan_%s\",\"state_bytes\":%zu,\"threads\":%d,\"stages\":%d,\"ahead\":%d,\"ms\":%.4f,\"gbs\":%.0f,\"fraction\":%.4f,"
      "\"error_over_scale\":%.1e,\"same_bits\":%s}\n",
      Op::name, sizeof(S), Threads, Stages, Ahead, ms, rate, rate / best_copy, worst / scale, same_bits ? "true" : "false");
  for (void* q : {(void*)in, (void*)out, (void*)aggregates}) CHECK(cudaFree(q));
}

int main() {
  timer clock;
  float *a, *b;
  CHECK(cudaMalloc(&a, 1l << 30));
  CHECK(cudaMalloc(&b, 1l << 30));
  const double copy = 2.0 * (1l << 30) / clock.median([&] { CHECK(cudaMemcpyAsync(b, a, 1l << 30, cudaMemcpyDeviceToDevice)); }) / 1e6;
  std::printf("{\"what\":\"memcpy\",\"gbs\":%.0f}\n", copy);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  measure<sum_op, 256, 6, 4>(clock, copy);
  measure<sum_op, 256, 6, 2>(clock, copy);
  measure<sum_op, 256, 6, 3>(clock, copy);
  measure<sum_op, 128, 12, 3>(clock, copy);
  measure<affine_op, 256, 6, 4>(clock, copy);
  measure<affine_op, 256, 6, 2>(clock, copy);
  measure<affine_op, 256, 6, 3>(clock, copy);
  measure<affine_op, 128, 12, 3>(clock, copy);
  measure<matrix_op, 256, 6, 3>(clock, copy);
  measure<matrix_op, 256, 6, 4>(clock, copy);
  measure<matrix_op, 256, 5, 2>(clock, copy);
  measure<matrix_op, 128, 12, 6>(clock, copy);
}
