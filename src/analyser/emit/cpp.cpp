// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Writes the emitted structure.
#include "emit/cpp.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emit/growth.hpp"
#include "emit/structure.hpp"

namespace twofold::analyser {
namespace {

constexpr const char* indent = "    ";

//! What a member function assigns: a formula for each state variable.
struct assignment {
  const structure_variable* to;
  term value;
};

class writer {
 public:
  explicit writer(structure s) : s_(std::move(s)) {}

  cpp_reduction write() {
    cpp_reduction out;
    out.name = s_.names.make(s_.of->function.substr(s_.of->function.rfind(':') + 1) + "_reduction");
    out.outputs = outputs();
    out.text = "struct " + out.name + " {\n" + members() + state() + result(out.outputs) +
               fmt::format("  static constexpr bool commutative = {};  // {}\n\n", s_.by->commutative == ternary::proved,
                           s_.by->commutative == ternary::proved    ? "proved"
                           : s_.by->commutative == ternary::refuted ? "refuted"
                                                                    : "not decided") +
               identity() + push() + settled() + combine() + finalize(out.outputs) + each_element() + wrappers() + "};\n";
    out.members = s_.members;
    out.inputs = s_.inputs;
    out.has_flag = s_.has_flag;
    out.settles = settles();
    out.grows = growth_of(s_);
    for (const structure_each& e : s_.each) out.each.push_back({e.from->array, e.function, e.from->type, e.from->is_scan});
    for (const structure_variable& v : s_.state) out.state.push_back({v.from->name, v.field, v.kept, v.from->extent, over_fields(v.merge)});
    out.merge_text = merge_text();
    return out;
  }

 private:
  //! The formula with sides named as the fields are.
  term over_fields(term t) const {
    substitution renamed;
    for (const structure_variable& v : s_.state)
      for (const symbol_kind side : {symbol_kind::left, symbol_kind::right})
        renamed[symbol(side, v.from->name, v.kept)] = symbol(side, v.field, v.kept);
    return substitute(t, renamed);
  }

  std::string merge_text() const {
    std::string fields, parameters;
    for (const structure_variable& v : s_.state)
      fields += "  " + (v.from->extent ? "std::vector<" + cpp_name(v.kept) + ">" : cpp_name(v.kept)) + " " + v.field + ";\n";
    for (const emitted_member& m : s_.members) parameters += ", " + m.type + " " + m.name;
    return "struct state {\n" + fields + "};\nvoid combine_into(state& a, const state& b" + parameters + ") {\n" +
           assign(each(&structure_variable::merge), {"a", "a", "b"}, "a", "  ") + "}\n";
  }

  std::string members() const {
    std::string text;
    for (const emitted_member& m : s_.members)
      text += fmt::format("  {} {}{};  // {}\n", m.type, m.name, m.is_array ? " = nullptr" : "{}",
                          m.parameter.empty() ? "how many elements there are in all" : "the loop's own parameter");
    return text.empty() ? text : text + "\n";
  }

  std::string state() const {
    std::string text = "  struct state {\n";
    for (const structure_variable& v : s_.state) {
      const std::string type = cpp_name(v.kept);
      const bool constant = v.init && is_constant(v.init) && !v.from->extent;
      text += "    " + (v.from->extent ? "std::vector<" + type + ">" : type) + " " + v.field +
              (constant ? " = " + s_.text(v.init, {}) : "{}") + ";\n";
    }
    if (s_.has_flag) text += "    bool some = false;  // false: the state of no elements\n";
    return text + "    friend bool operator==(const state&, const state&) = default;\n  };\n\n";
  }

  std::string component_type(const emitted_output& o) const {
    return o.extent ? "std::vector<" + cpp_name(o.type) + ">" : cpp_name(o.type);
  }

  std::vector<emitted_output> outputs() {
    std::vector<emitted_output> all;
    identifiers fields({});
    const bool one = s_.answers.size() == 1;
    for (const output& o : s_.answers) {
      const std::string like = o.name.starts_with("return.") ? o.name.substr(7) : o.name == "return" ? "value" : o.name;
      all.push_back({o.name, one ? "" : "." + fields.make(like), o.type, o.extent});
    }
    return all;
  }

