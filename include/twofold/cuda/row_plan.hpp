// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How a matrix of rows is reduced or mapped on a GPU, as a value: arithmetic on shape, types and the card. No CUDA in here: plans
//! can be made, printed and compared anywhere.
#pragma once

#include <string>

#include "twofold/algebra/error.hpp"
#include "twofold/algebra/reduction.hpp"

namespace twofold::cuda {

//! What a plan has to know of the card. The default is an H200.
struct card {
  int processors = 132;
  int largest_cluster = 16;   //!< blocks; 1 before sm_90
  int shared_bytes = 232448;  //!< that one block can have
  bool spreads = true;        //!< rows may be spread over all processors: there is a workspace for it
  friend bool operator==(const card&, const card&) = default;
};

//! What is to be done to every row.
struct row_task {
  index rows = 0;
  index columns = 0;
  int element_bytes = 4;
  int state_bytes = 4;
  bool maps = false;             //!< reduce, then map every element (softmax, norms); else reduce only
  bool aligned = true;           //!< every row begins on 16 bytes
  bool dense = true;             //!< every row begins where the one before ends, in the output too
  bool batch_invariant = false;  //!< the bits of a row must not depend on how many rows there are
  bool commutative = true;       //!< states may be merged out of order
};

enum class row_kernel : unsigned char {
  staged,    //!< a block copies many short rows to shared memory as one piece; teams of lanes take a row each
  ring,      //!< as on_chip, for long rows: blocks or clusters stay and fetch the next rows while they work on one
  on_chip,   //!< a team of lanes, warps or blocks holds the row in registers: read once
  streamed,  //!< blocks walk the pieces of a row; only states are kept
  reread,    //!< streamed, then every element is read again and mapped
  spread,    //!< pieces of rows in the shared memory of all processors until the states of a row's pieces are there: read once
  flow,      //!< rows flow through the shared memory of one block, piece by piece: read once
};

//! @brief  Which kernel, and with how many threads. `vectors` is part of the kernel (compiled ahead); all else is chosen when running.
//! @math   on_chip: a team of lanes·warps·blocks threads, each with `vectors` vectors of 16 bytes, has one row.
//!         streamed, reread: a row is cut into `parts` pieces, each walked by a block of 32·warps threads in tiles of
//!         32·warps·vectors vectors. spread: a row is cut into `parts` pieces that 32·warps threads hold; a block has `stages` of them,
//!         `ahead` of which are reduced before the first is mapped. flow: the same within one block. All states are merged in the order of
//!         the row; the bracketing is a function of the plan and the alignment of the row.
struct row_plan {
  row_kernel kernel = row_kernel::on_chip;
  int vectors = 8;
  int lanes = 32;
  int warps = 1;
  int blocks = 1;   //!< of a cluster
  int teams = 1;    //!< teams of one warp or less that share a block
  int stages = 1;   //!< of a ring: slices of rows under way besides the one in registers; of spread rows and flows: pieces in shared memory
  int ahead = 2;    //!< of spread rows and flows
  index parts = 1;  //!< pieces of a row
  double kept = 1;  //!< share of a row that is read only once
  friend bool operator==(const row_plan&, const row_plan&) = default;

