// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention on the device, asked before it runs: what is refused and why, which schedule is chosen. No device is needed.
#include "twofold/cuda/attention/plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "twofold/cuda/attention/cap.hpp"

namespace {

using namespace twofold::cuda;

attention_problem good() {
  static const long long data[4] = {};
  attention_problem p;
  p.q = p.k = p.v = data, p.out = const_cast<long long*>(data);
  p.batch = 2, p.heads = 4, p.kv_heads = 2, p.queries = p.keys = 100, p.head_size = p.value_size = 64;
  p.q_stride = p.out_stride = {25600, 6400, 64}, p.k_stride = p.v_stride = {12800, 6400, 64};
  return p;
}

//! An address of T that is not aligned for it.
template <class T>
T* at_odd(void* p) {
  return reinterpret_cast<T*>(static_cast<char*>(p) + 2);
}

TEST(attention_plan, accepts_what_the_kernels_do) {
  EXPECT_TRUE(can_run(good())) << can_run(good()).reason();
  auto p = good();
  p.keys = 0, p.k = p.v = nullptr;
  EXPECT_TRUE(can_run(p)) << "no keys: nothing to read";
  for (auto size : {&attention_problem::batch, &attention_problem::heads, &attention_problem::queries}) {
    p = good(), p.*size = 0, p.q = p.k = p.v = nullptr, p.out = nullptr;
    EXPECT_TRUE(can_run(p)) << can_run(p).reason() << ": nothing to do, nothing to point at";
  }
  p = good(), p.batch = 1, p.q_stride.batch = 3;
  EXPECT_TRUE(can_run(p)) << "the stride of a dimension of size 1 is never used";
  p = good(), p.out_stride = {256, 64, 512};
  EXPECT_TRUE(can_run(p)) << "rows between rows of another sequence";
  p = good(), p.query_offsets = static_cast<std::int32_t*>(p.out), p.queries = 0;
  EXPECT_TRUE(can_run(p)) << "packed, and no row anywhere";
}

TEST(attention_plan, says_why_not) {
  struct refused {
    const char* limit;
    std::function<void(attention_problem&)> change;
  };
  const refused cases[] = {
      {"type is 5", [](auto& p) { p.type = static_cast<attention_type>(5); }},
      {"alignment is -1", [](auto& p) { p.alignment = static_cast<attention_alignment>(-1); }},
      {"head_size is 7", [](auto& p) { p.head_size = 7; }},
      {"head_size is 264", [](auto& p) { p.head_size = 264; }},
      {"head_size is 0", [](auto& p) { p.head_size = 0; }},
      {"value_size is 4", [](auto& p) { p.value_size = 4; }},
      {"a size is negative", [](auto& p) { p.keys = -1; }},
      {"not a multiple of kv_heads", [](auto& p) { p.kv_heads = 3; }},
      {"not a multiple of kv_heads", [](auto& p) { p.kv_heads = 0; }},
      {"longer than 2^30", [](auto& p) { p.keys = std::int64_t{1} << 31; }},
      {"more than 2^30 tiles", [](auto& p) { p.batch = std::int64_t{1} << 30; }},
      {"more than 2^30 tiles", [](auto& p) { p.batch = p.heads = p.kv_heads = std::int64_t{1} << 40; }},
      {"score_factor", [](auto& p) { p.score_factor = -1; }},
      {"score_factor", [](auto& p) { p.score_factor = std::numeric_limits<double>::quiet_NaN(); }},
      {"score_factor", [](auto& p) { p.score_factor = 1e39; }},
      {"softcap", [](auto& p) { p.softcap = std::numeric_limits<double>::infinity(); }},
      {"softcap", [](auto& p) { p.softcap = 1e300; }},
      {"longer than 2^30", [](auto& p) { p.right = std::int64_t{1} << 30; }},
      {"q is null", [](auto& p) { p.q = nullptr; }},
      {"v is null", [](auto& p) { p.v = nullptr; }},
      {"k does not start", [](auto& p) { p.k = static_cast<const char*>(p.k) + 1; }},
      {"a stride of out is smaller", [](auto& p) { p.out_stride.batch = 0; }},
      {"a stride of out is smaller", [](auto& p) { p.out_stride.head = 63; }},
      {"a stride of out is smaller", [](auto& p) { p.out_stride.row = -64; }},
      {"left or right is below -1", [](auto& p) { p.left = -2; }},
      {"left or right is below -1", [](auto& p) { p.right = -64; }},
      {"bias does not start", [](auto& p) { p.bias = static_cast<const char*>(p.q) + 2; }},
      {"lse_ln does not start", [](auto& p) { p.lse_ln = at_odd<float>(p.out); }},
      {"lse_log2 does not start", [](auto& p) { p.lse_log2 = at_odd<float>(p.out); }},
      {"state_o does not start", [](auto& p) { p.state_at = p.state_l = static_cast<float*>(p.out), p.state_o = at_odd<float>(p.out); }},
      {"state_l does not start", [](auto& p) { p.state_at = p.state_o = static_cast<float*>(p.out), p.state_l = at_odd<float>(p.out); }},
      {"state_at does not start", [](auto& p) { p.state_l = p.state_o = static_cast<float*>(p.out), p.state_at = at_odd<float>(p.out); }},
      {"sinks does not start", [](auto& p) { p.sinks = at_odd<float>(p.out); }},
      {"alibi_slopes does not start", [](auto& p) { p.alibi_slopes = at_odd<float>(p.out); }},
      {"key_lengths does not start", [](auto& p) { p.key_lengths = at_odd<std::int32_t>(p.out); }},
      {"key_starts does not start", [](auto& p) { p.key_starts = at_odd<std::int32_t>(p.out); }},
      {"query_offsets does not start", [](auto& p) { p.query_offsets = at_odd<std::int32_t>(p.out), p.query_rows = 200; }},
      {"key_offsets does not start", [](auto& p) { p.key_offsets = at_odd<std::int32_t>(p.out), p.key_rows = 200; }},
      {"packed sequences", [](auto& p) { p.query_offsets = static_cast<std::int32_t*>(p.out); }},
      {"packed sequences", [](auto& p) { p.key_offsets = static_cast<std::int32_t*>(p.out); }},
      {"nowhere", [](auto& p) { p.out = nullptr; }},
      {"three parts",
       [](auto& p) {
         static float x;
         p.state_at = &x;
       }},
      {"prefix is negative", [](auto& p) { p.prefix = -1; }},
      {"packed sequences",
       [](auto& p) {
         static std::int32_t x[3];
         p.query_offsets = x;
         p.query_rows = -1;
       }},
  };
  for (const auto& c : cases) {
    auto p = good();
    c.change(p);
    const auto answer = can_run(p);
    ASSERT_FALSE(answer) << c.limit;
    EXPECT_NE(std::string(answer.reason()).find(c.limit), std::string::npos) << answer.reason();
    EXPECT_EQ(answer.refusal()->code(), "TF3221");
    EXPECT_FALSE(answer.refusal()->works().empty());
  }
}

TEST(attention_plan, chooses_by_size_mask_and_scores) {
  using attention::mask_kind;
  auto p = good();
  EXPECT_EQ(plan_of(p).mask, mask_kind::full);
  p.right = 0;
  EXPECT_EQ(plan_of(p).mask, mask_kind::upper);
  p.left = 5;
  EXPECT_EQ(plan_of(p).mask, mask_kind::band);
  p = good(), p.softcap = 30;
  EXPECT_EQ(plan_of(p).scores, attention::score_kind::shaped);
  const float bias = 0;
  p.bias = &bias;
  EXPECT_EQ(plan_of(p).scores, attention::score_kind::biased);
  for (auto [d, v, head] : {std::array{8, 8, 64},
                            {64, 64, 64},
                            {72, 8, 128},
                            {64, 128, 128},
                            {136, 128, 192},
                            {192, 128, 192},
                            {192, 136, 256},
                            {248, 256, 256}}) {
    p = good(), p.head_size = d, p.value_size = v;
    EXPECT_EQ(plan_of(p).head, head) << d << "/" << v;
  }
  // What the copy engine cannot read is copied element by element.
  EXPECT_FALSE(plan_of(good()).gathered);
  for (const auto& change : std::vector<std::function<void(attention_problem&)>>{
           [](auto& p) { p.head_size = 63; },
           [](auto& p) {
             p.value_size = 65, p.out_stride = {51200, 12800, 128};
           },
           [](auto& p) { p.k = static_cast<const char*>(p.k) + 2; }, [](auto& p) { p.v_stride.row = 65; },
           [](auto& p) { p.k_stride.head = 0; }, [](auto& p) { p.out_stride.batch = 25604; },
           [](auto& p) { p.q_stride.row = std::int64_t{1} << 40; },
           [](auto& p) {
             static float states[4];
             const auto at = reinterpret_cast<std::uintptr_t>(states);
             p.state_at = p.state_l = states, p.state_o = states + (at % 8 == 0);
           }}) {
    p = good(), change(p);
    EXPECT_TRUE(can_run(p)) << can_run(p).reason();
    EXPECT_TRUE(plan_of(p).gathered);
  }
  EXPECT_NE(plan_of(good()).text().find("rows of 64"), std::string::npos);
}

//! As score.cuh applies it, with this machine's tanh.
float capped(const attention::soft_cap& c, float s) {
  if (!(std::fabs(s) <= c.limit)) return c.outer * static_cast<float>(std::tanh(static_cast<double>(s) * c.inner));
  const float u = s * s;
  return s * std::fma(std::fma(std::fma(std::fma(c.terms[4], u, c.terms[3]), u, c.terms[2]), u, c.terms[1]), u, c.terms[0]);
}

TEST(attention_plan, caps_are_tanh_however_near_or_far) {
  for (double cap = 0x1p-100; cap <= 0x1p+100; cap *= 2)
    for (double factor : {0x1p-40, 0.0625, 1.0, 0x1p+40}) {
      const auto c = attention::cap_of(cap, factor);
      for (double y : {0.0, 0x1p-30, 0x1p-10, 0.1, 0.3, 0.59, 0.61, 2.0, 50.0}) {  // of the cap
        const auto s = static_cast<float>(y * cap / factor);
        if (!(s < 0x1p+125f)) continue;
        const double want = 1.4426950408889634 * cap * std::tanh(static_cast<double>(s) * factor / cap), got = capped(c, s);
        // Nearer than scores are to each other, only the sign counts.
        const bool exact = factor / cap <= 0x1p+100;
        EXPECT_NEAR(got, want, (exact ? 2e-7 : 1.0) * 1.4426950408889634 * cap) << cap << ' ' << factor << ' ' << y;
      }
    }
}

}  // namespace
