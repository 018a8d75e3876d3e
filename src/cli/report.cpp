// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The report. Every sentence says only what the decision holds; what is not known is not printed.
#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emit/sharing.hpp"
#include "meaning.hpp"
#include "names.hpp"
#include "next_steps.hpp"
#include "numerics/claims.hpp"
#include "page.hpp"
#include "words.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

constexpr std::size_t longest_formula = 800;  // about eight lines

std::string formula(term t, const namer& names) {
  std::string s = to_text(t, names);
  if (s.size() > longest_formula) s = s.substr(0, longest_formula) + " … (the whole of it: --json)";
  return s;
}

//! The verdict in colour, what explains it plain.
std::string verdict_line(const decision& d, style paint) {
  const std::string words = verdict_in_words(d);
  const std::size_t end = words.find(':') == std::string::npos ? words.size() : words.find(':') + 1;
  const std::string head = words.substr(0, end);
  return (d.verdict == verdict::associative       ? paint.good(head)
          : d.verdict == verdict::not_associative ? paint.bad(head)
                                                  : paint.unsure(head)) +
         words.substr(end);
}

std::string merge_line(const user_merge& m, style paint) {
  switch (m.answer.verdict) {
    case verdict::associative:
      return paint.good("this merge is right:") + " " + m.source + " computes what the loop computes";
    case verdict::not_associative:
      return paint.bad("this merge is wrong:") + " " + m.source + " does not compute what the loop computes";
    default:
      return paint.unsure("unknown:") + " whether " + m.source + " is right was neither proved nor refuted";
  }
}

std::string first_line(const spec& s, const decision& d, const circumstances& c, style paint) {
  std::string place = s.where.file.empty() ? s.file : s.where.file;
  if (s.where.line > 0) place += fmt::format(":{}:{}", s.where.line, std::max(1, s.where.column));
  return place + ": " + (c.user_merge.source.empty() ? verdict_line(d, paint) : merge_line(c.user_merge, paint));
}

void state_section(page& out, const decision& d, const namer& names) {
  const bool identity = has_identity(d);
  std::vector<page::row> rows;
  for (const role r : {role::carried, role::added})
    for (bool first = true; const merged_variable& v : d.state) {
      if (v.role != r) continue;
      const std::string label = !first ? "" : r == role::added ? "added" : "state";
      rows.push_back({label,
                      {v.name + (v.extent ? "[" + to_text(v.extent, names) + "]" : ""), meaning(v, d, names), cpp_name(v.type),
                       identity ? "identity " + to_text(v.init, names) : ""}});
      first = false;
    }
  out.table(rows);
  if (!identity) out.add("empty", "no value of the state stands for \"no elements\": the empty state is adjoined");
  std::vector<std::string> reasons;
  for (const merged_variable& v : d.state)
    if (!v.why.empty()) reasons.push_back(v.name + ": " + v.why);
  out.add("because", reasons);
}

std::vector<std::string> equations(const std::vector<root>& roots, const namer& names, const char* gets) {
  const shared s = share(roots, {.fresh_names = false, .smallest = 2, .varies = {}, .taken = {}});
  std::vector<std::string> lines;
  std::size_t width = 0;
  for (const root& r : roots) width = std::max(width, columns(r.name));
  // What others use comes first: the order in which one would compute it.
  for (const let& l : s.lets) lines.push_back(padded(l.name, width) + " " + gets + " " + formula(l.value, names));
  for (std::size_t i = 0; i < roots.size(); ++i)
    if (!s.is_let[i]) lines.push_back(padded(roots[i].name, width) + " " + gets + " " + formula(s.values[i], names));
  return lines;
}

void merge_section(page& out, const decision& d, const namer& names) {
  std::vector<root> roots;
  for (const merged_variable& v : d.state)
    if (v.merge) roots.push_back({v.name + (v.extent && v.component ? "[" + v.component->name + "]" : ""), v.merge, bool(v.extent)});
  out.add("merge", equations(roots, names, "="));
  std::vector<std::string> answers;
  for (const output& o : d.finalize)
    answers.push_back((o.name == "return" ? "" : o.name + (o.component ? "[" + o.component->name + "]" : "") + " = ") +
                      formula(o.value, names));
  for (const auto& [variable, value] : d.decode) answers.push_back(variable->name + " = " + formula(value, names));
  out.add("answer", answers);
}

