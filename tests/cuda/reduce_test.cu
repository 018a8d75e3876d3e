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
  auto deep = plan;
  deep.depth = tc::fold_parts::most + 1;
  expect_error("TF3213", [&] { tc::reduce(r, none, 0, &answer, deep, memory); });
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
  plan.workspace = tc::detail::states_of_reduce<R, pair_of_arrays<T>>(n, plan.depth, plan.blocks) * sizeof(tf::state_of<R>);
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
  template <class... X>
  __host__ __device__ state lift(tf::index i, const X&... x) const {
    std::uint32_t h = static_cast<std::uint32_t>(i);
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
    plan.workspace = tc::detail::states_of_reduce<operation, tc::arrays<const seen>>(static_cast<tf::index>(n), plan.depth, plan.blocks) *
                     sizeof(typename operation::state);
    const device_array<unsigned char> work(plan.workspace);
    work.poison();
    tc::reduce(r, in, static_cast<tf::index>(n), out.data, plan, work.data);
    cuda(cudaDeviceSynchronize());
    expect(out.host()[0] == want, "neighbours",
           std::to_string(sizeof(T)) + " bytes, " + std::to_string(n) + " from " + std::to_string(shift));
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
  for (const std::size_t n : {0, 1, 31, 33, 1024, 1025, 5000, 70001})
    for (const std::size_t shift : {0, 1, 2, 3, 7}) {
      test_neighbours<3, std::uint32_t, 0>(n, shift), test_neighbours<12, std::uint32_t, 0, -1>(n, shift);
      test_neighbours<3, std::uint32_t, -2, 0, 3>(n, shift), test_neighbours<3, std::uint8_t, 0>(n, shift);
      test_neighbours<12, std::uint8_t, 1, -3>(n, shift), test_neighbours<3, std::uint16_t, 0, 1>(n, shift);
      test_neighbours<12, std::uint64_t, 0, -1>(n, shift), test_neighbours<3, three_words, 0>(n, shift);
      test_neighbours<12, three_words, 0, -1>(n, shift);
    }
  std::printf("%d failures\n", failures);
  return failures ? 1 : 0;
}
