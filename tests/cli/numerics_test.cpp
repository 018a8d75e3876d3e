// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `twofold numerics OPERATOR`: its numbers against numbers computed here in another way, its refusals, its forms.
#include <cmath>

#include "numerics/bounds.hpp"
#include "numerics/plots.hpp"
#include "numerics/report.hpp"
#include "numerics/rounding.hpp"
#include "numerics/weights.hpp"
#include "support.hpp"
#include "twofold/numerics/bounds.hpp"
#include "twofold/numerics/rounding.hpp"
#include "twofold/schedule/text.hpp"

namespace twofold::tests {
namespace {

namespace accuracy = cli::accuracy;
using json = nlohmann::json;

const std::vector<std::string> example{"numerics", "attention", "--state", "f32", "--p",        "bf16",           "--exp",  "ex2.approx",
                                       "--n",      "131072",    "--b",     "128", "--schedule", "tiles,split=64", "--vmax", "8"};

json answer(const std::vector<std::string>& words) {
  const outcome o = program(with(words, {"--json", "--seconds", "0"}));
  EXPECT_EQ(o.exit, 0) << o.err;
  return o.json();
}

double advised(const json& j, const std::string& beginning) {
  for (const json& a : j["advice"])
    if (a["text"].get<std::string>().starts_with(beginning)) return a["units_after"];
  return -1;
}

//! W of (t − 1)e^t = n − 1 by bisection: the mean distance is t − 1 … as a plain equation, not as the Lambert function.
double mean_distance_by_bisection(double n) {
  double low = 1, high = 50;
  for (int i = 0; i < 200; ++i) {
    const double t = (low + high) / 2;
    ((t - 1) * std::exp(t) < n - 1 ? low : high) = t;
  }
  return low - 1;
}

TEST(numerics_example, guarantee_term_by_term) {
  const json j = answer(example);
  const double u = std::ldexp(1.0, -24), n = 131072, b = 128, T = n / b, K = 64, e = 4, W = mean_distance_by_bisection(n);
  EXPECT_NEAR(W, 8.63, 0.005);
  const double C = (b - 1) + (T / K - 1) * (2 + e) + (K - 1) * (2 + e), all = C + e + W;
  EXPECT_EQ(C, 595);
  EXPECT_NEAR(j["guarantee"]["units"].get<double>(), all, 1e-6);
  EXPECT_EQ(std::lround(all), 608);
  EXPECT_NEAR(j["guarantee"]["value"].get<double>(), all * u / (1 - all * u), 1e-15);
  EXPECT_EQ(j["guarantee"]["formula"], "(b-1)u + (T/K-1)(2u+e) + (K-1)(2u+e) + e + u*W");
}

TEST(numerics_example, advice) {
  const json j = answer(example);
  EXPECT_EQ(advised(j, "integer gauge"), (128 - 1) + 15 + 63);      // 205
  EXPECT_EQ(advised(j, "merge by tree"), (128 - 1) + (4 + 6) * 6);  // 187
  EXPECT_EQ(advised(j, "merges by fused"), (128 - 1) + (15 + 63) * 5);
}

TEST(numerics_example, domain) {
  const json j = answer(example);
  std::map<std::string, std::pair<double, double>> budgets;
  for (const json& b : j["domain"]["budgets"]) {
    EXPECT_TRUE(b["fits"]);
    budgets[b["what"]] = {b["log2_most"], b["log2_limit"]};
  }
  EXPECT_NEAR(budgets["l"].first, 25, 1e-9);
  EXPECT_NEAR(budgets["O"].first, 28, 1e-9);
  EXPECT_NEAR(budgets["P"].first, 8, 1e-9);
  EXPECT_NEAR(budgets["P"].second, std::log2(std::ldexp(2 - std::ldexp(1.0, -7), 127)), 1e-9);
}

TEST(numerics_example, output) {
  const json j = answer(example);
  std::map<std::string, double> part;
  for (const json& p : j["output"]["parts"])
    if (!p["value"].is_null()) part[p["what"]] = p["value"];
  EXPECT_DOUBLE_EQ(part["P"], 8 * std::ldexp(1.0, -8));
  const double u = std::ldexp(1.0, -24), W = mean_distance_by_bisection(131072);
  EXPECT_NEAR(part["state"], 8 * u * (2 * 595 + 2 + 4 + 2 * W), 1e-6 * part["state"] + 1e-7);
  EXPECT_NEAR(part["state"] / 8, 7e-5, 0.5e-5);
  EXPECT_EQ(j["dominant"]["output"], "P");
  EXPECT_FALSE(part.contains("scores"));
  const json known = answer(with(example, {"--qk", "0.01"}));
  const double eta = std::ldexp(1.0, -24) * 128 * 0.01 / std::sqrt(128.0);
  EXPECT_NEAR(known["output"]["parts"][2]["value"].get<double>(), 8 * eta, 1e-12);
}

TEST(numerics_example, page) {
  const outcome o = program(with(example, {"--seconds", "0"}));
  EXPECT_EQ(o.exit, 0) << o.err;
  for (const char* part : {"= 608u = 3.6e-05", "e = 4u", "W = 8.63", "l <= n*2^tau = 2^25", "O <= n*2^tau*max|v| = 2^28", "2^127.99",
                           "595u -> 205u", "595u -> 187u", "2^-8*MAD (P)", "7.2e-05*max|v| (state)", "98 %"})
    EXPECT_NE(o.out.find(part), std::string::npos) << part << "\n" << o.out;
}

TEST(numerics_example, crossover_is_where_tiles_stop_to_help) {
  // Tiles are no worse than one pass from b = 2 + e on: 6 with ex2.approx; the report says so below that.
  for (const int b : {2, 4, 5, 6, 8}) {
    const json tiled = answer({"numerics", "softmax", "--exp", "ex2.approx", "--n", "4800", "--schedule", "tiles=" + std::to_string(b)});
    const json whole = answer({"numerics", "softmax", "--exp", "ex2.approx", "--n", "4800", "--schedule", "tiles=4800"});
    const bool worse = tiled["guarantee"]["units"].get<double>() > whole["guarantee"]["units"].get<double>() + 1e-9;
    EXPECT_EQ(worse, b < 6) << b;
  }
}

//! The report's levels add up to the library's own bounds, for every schedule and gauge.
TEST(numerics_bounds, agree_with_the_library) {
  for (const char* schedule :
       {"fold", "tree", "tiles=64", "tiles=64,tree", "tiles=100,split=7", "tiles=64,split=8,tree", "lanes=8,tiles=64", "lanes=32"})
    for (const char* gauge : {"max", "integer", "lazy"})
      for (const bool fused : {false, true}) {
        std::vector<std::string> words{"numerics",   "attention",  "--n",    "5000",    "--exp",
                                       "ex2.approx", "--schedule", schedule, "--gauge", gauge};
        if (fused) words.emplace_back("--fma");
        const json j = answer(words);
        numerics::weight_arithmetic w;
        w.reference = std::string(gauge) == "max"       ? numerics::reference_rule::maximum
                      : std::string(gauge) == "integer" ? numerics::reference_rule::integer
                                                        : numerics::reference_rule::lazy;
        w.tau = 8, w.exp2_roundings = w.rescale_roundings = 4, w.merge_roundings = fused ? 1 : 2;
        const double u = numerics::fp32.unit_roundoff();
        EXPECT_NEAR(j["guarantee"]["value"].get<double>(),
                    numerics::softmax_sum(u, numerics::shape_of(5000, parse_schedule(schedule)), 5000, w), 1e-12)
            << schedule << " " << gauge;
      }
}

TEST(numerics_refusals, name_the_number_and_what_works) {
  const outcome half = program({"numerics", "attention", "--state", "f16", "--n", "4096", "--vmax", "16", "--tau", "0", "--seconds", "0"});
  EXPECT_EQ(half.exit, 2);
  for (const char* part : {"TF2402", "2^16", "65504", "fp32"}) EXPECT_NE(half.err.find(part), std::string::npos) << part << half.err;
  const outcome eight = program({"numerics", "attention", "--p", "e4m3", "--offset", "8", "--tau", "4", "--seconds", "0"});
  EXPECT_EQ(eight.exit, 2);
  for (const char* part : {"TF2401", "2^12", "448", "8.80"}) EXPECT_NE(eight.err.find(part), std::string::npos) << part << eight.err;
  EXPECT_EQ(program({"numerics", "attention", "--p", "e4m3", "--offset", "4", "--tau", "4", "--seconds", "0"}).exit, 0);
  const outcome stagnant = program({"numerics", "sum", "--state", "bf16", "--n", "1000", "--schedule", "fold", "--seconds", "0"});
  EXPECT_EQ(stagnant.exit, 2);
  EXPECT_NE(stagnant.err.find("TF2403"), std::string::npos);
  const outcome growing = program({"numerics", "scan", "--rho", "2", "--n", "1000", "--seconds", "0"});
  EXPECT_NE(growing.err.find("TF2406"), std::string::npos);
  const outcome as_json = program({"numerics", "scan", "--rho", "2", "--n", "1000", "--json"});
  EXPECT_EQ(as_json.json()["error"]["code"], "TF2406");
}

TEST(numerics_refusals, wrong_questions) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"atention"},
                                                                                     {"softmax", "--exp", "ex3"},
                                                                                     {"softmax", "--state", "f31"},
                                                                                     {"softmax", "--state", "e4m3"},
                                                                                     {"softmax", "--n", "0"},
                                                                                     {"softmax", "--n", "2.5"},
                                                                                     {"softmax", "--n", "nan"},
                                                                                     {"softmax", "--gauge", "none"},
                                                                                     {"softmax", "--b", "8", "--schedule", "tiles=9"},
                                                                                     {"sum", "--sum", "fast"}}) {
    const outcome o = program(with({"numerics"}, words));
    EXPECT_EQ(o.exit, 2) << words.back();
    EXPECT_NE(o.err.find("TF2130"), std::string::npos) << o.err;
  }
  EXPECT_NE(program({"numerics", "sum", "--schedule", "tilez=8"}).err.find("TF2205"), std::string::npos);
}

