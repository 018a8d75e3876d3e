// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file An operator whose leaves are computed in vector lanes. Every schedule that says `tiles` then runs in vectors: reductions, scans,
//! segments, streams.
#pragma once

#include "twofold/cpu/compiled.hpp"
#include "twofold/cpu/extremum_block.hpp"
#include "twofold/schedule/reduce.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace cpu {

//! How leaves of an operator over a source are computed.
enum class lane_path : unsigned char {
  scalar,       //!< several scalar chains: the code does not hold for vectors, or the source is not of plain arrays
  ordered,      //!< lanes over contiguous pieces: order is kept
  interleaved,  //!< lanes over every N-th element: the operator declares itself commutative
  twisted,      //!< lanes at one reference
  extremum,     //!< lanes find what the extreme element is, then where
  parts         //!< a product: each part its own way
};
template <class R, class S>
inline constexpr lane_path lane_path_of = [] {
  constexpr int N = detail::vector_source<S>::lanes;
  if constexpr (requires(const R& r) { r.head.identity(); }) return lane_path::parts;
  else if constexpr (detail::finds_extremum<R, S>) return lane_path::extremum;
  else if constexpr (!detail::vector_source<S>::value) return lane_path::scalar;
  else if constexpr (detail::weighed<N, R> && requires(const R& r, const S& s) {
                       r.survey(s);
                       s.data;
                     })
    return lane_path::twisted;
  else if constexpr (detail::centred<N, R, S>) return lane_path::twisted;
  else if constexpr (has_lanes<R, N>) return is_commutative<R> ? lane_path::interleaved : lane_path::ordered;
  else return lane_path::scalar;
}();

//! @brief  R with leaves in vector lanes: R's own leaf is replaced, its laws are not.
//! @math   leaf(tile) is a bracketing of the tile's lifted elements that depends on its size alone: not on the machine's vectors
//! @order  kept; only a reduction that declares itself commutative is reordered, within a leaf
//! @example reduce(in_lanes{log_sum_exp<float>{}}, x, threads{} | tiles{65536} | tree{})
template <reduction R>
struct in_lanes : R {
  constexpr in_lanes() = default;
  constexpr explicit in_lanes(const R& r) : R(r) {}
  using typename R::state;

  template <class Tile>
  state leaf(const Tile& tile) const {
    const R& r = *this;
    constexpr lane_path path = lane_path_of<R, Tile>;
    constexpr int N = detail::vector_source<Tile>::lanes;
    if constexpr (path != lane_path::scalar) {
      const auto& plain = detail::plain_source(tile);
      state s = r.identity();
      using job = detail::job<R, std::remove_cvref_t<decltype(plain)>>;
      if (detail::by_library<job>(detail::compiled_leaves{}, [&](const auto& calls, int k) { calls.leaf[k](&r, &plain, &s); })) return s;
    }
    if constexpr (path == lane_path::scalar) {
      return one_by_one(tile);
    } else if constexpr (path == lane_path::parts) {
      if constexpr (requires { r.tail; })
        return {in_lanes<decltype(R::head)>(r.head).leaf(tile), in_lanes<decltype(R::tail)>(r.tail).leaf(tile)};
      else return {in_lanes<decltype(R::head)>(r.head).leaf(tile)};
    } else if constexpr (path == lane_path::extremum) {
      return detail::extremum_block(r, tile);
    } else {
      constexpr index enough = path == lane_path::twisted ? N : path == lane_path::interleaved ? 4 * N : 8 * N;
      if (tile.size() < enough) return one_by_one(tile);  // not worth the merge of the lanes
      if (detail::side_by_side(tile)) return by_lanes<N, path>(detail::contiguous(tile));
      else return by_lanes<N, path>(tile);
    }
  }

 private:
  template <int N, lane_path Path, class Tile>
  state by_lanes(const Tile& tile) const {
    const R& r = *this;
    if constexpr (Path == lane_path::ordered) {
      return detail::ordered_lanes<N>(r, tile);
    } else if constexpr (Path == lane_path::interleaved) {
      if constexpr (constexpr int direction = detail::extreme_direction<R>; direction != 0 && requires { tile.data; }) {
        const auto y = detail::extreme_of<N, (direction > 0)>(array_source<state>{tile.data, tile.size(), tile.stride});
        if (y == y && y != 0) return y;
      }
      return detail::interleaved_lanes<N>(r, tile);
    } else if constexpr (detail::weighed<N, R>) return detail::twisted_lanes<N>(r, tile, detail::weighing<N, R>{r});
    else return detail::twisted_lanes<N>(r, tile, detail::centring<N, R>{r});
  }
  template <class Tile>
  state one_by_one(const Tile& tile) const {
    const R& r = *this;
    if constexpr (requires {
                    { r.leaf(tile) } -> std::convertible_to<state>;
                  })
      return r.leaf(tile);
    else if constexpr (source<Tile>) return detail::scalar_chains(r, tile);
    else return twofold::leaf(r, tile);
  }
};
template <class R>
in_lanes(R) -> in_lanes<R>;

}  // namespace cpu
TWOFOLD_END_NAMESPACE

#if defined(TWOFOLD_LIBRARY) && !defined(TWOFOLD_TARGET)
#include "twofold/cpu/vectors.hpp"
#endif
