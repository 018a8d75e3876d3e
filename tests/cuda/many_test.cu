// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rows of several arrays on a device, narrow types, gradients in place: each against float64 on the host, with poisoned outputs and
//! padding that must stay.
#include <cmath>
#include <functional>

#include "cuda/check.hpp"
#include "twofold/cuda/cross_entropy.cuh"
#include "twofold/cuda/row_many.cuh"
#include "twofold/ops/arg_min_max.hpp"
#include "twofold/ops/layer_norm.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/sum.hpp"

namespace tf = twofold;
namespace tc = twofold::cuda;
using bf16 = __nv_bfloat16;
using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;

namespace {

float value_at(std::size_t i, float scale) { return scale * (static_cast<float>((i * 2654435761u) % 20011) / 10005.5f - 1); }
template <class T>
std::vector<T> values(std::size_t n, float scale, std::size_t seed) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = T(value_at(i + seed, scale));
  return x;
}
template <class T>
double as_double(const T& x) {
  return static_cast<double>(static_cast<float>(x));
}
//! got is want rounded to T, by one step of T and some roundings of float.
template <class T>
bool near(const T& got, double want, double scale) {
  constexpr double unit = std::is_same_v<T, e5m2> ? 0x1p-3 : std::is_same_v<T, e4m3> ? 0x1p-4 : std::is_same_v<T, bf16> ? 0x1p-8 : 0x1p-24;
  constexpr double least = std::is_same_v<T, e4m3> ? 0x1p-10 : std::is_same_v<T, e5m2> ? 0x1p-17 : 0x1p-126;
  return std::abs(as_double(got) - want) <= 1.01 * unit * std::abs(want) + 64 * 0x1p-24 * scale + least;
}

// --- y = rms_norm(x + residual)·weight + bias, and x + residual itself
struct add_both {
  template <class Then>
  __device__ void operator()(tf::index, tf::index, float x, float residual, float, float, const Then& then) const {
    then(x + residual);
  }
};
struct sum_and_norm {
  template <class Norm, class Out>
  __device__ void operator()(const Norm& norm, tf::index, tf::index, float x, float residual, float w, float b, const Out& out) const {
    out(x + residual, norm(x + residual) * w + b);
  }
};

template <class T, class W, class Y>
void added_and_normalised(tf::index rows, tf::index n, tf::index pad) {
  const tf::index pitch = n + pad;
  const auto size = static_cast<std::size_t>(rows * pitch);
  const auto x = values<T>(size, 2, 1), residual = values<T>(size, 1, 99);
  const auto weight = values<W>(static_cast<std::size_t>(n), 1, 7), bias = values<W>(static_cast<std::size_t>(n), 1, 8);
  const device_array<T> dx(x), dr(residual), sum(size);
  const device_array<W> dw(weight), db(bias);
  const device_array<Y> y(size);
  sum.poison(), y.poison();
  tc::map_many_rows(tf::rms_norm<float, float>{}, rows, n,
                    tc::inputs(tc::matrix(dx.data, pitch), tc::matrix(dr.data, pitch), tc::per_column(dw.data), tc::per_column(db.data)),
                    tc::outputs(tc::matrix(sum.data, pitch), tc::matrix(y.data, pitch)), add_both{}, sum_and_norm{});
  const auto got_sum = sum.host();
  const auto got = y.host();
  const std::string where = std::to_string(rows) + "x" + std::to_string(n) + "+" + std::to_string(pad) + " of " +
                            std::to_string(sizeof(T)) + ", " + std::to_string(sizeof(Y)) + " bytes";
  for (tf::index r = 0; r < rows; ++r) {
    const auto both = [&](tf::index j) { return as_double(x[r * pitch + j]) + as_double(residual[r * pitch + j]); };
    double squares = 0;
    for (tf::index j = 0; j < n; ++j) squares += both(j) * both(j);
    const double scale = 1 / std::sqrt(squares / double(n) + 1e-5);
    for (tf::index j = 0; j < pitch; ++j) {
      const std::size_t at = static_cast<std::size_t>(r * pitch + j);
      unsigned char poisoned[sizeof(Y)];
      std::memset(poisoned, 0xff, sizeof poisoned);
      if (j >= n) {
        expect(std::memcmp(&got[at], poisoned, sizeof(Y)) == 0, "padding is left alone", where);
        continue;
      }
      const double h = both(j), w = as_double(weight[j]), want = h * scale * w + as_double(bias[j]);
      expect(near(got_sum[at], h, 4), "the sum is kept", where);
      expect(near(got[at], want, 4 + std::abs(w) * 4), "normalised", where + " row " + std::to_string(r) + " column " + std::to_string(j));
    }
  }
}

