// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Every feature of attention at the edges of the tiles that its own schedule has, under special values, masks and layouts in turn.
//! Prints one line per failure and a JSON line; exits 77 where there is no device for it.
#include <iterator>

#include "harness.cuh"

namespace {

struct feature {
  const char* name;
  void (*ask)(settings&);
};
const feature features[] = {
    {"plain", [](settings&) {}},
    {"softcap", [](settings& t) { t.p.softcap = 4; }},
    {"ALiBi", [](settings& t) { t.slopes = true; }},
    {"softcap, ALiBi, sinks", [](settings& t) { t.p.softcap = 30, t.slopes = t.sinks = true; }},
    {"bias", [](settings& t) { t.bias = 1; }},
    {"bias for all heads", [](settings& t) { t.bias = 2; }},
    {"bias by columns, sinks", [](settings& t) { t.bias = 3, t.sinks = true; }},
    {"sinks, states", [](settings& t) { t.sinks = t.states = true; }},
    {"shared rounding", [](settings& t) { t.p.shared_rounding = true; }},
    {"shared rounding, softcap, sinks", [](settings& t) { t.p.shared_rounding = true, t.p.softcap = 4, t.sinks = true; }},
    {"apart", [](settings& t) { t.order = layout::apart, t.states = true; }},
    {"apart, ALiBi", [](settings& t) { t.order = layout::apart, t.slopes = true; }},
};

struct mask_of {
  std::int64_t left, right, prefix;
  attention_alignment alignment;
};
constexpr auto top = attention_alignment::top_left, bottom = attention_alignment::bottom_right;
constexpr mask_of masks[] = {{-1, -1, 0, bottom}, {-1, 0, 0, bottom}, {-1, 0, 0, top},  {63, 0, 0, bottom}, {20, 30, 0, top},
                             {0, 0, 0, bottom},   {-1, 0, 50, top},   {70, -1, 0, top}, {-1, 5, 0, bottom}};

//! Changes q, k and v of [head][row] rows of d and dv elements; what a mask hides of it must not matter, what it shows must.
using numbers = std::vector<float>;
struct special {
  const char* name;
  void (*put)(numbers& q, numbers& k, numbers& v, std::size_t d, std::size_t dv, std::size_t keys);
};
const special specials[] = {
    {"ordinary", [](numbers&, numbers&, numbers&, std::size_t, std::size_t, std::size_t) {}},
    {"NaN in the last value",
     [](numbers&, numbers&, numbers& v, std::size_t, std::size_t dv, std::size_t keys) {
       for (std::size_t row = keys - 1; row * dv < v.size(); row += keys) v[row * dv + 3] = NAN;
     }},
    {"the first key is NaN",
     [](numbers&, numbers& k, numbers&, std::size_t d, std::size_t, std::size_t keys) {
       for (std::size_t row = 0; row * d < k.size(); row += keys) k[row * d + 1] = NAN;
     }},
    {"every second score is -inf",
     [](numbers& q, numbers& k, numbers&, std::size_t d, std::size_t, std::size_t) {
       for (std::size_t i = 0; i < q.size(); i += d) q[i] = 1;
       for (std::size_t i = 0; i < k.size(); i += 2 * d) k[i] = -INFINITY;
     }},
    {"every score is -inf",
     [](numbers& q, numbers& k, numbers&, std::size_t d, std::size_t, std::size_t) {
       for (std::size_t i = 0; i < q.size(); i += d) q[i] = 1;
       for (std::size_t i = 0; i < k.size(); i += d) k[i] = -INFINITY;
     }},
    {"scores of scale 16",
     [](numbers& q, numbers&, numbers&, std::size_t, std::size_t, std::size_t) {
       for (float& x : q) x *= 16;
     }},
    {"equal scores",
     [](numbers& q, numbers&, numbers&, std::size_t, std::size_t, std::size_t) {
       for (float& x : q) x = 0;
     }},
};

//! The schedule of a case, whose tensors `run` makes only later.
attention::tile_shape shape_of_case(const settings& t) {
  static const double there[2] = {};
  attention_problem p = t.p;
  p.q = p.k = p.v = there, p.out = const_cast<double*>(there);
  if (t.bias != 0) p.bias = there;
  if (t.slopes) p.alibi_slopes = reinterpret_cast<const float*>(there);
  p.q_stride = place(t.order, p.heads, p.queries, p.head_size, 0), p.k_stride = place(t.order, p.kv_heads, p.keys, p.head_size, 0);
  p.v_stride = place(t.order, p.kv_heads, p.keys, p.value_size, 0), p.out_stride = place(t.order, p.heads, p.queries, p.value_size, 0);
  return plan_of(p).shape;
}

//! keys - 1, keys, keys + 1 of one and of two tiles; rows of a warpgroup and of a block.
void at_edges(int d, int dv, const feature& f, int& turn) {
  settings t;
  t.p.batch = 2, t.p.heads = 4, t.p.kv_heads = 2, t.p.head_size = d, t.p.value_size = dv, t.p.queries = 1;
  f.ask(t);
  for (int which = 0; which < 7; ++which)
    for (int again = 0; again < 2; ++again, ++turn) {
      settings u = t;
      const mask_of& m = masks[turn % std::size(masks)];
      u.p.type = turn % 3 == 2 ? attention_type::fp16 : attention_type::bf16;
      u.p.left = m.left, u.p.right = m.right, u.p.prefix = m.prefix, u.p.alignment = m.alignment;
      u.p.keys = 100;  // whose schedule's tile says where the edges are
      const attention::tile_shape shape = shape_of_case(u);
      u.p.keys = which == 0 ? 1 : (which <= 3 ? shape.keys : 2 * shape.keys) + (which - 1) % 3 - 1;
      const int rows[] = {1, 63, 64, 65, 64 * shape.groups - 1, 64 * shape.groups, 64 * shape.groups + 1, 97};
      u.p.queries = rows[(turn * 5) % std::size(rows)];
      if (u.order != layout::apart) u.order = static_cast<layout>(turn / 3 % 3);
      const special& s = specials[turn % std::size(specials)];
      const auto keys = static_cast<std::size_t>(u.p.keys);
      u.change = [&s, d, dv, keys](numbers& q, numbers& k, numbers& v) { s.put(q, k, v, d, dv, keys); };
      u.name = std::string(u.p.type == attention_type::bf16 ? "bf16 " : "fp16 ") + f.name + ", " + s.name;
      run(u);
    }
}

//! Lengths at the edges of tiles: used keys, left padding, packed sequences; with changed scores in turn.
void lengths_at_edges(int d, int& turn) {
  for (const feature& f : features)
    for (int tile : {64, 80, 96, 128}) {
      settings t;
      t.p.batch = 6, t.p.heads = 4, t.p.kv_heads = 2, t.p.head_size = t.p.value_size = d;
      f.ask(t);
      const mask_of& m = masks[turn++ % std::size(masks)];
      t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment;
      t.p.queries = 66, t.p.keys = 2 * tile + 2, t.key_lengths = {0, 1, tile - 1, tile, tile + 1, 2 * tile + 1};
      t.name = std::string("key lengths, ") + f.name;
      run(t);
      t.key_starts = {0, tile, 1, tile - 1, tile + 1, 3}, t.name = std::string("left padding, ") + f.name;
      run(t);
      if (t.bias != 0) continue;  // its rows are those of one sequence
      t.key_starts = {}, t.key_lengths = {};
      t.query_offsets = {0, 0, 1, 64, 65, 131, 131}, t.p.query_rows = 140;
      t.key_offsets = {0, 1, tile, 2 * tile, 2 * tile, 3 * tile + 1, 4 * tile}, t.p.key_rows = 4 * tile + 5, t.p.keys = tile + 1;
      t.name = std::string("packed, ") + f.name;
      run(t);
    }
}

}  // namespace

int main() {
  if (!device_for_attention()) return 77;
  int turn = 0;
  for (const feature& f : features)
    for (auto [d, dv] : {std::pair{64, 64}, {40, 24}, {128, 128}, {192, 128}, {256, 256}}) at_edges(d, dv, f, turn), ++turn;
  for (int d : {64, 128, 256}) lengths_at_edges(d, turn);
  std::printf("{\"part\":\"features\",\"cases\":%d,\"failures\":%d}\n", cases, failures);
  return failures != 0;
}
