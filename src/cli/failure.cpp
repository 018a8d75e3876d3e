// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file How an error is said, to people and to scripts.
#include "failure.hpp"

#include <fmt/format.h>

#include "terminal.hpp"

namespace twofold::cli {

failure::failure(const analyser::frontend_error& e)
    : failure(e.kind == analyser::frontend_error::kind::bad_input ? exit_code::bad_input : exit_code::unsupported, e.code, e.what, e.why,
              e.fix, e.where) {}

nlohmann::ordered_json to_json(const failure& f) {
  const auto or_null = [](auto&& v, bool present) { return present ? nlohmann::ordered_json(v) : nlohmann::ordered_json(nullptr); };
  return {{"code", f.code},
          {"file", or_null(f.where.file, !f.where.file.empty())},
          {"line", or_null(f.where.line, f.where.line > 0)},
          {"column", or_null(f.where.column, f.where.column > 0)},
          {"what", f.what_was_wrong},
          {"why", f.why},
          {"fix", f.fix}};
}

std::string to_text(const failure& f, bool colour) {
  const style s{colour};
  std::string out;
  if (!f.where.file.empty()) {
    out += f.where.file;
    if (f.where.line > 0) out += fmt::format(":{}", f.where.line);
    if (f.where.line > 0 && f.where.column > 0) out += fmt::format(":{}", f.where.column);
    out += ": ";
  } else {
    out += "twofold: ";
  }
  out += s.bad("error " + f.code + ":") + " " + f.what_was_wrong + "\n";
  if (!f.why.empty()) out += hanging("  why  ", f.why);
  if (!f.fix.empty()) out += hanging("  fix  ", f.fix);
  out += fmt::format("  more twofold explain {}\n", f.code);
  return out;
}

}  // namespace twofold::cli
