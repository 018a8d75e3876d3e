// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How a kernel is scheduled, as values; and which values are used for which problem. Nothing here changes what is computed.
#pragma once

namespace twofold::cuda::attention {

enum class mask_kind {
  full,   //!< all keys of the sequence
  upper,  //!< an end for each row: causal
  band    //!< a begin and an end for each row: windows, prefixes
};

//! Which part of a step the warpgroups of a block take in turn, so that one's softmax runs under the others' products.
enum class turn_policy { none, products, weights };

//! Where outputs are brought to a reference that moved.
enum class act_policy {
  before,  //!< before the weights of the tile that moved it, if any of eight rows moved
  under,   //!< under the next Q·Kᵀ, if any of eight rows moved
  between  //!< between the exponentials, moved or not: no votes, no branches
};

enum class score_kind {
  plain,   //!< (q·k)·factor
  shaped,  //!< softcap, ALiBi: arithmetic alone
  biased   //!< a bias from memory, and what `shaped` does
};

struct tile_shape {
  int head = 128, value = 128;  //!< sizes of query/key and value rows, multiples of 64
  int keys = 128;               //!< keys of a tile
  int groups = 2;               //!< warpgroups of 64 query rows
  int stages = 2;               //!< tiles of K in flight
  int v_stages = 0;             //!< tiles of V in flight; 0: as many as of K
  int q_slots = 1;              //!< 2: the next tile's queries are loaded while this one is worked on
  bool overlap = true;          //!< the next QKᵀ runs under this tile's softmax
  turn_policy turns = turn_policy::none;
  bool dealt = true;  //!< tiles are dealt by a counter, longest first; else block b takes tiles b, b + grid, …
  act_policy act = act_policy::before;
  bool ahead = true;       //!< with two slots for queries: the next tile's first softmax runs under this tile's last product
  bool gathered = false;   //!< tiles come by ordinary loads: any strides, any sizes of rows
  bool rounded_l = false;  //!< the denominator sums the rounded weights that meet V
};

//! Sequences of at most so many keys are mostly beginnings and ends of tiles; for them some sizes have a schedule of their own. 0: none.
constexpr int short_keys(int head, mask_kind mask, score_kind scores) {
  if (scores != score_kind::plain || mask == mask_kind::band) return 0;
  if (head == 64) return mask == mask_kind::upper ? 1024 : 512;
  if (head == 128) return mask == mask_kind::upper ? 1024 : 4096;
  return head == 256 ? (mask == mask_kind::upper ? 1024 : 512) : 0;
}

//! The compiled schedules: rows of `head` = 64, 128, 192 (whose values have at most 128) or 256 elements. Each was the best of those
//! measured (docs/design/attention_gpu.md).
constexpr tile_shape shape_of(int head, mask_kind mask, score_kind scores, bool few_keys, bool gathered = false, bool rounded = false) {
  few_keys = few_keys && short_keys(head, mask, scores) > 0;
  const bool biased = scores == score_kind::biased, shaped = scores == score_kind::shaped;  // a bias: its addresses need registers
  tile_shape t{.head = head, .value = head == 192 ? 128 : head};
  t.gathered = gathered, t.rounded_l = rounded;
  if (head == 64) {
    t.groups = biased ? 2 : 3, t.stages = 4, t.q_slots = 2, t.act = act_policy::between;
    t.keys = shaped || rounded ? 96 : 128;
    t.ahead = few_keys || mask == mask_kind::band;
    t.turns = t.ahead ? turn_policy::none : turn_policy::products;
    if (few_keys) t.groups = 4, t.keys = 64, t.stages = 8, t.ahead = false;
  } else if (head == 128) {
    t.keys = biased ? 96 : 128, t.stages = 3, t.turns = turn_policy::products, t.act = act_policy::under;
    if (few_keys && mask == mask_kind::upper) t.stages = 2, t.v_stages = 3, t.q_slots = 2;
    if (!few_keys && mask == mask_kind::full && scores == score_kind::plain) t.keys = 176, t.stages = 2;
  } else if (head == 192) {
    t.keys = biased ? 96 : 128;
  } else {
    t.keys = biased || few_keys ? 64 : 80, t.turns = turn_policy::products;
  }
  return t;
}

}  // namespace twofold::cuda::attention
