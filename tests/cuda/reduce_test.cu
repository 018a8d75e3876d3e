// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Several arrays reduced to one answer on a device: an operator whose order matters and one that commutes, in exact arithmetic;
//! sizes around tiles, arrays off an aligned address, any number of blocks, refusals before a launch.
#include <cmath>
#include <limits>

#include "cuda/check.hpp"
#include "twofold/cuda/reduce.cuh"
#include "twofold/ops/affine.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/reproducible/dot.hpp"
#include "twofold/ops/sum.hpp"
#include "twofold/ops/welford.hpp"

namespace tf = twofold;
namespace tc = twofold::cuda;

namespace {

template <class T>
using pair_of_arrays = tc::arrays<const T, const T>;

void test_refusals() {
  const tf::reproducible_dot<float> r;
  const pair_of_arrays<float> none;
  float answer = 0;
  unsigned char memory[64] = {};
  expect_error("TF3213", [&] { (void)tc::plan_reduce(r, none, -1); });
  const auto plan = tc::plan_reduce(r, none, 0);
  expect_error("TF3213", [&] { tc::reduce(r, none, 5, &answer, plan, memory); });
  expect_error("TF3213", [&] { tc::reduce(r, none, 0, static_cast<float*>(nullptr), plan, memory); });
  expect_error("TF3213", [&] { tc::reduce(r, none, 0, &answer, plan, nullptr); });
  expect_error("TF3213", [&] { tc::reduce(r, none, 0, &answer, tc::reduce_plan{}, memory); });
  const pair_of_arrays<float> some{&answer, {&answer}};
  tc::reduce_plan deep{tc::reduce_kernel::runs,
                       0,
                       0,
                       1,
                       tc::fold_parts::most + 1,
                       tc::fold_shape<tf::reproducible_dot<float>, pair_of_arrays<float>>::shared_bytes,
                       1 << 20};
  expect_error("TF3213", [&] { tc::reduce(r, some, 5, &answer, deep, memory); });
  auto wrong = deep;  // kernels for one array
  wrong.kernel = tc::reduce_kernel::held, wrong.vectors = 4, wrong.warps = 1;
  expect_error("TF3213", [&] { tc::reduce(r, some, 5, &answer, wrong, memory); });
  const tf::affine_recurrence<float> ordered;
  const tc::arrays<const tf::affine<float>> maps{reinterpret_cast<const tf::affine<float>*>(memory)};
  wrong.kernel = tc::reduce_kernel::walked;
  expect_error("TF3213", [&] { tc::reduce(ordered, maps, 5, &answer, wrong, memory); });
  wrong.kernel = tc::reduce_kernel::held, wrong.blocks = 1, wrong.warps = 1;  // 128 vectors for 300 elements of 8 bytes
  expect_error("TF3213", [&] { tc::reduce(ordered, maps, 300, &answer, wrong, memory); });
  expect(to_string(wrong) == "held(vectors=4, warps=1, blocks=1)", "the plan as text", to_string(wrong));
}

//! The answer of R over x and y from `shift` elements on, with as many blocks and rows a run as asked for (0: as planned).
template <class Answer, class R, class T>
Answer on_device(const R& r, const std::vector<T>& x, const std::vector<T>& y, std::size_t shift, int blocks, tf::index depth = 0) {
  const device_array<T> a(x), b(y);
  const device_array<Answer> out(1);
  const pair_of_arrays<T> in{a.data + shift, {b.data + shift}};
  const auto n = static_cast<tf::index>(x.size() - shift);
  auto plan = tc::plan_reduce(r, in, n);
  if (blocks > 0) plan.blocks = blocks;
  if (depth > 0) plan.depth = depth;
  plan.workspace = tc::detail::reducing<R, pair_of_arrays<T>>::workspace(plan, n);
  const device_array<unsigned char> work(plan.workspace);
  work.poison();
  tc::reduce(r, in, n, out.data, plan, work.data);
  cuda(cudaDeviceSynchronize());
  return out.host()[0];
}

void test_order(std::size_t n) {
  const tf::affine_recurrence<std::uint32_t> r{5};
  std::vector<std::uint32_t> a(n), b(n);
  for (std::size_t i = 0; i < n; ++i)
    a[i] = static_cast<std::uint32_t>(i * 2654435761u) | 1, b[i] = static_cast<std::uint32_t>(i * 40503u) >> 3;
  for (const std::size_t shift : {0, 1, 2, 3}) {
    if (shift > n) continue;
    std::uint32_t h = 5;
    for (std::size_t i = shift; i < n; ++i) h = a[i] * h + b[i];
    for (const int blocks : {0, 1, 7, 500})
      for (const tf::index depth : {0, 1, 3})
        expect(on_device<std::uint32_t>(r, a, b, shift, blocks, depth) == h, "affine recurrence",
               std::to_string(n) + " " + std::to_string(blocks) + " " + std::to_string(depth));
  }
}

struct three_words {
  std::uint32_t a, b, c;
};

//! h ↦ 31·h + what the elements seen from position i say: exact, and any exchange or loss shows. Words: of the state, of which two are
//! used.
template <int Words>
struct order_of_neighbours {
  struct state {
    std::uint32_t scale, offset, more[Words - 2];
  };
  __host__ __device__ static std::uint32_t number(std::uint64_t x) {
    return static_cast<std::uint32_t>(x) ^ static_cast<std::uint32_t>(x >> 32);
  }
  __host__ __device__ static std::uint32_t number(const three_words& x) { return x.a + 3 * x.b + 7 * x.c; }
  __host__ __device__ state identity() const { return {1, 0, {}}; }
  template <class First, class... X>
  __host__ __device__ state lift(tf::index i, const First& first, const X&... x) const {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 17 + number(first);
    ((h = h * 17 + number(x)), ...);
    return {31, h, {}};
  }
  __host__ __device__ state combine(const state& a, const state& b) const { return {a.scale * b.scale, b.scale * a.offset + b.offset, {}}; }
  __host__ __device__ std::uint32_t finalize(const state& s) const { return s.offset; }
};

//! Elements of any size, seen at offsets O… from each position.
template <int Words, class T, int... O>
void test_neighbours(std::size_t n, std::size_t shift) {
  constexpr std::size_t margin = 5;
  std::vector<T> x(n + shift + 2 * margin);
  unsigned char* const bytes = reinterpret_cast<unsigned char*>(x.data());
  for (std::size_t k = 0; k < x.size() * sizeof(T); ++k) bytes[k] = static_cast<unsigned char>(k * 2654435761u >> 13);
  using operation = order_of_neighbours<Words>;
  const operation r;
  std::uint32_t want = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T* const here = x.data() + margin + shift + i;
    want = 31 * want + r.lift(static_cast<tf::index>(i), here[O]...).offset;
  }
  const device_array<T> a(x);
  const device_array<std::uint32_t> out(1);
  using seen = tc::beside<T, O...>;
  const tc::arrays<const seen> in{reinterpret_cast<const seen*>(a.data + margin + shift)};
  for (const tf::index depth : {0, 2, 5}) {
    auto plan = tc::plan_reduce(r, in, static_cast<tf::index>(n));
    if (depth > 0) plan.depth = depth;
    plan.workspace = tc::detail::reducing<operation, tc::arrays<const seen>>::workspace(plan, static_cast<tf::index>(n));
    const device_array<unsigned char> work(plan.workspace);
    work.poison();
    tc::reduce(r, in, static_cast<tf::index>(n), out.data, plan, work.data);
    cuda(cudaDeviceSynchronize());
    expect(out.host()[0] == want, "neighbours",
           std::to_string(sizeof(T)) + " bytes, " + std::to_string(n) + " from " + std::to_string(shift));
  }
}

