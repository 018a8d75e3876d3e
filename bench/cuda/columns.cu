// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Column benchmark: axis 0 and middle axes reduced and mapped, checked against float64 and timed cold. columns check|time.
#include <cmath>
#include <cstring>

#include "bench/cuda/rows.hpp"
#include "bench/prototypes/common.cuh"
#include "twofold/cuda/cuda.hpp"
#include "twofold/ops/ops.hpp"

namespace {
using namespace bench;

struct cube {
  tf::index outer, length, inner, outer_pitch, pitch;
};
template <class In>
tf::cuda::column_source<In> columns_of(const void* in, const cube& s) {
  return {static_cast<const In*>(in), s.outer, s.length, s.inner, s.outer_pitch, s.pitch};
}

struct variance_only {
  float* out;
  __device__ void operator()(tf::index i, const tf::variance_result<float>& a) const { out[i] = a.variance; }
};

struct column_case {
  std::string op, type;
  int in_bytes, out_bytes;
  bool maps;
  std::function<std::vector<tf::cuda::column_plan>(const void*, const void*, const cube&)> plans;
  std::function<std::size_t(const tf::cuda::column_plan&, const cube&)> workspace;
  std::function<void(const void*, void*, const cube&, const tf::cuda::column_plan&, tf::cuda::workspace)> run;
  std::function<double(const std::vector<double>& x, const std::vector<const unsigned char*>& got)> error;
};

template <class R, class In>
std::vector<tf::cuda::column_plan> some_plans(const void* in, const void* out, const cube& s, bool maps) {
  const auto c = columns_of<In>(in, s);
  const bool aligned =
      tf::cuda::detail::starts_on_16_bytes(static_cast<const In*>(out), s.outer, s.outer_pitch, s.length, s.pitch, s.inner) || !maps;
  std::vector<tf::cuda::column_plan> all{tf::cuda::plan_columns<R>(c, maps, aligned)};
  if (maps && aligned)
    for (int warps : {8, 16, 32})
      for (int blocks : {1, 2, 4, 8, 16}) {
        tf::cuda::column_plan p;
        p.on_chip = true, p.warps = warps, p.blocks = blocks;
        const tf::index held = tf::index(tf::cuda::per_vector<In>) * tf::cuda::detail::column_vectors<In> * warps * blocks;
        if (held >= s.length && held / 2 < s.length && all[0].wide && !(p == all[0])) all.push_back(p);
      }
  if (maps && all[0].on_chip) {
    all.push_back(tf::cuda::plan_columns<R>(c, maps, aligned, {132, 1}));
    all.back().on_chip = false, all.back().blocks = 1, all.back().warps = 8, all.back().parts = 3;
  }
  tf::cuda::column_plan narrow;
  narrow.wide = false, narrow.warps = 4, narrow.parts = 2;
  all.push_back(narrow);
  return all;
}

double largest(const std::vector<double>& x) {
  double m = -INFINITY;
  for (double v : x) m = std::isnan(v) || std::isnan(m) ? NAN : std::max(m, v);
  return m;
}

template <class In>
void add(std::vector<column_case>& all) {
  const auto put = [&]<class R, class Out>(const char* op, const R&, Out, auto error) {
    all.push_back(
        {op, type_name<In>, sizeof(In), sizeof(Out), false,
         [](const void* in, const void* out, const cube& s) { return some_plans<R, In>(in, out, s, false); },
         [](const tf::cuda::column_plan& p, const cube& s) { return tf::cuda::workspace_bytes<R>(p, columns_of<In>(nullptr, s), false); },
         [](const void* in, void* out, const cube& s, const tf::cuda::column_plan& p, tf::cuda::workspace w) {
           if constexpr (std::is_same_v<R, tf::welford<float, float>>) {
             tf::cuda::reduce_columns_into(R{}, columns_of<In>(in, s), variance_only{static_cast<float*>(out)}, p, w);
           } else {
             tf::cuda::reduce_columns(R{}, columns_of<In>(in, s), static_cast<Out*>(out), p, w);
           }
         },
         error});
  };
  put("sum", tf::sum<float>{}, float{}, [](const std::vector<double>& x, const auto& got) {
    double sum = 0, size = 0;
    for (double v : x) sum += v, size += std::abs(v);
    return off(to_double<float>(got[0]), sum, 64 * 0x1p-24 * size + 1e-300);
  });
  put("argmax", tf::argmax<float>{}, std::int64_t{}, [](const std::vector<double>& x, const auto& got) {
    std::int64_t position, at = 0;
    for (std::size_t i = 1; i < x.size(); ++i)
      if (x[i] > x[at]) at = static_cast<std::int64_t>(i);
    std::memcpy(&position, got[0], 8);
    return position == at ? 0.0 : 1e30;
  });
  put("variance", tf::welford<float, float>{}, float{}, [](const std::vector<double>& x, const auto& got) {
    double mean = 0, m2 = 0;
    for (double v : x) mean += v;
    mean /= double(x.size());
    for (double v : x) m2 += (v - mean) * (v - mean);
    const double want = x.size() > 1 ? m2 / double(x.size() - 1) : NAN;
    return off(to_double<float>(got[0]), want, 64 * 0x1p-24 * want + 1e-300);
  });
  put("logsumexp", tf::log_sum_exp<float>{}, float{}, [](const std::vector<double>& x, const auto& got) {
    const double m = largest(x);
    double l = 0;
    for (double v : x) l += std::exp(v - m);
    const double want = m == -INFINITY ? m : m + std::log(l);
    return off(to_double<float>(got[0]), want, 0x1p-24 * (16 + 4 * std::abs(want)));
  });
  using R = tf::softmax<float>;
  all.push_back(
      {"softmax", type_name<In>, sizeof(In), sizeof(In), true,
       [](const void* in, const void* out, const cube& s) { return some_plans<R, In>(in, out, s, true); },
       [](const tf::cuda::column_plan& p, const cube& s) { return tf::cuda::workspace_bytes<R>(p, columns_of<In>(nullptr, s), true); },
       [](const void* in, void* out, const cube& s, const tf::cuda::column_plan& p, tf::cuda::workspace w) {
         tf::cuda::map_columns(R{}, columns_of<In>(in, s), static_cast<In*>(out), s.outer_pitch, s.pitch, p, w);
       },
       [](const std::vector<double>& x, const std::vector<const unsigned char*>& got) {
         const double m = largest(x);
         double l = 0, worst = 0;
         for (double v : x) l += std::exp(v - m);
         for (std::size_t i = 0; i < x.size(); ++i) {
           const double want = m == -INFINITY ? 0 : std::exp(x[i] - m) / l,
                        distance = std::isfinite(x[i]) && std::isfinite(m) ? m - x[i] : 0;
           worst = std::max(worst, off(to_double<In>(got[i]), want, want * (1.01 * unit<In> + 0x1p-24 * (16 + 3 * distance)) + tiny<In>));
         }
         return worst;
       }});
}

template <class T>
__global__ void fill(T* x, tf::index n, float scale) {
  for (tf::index i = blockIdx.x * static_cast<tf::index>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<tf::index>(gridDim.x) * blockDim.x)
    x[i] = tf::cuda::narrowed<T>(scale * hashed_float(i));
}

int check(const column_case& c, unsigned char* in, unsigned char* out, unsigned char* work, bool quick) {
  const cube many[] = {{1, 1, 1, 1, 1},          {1, 1, 40, 40, 40},     {1, 7, 5, 35, 5},          {1, 8, 128, 0, 128},
                       {3, 9, 33, 400, 36},      {2, 100, 64, 6400, 64}, {1, 255, 136, 0, 136},     {1, 257, 72, 0, 80},
                       {2, 1000, 40, 40000, 40}, {1, 2049, 24, 0, 24},   {1, 4096, 32, 0, 32},      {1, 8192, 64, 0, 64},
                       {1, 8193, 40, 0, 40},     {1, 20000, 33, 0, 33},  {5, 65, 1000, 65000, 1000}};
  int failures = 0, runs = 0;
  double worst = 0;
  for (const cube& s : many)
    for (int base : {0, 1}) {
      if (quick && s.length > 300) continue;
      const std::size_t guard = 4096, size = static_cast<std::size_t>(s.outer - 1) * s.outer_pitch + (s.length - 1) * s.pitch + s.inner;
      std::vector<unsigned char> host(guard + (size + base) * c.in_bytes + guard, 0xff);
      const auto at = [&](tf::index o, tf::index l, tf::index i) { return o * s.outer_pitch + l * s.pitch + i; };
      for (tf::index o = 0; o < s.outer; ++o)
        for (tf::index l = 0; l < s.length; ++l)
          for (tf::index i = 0; i < s.inner; ++i) {
            float x = 8 * hashed_float(at(o, l, i));
            if (i % 5 == 1) x += 300;
            if (i % 5 == 2 && c.op != "variance" && c.op != "sum" && c.op != "argmax") x = -INFINITY;
            if (i % 5 == 3) x = static_cast<float>(l % 100);
            unsigned char* to = host.data() + guard + (base + at(o, l, i)) * c.in_bytes;
            if (c.in_bytes == 4) std::memcpy(to, &x, 4);
            else {
              const __nv_bfloat16 h = __float2bfloat16_rn(x);
              std::memcpy(to, &h, 2);
            }
          }
      CHECK(cudaMemcpy(in, host.data(), host.size(), cudaMemcpyHostToDevice));
      unsigned char *from = in + guard + base * c.in_bytes, *to = out + guard + (c.maps ? base * c.out_bytes : 0);
      const std::size_t out_size = (c.maps ? size : static_cast<std::size_t>(s.outer) * s.inner) * c.out_bytes;
      for (const auto& p : c.plans(from, to, s)) {
        CHECK(cudaMemset(out, 0xff, out_size + 3 * guard));
        CHECK(cudaMemset(work, 0xff, 1 << 20));
        try {
          c.run(from, to, s, p, {work, c.workspace(p, s)});
        } catch (const tf::error& e) {
          std::printf("{\"what\":\"refused\",\"op\":\"%s\",\"why\":\"%s\"}\n", c.op.c_str(), e.what());
          ++failures;
          continue;
        }
        CHECK(cudaDeviceSynchronize());
        std::vector<unsigned char> back(out_size + 2 * guard);
        CHECK(cudaMemcpy(back.data(), to - guard, back.size(), cudaMemcpyDeviceToHost));
        bool outside = false;
        for (std::size_t i = 0; i < guard; ++i) outside |= back[i] != 0xff || back[guard + out_size + i] != 0xff;
        double e = 0;
        std::vector<double> x(s.length);
        std::vector<const unsigned char*> got(c.maps ? s.length : 1);
        for (tf::index o = 0; o < s.outer; ++o)
          for (tf::index i = 0; i < s.inner; ++i) {
            for (tf::index l = 0; l < s.length; ++l) {
              const unsigned char* p_in = host.data() + guard + (base + at(o, l, i)) * c.in_bytes;
              x[l] = c.in_bytes == 4 ? to_double<float>(p_in) : to_double<__nv_bfloat16>(p_in);
              if (c.maps) got[l] = back.data() + guard + at(o, l, i) * c.out_bytes;
            }
            if (!c.maps) got[0] = back.data() + guard + (o * s.inner + i) * c.out_bytes;
            const double of_column = c.error(x, got);
            e = !(of_column <= e) ? of_column : e;
          }
        ++runs;
        worst = !(e <= worst) ? e : worst;
        if (!(e <= 1) || outside) {
          ++failures;
          std::printf(
              "{\"what\":\"WRONG\",\"op\":\"%s\",\"type\":\"%s\",\"cube\":\"%td %td "
              "%td\",\"base\":%d,\"plan\":\"%s\",\"error\":%.3g,\"outside\":%d}\n",
              c.op.c_str(), c.type.c_str(), s.outer, s.length, s.inner, base, to_string(p).c_str(), e, outside);
        }
      }
    }
  std::printf("{\"what\":\"check\",\"op\":\"%s axis 0\",\"type\":\"%s\",\"runs\":%d,\"failures\":%d,\"worst_over_bound\":%.3f}\n",
              c.op.c_str(), c.type.c_str(), runs, failures, worst);
  std::fflush(stdout);
  return failures;
}
}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);  // lines survive a program that is stopped
  const std::string mode = argc > 1 ? argv[1] : "check";
  std::vector<column_case> all;
  add<float>(all);
  add<__nv_bfloat16>(all);
  const std::size_t bytes = mode == "time" ? std::size_t(1) << 30 : std::size_t(1) << 24;
  unsigned char *in, *out, *work;
  CHECK(cudaMalloc(&in, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMalloc(&work, 64 << 20));
  int failures = 0;
  if (mode != "time") {
    for (const auto& c : all) failures += check(c, in, out, work, mode == "quick");
    return failures != 0;
  }
  timer clock;
  for (int size : {4, 2}) {
    if (size == 4) fill<<<1056, 256>>>(reinterpret_cast<float*>(in), static_cast<tf::index>(bytes / 4), 4.0f);
    else fill<<<1056, 256>>>(reinterpret_cast<__nv_bfloat16*>(in), static_cast<tf::index>(bytes / 2), 4.0f);
    for (const cube& s : {cube{1, 8192, 32768, 0, 32768}, cube{8, 8192, 4096, 8192l * 4096, 4096}, cube{1, 65536, 4096, 0, 4096},
                          cube{64, 512, 8192, 512l * 8192, 8192}}) {
      const std::size_t n = static_cast<std::size_t>(s.outer) * s.length * s.inner * size;
      const double copy = 2.0 * n / clock.median([&] { CHECK(cudaMemcpyAsync(out, in, n, cudaMemcpyDeviceToDevice)); }, 7) / 1e6;
      for (const auto& c : all) {
        if (c.in_bytes != size) continue;
        auto plans = c.plans(in, out, s);
        plans.pop_back();
        for (const auto& base : std::vector<tf::cuda::column_plan>(plans))
          if (!base.on_chip)
            for (int parts : {1, 2, 4, 8, 16})
              if (s.length / parts >= 128) plans.push_back(base), plans.back().parts = parts;
        for (const auto& p : plans) {
          const float ms = clock.median([&] { c.run(in, out, s, p, {work, c.workspace(p, s)}); }, 7);
          const double moved = c.maps ? 2.0 * n : n + double(s.outer) * s.inner * c.out_bytes, rate = moved / ms / 1e6;
          std::printf(
              "{\"what\":\"columns\",\"op\":\"%s\",\"axis\":\"%td %td "
              "%td\",\"type\":\"%s\",\"ms\":%.4f,\"gbs\":%.0f,\"of_copy\":%.3f,\"plan\":\"%s\"}\n",
              c.op.c_str(), s.outer, s.length, s.inner, c.type.c_str(), ms, rate, rate / copy, to_string(p).c_str());
        }
      }
    }
  }
}
