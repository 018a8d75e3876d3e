// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Writes the kernels of a merged loop. Arrays that lift reads at its own position or beside it are staged, rows and invariant
//! arrays are read where they lie.
#include "device_glue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "device/frame.hpp"
#include "emit/growth.hpp"
#include "failure.hpp"
#include "glue.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

[[noreturn]] void refuse(const spec& s, const std::string& why, const std::string& fix) {
  throw failure(exit_code::unsupported, "TF3101", s.function + " cannot run on a GPU in this version", why, fix, s.where);
}

//! Neighbours too: the same array from another place on.
bool is_staged(const emitted_input& in) { return !in.array.empty() && !in.row_extent; }

void check_types(const spec& s, const cpp_reduction& r) {
  const auto wide = [&](type t) { return cpp_name(t) == "long double"; };
  const auto dynamic = [&](const std::string& what) {
    refuse(s, what + " has a length that is known only when running, and the state of a GPU thread is fixed", "--device cpu");
  };
  for (const emitted_field& f : r.state) {
    if (f.extent) dynamic("its state " + f.variable);
    if (wide(f.type)) refuse(s, "its state " + f.variable + " is a long double, which GPUs do not have", "use double, or --device cpu");
  }
  for (const emitted_output& o : r.outputs)
    if (o.extent) dynamic("its answer " + o.name);
  for (const emitted_input& in : r.inputs)
    if (wide(in.type)) refuse(s, "it reads long double, which GPUs do not have", "use double, or --device cpu");
  if (s.parameters.size() > twofold_device::frame::most || r.outputs.size() > twofold_device::frame::most)
    refuse(s, fmt::format("it has more than {} parameters or answers", twofold_device::frame::most), "--device cpu");
  for (const emitted_each& e : r.each)
    for (const emitted_input& in : r.inputs)
      if (in.array == e.array && (!is_staged(in) || in.offset != 0))
        refuse(s, "it writes " + e.array + " while it reads other places of it", "write to another array");
}

//! Reads of one array at places so near that it is moved once.
using group = std::vector<const emitted_input*>;

class writer {
 public:
  writer(const spec& s, const cpp_reduction& r) : s_(s), r_(r) {
    reverse_ = !s.passes.empty() && s.passes.front().reverse;
    stage();
    for (const emitted_input& in : r.inputs) {
      if (is_staged(in)) {
        reads_ += fmt::format(", x{}", std::find(staged_.begin(), staged_.end(), &in) - staged_.begin());
      } else if (in.array.empty()) {
        reads_ += ", i";
      } else {
        const std::size_t p = parameter_index(s, in.array);
        const std::string at = in.offset == 0 ? "i" : fmt::format("(i + {})", in.offset);  // of a row
        if (std::find(direct_.begin(), direct_.end(), p) == direct_.end()) {
          direct_.push_back(p);
          members_ += fmt::format("  const {0}* p{1};\n  std::ptrdiff_t row{1};\n", cpp_name(in.type), p);
          values_ += fmt::format(", array<const {0}>(f, {1}), f.rows[{1}]", cpp_name(in.type), p);
        }
        reads_ += fmt::format(", p{0} + {1} * row{0}", p, at);
      }
    }
  }

  device_text write() {
    device_text out;
    out.has_whole = !r_.outputs.empty() || r_.each.empty() ||
                    std::any_of(r_.each.begin(), r_.each.end(), [](const emitted_each& e) { return !e.is_scan; });
    out.text = "// The merge of " + s_.function +
               " as kernels, written by twofold run.\n#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n"
               "#include <limits>\n#include <numeric>\n\n#include \"device/loop.cuh\"\n\n" +
               r_.text + (counts() ? "\n" + in_32_bits() : "") + "\nnamespace twofold_device {\n\n" +
               (counts() ? loop_over("counting", r_.name + "_counts", "") : "") + loop() + make();
    std::string scans;
    const emitted_each* a_scan = nullptr;
    for (std::size_t k = 0; k < r_.each.size(); ++k) {
      if (r_.each[k].is_scan) scans += scan(k), a_scan = &r_.each[k];
      else scans += map(k);
    }
    if (out.has_whole) out.text += fold();
    out.text += scans + sizes(a_scan, out.has_whole) + "}  // namespace twofold_device\n";
    return out;
  }

