// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Blocks of 8 keys by 32 columns, small enough for the first cache to turn them round.
#include "cpu/attention/packed_values.hpp"

namespace twofold::cpu::detail {

void packed_values::pack(const block_of_rows& b, std::int64_t i) {
  const std::size_t place = at(b.batch, b.kv_head, i);
  std::uint16_t* to = numbers_.get() + place * static_cast<std::size_t>(columns_ * keys);
  const row_source from = b.value_rows();
  const std::int64_t first = i * keys, n = std::min(keys, b.keys - first);
  std::uint16_t found = 0;
  constexpr std::int64_t together = 16;
  for (std::int64_t j = 0; j < keys; j += together) {
    const std::uint16_t* rows[together];
    for (std::int64_t k = 0; k < together; ++k)
      rows[k] = j + k < n ? reinterpret_cast<const std::uint16_t*>(from.row(first + j + k)) : nullptr;
    if (j + together <= n) {
      for (std::int64_t c = 0; c < from.size; ++c) {
        std::uint16_t* t = to + c * keys + j;
        for (std::int64_t k = 0; k < together; ++k) {
          const std::uint16_t x = rows[k][c];
          found |= static_cast<std::uint16_t>((x & 0x7f80) == 0x7f80);
          t[k] = x;
        }
      }
    } else {
      for (std::int64_t c = 0; c < from.size; ++c)
        for (std::int64_t k = 0; k < together; ++k) {
          const std::uint16_t x = rows[k] ? rows[k][c] : std::uint16_t{0};
          found |= static_cast<std::uint16_t>((x & 0x7f80) == 0x7f80);
          to[c * keys + j + k] = x;
        }
    }
    for (std::int64_t c = from.size; c < columns_; ++c) std::fill_n(to + c * keys + j, together, std::uint16_t{0});
  }
  strange_[place] = static_cast<char>(found);
}

}  // namespace twofold::cpu::detail
