// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The page: what the report says, with pictures, every text escaped.
#include "html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "emit/sharing.hpp"
#include "html_pictures.hpp"
#include "html_style.hpp"
#include "meaning.hpp"
#include "names.hpp"
#include "next_steps.hpp"
#include "numerics/claims.hpp"
#include "svg.hpp"
#include "version.hpp"
#include "words.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

constexpr std::size_t longest_formula = 4000;

std::string tag(const char* name, const std::string& content, const char* attributes = "") {
  return fmt::format("<{0}{1}{2}>{3}</{0}>\n", name, *attributes ? " " : "", attributes, content);
}
std::string paragraph(const std::string& words, const char* attributes = "") { return tag("p", escaped(words), attributes); }
std::string heading(const std::string& words) { return tag("h2", escaped(words)); }
std::string bullets(const std::vector<std::string>& lines, const char* list = "ul", const char* attributes = "") {
  std::string r;
  for (const std::string& l : lines) r += tag("li", escaped(l));
  return lines.empty() ? "" : tag(list, r, attributes);
}
std::string figure(const std::string& picture, const std::string& caption) {
  return picture.empty() ? "" : tag("figure", picture + tag("figcaption", escaped(caption)));
}

bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

//! A formula with what belongs to the left and to the right piece in their colours.
std::string coloured(const std::string& formula) {
  std::string r;
  for (std::size_t i = 0; i < formula.size();) {
    const bool side = i + 2 < formula.size() && (formula[i] == 'a' || formula[i] == 'b') && formula[i + 1] == '.' &&
                      (i == 0 || !continues_name(formula[i - 1]));
    std::size_t end = i + 1;
    while (side && end < formula.size() && continues_name(formula[end])) ++end;
    while (!side && end < formula.size() && (formula[end] & 0xc0) == 0x80) ++end;
    const std::string part = escaped(formula.substr(i, end - i));
    r += side ? fmt::format("<span class=\"{}\">{}</span>", formula[i], part) : part;
    i = end;
  }
  return r;
}

std::string cut(std::string formula) {
  if (formula.size() <= longest_formula) return formula;
  return formula.substr(0, longest_formula) + " … (the whole of it: --json)";
}

std::string equations(const std::vector<root>& roots, const namer& names) {
  const shared s = share(roots, {.fresh_names = false, .smallest = 2, .varies = {}, .taken = {}});
  std::string lines;
  const auto add = [&](const std::string& name, term value) { lines += coloured(name + " = " + cut(to_text(value, names))) + "\n"; };
  for (const let& l : s.lets) add(l.name, l.value);
  for (std::size_t i = 0; i < roots.size(); ++i)
    if (!s.is_let[i]) add(roots[i].name, s.values[i]);
  return tag("pre", lines);
}

std::string with_component(const merged_variable& v, const char* mark = "") {
  return v.name + mark + (v.extent && v.component ? "[" + v.component->name + "]" : "");
}

std::string source_part(const excerpt& e, int line) {
  std::string text;
  for (std::size_t i = 0; i < e.lines.size(); ++i) {
    const int number = e.first + static_cast<int>(i);
    const std::string row = fmt::format("<span class=\"n\">{:4}  </span>{}", number, escaped(e.lines[i]));
    text += (number == line ? "<span class=\"here\">" + row + "</span>" : row) + "\n";
  }
  return e.lines.empty() ? "" : heading("The loop") + tag("pre", text);
}

std::string facts(const spec& s, const decision& d, const circumstances& c) {
  std::string r;
  const auto add = [&](const std::string& value, const std::string& name) {
    r += tag("li", tag("b", escaped(value)) + tag("span", escaped(name)));
  };
  add(fmt::format("{} bytes", state_bytes(d)) + (has_vectors(d) ? " +" : ""),
      has_vectors(d) ? "state, and the rest of its vectors" : "state");
  const price p = price_of(s, d);
  add(fmt::format("{:.1f} steps", static_cast<double>(p.merge) / static_cast<double>(p.step)), "price of a merge");
  const auto two = p.pays_from(2);
  add(two ? fmt::format("n ≥ {}", *two) : "not on 2", "splitting in two pays");
  add(d.commutative == ternary::proved ? "free" : d.commutative == ternary::refuted ? "kept" : "kept", "order of pieces");
  add(d.proof && d.proof->proved ? "proved" : "tested", "the merge");
  if (c.milliseconds > 0) add(fmt::format("{:.0f} ms", c.milliseconds), "to decide");
  return tag("ul", r, "class=\"facts\"");
}