 private:
  //! Reads of one array near one another are neighbours in the list, and one group.
  void stage() {
    for (const emitted_input& in : r_.inputs) {
      if (!is_staged(in)) continue;
      const auto near = [&](const group& g) {
        long low = in.offset, high = in.offset;
        for (const emitted_input* other : g) low = std::min(low, other->offset), high = std::max(high, other->offset);
        return g.front()->array == in.array && high - low <= 4;
      };
      if (const auto g = std::find_if(groups_.begin(), groups_.end(), near); g != groups_.end()) g->push_back(&in);
      else groups_.push_back({&in});
    }
    for (group& g : groups_) {
      std::sort(g.begin(), g.end(), [](const emitted_input* a, const emitted_input* b) { return a->offset < b->offset; });
      for (const emitted_input* in : g) {
        const std::string name = fmt::format("x{}", staged_.size()), type = cpp_name(in->type);
        types_ += (staged_.empty() ? "const " : ", const ") + type;
        arguments_ += ", " + name;
        parameters_ += ", " + type + " " + name;
        staged_.push_back(in);
      }
    }
  }

  //! Every read as an array of its own, as scans want it.
  std::string in() const { return "arrays<" + types_ + ">"; }
  //! Every group as one array, as folds want it.
  std::string grouped_in() const {
    std::string text;
    for (const group& g : groups_) text += (text.empty() ? "const " : ", const ") + grouped_type(g);
    return "arrays<" + text + ">";
  }
  static std::string grouped_type(const group& g) {
    const std::string type = cpp_name(g.front()->type);
    if (g.size() == 1) return type;
    std::string offsets;
    for (const emitted_input* in : g) offsets += fmt::format(", {}", in->offset);
    return "beside<" + type + offsets + ">";
  }
  std::string grouped_values() const {
    std::string text = "{}";
    for (auto g = groups_.rbegin(); g != groups_.rend(); ++g)
      text = fmt::format("{{array<const {}>(f, {}) + (f.first + {}), {}}}", grouped_type(*g), parameter_index(s_, g->front()->array),
                         g->size() == 1 ? g->front()->offset : 0, text);
    return grouped_in() + text;
  }
  //! The staged arrays from the range's first element on.
  std::string staged_values() const {
    std::string text = "{}", open;
    for (auto k = staged_.rbegin(); k != staged_.rend(); ++k) {
      const emitted_input& i = **k;
      text = fmt::format("{{array<const {}>(f, {}) + (f.first + {}), {}}}", cpp_name(i.type), parameter_index(s_, i.array), i.offset, text);
    }
    return in() + text;
  }

  //! Few elements are counted in 32 bits, where they are small if need be: on a GPU, 64 take two to four operations for one.
  bool counts() const { return r_.grows != growth::unknown && !reverse_ && r_.members.empty() && direct_.empty() && r_.each.empty(); }
  //! The same structure with integers of 32 bits.
  std::string in_32_bits() const {
    std::string text = std::regex_replace(r_.text, std::regex("\\bstd::int64_t\\b"), "std::int32_t");
    text = std::regex_replace(text, std::regex("\\b([0-9]+)ll\\b"), "$1");
    return std::regex_replace(text, std::regex("\\b" + r_.name + "\\b"), r_.name + "_counts");
  }
  std::string widening() const {
    if (!counts()) return {};
    std::string fields;
    for (const emitted_field& f : r_.state) fields += fmt::format("    s.{0} = few.{0};\n", f.name);
    std::string small;
    if (r_.grows == growth::by_elements)
      for (std::size_t k = 0; k < staged_.size(); ++k)
        if (staged_[k]->type.kind == sort::integer)
          small += fmt::format("{0}x{1} <= {2}{3}", small.empty() ? "" : " && ", k, small_element,
                               staged_[k]->type.is_signed ? fmt::format(" && x{} >= -{}", k, small_element) : "");
    const std::string asks = small.empty()
                                 ? ""
                                 : fmt::format("  //! Is an element so small?\n  bool is_small({}) const {{ return {}; }}\n",
                                               std::regex_replace(parameters_.substr(2), std::regex("^|, "), "$&[[maybe_unused]] "), small);
    return asks + fmt::format(
                      "  //! The same for at most {} elements at a time, and what its states mean here.\n  static constexpr int few = {};\n"
                      "  counting of_few() const {{ return {{{{}}, first}}; }}\n  state widened(const counting::state& few) const {{\n    "
                      "state s;\n{}{}"
                      "    return s;\n  }}\n",
                      counted_elements, counted_elements, fields, r_.has_flag ? "    s.some = few.some;\n" : "");
  }

