// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Pictures of a split, of trees, of a change of coordinates and of a witness.
#include "html_pictures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "svg.hpp"
#include "terminal.hpp"
#include "trial.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

constexpr double width = 760;
constexpr std::size_t most_lines = 6;

//! Numbers that show something: of both signs, none twice in a row, with a tie.
machine sample_value(type t, std::size_t i, std::size_t component) {
  static constexpr std::int64_t numbers[] = {2, 5, -1, 4, 4, -3, 1, 3};
  const std::int64_t v = numbers[(i + 3 * component) % 8];
  if (t.kind == sort::boolean) return {std::uint64_t{v > 1 ? 1U : 0U}};
  if (t.kind == sort::real) return {static_cast<double>(v)};
  return convert({t.is_signed ? v : std::abs(v)}, t);
}

readings sample_input(const std::vector<term>& elements, std::size_t n) {
  readings w;
  for (std::size_t i = 0; i < n; ++i) {
    reading& r = w.emplace_back();
    for (std::size_t k = 0; k < elements.size(); ++k) r.push_back(sample_value(elements[k]->type, i, k));
  }
  return w;
}

std::string entry_text(const reading& r, const std::vector<term>& elements) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < r.size(); ++k) parts.push_back(to_text(r[k], elements[k]->type, 4));
  return parts.size() == 1 ? parts[0] : fmt::format("({})", fmt::join(parts, ", "));
}

std::vector<std::string> state_lines(const std::vector<merged_variable>& variables, const machine_state& s) {
  std::vector<std::string> lines;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (lines.size() + 1 == most_lines && variables.size() > most_lines) {
      lines.push_back(fmt::format("… and {} more", variables.size() - v));
      break;
    }
    lines.push_back(variables[v].name + " = " + to_text(s[v], variables[v].type));
  }
  return lines;
}

std::vector<std::string> answer_lines(const std::vector<output>& outputs, const std::vector<machine>& values) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < values.size() && lines.size() < most_lines; ++i)
    lines.push_back((outputs[i].name == "return" ? "answer" : outputs[i].name) + " = " + to_text(values[i], outputs[i].type));
  return lines;
}

//! A row of cells centred on x; the style of each by its index.
void cells(drawing& out, double x, double y, const std::vector<std::string>& entries, const char* style) {
  double each = 34;
  for (const std::string& e : entries) each = std::max(each, 12 + 7.3 * static_cast<double>(columns(e)));
  const double from = x - each * static_cast<double>(entries.size()) / 2;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    out.box(from + each * static_cast<double>(i) + 1.5, y, each - 3, 28, style);
    out.text(from + each * (static_cast<double>(i) + 0.5), y + 19, entries[i], "code");
  }
}

struct split_numbers {
  std::vector<std::string> left_entries, right_entries, left, right, merged, answer, loop;
  bool equal = false;
};

std::optional<split_numbers> numbers_of_split(const spec& s, const decision& d) {
  const std::unique_ptr<trial> t = trial::of(s, d);
  if (!t) return std::nullopt;
  constexpr std::size_t n = 7, cut = 3;
  try {
    const readings w = sample_input(t->elements(), n);
    split_numbers r;
    for (std::size_t i = 0; i < n; ++i) (i < cut ? r.left_entries : r.right_entries).push_back(entry_text(w[i], t->elements()));
    const machine_state a = t->leaf(w, 0, cut), b = t->leaf(w, cut, n), both = t->merge(a, b);
    const std::vector<machine> merged = t->answers(both, n), loop = t->loop_answers(w);
    r.left = state_lines(d.state, a), r.right = state_lines(d.state, b), r.merged = state_lines(d.state, both);
    r.answer = answer_lines(s.outputs, merged), r.loop = answer_lines(s.outputs, loop);
    r.equal = r.answer == r.loop;
    return r;
  } catch (const evaluation_error&) {
    return std::nullopt;  // the sample leaves the domain of the loop
  }
}

