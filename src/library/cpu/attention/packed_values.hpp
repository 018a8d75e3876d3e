// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Values turned round, once per call: products of pairs (AMX, AVX512_BF16) want the numbers that are summed over, keys, side by
//! side.
#pragma once

#include <memory>
#include <vector>

#include "cpu/attention/work.hpp"

namespace twofold::cpu::detail {

//! Tiles of `keys` keys: [columns, keys] of bfloat16, columns rounded up to 32; keys and columns that do not exist are 0.
class packed_values {
 public:
  static constexpr std::int64_t keys = 256;

  packed_values(const attention_problem& p, std::int64_t longest)
      : heads_(p.kv_heads), tiles_((longest + keys - 1) / keys), columns_((p.value_size + 31) / 32 * 32) {
    const auto count = static_cast<std::size_t>(p.batch * heads_ * tiles_);
    numbers_.reset(new (std::align_val_t(64)) std::uint16_t[count * static_cast<std::size_t>(columns_ * keys)]);
    strange_.resize(count);
  }

  [[nodiscard]] std::int64_t tiles() const { return tiles_; }
  [[nodiscard]] const std::uint16_t* tile(std::int64_t batch, std::int64_t head, std::int64_t i) const {
    return numbers_.get() + at(batch, head, i) * static_cast<std::size_t>(columns_ * keys);
  }
  //! Does it hold an infinity or a NaN?
  [[nodiscard]] bool strange(std::int64_t batch, std::int64_t head, std::int64_t i) const { return strange_[at(batch, head, i)] != 0; }

  //! Packs one tile of the sequence and head that b stands for.
  void pack(const block_of_rows& b, std::int64_t i);

 private:
  [[nodiscard]] std::size_t at(std::int64_t batch, std::int64_t head, std::int64_t i) const {
    return static_cast<std::size_t>((batch * heads_ + head) * tiles_ + i);
  }
  struct release {
    void operator()(std::uint16_t* p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  std::int64_t heads_, tiles_, columns_;
  std::unique_ptr<std::uint16_t[], release> numbers_;
  std::vector<char> strange_;  // not bool: written by several threads
};

}  // namespace twofold::cpu::detail