  std::string loop() const {
    return loop_over("loop", r_.name, leaf() + widening()) +
           fmt::format(
               "//! The same read from the right: a loop that walks downwards.\n"
               "struct downwards : loop {{\n"
               "  void push_into(state& s, std::ptrdiff_t k{0}) const {{ s = loop::combine(loop::lift(k{1}), s); }}\n"
               "  state combine(const state& a, const state& b) const {{ return loop::combine(b, a); }}\n}};\n",
               parameters_, arguments_);
  }
  //! The reduction over positions and staged inputs that stands on the structure `of`.
  std::string loop_over(const std::string& name, const std::string& of, const std::string& more) const {
    return fmt::format(
        "struct {8} {{\n  using state = {0}::state;\n  static constexpr bool commutative = {0}::commutative && !{1};\n  {0} op;\n"
        "  std::ptrdiff_t first;\n{2}"
        "  state identity() const {{ return op.identity(); }}\n"
        "  void push_into(state& s, std::ptrdiff_t k{3}) const {{\n    [[maybe_unused]] const std::ptrdiff_t i = first + k;\n"
        "    op.push_into(s{4});\n{6}  }}\n"
        "  state lift(std::ptrdiff_t k{3}) const {{\n    state s = op.identity();\n    push_into(s, k{5});\n    return s;\n  }}\n"
        "  state combine(state a, const state& b) const {{\n    op.combine_into(a, b);\n    return a;\n  }}\n"
        "  state finalize(const state& s) const {{ return s; }}\n{7}}};\n",
        of, "false", members_, parameters_, reads_, arguments_,
        r_.has_flag ? "    s.some = true;  // said on every path: the next push need not ask\n" : "", more, name);
  }
  //! A row of elements at one reference.
  std::string leaf() const {
    if (!r_.settles || reverse_) return {};
    const auto walk = [&](const char* what, const char* of) {
      return fmt::format(
          "#pragma unroll\n    for (int j = 0; j < Tile::size(); ++j)\n      x.apply(j, [&]({0}) {{\n"
          "        [[maybe_unused]] const std::ptrdiff_t i = first + k + x.offset(j);\n        op.{1}({2}{3});\n      }});\n",
          parameters_.empty() ? "" : parameters_.substr(2), what, of, reads_);
    };
    return "  template <class Tile>\n  void leaf_into(state& s, [[maybe_unused]] std::ptrdiff_t k, const Tile& x) const {\n    state to = "
           "s;\n" +
           walk("survey_into", "to") + "    op.move_to(s, to);\n" + walk("push_settled", "s") + "  }\n";
  }
  std::string make() const {
    std::string text = "inline loop make(const frame& f) {\n  " + r_.name + " op{};\n";
    for (const emitted_member& m : r_.members) {
      if (m.parameter.empty()) text += "  op." + m.name + " = f.last - f.first;\n";
      else if (m.is_array)
        text += fmt::format("  op.{} = array<{}>(f, {});\n", m.name, m.type.substr(0, m.type.size() - 1), parameter_index(s_, m.parameter));
      else text += fmt::format("  op.{} = scalar<{}>(f, {});\n", m.name, m.type, parameter_index(s_, m.parameter));
    }
    return text + "  return {op, static_cast<std::ptrdiff_t>(f.first)" + values_ + "};\n}\n\n";
  }

  std::string folding() const { return fmt::format("folding<{}, {}>", reverse_ ? "downwards" : "loop", grouped_in()); }
  std::string fold() const {
    // A downward loop's state of a left and a right piece is the right one's followed by the left one's.
    const std::string reduction = reverse_ ? "downwards{make(f)}" : "make(f)";
    std::string text = fmt::format(
        "extern \"C\" __global__ void __launch_bounds__({}) twofold_fold(const __grid_constant__ frame f) {{\n  fold(f, {}, {});\n}}\n"
        "extern \"C\" __global__ void __launch_bounds__(1024, 1) twofold_whole(const __grid_constant__ frame f) {{\n"
        "  if (!whole(f, {})) return;\n",
        fmt::format("{0}::threads, {0}::resident", folding()), reduction, grouped_values(), reduction);
    if (!r_.outputs.empty()) {
      text += "  const auto answer = make(f).op.finalize(*reinterpret_cast<const loop::state*>(f.whole));\n";
      for (std::size_t k = 0; k < r_.outputs.size(); ++k)
        text += fmt::format("  *reinterpret_cast<{}*>(f.outputs[{}]) = answer{};\n", cpp_name(r_.outputs[k].type), k, r_.outputs[k].access);
    }
    return text + "}\n";
  }

