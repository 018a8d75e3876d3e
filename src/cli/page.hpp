// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A page of labelled paragraphs: label in the margin, lines beside it.
#pragma once

#include <string>
#include <vector>

#include "terminal.hpp"

namespace twofold::cli {

class page {
 public:
  explicit page(style paint) : paint_(paint) {}

  //! The first line of the page, as it is.
  void title(const std::string& line) { text_ += line + "\n\n"; }
  //! A paragraph; nothing where there are no lines. Lines longer than the page are broken at blanks.
  void add(const std::string& label, const std::vector<std::string>& lines);
  void add(const std::string& label, const std::string& line) { add(label, std::vector<std::string>{line}); }
  //! The same, never broken: what is meant to be copied.
  void add_whole(const std::string& label, const std::vector<std::string>& lines);
  //! Labelled rows of cells, in columns as wide as their widest cell.
  struct row {
    std::string label;
    std::vector<std::string> cells;
  };
  void table(const std::vector<row>& rows);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void paragraph(const std::string& label, const std::vector<std::string>& lines, std::size_t width);
  style paint_;
  std::string text_;
};

}  // namespace twofold::cli
