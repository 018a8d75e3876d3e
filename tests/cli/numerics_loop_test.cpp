// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `twofold numerics FILE:FUNCTION`: what is said for all data, for these data, and measured.
#include <cmath>

#include "support.hpp"

namespace twofold::tests {
namespace {

using json = nlohmann::json;

json asked(const std::string& target, const std::vector<std::string>& more, int exit = 0) {
  std::vector<std::string> words{"numerics", target, "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const outcome o = program(words);
  EXPECT_EQ(o.exit, exit) << o.err << o.out;
  return o.json();
}

json variable(const json& j, const std::string& name) {
  for (const json& v : j["variables"])
    if (v["name"] == name) return v;
  return nullptr;
}

const std::vector<std::string> only_read{"--seconds", "0"};

//! An online softmax: the reference is exact; a push multiplies by exp (1.1u) and adds, so 3.1 roundings each, and W for the arguments.
TEST(numerics_loop, softmax_is_weighted) {
  const json j = asked(loops + "softmax_online.cpp:denominator", {"--seconds", "0", "--n", "1000", "--schedule", "tiles=50,tree"});
  EXPECT_EQ(variable(j, "m")["kind"], "exact");
  const json l = variable(j, "l");
  EXPECT_EQ(l["kind"], "weighted");
  EXPECT_EQ(l["scale"], "l");
  double low = 1, high = 50;  // W by bisection of (t − 1)e^t = n − 1
  for (int i = 0; i < 200; ++i)
    ((low + high) / 2 - 1) * std::exp((low + high) / 2) < 999 ? low = (low + high) / 2 : high = (low + high) / 2;
  const double pushes = 49, merges = 5, lift = 1.1;
  EXPECT_NEAR(l["units"].get<double>(), 3.1 * (pushes + merges) + lift + (low - 1), 1e-6);
}

TEST(numerics_loop, kinds_of_the_examples) {
  const auto kind = [](const char* target, const char* name) { return variable(asked(loops + target, only_read), name)["kind"]; };
  EXPECT_EQ(kind("argmax.cpp:argmax", "best"), "exact");
  const json a = asked(loops + "attention_naive.cpp:attention", only_read);
  EXPECT_EQ(variable(a, "m")["kind"], "selected");  // a maximum of rounded dot products
  EXPECT_EQ(variable(a, "l")["kind"], "weighted");
  EXPECT_EQ(variable(a, "o")["scale"], "max|lift|*sum of weights");
  EXPECT_EQ(kind("dot.cpp:dot", "sum"), "sum");
  EXPECT_EQ(kind("welford.cpp:variance", "m2"), "spread");
  EXPECT_EQ(kind("welford.cpp:variance", "mean"), "mean");
  EXPECT_EQ(kind("welford.cpp:variance", "count"), "exact");
  const json e = asked(loops + "ema.cpp:smooth", only_read);
  EXPECT_EQ(variable(e, "average")["kind"], "affine");
  EXPECT_EQ(variable(e, "decay")["kind"], "product");
}

//! Compiled and run on the harness's families; the adversary of sums comes near the bound of all data.
TEST(numerics_loop, compiled_errors_stay_below_the_running_bound) {
  const folder f;
  const std::string file = f.write("own.cpp", R"(#include <cmath>
float sum(const float* x, int n) { float s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }
float root(const float* x, int n) { float s = 0; for (int i = 0; i < n; ++i) s += x[i] * x[i]; return std::sqrt(s); }
int count(const float* x, int n) { int c = 0; for (int i = 0; i < n; ++i) if (x[i] > 0) ++c; return c; }
float decay(const float* x, const float* t, int n, float k) {
  float h = 0;
  for (int i = 0; i < n; ++i) h = std::exp(-k * t[i]) * h + x[i];
  return h;
}
float fades(const float* x, const float* t, int n) {
  float h = 0;
  for (int i = 0; i < n; ++i) h = std::exp(-t[i]) * h + x[i];
  return h;
}
float ones(const float* x, int n) { float c = 0; for (int i = 0; i < n; ++i) c += 1; return c; }
)");
  const std::string cache = f / "cache";
  for (const std::string function : {":sum", ":root"}) {
    const json j = asked(file + function, {"--n", "300", "--seconds", "0.1", "--schedule", "tiles=64,tree", "--cache", cache});
    EXPECT_TRUE(j["compiled"]);
    EXPECT_EQ(j["different_bits"], 0);
    EXPECT_EQ(j["unbounded"], 0);
    EXPECT_GE(j["inputs"].get<int>(), 39);
    EXPECT_EQ(j["by_family"].size(), 39U);
    const json a = j["answers"][0];
    EXPECT_LE(a["worst_ratio"].get<double>(), 1);
    EXPECT_GT(a["worst_ratio"].get<double>(), 0.2);
  }
  const json s = asked(file + ":sum", {"--n", "300", "--seconds", "0", "--schedule", "fold"});
  EXPECT_EQ(variable(s, "s")["kind"], "sum");
  EXPECT_NEAR(variable(s, "s")["units"].get<double>(), 299, 1e-9);
  const json c = asked(file + ":count", only_read);
  EXPECT_EQ(variable(c, "c")["kind"], "exact");
  // An exponent that is exact loses roundings; one that is rounded loses a part of its size, which nothing bounds.
  const json fades = asked(file + ":fades", only_read), decay = asked(file + ":decay", only_read);
  EXPECT_EQ(variable(fades, "h")["kind"], "affine");
  EXPECT_EQ(variable(decay, "h")["kind"], "other");
  // A count in float stops at 2^24.
  EXPECT_EQ(variable(asked(file + ":ones", {"--seconds", "0", "--n", "16777216"}), "c")["value"], 0);
  EXPECT_EQ(variable(asked(file + ":ones", {"--seconds", "0", "--n", "16777217"}), "c")["value"], "inf");
}

//! --certify: the same families under every way of bracketing, the compiled code where a schedule describes the way.
TEST(numerics_loop, certify_runs_the_harness_on_the_users_loop) {
  const folder f;
  const std::string file = f.write("own.cpp", R"(#include <cmath>
float norm(const float* x, int n) { float s = 0; for (int i = 0; i < n; ++i) s += x[i] * x[i]; return s; }
float weights(const float* x, int n) {
  float m = -INFINITY, l = 0;
  for (int i = 0; i < n; ++i) {
    const float k = std::fmax(m, x[i]);
    l = l * std::exp(m - k) + std::exp(x[i] - k);
    m = k;
  }
  return l;
}
)");
  for (const std::string function : {":norm", ":weights"}) {
    const json j = asked(file + function, {"--n", "80", "--seconds", "0.1", "--certify", "--cache", f / "cache"});
    EXPECT_EQ(j["by_way"].size(), 10U);
    EXPECT_GE(j["by_family"].size(), 36U);  // absent and huge scores make a NaN of a softmax
    EXPECT_EQ(j["violations"], 0);
    EXPECT_EQ(j["different_bits"], 0) << function;
    EXPECT_GE(j["comparisons"].get<int>(), 350);
    EXPECT_GT(j["answers"][0]["worst_ratio"].get<double>(), 0.2);
    EXPECT_FALSE(j["answers"][0]["way"].get<std::string>().empty());
  }
  const outcome page = program({"numerics", file + ":norm", "--n", "50", "--seconds", "0.01", "--certify", "--cache", f / "cache"});
  EXPECT_EQ(page.exit, 0) << page.err;
  EXPECT_NE(page.out.find("39 families under 10 ways of bracketing, lengths up to 50"), std::string::npos) << page.out;
}

//! The page says what the report says, and draws what was measured: other lengths, other schedules, families and ways.
TEST(numerics_loop, html_draws_the_loop_at_other_lengths_and_schedules) {
  const folder f;
  const std::string source = loops + "softmax_online.cpp:denominator";
  const std::vector<std::string> common{"numerics", source, "--cache", f / "cache", "--html", f / "page.html"};
  const outcome o = program(with(common, {"--n", "600", "--seconds", "0.2"}));
  ASSERT_EQ(o.exit, 0) << o.err;
  std::string page = cli::read_file(f / "page.html");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  for (const char* part :
       {"<h2>For all data</h2>", "error against n", "error against the schedule", "fold</text>", "by family of inputs", "</html>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("by way of bracketing"), std::string::npos);  // one way was asked for
  for (const char* part : {"\"nan", " nan", "\"inf", " inf"}) EXPECT_EQ(page.find(part), std::string::npos) << part;
  const std::string line = o.out.substr(0, o.out.find('\n'));
  EXPECT_NE(page.find(line), std::string::npos) << line;
  ASSERT_EQ(program(with(common, {"--certify", "--n", "60", "--seconds", "0.02"})).exit, 0);
  EXPECT_NE(cli::read_file(f / "page.html").find("by way of bracketing"), std::string::npos);
  ASSERT_EQ(program(with(common, {"--seconds", "0"})).exit, 0);  // bounds alone
  page = cli::read_file(f / "page.html");
  EXPECT_EQ(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("<h2>For all data</h2>"), std::string::npos);
}

TEST(numerics_loop, wrong_use) {
  EXPECT_EQ(program({"numerics", "nowhere.cpp:f"}).exit, 2);
  EXPECT_EQ(program({"numerics", loops + "vote.cpp:majority", "--seconds", "0"}).exit, 1);
  const outcome o = program({"numerics", loops + "softmax_online.cpp:denominator", "--input", "x"});
  EXPECT_EQ(o.exit, 2);
  EXPECT_NE(o.err.find("TF2130"), std::string::npos);
}

}  // namespace
}  // namespace twofold::tests
