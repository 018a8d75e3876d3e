// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The kernels of top_k.cuh.
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

//! @name Who has a row: a warp, or a block.
//! @{
struct warp_team {
  static constexpr int threads = 32, capacity = 64;
  __device__ static int rank() { return static_cast<int>(threadIdx.x & 31); }
  __device__ static void sync() { __syncwarp(); }
  __device__ static int count(bool b) { return __popc(__ballot_sync(~0u, b)); }
};
template <int Threads>
struct block_team {
  static constexpr int threads = Threads, capacity = 192;
  __device__ static int rank() { return static_cast<int>(threadIdx.x); }
  __device__ static void sync() { __syncthreads(); }
  __device__ static int count(bool b) { return __syncthreads_count(b); }
};
//! @}

//! What a team shares. An entry is an element's key and, so that lower positions come first, the complement of its position.
template <class Team>
struct top_room {
  std::uint64_t list[2][64];            //!< the best so far, sorted
  std::uint64_t found[Team::capacity];  //!< of this tile
  std::uint32_t keys[Team::threads];
  std::uint32_t threshold;
  int count[2];
  int sum[2];
};

__device__ __forceinline__ std::uint64_t entry_of(std::uint32_t key, std::uint32_t position) {
  return static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint32_t>(~position);
}

//! V vectors of a thread; absent elements hold −inf and are known by `bits`.
template <int V, class In>
struct top_tile {
  static constexpr int E = per_vector<In>, size = V * E, chunks = (size + 31) / 32;
  static constexpr bool half = sizeof(In) == 2;
  const uint4 (&raw)[V];
  slots_of_thread slots;
  const In* data;
  std::uint64_t bits;
  bool whole;

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

//! @brief  The list of a piece of a row in room.list[side], k ≤ 64 entries.
//! @pre    all threads of the team; the piece is shorter than 2^32
template <class Team, int V, class In>
struct top_k_walk {
  static constexpr int E = per_vector<In>;
  top_room<Team>& room;
  int k;
  int side = 0;
  std::uint32_t least = 0;  //!< key of the last entry: newcomers must have a larger one

  __device__ __forceinline__ void begin() {
    for (int i = Team::rank(); i < 64; i += Team::threads) room.list[1][i] = 0;
    if (Team::rank() == 0) room.count[0] = room.count[1] = room.sum[0] = room.sum[1] = 0;
    Team::sync();
  }

  //! A key that at least k threads reach, all of which have a larger one than `least`.
  __device__ __forceinline__ std::uint32_t reached_by_many(std::uint32_t key) const {
    if constexpr (Team::threads == 32) {
      std::uint32_t most = 0;
      for (int seen = 0; seen < k;) {
        most = __reduce_max_sync(~0u, key);
        const bool it = key == most;
        seen += __popc(__ballot_sync(~0u, it));
        if (it) key = 0;
      }
      return most;
    } else {
      constexpr int each = Team::threads / 32;
      room.keys[threadIdx.x] = key;
      __syncthreads();
      if (threadIdx.x < 32) {
        std::uint32_t mine[each], t = 0;
#pragma unroll
        for (int i = 0; i < each; ++i) mine[i] = room.keys[threadIdx.x + 32 * i];
        for (int bit = 31; bit >= 0; --bit) {
          const std::uint32_t c = t | 1u << bit;
          int n = 0;
#pragma unroll
          for (int i = 0; i < each; ++i) n += mine[i] >= c;
          n = __reduce_add_sync(~0u, n);
          if (n < k) continue;
          t = c;
          if (n <= k + 8) break;
        }
        std::uint32_t next = ~0u;
#pragma unroll
        for (int i = 0; i < each; ++i) next = mine[i] >= t ? min(next, mine[i]) : next;
        next = __reduce_min_sync(~0u, next);
        if (threadIdx.x == 0) room.threshold = next;
      }
      __syncthreads();
      return room.threshold;
    }
  }

  //! Σ n over the team. Uses the two sums in turn.
  __device__ __forceinline__ int total(int n, int& turn) const {
    if constexpr (Team::threads == 32) {
      return __reduce_add_sync(~0u, n);
    } else {
      n = __reduce_add_sync(~0u, n);
      if (threadIdx.x % 32 == 0) atomicAdd(&room.sum[turn], n);
      __syncthreads();
      const int all = room.sum[turn];
      if (threadIdx.x == 0) room.sum[turn ^ 1] = 0;
      turn ^= 1;
      __syncthreads();
      return all;
    }
  }

