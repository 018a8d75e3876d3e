// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the program hands to kernels that it compiled from text: plain data, one layout on both sides.
#pragma once

namespace twofold_device {

struct frame {
  static constexpr int most = 24;
  unsigned long long parameters[most];  // arrays: device addresses; scalars: their bytes
  long long rows[most];                 // elements of a row of an array
  unsigned long long outputs[most];     // where each answer of finalize goes
  long long first, last;                // the loop's range of positions
  unsigned long long states, whole;     // states of parts or blocks; the state of all elements
  long long count, depth;               // of states; rows of a lane's run
  unsigned long long packets, launch;   // the workspace of a scan
};

//! What only the compiler of the kernels knows, read back from them as `twofold_sizes`.
struct sizes {
  long long state_bytes, map_at_once, fold_tile, fold_threads, fold_blocks, fold_shared, fold_in_order, scan_tile, scan_threads,
      scan_stages, scan_shared, scan_packets;
};

}  // namespace twofold_device
