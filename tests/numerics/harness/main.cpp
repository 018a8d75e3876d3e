// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The harness: families × ways of bracketing × draws, measured/bound ≤ 1 always. `harness --draws 1e7 --json out.json`; in the
//! tests as shards with fixed seeds. Exit 0: nothing violated and the controls as they should be; 1 otherwise; 2 wrong use.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "harness.hpp"

namespace harness {
namespace {

struct options {
  double draws = 20000, seconds = 0;
  std::uint64_t seed = 1;
  int shard = 0, shards = 1;
  long climbs = 0, steps = 1000;  // climbs of each suite and shard, steps of each climb
  const char* only = nullptr;
  const char* json = nullptr;
  bool controls = true;
};

//! The worst ratio seen for one bound of one suite, and what it takes to see it again.
struct worst {
  double ratio = 0;
  std::uint64_t seed = 0;
  const char* family = "";
  int way = 0;
  tf::index n = 0;
  double by_family[24] = {};
  double by_way[way_count] = {};
  unsigned long long comparisons = 0;
};
struct tally {
  std::span<const num::family> families;
  std::vector<std::pair<const char*, worst>> bounds;  // few: searched by the literal's address
  worst& of(const char* bound) {
    for (auto& [name, w] : bounds)
      if (name == bound) return w;
    return bounds.emplace_back(bound, worst{}).second;
  }
  unsigned long long draws = 0, violations = 0, drawn[24] = {};  // drawn: by family
  double climbed = 0;
};

//! Sizes: mostly small, where constants show; now and then large.
tf::index draw_size(tf::laws::random& g) {
  const auto kind = g.next() % 50000;
  if (kind == 0) return 65536;
  const double longest = kind < 1500 ? 2048 : 512;
  return 1 + static_cast<tf::index>(std::exp(num::detail::uniform(g) * std::log(longest)) - 1);
}

const num::family& make(const suite& s, std::uint64_t seed, input& in) {
  tf::laws::random g(seed);
  const num::family& f = s.families[static_cast<std::size_t>(g.next() % s.families.size())];
  const tf::index n = draw_size(g);
  in.tile = num::draw_tile(g);
  in.tree = g.next();
  s.draw(g, f, n, in);
  return f;
}

//! measured/allowed; an infinite bound promises nothing.
double ratio_of(double measured, double allowed) {
  if (std::isinf(allowed) && allowed > 0) return 0;
  if (measured == 0) return 0;
  return std::isnan(measured) || std::isnan(allowed) ? INFINITY : measured / allowed;
}
double worst_ratio(const suite& s, const input& in) {
  double most = 0;
  s.check(in, [&](const char*, int, double measured, double allowed) { most = std::fmax(most, ratio_of(measured, allowed)); });
  return most;
}

//! Halves the input while it still violates; prints what is left.
void shrink_and_print(const suite& s, input in, const char* family, std::uint64_t seed) {
  std::printf("VIOLATION: %s, family %s, seed %llu\n", s.title, family, static_cast<unsigned long long>(seed));
  for (bool smaller = true; smaller && in.size() > 1;) {
    smaller = false;
    for (const bool front : {true, false}) {
      input half = in;
      const auto keep = in.x.size() / 2 + in.x.size() % 2;
      for (auto* v : {&half.x, &half.y})
        if (!v->empty())
          *v = front ? std::vector<float>(v->begin(), v->begin() + static_cast<std::ptrdiff_t>(keep))
                     : std::vector<float>(v->end() - static_cast<std::ptrdiff_t>(keep), v->end());
      if (half.x.size() < in.x.size() && worst_ratio(s, half) > 1) {
        in = half, smaller = true;
        break;
      }
    }
  }
  s.check(in, [&](const char* bound, int way, double measured, double allowed) {
    if (ratio_of(measured, allowed) > 1)
      std::printf("  n = %td, tile %td, %s, %s: %.6g > %.6g\n", in.size(), in.tile, ways[way], bound, measured, allowed);
  });
  for (std::size_t i = 0; i < in.x.size() && i < 64; ++i)
    std::printf("  %a%s", static_cast<double>(in.x[i]), in.y.empty() ? "" : (" " + std::to_string(in.y[i])).c_str());
  std::printf("\n");
}

void run_draw(const suite& s, std::uint64_t seed, tally& t, input& in) {
  const num::family& f = make(s, seed, in);
  t.families = s.families;
  ++t.draws, ++t.drawn[&f - s.families.data()];
  bool violated = false;
  s.check(in, [&](const char* bound, int way, double measured, double allowed) {
    const double r = ratio_of(measured, allowed);
    worst& w = t.of(bound);
    ++w.comparisons;
    if (r > w.ratio) w.ratio = r, w.seed = seed, w.family = f.name, w.way = way, w.n = in.size();
    double& of_family = w.by_family[&f - s.families.data()];
    of_family = r > of_family ? r : of_family;
    w.by_way[way] = r > w.by_way[way] ? r : w.by_way[way];
    violated = violated || r > 1;
  });
  if (violated && ++t.violations <= 3) shrink_and_print(s, in, f.name, seed);
}

//! Hill climbing on the bits of the input: keeps a change that does not lower the worst ratio.
void climb(const suite& s, std::uint64_t seed, long steps, tally& t) {
  tf::laws::random g(seed);
  input in;
  do make(s, g.next(), in);
  while (in.size() > 96 || in.size() < 4);
  double best = worst_ratio(s, in);
  for (long k = 0; k < steps; ++k) {
    input next = in;
    const int changes = 1 + static_cast<int>(g.next() % 3);
    for (int c = 0; c < changes; ++c) {
      auto& v = !next.y.empty() && g.next() % 2 ? next.y : next.x;
      float& e = v[static_cast<std::size_t>(g.next() % v.size())];
      if (g.next() % 8 == 0) {
        e = v[static_cast<std::size_t>(g.next() % v.size())];
      } else if (std::isfinite(e)) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &e, 4);
        bits ^= 1u << (g.next() % 23);
        std::memcpy(&e, &bits, 4);
      }
    }
    if (std::none_of(next.x.begin(), next.x.end(), [](float e) { return std::isfinite(e); })) continue;  // nothing to measure against
    const double r = worst_ratio(s, next);
    if (r >= best) best = r, in = std::move(next);
  }
  if (best > t.climbed) t.climbed = best;
  if (best > 1) {
    ++t.violations;
    shrink_and_print(s, in, "hill climbing", seed);
  }
}

