// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Threads for threaded schedules: oneTBB executes, the schedule has decided every piece. Compiled once into
//! twofold::twofold, so that no header includes TBB. Including this header offers the threads to every schedule of
//! the program; it needs the library linked.
#pragma once

#include "twofold/schedule/executor.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

//! Calls t(i) once for every i in [0, n) on at most `limit` threads (0: all there are), and waits. @see executor
//! Without TBB: in the calling thread, with the same results.
void parallel_for(index n, index limit, const task& t);

//! What the library was built with.
struct threads_info {
  const char* executes;  //!< "oneTBB", or "the calling thread"
  const char* version;   //!< of oneTBB at run time; "" without
  index available;       //!< threads that a schedule without a limit gets
  const char* turn_on;   //!< what to do where threads are off; "" where they are on
};
threads_info threads_here();

namespace detail {
// A named function: nvcc mistranslates a captureless lambda that becomes a function pointer in a header.
inline void run(void*, index n, index limit, const task& t) { parallel_for(n, limit, t); }
}  // namespace detail

//! The executor to hand to a schedule by name.
inline executor threads_executor() { return {nullptr, detail::run}; }

namespace detail {
inline const bool offered = (twofold::detail::offered = threads_executor(), true);
}

}  // namespace cpu
TWOFOLD_END_NAMESPACE