std::string state_part(const decision& d, const namer& names) {
  const bool identity = has_identity(d);
  std::string rows = tag("tr", "<th>variable</th><th>type</th><th>what it is</th><th>with no elements</th>");
  for (const role r : {role::carried, role::added})
    for (const merged_variable& v : d.state) {
      if (v.role != r) continue;
      const std::string name = v.name + (v.extent ? "[" + to_text(v.extent, names) + "]" : "");
      rows += tag("tr", "<td><code>" + escaped(name) + "</code>" + (r == role::added ? " <span class=\"added\">added</span>" : "") +
                            "</td><td><code>" + escaped(cpp_name(v.type)) + "</code></td><td>" + escaped(meaning(v, d, names)) +
                            "</td><td><code>" + (identity ? escaped(to_text(v.init, names)) : "—") + "</code></td>");
    }
  std::string out = heading("The state of a piece") + tag("div", tag("table", rows), "class=\"wide\"");
  if (!identity) out += paragraph("No value of the state stands for “no elements”: the empty state is adjoined.", "class=\"soft\"");
  std::vector<std::string> reasons;
  for (const merged_variable& v : d.state)
    if (!v.why.empty()) reasons.push_back(v.name + ": " + v.why);
  return out + bullets(reasons);
}

std::string merge_part(const spec& s, const decision& d, const namer& names) {
  std::vector<root> roots;
  for (const merged_variable& v : d.state)
    if (v.merge) roots.push_back({with_component(v), v.merge, bool(v.extent)});
  std::string out = heading("The merge") +
                    "<p>From a <span class=\"a\">left</span> piece a and a <span class=\"b\">right</span> piece b:</p>\n" +
                    equations(roots, names);
  std::string answers;
  for (const output& o : d.finalize)
    answers += escaped((o.name == "return" ? "answer" : o.name) + (o.component ? "[" + o.component->name + "]" : "") + " = " +
                       cut(to_text(o.value, names))) +
               "\n";
  if (!answers.empty()) out += tag("pre", answers);
  return out + figure(picture_of_split(s, d), "One input, cut once. The merge of the two states is the state of the whole.");
}

std::string trees_part(const decision& d, const namer& names) {
  std::string out =
      heading("Every bracketing is legal") +
      figure(picture_of_trees(), "Lanes, threads, tiles, trees, splits and streams are trees over the same leaves; order is kept.");
  substitution element_before;
  for (const merged_variable& v : d.state) {
    if (!v.lift || !v.merge) return out;
    element_before[symbol(symbol_kind::left, v.name, v.type)] = v.lift;
    element_before[symbol(symbol_kind::right, v.name, v.type)] = symbol(symbol_kind::state, v.name, v.type);
  }
  std::vector<root> left, right;
  for (const merged_variable& v : d.state) {
    if (v.step) left.push_back({with_component(v, "′"), v.step, bool(v.extent)});
    right.push_back({with_component(v, "′"), substitute(v.merge, element_before), bool(v.extent)});
  }
  return out + paragraph("The fold from the left, one element after a state:") + equations(left, names) +
         paragraph("The fold from the right, one element before a state:") + equations(right, names);
}

std::string why_part(const decision& d, const namer& names) {
  if (!d.twist) return {};
  std::string rows = tag("tr", "<th>coordinate φ</th><th>base monoid</th><th>φ of one element</th>");
  for (const auto& c : d.twist->coordinates)
    rows += tag("tr", "<td><code>" + escaped(c.name) + "</code></td><td><code>" + escaped(c.monoid) + "</code></td><td><code>" +
                          (c.lift ? escaped(cut(to_text(c.lift, names))) : "") + "</code></td>");
  return heading("Why: a plain monoid in other coordinates") + paragraph(d.twist->words) +
         figure(picture_of_coordinates(d), "Transport of structure: a ⊙ b = φ⁻¹(φ(a) ⊕ φ(b)), and ⊙ is associative because ⊕ is.") +
         tag("div", tag("table", rows), "class=\"wide\"") +
         (d.twist->stable ? paragraph("Certificate: no exponent of the merge is ever positive, so no rescale can overflow.")
                          : std::string());
}