//! One array, by the plan that is chosen and by others: equal to `want`, or near it, and the same bits whenever the same plan is used
//! again.
template <class R, class T, class Near>
void test_one_array(const char* what, const R& r, const std::vector<T>& x, std::size_t shift, const Near& near) {
  using Answer = std::remove_cvref_t<decltype(r.finalize(r.identity()))>;
  const device_array<T> a(x);
  const device_array<Answer> out(1);
  const tc::arrays<const T> in{a.data + shift};
  const auto n = static_cast<tf::index>(x.size() - shift);
  std::vector<tc::reduce_plan> plans{tc::plan_reduce(r, in, n)};
  const auto other = [&](tc::reduce_kernel kernel, int vectors, int warps, int blocks, tf::index depth) {
    using shape = tc::fold_shape<R, tc::arrays<const T>>;
    tc::reduce_plan p{kernel, vectors, warps, blocks, depth, kernel == tc::reduce_kernel::runs ? shape::shared_bytes : 0, 0};
    p.workspace = tc::detail::reducing<R, tc::arrays<const T>>::workspace(p, n);
    plans.push_back(p);
  };
  for (const int blocks : {1, 2, 77}) {
    if constexpr (tf::is_commutative<R>)
      other(tc::reduce_kernel::walked, 0, 0, blocks, 1), other(tc::reduce_kernel::streamed, 0, 0, blocks, 1);
    other(tc::reduce_kernel::runs, 0, 0, blocks, blocks);
    for (const int warps : {1, 4, 16})
      for (const int vectors : {4, 8})
        if (tf::index{32} * vectors * warps * blocks * static_cast<tf::index>(16 / sizeof(T)) > n + 32)
          other(tc::reduce_kernel::held, vectors, warps, blocks, 1);
  }
  for (const tc::reduce_plan& p : plans) {
    const device_array<unsigned char> work(p.workspace);
    work.poison();
    Answer first{};
    for (int run = 0; run < 3; ++run) {
      tc::reduce(r, in, n, out.data, p, work.data);
      cuda(cudaDeviceSynchronize());
      const Answer got = out.host()[0];
      if (run == 0) first = got;
      expect(std::memcmp(&got, &first, sizeof got) == 0, what, "other bits in another run, " + to_string(p));
      expect(near(got), what, std::to_string(n) + " from " + std::to_string(shift) + ": " + to_string(p));
    }
  }
}
void test_one_array(std::size_t n) {
  for (const std::size_t shift : {0, 1, 3}) {
    std::vector<std::uint32_t> x(n + shift);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint32_t>(i * 2654435761u) ^ static_cast<std::uint32_t>(i >> 3);
    std::uint32_t sum = 0, order = 0;
    const order_of_neighbours<3> keeps;
    for (std::size_t i = 0; i < n; ++i)
      sum += x[shift + i], order = 31 * order + keeps.lift(static_cast<tf::index>(i), x[shift + i]).offset;
    test_one_array("sum", tf::sum<std::uint32_t, std::uint32_t>{}, x, shift, [&](std::uint32_t got) { return got == sum; });
    test_one_array("order", keeps, x, shift, [&](std::uint32_t got) { return got == order; });
    std::vector<float> f(n + shift);
    double total = 0, mean = 0, squares = 0;
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = static_cast<float>(x[i] >> 8) * 0x1p-21f - 4;
    if (n > 3) f[shift + n / 2] = 30;
    for (std::size_t i = shift; i < f.size(); ++i) total += std::exp(static_cast<double>(f[i])), mean += f[i];
    mean /= static_cast<double>(n);
    for (std::size_t i = shift; i < f.size(); ++i) squares += (f[i] - mean) * (f[i] - mean);
    const auto close = [](double a, double b, double by) {
      return (a != a && b != b) || a == b || std::abs(a - b) <= by * (1 + std::abs(b));
    };
    test_one_array("log-sum-exp", tf::log_sum_exp<float>{}, f, shift, [&](float got) { return close(got, std::log(total), 1e-6); });
    test_one_array("variance", tf::welford<float, float>{}, f, shift, [&](const tf::variance_result<float>& got) {
      return got.count == static_cast<tf::index>(n) && close(got.mean, mean, 1e-5) &&
             close(got.variance, squares / (static_cast<double>(n) - 1), 1e-4);
    });
  }
}

