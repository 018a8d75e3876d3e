// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The k largest of rows, and backward rows, on a device: refusals before anything is launched, small shapes against the host, the
//! same bits from a dirty workspace. All plans and hard values are the business of bench/cuda/top_k.cu and backward.cu.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cuda/check.hpp"
#include "twofold/cuda/backward.cuh"
#include "twofold/cuda/top_k.cuh"

namespace tf = twofold;
namespace tc = twofold::cuda;

namespace {

void refusals() {
  float* const some = reinterpret_cast<float*>(4096);
  int* const where = reinterpret_cast<int*>(4096);
  const tf::row_source<float> in{some, 4, 100, 100};
  const auto p = tc::plan_top_k(in, 8);
  expect_error("TF3205", [&] { tc::top_k_rows(in, 0, some, where, p); });
  expect_error("TF3205", [&] { tc::top_k_rows(in, 65, some, where, p); });
  expect_error("TF3205", [&] { tc::top_k_rows(tf::row_source<float>{some, 4, 7, 7}, 8, some, where, p); });
  expect_error("TF3203", [&] { tc::top_k_rows(in, 8, static_cast<float*>(nullptr), where, p); });
  expect_error("TF3201", [&] { tc::top_k_rows(tf::row_source<float>{some, -4, 100, 100}, 8, some, where, p); });
  auto cut = p;
  cut.kernel = tc::top_k_kernel::blocks, cut.parts = 1000;
  expect_error("TF3205", [&] { tc::top_k_rows(in, 8, some, where, cut); });
  const tf::row_source<float> longer{some, 1, tf::index(1) << 22, tf::index(1) << 22};
  expect_error("TF3206", [&] { tc::top_k_rows(longer, 8, some, where, tc::plan_top_k(longer, 8)); });
  expect_error("TF3206", [&] { tc::norm_weights_backward(in, some, 100, reinterpret_cast<tc::norm_statistics*>(4096), some, some, {}); });
}

template <class In>
void largest() {
  for (tf::index n : {8, 17, 65, 1000, 5000, 70000})
    for (int k : {1, 8, 40}) {
      if (k > n) continue;
      const tf::index rows = 5, pitch = n + 1;
      std::vector<float> x(static_cast<std::size_t>(rows * pitch), NAN);
      for (tf::index r = 0; r < rows; ++r)
        for (tf::index j = 0; j < n; ++j)
          x[r * pitch + j] = r == 0 ? 1.0f : r == 1 ? static_cast<float>(j) : static_cast<float>((j * 7919 + r * 31) % 1009);
      std::vector<In> stored(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) stored[i] = In(x[i]), x[i] = static_cast<float>(stored[i]);
      const device_array<In> data(stored), values(static_cast<std::size_t>(rows * k));
      const device_array<int> where(static_cast<std::size_t>(rows * k));
      const tf::row_source<In> in{data.data, rows, n, pitch};
      auto p = tc::plan_top_k(in, k);
      if (n == 70000) p.parts = sizeof(In) == 4 ? 3 : 2;
      const device_array<char> memory(tc::top_k_workspace<In, int>(p, rows, k) + 16);
      for (int again = 0; again < 2; ++again) {
        values.poison(), where.poison(), memory.poison();
        tc::top_k_rows(in, k, values.data, where.data, p, {memory.data, memory.size});
        const auto got = where.host();
        const auto is = values.host();
        for (tf::index r = 0; r < rows; ++r) {
          std::vector<int> at(static_cast<std::size_t>(n));
          std::iota(at.begin(), at.end(), 0);
          std::partial_sort(at.begin(), at.begin() + k, at.end(), [&](int a, int b) {
            const float u = x[r * pitch + a], v = x[r * pitch + b];
            return u != v ? u > v : a < b;
          });
          for (int j = 0; j < k; ++j)
            expect(got[r * k + j] == at[j] && static_cast<float>(is[r * k + j]) == x[r * pitch + at[j]], "the k largest in order",
                   std::to_string(n) + " k=" + std::to_string(k) + " " + to_string(p));
        }
      }
    }
}

void gradients() {
  const tf::index rows = 7, n = 300;
  std::vector<float> y(static_cast<std::size_t>(rows * n)), dy(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i % 13) / 1000, dy[i] = static_cast<float>(i % 7) - 3;
  const device_array<float> a(y), b(dy), out(y.size());
  out.poison();
  tc::softmax_backward(tf::row_source<float>{a.data, rows, n, n}, b.data, n, out.data, n);
  const auto got = out.host();
  for (tf::index r = 0; r < rows; ++r) {
    double dot = 0;
    for (tf::index j = 0; j < n; ++j) dot += double(y[r * n + j]) * dy[r * n + j];
    for (tf::index j = 0; j < n; ++j)
      expect(std::abs(got[r * n + j] - y[r * n + j] * (dy[r * n + j] - dot)) < 1e-6, "the gradient of softmax", std::to_string(j));
  }
}

}  // namespace

int main() {
  refusals();
  need_device();
  largest<float>();
  largest<__nv_bfloat16>();
  gradients();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