std::string proof_part(const decision& d, const circumstances& c) {
  if (!d.proof) return {};
  std::string out = heading("Proof") + paragraph((d.proof->proved ? "" : "Tested, not proved: ") + d.proof->method) +
                    bullets(d.proof->steps, "ol", "class=\"proof\"");
  if (!c.replayed.empty()) out += paragraph(c.replayed);
  if (!c.evidence_file.empty()) out += paragraph("Evidence: " + c.evidence_file);
  return out;
}

std::string machine_part(const spec& s, const decision& d, const circumstances& c) {
  std::string out;
  if (!c.behaviour.special.empty()) {
    std::string rows = tag("tr", "<th>value</th><th>splits</th><th>loop and merge</th><th>the shortest that differs</th>");
    for (const special_row& r : c.behaviour.special)
      rows += tag(
          "tr",
          "<td><code>" + escaped(r.value) + "</code></td><td>" + std::to_string(r.splits) + "</td><td>" +
              (r.differ == 0 ? "<span class=\"yes\">alike</span>" +
                                   std::string(r.rounded > 0 ? fmt::format(" <span class=\"soft\">{} by rounding</span>", r.rounded) : "")
                             : fmt::format("<span class=\"no\">differ on {}</span>", r.differ)) +
              "</td><td>" +
              (r.differ == 0 ? ""
                             : "<code>" + escaped(r.left + " | " + r.right) + "</code>: " + escaped(r.loop) + " and " + escaped(r.merge)) +
              "</td>");
    out += paragraph(
               "The verdict is about numbers. Every split of up to three elements, each the special value or 1, in the arithmetic of the "
               "loop:") +
           tag("div", tag("table", rows), "class=\"wide\"");
  }
  if (c.behaviour.rounding) out += paragraph(in_words(*c.behaviour.rounding));
  out += bullets(remarks(s, d));
  const std::vector<std::string> claims = accuracy::claims_in_words(d);
  if (!claims.empty()) out += paragraph(std::string("How wrong it can be, ") + accuracy::about_claims + ":") + bullets(claims);
  return out.empty() ? "" : heading("In machine arithmetic") + out;
}

std::string price_part(const spec& s, const decision& d) {
  return heading("Price, order and schedules") +
         bullets({price_in_words(price_of(s, d)), order_in_words(d), "open schedules: " + open_schedules(s)}) +
         tag("pre", escaped(fmt::format("{}\n", fmt::join(next_commands(s), "\n"))));
}

std::string assumptions_part(const spec& s, const decision& d, const circumstances& c) {
  std::vector<std::string> lines = d.assumptions.empty() ? s.assumptions : d.assumptions;
  for (const std::string& a : c.assumed) lines.push_back(a + " (given)");
  return lines.empty() ? "" : heading("Assuming") + bullets(lines);
}

std::string witness_part(const spec& s, const decision& d) {
  const counterexample& x = *d.counterexample;
  std::vector<std::string> with;
  if (x.elements.size() > 1) with.push_back(fmt::format("elements are ({})", fmt::join(x.elements, ", ")));
  for (const auto& [name, value] : x.parameters) with.push_back(name + " = " + value);
  std::string out =
      heading("The witness") + bullets(with) + figure(picture_of_witness(x), "Run the loop on both inputs: the answers are these.");
  const std::vector<trace> walked = traces_of(s, x);
  for (const trace& t : walked) {
    std::string head = "<th></th><th>start</th>", rows;
    for (const std::string& e : t.elements) head += "<th><code>" + escaped(e) + "</code></th>";
    for (std::size_t v = 0; v < t.variables.size(); ++v) {
      rows += "<tr><td><code>" + escaped(t.variables[v]) + "</code></td>";
      for (const auto& state : t.states) rows += "<td><code>" + escaped(state[v]) + "</code></td>";
      rows += "</tr>\n";
    }
    out += paragraph(t.title, "class=\"soft\"") + tag("div", tag("table", tag("tr", head) + rows), "class=\"wide\"");
  }
  return out + paragraph("So no merge of this state exists: given the same two states it would have to give two answers.");
}

