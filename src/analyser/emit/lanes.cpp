// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Writes the merge over vector lanes: every operation a constant of its own, choices by select, truth values as masks beside the
//! numbers that were compared.
#include "emit/lanes.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "emit/structure.hpp"

namespace twofold::analyser {
namespace {

struct no_lanes {};

constexpr std::size_t most_fields = 8;  // what the library takes states and operators apart into

bool is_lane(type t) { return (t.kind == sort::real || t.kind == sort::integer) && (t.bits == 32 || t.bits == 64); }

class function_writer {
 public:
  function_writer(const structure& s, spelling how) : s_(s), how_(std::move(how)), names_(s.names) {}

  //! The operand that stands for the term; what it needs is written before.
  std::string operand(term t) {
    if (const auto known = known_.find(t); known != known_.end()) return known->second;
    const std::string text = expression(*t);
    if (t->args.empty() && t->is(op::symbol)) return known_[t] = text;
    const std::string name = names_.make("x_" + std::to_string(known_.size()));
    body += fmt::format("    const auto {} = {};\n", name, text);
    return known_[t] = name;
  }

  std::string body;

 private:
  static void expect(bool right) {
    if (!right) throw no_lanes{};
  }
  static std::string lanes_of(type t) {
    expect(is_lane(t));
    return "Lanes<" + cpp_name(t) + ">";
  }
  //! What a truth value lies beside: the type of the numbers that were compared.
  type beside(term condition) const {
    const node& n = *condition;
    if (n.is(op::less) || n.is(op::less_equal) || n.is(op::equal)) {
      expect(is_lane(n.args[0]->type) && n.args[0]->type == n.args[1]->type && !n.args[0]->type.is_modular());
      return n.args[0]->type;
    }
    expect(n.is(op::logical_and) || n.is(op::logical_or) || n.is(op::logical_not));
    const type first = beside(n.args[0]);
    expect(n.args.size() == 1 || beside(n.args[1]) == first);
    return first;
  }
  std::string chosen(term condition, const std::string& yes, const std::string& no, type t) {
    expect(beside(condition) == t);
    return fmt::format("twofold::math::select({}, {}, {})", operand(condition), yes, no);
  }
  std::string binary(const node& n, const char* sign) { return operand(n.args[0]) + " " + sign + " " + operand(n.args[1]); }
  std::string function(const char* name, const node& n) { return fmt::format("twofold::math::{}({})", name, operand(n.args[0])); }

  std::string symbol_text(const node& n) const {
    expect(is_lane(n.type));
    const bool of_state = n.symbol == symbol_kind::state || n.symbol == symbol_kind::left || n.symbol == symbol_kind::right;
    expect(of_state || s_.input_names.contains(term(&n)) || n.symbol == symbol_kind::parameter);
    return s_.text(term(&n), how_);
  }

  std::string expression(const node& n) {
    if (n.type.kind != sort::boolean) lanes_of(n.type);
    const bool real = n.type.kind == sort::real;
    switch (n.kind) {
      case op::number:
      case op::infinity:
      case op::minus_infinity:
      case op::nan:
        return lanes_of(n.type) + "(" + to_cpp(term(&n)) + ")";
      case op::symbol:
        return symbol_text(n);
      case op::add:
        return binary(n, "+");
      case op::mul:
        expect(real || n.type.bits == 32);
        return binary(n, "*");
      case op::div:
        expect(real);
        return binary(n, "/");
      case op::neg:
        return "-" + operand(n.args[0]);
      case op::min:
      case op::max: {
        expect(!n.type.is_modular() && n.args[0]->type == n.type && n.args[1]->type == n.type);
        const std::string a = operand(n.args[0]), b = operand(n.args[1]);
        const bool least = n.is(op::min);  // as std::min and std::max choose
        return fmt::format("twofold::math::select({} < {}, {}, {})", least ? b : a, least ? a : b, b, a);
      }
      case op::abs:
        expect(real);
        return function("fabs", n);
      case op::less:
        beside(term(&n));
        return binary(n, "<");
      case op::less_equal:
        beside(term(&n));
        return binary(n, "<=");
      case op::equal:
        beside(term(&n));
        return binary(n, "==");
      case op::logical_and:
        beside(term(&n));
        return binary(n, "&");
      case op::logical_or:
        beside(term(&n));
        return binary(n, "|");
      case op::logical_not:
        beside(term(&n));
        return "!" + operand(n.args[0]);
      case op::select:
        return chosen(n.args[0], operand(n.args[1]), operand(n.args[2]), n.type);
      case op::cast: {
        const term from = n.args[0];
        if (from->type.kind == sort::boolean) {
          const std::string to = lanes_of(n.type);
          return chosen(from, to + "(1)", to + "(0)", n.type);
        }
        expect(real || (from->type.kind == sort::integer && from->type.is_signed && from->type.bits <= n.type.bits));  // no value is lost
        return lanes_of(n.type) + "(" + operand(from) + ")";
      }
      case op::call: {
        static const std::set<std::string> known{"exp", "log", "sqrt", "fabs"};
        expect(real && n.args.size() == 1 && known.contains(n.name) && n.args[0]->type == n.type);
        return function(n.name.c_str(), n);
      }
      default:
        throw no_lanes{};
    }
  }

