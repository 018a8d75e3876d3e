// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Writes the translation unit of `run`.
#include "glue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "failure.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

std::size_t find_parameter(const spec& s, const std::string& name) {
  const auto p = std::find_if(s.parameters.begin(), s.parameters.end(), [&](const parameter& q) { return q.name == name; });
  return static_cast<std::size_t>(p - s.parameters.begin());
}

//! "return.mean" → "answer.mean"; a structure parameter's field "m.mean" → "a2.value.mean".
struct place {
  std::string expression;
  bool is_parameter = false;  // the call itself wrote it
};
place place_of(const spec& s, const std::vector<std::string>& names, const emitted_output& o) {
  if (s.return_type.starts_with("std::optional<")) {
    if (o.name == "return.has_value") return {"answer.has_value()", false};
    if (o.name == "return.value") return {"answer.value_or(0)", false};
  }
  if (o.name.starts_with("return")) return {"answer" + o.name.substr(6), false};
  if (find_parameter(s, o.name) < s.parameters.size()) return {"", true};
  const std::string object = o.name.substr(0, o.name.find_first_of(".["));
  const auto k = std::find(names.begin(), names.end(), object);
  if (k == names.end()) parameter_index(s, object);
  if (find_parameter(s, object) < s.parameters.size())  // one entry of an array
    return {fmt::format("a{}.get(){}", k - names.begin(), o.name.substr(object.size())), false};
  return {fmt::format("a{}.value{}", k - names.begin(), o.name.substr(object.size())), false};
}

//! The statements around the call for one parameter of the function.
struct passing {
  std::string before, after;
};
passing pass_parameter(const spec& s, const std::string& name, std::size_t k) {
  const std::string type = fmt::format("twofold_run::parameter<decltype(user_function), {}>", k);
  if (const std::size_t p = find_parameter(s, name); p < s.parameters.size())
    return {fmt::format("    twofold_run::argument<{}> a{}{{f->parameters[{}]}};\n", type, k, p), fmt::format("    a{}.finish();\n", k)};
  passing out{fmt::format("    twofold_run::object<{}> a{}{{}};\n", type, k), {}};
  for (std::size_t p = 0; p < s.parameters.size(); ++p) {
    if (!s.parameters[p].name.starts_with(name + ".")) continue;
    out.before +=
        fmt::format("    auto f{0} = twofold_run::bound(a{1}, [](auto& whole) -> auto& {{ return whole{2}; }}, f->parameters[{0}]);\n", p,
                    k, s.parameters[p].name.substr(name.size()));
    out.after += fmt::format("    f{}.finish();\n", p);
  }
  return out;
}

//! The user's function as a constant: overloads and templates are told apart by their parameters, and no name of ours can hide it.
std::string user_function(const spec& s) {
  const std::size_t name = s.return_type.size() + 1, open = s.signature.find('(', name);
  return fmt::format("constexpr auto user_function = static_cast<{} (*){}>(&::{});\n\n", s.return_type, s.signature.substr(open),
                     s.signature.substr(name, open - name));
}

std::string sequential(const spec& s, const cpp_reduction& r) {
  const std::vector<std::string> names = parameter_names(s);
  std::string before, calls, after, stores;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const passing p = pass_parameter(s, names[k], k);
    before += p.before, after += p.after;
    calls += fmt::format("{}a{}.get()", k > 0 ? ", " : "", k);
  }
  for (std::size_t k = 0; k < r.outputs.size(); ++k) {
    const emitted_output& o = r.outputs[k];
    const place p = place_of(s, names, o);
    if (p.is_parameter) continue;
    if (o.extent) stores += fmt::format("    twofold_run::store_all<{}>(f->outputs[{}], {});\n", cpp_name(o.type), k, p.expression);
    else stores += fmt::format("    twofold_run::store(f->outputs[{}], static_cast<{}>({}));\n", k, cpp_name(o.type), p.expression);
  }
  const bool returns = s.return_type != "void";
  return fmt::format(
      "extern \"C\" int twofold_sequential(twofold_run::frame* f) {{\n  return twofold_run::guarded(f, [&] {{\n{}    "
      "twofold_run::stopwatch watch(f);\n"
      "    {}user_function({});\n    watch.stop();\n{}{}  }});\n}}\n\n",
      before, returns ? "[[maybe_unused]] const auto answer = " : "", calls, after, stores);
}

//! What lift reads at position i: an entry, a row, or the position itself.
std::string input_expression(const spec& s, const emitted_input& in) {
  if (in.array.empty()) return "i";
  const std::size_t p = parameter_index(s, in.array);
  const std::string at = in.offset == 0 ? "i" : fmt::format("(i + {})", in.offset);
  if (in.row_extent)
    return fmt::format("static_cast<const {}*>(f->parameters[{}].data) + {} * f->parameters[{}].row", cpp_name(in.type), p, at, p);
  return fmt::format("static_cast<const {}*>(f->parameters[{}].data)[{}]", cpp_name(in.type), p, at);
}

