// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file CUB's scans and reductions with the operators that we time.
#include "cub_scans.cuh"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

namespace {
struct pair {
  float a, b;
};
struct compose {
  __host__ __device__ pair operator()(pair f, pair g) const { return {g.a * f.a, fmaf(g.a, f.b, g.b)}; }
};
struct alignas(16) quad {
  float a, b, c, d;
};
struct product {
  __host__ __device__ quad operator()(quad x, quad y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};
struct weight {
  float m, l;
};
struct merge_weights {
  __host__ __device__ weight operator()(weight x, weight y) const {
    const float m = fmaxf(x.m, y.m);
    if (m == -INFINITY) return {m, 0};
    return {m, x.l * exp2f(x.m - m) + y.l * exp2f(y.m - m)};
  }
};
struct to_weight {
  __host__ __device__ weight operator()(float x) const { return {x, 1}; }
};
struct moments {
  float n, mean, m2;
};
struct merge_moments {
  __host__ __device__ moments operator()(moments x, moments y) const {
    const float n = x.n + y.n;
    if (n == 0) return x;
    const float d = y.mean - x.mean, r = y.n / n;
    return {n, x.mean + d * r, x.m2 + y.m2 + d * d * x.n * r};
  }
};
struct to_moments {
  __host__ __device__ moments operator()(float x) const { return {1, x, 0}; }
};
}  // namespace

void cub_scan(cub_scan_kind kind, void* temp, std::size_t& bytes, const void* in, void* out, std::size_t n, cudaStream_t s) {
  switch (kind) {
    case cub_scan_kind::sum_f32:
      cub::DeviceScan::InclusiveSum(temp, bytes, static_cast<const float*>(in), static_cast<float*>(out), n, s);
      break;
    case cub_scan_kind::sum_f64:
      cub::DeviceScan::InclusiveSum(temp, bytes, static_cast<const double*>(in), static_cast<double*>(out), n, s);
      break;
    case cub_scan_kind::sum_i32:
      cub::DeviceScan::InclusiveSum(temp, bytes, static_cast<const int*>(in), static_cast<int*>(out), n, s);
      break;
    case cub_scan_kind::affine:
      cub::DeviceScan::InclusiveScan(temp, bytes, static_cast<const pair*>(in), static_cast<pair*>(out), compose{}, n, s);
      break;
    case cub_scan_kind::matrix:
      cub::DeviceScan::InclusiveScan(temp, bytes, static_cast<const quad*>(in), static_cast<quad*>(out), product{}, n, s);
      break;
  }
}

void cub_reduce(cub_reduce_kind kind, void* temp, std::size_t& bytes, const void* in, void* out, std::size_t n, cudaStream_t s) {
  const auto* x = static_cast<const float*>(in);
  switch (kind) {
    case cub_reduce_kind::sum_f32:
      cub::DeviceReduce::Sum(temp, bytes, x, static_cast<float*>(out), n, s);
      break;
    case cub_reduce_kind::softmax_f32:
      cub::DeviceReduce::TransformReduce(temp, bytes, x, static_cast<weight*>(out), n, merge_weights{}, to_weight{}, weight{-INFINITY, 0},
                                         s);
      break;
    case cub_reduce_kind::welford_f32:
      cub::DeviceReduce::TransformReduce(temp, bytes, x, static_cast<moments*>(out), n, merge_moments{}, to_moments{}, moments{0, 0, 0}, s);
      break;
  }
}
