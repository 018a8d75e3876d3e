// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Who waits for whom: barriers in shared memory and their byte counts, named barriers, registers that change hands, one lane of a
//! warp, kernels that follow each other, flags in global memory. Nothing here waits for ever: what does not come in time is a failure.
#include "cuda/check.hpp"
#include "twofold/cuda/launch.hpp"
#include "twofold/cuda/ptx/copy.cuh"
#include "twofold/cuda/ptx/sync.cuh"

namespace {

namespace ptx = twofold::cuda::ptx;
namespace tc = twofold::cuda;

constexpr int patience = 1 << 20;  // turns of a loop, far more than are needed

//! Asks a barrier for a while.
__device__ bool comes(std::uint64_t* barrier, std::uint32_t parity, int turns) {
  for (int i = 0; i < turns; ++i)
    if (ptx::mbarrier_try_wait(barrier, parity)) return true;
  return false;
}

//! Marks in `wrong` the steps that did not go as they should.
__global__ void phases(const unsigned char* from, int* wrong) {
  __shared__ std::uint64_t three, bytes;
  __shared__ alignas(16) unsigned char room[64];
  const auto check = [&](int step, bool right) {
    if (!right) wrong[step] = 1;
  };
  if (threadIdx.x == 0) ptx::mbarrier_init(&three, 3), ptx::mbarrier_init(&bytes, 1), ptx::fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (std::uint32_t turn = 0; turn < 4; ++turn) {  // parities alternate
    const std::uint32_t parity = turn % 2;
    check(0, ptx::mbarrier_try_wait(&three, parity ^ 1));  // the phase before is over
    ptx::mbarrier_arrive(&three), ptx::mbarrier_arrive(&three);
    check(1, !comes(&three, parity, 4));
    ptx::mbarrier_arrive(&three);
    const bool over = comes(&three, parity, patience / 64);  // an attempt waits for a while by itself
    check(2, over);
    if (over) ptx::mbarrier_wait(&three, parity);
  }
  // Arrived, but bytes are announced: over when all have come.
  ptx::mbarrier_arrive_expect(&bytes, 48);
  ptx::bulk_load(room, from, 16, &bytes);
  check(3, !comes(&bytes, 0, 64));
  ptx::bulk_load(room + 16, from + 16, 32, &bytes);
  check(4, comes(&bytes, 0, patience / 64));
  for (int i = 0; i < 48; ++i) check(5, room[i] == from[i]);
}

void test_phases() {
  std::vector<unsigned char> x(64);
  for (int i = 0; i < 64; ++i) x[i] = static_cast<unsigned char>(i + 1);
  const device_array<unsigned char> from(x);
  const device_array<int> wrong(std::vector<int>(6));
  phases<<<1, 32>>>(from.data, wrong.data);
  cuda(cudaGetLastError());
  const char* const steps[] = {"a phase that is over", "an arrival too few", "the last arrival",
                               "bytes are missing",    "all bytes came",     "what came"};
  const auto got = wrong.host();
  for (int i = 0; i < 6; ++i) expect(got[i] == 0, steps[i]);
}

//! Warp 0 makes numbers, warp 1 takes them: one barrier says "made", the other "taken". Warps 2 and 3 have a barrier of their own between.
__global__ void made_and_taken(int* wrong) {
  __shared__ volatile int number;
  const int warp = threadIdx.x / 32;
  for (int i = 0; i < 1000; ++i) {
    if (warp == 0) {
      number = i;
      ptx::named_arrive(1, 64);
      ptx::named_sync(2, 64);
    } else if (warp == 1) {
      if (i % 16 == 0) __nanosleep(200);
      ptx::named_sync(1, 64);
      if (number != i) wrong[0] = 1;
      ptx::named_arrive(2, 64);
    } else {
      const bool all = ptx::named_all(3, 64, i % 3 != 0 || threadIdx.x != 70), mine = ptx::named_all(3, 64, i % 2 == 0);
      if (all != (i % 3 != 0) || mine != (i % 2 == 0)) wrong[1] = 1;
    }
  }
}

//! Three warpgroups of 168 registers: two want 232, and must wait until the third has given up 128 of its own, late.
__global__ void __launch_bounds__(384, 1) change_registers(int* wrong, int* sum) {
  __shared__ volatile int given;
  if (threadIdx.x == 0) given = 0;
  __syncthreads();
  if (threadIdx.x < 128) {
    const long long from = clock64();
    while (clock64() - from < 200000) {
    }
    given = 1;
    __threadfence_block();
    ptx::registers_release<40>();
  } else {
    ptx::registers_claim<232>();
    if (given != 1) wrong[2] = 1;
    int x[160];  // as many as fit
#pragma unroll
    for (int i = 0; i < 160; ++i) x[i] = static_cast<int>(threadIdx.x) * i;
    for (int turn = 0; turn < 3; ++turn)
#pragma unroll
      for (int i = 0; i < 160; ++i) x[i] = x[i] * 3 + x[(i + 1) % 160];
    int all = 0;
#pragma unroll
    for (int i = 0; i < 160; ++i) all ^= x[i];
    sum[threadIdx.x] = all;
  }
}

__global__ void elect(int* count, int* wrong) {
  const bool mine = ptx::elect_one();
  if (mine) atomicAdd(count + threadIdx.x / 32, 1);
  if (__popc(__ballot_sync(~0u, mine)) != 1) wrong[3] = 1;
}

//! The first kernel lets the next begin and waits until it has; the next may look at data only when the first has ended.
__global__ void first_kernel(volatile int* begun, volatile int* data, int* wrong) {
  ptx::let_next_kernel_begin();
  int turn = 0;
  while (*begun == 0 && ++turn < patience) __nanosleep(100);
  if (*begun == 0) wrong[4] = 1;
  for (int i = 0; i < 100; ++i) __nanosleep(1000);
  *data = 42;
}
__global__ void second_kernel(volatile int* begun, volatile int* data, int* wrong) {
  *begun = 1;
  ptx::wait_for_kernel_before();
  if (*data != 42) wrong[5] = 1;
}

//! Block 0 hands numbers to block 1: data, then a flag; and words whose halves belong together.
__global__ void hand_over(std::uint32_t* flag, volatile int* data, std::uint64_t* word, int* wrong) {
  if (threadIdx.x != 0) return;
  constexpr std::uint32_t turns = 2000;
  if (blockIdx.x == 0) {
    for (std::uint32_t i = 1; i <= turns; ++i) {
      for (int j = 0; j < 8; ++j) data[j] = static_cast<int>(i * 8 + j);
      ptx::store_relaxed(word, static_cast<std::uint64_t>(i) << 32 | i);
      ptx::store_release(flag, 2 * i);
      int wait = 0;
      while (ptx::load_acquire(flag) != 2 * i + 1 && ++wait < patience) {
      }
      if (wait >= patience) {
        wrong[6] = 1;
        return;
      }
    }
  } else {
    for (std::uint32_t i = 1; i <= turns; ++i) {
      int wait = 0;
      while (ptx::load_acquire(flag) != 2 * i && ++wait < patience) {
        const std::uint64_t both = ptx::load_relaxed(word);
        if (both >> 32 != (both & 0xffffffff)) wrong[7] = 1;
      }
      if (wait >= patience) {
        wrong[6] = 1;
        return;
      }
      for (int j = 0; j < 8; ++j)
        if (data[j] != static_cast<int>(i * 8 + j)) wrong[6] = 1;
      if (ptx::load_relaxed(word) != (static_cast<std::uint64_t>(i) << 32 | i)) wrong[7] = 1;
      ptx::store_release(flag, 2 * i + 1);
    }
  }
}

}  // namespace