std::string verdict_badge(const decision& d) {
  const char* style = d.verdict == verdict::associative       ? "verdict good"
                      : d.verdict == verdict::not_associative ? "verdict bad"
                                                              : "verdict unsure";
  return fmt::format("<p class=\"{}\">{}</p>\n", style, escaped(verdict_in_words(d)));
}

}  // namespace

std::string html_section(const spec& s, const decision& d, const circumstances& c, const std::string& source) {
  const namer names = names_of(s, d);
  const std::string file = s.where.file.empty() ? s.file : s.where.file;
  std::string out = paragraph(fmt::format("{}:{}:{}", file, s.where.line, std::max(1, s.where.column)), "class=\"where\"") +
                    tag("h1", "<code>" + escaped(s.function) + "</code>") +
                    (s.signature.empty() ? "" : paragraph(s.signature, "class=\"where code\"")) + verdict_badge(d);
  if (d.verdict == verdict::associative) out += facts(s, d, c);
  out += source_part(function_around(source, s.function, s.where.line), s.where.line);
  if (d.verdict == verdict::associative)
    out += state_part(d, names) + merge_part(s, d, names) + trees_part(d, names) + why_part(d, names) + proof_part(d, c) +
           machine_part(s, d, c) + price_part(s, d);
  if (d.counterexample) out += witness_part(s, d);
  if (d.verdict != verdict::associative) {
    if (!d.tried.empty()) out += heading("What was tried") + bullets(d.tried);
    const std::vector<std::string> more = remarks(s, d);
    if (!more.empty()) out += heading("Notes") + bullets(more);
  }
  return out + assumptions_part(s, d, c);
}

std::string html_page(const std::string& title, const std::vector<std::string>& names, const std::vector<std::string>& sections) {
  std::string body, contents;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    body += fmt::format("<section class=\"loop\" id=\"loop-{}\">\n{}</section>\n", i + 1, sections[i]);
    contents += fmt::format("<li><a href=\"#loop-{}\"><code>{}</code></a></li>\n", i + 1, escaped(names[i]));
  }
  if (sections.size() > 1) body = tag("nav", tag("ul", contents)) + body;
  const std::string marker =
      "<svg width=\"0\" height=\"0\" style=\"position: absolute\" aria-hidden=\"true\"><defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" "
      "refX=\"7\" refY=\"4\" "
      "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0 L8 4 L0 8 z\"/></marker></defs></svg>\n";
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\"/>\n" +
         tag("title", escaped(title)) + tag("style", html_style) + "</head>\n<body>\n" + marker + body +
         tag("footer", "Written by twofold " + escaped(version) + ". This page loads nothing and runs nothing.") + "</body>\n</html>\n";
}

excerpt function_around(const std::string& source, const std::string& function, int line, std::size_t most) {
  std::vector<std::string> lines;
  std::istringstream in(source);
  for (std::string l; std::getline(in, l);) lines.push_back(l);
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return {};
  std::size_t first = static_cast<std::size_t>(line) - 1;
  const std::string name = function.substr(function.rfind(':') + 1);
  for (std::size_t up = first + 1; up-- > 0;)
    if (const std::size_t at = lines[up].find(name); at != std::string::npos && lines[up].find('(', at) == at + name.size()) {
      first = up;
      break;
    }
  excerpt e;
  e.first = static_cast<int>(first) + 1;
  int depth = 0;
  bool opened = false;
  for (std::size_t i = first; i < lines.size() && e.lines.size() < most; ++i) {
    e.lines.push_back(lines[i]);
    for (const char c : lines[i]) depth += c == '{' ? 1 : c == '}' ? -1 : 0, opened |= c == '{';
    if (opened && depth <= 0) break;
  }
  return e;
}

}  // namespace twofold::cli
