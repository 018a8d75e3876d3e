// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The grammar: declarations, a loop in one of its forms, statements and expressions over what is in scope.
#include "fuzz/program_text.hpp"

namespace twofold::analyser::fuzz {
namespace {

const std::vector<std::string>& types() {
  static const std::vector<std::string> all{"signed char", "unsigned char", "short",         "unsigned short", "int",  "int",   "int",
                                            "unsigned",    "long",          "unsigned long", "long long",      "bool", "float", "double"};
  return all;
}

class writer {
 public:
  writer(draw& d, std::string name) : d_(d) { p_.name = std::move(name); }

  program_text write() {
    parameters();
    if (d_.chance(30)) helper();
    if (d_.chance(30)) table();
    variables();
    std::string loop_text = loop();
    if (d_.chance(12)) loop_text += loop();
    const std::string answer = result();
    std::string head = p_.returns + " " + p_.name + "(";
    for (const auto& a : p_.arguments) {
      if (&a != &p_.arguments.front()) head += ", ";
      if (spans_ && a.array && !a.output) head += "std::span<const " + a.type + "> " + a.name;
      else head += (a.array ? (a.output ? a.type + "* " : "const " + a.type + "* ") : a.type + " ") + a.name;
    }
    p_.text =
        before_ + head + ") {\n" + (guard_ ? "  if (n <= 0) return " + empty_answer() + ";\n" : "") + locals_ + loop_text + answer + "}\n";
    return p_;
  }

 private:
  struct variable {
    std::string name, type;
    bool real = false, written = true;
  };
  static bool is_real(const std::string& type) { return type == "float" || type == "double"; }
  std::string type() { return d_.pick(types()); }

  void parameters() {
    spans_ = d_.chance(15);
    arrays_ = d_.chance(30) ? 2 : 1;
    for (std::size_t i = 0; i < arrays_; ++i) {
      std::string t = type();
      p_.arguments.push_back({t, i == 0 ? "x" : "y", true, false});
    }
    p_.arguments.push_back({d_.chance(20) ? "std::size_t" : "int", "n", false, false});
    unsigned_length_ = p_.arguments.back().type != "int";
    for (const char* name : {"c", "q"})
      if (d_.chance(35)) p_.arguments.push_back({type(), name, false, false});
    if (d_.chance(12)) p_.arguments.push_back({type(), "out", true, true}), output_ = true;
  }

  void helper() {
    const std::string a = type(), b = type(), r = type();
    scope_ = {{"u", a, is_real(a)}, {"v", b, is_real(b)}};
    in_loop_ = false;
    const std::string low =
        "static " + r + " " + p_.name + "_helper(" + a + " u, " + b + (d_.chance(25) ? "& v) {\n  v += 1;\n" : " v) {\n");
    helper_by_reference_ = low.find("& v") != std::string::npos;
    helper_reference_ = b;
    before_ +=
        low + (d_.chance(40) ? "  if (" + condition(1) + ") return " + expression(1) + ";\n" : "") + "  return " + expression(2) + ";\n}\n";
    helper_ = true;
    scope_.clear();
  }
  void table() {
    const std::string t = d_.pick({"int", "unsigned char", "long", "double", "short"});
    before_ += "static constexpr " + t + " " + p_.name + "_table[4] = {1, 0, 2, 3};\n";
    table_ = true;
  }

  void variables() {
    const std::size_t count = 1 + d_.below(3);
    const bool structure = d_.chance(25);
    std::string fields, starts;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string t = type(), name = std::string(1, static_cast<char>('r' + i)), start = d_.pick({"0", "0", "1", "-1", "3", "100"});
      const std::string init = t == "bool" ? d_.pick({"false", "true"}) : is_real(t) ? start + ".0" : t[0] == 'u' ? "1" : start;
      if (structure) {
        fields += "  " + t + " " + name + " = " + (is_real(t) ? "static_cast<" + t + ">(" + init + ")" : init) + ";\n";
        state_.push_back({"s." + name, t, is_real(t)});
      } else {
        locals_ += "  " + t + " " + name + " = " + (t == "float" ? init + "f" : init) + ";\n";
        state_.push_back({name, t, is_real(t)});
      }
    }
    if (structure) {
      structure_ = p_.name + "_state";
      before_ += "struct " + structure_ + " {\n" + fields + (d_.chance(30) ? method() : "") + "};\n";
      locals_ += "  " + structure_ + " s;\n";
    }
  }
  std::string method() {
    has_method_ = true;
    const std::string own = state_[0].name.substr(2);
    return "  void add(" + state_[0].type + " v) { " + own + " = static_cast<" + state_[0].type + ">(" + own + " + v); }\n";
  }

