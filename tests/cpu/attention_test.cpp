// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention on the CPU against a float64 loop: every feature, sizes around every edge, special values, splits, threads, memory that
//! must not be touched.
#include "cpu/attention_reference.hpp"

#include <cstring>
#include <numeric>

namespace testing_attention {

struct numbers {
  std::mt19937_64 bits;
  explicit numbers(std::uint64_t seed) : bits(seed) {}
  float operator()(int64_t, int64_t, int64_t, int64_t) { return std::normal_distribution<float>()(bits); }
  int64_t below(int64_t n) { return static_cast<int64_t>(bits() % static_cast<std::uint64_t>(n)); }
};

attention_problem shaped(attention_type t, attention_type kv, int64_t b, int64_t h, int64_t kvh, int64_t queries, int64_t keys) {
  attention_problem p;
  p.type = t, p.kv_type = kv;
  p.batch = b, p.heads = h, p.kv_heads = kvh, p.queries = queries, p.keys = keys;
  return p;
}

TEST(AttentionCpu, SizesAroundEveryEdge) {
  numbers g(1);
  for (int64_t queries : {1, 2, 3, 5, 15, 16, 17, 31, 33, 63, 64, 65, 100})
    for (int64_t keys : {1, 2, 63, 64, 65, 127, 128, 129, 200})
      for (int64_t size : {1, 7, 16, 40}) {
        const int64_t values = size == 7 ? 19 : size == 40 ? 33 : size;
        tensor q(attention_type::float32, 2, 2, queries, size, 1), k(attention_type::float32, 2, 1, keys, size),
            v(attention_type::float32, 2, 1, keys, values);
        q.fill(g), k.fill(g), v.fill(g);
        check(shaped(attention_type::float32, attention_type::float32, 2, 2, 1, queries, keys), q, k, v, "sizes");
      }
}

TEST(AttentionCpu, HeadSizesAndTypes) {
  numbers g(2);
  for (attention_type t : {attention_type::float32, attention_type::bfloat16, attention_type::float16})
    for (int64_t size : {8, 64, 72, 80, 96, 112, 128, 192, 256})
      for (int64_t queries : {1, 4, 70}) {
        const int64_t values = size == 192 ? 128 : size;
        tensor q(t, 1, 4, queries, size), k(t, 1, 2, 150, size, 5), v(t, 1, 2, 150, values);
        q.fill(g), k.fill(g), v.fill(g);
        auto p = shaped(t, t, 1, 4, 2, queries, 150);
        p.right = 0;
        check(p, q, k, v, "types");
      }
}

TEST(AttentionCpu, EightBitKeysAndValues) {
  numbers g(3);
  for (int64_t queries : {1, 3, 40})
    for (int64_t size : {64, 72}) {
      tensor q(attention_type::float32, 2, 4, queries, size), k(attention_type::int8, 2, 2, 131, size),
          v(attention_type::int8, 2, 2, 131, size);
      q.fill(g);
      const auto integers = [&](int64_t, int64_t, int64_t, int64_t) { return static_cast<float>(g.below(255) - 127); };
      k.fill(integers), v.fill(integers);
      std::vector<float> ks(2 * 2 * 131), vs(2 * 2 * 131);
      for (auto* s : {&ks, &vs})
        for (float& x : *s) x = 0.001f * static_cast<float>(1 + g.below(20));
      auto p = shaped(attention_type::float32, attention_type::int8, 2, 4, 2, queries, 131);
      p.k_scale = ks.data(), p.v_scale = vs.data();
      p.k_scale_stride = p.v_scale_stride = {2 * 131, 131, 1};
      check(p, q, k, v, "int8");
    }
}

TEST(AttentionCpu, MasksAndScores) {
  numbers g(4);
  for (int round = 0; round < 150; ++round) {
    const int64_t batch = 1 + g.below(2), kv = 1 + g.below(2), heads = kv * (1 + g.below(3)), queries = 1 + g.below(90),
                  keys = g.below(600);
    const int64_t size = 8 * (1 + g.below(9));
    const attention_type t = g.below(2) ? attention_type::bfloat16 : attention_type::float32;
    tensor q(t, batch, heads, queries, size), k(t, batch, kv, keys, size, g.below(3)), v(t, batch, kv, keys, size);
    q.fill(g), k.fill(g), v.fill(g);
    auto p = shaped(t, t, batch, heads, kv, queries, keys);
    if (g.below(2)) p.alignment = attention_alignment::top_left;
    if (g.below(2)) p.right = g.below(50);
    if (g.below(2)) p.left = g.below(300);
    if (g.below(3) == 0) p.prefix = g.below(100);
    std::vector<std::int32_t> lengths;
    for (int64_t b = 0; b < batch; ++b) lengths.push_back(static_cast<std::int32_t>(g.below(keys + 1)));
    if (g.below(3) == 0) p.key_lengths = lengths.data();
    if (g.below(3) == 0) p.softcap = 5;
    if (g.below(4) == 0) p.score_factor = g.below(2) ? 0.3 : -0.2;
    std::vector<float> slopes, sinks, bias(static_cast<std::size_t>(batch * heads * queries * keys + 1));
    for (int64_t h = 0; h < heads; ++h) slopes.push_back(0.05f * static_cast<float>(h + 1)), sinks.push_back(static_cast<float>(h) - 1);
    if (g.below(3) == 0) p.alibi_slopes = slopes.data();
    if (g.below(3) == 0) p.sinks = sinks.data();
    if (g.below(3) == 0) {
      for (float& x : bias) x = g.below(10) == 0 ? -inf : 0.1f * static_cast<float>(g.below(30));
      p.bias = bias.data();
      p.bias_stride = {g.below(2) ? heads * queries * keys : 0, queries * keys, keys};
    }
    const auto every_third = [](int64_t, int64_t h, int64_t i, int64_t j, float s) { return (h + i + j) % 3 == 0 ? -inf : s + 0.5f; };
    if (g.below(4) == 0) p.score = score_function(every_third);
    check(p, q, k, v, "features");
  }
}

TEST(AttentionCpu, SinksOfEveryKind) {
  numbers g(14);
  for (attention_type t : {attention_type::float32, attention_type::bfloat16})
    for (int64_t queries : {1, 5, 90})
      for (int64_t keys : {0, 3, 70}) {
        tensor q(t, 1, 8, queries, 16), k(t, 1, 8, keys, 16), v(t, 1, 8, keys, 16);
        q.fill(g), k.fill(g), v.fill(g);
        const float sinks[] = {nan, inf, -inf, 3e38f, -3e38f, 0.5f, 2e38f, std::numeric_limits<float>::max()};
        auto p = shaped(t, t, 1, 8, 8, queries, keys);
        p.right = 0;  // more queries than keys: rows that see none
        p.sinks = sinks;
        check(p, q, k, v, "sinks");
      }
}

TEST(AttentionCpu, SplitsAndThreadsGiveTheSameBits) {
  numbers g(5);
  for (int64_t queries : {1, 3, 20}) {
    tensor q(attention_type::float32, 1, 2, queries, 16), k(attention_type::float32, 1, 1, 5000, 16),
        v(attention_type::float32, 1, 1, 5000, 16);
    q.fill(g), k.fill(g), v.fill(g);
    auto p = shaped(attention_type::float32, attention_type::float32, 1, 2, 1, queries, 5000);
    p.right = 0;
    EXPECT_LT(plan_of(p).keys_per_split, 5000);
    check(p, q, k, v, "splits");
    p.q = q.begin(), p.k = k.begin(), p.v = v.begin();
    p.q_stride = q.s, p.k_stride = k.s, p.v_stride = v.s, p.head_size = 16;
    std::vector<float> first, again(static_cast<std::size_t>(2 * queries * 16));
    p.out = again.data(), p.out_stride = {2 * queries * 16, queries * 16, 16};
    for (tf::index threads : {1, 2, 3, 0}) {
      attention(p, threads);
      if (first.empty()) first = again;
      EXPECT_EQ(first, again) << threads;
    }
  }
}

TEST(AttentionCpu, BlocksOfManyQueriesAndBitsOfARowAlone) {
  numbers g(51);
  for (int64_t queries : {130, 300})
    for (const std::string what : {"window", "8 bits", "inf"}) {
      const attention_type t = what == "8 bits" ? attention_type::int8 : attention_type::float16;
      const attention_type outer = t == attention_type::int8 ? attention_type::float32 : t;
      tensor q(outer, 1, 64, queries, 12), k(t, 1, 64, 330, 12), v(t, 1, 64, 330, 9);
      q.fill(g);
      const auto small = [&](int64_t, int64_t, int64_t, int64_t) {
        return t == attention_type::int8 ? float(g.below(9) - 4) : g(0, 0, 0, 0);
      };
      k.fill(small), v.fill(small);
      const std::vector<float> scales(64 * 330, 0.5f);
      auto p = shaped(outer, t, 1, 64, 64, queries, 330);
      p.right = 0;
      if (what == "window") p.left = 37;             // panels of a block need different tiles
      if (what == "inf") v.set(0, 63, 127, 3, inf);  // a tile's last key: a panel's last queries see it, its first ones do not
      if (t == attention_type::int8) p.k_scale = p.v_scale = scales.data(), p.k_scale_stride = p.v_scale_stride = {0, 330, 1};
      EXPECT_EQ(plan_of(p).queries, queries > 256 ? 256 : 128);
      check(p, q, k, v, what.c_str());
      p.k = k.begin(), p.v = v.begin(), p.k_stride = k.s, p.v_stride = v.s;
      p.head_size = 12, p.value_size = 9;
      const auto run = [&](int64_t head, int64_t heads) {
        auto one = p;
        one.q = q.begin() + head * q.s.head * size_of(outer), one.q_stride = q.s;
        one.k = k.begin() + head * k.s.head * size_of(t), one.v = v.begin() + head * v.s.head * size_of(t);
        one.heads = one.kv_heads = heads;
        std::vector<float> o(static_cast<std::size_t>(heads * queries * 9)), at(static_cast<std::size_t>(heads * queries)), l = at;
        one.state_o = o.data(), one.state_at = at.data(), one.state_l = l.data();
        attention(one);
        return o;
      };
      const auto all = run(0, 64), alone = run(63, 1);
      // Where a value is not finite a panel takes products one by one, and rounds otherwise.
      const auto apart = std::memcmp(alone.data(), all.data() + all.size() - alone.size(), alone.size() * sizeof(float));
      EXPECT_TRUE(apart == 0 || what == "inf") << what;
    }
}

TEST(AttentionCpu, MaskedMeansAbsent) {
  numbers g(6);
  for (attention_type t : {attention_type::float32, attention_type::bfloat16})
    for (int64_t queries : {1, 2, 70})
      for (float poison : {nan, inf, -inf}) {
        tensor q(t, 1, 2, queries, 32), k(t, 1, 1, 140, 32), v(t, 1, 1, 140, 32);
        q.fill(g), k.fill(g), v.fill(g);
        auto p = shaped(t, t, 1, 2, 1, queries, 140);
        p.right = 0, p.left = 60;
        p.alignment = attention_alignment::top_left;  // keys behind the last query are seen by nobody, keys in between by some
        for (int64_t j = queries; j < 140; ++j)
          for (int64_t e = 0; e < 32; ++e) k.set(0, 0, j, e, poison), v.set(0, 0, j, e, poison);
        check(p, q, k, v, "hidden keys");
        const std::int32_t some[] = {static_cast<std::int32_t>(std::min<int64_t>(queries, 3))};
        p.key_lengths = some;
        for (int64_t j = some[0]; j < 140; ++j)
          for (int64_t e = 0; e < 32; ++e) k.set(0, 0, j, e, poison), v.set(0, 0, j, e, poison);
        check(p, q, k, v, "keys beyond the length");
        p.key_lengths = nullptr, p.left = -1, p.right = -1;
        const auto only_even = [](int64_t, int64_t, int64_t, int64_t j, float s) { return j % 2 ? -inf : s; };
        k.fill(g), v.fill(g);
        for (int64_t j = 1; j < 140; j += 2)
          for (int64_t e = 0; e < 32; ++e) k.set(0, 0, j, e, poison), v.set(0, 0, j, e, poison);
        p.score = score_function(only_even);
        check(p, q, k, v, "keys that a function hides");
      }
}

TEST(AttentionCpu, SpecialScores) {
  numbers g(7);
  for (attention_type t : {attention_type::float32, attention_type::bfloat16})
    for (int64_t queries : {1, 3, 33, 65}) {
      const int64_t size = t == attention_type::float32 ? 1 : 32;
      tensor q(t, 1, 1, queries, size), k(t, 1, 1, 130, size), v(t, 1, 1, 130, 4);
      auto p = shaped(t, t, 1, 1, 1, queries, 130);
      p.score_factor = 1;
      const float largest = t == attention_type::float32 ? std::numeric_limits<float>::max() : 0x1.fep127f;
      for (float special : {nan, inf, -inf, largest, -largest, 1e-45f, 0.0f, 88.0f, -1e30f, 1e7f, 1e9f, 1e12f, 3e38f})
        for (int64_t where : {0, 64, 129})
          for (bool all : {false, true}) {
            q.fill([](int64_t, int64_t, int64_t, int64_t e) { return e == 0 ? 1.0f : 0.0f; });
            k.fill(g), v.fill(g);
            for (int64_t j = 0; j < 130; ++j)
              if (all || j == where) k.set(0, 0, j, 0, special);
            check(p, q, k, v, "special");
          }
      k.fill(g), v.fill(g);
      v.set(0, 0, 100, 2, nan);
      check(p, q, k, v, "a visible NaN among the values");
    }
}

TEST(AttentionCpu, NothingToSee) {
  numbers g(8);
  for (int64_t queries : {1, 40})
    for (int64_t keys : {0, 10}) {
      tensor q(attention_type::float32, 2, 2, queries, 8), k(attention_type::float32, 2, 2, keys, 8),
          v(attention_type::float32, 2, 2, keys, 8);
      q.fill(g), k.fill(g), v.fill(g);
      auto p = shaped(attention_type::float32, attention_type::float32, 2, 2, 2, queries, keys);
      const auto none = [](int64_t, int64_t, int64_t, int64_t, float) { return -inf; };
      p.score = score_function(none);
      check(p, q, k, v, "all hidden");
      const std::int32_t zero[] = {0, 0};
      p.score = {};
      p.key_lengths = zero;
      check(p, q, k, v, "length 0");
    }
}

TEST(AttentionCpu, PagedKeys) {
  numbers g(9);
  for (int64_t page : {1, 16, 100})
    for (int64_t queries : {1, 40}) {
      const int64_t keys = 330, pages = (keys + page - 1) / page, batch = 2;
      const attention_type t = queries > 1 ? attention_type::bfloat16 : attention_type::float16;
      tensor q(t, batch, 4, queries, 32), k(t, pages * batch, 2, page, 32), v(t, pages * batch, 2, page, 32);
      q.fill(g), k.fill(g), v.fill(g);
      std::vector<std::int32_t> table;
      for (int64_t i = 0; i < pages * batch; ++i) table.push_back(static_cast<std::int32_t>((i * 7 + 3) % (pages * batch)));
      if (std::gcd<int64_t>(7, pages * batch) != 1)
        for (int64_t i = 0; i < pages * batch; ++i) table[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(pages * batch - 1 - i);
      auto p = shaped(t, t, batch, 4, 2, queries, keys);
      p.pages = table.data(), p.page_size = page, p.pages_per_sequence = pages;
      const std::int32_t lengths[] = {static_cast<std::int32_t>(keys), 77};
      p.key_lengths = lengths;
      p.right = 0;
      check(p, q, k, v, "pages");
    }
}

TEST(AttentionCpu, PackedSequences) {
  numbers g(10);
  const std::int32_t q_at[] = {0, 5, 5, 70}, k_at[] = {0, 9, 30, 110};
  tensor q(attention_type::float32, 1, 2, 70, 24), k(attention_type::float32, 1, 1, 110, 24), v(attention_type::float32, 1, 1, 110, 24);
  q.fill(g), k.fill(g), v.fill(g);
  auto p = shaped(attention_type::float32, attention_type::float32, 3, 2, 1, 65, 80);
  p.q = q.begin(), p.k = k.begin(), p.v = v.begin(), p.head_size = 24;
  p.q_stride = q.s, p.k_stride = k.s, p.v_stride = v.s;
  p.query_offsets = q_at, p.key_offsets = k_at, p.query_rows = 70, p.key_rows = 110;
  p.right = 0;
  tensor out(attention_type::float32, 1, 2, 70, 24, 3);
  p.out = out.begin(), p.out_stride = out.s;
  attention(p);
  for (int s = 0; s < 3; ++s) {  // each alone
    const int64_t queries = q_at[s + 1] - q_at[s], keys = k_at[s + 1] - k_at[s];
    auto one = shaped(attention_type::float32, attention_type::float32, 1, 2, 1, queries, keys);
    one.right = 0, one.head_size = 24;
    one.q = reinterpret_cast<float*>(q.begin()) + q_at[s] * q.s.row, one.q_stride = q.s;
    one.k = reinterpret_cast<float*>(k.begin()) + k_at[s] * k.s.row, one.k_stride = k.s;
    one.v = reinterpret_cast<float*>(v.begin()) + k_at[s] * v.s.row, one.v_stride = v.s;
    tensor alone(attention_type::float32, 1, 2, queries, 24);
    one.out = alone.begin(), one.out_stride = alone.s;
    attention(one);
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t i = 0; i < queries; ++i)
        for (int64_t e = 0; e < 24; ++e)
          ASSERT_NEAR(out.get(0, h, q_at[s] + i, e), alone.get(0, h, i, e), 1e-5) << s << ' ' << h << ' ' << i;
  }
  EXPECT_TRUE(out.untouched());
}

TEST(AttentionCpu, StatesMergeWhereverTheyWereMade) {
  numbers g(11);
  const int64_t keys = 300, cut[] = {0, 1, 130, 130, 300};
  tensor q(attention_type::float32, 1, 3, 7, 32), k(attention_type::float32, 1, 3, keys, 32), v(attention_type::float32, 1, 3, keys, 32);
  q.fill(g), k.fill(g), v.fill(g);
  std::vector<float> at(4 * 21), l(4 * 21), o(4 * 21 * 32), whole(21 * 32), one(21 * 32), lse(21);
  auto p = shaped(attention_type::float32, attention_type::float32, 1, 3, 3, 7, keys);
  p.q = q.begin(), p.q_stride = q.s, p.k_stride = k.s, p.v_stride = v.s, p.head_size = 32;
  p.out_stride = {21 * 32, 7 * 32, 32};
  p.k = k.begin(), p.v = v.begin(), p.out = whole.data();
  attention(p);
  for (std::size_t i = 0; i < 4; ++i) {
    p.keys = cut[i + 1] - cut[i];
    p.k = reinterpret_cast<float*>(k.begin()) + cut[i] * k.s.row, p.v = reinterpret_cast<float*>(v.begin()) + cut[i] * v.s.row;
    p.out = nullptr;
    p.state_at = at.data() + i * 21, p.state_l = l.data() + i * 21, p.state_o = o.data() + i * 21 * 32;
    attention(p);
  }
  std::vector<float> mat(21), ml(21);
  merge_attention_states(4, 21, 32, at.data(), l.data(), o.data(), mat.data(), ml.data(), one.data());
  for (std::size_t r = 0; r < 21; ++r)
    for (std::size_t e = 0; e < 32; ++e) ASSERT_NEAR(one[r * 32 + e] / ml[r], whole[r * 32 + e], 2e-6);
}

TEST(AttentionCpu, RefusesWithAReason) {
  const auto reason = [](auto change) {
    attention_problem p = shaped(attention_type::float32, attention_type::float32, 1, 2, 2, 4, 4);
    static float some[64];
    p.q = p.k = p.v = some, p.out = some, p.head_size = 4;
    change(p);
    const auto answer = can_run(p);
    if (!answer) {
      EXPECT_THROW(attention(p), tf::error);
    }
    return std::string(answer.reason());
  };
  EXPECT_EQ(reason([](auto&) {}), "");
  EXPECT_NE(reason([](auto& p) { p.kv_heads = 3; }).find("multiple of kv_heads"), std::string::npos);
  EXPECT_NE(reason([](auto& p) { p.q = nullptr; }).find("q is null"), std::string::npos);
  EXPECT_NE(reason([](auto& p) { p.queries = -1; }).find("queries is -1"), std::string::npos);
  EXPECT_NE(reason([](auto& p) { p.head_size = 0; }).find("head_size"), std::string::npos);
  EXPECT_NE(reason([](auto& p) { p.type = attention_type::int8; }).find("int8"), std::string::npos);
  EXPECT_NE(reason([](auto& p) { p.kv_type = attention_type::int8; }).find("scales"), std::string::npos);
  EXPECT_NE(reason([](auto& p) { p.out = nullptr; }).find("nowhere"), std::string::npos);
  EXPECT_NE(reason([](auto& p) { p.softcap = nan; }).find("softcap"), std::string::npos);
  static const std::int32_t back[] = {3, 1};
  EXPECT_NE(reason([](auto& p) { p.query_offsets = back, p.query_rows = 4; }).find("query_offsets"), std::string::npos);
  EXPECT_NE(reason([](auto& p) { p.key_offsets = back, p.key_rows = 2; }).find("key_offsets"), std::string::npos);
  static const std::int32_t much[] = {9};
  EXPECT_NE(reason([](auto& p) { p.key_lengths = much; }).find("key_lengths"), std::string::npos);
}

}  // namespace testing_attention
