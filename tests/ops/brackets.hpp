// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every way of bracketing a short input, without any scheduler: what the operators' own tests stand on.
#pragma once

#include <vector>

#include "twofold/algebra/reduction.hpp"
#include "twofold/algebra/tile.hpp"

namespace brackets {

namespace tf = twofold;

//! The loop.
template <class R, class S>
tf::state_of<R> fold(const R& r, const S& src) {
  auto s = r.identity();
  for (tf::index i = 0; i < src.size(); ++i) tf::push_at(r, s, src, i);
  return s;
}

//! Calls f(state) for every binary merge tree over the given states; Catalan(n−1) of them.
template <class R, class F>
void every_tree(const R& r, const std::vector<tf::state_of<R>>& leaves, F&& f) {
  using state = tf::state_of<R>;
  const std::size_t n = leaves.size();
  if (n == 0) return f(r.identity());
  std::vector<std::vector<std::vector<state>>> over(n, std::vector<std::vector<state>>(n + 1));
  for (std::size_t length = 1; length < n; ++length)
    for (std::size_t i = 0; i + length <= n; ++i) {
      auto& here = over[i][i + length];
      if (length == 1) here.push_back(leaves[i]);
      for (std::size_t k = i + 1; k < i + length; ++k)
        for (const state& a : over[i][k])
          for (const state& b : over[k][i + length]) here.push_back(r.combine(a, b));
    }
  if (n == 1) return f(leaves[0]);
  for (std::size_t k = 1; k < n; ++k)  // the last level is not stored
    for (const state& a : over[0][k])
      for (const state& b : over[k][n]) f(r.combine(a, b));
}

//! Calls f(state) for every cut of the source into neighbouring tiles, each computed by leaf, merged from the left.
template <class R, class S, class F>
void every_split(const R& r, const S& src, F&& f) {
  const tf::index n = src.size();
  for (unsigned long cuts = 0; cuts < (n < 1 ? 1ul : 1ul << (n - 1)); ++cuts) {
    auto s = r.identity();
    tf::index first = 0;
    for (tf::index i = 1; i <= n; ++i)
      if (i == n || (cuts >> (i - 1) & 1)) {
        s = r.combine(s, tf::leaf(r, src.sub(first, i)));
        first = i;
      }
    f(s);
  }
}

//! The states of the single elements, with an identity before, after or nowhere near each, as `pattern` in base 3
//! says.
template <class R, class S>
std::vector<tf::state_of<R>> leaves_with_empties(const R& r, const S& src, unsigned pattern) {
  std::vector<tf::state_of<R>> leaves;
  for (tf::index i = 0; i < src.size(); ++i, pattern /= 3) {
    if (pattern % 3 == 1) leaves.push_back(r.identity());
    leaves.push_back(tf::lift_at(r, src, i));
    if (pattern % 3 == 2) leaves.push_back(r.identity());
  }
  return leaves;
}

//! The fold, the leaf, every tree, every split, and every tree over leaves with identities between them. f(state) must
//! accept each of them.
template <class R, class S, class F>
void every_bracket(const R& r, const S& src, F&& f) {
  f(fold(r, src));
  f(tf::leaf(r, src));
  every_tree(r, leaves_with_empties(r, src, 0), f);
  every_split(r, src, f);
  const unsigned before_and_after = 1 + 3 * 2 + 9 * 1 + 27 * 2;  // e x, y e, e z, w e
  if (src.size() <= 4) every_tree(r, leaves_with_empties(r, src, before_and_after), f);
}

}  // namespace brackets
