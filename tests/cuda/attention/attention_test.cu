// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention on the device against the float64 loop: every mask, sizes around every tile edge, strides, packed sequences, special
//! values, poisoned outputs with guard zones. Prints one line per failure and a JSON summary; exits 77 where there is no device for it.
#include "harness.cuh"

namespace {

settings base(attention_type type, std::int64_t d, std::int64_t queries, std::int64_t keys) {
  settings t;
  t.p.type = type, t.p.batch = 2, t.p.heads = 4, t.p.kv_heads = 2, t.p.head_size = t.p.value_size = d, t.p.queries = queries,
  t.p.keys = keys;
  t.name = type == attention_type::bf16 ? "bf16" : "fp16";
  return t;
}

struct mask_case {
  const char* name;
  std::int64_t left, right, prefix;
  attention_alignment alignment;
};
constexpr auto top = attention_alignment::top_left, bottom = attention_alignment::bottom_right;
constexpr mask_case masks[] = {{"full", -1, -1, 0, bottom},       {"causal", -1, 0, 0, bottom},      {"causal top", -1, 0, 0, top},
                               {"window", 63, 0, 0, bottom},      {"window both", 20, 30, 0, top},   {"one key", 0, 0, 0, bottom},
                               {"prefix", -1, 0, 100, top},       {"left only", 129, -1, 0, bottom}, {"right 5", -1, 5, 0, bottom},
                               {"window, prefix", 10, 0, 70, top}};

void sizes() {
  const int edges[] = {1, 2, 63, 64, 65, 79, 80, 81, 127, 128, 129, 159, 176, 177, 191, 192, 193, 255, 256, 257, 385, 529};
  int turn = 0;
  for (int d : {64, 128, 256})
    for (int queries : edges)
      for (int keys : edges)
        for (const auto& m : masks) {
          // every pair of sizes under three masks in turn, types and layouts in turn
          if ((&m - masks + turn++ / 10) % 4 != 0) continue;
          settings t = base(turn / 10 % 3 == 2 ? attention_type::fp16 : attention_type::bf16, d, queries, keys);
          t.order = static_cast<layout>(turn / 10 % 3);
          t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment;
          t.name += std::string(" ") + m.name, t.states = turn % 5 == 0, t.sinks = turn % 7 == 0;
          run(t);
        }
}

void shapes() {
  for (int d : {8, 16, 24, 40, 72, 80, 96, 104, 120, 136, 160, 192, 248})
    for (auto type : {attention_type::bf16, attention_type::fp16})
      for (const auto& m : masks) {
        settings t = base(type, d, 150, 203);
        t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment;
        t.name += std::string(" head size ") + m.name, t.order = d % 3 ? layout::fused : layout::row_major;
        run(t);
        t.p.value_size = d >= 16 ? d - 8 : 64, t.name += " other value size";
        run(t);
      }
  for (auto [heads, kv] : {std::pair{1, 1}, {3, 1}, {9, 3}, {8, 8}, {21, 7}})
    for (int batch : {1, 3}) {
      settings t = base(attention_type::bf16, 128, 200, 333);
      t.p.batch = batch, t.p.heads = heads, t.p.kv_heads = kv, t.p.right = 0, t.name += " heads";
      run(t);
    }
  settings long_one = base(attention_type::bf16, 64, 3000, 5000);
  for (int d : {64, 128, 256}) {
    long_one.p.head_size = long_one.p.value_size = d, long_one.p.right = -1, long_one.name = "long";
    run(long_one);
    long_one.p.right = 0, long_one.name = "long causal";
    run(long_one);
    long_one.p.left = 1000, long_one.name = "long window";
    run(long_one);
    long_one.p.left = -1;
  }
  for (int keys : {4097, 4223, 4224, 4225, 4400}) {  // around edges of the tiles of 176 keys
    settings t = base(keys % 2 ? attention_type::bf16 : attention_type::fp16, 128, 130, keys);
    t.p.batch = 1, t.states = true, t.name = "many keys";
    run(t);
  }
  settings many = base(attention_type::bf16, 64, 3, 5);
  many.p.batch = 4000, many.p.heads = 20, many.p.kv_heads = 20, many.name = "80000 heads";
  run(many);
}

//! Strides, starts and sizes of rows that are multiples of nothing.
void unaligned() {
  for (int d : {8, 9, 33, 64, 71, 100, 128, 129, 192, 201, 250, 255, 256})
    for (auto type : {attention_type::bf16, attention_type::fp16})
      for (const auto& m : masks) {
        settings t = base(type, d, 150, 203);
        t.order = d % 2 ? layout::head_major : layout::apart;
        t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment;
        t.states = d % 3 == 0, t.name += std::string(" unaligned ") + m.name;
        run(t);
        t.order = layout::apart, t.p.value_size = d % 5 ? d : std::min(d + 7, 256), t.bias = 1, t.name += " bias";
        run(t);
      }
  for (int d : {64, 100, 160, 256})
    for (int keys : {1, 63, 64, 65, 128, 193, 257}) {
      settings t = base(attention_type::bf16, d, 130, keys);
      t.order = layout::apart, t.p.right = 0, t.name += " unaligned keys";
      t.change = [d, keys](auto&, auto&, auto& v) { v[static_cast<std::size_t>(keys - 1) * d] = NAN; };
      run(t);
    }
  settings t = base(attention_type::bf16, 71, 300, 260);
  t.p.batch = 5, t.query_offsets = {0, 0, 1, 301, 301, 401}, t.key_offsets = {0, 7, 7, 267, 400, 410};
  t.p.query_rows = 420, t.p.key_rows = 430, t.p.right = 0, t.order = layout::apart, t.name += " unaligned packed";
  run(t);
}

void values() {
  for (int d : {64, 128, 256})
    for (auto type : {attention_type::bf16, attention_type::fp16})
      for (int mask = 0; mask < 4; ++mask) {
        settings t = base(type, d, 300, 300);
        t.p.left = masks[mask].left, t.p.right = masks[mask].right, t.p.alignment = masks[mask].alignment;
        const std::string name = t.name + " " + masks[mask].name;
        const auto with = [&](const char* what, float q_size, auto change) {
          settings u = t;
          u.name = name + " " + what, u.q_size = q_size, u.change = change;
          run(u);
        };
        using list = std::vector<float>;
        with("scores of scale 16", 16, nullptr);
        with("scores of scale 100", 100, nullptr);
        with("equal scores", 0, nullptr);
        with("all scores very low", 1, [&](list& q, list& k, list&) {
          for (std::size_t i = 0; i < q.size(); ++i) q[i] = 2;
          for (std::size_t i = 0; i < k.size(); ++i) k[i] = -6 + 0.1f * k[i];
        });
        with("rising scores", 1, [&](list& q, list& k, list&) {
          for (float& x : q) x = 1;
          for (std::size_t i = 0; i < k.size(); ++i) k[i] = 0.01f * static_cast<float>(i / d % 300);
        });
        with("falling scores", 1, [&](list& q, list& k, list&) {
          for (float& x : q) x = 1;
          for (std::size_t i = 0; i < k.size(); ++i) k[i] = -0.02f * static_cast<float>(i / d % 300);
        });
        with("outliers", 1, [&](list& q, list& k, list&) {
          for (std::size_t i = 0; i < q.size(); i += 97) q[i] *= 30;
          for (std::size_t i = 0; i < k.size(); i += 89) k[i] *= 30;
        });
        with("a NaN key", 1, [&](list&, list& k, list&) { k[(37 * d) + 3] = NAN; });
        with("a NaN query", 1, [&](list& q, list&, list&) { q[(37 * d) + 3] = NAN; });
        with("keys of -inf score", 1, [&](list& q, list& k, list&) {
          for (std::size_t i = 0; i < q.size(); i += d) q[i] = 1;
          for (std::size_t i = 0; i < k.size(); i += d) k[i] = i / d % 3 ? k[i] : -INFINITY;
        });
        with("every score -inf", 1, [&](list& q, list& k, list&) {
          for (std::size_t i = 0; i < q.size(); i += d) q[i] = 1;
          for (std::size_t i = 0; i < k.size(); i += d) k[i] = -INFINITY;
        });
        with("a score of +inf", 1, [&](list& q, list& k, list&) {
          for (std::size_t i = 0; i < q.size(); i += d) q[i] = 1;
          k[200 * d] = INFINITY;
        });
        with("values that are not finite", 1,
             [&](list&, list& k, list& v) { v[37 * d + 3] = NAN, v[250 * d] = INFINITY, k[251 * d] = NAN, v[251 * d + 1] = NAN; });
        with("values that no row sees through all columns", 1, [&](list&, list&, list& v) {
          for (int e = 0; e < d; ++e) v[299 * d + e] = e % 2 ? NAN : -INFINITY;
        });
        settings u = t;
        u.name = name + " values far from 0", u.v_offset = 100;
        run(u);
        u.name = name + " own factor", u.p.score_factor = 0.7;
        run(u);
      }
}

//! Scores far from 0, each exact: the largest of a row are met with weight 1, whatever they are, and equal ones with equal weights.
void far() {
  for (int d : {64, 128, 160, 256})
    for (auto type : {attention_type::bf16, attention_type::fp16})
      for (const auto& m : masks)
        for (int power : {10, 18, 20, 24, 30, 40, 60, 100}) {
          if (type == attention_type::fp16 && power > 24) continue;
          settings t = base(type, d, 200, 333);
          if (d == 160) t.p.value_size = 128;
          t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment;
          t.exact = true, t.states = power == 40, t.sinks = power == 24;
          t.name += std::string(" far scores ") + m.name + " 2^" + std::to_string(power);
          t.change = [&, d, power](auto& q, auto& k, auto&) {  // one product a score: ± a power of two, some a quarter of it, some near 0
            for (std::size_t i = 0; i < q.size(); ++i) q[i] = i % d ? 0 : (i / d % 3 ? 1.0f : -1.0f) * std::exp2(float(power / 2));
            for (std::size_t i = 0; i < k.size(); ++i) {
              const std::size_t j = i / d % 333;
              k[i] = i % d ? 0
                           : 1.28125f * std::exp2(float(power - power / 2)) *
                                 (j % 11 == 5  ? 1.0f
                                  : j % 7 == 3 ? -1.0f
                                  : j % 5      ? 0.25f
                                               : 0x1p-20f);
            }
          };
          run(t);
          if (power == 20 || power == 40) {  // rows that do not see the last value are folded again
            settings u = t;
            const int dv = d == 160 ? 128 : d;
            u.name += " and a hidden NaN";
            u.change = [change = t.change, dv](auto& q, auto& k, auto& v) { change(q, k, v), v[332 * dv + 3] = NAN; };
            run(u);
          }
          if (power == 30) t.p.score_factor = 1e-9, t.name += " brought near", run(t);
          if (power == 10) t.p.score_factor = 1e-60, t.name += " all alike", run(t);
        }
  for (int d : {64, 100, 128, 256})
    for (const auto& m : masks)
      for (auto order : {layout::head_major, layout::apart}) {
        settings t = base(attention_type::bf16, d, 150, 203);
        t.order = order, t.bias = 4, t.exact = true, t.q_size = 0, t.states = true;
        t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment;
        t.name += std::string(" far bias ") + m.name;
        run(t);
        t.bias = 5, t.q_size = 1, t.exact = false, t.name += " and scores", run(t);
      }
}

//! The denominator of what is written sums the weights as they were rounded.
void rounding() {
  for (int d : {64, 128, 160, 256})
    for (auto type : {attention_type::bf16, attention_type::fp16})
      for (const auto& m : masks)
        for (int keys : {1, 100, 333, 1024}) {
          settings t = base(type, d, 200, keys);
          if (d == 160) t.p.value_size = 128;
          t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment, t.p.shared_rounding = true;
          t.name += std::string(" shared rounding ") + m.name, t.states = keys == 100;
          run(t);
          t.ones = true, t.name += " ones";
          run(t);
          if (keys != 333) continue;
          t.p.softcap = d == 64 ? 0 : 20, t.slopes = d != 128, t.bias = d == 256 ? 0 : 1, t.name += " changed scores";
          run(t);
          t.order = layout::apart, t.p.softcap = 0, t.bias = 0, t.slopes = false, t.name += " unaligned";
          run(t);
        }
}

void lengths() {
  for (int d : {64, 128, 256})
    for (const auto& m : masks)
      for (auto type : {attention_type::bf16, attention_type::fp16}) {
        settings t = base(type, d, 130, 260);
        t.p.batch = 6, t.key_lengths = {0, 1, 64, 129, 260, 1000};
        t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment;
        t.name += std::string(" key lengths ") + m.name;
        t.change = [d](auto&, auto& k, auto& v) {  // behind the lengths lies nothing that matters
          const int length[6] = {0, 1, 64, 129, 260, 260};
          for (int b = 0; b < 6; ++b)
            for (int h = 0; h < 2; ++h)
              for (int r = length[b]; r < 260; ++r)
                for (int e = 0; e < d; ++e) k[((b * 2 + h) * 260 + r) * d + e] = v[((b * 2 + h) * 260 + r) * d + e] = NAN;
        };
        run(t);
        settings w = t;  // the same keys in use, somewhere else
        w.key_starts = {0, 3, 64, 131, 259, 300}, w.key_lengths = {260, 200, 64, 129, 260, 7};
        w.change = [d](auto&, auto& k, auto& v) {
          const int begin[6] = {0, 3, 64, 131, 259, 260}, end[6] = {260, 203, 128, 260, 260, 260};
          for (int b = 0; b < 6; ++b)
            for (int h = 0; h < 2; ++h)
              for (int r = 0; r < 260; ++r)
                for (int e = 0; e < d && (r < begin[b] || r >= end[b]); ++e)
                  k[((b * 2 + h) * 260 + r) * d + e] = v[((b * 2 + h) * 260 + r) * d + e] = NAN;
        };
        w.name += " and starts", w.bias = d == 128 ? 2 : 0;
        run(w);
        settings u = base(type, d, 300, 260);
        u.p.batch = 5, u.query_offsets = {0, 0, 1, 301, 301, 401}, u.key_offsets = {0, 7, 7, 267, 400, 410};
        u.p.query_rows = 420, u.p.key_rows = 430, u.order = layout::row_major;
        u.p.left = m.left, u.p.right = m.right, u.p.prefix = m.prefix, u.p.alignment = m.alignment;
        u.name += std::string(" packed ") + m.name;
        u.change = [d](auto&, auto& k, auto& v) {
          for (int h = 0; h < 2; ++h)
            for (int r = 410; r < 430; ++r)
              for (int e = 0; e < d; ++e) k[(h * 430 + r) * d + e] = v[(h * 430 + r) * d + e] = NAN;
        };
        run(u);
      }
  for (int d : {64, 128}) {
    settings t = base(attention_type::bf16, d, 100, 0);
    t.name += " no keys";
    run(t);
    settings u = base(attention_type::bf16, d, 0, 100);
    u.name += " no queries";
    run(u);
  }
}

void scores() {
  for (int d : {64, 80, 160, 256})
    for (const auto& m : masks)
      for (int kind = 0; kind < 10; ++kind) {
        settings t = base(kind % 3 == 2 ? attention_type::fp16 : attention_type::bf16, d, kind % 2 ? 130 : 257, 200);
        if (d == 160) t.p.value_size = 128;
        t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment;
        if (kind == 0 || kind >= 5) t.p.softcap = kind == 0 ? 2 : 30;
        if (kind == 1 || (kind >= 5 && kind < 9)) t.slopes = true;
        if (kind >= 2 && kind <= 4) t.bias = kind - 1;
        if (kind == 6) t.bias = 1, t.sinks = true;
        if (kind == 7) t.q_size = 16;                     // near the cap and far from it, in one tile
        if (kind == 8) t.q_size = 4, t.p.softcap = 1e-3;  // everything at the cap
        if (kind == 9) t.q_size = 4, t.p.softcap = 1e6;   // far below it
        t.name += std::string(" changed scores ") + m.name + " " + std::to_string(kind);
        run(t);
        if (kind < 2 || kind == 4) {
          t.query_offsets = {0, 100, 130}, t.key_offsets = {0, 50, 200}, t.p.query_rows = 130, t.p.key_rows = 200, t.p.queries = 100,
          t.p.keys = 150;
          t.name += " packed";
          run(t);
        }
      }
}

//! Sinks that are no ordinary numbers, beside rows that see keys and rows that see none.
void sinks() {
  for (int d : {64, 100, 128, 160, 256})
    for (const auto& m : masks)
      for (bool rounded : {false, true})
        for (int kind = 0; kind < 3; ++kind) {
          settings t = base(kind == 1 ? attention_type::fp16 : attention_type::bf16, d, 150, kind == 2 ? 260 : 100);
          if (d == 160) t.p.value_size = 128;
          t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment, t.p.shared_rounding = rounded;
          t.p.heads = t.p.kv_heads = 8, t.states = kind == 1, t.order = kind == 2 && d == 100 ? layout::apart : layout::row_major;
          t.sinks = true, t.sink_values = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 2e38f, 3.402823466e+38f, 0.5f};
          if (kind == 2) t.key_lengths = {0, 200};
          if (kind == 0)
            t.change = [d](auto&, auto&, auto& v) { v[99 * std::size_t(d == 160 ? 128 : d) + 3] = NAN; };  // hidden from most rows
          t.name += std::string(" sinks ") + m.name + (rounded ? " shared rounding" : "");
          run(t);
        }
}

