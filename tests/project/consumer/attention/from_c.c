/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>
#include <twofold/cuda/attention/c_api.h>

int main(void) {
  static double there[8];
  char message[256];
  twofold_attention_problem p;
  memset(&p, 0, sizeof p);
  p.left = p.right = -1;
  p.q = p.k = p.v = there, p.out = there;
  p.batch = p.heads = p.kv_heads = 1, p.queries = p.keys = 100, p.head_size = p.value_size = 64;
  p.q_stride.row = p.k_stride.row = p.v_stride.row = p.out_stride.row = 64;
  if (twofold_attention_can_run(&p, message, sizeof message) != 0) return puts(message), 1;
  p.softcap = -1;
  if (twofold_attention_can_run(&p, message, sizeof message) == 0) return 1;
  puts(message);
  return twofold_attention_forward(&p, there, twofold_attention_workspace_bytes(&p), 0, message, sizeof message) == 0;
}
