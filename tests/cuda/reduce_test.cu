// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Several arrays reduced to one answer on a device: an operator whose order matters and one that commutes, in exact arithmetic;
//! sizes around tiles, arrays off an aligned address, any number of blocks, refusals before a launch.
#include <cmath>
#include <limits>

#include "cuda/check.hpp"
#include "twofold/cuda/reduce.cuh"
#include "twofold/ops/affine.hpp"
#include "twofold/ops/reproducible/dot.hpp"

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
}

//! The answer of R over x and y from `shift` elements on, with as many blocks as asked for (0: as planned).
template <class Answer, class R, class T>
Answer on_device(const R& r, const std::vector<T>& x, const std::vector<T>& y, std::size_t shift, int blocks) {
  const device_array<T> a(x), b(y);
  const device_array<Answer> out(1);
  const pair_of_arrays<T> in{a.data + shift, {b.data + shift}};
  const auto n = static_cast<tf::index>(x.size() - shift);
  auto plan = tc::plan_reduce(r, in, n);
  if (blocks > 0) {
    plan.blocks = blocks;
    plan.workspace = tc::detail::states_of_reduce<R, pair_of_arrays<T>>(n, blocks) * sizeof(tf::state_of<R>);
  }
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
  for (const std::size_t shift : {0, 1}) {
    if (shift > n) continue;
    std::uint32_t h = 5;
    for (std::size_t i = shift; i < n; ++i) h = a[i] * h + b[i];
    for (const int blocks : {0, 1, 7, 500})
      expect(on_device<std::uint32_t>(r, a, b, shift, blocks) == h, "affine recurrence", std::to_string(n) + " " + std::to_string(blocks));
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

int main() {
  test_refusals();
  need_device();
  for (const std::size_t n : {0, 1, 2, 15, 16, 17, 511, 512, 513, 8191, 8192, 8193, 16384, 100003, 3000017})
    test_order(n), test_dot<float>(n), test_dot<double>(n < 200000 ? n : 200001);
  std::printf("%d failures\n", failures);
  return failures ? 1 : 0;
}