  std::string result(const std::vector<emitted_output>& outputs) const {
    if (outputs.size() < 2) return {};
    std::string text = "  struct result {\n";
    for (const emitted_output& o : outputs) text += "    " + component_type(o) + " " + o.access.substr(1) + "{};\n";
    return text + "  };\n\n";
  }

  std::string inputs() const {
    std::string text;
    for (const emitted_input& i : s_.inputs) text += ", " + (i.row_extent ? "const auto&" : cpp_name(i.type)) + " " + i.name;
    return text;
  }
  std::string unused_inputs() const {
    std::string text;
    for (const emitted_input& i : s_.inputs)
      text += ", [[maybe_unused]] " + (i.row_extent ? "const auto&" : cpp_name(i.type)) + " " + i.name;
    return text;
  }
  std::string input_names() const {
    std::string text;
    for (const emitted_input& i : s_.inputs) text += ", " + i.name;
    return text;
  }

  std::string count(term extent) const { return "static_cast<std::size_t>(" + s_.text(extent, {}) + ")"; }

  std::string identity() const {
    std::string body;
    for (const structure_variable& v : s_.state) {
      if (v.from->extent) {
        const bool alike = !v.init || !contains(v.init, [](const node& n) { return n.is_symbol(symbol_kind::component); });
        body += fmt::format("{}s.{}.assign({}, {});\n", indent, v.field, count(v.from->extent),
                            v.init && alike ? s_.text(v.init, {}) : cpp_name(v.kept) + "{}");
        if (!alike)
          body += fmt::format("{0}for (std::size_t j = 0; j < s.{1}.size(); ++j) s.{1}[j] = {2};\n", indent, v.field, s_.text(v.init, {}));
      }
      if (!v.from->extent && v.init && !is_constant(v.init)) body += fmt::format("{}s.{} = {};\n", indent, v.field, s_.text(v.init, {}));
    }
    const std::string doc = "  //! The state of no elements.\n";
    if (body.empty()) return doc + "  state identity() const { return {}; }\n\n";
    return doc + "  state identity() const {\n" + indent + "state s;\n" + body + indent + "return s;\n  }\n\n";
  }