  std::string scan(std::size_t k) const {
    const emitted_each& e = r_.each[k];
    if (staged_.empty()) refuse(s_, "its scan into " + e.array + " reads no array at its own position", "--device cpu");
    return fmt::format(
        "struct scan_{0} : loop {{\n  {1} answer(const state& s, std::ptrdiff_t k{2}) const {{\n"
        "    [[maybe_unused]] const std::ptrdiff_t i = first + k;\n    return op.{3}(s{4});\n  }}\n}};\n"
        "extern \"C\" __global__ void __launch_bounds__({8}::threads, 1) twofold_scan_{0}(const __grid_constant__ frame f) {{\n"
        "  scan<{5}>(f, scan_{0}{{make(f)}}, {6}, arrays<{1}>{{array<{1}>(f, {7}) + f.first}});\n}}\n",
        k, cpp_name(e.type), parameters_, e.function, reads_, reverse_, staged_values(), parameter_index(s_, e.array), scanning(k));
  }
  //! The sizes of scan k.
  std::string scanning(std::size_t k) const {
    return fmt::format("scanning<scan_{}, {}, arrays<{}>, {}>", k, in(), cpp_name(r_.each[k].type), reverse_);
  }

  std::string map(std::size_t k) const {
    const emitted_each& e = r_.each[k];
    std::string types, reads, values;
    for (std::size_t j = 0; j < staged_.size(); ++j) {
      types += fmt::format("    {} x{};\n", cpp_name(staged_[j]->type), j);
      reads += fmt::format("{}array<const {}>(f, {})[i + {}]", j == 0 ? "" : ", ", cpp_name(staged_[j]->type),
                           parameter_index(s_, staged_[j]->array), staged_[j]->offset);
      values += fmt::format("    const {0} x{1} = seen.x{1};\n", cpp_name(staged_[j]->type), j);
    }
    std::string pointers;
    for (const std::size_t p : direct_)
      pointers += fmt::format("  [[maybe_unused]] const auto p{0} = r.p{0};\n  [[maybe_unused]] const auto row{0} = r.row{0};\n", p);
    return fmt::format(
        "struct seen_{0} {{\n{8}}};\n"
        "extern \"C\" __global__ void __launch_bounds__(512) twofold_map_{0}(const __grid_constant__ frame f) {{\n"
        "  const loop r = make(f);\n  const loop::state s = *reinterpret_cast<const loop::state*>(f.whole);\n{1}"
        "  each(f, array<{2}>(f, {3}), [&]([[maybe_unused]] std::ptrdiff_t i) {{ return seen_{0}{{{7}}}; }},\n"
        "       [&]([[maybe_unused]] std::ptrdiff_t i, [[maybe_unused]] const seen_{0}& seen) {{\n{4}    return r.op.{5}(s{6});\n  "
        "}});\n}}\n",
        k, pointers, cpp_name(e.type), parameter_index(s_, e.array), values, e.function, reads_, reads, types);
  }

  std::string sizes(const emitted_each* a_scan, bool has_whole) const {
    const std::string fold = has_whole ? folding() : "";
    std::string text = "extern \"C\" __constant__ const sizes twofold_sizes{sizeof(loop::state), ";
    text += std::string("each_at_once, ") +
            (has_whole ? fmt::format("{0}::tile, {0}::threads, {0}::blocks, {0}::shared_bytes, {0}::in_order, ", fold) : "0, 0, 0, 0, 0, ");
    if (a_scan == nullptr) return text + "0, 0, 0, 0, 0};\n";
    return text +
           fmt::format(
               "{0}::shape::tile, {0}::threads, {0}::stages, {0}::shape::shared_bytes({0}::stages), packets<loop::state>::count}};\n",
               scanning(static_cast<std::size_t>(a_scan - r_.each.data())));
  }

  const spec& s_;
  const cpp_reduction& r_;
  bool reverse_ = false;
  std::vector<const emitted_input*> staged_;
  std::vector<group> groups_;
  std::vector<std::size_t> direct_;
  std::string arguments_, parameters_, types_, reads_, members_, values_;
};

}  // namespace

device_text device_glue(const spec& s, const cpp_reduction& r) {
  check_types(s, r);
  return writer(s, r).write();
}

}  // namespace twofold::cli
