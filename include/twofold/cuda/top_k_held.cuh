// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The k ≤ 8 largest of rows that 8, 16 or 32 lanes hold in registers.
#pragma once

#include "twofold/cuda/top_k_tile.cuh"

namespace twofold::cuda::kernels {

//! An element's key above the complement of its position, so that lower positions come first; 0 is none. Of the half types one word.
template <class In>
struct held_entry {
  using type = std::conditional_t<sizeof(In) == 2, std::uint32_t, std::uint64_t>;
  static constexpr int shift = 4 * sizeof(type), per_load = 16 / sizeof(type), capacity = 32;
  //! Entries from one row's to the next one's: rows that are read at once lie in different banks.
  static constexpr int pitch = capacity + per_load;
  static constexpr type places = (type(1) << shift) - 1;
  __device__ __forceinline__ static type of(const In& x, int position) {
    return static_cast<type>(ordered<In>::key(x)) << shift | (places - static_cast<type>(position));
  }
  __device__ __forceinline__ static int position(type entry) { return static_cast<int>(places - (entry & places)); }
};

//! @brief  Which elements of each row are looked at: at least its k largest and at most 32; their number in the row.
//! @math   lanes have two groups of elements each; the eighth largest of groups, by their largest, is reached by at least eight elements,
//! of
//!         random ones by nine to eleven, of sorted ones by 14 or 26, where eight lanes have four groups each by 12. Where more than 32
//!         reach it, what lies above it may be enough, or else the first of its equals. Where neither helps (elements above it are many,
//!         and with few lanes) the threshold is bisected
template <int V, class In>
__device__ __forceinline__ typename top_tile<V, In>::marks held_candidates(const top_tile<V, In>& tile, int k, int lanes, int lane,
                                                                           int& before, int& total) {
  using tile_type = top_tile<V, In>;
  using marks = typename tile_type::marks;
  using order = ordered<In>;
  constexpr int most = held_entry<In>::capacity;
  std::uint32_t from;
  bool four = false;  // groups a lane: few lanes of few elements, of which a sorted row would have most of the candidates
  if constexpr (tile_type::half && V <= 4) four = lanes == 8;
  if (four) {
    if constexpr (tile_type::half) {
      std::uint32_t keys[4];
      tile.largest_of_four(keys);
      from = eighth_of_eight_lanes(keys);
    }
  } else {
    std::uint32_t even, odd;
    tile.largest(even, odd);
    from = eighth_of_lanes(even, odd, lanes);
  }
  const auto counted = [&](int n) {  // this lane's place in its row, and how many the row has
    before = n;
    for (int by = 1; by < lanes; by *= 2) {
      const int left = __shfl_up_sync(~0u, before, static_cast<unsigned>(by));
      if (lane >= by) before += left;
    }
    total = __shfl_sync(~0u, before, lanes - 1, lanes);
    before -= n;
  };
  marks mask = tile.reaching(from);
  counted(tile_type::how_many(mask));
  if (!__any_sync(~0u, total > most)) return mask;
  // Keys at which at least k, and fewer than k, are found.
  std::uint32_t low = from, high = order::nan_key + 1, look = from + 1;
  marks better = 0;
  bool busy = total > most && high - low > 1, ties = total > most && !busy;
  int some = 0;
  while (__any_sync(~0u, busy)) {
    const marks m = tile.reaching(look);
    int n = tile_type::how_many(m);
    for (int by = 1; by < lanes; by *= 2) n += __shfl_xor_sync(~0u, n, by);
    if (busy) {
      if (n < k) high = look, better = m, some = n;
      else low = look, mask = m;
      busy = n < k || n > most;
      if (busy && high - low == 1) busy = false, ties = true;
      look = low + (high - low) / 2;
    }
  }
  if (__any_sync(~0u, ties)) {  // equal elements in the order of their positions: vectors, then lanes, then elements
    int wanted = ties ? k - some : 0;
    const marks equal = mask & ~better;
    if (ties) mask = better;
#pragma unroll 1
    for (int v = 0; v < V && __any_sync(~0u, wanted > 0); ++v) {
      std::uint32_t here = ties ? tile_type::of_vector(equal, v) : 0u;
      counted(__popc(here));
      std::uint32_t first = 0;
      for (int left = wanted - before; here != 0 && left > 0; here &= here - 1, --left) first |= here & (0 - here);
      mask |= tile_type::marks_of(first, v);
      wanted -= total;
    }
  }
  counted(tile_type::how_many(mask));
  return mask;
}

//! @brief  `lanes` = 8, 16 or 32 lanes a row: a threshold from the largest elements of lanes, what reaches it goes to shared memory, and an
//! entry's place is the number of larger ones.
//! @pre    k ≤ 8; rows of up to lanes·V·per_vector elements, as slots are counted
template <int V, class In, class Position>
__global__ void __launch_bounds__(128, V == 8 ? 7 : 8)
    top_k_held(const row_source<In> in, const int k, const int lanes, In* const values, Position* const positions, const index first_row) {
  using entries = held_entry<In>;
  using entry = typename entries::type;
  constexpr int per_load = entries::per_load, capacity = entries::capacity;
  __shared__ uint4 memory[16 * entries::pitch / per_load];
  const int shift = 31 - __clz(lanes), lane = static_cast<int>(threadIdx.x) & (lanes - 1), mine = static_cast<int>(threadIdx.x) >> shift;
  const index row = first_row + static_cast<index>(blockIdx.x) * (blockDim.x >> shift) + mine;
  const bool there = row < in.rows;
  const In* const data = in.data + (there ? row : 0) * in.pitch;
  uint4* const room = memory + mine * (entries::pitch / per_load);
  for (int i = lane; i < capacity / per_load; i += lanes) room[i] = {0, 0, 0, 0};
  uint4 raw[V];
  const top_tile<V, In> tile(raw, slots_of_thread{lane, lanes, misalignment(data)}, data, there ? static_cast<int>(in.columns) : 0);
  int before, total;
  const auto mask = held_candidates(tile, k, lanes, lane, before, total);
  __syncwarp();
  __shared__ std::uint16_t places[16][capacity];
  tile.each(mask, [&](int position) { places[mine][before++] = static_cast<std::uint16_t>(position); });
  __syncwarp();
  auto* const found = reinterpret_cast<entry*>(room);
  for (int i = lane; i < total; i += lanes) {  // all of a row's are read at once
    const int position = places[mine][i];
    found[i] = entries::of(data[position], position);
  }
  __syncwarp();
  const int most = __reduce_max_sync(~0u, total);
  for (int first = 0; first < most; first += 2 * lanes) {  // two entries a lane
    const entry a = found[(first + lane) % capacity], b = found[(first + lane + lanes) % capacity];
    int larger_a = 0, larger_b = 0;
#pragma unroll 2
    for (int i = 0; i < most; i += per_load) {
      entry some[per_load];
      const uint4 loaded = room[i / per_load];
      memcpy(some, &loaded, 16);
#pragma unroll
      for (const entry& e : some) larger_a += e > a, larger_b += e > b;
    }
    const auto put = [&](const entry& e, int number, int place) {
      if (number >= total || place >= k) return;
      const int position = entries::position(e);
      values[row * k + place] = data[position];
      positions[row * k + place] = static_cast<Position>(position);
    };
    put(a, first + lane, larger_a);
    if (2 * lanes <= capacity || first + lanes < capacity) put(b, first + lane + lanes, larger_b);
  }
}

}  // namespace twofold::cuda::kernels
