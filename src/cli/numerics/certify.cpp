// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The harness on a question: its families under every way of bracketing that a schedule describes.
#include <algorithm>

#include "numerics/domain.hpp"
#include "numerics/measure.hpp"
#include "twofold/numerics/ways.hpp"

namespace twofold::cli::accuracy {
namespace {

constexpr std::int64_t longest_chain_run = 1 << 15;  // chains of elements are slow; what is lost over more of them is the bound's to say

}  // namespace

std::vector<certified_way> certify(const question& q, double seconds, const progress& tell) {
  std::vector<certified_way> all;
  if (!can_measure(q)) return all;
  question shorter = q;
  shorter.n = std::min(q.n, longest_chain_run);
  const index tile = q.how.tile_size() > 0 ? q.how.tile_size() : 128;
  for (int way = 0; way < numerics::way_count; ++way) {
    if (way == numerics::random_tree) continue;
    const question here = with_schedule(shorter, numerics::schedule_of_way(way, shorter.n, tile));
    certified_way w{numerics::ways[way], here.how, here.n, {}, {}};
    if (const domain d = domain_of(here); d.refusal) w.refused = d.refusal->limit();
    else w.measured = measure(here, seconds / numerics::way_count, 1'000'000'000);
    if (tell) tell(static_cast<double>(way + 1) / numerics::way_count);
    all.push_back(std::move(w));
  }
  return all;
}

}  // namespace twofold::cli::accuracy
