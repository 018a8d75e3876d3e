// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Drawing.
#include "svg.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "terminal.hpp"

namespace twofold::cli {
namespace {

constexpr double character = 7.3, line_height = 17, margin = 9;

//! Length of the UTF-8 sequence at the beginning of `s`; 0 where there is none.
std::size_t sequence(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || s.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (length == 3 &&
      ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) || (first == 0xef && byte(1) == 0xbf && byte(2) >= 0xbe)))
    return 0;
  if (length == 4 && ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f))) return 0;
  return length;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string r;
  while (!text.empty()) {
    const std::size_t length = sequence(text);
    const char c = text[0];
    if (length == 0 || (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && c != '\n' && c != '\t')) r += "\xef\xbf\xbd";
    else if (c == '&') r += "&amp;";
    else if (c == '<') r += "&lt;";
    else if (c == '>') r += "&gt;";
    else if (c == '"') r += "&quot;";
    else if (c == '\'') r += "&#39;";
    else r += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return r;
}

void drawing::text(double x, double y, std::string_view words, std::string_view style, anchor at) {
  const char* where = at == anchor::middle ? "middle" : at == anchor::end ? "end" : "start";
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, style, where, escaped(words));
}

void drawing::box(double x, double y, double width, double height, std::string_view style) {
  body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"6\" class=\"{}\"/>\n", x, y, width, height,
                       style);
}

void drawing::circle(double x, double y, double radius, std::string_view style) {
  body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"{}\"/>\n", x, y, radius, style);
}

void drawing::link(double x1, double y1, double x2, double y2, std::string_view style, bool arrow) {
  const double middle = (y1 + y2) / 2;
  body_ += fmt::format("<path d=\"M{:.1f} {:.1f} C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" class=\"{}\"{}/>\n", x1, y1, x1, middle, x2,
                       middle, x2, y2, style, arrow ? " marker-end=\"url(#arrow)\"" : "");
}

void drawing::line(double x1, double y1, double x2, double y2, std::string_view style, bool arrow) {
  body_ += fmt::format("<path d=\"M{:.1f} {:.1f} L{:.1f} {:.1f}\" class=\"{}\"{}/>\n", x1, y1, x2, y2, style,
                       arrow ? " marker-end=\"url(#arrow)\"" : "");
}

double drawing::card_width(const std::vector<std::string>& lines) {
  std::size_t widest = 0;
  for (const std::string& l : lines) widest = std::max(widest, columns(l));
  return static_cast<double>(widest) * character + 2 * margin;
}

double drawing::card_height(std::size_t lines) { return static_cast<double>(lines) * line_height + margin; }

double drawing::card(double x, double y, const std::vector<std::string>& lines, std::string_view style, double least_width) {
  const double width = std::max(least_width, card_width(lines)), height = card_height(lines.size());
  box(x - width / 2, y, width, height, style);
  for (std::size_t i = 0; i < lines.size(); ++i) text(x, y + line_height * static_cast<double>(i + 1), lines[i], "code");
  return height;
}

std::string drawing::finish(std::string_view title) const {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" role=\"img\">\n<title>{}</title>\n{}</svg>\n", width_, height_,
                     width_, escaped(title), body_);
}

}  // namespace twofold::cli
