// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The kernel of top_k.cuh for rows of any length.
#pragma once

#include "twofold/cuda/top_k_tile.cuh"

namespace twofold::cuda::kernels {

//! What a warp keeps. An entry is an element's key and, so that lower positions come first, the complement of its position; 0 is none.
struct top_room {
  static constexpr int capacity = 128;
  std::uint64_t list[2][64];       //!< the best so far, sorted
  std::uint64_t found[capacity];   //!< of this tile, and of those before it that were not ranked
  std::uint32_t places[capacity];  //!< of this tile's
};

__device__ __forceinline__ std::uint64_t entry_of(std::uint32_t key, std::uint32_t position) {
  return static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint32_t>(~position);
}

//! @brief  A warp's list of the best of the tiles it has seen, in room.list[side], k ≤ 64 entries.
//! @pre    all lanes; the piece of the row is shorter than 2^32; *floor: the largest `least` of any warp that has a part of the same piece
//! @cost   of a tile with something better: a threshold from the lanes' largest elements, what reaches it is gathered, narrowed and ranked;
//!         ties with the threshold are taken in the order of positions, so that equal elements cost no more. Only where more than
//!         top_room::capacity elements of a few lanes are better than the k-th largest of the lanes is a threshold found by bisection
template <int V, class In>
struct top_k_walk {
  static constexpr int E = per_vector<In>, capacity = top_room::capacity;
  using tile_type = top_tile<V, In>;
  using marks = typename tile_type::marks;
  using order = ordered<In>;
  top_room& room;
  int k;
  std::uint32_t* floor = nullptr;
  int side = 0;
  int waiting = 0;          //!< found entries that are not in the list
  std::uint32_t least = 0;  //!< key of the last entry: newcomers behind it must have a larger one, those before it as large a one
  std::uint32_t last = 0;   //!< where the last entry is

  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x & 31); }
  __device__ __forceinline__ static std::uint32_t lower_lanes() { return (1u << lane()) - 1; }

  //! An empty list; others that have a part of the same piece know of `at`.
  __device__ __forceinline__ void begin(std::uint32_t* at) {
    floor = at, side = 0, waiting = 0, least = 0, last = 0;
    for (int i = lane(); i < 64; i += 32) room.list[0][i] = room.list[1][i] = 0;
    __syncwarp();
  }

  //! One tile whose element 0 is number `origin` of the piece.
  __device__ __forceinline__ void take(const tile_type& tile, std::uint32_t origin) {
    const bool some = tile.slots.first * E - tile.slots.head < tile.count;
    std::uint32_t even = 0, odd = 0;
    if (some) tile.largest(even, odd);
    const std::uint32_t elsewhere = *static_cast<volatile std::uint32_t*>(floor);  // k entries of some warp have this key or a larger one
    std::uint32_t from = ::max(elsewhere, least == 0 || origin > last ? least + 1 : least);
    even = even >= from ? even : 0, odd = odd >= from ? odd : 0;
    if (!__any_sync(~0u, (even | odd) != 0)) return;
    from = ::max(from, reached(even, odd));
    // Keys that many elements reach, and that fewer than k do, until few are marked or they are neighbours.
    const int enough = k <= 8 ? 32 : capacity;
    std::uint32_t low = from, high = order::nan_key + 1, look = from;
    marks mask = 0, better = 0;
    int count = 0, more = 0;
    for (;;) {
      const marks m = tile.reaching(look);
      const int n = __reduce_add_sync(~0u, tile_type::how_many(m));
      if (look > from && n < k) high = look, better = m, more = n;
      else low = look, mask = m, count = n;
      if (count <= enough || high - low == 1) break;
      look = look == from ? from + 1 : low + (high - low) / 2;  // at first what lies above: of many equal elements few are wanted
    }
    int found = count;
    if (count <= enough) {
      gather(tile, mask, 0);
    } else {  // ties
      gather(tile, better, 0);
      found = gather_first(tile, mask & ~better, more, k - more);
    }
    __syncwarp();
    if (waiting + found > capacity) settle();
    for (int i = lane(); i < found; i += 32) {  // all of them are read at once
      const std::uint32_t position = room.places[i];
      room.found[waiting + i] = entry_of(order::key(tile.data[position]), origin + position);
    }
    waiting += found;
    __syncwarp();
    // Many at a time wait for more: where every tile is better than those before, ranking would be most of the work.
    if (least == 0 || found <= 16 || waiting > capacity / 2 || k > 8) settle();
  }
  //! What waits joins the list.
  __device__ __forceinline__ void settle() {
    if (waiting > 0) rank(waiting);
    waiting = 0;
  }

  //! `count` ≤ capacity entries in room.found join the list.
  __device__ __forceinline__ void rank(int count) {
    if (count > (k <= 8 ? 16 : 32)) count = narrow(count);
    const int old = least == 0 ? listed() : k, all = old + count;
    if (lane() == 0 && (count & 1)) room.found[count] = 0;  // entries are read in pairs
    __syncwarp();
    for (int i = lane(); i < all; i += 32) {
      const std::uint64_t mine = i < old ? room.list[side][i] : room.found[i - old];
      const int before = larger(room.list[side], old, mine) + larger(room.found, count, mine);
      if (before < k) room.list[side ^ 1][before] = mine;
    }
    side ^= 1;
    if (all < k)
      for (int i = all + lane(); i < k; i += 32) room.list[side][i] = 0;
    __syncwarp();
    const std::uint64_t worst = room.list[side][k - 1];
    const auto now = static_cast<std::uint32_t>(worst >> 32);
    last = ~static_cast<std::uint32_t>(worst);
    if (now > least && lane() == 0) atomicMax(floor, now);
    least = now;
  }

 private:
  //! How many of the first n entries, n rounded up to an even number, are larger.
  __device__ __forceinline__ static int larger(const std::uint64_t* list, int n, std::uint64_t mine) {
    int before = 0;
#pragma unroll 4
    for (int j = 0; j < n; j += 2) {
      const ulonglong2 two = *reinterpret_cast<const ulonglong2*>(list + j);
      before += two.x > mine;
      before += two.y > mine;
    }
    return before;
  }
  //! How many entries there are, before there are k.
  __device__ __forceinline__ int listed() const {
    return __popc(__ballot_sync(~0u, lane() < k && room.list[side][lane()] != 0)) +
           __popc(__ballot_sync(~0u, lane() + 32 < k && room.list[side][(lane() + 32) % 64] != 0));
  }
  //! A key that at least k of the keys a and b of lanes reach, 0 where none is found: the eighth largest, or the least of the largest of
  //! `groups` ≥ k groups of lanes.
  __device__ __forceinline__ std::uint32_t reached(std::uint32_t a, std::uint32_t b) const {
    if (k <= 8) return eighth_of_lanes(a, b, 32);
    if (k > 32) return 0;
    std::uint32_t key = ::max(a, b);
    const int groups = 1 << (32 - __clz(k - 1));
    for (int by = 16; by >= groups; by /= 2) key = ::max(key, __shfl_xor_sync(~0u, key, by));
    for (int by = groups / 2; by > 0; by /= 2) key = ::min(key, __shfl_xor_sync(~0u, key, by));
    return key;
  }
  //! A lane's place among all lanes' numbers n, and their sum.
  __device__ __forceinline__ static int place_among_lanes(int n, int& all) {
    int before = n;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      const int left = __shfl_up_sync(~0u, before, by);
      if (lane() >= by) before += left;
    }
    all = __shfl_sync(~0u, before, 31);
    return before - n;
  }
  //! Positions of the marked elements from room.places[to] on.
  __device__ __forceinline__ void gather(const tile_type& tile, marks mask, int to) const {
    int all, at = to + place_among_lanes(tile_type::how_many(mask), all);
    tile.each(mask, [&](int position) { room.places[at++] = static_cast<std::uint32_t>(position); });
  }
  //! The first `most` of the marked elements in the order of positions: vectors, then lanes, then elements. How many there are then.
  __device__ __forceinline__ int gather_first(const tile_type& tile, marks mask, int to, int most) const {
    const int end = to + most;
#pragma unroll 1
    for (int v = 0; v < V && to < end; ++v) {
      std::uint32_t here = tile_type::of_vector(mask, v);
      if (!__any_sync(~0u, here != 0)) continue;
      int all, at = to + place_among_lanes(__popc(here), all);
      for (; here != 0 && at < end; here &= here - 1, ++at)
        room.places[at] = static_cast<std::uint32_t>(tile.position_of(v * E) + __ffs(static_cast<int>(here)) - 1);
      to += all;
    }
    return to < end ? to : end;
  }

  //! Of `count` found entries those that a key reaches which at least k of them reach; of many ties with it, those of low positions.
  __device__ __forceinline__ int narrow(int count) const {
    constexpr int each = capacity / 32;
    std::uint64_t entry[each] = {};
    std::uint32_t most = 0, first = 0, of_two[2] = {0, 0};
    const auto key = [&](int j) { return static_cast<std::uint32_t>(entry[j] >> 32); };
    const auto place = [&](int j) { return static_cast<std::uint32_t>(entry[j]); };
#pragma unroll
    for (int j = 0; j < each; ++j) {
      entry[j] = lane() + 32 * j < count ? room.found[lane() + 32 * j] : 0;
      of_two[j % 2] = ::max(of_two[j % 2], key(j));
    }
    most = reached(of_two[0], of_two[1]);
    const auto stays = [&](int j) { return entry[j] != 0 && (key(j) > most || (key(j) == most && place(j) >= first)); };
    int stay = 0;
#pragma unroll
    for (int j = 0; j < each; ++j) stay += stays(j);
    if (__reduce_add_sync(~0u, stay) > 32) {
      of_two[0] = of_two[1] = 0;
#pragma unroll
      for (int j = 0; j < each; ++j)
        if (key(j) == most) of_two[j % 2] = ::max(of_two[j % 2], place(j));
      first = reached(of_two[0], of_two[1]);
    }
    __syncwarp();
    int to = 0;
#pragma unroll
    for (int j = 0; j < each; ++j) {
      if (32 * j >= count) break;
      const std::uint32_t some = __ballot_sync(~0u, stays(j));
      if (stays(j)) room.found[to + __popc(some & lower_lanes())] = entry[j];
      to += __popc(some);
    }
    __syncwarp();
    return to;
  }
};