//! Two keys count, and the one that comes later weighs 3 to 8 times as much: its weight is 1 exactly, whatever the reference was before.
settings largest_weight(attention_type type, int d, bool causal, int keys) {
  settings t = base(type, d, 128, keys);
  t.p.right = causal ? 0 : -1, t.p.score_factor = 0.125, t.nearest = true;
  t.name += std::string(" largest weight") + (causal ? " causal" : "");
  t.change = [d, keys](auto& q, auto& k, auto& v) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = i % d ? 0 : 8 + static_cast<float>(i / d % 128) / 16;
    for (std::size_t i = 0; i < k.size(); ++i) {
      const int key = static_cast<int>(i / d % keys);
      k[i] = i % d ? 0 : key == 0 ? 2.0f : key == keys - 128 ? 1.0f : -64.0f;
      v[i] = key == 0;
    }
  };
  return t;
}

void largest() {
  for (int d : {16, 64, 128, 160, 192, 256})
    for (auto type : {attention_type::bf16, attention_type::fp16})
      for (bool causal : {false, true})
        for (int keys : {320, 700, 1500, 5000}) run(largest_weight(type, d, causal, keys));
}

//! Every kernel once or twice, small: for memory and race checkers, by name only.
void smoke() {
  for (int d : {64, 128, 160, 256})
    for (auto type : {attention_type::bf16, attention_type::fp16})
      for (int mask : {0, 1, 3}) {
        settings t = base(type, d, 200, 270);
        t.p.batch = 1, t.p.heads = 2, t.p.kv_heads = 1, t.p.value_size = d == 160 ? 128 : d, t.states = mask == 1;
        t.p.left = masks[mask].left, t.p.right = masks[mask].right, t.name += std::string(" smoke ") + masks[mask].name;
        run(t);
        if (d == 128 && mask == 0 && type == attention_type::bf16) {
          t.p.queries = 64, t.p.keys = 4300, t.name += " many keys";
          run(t);
        }
        if (mask != 3) continue;
        t.slopes = true, t.bias = 1, t.p.softcap = 5, t.sinks = true;
        t.change = [d](auto&, auto&, auto& v) { v[269 * (d == 160 ? 128 : d)] = NAN; };
        run(t);
        t.order = layout::apart;
        run(t);
        t.bias = 0, t.order = layout::head_major;
        run(t);
        t.p.left = -1;
        run(t);
      }
}

