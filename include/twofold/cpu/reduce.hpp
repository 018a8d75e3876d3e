// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reductions at the speed of the machine: vector lanes, and threads where the library is linked.
#pragma once

#include "twofold/cpu/in_lanes.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

inline constexpr index block = index{1} << 16;  //!< elements of a leaf: a second-level cache holds them

//! What cpu::reduce means: leaves of 65536 elements, merged by a tree.
inline constexpr schedule by_blocks = tiles{block} | tree{} | threads{};

template <reduction R, class Data>
state_of<R> reduce_state(const R& r, const Data& data, const executor& ex = default_executor());

//! @brief  The answer for all elements, in vector lanes and threads.
//! @math   the bracketing depends on the number of elements alone: the same bits for any number of threads and any width of vectors
//! @shape  data: anything as_source accepts. Arrays of float, double and integers, and zips of them, run in lanes where the operator's
//!         code holds for vectors (see lanes.hpp); everything else in scalar chains
//! @laws   needs: combine associative, identity neutral; order is kept unless the operator declares itself commutative
//! @empty  finalize of the identity
//! @cost   one pass over memory. Width: the best of the machine for the library's operators where it is linked (vectors.hpp); else that of
//!         the target which the translation unit is compiled for (-march)
//! @example double v = cpu::reduce(welford<float>{}, x).variance;
template <reduction R, class Data>
auto reduce(const R& r, const Data& data, const executor& ex = default_executor()) {
  return r.finalize(cpu::reduce_state(r, data, ex));
}
//! The state instead of the answer.
template <reduction R, class Data>
state_of<R> reduce_state(const R& r, const Data& data, const executor& ex) {
  const auto src = as_source(data);
  const in_lanes<R> lanes(r);
  if (const index n = src.size(); n > 0 && n <= block) return lanes.leaf(src);  // the schedule's only leaf
  return twofold::reduce_state(lanes, src, by_blocks, ex);
}

}  // namespace cpu
TWOFOLD_END_NAMESPACE
