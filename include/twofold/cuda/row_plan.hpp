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
  int largest_cluster = 16;  //!< blocks; 1 before sm_90
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
};

enum class row_kernel : unsigned char {
  staged,    //!< a block copies many short rows to shared memory as one piece; teams of lanes take a row each
  ring,      //!< as on_chip, for long rows: blocks or clusters stay and fetch the next rows while they work on one
  on_chip,   //!< a team of lanes, warps or blocks holds the row in registers: read once
  streamed,  //!< blocks walk the pieces of a row; only states are kept
  reread,    //!< streamed, then every element is read again and mapped
};

//! @brief  Which kernel, and with how many threads. `vectors` is part of the kernel (compiled ahead); all else is chosen when running.
//! @math   on_chip: a team of lanes·warps·blocks threads, each with `vectors` vectors of 16 bytes, has one row.
//!         streamed, reread: a row is cut into `parts` pieces, each walked by a block of 32·warps threads in tiles of 32·warps·vectors
//!         vectors. All states are merged in the order of the row; the bracketing is a function of the plan and the alignment of the row.
struct row_plan {
  row_kernel kernel = row_kernel::on_chip;
  int vectors = 8;
  int lanes = 32;
  int warps = 1;
  int blocks = 1;   //!< of a cluster
  int teams = 1;    //!< teams of one warp or less that share a block
  int stages = 1;   //!< of a ring: slices of rows under way besides the one in registers
  index parts = 1;  //!< pieces of a row
  double kept = 1;  //!< share of a row that is read only once
  friend bool operator==(const row_plan&, const row_plan&) = default;

  [[nodiscard]] constexpr int threads_per_block() const {
    return kernel <= row_kernel::on_chip && kernel != row_kernel::ring && warps * blocks == 1 ? lanes * teams : 32 * warps;
  }
};

//! "on_chip(vectors=8, lanes=32, warps=8, blocks=4): 1.00 of a row is read once"
inline std::string to_string(const row_plan& p) {
  const char* const name[] = {"staged", "ring", "on_chip", "streamed", "reread"};
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
//! 32 elements a thread (64 bytes at least, 128 at most): what registers hold beside the work on them.
constexpr int most_vectors(int element_bytes) { return element_bytes >= 4 ? 8 : 4; }
inline constexpr index ring_bytes = 96 * 1024;  //!< of stages in a block

//! A slice of a row in the registers of a block, others in shared memory: two blocks share a processor.
constexpr row_plan ring_plan(index vectors_per_row, int warps, int vectors) {
  row_plan p;
  p.kernel = row_kernel::ring;
  p.vectors = vectors, p.warps = warps;
  p.blocks = static_cast<int>(power_of_two_from(rounded_up_division(vectors_per_row, static_cast<index>(32) * warps * vectors)));
  const index slice = rounded_up_division(vectors_per_row, p.blocks) * 16, bytes = ring_bytes * warps / 8;
  p.stages = static_cast<int>(bytes / slice);
  p.stages = p.stages < 1 ? 1 : p.stages > 2 ? 2 : p.stages;
  return p;
}
//! Small blocks merge soonest, and several of them hide one another's waits.
constexpr row_plan ring_plan(index vectors_per_row, int warps) {
  while (warps < 16 && vectors_per_row > static_cast<index>(32) * warps * 8 * 16) warps *= 2;
  return ring_plan(vectors_per_row, warps, 8);
}

//! A row in registers: few lanes where rows are short (merging costs a step for each doubling), a cluster where one block is too small.
constexpr row_plan on_chip_plan(index vectors_per_row, int most_vectors, bool maps, bool aligned, const card& c) {
  row_plan p;
  p.vectors = most_vectors;
  if (maps && most_vectors == 8 && vectors_per_row <= 512) p.vectors = most_vectors = 4;  // what is mapped needs registers, too
  if (vectors_per_row <= 32 * most_vectors) {
    p.vectors = static_cast<int>(power_of_two_from(rounded_up_division(vectors_per_row, vectors_per_row <= 64 ? 8 : 16)));
    if (p.vectors > most_vectors) p.vectors = most_vectors;
    p.lanes = static_cast<int>(power_of_two_from(rounded_up_division(vectors_per_row, p.vectors)));
    p.teams = 256 / p.lanes;
    return p;
  }
  const index threads = power_of_two_from(rounded_up_division(vectors_per_row, most_vectors));
  index blocks = 1;
  while (threads / blocks > 256 && blocks < 8 && blocks < c.largest_cluster) blocks *= 2;
  while (threads / blocks > 512 && blocks < c.largest_cluster) blocks *= 2;
  p.blocks = static_cast<int>(blocks);
  p.warps = static_cast<int>(threads / blocks / 32);
  if (c.largest_cluster > 1 && aligned && threads > 256 && (most_vectors < 8 || blocks * p.warps < 256))
    return ring_plan(vectors_per_row, most_vectors >= 8 ? 4 : 8);
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

//! Into how many pieces a row is cut so that the card is evenly busy: many rows until blocks come in eight waves, few rows into as many
//! pieces as are walked at once. Pieces stay at least four tiles long.
constexpr index pieces(const row_task& t, index tiles, const card& c) {
  if (t.batch_invariant) return rounded_up_division(tiles, 32);
  const index at_once = static_cast<index>(c.processors) * 8, rows = t.rows > 0 ? t.rows : 1;
  const index wanted = rows >= at_once ? rounded_up_division(8 * at_once, rows) : at_once / rows;
  const index most = tiles / 4 > 0 ? tiles / 4 : 1;
  return wanted < most ? wanted : most;
}
}  // namespace detail

//! @brief  The plan that the cost model chooses.
//! @cost   arithmetic only
constexpr row_plan plan_rows(const row_task& t, const card& c = {}) {
  const index per_vector = 16 / t.element_bytes;
  const index vectors = detail::rounded_up_division(t.columns + (t.aligned ? 0 : per_vector - 1), per_vector);
  const int most = t.maps ? detail::most_vectors(t.element_bytes) : 8;
  if (!t.aligned && t.dense && t.columns * t.element_bytes <= detail::staged_bytes) return detail::staged_plan(t.columns, t.element_bytes);
  // Ragged rows of a half type in a cluster cost more than reading them twice.
  const bool ring = c.largest_cluster > 1 && t.aligned;
  const index held = static_cast<index>(512) * (ring ? 8 * c.largest_cluster : t.element_bytes >= 4 ? most * c.largest_cluster : most);
  if (vectors <= (t.maps ? held : 1023)) return detail::on_chip_plan(vectors > 0 ? vectors : 1, most, t.maps, t.aligned, c);
  row_plan p;
  p.kernel = t.maps ? row_kernel::reread : row_kernel::streamed;
  p.vectors = detail::most_vectors(t.element_bytes);
  p.warps = vectors < 8192 ? 4 : 8;
  p.parts = detail::pieces(t, detail::rounded_up_division(vectors, 32 * p.warps * p.vectors), c);
  p.kept = t.maps ? 0 : 1;
  return p;
}

}  // namespace twofold::cuda
