// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reproducible operators on a device: the same states as a CPU made, over grid splits, block sizes, batches, permutations and
//! repeated runs; and what they cost beside the plain operators. One JSON object a line.
//!
//!     reproducible expected > FILE     on any host: the states of every case, as this machine's CPU makes them
//!     reproducible FILE                on a device: compared with FILE; exit 1 if a bit differs
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "twofold/algebra/fields.hpp"
#include "twofold/cuda/cuda.hpp"
#include "twofold/cuda/reduce.cuh"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/reproducible/reproducible.hpp"
#include "twofold/ops/sum.hpp"

namespace tf = twofold;
namespace tc = twofold::cuda;

namespace {

__host__ __device__ std::uint64_t mixed(std::uint64_t z) {  // splitmix64
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

//! Element i of a family, from its bits: 0 in [−8, 8) by 2^−20; 1 exponents ±60; 2 any finite number, subnormals too.
template <class T>
__host__ __device__ T element_of(int family, std::uint64_t i) {
  const std::uint64_t h = mixed(i + 1000003ull * static_cast<unsigned>(family));
  if (family == 0) return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(h >> 40) - (1 << 23)) * 0x1p-20);
  if constexpr (sizeof(T) == 4) {
    std::uint32_t b = static_cast<std::uint32_t>(h);
    const std::uint32_t e = family == 1 ? 67 + (h >> 32) % 120 : (h >> 32) % 254;
    b = (b & 0x807fffffu) | e << 23;
    T x;
    memcpy(&x, &b, 4);
    return x;
  } else {
    std::uint64_t e = family == 1 ? 963 + mixed(h) % 120 : mixed(h) % 2046;
    e = (h & 0x800fffffffffffffull) | e << 52;
    T x;
    memcpy(&x, &e, 8);
    return x;
  }
}

//! Where element i of the array comes from; n is a power of two. Order 0 is the order itself.
__host__ __device__ std::uint64_t source_of(int order, std::uint64_t i, std::uint64_t n) {
  return order == 0 ? i : (i * (2 * 7919u * static_cast<unsigned>(order) + 1) + 12345u * static_cast<unsigned>(order)) & (n - 1);
}

template <class T>
__global__ void fill(T* x, std::uint64_t n, int family, int order) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n; i += std::uint64_t(gridDim.x) * blockDim.x)
    x[i] = element_of<T>(family, source_of(order, i, n));
}

void need(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::printf("{\"what\":\"error\",\"text\":\"%s\"}\n", cudaGetErrorString(e));
  std::exit(2);
}

//! All fields of a state or an answer, as text: padding has no say.
struct hex {
  std::string text;
  template <class F>
  void operator()(const F& x) {
    unsigned char b[sizeof(F)];
    std::memcpy(b, &x, sizeof x);
    char two[3];
    for (const unsigned char c : b) std::snprintf(two, sizeof two, "%02x", c), text += two;
  }
};
template <class S>
std::string text_of(const S& s) {
  hex h;
  tf::for_each_field(s, h);
  return h.text;
}

//! State and answer as the device makes them.
template <class R>
struct outcome {
  using answer = std::remove_cvref_t<decltype(std::declval<const R&>().finalize(std::declval<const tf::state_of<R>&>()))>;
  tf::state_of<R> state;
  answer result;
};
template <class R>
struct keep_outcome {
  using only_reduces = void;
  outcome<R>* out;
  __device__ void state(const R& r, const tf::state_of<R>& s, tf::index row) const {
    out[row].state = s;
    out[row].result = r.finalize(s);
  }
};

struct split_plan {
  int parts, warps;
};

//! The library's streamed rows: `rows` rows at `pitch`, each by `parts` blocks of `warps` warps, then merged.
template <class R, class T>
void stream(const R& r, const T* x, tf::index n, tf::index rows, tf::index pitch, split_plan p, tf::state_of<R>* memory, outcome<R>* out) {
  const tf::row_source<T> in{x, rows, n, pitch};
  const keep_outcome<R> then{out};
  const auto room = [](int warps) { return 4 * tc::team_room<tf::state_of<R>>(warps); };
  while (room(p.warps) > 48 * 1024) p.warps /= 2;  // large states: fewer of them meet in shared memory
  tc::detail::launch_with(tc::kernels::rows_streamed<4, R, T, keep_outcome<R>>, rows * p.parts, 32 * p.warps, 1, room(p.warps),
                          cudaStream_t{}, r, in, tf::index(p.parts), memory, then, tf::index(0));
  if (p.parts > 1) {
    const int warps = p.parts <= 1024 ? 1 : room(8) > 48 * 1024 ? 4 : 8;
    tc::detail::launch_with(tc::kernels::rows_merged<R, keep_outcome<R>>, rows, 32 * warps, 1, room(warps), cudaStream_t{}, r,
                            static_cast<const tf::state_of<R>*>(memory), tf::index(p.parts), then, tf::index(0));
  }
}

