// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Row benchmark: checks every operator against float64 (poisoned outputs, guard zones, hard values), then times it cold against copy
//! and read of the same bytes in the same run. rows check|time|sweep [OPERATORS [TYPE [COLUMNS]]]; one JSON object a line.
#include <cmath>
#include <cstring>

#include "bench/cuda/rows.hpp"
#include "bench/prototypes/common.cuh"
#include "twofold/cuda/ptx/copy.cuh"

namespace {
using namespace bench;
namespace ptx = tf::cuda::ptx;

// --- ceilings: the best of several plain programs
__global__ void __launch_bounds__(512) copy_once(const uint4* __restrict__ in, uint4* __restrict__ out, long n) {
  const long at = blockIdx.x * 1024l + threadIdx.x;
  uint4 v[2];
#pragma unroll
  for (int k = 0; k < 2; ++k)
    if (at + k * 512 < n) v[k] = in[at + k * 512];
#pragma unroll
  for (int k = 0; k < 2; ++k)
    if (at + k * 512 < n) out[at + k * 512] = v[k];
}
__global__ void __launch_bounds__(256) read_plain(const uint4* __restrict__ in, unsigned* out, long n) {
  const long step = static_cast<long>(gridDim.x) * 256;
  unsigned s = 0;
  for (long i = blockIdx.x * 256l + threadIdx.x; i < n; i += 8 * step) {
    uint4 v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = i + k * step < n ? in[i + k * step] : uint4{0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < 8; ++k) s ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  if (s == 0x12345678u) out[0] = s;
}
// The copy engine alone: tiles go round robin through a ring, nobody looks at them.
template <int Bytes, int Stages>
__global__ void __launch_bounds__(32) read_bulk(const char* __restrict__ in, long tiles) {
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ std::uint64_t full[Stages];
  if (threadIdx.x != 0) return;
  for (int s = 0; s < Stages; ++s) ptx::mbarrier_init(&full[s], 1);
  ptx::fence_mbarrier_init();
  const long count = (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x;
  const auto load = [&](long k) {
    if (k >= count) return;
    ptx::mbarrier_arrive_expect(&full[k % Stages], Bytes);
    ptx::bulk_load(memory + (k % Stages) * Bytes, in + (blockIdx.x + k * gridDim.x) * Bytes, Bytes, &full[k % Stages]);
  };
  for (int s = 0; s < Stages; ++s) load(s);
  for (long k = 0; k < count; ++k) {
    ptx::mbarrier_wait(&full[k % Stages], (k / Stages) & 1);
    load(k + Stages);
  }
}

template <class T>
__global__ void fill(T* x, tf::index n, float scale) {
  for (tf::index i = blockIdx.x * static_cast<tf::index>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<tf::index>(gridDim.x) * blockDim.x)
    x[i] = tf::cuda::narrowed<T>(scale * hashed_float(i));
}
void fill_any(void* x, const std::string& type, tf::index n, float scale) {
  if (type == "fp32") fill<<<1056, 256>>>(static_cast<float*>(x), n, scale);
  else if (type == "fp16") fill<<<1056, 256>>>(static_cast<__half*>(x), n, scale);
  else fill<<<1056, 256>>>(static_cast<__nv_bfloat16*>(x), n, scale);
  CHECK(cudaGetLastError());
}

//! The error of some rows (all where there are few) of an output that was copied back, and whether anything outside was written.
struct memory {
  unsigned char *in, *out, *work;
  std::size_t in_bytes, out_bytes, work_bytes;
};

double check_rows(const row_case& c, const shape& s, const unsigned char* in, const unsigned char* out, tf::index most) {
  double worst = 0;
  const tf::index step = s.rows <= most ? 1 : most < 2 ? s.rows : (s.rows - 1) / (most - 1);
  std::vector<unsigned char> row(s.columns * c.in_bytes), got(c.maps ? s.columns * c.out_bytes : c.out_bytes);
  std::vector<double> x(s.columns);
  for (tf::index r = 0; r < s.rows; r += step) {
    CHECK(cudaMemcpy(row.data(), in + r * s.pitch * c.in_bytes, row.size(), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.data(), out + (c.maps ? r * s.pitch : r) * c.out_bytes, got.size(), cudaMemcpyDeviceToHost));
    for (tf::index j = 0; j < s.columns; ++j) x[j] = c.value(row.data() + j * c.in_bytes);
    const double e = c.error(x, r, got.data());
    worst = !(e <= worst) ? e : worst;
  }
  return worst;
}

std::vector<tf::cuda::row_plan> plans_of(const row_case& c, const tf::cuda::row_task& t) {
  namespace td = tf::cuda::detail;
  std::vector<tf::cuda::row_plan> all;
  const tf::index per = 16 / t.element_bytes, vectors = td::rounded_up_division(t.columns + (t.aligned ? 0 : per - 1), per);
  for (int v = 1; v <= 8; v *= 2) {
    const tf::index threads = td::power_of_two_from(td::rounded_up_division(vectors > 0 ? vectors : 1, v));
    if (threads <= 32)
      for (int block : {128, 256, 512}) {
        tf::cuda::row_plan p;
        p.vectors = v, p.lanes = static_cast<int>(threads), p.teams = block / p.lanes;
        all.push_back(p);
      }
    else if (v >= 2)
      for (int blocks = 1; blocks <= 16; blocks *= 2)
        if (threads / blocks >= 32 && threads / blocks <= 1024 && (blocks == 1 || threads / blocks >= 128)) {
          tf::cuda::row_plan p;
          p.vectors = v, p.blocks = blocks, p.warps = static_cast<int>(threads / blocks / 32);
          all.push_back(p);
        }
  }
  if (t.dense && t.columns * t.element_bytes <= td::staged_bytes)
    for (int lanes : {1, 2, 4, 8, 16, 32})
      for (int block : {128, 256}) {
        tf::cuda::row_plan p;
        p.kernel = tf::cuda::row_kernel::staged, p.lanes = lanes, p.teams = block / lanes;
        if (t.columns / lanes <= 64 && p.teams * t.columns * t.element_bytes + 32 <= 48 * 1024) all.push_back(p);
      }
  for (int v = 4; v <= 8; v *= 2)
    for (int warps : {4, 8, 16, 32}) {
      auto p = td::ring_plan(vectors, warps, v);
      if (p.blocks > 16 || vectors < 32 * warps * v / 2) continue;
      all.push_back(p);
      if (p.stages > 1) --p.stages, all.push_back(p);
    }
  if (c.maps)
    for (int v = 4; v <= 8; v *= 2)
      for (int warps : {4, 8, 16})
        for (int stages : {4, 5, 6, 8})
          for (int ahead : {2, 3}) {
            tf::cuda::row_plan p;
            p.kernel = tf::cuda::row_kernel::spread, p.vectors = v, p.warps = warps, p.stages = stages, p.ahead = ahead;
            p.parts = td::rounded_up_division(vectors, tf::index(32) * warps * v);
            if (p.parts == 1 && vectors >= 64) p.parts = 3;
            if (p.parts >= 2 && p.parts <= 64 && ahead + 1 < stages && stages * 32 * warps * v * 16 <= 208 * 1024) all.push_back(p);
          }
  if (c.maps)
    for (int v = 4; v <= 8; v *= 2)
      for (int warps : {4, 8, 16})
        for (int bytes : {216, 106, 70, 50})
          for (int back : {2, 3, 5}) {
            auto p = td::flow_plan(vectors, warps, v, bytes * 1024);
            if (p.stages < p.parts) continue;
            p.ahead = static_cast<int>(std::min<tf::index>(std::max(0, p.stages - back), 2 * p.parts));
            if (all.empty() || !(all.back() == p)) all.push_back(p);
          }
  for (int v = 4; v <= 8; v *= 2)
    for (int warps : {4, 8, 16}) {
      const tf::index tiles = td::rounded_up_division(vectors, 32 * warps * v);
      if (tiles < 2) continue;
      tf::index before = 0;
      for (tf::index want : {1, 264, 528, 792, 1056, 1584, 2112, 4224, 8448}) {
        tf::index parts = want == 1 ? 1 : td::rounded_up_division(want, t.rows);
        if (parts > tiles) parts = tiles;
        if (parts == before) continue;
        before = parts;
        tf::cuda::row_plan p;
        p.kernel = c.maps ? tf::cuda::row_kernel::reread : tf::cuda::row_kernel::streamed;
        p.vectors = v, p.warps = warps, p.parts = parts;
        p.kept = c.maps ? 0 : 1;
        all.push_back(p);
      }
    }
  return all;
}

//! Small shapes around every edge, hard values, odd pitches and bases, every plan that fits.
int check(const row_case& c, const memory& m, bool quick) {
  const std::vector<tf::index> few = {1, 17, 33, 258, 1025, 8193, 33001},
                               many = {1,    2,    3,    4,    5,     7,     8,     9,     15,    17,     31,     33,     63,    64,   65,
                                       127,  128,  129,  255,  256,   257,   511,   1000,  1023,  1024,   1025,   2047,   2048,  2049, 4096,
                                       4097, 8191, 8192, 8193, 16384, 16387, 32768, 50257, 65543, 131072, 262144, 262149, 300001};
  constexpr std::size_t guard = 4096;
  int failures = 0, runs = 0;
  double worst = 0;
  for (tf::index n : quick ? few : many)
    for (int variant = 0; variant < 4; ++variant) {
      const tf::index rows = n > 40000      ? 2
                             : variant == 0 ? 33
                                            : 7,
                      pitch = n + (variant == 0   ? 0
                                   : variant == 1 ? (8 - n % 8) % 8
                                                  : variant),
                      base = variant == 3 ? 1 : 0;
      shape s{rows, n, pitch};
      const std::size_t size = static_cast<std::size_t>(pitch) * rows;
      std::vector<unsigned char> host(guard + (size + base) * c.in_bytes + guard, 0xff);  // NaN all around
      for (std::size_t i = 0; i < size; ++i) {
        const tf::index r = i / pitch, j = i % pitch;
        if (j >= n) continue;  // padding stays NaN
        float x = 8 * hashed_float(i + 1000003 * variant + n);
        const int kind = static_cast<int>((r + variant) % 7);
        if (kind == 1) x = x / 8 + 1000;
        if (kind == 2 && variant == 1) x = -INFINITY;
        if (kind == 3 && j != n / 2) x = c.op == "rms_norm" || c.op == "layer_norm" || c.op == "var_mean" ? x : -INFINITY;
        if (kind == 4 && variant == 2 && j == n - 1) x = NAN;
        if (kind == 5 && variant == 2 && j == n / 3) x = INFINITY;
        if (kind == 6) x = static_cast<float>(j % 1000) / 100;  // ascending, ties
        if (kind == 0 && variant == 3) x = 0.0f;
        if (kind == 2 && variant == 3 && j == 0) x = 10000;  // the element that means are guessed from lies far off
        unsigned char* to = host.data() + guard + (base + i) * c.in_bytes;
        const __nv_bfloat16 b = __float2bfloat16_rn(x);
        const __half h = __float2half_rn(x);
        if (c.in_bytes == 4) std::memcpy(to, &x, 4);
        else if (c.type == "bf16") std::memcpy(to, &b, 2);
        else std::memcpy(to, &h, 2);
      }
      CHECK(cudaMemcpy(m.in, host.data(), host.size(), cudaMemcpyHostToDevice));
      const unsigned char* in = m.in + guard + base * c.in_bytes;
      unsigned char* out = m.out + guard + (c.maps ? base : 0) * c.out_bytes;
      const std::size_t out_size = (c.maps ? size : rows) * c.out_bytes;
      auto task = c.task(in, s);
      auto plans = plans_of(c, task);
      std::vector<tf::cuda::row_plan> chosen{tf::cuda::plan_rows(task)};
      for (std::size_t k = 0; k < plans.size(); ++k)
        if ((k + static_cast<std::size_t>(n) + static_cast<std::size_t>(variant)) % (quick ? 13 : n > 5000 ? 7 : 3) == 0)
          chosen.push_back(plans[k]);
      for (const auto& p : chosen) {
        CHECK(cudaMemset(m.out, 0xff, guard * 2 + out_size + 64));
        CHECK(cudaMemset(m.work, 0xff, 1 << 20));
        const std::size_t need = c.workspace(p, s);
        if (need > m.work_bytes) continue;
        try {
          c.run(in, out, s, p, {m.work, need});
          CHECK(cudaDeviceSynchronize());
        } catch (const tf::error& e) {
          std::printf("{\"what\":\"refused\",\"op\":\"%s\",\"plan\":\"%s\",\"why\":\"%s\"}\n", c.op.c_str(), to_string(p).c_str(),
                      e.what());
          ++failures;
          continue;
        }
        std::vector<unsigned char> back(guard + out_size + guard);
        CHECK(cudaMemcpy(back.data(), out - guard, back.size(), cudaMemcpyDeviceToHost));
        double e = 0;
        std::vector<double> x(n);
        for (tf::index r = 0; r < rows; ++r) {
          for (tf::index j = 0; j < n; ++j) x[j] = c.value(host.data() + guard + (base + r * pitch + j) * c.in_bytes);
          const double of_row = c.error(x, r, back.data() + guard + (c.maps ? r * pitch : r) * c.out_bytes);
          e = !(of_row <= e) ? of_row : e;
        }
        bool outside = false;
        for (std::size_t i = 0; i < guard; ++i) outside |= back[i] != 0xff || back[guard + out_size + i] != 0xff;
        if (c.maps)  // padding between rows
          for (tf::index r = 0; r + 1 < rows; ++r)
            for (tf::index b = n * c.out_bytes; b < pitch * c.out_bytes; ++b) outside |= back[guard + r * pitch * c.out_bytes + b] != 0xff;
        ++runs;
        worst = !(e <= worst) ? e : worst;
        if (!(e <= 1) || outside) {
          if (++failures < 12)
            std::printf(
                "{\"what\":\"WRONG\",\"op\":\"%s\",\"type\":\"%s\",\"rows\":%td,\"columns\":%td,\"variant\":%d,\"plan\":\"%s\",\"error\":%."
                "3g,\"outside\":%d}\n",
                c.op.c_str(), c.type.c_str(), rows, n, variant, to_string(p).c_str(), e, outside);
        }
      }
    }
  std::printf("{\"what\":\"check\",\"op\":\"%s\",\"type\":\"%s\",\"runs\":%d,\"failures\":%d,\"worst_over_bound\":%.3f}\n", c.op.c_str(),
              c.type.c_str(), runs, failures, worst);
  std::fflush(stdout);
  return failures;
}

constexpr shape shapes[] = {{1 << 20, 256, 256},       {1 << 17, 2048, 2048},  {1 << 15, 8192, 8192}, {1 << 13, 32768, 32768},
                            {1 << 10, 262144, 262144}, {16, 1 << 24, 1 << 24}, {1, 1 << 28, 1 << 28}, {131071, 1000, 1000},
                            {4096, 50257, 50257},      {1 << 24, 17, 17}};

struct ceilings {
  double copy, read;  // GB/s at these bytes
};
ceilings ceilings_at(timer& clock, const memory& m, std::size_t bytes) {
  ceilings best{0, 0};
  const long n = static_cast<long>(bytes / 16);
  const auto copy = [&](auto f) { best.copy = std::max(best.copy, 2.0 * n * 16 / clock.median(f, 7) / 1e6); };
  const auto read = [&](auto f) { best.read = std::max(best.read, 1.0 * n * 16 / clock.median(f, 7) / 1e6); };
  copy([&] { CHECK(cudaMemcpyAsync(m.out, m.in, n * 16, cudaMemcpyDeviceToDevice)); });
  copy([&] { copy_once<<<(n + 1023) / 1024, 512>>>((uint4*)m.in, (uint4*)m.out, n); });
  for (int per : {4, 8, 16}) read([&] { read_plain<<<132 * per, 256>>>((uint4*)m.in, (unsigned*)m.out, n); });
  CHECK(cudaFuncSetAttribute(read_bulk<32768, 3>, cudaFuncAttributeMaxDynamicSharedMemorySize, 3 * 32768));
  CHECK(cudaFuncSetAttribute(read_bulk<16384, 6>, cudaFuncAttributeMaxDynamicSharedMemorySize, 6 * 16384));
  read([&] { read_bulk<32768, 3><<<264, 32, 3 * 32768>>>((char*)m.in, n * 16 / 32768); });
  read([&] { read_bulk<16384, 6><<<264, 32, 6 * 16384>>>((char*)m.in, n * 16 / 16384); });
  return best;
}

void time_case(const row_case& c, const shape& s, const memory& m, timer& clock, const ceilings& top, bool sweep) {
  const double bytes = static_cast<double>(s.rows) * (static_cast<double>(s.columns) * c.in_bytes + c.row_bytes +
                                                      (c.maps ? static_cast<double>(s.columns) * c.out_bytes : c.out_bytes));
  const auto task = c.task(m.in, s);
  std::vector<tf::cuda::row_plan> plans{tf::cuda::plan_rows(task)};
  if (plans[0].kernel >= tf::cuda::row_kernel::spread && !sweep) {  // what rows in clusters would do
    tf::cuda::card other;
    other.spreads = false, other.shared_bytes = 100 * 1024;
    plans.push_back(tf::cuda::plan_rows(task, other));
  }
  if (sweep)
    for (const auto& p : plans_of(c, task))
      if (!(p == plans[0])) plans.push_back(p);
  for (const auto& p : plans) {
    const std::size_t need = c.workspace(p, s);
    if (need > m.work_bytes) continue;
    try {
      CHECK(cudaMemset(m.out, 0xff, std::min(m.out_bytes, static_cast<std::size_t>(s.rows) * 8)));
      const float ms = clock.median([&] { c.run(m.in, m.out, s, p, {m.work, need}); }, sweep ? 3 : 9);
      const double e = sweep || s.columns > (1 << 24) ? -1 : check_rows(c, s, m.in, m.out, s.columns > (1 << 20) ? 1 : 3),
                   rate = bytes / ms / 1e6;
      std::printf(
          "{\"what\":\"%s\",\"op\":\"%s\",\"type\":\"%s\",\"rows\":%td,\"columns\":%td,\"ms\":%.4f,\"gbs\":%.0f,\"ceiling\":%.0f,"
          "\"fraction\":%.3f,\"fraction_less_4us\":%.3f,\"error\":%.3g,\"plan\":\"%s\"}\n",
          sweep           ? "sweep"
          : p == plans[0] ? "time"
                          : "other",
          c.op.c_str(), c.type.c_str(), s.rows, s.columns, ms, rate, c.maps ? top.copy : top.read, rate / (c.maps ? top.copy : top.read),
          bytes / (ms - 0.004) / 1e6 / (c.maps ? top.copy : top.read), e, to_string(p).c_str());
    } catch (const tf::error& e) {
      std::printf("{\"what\":\"refused\",\"op\":\"%s\",\"plan\":\"%s\",\"why\":\"%s\"}\n", c.op.c_str(), to_string(p).c_str(), e.what());
    }
  }
  std::fflush(stdout);
}
}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);  // lines survive a program that is stopped
  const std::string mode = argc > 1 ? argv[1] : "check", only = argc > 2 ? argv[2] : "", type = argc > 3 ? argv[3] : "";
  const long columns = argc > 4 ? std::atol(argv[4]) : 0;  // 0: every shape
  cases all;
  add_plain(all);
  add_exponential(all);
  add_softmax(all);
  add_norms(all);
  add_gradient(all);
  memory m{};
  m.in_bytes = m.out_bytes = mode == "check" || mode == "quick" ? std::size_t(1) << 26 : (std::size_t(1) << 30) + (std::size_t(1) << 28);
  m.work_bytes = std::size_t(64) << 20;
  CHECK(cudaMalloc(&m.in, m.in_bytes));
  CHECK(cudaMalloc(&m.out, m.out_bytes));
  CHECK(cudaMalloc(&m.work, m.work_bytes));
  int failures = 0;
  const auto chosen = [&](const row_case& c) {
    return (only.empty() || ("," + only + ",").find("," + c.op + ",") != std::string::npos) && (type.empty() || type == c.type);
  };
  if (mode == "check" || mode == "quick") {
    for (const auto& c : all)
      if (chosen(c)) failures += check(c, m, mode == "quick");
    return failures != 0;
  }
  timer clock;
  for (const std::string kind : {"fp32", "bf16", "fp16"}) {
    if (!type.empty() && type != kind) continue;
    const int bytes = kind == "fp32" ? 4 : 2;
    fill_any(m.in, kind, static_cast<tf::index>(m.in_bytes / bytes), 4);
    for (const shape& s : shapes) {
      if (columns != 0 && s.columns != columns) continue;
      const std::size_t size = static_cast<std::size_t>(s.rows) * s.columns * bytes;
      const ceilings top = ceilings_at(clock, m, size);
      std::printf("{\"what\":\"ceiling\",\"bytes\":%zu,\"copy\":%.0f,\"read\":%.0f}\n", size, top.copy, top.read);
      for (const auto& c : all)
        if (c.type == kind && chosen(c)) time_case(c, s, m, clock, top, mode == "sweep");
    }
  }
}
