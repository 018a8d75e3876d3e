// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The same bits however the work is divided: `reproducible` fixes the bracketing by position in the whole input. And in any order:
//! `reproducible_sum` is exact until it is rounded once.
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "twofold/twofold.hpp"

namespace tf = twofold;

int main() {
  std::vector<float> x(100'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i)) * 1e3f;
  const tf::sum<float, float> op;

  // In one go, on one thread and on many.
  const float whole = tf::reduce(op, x, tf::reproducible{});
  const float threaded = tf::reduce(op, x, tf::reproducible{} | tf::threads{});

  // In three pieces that do not end at round positions, made apart and merged: each knows where it begins.
  const std::span all(x);
  tf::stream a{op, tf::reproducible{}}, b{op, tf::reproducible{}, 12'345}, c{op, tf::reproducible{}, 77'777};
  a.append(all.subspan(0, 12'345));
  b.append(all.subspan(12'345, 77'777 - 12'345));
  c.append(all.subspan(77'777));
  const float pieces = tf::merge(tf::merge(a, b), c).result();

  std::printf("threads: %s bits\n", threaded == whole ? "the same" : "other");
  std::printf("pieces:  %s bits\n", pieces == whole ? "the same" : "other");

  // A plain fold of the pieces does not promise that.
  float by_hand = 0;
  for (const auto piece : {all.subspan(0, 12'345), all.subspan(12'345, 77'777 - 12'345), all.subspan(77'777)})
    by_hand += tf::reduce(op, piece);
  std::printf("by hand: %s bits\n", by_hand == tf::reduce(op, x) ? "the same" : "other");

  // An exact sum has nothing to fix: backwards and by another schedule it is the same number.
  const tf::reproducible_sum<float> exact;
  const std::vector<float> backwards(x.rbegin(), x.rend());
  const float forth = tf::reduce(exact, x, tf::threads{}), back = tf::reduce(exact, backwards, tf::tiles{100} | tf::tree{});
  std::printf("order:   %s bits\n", forth == back ? "the same" : "other");
}