//! Cases: sizes and families, the same for both modes.
template <class F>
void for_each_case(const F& f) {
  for (const int log2_n : {12, 16, 22})
    for (const int family : {0, 1, 2}) f(log2_n, family);
}
std::string name_of(const char* op, int log2_n, int family) {
  return std::string(op) + ":" + std::to_string(log2_n) + ":" + std::to_string(family);
}

template <class R, class T>
void expect(const char* op, const R& r) {
  const auto one = [&](int log2_n, int family) {
    std::vector<T> x(std::size_t(1) << log2_n);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = element_of<T>(family, i);
    const auto s = tf::leaf(r, tf::as_source(x));
    std::printf("%s %s %s\n", name_of(op, log2_n, family).c_str(), text_of(s).c_str(), text_of(r.finalize(s)).c_str());
    std::fflush(stdout);
  };
  for_each_case(one);
  if (sizeof(T) == 4) one(28, 0);
}

//! The second factors are elements of the same family, further on.
constexpr std::uint64_t second = std::uint64_t{1} << 40;
template <class T>
__global__ void fill_second(T* y, std::uint64_t n, int family, int order) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n; i += std::uint64_t(gridDim.x) * blockDim.x)
    y[i] = element_of<T>(family, second + source_of(order, i, n));
}

template <class R, class T>
void expect_dot(const char* op, const R& r) {
  const auto one = [&](int log2_n, int family) {
    std::vector<T> x(std::size_t(1) << log2_n), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = element_of<T>(family, i), y[i] = element_of<T>(family, second + i);
    const auto s = tf::leaf(r, tf::zip(tf::as_source(x), tf::as_source(y)));
    std::printf("%s %s %s\n", name_of(op, log2_n, family).c_str(), text_of(s).c_str(), text_of(r.finalize(s)).c_str());
    std::fflush(stdout);
  };
  for_each_case(one);
  if (sizeof(T) == 4) one(28, 0);
}

//! A dot whose answer is its state and its value.
template <class R>
struct both : R {
  __host__ __device__ outcome<R> finalize(const tf::state_of<R>& s) const { return {s, R::finalize(s)}; }
};

struct expectations {
  std::map<std::string, std::pair<std::string, std::string>> all;
  explicit expectations(const char* file) {
    std::ifstream in(file);
    std::string name, state, answer;
    while (in >> name >> state >> answer) all[name] = {state, answer};
  }
};

int failures = 0;

//! Every split, block size, batch and order of one operator against the CPU's bits.
template <class R, class T>
void check(const char* op, const R& r, const expectations& want) {
  long runs = 0, cases = 0, wrong = 0;
  T* x;
  tf::state_of<R>* memory;
  outcome<R>* out;
  need(cudaMalloc(&x, sizeof(T) << 22));
  need(cudaMalloc(&memory, sizeof(tf::state_of<R>) * 64 * 2112));
  need(cudaMalloc(&out, sizeof(outcome<R>) * 64));
  std::vector<outcome<R>> got(64);
  for_each_case([&](int log2_n, int family) {
    const auto& expected = want.all.at(name_of(op, log2_n, family));
    const tf::index n = tf::index(1) << log2_n;
    ++cases;
    for (const int order : {0, 1, 2}) {
      fill<<<1024, 256>>>(x, static_cast<std::uint64_t>(n), family, order);
      for (const split_plan p : {split_plan{1, 1}, {1, 8}, {3, 4}, {7, 16}, {132, 8}, {264, 8}, {264, 2}, {1000, 4}, {2112, 1}})
        for (const int rows : {1, 3, 64}) {
          if (rows > 1 && log2_n > 16) continue;
          need(cudaMemset(out, 0xff, sizeof(outcome<R>) * 64));
          stream<R, T>(r, x, n, rows, 0, p, memory, out);
          need(cudaMemcpy(got.data(), out, sizeof(outcome<R>) * rows, cudaMemcpyDeviceToHost));
          for (int k = 0; k < rows; ++k) {
            ++runs;
            if (text_of(got[k].state) == expected.first && text_of(got[k].result) == expected.second) continue;
            if (++wrong <= 3)
              std::printf("{\"what\":\"difference\",\"case\":\"%s\",\"order\":%d,\"parts\":%d,\"warps\":%d,\"rows\":%d}\n",
                          name_of(op, log2_n, family).c_str(), order, p.parts, p.warps, rows);
          }
        }
    }
  });
  failures += wrong != 0;
  std::printf("{\"what\":\"bits\",\"op\":\"%s\",\"cases\":%ld,\"reductions\":%ld,\"different\":%ld}\n", op, cases, runs, wrong);
  std::fflush(stdout);
  need(cudaFree(x)), need(cudaFree(memory)), need(cudaFree(out));
}

