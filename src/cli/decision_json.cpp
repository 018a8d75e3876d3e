// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Decision → JSON. Field names and their meaning are a contract: change them only together with the schema number.
#include "decision_json.hpp"

#include <algorithm>
#include <set>

#include "emit/sharing.hpp"
#include "ir/written_size.hpp"
#include "names.hpp"
#include "numerics/claims.hpp"
#include "price.hpp"
#include "words.hpp"

namespace twofold::cli {
using namespace analyser;
using json = nlohmann::ordered_json;

namespace {

const char* word(verdict v) {
  switch (v) {
    case verdict::associative:
      return "associative";
    case verdict::not_associative:
      return "not_associative";
    default:
      return "unknown";
  }
}
const char* word(ternary t) { return t == ternary::proved ? "proved" : t == ternary::refuted ? "refuted" : "unknown"; }

//! One expression. What would be long because it writes the same again and again (a product of polynomials over GF(2)) names its parts.
std::string expression(term t, const namer& names) {
  constexpr double longest = 4'000, most = 200'000;
  if (written_size(t) <= longest) return to_cpp(t, names);
  std::set<std::string> taken;
  for (const term s : symbols(t)) taken.insert(to_cpp(s, names));
  const shared s = share(
      {{"", t}}, {.fresh_names = true, .smallest = 1, .varies = {}, .taken = [&](const std::string& n) { return taken.contains(n); }});
  double size = written_size(s.values[0]);
  for (const let& l : s.lets) size += written_size(l.value);
  if (size > most) return "an expression of " + std::to_string(count_nodes({{t}})) + " distinct parts";
  std::string text = "[&] { ";
  for (const let& l : s.lets) text += "const " + cpp_name(l.value->type) + " " + l.name + " = " + to_cpp(l.value, names) + "; ";
  return text + "return " + to_cpp(s.values[0], names) + "; }()";
}
json text_or_null(term t, const namer& names) { return t ? json(expression(t, names)) : json(nullptr); }

json state_json(const decision& d, const namer& names) {
  const bool identity = has_identity(d);
  json state = json::array();
  for (const merged_variable& v : d.state) {
    json entry{{"name", v.name},
               {"type", cpp_name(v.type)},
               {"role", v.role == role::carried ? "carried" : "added"},
               {"identity", identity ? json(to_cpp(v.init, names)) : json(nullptr)}};
    if (v.extent) entry["extent"] = to_cpp(v.extent, names);
    state.push_back(std::move(entry));
  }
  return state;
}

json twist_json(const decision& d, const namer& names) {
  if (!d.twist) return nullptr;
  json coordinates = json::array();
  for (const auto& c : d.twist->coordinates)
    coordinates.push_back(
        {{"name", c.name}, {"monoid", c.monoid}, {"phi", text_or_null(c.phi, names)}, {"lift", text_or_null(c.lift, names)}});
  return {{"coordinates", coordinates}, {"words", d.twist->words}, {"stable", d.twist->stable}};
}

json proof_json(const decision& d, const circumstances& c) {
  if (!d.proof) return nullptr;
  json evidence{{"steps", d.proof->steps},
                {"file", c.evidence_file.empty() ? json(nullptr) : json(c.evidence_file)},
                {"replayed", c.replayed.empty() ? json(nullptr) : json(c.replayed)}};
  return {{"status", d.proof->proved ? "proved" : "tested"}, {"method", d.proof->method}, {"evidence", evidence}};
}

//! One entry an iteration: the value read, or the list of values where several are read.
json piece_json(const counterexample::piece& p) {
  json list = json::array();
  for (const auto& tuple : p) list.push_back(tuple.size() == 1 ? json(tuple[0]) : json(tuple));
  return list;
}

json counterexample_json(const decision& d) {
  if (!d.counterexample) return nullptr;
  const counterexample& x = *d.counterexample;
  json parameters = json::object();
  for (const auto& [name, value] : x.parameters) parameters[name] = value;
  return {{"left", piece_json(x.left)},
          {"right", piece_json(x.right)},
          {"right2", piece_json(x.right2)},
          {"suffix", piece_json(x.suffix)},
          {"result", x.result},
          {"result2", x.result2},
          {"state", x.state},
          {"elements", x.elements},
          {"parameters", parameters}};
}

json merge_json(const user_merge& m) {
  const char* verdict = m.answer.verdict == verdict::not_associative ? "refuted" : "unknown";
  if (m.answer.verdict == verdict::associative) verdict = m.answer.proof && m.answer.proof->proved ? "proved" : "tested";
  return {{"source", m.source}, {"verdict", verdict}, {"counterexample", counterexample_json(m.answer)}, {"tried", m.answer.tried}};
}

json cost_json(const spec& s, const decision& d) {
  json cost{{"state_bytes", state_bytes(d)}, {"merge_over_step", d.merge_over_step}};
  if (d.verdict != verdict::associative) return cost;
  const price p = price_of(s, d);
  cost["operations"] = {{"step", p.step}, {"step_of_merged_state", p.push}, {"merge", p.merge}};
  json from = json::object();
  for (const std::size_t workers : {2U, 4U, 8U, 16U, 64U}) {
    const auto n = p.pays_from(workers);
    from[std::to_string(workers)] = n ? json(*n) : json(nullptr);
  }
  cost["pays_from"] = from;
  return cost;
}

json order_json(const decision& d) {
  if (d.verdict != verdict::associative) return nullptr;
  const arrival a = arrival_of(d);
  const char* atomics = a == arrival::by_variable ? "each_variable"
                        : a == arrival::by_state  ? "whole_state"
                        : a == arrival::in_order  ? "none"
                                                  : "unknown";
  return {{"any_order", a == arrival::by_variable || a == arrival::by_state}, {"atomics", atomics}};
}

json machine_json(const circumstances& c) {
  const machine_behaviour& b = c.behaviour;
  if (b.special.empty()) return nullptr;
  json special = json::array();
  for (const special_row& r : b.special) {
    json row{{"value", r.value}, {"splits", r.splits}, {"rounded", r.rounded}, {"differ", r.differ}, {"first", nullptr}};
    if (r.differ > 0) row["first"] = {{"left", r.left}, {"right", r.right}, {"loop", r.loop}, {"merge", r.merge}};
    special.push_back(row);
  }
  json rounding = nullptr;
  if (b.rounding)
    rounding = {{"left", b.rounding->left}, {"right", b.rounding->right}, {"loop", b.rounding->loop}, {"merge", b.rounding->merge}};
  return {{"special_values", special}, {"rounding_witness", rounding}};
}

//! The state of one element; where the derivation needed no closed form of it, the step from the start.
term lift_of(const merged_variable& v, const decision& d) {
  if (v.lift || !v.step) return v.lift;
  substitution start;
  for (const merged_variable& u : d.state)
    if (u.init) start[symbol(symbol_kind::state, u.name, u.type)] = u.init;
  const term lift = substitute(v.step, start);
  return contains(lift, [](const node& n) { return n.is_symbol(symbol_kind::state); }) ? term{} : lift;
}

}  // namespace

bool has_identity(const decision& d) {
  bool neutral = true, outside = false;
  for (const merged_variable& v : d.state) {
    if (!v.init) return false;
    neutral = neutral && v.init_is_identity;
    outside = outside || v.init->is(op::infinity) || v.init->is(op::minus_infinity);
  }
  return neutral || outside;
}

std::size_t state_bytes(const decision& d) {
  std::size_t bytes = 0;
  for (const merged_variable& v : d.state) {
    const bool counted = v.extent && v.extent->is(op::number);
    const std::size_t components = counted ? v.extent->value.get_num().get_ui() : 1;
    bytes += components * std::max<std::size_t>(1, v.type.bits / 8u);
  }
  return bytes;
}

json to_json(const spec& s, const decision& d, const circumstances& c) {
  const namer names = names_of(s, d);
  json lift = json::object(), combine = json::object(), finalize = json::object();
  for (const merged_variable& v : d.state) {
    lift[v.name] = text_or_null(lift_of(v, d), names);
    combine[v.name] = text_or_null(v.merge, names);
  }
  for (const output& o : d.finalize) finalize[o.name] = text_or_null(o.value, names);
  std::vector<std::string> assumptions = d.assumptions.empty() ? s.assumptions : d.assumptions;
  assumptions.insert(assumptions.end(), c.assumed.begin(), c.assumed.end());
  json scope = nullptr;
  if (d.scope) scope = *d.scope == scope::this_state ? "this_state" : "any_constant_size";
  json out{{"schema", 1},
           {"file", s.file},
           {"function", s.function},
           {"line", s.where.line},
           {"verdict", word(d.verdict)},
           {"scope", scope},
           {"bounded_state", d.bounded_state},
           {"assumptions", assumptions},
           {"state", state_json(d, names)},
           {"lift", lift},
           {"combine", combine},
           {"finalize", finalize},
           {"commutative", word(d.commutative)},
           {"twist", twist_json(d, names)},
           {"proof", proof_json(d, c)},
           {"counterexample", counterexample_json(d)},
           {"cost", cost_json(s, d)},
           {"order", order_json(d)},
           {"machine", machine_json(c)},
           {"numerics", accuracy::claims_json(d)},
           {"tried", d.tried},
           {"notes", remarks(s, d)},
           {"time_ms", c.milliseconds}};
  if (!c.user_merge.source.empty()) out["merge"] = merge_json(c.user_merge);
  return out;
}

}  // namespace twofold::cli
