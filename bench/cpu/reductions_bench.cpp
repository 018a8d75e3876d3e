// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reductions of Twofold: the library's operators and one that a user might write, in cache and from memory.
#include <span>

#include "contenders.hpp"
#include "twofold/cpu/reduce.hpp"
#include "twofold/cpu/reproducible.hpp"
#include "twofold/cpu/threads.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/min_max.hpp"
#include "twofold/ops/reproducible/sum.hpp"
#include "twofold/ops/sum.hpp"
#include "twofold/ops/welford.hpp"
#include "user_operator.hpp"

namespace bench {

void add_reductions(std::vector<contender>& all) {
  for (const size_class& c : sizes) {
    const twofold::index n = c.elements;
    const std::span<const float> x(signal(), static_cast<std::size_t>(n));
    const auto items = static_cast<double>(n), bytes = 4 * items;
    const truth& t = truth_of(n);
    const auto add = [&](const char* job, auto run, double want, double tolerance) {
      all.push_back({std::string(job) + "/" + c.name + "/twofold", items, bytes, run, want, tolerance});
    };
    add(
        "sum", [x] { return static_cast<double>(twofold::cpu::reduce(twofold::sum<float>{}, x)); }, t.sum, 1e-6 * items);
    add(
        "max", [x] { return static_cast<double>(twofold::cpu::reduce(twofold::max<float>{}, x)); }, t.largest, 0);
    add(
        "variance", [x] { return twofold::cpu::reduce(twofold::welford<float>{}, x).variance; }, t.variance, 1e-10);
    add(
        "reproducible_sum", [x] { return static_cast<double>(twofold::cpu::reduce(twofold::reproducible_sum<float>{}, x)); }, t.sum,
        1e-6 * items);
    add(
        "log_sum_exp", [x] { return static_cast<double>(twofold::cpu::reduce(twofold::log_sum_exp<float>{}, x)); }, t.log_sum_exp, 4e-6);
    add(
        "user", [x] { return static_cast<double>(twofold::cpu::reduce(best_prefix<float>{}, x)); }, t.best_prefix, 1e-6 * items);
    all.push_back({std::string("user/") + c.name + "/scalar_twofold", items, bytes,
                   [x] { return static_cast<double>(twofold::cpu::reduce(scalar_best_prefix{}, x)); }, t.best_prefix, 1e-6 * items});
  }
}

}  // namespace bench
