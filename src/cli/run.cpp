// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `twofold run`: compiles the user's loop and its merge, runs both on the user's arrays, and compares.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "bind.hpp"
#include "cache.hpp"
#include "compiler.hpp"
#include "emit/cpp.hpp"
#include "execute.hpp"
#include "glue.hpp"
#include "includes.hpp"
#include "loop.hpp"
#include "page.hpp"
#include "scalar_text.hpp"
#include "subcommand.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "twofold/schedule/text.hpp"

namespace twofold::cli {
using namespace analyser;
using json = nlohmann::ordered_json;

namespace {

struct run_options {
  std::string what, schedule = "fold", device = "cpu", cache;
  std::vector<std::string> inputs, settings, outputs, include_dirs;
  double seconds = 10;
};

constexpr const char* examples =
    "examples:\n"
    "  twofold run softmax.cpp:denominator --input x=logits.npy --schedule tiles=128,tree\n"
    "  twofold run ema.cpp:smooth --input x=signal.npy --set alpha=0.1 --output y=smooth.npy --schedule threads\n"
    "  twofold run attention_naive.cpp:attention --input q=q.npy --input k=k.npy --input v=v.npy --set scale=0.125\n"
    "  twofold run welford.cpp:variance --input x=lottery.npy --schedule split=8,tree --json\n"
    "schedules: fold, tree, reproducible, threads[=N], lanes=N, tiles=N, split=N, joined by commas\n"
    "this compiles your file with the system compiler and runs it";

std::map<std::string, std::string> named(const std::vector<std::string>& list, const char* option) {
  std::map<std::string, std::string> out;
  for (const std::string& entry : list) {
    const auto equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw failure(exit_code::bad_input, "TF2120", fmt::format("{} {} has no name", option, entry), "each is NAME=VALUE",
                    fmt::format("{} NAME={}", option, entry));
    if (!out.emplace(entry.substr(0, equals), entry.substr(equals + 1)).second)
      throw failure(exit_code::bad_input, "TF2114", fmt::format("{} {} is given twice", option, entry.substr(0, equals)),
                    "a parameter has one value", "leave one out");
  }
  return out;
}

void check_device(const std::string& device) {
  if (device == "cpu") return;
  if (device == "cuda")
    throw failure(exit_code::environment, "TF3101", "no loop can be run on a GPU by this version", "it compiles loops for the CPU only",
                  "--device cpu");
  throw failure(exit_code::bad_input, "TF2120", "no device named \"" + device + "\"", "devices are cpu and cuda", "--device cpu");
}

std::string checked_schedule(const std::string& text) {
  try {
    return std::string(to_text(parse_schedule(text)).view());
  } catch (const twofold::error& e) {
    throw failure(exit_code::bad_input, e.code(), e.asked(), e.limit(), e.works());
  }
}

//! Names of --output must be answers; "return" is one.
void check_outputs(const std::map<std::string, std::string>& files, const answers& a, const std::string& function) {
  for (const auto& [name, file] : files) {
    bool known = false;
    std::string all;
    for (const auto& [answer, value] : a.values) {
      known = known || answer == name;
      all += (all.empty() ? "" : ", ") + answer;
    }
    if (!known)
      throw failure(exit_code::bad_input, "TF2114", fmt::format("--output {}={} names no output of {}", name, file, function),
                    "its outputs are: " + all, "use one of these names");
  }
}

json outputs_json(const answers& a, const std::map<std::string, std::string>& files) {
  json out = json::object();
  for (const auto& [name, value] : a.values) out[name] = array_json(value, files.contains(name) ? files.at(name) : "");
  return out;
}

json number(double d) { return std::isnan(d) ? json("NaN") : std::isinf(d) ? json("inf") : json(d); }

std::string brief(const npy_array& a) {
  if (a.shape.empty() || a.count() <= 6) return array_json(a, "").dump();
  std::string first;
  for (std::size_t i = 0; i < 4; ++i) first += element_json(a, i).dump() + ", ";
  return fmt::format("[{}…] {} × {}", first, a.count(), dtype_name(a.dtype));
}

std::string page_of(const run_options& o, const std::string& schedule, const executed& e, double difference,
                    const std::map<std::string, std::string>& files) {
  page out(style{colour_on_stdout()});
  out.title(fmt::format("{} on {}, {}", o.what, o.device, schedule));
  std::vector<page::row> rows;
  for (std::size_t k = 0; k < e.scheduled.values.size(); ++k) {
    const auto& [name, value] = e.scheduled.values[k];
    rows.push_back({rows.empty() ? "merged" : "", {name, brief(value) + (files.contains(name) ? " → " + files.at(name) : "")}});
  }
  for (const auto& [name, value] : e.sequential.values)
    rows.push_back({rows.size() == e.scheduled.values.size() ? "the loop" : "", {name, brief(value)}});
  out.table(rows);
  out.add("differ by", fmt::format("at most {:.3g}", difference));
  out.add("time", {fmt::format("{:.3f} ms under the schedule", e.scheduled.milliseconds),
                   fmt::format("{:.3f} ms for the loop as it is", e.sequential.milliseconds)});
  return out.text();
}

compiled compile(const decided_loop& d, const cpp_reduction& r, const run_options& o) {
  const std::string source = std::filesystem::absolute(d.loop.file).lexically_normal().string();
  std::vector<std::string> folders = o.include_dirs;
  const std::vector<std::string> headers = header_folders();
  if (headers.empty())
    throw failure(exit_code::environment, "TF5104", "the headers of Twofold are not found",
                  "neither where this program was built nor where it would be installed",
                  "cmake --install the project, or keep its source tree");
  folders.push_back(headers.front());
  std::vector<std::string> flags{"-std=c++20", "-O2", "-fPIC", "-shared", "-fwrapv", "-w"};
  for (const std::string& f : folders) flags.insert(flags.end(), {"-I", f});
  const std::string depends =
      text_with_includes(source, folders) + text_with_includes(headers.front() + "/twofold/twofold.hpp", {headers.front()});
  say(fmt::format("twofold: compiles and runs {}", o.what));
  return compile_library(glue_text(source, parse_target(o.what).function, d.loop, r), depends, flags, o.cache + "/run");
}

exit_code run(const run_options& o, bool as_json) {
  const given g{named(o.inputs, "--input"), named(o.settings, "--set")};
  const auto files = named(o.outputs, "--output");
  check_device(o.device);
  const std::string schedule = checked_schedule(o.schedule);
  const decided_loop d = decide_for("run", o.what, o.include_dirs, o.cache, o.seconds);
  cpp_reduction r;
  try {
    r = cpp_structure(d.loop, d.answer);
  } catch (const emit_error& e) {
    throw failure(exit_code::unsupported, "TF4105", e.what(), e.why, "\"twofold check " + o.what + "\" shows the merge as formulas",
                  d.loop.where);
  }
  const binding b = bind(d.loop, g);
  const compiled c = compile(d, r, o);
  const executed e = execute(c.library, d.loop, r, b, schedule);
  check_outputs(files, e.scheduled, d.loop.function);
  double difference = 0;
  for (std::size_t k = 0; k < e.scheduled.values.size(); ++k) {
    const double here = max_difference(e.scheduled.values[k].second, e.sequential.values[k].second);
    if (!(here <= difference)) difference = here;  // NaN stays
  }
  for (const auto& [name, value] : e.scheduled.values)
    if (files.contains(name)) write_npy(files.at(name), value);
  const json out{{"schema", 1},
                 {"file", d.loop.file},
                 {"function", d.loop.function},
                 {"outputs", outputs_json(e.scheduled, files)},
                 {"schedule", schedule},
                 {"device", o.device},
                 {"time_ms", e.scheduled.milliseconds},
                 {"sequential", {{"outputs", outputs_json(e.sequential, {})}, {"time_ms", e.sequential.milliseconds}}},
                 {"max_difference", number(difference)},
                 {"compiled", {{"seconds", c.seconds}, {"cached", c.from_cache}}}};
  print_result(as_json ? out.dump(2) + "\n" : page_of(o, schedule, e, difference, files));
  return exit_code::done;
}

}  // namespace

void add_run(CLI::App& app, program& p) {
  auto o = std::make_shared<run_options>();
  CLI::App* sub = add_subcommand(app, p, "run", "compile a loop with its merge and run it on your data under a schedule", examples);
  sub->add_option("target", o->what, "FILE:FUNCTION")->required();
  sub->add_option("--input", o->inputs, "NAME=file.npy, for each array the loop reads");
  sub->add_option("--set", o->settings, "NAME=value, for each scalar; lengths follow from the arrays");
  sub->add_option("--schedule", o->schedule, "how to bracket, e.g. tiles=128,split=8,tree")->capture_default_str();
  sub->add_option("--device", o->device, "cpu or cuda")->capture_default_str();
  sub->add_option("--output", o->outputs, "NAME=file.npy, for answers to keep");
  sub->add_option("--seconds", o->seconds, "time limit of the analysis")->check(CLI::PositiveNumber)->capture_default_str();
  sub->add_option("-I", o->include_dirs, "folder to search for includes");
  sub->add_option("--cache", o->cache, "folder for compiled loops")->default_str(default_cache());
  sub->callback([o, &p] {
    p.action = [o, &p] {
      if (o->cache.empty()) o->cache = default_cache();
      return run(*o, p.json);
    };
  });
}

}  // namespace twofold::cli