  // --- one loop
  std::string loop() {
    depth_ = 0;
    in_loop_ = true;
    exits_ = d_.chance(25);
    scope_ = state_;
    for (const auto& a : p_.arguments)
      if (!a.array && a.name != "n") scope_.push_back({a.name, a.type, is_real(a.type), false});
    const std::string length = spans_ && d_.chance(50) ? "x.size()" : "n";
    index_ = "i";
    element_ = "x[i]";
    std::string r;
    switch (d_.below(10)) {
      case 0:
        r = "  for (std::size_t i = 0; i < static_cast<std::size_t>(" + length + "); i++) {\n" + body() + "  }\n";
        break;
      case 1:
        if (unsigned_length_) r = "  for (std::size_t i = n; i-- > 0;) {\n" + body() + "  }\n";
        else r = "  for (int i = n - 1; i >= 0; --i) {\n" + body() + "  }\n";
        break;
      case 2:
        if (!spans_) {
          index_.clear(), element_ = "*p";
          r = "  for (const " + p_.arguments[0].type + "* p = x; p != x + n; ++p) {\n" + body() + "  }\n";
          break;
        }
        index_.clear(), element_ = "e";
        r = std::string("  for (const ") + (d_.chance(50) ? "auto& e : x" : p_.arguments[0].type + " e : x") + ") {\n" + body() + "  }\n";
        break;
      case 3: {
        const std::string t = unsigned_length_ ? "std::size_t" : "int";
        r = "  {\n  " + t + " i = 0;\n  while (i < n) {\n" + body() + "    " + d_.pick({"++i", "i++", "i += 1"}) + ";\n  }\n  }\n";
        if (r.find("continue") != std::string::npos) r = "  for (" + t + " i = 0; i < n; i += 1) {\n" + body() + "  }\n";
        break;
      }
      case 4:
        if (!unsigned_length_ && !output_) {
          guard_ = true;
          r = "  {\n  int i = 0;\n  do {\n" + body() + "  } while (++i < n" + (d_.chance(40) ? " && " + condition(1) : "") + ");\n  }\n";
          break;
        }
        [[fallthrough]];
      case 5:
        r = "  for (int i = 0; i < static_cast<int>(" + length + ")" + (exits_ && d_.chance(40) ? " && " + condition(1) : "") +
            "; ++i) {\n" + body() + "  }\n";
        break;
      default:
        r = std::string("  for (") + (unsigned_length_ ? "std::size_t" : "int") + " i = 0; i < n; ++i) {\n" + body() + "  }\n";
    }
    in_loop_ = false;
    scope_.resize(state_.size());
    return r;
  }

  std::string body() {
    const auto outer = scope_;
    std::string r;
    const std::size_t count = 1 + d_.below(4);
    for (std::size_t i = 0; i < count; ++i) r += statement("    ");
    if (output_ && !index_.empty() && !exits_)
      r += "    out[i] = static_cast<" + p_.arguments.back().type + ">(" + bounded(expression(2)) + ");\n";
    scope_ = outer;
    return r;
  }
  std::string block(const std::string& indent) {
    ++depth_;
    const auto outer = scope_;
    std::string r = "{\n";
    for (std::size_t i = 0; i <= d_.below(2); ++i) r += statement(indent + "  ");
    scope_ = outer;
    --depth_;
    return r + indent + "}";
  }
  std::string bounded(const std::string& e) { return "(" + e + ")"; }

  variable target() {
    std::vector<variable> all;
    for (const auto& v : scope_)
      if (v.written) all.push_back(v);
    return d_.pick(all);
  }

