// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file From FILE:FUNCTION to a decision that has a merge.
#include "loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "analyse.hpp"
#include "failure.hpp"
#include "frontend/frontend.hpp"
#include "target.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

//! Fields of structures that the loop reads beside arrays of the same structure are parameters too, and must be given a value.
void add_missing_fields(spec& s) {
  std::vector<term> all;
  for (const pass& p : s.passes) {
    all.insert(all.end(), {p.begin, p.end});
    for (const state_variable& v : p.state) all.insert(all.end(), {v.init, v.step, v.extent});
    for (const element& e : p.elements) all.push_back(e.row_extent);
    for (const element_output& o : p.outputs) all.push_back(o.value);
  }
  for (const output& o : s.outputs) all.insert(all.end(), {o.value, o.extent});
  for (const parameter& p : s.parameters) all.insert(all.end(), p.extents.begin(), p.extents.end());
  for (const term t : all) {
    if (!t) continue;
    for (const term x : symbols(t)) {
      const bool is_field =
          x->is_symbol(symbol_kind::parameter) && x->name.find('.') != std::string::npos && !x->name.ends_with(")");  // not "x.size()"
      if (!is_field || std::any_of(s.parameters.begin(), s.parameters.end(), [&](const parameter& p) { return p.name == x->name; }))
        continue;
      s.parameters.push_back(
          {x->name, cpp_name(x->type), x->type, x->type.kind == sort::integer ? parameter_role::length : parameter_role::scalar, {}});
    }
  }
}

std::string tried_in_words(const decision& d) {
  std::string text;
  for (const std::string& t : d.tried) text += "\n" + t;
  return text;
}

}  // namespace

std::vector<spec> read_loops(const std::string& subcommand, const std::string& what, const std::vector<std::string>& include_dirs,
                             const std::string& cache) {
  const target t = parse_function_target(what, subcommand);
  frontend_result read = read_source(t.file, t.function, {.include_dirs = include_dirs, .standard = "c++20", .cache_dir = cache});
  if (read.specs.empty() && !read.errors.empty()) throw failure(read.errors.front());  // of overloads, one that is understood is enough
  if (read.specs.empty())
    throw failure(exit_code::bad_input, "TF2106", "\"" + t.function + "\" holds no loop over a range", "there is nothing to merge",
                  "name a function that walks an array", {t.file, 1, 1});
  for (spec& s : read.specs) add_missing_fields(s);
  return std::move(read.specs);
}

decided_loop decide_for(const std::string& what, spec loop, double seconds) {
  decided_loop out{std::move(loop), {}};
  const auto start = std::chrono::steady_clock::now();
  out.answer = decide_loop(out.loop, {.seconds = seconds, .max_nodes = 2'000'000, .seed = 1});
  if (out.answer.verdict == verdict::associative) return out;
  const bool refuted = out.answer.verdict == verdict::not_associative;
  if (!refuted && std::chrono::steady_clock::now() - start >= std::chrono::duration<double>(seconds))
    throw failure(exit_code::undecided, "TF4101",
                  fmt::format("the time limit of {} s was met while {} was decided", seconds, out.loop.function),
                  "no merge was proved until then", "raise the limit with --seconds", out.loop.where);
  throw failure(refuted ? exit_code::negative : exit_code::undecided, "TF4104",
                "the loop " + out.loop.function +
                    (!refuted                                ? " has no known merge"
                     : out.answer.scope == scope::this_state ? " has no merge of its state"
                                                             : " has no merge"),
                refuted ? "two pieces that end in the same state are told apart by what comes before them"
                        : "neither a merge nor a reason against one was found" + tried_in_words(out.answer),
                "\"twofold check " + what + "\" says more", out.loop.where);
}

}  // namespace twofold::cli
