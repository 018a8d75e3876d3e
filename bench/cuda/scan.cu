// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Times scans on the device against copies of the same bytes and against CUB, interleaved, with a cold L2; compares each with a
//! float64 fold of the host. One JSON object a line.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "cub_scans.cuh"
#include "scan_common.cuh"
#include "twofold/cuda/scan_columns.cuh"
#include "twofold/cuda/segmented.cuh"
#include "twofold/ops/affine.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/sum.hpp"

namespace twofold {
using cuda::arrays;
using cuda::heads;

struct candidate {
  std::string name;
  std::function<void(cudaStream_t)> run;
  std::vector<float> ms;
};

struct bencher {
  cudaEvent_t a, b;
  char* flush;
  static constexpr std::size_t flush_bytes = std::size_t(256) << 20;
  bencher() {
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    CHECK(cudaMalloc(&flush, flush_bytes));
  }
  //! All candidates in turn, `repeats` times; medians.
  void cold(std::vector<candidate>& all, int repeats) {
    for (int i = 0; i < repeats + 2; ++i)
      for (candidate& c : all) {
        CHECK(cudaMemsetAsync(flush, i, flush_bytes));
        CHECK(cudaEventRecord(a));
        c.run(nullptr);
        CHECK(cudaEventRecord(b));
        CHECK(cudaEventSynchronize(b));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, a, b));
        if (i >= 2) c.ms.push_back(ms);
      }
    for (candidate& c : all) std::sort(c.ms.begin(), c.ms.end());
  }
  //! A graph of twenty calls, replayed: milliseconds a call.
  static float replay(const std::function<void(cudaStream_t)>& f) {
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaEvent_t a, b;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 20; ++i) f(s);
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphInstantiate(&e, g, 0));
    std::vector<float> t;
    for (int i = 0; i < 25; ++i) {
      CHECK(cudaEventRecord(a, s));
      CHECK(cudaGraphLaunch(e, s));
      CHECK(cudaEventRecord(b, s));
      CHECK(cudaEventSynchronize(b));
      float ms;
      CHECK(cudaEventElapsedTime(&ms, a, b));
      if (i >= 5) t.push_back(ms / 20);
    }
    std::sort(t.begin(), t.end());
    CHECK(cudaGraphExecDestroy(e));
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaStreamDestroy(s));
    return t[t.size() / 2];
  }
};

template <class T>
__global__ void fill(T* x, index n, int kind) {
  for (index i = blockIdx.x * static_cast<index>(blockDim.x) + threadIdx.x; i < n; i += static_cast<index>(gridDim.x) * blockDim.x) {
    const auto k = static_cast<std::uint64_t>(i);
    if constexpr (sizeof(T) == 4) x[i] = static_cast<T>(kind == 1 ? 1000 * hashed_float(k) : hashed_float(k));
    else if constexpr (std::is_same_v<T, double>) x[i] = hashed_float(k);
    else if constexpr (sizeof(T) == 8) x[i] = {0.9f * hashed_float(2 * k), hashed_float(2 * k + 1)};
    else {
      const float u = 3.14159265f * hashed_float(k);
      x[i] = {cosf(u), sinf(u), -sinf(u), cosf(u)};
    }
  }
}

//! What a map of one 4-byte input to two 4-byte outputs can reach: the ceiling where reads and writes are not alike.
__global__ void spread(const uint4* x, uint4* y, uint4* z, index n) {
  for (index i = blockIdx.x * static_cast<index>(blockDim.x) + threadIdx.x; i < n; i += static_cast<index>(gridDim.x) * blockDim.x) {
    const uint4 v = x[i];
    __stcs(y + i, v);
    __stcs(z + i, make_uint4(v.y, v.z, v.w, v.x));
  }
}
static bool quick = false;  // times only: nothing is compared on the host; of less than 2^27 elements all is
static bencher* timing;
static void* work;
static constexpr std::size_t work_bytes = std::size_t(64) << 20;

