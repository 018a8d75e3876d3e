// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Entry point of the twofold program.
#include "subcommand.hpp"

int main(int argc, char** argv) { return twofold::cli::run_program(argc, argv); }