//! The same for pairs of arrays: any number of blocks, element by element where an array is not aligned to vectors.
template <class R, class T>
void check_dot(const char* op, const expectations& want) {
  long runs = 0, cases = 0, wrong = 0;
  const both<R> r{};
  T *x, *y;
  outcome<R>*out, got;
  need(cudaMalloc(&x, (sizeof(T) << 22) + 16)), need(cudaMalloc(&y, (sizeof(T) << 22) + 16)), need(cudaMalloc(&out, sizeof(outcome<R>)));
  for_each_case([&](int log2_n, int family) {
    const auto& expected = want.all.at(name_of(op, log2_n, family));
    const tf::index n = tf::index(1) << log2_n;
    ++cases;
    for (const int order : {0, 1, 2})
      for (const int shift : {0, 1}) {  // elements off an aligned address
        fill<<<1024, 256>>>(x + shift, static_cast<std::uint64_t>(n), family, order);
        fill_second<<<1024, 256>>>(y, static_cast<std::uint64_t>(n), family, order);
        const tc::arrays<const T, const T> in{x + shift, {y}};
        for (const int blocks : {1, 3, 7, 64, 132, 264, 1000}) {
          auto plan = tc::plan_reduce(r, in, n);
          if (blocks > 1) plan.blocks = blocks, plan.workspace = (blocks + 1) * sizeof(tf::state_of<R>);
          void* memory;
          need(cudaMalloc(&memory, plan.workspace));
          need(cudaMemset(memory, 0xff, plan.workspace)), need(cudaMemset(out, 0xff, sizeof(outcome<R>)));
          tc::reduce(r, in, n, out, plan, memory);
          need(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost)), need(cudaFree(memory));
          ++runs;
          if (text_of(got.state) == expected.first && text_of(got.result) == expected.second) continue;
          if (++wrong <= 3)
            std::printf("{\"what\":\"difference\",\"case\":\"%s\",\"order\":%d,\"shift\":%d,\"blocks\":%d}\n",
                        name_of(op, log2_n, family).c_str(), order, shift, blocks);
        }
      }
  });
  failures += wrong != 0;
  std::printf("{\"what\":\"bits\",\"op\":\"%s\",\"cases\":%ld,\"reductions\":%ld,\"different\":%ld}\n", op, cases, runs, wrong);
  std::fflush(stdout);
  need(cudaFree(x)), need(cudaFree(y)), need(cudaFree(out));
}

