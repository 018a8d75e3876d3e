// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The k largest of rows of a few elements: a thread a row.
#pragma once

#include "twofold/cuda/ptx/async.cuh"
#include "twofold/cuda/top_k_lists.cuh"
#include "twofold/cuda/top_k_tile.cuh"

namespace twofold::cuda::kernels {

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
    if (sizeof(In) == 2 && Most > 0 && k <= 8) {
      if constexpr (sizeof(In) == 2 && Most > 0) {
        list_of_eight list;
#pragma unroll
        for (int from = 0; from < Most; from += 8) {
          if (from >= columns) continue;  // the same for all threads
          bundle<In, 8> some{};
#pragma unroll
          for (int e = 0; e < 8; ++e)
            if (from + e < columns) some.x[e] = row[from + e];
          uint4 raw;
          memcpy(&raw, &some, 16);
          list_of_eight next = list_of_eight::from<In>(raw, from, columns);
          if (columns - from <= 2) {
            list.insert(next.x[0]), list.insert(next.x[1]);
          } else {
            next.sort();
            if (from == 0) list = next;
            else list.merge(next);
          }
        }
#pragma unroll
        for (int j = 0; j < 8; ++j)
          if (j < k) {
            const auto at = static_cast<int>(0xffff - (list.x[j] & 0xffff));
            best[t * k + j] = row[at], where[t * k + j] = static_cast<Position>(at);
          }
      }
    } else if constexpr (Most > 0) {
      std::uint32_t key[Most];
      int before[Most];
#pragma unroll
      for (int j = 0; j < Most; ++j) {
        if (j >= columns) continue;  // the same for all threads
        key[j] = ordered<In>::key(row[j]);
        before[j] = j;
#pragma unroll
        for (int i = 0; i < j; ++i)  // three instructions; the compiler makes five
          asm("{\n.reg .pred p;\nsetp.gt.u32 p, %2, %3;\n@p add.s32 %0, %0, 1;\n@p add.s32 %1, %1, -1;\n}"
              : "+r"(before[i]), "+r"(before[j])
              : "r"(key[j]), "r"(key[i]));
      }
#pragma unroll
      for (int j = 0; j < Most; ++j)
        if (j < columns && before[j] < k) best[t * k + before[j]] = row[j], where[t * k + before[j]] = static_cast<Position>(j);
    }
    if constexpr (Most == 0)
      for (int i = 0; i < columns; ++i) keys[i * threads] = ordered<In>::key(row[i]);
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
