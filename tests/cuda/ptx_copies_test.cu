// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Asynchronous copies: a thread's own, linear ones and those of tensors in two to four dimensions; boxes that reach beyond a tensor
//! are filled with zeros when they are read and cut, in pieces of 16 bytes, when they are written.
#include <cmath>

#include "cuda/check.hpp"
#include "twofold/cuda/ptx/async.cuh"
#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/tensor_map.hpp"

namespace {

namespace ptx = twofold::cuda::ptx;
namespace tc = twofold::cuda;

//! Copies of 4, 8 and 16 bytes a thread, two groups; the first is there when one may still be under way.
template <int Bytes, bool OfMany = false>
__global__ void copy_in_groups(const unsigned char* from, unsigned char* to) {
  __shared__ alignas(16) unsigned char room[2][64 * Bytes];
  const int at = threadIdx.x * Bytes;
  for (int group = 0; group < 2; ++group) {
    if constexpr (OfMany) ptx::async_copy_of_many(ptx::shared_address(&room[group][at]), from + group * 64 * Bytes + at);
    else ptx::async_copy<Bytes>(ptx::shared_address(&room[group][at]), from + group * 64 * Bytes + at);
    ptx::async_commit();
  }
  ptx::async_wait<1>();
  for (int i = 0; i < Bytes; ++i) to[at + i] = room[0][at + i];
  ptx::async_wait<0>();
  for (int i = 0; i < Bytes; ++i) to[64 * Bytes + at + i] = room[1][at + i];
}

template <int Bytes, bool OfMany = false>
void test_groups() {
  std::vector<unsigned char> x(128 * Bytes);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<unsigned char>(i * 37 + 11);
  const device_array<unsigned char> from(x), to(x.size());
  to.poison();
  copy_in_groups<Bytes, OfMany><<<1, 64>>>(from.data, to.data);
  cuda(cudaDeviceSynchronize(), "copies of a thread's own");
  expect(to.host() == x, "copies of a thread's own", std::to_string(Bytes) + " bytes");
}

//! There and back again by the engine, one thread; twice, so that the second load waits until the first store has read.
__global__ void there_and_back(const unsigned char* from, unsigned char* to, unsigned bytes) {
  extern __shared__ __align__(128) unsigned char room[];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) ptx::mbarrier_init(&full, 1), ptx::fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned turn = 0; turn < 2; ++turn) {
    ptx::mbarrier_arrive_expect(&full, bytes);
    ptx::bulk_load(room, from + turn * bytes, bytes, &full);
    ptx::mbarrier_wait(&full, turn);
    ptx::bulk_store(to + turn * bytes, room, bytes);
    ptx::bulk_commit();
    ptx::bulk_wait_read<0>();
  }
  ptx::bulk_wait<0>();
}

void test_linear(unsigned bytes) {
  std::vector<unsigned char> x(2 * bytes), want(2 * bytes + 64, 0xff);
  for (std::size_t i = 0; i < x.size(); ++i) want[i] = x[i] = static_cast<unsigned char>(i * 101 + i / 256);
  const device_array<unsigned char> from(x), to(want.size());
  to.poison();
  there_and_back<<<1, 32, bytes>>>(from.data, to.data, bytes);
  cuda(cudaDeviceSynchronize(), "linear copies");
  expect(to.host() == want, "linear copies", std::to_string(bytes) + " bytes");
}

struct place {
  int column, row, plane, block;
};
constexpr int box_columns = 64, box_rows = 16, box_bytes = box_columns * box_rows * 2;

//! One box to memory as it lies in shared memory, and from there to `out` if asked.
template <int Rank>
__global__ void one_box(const __grid_constant__ CUtensorMap map, const __grid_constant__ CUtensorMap out, place at, bool store,
                        std::uint16_t* seen) {
  __shared__ alignas(1024) std::uint16_t room[box_columns * box_rows];
  __shared__ std::uint64_t full;
  for (int i = threadIdx.x; i < box_columns * box_rows; i += 32) room[i] = 0xffff;
  ptx::fence_proxy_async();
  __syncwarp();
  if (threadIdx.x == 0) {
    ptx::prefetch_tensor_map(&map);
    ptx::mbarrier_init(&full, 1), ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(&full, box_bytes);
    if constexpr (Rank == 4) ptx::tensor_load(room, &map, at.column, at.row, at.plane, at.block, &full);
    else ptx::tensor_load(room, &map, at.column, at.row, at.plane, &full);
    ptx::mbarrier_wait(&full, 0);
    for (int i = 0; i < box_columns * box_rows; ++i) seen[i] = room[i];
    if (Rank == 3 && store) {
      ptx::tensor_store(&out, room, at.column, at.row, at.plane);
      ptx::bulk_commit();
      ptx::bulk_wait<0>();
    }
  }
}

struct tensor {
  int columns, rows, planes, blocks, row_pitch, plane_pitch, block_pitch;  // elements
  [[nodiscard]] bool inside(const place& p) const {
    return p.column >= 0 && p.column < columns && p.row >= 0 && p.row < rows && p.plane >= 0 && p.plane < planes && p.block >= 0 &&
           p.block < blocks;
  }
  [[nodiscard]] std::size_t at(const place& p) const {
    return static_cast<std::size_t>(p.block) * block_pitch + static_cast<std::size_t>(p.plane) * plane_pitch +
           static_cast<std::size_t>(p.row) * row_pitch + p.column;
  }
  [[nodiscard]] std::size_t size() const { return at({columns - 1, rows - 1, planes - 1, blocks - 1}) + 1; }
};

