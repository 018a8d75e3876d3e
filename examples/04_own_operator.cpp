// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Your own loop as an operator, and what the law checker says of it before any schedule runs it.
#include <cstdio>
#include <vector>

#include "twofold/algebra/laws.hpp"
#include "twofold/twofold.hpp"

namespace tf = twofold;

// Exponential moving average, y ← decay·y + x, as a user first writes it: the state is y, and merging adds the halves
// up.
struct leaky_guess {
  using input = int;
  using state = int;
  int decay = 2;
  state identity() const { return 0; }
  state lift(int x) const { return x; }
  state combine(state a, state b) const { return decay * a + b; }  // right only if b holds one element
  int finalize(state s) const { return s; }
};

// The same with one more variable: by how much the piece scales what comes from its left.
struct leaky {
  using input = int;
  struct state {
    int scale, value;
    bool operator==(const state&) const = default;
  };
  int decay = 2;
  state identity() const { return {1, 0}; }
  state lift(int x) const { return {decay, x}; }
  state combine(state a, state b) const { return {a.scale * b.scale, a.value * b.scale + b.value}; }
  int finalize(state s) const { return s.value; }
};

int main() {
  std::printf("leaky_guess: %s\n", tf::laws::check(leaky_guess{}).summary().c_str());
  std::printf("leaky:       %s\n", tf::laws::check(leaky{}).summary().c_str());

  const std::vector<int> x = {3, 1, 4, 1, 5};
  std::printf("fold %d, tree %d\n", tf::reduce(leaky{}, x), tf::reduce(leaky{}, x, tf::tree{}));
}
