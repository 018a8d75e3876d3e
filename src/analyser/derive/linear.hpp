// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Null spaces over the field of 2^61 − 1 elements: sampled identities are found there, and proved elsewhere.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace twofold::analyser::deriving {

using residue = std::uint64_t;
inline constexpr residue prime = (residue{1} << 61) - 1;

residue add_mod(residue a, residue b);
residue mul_mod(residue a, residue b);
residue inverse_mod(residue a);                     // a ≠ 0
std::optional<residue> to_mod(const mpq_class& v);  // nothing if the denominator vanishes
//! The rational with numerator and denominator below 2^12 that has this residue, if there is one.
std::optional<mpq_class> to_rational(residue r);

//! Rows are added one by one; only independent ones are kept, in reduced echelon form.
class row_space {
 public:
  explicit row_space(std::size_t columns) : columns_(columns) {}
  void add(std::vector<residue> row);
  [[nodiscard]] std::size_t rank() const { return rows_.size(); }
  //! A basis of the vectors orthogonal to all rows: one per column without pivot, 1 there, otherwise supported on pivot columns.
  [[nodiscard]] std::vector<std::vector<residue>> null_space() const;

 private:
  std::size_t columns_;
  std::vector<std::vector<residue>> rows_;
  std::vector<std::size_t> pivots_;
};

}  // namespace twofold::analyser::deriving
