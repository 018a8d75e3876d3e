// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `twofold info`: versions and features, what one adds to a report of a problem.
#include <fmt/format.h>

#include <sstream>
#include <thread>

#include "cache.hpp"
#include "compiler.hpp"
#include "json_text.hpp"
#include "page.hpp"
#include "process.hpp"
#include "subcommand.hpp"
#include "terminal.hpp"
#include "version.hpp"

namespace twofold::cli {
namespace {

constexpr const char* info_examples =
    "examples:\n"
    "  twofold info\n"
    "  twofold info --json";

struct feature {
  const char* name;
  bool on;
  const char* how;  // to turn it on
};
constexpr feature features[] = {
    {"threads (oneTBB)", TWOFOLD_HAS_TBB, "apt-get install libtbb-dev, then configure again"},
    {"SIMD (Highway)", TWOFOLD_HAS_HWY, "apt-get install libhwy-dev, then configure again"},
    {"CUDA", TWOFOLD_HAS_CUDA, "install the CUDA 13 toolkit, put nvcc on PATH, then configure again"},
    {"MPI", TWOFOLD_HAS_MPI, "apt-get install libopenmpi-dev, then configure again"},
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string cvc5_version() {
  const auto r = run_process({"cvc5", "--version"}, 10);
  return r && r->status == 0 ? first_line(r->output) : "not installed: evidence is not replayed";
}

std::string compiler_line() {
  try {
    const compiler c = system_compiler();
    return c.path + ": " + first_line(c.version);
  } catch (const failure& f) {
    return std::string("none: ") + f.why;
  }
}

exit_code info(bool as_json) {
  if (as_json) {
    nlohmann::ordered_json on = nlohmann::ordered_json::object();
    for (const feature& f : features) on[f.name] = f.on;
    const nlohmann::ordered_json out{{"schema", 1},
                                     {"version", version},
                                     {"built_with", TWOFOLD_BUILD_COMPILER},
                                     {"system_compiler", compiler_line()},
                                     {"front_end", "Clang " TWOFOLD_CLANG_VERSION},
                                     {"solvers", {{"z3", TWOFOLD_Z3_VERSION}, {"flint", TWOFOLD_FLINT_VERSION}, {"cvc5", cvc5_version()}}},
                                     {"features", on},
                                     {"processors", std::thread::hardware_concurrency()},
                                     {"headers", header_folders()},
                                     {"cache", default_cache()}};
    print_result(json_text(out) + "\n");
    return exit_code::done;
  }
  page out(style{colour_on_stdout()});
  out.title("twofold " + version);
  out.add("built with", TWOFOLD_BUILD_COMPILER);
  out.add("compiler", compiler_line());
  out.add("front end", "Clang " TWOFOLD_CLANG_VERSION);
  out.add("solvers", {"Z3 " TWOFOLD_Z3_VERSION, "FLINT " TWOFOLD_FLINT_VERSION, "cvc5 (replays evidence): " + cvc5_version()});
  std::vector<page::row> rows;
  for (const feature& f : features) rows.push_back({rows.empty() ? "features" : "", {f.name, f.on ? "on" : "off", f.on ? "" : f.how}});
  out.table(rows);
  out.add("processors", std::to_string(std::thread::hardware_concurrency()));
  out.add("headers", header_folders());
  out.add("cache", default_cache());
  print_result(out.text());
  return exit_code::done;
}

}  // namespace

void add_info(CLI::App& app, program& p) {
  CLI::App* sub = add_subcommand(app, p, "info", "versions, features on and off, where things are kept", info_examples);
  sub->callback([&p] { p.action = [&p] { return info(p.json); }; });
}

}  // namespace twofold::cli
