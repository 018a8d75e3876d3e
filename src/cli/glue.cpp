// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Writes the translation unit of `run`.
#include "glue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "failure.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

//! "return.mean" → "answer.mean"; a reference parameter's field "m.mean" → "a2.value.mean".
struct place {
  std::string expression;
  bool is_parameter_array = false;  // the call itself wrote it
};
place place_of(const spec& s, const emitted_output& o) {
  if (o.name.starts_with("return")) return {"answer" + o.name.substr(6), false};
  const std::string name = o.name.substr(0, o.name.find_first_of(".["));
  const std::size_t p = parameter_index(s, name);
  if (name == o.name) return {"", true};
  return {fmt::format("a{}.value{}", p, o.name.substr(name.size())), false};
}

std::string sequential(const spec& s, const cpp_reduction& r) {
  std::string arguments, calls, finishes, stores;
  for (std::size_t i = 0; i < s.parameters.size(); ++i) {
    arguments += fmt::format("    twofold_run::argument_of<decltype(&{}), {}> a{}{{f->parameters[{}]}};\n", s.function, i, i, i);
    calls += fmt::format("{}a{}.get()", i > 0 ? ", " : "", i);
    finishes += fmt::format("    a{}.finish();\n", i);
  }
  for (std::size_t k = 0; k < r.outputs.size(); ++k) {
    const emitted_output& o = r.outputs[k];
    const place p = place_of(s, o);
    if (p.is_parameter_array) continue;
    if (o.extent) stores += fmt::format("    twofold_run::store_all<{}>(f->outputs[{}], {});\n", cpp_name(o.type), k, p.expression);
    else stores += fmt::format("    twofold_run::store(f->outputs[{}], static_cast<{}>({}));\n", k, cpp_name(o.type), p.expression);
  }
  const bool returns = s.return_type != "void";
  return fmt::format(
      "extern \"C\" int twofold_sequential(twofold_run::frame* f) {{\n  return twofold_run::guarded(f, [&] {{\n{}    twofold_run::stopwatch watch(f);\n"
      "    {}::{}({});\n    watch.stop();\n{}{}  }});\n}}\n\n",
      arguments, returns ? "[[maybe_unused]] const auto answer = " : "", s.function, calls, finishes, stores);
}

//! What lift reads at position i: an entry, a row, or the position itself.
std::string input_expression(const spec& s, const emitted_input& in) {
  if (in.array.empty()) return "i";
  const std::size_t p = parameter_index(s, in.array);
  const std::string at = in.offset == 0 ? "i" : fmt::format("(i + {})", in.offset);
  if (in.row_extent) return fmt::format("static_cast<const {}*>(f->parameters[{}].data) + {} * f->parameters[{}].row", cpp_name(in.type), p, at, p);
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
      "  state lift(std::ptrdiff_t k) const {{\n    [[maybe_unused]] const std::ptrdiff_t i = position(k);\n    return op.lift({2});\n  }}\n"
      "  void push_into(state& s, std::ptrdiff_t k) const {{\n    [[maybe_unused]] const std::ptrdiff_t i = position(k);\n    op.push_into(s{3});\n  }}\n"
      "  state combine(const state& a, const state& b) const {{ return op.combine(a, b); }}\n"
      "  void combine_into(state& a, const state& b) const {{ op.combine_into(a, b); }}\n"
      "  state finalize(const state& s) const {{ return s; }}\n}};\n\n",
      r.name, at, reads.empty() ? "" : reads.substr(2), reads);
}

std::string make_members(const spec& s, const cpp_reduction& r) {
  std::string text;
  for (const emitted_member& m : r.members) {
    if (m.parameter.empty()) text += "    op." + m.name + " = f->last - f->first;\n";
    else if (m.is_array) text += fmt::format("    op.{} = static_cast<{}>(f->parameters[{}].data);\n", m.name, m.type, parameter_index(s, m.parameter));
    else text += fmt::format("    op.{} = twofold_run::load<{}>(f->parameters[{}]);\n", m.name, m.type, parameter_index(s, m.parameter));
  }
  return text;
}