TEST(numerics_rounding, is_that_of_the_library_in_every_format) {
  std::uint64_t h = 1;
  for (const numerics::format* f : numerics::all_formats) {
    const accuracy::rounder round(*f);
    for (int i = 0; i < 20000; ++i) {
      h = h * 6364136223846793005u + 1442695040888963407u;
      const double mantissa = 1 + static_cast<double>(h >> 12) * 0x1p-52,
                   x = (h & 1 ? -1 : 1) * std::ldexp(mantissa, static_cast<int>(h >> 5 & 63) - 32);
      const double library = numerics::round_to(*f, x);
      if (std::isnan(library)) continue;  // e4m3 beyond its range: the emulated casts saturate
      EXPECT_EQ(round(x), library) << f->name << " " << x;
    }
    for (const double tie :
         {1 + f->unit_roundoff(), 1 + 3 * f->unit_roundoff(), f->smallest_subnormal() / 2, f->smallest_subnormal() * 1.5, f->largest()})
      EXPECT_EQ(round(tie), numerics::round_to(*f, tie)) << f->name << " " << tie;
  }
}

//! Every measured error lies below its bound, and the adversary comes near it.
TEST(numerics_measure, errors_stay_below_their_bounds) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"attention", "--n", "2048", "--b", "64", "--exp", "ex2.approx"},
                                             {"attention", "--n", "512", "--p", "bf16", "--separate-denominator"},
                                             {"attention", "--n", "512", "--p", "e4m3", "--offset", "4", "--tau", "4", "--gauge", "lazy"},
                                             {"attention", "--n", "1000", "--p", "f16", "--offset", "7"},
                                             {"softmax", "--n", "2000", "--schedule", "fold"},
                                             {"logsumexp", "--n", "2000", "--gauge", "integer"},
                                             {"logsumexp", "--n", "300", "--gauge", "lazy", "--exp", "poly3"},
                                             {"sum", "--n", "3000", "--schedule", "tree"},
                                             {"sum", "--n", "3000", "--schedule", "fold"},
                                             {"sum", "--n", "3000", "--sum", "pairwise"},
                                             {"sum", "--n", "3000", "--sum", "compensated", "--schedule", "fold"},
                                             {"sum", "--n", "150", "--state", "bf16", "--schedule", "fold"},
                                             {"variance", "--n", "3000", "--kappa", "1e5"},
                                             {"variance", "--n", "3000", "--state", "f64", "--schedule", "fold"},
                                             {"moments", "--n", "1000", "--order", "3", "--schedule", "tree"},
                                             {"moments", "--n", "1000", "--schedule", "fold"},
                                             {"scan", "--n", "3000", "--rho", "0.9", "--schedule", "tree"}}) {
    const outcome o = program(with(with({"numerics"}, words), {"--json", "--seconds", "0.05", "--certify"}));
    ASSERT_EQ(o.exit, 0) << words[0] << o.err << o.out;
    const json m = o.json()["measured"];
    EXPECT_GT(m["inputs"].get<int>(), 0);
    EXPECT_EQ(m["not_finite"], 0) << words[0];
    EXPECT_LE(m["worst_ratio"].get<double>(), 1) << words[0];
    EXPECT_GT(m["worst_ratio"].get<double>(), 0) << words[0];
    if (!m["output"].is_null()) {
      EXPECT_LE(m["output"]["worst_ratio"].get<double>(), 1) << words[0];
    }
  }
}