  //! One tile whose element 0 is number `origin` of the piece.
  __device__ __forceinline__ void take(const top_tile<V, In>& tile, std::uint32_t origin) {
    if (least == ~0u) return;  // k NaNs already
    const std::uint32_t mine = tile.bits != 0 || tile.whole ? order_key(tile.largest()) : 0;
    const int over = Team::count(mine > least);
    if (over == 0) return;
    std::uint32_t at_least = 0;
    if (over >= k) at_least = reached_by_many(mine > least ? mine : 0);
    const In below = at_least > least ? just_below<In>(at_least) : narrowed<In>(element_of_key(least));
    std::uint32_t mask[top_tile<V, In>::chunks];
    tile.above(below, mask);
    int found = 0;
#pragma unroll
    for (const std::uint32_t m : mask) found += __popc(m);
    int to = 0;
    if (found > 0) {
      to = atomicAdd(&room.count[side], found);
#pragma unroll
      for (int c = 0; c < top_tile<V, In>::chunks; ++c)
        for (std::uint32_t m = mask[c]; m != 0 && to < Team::capacity; m &= m - 1, ++to) {
          const int position = tile.position_of(tile.element_of_bit(c, __ffs(static_cast<int>(m)) - 1));
          room.found[to] = entry_of(order_key(widened<float>(tile.data[position])), origin + static_cast<std::uint32_t>(position));
        }
    }
    Team::sync();
    int count = room.count[side];
    if (count > Team::capacity) count = keep_best(tile, origin, mine);
    rank(count);
  }

 private:
  //! More passed than there is room for: many ties, or all of the large ones with few threads. The k best exactly, by bisection of entries.
  __device__ __forceinline__ int keep_best(const top_tile<V, In>& tile, std::uint32_t origin, std::uint32_t mine) {
    int turn = 0;
    const auto counted = [&](std::uint64_t limit) {
      int n = 0;
#pragma unroll
      for (int i = 0; i < top_tile<V, In>::size; ++i)
        n += tile.there(i) && entry_of(order_key(tile.at(i)), static_cast<std::uint32_t>(tile.position_of(i))) >= limit;
      return total(n, turn);
    };
    std::uint32_t most;
    if constexpr (Team::threads == 32) {
      most = __reduce_max_sync(~0u, mine);
    } else {
      room.keys[threadIdx.x] = mine;
      __syncthreads();
      most = 0;
      for (int i = static_cast<int>(threadIdx.x % 32); i < Team::threads; i += 32) most = max(most, room.keys[i]);
      most = __reduce_max_sync(~0u, most);
    }
    if (Team::rank() == 0) room.sum[0] = room.sum[1] = 0;
    Team::sync();
    std::uint64_t limit = 0;
    int bit = 63;
    int reached = Team::capacity + 1;
    // Usually either the largest is there many times, or keys tell. A complemented position within a tile begins with 16 ones.
    for (bool first = true; bit >= 0 && reached > Team::capacity; first = false) {
      const std::uint64_t c = first ? static_cast<std::uint64_t>(most) << 32 : limit | std::uint64_t(1) << bit;
      const int n = counted(c);
      if (n >= k) limit = c, reached = n;
      if (first) bit = n >= k ? 31 : 63;
      else --bit;
      if (bit == 31) limit |= 0xffff0000u, bit = 15;
    }
    if (Team::rank() == 0) room.count[side] = 0;
    Team::sync();
#pragma unroll
    for (int i = 0; i < top_tile<V, In>::size; ++i) {
      const auto position = static_cast<std::uint32_t>(tile.position_of(i));
      const std::uint32_t key = order_key(tile.at(i));
      if (tile.there(i) && entry_of(key, position) >= limit) {
        const int to = atomicAdd(&room.count[side], 1);
        if (to < Team::capacity) room.found[to] = entry_of(key, origin + position);
      }
    }
    Team::sync();
    return room.count[side];
  }

