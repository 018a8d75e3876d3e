// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Neighbouring elements of a lane as vectors of 16 bytes in shared memory, whatever the alignment of the array: the window begins at
//! the aligned address at or before the first element that is wanted, and is shifted into place when it is read into registers. An array
//! that is read at several offsets (x[i] and x[i - 1]) is moved once.
#pragma once

#include "twofold/cuda/slot.cuh"

namespace twofold::cuda {

//! An element that is seen with its neighbours: the type of an array that is read at offsets O… from the position (0: the element itself).
template <class T, int... O>
struct beside {
  T here;
};

//! E elements a lane, each seen at offsets O…; 32 lanes' windows lie in one slot, an odd number of vectors apart, so that neither storing
//! nor reading meets a bank conflict.
template <class T, int E, int... O>
struct window_of {
  static constexpr int smallest(int a) { return a; }
  static constexpr int smallest(int a, auto... more) { return a < smallest(more...) ? a : smallest(more...); }
  static constexpr int low = smallest(O...), high = -smallest(-O...), seen = E + high - low;  // elements of a window
  static constexpr int granule = row<T, E>::granule, row_bytes = E * static_cast<int>(sizeof(T));
  static constexpr bool vectors = row_bytes % 16 == 0;  // else the alignment changes from lane to lane, and elements are moved one by one
  static constexpr int base = row_bytes / 16;
  static constexpr int units = (seen * static_cast<int>(sizeof(T)) + (vectors ? 16 - granule : 0) + 15) / 16;
  static constexpr int pitch = 16 * (units | 1), slot_bytes = 32 * pitch;
  T x[seen];

  //! f(the element at every offset).
  template <class F, class... Before>
  __device__ __forceinline__ auto apply(int k, F&& f, const Before&... before) const {
    return f(before..., x[k + O - low]...);
  }

  //! Bytes between an aligned address and the window's first element.
  __device__ static __forceinline__ int head(const T* data) {
    return vectors ? static_cast<int>(reinterpret_cast<std::uintptr_t>(data + low) % 16) : 0;
  }

  //! The windows of 32 lanes, `lane_pitch` bytes apart in memory, lane 0's position at `at`. Vectors only: those that hold something
  //! wanted.
  __device__ static __forceinline__ void load(std::uint32_t slot, const T* data, index at, int lane_pitch, int lane) {
    const int skip = head(data);
    const char* const from = reinterpret_cast<const char*>(data + low + at) - skip;
    const auto vector = [&](unsigned u) {  // vector u of those that no two lanes share
      const unsigned line = u / base, k = u % base;
      return place{slot + line * pitch + k * 16, from + static_cast<int>(line) * lane_pitch + k * 16};
    };
    if constexpr (base > 0 && 32 % base == 0) {
      place p = vector(static_cast<unsigned>(lane));
#pragma unroll
      for (int j = 0; j < base; ++j) {
        ptx::async_copy_of_many(p.to + static_cast<std::uint32_t>(j * (32 / base) * pitch), p.from);
        p.from += 32 / base * lane_pitch;
      }
    } else {
#pragma unroll
      for (int j = 0; j < base; ++j) {
        const place p = vector(static_cast<unsigned>(j * 32 + lane));
        ptx::async_copy_of_many(p.to, p.from);
      }
    }
#pragma unroll
    for (int k = base; k < units; ++k)
      if (skip + seen * static_cast<int>(sizeof(T)) > k * 16)
        ptx::async_copy_of_many(slot + static_cast<std::uint32_t>(lane * pitch + k * 16), from + lane * lane_pitch + k * 16);
  }
  //! The same where some of it may lie outside of the elements seen from positions [0, n): nothing else is touched.
  __device__ static __noinline__ void load_some(std::uint32_t slot, const T* data, index at, int lane_pitch, index n, int lane) {
    const char* const from = reinterpret_cast<const char*>(data + low + at) - head(data);
    const char *const first = reinterpret_cast<const char*>(data + low), *const last = reinterpret_cast<const char*>(data + n + high);
#pragma unroll 1
    for (int u = lane; u < 32 * units; u += 32) {
      const int line = u / units, k = u % units;
      const char* const p = from + line * lane_pitch + k * 16;
      const std::uint32_t to = slot + static_cast<std::uint32_t>(line * pitch + k * 16);
      if (vectors && p >= first && p + 16 <= last) ptx::async_copy<16>(to, p);
      else
#pragma unroll 1
        for (int g = 0; g < 16; g += granule)
          if (p + g >= first && p + g + granule <= last) detail::copy_granule<granule>(to + static_cast<std::uint32_t>(g), p + g);
    }
  }

