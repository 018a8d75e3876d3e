// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The soundness fuzzer: loops with a known answer, decided in process or through the front end, and every decision judged.
//!
//!     fuzz_soundness [--from SEED] [--count N] [--source] [--seconds S] [--json FILE] [--show SEED]
//!
//! Exit 1 if a verdict was wrong; each wrong one is printed with its seed, its smallest form as source text and the input that shows it.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "analyse.hpp"
#include "frontend/frontend.hpp"
#include "fuzz/judge.hpp"
#include "fuzz/shrink.hpp"
#include "heap.hpp"

namespace twofold::analyser::fuzz {
namespace {

using clock = std::chrono::steady_clock;

struct options_of_run {
  std::uint64_t from = 1, count = 1000;
  bool source = false, show = false;
  double seconds = 0, per_loop = 2;  // 0: until all are done
  std::string json;
};

struct tally {
  std::size_t associative = 0, lifted = 0, not_associative = 0, unknown = 0, refused = 0;
  double milliseconds = 0;
};
struct totals {
  std::map<std::string, tally> by_family;
  std::size_t loops = 0, wrong = 0, splits = 0, collisions = 0, witnesses = 0;
  std::vector<double> milliseconds;
  std::vector<std::uint64_t> wrong_seeds;
};

constexpr const char* includes = "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <limits>\n\n";
constexpr std::size_t loops_per_file = 50, most_wrong = 20;

decision decided(const spec& s, const options_of_run& o) {
  return decide_loop(s, {.seconds = o.per_loop, .max_nodes = 2'000'000, .seed = 1});
}

void report_wrong(const sample& s, std::uint64_t seed, const std::string& why, const options_of_run& o) {
  std::cout << "WRONG seed " << seed << " (" << s.family << (o.source ? ", from source" : "") << "): " << why << "\n"
            << as_source(s.loop, "f");
  const auto fault = [&](const sample& t) {
    try {
      evidence e;
      return wrong(t, decided(t.loop, o), seed, e);
    } catch (const std::exception& x) {
      return std::optional<std::string>(std::string("exception: ") + x.what());
    }
  };
  const sample least = shrunk(s, [&](const sample& t) { return fault(t).has_value(); });
  std::cout << "smallest:\n"
            << as_source(least.loop, "f") << fault(least).value_or("(only with what is known of the whole loop)") << "\n"
            << std::flush;
}

void count(totals& t, const sample& s, const decision& d) {
  tally& k = t.by_family[s.family];
  k.milliseconds += t.milliseconds.back();
  const bool added = std::any_of(d.state.begin(), d.state.end(), [](const merged_variable& v) { return v.role == role::added; });
  if (d.verdict == verdict::associative) ++(added ? k.lifted : k.associative);
  else ++(d.verdict == verdict::unknown ? k.unknown : k.not_associative);
}

//! Decides and judges one loop; `s.loop` is what is decided, and what the oracle runs.
void examine(const sample& s, std::uint64_t seed, const options_of_run& o, totals& t) {
  ++t.loops;
  std::optional<std::string> why;
  evidence e;
  const auto start = clock::now();
  try {
    const decision d = decided(s.loop, o);
    t.milliseconds.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
    if (o.show) {
      std::cout << as_source(s.loop, "f") << "\n" << static_cast<int>(d.verdict) << "\n";
      for (const merged_variable& v : d.state)
        std::cout << v.name << (v.role == role::added ? " (added)" : "") << " = " << to_text(v.merge) << "\n";
      for (const std::string& x : d.tried) std::cout << "tried: " << x << "\n";
    }
    count(t, s, d);
    why = wrong(s, d, seed, e);
  } catch (const std::exception& x) {
    why = std::string("exception: ") + x.what();
  }
  t.splits += e.splits, t.collisions += e.collisions, t.witnesses += e.witness;
  if (!why) return;
  ++t.wrong;
  t.wrong_seeds.push_back(seed);
  report_wrong(s, seed, *why, o);
}

void in_process(const options_of_run& o, totals& t, clock::time_point end) {
  for (std::uint64_t seed = o.from; seed < o.from + o.count && clock::now() < end && t.wrong < most_wrong; ++seed) {
    reset_terms();
    examine(generate(seed), seed, o, t);
  }
}

//! A file of loops at a time, read by the front end. What it hands over must have the values of the loop that was written.
void through_source(const options_of_run& o, totals& t, clock::time_point end) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("twofold_fuzz_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  frontend_options reading;
  reading.cache_dir = (folder / "cache").string();
  for (std::uint64_t first = o.from; first < o.from + o.count && clock::now() < end && t.wrong < most_wrong; first += loops_per_file) {
    reset_terms();
    const std::uint64_t last = std::min(o.from + o.count, first + loops_per_file);
    const std::string file = (folder / "loops.cpp").string();
    std::string text = includes;
    for (std::uint64_t seed = first; seed < last; ++seed) text += as_source(generate(seed).loop, "f" + std::to_string(seed)) + "\n";
    std::ofstream(file) << text;
    const frontend_result r = read_source(file, "", reading);
    for (const frontend_error& e : r.errors) {
      ++t.by_family["(refused) " + e.code + ": " + e.what].refused;
      if (o.show || e.code == "TF2103") std::cout << e.where.line << ": " << e.code << " " << e.what << ": " << e.why << "\n";
    }
    for (const spec& s : r.specs) {
      const std::uint64_t seed = std::stoull(s.function.substr(1));
      const sample made = generate(seed);
      sample read{s, made.answer == known::merges ? known::lifts : made.answer, made.family};  // the front end may carry more
      if (const auto why = differ(made.loop, s, seed)) {
        ++t.wrong;
        t.wrong_seeds.push_back(seed);
        std::cout << "MISREAD seed " << seed << ": " << *why << "\n" << as_source(made.loop, "f") << std::flush;
        continue;
      }
      examine(read, seed, o, t);
    }
  }
  std::filesystem::remove_all(folder);
}

nlohmann::ordered_json summary(const options_of_run& o, const totals& t, double wall) {
  nlohmann::ordered_json families = nlohmann::ordered_json::object();
  for (const auto& [name, k] : t.by_family)
    families[name] = {{"associative", k.associative}, {"with_added_state", k.lifted}, {"not_associative", k.not_associative},
                      {"unknown", k.unknown},         {"refused", k.refused},         {"ms", std::round(k.milliseconds)}};
  std::vector<double> times = t.milliseconds;
  std::sort(times.begin(), times.end());
  const auto quantile = [&](double q) {
    return times.empty() ? 0 : times[std::min(times.size() - 1, static_cast<std::size_t>(q * static_cast<double>(times.size())))];
  };
  return {{"level", o.source ? "source" : "ir"},
          {"first_seed", o.from},
          {"loops", t.loops},
          {"wrong", t.wrong},
          {"wrong_seeds", t.wrong_seeds},
          {"splits_agreeing", t.splits},
          {"colliding_pairs_tried", t.collisions},
          {"witnesses_confirmed", t.witnesses},
          {"analysis_ms", {{"median", quantile(0.5)}, {"p99", quantile(0.99)}, {"max", quantile(1)}}},
          {"wall_s", wall},
          {"families", families}};
}

int run(const options_of_run& o) {
  totals t;
  const auto start = clock::now();
  const auto end = o.seconds > 0 ? start + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(o.seconds))
                                 : clock::time_point::max();
  if (o.source) through_source(o, t, end);
  else in_process(o, t, end);
  const double wall = std::chrono::duration<double>(clock::now() - start).count();
  const nlohmann::ordered_json j = summary(o, t, wall);
  if (!o.json.empty()) std::ofstream(o.json) << j.dump(1) << "\n";
  std::size_t unknown = 0;
  for (const auto& [name, k] : t.by_family) unknown += k.unknown;
  std::printf("%zu loops in %.1f s, %zu wrong; %zu unknown, %zu splits agree, %zu witnesses confirmed; median %.1f ms, 99 %% %.1f ms\n",
              t.loops, wall, t.wrong, unknown, t.splits, t.witnesses, j["analysis_ms"]["median"].get<double>(),
              j["analysis_ms"]["p99"].get<double>());
  return t.wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace twofold::analyser::fuzz

int main(int argc, char** argv) {
  twofold::analyser::keep_freed_memory();
  twofold::analyser::fuzz::options_of_run o;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--source") {
      o.source = true;
      continue;
    }
    if (i + 1 == argc) return std::fprintf(stderr, "%s needs a value\n", flag.c_str()), 2;
    const char* value = argv[++i];
    if (flag == "--from") o.from = std::strtoull(value, nullptr, 10);
    else if (flag == "--count") o.count = std::strtoull(value, nullptr, 10);
    else if (flag == "--seconds") o.seconds = std::strtod(value, nullptr);
    else if (flag == "--per-loop") o.per_loop = std::strtod(value, nullptr);
    else if (flag == "--json") o.json = value;
    else if (flag == "--show") o.from = std::strtoull(value, nullptr, 10), o.count = 1, o.show = true;
    else return std::fprintf(stderr, "unknown option %s\n", flag.c_str()), 2;
  }
  return twofold::analyser::fuzz::run(o);
}