  //! The old list and what was found become the new list: an entry's place is the number of larger ones.
  __device__ __forceinline__ void rank(int count) {
    const int old = least == 0 ? 0 : k, all = old + count;  // the first tile meets no list
    for (int i = Team::rank(); i < all; i += Team::threads) {
      const std::uint64_t mine = i < old ? room.list[side][i] : room.found[i - old];
      int before = 0;
#pragma unroll 4
      for (int j = 0; j < old; ++j) before += room.list[side][j] > mine;
#pragma unroll 4
      for (int j = 0; j < count; ++j) before += room.found[j] > mine;
      if (before < k) room.list[side ^ 1][before] = mine;
    }
    if (Team::rank() == 0) room.count[side ^ 1] = 0;
    side ^= 1;
    Team::sync();
    least = static_cast<std::uint32_t>(room.list[side][k - 1] >> 32);
  }
};

//! @brief  A team a row, or a piece of one: values and positions [(row·parts + part)·k + j]. Where `lookup` is given, columns are elements
//! of lists and their positions are found there.
template <class Team, int V, class In, class Position>
__global__ void __launch_bounds__(256, V == 8 ? 3 : 4)
    top_k_tiles(const row_source<In> in, const int k, const index parts, In* const values, Position* const positions,
                const Position* const lookup, const index first_row) {
  extern __shared__ __align__(16) unsigned char top_memory[];
  constexpr int E = per_vector<In>, per_tile = Team::threads * V * E;
  constexpr bool warps = Team::threads == 32;
  auto& room = reinterpret_cast<top_room<Team>*>(top_memory)[warps ? threadIdx.x / 32 : 0];
  const index number = warps ? static_cast<index>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32 : blockIdx.x;
  const index row = first_row + number / parts, part = number % parts;
  if (row >= in.rows) return;
  const row_walk<In> walk{in.data + row * in.pitch, misalignment(in.data + row * in.pitch), in.columns};
  const index tiles = walk.tiles(per_tile), each = tiles / parts, longer = tiles % parts;
  const index begin = part * each + (part < longer ? part : longer), end = begin + each + (part < longer);
  const index piece = walk.at(begin, per_tile).origin;
  uint4 absent;
  {
    bundle<In, E> b;
#pragma unroll
    for (In& x : b.x) x = narrowed<In>(-math::infinity<float>);
    memcpy(&absent, &b, 16);
  }
  top_k_walk<Team, V, In> list{room, k};
  list.begin();
  for (index t = begin; t < end; ++t) {
    const auto tile = walk.at(t, per_tile);
    const slots_of_thread slots{Team::rank(), Team::threads, tile.head};
    uint4 raw[V];
    load_slots(raw, tile.data, slots, tile.count, absent);
    const bool whole = tile.head == 0 && tile.count == per_tile;
    list.take(top_tile<V, In>{raw, slots, tile.data, whole ? ~0ull : present_bits<V, E>(slots, tile.count), whole},
              static_cast<std::uint32_t>(tile.origin - piece));
  }
  for (int j = Team::rank(); j < k; j += Team::threads) {
    const auto after = static_cast<std::uint32_t>(~room.list[list.side][j]);
    const index at = piece + after, to = (row * parts + part) * k + j;
    values[to] = in.data[row * in.pitch + at];
    positions[to] = lookup ? lookup[row * in.columns + at] : static_cast<Position>(at);
  }
}

template <int Most, class In, class Position>
__host__ __device__ constexpr int top_k_short_shared(int columns, int k, int threads) {
  return (threads * columns * static_cast<int>(sizeof(In)) + 32 + 15) / 16 * 16 + (Most > 0 ? 0 : threads * columns * 4) +
         (threads * k * static_cast<int>(sizeof(In)) + 15) / 16 * 16 + threads * k * static_cast<int>(sizeof(Position));
}

//! @brief  Dense rows of a few elements, a thread a row: an element's place is the number of elements before it. Up to Most elements stay
//! in registers and every pair is compared once; Most = 0: any number, from shared memory.
template <int Most, class In, class Position>
__global__ void __launch_bounds__(128)
    top_k_short(const row_source<In> in, const int k, In* const values, Position* const positions, const index first_row) {
  extern __shared__ uint4 memory[];
  const int threads = static_cast<int>(blockDim.x), columns = static_cast<int>(in.columns), t = static_cast<int>(threadIdx.x);
  const index first = first_row + static_cast<index>(blockIdx.x) * threads, left = in.rows - first;
  const int rows = left < threads ? static_cast<int>(left) : threads;
  unsigned char* at = reinterpret_cast<unsigned char*>(memory) + (threads * columns * static_cast<int>(sizeof(In)) + 32 + 15) / 16 * 16;
  auto* const keys = reinterpret_cast<std::uint32_t*>(at) + t;  // [column][thread]
  if (Most == 0) at += threads * columns * 4;
  auto* const best = reinterpret_cast<In*>(at);
  at += (threads * k * static_cast<int>(sizeof(In)) + 15) / 16 * 16;
  auto* const where = reinterpret_cast<Position*>(at);
  const In* const start = in.data + first * columns;
  const int head = misalignment(start);
  stage_in(memory, start, head, rows * columns);
  if (t < rows) {
    const In* const row = reinterpret_cast<const In*>(memory) + head + t * columns;
    if constexpr (Most > 0) {
      std::uint32_t key[Most];
      int before[Most];
#pragma unroll
      for (int j = 0; j < Most; ++j) {
        if (j >= columns) continue;  // the same for all threads
        key[j] = order_key(widened<float>(row[j]));
        before[j] = 0;
#pragma unroll
        for (int i = 0; i < j; ++i) {
          const bool later_wins = key[j] > key[i];
          before[i] += later_wins;
          before[j] += !later_wins;
        }
      }
#pragma unroll
      for (int j = 0; j < Most; ++j)
        if (j < columns && before[j] < k) best[t * k + before[j]] = row[j], where[t * k + before[j]] = static_cast<Position>(j);
    }
    if constexpr (Most == 0)
      for (int i = 0; i < columns; ++i) keys[i * threads] = order_key(widened<float>(row[i]));
    for (int i = 0; Most == 0 && i < columns; ++i) {
      const std::uint32_t mine = keys[i * threads];
      int before = 0;
#pragma unroll 4
      for (int j = 0; j < i; ++j) before += keys[j * threads] >= mine;
#pragma unroll 4
      for (int j = i + 1; j < columns; ++j) before += keys[j * threads] > mine;
      if (before < k) best[t * k + before] = row[i], where[t * k + before] = static_cast<Position>(i);
    }
  }
  __syncthreads();
  for (int i = t; i < rows * k; i += threads) values[first * k + i] = best[i], positions[first * k + i] = where[i];
}

}  // namespace twofold::cuda::kernels
