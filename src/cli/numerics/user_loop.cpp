// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A user's loop: the running bound beside the compiled code, on family after family.
#include "numerics/user_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "bound/running.hpp"
#include "compiler.hpp"
#include "emit/cpp.hpp"
#include "execute.hpp"
#include "glue.hpp"
#include "includes.hpp"
#include "scalar_text.hpp"
#include "temporary_folder.hpp"
#include "twofold/numerics/families.hpp"
#include "twofold/numerics/ways.hpp"
#include "twofold/schedule/text.hpp"

namespace twofold::cli::accuracy {
using namespace analyser;
using bounding::bracket;

namespace {

//! The left subtree takes the largest power of two below the number of pieces; a chain is one list.
bracket joined(std::vector<bracket> pieces, bool tree) {
  if (pieces.size() == 1) return pieces.front();
  const std::int64_t first = pieces.front().first, last = pieces.back().last;
  if (!tree) return {first, last, std::move(pieces)};
  std::size_t left = 1;
  while (2 * left < pieces.size()) left *= 2;
  const auto middle = pieces.begin() + static_cast<std::ptrdiff_t>(left);
  return {first, last, {joined({pieces.begin(), middle}, true), joined({middle, pieces.end()}, true)}};
}

bracket bracket_of(const plan& p) {
  std::vector<bracket> parts;
  for (index k = 0; k < p.parts; ++k) {
    const extent part = p.part(k);
    std::vector<bracket> tiles;
    for (index t = 0; t < p.tiles_in(part); ++t) {
      const extent tile = p.tile_of(part, t);
      const index lanes = std::min(p.lanes, tile.size());
      std::vector<bracket> pieces;
      for (index w = 0; w < lanes; ++w) {
        const extent e = cut(tile.size(), lanes, w);
        pieces.push_back({tile.first + e.first, tile.first + e.last, {}});
      }
      tiles.push_back(joined(std::move(pieces), p.tree));
    }
    parts.push_back(joined(std::move(tiles), p.tree));
  }
  return joined(std::move(parts), p.tree);
}

struct built {
  cpp_reduction reduction;
  compiled code;
};

std::optional<built> compiled_loop(loop_report& r, const loop_question& q) {
  try {
    built b{cpp_structure(r.loop, r.decision), {}};
    const std::string source = std::filesystem::absolute(r.loop.file).lexically_normal().string();
    std::vector<std::string> folders = q.include_dirs;
    const std::vector<std::string> headers = header_folders();
    if (headers.empty()) throw failure(exit_code::environment, "TF5104", "the headers of Twofold are not found", "", "");
    folders.push_back(headers.front());
    std::vector<std::string> flags{"-std=c++20", "-O2", "-fPIC", "-shared", "-fwrapv", "-w"};
    for (const std::string& f : folders) flags.insert(flags.end(), {"-I", f});
    const std::string depends =
        text_with_includes(source, folders) + text_with_includes(headers.front() + "/twofold/twofold.hpp", {headers.front()});
    say(fmt::format("twofold: compiles and runs {}", q.what));
    b.code = compile_library(glue_text(source, r.loop, b.reduction), depends, flags, q.cache + "/run");
    return b;
  } catch (const emit_error& e) {
    r.not_compiled = fmt::format("{}: {}", e.what(), e.why);
  } catch (const failure& f) {
    if (f.code == "TF4101") throw;
    r.not_compiled = f.what_was_wrong + (f.why.empty() ? "" : ": " + f.why);
  }
  return std::nullopt;
}

//! One way of bracketing an input: as a tree of pieces, and as a schedule where one describes it.
struct way {
  std::string name;
  bracket how;
  std::string schedule;
};

way asked_way(const loop_question& q, std::int64_t n) {
  const std::string text(to_text(q.how).view());
  return {text, bracket_of(plan_of(n, q.how)), text};
}

//! The harness's ways, tiles and the random tree drawn from the seed.
std::vector<way> all_ways(std::int64_t n, std::uint64_t seed) {
  laws::random g(seed);
  const index tile = numerics::draw_tile(g);
  std::vector<way> all;
  for (int k = 0; k < numerics::way_count; ++k) {
    if (k != numerics::random_tree) {
      const schedule s = numerics::schedule_of_way(k, n, tile);
      all.push_back({numerics::ways[k], bracket_of(plan_of(n, s)), std::string(to_text(s).view())});
      continue;
    }
    const auto piece = [&](std::size_t t) {
      const auto first = static_cast<std::int64_t>(t) * tile;
      return bracket{first, std::min(n, first + tile), {}};
    };
    const auto join = [](const bracket& a, const bracket& b) { return bracket{a.first, b.last, {a, b}}; };
    all.push_back({numerics::ways[k], numerics::over_random_tree(g, 0, static_cast<std::size_t>((n + tile - 1) / tile), piece, join), ""});
  }
  return all;
}

const npy_array* answer_named(const answers& a, const std::string& name) {
  for (const auto& [key, value] : a.values)
    if (key == name) return &value;
  return nullptr;
}

//! Where an answer was compared.
struct place {
  std::string family, way;
  std::int64_t n;
  std::uint64_t seed;
};

void compare_input(loop_report& r, const std::vector<bounding::bounded_answer>& machine, const std::vector<bounding::bounded_answer>& wide,
                   const executed* run, const place& at) {
  if (r.answers.empty())
    for (const bounding::bounded_answer& a : machine) r.answers.push_back({a.name, 0, 0, 0, 0, 0, 0, "", "", 0, 0});
  bool bits = false;
  double worst = 0;
  for (std::size_t k = 0; k < machine.size(); ++k) {
    loop_answer& total = r.answers[k];
    const npy_array* ran = run != nullptr ? answer_named(run->scheduled, machine[k].name) : nullptr;
    for (std::size_t j = 0; j < machine[k].values.size(); ++j) {
      const bounding::ball &m = machine[k].values[j], &w = wide[k].values[j];
      const bool real = m.kind == sort::real;
      const long double exact = real ? w.x : static_cast<long double>(w.i);
      long double value = real ? m.x : static_cast<long double>(m.i);
      if (ran != nullptr && j < static_cast<std::size_t>(ran->count())) {
        const long double got = element_value(*ran, j);
        bits = bits || (real && got != value && !(std::isnan(got) && std::isnan(value)));
        value = got;
        ++r.held_against_code;
      }
      const auto promises = [&](const bounding::ball& v) { return real ? std::isfinite(v.e) : v.certain; };
      if (!promises(m) || !promises(w)) continue;  // after an overflow, or a decision that rounding may turn
      const double error = std::isinf(value) && value == exact ? 0 : static_cast<double>(std::fabs(value - exact));
      const double surely = std::max(0.0, error - w.e), size = static_cast<double>(std::fabs(exact));
      const double ratio = std::isnan(error) ? HUGE_VAL : surely == 0 ? 0 : m.e > 0 ? surely / m.e : HUGE_VAL;
      ++r.comparisons, r.violations += ratio > 1;
      worst = std::max(worst, ratio);
      if (size > 0 && std::isfinite(size)) {
        total.largest_relative = std::max(total.largest_relative, error / size);
        total.largest_relative_bound = std::max(total.largest_relative_bound, m.e / size);
      }
      if (ratio > total.ratio || total.family.empty())
        total.ratio = ratio, total.worst = error, total.bound = m.e, total.size = size, total.family = at.family, total.way = at.way,
        total.n = at.n, total.seed = at.seed;
    }
  }
  r.different_bits += bits;
  for (auto* worsts : {&r.by_way, &r.by_family}) {
    double& of = (*worsts)[worsts == &r.by_way ? at.way : at.family];
    of = std::max(of, worst);
  }
}

//! One input under the way that was asked for, or under all of them.
void examine_input(loop_report& r, const binding& b, const std::optional<built>& code, const std::string& family, std::uint64_t seed) {
  const loop_question& q = r.question;
  const bounding::loop_data data = loop_data_of(r.loop, b);
  const std::int64_t n = data.last - data.first;
  const auto wide = run_bounded(r.loop, r.decision, data, {0, n, {}}, bounding::precision::wide);
  for (const way& w : q.certify ? all_ways(n, seed) : std::vector<way>{asked_way(q, n)}) {
    const auto machine = run_bounded(r.loop, r.decision, data, w.how, bounding::precision::machine);
    std::optional<executed> run;
    if (code && !w.schedule.empty()) run = execute(code->code.library, r.loop, code->reduction, b, w.schedule, 60);
    compare_input(r, machine, wide, run ? &*run : nullptr, {family, w.name, n, seed});
  }
}

//! Which inputs there are, and whether all of them were given, so that more seeds make no other.
bool all_given(const loop_report& r) {
  return std::all_of(r.loop.parameters.begin(), r.loop.parameters.end(), [&](const parameter& p) {
    return !is_array(p) || p.role == parameter_role::output_array || r.question.data.values.arrays.contains(p.name);
  });
}

//! Family after family and seed after seed for so long; the first `least` families, whatever the time.
void examine_inputs(loop_report& r, const std::optional<built>& code, double seconds, int least, const progress& tell) {
  using clock = std::chrono::steady_clock;
  const loop_question& q = r.question;
  const bool given = all_given(r);
  const auto start = clock::now();
  for (std::uint64_t seed = q.seed;; ++seed)
    for (int f = 0; f < data_families(); ++f) {
      const double spent = std::chrono::duration<double>(clock::now() - start).count();
      const bool all_seen = r.inputs + r.unbounded >= least || given;
      if (r.inputs + r.unbounded > 0 && all_seen && (spent >= seconds || (given && !q.certify))) return;
      if (tell) tell(std::min(1.0, spent / seconds));
      const temporary_folder folder;
      data_request request = q.data;
      if (q.certify) {  // mostly short, where constants show
        laws::random g(seed * 64 + static_cast<unsigned>(f));
        request.n = 1 + static_cast<std::int64_t>(std::exp(numerics::detail::uniform(g) * std::log(static_cast<double>(q.data.n))) - 0.5);
        request.n = std::min(request.n, q.data.n);
      }
      const binding b = bind(r.loop, make_data(r.loop, request, f, seed, folder.path));
      if (!q.certify) r.n = b.last - b.first, r.shape = plan_of(r.n, q.how);
      if (b.last == b.first) return;
      const std::string family = given ? "given" : data_family(f);
      try {
        examine_input(r, b, code, family, seed);
        ++r.inputs;
      } catch (const bounding::no_bound& e) {
        if (r.unbounded++ == 0) r.why_unbounded = fmt::format("{} ({}, seed {})", e.what(), family, seed);
      }
    }
}

//! The same loop at another length and schedule, as one place of a curve.
sample sample_at(const loop_report& r, const std::optional<built>& code, std::int64_t n, const schedule& how, double seconds) {
  loop_report there;
  there.question = r.question;
  there.question.certify = false, there.question.data.n = n, there.question.how = how;
  there.loop = r.loop, there.decision = r.decision;
  examine_inputs(there, code, seconds, 4, {});  // the same four at every place, more where there is time
  sample s;
  s.at = static_cast<double>(there.n), s.label = std::string(to_text(how).view());
  for (const loop_answer& a : there.answers)
    s.worst = std::max(s.worst, a.largest_relative), s.bound = std::max(s.bound, a.largest_relative_bound);
  return s;
}

void draw_curves(loop_report& r, const std::optional<built>& code, double seconds, const progress& tell) {
  constexpr std::int64_t longest_bars = 1 << 14;
  const loop_question& q = r.question;
  const std::int64_t bars_at = std::min(q.data.n, longest_bars);
  const std::vector<schedule> bars = usual_schedules(bars_at, q.how);
  const std::vector<std::int64_t> sizes = all_given(r) ? std::vector<std::int64_t>{} : usual_sizes(q.data.n);
  const double steps = static_cast<double>(sizes.size() + bars.size());
  const auto step = [&] {
    if (tell) tell(std::min(1.0, static_cast<double>(r.against_n.size() + r.against_schedule.size()) / steps));
  };
  for (const std::int64_t n : sizes) r.against_n.push_back(sample_at(r, code, n, q.how, seconds / steps)), step();
  for (const schedule& s : bars) r.against_schedule.push_back(sample_at(r, code, bars_at, s, seconds / steps)), step();
}

}  // namespace

bool above(const loop_report& r) { return r.violations > 0; }

loop_report examine_loop(const loop_question& q, double analysis_seconds, const std::function<void()>& analysed, const progress& tell) {
  loop_report r;
  r.question = q;
  const std::vector<spec> loops = read_loops("numerics", q.what, q.include_dirs, q.cache);
  decided_loop d = decide_for(q.what, loops.front(), analysis_seconds);
  r.loop = std::move(d.loop);
  r.decision = std::move(d.answer);
  r.variables = bounding::induct(r.decision);
  analysed();
  check_given(r.loop, q.data.values);
  r.n = q.data.n;
  r.shape = plan_of(r.n, q.how);
  if (q.seconds <= 0) return r;
  const std::optional<built> code = compiled_loop(r, q);
  r.compiled = code.has_value();
  const double own = q.curves ? 0.5 * q.seconds : q.seconds;
  examine_inputs(r, code, own, data_families(), tell);
  if (q.curves) draw_curves(r, code, q.seconds - own, tell);
  return r;
}

}  // namespace twofold::cli::accuracy
