// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Text for HTML and SVG, and a drawing made of boxes, lines and words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace twofold::cli {

//! Text as it may stand between tags and in attributes of HTML and XML: markup escaped, control characters and what is not UTF-8
//! written as U+FFFD.
std::string escaped(std::string_view text);

//! An inline SVG picture. Colours are classes of the page's style sheet.
class drawing {
 public:
  drawing(double width, double height) : width_(width), height_(height) {}

  enum class anchor { start, middle, end };
  void text(double x, double y, std::string_view words, std::string_view style = "", anchor at = anchor::middle);
  void box(double x, double y, double width, double height, std::string_view style);
  void circle(double x, double y, double radius, std::string_view style);
  //! A curve from one point down to another, with an arrow head where `arrow` says so.
  void link(double x1, double y1, double x2, double y2, std::string_view style = "link", bool arrow = false);
  void line(double x1, double y1, double x2, double y2, std::string_view style = "link", bool arrow = false);
  //! A box as high as its lines, centred on x, its upper edge at y; its height.
  double card(double x, double y, const std::vector<std::string>& lines, std::string_view style, double least_width = 0);
  [[nodiscard]] static double card_width(const std::vector<std::string>& lines);
  [[nodiscard]] static double card_height(std::size_t lines);

  //! The element, with a title for those who do not see it.
  [[nodiscard]] std::string finish(std::string_view title) const;

 private:
  double width_, height_;
  std::string body_;
};

}  // namespace twofold::cli
