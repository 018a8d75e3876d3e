// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Words for the merges that have plain ones.
#include "meaning.hpp"

#include <optional>
#include <set>

namespace twofold::cli {
using namespace analyser;

namespace {

bool is_side(term t, symbol_kind side, const std::string& name) { return t->is_symbol(side) && t->name == name; }

std::optional<std::string> fold_word(op kind) {
  switch (kind) {
    case op::add:
      return "sum";
    case op::mul:
      return "product";
    case op::max:
      return "maximum";
    case op::min:
      return "minimum";
    case op::logical_and:
      return "whether all";
    case op::logical_or:
      return "whether any";
    case op::bit_xor:
      return "exclusive or";
    default:
      return std::nullopt;
  }
}

term without_casts(term t) {
  while (t->is(op::cast)) t = t->args[0];
  return t;
}

//! The exponent where t is exp(…) or exp(…)·rest.
struct exponential {
  term exponent, rest;
};
std::optional<exponential> as_exponential(term t) {
  t = without_casts(t);
  if (t->is(op::call) && t->name == "exp") return exponential{without_casts(t->args[0]), {}};
  if (!t->is(op::mul)) return std::nullopt;
  for (std::size_t i : {std::size_t{0}, std::size_t{1}})
    if (const term e = without_casts(t->args[i]); e->is(op::call) && e->name == "exp")
      return exponential{without_casts(e->args[0]), without_casts(t->args[1 - i])};
  return std::nullopt;
}

//! l with coordinate l·e^m that gains r·e^w per element is the sum of r·e^(w − m).
std::string from_coordinate(const merged_variable& v, const twist& t, const namer& names) {
  for (const auto& c : t.coordinates) {
    if (!c.phi || !c.lift || c.monoid != "+") continue;
    const auto unit = as_exponential(c.phi), gain = as_exponential(c.lift);
    if (!unit || !gain || !unit->rest || !unit->rest->is_symbol(symbol_kind::state) || unit->rest->name != v.name) continue;
    const term weight = call("exp", {sub(gain->exponent, unit->exponent)}, v.type);
    return "sum of " + to_text(gain->rest ? mul(weight, gain->rest) : weight, names);
  }
  return {};
}

}  // namespace

namespace {
std::string in_words(const merged_variable& v, const decision& d, const namer& names) {
  if (d.twist)
    if (std::string s = from_coordinate(v, *d.twist, names); !s.empty()) return s;
  if (!v.merge || !v.lift) return {};
  const std::string lift = to_text(v.lift, names);
  if (is_side(v.merge, symbol_kind::left, v.name)) return "that of the first element";
  if (is_side(v.merge, symbol_kind::right, v.name)) return "that of the last element";
  const auto fold = fold_word(v.merge->kind);
  if (!fold || v.merge->args.size() != 2) return {};
  const bool plain = (is_side(v.merge->args[0], symbol_kind::left, v.name) && is_side(v.merge->args[1], symbol_kind::right, v.name)) ||
                     (is_side(v.merge->args[1], symbol_kind::left, v.name) && is_side(v.merge->args[0], symbol_kind::right, v.name));
  if (!plain) return {};
  if (*fold == "sum" && is_number(v.lift, 1)) return "number of elements";
  if (fold->starts_with("whether")) return *fold + ": " + lift;
  return *fold + " of " + lift;
}

}  // namespace

std::string meaning(const merged_variable& v, const decision& d, const namer& names) {
  constexpr std::size_t longest = 60;  // beyond that the formulas below are easier to read
  std::string words = in_words(v, d, names);
  return words.size() > longest ? std::string() : words;
}

}  // namespace twofold::cli
