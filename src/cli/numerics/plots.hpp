// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Three kinds of plots as SVG text: lines on logarithmic axes, bars, a map of cells. Colours are classes of the page.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace twofold::cli::accuracy {

struct series {
  std::string name, kind;  // kind: "bound", "typical", "worst", "rms", "other": a class of the page's style
  std::vector<std::pair<double, double>> points;
};

struct axes {
  std::string title, x, y;
  double mark = 0;  // a horizontal line, where positive
  std::string mark_name;
};

//! Points that are not positive and finite are left out; x = 0 is drawn at the left edge, labelled 0.
std::string line_plot(const axes& a, const std::vector<series>& all);

struct bar {
  std::string label;
  std::vector<std::pair<std::string, double>> values;  // kind, value
};
std::string bar_plot(const axes& a, const std::vector<bar>& all);

//! value in [0, 1] for each cell, row by row; cells of value 0 are calm.
std::string cell_map(const axes& a, const std::vector<double>& columns, const std::vector<double>& rows,
                     const std::vector<std::vector<double>>& values);

}  // namespace twofold::cli::accuracy
