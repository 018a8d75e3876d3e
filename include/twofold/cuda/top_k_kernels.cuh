// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The kernel of top_k.cuh for rows of any length.
#pragma once

#include "twofold/algebra/math.hpp"
#include "twofold/cuda/ptx/async.cuh"
#include "twofold/cuda/row_kernels.cuh"

namespace twofold::cuda::kernels {

//! @name Elements as unsigned numbers in their order: −0 and +0 have one, NaN has the largest, none has 0.
//! @{
__device__ __forceinline__ std::uint32_t order_key(float x) {
  if (x != x) return ~0u;
  const std::uint32_t b = __float_as_uint(x + 0.0f);  // −0 becomes +0
  return b ^ (static_cast<std::uint32_t>(static_cast<int>(b) >> 31) | 0x80000000u);
}
//! The element with this key; NaN for 0.
__device__ __forceinline__ float element_of_key(std::uint32_t key) { return __uint_as_float(key >> 31 ? key ^ 0x80000000u : ~key); }
//! What every element with this key or a larger one is "not less than or equal to", and no other: the next smaller number.
template <class In>
__device__ __forceinline__ In just_below(std::uint32_t key) {
  using bits = std::conditional_t<sizeof(In) == 2, std::uint16_t, std::uint32_t>;
  constexpr bits sign = static_cast<bits>(bits(1) << (8 * sizeof(In) - 1));
  const float x = element_of_key(key);
  if (x != x) return narrowed<In>(key == 0 ? x : __uint_as_float(0x7f800000u));
  const In y = narrowed<In>(x);
  bits b;
  memcpy(&b, &y, sizeof b);
  b = x == 0 ? static_cast<bits>(sign | 1) : b & sign ? static_cast<bits>(b + 1) : static_cast<bits>(b - 1);
  In z;
  memcpy(&z, &b, sizeof z);
  return z;
}
//! @}

//! What a warp keeps. An entry is an element's key and, so that lower positions come first, the complement of its position; 0 is none.
struct top_room {
  static constexpr int capacity = 128;
  std::uint64_t list[2][64];      //!< the best so far, sorted
  std::uint64_t found[capacity];  //!< of this tile
};

__device__ __forceinline__ std::uint64_t entry_of(std::uint32_t key, std::uint32_t position) {
  return static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint32_t>(~position);
}

//! Sixteen bytes of −inf: what absent elements hold.
template <class In>
__device__ __forceinline__ uint4 lowest_vector() {
  bundle<In, per_vector<In>> b;
#pragma unroll
  for (In& x : b.x) x = narrowed<In>(-math::infinity<float>);
  uint4 v;
  memcpy(&v, &b, 16);
  return v;
}

//! V vectors of a thread; absent elements hold −inf and are known by `bits`.
template <int V, class In>
struct top_tile {
  static constexpr int E = per_vector<In>, size = V * E, chunks = (size + 31) / 32;
  static constexpr bool half = sizeof(In) == 2;
  const uint4 (&raw)[V];
  slots_of_thread slots;
  const In* data;
  int count;
  std::uint64_t bits;
  bool whole;
  __device__ __forceinline__ top_tile(uint4 (&registers)[V], const slots_of_thread& s, const In* from, int n)
      : raw(registers), slots(s), data(from), count(n) {
    load_slots(registers, data, slots, count, lowest_vector<In>());
    whole = slots.head == 0 && count == 32 * size;
    bits = whole ? ~0ull : present_bits<V, E>(slots, count);
  }

  __device__ __forceinline__ std::uint32_t word(int k) const {
    const std::uint32_t w[4] = {raw[k / 4].x, raw[k / 4].y, raw[k / 4].z, raw[k / 4].w};
    return w[k % 4];
  }
  __device__ __forceinline__ float at(int i) const { return element<In, float>(raw[i / E], i % E); }
  __device__ __forceinline__ int position_of(int i) const { return (slots.first + i / E * slots.step) * E - slots.head + i % E; }
  __device__ __forceinline__ bool there(int i) const { return whole || (bits >> i & 1); }