// --- softmax of scores·factor(row) + mask(column): broadcast along either side; masked elements have no say
struct masked_score {
  template <class Then>
  __device__ void operator()(tf::index, tf::index, float s, float mask, float factor, const Then& then) const {
    if (mask > -1e30f) then(fmaf(s, factor, mask));
  }
};
struct masked_weight {
  template <class Map, class Out>
  __device__ void operator()(const Map& map, tf::index, tf::index, float s, float mask, float factor, const Out& out) const {
    out(mask > -1e30f ? map(fmaf(s, factor, mask)) : 0.0f);
  }
};
void masked_softmax(tf::index rows, tf::index n) {
  const auto size = static_cast<std::size_t>(rows * n);
  const auto s = values<float>(size, 3, 5), factor = values<float>(static_cast<std::size_t>(rows), 1, 3);
  auto mask = values<float>(static_cast<std::size_t>(n), 1, 4);
  for (tf::index j = 0; j < n; j += 3) mask[j] = -INFINITY;
  const device_array<float> ds(s), dm(mask), df(factor);
  // in place
  tc::map_many_rows(tf::softmax<float>{}, rows, n, tc::inputs(tc::matrix(ds.data, n), tc::per_column(dm.data), tc::per_row(df.data)),
                    tc::outputs(tc::matrix(ds.data, n)), masked_score{}, masked_weight{});
  const auto got = ds.host();
  for (tf::index r = 0; r < rows; ++r) {
    double l = 0, m = -INFINITY;
    const auto score = [&](tf::index j) { return double(s[r * n + j]) * factor[r] + mask[j]; };
    for (tf::index j = 0; j < n; ++j) m = std::max(m, score(j));
    for (tf::index j = 0; j < n; ++j) l += mask[j] == -INFINITY ? 0 : std::exp(score(j) - m);
    for (tf::index j = 0; j < n; ++j) {
      const double want = mask[j] == -INFINITY ? 0 : std::exp(score(j) - m) / l;
      expect(std::abs(got[r * n + j] - want) <= 1e-6 * want + 1e-30, "masked softmax in place", std::to_string(n));
    }
  }
}

// --- one byte an element
template <class In>
void narrow_inputs(tf::index n) {
  const tf::index rows = 5;
  const auto size = static_cast<std::size_t>(rows * n);
  const auto x = values<In>(size, 4, 11);
  const device_array<In> data(x);
  const tf::row_source<In> in{data.data, rows, n, n};
  const device_array<float> sums(rows), lse(rows), y(size);
  const device_array<int> most(rows);
  const device_array<In> narrow(size);
  const device_array<char> memory(1 << 20);
  const tc::workspace w{memory.data, memory.size};
  sums.poison(), most.poison(), lse.poison(), y.poison(), narrow.poison();
  tc::reduce_rows(tf::sum<float>{}, in, sums.data, w);
  tc::reduce_rows(tf::argmax<float>{}, in, most.data, w);
  tc::reduce_rows(tf::log_sum_exp<float>{}, in, lse.data, w);
  tc::map_rows(tf::layer_norm<float, float>{}, in, y.data, n, w);
  tc::map_rows(tf::layer_norm<float, float>{}, in, narrow.data, n, w);
  const auto got_sums = sums.host(), got_lse = lse.host(), got_y = y.host();
  const auto got_most = most.host();
  const auto got_narrow = narrow.host();
  const std::string where = std::to_string(n) + (std::is_same_v<In, e4m3> ? " e4m3" : " e5m2");
  for (tf::index r = 0; r < rows; ++r) {
    double sum = 0, m = -INFINITY, l = 0, squares = 0;
    tf::index first = 0;
    const auto at = [&](tf::index j) { return as_double(x[r * n + j]); };
    for (tf::index j = 0; j < n; ++j) {
      sum += at(j);
      if (at(j) > m) m = at(j), first = j;
    }
    for (tf::index j = 0; j < n; ++j) l += std::exp(at(j) - m), squares += std::pow(at(j) - sum / double(n), 2);
    expect(std::abs(got_sums[r] - sum) <= 1e-5 * double(n), "sum of one byte each", where);
    expect(got_most[r] == first, "the first maximum of one byte each", where);
    expect(std::abs(got_lse[r] - (m + std::log(l))) <= 1e-5, "log-sum-exp of one byte each", where);
    const double scale = 1 / std::sqrt(squares / double(n) + 1e-5);
    for (tf::index j = 0; j < n; ++j) {
      const double want = (at(j) - sum / double(n)) * scale;
      expect(near(got_y[r * n + j], want, 8), "layer norm of one byte each", where);
      expect(near(got_narrow[r * n + j], want, 8), "layer norm to one byte each", where);
    }
  }
}
template <class Out>
void narrow_outputs(tf::index n) {
  const tf::index rows = 3;
  const auto size = static_cast<std::size_t>(rows * n);
  const auto x = values<bf16>(size, 3, 17);
  const device_array<bf16> data(x);
  const device_array<Out> y(size);
  y.poison();
  tc::map_rows(tf::layer_norm<float, float>{}, tf::row_source<bf16>{data.data, rows, n, n}, y.data, n);
  const auto got = y.host();
  for (tf::index r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    for (tf::index j = 0; j < n; ++j) sum += as_double(x[r * n + j]);
    for (tf::index j = 0; j < n; ++j) squares += std::pow(as_double(x[r * n + j]) - sum / double(n), 2);
    for (tf::index j = 0; j < n; ++j)
      expect(near(got[r * n + j], (as_double(x[r * n + j]) - sum / double(n)) / std::sqrt(squares / double(n) + 1e-5), 8),
             "two bytes to one", std::to_string(n));
  }
}

