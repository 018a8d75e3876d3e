// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Gaussian elimination modulo 2^61 − 1.
#include "derive/linear.hpp"

#include <algorithm>

namespace twofold::analyser::deriving {

residue add_mod(residue a, residue b) {
  const residue r = a + b;
  return r >= prime ? r - prime : r;
}
__extension__ using wide = unsigned __int128;
residue mul_mod(residue a, residue b) { return static_cast<residue>(static_cast<wide>(a) * b % prime); }
residue inverse_mod(residue a) {  // Fermat: a^(p−2)
  residue r = 1;
  for (residue e = prime - 2; e; e >>= 1, a = mul_mod(a, a))
    if (e & 1) r = mul_mod(r, a);
  return r;
}
std::optional<residue> to_mod(const mpq_class& v) {
  const auto reduce = [](const mpz_class& z) {
    mpz_class m = z % mpz_class(prime);
    if (m < 0) m += mpz_class(prime);
    return static_cast<residue>(m.get_ui());
  };
  const residue d = reduce(v.get_den());
  if (d == 0) return std::nullopt;
  return mul_mod(reduce(v.get_num()), d == 1 ? 1 : inverse_mod(d));
}
std::optional<mpq_class> to_rational(residue r) {
  constexpr long bound = 1 << 12;
  for (long d = 1; d < bound; ++d) {
    const residue n = mul_mod(r, static_cast<residue>(d));
    if (n < bound) return mpq_class(static_cast<long>(n), d);
    if (prime - n < bound) return mpq_class(-static_cast<long>(prime - n), d);
  }
  return std::nullopt;
}

void row_space::add(std::vector<residue> row) {
  const auto subtract = [&](std::vector<residue>& from, const std::vector<residue>& what, residue factor) {
    for (std::size_t j = 0; j < columns_; ++j)
      if (what[j]) from[j] = add_mod(from[j], prime - mul_mod(factor, what[j]));
  };
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (row[pivots_[i]]) subtract(row, rows_[i], row[pivots_[i]]);
  const auto lead = std::find_if(row.begin(), row.end(), [](residue r) { return r != 0; });
  if (lead == row.end()) return;
  const std::size_t pivot = static_cast<std::size_t>(lead - row.begin());
  const residue scale = inverse_mod(*lead);
  for (residue& r : row) r = mul_mod(r, scale);
  for (auto& other : rows_)
    if (other[pivot]) subtract(other, row, other[pivot]);
  rows_.push_back(std::move(row));
  pivots_.push_back(pivot);
}

std::vector<std::vector<residue>> row_space::null_space() const {
  std::vector<std::vector<residue>> basis;
  for (std::size_t free = 0; free < columns_; ++free) {
    if (std::find(pivots_.begin(), pivots_.end(), free) != pivots_.end()) continue;
    std::vector<residue> v(columns_, 0);
    v[free] = 1;
    for (std::size_t i = 0; i < rows_.size(); ++i) v[pivots_[i]] = rows_[i][free] ? prime - rows_[i][free] : 0;
    basis.push_back(std::move(v));
  }
  return basis;
}

}  // namespace twofold::analyser::deriving
