// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `twofold run`: compiles the user's loop and its merge, runs both on the user's arrays, and compares.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "analysis_limits.hpp"
#include "bind.hpp"
#include "cache.hpp"
#include "compiler.hpp"
#include "derive/settle.hpp"
#include "device_run.hpp"
#include "emit/cpp.hpp"
#include "emit/lanes.hpp"
#include "files.hpp"
#include "glue.hpp"
#include "includes.hpp"
#include "json_text.hpp"
#include "loop.hpp"
#include "nearest.hpp"
#include "run_report.hpp"
#include "sensitivity.hpp"
#include "subcommand.hpp"
#include "terminal.hpp"
#include "twofold/schedule/text.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

struct run_options {
  std::string what, schedule = "fold", device = "cpu", cache;
  std::vector<std::string> inputs, settings, outputs, include_dirs;
  analysis_limits limits;
  double run_seconds = 60;
  std::optional<double> tolerance;
};

constexpr const char* run_examples =
    "examples:\n"
    "  twofold run softmax_online.cpp:denominator --input x=logits.npy --schedule tiles=128,tree\n"
    "  twofold run ema.cpp:smooth --input x=signal.npy --set alpha=0.1 --output y=smooth.npy --schedule threads\n"
    "  twofold run attention_naive.cpp:attention --input q=q.npy --input k=k.npy --input v=v.npy --set scale=0.125\n"
    "  twofold run welford.cpp:variance --input x=lottery.npy --schedule split=8,tree --json\n"
    "schedules: fold, tree, reproducible, threads[=N], lanes=N, tiles=N, split=N, joined by commas\n"
    "exit: 0 done, 1 no merge exists, or results differ from the loop's by more than rounding explains, 3 a limit was met\n"
    "this compiles your file with the system compiler and runs it";

using by_name = std::map<std::string, std::string>;

//! NAME=VALUE words; `known` are the names that would do.
by_name named(const std::vector<std::string>& list, const char* option, const std::vector<std::string>& known, const char* value) {
  by_name out;
  for (const std::string& entry : list) {
    const auto equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos) {
      const bool is_name = std::find(known.begin(), known.end(), entry) != known.end();
      throw failure(exit_code::bad_input, "TF2120", fmt::format("{} {} has no {}", option, entry, is_name ? "value" : "name"),
                    known.empty() ? fmt::format("each is NAME={}, and this function takes none", value)
                                  : fmt::format("each is NAME={}, where NAME is one of: {}", value, fmt::join(known, ", ")),
                    is_name         ? fmt::format("{} {}={}", option, entry, value)
                    : known.empty() ? "leave it out"
                                    : fmt::format("{} {}={}", option, known.front(), equals == 0 ? entry.substr(1) : entry));
    }
    if (!out.emplace(entry.substr(0, equals), entry.substr(equals + 1)).second)
      throw failure(exit_code::bad_input, "TF2114", fmt::format("{} {} is given twice", option, entry.substr(0, equals)),
                    "a parameter has one value", "leave one out");
  }
  return out;
}

void check_device(const run_options& o) {
  if (o.device == "cuda" && o.schedule != "fold")
    throw failure(exit_code::bad_input, "TF2120", "--schedule " + o.schedule + " with --device cuda",
                  "a GPU brackets the elements by its own tiles, the same way in every run", "leave --schedule out, or --device cpu");
  if (o.device == "cpu" || o.device == "cuda") return;
  throw failure(exit_code::bad_input, "TF2120", "no device named \"" + o.device + "\"", "devices are cpu and cuda", "--device cpu");
}

std::string checked_schedule(const std::string& text) {
  try {
    return std::string(to_text(parse_schedule(text)).view());
  } catch (const twofold::error& e) {
    throw failure(exit_code::bad_input, e.code(), e.asked(), e.limit(), e.works());
  }
}

//! Answers of the compiled loop, by the names that `run` prints.
std::vector<std::string> answer_names(const cpp_reduction& r) {
  std::vector<std::string> names;
  for (const emitted_output& o : r.outputs) names.push_back(o.name);
  for (const emitted_each& e : r.each) names.push_back(e.array);
  return names;
}

//! Names of --output must be answers; "return" is one.
void check_outputs(const by_name& files, const std::vector<std::string>& known, const spec& s) {
  for (const auto& [name, file] : files) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string meant = nearest(name, known);
    throw failure(exit_code::bad_input, "TF2114", fmt::format("--output {}={} names no output of {}", name, file, s.function),
                  fmt::format("its outputs are: {}", fmt::join(known, ", ")),
                  meant.empty() ? "use one of these names" : fmt::format("did you mean --output {}={}?", meant, file), s.where);
  }
}

//! What was asked, matched with one of the loops of that name.
struct question {
  spec loop;
  given values;
  by_name files;
};

question ask(const spec& s, const run_options& o) {
  const auto [arrays, scalars] = given_names(s);
  question q{s, {named(o.inputs, "--input", arrays, "file.npy"), named(o.settings, "--set", scalars, "VALUE")}, {}};
  q.files = named(o.outputs, "--output", {"return"}, "file.npy");
  check_given(s, q.values);
  return q;
}

//! Overloads are told apart by what is given: the first that takes it.
question ask_first(const std::vector<spec>& loops, const run_options& o) {
  if (loops.size() > 1)
    for (const spec& s : loops) try {
        question q = ask(s, o);
        bind(s, q.values);
        return q;
      } catch (const failure&) {
        continue;
      }
  return ask(loops.front(), o);
}

