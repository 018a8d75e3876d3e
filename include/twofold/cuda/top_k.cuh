// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The k largest elements of every row with their positions (k ≤ 64), read once. The state is a sorted list; merging two lists at
//! every element would cost k operations, so tiles are reduced by a leaf: a threshold that at least k elements reach is found from the
//! largest elements of the threads, and only what passes it is ranked.
#pragma once

#include "twofold/cuda/rows.cuh"
#include "twofold/cuda/top_k_held.cuh"
#include "twofold/cuda/top_k_kernels.cuh"
#include "twofold/cuda/top_k_short.cuh"

namespace twofold::cuda {

enum class top_k_kernel : unsigned char {
  short_rows,  //!< dense rows of up to 64 elements: a thread a row
  held,        //!< k ≤ 8: 8, 16 or 32 lanes hold a row in registers
  warps,       //!< a warp a row
  blocks,      //!< warps of a block walk the pieces of a row; the lists of pieces are rows of a second launch
};

//! Which kernel, and with how many threads. A value; @see row_plan
struct top_k_plan {
  top_k_kernel kernel = top_k_kernel::blocks;
  int vectors = 8;
  int lanes = 32;  //!< held: of a row
  int warps = 8;   //!< of a block
  index parts = 1;
  bool stay = true;  //!< as many blocks as fit, which take rows in turn; else a block for all that its warps can have at once
  friend bool operator==(const top_k_plan&, const top_k_plan&) = default;
};

inline std::string to_string(const top_k_plan& p) {
  const char* const name[] = {"short_rows", "held", "warps", "blocks"};
  const std::string s = std::string("top_k(") + name[static_cast<int>(p.kernel)] + ", vectors=" + std::to_string(p.vectors);
  if (p.kernel == top_k_kernel::held) return s + ", lanes=" + std::to_string(p.lanes) + ")";
  return s + ", warps=" + std::to_string(p.warps) + ", parts=" + std::to_string(p.parts) + (p.stay ? ", stay)" : ")");
}

namespace detail {
//! Vectors of a row that may begin inside of one.
template <class In>
index held_slots(const row_source<In>& in) {
  constexpr index E = per_vector<In>;
  const bool aligned = reinterpret_cast<std::uintptr_t>(in.data) % 16 == 0 && in.pitch % E == 0;
  return (in.columns + E - 1 + (aligned ? 0 : E - 1)) / E;
}
}  // namespace detail

//! @brief  The plan that the cost model chooses.
template <class In>
top_k_plan plan_top_k(const row_source<In>& in, int k, const card& c = {}) {
  top_k_plan p;
  if (in.columns <= 64 && in.pitch == in.columns) {
    p.kernel = top_k_kernel::short_rows, p.warps = 4;
    return p;
  }
  const index vectors = detail::held_slots(in);
  if (k <= 8 && vectors <= 256) {
    p.kernel = top_k_kernel::held, p.warps = 4;
    p.lanes = vectors <= 64 ? 8 : vectors <= 128 ? 16 : 32;
    p.vectors = vectors <= 4 * p.lanes ? 4 : 8;
    return p;
  }
  p.vectors = vectors <= 64 ? 2 : vectors <= 128 ? 4 : 8;
  const index warps_at_once = static_cast<index>(c.processors) * 24;
  if (vectors <= 512 || in.rows >= 8 * warps_at_once || (vectors <= 24 * 256 && in.rows >= warps_at_once)) {  // rows alone keep them busy
    p.kernel = top_k_kernel::warps, p.warps = 4, p.stay = false;
    return p;
  }
  p.warps = 2;  // of a row: every list costs its first tile
  const index at_once = warps_at_once / p.warps, rows = in.rows > 0 ? in.rows : 1;
  p.parts = rows >= 2 * at_once ? 1 : rows == 1 ? at_once : 2 * at_once / rows;
  const index two_tiles = in.columns / (static_cast<index>(64) * p.warps * p.vectors * per_vector<In>),
              most = two_tiles > 0 ? two_tiles : 1, far = detail::rounded_up_division(in.columns, index(1) << 31);
  p.parts = p.parts < most ? p.parts : most;
  if (p.parts < far) p.parts = far;
  return p;
}

//! Bytes of workspace that a plan needs: the lists of pieces.
template <class In, class Position>
std::size_t top_k_workspace(const top_k_plan& p, index rows, int k) {
  if (p.parts <= 1) return 0;
  const auto lists = static_cast<std::size_t>(rows) * static_cast<std::size_t>(p.parts) * static_cast<std::size_t>(k);
  return (lists * sizeof(Position) + 15) / 16 * 16 + lists * sizeof(In);
}

namespace detail {
template <class In>
void check_top_k(const row_source<In>& in, int k, const top_k_plan& p, const workspace& w, std::size_t need) {
  const auto refuse = [&](const std::string& what, const char* why, const std::string& would) { throw error("TF3205", what, why, would); };
  const std::string what = "the " + std::to_string(k) + " largest of rows of " + std::to_string(in.columns);
  if (k < 1 || k > 64) refuse(what, "lists hold 1 to 64 elements", "k from 1 to 64; a sort for more");
  if (k > in.columns) refuse(what, "rows have fewer elements", "k up to the length of rows");
  const auto power = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
  const bool fits = p.kernel == top_k_kernel::short_rows ? in.columns <= 64 && in.pitch == in.columns
                    : p.kernel == top_k_kernel::held
                        ? k <= 8 && p.parts == 1 && (p.vectors == 4 || p.vectors == 8) &&
                              (p.lanes == 8 || p.lanes == 16 || p.lanes == 32) && held_slots(in) <= p.lanes * p.vectors
                        : power(p.vectors) && p.vectors >= 2 && p.vectors <= 8 && (p.parts == 1 || p.kernel == top_k_kernel::blocks);
  if (!fits || !power(p.warps) || p.warps > 8 || p.parts < 1 || in.columns / p.parts >= (index(1) << 32) - 65536 ||
      (p.parts > 1 && in.columns / (64 * p.warps * p.vectors * per_vector<In>) < p.parts))
    refuse(to_string(p), "the plan does not fit rows", to_string(plan_top_k(in, k)));
  check_workspace(w, need, to_string(p));
}

//! `warps` warps have a row or a piece of one.
template <class In, class Position>
void launch_top_k(const row_source<In>& in, int k, const top_k_plan& p, int warps, index parts, In* values, Position* positions,
                  const Position* lookup, cudaStream_t stream) {
  const index per_block = p.warps / warps, limit = (index(1) << 30) / parts;
  with_vectors<2, 8>(p.vectors, [&](auto v) {
    const auto kernel = kernels::top_k_tiles<decltype(v)::value, In, Position>;
    const int shared = kernels::top_k_shared(p.warps, warps, k);
    const index resident = p.stay ? resident_clusters(kernel, 32 * p.warps, 1, shared) : 0;
    for (index first = 0; first < in.rows; first += limit * per_block) {
      const index left = in.rows - first, rows = left < limit * per_block ? left : limit * per_block;
      const index blocks = rounded_up_division(rows * parts, per_block);
      launch_with(kernel, p.stay && blocks > resident ? resident : blocks, 32 * p.warps, 1, shared, stream, in, k, warps, parts, values,
                  positions, lookup, first, rows * parts);
    }
  });
}
}  // namespace detail

//! @brief  values[row·k + j], positions[row·k + j]: the j-th largest element of the row and where it is.
//! @shape  in: [rows, columns]; values, positions: [rows, k], on the device
//! @order  largest first; of equal elements the lower position; −0 and +0 are equal; NaN comes before every number
//! @pre    1 ≤ k ≤ 64, k ≤ columns; positions fit the type Position
//! @errors TF3201 … TF3206, before anything is launched; nothing is allocated, nothing waits
//! @cost   one read of the rows, whatever their order: a tile of a warp costs a bounded number of looks at the registers
template <class In, class Position>
void top_k_rows(const row_source<In>& in, int k, In* values, Position* positions, const top_k_plan& p, workspace w = {},
                cudaStream_t stream = nullptr) {
  static_assert(std::is_same_v<computed_of<In>, float>, "top_k_rows: elements are float, half or bfloat16");
  detail::check_rows(in, values);
  detail::check_rows(in, positions);
  detail::check_top_k(in, k, p, w, top_k_workspace<In, Position>(p, in.rows, k));
  if (in.rows == 0) return;
  if (p.kernel == top_k_kernel::short_rows) {
    const int columns = static_cast<int>(in.columns), threads = 128;
    const index limit = index(1) << 30;
    const auto run = [&](auto most) {
      constexpr int held = decltype(most)::value;
      for (index first = 0; first < in.rows; first += limit * threads) {
        const index left = in.rows - first, rows = left < limit * threads ? left : limit * threads;
        detail::launch_with(kernels::top_k_short<held, In, Position>, detail::rounded_up_division(rows, threads), threads, 1,
                            kernels::top_k_short_shared<held, In, Position>(columns, k, threads), stream, in, k, values, positions, first);
      }
    };
    if (columns <= 8) run(std::integral_constant<int, 8>{});
    else if (columns <= 24) run(std::integral_constant<int, 24>{});
    else run(std::integral_constant<int, 0>{});
    return;
  }
  if (p.kernel == top_k_kernel::held) {
    const index per_block = 128 / p.lanes, limit = index(1) << 30;
    return detail::with_vectors<4, 8>(p.vectors, [&](auto v) {
      for (index first = 0; first < in.rows; first += limit * per_block) {
        const index left = in.rows - first, rows = left < limit * per_block ? left : limit * per_block;
        detail::launch_with(kernels::top_k_held<decltype(v)::value, In, Position>, detail::rounded_up_division(rows, per_block), 128, 1, 0,
                            stream, in, k, p.lanes, values, positions, first);
      }
    });
  }
  const int warps = p.kernel == top_k_kernel::warps ? 1 : p.warps;
  const auto* const itself = static_cast<const Position*>(nullptr);
  if (p.parts == 1) return detail::launch_top_k(in, k, p, warps, 1, values, positions, itself, stream);
  const index lists = in.rows * p.parts * k;
  auto* const where = static_cast<Position*>(w.data);
  auto* const what =
      reinterpret_cast<In*>(static_cast<char*>(w.data) + (static_cast<std::size_t>(lists) * sizeof(Position) + 15) / 16 * 16);
  detail::launch_top_k(in, k, p, warps, p.parts, what, where, itself, stream);
  top_k_plan merging = p;
  merging.warps = p.parts * k > 4096 ? 8 : 2;
  detail::launch_top_k(row_source<In>{what, in.rows, p.parts * k, p.parts * k}, k, merging, merging.warps, 1, values, positions,
                       static_cast<const Position*>(where), stream);
}

}  // namespace twofold::cuda