//! The negative control: with two references, as in FlashAttention's kernels, the pure bound breaks.
TEST(numerics_measure, mixed_references_break_the_bound) {
  accuracy::question q;
  q.what = accuracy::operation::attention;
  q.exp = *accuracy::find_primitive("exp2f");
  q.n = 2048;
  q = accuracy::with_schedule(q, tiles{16});
  const double bound = accuracy::guarantee_of(q, accuracy::tree_of(q.shape)).value();
  const numerics::family& rising =
      *std::find_if(std::begin(numerics::score_families), std::end(numerics::score_families),
                    [](const numerics::family& f) { return std::string(f.name) == "ascending in small steps"; });
  double one = 0, two = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const accuracy::weight_engine consistent(q), mixed(q, accuracy::references::mixed);
    const accuracy::row r = accuracy::make_row(rising, q, consistent.scale(), 1e4, 0, seed);
    one = std::max(one, consistent(r).l), two = std::max(two, mixed(r).l);
  }
  EXPECT_LE(one, bound);
  EXPECT_GT(two, bound);
}

//! Every way of bracketing that can hold what occurs, every family, each input below its own bound.
TEST(numerics_measure, certify_covers_ways_and_families) {
  const outcome o = program({"numerics", "softmax", "--n", "500", "--seconds", "0.1", "--json", "--certify"});
  ASSERT_EQ(o.exit, 0) << o.err;
  const json ways = o.json()["certified"];
  ASSERT_EQ(ways.size(), 9U);  // all but the random tree
  for (const json& w : ways) {
    EXPECT_GE(w["inputs"].get<int>(), 16);
    EXPECT_LE(w["worst_ratio"].get<double>(), 1);
    EXPECT_GT(w["worst_ratio"].get<double>(), 0) << w["way"];
  }
  const outcome narrow = program({"numerics", "sum", "--state", "bf16", "--n", "2000", "--seconds", "0.1", "--certify"});
  EXPECT_EQ(narrow.exit, 0) << narrow.err;
  EXPECT_NE(narrow.out.find("fold: not run, terms of equal size stop counting at 256"), std::string::npos) << narrow.out;
  EXPECT_TRUE(program({"numerics", "softmax", "--seconds", "0", "--json"}).json()["certified"].is_null());
}