std::string written_elements(const spec& s, const cpp_reduction& r, bool scans) {
  const std::string reads = joined_inputs(s, r);
  std::string text;
  for (const emitted_each& e : r.each) {
    if (e.is_scan != scans) continue;
    text += fmt::format("      static_cast<{}*>(f->parameters[{}].data)[i] = op.{}({}{});\n", cpp_name(e.type), parameter_index(s, e.array), e.function,
                        scans ? "before[static_cast<std::size_t>(k)].value" : "whole", reads);
  }
  if (text.empty()) return {};
  return "    for (std::ptrdiff_t k = 0; k < n; ++k) {\n      [[maybe_unused]] const std::ptrdiff_t i = r.position(k);\n" + text + "    }\n";
}

std::string scheduled(const spec& s, const cpp_reduction& r) {
  const bool scans = std::any_of(r.each.begin(), r.each.end(), [](const emitted_each& e) { return e.is_scan; });
  const bool whole = !r.outputs.empty() || std::any_of(r.each.begin(), r.each.end(), [](const emitted_each& e) { return !e.is_scan; });
  std::string body = make_members(s, r);
  body += "    const twofold_indexed r{op, f};\n    const std::ptrdiff_t n = f->last > f->first ? f->last - f->first : 0;\n"
          "    const auto how = twofold::parse_schedule(f->schedule);\n"
          "    const twofold::executor ex{f->executor_self, reinterpret_cast<void (*)(void*, twofold::index, twofold::index, const twofold::task&)>(f->executor_run)};\n"
          "    twofold_run::stopwatch watch(f);\n";
  if (whole) body += "    [[maybe_unused]] const auto whole = twofold::reduce_state(r, twofold_run::positions{0, n}, how, ex);\n";
  if (scans) body += fmt::format("    std::vector<twofold_boxed<{}::state>> before(static_cast<std::size_t>(n));\n    twofold::scan(r, twofold_run::positions{{0, n}}, before, twofold::exclusive, how, ex);\n", r.name);
  body += written_elements(s, r, true) + written_elements(s, r, false);
  if (!r.outputs.empty()) body += "    const auto answer = op.finalize(whole);\n";
  body += "    watch.stop();\n";
  for (std::size_t k = 0; k < r.outputs.size(); ++k) {
    const emitted_output& o = r.outputs[k];
    if (o.extent) body += fmt::format("    twofold_run::store_all<{}>(f->outputs[{}], answer{});\n", cpp_name(o.type), k, o.access);
    else body += fmt::format("    twofold_run::store(f->outputs[{}], answer{});\n", k, o.access);
  }
  const std::string box = scans ? "template <class S>\nstruct twofold_boxed {  // assignable from a state, never bool: vectors of it do not pack\n  S value;\n"
                                  "  twofold_boxed& operator=(const S& s) {\n    value = s;\n    return *this;\n  }\n};\n\n" : "";
  return box + "extern \"C\" int twofold_scheduled(twofold_run::frame* f) {\n  return twofold_run::guarded(f, [&] {\n    " + r.name + " op{};\n" + body + "  });\n}\n";
}

}  // namespace

std::size_t parameter_index(const spec& s, const std::string& name) {
  for (std::size_t i = 0; i < s.parameters.size(); ++i)
    if (s.parameters[i].name == name) return i;
  throw failure(exit_code::unsupported, "TF4105", s.function + " cannot be run: \"" + name + "\" is not one of its parameters", "its arrays do not all come from outside", "make it a parameter");
}

std::string glue_text(const std::string& source, const spec& s, const cpp_reduction& r) {
  if (source.find_first_of("\"\\\n") != std::string::npos)
    throw failure(exit_code::bad_input, "TF2124", "the path \"" + source + "\" cannot be included", "it holds a quote, a backslash or a line break", "rename the file");
  return "// The loop " + s.function + " and its merge, written by twofold run.\n#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <limits>\n#include <numeric>\n#include <vector>\n\n" +
         std::string("#include \"") + source + "\"\n\n#include \"twofold/schedule/reduce.hpp\"\n#include \"twofold/schedule/scan.hpp\"\n#include \"twofold/schedule/text.hpp\"\n\n" +
         std::string(glue_prelude()) + "\nnamespace {\n\n" + r.text + "\n" + indexed(s, r) + "}  // namespace\n\n" + sequential(s, r) + scheduled(s, r);
}

}  // namespace twofold::cli
