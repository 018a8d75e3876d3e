// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `twofold emit`: the merge as source text for the system the user works in.
#include <memory>

#include "analysis_limits.hpp"
#include "cache.hpp"
#include "emit/cpp.hpp"
#include "files.hpp"
#include "json_text.hpp"
#include "loop.hpp"
#include "reread.hpp"
#include "subcommand.hpp"
#include "terminal.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

struct emit_options {
  std::string what, target = "c++", output, cache;
  std::vector<std::string> include_dirs;
  analysis_limits limits;
};

constexpr const char* emit_examples =
    "examples:\n"
    "  twofold emit softmax_online.cpp:denominator --target c++\n"
    "  twofold emit welford.cpp:variance --target c++ --output variance_merge.hpp\n"
    "the header needs only the standard library, and is a reduction as <twofold/twofold.hpp> understands it";

exit_code emit(const emit_options& o, bool as_json, const std::function<void()>& analysed) {
  if (!o.output.empty()) expect_writable({o.output});
  const decided_loop d = decide_for(o.what, read_loops("emit", o.what, o.include_dirs, o.cache).front(), o.limits.seconds);
  analysed();
  std::string text;
  reread again;
  try {
    text = cpp_header(d.loop, d.answer);
    again = read_again(cpp_structure(d.loop, d.answer), d.loop, o.limits.seconds);
  } catch (const emit_error& e) {
    throw failure(exit_code::unsupported, "TF4105", e.what(), e.why, "\"twofold check " + o.what + "\" shows the merge as formulas",
                  d.loop.where);
  }
  text.insert(text.find("#pragma once"), again.proved
                                             ? "// This text of combine was read again and proved equal to the merge that was proved.\n"
                                             : "// This text of combine was not proved again: " + again.why + ".\n");
  if (!o.output.empty()) write_file(o.output, text);
  if (as_json) {
    const nlohmann::ordered_json out{{"schema", 1},
                                     {"file", d.loop.file},
                                     {"function", d.loop.function},
                                     {"target", o.target},
                                     {"output", o.output.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(o.output)},
                                     {"proved_again", again.proved},
                                     {"text", text}};
    print_result(json_text(out) + "\n");
  } else if (o.output.empty()) {
    print_result(text);
  }
  return exit_code::done;
}

}  // namespace

void add_emit(CLI::App& app, program& p) {
  auto o = std::make_shared<emit_options>();
  CLI::App* sub = add_subcommand(app, p, "emit", "write the merge as source text", emit_examples);
  sub->add_option("target", o->what, "FILE:FUNCTION")->required();
  sub->add_option("--target", o->target, "c++")->capture_default_str();
  sub->add_option("--output,-o", o->output, "file to write; without it, standard output");
  add_limits(sub, o->limits, "of the analysis, and again of the proof that the text says the same");
  sub->add_option("-I", o->include_dirs, "folder to search for includes");
  sub->add_option("--cache", o->cache, "folder for precompiled headers")->default_str(default_cache());
  sub->callback([o, &p] {
    p.action = [o, &p] {
      if (o->cache.empty()) o->cache = default_cache();
      if (o->target != "c++")
        throw failure(exit_code::bad_input, "TF2122", "no target named \"" + o->target + "\"", "this version writes one target: c++",
                      "twofold emit " + o->what + " --target c++");
      return in_own_process(o->limits, o->what, p.json, [&](const std::function<void()>& analysed) { return emit(*o, p.json, analysed); });
    };
  });
}

}  // namespace twofold::cli
