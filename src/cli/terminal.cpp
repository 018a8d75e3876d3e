// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Output streams, colour and the little typography that reports need.
#include "terminal.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "failure.hpp"

namespace twofold::cli {
namespace {
bool wants_colour(int descriptor) {
  const char* no = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no == nullptr || *no == '\0') && terminal != nullptr && std::strcmp(terminal, "dumb") != 0 && isatty(descriptor) == 1;
}
}  // namespace

std::string style::paint(const char* sgr, std::string_view text) const {
  if (!colour) return std::string(text);
  return std::string("\033[") + sgr + "m" + std::string(text) + "\033[0m";
}

bool colour_on_stdout() { return wants_colour(STDOUT_FILENO); }
bool colour_on_stderr() { return wants_colour(STDERR_FILENO); }

std::string hanging(std::string_view label, std::string_view text) {
  std::string out(label);
  const std::string indent(columns(label), ' ');
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find('\n', start);
    out += text.substr(start, end == std::string_view::npos ? end : end - start);
    out += '\n';
    if (end == std::string_view::npos || end + 1 == text.size()) return out;
    out += indent;
    start = end + 1;
  }
}

std::size_t columns(std::string_view utf8) {
  std::size_t n = 0;
  for (const char c : utf8) n += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;  // continuation bytes take no column
  return n;
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  for (std::size_t n = columns(text); n < width; ++n) out += ' ';
  return out;
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t used = 0;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = text.find_first_of(" \n", start);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(start, end - start);
    if (used > 0 && used + 1 + columns(word) > width) {
      out += '\n';
      used = 0;
    }
    if (used > 0) out += ' ';
    out += word;
    used += columns(word) + (used > 0);
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      used = 0;
    }
    start = end + 1;
  }
  return out;
}

void print_result(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written)
    throw failure(exit_code::environment, "TF2125", "the result cannot be written to standard output", std::strerror(errno),
                  "redirect to a place with room, or write to a pipe that is read to its end");
}

void say(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stderr);
  if (line.empty() || line.back() != '\n') std::fputc('\n', stderr);
}

}  // namespace twofold::cli
