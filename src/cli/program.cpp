// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The command line as a whole: which subcommands there are, and how every failure leaves the program.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "heap.hpp"
#include "json_text.hpp"
#include "nearest.hpp"
#include "subcommand.hpp"
#include "terminal.hpp"
#include "version.hpp"

namespace twofold::cli {
namespace {

constexpr const char* program_examples =
    "examples:\n"
    "  twofold check softmax_online.cpp:denominator     does this loop merge? what is the merge, and why?\n"
    "  twofold check softmax.cpp                        every loop of the file\n"
    "  twofold run   softmax_online.cpp:denominator --input x=logits.npy --schedule tiles=128,tree\n"
    "  twofold emit  softmax_online.cpp:denominator --target c++ > denominator.hpp\n"
    "  twofold numerics attention --p bf16 --n 131072 --schedule tiles,split=64    how wrong can it be?\n"
    "  twofold explain TF2111\n"
    "\n"
    "exit: 0 done or associative, 1 not associative, 2 wrong use or bad input, 3 unknown or budget spent,\n"
    "      4 unsupported construct, 5 environment (no GPU, no compiler), 70 internal error";

bool asks_for_json(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--json") == 0) return true;
  return false;
}

int report_failure(const failure& f, bool json) {
  if (json) {
    try {
      print_result(json_text(nlohmann::ordered_json{{"schema", 1}, {"error", to_json(f)}}) + "\n");
    } catch (const failure& unprintable) {
      say(to_text(unprintable, colour_on_stderr()));
    }
  }
  say(to_text(f, colour_on_stderr()));
  return static_cast<int>(f.exit);
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "" : ", ") + w;
  return all;
}

std::vector<std::string> names_of_subcommands(const std::vector<const CLI::App*>& subcommands) {
  std::vector<std::string> names;
  for (const CLI::App* s : subcommands) names.push_back(s->get_name());
  return names;
}

//! The first word must name a subcommand; CLI11 would only say that one is missing.
void expect_subcommand(const CLI::App& app, int argc, const char* const* argv) {
  const std::string word = argc > 1 ? argv[1] : "-";
  const std::vector<std::string> known = names_of_subcommands(app.get_subcommands({}));
  if (word.starts_with("-") || std::find(known.begin(), known.end(), word) != known.end()) return;
  const std::string meant = nearest(word, known);
  throw failure(exit_code::bad_input, "TF2120", "no subcommand named \"" + word + "\"", "the subcommands are: " + joined(known),
                meant.empty() ? "twofold --help shows what each does" : "did you mean \"twofold " + meant + "\"?");
}

//! "--shedule" → "--schedule": an option of the subcommand that a word of the command line is nearest to.
std::string meant_option(const CLI::App& sub, int argc, const char* const* argv) {
  std::vector<std::string> known;
  for (const CLI::Option* o : sub.get_options())
    for (const std::string& name : o->get_lnames()) known.push_back("--" + name);
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (!word.starts_with("--") || std::find(known.begin(), known.end(), word) != known.end()) continue;
    if (const std::string meant = nearest(word, known); !meant.empty()) return "did you mean " + meant + "? ";
  }
  return {};
}

failure wrong_use(const CLI::ParseError& e, const CLI::App& app, int argc, const char* const* argv) {
  std::string command = "twofold", meant;
  for (const CLI::App* sub : app.get_subcommands()) {
    command += " " + sub->get_name();
    meant = meant_option(*sub, argc, argv);
  }
  return {exit_code::bad_input, "TF2120", e.what(), "the command line is not understood", meant + command + " --help shows what is"};
}

failure internal(const std::string& what) {
  return {exit_code::internal, "TF7001", what, "this is a mistake in twofold, not in your source",
          "report it with the command line and the source; `twofold info` prints the versions to add"};
}

exit_code parse_and_act(int argc, const char* const* argv) {
  CLI::App app{"Twofold decides whether a loop is secretly associative, derives its merge, proves it and runs it in parallel.", "twofold"};
  app.set_version_flag("--version", fmt::format("twofold {}", version));
  app.footer(program_examples);
  app.require_subcommand(1);
  program p;
  add_check(app, p);
  add_run(app, p);
  add_emit(app, p);
  add_numerics(app, p);
  add_info(app, p);
  add_explain(app, p);
  expect_subcommand(app, argc, argv);
  try {
    app.parse(argc, const_cast<char**>(argv));  // CLI11 2.1 takes char** and does not write to it
  } catch (const CLI::Success& asked) {         // --help, --version
    return static_cast<exit_code>(app.exit(asked));
  } catch (const CLI::ParseError& e) {
    throw wrong_use(e, app, argc, argv);
  }
  return p.action();
}

}  // namespace

CLI::App* add_subcommand(CLI::App& app, program& p, const char* name, const char* description, const char* sub_examples) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->footer(sub_examples);
  sub->add_flag("--json", p.json, "one JSON object with \"schema\": 1 on stdout, also on failure");
  return sub;
}

int reported(bool json, const std::function<exit_code()>& work) {
  try {
    return static_cast<int>(work());
  } catch (const failure& f) {
    return report_failure(f, json);
  } catch (const std::bad_alloc&) {
    return report_failure({exit_code::undecided, "TF4102", "the program ran out of memory",
                           "the machine or a limit of the shell gave no more", "close other programs, or raise `ulimit -v`"},
                          json);
  } catch (const std::exception& e) {
    return report_failure(internal(e.what()), json);
  } catch (...) {
    return report_failure(internal("an error of unknown type"), json);
  }
}

int run_program(int argc, const char* const* argv) {
  analyser::keep_freed_memory();
  return reported(asks_for_json(argc, argv), [&] { return parse_and_act(argc, argv); });
}

}  // namespace twofold::cli
