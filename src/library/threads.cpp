// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The only file of the library that knows oneTBB. It runs calls; it splits nothing that a result could depend
//! on.
#include "twofold/cpu/threads.hpp"

#if defined(TWOFOLD_WITH_TBB)
#include <map>
#include <memory>
#include <mutex>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>
#endif

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

#if defined(TWOFOLD_WITH_TBB)

namespace {

#if defined(TWOFOLD_TSAN)
// TBB orders what comes before a call, the call, and what comes after, but is not instrumented. Under the thread
// sanitizer this file is not either (CMakeLists.txt), and says what it knows: reports are then about the calls, never
// about the insides of TBB.
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
void before(void* point) { __tsan_release(point); }
void after(void* point) { __tsan_acquire(point); }
#else
void before(void*) {}
void after(void*) {}
#endif

//! Does something on every way out, exceptions included.
struct on_leaving {
  void (*what)(void*);
  void* point;
  ~on_leaving() { what(point); }
};

void run_all(index n, const task& t) {
  char begun = 0, ended = 0;  // points in time
  before(&begun);
  const on_leaving all_done{after, &ended};
  tbb::parallel_for(tbb::blocked_range<index>(0, n), [&](const tbb::blocked_range<index>& some) {
    const on_leaving some_done{before, &ended};
    after(&begun);
    for (index i = some.begin(); i < some.end(); ++i) t(i);
  });
}

//! Arenas are dear to make and there are few limits: each is made once and kept until the program ends.
tbb::task_arena& arena_of(int limit) {
  static std::mutex lock;
  static auto* arenas = new std::map<int, std::unique_ptr<tbb::task_arena>>;  // outlives threads that end late
  const std::lock_guard hold(lock);
  auto& arena = (*arenas)[limit];
  if (!arena) arena = std::make_unique<tbb::task_arena>(limit);
  return *arena;
}

}  // namespace

void parallel_for(index n, index limit, const task& t) {
  const index available = tbb::this_task_arena::max_concurrency();
  if (n == 1 || limit == 1 || available == 1) {
    for (index i = 0; i < n; ++i) t(i);
  } else if (limit == 0 || limit >= available) {
    run_all(n, t);  // asking TBB for more than there is makes it print
  } else {
    arena_of(static_cast<int>(limit)).execute([n, &t] { run_all(n, t); });
  }
}

threads_info threads_here() { return {"oneTBB", TBB_runtime_version(), static_cast<index>(tbb::this_task_arena::max_concurrency()), ""}; }

#else

void parallel_for(index n, index, const task& t) {
  for (index i = 0; i < n; ++i) t(i);
}

threads_info threads_here() { return {"the calling thread", "", 1, "install oneTBB (apt-get install libtbb-dev) and configure again"}; }

#endif

}  // namespace cpu
TWOFOLD_END_NAMESPACE
