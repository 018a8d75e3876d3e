// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The corpus: loops in inputs/, each under a comment that says what is true of it.
//!
//!     // [CLASS] VERDICT [+K] [, witness] [TF####] [: words]
//!     double f(…) {
//!
//! CLASS    H merges as it is · A with added state · M by a summary (matrix, table) · N by no constant-size state · R is refused
//! VERDICT  associative · not_associative · unknown (no merge of constant size, and no two pieces collide) · refused
//! +K       at most K added variables · witness: a pair of pieces must be shown · TF####: the code of the refusal
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace twofold::loops {

struct expectation {
  std::string folder, file, function;  // the folder's own name; the file's without ending
  int line = 0;                        // of the function's first line
  char kind = 'H';                     // H, A, M, N, R
  std::string verdict;                 // associative, not_associative, unknown, refused
  int added = 0;                       // at most
  bool witness = false;
  std::string code;  // of a refusal; empty: any
};

//! The loops of one file, in order. Throws std::runtime_error at a comment that is not of the form above.
std::vector<expectation> read_expectations(const std::filesystem::path& file);

//! Known gaps: "file:function" (or "folder/", all of it) → what is missing. The list may only shrink: a loop on it that comes out right is
//! an error.
std::map<std::string, std::string> read_gaps(const std::filesystem::path& file);

}  // namespace twofold::loops
