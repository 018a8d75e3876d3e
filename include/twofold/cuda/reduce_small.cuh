// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One array that a single wave of blocks holds in registers, reduced by one launch: every block publishes its state as sealed
//! packets, and the last one merges them in order.
#pragma once

#include "twofold/cuda/packet.cuh"
#include "twofold/cuda/ptx/sync.cuh"
#include "twofold/cuda/row_kernels.cuh"

namespace twofold::cuda::kernels {

//! @brief  *out = finalize(state of n elements): blocks · threads · V vectors hold all of them.
//! @math   a thread has V neighbouring vectors (of operators that commute: every threads-th vector of its block); threads, then blocks in
//!         order
//! @pre    workspace: the number of the launch, then from byte 256 on the packets of every block
template <int V, class R, class In, class Out>
__global__ void __launch_bounds__(512)
    array_small(const R r, const In* const data, const int n, Out* const out, unsigned char* const memory) {
  using state = state_of<R>;
  using tile = anchored_tile<R, In, V, absence::none>;
  extern __shared__ uint4 shared[];  // row_room words
  std::uint32_t* const room = reinterpret_cast<std::uint32_t*>(shared);
  ptx::let_next_kernel_begin();
  ptx::wait_for_kernel_before();
  const int t = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x), head = misalignment(data);
  const int blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
  auto* const launches = reinterpret_cast<std::uint64_t*>(memory);
  auto* const packed = reinterpret_cast<packet*>(memory + 256);
  std::uint64_t launch = 0;
  if (t < 32 && blocks > 1) launch = load_launch(launches);
  const int first = block * threads * V;
  const slots_of_thread slots = is_commutative<R> ? slots_of_thread{first + t, threads, head} : slots_of_thread{first + t * V, 1, head};
  uint4 raw[V];
  load_slots(raw, data, slots, n, filler_behind<R, In>());
  const team all{32, threads / 32, 1};
  state s = block_state<R, tile>(r, part_of_thread<R, V, In>(raw, slots, threads, data, n, 0), all, room);
  if (t >= 32) return;
  if (blocks > 1) {
    const packet_key key(launch, 0);
    if (t == 0 && block < blocks - 1) publish(packed + block * packets<state>::count, s, key);
    if (block < blocks - 1) return;
    state v = r.identity();
    const int each = (blocks + 31) / 32;
    for (int k = 0; k < each; ++k) {
      const int j = t * each + k;
      if (j >= blocks) break;
      if (j < blocks - 1) {
        packets<state> x;
        do x.fetch(packed + j * packets<state>::count);
        while (!x.arrived(key));
        combine_into(r, v, x.state());
      } else {
        combine_into(r, v, s);
      }
    }
    __syncwarp();
    s = merge_states(r, {32, 1, 1}, v, room);
    if (t == 0) *launches = launch + 1;  // all blocks have read it before they published
  }
  if (t == 0) *out = narrowed<Out>(r.finalize(s));
}

}  // namespace twofold::cuda::kernels
