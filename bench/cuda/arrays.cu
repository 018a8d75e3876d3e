// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Whole arrays reduced, CUB in the same program: cold from memory, and replayed in a graph of twenty calls. Every answer is compared
//! with float64. arrays time|sweep; one JSON object a line.
#include <cmath>
#include <cstring>
#include <functional>
#include <string>

#include "bench/cuda/cub_scans.cuh"
#include "bench/prototypes/common.cuh"
#include "twofold/cuda/reduce.cuh"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/sum.hpp"
#include "twofold/ops/welford.hpp"

namespace tf = twofold;

namespace {

__global__ void fill(float* x, tf::index n) {
  for (tf::index i = blockIdx.x * static_cast<tf::index>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<tf::index>(gridDim.x) * blockDim.x)
    x[i] = 4 * hashed_float(i);
}
//! Microseconds of a call in a graph of twenty.
template <class F>
double replay(const F& f) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 20; ++i) f(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&run, graph, 0));
  std::vector<float> t;
  for (int i = 0; i < 25; ++i) {
    float ms;
    CHECK(cudaEventRecord(a, stream));
    CHECK(cudaGraphLaunch(run, stream));
    CHECK(cudaEventRecord(b, stream));
    CHECK(cudaEventSynchronize(b));
    CHECK(cudaEventElapsedTime(&ms, a, b));
    t.push_back(ms / 20 * 1000);
  }
  CHECK(cudaGraphExecDestroy(run));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  std::sort(t.begin() + 5, t.end());
  return t[15];
}

using array = tf::cuda::arrays<const float>;
struct array_case {
  const char* op;
  cub_reduce_kind peer;
  std::function<tf::cuda::reduce_plan(tf::index)> plan;
  std::function<void(const array&, tf::index, unsigned char* out, const tf::cuda::reduce_plan&, void* workspace, cudaStream_t)> run;
  std::function<double(const std::vector<float>&)> want;
  std::size_t answer;  //!< byte of the output at which the float lies that is compared
};
template <class R, class Want>
array_case make_case(const char* op, cub_reduce_kind peer, const R& r, const Want& want, std::size_t answer = 0) {
  using Out = std::remove_cvref_t<decltype(r.finalize(r.identity()))>;
  return {op,
          peer,
          [r](tf::index n) { return tf::cuda::plan_reduce(r, array{}, n); },
          [r](const array& in, tf::index n, unsigned char* out, const tf::cuda::reduce_plan& p, void* w, cudaStream_t s) {
            tf::cuda::reduce(r, in, n, reinterpret_cast<Out*>(out), p, w, s);
          },
          want,
          answer};
}

std::vector<tf::cuda::reduce_plan> some_plans(tf::index n) {
  std::vector<tf::cuda::reduce_plan> all;
  tf::cuda::reduce_plan p;
  p.workspace = 4 << 20;
  p.kernel = tf::cuda::reduce_kernel::held;
  for (p.warps = 1; p.warps <= 16; p.warps *= 2)
    for (p.vectors = 4; p.vectors <= 8; p.vectors *= 2) {
      const tf::index per = tf::index(128) * p.vectors * p.warps;
      p.blocks = static_cast<int>((n + 3 + per - 1) / per);
      if (p.blocks <= 264) all.push_back(p);
    }
  for (const auto kernel : {tf::cuda::reduce_kernel::walked, tf::cuda::reduce_kernel::streamed})
    for (const int blocks : {132, 264, 528, 1056, 2112})
      if (blocks * tf::index(8192) <= n) p.kernel = kernel, p.blocks = blocks, all.push_back(p);
  return all;
}
}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);  // lines survive a program that is stopped
  const bool sweep = argc > 1 && std::string(argv[1]) == "sweep";
  std::vector<array_case> all;
  all.push_back(make_case("sum", cub_reduce_kind::sum_f32, tf::sum<float>{}, [](const std::vector<float>& x) {
    double s = 0;
    for (float v : x) s += v;
    return s;
  }));
  all.push_back(make_case("logsumexp", cub_reduce_kind::softmax_f32, tf::log_sum_exp<float>{}, [](const std::vector<float>& x) {
    double l = 0;
    for (float v : x) l += std::exp(static_cast<double>(v));
    return std::log(l);
  }));
  all.push_back(make_case(
      "variance", cub_reduce_kind::welford_f32, tf::welford<float, float>{},
      [](const std::vector<float>& x) {
        double mean = 0, m2 = 0;
        for (float v : x) mean += v;
        mean /= double(x.size());
        for (float v : x) m2 += (v - mean) * (v - mean);
        return m2 / (double(x.size()) - 1);
      },
      offsetof(tf::variance_result<float>, variance)));
  const tf::index most = tf::index(1) << 28;
  float* x;
  unsigned char *out, *work, *temp;
  CHECK(cudaMalloc(&x, most * 4));
  CHECK(cudaMalloc(&out, 256));
  CHECK(cudaMalloc(&work, 16 << 20));
  std::size_t temp_bytes = 64 << 20;
  CHECK(cudaMalloc(&temp, temp_bytes));
  fill<<<1056, 256>>>(x, most);
  CHECK(cudaDeviceSynchronize());
  timer clock;
  for (int lg : {12, 16, 18, 20, 22, 24, 28}) {
    const tf::index n = tf::index(1) << lg;
    std::vector<float> host(static_cast<std::size_t>(n));
    CHECK(cudaMemcpy(host.data(), x, host.size() * 4, cudaMemcpyDeviceToHost));
    const array in{x};
    for (const auto& c : all) {
      const double want = lg <= 24 ? c.want(host) : NAN;
      const auto peer = [&](cudaStream_t s) { cub_reduce(c.peer, temp, temp_bytes, x, out, static_cast<std::size_t>(n), s); };
      const double peer_cold = 1e3 * clock.median([&] { peer(nullptr); }, 11), peer_replay = lg <= 20 ? replay(peer) : 0;
      std::vector<tf::cuda::reduce_plan> plans{c.plan(n)};
      if (sweep)
        for (const auto& p : some_plans(n)) plans.push_back(p);
      for (const auto& p : plans) {
        CHECK(cudaMemset(out, 0xff, 256));
        CHECK(cudaMemset(work, 0xff, 1 << 20));
        const auto ours = [&](cudaStream_t s) { c.run(in, n, out, p, work, s); };
        try {
          const double cold = 1e3 * clock.median([&] { ours(nullptr); }, 11), again = lg <= 20 ? replay(ours) : 0;
          float got;
          CHECK(cudaMemcpy(&got, out + c.answer, 4, cudaMemcpyDeviceToHost));
          const double error = std::isnan(want) ? -1 : std::abs(got - want) / (std::abs(want) + 1e-3 * std::sqrt(double(n)));
          std::printf(
              "{\"what\":\"array\",\"op\":\"%s\",\"n\":%td,\"us\":%.2f,\"cub_us\":%.2f,\"replay_us\":%.2f,\"cub_replay_us\":%.2f,\"gbs\":%."
              "0f,"
              "\"times_cub\":%.3f,\"relative_error\":%.2g,\"chosen\":%s,\"plan\":\"%s\"}\n",
              c.op, n, cold, peer_cold, again, peer_replay, 4.0 * double(n) / cold / 1e3, peer_cold / cold, error,
              &p == &plans[0] ? "true" : "false", to_string(p).c_str());
        } catch (const tf::error& e) {
          std::printf("{\"what\":\"refused\",\"op\":\"%s\",\"why\":\"%s\"}\n", c.op, e.what());
        }
      }
      std::fflush(stdout);
    }
  }
}