  __device__ __forceinline__ float largest() const {
    if constexpr (half) {
      using pair = std::conditional_t<std::is_same_v<In, __half>, __half2, __nv_bfloat162>;
      const auto two = [&](int k) {
        pair p;
        const std::uint32_t w = word(k);
        memcpy(&p, &w, 4);
        return p;
      };
      pair most = two(0);
#pragma unroll
      for (int k = 1; k < 4 * V; ++k) most = __hmax2_nan(most, two(k));
      return widened<float>(__hmax_nan(most.x, most.y));
    } else {
      float most = at(0);
#pragma unroll
      for (int i = 1; i < size; ++i) asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(most), "f"(at(i)));
      return most;
    }
  }
  //! @name Elements of a chunk of 32 as bits: of the half types, even ones in the lower half.
  //! @{
  __device__ __forceinline__ static constexpr int bit_of(int i) { return half ? i % 2 * 16 + i % 32 / 2 : i % 32; }
  __device__ __forceinline__ static int element_of_bit(int chunk, int b) { return 32 * chunk + (half ? b % 16 * 2 + b / 16 : b); }
  //! The bits of vector v in its chunk.
  __device__ __forceinline__ static constexpr std::uint32_t bits_of_vector(int v) {
    return half ? 0x000f000fu << v % 4 * 4 : 0xfu << v * 4 % 32;
  }
  //! Which elements are not less than or equal to `below`.
  __device__ __forceinline__ void above(In below, std::uint32_t (&mask)[chunks]) const {
    const float limit = widened<float>(below);
#pragma unroll
    for (int c = 0; c < chunks; ++c) mask[c] = 0;
    if (!whole) {
#pragma unroll
      for (int i = 0; i < size; ++i)
        if (there(i) && !(at(i) <= limit)) mask[i / 32] |= 1u << bit_of(i);
    } else if constexpr (half) {
      using pair = std::conditional_t<std::is_same_v<In, __half>, __half2, __nv_bfloat162>;
      const pair both{below, below};
#pragma unroll
      for (int k = 0; k < 4 * V; ++k) {
        pair p;
        const std::uint32_t w = word(k);
        memcpy(&p, &w, 4);
        mask[k / 16] |= __hgtu2_mask(p, both) & (0x10001u << k % 16);
      }
    } else {
#pragma unroll
      for (int i = 0; i < size; ++i)
        if (!(at(i) <= limit)) mask[i / 32] |= 1u << bit_of(i);
    }
  }
  //! @}
};

