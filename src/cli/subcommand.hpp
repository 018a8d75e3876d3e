// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What main.cpp knows of the subcommands: each adds itself to the command line and, if chosen, leaves an action to perform.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "failure.hpp"

namespace twofold::cli {

struct program {
  bool json = false;                  // set by --json of the subcommand
  std::function<exit_code()> action;  // set when a subcommand was chosen
};

void add_check(CLI::App& app, program& p);
void add_run(CLI::App& app, program& p);
void add_emit(CLI::App& app, program& p);
void add_numerics(CLI::App& app, program& p);
void add_info(CLI::App& app, program& p);
void add_explain(CLI::App& app, program& p);

//! Adds a subcommand with examples under its help text, and --json.
CLI::App* add_subcommand(CLI::App& app, program& p, const char* name, const char* description, const char* examples);

//! Calls `work` and says what failed, as text and, if asked, as JSON. The exit code as a number. Never throws.
int reported(bool json, const std::function<exit_code()>& work);

//! Runs the program: parses, acts, reports failures. Never throws.
int run_program(int argc, const char* const* argv);

}  // namespace twofold::cli
