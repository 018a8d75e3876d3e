// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The same question at other places: shorter rows, other schedules, scores far from 0.
#include "numerics/curves.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "numerics/rounding.hpp"
#include "numerics/weights.hpp"
#include "twofold/schedule/text.hpp"

namespace twofold::cli::accuracy {
namespace {

constexpr std::int64_t longest = 1 << 17;  // of rows that are drawn: longer ones take too long for what they show

sample sample_of(const question& q, double at, std::string label, double seconds) {
  const measurement m = measure(q, seconds, 1000);
  return {at, std::move(label), guarantee_of(q, tree_of(q.shape)).value(), m.typical, m.main.worst, m.rms(m.main)};
}

question at_size(question q, std::int64_t n) {
  q.n = n;
  q.shape = plan_of(n, q.how);
  return q;
}

//! Scores about an offset in nats, so that references are large while weights stay what they are.
sample at_offset(const question& q, double offset, references r, double seconds) {
  const weight_engine engine(q, r);
  const numerics::family& rising =
      *std::find_if(std::begin(numerics::score_families), std::end(numerics::score_families),
                    [](const numerics::family& f) { return std::strcmp(f.name, "ascending in small steps") == 0; });
  sample s;
  s.at = offset;
  s.bound = guarantee_of(q, tree_of(q.shape)).value();
  double squares = 0, spent = 0;
  int rows = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t seed = q.seed; (spent < seconds || rows < 3) && rows < 200; ++seed, ++rows) {
    const row_error e = engine(make_row(rising, q, engine.scale(), offset, 0, seed));
    s.worst = std::max(s.worst, e.l);
    squares += e.l * e.l;
    s.typical = std::max(s.typical, e.typical);
    spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  s.rms = std::sqrt(squares / rows);
  return s;
}

//! One weight at the top of what a lagging reference admits, 2^tau, beside many at 1.
saturation saturation_of(const numerics::format& p) {
  saturation s;
  s.limit = std::log2(p.largest());
  const rounder cast(p, true);
  const int top = static_cast<int>(std::ceil(s.limit)) + 4;
  for (int i = 0; i <= top; ++i) s.offsets.push_back(i), s.taus.push_back(i);
  for (const double tau : s.taus) {
    std::vector<double> line;
    for (const double offset : s.offsets) {
      const double high = std::exp2(offset + tau), low = std::exp2(offset), count = 64;
      const double kept = cast(high) + count * cast(low), all = high + count * low;
      line.push_back(std::fabs(1 - kept / all));
    }
    s.lost.push_back(line);
  }
  return s;
}

}  // namespace

std::vector<schedule> usual_schedules(std::int64_t n, const schedule& asked) {
  const index b = asked.tile_size() > 0 ? asked.tile_size() : 128, k = asked.parts() > 0 ? asked.parts() : 8;
  std::vector<schedule> all{schedule(fold{}),
                            schedule(tiles{std::max<std::int64_t>(n, 1)}),
                            schedule(tiles{b}),
                            tiles{b} | split{k},
                            tiles{b} | schedule(twofold::tree{}),
                            schedule(tiles{b}) | split{k} | schedule(twofold::tree{}),
                            schedule(lanes{32}) | tiles{b} | schedule(twofold::tree{}),
                            schedule(schedule(twofold::tree{}))};
  if (std::find(all.begin(), all.end(), asked) == all.end()) all.push_back(asked);
  return all;
}

std::vector<std::int64_t> usual_sizes(std::int64_t n) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t k = std::min<std::int64_t>(128, n); k < std::min(n, longest); k *= 4) sizes.push_back(k);
  sizes.push_back(std::min(n, longest));
  return sizes;
}

curves draw_data(const question& q, double seconds, const progress& tell) {
  curves c;
  if (!can_measure(q) || q.n < 2) return c;
  const std::vector<schedule> bars = usual_schedules(q.n, q.how);
  const std::vector<std::int64_t> sizes = usual_sizes(q.n);
  const std::vector<double> offsets{0, 10, 100, 1000, 1e4, 1e5};
  const bool weights = has_weights(q.what);
  const auto steps = static_cast<double>(sizes.size() + bars.size() + (weights ? 2 * offsets.size() : 0));
  const double each = seconds / steps;
  double done = 0;
  const auto step = [&] {
    if (tell) tell(std::min(1.0, ++done / steps));
  };
  for (const std::int64_t n : sizes) c.against_n.push_back(sample_of(at_size(q, n), static_cast<double>(n), "", each)), step();
  const question shorter = at_size(q, std::min<std::int64_t>(q.n, 1 << 14));
  for (const schedule& s : bars)
    c.against_schedule.push_back(sample_of(with_schedule(shorter, s), 0, std::string(to_text(s).view()), each)), step();
  if (!weights) return c;
  for (const double o : offsets) {
    c.consistent.push_back(at_offset(shorter, o, references::consistent, each)), step();
    if (q.gauge != gauge::integer) c.mixed.push_back(at_offset(shorter, o, references::mixed, each)), step();
  }
  if (q.p.precision < 24) c.cast = saturation_of(q.p);
  return c;
}

}  // namespace twofold::cli::accuracy