//! What four kernels do, quickly: for programs that break them on purpose (bench/cuda/mutants.py).
void few() {
  for (int d : {64, 128})
    for (const auto& m : masks)
      for (int keys : {1, 65, 128, 200, 529}) {
        if (d == 128 && (m.left >= 0 || m.prefix > 0 || m.right < 0)) continue;  // an end for each row
        settings t = base(attention_type::bf16, d, 150, keys);
        t.p.left = m.left, t.p.right = m.right, t.p.prefix = m.prefix, t.p.alignment = m.alignment, t.states = keys == 65;
        t.name += std::string(" few ") + m.name;
        run(t);
        settings u = t;
        u.q_size = 16, u.sinks = true, u.name += " far apart", run(u);
        u = t, u.name += " rising";
        u.change = [&, d, keys](auto& q, auto& k, auto&) {  // towards the first key, which comes last
          for (float& x : q) x = 1;
          for (std::size_t i = 0; i < k.size(); ++i) k[i] = -0.02f * static_cast<float>(i / d % keys);
        };
        run(u);
        u = t, u.exact = true, u.name += " 2^60";
        u.change = [&, d](auto& q, auto& k, auto&) {
          for (std::size_t i = 0; i < q.size(); ++i) q[i] = i % d ? 0 : 0x1p+30f;
          for (std::size_t i = 0; i < k.size(); ++i) k[i] = i % d ? 0 : i / d % 3 ? 0x1.48p+30f : 0x1p+29f;
        };
        run(u);
        u = t, u.name += " NaN behind the mask";
        u.change = [&, d, keys](auto&, auto&, auto& v) { v[static_cast<std::size_t>(keys - 1) * d + 3] = NAN; };
        run(u);
        if (d == 128) continue;
        u = t, u.bias = 1, u.slopes = true, u.name += " bias", run(u);
        u = t, u.bias = 4, u.exact = true, u.q_size = 0, u.name += " far bias", run(u);
      }
  run(largest_weight(attention_type::bf16, 64, true, 400)), run(largest_weight(attention_type::bf16, 128, true, 400));
  for (int d : {64, 128}) {
    settings t = base(attention_type::bf16, d, 300, 260);
    t.p.batch = 5, t.query_offsets = {0, 0, 1, 301, 301, 401}, t.key_offsets = {0, 7, 7, 267, 400, 410};
    t.p.query_rows = 420, t.p.key_rows = 430, t.p.right = 0, t.name += " few packed";
    run(t);
    settings many = base(attention_type::bf16, d, 300, 300);
    many.p.heads = many.p.kv_heads = 200, many.p.right = 0, many.name += " many tiles";
    run(many);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!device_for_attention()) return 77;
  const std::string only = argc > 1 ? argv[1] : "";
  const auto part = [&](const char* name, void (*f)()) {
    if (!only.empty() && only != name) return;
    const int before = failures, cases_before = cases;
    f();
    std::printf("{\"part\":\"%s\",\"cases\":%d,\"failures\":%d}\n", name, cases - cases_before, failures - before);
    std::fflush(stdout);
  };
  if (only == "smoke") part("smoke", smoke);
  if (only == "few") part("few", few);
  part("shapes", shapes);
  part("unaligned", unaligned);
  part("values", values);
  part("far", far);
  part("largest", largest);
  part("rounding", rounding);
  part("lengths", lengths);
  part("scores", scores);
  part("sinks", sinks);
  part("sizes", sizes);
  std::printf("{\"cases\":%d,\"failures\":%d,\"worst_out_over_bound\":%.3f,\"worst_lse_over_bound\":%.3f}\n", cases, failures, worst_out,
              worst_lse);
  return failures != 0;
}
