// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scans and ragged rows on a device, in exact arithmetic where order matters: the kinds that differ most, sizes around tiles, a
//! workspace full of anything, refusals before a launch. Every kind and size, and speed, are the business of bench/cuda.
#include <cmath>

#include "cuda/check.hpp"
#include "twofold/cuda/scan_columns.cuh"
#include "twofold/cuda/segmented.cuh"
#include "twofold/ops/affine.hpp"
#include "twofold/ops/log_sum_exp.hpp"

namespace tf = twofold;
namespace tc = twofold::cuda;

namespace {

using step = tf::affine<std::uint32_t>;
using recurrence = tf::affine_recurrence<std::uint32_t>;

step element(tf::index i) {
  const auto h = static_cast<std::uint32_t>(i * 2654435761u + 12345);
  return {h | 1, h >> 7};
}

void test_refusals() {
  const tc::arrays<const step> none;
  const tc::arrays<std::uint32_t> nowhere;
  expect_error("TF3211", [&] { (void)tc::plan_scan(recurrence{}, none, nowhere, -1); });
  const tc::scan_plan p{true, 1, 1, 1, 0, 16};
  expect_error("TF3211", [&] { tc::scan(recurrence{}, none, nowhere, 5, p, nullptr); });
  expect_error("TF3211", [&] { (void)tc::plan_scan_columns(recurrence{}, none, tf::index{1} << 40, tf::index{1} << 40, 1); });
  tc::scan(recurrence{}, none, nowhere, 0, p, nullptr);  // nothing to do is no error
}

void test_scan(tf::index n) {
  const auto un = static_cast<std::size_t>(n);
  std::vector<step> x(un);
  std::vector<std::uint32_t> forward(un), suffix(un);
  step s = recurrence{}.identity();
  for (tf::index i = 0; i < n; ++i) x[i] = element(i);
  for (tf::index i = 0; i < n; ++i) s = recurrence{}.combine(s, x[i]), forward[i] = s(5);
  s = recurrence{}.identity();
  for (tf::index i = n; i-- > 0;) s = recurrence{}.combine(x[i], s), suffix[i] = s(5);
  const device_array<step> in(x);
  const device_array<std::uint32_t> out(un);
  const tc::arrays<const step> from{in.data};
  const tc::arrays<std::uint32_t> to{out.data};
  const recurrence r{5};
  const auto plan = tc::plan_scan(r, from, to, n);
  const device_array<unsigned char> work(plan.workspace);
  work.poison();
  for (int k = 0; k < 2; ++k) {  // the second launch finds what the first one left
    tc::scan(r, from, to, n, plan, work.data);
    cuda(cudaDeviceSynchronize());
    expect(out.host() == forward, "inclusive scan", std::to_string(n));
  }
  tc::scan<tf::suffix>(r, from, to, n, tc::plan_scan<tf::suffix>(r, from, to, n), work.data);
  cuda(cudaDeviceSynchronize());
  expect(out.host() == suffix, "suffix scan", std::to_string(n));
}

void test_segments(tf::index n) {
  std::vector<tf::index> offsets{0};
  for (tf::index k = 0; offsets.back() < n; ++k) {
    const tf::index length = k % 7 == 0 ? 0 : k % 31 == 3 ? 9000 : k % 40;
    offsets.push_back(offsets.back() + length < n ? offsets.back() + length : n);
  }
  const auto m = static_cast<tf::index>(offsets.size()) - 1;
  std::vector<step> x(static_cast<std::size_t>(n));
  for (tf::index i = 0; i < n; ++i) x[i] = element(i);
  std::vector<std::uint32_t> want(static_cast<std::size_t>(m));
  for (tf::index k = 0; k < m; ++k) {
    step s = recurrence{}.identity();
    for (tf::index i = offsets[k]; i < offsets[k + 1]; ++i) s = recurrence{}.combine(s, x[i]);
    want[k] = s == recurrence{}.identity() ? 5 : s(5);
  }
  const device_array<step> in(x);
  const device_array<tf::index> at(offsets);
  const device_array<std::uint32_t> out(want.size());
  const recurrence r{5};
  const tc::arrays<const step> from{in.data};
  const tc::arrays<std::uint32_t> to{out.data};
  const auto plan = tc::plan_segmented_reduce(r, from, to, n, m);
  const device_array<unsigned char> work(plan.workspace);
  work.poison();
  tc::segmented_reduce(r, r.identity(), from, to, at.data, m, n, plan, work.data);
  cuda(cudaDeviceSynchronize());
  expect(out.host() == want, "segmented reduce", std::to_string(n));
}

//! Scores that leave one reference: rises of hundreds, −inf for a while, in the end +inf or NaN.
void test_log_cumsum_exp(tf::index n, int kind) {
  std::vector<float> x(static_cast<std::size_t>(n));
  for (tf::index i = 0; i < n; ++i) {
    const float noise = static_cast<float>(element(i).offset % 1000u) / 250 - 2;
    x[i] = kind == 0 ? noise : kind == 1 ? static_cast<float>(i / 300) * 90 + noise : i % 5000 < 2500 ? -INFINITY : noise - 1000;
  }
  if (kind == 2 && n > 100) x[n - 100] = INFINITY, x[n - 50] = NAN;
  const device_array<float> in(x), out(x.size());
  const tf::log_sum_exp<float> r;
  const tc::arrays<const float> from{in.data};
  const tc::arrays<float> to{out.data};
  const auto plan = tc::plan_scan(r, from, to, n);
  const device_array<unsigned char> work(plan.workspace);
  work.poison(), out.poison();
  tc::scan(r, from, to, n, plan, work.data);
  cuda(cudaDeviceSynchronize());
  const auto got = out.host();
  double most = -INFINITY, sum = 0;
  for (tf::index i = 0; i < n; ++i) {
    const double v = x[i];
    if (v > most || v != v) sum = std::isinf(v) ? 1 : sum * std::exp(most - v) + 1, most = v;
    else if (most != -INFINITY && !std::isnan(most)) sum += v == most ? 1 : std::exp(v - most);
    const double want = most == -INFINITY || most == INFINITY ? most : most + std::log(sum);
    const bool right = std::isnan(want) ? std::isnan(got[i]) : got[i] == want || std::abs(got[i] - want) <= 2e-6 * (1 + std::abs(want));
    if (!right)
      return expect(false, "log-cumsum-exp",
                    std::to_string(n) + " kind " + std::to_string(kind) + " at " + std::to_string(i) + ": " + std::to_string(got[i]) +
                        " for " + std::to_string(want));
  }
}

}  // namespace

int main() {
  test_refusals();
  need_device();
  for (const tf::index n : {1, 31, 4095, 4096, 4097, 100003, 3000017}) test_scan(n), test_segments(n);
  for (const tf::index n : {1, 5000, 300000, 3000017})
    for (const int kind : {0, 1, 2}) test_log_cumsum_exp(n, kind);
  std::printf("%d failures\n", failures);
  return failures ? 1 : 0;
}