split_numbers symbols_of_split(const decision& d) {
  split_numbers r;
  r.left_entries = {"x₀", "x₁", "x₂"}, r.right_entries = {"x₃", "x₄", "x₅", "x₆"};
  for (const merged_variable& v : d.state) {
    if (r.left.size() == most_lines) break;
    r.left.push_back("a." + v.name), r.right.push_back("b." + v.name), r.merged.push_back(v.name);
  }
  return r;
}

}  // namespace

std::string picture_of_split(const spec& s, const decision& d) {
  const auto numbers = numbers_of_split(s, d);
  const split_numbers p = numbers ? *numbers : symbols_of_split(d);
  constexpr double left = 200, right = 560, middle = 380;
  const double states = 92, merge = states + drawing::card_height(p.left.size()) + 46, result = merge + 44;
  double height = result + drawing::card_height(p.merged.size()) + 16;
  if (!p.answer.empty()) height += 46 + drawing::card_height(p.answer.size());
  drawing out(width, height);
  out.text(left, 16, "left piece", "label");
  out.text(right, 16, "right piece", "label");
  cells(out, left, 26, p.left_entries, "cell left");
  cells(out, right, 26, p.right_entries, "cell right");
  out.line(middle, 10, middle, 66, "cut");
  out.line(left, 58, left, states - 4, "link", true);
  out.line(right, 58, right, states - 4, "link", true);
  out.text(left + 10, 78, "the loop", "label", drawing::anchor::start);
  out.text(right + 10, 78, "the loop", "label", drawing::anchor::start);
  out.card(left, states, p.left, "card left", 120);
  out.card(right, states, p.right, "card right", 120);
  const double below = states + drawing::card_height(p.left.size());
  out.link(left, below, middle - 14, merge, "link");
  out.link(right, below, middle + 14, merge, "link");
  out.circle(middle, merge, 16, "merge");
  out.text(middle, merge + 6, "⊙", "operator");
  out.line(middle, merge + 16, middle, result - 4, "link", true);
  out.card(middle, result, p.merged, "card both", 120);
  if (!p.answer.empty()) {
    const double answers = result + drawing::card_height(p.merged.size()) + 40;
    out.line(middle, answers - 40, middle, answers - 4, "link", true);
    const double away = (drawing::card_width(p.answer) + drawing::card_width(p.loop)) / 2 + 60;
    out.card(middle, answers, p.answer, "card both", 120);
    out.text(middle + away / 2 + 8, answers + drawing::card_height(p.answer.size()) / 2 + 5, p.equal ? "=" : "≈", "operator");
    out.card(middle + away + 20, answers, p.loop, "card", 120);
    out.text(middle + away + 20, answers - 8, "the loop on the whole", "label");
  }
  return out.finish("One input cut in two pieces, their states, and the merge of the states");
}

namespace {

//! A binary tree over leaves [from, to) at `x + spacing·i`, `at` levels below the top; where its root stands.
struct point {
  double x, y;
};
enum class shape { balanced, left, right };
point tree(drawing& out, shape how, double x, double spacing, std::size_t from, std::size_t to, double bottom, double level) {
  if (to - from == 1) return {x + spacing * static_cast<double>(from), bottom};
  const std::size_t cut = how == shape::balanced ? (from + to) / 2 : how == shape::left ? to - 1 : from + 1;
  const point a = tree(out, how, x, spacing, from, cut, bottom, level), b = tree(out, how, x, spacing, cut, to, bottom, level);
  const point root{(a.x + b.x) / 2, std::min(a.y, b.y) - level};
  out.link(a.x, a.y - 7, root.x, root.y + 7, "link left-link");
  out.link(b.x, b.y - 7, root.x, root.y + 7, "link right-link");
  out.circle(root.x, root.y, 7, "merge");
  return root;
}

void leaves(drawing& out, double x, double spacing, std::size_t n, double bottom) {
  for (std::size_t i = 0; i < n; ++i) {
    out.box(x + spacing * static_cast<double>(i) - 8, bottom - 7, 16, 16, "cell");
  }
}

}  // namespace

