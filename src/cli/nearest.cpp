// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Edit distance with swaps of neighbours (optimal string alignment).
#include "nearest.hpp"

#include <algorithm>

namespace twofold::cli {
namespace {

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 100;                      // nobody misspells more than that
  if (word.size() < 2 || word.size() > longest) return {};  // one letter is near to every other
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& k : known)
    if (k.size() <= longest)
      if (const std::size_t n = distance(word, k); n < least) least = n, best = k;
  return best;
}

}  // namespace twofold::cli