template <class T>
void test_dot(std::size_t n) {
  const tf::reproducible_dot<T> r;
  std::vector<T> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto h = static_cast<std::uint32_t>(i * 2654435761u + 77);
    x[i] = std::ldexp(static_cast<T>(h % 2001) - 1000, static_cast<int>(h >> 27) - 16), y[i] = static_cast<T>(h >> 9) - 4000000;
  }
  if (n > 40) x[7] = std::numeric_limits<T>::denorm_min(), x[9] = std::numeric_limits<T>::max(), y[9] = T(-1);
  for (const bool special : {false, true}) {
    if (special && n < 2) continue;
    if (special) x[n / 2] = std::numeric_limits<T>::infinity();
    const T want = r.finalize(tf::leaf(r, tf::zip(tf::as_source(x), tf::as_source(y))));
    for (const int blocks : {0, 1, 3, 500}) {
      const T got = on_device<T>(r, x, y, 0, blocks);
      expect(std::memcmp(&got, &want, sizeof got) == 0 || (got != got && want != want), "dot", std::to_string(n));
    }
  }
}

}  // namespace

//! With an argument: short arrays only, for sanitizers.
int main(int argc, char**) {
  test_refusals();
  need_device();
  const std::size_t most = argc > 1 ? 5000 : 4000000;
  for (const std::size_t n : {0, 1, 2, 15, 16, 17, 511, 512, 513, 8191, 8192, 8193, 16384, 100003, 3000017})
    if (n <= most) test_order(n), test_dot<float>(n), test_dot<double>(n < 200000 ? n : 200001);
  for (const std::size_t n : {0, 1, 31, 33, 1024, 1025, 5000, 70001})
    for (const std::size_t shift : {0, 1, 2, 3, 7}) {
      if (n > most) continue;
      test_neighbours<3, std::uint32_t, 0>(n, shift), test_neighbours<12, std::uint32_t, 0, -1>(n, shift);
      test_neighbours<3, std::uint32_t, -2, 0, 3>(n, shift), test_neighbours<3, std::uint8_t, 0>(n, shift);
      test_neighbours<12, std::uint8_t, 1, -3>(n, shift), test_neighbours<3, std::uint16_t, 0, 1>(n, shift);
      test_neighbours<12, std::uint64_t, 0, -1>(n, shift), test_neighbours<3, three_words, 0>(n, shift);
      test_neighbours<12, three_words, 0, -1>(n, shift);
    }
  for (const std::size_t n : {1, 2, 5, 127, 128, 1000, 4096, 5000, 65536, 70001, 300007, 1048577, 3000017})
    if (n <= most) test_one_array(n);
  std::printf("%d failures\n", failures);
  return failures ? 1 : 0;
}
