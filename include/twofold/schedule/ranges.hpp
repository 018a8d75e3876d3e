// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Many independent ranges shared out over threads: segments, rows.
#pragma once

#include "twofold/schedule/executor.hpp"
#include "twofold/schedule/schedule.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace detail {

inline constexpr index long_range = index{1} << 16;  // elements; from here one range is worth threads of its own

//! Runs f(k, executor) for every range k of `count`: short ones at the same time, long ones one by one with all
//! threads inside.
template <class Size, class F>
void for_each_range(index count, const Size& size_of, const schedule& s, const executor& ex, const F& f) {
  index longs = 0;
  for (index k = 0; k < count; ++k) longs += size_of(k) >= long_range ? 1 : 0;
  const auto short_one = [&](index k) {
    if (size_of(k) < long_range) f(k, serial);
  };
  ex(count, s.thread_limit(), task(short_one));
  for (index k = 0; longs > 0 && k < count; ++k)
    if (size_of(k) >= long_range) f(k, ex);
}

}  // namespace detail
TWOFOLD_END_NAMESPACE
