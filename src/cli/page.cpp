// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Layout of reports.
#include "page.hpp"

#include <algorithm>

namespace twofold::cli {
namespace {
constexpr std::size_t indent = 4, label_width = 11, text_width = 105;
}

void page::add(const std::string& label, const std::vector<std::string>& lines) { paragraph(label, lines, text_width); }
void page::add_whole(const std::string& label, const std::vector<std::string>& lines) {
  paragraph(label, lines, static_cast<std::size_t>(-1));
}

void page::paragraph(const std::string& label, const std::vector<std::string>& lines, std::size_t width) {
  bool first = true;
  for (const std::string& line : lines) {
    const std::string margin = std::string(indent, ' ') + padded(first ? label : "", std::max(label_width, first ? columns(label) + 1 : 0));
    const std::string body = hanging(margin, wrapped(line, width));
    // Only the label is painted: widths were computed on the plain text.
    const std::size_t at = indent, length = first ? label.size() : 0;
    text_ += length == 0 ? body : body.substr(0, at) + paint_.heading(body.substr(at, length)) + body.substr(at + length);
    first = false;
  }
}

void page::table(const std::vector<row>& rows) {
  std::vector<std::size_t> width;
  for (const row& r : rows)
    for (std::size_t i = 0; i < r.cells.size(); ++i) {
      if (width.size() <= i) width.push_back(0);
      width[i] = std::max(width[i], columns(r.cells[i]));
    }
  for (const row& r : rows) {
    const std::size_t used = columns(r.label);
    std::string line = std::string(indent, ' ') + paint_.heading(r.label) + std::string(used < label_width ? label_width - used : 1, ' ');
    for (std::size_t i = 0; i < r.cells.size(); ++i) line += i + 1 < r.cells.size() ? padded(r.cells[i], width[i] + 3) : r.cells[i];
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + "\n";
  }
}

}  // namespace twofold::cli