//! From the right: what one element does in front of a state, lift(x) ⊙ s. New values carry a prime.
void folds_section(page& out, const decision& d, const namer& names) {
  substitution element_before;
  for (const merged_variable& v : d.state) {
    if (!v.lift || !v.merge) return;
    element_before[symbol(symbol_kind::left, v.name, v.type)] = v.lift;
    element_before[symbol(symbol_kind::right, v.name, v.type)] = symbol(symbol_kind::state, v.name, v.type);
  }
  std::vector<root> roots;
  for (const merged_variable& v : d.state)
    roots.push_back({v.name + "'" + (v.extent && v.component ? "[" + v.component->name + "]" : ""), substitute(v.merge, element_before),
                     bool(v.extent)});
  std::vector<std::string> lines{"from the left: the loop itself; from the right, an element before a state:"};
  const std::vector<std::string> right = equations(roots, names, "=");
  const auto longer = [](const std::string& line) { return line.size() > longest_formula; };
  if (std::any_of(right.begin(), right.end(), longer))
    lines.push_back("  too long to be read here: the merge with the lift of one element on its left");
  else
    for (const std::string& line : right) lines.push_back("  " + line);
  out.add("both folds", lines);
}

void why_section(page& out, const decision& d) {
  if (!d.twist) return;
  if (!d.twist->words.empty()) return out.add("why", d.twist->words);
  std::vector<std::string> coordinates, monoids;
  for (const auto& c : d.twist->coordinates) {
    coordinates.push_back(c.name);
    monoids.push_back(c.monoid);
  }
  out.add("why",
          fmt::format("in the coordinates ({}) the loop is the plain monoid ({})", fmt::join(coordinates, ", "), fmt::join(monoids, ", ")));
}

void proof_section(page& out, const decision& d, const circumstances& c) {
  if (d.proof) {
    std::vector<std::string> lines{(d.proof->proved ? "" : "tested, not proved: ") + d.proof->method};
    if (!c.replayed.empty()) lines.push_back(c.replayed);
    if (!c.evidence_file.empty()) lines.push_back("evidence: " + c.evidence_file);
    out.add("proof", lines);
  }
  out.add("order", order_in_words(d));
}

void rounding_section(page& out, const spec& s, const decision& d, const circumstances& c) {
  std::vector<std::string> lines;
  const bool exponents = std::any_of(d.state.begin(), d.state.end(), [](const merged_variable& v) {
    return v.merge && contains(v.merge, [](const node& n) { return n.is(op::call) && n.name.starts_with("exp"); });
  });
  if (exponents && d.twist && d.twist->stable) lines.push_back("no exponent of the merge is ever positive: no rescale can overflow");
  for (const std::string& note : remarks(s, d)) lines.push_back(note);
  if (c.behaviour.rounding) lines.push_back(in_words(*c.behaviour.rounding));
  out.add("rounding", lines);
  std::vector<std::string> claims = accuracy::claims_in_words(d);
  if (!claims.empty()) claims.push_back(accuracy::about_claims);
  out.add("numerics", claims);
  if (!c.behaviour.special.empty()) out.add("special", in_words(c.behaviour.special));
}

void assumptions_section(page& out, const spec& s, const decision& d, const circumstances& c) {
  std::vector<std::string> lines = d.assumptions.empty() ? s.assumptions : d.assumptions;
  for (const std::string& a : c.assumed) lines.push_back(a + " (given)");
  out.add("assuming", lines);
}

