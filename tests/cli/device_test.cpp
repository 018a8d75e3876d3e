// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What `run --device cuda` does before it meets a GPU: the kernels' text, its compilation where NVRTC is installed, refusals.
#include "analyse.hpp"
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
emitted emit(const std::string& file, const std::string& function) {
  frontend_result r = read_source(file, function, {.include_dirs = {}, .standard = "c++20", .cache_dir = ""});
  EXPECT_FALSE(r.specs.empty()) << file;
  const decision d = decide_loop(r.specs.front(), {.seconds = 10, .max_nodes = 2'000'000, .seed = 1});
  return {r.specs.front(), cpp_structure(r.specs.front(), d)};
}
emitted example(const std::string& name) {
  const auto colon = name.find(':');
  return emit(TWOFOLD_SOURCE_DIR "/examples/loops/" + name.substr(0, colon) + ".cpp", name.substr(colon + 1));
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
                                         "max_segment_sum:max_segment_sum", "word_count:word_count"));

TEST(device_glue, names_what_is_needed) {
  const cli::device_text scan = cli::device_glue(example("ema:smooth").loop, example("ema:smooth").reduction);
  EXPECT_FALSE(scan.has_whole);
  EXPECT_NE(scan.text.find("twofold_scan_0"), std::string::npos);
  const cli::device_text map = cli::device_glue(example("softmax:softmax").loop, example("softmax:softmax").reduction);
  EXPECT_TRUE(map.has_whole);
  EXPECT_NE(map.text.find("twofold_map_0"), std::string::npos);
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