std::string picture_of_trees() {
  constexpr double bottom = 170, spacing = 24;
  drawing out(width, 214);
  const struct {
    const char* name;
    shape how;
    double x, level;
  } all[] = {{"from the left: the loop itself", shape::left, 40, 18},
             {"a tree: pieces in parallel", shape::balanced, 296, 40},
             {"from the right", shape::right, 552, 18}};
  for (const auto& t : all) {
    tree(out, t.how, t.x, spacing, 0, 8, bottom, t.level);
    leaves(out, t.x, spacing, 8, bottom);
    out.text(t.x + 3.5 * spacing, bottom + 34, t.name, "label");
  }
  return out.finish("Three ways of bracketing eight elements: from the left, as a tree, from the right");
}

std::string picture_of_coordinates(const decision& d) {
  if (!d.twist || d.twist->coordinates.empty()) return {};
  std::vector<std::string> names, monoids;
  for (const auto& c : d.twist->coordinates) names.push_back(c.name), monoids.push_back(c.monoid);
  const std::string phi = fmt::format("φ = ({})", fmt::join(names, ", ")), plain = fmt::format("({})", fmt::join(monoids, ", "));
  drawing out(width, 190);
  constexpr double left = 190, right = 570, top = 26, low = 128;
  out.card(left, top, {"states a, b"}, "card", 150);
  out.card(right, top, {"a ⊙ b"}, "card both", 150);
  out.card(left, low, {"φ(a), φ(b)"}, "card", 150);
  out.card(right, low, {"φ(a) ⊕ φ(b)"}, "card both", 150);
  out.line(left + 82, top + 13, right - 84, top + 13, "link", true);
  out.text((left + right) / 2, top + 6, "⊙, the merge", "label");
  out.line(left + 82, low + 13, right - 84, low + 13, "link", true);
  out.text((left + right) / 2, low + 34, "⊕ = " + plain + ", by components", "label");
  out.line(left, top + 30, left, low - 4, "link", true);
  out.line(right, low - 4, right, top + 30, "link", true);
  out.text(left + 10, (top + low) / 2 + 20, "φ", "operator", drawing::anchor::start);
  out.text(right + 10, (top + low) / 2 + 20, "φ⁻¹", "operator", drawing::anchor::start);
  out.text((left + right) / 2, (top + low) / 2 + 18, columns(phi) > 46 ? "φ: the coordinates below" : phi, "code");
  return out.finish("The merge is a plain monoid seen through a change of coordinates");
}

std::string picture_of_witness(const counterexample& x) {
  const auto entries = [](const counterexample::piece& p) {
    std::vector<std::string> r;
    for (const auto& tuple : p) r.push_back(tuple.size() == 1 ? tuple[0] : fmt::format("({})", fmt::join(tuple, ", ")));
    return r;
  };
  const std::vector<std::string> left = entries(x.left), right = entries(x.right), right2 = entries(x.right2), suffix = entries(x.suffix);
  drawing out(width, 330);
  constexpr double one = 190, two = 570, middle = 380;
  out.text(one, 16, "one right piece", "label");
  out.text(two, 16, "another", "label");
  cells(out, one, 24, right, "cell right");
  cells(out, two, 24, right2, "cell right");
  out.link(one, 54, middle - 30, 88, "link", true);
  out.link(two, 54, middle + 30, 88, "link", true);
  out.card(middle, 92, {x.state}, "card both", 150);
  out.text(middle, 138, "the same state: a merge cannot tell them apart", "label");
  const auto whole = [&](double at, const std::vector<std::string>& piece, const std::string& result) {
    std::vector<std::string> all = left;
    all.insert(all.end(), piece.begin(), piece.end());
    all.insert(all.end(), suffix.begin(), suffix.end());
    cells(out, at, 176, all, "cell");
    out.line(at, 206, at, 240, "link", true);
    out.card(at, 244, {result}, "card wrong", 120);
  };
  out.text(one, 168, "after the same left part" + std::string(suffix.empty() ? "" : ", before the same rest"), "label");
  out.text(two, 168, "after the same left part" + std::string(suffix.empty() ? "" : ", before the same rest"), "label");
  whole(one, right, x.result);
  whole(two, right2, x.result2);
  out.text(middle, 263, "≠", "operator");
  out.text(middle, 312, "yet the answers differ", "label");
  return out.finish("Two pieces that end in the same state and are told apart by what stands before them");
}

}  // namespace twofold::cli