//! What this machine's processors can do: code for them is not code for others.
std::string processor() {
  if (!std::filesystem::exists("/proc/cpuinfo")) return {};
  const std::string text = read_file("/proc/cpuinfo");
  const std::size_t flags = text.find("flags");
  return flags == std::string::npos ? text.substr(0, 1000) : text.substr(flags, text.find('\n', flags) - flags);
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
  std::string depends =
      text_with_includes(source, folders) + text_with_includes(headers.front() + "/twofold/twofold.hpp", {headers.front()});
  std::string lanes;
  if (parse_schedule(o.schedule).tile_size() >= 128) lanes = cpp_lanes(d.loop, d.answer, r.name);  // smaller leaves are not worth vectors
  if (!lanes.empty()) {
    depends += text_with_includes(headers.front() + "/twofold/cpu/in_lanes.hpp", {headers.front()});
#if defined(__x86_64__)
    flags.insert(flags.end(), {"-march=native", "-ffp-contract=off"});  // as wide as the machine; the loop itself rounds as without
    depends += processor();
#endif
  }
  say(fmt::format("twofold: compiles and runs {}", o.what));
  return compile_library(glue_text(source, d.loop, r, lanes), depends, flags, o.cache + "/run");
}

void write_answers(const answers& a, const by_name& files) {
  std::vector<file_contents> all;
  for (const auto& [name, value] : a.values)
    if (files.contains(name)) all.push_back({files.at(name), npy_bytes(value)});
  write_files(all);
}

exit_code run(const run_options& o, bool as_json, const std::string& schedule, const std::function<void()>& analysed) {
  if (o.device == "cuda") expect_device();
  const question q = ask_first(read_loops("run", o.what, o.include_dirs, o.cache), o);
  std::vector<std::string> paths;
  for (const auto& [name, path] : q.files) paths.push_back(path);
  expect_writable(paths);
  decided_loop d = decide_for(o.what, q.loop, o.limits.seconds);
  if (o.device == "cuda") settle(d.answer, 1);
  cpp_reduction r;
  try {
    r = cpp_structure(d.loop, d.answer);
  } catch (const emit_error& e) {
    throw failure(exit_code::unsupported, "TF4105", e.what(), e.why, "\"twofold check " + o.what + "\" shows the merge as formulas",
                  d.loop.where);
  }
  analysed();
  check_outputs(q.files, answer_names(r), d.loop);
  const binding b = bind(d.loop, q.values);
  const compiled c = compile(d, r, o);
  executed e = execute(c.library, d.loop, r, b, schedule, o.run_seconds);
  device_answers on{{}, {}, schedule, c.from_cache, c.seconds};
  if (o.device == "cuda") {
    on = run_on_device(d.loop, r, b, o.cache);
    e.scheduled = std::move(on.values);
  }
  comparison differences = compare(e.sequential, e.scheduled, merge_rounds(d.answer));
  judge(differences, e.sequential, b, d.loop, o.tolerance,
        [&](const binding& other) { return execute(c.library, d.loop, r, other, "fold", o.run_seconds).sequential; });
  const bool agree = differences.exact_agree() && differences.explained();
  if (agree) write_answers(e.scheduled, q.files);
  const run_result result{o.what,    d.loop.file,  d.loop.function,        schedule,
                          o.device,  std::move(e), std::move(differences), agree ? q.files : by_name{},
                          c.seconds, c.from_cache};
  print_result(as_json ? json_text(to_json(result)) + "\n" : run_report(result, style{colour_on_stdout()}));
  return agree ? exit_code::done : exit_code::negative;
}

}  // namespace

void add_run(CLI::App& app, program& p) {
  auto o = std::make_shared<run_options>();
  CLI::App* sub = add_subcommand(app, p, "run", "compile a loop with its merge and run it on your data under a schedule", run_examples);
  sub->add_option("target", o->what, "FILE:FUNCTION")->required();
  sub->add_option("--input", o->inputs, "NAME=file.npy, for each array the loop reads");
  sub->add_option("--set", o->settings, "NAME=value, for each scalar; lengths follow from the arrays");
  sub->add_option("--schedule", o->schedule, "how to bracket, e.g. tiles=128,split=8,tree")->capture_default_str();
  sub->add_option("--device", o->device, "cpu or cuda")->capture_default_str();
  sub->add_option("--output,-o", o->outputs, "NAME=file.npy, for answers to keep");
  sub->add_option("--tolerance", o->tolerance,
                  "largest difference, relative to the largest entry of an answer; default: what rounding explains")
      ->check(CLI::NonNegativeNumber);
  add_limits(sub, o->limits, "of the analysis");
  CLI::Option* run_seconds =
      add_seconds(sub, "--run-seconds", o->run_seconds, "time limit of the compiled code; default: --seconds if given, else 60");
  sub->add_option("-I", o->include_dirs, "folder to search for includes");
  sub->add_option("--cache", o->cache, "folder for compiled loops")->default_str(default_cache());
  sub->callback([o, sub, run_seconds, &p] {
    p.action = [o, sub, run_seconds, &p] {
      if (o->cache.empty()) o->cache = default_cache();
      if (run_seconds->count() == 0 && sub->get_option("--seconds")->count() > 0) o->run_seconds = o->limits.seconds;
      check_device(*o);
      const std::string schedule = checked_schedule(o->schedule);
      return in_own_process(o->limits, o->what, p.json,
                            [&](const std::function<void()>& analysed) { return run(*o, p.json, schedule, analysed); });
    };
  });
}

}  // namespace twofold::cli
