// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the files of the row benchmark share: an operator on a type as a value that can be run, checked against float64 and timed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "twofold/cuda/rows.cuh"

namespace bench {

namespace tf = twofold;

struct shape {
  tf::index rows, columns, pitch;
};

//! One operator on one element type.
struct row_case {
  std::string op, type;
  int in_bytes, out_bytes;  //!< of an element; out of an element (maps) or of a row
  bool maps;
  int row_bytes = 0;                      //!< read of a row besides its elements: its target
  double (*value)(const unsigned char*);  //!< an element of the input
  std::function<tf::cuda::row_task(const void* in, const shape&)> task;
  std::function<std::size_t(const tf::cuda::row_plan&, const shape&)> workspace;
  std::function<void(const void* in, void* out, const shape&, const tf::cuda::row_plan&, tf::cuda::workspace)> run;
  //! The worst error of a row in units of its bound (≤ 1 is right): x as doubles, the outputs as they came back.
  std::function<double(const std::vector<double>& x, tf::index row, const unsigned char* got)> error;
};

using cases = std::vector<row_case>;
void add_plain(cases&);        // sum, max, argmax
void add_exponential(cases&);  // log-sum-exp, cross-entropy
void add_softmax(cases&);      // softmax, log-softmax
void add_norms(cases&);        // mean and variance, layer norm, RMS norm
void add_gradient(cases&);     // of cross-entropy

//! Targets of cross-entropy, a function of the row; every fifth is ignored.
__host__ __device__ inline tf::index target_of(tf::index row, tf::index columns) {
  if (row % 5 == 4) return -100;
  const auto h = static_cast<std::uint32_t>(row) * 2654435769u;
  return static_cast<tf::index>(static_cast<std::uint64_t>(h) * static_cast<std::uint64_t>(columns) >> 32);
}

//! Targets of a shape on the device; made when the shape changes.
const int* targets_of(const shape&);

template <class T>
double to_double(const unsigned char* p) {
  T x;
  std::memcpy(&x, p, sizeof x);
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __bfloat162float(x);
  else if constexpr (std::is_same_v<T, __half>) return __half2float(x);
  else return static_cast<double>(x);
}
template <class T>
T rounded(float x) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __float2bfloat16_rn(x);
  else if constexpr (std::is_same_v<T, __half>) return __float2half_rn(x);
  else return x;
}
//! Half an ulp of the output type, relative, and its smallest normal number.
template <class T>
constexpr double unit = std::is_same_v<T, __nv_bfloat16> ? 0x1p-8
                        : std::is_same_v<T, __half>      ? 0x1p-11
                                                         : 0x1p-24;
template <class T>
constexpr double tiny = std::is_same_v<T, __half> ? 0x1p-24 : 0x1p-126;

//! |got − want| over its bound; NaN and infinities must be met exactly.
inline double off(double got, double want, double bound) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : 1e30;
  if (std::isinf(want) || std::isinf(got)) return want == got ? 0 : 1e30;
  return std::abs(got - want) / bound;
}

template <class T>
constexpr const char* type_name = std::is_same_v<T, __nv_bfloat16> ? "bf16"
                                  : std::is_same_v<T, __half>      ? "fp16"
                                                                   : "fp32";

template <class In>
tf::row_source<In> source(const void* in, const shape& s) {
  return {static_cast<const In*>(in), s.rows, s.columns, s.pitch};
}

template <class R, class In, class Run>
row_case make(const char* op, int out_bytes, bool maps, const Run& run, decltype(row_case::error) error) {
  row_case c;
  c.op = op;
  c.type = type_name<In>;
  c.in_bytes = sizeof(In), c.out_bytes = out_bytes, c.maps = maps;
  c.value = to_double<In>;
  c.task = [maps](const void* in, const shape& s) { return tf::cuda::task_of<R>(source<In>(in, s), maps); };
  c.workspace = [](const tf::cuda::row_plan& p, const shape& s) { return tf::cuda::workspace_bytes<R>(p, s.rows); };
  c.run = run;
  c.error = std::move(error);
  return c;
}

}  // namespace bench