  //! The statements that give every state variable of `object` its new value: scalars first into constants, so that no formula sees a new
  //! value where it means the old one; then vectors component by component; then the scalars are stored.
  std::string assign(const std::vector<assignment>& all, const spelling& how, const std::string& object, const std::string& pad) const {
    std::vector<root> roots;
    identifiers locals = s_.names;
    for (const assignment& x : all)
      roots.push_back({x.to->from->extent ? "" : locals.make(x.to->field), x.value, bool(x.to->from->extent)});
    const shared shared = share(roots, {.fresh_names = true,
                                        .smallest = 2,
                                        .varies = [this](const node& n) { return s_.varies(n); },
                                        .taken = [&](const std::string& n) { return locals.taken(n); }});
    std::string text;
    for (const let& l : shared.lets)
      text += fmt::format("{}const {} {} = {};\n", pad, cpp_name(l.value->type), l.name, s_.text(l.value, how));
    std::string stores;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].to->from->extent) continue;
      if (is_unchanged(all[i], how, object)) continue;
      const std::string value = s_.text(shared.values[i], how);
      if (!shared.is_let[i] && !is_plain(shared.values[i]))
        text += fmt::format("{}const {} {} = {};\n", pad, cpp_name(all[i].to->kept), roots[i].name, value);
      const bool stored_by_name = shared.is_let[i] || !is_plain(shared.values[i]);
      stores += fmt::format("{}{}.{} = {};\n", pad, object, all[i].to->field, stored_by_name ? roots[i].name : value);
    }
    return text + vectors(all, shared, how, object, pad) + stores;
  }

  //! Constants and inputs may be stored as they are; the state's own fields may not, another store could come before.
  static bool is_plain(term t) { return t->args.empty() && !t->is_symbol(symbol_kind::state) && !t->is_symbol(symbol_kind::left); }
  bool is_unchanged(const assignment& x, const spelling& how, const std::string& object) const {
    return x.value->args.empty() && x.value->is(op::symbol) && s_.text(x.value, how) == object + "." + x.to->field;
  }

  std::string vectors(const std::vector<assignment>& all, const shared& shared, const spelling& how, const std::string& object,
                      const std::string& pad) const {
    std::string text;
    std::vector<bool> done(all.size(), false);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const term extent = all[i].to->from->extent;
      if (!extent || done[i]) continue;
      std::string values, stores;
      for (std::size_t k = i; k < all.size(); ++k) {
        if (all[k].to->from->extent != extent) continue;
        done[k] = true;
        if (is_unchanged(all[k], how, object)) continue;
        const std::string field = all[k].to->field, local = "new_" + field;
        values += fmt::format("{}  const {} {} = {};\n", pad, cpp_name(all[k].to->kept), local, s_.text(shared.values[k], how));
        stores += fmt::format("{}  {}.{}[j] = {};\n", pad, object, field, local);
      }
      text += fmt::format("{0}for (std::size_t j = 0, n_components = {1}; j < n_components; ++j) {{\n{2}{3}{0}}}\n", pad, count(extent),
                          values, stores);
    }
    return text;
  }

  std::vector<assignment> each(term structure_variable::*formula) const {
    std::vector<assignment> all;
    for (const structure_variable& v : s_.state) all.push_back({&v, v.*formula});
    return all;
  }

  std::string push() const {
    std::string body;
    if (s_.adjoined)
      body += fmt::format("{0}if (!s.some) {{\n{1}{0}  s.some = true;\n{0}  return;\n{0}}}\n", indent,
                          assign(each(&structure_variable::lift), {"s", "s", "s"}, "s", std::string(indent) + "  "));
    body += assign(each(&structure_variable::step), {"s", "s", "s"}, "s", indent);
    if (s_.has_flag && !s_.adjoined) body += std::string(indent) + "s.some = true;\n";
    return "  //! The body of the loop: one more element at the right end.\n  void push_into(state& s" + unused_inputs() + ") const {\n" +
           body + "  }\n\n";
  }

  bool settles() const {
    return std::any_of(s_.state.begin(), s_.state.end(), [](const structure_variable& v) { return bool(v.settled); });
  }
  //! A tile at one reference: surveyed, then the state moved there, then every element where references stand.
  std::string settled() const {
    if (!settles()) return {};
    std::vector<assignment> references, others;
    for (const structure_variable& v : s_.state) (v.settled ? others : references).push_back({&v, v.settled ? v.settled : v.step});
    std::string stands;
    for (const assignment& r : references) stands += fmt::format("{0}s.{1} == k.{1}", stands.empty() ? "" : " && ", r.to->field);
    const std::string some = s_.has_flag ? std::string(indent) + "s.some = true;\n" : "";
    return "  //! Where the references go with one more element.\n  void survey_into(state& s" + unused_inputs() + ") const {\n" +
           assign(references, {"s", "s", "s"}, "s", indent) + "  }\n" +
           "  //! The same state at the references of k, which do not come before its own.\n  void move_to(state& s, const state& k) const "
           "{\n" +
           indent + "if (" + stands + ") return;\n" + assign(each(&structure_variable::moved), {"s", "s", "k"}, "s", indent) + "  }\n" +
           "  //! One more element, which moves no reference.\n  void push_settled(state& s" + unused_inputs() + ") const {\n" +
           assign(others, {"s", "s", "s"}, "s", indent) + some + "  }\n\n";
  }

  std::string combine() const {
    std::string body;
    if (s_.has_flag) body = fmt::format("{0}if (!b.some) return;\n{0}if (!a.some) {{\n{0}  a = b;\n{0}  return;\n{0}}}\n", indent);
    body += assign(each(&structure_variable::merge), {"a", "a", "b"}, "a", indent);
    return "  //! a becomes the state of a's elements followed by b's.\n  void combine_into(state& a, const state& b) const {\n" + body +
           "  }\n\n";
  }

  std::string answer(const std::vector<output>& answers, const std::vector<emitted_output>& outputs, const std::string& pad) const {
    if (outputs.size() == 1 && !outputs[0].extent) return pad + "return " + s_.text(answers[0].value, {"s", "s", "s"}) + ";\n";
    std::string text = pad + (outputs.size() == 1 ? component_type(outputs[0]) : "result") + " r;\n";
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string value = s_.text(answers[i].value, {"s", "s", "s"}), to = "r" + outputs[i].access;
      if (!outputs[i].extent) text += pad + to + " = " + value + ";\n";
      else
        text += fmt::format("{0}{1}.resize({2});\n{0}for (std::size_t j = 0; j < {1}.size(); ++j) {1}[j] = {3};\n", pad, to,
                            count(outputs[i].extent), value);
    }
    return text + pad + "return r;\n";
  }

  std::string finalize(const std::vector<emitted_output>& outputs) const {
    if (outputs.empty()) return "  //! The state is the answer.\n  state finalize(const state& s) const { return s; }\n\n";
    const std::string type = outputs.size() == 1 ? component_type(outputs[0]) : "result";
    std::string body;
    if (s_.adjoined && s_.empty_answers.size() == s_.answers.size())
      body = std::string(indent) + "if (!s.some) {  // what the loop answers where there is nothing\n" +
             answer(s_.empty_answers, outputs, std::string(indent) + "  ") + indent + "}\n";
    return "  //! The loop's answer.\n  " + type + " finalize([[maybe_unused]] const state& s) const {\n" + body +
           answer(s_.answers, outputs, indent) + "  }\n\n";
  }

  std::string each_element() const {
    std::string text;
    for (const structure_each& e : s_.each) {
      const char* when = e.from->is_scan ? "the state of the elements before it" : "the state of all elements";
      text += fmt::format("  //! One entry of {}, from {} and its own element.\n  {} {}([[maybe_unused]] const state& s{}) const {{\n",
                          e.from->array, when, cpp_name(e.from->type), e.function, unused_inputs());
      if (e.at_start) text += std::string(indent) + "if (!s.some) return " + s_.text(e.at_start, {"s", "s", "s"}) + ";\n";
      text += std::string(indent) + "return " + s_.text(e.value, {"s", "s", "s"}) + ";\n  }\n\n";
    }
    return text;
  }

  //! The same operations on values, as the reduction concept has them.
  std::string wrappers() const {
    const std::string in = inputs(), names = input_names();
    const std::string first = in.empty() ? "" : in.substr(2);
    return "  state push(state s" + in + ") const {\n    push_into(s" + names + ");\n    return s;\n  }\n" + "  state lift(" + first +
           ") const { return push(identity()" + names + "); }\n" +
           "  state combine(state a, const state& b) const {\n    combine_into(a, b);\n    return a;\n  }\n";
  }

  structure s_;
};

