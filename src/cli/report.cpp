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
#include "page.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

constexpr std::size_t longest_formula = 3000;

std::string formula(term t, const namer& names) {
  std::string s = to_text(t, names);
  if (s.size() > longest_formula) s = s.substr(0, longest_formula) + " … (the whole of it: --json)";
  return s;
}

std::string first_line(const spec& s, const decision& d, const circumstances& c, style paint) {
  std::string place = s.where.file.empty() ? s.file : s.where.file;
  if (s.where.line > 0) place += fmt::format(":{}:{}", s.where.line, std::max(1, s.where.column));
  place += ": ";
  const bool added = std::any_of(d.state.begin(), d.state.end(), [](const auto& v) { return v.role == role::added; });
  switch (d.verdict) {
    case verdict::associative:
      if (!c.user_merge.empty()) return place + paint.good("this merge is right:") + " " + c.user_merge + " computes what the loop computes";
      if (added) return place + paint.good("associative with added state");
      return place + paint.good("associative:") + " states of neighbouring pieces merge";
    case verdict::not_associative:
      if (!c.user_merge.empty()) return place + paint.bad("this merge is wrong:") + " " + c.user_merge + " does not compute what the loop computes";
      if (d.scope == scope::any_constant_size) return place + paint.bad("not associative:") + " with no state of constant size";
      return place + paint.bad("not associative with this state");
    default: return place + paint.unsure("unknown:") + " neither a merge nor a reason against one was found";
  }
}

void state_section(page& out, const decision& d, const namer& names) {
  std::vector<std::vector<std::string>> carried, added;
  for (const merged_variable& v : d.state) {
    const std::string name = v.name + (v.extent ? "[" + to_text(v.extent, names) + "]" : "");
    const std::string identity = v.init && v.init_is_identity ? "identity " + to_text(v.init, names) : "no identity: the empty state is adjoined";
    (v.role == role::carried ? carried : added).push_back({name, meaning(v, d, names), cpp_name(v.type), identity});
  }
  out.table("state", carried);
  out.table(carried.empty() ? "state" : "added", added);
  for (const merged_variable& v : d.state)
    if (!v.why.empty()) out.add("because", v.name + ": " + v.why);
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
  for (const output& o : d.finalize) answers.push_back((o.name == "return" ? "" : o.name + (o.component ? "[" + o.component->name + "]" : "") + " = ") + formula(o.value, names));
  out.add("answer", answers);
}

//! From the right: what one element does in front of a state, lift(x) ⊙ s.
void folds_section(page& out, const decision& d, const namer& names) {
  substitution element_before;
  for (const merged_variable& v : d.state) {
    if (!v.lift || !v.merge) return;
    element_before[symbol(symbol_kind::left, v.name, v.type)] = v.lift;
    element_before[symbol(symbol_kind::right, v.name, v.type)] = symbol(symbol_kind::state, v.name, v.type);
  }
  std::vector<std::string> lines{"from the left: the loop itself; from the right, one element before a state:"};
  for (const merged_variable& v : d.state) lines.push_back(v.name + " ← " + formula(substitute(v.merge, element_before), names));
  out.add("both folds", lines);
}

void why_section(page& out, const decision& d) {
  if (!d.twist) return;
  std::vector<std::string> coordinates, monoids;
  for (const auto& c : d.twist->coordinates) {
    coordinates.push_back(c.name);
    monoids.push_back(c.monoid);
  }
  std::vector<std::string> lines;
  if (!coordinates.empty())
    lines.push_back(fmt::format("in the coordinates ({}) the loop is the plain monoid ({})", fmt::join(coordinates, ", "), fmt::join(monoids, ", ")));
  if (!d.twist->words.empty()) lines.push_back(d.twist->words);
  out.add("why", lines);
}

void proof_section(page& out, const decision& d, const circumstances& c) {
  if (d.proof) {
    std::vector<std::string> lines{(d.proof->proved ? "" : "tested, not proved: ") + d.proof->method};
    if (!c.replayed.empty()) lines.push_back(c.replayed);
    if (!c.evidence_file.empty()) lines.push_back("evidence: " + c.evidence_file);
    out.add("proof", lines);
  }
  const char* order = d.commutative == ternary::proved    ? "pieces may also be swapped: the merge is commutative (proved)"
                      : d.commutative == ternary::refuted ? "left and right matter: the merge is not commutative"
                                                          : "left and right are kept apart: commutativity is not decided";
  out.add("order", order);
}

