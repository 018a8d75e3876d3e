// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Prices, orders and witnesses in words.
#include "words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "difference.hpp"
#include "trial.hpp"

namespace twofold::cli {
using namespace analyser;

std::string verdict_in_words(const decision& d) {
  const bool added = std::any_of(d.state.begin(), d.state.end(), [](const auto& v) { return v.role == role::added; });
  switch (d.verdict) {
    case verdict::associative:
      return added ? "associative with added state" : "associative: states of neighbouring pieces merge";
    case verdict::not_associative:
      return d.scope == scope::any_constant_size ? "not associative: with no state of constant size" : "not associative with this state";
    default:
      return "unknown: neither a merge nor a reason against one was found";
  }
}

std::string price_in_words(const price& p) {
  std::string r =
      fmt::format("a merge costs as much as {:.1f} steps of the loop", static_cast<double>(p.merge) / static_cast<double>(p.step));
  if (p.push != p.step)
    r += fmt::format(", a step with the merged state {:.1f}", static_cast<double>(p.push) / static_cast<double>(p.step));
  std::string from;
  for (const std::size_t workers : {2U, 8U, 64U})
    if (const auto n = p.pays_from(workers)) from += fmt::format("{}among {} from {} elements on", from.empty() ? "" : ", ", workers, *n);
  return r + (from.empty() ? "; splitting among up to 64 workers does not pay" : "; splitting pays " + from + " (operations alone)");
}

std::string order_in_words(const decision& d) {
  std::string r;
  switch (arrival_of(d)) {
    case arrival::by_variable:
      r = "pieces may be merged in any order: each variable may be an atomic of its own";
      break;
    case arrival::by_state:
      r = "pieces may be merged in any order, but the variables together: by a lock, or by exchanging the whole state at once";
      break;
    case arrival::in_order:
      return "order matters: pieces are merged with their neighbours only, so no atomics";
    default:
      return "whether order matters is not decided: pieces are merged with their neighbours only, so no atomics";
  }
  return r + (merge_rounds(d) ? "; the rounding then depends on who comes first" : "");
}

std::string in_words(const rounding_witness& w) {
  return fmt::format("the law holds for real numbers; rounded, on {} | {} the loop gives {}, the merge {}", w.left, w.right, w.loop,
                     w.merge);
}

std::string in_words(const std::vector<special_row>& rows) {
  std::vector<std::string> alike, other;
  for (const special_row& r : rows) {
    if (r.splits == 0) continue;
    if (r.differ == 0) alike.push_back(r.value);
    else
      other.push_back(fmt::format("{} on {} of {} splits, first on {} | {}: the loop {}, the merge {}", r.value, r.differ, r.splits, r.left,
                                  r.right, r.loop, r.merge));
  }
  std::string text = "loop and merge, cut between up to three values: ";
  if (!alike.empty()) text += fmt::format("alike for {}", fmt::join(alike, ", "));
  if (!other.empty()) text += fmt::format("{}different for {}", alike.empty() ? "" : "; ", fmt::join(other, "; for "));
  return text;
}

std::vector<std::string> remarks(const spec& s, const decision& d) {
  std::vector<std::string> lines;
  for (const auto* notes : {&d.notes, &s.notes})
    for (const std::string& note : *notes)
      if (std::find(lines.begin(), lines.end(), note) == lines.end()) lines.push_back(note);
  return lines;
}

namespace {

std::optional<machine> read(const std::string& text, type t) {
  if (t.kind == sort::boolean) return machine{std::uint64_t{text == "1" || text == "true" ? 1U : 0U}};
  mpq_class q;
  if (text.empty() || q.set_str(text, 10) != 0 || q.get_den() == 0) return std::nullopt;
  q.canonicalize();
  if (t.kind == sort::real) return convert({q.get_d()}, t);
  return q.get_den() == 1 && q.get_num().fits_slong_p() ? std::optional(convert({std::int64_t{q.get_num().get_si()}}, t)) : std::nullopt;
}

std::string tuple_text(const std::vector<std::string>& t) { return t.size() == 1 ? t[0] : fmt::format("({})", fmt::join(t, ", ")); }

trace walk(trial& small, const spec& s, const std::string& title, const counterexample::piece& input) {
  trace t;
  t.title = title;
  readings w;
  const auto note = [&] {
    std::vector<std::string>& row = t.states.emplace_back();
    const machine_state now = small.loop_state(w);
    for (std::size_t v = 0; v < now.size(); ++v) row.push_back(to_text(now[v], s.passes[0].state[v].type));
  };
  for (const state_variable& v : s.passes[0].state) t.variables.push_back(v.name);
  note();
  for (const auto& tuple : input) {
    reading& r = w.emplace_back();
    for (std::size_t k = 0; k < tuple.size(); ++k) {
      const auto v = read(tuple[k], small.elements()[k]->type);
      if (!v) throw evaluation_error("a value that is not a number");
      r.push_back(*v);
    }
    t.elements.push_back(tuple_text(tuple));
    note();
  }
  return t;
}

counterexample::piece joined(const counterexample::piece& a, const counterexample::piece& b, const counterexample::piece& c) {
  counterexample::piece r = a;
  r.insert(r.end(), b.begin(), b.end());
  r.insert(r.end(), c.begin(), c.end());
  return r;
}

}  // namespace

std::vector<trace> traces_of(const spec& s, const counterexample& x) {
  if (s.passes.size() != 1 || s.passes[0].position_aware) return {};
  const std::unique_ptr<trial> small = trial::of(s, {});
  if (!small) return {};
  for (const auto& p : {x.left, x.right, x.right2, x.suffix})
    for (const auto& tuple : p)
      if (tuple.size() != small->elements().size()) return {};
  try {
    for (const auto& [name, value] : x.parameters)
      for (const parameter& p : s.parameters)
        if (p.name == name)
          if (const auto v = read(value, p.element)) small->set_parameter(name, *v);
    return {walk(*small, s, "The one right piece", x.right), walk(*small, s, "The other, which ends in the same state", x.right2),
            walk(*small, s, "The one after the left piece", joined(x.left, x.right, x.suffix)),
            walk(*small, s, "The other after the left piece", joined(x.left, x.right2, x.suffix))};
  } catch (const evaluation_error&) {
    return {};
  }
}

}  // namespace twofold::cli
