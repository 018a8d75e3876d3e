// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The only file of the library that knows oneTBB. It runs calls; it splits nothing that a result could depend on.
#include "twofold/cpu/threads.hpp"

#if defined(TWOFOLD_WITH_TBB)
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>
#endif

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

#if defined(TWOFOLD_WITH_TBB)

namespace {
void run_all(index n, const task& t) {
  tbb::parallel_for(tbb::blocked_range<index>(0, n), [&t](const tbb::blocked_range<index>& some) {
    for (index i = some.begin(); i < some.end(); ++i) t(i);
  });
}
}  // namespace

void parallel_for(index n, index limit, const task& t) {
  if (limit == 0) return run_all(n, t);
  // More threads than the machine has are asked for in earnest by tests: an arena gives as many slots as it is told.
  tbb::task_arena arena(static_cast<int>(limit < 1024 ? limit : 1024));
  arena.execute([n, &t] { run_all(n, t); });
}

threads_info threads_here() {
  return {"oneTBB", TBB_runtime_version(), static_cast<index>(tbb::this_task_arena::max_concurrency()), ""};
}

#else

void parallel_for(index n, index, const task& t) {
  for (index i = 0; i < n; ++i) t(i);
}

threads_info threads_here() {
  return {"the calling thread", "", 1, "install oneTBB (apt-get install libtbb-dev) and configure again"};
}

#endif

}  // namespace cpu
TWOFOLD_END_NAMESPACE