//! What the warps of a group share: the lists of the pieces under way, and who has handed in theirs.
struct top_group {
  static constexpr int depth = 4;  //!< pieces under way: a warp may be as far ahead of another
  std::uint32_t floor[depth];      //!< k elements of the piece have this key or a larger one
  std::uint32_t handed_in[depth];  //!< lists of the piece
  std::uint32_t done[depth];       //!< how many pieces had their place here and are finished
};
template <class T>
__device__ __forceinline__ T as_written(const T& x) {
  return *const_cast<const volatile T*>(&x);
}

//! Shared memory of a block of `warps` in groups of `warps_each` for lists of k.
__host__ __device__ constexpr int top_k_shared(int warps, int warps_each, int k) {
  const int entries = (k + 1) / 2 * 2;
  return warps * static_cast<int>(sizeof(top_room)) +
         (warps_each > 1 ? warps * top_group::depth * entries * 8 + warps / warps_each * static_cast<int>(sizeof(top_group)) : 0);
}

//! @brief  Groups of `warps_each` warps take pieces of rows in turn (`parts` a row): values and positions [(row·parts + part)·k + j]. The
//! tiles of all pieces of a group go round its warps; each has a list for the piece it is at and hands it in; who is last merges them, and
//! the others go on. Where `lookup` is given, columns are elements of lists and their positions are found there.
template <int V, class In, class Position>
__global__ void __launch_bounds__(256, V == 8 ? 3 : 4)
    top_k_tiles(const row_source<In> in, const int k, const int warps_each, const index parts, In* const values, Position* const positions,
                const Position* const lookup, const index first_row, const index pieces) {
  extern __shared__ __align__(16) unsigned char top_memory[];
  constexpr int E = per_vector<In>, per_tile = 32 * V * E, depth = top_group::depth;
  const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x / 32), member = warp & (warps_each - 1),
            number = warp >> (31 - __clz(warps_each)), warps = static_cast<int>(blockDim.x / 32), entries = (k + 1) / 2 * 2;
  auto* const rooms = reinterpret_cast<top_room*>(top_memory);
  auto* const lists = reinterpret_cast<std::uint64_t*>(rooms + warps) + number * warps_each * depth * entries;  // [place][warp][entry]
  auto* const group = reinterpret_cast<top_group*>(reinterpret_cast<std::uint64_t*>(rooms + warps) + warps * depth * entries) + number;
  __shared__ std::uint32_t floors[8];
  if (warps_each > 1) {
    for (int i = static_cast<int>(threadIdx.x); i < warps / warps_each * static_cast<int>(sizeof(top_group) / 4);
         i += static_cast<int>(blockDim.x))
      reinterpret_cast<std::uint32_t*>(group - number)[i] = 0;
    __syncthreads();
  }
  top_k_walk<V, In> list{rooms[warp], k};
  const index groups = static_cast<index>(gridDim.x) * (warps / warps_each);
  int ahead = member;  // tiles of this group until the next one of this warp
  std::uint32_t turn = 0;
  for (index at = static_cast<index>(blockIdx.x) * (warps / warps_each) + number; at < pieces; at += groups, ++turn) {
    index row = first_row + at, part = 0;
    if (parts > 1) row = first_row + at / parts, part = at % parts;  // dear beside a short row
    const In* const start = in.data + row * in.pitch;
    const row_walk<In> walk{start, misalignment(start), in.columns};
    index begin = 0, end = walk.tiles(per_tile);
    if (parts > 1) {
      const index each = end / parts, longer = end % parts;
      begin = part * each + (part < longer ? part : longer), end = begin + each + (part < longer);
    }
    const index piece = walk.at(begin, per_tile).origin;
    const int place = static_cast<int>(turn) % depth;
    if (warps_each > 1) {
      while (as_written(group->done[place]) < turn / depth) {  // the piece that had this place is finished but for a warp far behind
      }
      __syncwarp();
      list.begin(&group->floor[place]);
    } else {
      if (lane == 0) floors[warp] = 0;
      list.begin(&floors[warp]);
    }
    // A whole tile near the end comes second, so that rows which ascend are as cheap as those which descend: then few others have anything
    // better. Which elements are the best does not depend on the order in which tiles are looked at.
    const index first = begin + ahead, last = end - 1 - ((end - 1 - first) & (warps_each - 1));
    const index early = walk.at(last, per_tile).count < per_tile && last - warps_each > first ? last - warps_each : last;
    for (index t = first, next = first + warps_each; first < end;) {
      const auto tile = walk.at(t, per_tile);
      const slots_of_thread slots{lane, 32, tile.head};
      uint4 raw[V];
      list.take(top_tile<V, In>(raw, slots, tile.data, tile.count), static_cast<std::uint32_t>(tile.origin - piece));
      if (t == first && early > first) {
        t = early;
        continue;
      }
      if (next == early) next += warps_each;
      if (next > last) break;
      t = next, next += warps_each;
    }
    list.settle();
    if (warps_each > 1) {
      ahead = static_cast<int>(ahead - (end - begin)) & (warps_each - 1);
      std::uint64_t* const handed = lists + place * warps_each * entries;
      for (int i = lane; i < k; i += 32) handed[member * entries + i] = rooms[warp].list[list.side][i];
      __threadfence_block();
      __syncwarp();
      std::uint32_t before = 0;
      if (lane == 0) before = atomicAdd(&group->handed_in[place], 1u);
      if (__shfl_sync(~0u, before, 0) + 1 < static_cast<std::uint32_t>(warps_each)) continue;
      __threadfence_block();
      const int at_once = top_room::capacity / k;
      for (int w = 0; w < warps_each; w += at_once) {
        const std::uint64_t last = rooms[warp].list[list.side][k - 1];
        int count = 0;
        for (int other = w; other < warps_each && other < w + at_once; ++other)
          for (int i = lane; i < (k + 31) / 32 * 32; i += 32) {
            const std::uint64_t entry = other != member && i < k ? as_written(handed[other * entries + i]) : 0;
            const std::uint32_t some = __ballot_sync(~0u, entry > last);  // of equal elements those of lower positions, too
            if (entry > last) rooms[warp].found[count + __popc(some & list.lower_lanes())] = entry;
            count += __popc(some);
          }
        __syncwarp();
        list.rank(count);
      }
    }
    for (int j = lane; j < k; j += 32) {
      const auto after = static_cast<std::uint32_t>(~rooms[warp].list[list.side][j]);
      const index column = piece + after, to = (row * parts + part) * k + j;
      values[to] = start[column];
      positions[to] = lookup ? lookup[row * in.columns + column] : static_cast<Position>(column);
    }
    __syncwarp();
    if (warps_each > 1 && lane == 0) {
      group->floor[place] = 0, group->handed_in[place] = 0;
      __threadfence_block();
      *const_cast<volatile std::uint32_t*>(&group->done[place]) = turn / depth + 1;
    }
  }
}

}  // namespace twofold::cuda::kernels
