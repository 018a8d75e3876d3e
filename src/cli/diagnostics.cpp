// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One line for a verdict.
#include "diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stages.hpp"
#include "words.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

//! Whatever it holds, a diagnostic is one line.
std::string line(const location& where, const char* severity, std::string message, const char* code) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  const std::string place =
      where.file.empty() ? "twofold" : fmt::format("{}:{}:{}", where.file, std::max(1, where.line), std::max(1, where.column));
  return fmt::format("{}: {}: {} [{}]\n", place, severity, message, code);
}

}  // namespace

std::string gcc_line(const spec& s, const decision& d, const circumstances& c) {
  location where = s.where;
  if (where.file.empty()) where.file = s.file;
  if (!c.user_merge.source.empty() && c.user_merge.answer.verdict != verdict::associative) {
    const auto& x = c.user_merge.answer.counterexample;
    if (!x)
      return line(where, "warning", s.function + ": whether " + c.user_merge.source + " is right was neither proved nor refuted", "TF4113");
    return line(where, "error",
                fmt::format("{}: {} is wrong: the loop gives {}, the merge {}", s.function, c.user_merge.source, x->result2, x->result),
                "TF4114");
  }
  const std::string what = s.function + ": " + verdict_in_words(d);
  switch (d.verdict) {
    case verdict::associative:
      return line(where, "note", what + "; " + price_in_words(price_of(s, d)), "TF4111");
    case verdict::not_associative:
      return line(where, "warning", what + (d.counterexample ? ": " + in_words(*d.counterexample) : ""), "TF4112");
    default:
      return line(where, "warning", what, "TF4113");
  }
}

std::string gcc_line(const failure& f) {
  return line(f.where, "error", f.what_was_wrong + (f.why.empty() ? "" : ": " + f.why), f.code.c_str());
}

}  // namespace twofold::cli
