// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Which loops the library holds for wider vectors than a program may be compiled for: operators of the library over float, double
//! and integers. The lists are the one place that says it: the library compiles what they name, a call looks its number up here.
#pragma once

#include "twofold/cpu/compiled_calls.hpp"
#include "twofold/cpu/element.hpp"
#include "twofold/ops/arg_min_max.hpp"
#include "twofold/ops/covariance.hpp"
#include "twofold/ops/layer_norm.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/mean.hpp"
#include "twofold/ops/min_max.hpp"
#include "twofold/ops/softmax.hpp"
#include "twofold/ops/sum.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu::detail {

template <class... T>
struct types {
  static constexpr int size = sizeof...(T);
};
//! Op over elements (or a source) X.
template <class Op, class X>
struct job {};

template <class... A, class... B>
types<A..., B...> operator+(types<A...>, types<B...>);
template <class T, class... All>
constexpr int number_in(types<All...>) {
  int found = -1, k = 0;
  ((found = std::is_same_v<T, All> ? k : found, ++k), ...);
  return found;
}

template <class T, class S = array_source<T>>
using exact_leaves = types<job<sum<T>, S>, job<max<T>, S>, job<min<T>, S>>;
template <class T, class S = array_source<T>>
using float_leaves =
    types<job<mean<T>, S>, job<welford<T>, S>, job<log_sum_exp<T>, S>, job<softmax<T>, S>, job<log_softmax<T>, S>, job<layer_norm<T>, S>,
          job<rms_norm<T>, S>, job<covariance<T>, zip_source<S, S>>, job<argmax<T>, indexed_source<S>>, job<argmin<T>, indexed_source<S>>>;
template <class T>
using scans_of = types<job<sum<T>, T>, job<max<T>, T>, job<min<T>, T>>;
template <class T>
using maps_of = types<job<softmax<T>, T>, job<log_softmax<T>, T>, job<layer_norm<T>, T>, job<rms_norm<T>, T>>;
template <class T>
using answers_of =
    types<job<softmax_weights<T>, T>, job<log_softmax_values<T>, T>, job<normalised_values<double>, T>, job<scaled_values<double>, T>>;

using compiled_leaves = decltype(exact_leaves<float>{} + exact_leaves<double>{} + exact_leaves<std::int32_t>{} +
                                 exact_leaves<std::int64_t>{} + float_leaves<float>{} + float_leaves<double>{});
using compiled_scans = decltype(scans_of<float>{} + scans_of<double>{} + types<job<sum<std::int64_t>, std::int64_t>>{});
using compiled_maps = decltype(maps_of<float>{} + maps_of<double>{});
using compiled_answers = decltype(answers_of<float>{} + answers_of<double>{});
using compiled_elements = types<float16, bfloat16>;

//! The source as the lists name it.
template <class S>
constexpr const S& plain_source(const S& s) {
  return s;
}
template <class T>
constexpr array_source<T> plain_source(const contiguous_source<T>& s) {
  return {s.data, s.count, 1};
}

//! f(the library's loops, number of the job) where the program is compiled for narrower registers and the job is listed; says whether so.
template <class Job, class List, class F>
TWOFOLD_INLINE bool by_library([[maybe_unused]] List list, [[maybe_unused]] const F& f) {
#if !defined(TWOFOLD_TARGET)
  constexpr int number = number_in<Job>(List{}), own = simd::register_bytes;
  if constexpr (number >= 0 && own < simd::vector_bytes) {
    if (const compiled::calls* const wide = compiled::offered; wide != nullptr && wide->register_bytes > own) {
      f(*wide, number);
      return true;
    }
  }
#endif
  return false;
}

}  // namespace cpu::detail
TWOFOLD_END_NAMESPACE
