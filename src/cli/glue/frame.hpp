// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the program and the code it compiles for `run` hand to each other: plain data, one layout on both sides. The program
//! includes this header; compiled code gets the same text, so that neither needs the other's headers.
#pragma once

#include <cstdint>

namespace twofold_run {

//! One parameter or one answer: `count` elements of `bytes` bytes each, row-major.
struct slot {
  void* data;
  std::int64_t count;
  std::int64_t rows, row;  // as a matrix: rows × row; row is 1 for a vector
  std::int64_t bytes;
};

struct frame {
  slot* parameters;          // in the order of the function's parameters
  slot* outputs;             // in the order of the emitted structure's answers
  std::int64_t first, last;  // the loop's range of positions
  const char* schedule;
  void* executor_self;     // of twofold::executor: who runs threaded pieces
  void (*executor_run)();  // a twofold::executor::run, cast: null runs in the calling thread
  double milliseconds;     // spent in the call itself
  char message[1024];      // why it failed, empty where it did not
};

}  // namespace twofold_run
