// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Advice: the same question with one thing changed, kept where it helps by a tenth or more.
#include <algorithm>

#include "numerics/bounds.hpp"

namespace twofold::cli::accuracy {
namespace {

schedule rebuilt(const schedule& s, bool tree, index tiles) {
  schedule out;
  if (s.lanes_per_tile() > 0) out = out | lanes{s.lanes_per_tile()};
  if (tiles > 0) out = out | twofold::tiles{tiles};
  if (s.parts() > 0) out = out | split{s.parts()};
  if (tree) out = out | schedule(twofold::tree{});
  return out;
}

double units_of(const question& q) {
  const accuracy::tree t = tree_of(q.shape);
  return has_weights(q.what) ? schedule_units(q, t) : guarantee_of(q, t).units();
}

}  // namespace

question with_schedule(question q, const schedule& s) {
  q.how = s;
  q.shape = plan_of(q.n, s);
  return q;
}

std::vector<advice> advice_for(const question& q) {
  std::vector<advice> all;
  const double before = units_of(q);
  const auto consider = [&](const char* text, const question& other) {
    if (const double after = units_of(other); after < 0.9 * before) all.push_back({text, before, after});
  };
  if (has_weights(q.what) && q.gauge != gauge::integer) {
    question other = q;
    other.gauge = gauge::integer;
    consider("integer gauge: rescales by exact powers of two", other);
  }
  if (!q.shape.tree) consider("merge by tree instead of a chain", with_schedule(q, rebuilt(q.how, true, q.how.tile_size())));
  if (q.how.tile_size() == 0 && q.n > 256)
    consider("tiles of 128, each at one reference", with_schedule(q, rebuilt(q.how, q.shape.tree, 128)));
  if (has_weights(q.what) && !q.fused && q.gauge != gauge::integer) {
    question other = q;
    other.fused = true;
    consider("merges by fused multiply-add", other);
  }
  if (q.what == operation::sum && q.sum == summing::plain && q.shape.leaf) {
    question other = q;
    other.sum = summing::pairwise;
    consider("sum tiles pairwise", other);
  }
  if (q.what == operation::sum && q.sum != summing::compensated) {
    question other = q;
    other.sum = summing::compensated;
    consider("compensated sum: u|s| + (h u)^2 sum|x|", other);
  }
  std::stable_sort(all.begin(), all.end(), [](const advice& a, const advice& b) { return a.after < b.after; });
  return all;
}

}  // namespace twofold::cli::accuracy