std::string joined_inputs(const spec& s, const cpp_reduction& r) {
  std::string text;
  for (const emitted_input& in : r.inputs) text += ", " + input_expression(s, in);
  return text;
}

//! The emitted structure, read by position.
std::string indexed(const spec& s, const cpp_reduction& r) {
  const std::string reads = joined_inputs(s, r);
  const bool reverse = !s.passes.empty() && s.passes.front().reverse;
  const std::string at = reverse ? "f->last - 1 - k" : "f->first + k";
  return fmt::format(
      "struct twofold_indexed {{\n  using state = {0}::state;\n  const {0}& op;\n  const twofold_run::frame* f;\n"
      "  std::ptrdiff_t position(std::ptrdiff_t k) const {{ return {1}; }}\n"
      "  state identity() const {{ return op.identity(); }}\n"
      "  state lift(std::ptrdiff_t k) const {{\n    [[maybe_unused]] const std::ptrdiff_t i = position(k);\n    return op.lift({2});\n  "
      "}}\n"
      "  void push_into(state& s, std::ptrdiff_t k) const {{\n    [[maybe_unused]] const std::ptrdiff_t i = position(k);\n    "
      "op.push_into(s{3});\n  }}\n"
      "  state combine(const state& a, const state& b) const {{ return op.combine(a, b); }}\n"
      "  void combine_into(state& a, const state& b) const {{ op.combine_into(a, b); }}\n"
      "  state finalize(const state& s) const {{ return s; }}\n}};\n\n",
      r.name, at, reads.empty() ? "" : reads.substr(2), reads);
}

//! The emitted structure, which says how it looks over vector lanes.
std::string with_lanes(const cpp_reduction& r, const std::string& lanes) {
  const std::string head = "struct " + r.name + " {\n";
  std::string text = "template <template <class> class Lanes>\nstruct " + r.name + "_lanes;\n" + r.text;
  text.insert(text.find(head) + head.size(), "  template <template <class> class Lanes>\n  using over = " + r.name + "_lanes<Lanes>;\n");
  return text + "\n" + lanes;
}

//! The arrays that lift reads, walked together: what vectors can be loaded of.
std::string arrays(const spec& s, const cpp_reduction& r) {
  const bool reverse = !s.passes.empty() && s.passes.front().reverse;
  std::string text;
  for (const emitted_input& in : r.inputs)
    text += fmt::format("{}twofold::array_source<{}>{{static_cast<const {}*>(f->parameters[{}].data) + ({} + {}), n, {}}}",
                        text.empty() ? "" : ", ", cpp_name(in.type), cpp_name(in.type), parameter_index(s, in.array),
                        reverse ? "f->last - 1" : "f->first", in.offset, reverse ? -1 : 1);
  return r.inputs.size() == 1 ? text : "twofold::zip(" + text + ")";
}

std::string make_members(const spec& s, const cpp_reduction& r) {
  std::string text;
  for (const emitted_member& m : r.members) {
    if (m.parameter.empty()) text += "    op." + m.name + " = f->last - f->first;\n";
    else if (m.is_array)
      text += fmt::format("    op.{} = static_cast<{}>(f->parameters[{}].data);\n", m.name, m.type, parameter_index(s, m.parameter));
    else text += fmt::format("    op.{} = twofold_run::load<{}>(f->parameters[{}]);\n", m.name, m.type, parameter_index(s, m.parameter));
  }
  return text;
}

//! All of an iteration's values are known before the first is written: an array may be read and written in place.
std::string written_elements(const spec& s, const cpp_reduction& r) {
  if (r.each.empty()) return {};
  const std::string reads = joined_inputs(s, r);
  std::string values, stores;
  for (std::size_t k = 0; k < r.each.size(); ++k) {
    const emitted_each& e = r.each[k];
    values += fmt::format("      const auto value_{} = op.{}({}{});\n", k, e.function,
                          e.is_scan ? "before[static_cast<std::size_t>(k)].value" : "whole", reads);
    stores +=
        fmt::format("      static_cast<{}*>(f->parameters[{}].data)[i] = value_{};\n", cpp_name(e.type), parameter_index(s, e.array), k);
  }
  return "    for (std::ptrdiff_t k = 0; k < n; ++k) {\n      [[maybe_unused]] const std::ptrdiff_t i = r.position(k);\n" + values +
         stores + "    }\n";
}