  std::string statement(const std::string& indent) {
    const std::size_t kind = d_.below(depth_ > 2 ? 8 : 20);
    const variable v = target();
    const std::string keep = "static_cast<" + v.type + ">(";
    switch (kind) {
      case 0:
      case 1:
        return indent + v.name + " = " + (d_.chance(60) ? expression(2) : keep + expression(3) + ")") + ";\n";
      case 2:
      case 3:
        return indent + v.name + " " + (v.type == "bool" ? d_.pick({"|=", "&=", "^=", "="}) : d_.pick({"+=", "+=", "-=", "*="})) + " " +
               expression(1) + ";\n";
      case 4:
        if (v.real || v.type == "bool") return indent + v.name + " = " + expression(1) + ";\n";
        return indent + v.name + " " + d_.pick({"&=", "|=", "^="}) + " " + integer(1) + ";\n";
      case 5:
        if (v.type == "bool") return indent + v.name + " = !" + v.name + ";\n";
        return indent + d_.pick({"++" + v.name, v.name + "++", "--" + v.name, v.name + "--"}) + ";\n";
      case 6:
        if (v.real || v.type == "bool") return indent + v.name + " = " + condition(2) + ";\n";
        return indent + v.name + " " + d_.pick({"<<=", ">>=", "%=", "/="}) + " " + d_.pick({"1", "2", "3"}) + ";\n";
      case 7:
        return indent + "if (" + condition(2) + ") " + v.name + " = " + expression(1) + ";\n";
      case 8:
      case 9:
        return indent + "if (" + condition(2) + ") " + block(indent) + (d_.chance(50) ? " else " + block(indent) : "") + "\n";
      case 10: {
        std::string r = indent + "switch (" + integer(1) + " & 3) {\n";
        for (const char* label : {"case 0:", "case 1:", "case 3:", "default:"}) {
          if (d_.chance(25)) continue;
          r += indent + "  " + label + " " + v.name + " = " + expression(1) + ";" + (d_.chance(75) ? " break;" : "") + "\n";
        }
        return r + indent + "}\n";
      }
      case 11: {
        const std::string t = type(), name = fresh();
        std::string r = indent + (d_.chance(50) ? "const " : "") + t + " " + name + " = " + expression(2) + ";\n";
        const bool writable = r.find("const ") == std::string::npos;
        scope_.push_back({name, t, is_real(t), writable});
        return r;
      }
      case 12: {
        const std::string name = fresh();
        const variable w = target();
        const bool choice = w.type == v.type && d_.chance(50);
        std::string r =
            indent + "auto& " + name + " = " + (choice ? "(" + condition(1) + ") ? " + v.name + " : " + w.name : v.name) + ";\n";
        scope_.push_back({name, v.type, v.real});
        return r + indent + name + " = " + keep + name + " + " + expression(1) + ");\n";
      }
      case 13: {
        const std::string name = fresh();
        const std::string t = type();
        const auto outer = scope_;
        scope_.push_back({"w", t, is_real(t)});
        const bool effect = d_.chance(50);
        std::string r = indent + "auto " + name + " = [&](" + t + " w) { " + (effect ? v.name + " = " + keep + v.name + " + 1); " : "") +
                        "return " + expression(1) + "; };\n";
        scope_ = outer;
        return r + indent + v.name + " = " + keep + name + "(" + expression(1) + "));\n";
      }
      case 14:
        return indent + "if (" + condition(1) + d_.pick({" && ", " || "}) + "(" + v.name + " = " + keep + expression(1) + ")) " +
               d_.pick({"> 0", "!= 1", "< 5"}) + ") " + block(indent) + "\n";
      case 15:
        if (exits_ && depth_ >= 0) return indent + "if (" + condition(2) + ") " + d_.pick({"break", "continue"}) + ";\n";
        return indent + v.name + " = " + condition(1) + " ? " + expression(2) + " : " + expression(1) + ";\n";
      case 16: {
        const std::string j = fresh();
        const variable w = target();
        return indent + "for (int " + j + " = 0; " + j + " < " + d_.pick({"2", "3", "4"}) + "; ++" + j + ") " + w.name + " = static_cast<" +
               w.type + ">(" + expression(1) + " + " + j + ");\n";
      }
      case 17:
        if (has_method_) return indent + "s.add(" + expression(1) + ");\n";
        if (helper_by_reference_ && v.type == helper_reference_)
          return indent + v.name + " = " + keep + p_.name + "_helper(" + expression(1) + ", " + v.name + "));\n";
        return indent + v.name + " = " + std::string(d_.pick({"std::max", "std::min"})) + "<" + v.type + ">(" + v.name + ", " +
               expression(1) + ");\n";
      case 18:
        if (!structure_.empty()) {
          const std::string name = fresh();
          return indent + structure_ + " " + name + " = s;\n" + indent + name + "." + state_[0].name.substr(2) + " = " + expression(1) +
                 ";\n" + indent + "if (" + condition(1) + ") s = " + name + ";\n";
        }
        return indent + "(" + condition(1) + " ? " + v.name + " : " + v.name + ") = " + expression(1) + ";\n";
      default:
        if (v.type == "bool" || v.real) return indent + v.name + " = " + expression(2) + ";\n";
        return indent + v.name + " = " + keep + v.name + d_.pick({"++", "--"}) + d_.pick({" + ", " - ", " ^ "}) + integer(1) + ");\n";
    }
  }

  std::string fresh() { return "t" + std::to_string(++names_); }