  //! The lane's window.
  __device__ __forceinline__ void read(const T* data, const unsigned char* slot, int lane) {
    const int skip = head(data);
    std::uint32_t w[4 * units] = {};
#pragma unroll
    for (int k = 0; k < units; ++k)
      if (k < base || !vectors || skip + seen * static_cast<int>(sizeof(T)) > k * 16)
        detail::get<16>(w + 4 * k, slot + lane * pitch + k * 16);
    if constexpr (vectors && granule < 16) {
      if (skip & 8) shift<2>(w);
      if constexpr (granule < 8)
        if (skip & 4) shift<1>(w);
      if constexpr (granule < 4) {
#pragma unroll
        for (int i = 0; i + 1 < 4 * units; ++i) w[i] = __funnelshift_r(w[i], w[i + 1], static_cast<unsigned>(skip % 4) * 8);
      }
    }
    memcpy(x, w, sizeof x);
  }
  //! f(position k of the lane's row at every offset), straight from the slot.
  template <class F, class... Before>
  __device__ static __forceinline__ auto one(const T* data, const unsigned char* slot, int lane, int k, F&& f, const Before&... before) {
    const unsigned char* const from = slot + lane * pitch + head(data);
    return f(before..., element(from, k + O - low)...);
  }
  //! f(what is seen from the element at `here`), from global memory.
  template <class F, class... Before>
  __device__ static __forceinline__ auto from(const T* here, F&& f, const Before&... before) {
    return f(before..., here[O]...);
  }

 private:
  struct place {
    std::uint32_t to;
    const char* from;
  };
  template <int By>
  __device__ static __forceinline__ void shift(std::uint32_t (&w)[4 * units]) {
    asm volatile("");  // keeps the branch: aligned arrays would pay for two selections a word
#pragma unroll
    for (int i = 0; i + By < 4 * units; ++i) w[i] = w[i + By];
  }
  __device__ static __forceinline__ T element(const unsigned char* from, int k) {
    T v;
#pragma unroll
    for (int b = 0; b < static_cast<int>(sizeof(T)); b += granule)
      detail::get<granule>(reinterpret_cast<unsigned char*>(&v) + b, from + k * static_cast<int>(sizeof(T)) + b);
    return v;
  }
};

//! What an array of X is to a window.
template <class X, int E>
struct window : window_of<X, E, 0> {
  using element = X;
};
template <class T, int... O, int E>
struct window<beside<T, O...>, E> : window_of<T, E, O...> {
  using element = T;
};

//! Windows of several arrays, one after the other in a warp's slot.
template <int E, class... X>
struct windows {
  static constexpr int slot_bytes = 0;
  static constexpr bool never_vectors = false;
  __device__ static void load(std::uint32_t, const arrays<>&, index, index, int) {}
  __device__ static void load_some(std::uint32_t, const arrays<>&, index, index, index, int) {}
  __device__ static bool off_vectors(const arrays<>&) { return false; }
  __device__ void read(const arrays<>&, const unsigned char*, int) {}
  template <class F, class... Before>
  __device__ __forceinline__ auto apply(int, F&& f, const Before&... before) const {
    return f(before...);
  }
  template <class F, class... Before>
  __device__ static __forceinline__ auto one(const arrays<>&, const unsigned char*, int, int, F&& f, const Before&... before) {
    return f(before...);
  }
};
template <int E, class Head, class... Tail>
struct windows<E, Head, Tail...> {
  using mine = window<Head, E>;
  using others = windows<E, Tail...>;
  using T = typename mine::element;
  using In = arrays<const Head, const Tail...>;
  static constexpr int slot_bytes = mine::slot_bytes + others::slot_bytes;
  mine here;
  others rest;

  __device__ static __forceinline__ const T* data(const In& in) { return reinterpret_cast<const T*>(in.data); }
  //! `steps`: positions between neighbouring lanes' windows.
  __device__ static __forceinline__ void load(std::uint32_t slot, const In& in, index at, int steps, int lane) {
    mine::load(slot, data(in), at, steps * static_cast<int>(sizeof(T)), lane);
    others::load(slot + mine::slot_bytes, in.rest, at, steps, lane);
  }
  __device__ static __forceinline__ void load_some(std::uint32_t slot, const In& in, index at, int steps, index n, int lane) {
    mine::load_some(slot, data(in), at, steps * static_cast<int>(sizeof(T)), n, lane);
    others::load_some(slot + mine::slot_bytes, in.rest, at, steps, n, lane);
  }
  //! May the first and the last vectors hold what is not the array's?
  __device__ static __forceinline__ bool off_vectors(const In& in) {
    return !mine::vectors || mine::head(data(in)) != 0 || mine::seen > E || others::off_vectors(in.rest);
  }
  //! Can nothing but load_some be used?
  static constexpr bool never_vectors = !mine::vectors || others::never_vectors;
  __device__ __forceinline__ void read(const In& in, const unsigned char* slot, int lane) {
    here.read(data(in), slot, lane);
    rest.read(in.rest, slot + mine::slot_bytes, lane);
  }
  template <class F, class... Before>
  __device__ __forceinline__ auto apply(int k, F&& f, const Before&... before) const {
    return here.apply(
        k, [&](const auto&... x) { return rest.apply(k, static_cast<F&&>(f), x...); }, before...);
  }
  template <class F, class... Before>
  __device__ static __forceinline__ auto one(const In& in, const unsigned char* slot, int lane, int k, F&& f, const Before&... before) {
    return mine::one(
        data(in), slot, lane, k,
        [&](const auto&... x) { return others::one(in.rest, slot + mine::slot_bytes, lane, k, static_cast<F&&>(f), x...); }, before...);
  }
};

}  // namespace twofold::cuda
