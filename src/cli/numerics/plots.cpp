// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Plots. One size, 640 × 360, scaled by the page.
#include "numerics/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "svg.hpp"

namespace twofold::cli::accuracy {
namespace {

constexpr double width = 640, height = 360, left = 70, right = 20, top = 34, bottom = 48;
constexpr double inner_width = width - left - right, inner_height = height - top - bottom;

std::string text(double x, double y, const char* anchor, const std::string& words, const char* kind = "label") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", x, y, anchor, kind, escaped(words));
}
std::string line(double x1, double y1, double x2, double y2, const char* kind) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2, kind);
}
std::string open(const axes& a) {
  return fmt::format("<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-label=\"{2}\" xmlns=\"http://www.w3.org/2000/svg\">\n", width,
                     height, escaped(a.title)) +
         text(left, 20, "start", a.title, "title") + text(left + inner_width / 2, height - 8, "middle", a.x) +
         fmt::format("<text transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\" class=\"label\">{}</text>\n",
                     top + inner_height / 2, escaped(a.y));
}

bool drawable(double v) { return std::isfinite(v) && v > 0; }

//! Powers of ten that hold all values.
struct decades {
  int low = 0, high = 1;
  void include(double v) {
    if (!drawable(v)) return;
    const double l = std::log10(v);
    const int below = static_cast<int>(std::floor(l)), above = static_cast<int>(std::ceil(l));
    if (empty_) low = below, high = std::max(above, below + 1), empty_ = false;
    low = std::min(low, below), high = std::max(high, above);
  }
  //! 0 at the lowest, 1 at the highest.
  [[nodiscard]] double place(double v) const { return (std::log10(v) - low) / (high - low); }
  [[nodiscard]] int step() const { return (high - low + 7) / 8; }

 private:
  bool empty_ = true;
};

double y_of(const decades& d, double v) { return top + inner_height * (1 - d.place(v)); }

std::string y_axis(const decades& d) {
  std::string s;
  for (int e = d.low; e <= d.high; e += d.step()) {
    const double y = top + inner_height * (1 - static_cast<double>(e - d.low) / (d.high - d.low));
    s += line(left, y, left + inner_width, y, "grid") + text(left - 6, y + 4, "end", fmt::format("1e{}", e));
  }
  return s;
}

std::string mark(const axes& a, const decades& d) {
  if (!drawable(a.mark)) return {};
  const double y = y_of(d, a.mark);
  return line(left, y, left + inner_width, y, "mark") + text(left + inner_width, y - 4, "end", a.mark_name);
}

std::string legend(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string s;
  double y = top + 14;
  for (const auto& [name, kind] : entries) {
    s += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"4\" class=\"fill {}\"/>\n", left + 10, y - 5, kind) +
         text(left + 30, y, "start", name);
    y += 16;
  }
  return s;
}

}  // namespace

std::string line_plot(const axes& a, const std::vector<series>& all) {
  decades x, y;
  bool zero = false;
  for (const series& s : all)
    for (const auto& [at, value] : s.points) x.include(at), y.include(value), zero = zero || at == 0;
  y.include(a.mark);
  if (zero) --x.low;  // a place for 0
  const auto x_of = [&](double at) { return left + inner_width * (at == 0 ? 0 : x.place(at)); };
  std::string out = open(a) + y_axis(y);
  for (int e = zero ? x.low + 1 : x.low; e <= x.high; e += x.step())
    out += text(x_of(std::pow(10, e)), height - bottom + 16, "middle", fmt::format("1e{}", e));
  if (zero) out += text(left, height - bottom + 16, "middle", "0");
  std::vector<std::pair<std::string, std::string>> names;
  for (const series& s : all) {
    std::string path, dots;
    for (const auto& [at, value] : s.points) {
      if (!drawable(value) || !(at >= 0)) continue;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x_of(at), y_of(y, value));
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"fill {}\"><title>{}: {:.3g} at {:g}</title></circle>\n",
                          x_of(at), y_of(y, value), s.kind, escaped(s.name), value, at);
    }
    if (path.empty()) continue;
    out += fmt::format("<path d=\"{}\" class=\"line {}\"/>\n", path, s.kind) + dots;
    names.emplace_back(s.name, s.kind);
  }
  return out + mark(a, y) + legend(names) + "</svg>\n";
}

std::string bar_plot(const axes& a, const std::vector<bar>& all) {
  decades y;
  for (const bar& b : all)
    for (const auto& [kind, value] : b.values) y.include(value);
  std::string out = open(a) + y_axis(y);
  const double each = inner_width / static_cast<double>(std::max<std::size_t>(1, all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double from = left + each * static_cast<double>(i),
                 thick = 0.8 * each / static_cast<double>(std::max<std::size_t>(1, all[i].values.size()));
    for (std::size_t k = 0; k < all[i].values.size(); ++k) {
      const auto& [kind, value] = all[i].values[k];
      if (!drawable(value)) continue;
      const double at = y_of(y, value);
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"fill {}\"><title>{} {}: {:.3g}</title></rect>\n",
          from + 0.1 * each + thick * static_cast<double>(k), at, thick * 0.9, top + inner_height - at, kind, escaped(all[i].label), kind,
          value);
    }
    out += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-14)\" text-anchor=\"end\" class=\"small\">{}</text>\n",
                       from + each * 0.8, height - bottom + 12, escaped(all[i].label));
  }
  std::vector<std::pair<std::string, std::string>> names;
  if (!all.empty())
    for (const auto& [kind, value] : all.front().values) names.emplace_back(kind, kind);
  return out + legend(names) + "</svg>\n";
}

std::string cell_map(const axes& a, const std::vector<double>& columns, const std::vector<double>& rows,
                     const std::vector<std::vector<double>>& values) {
  std::string out = open(a);
  const double w = inner_width / static_cast<double>(columns.size()), h = inner_height / static_cast<double>(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = top + inner_height - h * static_cast<double>(r + 1);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double v = std::clamp(values[r][c], 0.0, 1.0), x = left + w * static_cast<double>(c);
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\" fill-opacity=\"{:.2f}\"><title>{} = {:g}, {} = "
          "{:g}: {:.1f} % lost</title></rect>\n",
          x, y, w - 1, h - 1, v > 0 ? "fill bad" : "fill calm", v > 0 ? 0.25 + 0.75 * v : 1.0, escaped(a.x), columns[c], escaped(a.y),
          rows[r], 100 * v);
      if (v >= 0.005) out += text(x + w / 2, y + h / 2 + 3, "middle", fmt::format("{:.0f}", 100 * v), "small");
    }
    out += text(left - 6, y + h / 2 + 4, "end", fmt::format("{:g}", rows[r]));
  }
  for (std::size_t c = 0; c < columns.size(); ++c)
    out += text(left + w * (static_cast<double>(c) + 0.5), height - bottom + 16, "middle", fmt::format("{:g}", columns[c]));
  return out + "</svg>\n";
}

}  // namespace twofold::cli::accuracy