  // --- expressions
  std::string leaf() {
    const std::size_t k = d_.below(10);
    if (in_loop_ && k < 3) return element_;
    if (in_loop_ && k == 3 && arrays_ > 1 && !index_.empty()) return "y[i]";
    if (in_loop_ && k == 4 && !index_.empty() && d_.chance(40)) return "i";
    if (k == 5) return d_.pick({"0", "1", "2", "-1", "3", "7", "100", "0x7f", "1u", "1L", "255", "'a'", "true"});
    if (k == 6 && d_.chance(30)) return d_.pick({"0.5", "2.0f", "1.5"});
    if (scope_.empty()) return "1";
    return d_.pick(scope_).name;
  }
  std::string integer(int depth) {
    return "static_cast<" + std::string(d_.pick({"int", "unsigned", "long", "short", "unsigned char"})) + ">(" + expression(depth) + ")";
  }
  std::string expression(int depth) {
    if (depth <= 0) return leaf();
    const std::string a = expression(depth - 1);
    switch (d_.below(17)) {
      case 0:
      case 1:
      case 2:
        return "(" + a + " + " + expression(depth - 1) + ")";
      case 3:
        return "(" + a + " - " + expression(depth - 1) + ")";
      case 4:
        return "(" + a + " * " + leaf() + ")";
      case 5:
        return "(" + condition(depth - 1) + " ? " + a + " : " + expression(depth - 1) + ")";
      case 6:
        return "static_cast<" + type() + ">(" + a + ")";
      case 7:
        return std::string(d_.pick({"std::min", "std::max"})) + "<" + d_.pick({"int", "long", "unsigned", "double", "short"}) + ">(" + a +
               ", " + leaf() + ")";
      case 8:
        return "(" + integer(depth - 1) + d_.pick({" / ", " % "}) + d_.pick({"2", "3", "7", "2u", "5L"}) + ")";
      case 9:
        return "(" + integer(depth - 1) + d_.pick({" & ", " | ", " ^ "}) + integer(0) + ")";
      case 10:
        return "(" + integer(depth - 1) + d_.pick({" << ", " >> "}) + "(" + integer(0) + " & 3))";
      case 11:
        return d_.pick({"-", "+"}) + ("(" + a + ")");
      case 12:
        return "~" + integer(depth - 1);
      case 13:
        return "(" + condition(depth - 1) + ")";
      case 14:
        if (table_ && in_loop_) return p_.name + "_table[" + integer(0) + " & 3]";
        return a;
      case 15:
        if (helper_ && !helper_by_reference_ && in_loop_) return p_.name + "_helper(" + a + ", " + leaf() + ")";
        return "(" + a + " > 0 ? " + a + " : " + leaf() + ")";
      default:
        return a;
    }
  }
  std::string condition(int depth) {
    if (depth > 0 && d_.chance(30)) return "(" + condition(depth - 1) + d_.pick({" && ", " || "}) + condition(depth - 1) + ")";
    if (d_.chance(10)) return "!(" + condition(0) + ")";
    if (d_.chance(10)) return leaf();
    return "(" + expression(depth > 0 ? 1 : 0) + d_.pick({" < ", " > ", " <= ", " >= ", " == ", " != "}) + leaf() + ")";
  }

  // --- what comes back
  std::string empty_answer() {
    return p_.returns == structure_ ? structure_ + "{}" : p_.returns == "void" ? "" : "static_cast<" + p_.returns + ">(0)";
  }
  std::string result() {
    if (!structure_.empty() && d_.chance(60)) {
      p_.returns = structure_;
      for (const auto& v : state_) p_.fields.push_back(v.name.substr(2));
      return "  return s;\n";
    }
    const variable v = d_.pick(state_);
    p_.returns = d_.chance(70) ? v.type : type();
    scope_ = state_;
    return "  return " + (p_.returns == v.type && d_.chance(70) ? v.name : "static_cast<" + p_.returns + ">(" + expression(1) + ")") +
           ";\n";
  }

  draw& d_;
  program_text p_;
  std::vector<variable> state_, scope_;
  std::string before_, locals_, index_, element_, structure_, helper_reference_;
  std::size_t arrays_ = 1, names_ = 0;
  int depth_ = 0;
  bool spans_ = false, unsigned_length_ = false, output_ = false, helper_ = false, helper_by_reference_ = false, table_ = false,
       in_loop_ = false, exits_ = false, guard_ = false, has_method_ = false;
};

}  // namespace

program_text draw_program(draw& random, const std::string& name) { return writer(random, name).write(); }

}  // namespace twofold::analyser::fuzz