//! How many of each: for the comment on use.
std::string usage(const cpp_reduction& r) {
  std::string arrays, fold;
  for (const emitted_input& i : r.inputs) {
    const bool last = &i == &r.inputs.back();
    arrays += (i.array.empty() ? "indices" : i.array) + (last ? "" : ", ");
    fold += i.array.empty() ? ", i" : ", " + i.array + "[i]";
  }
  std::string members;
  for (const emitted_member& m : r.members)
    members += (members.empty() ? "" : ", ") + (m.parameter.empty() ? std::string("n") : m.parameter);
  const std::string make = r.name + (members.empty() ? "{}" : "{" + members + "}");
  const std::string data = r.inputs.size() == 1 ? arrays : "twofold::zip(" + arrays + ")";
  return "//   by hand:       auto op = " + make + "; auto s = op.identity(); for (…) op.push_into(s" + fold +
         "); auto y = op.finalize(s);\n" + "//   two pieces:    auto whole = op.combine(left, right);   // neighbours, in this order\n" +
         "//   with Twofold:  auto y = twofold::reduce(" + make + ", " + data + ", twofold::tiles{128} | twofold::tree{});\n";
}

}  // namespace

cpp_reduction cpp_structure(const spec& s, const decision& d) { return writer(analyse_structure(s, d)).write(); }

std::string cpp_header(const spec& s, const decision& d) {
  const cpp_reduction r = cpp_structure(s, d);
  std::string why;
  for (const merged_variable& v : d.state)
    if (v.merge) why += "//   " + v.name + " = " + to_text(v.merge) + "\n";
  const std::string file = s.file.substr(s.file.rfind('/') + 1);
  const std::string proof = d.proof && d.proof->proved ? "proved: " + d.proof->method : "tested, not proved";
  return "// The merge of " + file + ":" + s.function + ", written by twofold emit. Standard library only.\n//\n" + why + "//\n// " +
         proof + "; over real numbers (or integers): rounding is another matter.\n//\n" + usage(r) +
         "#pragma once\n\n#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n#include <limits>\n#include "
         "<numeric>\n#include <vector>\n\n" +
         r.text;
}

}  // namespace twofold::analyser