std::string scheduled(const spec& s, const cpp_reduction& r, bool lanes) {
  const bool scans = std::any_of(r.each.begin(), r.each.end(), [](const emitted_each& e) { return e.is_scan; });
  const bool whole = !r.outputs.empty() || std::any_of(r.each.begin(), r.each.end(), [](const emitted_each& e) { return !e.is_scan; });
  std::string body = make_members(s, r);
  body +=
      "    const twofold_indexed r{op, f};\n    const std::ptrdiff_t n = f->last > f->first ? f->last - f->first : 0;\n"
      "    const auto how = twofold::parse_schedule(f->schedule);\n"
      "    const twofold::executor ex{f->executor_self, reinterpret_cast<void (*)(void*, twofold::index, twofold::index, const "
      "twofold::task&)>(f->executor_run)};\n"
      "    twofold_run::stopwatch watch(f);\n";
  if (whole && lanes)
    body += fmt::format("    [[maybe_unused]] const auto whole = twofold::reduce_state(twofold::cpu::in_lanes<{}>(op), {}, how, ex);\n",
                        r.name, arrays(s, r));
  else if (whole) body += "    [[maybe_unused]] const auto whole = twofold::reduce_state(r, twofold_run::positions{0, n}, how, ex);\n";
  if (scans)
    body += fmt::format(
        "    std::vector<twofold_boxed<{}::state>> before(static_cast<std::size_t>(n));\n    twofold::scan(r, twofold_run::positions{{0, "
        "n}}, before, twofold::exclusive, how, ex);\n",
        r.name);
  body += written_elements(s, r);
  if (!r.outputs.empty()) body += "    const auto answer = op.finalize(whole);\n";
  body += "    watch.stop();\n";
  for (std::size_t k = 0; k < r.outputs.size(); ++k) {
    const emitted_output& o = r.outputs[k];
    if (o.extent) body += fmt::format("    twofold_run::store_all<{}>(f->outputs[{}], answer{});\n", cpp_name(o.type), k, o.access);
    else body += fmt::format("    twofold_run::store(f->outputs[{}], answer{});\n", k, o.access);
    const std::string array = o.name.substr(0, o.name.find('['));
    if (const std::size_t p = find_parameter(s, array); array != o.name && p < s.parameters.size())  // an entry that no iteration writes
      body += fmt::format("    static_cast<{}*>(f->parameters[{}].data){} = answer{};\n", cpp_name(o.type), p, o.name.substr(array.size()),
                          o.access);
  }
  const std::string box =
      scans ? "template <class S>\nstruct twofold_boxed {  // assignable from a state, never bool: vectors of it do not pack\n  S value;\n"
              "  twofold_boxed& operator=(const S& s) {\n    value = s;\n    return *this;\n  }\n};\n\n"
            : "";
  return box + "extern \"C\" int twofold_scheduled(twofold_run::frame* f) {\n  return twofold_run::guarded(f, [&] {\n    " + r.name +
         " op{};\n" + body + "  });\n}\n";
}

}  // namespace

std::size_t parameter_index(const spec& s, const std::string& name) {
  if (const std::size_t p = find_parameter(s, name); p < s.parameters.size()) return p;
  throw failure(exit_code::unsupported, "TF4105", s.function + " cannot be run: \"" + name + "\" is not one of its parameters",
                "its arrays do not all come from outside", "make it a parameter");
}

std::vector<std::string> parameter_names(const spec& s) {
  std::vector<std::string> names;
  const std::size_t open = s.signature.find(s.function + "(") + s.function.size() + 1;
  std::string name;
  bool in_name = false;
  int angles = 0, brackets = 0, parentheses = 0;
  for (std::size_t i = open; i < s.signature.size(); ++i) {
    const char c = s.signature[i];
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (letter && angles == 0 && brackets == 0) {  // the last identifier outside of <…> and […] is the name
      if (!in_name) name.clear();
      name += c;
    }
    in_name = letter;
    angles += c == '<' ? 1 : c == '>' ? -1 : 0;
    brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
    parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool end = parentheses < 0;
    if ((c == ',' && angles == 0 && parentheses == 0) || end) {
      if (!name.empty()) names.push_back(name);
      name.clear();
    }
    if (end) break;
  }
  return names;
}

std::string glue_text(const std::string& source, const spec& s, const cpp_reduction& r, const std::string& lanes) {
  if (source.find_first_of("\"\\\n") != std::string::npos)
    throw failure(exit_code::bad_input, "TF2124", "the path \"" + source + "\" cannot be included",
                  "it holds a quote, a backslash or a line break", "rename the file");
  // The user's text comes after everything that could trip over its macros and names, and what follows it names everything in full.
  return "// The loop " + s.function +
         " and its merge, written by twofold run.\n#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <limits>\n#include "
         "<numeric>\n#include <vector>\n\n#include \"twofold/schedule/reduce.hpp\"\n#include \"twofold/schedule/scan.hpp\"\n#include "
         "\"twofold/schedule/text.hpp\"\n" +
         (!lanes.empty() ? "#include \"twofold/cpu/in_lanes.hpp\"\n" : "") + "\n" + std::string(glue_prelude()) +
         "\nnamespace twofold_glue {\nnamespace {\n\n" + (lanes.empty() ? r.text : with_lanes(r, lanes)) + "\n" + indexed(s, r) +
         "}  // namespace\n\n" + scheduled(s, r, !lanes.empty()) + "\n}  // namespace twofold_glue\n\n#include \"" + source +
         "\"\n\nnamespace twofold_glue {\n\n" + user_function(s) + sequential(s, r) + "}  // namespace twofold_glue\n";
}

}  // namespace twofold::cli