  [[nodiscard]] constexpr int threads_per_block() const {
    if (kernel == row_kernel::spread) return 32 * (warps + 1);  // one exchanges
    if (kernel == row_kernel::flow) return 32 * (warps + 2);    // one fetches, one merges
    return kernel <= row_kernel::on_chip && kernel != row_kernel::ring && warps * blocks == 1 ? lanes * teams : 32 * warps;
  }
};

//! "on_chip(vectors=8, lanes=32, warps=8, blocks=4): 1.00 of a row is read once"
inline std::string to_string(const row_plan& p) {
  const char* const name[] = {"staged", "ring", "on_chip", "streamed", "reread", "spread", "flow"};
  std::string s = std::string(name[static_cast<int>(p.kernel)]) + "(vectors=" + std::to_string(p.vectors);
  if (p.kernel == row_kernel::staged) {
    s = std::string("staged(lanes=") + std::to_string(p.lanes) + ", teams=" + std::to_string(p.teams);
  } else if (p.kernel == row_kernel::ring) {
    s += ", warps=" + std::to_string(p.warps) + ", blocks=" + std::to_string(p.blocks) + ", stages=" + std::to_string(p.stages);
  } else if (p.kernel == row_kernel::on_chip) {
    s += ", lanes=" + std::to_string(p.lanes) + ", warps=" + std::to_string(p.warps) + ", blocks=" + std::to_string(p.blocks);
    if (p.warps * p.blocks == 1) s += ", teams=" + std::to_string(p.teams);
  } else {
    s += ", warps=" + std::to_string(p.warps) + ", parts=" + std::to_string(p.parts);
    if (p.kernel >= row_kernel::spread) s += ", stages=" + std::to_string(p.stages) + ", ahead=" + std::to_string(p.ahead);
  }
  const int percent = static_cast<int>(100 * p.kept);
  return s + "): " + std::to_string(percent) + "% of a row is read once";
}

namespace detail {
constexpr index rounded_up_division(index a, index b) { return a / b + (a % b != 0); }
constexpr index power_of_two_from(index n) {
  index p = 1;
  while (p < n) p *= 2;
  return p;
}
//! 128 bytes a thread; of elements of one byte 64: what registers hold beside the work on them.
constexpr int most_vectors(int element_bytes) { return element_bytes > 1 ? 8 : 4; }
inline constexpr index ring_bytes = 96 * 1024;  //!< of stages in a block

//! A slice of a row in the registers of a block, others in shared memory: two blocks share a processor.
constexpr row_plan ring_plan(index vectors_per_row, int warps, int vectors) {
  row_plan p;
  p.kernel = row_kernel::ring;
  p.vectors = vectors, p.warps = warps;
  p.blocks = static_cast<int>(power_of_two_from(rounded_up_division(vectors_per_row, static_cast<index>(32) * warps * vectors)));
  const index slice = rounded_up_division(vectors_per_row, p.blocks) * 16, bytes = warps > 16 ? 184 * 1024 : ring_bytes * warps / 8;
  p.stages = static_cast<int>(bytes / slice);
  p.stages = p.stages < 1 || p.blocks > 2 ? 1 : p.stages > 2 ? 2 : p.stages;
  return p;
}

//! A row in registers: few lanes where rows are short (merging costs a step for each doubling), a cluster where one block is too small.
constexpr row_plan on_chip_plan(index vectors_per_row, const row_task& t, const card& c) {
  row_plan p;
  const bool half = t.element_bytes <= 2;
  int most = most_vectors(t.element_bytes);
  // What is mapped needs registers, too; of the half types only where the state is more than a sum and its reference.
  if (t.maps && most == 8 && vectors_per_row <= (half ? t.state_bytes > 12 ? 1024 : 256 : 512)) most = 4;
  p.vectors = most;
  if (vectors_per_row <= 32 * most) {
    const index lanes = half && !t.maps ? vectors_per_row <= 64 ? 4 : 16 : vectors_per_row <= 64 ? 8 : 16;
    p.vectors = static_cast<int>(power_of_two_from(rounded_up_division(vectors_per_row, lanes)));
    if (p.vectors > most) p.vectors = most;
    p.lanes = static_cast<int>(power_of_two_from(rounded_up_division(vectors_per_row, p.vectors)));
    p.teams = 128 / p.lanes;
    return p;
  }
  const index threads = power_of_two_from(rounded_up_division(vectors_per_row, most));
  if (threads <= (half ? 512 : 256)) {
    p.warps = static_cast<int>(threads / 32);
    return p;
  }
  // Clusters: small blocks merge soonest; blocks that stay and fetch the next rows need no place for a whole cluster at once.
  index blocks = 1;
  while (threads / blocks > 128 && blocks < 8 && blocks < c.largest_cluster) blocks *= 2;
  while (threads / blocks > 512 && blocks < c.largest_cluster) blocks *= 2;
  p.blocks = static_cast<int>(blocks);
  p.warps = static_cast<int>(threads / blocks / 32);
  if (c.largest_cluster > 1 && (half ? t.aligned : blocks * p.warps < 256))
    return ring_plan(vectors_per_row, t.aligned ? 16 : 8, most_vectors(t.element_bytes));
  return p;
}

//! Rows that begin at odd addresses cost two ragged vectors each, unless many of them are moved as one piece.
inline constexpr index staged_bytes = 4096;
constexpr row_plan staged_plan(index columns, int element_bytes) {
  row_plan p;
  p.kernel = row_kernel::staged;
  p.vectors = 1;  // of no meaning here
  p.lanes = static_cast<int>(power_of_two_from(rounded_up_division(columns, 32)));
  if (p.lanes > 32) p.lanes = 32;
  p.teams = 128 / p.lanes;
  while (p.teams > 1 && p.teams * p.lanes > 32 && p.teams * columns * element_bytes > 32768) p.teams /= 2;
  return p;
}

//! Rows that would take a cluster, mapped: pieces of 16 KiB go round all processors instead, where there are enough of them to keep busy,
//! a row has no more than a warp can merge, and measurements say that it pays: rows of a cluster are behind where they are longest and, of
//! floats, where the state is more than a reference and a sum.
inline constexpr index spread_slots = 1024;
constexpr bool wants_spread(const row_task& t, index vectors, const card& c) {
  if (!t.maps || !c.spreads || c.largest_cluster == 1 || t.batch_invariant || t.element_bytes == 1) return false;
  if (vectors > 64 * spread_slots || t.rows * vectors < (index(1) << 21)) return false;
  return vectors > 16384 || (t.element_bytes > 2 && t.state_bytes > 8 && vectors > 2048);
}
constexpr row_plan spread_plan(index vectors) {
  row_plan p;
  p.kernel = row_kernel::spread, p.vectors = 8, p.warps = 4, p.stages = 4, p.ahead = 2;
  p.parts = rounded_up_division(vectors, spread_slots);
  return p;
}

//! Rows that a block has in shared memory: pieces that its threads hold, as many as fit beside what is exchanged.
constexpr row_plan flow_plan(index vectors, int warps, int per_thread, index bytes) {
  row_plan p;
  p.kernel = row_kernel::flow, p.vectors = per_thread, p.warps = warps;
  p.parts = rounded_up_division(vectors, static_cast<index>(32) * warps * per_thread);
  const index slice = rounded_up_division(vectors, p.parts) * 16, stages = bytes / slice;
  p.stages = static_cast<int>(stages < 16 ? stages : 16);
  const index ahead = p.stages - 3 < 2 * p.parts ? p.stages - 3 : 2 * p.parts;
  p.ahead = static_cast<int>(ahead > 0 ? ahead : 0);
  return p;
}

//! Rows that are mapped, that no block holds in registers and one block holds in shared memory, where there are enough of them for every
//! processor to have some. Of the half types, whose arithmetic takes longer than their bytes, two smaller blocks a processor.
inline constexpr index flow_bytes = 216 * 1024, flow_half_bytes = 106 * 1024;
constexpr bool wants_flow(const row_task& t, index vectors, const card& c) {
  if (!t.maps || !t.commutative || t.batch_invariant || c.largest_cluster == 1 || t.element_bytes == 1) return false;
  const index held = static_cast<index>(t.element_bytes <= 2 ? 512 : 256) * 8;  // by one block in registers
  return vectors > held && vectors * 16 <= flow_bytes - 16 * 1024 && t.rows >= 2 * c.processors && c.shared_bytes >= 227 * 1024 &&
         t.state_bytes <= 64;
}
constexpr row_plan chosen_flow(index vectors, int element_bytes) {
  if (element_bytes <= 2)
    if (const row_plan two = flow_plan(vectors, 8, 4, flow_half_bytes); two.stages >= two.parts) return two;
  return flow_plan(vectors, 8, 8, flow_bytes);
}

//! Into how many pieces a row is cut so that the card is evenly busy: many rows until blocks come in eight waves, few rows into as many
//! pieces as are walked at once. Where rows alone make three waves, merging pieces costs more than it evens out. Pieces stay
//! at least two tiles long, of long rows four, of few short ones one.
constexpr index pieces(const row_task& t, index tiles, const card& c) {
  if (t.batch_invariant) return rounded_up_division(tiles, 32);
  const index at_once = static_cast<index>(c.processors) * 8, rows = t.rows > 0 ? t.rows : 1;
  const index wanted = rows >= 3 * at_once ? 1 : rows >= at_once ? rounded_up_division(8 * at_once, rows) : at_once / rows;
  const index tiles_each = tiles <= 256 && t.rows < 16 ? 1 : tiles <= 1024 ? 2 : 4, most = tiles / tiles_each > 0 ? tiles / tiles_each : 1;
  return wanted < most ? wanted : most;
}
}  // namespace detail

//! @brief  The plan that the cost model chooses.
//! @cost   arithmetic only
constexpr row_plan plan_rows(const row_task& t, const card& c = {}) {
  const index per_vector = 16 / t.element_bytes;
  const index vectors = detail::rounded_up_division(t.columns + (t.aligned ? 0 : per_vector - 1), per_vector);
  const int most = detail::most_vectors(t.element_bytes);
  if (!t.aligned && t.dense && t.columns * t.element_bytes <= detail::staged_bytes) return detail::staged_plan(t.columns, t.element_bytes);
  if (detail::wants_flow(t, vectors, c)) return detail::chosen_flow(vectors, t.element_bytes);
  if (detail::wants_spread(t, vectors, c)) return detail::spread_plan(vectors);
  const index held = static_cast<index>(512) * most * c.largest_cluster;
  const bool few = t.rows < 16 && !t.batch_invariant;
  // A short array alone: one cluster has it in registers, and no second kernel merges pieces.
  if (!t.maps && few && vectors > 256 && vectors <= static_cast<index>(512) * 8 * c.largest_cluster && c.largest_cluster > 1) {
    row_plan p;
    p.blocks = vectors <= 1024 ? 1 : c.largest_cluster;
    p.vectors = vectors <= static_cast<index>(512) * 4 * p.blocks ? 4 : most;
    const index warps = detail::power_of_two_from(detail::rounded_up_division(vectors, static_cast<index>(32) * p.vectors * p.blocks));
    p.warps = static_cast<int>(warps < 4 ? 4 : warps);
    return p;
  }
  // Sums of many words (moments) gain from one look at all of a row.
  const index reduced = t.element_bytes <= 2 ? t.state_bytes > 16 ? 4096 : 1024 : 1023;
  if (vectors <= (t.maps ? held : reduced)) return detail::on_chip_plan(vectors > 0 ? vectors : 1, t, c);
  row_plan p;
  p.kernel = t.maps ? row_kernel::reread : row_kernel::streamed;
  // Tiles of half the size where the last one would be mostly empty.
  const index tiles = detail::rounded_up_division(vectors, 32 * 4 * 8), empty = tiles * 32 * 4 * 8 - vectors;
  p.vectors = t.element_bytes <= 2 && (t.maps || t.state_bytes > 16 || empty > vectors / 8) ? 4 : most;
  p.warps = t.maps ? 16 : vectors < 16384 || (few && vectors < (index(1) << 21)) || (t.element_bytes <= 2 && t.state_bytes <= 16) ? 4 : 8;
  p.parts = detail::pieces(t, detail::rounded_up_division(vectors, 32 * p.warps * p.vectors), c);
  p.kept = t.maps ? 0 : 1;
  return p;
}

}  // namespace twofold::cuda
