// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A warp's part of a tile: 32 rows of neighbouring elements, one row a lane, moved between global memory and a swizzled slot of
//! shared memory. Global accesses are coalesced, each lane then owns its row; neither meets a bank conflict.
#pragma once

#include "twofold/cuda/ptx/async.cuh"
#include "twofold/cuda/words.cuh"

namespace twofold::cuda {

//! Several arrays of equal length in global memory.
template <class... X>
struct arrays {};
template <class Head, class... Tail>
struct arrays<Head, Tail...> {
  Head* data = nullptr;
  arrays<Tail...> rest;
};

//! Element i of every array of a lane's row, as arguments.
template <int E, class... X>
struct row_values {
  template <class F, class... Before>
  __device__ __forceinline__ auto apply(int, F&& f, const Before&... before) const {
    return f(before...);
  }
};
template <int E, class Head, class... Tail>
struct row_values<E, Head, Tail...> {
  Head x[E];
  row_values<E, Tail...> rest;
  template <class F, class... Before>
  __device__ __forceinline__ auto apply(int k, F&& f, const Before&... before) const {
    return rest.apply(k, static_cast<F&&>(f), before..., x[k]);
  }
};

namespace detail {
template <int Bytes>
struct unit_of;
template <>
struct unit_of<16> {
  using type = uint4;
};
template <>
struct unit_of<8> {
  using type = uint2;
};
template <>
struct unit_of<4> {
  using type = unsigned int;
};
template <>
struct unit_of<2> {
  using type = unsigned short;
};
template <>
struct unit_of<1> {
  using type = unsigned char;
};
//! Bytes at an address aligned to them, as one access.
template <int Bytes>
__device__ __forceinline__ void get(void* to, const void* from) {
  const auto v = *static_cast<const typename unit_of<Bytes>::type*>(from);
  memcpy(to, &v, Bytes);
}
template <int Bytes>
__device__ __forceinline__ void put(void* to, const void* from) {
  typename unit_of<Bytes>::type v;
  memcpy(&v, from, Bytes);
  *static_cast<typename unit_of<Bytes>::type*>(to) = v;
}
//! Global to shared, asynchronously where the hardware can.
template <int Bytes>
__device__ __forceinline__ void copy_granule(std::uint32_t shared, const char* global) {
  if constexpr (Bytes >= 4) {
    ptx::async_copy<Bytes>(shared, global);
  } else if constexpr (Bytes == 2) {
    const unsigned short v = *reinterpret_cast<const unsigned short*>(global);
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(shared), "h"(v) : "memory");
  } else {
    const unsigned v = *reinterpret_cast<const unsigned char*>(global);
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(shared), "r"(v) : "memory");
  }
}
}  // namespace detail

//! E elements of T a lane.
template <class T, int E>
struct row {
  static constexpr int bytes = E * static_cast<int>(sizeof(T));
  static constexpr int unit = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
  static constexpr int units = bytes / unit;  // of a lane
  static constexpr int slot_bytes = (32 * bytes + 127) / 128 * 128;
  //! The largest power of two up to 16 that an element's address and size share: what a copy of single elements moves at once.
  static constexpr int granule = [] {
    int g = alignof(T) < 16 ? static_cast<int>(alignof(T)) : 16;
    while (sizeof(T) % static_cast<unsigned>(g) != 0) g /= 2;
    return g;
  }();

  //! Where unit u (row-major over the 32 rows) lies. Eight units of 16 bytes are permuted among themselves so that both consecutive units
  //! and the same unit of eight consecutive rows fall into different banks (rows of a power of two up to 128 bytes, or an odd number, of
  //! units).
  __device__ static __forceinline__ std::uint32_t place(int u) {
    return static_cast<std::uint32_t>((unit == 16 && units % 2 == 0 ? u ^ ((u >> 3) & 7) : u) * unit);
  }
  __device__ static __forceinline__ std::uint32_t place_of_byte(int b) { return place(b / unit) + static_cast<std::uint32_t>(b % unit); }

  //! All of a slot, 16 bytes at a time. @pre global aligned to 16
  __device__ static __forceinline__ void load(std::uint32_t slot, const T* global, int lane) {
    if constexpr (unit == 16) {
#pragma unroll
      for (int j = 0; j < units; ++j) {
        const int u = j * 32 + lane;
        ptx::async_copy<16>(slot + place(u), reinterpret_cast<const char*>(global) + static_cast<std::size_t>(u) * 16);
      }
    } else {
      load_some(slot, global, 0, 32 * E, lane);
    }
  }
  //! Elements first … last − 1 of the warp's 32·E, whatever the alignment; nothing else is read.
  __device__ static __forceinline__ void load_some(std::uint32_t slot, const T* global, index first, index last, int lane) {
    constexpr int each = static_cast<int>(sizeof(T)) / granule;
    const int from = static_cast<int>(first > 0 ? first : 0) * each, to = static_cast<int>(last < 32 * E ? last : 32 * E) * each;
    const char* source = reinterpret_cast<const char*>(global);
    for (int g = from + lane; g < to; g += 32)
      detail::copy_granule<granule>(slot + place_of_byte(g * granule), source + static_cast<index>(g) * granule);
  }

