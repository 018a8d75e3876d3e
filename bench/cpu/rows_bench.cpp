// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Softmax and norms of rows, of Twofold.
#include "rows.hpp"

#include "twofold/cpu/rows.hpp"
#include "twofold/cpu/threads.hpp"
#include "twofold/ops/layer_norm.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/softmax.hpp"

namespace bench {

void add_rows(std::vector<contender>& all) {
  for (const shape& s : shapes) {
    const twofold::row_source<float> in{signal(), s.rows, s.columns, s.columns};
    const twofold::matrix_output<float> out{room(), s.rows, s.columns, s.columns};
    const row_truth t = truth_of(s);
    add_map(
        all, "softmax", s, "twofold", [=] { twofold::cpu::map_rows(twofold::softmax<float>{}, in, out); }, t.softmax, 1e-5 * t.softmax);
    add_map(
        all, "log_softmax", s, "twofold", [=] { twofold::cpu::map_rows(twofold::log_softmax<float>{}, in, out); }, t.log_softmax, 1e-5);
    add_map(
        all, "layer_norm", s, "twofold", [=] { twofold::cpu::map_rows(twofold::layer_norm<float>{}, in, out); }, t.layer_norm, 1e-5);
    add_map(
        all, "rms_norm", s, "twofold", [=] { twofold::cpu::map_rows(twofold::rms_norm<float>{}, in, out); }, t.rms_norm, 1e-5);
  }
}

}  // namespace bench