std::string piece_text(const counterexample::piece& p) {
  std::vector<std::string> entries;
  for (const auto& tuple : p) entries.push_back(tuple.size() == 1 ? tuple[0] : fmt::format("({})", fmt::join(tuple, ", ")));
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

//! "(a, b) = (1, 2)", whichever way the decision words it.
std::string state_text(const decision& d, const counterexample& x) {
  if (x.state.find('=') != std::string::npos || d.state.empty()) return x.state;
  std::vector<std::string> names;
  for (const merged_variable& v : d.state) names.push_back(v.name);
  return fmt::format("({}) = {}", fmt::join(names, ", "), x.state);
}

void setting_section(page& out, const counterexample& x) {
  if (x.elements.size() > 1) out.add("elements", fmt::format("({})", fmt::join(x.elements, ", ")));
  std::vector<std::string> values;
  for (const auto& [name, value] : x.parameters)
    if (const std::string line = name + " = " + value; std::find(values.begin(), values.end(), line) == values.end())
      values.push_back(line);
  out.add("with", values);
}

void witness_section(page& out, const decision& d) {
  const counterexample& x = *d.counterexample;
  setting_section(out, x);
  const std::string state = state_text(d, x),
                    names = state.find(" = ") == std::string::npos ? "this state" : state.substr(0, state.find(" = "));
  out.table({{"right", {piece_text(x.right), "→ " + state}}, {"right'", {piece_text(x.right2), "→ the same state"}}});
  const std::string suffix = x.suffix.empty() ? "" : " and before " + piece_text(x.suffix);
  out.add("yet", "after " + piece_text(x.left) + suffix + " the first gives " + x.result + ", the second " + x.result2);
  out.add("so", "no merge exists for " + names + ": it would have to give both answers");
}

void associative_page(page& out, const spec& s, const decision& d, const circumstances& c) {
  const namer names = names_of(s, d);
  state_section(out, d, names);
  merge_section(out, d, names);
  why_section(out, d);
  folds_section(out, d, names);
  proof_section(out, d, c);
  rounding_section(out, s, d, c);
  assumptions_section(out, s, d, c);
  std::vector<std::string> cost{
      fmt::format("the state takes {} bytes{}", state_bytes(d), has_vectors(d) ? " and the rest of its vectors" : "")};
  cost.push_back(price_in_words(price_of(s, d)));
  out.add("cost", cost);
  out.add("schedules", open_schedules(s));
  out.add_whole("next", next_commands(s));
}

void unknown_page(page& out, const spec& s, const decision& d, const circumstances& c) {
  out.add("tried", d.tried);
  out.add("notes", d.notes);
  assumptions_section(out, s, d, c);
  out.add_whole("next", {"more time:         twofold check --seconds 60 …", "your own merge:    twofold check … --merge FILE:COMBINE",
                         "a narrower domain: twofold check … --assume 'n>=1, x>=0'"});
}

//! A merge that is wrong or undecided: what shows it, and what is known of the loop beside it.
void user_merge_page(page& out, const spec& s, const decision& d, const circumstances& c) {
  if (const auto& x = c.user_merge.answer.counterexample) {
    setting_section(out, *x);
    out.table({{"left", {piece_text(x->left)}}, {"right", {piece_text(x->right)}}});
    out.table({{"the loop", {x->result2}}, {"your merge", {x->result}}});
  } else {
    out.add("tried", c.user_merge.answer.tried);
  }
  out.add("loop itself", verdict_line(d, {}) + (d.verdict == verdict::associative ? "; a merge that is right:" : ""));
  if (d.verdict == verdict::associative) {
    const namer names = names_of(s, d);
    state_section(out, d, names);
    merge_section(out, d, names);
  }
  assumptions_section(out, s, d, c);
}

}  // namespace

std::string report(const spec& s, const decision& d, const circumstances& c, style paint) {
  page out(paint);
  out.title(first_line(s, d, c, paint));
  if (!c.user_merge.source.empty() && c.user_merge.answer.verdict != verdict::associative) {
    user_merge_page(out, s, d, c);
  } else if (d.verdict == verdict::associative) {
    associative_page(out, s, d, c);
  } else if (d.verdict == verdict::not_associative) {
    if (d.counterexample) witness_section(out, d);
    out.add("tried", d.tried);
    out.add("notes", d.notes);
    assumptions_section(out, s, d, c);
  } else {
    unknown_page(out, s, d, c);
  }
  return out.text();
}

}  // namespace twofold::cli