  const structure& s_;
  spelling how_;
  identifiers names_;
  std::map<term, std::string> known_;
};

class lane_writer {
 public:
  lane_writer(structure s, std::string name) : s_(std::move(s)), name_(std::move(name)) {}

  std::string write() {
    const bool small = s_.state.size() + (s_.has_flag ? 1 : 0) <= most_fields && s_.members.size() <= most_fields;
    if (!small || s_.state.empty() || s_.inputs.empty()) throw no_lanes{};
    std::string members, fields, inputs;
    for (const emitted_member& m : s_.members) {
      if (m.is_array || m.parameter.empty()) throw no_lanes{};
      members += fmt::format("  Lanes<{}> {};\n", m.type, m.name);
    }
    for (const structure_variable& v : s_.state) {
      if (v.from->extent || !is_lane(v.kept)) throw no_lanes{};
      fields += fmt::format("    Lanes<{}> {};\n", cpp_name(v.kept), v.field);
    }
    if (s_.has_flag) fields += "    bool some = true;  // of every lane\n";
    for (const emitted_input& i : s_.inputs) {
      if (i.array.empty() || i.row_extent || !is_lane(i.type)) throw no_lanes{};
      inputs += fmt::format("{}[[maybe_unused]] const Lanes<{}>& {}", inputs.empty() ? "" : ", ", cpp_name(i.type), i.name);
    }
    return "//! The same merge over vector lanes; a lane is never empty.\ntemplate <template <class> class Lanes>\nstruct " + name_ +
           "_lanes {\n" + members + "  struct state {\n" + fields + "  };\n" +
           function("state lift(" + inputs + ") const", "state s;\n", {"s", "s", "s"}, &structure_variable::lift, "s", "    return s;\n") +
           function("void push_into(state& s, " + inputs + ") const", "", {"s", "s", "s"}, &structure_variable::step, "s", "") +
           function("void combine_into(state& a, const state& b) const", "", {"a", "a", "b"}, &structure_variable::merge, "a", "") +
           "  state combine(state a, const state& b) const {\n    combine_into(a, b);\n    return a;\n  }\n};\n";
  }

 private:
  std::string function(const std::string& head, const std::string& first, const spelling& how, term structure_variable::*formula,
                       const std::string& object, const std::string& last) const {
    function_writer w(s_, how);
    std::string stores;
    for (std::size_t k = 0; k < s_.state.size(); ++k) {
      const structure_variable& v = s_.state[k];
      if ((v.*formula)->type != v.kept) throw no_lanes{};
      const std::string value = w.operand(v.*formula);
      w.body += fmt::format("    const Lanes<{}> new_{} = {};\n", cpp_name(v.kept), k, value);
      stores += fmt::format("    {}.{} = new_{};\n", object, v.field, k);
    }
    return "  " + head + " {\n" + (first.empty() ? "" : "    " + first) + w.body + stores + last + "  }\n";
  }

  structure s_;
  std::string name_;
};

}  // namespace

std::string cpp_lanes(const spec& s, const decision& d, const std::string& name) {
  try {
    return lane_writer(analyse_structure(s, d), name).write();
  } catch (const no_lanes&) {
    return {};
  }
}

}  // namespace twofold::analyser