int main() {
  need_device();
  test_phases();
  const device_array<int> wrong(std::vector<int>(8)), sum(384), count(std::vector<int>(4)), words(std::vector<int>(32));
  made_and_taken<<<1, 128>>>(wrong.data);
  cuda(cudaGetLastError());
  change_registers<<<1, 384>>>(wrong.data, sum.data);
  cuda(cudaGetLastError());
  elect<<<1, 128>>>(count.data, wrong.data);
  cuda(cudaGetLastError());
  cudaStream_t stream = nullptr;  // of its own: kernels on the default stream do not overlap
  cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaFuncAttributes loaded;  // now: loading waits for kernels that run
  cuda(cudaFuncGetAttributes(&loaded, second_kernel));
  cuda(cudaDeviceSynchronize());
  first_kernel<<<1, 1, 0, stream>>>(words.data, words.data + 1, wrong.data);
  cuda(cudaGetLastError());
  tc::detail::launch_after(true, second_kernel, 1, 1, 1, 0, stream, words.data, words.data + 1, wrong.data);
  cuda(cudaDeviceSynchronize());
  hand_over<<<2, 32>>>(reinterpret_cast<std::uint32_t*>(words.data + 2), words.data + 4, reinterpret_cast<std::uint64_t*>(words.data + 16),
                       wrong.data);
  cuda(cudaGetLastError());
  cuda(cudaDeviceSynchronize());
  const auto got = wrong.host();
  const char* const what[] = {"a number that was not made yet",
                              "the answer of all at a named barrier",
                              "registers before they were given up",
                              "one lane of a warp",
                              "the next kernel did not begin early",
                              "the next kernel did not wait",
                              "data behind a flag",
                              "halves of a word"};
  for (int i = 0; i < 8; ++i) expect(got[i] == 0, what[i]);
  for (int n : count.host()) expect(n == 1, "one lane of each warp");
  std::vector<int> x(160);
  const auto sums = sum.host();
  for (int t = 128; t < 384; ++t) {
    for (int i = 0; i < 160; ++i) x[i] = t * i;
    for (int turn = 0; turn < 3; ++turn)
      for (int i = 0; i < 160; ++i) x[i] = static_cast<int>(static_cast<unsigned>(x[i]) * 3u + static_cast<unsigned>(x[(i + 1) % 160]));
    int all = 0;
    for (int v : x) all ^= v;
    expect(sums[t] == all, "numbers in claimed registers");
  }
  std::printf("%d failures\n", failures);
  return failures ? 1 : 0;
}
