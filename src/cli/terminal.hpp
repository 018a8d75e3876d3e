// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Where text goes and whether it may be coloured: results to stdout, people to stderr, colour on terminals only.
#pragma once

#include <string>
#include <string_view>

namespace twofold::cli {

//! Colours, or plain text where colour is off. Roles, not colours, are what callers name.
struct style {
  bool colour = false;
  [[nodiscard]] std::string paint(const char* sgr, std::string_view text) const;
  [[nodiscard]] std::string good(std::string_view t) const { return paint("1;32", t); }
  [[nodiscard]] std::string bad(std::string_view t) const { return paint("1;31", t); }
  [[nodiscard]] std::string unsure(std::string_view t) const { return paint("1;33", t); }
  [[nodiscard]] std::string heading(std::string_view t) const { return paint("36", t); }
};

//! True where the stream is a terminal that wants colour: honours NO_COLOR (https://no-color.org) and TERM=dumb.
bool colour_on_stdout();
bool colour_on_stderr();

//! `label` followed by `text`, whose further lines are indented to stand under the first.
std::string hanging(std::string_view label, std::string_view text);

//! Columns that UTF-8 text takes on a terminal, one per code point.
std::size_t columns(std::string_view utf8);
//! `text` padded with blanks to `width` columns.
std::string padded(std::string_view text, std::size_t width);
//! `text` broken at blanks so that no line takes more than `width` columns, as far as words allow.
std::string wrapped(std::string_view text, std::size_t width);

//! Writes the whole result to stdout; a full disk or a closed pipe is an error (TF2125), not silence.
void print_result(std::string_view text);
//! For people: stderr, never part of the result.
void say(std::string_view line);

}  // namespace twofold::cli
