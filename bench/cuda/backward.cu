// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Backward rows: softmax, layer and RMS norm, the sums for a norm's weights. Compared with float64 (guard zones, poisoned outputs),
//! then timed cold. backward check|time; one JSON object a line.
#include <cmath>
#include <cstring>

#include "bench/cuda/rows.hpp"
#include "bench/prototypes/common.cuh"
#include "twofold/cuda/backward.cuh"
#include "twofold/ops/layer_norm.hpp"

namespace {
using namespace bench;
constexpr std::size_t guard = 1024;

template <class T>
__global__ void fill(T* x, tf::index n, float scale, std::uint64_t seed) {
  for (tf::index i = blockIdx.x * static_cast<tf::index>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<tf::index>(gridDim.x) * blockDim.x)
    x[i] = tf::cuda::narrowed<T>(scale * hashed_float(static_cast<std::uint64_t>(i) + seed));
}

struct arrays_of {
  unsigned char *x, *dy, *out, *weight, *statistics, *sums, *work;
  std::size_t work_bytes;
};
enum class pass { softmax, layer_norm, rms_norm, weights };
const char* const names[] = {"softmax_backward", "layer_norm_backward", "rms_norm_backward", "norm_weights_backward"};

template <class T>
void run(pass p, const arrays_of& a, const shape& s, tf::index base) {
  const tf::row_source<T> x{reinterpret_cast<const T*>(a.x) + base, s.rows, s.columns, s.pitch};
  const T* const dy = reinterpret_cast<const T*>(a.dy) + base;
  T* const out = reinterpret_cast<T*>(a.out + guard) + base;
  const auto* const statistics = reinterpret_cast<const tf::cuda::norm_statistics*>(a.statistics);
  const auto* const weight = reinterpret_cast<const T*>(a.weight);
  if (p == pass::softmax) tf::cuda::softmax_backward(x, dy, s.pitch, out, s.pitch, {a.work, a.work_bytes});
  else if (p == pass::weights)
    tf::cuda::norm_weights_backward(x, dy, s.pitch, statistics, reinterpret_cast<float*>(a.sums + guard),
                                    reinterpret_cast<float*>(a.sums + guard) + s.columns, {a.work, a.work_bytes});
  else tf::cuda::norm_backward(x, dy, s.pitch, weight, statistics, p == pass::layer_norm, out, s.pitch, {a.work, a.work_bytes});
}

template <class T>
int check(const arrays_of& a) {
  int failures = 0;
  for (const pass p : {pass::softmax, pass::layer_norm, pass::rms_norm, pass::weights}) {
    int runs = 0, wrong = 0;
    double worst = 0;
    for (tf::index n : {1, 2, 7, 8, 17, 64, 127, 256, 1000, 1024, 2049, 4096, 8200, 16384, 40000, 65536, 140000, 262144})
      for (int variant = 0; variant < (n > 131072 ? 1 : 3); ++variant) {  // longer rows need a workspace, which needs aligned rows
        const tf::index rows = n > 10000 ? 3 : variant == 0 ? 133 : 9, pitch = n + (variant == 2 ? 3 : 0), base = variant == 1;
        const shape s{rows, n, pitch};
        const std::size_t size = static_cast<std::size_t>(rows * pitch + base);
        std::vector<T> x(size), dy(size), weight(static_cast<std::size_t>(n));
        std::memset(static_cast<void*>(x.data()), 0xff, size * sizeof(T));
        std::memset(static_cast<void*>(dy.data()), 0xff, size * sizeof(T));
        for (tf::index r = 0; r < rows; ++r)
          for (tf::index j = 0; j < n; ++j) {
            const std::size_t i = static_cast<std::size_t>(base + r * pitch + j);
            const float v = hashed_float(i + 31 * static_cast<std::size_t>(n));
            x[i] = rounded<T>(p == pass::softmax ? (v + 1) / static_cast<float>(n) : 3 * v + (r % 3 == 1 ? 20.0f : 0.0f));
            dy[i] = rounded<T>(hashed_float(i * 3 + 5));
          }
        for (tf::index j = 0; j < n; ++j) weight[j] = rounded<T>(1 + hashed_float(static_cast<std::size_t>(j)) / 2);
        const auto value = [](const T& v) { return to_double<T>(reinterpret_cast<const unsigned char*>(&v)); };
        std::vector<tf::cuda::norm_statistics> statistics(static_cast<std::size_t>(rows));
        for (tf::index r = 0; r < rows; ++r) {
          double mean = 0, squares = 0;
          for (tf::index j = 0; j < n; ++j) mean += value(x[base + r * pitch + j]);
          mean = p == pass::rms_norm ? 0 : mean / double(n);
          for (tf::index j = 0; j < n; ++j) squares += std::pow(value(x[base + r * pitch + j]) - mean, 2);
          statistics[r] = {static_cast<float>(mean), static_cast<float>(1 / std::sqrt(squares / double(n) + 1e-5))};
        }
        CHECK(cudaMemcpy(a.x, x.data(), size * sizeof(T), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(a.dy, dy.data(), size * sizeof(T), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(a.weight, weight.data(), weight.size() * sizeof(T), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(a.statistics, statistics.data(), statistics.size() * 8, cudaMemcpyHostToDevice));
        CHECK(cudaMemset(a.out, 0xff, 2 * guard + size * sizeof(T)));
        CHECK(cudaMemset(a.sums, 0xff, 2 * guard + 8 * static_cast<std::size_t>(n)));
        CHECK(cudaMemset(a.work, 0xff, 1 << 20));
        run<T>(p, a, s, base);
        CHECK(cudaDeviceSynchronize());
        std::vector<unsigned char> back(2 * guard + size * sizeof(T)), sums(2 * guard + 8 * static_cast<std::size_t>(n));
        CHECK(cudaMemcpy(back.data(), a.out, back.size(), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(sums.data(), a.sums, sums.size(), cudaMemcpyDeviceToHost));
        double e = 0;
        bool outside = false;
        for (std::size_t i = 0; i < guard; ++i)
          outside |= back[i] != 0xff || back[back.size() - 1 - i] != 0xff || sums[i] != 0xff || sums[sums.size() - 1 - i] != 0xff;
        if (p == pass::weights) {
          for (tf::index j = 0; j < n; ++j) {
            double g = 0, gx = 0, size_g = 0, size_gx = 0;
            for (tf::index r = 0; r < rows; ++r) {
              const double of = value(dy[base + r * pitch + j]),
                           y = (value(x[base + r * pitch + j]) - statistics[r].mean) * double(statistics[r].scale);
              g += of, gx += of * y, size_g += std::abs(of);
              size_gx += std::abs(of) * (std::abs(y) + std::abs(statistics[r].mean) * double(statistics[r].scale));
            }
            float got_gx, got_g;
            std::memcpy(&got_gx, sums.data() + guard + 4 * j, 4);
            std::memcpy(&got_g, sums.data() + guard + 4 * (n + j), 4);
            e = std::max({e, off(got_gx, gx, 64 * 0x1p-24 * size_gx + 1e-30), off(got_g, g, 64 * 0x1p-24 * size_g + 1e-30)});
          }
        } else {
          for (tf::index r = 0; r < rows; ++r) {
            double sum_g = 0, sum_gx = 0, size = 0;
            const auto normalised = [&](tf::index j) {
              return (value(x[base + r * pitch + j]) - statistics[r].mean) * double(statistics[r].scale);
            };
            const auto g = [&](tf::index j) {
              return value(dy[base + r * pitch + j]) * (p == pass::softmax ? value(x[base + r * pitch + j]) : value(weight[j]));
            };
            for (tf::index j = 0; j < n; ++j) {
              sum_g += g(j), sum_gx += g(j) * normalised(j);
              size += std::abs(g(j)) * (1 + std::abs(normalised(j)) + std::abs(statistics[r].mean) * double(statistics[r].scale));
            }
            for (tf::index j = 0; j < n; ++j) {
              const double got = value(*reinterpret_cast<const T*>(back.data() + guard + (base + r * pitch + j) * sizeof(T)));
              double want, scale;
              if (p == pass::softmax) {
                const double y = value(x[base + r * pitch + j]);
                want = g(j) - y * sum_g, scale = std::abs(g(j)) + std::abs(y) * size;
              } else {
                const double s_r = statistics[r].scale, y = normalised(j), shift = std::abs(statistics[r].mean) * s_r;
                want = s_r * (g(j) - ((p == pass::layer_norm ? sum_g : 0) + y * sum_gx) / double(n));
                scale = s_r * (std::abs(g(j)) + size * (1 + std::abs(y) + shift) / double(n) * (1 + shift));
              }
              e = std::max(e, off(got, want, 1.01 * unit<T> * std::abs(want) + 64 * 0x1p-24 * scale + tiny<T>));
            }
            for (tf::index b = n * static_cast<tf::index>(sizeof(T)); r + 1 < rows && b < pitch * static_cast<tf::index>(sizeof(T)); ++b)
              outside |= back[guard + (base + r * pitch) * sizeof(T) + b] != 0xff;
          }
        }
        ++runs;
        worst = !(e <= worst) ? e : worst;
        if (!(e <= 1) || outside) {
          if (++wrong < 6)
            std::printf("{\"what\":\"WRONG\",\"op\":\"%s\",\"type\":\"%s\",\"columns\":%td,\"variant\":%d,\"error\":%.3g,\"outside\":%d}\n",
                        names[static_cast<int>(p)], type_name<T>, n, variant, e, outside);
        }
      }
    std::printf("{\"what\":\"check\",\"op\":\"%s\",\"type\":\"%s\",\"runs\":%d,\"failures\":%d,\"worst_over_bound\":%.3f}\n",
                names[static_cast<int>(p)], type_name<T>, runs, wrong, worst);
    failures += wrong;
  }
  std::fflush(stdout);
  return failures;
}

template <class T>
void time_type(const arrays_of& a) {
  timer clock;
  for (const shape& s : {shape{1 << 20, 256, 256}, shape{1 << 17, 2048, 2048}, shape{1 << 15, 8192, 8192}, shape{1 << 13, 32768, 32768}}) {
    const tf::index n = s.rows * s.columns;
    fill<<<1056, 256>>>(reinterpret_cast<T*>(a.x), n, 1.0f, 0);
    fill<<<1056, 256>>>(reinterpret_cast<T*>(a.dy), n, 1.0f, 99);
    fill<<<64, 256>>>(reinterpret_cast<T*>(a.weight), s.columns, 1.0f, 7);
    fill<<<256, 256>>>(reinterpret_cast<float*>(a.statistics), 2 * s.rows, 1.0f, 3);
    CHECK(cudaGetLastError());
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
    const double copy =
        2.0 * double(bytes) / clock.median([&] { CHECK(cudaMemcpyAsync(a.out, a.x, bytes, cudaMemcpyDeviceToDevice)); }, 7) / 1e6;
    for (const pass p : {pass::softmax, pass::layer_norm, pass::rms_norm, pass::weights}) {
      const float ms = clock.median([&] { run<T>(p, a, s, 0); }, 7);
      const double moved = double(bytes) * (p == pass::weights ? 2 : 3), rate = moved / ms / 1e6;
      std::printf(
          "{\"what\":\"backward\",\"op\":\"%s\",\"type\":\"%s\",\"rows\":%td,\"columns\":%td,\"ms\":%.4f,\"gbs\":%.0f,\"of_copy\":%.3f}\n",
          names[static_cast<int>(p)], type_name<T>, s.rows, s.columns, ms, rate, rate / copy);
    }
    std::fflush(stdout);
  }
}
}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);  // lines survive a program that is stopped
  const bool timing = argc > 1 && std::string(argv[1]) == "time";
  const std::size_t bytes = timing ? (std::size_t(1) << 30) + 4096 : std::size_t(1) << 24;
  arrays_of a{};
  for (unsigned char** p : {&a.x, &a.dy, &a.out}) CHECK(cudaMalloc(p, bytes));
  for (unsigned char** p : {&a.weight, &a.sums}) CHECK(cudaMalloc(p, 1 << 22));
  CHECK(cudaMalloc(&a.statistics, 8 << 20));
  a.work_bytes = 64 << 20;
  CHECK(cudaMalloc(&a.work, a.work_bytes));
  if (timing) {
    time_type<float>(a);
    time_type<__nv_bfloat16>(a);
    return 0;
  }
  return check<float>(a) + check<__nv_bfloat16>(a) + check<__half>(a) != 0;
}
