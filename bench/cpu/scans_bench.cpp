// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Inclusive scans of Twofold.
#include <span>

#include "contenders.hpp"
#include "twofold/cpu/scan.hpp"
#include "twofold/cpu/threads.hpp"
#include "twofold/ops/affine.hpp"
#include "twofold/ops/min_max.hpp"
#include "twofold/ops/sum.hpp"

namespace bench {

void add_scans(std::vector<contender>& all) {
  for (const size_class& c : sizes) {
    const twofold::index n = c.elements;
    const auto length = static_cast<std::size_t>(n);
    const std::span<const float> x(signal(), length);
    const std::span<float> y(room(), length);
    const auto items = static_cast<double>(n), bytes = 8 * items;
    all.push_back({std::string("inclusive_scan/") + c.name + "/twofold", items, bytes,
                   [=] {
                     twofold::cpu::scan(twofold::sum<float>{}, x, y);
                     return static_cast<double>(y.back());
                   },
                   truth_of(n).sum, 1e-4 * items});
    all.push_back({std::string("running_max/") + c.name + "/twofold", items, bytes,
                   [=] {
                     twofold::cpu::scan(twofold::max<float>{}, x, y);
                     return static_cast<double>(y.back());
                   },
                   truth_of(n).largest, 0});
  }
}

}  // namespace bench