//! @brief  A warp's list of the best of the tiles it has seen, in room.list[side], k ≤ 64 entries.
//! @pre    all lanes; the piece of the row is shorter than 2^32; *floor: the largest `least` of any warp that has a part of the same piece
//! @cost   of a tile with something better: a threshold from the lanes' largest elements, what reaches it is gathered, narrowed and ranked;
//!         ties with the threshold are taken in the order of positions, so that equal elements cost no more. Only where more than
//!         top_room::capacity elements of a few lanes are better than the k-th largest of the lanes is a threshold found by bisection
template <int V, class In>
struct top_k_walk {
  static constexpr int E = per_vector<In>, capacity = top_room::capacity;
  using tile_type = top_tile<V, In>;
  using bits_of_tile = std::uint32_t[tile_type::chunks];
  top_room& room;
  std::uint32_t* floor;
  int k;
  int side = 0;
  std::uint32_t least = 0;  //!< key of the last entry: newcomers must have a larger one

  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x & 31); }
  __device__ __forceinline__ static std::uint32_t lower_lanes() { return (1u << lane()) - 1; }

  //! One tile whose element 0 is number `origin` of the piece.
  __device__ __forceinline__ void take(const tile_type& tile, std::uint32_t origin) {
    const std::uint32_t mine = tile.bits != 0 || tile.whole ? order_key(tile.largest()) : 0;
    const std::uint32_t elsewhere = *static_cast<volatile std::uint32_t*>(floor);  // k entries of some warp have this key or a larger one
    const bool over = mine > least && mine >= elsewhere;
    const int lanes_over = __popc(__ballot_sync(~0u, over));
    if (lanes_over == 0) return;
    std::uint32_t at_least = elsewhere;
    if (lanes_over >= k) at_least = max(at_least, reached(over ? mine : 0));
    bits_of_tile mask;
    tile.above(at_least > least ? just_below<In>(at_least) : narrowed<In>(element_of_key(least)), mask);
    int count = total(mask);
    __syncwarp();
    if (count <= capacity) {
      gather(room, tile, mask, origin, 0);
    } else {
      if (lanes_over >= k) at_least = max(at_least, kth_of_lanes(over ? mine : 0));
      count = few_of_many(tile, mask, at_least, origin);
    }
    __syncwarp();
    rank(count);
  }

  //! `count` ≤ capacity entries in room.found join the list.
  __device__ __forceinline__ void rank(int count) {
    if (count > 32) count = narrow(count);
    const int old = least == 0 ? listed() : k, all = old + count;
    for (int i = lane(); i < all; i += 32) {
      const std::uint64_t mine = i < old ? room.list[side][i] : room.found[i - old];
      int before = 0;
#pragma unroll 4
      for (int j = 0; j < old; ++j) before += room.list[side][j] > mine;
#pragma unroll 4
      for (int j = 0; j < count; ++j) before += room.found[j] > mine;
      if (before < k) room.list[side ^ 1][before] = mine;
    }
    side ^= 1;
    if (all < k)
      for (int i = all + lane(); i < k; i += 32) room.list[side][i] = 0;
    __syncwarp();
    const auto now = static_cast<std::uint32_t>(room.list[side][k - 1] >> 32);
    if (now > least && lane() == 0) atomicMax(floor, now);
    least = now;
  }

 private:
  //! How many entries there are, before there are k.
  __device__ __forceinline__ int listed() const {
    return __popc(__ballot_sync(~0u, lane() < k && room.list[side][lane()] != 0)) +
           __popc(__ballot_sync(~0u, lane() + 32 < k && room.list[side][(lane() + 32) % 64] != 0));
  }
  __device__ __forceinline__ static int total(const bits_of_tile& mask) {
    int n = 0;
#pragma unroll
    for (const std::uint32_t m : mask) n += __popc(m);
    return __reduce_add_sync(~0u, n);
  }
  //! A key that at least k lanes reach, 0 where none is found: the least of the largest of `groups` ≥ k groups of lanes.
  __device__ __forceinline__ std::uint32_t reached(std::uint32_t key) const {
    if (k > 32) return 0;
    const int groups = k > 1 ? 1 << (32 - __clz(k - 1)) : 1;
    for (int by = 16; by >= groups; by /= 2) key = max(key, __shfl_xor_sync(~0u, key, by));
    for (int by = groups / 2; by > 0; by /= 2) key = min(key, __shfl_xor_sync(~0u, key, by));
    return key;
  }
  //! The largest key that at least k lanes reach. @pre k of them are not 0
  __device__ __forceinline__ std::uint32_t kth_of_lanes(std::uint32_t key) const {
    std::uint32_t most = 0;
    for (int seen = 0; seen < k;) {
      most = __reduce_max_sync(~0u, key);
      const bool it = key == most;
      seen += __popc(__ballot_sync(~0u, it));
      if (it) key = 0;
    }
    return most;
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
  __device__ __forceinline__ static std::uint64_t entry_at(const tile_type& tile, int i, std::uint32_t origin) {
    const int position = tile.position_of(i);
    return entry_of(order_key(widened<float>(tile.data[position])), origin + static_cast<std::uint32_t>(position));
  }
  //! Entries of the marked elements from room.found[to] on; how many there are then.
  __device__ __forceinline__ static int gather(top_room& room, const tile_type& tile, const bits_of_tile& mask, std::uint32_t origin,
                                               int to) {
    int mine = 0, all;
#pragma unroll
    for (const std::uint32_t m : mask) mine += __popc(m);
    int at = to + place_among_lanes(mine, all);
#pragma unroll
    for (int c = 0; c < tile_type::chunks; ++c)
      for (std::uint32_t m = mask[c]; m != 0; m &= m - 1, ++at)
        room.found[at] = entry_at(tile, tile.element_of_bit(c, __ffs(static_cast<int>(m)) - 1), origin);
    return to + all;
  }
  //! The first `most` of the marked elements in the order of positions: vectors, then lanes, then elements.
  __device__ __forceinline__ static int gather_first(top_room& room, const tile_type& tile, const bits_of_tile& mask, std::uint32_t origin,
                                                     int to, int most) {
    const int end = to + most;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (to >= end) return end;
      if (!__any_sync(~0u, mask[v * E / 32] & tile_type::bits_of_vector(v))) continue;
      std::uint32_t mine = 0;  // bit e: element e of the vector
#pragma unroll
      for (int e = 0; e < E; ++e) mine |= (mask[(v * E + e) / 32] >> tile_type::bit_of(v * E + e) & 1) << e;
      int all, at = to + place_among_lanes(__popc(mine), all);
      for (; mine != 0 && at < end; mine &= mine - 1, ++at)
        room.found[at] = entry_at(tile, v * E + __ffs(static_cast<int>(mine)) - 1, origin);
      to += all;
    }
    return to < end ? to : end;
  }

  //! More passed than there is room for: ties, or many in few lanes. The best k of them at least, capacity at most.
  __device__ __forceinline__ int few_of_many(const tile_type& tile, bits_of_tile& mask, std::uint32_t at_least,
                                             std::uint32_t origin) const {
    bits_of_tile better;
    int more = capacity + 1;
    if (at_least > least) {  // at least k are as large, or, where another warp found this key, more than there is room for
      tile.above(just_below<In>(at_least), mask);
      if (total(mask) <= capacity) return gather(room, tile, mask, origin, 0);
      tile.above(narrowed<In>(element_of_key(at_least)), better);
      more = total(better);
    }
    if (more > capacity) {  // a threshold by bisection
      at_least = 0, more = 0;
      int count = capacity + 1;
      for (int bit = 31; bit >= 0 && count > capacity; --bit) {
        const std::uint32_t c = at_least | 1u << bit;
        bits_of_tile reach;
        keys_from(tile, c, reach);
        const int n = total(reach);
        if (n < k) continue;
        at_least = c, count = n;
#pragma unroll
        for (int i = 0; i < tile_type::chunks; ++i) mask[i] = reach[i];
      }
      if (count <= capacity) return gather(room, tile, mask, origin, 0);
#pragma unroll
      for (std::uint32_t& b : better) b = 0;
      if (at_least != ~0u) keys_from(tile, at_least + 1, better);
    }
    const int some = gather(room, tile, better, origin, 0);
    if (some >= k) return some;
#pragma unroll
    for (int i = 0; i < tile_type::chunks; ++i) mask[i] &= ~better[i];
    return gather_first(room, tile, mask, origin, some, k - some);
  }
  __device__ __forceinline__ static void keys_from(const tile_type& tile, std::uint32_t key, bits_of_tile& mask) {
#pragma unroll
    for (std::uint32_t& m : mask) m = 0;
    constexpr int each = 4 / static_cast<int>(sizeof(In));
#pragma unroll
    for (int k = 0; k < 4 * V; ++k) {
      std::uint32_t word = tile.word(k);
      asm volatile("" : "+r"(word));  // or all keys would be kept in registers from one look to the next
      In x[each];
      memcpy(x, &word, 4);
#pragma unroll
      for (int e = 0; e < each; ++e)
        if (const int i = k * each + e; tile.there(i) && order_key(widened<float>(x[e])) >= key) mask[i / 32] |= 1u << tile_type::bit_of(i);
    }
  }

  //! Of `count` found entries those that a key reaches which at least k of them reach; of many ties with it, those of low positions.
  __device__ __forceinline__ int narrow(int count) const {
    constexpr int each = capacity / 32;
    std::uint64_t entry[each];
    std::uint32_t most = 0, first = 0;
    const auto key = [&](int j) { return static_cast<std::uint32_t>(entry[j] >> 32); };
    const auto place = [&](int j) { return static_cast<std::uint32_t>(entry[j]); };
#pragma unroll
    for (int j = 0; j < each; ++j) {
      entry[j] = lane() + 32 * j < count ? room.found[lane() + 32 * j] : 0;
      most = max(most, key(j));
    }
    most = reached(most);
    const auto stays = [&](int j) { return entry[j] != 0 && (key(j) > most || (key(j) == most && place(j) >= first)); };
    int stay = 0;
#pragma unroll
    for (int j = 0; j < each; ++j) stay += stays(j);
    if (__reduce_add_sync(~0u, stay) > 32) {
      std::uint32_t mine = 0;
#pragma unroll
      for (int j = 0; j < each; ++j)
        if (key(j) == most) mine = max(mine, place(j));
      first = reached(mine);
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

//! @brief  `warps` warps a row, or a piece of one, each with a list of its own: values and positions [(row·parts + part)·k + j]. Where
//! `lookup` is given, columns are elements of lists and their positions are found there.
template <int V, class In, class Position>
__global__ void __launch_bounds__(256, V == 8 ? 3 : 4)
    top_k_tiles(const row_source<In> in, const int k, const int warps, const index parts, In* const values, Position* const positions,
                const Position* const lookup, const index first_row) {
  extern __shared__ __align__(16) unsigned char top_memory[];
  constexpr int E = per_vector<In>, per_tile = 32 * V * E;
  const int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x / 32), member = warp & (warps - 1);
  auto* const rooms = reinterpret_cast<top_room*>(top_memory);
  __shared__ std::uint32_t floors[8];
  const index number = (static_cast<index>(blockIdx.x) * (blockDim.x / 32) + warp) >> (31 - __clz(warps));
  index row = first_row + number, part = 0;
  if (parts > 1) row = first_row + number / parts, part = number % parts;  // dear beside a short row
  if (lane == 0) floors[warp] = 0;
  if (warps > 1) __syncthreads();
  else __syncwarp();
  if (row >= in.rows) return;  // all warps of a block alike where they share a row
  const row_walk<In> walk{in.data + row * in.pitch, misalignment(in.data + row * in.pitch), in.columns};
  index begin = 0, end = walk.tiles(per_tile);
  if (parts > 1) {
    const index each = end / parts, longer = end % parts;
    begin = part * each + (part < longer ? part : longer), end = begin + each + (part < longer);
  }
  const index piece = walk.at(begin, per_tile).origin;
  top_k_walk<V, In> list{rooms[warp], &floors[warp - member], k};
  for (int i = lane; i < 64; i += 32) rooms[warp].list[0][i] = 0;
  __syncwarp();
  for (index t = begin + member; t < end; t += warps) {
    const auto tile = walk.at(t, per_tile);
    const slots_of_thread slots{lane, 32, tile.head};
    uint4 raw[V];
    list.take(top_tile<V, In>(raw, slots, tile.data, tile.count), static_cast<std::uint32_t>(tile.origin - piece));
  }
  if (warps > 1) {
    if (member > 0)  // to where the first warp looks
      for (int i = lane; i < k; i += 32) rooms[warp].found[i] = rooms[warp].list[list.side][i];
    __syncthreads();
    if (member > 0) return;
    const int at_once = top_room::capacity / k;
    for (int w = 1; w < warps; w += at_once) {
      int count = 0;
      for (int other = w; other < warps && other < w + at_once; ++other)
        for (int i = lane; i < (k + 31) / 32 * 32; i += 32) {
          const std::uint64_t entry = i < k ? rooms[warp + other].found[i] : 0;
          const std::uint32_t some = __ballot_sync(~0u, entry != 0);
          if (entry != 0) rooms[warp].found[count + __popc(some & list.lower_lanes())] = entry;
          count += __popc(some);
        }
      __syncwarp();
      list.rank(count);
    }
  }
  for (int j = lane; j < k; j += 32) {
    const auto after = static_cast<std::uint32_t>(~rooms[warp].list[list.side][j]);
    const index at = piece + after, to = (row * parts + part) * k + j;
    values[to] = in.data[row * in.pitch + at];
    positions[to] = lookup ? lookup[row * in.columns + at] : static_cast<Position>(at);
  }
}

}  // namespace twofold::cuda::kernels