template <class R, class T>
void time_dot(const char* op, int log2_n, const expectations& want) {
  const both<R> r{};
  T *x, *y;
  outcome<R>*out, got;
  const tf::index n = tf::index(1) << log2_n;
  need(cudaMalloc(&x, sizeof(T) << log2_n)), need(cudaMalloc(&y, sizeof(T) << log2_n)), need(cudaMalloc(&out, sizeof(outcome<R>)));
  fill<<<1024, 256>>>(x, static_cast<std::uint64_t>(n), 0, 0);
  fill_second<<<1024, 256>>>(y, static_cast<std::uint64_t>(n), 0, 0);
  const tc::arrays<const T, const T> in{x, {y}};
  const auto plan = tc::plan_reduce(r, in, n);
  void* memory;
  need(cudaMalloc(&memory, plan.workspace));
  cudaEvent_t a, b;
  need(cudaEventCreate(&a)), need(cudaEventCreate(&b));
  float best = 1e9f;
  for (int k = 0; k < 12; ++k) {
    need(cudaEventRecord(a));
    tc::reduce(r, in, n, out, plan, memory);
    need(cudaEventRecord(b)), need(cudaEventSynchronize(b));
    float ms = 0;
    need(cudaEventElapsedTime(&ms, a, b));
    if (k > 1 && ms < best) best = ms;
  }
  need(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
  int same = -1;
  if (const auto expected = want.all.find(name_of(op, log2_n, 0)); expected != want.all.end()) {
    same = text_of(got.state) == expected->second.first && text_of(got.result) == expected->second.second;
    failures += same != 1;
  }
  std::printf("{\"what\":\"time\",\"op\":\"%s\",\"log2_n\":%d,\"ms\":%.4f,\"gbs\":%.1f,\"parts\":%d,\"warps\":16,\"same_as_cpu\":%d}\n", op,
              log2_n, best, 2 * static_cast<double>(n) * sizeof(T) / best * 1e-6, plan.blocks, same);
  std::fflush(stdout);
  need(cudaFree(x)), need(cudaFree(y)), need(cudaFree(out)), need(cudaFree(memory));
}

//! Milliseconds of the best of the plans over 2^log2_n elements, the answer compared where there is one.
template <class R, class T>
void time_op(const char* op, const R& r, int log2_n, const expectations* want) {
  T* x;
  tf::state_of<R>* memory;
  outcome<R>* out;
  const tf::index n = tf::index(1) << log2_n;
  need(cudaMalloc(&x, sizeof(T) << log2_n));
  need(cudaMalloc(&memory, sizeof(tf::state_of<R>) * 4224));
  need(cudaMalloc(&out, sizeof(outcome<R>)));
  fill<<<1024, 256>>>(x, static_cast<std::uint64_t>(n), 0, 0);
  cudaEvent_t a, b;
  need(cudaEventCreate(&a)), need(cudaEventCreate(&b));
  float best = 1e9f;
  split_plan with{};
  for (const split_plan p : {split_plan{264, 8}, {264, 16}, {528, 8}, {1056, 8}, {2112, 8}, {4224, 4}})
    for (int k = 0; k < 12; ++k) {
      need(cudaEventRecord(a));
      stream<R, T>(r, x, n, 1, n, p, memory, out);
      need(cudaEventRecord(b)), need(cudaEventSynchronize(b));
      float ms = 0;
      need(cudaEventElapsedTime(&ms, a, b));
      if (k > 1 && ms < best) best = ms, with = p;
    }
  int same = -1;
  if (want != nullptr) {
    outcome<R> got;
    need(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    const auto& expected = want->all.at(name_of(op, log2_n, 0));
    same = text_of(got.state) == expected.first && text_of(got.result) == expected.second;
    failures += same != 1;
  }
  std::printf("{\"what\":\"time\",\"op\":\"%s\",\"log2_n\":%d,\"ms\":%.4f,\"gbs\":%.1f,\"parts\":%d,\"warps\":%d,\"same_as_cpu\":%d}\n", op,
              log2_n, best, static_cast<double>(n) * sizeof(T) / best * 1e-6, with.parts, with.warps, same);
  std::fflush(stdout);
  need(cudaFree(x)), need(cudaFree(memory)), need(cudaFree(out));
}

}  // namespace

int main(int count, char** argument) {
  if (count != 2) return 2;
  const tf::reproducible_sum<float, double> sum;
  const tf::reproducible_log_sum_exp<float> lse;
  const tf::reproducible_variance<float> variance;
  const tf::reproducible_sum<double> wide;
  using dot = tf::reproducible_dot<float>;
  using wide_dot = tf::reproducible_dot<double>;
  if (std::strcmp(argument[1], "expected") == 0) {
    expect<decltype(sum), float>("sum_f32", sum);
    expect<decltype(lse), float>("log_sum_exp_f32", lse);
    expect<decltype(variance), float>("variance_f32", variance);
    expect<decltype(wide), double>("sum_f64", wide);
    expect_dot<dot, float>("dot_f32", dot{});
    expect_dot<wide_dot, double>("dot_f64", wide_dot{});
    return 0;
  }
  const expectations want(argument[1]);
  check<decltype(sum), float>("sum_f32", sum, want);
  check<decltype(lse), float>("log_sum_exp_f32", lse, want);
  check<decltype(variance), float>("variance_f32", variance, want);
  check<decltype(wide), double>("sum_f64", wide, want);
  check_dot<dot, float>("dot_f32", want);
  check_dot<wide_dot, double>("dot_f64", want);
  time_op<tf::sum<float>, float>("plain_sum_f32", {}, 28, nullptr);
  time_op<decltype(sum), float>("sum_f32", sum, 28, &want);
  time_op<tf::log_sum_exp<float>, float>("plain_log_sum_exp_f32", {}, 28, nullptr);
  time_op<decltype(lse), float>("log_sum_exp_f32", lse, 28, &want);
  time_op<decltype(variance), float>("variance_f32", variance, 28, &want);
  time_op<tf::sum<double>, double>("plain_sum_f64", {}, 27, nullptr);
  time_op<decltype(wide), double>("sum_f64", wide, 27, nullptr);
  time_dot<dot, float>("dot_f32", 28, want);
  time_dot<wide_dot, double>("dot_f64", 27, want);
  return failures != 0;
}