static void print(const std::string& what, index n, double bytes, std::vector<candidate>& all, const char* more) {
  const double copy = all[0].ms[all[0].ms.size() / 2];
  for (std::size_t k = 1; k < all.size(); ++k) {
    const auto& t = all[k].ms;
    const double ms = t[t.size() / 2];
    std::printf(
        "{\"what\":\"%s\",\"by\":\"%s\",\"n\":%ld,\"ms\":%.4f,\"ms_low\":%.4f,\"ms_high\":%.4f,\"gbs\":%.0f,\"copy_gbs\":%.0f,\"fraction_"
        "of_copy\":"
        "%.4f%s}\n",
        what.c_str(), all[k].name.c_str(), static_cast<long>(n), ms, t.front(), t.back(), bytes / ms / 1e6, bytes / copy / 1e6, copy / ms,
        k == 1 ? more : "");
  }
  std::fflush(stdout);
}

//! One scan: `wide` computes answers of a float64 fold, compared where `check`.
template <scan_kind Kind, heads Heads, class R, class X, class... Y>
void measure(const std::string& name, const R& r, index n, index row, cub_scan_kind peer, bool has_peer, double tolerance,
             const std::function<void(const std::vector<X>&, const std::function<void(index, const double*)>&)>& wide, int input = 0) {
  X* x;
  arrays<Y...> out;
  constexpr std::size_t out_bytes = (sizeof(Y) + ...);
  char* y;
  const std::size_t un = static_cast<std::size_t>(n);
  CHECK(cudaMalloc(&x, un * sizeof(X)));
  CHECK(cudaMalloc(&y, un * out_bytes + 64));
  fill<<<1056, 256>>>(x, n, input);
  arrays<const X> in{x};
  constexpr std::size_t first_bytes[] = {sizeof(Y)...};
  out.data = reinterpret_cast<decltype(out.data)>(y);
  if constexpr (sizeof...(Y) == 2) out.rest.data = reinterpret_cast<decltype(out.rest.data)>(y + un * first_bytes[0]);
  std::uint32_t* flags = nullptr;
  if constexpr (Heads == heads::flags) {
    CHECK(cudaMalloc(&flags, un / 8 + 8));
    std::vector<std::uint32_t> bits(un / 32 + 1, 0);
    for (std::size_t i = 0, length = 1; i < un; i += length)
      bits[i / 32] |= 1u << i % 32, length = 1 + (hashed(i) % 997 == 0 ? 300000 : hashed(i) % 200);
    CHECK(cudaMemcpy(flags, bits.data(), bits.size() * 4, cudaMemcpyHostToDevice));
  }
  const auto plan = cuda::plan_scan<Kind, Heads>(r, in, out, n);
  const auto ours = [&](cudaStream_t s) {
    if constexpr (Heads == heads::none) cuda::scan<Kind>(r, in, out, n, plan, work, s);
    else if constexpr (Heads == heads::rows) cuda::scan_rows<Kind>(r, r.identity(), in, out, n / row, row, plan, work, s);
    else cuda::scan_flagged<Kind>(r, r.identity(), in, out, flags, n, plan, work, s);
  };
  CHECK(cudaMemset(y, 0xff, un * out_bytes));
  ours(nullptr);
  CHECK(cudaDeviceSynchronize());
  double worst = -1;
  const bool compare = !quick || n < (index{1} << 27);
  std::vector<char> got(compare ? un * out_bytes : 0), again(got.size());
  CHECK(cudaMemcpy(got.data(), y, got.size(), cudaMemcpyDeviceToHost));
  bool same_bits = true;
  for (int k = 0; k < 2 && compare; ++k) {
    CHECK(cudaMemset(y, 0xff, un * out_bytes));
    ours(nullptr);
    CHECK(cudaMemcpy(again.data(), y, again.size(), cudaMemcpyDeviceToHost));
    same_bits = same_bits && again == got;
  }
  if (wide && compare) {
    std::vector<X> host(un);
    CHECK(cudaMemcpy(host.data(), x, un * sizeof(X), cudaMemcpyDeviceToHost));
    double scale = 1;
    worst = 0;
    constexpr int numbers = sizeof(typename std::tuple_element<0, std::tuple<Y...>>::type) / (std::is_same_v<X, double> ? 8 : 4);
    wide(host, [&](index i, const double* answers) {
      for (int j = 0; j < numbers; ++j) {
        double g;
        if constexpr (std::is_same_v<X, double>) g = reinterpret_cast<const double*>(got.data())[i * numbers + j];
        else g = reinterpret_cast<const float*>(got.data())[i * numbers + j];
        scale = std::max(scale, std::abs(answers[j]));
        const double d = std::abs(g - answers[j]);
        if (!(d <= worst)) worst = d;
      }
    });
    worst /= scale;
  }
  const std::size_t bytes = un * (sizeof(X) + out_bytes);
  char* scratch;  // a copy of the same bytes
  CHECK(cudaMalloc(&scratch, bytes));
  std::vector<candidate> all;
  all.push_back(
      {"copy", [&](cudaStream_t s) { CHECK(cudaMemcpyAsync(scratch, scratch + bytes / 2, bytes / 2, cudaMemcpyDeviceToDevice, s)); }, {}});
  all.push_back({"twofold", ours, {}});
  if (has_peer)
    all.push_back({"cub",
                   [&](cudaStream_t s) {
                     std::size_t t = work_bytes;
                     cub_scan(peer, work, t, x, y, un, s);
                   },
                   {}});
  if constexpr (sizeof...(Y) == 2)
    all.push_back({"map of the same arrays",
                   [&](cudaStream_t s) {
                     spread<<<static_cast<unsigned>(n / 1024), 256, 0, s>>>(reinterpret_cast<const uint4*>(x), reinterpret_cast<uint4*>(y),
                                                                            reinterpret_cast<uint4*>(y + un * 4), n / 4);
                   },
                   {}});
  timing->cold(all, n > (1 << 22) ? 7 : 15);
  char more[300];
  int used = std::snprintf(more, sizeof more, ",\"error_over_scale\":%.1e,\"right\":%s,\"same_bits\":%s,\"blocks\":%d", worst,
                           worst < 0            ? "null"
                           : worst <= tolerance ? "true"
                                                : "false",
                           same_bits ? "true" : "false", plan.blocks);
  if (n <= (1 << 20)) {
    used += std::snprintf(more + used, sizeof more - static_cast<std::size_t>(used), ",\"replay_us\":%.2f", 1e3 * bencher::replay(ours));
    if (has_peer)
      std::snprintf(more + used, sizeof more - static_cast<std::size_t>(used), ",\"cub_replay_us\":%.2f",
                    1e3 * bencher::replay(all[2].run));
  }
  print(name, n, static_cast<double>(bytes), all, more);
  for (void* p : {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(scratch), static_cast<void*>(flags)}) CHECK(cudaFree(p));
}

