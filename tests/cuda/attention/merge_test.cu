// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file States of attention over pieces of the keys, merged, against one float64 pass over all keys; empty pieces, NaN, order.
#include "twofold/cuda/attention/merge.hpp"

#include "harness.cuh"

namespace {

void pieces(attention_type type, int d, std::vector<std::int64_t> cuts, bool nan_value, bool nothing, bool nan_scores = false) {
  ++cases;
  const std::int64_t batch = 2, heads = 3, queries = 70, keys = cuts.back(), parts = static_cast<std::int64_t>(cuts.size()) - 1;
  const std::int64_t rows = batch * heads * queries;
  std::vector<float> q(rows * d), k(batch * heads * keys * d), v(k.size());
  fill(q, 1, 3, 0), fill(k, 2, 1, 0), fill(v, 3, 1, 0.5f);
  if (nan_value) v[5 * d] = NAN;
  if (nan_scores) q[7 * d] = k[(keys + 3) * d] = NAN;  // a row that sees nothing else; a key of the next head
  attention_problem p;
  p.type = type, p.batch = batch, p.heads = p.kv_heads = heads, p.queries = queries, p.keys = keys, p.head_size = p.value_size = d;
  p.q_stride = p.out_stride = {heads * queries * d, queries * d, d}, p.k_stride = p.v_stride = {heads * keys * d, keys * d, d};
  buffer dq(q.size() * 2), dk(k.size() * 2), dv(v.size() * 2), out(rows * d * 2), work(256), at(parts * rows * 4), l(parts * rows * 4),
      o(parts * rows * d * 4), ln(rows * 4), log2(rows * 4), want(rows * d * 8), size(rows * d * 8), lse(rows * 8), spread(rows * 8),
      worst(8), merged_at(rows * 4), merged_l(rows * 4), merged_o(rows * d * 4);
  std::vector<std::uint16_t> host(q.size());
  upload(dq.data, q, p.q_stride, batch, heads, queries, d, type, host);
  host.resize(k.size());
  upload(dk.data, k, p.k_stride, batch, heads, keys, d, type, host), upload(dv.data, v, p.v_stride, batch, heads, keys, d, type, host);
  p.q = dq.data, p.k = dk.data, p.v = dv.data;
  const auto f32 = [](buffer& b, std::int64_t from = 0) { return static_cast<float*>(b.data) + from; };
  for (std::int64_t i = 0; i < parts; ++i) {
    attention_problem piece = p;
    piece.keys = nothing ? 0 : cuts[i + 1] - cuts[i];
    piece.k = static_cast<char*>(dk.data) + cuts[i] * d * 2, piece.v = static_cast<char*>(dv.data) + cuts[i] * d * 2;
    piece.state_at = f32(at, i * rows), piece.state_l = f32(l, i * rows), piece.state_o = f32(o, i * rows * d);
    attention_forward(piece, {work.data, work.bytes});
  }
  attention_merge m;
  m.at = f32(at), m.l = f32(l), m.o = f32(o), m.parts = parts, m.rows = rows, m.value_size = d, m.type = type, m.out = out.data,
  m.out_row = d;
  m.lse_ln = f32(ln), m.lse_log2 = f32(log2), m.state_at = f32(merged_at), m.state_l = f32(merged_l), m.state_o = f32(merged_o);
  merge_attention_states(m);
  p.out = out.data, p.lse_ln = m.lse_ln, p.lse_log2 = m.lse_log2;
  if (nothing) p.keys = 0;
  CHECK(cudaMemset(worst.data, 0, 8));
  const auto f64 = [](buffer& b) { return static_cast<double*>(b.data); };
  reference::attention<<<static_cast<unsigned>(rows), 256, keys * 8 + 8>>>(p, 1 / std::sqrt(double(d)), f64(want), f64(size), f64(lse),
                                                                           f64(spread));
  reference::compare<<<static_cast<unsigned>(rows), 128>>>(p, type == attention_type::bf16 ? 0x1p-8 : 0x1p-11, 0x1p-20, f64(want),
                                                           f64(size), f64(lse), f64(spread), f32(worst));
  float found[2];
  CHECK(cudaMemcpy(found, worst.data, 8, cudaMemcpyDeviceToHost));
  // Merging the merged state once more, alone, changes nothing.
  std::vector<std::uint16_t> once(rows * d), twice(rows * d);
  CHECK(cudaMemcpy(once.data(), out.data, once.size() * 2, cudaMemcpyDeviceToHost));
  m.at = m.state_at, m.l = m.state_l, m.o = m.state_o, m.parts = 1, m.state_at = m.state_l = m.state_o = nullptr;
  merge_attention_states(m);
  CHECK(cudaMemcpy(twice.data(), out.data, once.size() * 2, cudaMemcpyDeviceToHost));
  if (found[0] <= 1 && found[1] <= 1 && once == twice && out.guard_intact()) return;
  ++failures;
  std::printf("FAILED d%d %ld parts of %ld keys: out %.2f, log-sum-exp %.2f of the bound%s\n", d, long(parts), long(keys), found[0],
              found[1], once == twice ? "" : "; merging once more changes it");
}

}  // namespace

int main() {
  if (!device_for_attention()) return 77;
  for (auto type : {attention_type::bf16, attention_type::fp16})
    for (int d : {64, 128, 256, 40}) {
      pieces(type, d, {0, 100}, false, false);
      pieces(type, d, {0, 1, 64, 64, 200, 333}, false, false);
      pieces(type, d, {0, 128, 256, 384, 512}, true, false);
      pieces(type, d, {0, 50, 100}, false, true);
      pieces(type, d, {0, 100}, false, false, true);
      pieces(type, d, {0, 100, 100, 233}, true, false, true);  // with a piece without keys, and rows folded again
      std::vector<std::int64_t> many;
      for (int i = 0; i <= 40; ++i) many.push_back(i * 7);
      pieces(type, d, many, false, false);
    }
  std::printf("{\"cases\":%d,\"failures\":%d}\n", cases, failures);
  return failures != 0;
}
