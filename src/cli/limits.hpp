// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Work under limits of time and memory, in a process of its own: whatever happens there, the program can still say what happened.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace twofold::cli {

struct limits {
  double seconds = 10;
  std::size_t mebibytes = 512;  // above what the program holds when the work begins; 0: no limit
  double grace = 1;             // seconds past the limit that the work gets to stop by itself and tell what it tried
};

enum class ending { finished, out_of_time, out_of_memory, crashed };

struct limited_result {
  ending how = ending::finished;
  std::string answer;  // the parts that arrived before the end
  int signal = 0;      // when crashed
};

//! Hands over a part of the answer; every part renews the time limit.
using answer_sink = std::function<void(const std::string& part)>;

//! Runs `work` in a forked child and returns the parts of its answer joined. Memory is bounded by RLIMIT_DATA (private writable
//! memory, so that mapped libraries do not count). The caller must have no other threads. May be nested. Exceptions other than
//! std::bad_alloc end the child as `crashed`.
limited_result run_limited(const limits& l, const std::function<void(const answer_sink&)>& work);

//! What became of a process that was limited for a while.
struct supervised_result {
  ending how = ending::finished;  // out_of_time and out_of_memory: while the limits held
  int status = 0;                 // of the process, where it finished
  int signal = 0;                 // when crashed
};

//! Runs `work` in a forked child, whose result is its exit status (0 … 96). The limits hold until `work` calls what it is given: then
//! memory is as before, and the parent waits without watching a clock. Standard streams are shared; `work` must not throw.
supervised_result run_supervised(const limits& l, const std::function<int(const std::function<void()>& lift)>& work);

}  // namespace twofold::cli