using answers = std::function<void(index, const double*)>;

static void sums(index n) {
  measure<inclusive, heads::none, sum<float, float>, float, float>("sum fp32", {}, n, 0, cub_scan_kind::sum_f32, true, 1e-5,
                                                                   [](const std::vector<float>& x, const answers& out) {
                                                                     double s = 0;
                                                                     for (std::size_t i = 0; i < x.size(); ++i)
                                                                       s += x[i], out(static_cast<index>(i), &s);
                                                                   });
}
static void wide_sums(index n) {
  measure<inclusive, heads::none, sum<double, double>, double, double>("sum fp64", {}, n, 0, cub_scan_kind::sum_f64, true, 1e-13,
                                                                       [](const std::vector<double>& x, const answers& out) {
                                                                         long double s = 0;
                                                                         for (std::size_t i = 0; i < x.size(); ++i) {
                                                                           s += x[i];
                                                                           const double d = static_cast<double>(s);
                                                                           out(static_cast<index>(i), &d);
                                                                         }
                                                                       });
}
static void maps(index n) {
  measure<inclusive, heads::none, cuda::as_states<affine_recurrence<float>>, affine<float>, affine<float>>(
      "affine pairs", {}, n, 0, cub_scan_kind::affine, true, 1e-5, [](const std::vector<affine<float>>& x, const answers& out) {
        double s[2] = {1, 0};
        for (std::size_t i = 0; i < x.size(); ++i)
          s[0] *= x[i].scale, s[1] = x[i].scale * s[1] + x[i].offset, out(static_cast<index>(i), s);
      });
}
static void matrices(index n) {
  measure<inclusive, heads::none, matrix_product, quad, quad>(
      "2x2 matrices", {}, n, 0, cub_scan_kind::matrix, true, 1e-3, [](const std::vector<quad>& x, const answers& out) {
        double s[4] = {1, 0, 0, 1};
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double a = s[0], b = s[1], c = s[2], d = s[3];
          const quad& q = x[i];
          s[0] = a * q.a + b * q.c, s[1] = a * q.b + b * q.d, s[2] = c * q.a + d * q.c, s[3] = c * q.b + d * q.d;
          out(static_cast<index>(i), s);
        }
      });
}