//! Moments: the library's terms, relative to Σ|x−mean|^k; a domain of their own.
TEST(numerics_moments, guarantee_and_domain) {
  const json j = answer({"numerics", "moments", "--order", "3", "--n", "4096", "--schedule", "tiles=64,tree", "--kappa", "5"});
  const double u = std::ldexp(1.0, -24);
  EXPECT_NEAR(j["guarantee"]["units"].get<double>(),
              numerics::central_moment_terms(u, numerics::shape_of(4096, parse_schedule("tiles=64,tree")), 5, 3).first_order() / u + 2,
              1e-6);
  EXPECT_EQ(j["question"]["order"], 3);
  EXPECT_NEAR(j["domain"]["budgets"][0]["log2_most"].get<double>(), 12 + 3, 1e-9);  // 4096·(2·1)³
  const outcome large = program({"numerics", "moments", "--vmax", "1e10", "--seconds", "0"});
  EXPECT_EQ(large.exit, 2);
  EXPECT_NE(large.err.find("TF2405"), std::string::npos) << large.err;
  EXPECT_EQ(program({"numerics", "moments", "--order", "5"}).exit, 2);
}

TEST(numerics_json, has_the_fields_of_schema_1) {
  const json j = answer(example);
  std::vector<std::string> keys;
  const auto object = nlohmann::ordered_json::parse(program(with(example, {"--json", "--seconds", "0"})).out);
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema", "operator", "question", "domain", "guarantee", "typical", "measured", "certified",
                                            "output", "dominant", "advice", "curves"}));
}

TEST(numerics_html, is_one_page_without_anything_from_elsewhere) {
  const folder f;
  const outcome o =
      program({"numerics", "attention", "--n", "512", "--p", "e4m3", "--offset", "0", "--html", f / "page.html", "--seconds", "0.3"});
  ASSERT_EQ(o.exit, 0) << o.err;
  const std::string page = cli::read_file(f / "page.html");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  for (const char* part : {"error against n", "error against the schedule", "error against the offset", "weight lost by the cast to e4m3",
                           "</svg>", "</html>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  for (const char* part : {"http://", "https://", "src=", "href=", "\"nan", " nan", "\"inf", " inf"}) {
    std::string rest = page;  // the SVG name space is a name, not a place
    for (std::size_t at; (at = rest.find("xmlns=\"http://www.w3.org/2000/svg\"")) != std::string::npos;) rest.erase(at, 34);
    EXPECT_EQ(rest.find(part), std::string::npos) << part;
  }
}

TEST(numerics_svg, leaves_out_what_cannot_be_drawn) {
  const std::string plot =
      accuracy::line_plot({"a<b", "x", "y", 0, ""}, {{"s", "bound", {{1, 1e-3}, {10, NAN}, {100, HUGE_VAL}, {1000, 0}}}});
  EXPECT_NE(plot.find("a&lt;b"), std::string::npos);
  EXPECT_EQ(plot.find("nan"), std::string::npos);
  EXPECT_EQ(plot.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace twofold::tests
