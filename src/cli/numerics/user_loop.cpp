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

//! The answers of one input: machine with its bound, and wide.
struct both {
  std::vector<bounding::bounded_answer> machine, wide;
};

both bounded(const loop_report& r, const bounding::loop_data& data) {
  const std::int64_t n = data.last - data.first;
  const bracket fold{0, n, {}}, how = bracket_of(plan_of(n, r.question.how));
  return {run_bounded(r.loop, r.decision, data, how, bounding::precision::machine),
          run_bounded(r.loop, r.decision, data, fold, bounding::precision::wide)};
}

const npy_array* answer_named(const answers& a, const std::string& name) {
  for (const auto& [key, value] : a.values)
    if (key == name) return &value;
  return nullptr;
}

void compare_input(loop_report& r, const both& b, const executed* run, const char* family, std::uint64_t seed) {
  if (r.answers.empty())
    for (const bounding::bounded_answer& a : b.machine) r.answers.push_back({a.name, 0, 0, 0, 0, 0, 0, "", 0});
  bool bits = false;
  for (std::size_t k = 0; k < b.machine.size(); ++k) {
    loop_answer& total = r.answers[k];
    const npy_array* ran = run != nullptr ? answer_named(run->scheduled, b.machine[k].name) : nullptr;
    for (std::size_t j = 0; j < b.machine[k].values.size(); ++j) {
      const bounding::ball &m = b.machine[k].values[j], &w = b.wide[k].values[j];
      const bool real = m.kind == sort::real;
      const long double exact = real ? w.x : static_cast<long double>(w.i);
      long double value = real ? m.x : static_cast<long double>(m.i);
      if (ran != nullptr && j < static_cast<std::size_t>(ran->count())) {
        const long double got = element_value(*ran, j);
        bits = bits || (real && got != value && !(std::isnan(got) && std::isnan(value)));
        value = got;
        ++r.held_against_code;
      }
      const double error = std::isinf(value) && value == exact ? 0 : static_cast<double>(std::fabs(value - exact));
      const double surely = std::max(0.0, error - w.e), size = static_cast<double>(std::fabs(exact));
      const double ratio = surely == 0 ? 0 : m.e > 0 ? surely / m.e : HUGE_VAL;
      if (size > 0 && std::isfinite(size)) {
        total.largest_relative = std::max(total.largest_relative, error / size);
        total.largest_relative_bound = std::max(total.largest_relative_bound, m.e / size);
      }
      if (ratio > total.ratio || total.family.empty())
        total.ratio = ratio, total.worst = error, total.bound = m.e, total.size = size, total.family = family, total.seed = seed;
    }
  }
  r.different_bits += bits;
}

}  // namespace

bool above(const loop_report& r) {
  return std::any_of(r.answers.begin(), r.answers.end(), [](const loop_answer& a) { return a.ratio > 1; });
}

loop_report examine_loop(const loop_question& q, double analysis_seconds, const std::function<void()>& analysed, const progress& tell) {
  using clock = std::chrono::steady_clock;
  loop_report r;
  r.question = q;
  const std::vector<spec> loops = read_loops("numerics", q.what, q.include_dirs, q.cache);
  decided_loop d = decide_for(q.what, loops.front(), analysis_seconds);
  r.loop = std::move(d.loop);
  r.decision = std::move(d.answer);
  r.variables = bounding::induct(r.decision);
  analysed();
  const auto [arrays, scalars] = given_names(r.loop);
  check_given(r.loop, q.data.values);
  r.n = q.data.n;
  r.shape = plan_of(r.n, q.how);
  if (q.seconds <= 0) return r;
  const std::optional<built> code = compiled_loop(r, q);
  r.compiled = code.has_value();
  const bool given_all = std::all_of(r.loop.parameters.begin(), r.loop.parameters.end(), [&](const parameter& p) {
    return !is_array(p) || p.role == parameter_role::output_array || q.data.values.arrays.contains(p.name);
  });
  const auto start = clock::now();
  for (std::uint64_t seed = q.seed;; ++seed)
    for (int f = 0; f < data_families; ++f) {
      const double spent = std::chrono::duration<double>(clock::now() - start).count();
      if ((spent >= q.seconds && r.inputs + r.unbounded >= data_families) || (given_all && r.inputs + r.unbounded > 0)) return r;
      if (tell) tell(std::min(1.0, spent / q.seconds));
      const temporary_folder folder;
      const binding b = bind(r.loop, make_data(r.loop, q.data, f, seed, folder.path));
      r.n = b.last - b.first;
      r.shape = plan_of(r.n, q.how);
      if (r.n == 0) return r;
      try {
        const both result = bounded(r, loop_data_of(r.loop, b));
        std::optional<executed> run;
        if (code) run = execute(code->code.library, r.loop, code->reduction, b, std::string(to_text(q.how).view()), 60);
        compare_input(r, result, run ? &*run : nullptr, given_all ? "given" : data_family(f), seed);
        ++r.inputs;
      } catch (const bounding::no_bound& e) {
        if (r.unbounded++ == 0) r.why_unbounded = fmt::format("{} ({}, seed {})", e.what(), given_all ? "given" : data_family(f), seed);
      }
    }
}

}  // namespace twofold::cli::accuracy