template <int Rank>
bool map_of(CUtensorMap& map, const tensor& t, std::uint16_t* data, CUtensorMapSwizzle swizzle) {
  const auto bytes = [](int elements) { return static_cast<std::uint64_t>(elements) * 2; };
  const auto type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  if constexpr (Rank == 2)
    return tc::make_tensor_map(map, type, data, t.columns, t.rows, bytes(t.row_pitch), box_columns, box_rows, swizzle);
  else if constexpr (Rank == 3)
    return tc::make_tensor_map(map, type, data, t.columns, t.rows, t.planes, bytes(t.row_pitch), bytes(t.plane_pitch), box_columns,
                               box_rows, swizzle);
  else
    return tc::make_tensor_map(map, type, data, t.columns, t.rows, t.planes, t.blocks, bytes(t.row_pitch), bytes(t.plane_pitch),
                               bytes(t.block_pitch), box_columns, box_rows, swizzle);
}

//! Boxes begin at columns that are multiples of 16 bytes, anywhere where they are read, at nothing negative where they are written.
template <int Rank>
void test_boxes(const tensor& t, CUtensorMapSwizzle swizzle) {
  std::vector<std::uint16_t> x(t.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(i * 40503u + 7);  // what lies between rows must not show
  const device_array<std::uint16_t> data(x), copy(x.size()), seen(box_columns * box_rows);
  CUtensorMap map, out;
  if (!map_of<Rank>(map, t, data.data, swizzle) || !map_of<Rank>(out, t, copy.data, swizzle)) return expect(false, "a map is refused");
  const int last = (t.columns - 1) / 8 * 8, pieces = (t.columns + 7) / 8 * 8;
  for (const place at : {place{0, 0, 0, 0}, place{64, 16, 1, 0}, place{8, 5, 0, 1}, place{-8, -3, 0, 0}, place{-64, 0, 0, 0},
                         place{last, t.rows - 5, t.planes - 1, t.blocks - 1}, place{pieces, 0, 0, 0}, place{0, t.rows, 0, 0},
                         place{0, 0, t.planes, 0}, place{0, 0, -1, 0}}) {
    if ((Rank < 4 && at.block > 0) || (Rank == 2 && at.plane != 0)) continue;
    copy.poison(), seen.poison();
    const std::string where = std::to_string(Rank) + "-D at " + std::to_string(at.column) + ", " + std::to_string(at.row) + ", " +
                              std::to_string(at.plane) + ", " + std::to_string(at.block);
    const bool stored = Rank < 4 && at.column >= 0 && at.row >= 0 && at.plane >= 0;
    one_box<(Rank == 4 ? 4 : 3)><<<1, 32>>>(map, out, at, stored, seen.data);
    cuda(cudaDeviceSynchronize(), where);
    const auto box = seen.host();
    std::vector<std::uint16_t> want(x.size(), 0xffff);
    bool right = true;
    for (int r = 0; r < box_rows; ++r)
      for (int c = 0; c < box_columns; ++c) {
        const place p{at.column + c, at.row + r, at.plane, at.block};
        const int chunk = swizzle == CU_TENSOR_MAP_SWIZZLE_128B ? (c / 8) ^ (r % 8) : c / 8;
        right &= box[r * box_columns + chunk * 8 + c % 8] == (t.inside(p) ? x[t.at(p)] : 0);
        place piece = p;  // the row's last 16 bytes are written whole: what is behind the columns gets the box's zeros
        piece.column = p.column / 8 * 8;
        if (t.inside(piece) && t.at(p) < want.size()) want[t.at(p)] = t.inside(p) ? x[t.at(p)] : 0;
      }
    expect(right, "a box of a tensor", where);
    if (stored) expect(copy.host() == want, "a box stored", where);
  }
}

void test_refused_maps() {
  const device_array<std::uint16_t> data(1 << 16);
  CUtensorMap map;
  const tensor good{100, 40, 3, 2, 104, 104 * 40, 104 * 40 * 3};
  expect(map_of<4>(map, good, data.data, CU_TENSOR_MAP_SWIZZLE_128B), "a good map");
  expect(!map_of<4>(map, good, data.data + 1, CU_TENSOR_MAP_SWIZZLE_128B), "a start that is not a multiple of 16 bytes");
  tensor odd = good;
  odd.row_pitch = 101;
  expect(!map_of<4>(map, odd, data.data, CU_TENSOR_MAP_SWIZZLE_128B), "a pitch that is not a multiple of 16 bytes");
}

}  // namespace

int main() {
  need_device();
  test_groups<4>(), test_groups<8>(), test_groups<16>(), test_groups<16, true>();
  for (unsigned bytes : {16u, 48u, 4096u, 40000u}) test_linear(bytes);
  for (auto swizzle : {CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_NONE}) {
    test_boxes<2>({96, 40, 1, 1, 104, 0, 0}, swizzle);
    test_boxes<2>({100, 40, 1, 1, 104, 0, 0}, swizzle);
    test_boxes<3>({100, 37, 3, 1, 112, 112 * 40, 0}, swizzle);
    test_boxes<4>({72, 37, 3, 2, 3 * 80, 80, 3 * 80 * 50}, swizzle);  // planes lie within rows, as heads do
  }
  test_refused_maps();
  std::printf("%d failures\n", failures);
  return failures ? 1 : 0;
}
