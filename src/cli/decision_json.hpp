// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The decision about one loop as JSON, schema 1 (docs/program.md lists the fields).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ir/decision.hpp"
#include "special_values.hpp"

namespace twofold::cli {

//! --merge FILE:COMBINE and what was found about it. The decision beside it is about the loop: a wrong merge says nothing of that.
struct user_merge {
  std::string source;         // empty: no merge was given
  analyser::decision answer;  // of the checker: associative, this merge is right; not_associative, pieces show that it is wrong
};

//! What `check` knows beside the decision.
struct circumstances {
  double milliseconds = 0;           // of deciding this loop, reading the source not counted
  std::vector<std::string> assumed;  // --assume, as given
  cli::user_merge user_merge;
  std::string evidence_file;  // --proof: where the SMT-LIB text went
  std::string replayed;       // what the second solver said of it, empty if it was not asked
  analyser::machine_behaviour behaviour;
};

nlohmann::ordered_json to_json(const analyser::spec& s, const analyser::decision& d, const circumstances& c);

//! True where the start values stand for "no elements": they are proved neutral, or lie outside of what pieces can reach (an infinity does:
//! states of finite elements are finite). Else the empty state is adjoined.
bool has_identity(const analyser::decision& d);

//! Bytes that the state of one piece takes in memory; vectors count their extent where it is a number, else one component.
std::size_t state_bytes(const analyser::decision& d);

}  // namespace twofold::cli