std::string to_json(const std::map<std::string, tally>& all, const options& o, const std::string& controls, double seconds) {
  std::string out = "{\n  \"schema\": 1, \"what\": \"numerics_harness\", \"program\": \"tests/numerics/harness\",\n  \"ways\": [";
  char text[512];
  for (int way = 0; way < way_count; ++way) out += (way > 0 ? ", \"" : "\"") + std::string(ways[way]) + "\"";
  unsigned long long draws = 0, violations = 0, comparisons = 0;
  for (const auto& [name, t] : all) {
    draws += t.draws, violations += t.violations;
    for (const auto& [bound, w] : t.bounds) comparisons += w.comparisons;
  }
  std::snprintf(text, sizeof text,
                "],\n  \"seed\": %llu, \"shard\": \"%d/%d\", \"draws\": %llu, \"climbs\": %ld, \"steps\": %ld, \"comparisons\": %llu, "
                "\"violations\": %llu, \"seconds\": %.0f,\n",
                static_cast<unsigned long long>(o.seed), o.shard, o.shards, draws, o.climbs, o.climbs > 0 ? o.steps : 0, comparisons,
                violations, seconds);
  out += text;
  out += "  \"controls\": [\n" + controls + "\n  ],\n  \"suites\": [";
  const char* before = "\n";
  for (const auto& [name, t] : all) {
    std::snprintf(text, sizeof text,
                  "%s    {\"suite\": \"%s\", \"draws\": %llu, \"violations\": %llu, \"climbed_to\": %.4f,\n     \"drawn\": {", before,
                  name.c_str(), t.draws, t.violations, t.climbed);
    out += text, before = ",\n";
    for (std::size_t k = 0; k < t.families.size(); ++k) {
      std::snprintf(text, sizeof text, "%s\"%s\": %llu", k > 0 ? ", " : "", t.families[k].name, t.drawn[k]);
      out += text;
    }
    out += "}, \"bounds\": [";
    const char* between = "\n";
    for (const auto& [bound, w] : t.bounds) {
      std::snprintf(text, sizeof text,
                    "%s      {\"bound\": \"%s\", \"worst\": %.4f, \"family\": \"%s\", \"way\": \"%s\", \"n\": %td, \"seed\": %llu, "
                    "\"comparisons\": %llu,\n       \"by_way\": {",
                    between, bound, w.ratio, w.family, ways[w.way], w.n, static_cast<unsigned long long>(w.seed), w.comparisons);
      out += text, between = ",\n";
      for (int way = 0; way < way_count; ++way) {
        std::snprintf(text, sizeof text, "%s\"%s\": %.4f", way ? ", " : "", ways[way], w.by_way[way]);
        out += text;
      }
      out += "},\n       \"by_family\": {";
      for (std::size_t k = 0; k < t.families.size(); ++k) {
        std::snprintf(text, sizeof text, "%s\"%s\": %.4f", k ? ", " : "", t.families[k].name, w.by_family[k]);
        out += text;
      }
      out += "}}";
    }
    out += "\n    ]}";
  }
  return out + "\n  ]\n}\n";
}