void rounding_section(page& out, const spec& s, const decision& d) {
  std::vector<std::string> lines;
  if (d.twist && d.twist->stable) lines.push_back("no exponent of the merge is ever positive: no rescale can overflow");
  lines.insert(lines.end(), d.notes.begin(), d.notes.end());
  for (const std::string& note : s.notes)
    if (std::find(lines.begin(), lines.end(), note) == lines.end()) lines.push_back(note);
  const bool real = std::any_of(d.state.begin(), d.state.end(), [](const auto& v) { return v.type.kind == sort::real; });
  if (real) lines.push_back("the verdict is about real numbers: another bracketing rounds differently; `run` shows by how much on your data");
  out.add("rounding", lines);
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

void witness_section(page& out, const decision& d, const circumstances& c) {
  const counterexample& x = *d.counterexample;
  if (x.elements.size() > 1) out.add("elements", fmt::format("({})", fmt::join(x.elements, ", ")));
  for (const auto& [name, value] : x.parameters) out.add("with", name + " = " + value);
  const bool two_pieces = c.user_merge.empty();
  std::vector<std::string> names;
  for (const merged_variable& v : d.state) names.push_back(v.name);
  const std::string state = names.empty() ? "the state" : fmt::format("({})", fmt::join(names, ", "));
  if (two_pieces) {
    out.table("right", {{piece_text(x.right), "ends in " + state + " = " + x.state}});
    out.table("right'", {{piece_text(x.right2), "ends in the same state"}});
    const std::string suffix = x.suffix.empty() ? "" : " and before " + piece_text(x.suffix);
    out.add("yet", {"after " + piece_text(x.left) + suffix + " the answers differ:", "with right   " + x.result, "with right'  " + x.result2});
    out.add("so", "no merge exists for " + state + ": it would have to give both answers");
  } else {
    out.table("left", {{piece_text(x.left)}});
    out.table("right", {{piece_text(x.right)}});
    out.add("loop", x.result);
    out.add("merge", x.result2);
  }
}

void associative_page(page& out, const spec& s, const decision& d, const circumstances& c) {
  const namer names = names_of(s, d);
  state_section(out, d, names);
  merge_section(out, d, names);
  why_section(out, d);
  folds_section(out, d, names);
  proof_section(out, d, c);
  rounding_section(out, s, d);
  assumptions_section(out, s, d, c);
  std::vector<std::string> cost{fmt::format("the state takes {} bytes{}", state_bytes(d), has_vectors(d) ? " and the rest of its vectors" : "")};
  if (d.merge_over_step > 0) cost[0] += fmt::format("; a merge costs as much as {:.1f} steps of the loop", d.merge_over_step);
  out.add("cost", cost);
  out.add("schedules", open_schedules(s));
  out.add("next", next_commands(s));
}

void unknown_page(page& out, const spec& s, const decision& d, const circumstances& c) {
  out.add("tried", d.tried);
  out.add("notes", d.notes);
  assumptions_section(out, s, d, c);
  out.add("next", {"more time:         twofold check --seconds 60 …", "your own merge:    twofold check … --merge FILE:COMBINE",
                   "a narrower domain: twofold check … --assume 'n>=1, x>=0'"});
}

}  // namespace

std::string report(const spec& s, const decision& d, const circumstances& c, style paint) {
  page out(paint);
  out.title(first_line(s, d, c, paint));
  if (d.verdict == verdict::associative) {
    associative_page(out, s, d, c);
  } else if (d.verdict == verdict::not_associative) {
    if (d.counterexample) witness_section(out, d, c);
    out.add("tried", d.tried);
    out.add("notes", d.notes);
    assumptions_section(out, s, d, c);
  } else {
    unknown_page(out, s, d, c);
  }
  return out.text();
}

}  // namespace twofold::cli
