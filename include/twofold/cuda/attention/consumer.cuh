// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A consumer: one warpgroup that folds tiles of keys into the state of its 64 query rows.
//!
//! Tile after tile without a pause: the last product P·V of a tile and the first Q·Kᵀ of the next are in flight together, and the output of
//! one is written while the other's scores are made. Each warpgroup leaves out the tiles of keys that its own rows cannot see.
#pragma once

#include "twofold/cuda/attention/arguments.cuh"
#include "twofold/cuda/attention/repair.cuh"
#include "twofold/cuda/attention/softmax.cuh"
#include "twofold/cuda/ptx/sync.cuh"

namespace twofold::cuda::attention {

//! Tells the compiler that all lanes hold the same value, so that descriptors are made once in uniform registers.
__device__ __forceinline__ std::uint32_t warp_uniform(std::uint32_t x) { return __shfl_sync(~0u, x, 0); }

template <class Element, tile_shape Shape, mask_kind Mask, score_kind Scores>
__device__ __forceinline__ void consume(const arguments& a, std::uint32_t base) {
  using T = tiling<Shape>;
  using traits = element_traits<Element>;
  constexpr int N = Shape.keys;
  // One register from which all places in shared memory follow: made again each time, it costs reads of special registers.
  asm volatile("" : "+r"(base));
  auto& block = *static_cast<block_shared<Shape>*>(__cvta_shared_to_generic(base + T::block_at));
  const int g = threadIdx.x / 128 - 1;
  const bool leader = threadIdx.x % 32 == 0;
  // Made again where it is needed: registers are short.
  const auto lane = [] {
    unsigned t = threadIdx.x % 128;
    asm volatile("" : "+r"(t));
    return static_cast<int>(t);
  };
  const auto first_row = [&] {  // of this thread in its warpgroup; the other is 8 rows on
    const int t = lane();
    return (t / 32) * 16 + (t % 32) / 4;
  };
  float o[Shape.value / 2], s[N / 2];
  std::uint32_t w[N / 4];
  constexpr bool scaled = Scores != score_kind::plain;
  using row_state = row_pair<traits, Shape.act != act_policy::between, scaled, Shape.rounded_l>;
  row_state state;
  ring<Shape.stages> k;
  ring<T::v_stages> v;
  ring<Shape.q_slots> q;
  ring<block_shared<Shape>::records> record;

  // Turns: barrier 2 + g lets warpgroup g go on; as many turns for each as there are tiles of keys.
  const auto my_turn = [&](turn_policy which) {
    if (Shape.turns == which && which != turn_policy::none) ptx::named_sync(2 + g, 256);
  };
  const auto your_turn = [&](turn_policy which) {
    if (Shape.turns == which && which != turn_policy::none) ptx::named_arrive(g == Shape.groups - 1 ? 2 : 3 + g, 256);
  };
  const auto multiply_qk = [&] {  // S = Q·Kᵀ of the next tile of keys
    const std::uint32_t rows = warp_uniform(ptx::descriptor_address(base + (q.slot() * Shape.groups + g) * T::q_bytes));
    const std::uint32_t keys = warp_uniform(ptx::descriptor_address(base + T::k_at + k.slot() * T::k_bytes));
    ptx::mbarrier_wait(&block.full_k[k.slot()], k.phase());
    my_turn(turn_policy::products);
    ptx::wgmma_fence();
#pragma unroll
    for (int i = 0; i < Shape.head / 16; ++i)
      traits::template product<N>::template shared_a<0>(s, ptx::descriptor_at<16, 1024>(rows, (i / 4) * 64 * 128 + (i % 4) * 32),
                                                        ptx::descriptor_at<16, 1024>(keys, (i / 4) * N * 128 + (i % 4) * 32), i != 0);
  };
  const auto multiply_pv = [&](const ring<T::v_stages>& v, int accumulate) {  // O += P·V
    const std::uint32_t values = warp_uniform(ptx::descriptor_address(base + T::v_at + v.slot() * T::v_bytes));
    if (Shape.act == act_policy::under && accumulate) state.act(o);
    ptx::mbarrier_wait(&block.full_v[v.slot()], v.phase());
    ptx::wgmma_fence();
#pragma unroll
    for (int i = 0; i < N / 16; ++i)
      traits::template product<Shape.value>::template register_a<1>(
          o, reinterpret_cast<std::uint32_t(&)[4]>(w[4 * i]), ptx::descriptor_at<N * 128, 1024>(values, i * 2048), i != 0 ? 1 : accumulate);
  };
  const auto release = [&](std::uint64_t& barrier) {
    if (leader) ptx::mbarrier_arrive(&barrier);
  };
  const auto skip = [&] {  // a tile of keys for the other warpgroups
    ptx::mbarrier_wait(&block.full_k[k.slot()], k.phase());
    release(block.empty_k[k.slot()]);
    k.advance();
    ptx::mbarrier_wait(&block.full_v[v.slot()], v.phase());
    release(block.empty_v[v.slot()]);
    v.advance();
    my_turn(Shape.turns), your_turn(Shape.turns);
  };
  // Of a tile, registers keep only its range; the rest is read again where it is needed.
  const auto record_of = [&](int slot) -> const assignment& { return block.work[slot]; };
  const auto range_of = [&](int slot) {
    key_range range = block.parts[slot][g];
    if (Mask != mask_kind::band) range.first = 0;  // begins nowhere else: a constant costs no register
    return range;
  };
  const auto next_record = [&]() -> const assignment& {
    ptx::mbarrier_wait(&block.told[record.slot()], record.phase());
    return record_of(record.slot());
  };
  const auto await_q = [&] { ptx::mbarrier_wait(&block.full_q[q.slot() * Shape.groups + g], q.phase()); };
  const auto done_with_q = [&] {
    release(block.empty_q[q.slot() * Shape.groups + g]);
    q.advance();
  };
  const auto refer = [&](const key_range& tiles, int n, int slot) {
    const bool boundary = tiles.crosses_end(n) || (Mask == mask_kind::band && tiles.crosses_begin(n));
    if (Scores != score_kind::plain || boundary) {
      const assignment& work = record_of(slot);
      const sequence_mask<Mask> mask(a.mask, work.queries, work.keys);
      const int row = work.row + 64 * g + first_row(), column = n * N + 2 * (lane() % 4);
      if constexpr (Scores != score_kind::plain) change<Scores>(s, a, work, mask.shift, row, column);
      if (boundary) hide(s, mask, row, column);
    }
    state.settle(s, a.scale);
  };
  const auto weigh = [&]<bool Pack, bool Act = false>() {
    my_turn(turn_policy::weights);
    state.template weigh<Pack, Act>(s, a.scale, w, o);
    your_turn(turn_policy::weights);
  };
  repair_list& spoilt = block.spoilt[threadIdx.x / 32 - 4];
  const auto finish = [&](const row_state& rows, int slot, bool empty) {
    const assignment& work = record_of(slot);
    const int row = 64 * g + first_row();
    const unsigned bad = finalize<Shape.gathered>(a, work, row, rows, o, empty);
    if (__any_sync(~0u, bad)) note_spoilt(a, work, row, bad, spoilt);
  };
  // The first scores of a tile have arrived: the state starts.
  const auto begin = [&](const key_range& tiles, int slot) {
    release(block.empty_k[k.slot()]);
    k.advance();
    if (tiles.last - tiles.first == 1) done_with_q();
    state.clear();
    refer(tiles, tiles.last - 1, slot);
  };

  if (Shape.turns != turn_policy::none && g == Shape.groups - 1) ptx::named_arrive(2, 256);
  state.clear();
  for (;;) {  // with nothing in flight
    const int fresh = record.slot();
    const assignment& work = next_record();
    if (work.last < 0) break;
    record.advance();
    key_range now = range_of(fresh);
    for (int n = work.last; n > now.last; --n) skip();
    await_q();
    if (!now.any()) {
      finish(state, fresh, true);
      done_with_q();
      continue;
    }
    multiply_qk();
    ptx::wgmma_commit();
    your_turn(turn_policy::products);
    ptx::wgmma_wait<0>();
    ptx::hold(s);
    begin(now, fresh);
    weigh.template operator()<true>();
    for (int slot = fresh;;) {  // tile after tile without a pause
      for (int n = now.last - 2; n >= now.first; --n) {
        multiply_qk();
        if constexpr (Shape.overlap) ptx::wgmma_commit();
        multiply_pv(v, n != now.last - 2);
        ptx::wgmma_commit();
        your_turn(turn_policy::products);
        if constexpr (Shape.overlap) ptx::wgmma_wait<1>();
        else ptx::wgmma_wait<0>(), ptx::hold(o), release(block.empty_v[v.slot()]), v.advance();
        ptx::hold(s);
        release(block.empty_k[k.slot()]);
        k.advance();
        if (n == now.first) done_with_q();
        refer(now, n, slot);
        if constexpr (Shape.overlap) ptx::wgmma_wait<0>(), ptx::hold(o), release(block.empty_v[v.slot()]), v.advance();
        if (Shape.act == act_policy::before) state.act(o);
        weigh.template operator()<true, Shape.act == act_policy::between>();
      }
      const int next_slot = record.slot();
      const assignment& following = next_record();
      key_range next = now;
      constexpr int room = Shape.stages < T::v_stages ? Shape.stages : T::v_stages;
      int left_out = room;
      if (following.last >= 0) {
        next = range_of(next_slot);
        if (next.any()) left_out = following.last - next.last + (Mask == mask_kind::band ? now.first - record_of(slot).first : 0);
      }
      const ring<T::v_stages> last_v = v;
      v.advance();
      const bool accumulate = now.last - now.first > 1;
      // Tiles of keys may be left out while a product waits, as far as the rings have room.
      // With products in turn a tail is not left out while V is held: who waits for the turn may be waited for by who waits for that V.
      const bool held = Mask == mask_kind::band && Shape.turns == turn_policy::products && now.first != record_of(slot).first;
      const bool ready = left_out < room && !held;
      if (!ready) {
        multiply_pv(last_v, accumulate);
        ptx::wgmma_commit();
        ptx::wgmma_wait<0>();
        ptx::hold(o);
        release(block.empty_v[last_v.slot()]);
        finish(state, slot, false);
        if constexpr (Mask == mask_kind::band)
          for (int i = record_of(slot).first; i < now.first; ++i) skip();
        break;
      }
      record.advance();
      if constexpr (Shape.q_slots > 1 && Shape.ahead) {  // as a step within a tile; the output is written after the next softmax
        for (; left_out > 0; --left_out) skip();
        await_q();
        multiply_qk();
        ptx::wgmma_commit();
        multiply_pv(last_v, accumulate);
        ptx::wgmma_commit();
        your_turn(turn_policy::products);
        ptx::wgmma_wait<1>();
        ptx::hold(s);
        const auto before = state;
        begin(next, next_slot);
        weigh.template operator()<false>();  // the present ones are still being multiplied
        ptx::wgmma_wait<0>();
        ptx::hold(o);
        release(block.empty_v[last_v.slot()]);
        finish(before, slot, false);
        state.pack(s, w);
      } else {  // queries of one slot arrive under the last product; the output is written under the next QKᵀ
        multiply_pv(last_v, accumulate);
        ptx::wgmma_commit();
        for (; left_out > 0; --left_out) skip();
        await_q();
        multiply_qk();
        ptx::wgmma_commit();
        your_turn(turn_policy::products);
        ptx::wgmma_wait<1>();
        ptx::hold(o);
        release(block.empty_v[last_v.slot()]);
        finish(state, slot, false);
        ptx::wgmma_wait<0>();
        ptx::hold(s);
        begin(next, next_slot);
        weigh.template operator()<true>();
      }
      now = next, slot = next_slot;
    }
  }
  if (Shape.turns != turn_policy::none && g == 0) ptx::named_sync(2, 256);  // the turn that nobody took
  if (spoilt.tile >= 0) repair<Element, Shape, Mask, Scores>(a, spoilt);
}

}  // namespace twofold::cuda::attention