bool write(const char* path, const std::string& text) {
  std::FILE* f = std::fopen(path, "w");
  const bool written = f != nullptr && std::fputs(text.c_str(), f) >= 0;
  if (f != nullptr) std::fclose(f);
  if (!written) std::fprintf(stderr, "harness: cannot write %s\n", path);
  return written;
}

int usage() {
  std::fprintf(
      stderr,
      "harness [--draws N] [--seconds S] [--seed K] [--shard I/N] [--suite NAME] [--climbs N] [--steps M] [--no-controls] "
      "[--json FILE]\n"
      "  N draws in all, spread over the suites; every draw is run under %d ways of bracketing. Every suite then climbs N times, M "
      "steps each.\n",
      way_count);
  return 2;
}

int run(const options& o) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  suites all;
  add_softmax_suites(all), add_attention_suites(all), add_variance_suites(all), add_sum_suites(all);
  std::erase_if(all, [&](const auto& s) { return o.only && std::strstr(s->title, o.only) == nullptr; });
  if (all.empty()) return usage();
  std::printf("seed %llu, shard %d of %d, %zu suites, %d ways of bracketing\n", static_cast<unsigned long long>(o.seed), o.shard, o.shards,
              all.size(), way_count);

  std::string controls;
  bool good = !o.controls || o.shard != 0 || run_controls(controls);
  std::map<std::string, tally> tallies;
  input in;
  const auto each = static_cast<std::uint64_t>(o.draws / static_cast<double>(all.size()) / o.shards + 0.5);
  for (std::uint64_t k = 0; k < each; ++k) {
    if (o.seconds > 0 && k % 64 == 0 && elapsed() > o.seconds) break;
    for (std::size_t i = 0; i < all.size(); ++i) {
      in.y.clear();
      const std::uint64_t seed = ((o.seed * 64 + i) << 34) + k * static_cast<std::uint64_t>(o.shards) + static_cast<std::uint64_t>(o.shard);
      run_draw(*all[i], seed, tallies[all[i]->title], in);
    }
    if (k % 8192 == 8191) {  // a long run leaves what it has so far
      std::fprintf(stderr, "%llu of %llu draws per suite, %.0f s\n", static_cast<unsigned long long>(k + 1),
                   static_cast<unsigned long long>(each), elapsed());
      if (o.json && !write(o.json, to_json(tallies, o, controls, elapsed()))) return 2;
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    for (long c = 0; c < o.climbs; ++c)
      climb(*all[i], o.seed * 1000003 + i * 1009 + static_cast<std::uint64_t>(c * o.shards + o.shard), o.steps, tallies[all[i]->title]);
  for (auto& [name, t] : tallies) {
    for (const auto& [bound, w] : t.bounds)
      std::printf("%-36s %-14s worst %.4f  (%s, %s, n = %td, seed %llu)\n", name.c_str(), bound, w.ratio, w.family, ways[w.way], w.n,
                  static_cast<unsigned long long>(w.seed));
    if (o.climbs > 0) std::printf("%-36s %-14s worst %.4f\n", name.c_str(), "climbing", t.climbed);
    good = good && t.violations == 0;
  }
  if (o.json && !write(o.json, to_json(tallies, o, controls, elapsed()))) return 2;
  std::printf("%s after %.0f s\n", good ? "no bound violated" : "FAILED", elapsed());
  return good ? 0 : 1;
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  harness::options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--no-controls") {
      o.controls = false;
      continue;
    }
    if (i + 1 == argc) return harness::usage();
    const char* value = argv[++i];
    if (a == "--draws") o.draws = std::atof(value);
    else if (a == "--seconds") o.seconds = std::atof(value);
    else if (a == "--seed") o.seed = std::strtoull(value, nullptr, 10);
    else if (a == "--shard" && std::sscanf(value, "%d/%d", &o.shard, &o.shards) == 2 && o.shards > 0) continue;
    else if (a == "--suite") o.only = value;
    else if (a == "--climbs") o.climbs = std::atol(value);
    else if (a == "--steps") o.steps = std::atol(value);
    else if (a == "--json") o.json = value;
    else return harness::usage();
  }
  return harness::run(o);
}