static void places(index n) {
  measure<inclusive, heads::none, running_maximum, float, float, std::int32_t>(
      "cummax with index", {}, n, 0, cub_scan_kind::sum_f32, false, 0, [](const std::vector<float>& x, const answers& out) {
        double m = -2;
        for (std::size_t i = 0; i < x.size(); ++i) m = std::max(m, static_cast<double>(x[i])), out(static_cast<index>(i), &m);
      });
}

static void columns(index batches, index length, index width) {
  const sum<float, float> r;
  const index n = batches * length * width;
  const std::size_t bytes = static_cast<std::size_t>(n) * 4;
  float *x, *y;
  CHECK(cudaMalloc(&x, bytes));
  CHECK(cudaMalloc(&y, bytes));
  fill<<<1056, 256>>>(x, n, 0);
  const arrays<const float> in{x};
  const auto plan = cuda::plan_scan_columns(r, in, batches, length, width);
  const auto ours = [&](cudaStream_t s) {
    cuda::scan_columns(r, r.identity(), in, arrays<float>{y}, batches, length, width, plan, work, s);
  };
  CHECK(cudaMemset(y, 0xff, bytes));
  ours(nullptr);
  std::vector<float> host(bytes / 4), got(bytes / 4), again(bytes / 4);
  CHECK(cudaMemcpy(host.data(), x, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(got.data(), y, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemset(y, 0xff, bytes));
  ours(nullptr);
  CHECK(cudaMemcpy(again.data(), y, bytes, cudaMemcpyDeviceToHost));
  double worst = 0, scale = 1;
  std::vector<double> line(static_cast<std::size_t>(width));
  for (index b = 0; b < batches; ++b) {
    std::fill(line.begin(), line.end(), 0.0);
    for (index l = 0; l < length; ++l)
      for (index c = 0; c < width; ++c) {
        const std::size_t i = static_cast<std::size_t>((b * length + l) * width + c);
        double& s = line[static_cast<std::size_t>(c)];
        s += host[i], scale = std::max(scale, std::abs(s));
        const double d = std::abs(got[i] - s);
        if (!(d <= worst)) worst = d;
      }
  }
  std::vector<candidate> all;
  all.push_back({"copy", [&](cudaStream_t s) { CHECK(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice, s)); }, {}});
  all.push_back({"twofold", ours, {}});
  timing->cold(all, 7);
  char more[200];
  std::snprintf(more, sizeof more, ",\"shape\":[%ld,%ld,%ld],\"parts\":%ld,\"error_over_scale\":%.1e,\"right\":%s,\"same_bits\":%s",
                static_cast<long>(batches), static_cast<long>(length), static_cast<long>(width), static_cast<long>(plan.parts),
                worst / scale, worst / scale <= 1e-5 ? "true" : "false",
                std::memcmp(got.data(), again.data(), bytes) == 0 ? "true" : "false");
  print("sum fp32 along the middle axis", n, 2.0 * static_cast<double>(bytes), all, more);
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
}

//! Segments of power-law lengths: at least 16 elements, 96 in the mean, up to millions.
static void ragged(index n) {
  std::vector<index> o{0};
  for (std::uint64_t k = 0; o.back() < n; ++k) {
    const double u = (hashed(k) + 1.0) / 4294967297.0;
    o.push_back(std::min<index>(n, o.back() + static_cast<index>(16 * std::pow(u, -1 / 1.2))));
  }
  const index m = static_cast<index>(o.size()) - 1;
  const sum<float, float> r;
  float *x, *y;
  index* offsets;
  CHECK(cudaMalloc(&x, static_cast<std::size_t>(n) * 4));
  CHECK(cudaMalloc(&y, static_cast<std::size_t>(m) * 4));
  CHECK(cudaMalloc(&offsets, o.size() * 8));
  CHECK(cudaMemcpy(offsets, o.data(), o.size() * 8, cudaMemcpyHostToDevice));
  fill<<<1056, 256>>>(x, n, 0);
  const arrays<const float> in{x};
  const arrays<float> out{y};
  const auto plan = cuda::plan_segmented_reduce(r, in, out, n, m);
  void* memory;
  CHECK(cudaMalloc(&memory, plan.workspace));
  const auto ours = [&](cudaStream_t s) { cuda::segmented_reduce(r, r.identity(), in, out, offsets, m, n, plan, memory, s); };
  CHECK(cudaMemset(y, 0xff, static_cast<std::size_t>(m) * 4));
  ours(nullptr);
  std::vector<float> host(static_cast<std::size_t>(n)), got(static_cast<std::size_t>(m));
  CHECK(cudaMemcpy(host.data(), x, host.size() * 4, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(got.data(), y, got.size() * 4, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (index k = 0; k < m; ++k) {
    double s = 0, size = 1;
    for (index i = o[k]; i < o[k + 1]; ++i) s += host[i], size += std::abs(host[i]);
    const double d = std::abs(got[k] - s) / size;
    if (!(d <= worst)) worst = d;
  }
  std::size_t t = work_bytes;
  std::vector<candidate> all;
  const std::size_t bytes = static_cast<std::size_t>(n) * 4 + o.size() * 8 + got.size() * 4;
  char* scratch;
  CHECK(cudaMalloc(&scratch, bytes));
  all.push_back(
      {"copy", [&](cudaStream_t s) { CHECK(cudaMemcpyAsync(scratch, scratch + bytes / 2, bytes / 2, cudaMemcpyDeviceToDevice, s)); }, {}});
  all.push_back({"twofold", ours, {}});
  all.push_back({"read (cub sum of all)",
                 [&](cudaStream_t s) { cub_reduce(cub_reduce_kind::sum_f32, work, t, x, y, static_cast<std::size_t>(n), s); },
                 {}});
  timing->cold(all, 7);
  char more[200];
  std::snprintf(more, sizeof more, ",\"segments\":%ld,\"error_over_size\":%.1e,\"right\":%s", static_cast<long>(m), worst,
                worst <= 1e-6 ? "true" : "false");
  print("segmented sum fp32, power-law lengths", n, static_cast<double>(bytes), all, more);
  for (void* p : {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(offsets), static_cast<void*>(scratch), memory})
    CHECK(cudaFree(p));
}

__global__ void all_ones(std::uint32_t* x, index n) {
  for (index i = blockIdx.x * static_cast<index>(blockDim.x) + threadIdx.x; i < n; i += static_cast<index>(gridDim.x) * blockDim.x)
    x[i] = 1;
}
__global__ void count_wrong(const std::uint32_t* y, index n, unsigned long long* wrong) {
  for (index i = blockIdx.x * static_cast<index>(blockDim.x) + threadIdx.x; i < n; i += static_cast<index>(gridDim.x) * blockDim.x)
    if (y[i] != static_cast<std::uint32_t>(i + 1)) atomicAdd(wrong, 1ull);
}
//! More elements than 32 bits count, in place.
static void huge(index n) {
  const sum<std::uint32_t, std::uint32_t> r;
  std::uint32_t* x;
  unsigned long long *wrong, host = 0;
  CHECK(cudaMalloc(&x, static_cast<std::size_t>(n) * 4));
  CHECK(cudaMalloc(&wrong, 8));
  CHECK(cudaMemset(wrong, 0, 8));
  all_ones<<<1056, 256>>>(x, n);
  const arrays<const std::uint32_t> in{x};
  const arrays<std::uint32_t> out{x};
  const auto plan = cuda::plan_scan(r, in, out, n);
  cuda::scan(r, in, out, n, plan, work);
  count_wrong<<<1056, 256>>>(x, n, wrong);
  CHECK(cudaMemcpy(&host, wrong, 8, cudaMemcpyDeviceToHost));
  std::printf("{\"what\":\"sum uint32 in place\",\"n\":%ld,\"wrong\":%llu}\n", static_cast<long>(n), host);
  CHECK(cudaFree(x));
  CHECK(cudaFree(wrong));
}

static void run(const std::string& part) {
  timing = new bencher;
  CHECK(cudaMalloc(&work, work_bytes));
  CHECK(cudaMemset(work, 0xab, work_bytes));
  constexpr index big = index{1} << 28;
  const auto recurrence = [](index row) {
    return [row](const std::vector<affine<float>>& x, const answers& out) {
      double h = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (row && i % static_cast<std::size_t>(row) == 0) h = 0;
        h = x[i].scale * h + x[i].offset, out(static_cast<index>(i), &h);
      }
    };
  };
  if (part == "quick") {
    quick = true;
    sums(big), maps(big / 2), matrices(big / 4);
    places(big);
  }
#ifndef TWOFOLD_SCAN_BENCH_SMALL  // fewer kernels to compile, for variants of the small ones
  if (part == "large") {
    sums(big);
    maps(big / 2);
    matrices(big / 4);
    wide_sums(big / 2);
    measure<inclusive, heads::none, affine_recurrence<float>, affine<float>, float>("affine recurrence", {}, big / 2, 0,
                                                                                    cub_scan_kind::affine, false, 1e-5, recurrence(0));
    places(big);
    measure<inclusive, heads::rows, affine_recurrence<float>, affine<float>, float>(
        "affine recurrence, rows of 1000", {}, big / 2000 * 1000, 1000, cub_scan_kind::affine, false, 1e-5, recurrence(1000));
    measure<inclusive, heads::flags, sum<float, float>, float, float>("sum fp32, pieces", {}, big, 0, cub_scan_kind::sum_f32, false, 0, {});
    measure<inclusive, heads::none, log_sum_exp<float>, float, float>("log-cumsum-exp", {}, big / 4, 0, cub_scan_kind::sum_f32, false, 1e-5,
                                                                      [](const std::vector<float>& x, const answers& out) {
                                                                        double s = 0;
                                                                        for (std::size_t i = 0; i < x.size(); ++i) {
                                                                          s += std::exp(static_cast<double>(x[i]));
                                                                          const double l = std::log(s);
                                                                          out(static_cast<index>(i), &l);
                                                                        }
                                                                      });
  } else if (part == "columns") {
    columns(8, 8192, 4096);
    columns(1, index{1} << 20, 64);
    columns(64, 4096, 777);
    ragged(index{1} << 28);
    huge((index{1} << 32) + 12345);
  }
#endif
  if (part == "tiny") {
    for (const int lg : {12, 14, 15, 16}) sums(index{1} << lg);
    maps(index{1} << 15);
  }
  if (part == "small") {
    for (const int lg : {12, 16, 18, 20, 22, 24, 26}) sums(index{1} << lg);
    for (const int lg : {16, 20, 24}) maps(index{1} << lg);
  }
}
}  // namespace twofold

//! scan [large|columns|small|tiny|quick] [quick]
int main(int argc, char** argv) {
  twofold::quick = argc > 2;
  twofold::run(argc > 1 ? argv[1] : "large");
}
