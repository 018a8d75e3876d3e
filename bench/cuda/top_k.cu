// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The k largest of rows: every plan compared with a stable sort on the host (hard values, ties, NaN, guard zones), then timed cold.
//! top_k check|quick|time|sweep [TYPE [COLUMNS [DATA]]]; one JSON object a line.
#include <cmath>
#include <cstring>
#include <numeric>

#include "bench/cuda/rows.hpp"
#include "bench/prototypes/common.cuh"
#include "twofold/cuda/top_k.cuh"

namespace {
using namespace bench;

template <class T>
__global__ void fill(T* x, tf::index n, tf::index columns, int kind) {
  for (tf::index i = blockIdx.x * static_cast<tf::index>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<tf::index>(gridDim.x) * blockDim.x) {
    const float ramp = static_cast<float>(i % columns) / static_cast<float>(columns);
    x[i] = tf::cuda::narrowed<T>(kind == 0 ? 4 * hashed_float(i) : kind == 1 ? 8 * ramp - 4 : 1.0f);
  }
}

template <class In>
std::vector<tf::cuda::top_k_plan> plans_of(const tf::row_source<In>& in, int k) {
  using tf::cuda::top_k_kernel;
  std::vector<tf::cuda::top_k_plan> all{tf::cuda::plan_top_k(in, k)};
  const auto add = [&](tf::cuda::top_k_plan p) {
    if (!(p == all[0])) all.push_back(p);
  };
  if (in.columns <= 64 && in.pitch == in.columns) add({top_k_kernel::short_rows, 8, 32, 4, 1});
  if (k <= 8)
    for (int lanes : {8, 16, 32})
      for (int v : {4, 8})
        if (const auto slots = tf::cuda::detail::held_slots(in); slots <= lanes * v && slots > lanes * v / 4)
          add({top_k_kernel::held, v, lanes, 4, 1});
  for (int v : {2, 4, 8})
    for (bool stay : {false, true})
      if (in.columns <= 32768 && (in.rows > 1000 || in.columns <= 8192)) add({top_k_kernel::warps, v, 32, 4, 1, stay});
  for (int v : {4, 8})
    for (int warps : {2, 4, 8})
      for (tf::index parts : {1, 2, 7, 64, 1056})
        for (bool stay : {false, true})
          if ((parts == 1 || in.columns / (64 * warps * v * tf::cuda::per_vector<In>) >= parts) &&
              (in.columns < 1 << 22 || in.rows * parts >= 256) && (in.columns > 1024 || parts == 1))
            add({top_k_kernel::blocks, v, 32, warps, parts, stay});
  return all;
}

//! Larger first, NaN before every number, of equal ones the lower position.
void best_of(const std::vector<float>& x, int k, std::vector<tf::index>& at) {
  at.resize(x.size());
  std::iota(at.begin(), at.end(), tf::index(0));
  std::partial_sort(at.begin(), at.begin() + k, at.end(), [&](tf::index a, tf::index b) {
    const bool na = std::isnan(x[a]), nb = std::isnan(x[b]);
    if (na != nb) return na;
    if (!na && x[a] != x[b]) return x[a] > x[b];
    return a < b;
  });
}

template <class In, class Position>
int check(unsigned char* in, unsigned char* values, unsigned char* positions, unsigned char* work, std::size_t work_bytes, bool quick) {
  int failures = 0, runs = 0;
  constexpr std::size_t guard = 4096;
  const std::vector<tf::index> few = {1, 17, 64, 258, 1025, 8193, 70001},
                               many = {1,    2,    7,    8,     9,     17,    31,    32,     33,     63,     64,
                                       65,   127,  200,  256,   257,   511,   1000,  1024,   2047,   2048,   2049,
                                       4096, 8192, 8193, 16384, 32768, 50257, 65543, 131072, 262149, 1200001};
  for (tf::index n : quick ? few : many)
    for (int variant = 0; variant < 3; ++variant)
      for (int k : {1, 8, 16, 33, 64}) {
        if (k > n || (n > 40000 && k != 8 && k != 64) || (quick && k != 8 && k != 33)) continue;
        const tf::index rows = n > 40000 ? 3 : 11, pitch = n + variant, base = variant;
        const std::size_t size = static_cast<std::size_t>(pitch) * rows + base, listed = static_cast<std::size_t>(rows) * k;
        std::vector<In> host(size);
        std::memset(static_cast<void*>(host.data()), 0xff, size * sizeof(In));  // NaN where nothing may be read
        std::vector<std::vector<float>> x(rows, std::vector<float>(n));
        for (tf::index r = 0; r < rows; ++r)
          for (tf::index j = 0; j < n; ++j) {
            const tf::index i = r * n + j;
            float v = 8 * hashed_float(i + 77 * variant + k);
            switch ((r + variant) % 11) {
              case 1:
                v = static_cast<float>(j) / 16;
                break;  // ascending
              case 2:
                v = static_cast<float>(n - j) / 16;
                break;  // descending
              case 3:
                v = 1;
                break;  // all equal
              case 4:
                v = j % 97 == 5 ? NAN : v;
                break;
              case 5:
                v = j == n / 2 ? INFINITY : -INFINITY;
                break;
              case 6:
                v = std::floor(v);
                break;  // many ties
              case 7:
                v = j >= n - 70 ? 100 + static_cast<float>(j % 13) : v;
                break;  // all of the best in one place
              case 8:
                v = NAN;
                break;
              case 9:
                v = j % 2 ? 0.0f : -0.0f;
                break;
              case 10:
                v = j % 64 == 3 ? 50 + v : v - 100;
                break;  // all of the best in few threads
            }
            host[base + r * pitch + j] = rounded<In>(v);
            x[r][j] = static_cast<float>(to_double<In>(reinterpret_cast<unsigned char*>(&host[base + r * pitch + j])));
          }
        CHECK(cudaMemcpy(in, host.data(), size * sizeof(In), cudaMemcpyHostToDevice));
        const tf::row_source<In> source{reinterpret_cast<In*>(in) + base, rows, n, pitch};
        std::vector<std::vector<tf::index>> want(rows);
        for (tf::index r = 0; r < rows; ++r) best_of(x[r], k, want[r]);
        std::size_t turn = 0;
        for (const auto& p : plans_of(source, k)) {
          if (quick && turn++ % 5 != static_cast<std::size_t>(variant + k) % 5 && turn > 1) continue;
          const std::size_t need = tf::cuda::top_k_workspace<In, Position>(p, rows, k);
          if (need > work_bytes) continue;
          CHECK(cudaMemset(values, 0xff, 2 * guard + listed * sizeof(In)));
          CHECK(cudaMemset(positions, 0xff, 2 * guard + listed * sizeof(Position)));
          CHECK(cudaMemset(work, 0xff, std::min<std::size_t>(work_bytes, 1 << 20)));
          try {
            tf::cuda::top_k_rows(source, k, reinterpret_cast<In*>(values + guard), reinterpret_cast<Position*>(positions + guard), p,
                                 {work, need});
          } catch (const tf::error& e) {
            if (p.kernel == tf::cuda::top_k_kernel::warps) continue;  // asked for too long rows
            std::printf("{\"what\":\"refused\",\"plan\":\"%s\",\"why\":\"%s\"}\n", to_string(p).c_str(), e.what()), ++failures;
            continue;
          }
          CHECK(cudaDeviceSynchronize());
          std::vector<unsigned char> v(2 * guard + listed * sizeof(In)), q(2 * guard + listed * sizeof(Position));
          CHECK(cudaMemcpy(v.data(), values, v.size(), cudaMemcpyDeviceToHost));
          CHECK(cudaMemcpy(q.data(), positions, q.size(), cudaMemcpyDeviceToHost));
          bool right = true;
          tf::index bad_row = -1;
          for (std::size_t i = 0; i < guard; ++i)
            right &= v[i] == 0xff && q[i] == 0xff && v[v.size() - 1 - i] == 0xff && q[q.size() - 1 - i] == 0xff;
          for (tf::index r = 0; r < rows; ++r)
            for (int j = 0; j < k; ++j) {
              Position at;
              std::memcpy(&at, q.data() + guard + (r * k + j) * sizeof(Position), sizeof at);
              const bool same =
                  at == static_cast<Position>(want[r][j]) &&
                  std::memcmp(v.data() + guard + (r * k + j) * sizeof(In), &host[base + r * pitch + want[r][j]], sizeof(In)) == 0;
              if (!same && bad_row < 0) bad_row = r;
              right &= same;
            }
          ++runs;
          if (!right && ++failures < 15)
            std::printf(
                "{\"what\":\"WRONG\",\"op\":\"top_k\",\"type\":\"%s\",\"columns\":%td,\"k\":%d,\"variant\":%d,\"row\":%td,\"plan\":\"%s\"}"
                "\n",
                type_name<In>, n, k, variant, bad_row, to_string(p).c_str());
        }
      }
  std::printf("{\"what\":\"check\",\"op\":\"top_k\",\"type\":\"%s\",\"runs\":%d,\"failures\":%d,\"worst_over_bound\":0}\n", type_name<In>,
              runs, failures);
  std::fflush(stdout);
  return failures;
}

template <class In>
void time_type(unsigned char* in, std::size_t bytes, unsigned char* values, unsigned char* positions, unsigned char* work,
               std::size_t work_bytes, bool sweep, tf::index columns, const std::string& data) {
  timer clock;
  constexpr int k = 8;
  const tf::index shapes[][2] = {{1 << 20, 256}, {1 << 17, 2048}, {1 << 15, 8192}, {1 << 13, 32768}, {1 << 10, 262144},
                                 {16, 1 << 24},  {1, 1 << 28},    {131071, 1000},  {4096, 50257},    {1 << 24, 17}};
  const char* const names[] = {"random", "ascending", "constant"};
  for (const auto& s : shapes)
    for (int kind = 0; kind < 3; ++kind) {
      if ((columns != 0 && s[1] != columns) || (!data.empty() && data != names[kind])) continue;
      const tf::row_source<In> source{reinterpret_cast<In*>(in), s[0], s[1], s[1]};
      const tf::index n = s[0] * s[1];
      if (static_cast<std::size_t>(n) * sizeof(In) > bytes) continue;
      fill<<<1056, 256>>>(reinterpret_cast<In*>(in), n, s[1], kind);
      CHECK(cudaGetLastError());
      auto plans = plans_of(source, k);
      if (!sweep) plans.resize(1);
      for (const auto& p : plans) {
        const std::size_t need = tf::cuda::top_k_workspace<In, int>(p, s[0], k);
        if (need > work_bytes) continue;
        const auto run = [&] {
          tf::cuda::top_k_rows(source, k, reinterpret_cast<In*>(values), reinterpret_cast<int*>(positions), p, {work, need});
        };
        try {
          const float ms = clock.median(run, sweep ? 3 : 9);
          const double moved = double(n) * sizeof(In) + double(s[0]) * k * (sizeof(In) + 4);
          std::printf(
              "{\"what\":\"top_k\",\"type\":\"%s\",\"rows\":%td,\"columns\":%td,\"k\":%d,\"data\":\"%s\",\"ms\":%.4f,\"gbs\":%.0f,\"in_"
              "bytes\":%.0f,"
              "\"out_bytes\":%.0f,\"plan\":\"%s\"}\n",
              type_name<In>, s[0], s[1], k, names[kind], ms, moved / ms / 1e6, double(n) * sizeof(In), double(s[0]) * k * (sizeof(In) + 4),
              to_string(p).c_str());
        } catch (const tf::error&) {
        }
      }
      std::fflush(stdout);
    }
}
}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);  // lines survive a program that is stopped
  const std::string mode = argc > 1 ? argv[1] : "check", type = argc > 2 ? argv[2] : "", data = argc > 4 ? argv[4] : "";
  const tf::index columns = argc > 3 ? std::atol(argv[3]) : 0;  // 0: every shape
  const bool timing = mode == "time" || mode == "sweep";
  const std::size_t bytes = timing ? (std::size_t(1) << 30) + (std::size_t(1) << 28) : std::size_t(1) << 25, work_bytes = std::size_t(64)
                                                                                                                          << 20;
  unsigned char *in, *values, *positions, *work;
  CHECK(cudaMalloc(&in, bytes));
  CHECK(cudaMalloc(&values, bytes));
  CHECK(cudaMalloc(&positions, bytes));
  CHECK(cudaMalloc(&work, work_bytes));
  if (timing) {
    if (type.empty() || type == "fp32") time_type<float>(in, bytes, values, positions, work, work_bytes, mode == "sweep", columns, data);
    if (type.empty() || type == "bf16")
      time_type<__nv_bfloat16>(in, bytes, values, positions, work, work_bytes, mode == "sweep", columns, data);
#if !defined(BENCH_TWO_TYPES)
    if (type.empty() || type == "fp16") time_type<__half>(in, bytes, values, positions, work, work_bytes, mode == "sweep", columns, data);
#endif
    return 0;
  }
  int failures = check<float, int>(in, values, positions, work, work_bytes, mode == "quick") +
                 check<__nv_bfloat16, tf::index>(in, values, positions, work, work_bytes, mode == "quick");
#if !defined(BENCH_TWO_TYPES)
  failures += check<__half, int>(in, values, positions, work, work_bytes, mode == "quick");
#endif
  return failures != 0;
}
