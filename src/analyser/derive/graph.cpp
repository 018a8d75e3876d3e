// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reachability on the dependency graph of a step (a handful of variables: plain closure of a boolean matrix).
#include "derive/graph.hpp"

namespace twofold::analyser::deriving {
namespace {

using matrix = std::vector<std::vector<bool>>;

//! reads[i][j]: variable i's step needs variable j, directly or through others.
matrix reads_of(const pass& loop) {
  const std::size_t n = loop.state.size();
  matrix reads(n, std::vector<bool>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      reads[i][j] = contains(loop.state[i].step, [&](const node& v) { return &v == &*loop.state[j].symbol; });
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (reads[i][k] && reads[k][j]) reads[i][j] = true;
  return reads;
}

}  // namespace

std::vector<bool> observable(const pass& loop, const std::vector<term>& observed) {
  const std::size_t n = loop.state.size();
  const matrix reads = reads_of(loop);
  std::vector<bool> seen(n);
  for (std::size_t j = 0; j < n; ++j)
    for (term t : observed)
      if (contains(t, [&](const node& v) { return &v == &*loop.state[j].symbol; })) seen[j] = true;
  std::vector<bool> all = seen;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; seen[i] && j < n; ++j)
      if (reads[i][j]) all[j] = true;
  return all;
}

std::vector<std::vector<const state_variable*>> parts_of(const pass& loop, const std::vector<bool>& keep) {
  const std::size_t n = loop.state.size();
  const matrix reads = reads_of(loop);
  std::vector<bool> done(n);
  std::vector<std::vector<const state_variable*>> parts;
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t i = 0; i < n && !progress; ++i) {
      if (!keep[i] || done[i]) continue;
      std::vector<std::size_t> part;
      bool ready = true;
      for (std::size_t j = 0; j < n; ++j) {
        const bool together = j == i || (reads[i][j] && reads[j][i]);
        if (together) part.push_back(j);
        else if (reads[i][j] && !done[j]) ready = false;
      }
      if (!ready) continue;
      parts.emplace_back();
      for (std::size_t j : part) {
        done[j] = true;
        parts.back().push_back(&loop.state[j]);
      }
      progress = true;
    }
  }
  return parts;
}

}  // namespace twofold::analyser::deriving
