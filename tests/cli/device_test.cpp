// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What `run --device cuda` does before it meets a GPU: the kernels' text, its compilation where NVRTC is installed, refusals.
#include "analyse.hpp"
#include "derive/settle.hpp"
#include "device/compile.hpp"
#include "device/gpu.hpp"
#include "device_glue.hpp"
#include "failure.hpp"
#include "frontend/frontend.hpp"
#include "support.hpp"

namespace twofold::tests {
namespace {
using namespace analyser;

struct emitted {
  spec loop;
  cpp_reduction reduction;
};
struct decided {
  spec loop;
  decision answer;
};
decided decide(const std::string& file, const std::string& function) {
  frontend_result r = read_source(file, function, {.include_dirs = {}, .standard = "c++20", .cache_dir = ""});
  EXPECT_FALSE(r.specs.empty()) << file;
  return {r.specs.front(), decide_loop(r.specs.front(), {.seconds = 10, .max_nodes = 2'000'000, .seed = 1})};
}
emitted emit(const std::string& file, const std::string& function) {
  decided d = decide(file, function);
  settle(d.answer, 1);
  return {d.loop, cpp_structure(d.loop, d.answer)};
}
std::pair<std::string, std::string> file_and_function(const std::string& name) {
  const auto colon = name.find(':');
  return {TWOFOLD_SOURCE_DIR "/examples/loops/" + name.substr(0, colon) + ".cpp", name.substr(colon + 1)};
}
emitted example(const std::string& name) {
  const auto [file, function] = file_and_function(name);
  return emit(file, function);
}

const device::keeper nothing_kept{[](const std::string&) -> std::optional<std::string> { return std::nullopt; },
                                  [](const std::string&, const std::string&) {}};
bool no_compiler() { return device::compiler_version().starts_with("none"); }

class device_text_of : public testing::TestWithParam<const char*> {};
TEST_P(device_text_of, compiles) {
  if (no_compiler()) GTEST_SKIP() << "NVRTC is " << device::compiler_version();
  const emitted e = example(GetParam());
  const cli::device_text t = cli::device_glue(e.loop, e.reduction);
  EXPECT_GT(device::compile(t.text, "loop.cu", "sm_90a", nothing_kept).code.size(), 1000u);
  EXPECT_GT(device::compile("#define TWOFOLD_SHARED 101376\n" + t.text, "loop.cu", "sm_80", nothing_kept).code.size(), 1000u);
}
// A scan, a map behind a reduction, neighbours read, several answers, wide integers, characters.
INSTANTIATE_TEST_SUITE_P(loops, device_text_of,
                         testing::Values("ema:smooth", "softmax:softmax", "total_variation:total_variation", "welford:variance",
                                         "max_segment_sum:max_segment_sum", "word_count:word_count", "log_sum_exp:log_sum_exp",
                                         "streaks:longest_run", "brackets:balanced"));

TEST(device_glue, names_what_is_needed) {
  const cli::device_text scan = cli::device_glue(example("ema:smooth").loop, example("ema:smooth").reduction);
  EXPECT_FALSE(scan.has_whole);
  EXPECT_NE(scan.text.find("twofold_scan_0"), std::string::npos);
  const cli::device_text map = cli::device_glue(example("softmax:softmax").loop, example("softmax:softmax").reduction);
  EXPECT_TRUE(map.has_whole);
  EXPECT_NE(map.text.find("twofold_map_0"), std::string::npos);
}

TEST(device_glue, moves_an_array_once_that_is_read_at_two_places) {
  const emitted e = example("total_variation:total_variation");
  const std::string text = cli::device_glue(e.loop, e.reduction).text;
  EXPECT_NE(text.find("arrays<const beside<double, -1, 0>>"), std::string::npos) << text;
}

TEST(device_glue, gives_tiles_to_loops_with_references) {
  for (const char* name : {"softmax:softmax", "log_sum_exp:log_sum_exp", "softmax_online:denominator"}) {
    const emitted e = example(name);
    ASSERT_TRUE(e.reduction.settles) << name;
    EXPECT_NE(cli::device_glue(e.loop, e.reduction).text.find("void leaf_into("), std::string::npos) << name;
  }
  for (const char* name : {"argmax:argmax", "max_segment_sum:max_segment_sum", "welford:variance", "dot:dot"})
    EXPECT_FALSE(example(name).reduction.settles) << name;
}

//! Integers that move by small constants are counted in 32 bits for a few elements; those that move by elements, while these are small.
TEST(device_glue, counts_few_elements_in_fewer_bits) {
  const auto text = [](const emitted& e) { return cli::device_glue(e.loop, e.reduction).text; };
  const auto has = [](const std::string& all, const char* some) { return all.find(some) != std::string::npos; };
  for (const char* name : {"streaks:longest_run", "brackets:balanced", "word_count:word_count"}) {
    const emitted e = example(name);
    EXPECT_EQ(e.reduction.grows, growth::by_constants) << name;
    EXPECT_TRUE(has(text(e), "_counts op;") && !has(text(e), "is_small(")) << name;
  }
  const emitted sums = example("max_segment_sum:max_segment_sum");
  EXPECT_EQ(sums.reduction.grows, growth::by_elements);
  EXPECT_TRUE(has(text(sums), "_counts op;") && has(text(sums), "is_small(")) << text(sums);
  for (const char* name : {"dot:dot", "softmax:softmax"}) EXPECT_FALSE(has(text(example(name)), "_counts op;")) << name;
  const folder f;
  const auto adding = [&](const std::string& name, const std::string& step) {
    const std::string file =
        f.write(name + ".cpp",
                "long count(const int* x, int n) {\n  long high = 0, s = 0;\n  for (int i = 0; i < n; ++i) {\n    s = x[i] "
                "> 7 ? s + " +
                    step + " : 0;\n    high = s > high ? s : high;\n  }\n  return high;\n}\n");
    return emit(file, "count").reduction.grows;
  };
  EXPECT_EQ(adding("small", "1048576"), growth::by_constants);
  EXPECT_EQ(adding("far", "1048577"), growth::unknown);
  EXPECT_EQ(adding("far_in_two", "1048576 + (x[i] > 8 ? 1 : 0)"), growth::unknown);
  EXPECT_EQ(adding("element", "x[i]"), growth::by_elements);
  EXPECT_EQ(adding("product", "long(x[i]) * x[i]"), growth::unknown);
}

//! Rests on a proof: of a merge that forgets to rescale there is none.
TEST(settle, is_refused_where_moving_before_a_step_is_not_moving_after_it) {
  const auto [file, function] = file_and_function("log_sum_exp:log_sum_exp");
  decided d = decide(file, function);
  decision right = d.answer, wrong = d.answer;
  EXPECT_TRUE(settle(right, 5));
  for (merged_variable& v : wrong.state)
    if (v.name == "s") v.merge = add(symbol(symbol_kind::left, v.name, v.type), symbol(symbol_kind::right, v.name, v.type));
  EXPECT_FALSE(settle(wrong, 5));
  for (const merged_variable& v : wrong.state) EXPECT_FALSE(v.settled || v.moved) << v.name;
  wrong = d.answer;  // a step that weighs an element twice while the merge weighs it once
  for (merged_variable& v : wrong.state)
    if (v.name == "s") v.moved = {}, v.merge = mul(number(2), v.merge);
  EXPECT_FALSE(settle(wrong, 5));
}

TEST(device_glue, walks_downwards) {
  const folder f;
  const std::string file = f.write("down.cpp",
                                   "double value(const double* c, int n, double x) {\n  double v = 0;\n"
                                   "  for (int i = n - 1; i >= 0; --i) v = v * x + c[i];\n  return v;\n}\n");
  const emitted e = emit(file, "value");
  const cli::device_text t = cli::device_glue(e.loop, e.reduction);
  EXPECT_NE(t.text.find("downwards{make(f)}"), std::string::npos);
  if (no_compiler()) GTEST_SKIP() << "NVRTC is " << device::compiler_version();
  EXPECT_GT(device::compile(t.text, "loop.cu", "sm_90a", nothing_kept).code.size(), 1000u);
}

TEST(device_glue, refuses_states_of_run_time_length) {
  const emitted e = example("attention_naive:attention");
  try {
    (void)cli::device_glue(e.loop, e.reduction);
    FAIL() << "nothing was thrown";
  } catch (const cli::failure& f) {
    EXPECT_EQ(f.code, "TF3101");
    EXPECT_EQ(f.exit, cli::exit_code::unsupported);
    EXPECT_NE(f.why.find("length"), std::string::npos) << f.why;
  }
}

TEST(device_compile, keeps_by_content_and_says_what_is_wrong) {
  if (no_compiler()) GTEST_SKIP() << "NVRTC is " << device::compiler_version();
  std::map<std::string, std::string> kept;
  const device::keeper k{[&](const std::string& key) -> std::optional<std::string> {
                           const auto found = kept.find(key);
                           return found == kept.end() ? std::nullopt : std::optional(found->second);
                         },
                         [&](const std::string& key, const std::string& code) { kept[key] = code; }};
  const std::string text = "extern \"C\" __global__ void f(int* x) { *x = 1; }\n";
  const device::compiled first = device::compile(text, "a.cu", "sm_80", k), again = device::compile(text, "a.cu", "sm_80", k);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(first.code, again.code);
  EXPECT_FALSE(device::compile(text, "a.cu", "sm_90a", k).from_cache) << "another architecture is other code";
  EXPECT_FALSE(device::compile(text + "\n", "a.cu", "sm_80", k).from_cache);
  EXPECT_EQ(kept.size(), 3u);
  try {
    (void)device::compile("\n\nint f() { return missing; }\n", "mine.cu", "sm_80", k);
    FAIL() << "nothing was thrown";
  } catch (const device::failure& f) {
    EXPECT_EQ(f.code, "TF3105");
    EXPECT_NE(f.why.find("mine.cu(3)"), std::string::npos) << f.why;
  }
  EXPECT_EQ(kept.size(), 3u) << "what does not compile is not kept";
}

TEST(device_gpu, is_there_or_says_why) {
  try {
    const device::gpu g;
    EXPECT_FALSE(g.name().empty());
  } catch (const device::failure& f) {
    EXPECT_EQ(f.code, "TF3106");
    EXPECT_FALSE(f.why.empty());
  }
}

TEST(device_run, without_a_driver_the_program_exits_with_5) {
  try {
    device::expect_driver();
    GTEST_SKIP() << "this machine has a driver";
  } catch (const device::failure&) {
  }
  const outcome o = program({"run", TWOFOLD_SOURCE_DIR "/examples/loops/dot.cpp:dot", "--device", "cuda"});
  EXPECT_EQ(o.exit, 5) << o.err;
  EXPECT_NE(o.err.find("error TF3106"), std::string::npos) << o.err;
}

}  // namespace
}  // namespace twofold::tests