  //! The lane's own row.
  __device__ static __forceinline__ void read(T (&x)[E], const unsigned char* slot, int lane) {
    unsigned char* to = reinterpret_cast<unsigned char*>(x);
#pragma unroll
    for (int j = 0; j < units; ++j) detail::get<unit>(to + j * unit, slot + place(lane * units + j));
  }
  __device__ static __forceinline__ void write(const T (&x)[E], unsigned char* slot, int lane) {
    const unsigned char* from = reinterpret_cast<const unsigned char*>(x);
#pragma unroll
    for (int j = 0; j < units; ++j) detail::put<unit>(slot + place(lane * units + j), from + j * unit);
  }

  //! Element e of the 32·E, at a run-time place.
  __device__ static __forceinline__ T element(const unsigned char* slot, int e) {
    T v;
    unsigned char* to = reinterpret_cast<unsigned char*>(&v);
#pragma unroll
    for (int b = 0; b < static_cast<int>(sizeof(T)); b += granule)
      detail::get<granule>(to + b, slot + place_of_byte(e * static_cast<int>(sizeof(T)) + b));
    return v;
  }

  //! Rows `pitch` elements apart in global memory; vectors. @pre global and the pitch aligned to 16
  __device__ static __forceinline__ void store(T* global, index pitch, const unsigned char* slot, int lane) {
    if constexpr (unit == 16) {
#pragma unroll
      for (int j = 0; j < units; ++j) {
        const int u = j * 32 + lane, line = u / units, column = u % units;
        const uint4 v = *reinterpret_cast<const uint4*>(slot + place(u));
        __stcs(reinterpret_cast<uint4*>(reinterpret_cast<char*>(global) + line * pitch * static_cast<index>(sizeof(T)) + column * 16), v);
      }
    } else {
      store_some(global, pitch, 0, 32 * pitch, slot, lane);
    }
  }
  //! Only elements whose offset from `global` is in [first, last).
  __device__ static __forceinline__ void store_some(T* global, index pitch, index first, index last, const unsigned char* slot, int lane) {
    for (int e = lane; e < 32 * E; e += 32) {
      const index at = e / E * pitch + e % E;
      if (at < first || at >= last) continue;
      global[at] = element(slot, e);
    }
  }
};

//! The rows of several arrays, one after the other in a warp's slot.
template <int E, class... X>
struct rows_slot {
  static constexpr int bytes = 0;
  __device__ static void load(std::uint32_t, const arrays<>&, index, int) {}
  __device__ static void load_some(std::uint32_t, const arrays<>&, index, index, index, int) {}
  __device__ static void read(row_values<E>&, const unsigned char*, int) {}
  template <class F, class... Before>
  __device__ static auto at(const unsigned char*, int, F&& f, const Before&... before) {
    return f(before...);
  }
};
template <int E, class Head, class... Tail>
struct rows_slot<E, const Head, Tail...> {
  using mine = row<Head, E>;
  using others = rows_slot<E, Tail...>;
  static constexpr int bytes = mine::slot_bytes + others::bytes;
  //! All of every array's part: by vectors where the array lies on 16 bytes.
  __device__ static __forceinline__ void load(std::uint32_t slot, const arrays<const Head, Tail...>& from, index at, int lane) {
    if (reinterpret_cast<std::uintptr_t>(from.data + at) % 16 == 0) mine::load(slot, from.data + at, lane);
    else mine::load_some(slot, from.data + at, 0, 32 * E, lane);
    others::load(slot + mine::slot_bytes, from.rest, at, lane);
  }
  __device__ static __forceinline__ void load_some(std::uint32_t slot, const arrays<const Head, Tail...>& from, index at, index first,
                                                   index last, int lane) {
    mine::load_some(slot, from.data + at, first, last, lane);
    others::load_some(slot + mine::slot_bytes, from.rest, at, first, last, lane);
  }
  template <class Values>
  __device__ static __forceinline__ void read(Values& v, const unsigned char* slot, int lane) {
    mine::read(v.x, slot, lane);
    others::read(v.rest, slot + mine::slot_bytes, lane);
  }
  //! f(element e of the warp's part of every array).
  template <class F, class... Before>
  __device__ static __forceinline__ auto at(const unsigned char* slot, int e, F&& f, const Before&... before) {
    return others::at(slot + mine::slot_bytes, e, static_cast<F&&>(f), before..., mine::element(slot, e));
  }
};

}  // namespace twofold::cuda
