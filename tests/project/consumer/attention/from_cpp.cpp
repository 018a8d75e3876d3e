// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A stranger asks and calls the installed attention kernels, as far as that goes without a device.
#include <cstdio>
#include <twofold/cuda/attention/forward.hpp>

int main() {
  alignas(16) static unsigned char there[64];
  twofold::cuda::attention_problem p;
  p.queries = p.keys = 100, p.head_size = p.value_size = 64;
  p.q_stride.row = p.k_stride.row = p.v_stride.row = p.out_stride.row = 64;
  p.q = p.k = p.v = p.out = there;
  if (!can_run(p)) return std::puts(can_run(p).reason()), 1;
  std::puts(plan_of(p).text().c_str());
  p.head_size = 300;
  if (can_run(p)) return 1;
  try {
    attention_forward(p, {there, 16});
  } catch (const twofold::error& e) {
    return e.code() == "TF3221" ? 0 : 1;
  }
  return 1;
}
