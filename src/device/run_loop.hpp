// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A merged loop, given as the text of its kernels, run on arrays of the host.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compile.hpp"
#include "gpu.hpp"

namespace twofold::device {

struct loop_parameter {
  const void* data = nullptr;  // an array's elements, or a scalar's bytes
  std::size_t bytes = 0;
  bool is_array = false;
  long long row = 1;  // elements of a row of the array
};
//! An array that is written element by element by twofold_scan_K or twofold_map_K, K its place in the list.
struct loop_written {
  std::size_t parameter = 0;
  bool is_scan = false;
};

//! What to run. The text defines the kernels that loop.cuh speaks of.
struct loop_task {
  std::string name, text;
  bool has_whole = false;         // something needs the state of all elements
  long long first = 0, last = 0;  // the range of positions
  std::vector<loop_parameter> parameters;
  std::vector<std::size_t> output_bytes;  // of each answer of finalize, at most 16
  std::vector<loop_written> written;
  long long depth = 0;  // rows of a lane's run where order matters; 0: as the length asks for
};

struct loop_result {
  std::vector<std::vector<std::byte>> outputs, written;
  double milliseconds = 0;  // of the kernels alone
  std::string bracketing;   // "132 blocks, tiles of 16384"
  bool from_cache = false;
  double compile_seconds = 0, load_seconds = 0;
};

//! @errors as compile and gpu; TF3105 also where the loop's state is too large for the device
//! @cost   one copy of every array to the device and of every written one back. repeats > 1 runs the kernels again, each after 256 MiB of
//!         other writes, and reports the median: only where no array is both read and written
loop_result run_loop(gpu& on, const loop_task& task, const keeper& kept, int repeats = 1);

}  // namespace twofold::device