// --- the gradient of cross-entropy written over the logits
template <class In>
void gradient_in_place(tf::index n, tf::index pad) {
  const tf::index rows = 9, pitch = n + pad;
  const auto size = static_cast<std::size_t>(rows * pitch);
  const auto x = values<In>(size, 5, 23);
  std::vector<int> targets(static_cast<std::size_t>(rows));
  for (tf::index r = 0; r < rows; ++r) targets[r] = r == 4 ? -100 : static_cast<int>((r * 7919) % n);
  const device_array<In> data(x);
  const device_array<int> where_to(targets);
  const tf::row_source<In> in{data.data, rows, n, pitch};
  auto task = tc::task_of<tf::softmax<float>>(in, true);
  const auto plan = tc::plan_rows(task, tc::current_card());
  const device_array<char> memory(tc::workspace_bytes<tf::softmax<float>>(plan, rows) + 16);
  memory.poison();
  tc::cross_entropy_backward(in, where_to.data, nullptr, 0.25f, data.data, pitch, plan, {memory.data, memory.size});
  const auto got = data.host();
  for (tf::index r = 0; r < rows; ++r) {
    double m = -INFINITY, l = 0;
    for (tf::index j = 0; j < n; ++j) m = std::max(m, as_double(x[r * pitch + j]));
    for (tf::index j = 0; j < n; ++j) l += std::exp(as_double(x[r * pitch + j]) - m);
    for (tf::index j = 0; j < pitch; ++j) {
      const std::size_t at = static_cast<std::size_t>(r * pitch + j);
      const double weight = std::exp(as_double(x[at]) - m) / l;
      const double want = r == 4 ? 0 : 0.25 * (j == targets[r] ? weight - 1 : weight);
      const std::string place = std::to_string(n) + " " + to_string(plan);
      if (j >= n) expect(std::memcmp(&got[at], &x[at], sizeof(In)) == 0, "padding is left alone", place);
      else expect(near(got[at], want, 0.25), "the gradient in place", place);
    }
  }
}

void refusals() {
  float* const some = reinterpret_cast<float*>(4096);
  const auto run = [&](tf::index rows, tf::index n, const tc::beside<float>& x, const tc::beside<float>& y) {
    tc::map_many_rows(tf::softmax<float>{}, rows, n, tc::inputs(x, tc::beside<float>{some, 0, 1}, tc::beside<float>{some, 1, 0}),
                      tc::outputs(y), masked_score{}, masked_weight{});
  };
  expect_error("TF3201", [&] { run(-1, 8, {some, 8, 1}, {some, 8, 1}); });
  expect_error("TF3202", [&] { run(4, 8, {some, 8, 2}, {some, 8, 1}); });
  expect_error("TF3202", [&] { run(4, 8, {some, 8, 1}, {some, 8, 0}); });
  expect_error("TF3202", [&] { run(4, 8, {some, 8, 1}, {some, 0, 1}); });
  expect_error("TF3203", [&] { run(4, 8, {nullptr, 8, 1}, {some, 8, 1}); });
  expect_error("TF3204", [&] { run(4, 8, {reinterpret_cast<float*>(4098), 8, 1}, {some, 8, 1}); });
}

}  // namespace

int main() {
  refusals();
  need_device();
  expect_error("TF3205", [&] {
    float* const some = reinterpret_cast<float*>(4096);
    tc::map_many_rows(tf::softmax<float>{}, 2, tf::index(1) << 24,
                      tc::inputs(tc::matrix(some, 1 << 24), tc::per_column(some), tc::per_row(some)),
                      tc::outputs(tc::matrix(some, 1 << 24)), masked_score{}, masked_weight{});
  });
  for (tf::index n : {1, 7, 16, 17, 64, 255, 1000, 1024, 4099, 8192, 33000})
    for (tf::index pad : {0, 1, 16}) {
      const tf::index rows = n > 5000 ? 2 : 9;
      added_and_normalised<float, float, float>(rows, n, pad);
      added_and_normalised<bf16, float, e4m3>(rows, n, pad);
    }
  for (tf::index n : {1, 2, 31, 100, 1000, 5000}) masked_softmax(7, n);
  for (tf::index n : {1, 3, 16, 17, 33, 100, 1000, 4096, 5001, 40000}) {
    narrow_inputs<e4m3>(n);
    narrow_outputs<e5m2>(n);
  }
  for (tf::index n : {2, 17, 256, 1000, 8191, 33001, 50257})
    for (tf::index pad : {0, 1}) gradient_in_place<float>(n, pad), gradient_in_place<bf16>(n, pad);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
