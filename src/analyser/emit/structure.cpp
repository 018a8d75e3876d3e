// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Works out the emitted structure: which parameters it holds, what lift reads, whether the empty state needs a flag.
#include "emit/structure.hpp"

#include <algorithm>

#include "ir/starts.hpp"

namespace twofold::analyser {
namespace {

const std::set<std::string> reserved{"s",        "a",        "b",        "j",         "r",         "state",        "result",
                                     "identity", "lift",     "push",     "push_into", "combine",   "combine_into", "finalize",
                                     "some",     "length",   "std",      "alignas",   "and",       "auto",         "bool",
                                     "break",    "case",     "catch",    "char",      "class",     "concept",      "const",
                                     "continue", "default",  "delete",   "do",        "double",    "else",         "enum",
                                     "explicit", "export",   "extern",   "false",     "float",     "for",          "friend",
                                     "if",       "inline",   "int",      "long",      "mutable",   "namespace",    "new",
                                     "not",      "operator", "or",       "private",   "protected", "public",       "register",
                                     "requires", "return",   "short",    "signed",    "sizeof",    "static",       "struct",
                                     "switch",   "template", "this",     "throw",     "true",      "try",          "typedef",
                                     "typename", "union",    "unsigned", "using",     "virtual",   "void",         "volatile",
                                     "while",    "xor"};

//! q[i][k] of a row-major array with known rows is q[i * row + k]: what a pointer can be asked.
class flattener {
 public:
  explicit flattener(const std::map<std::string, std::vector<term>>& extents) : extents_(extents) {}

  term of(term t) {
    if (t->args.empty()) return t;
    if (const auto it = done_.find(t); it != done_.end()) return it->second;
    std::vector<term> args;
    for (const term a : t->args) args.push_back(of(a));
    return done_[t] = t->is(op::read) && args.size() > 2 ? flat(t, args) : t->is(op::cast) ? cast(args[0], t->type) : rebuild(t, args);
  }

 private:
  term flat(term t, const std::vector<term>& args) const {
    const auto e = extents_.find(t->args[0]->name);
    if (e == extents_.end() || e->second.size() + 1 != args.size())
      throw emit_error("the array " + t->args[0]->name + " is read with several indices", "the length of its rows is not known");
    term at = args[1];
    for (std::size_t i = 2; i < args.size(); ++i) at = add(mul(at, cast(e->second[i - 1], at->type)), args[i]);
    return read(args[0], {at}, t->type);
  }

  const std::map<std::string, std::vector<term>>& extents_;
  std::map<term, term> done_;
};

class builder {
 public:
  builder(const spec& s, const decision& d) : s_(s), d_(d), out_{&s, &d, identifiers(reserved), {}, {}, {}, {}, {}, {}, {}, false, false} {
    for (const parameter& p : s.parameters) extents_[p.name] = p.extents;
  }

  structure build() {
    variables();
    for (const output& o : d_.finalize) out_.answers.push_back(prepared(o));
    if (out_.adjoined) empty_answers();
    for (const pass& p : s_.passes)
      for (const element_output& o : p.outputs) element_output_of(p, o);
    flag();
    collect_symbols();
    return std::move(out_);
  }

 private:
  term prepared(term t, bool wraps) { return t ? widened(flattener(extents_).of(t), wraps) : t; }
  output prepared(const output& o) {
    output r = o;
    r.value = cast(prepared(o.value, can_leave_64_bits(o.value)), o.type);
    return r;
  }

  void variables() {
    for (const merged_variable& v : d_.state) {
      if (!v.step || !v.merge) throw emit_error("the state variable " + v.name + " has no formula", "the decision is incomplete");
      const bool wraps = can_leave_64_bits(v.step) || can_leave_64_bits(v.merge);
      structure_variable x{&v, fields_.make(v.name), state_type(v.type), {}, {}, {}, {}, {}, {}};
      x.init = prepared(v.init, wraps);
      x.step = prepared(v.step, wraps);
      x.merge = prepared(v.merge, wraps);
      x.moved = prepared(v.moved, wraps);
      x.settled = prepared(v.settled, wraps);
      if (v.lift) x.lift = prepared(v.lift, wraps);
      out_.adjoined = out_.adjoined || !v.init;
      out_.state.push_back(std::move(x));
    }
    fill_lifts();
  }

  //! lift(x) = f_x(s0) where the decision leaves it out.
  void fill_lifts() {
    substitution start;
    for (const structure_variable& v : out_.state)
      if (v.init) start[symbol(symbol_kind::state, v.from->name, v.kept)] = v.init;
    for (structure_variable& v : out_.state) {
      if (v.lift) continue;
      v.lift = substitute(v.step, start);
      if (contains(v.lift, [](const node& n) { return n.is_symbol(symbol_kind::state); }))
        throw emit_error("the first element's " + v.from->name + " is not known", "the empty state has no value for it");
    }
  }

  //! The loop's own answers where nothing was read: every pass leaves its variables at their start.
  void empty_answers() {
    for (const output& o : s_.outputs) {
      output e = o;
      e.value = where_nothing_is_read(s_, o.value);
      if (!e.value) return out_.empty_answers.clear();
      out_.empty_answers.push_back(prepared(e));
    }
  }

  //! Results of earlier passes and variables of the pass are the merged state's variables of the same name.
  void element_output_of(const pass& p, const element_output& o) {
    if (o.is_scan && &p != &s_.passes.front())
      throw emit_error("the output " + o.array + " is a scan in a later pass",
                       "only the running state of the first pass can be written element by element");
    if (out_.adjoined && !o.is_scan)
      throw emit_error("the output " + o.array + " needs a state that may be empty", "its value without elements is not defined");
    substitution to_state, start;
    for (const term r : s_.results) to_state[r] = symbol(symbol_kind::state, r->name, r->type);
    for (const state_variable& v : p.state) start[v.symbol] = v.init;
    const term value = substitute(o.value, to_state);
    for (const term t : symbols(value))
      if (t->is_symbol(symbol_kind::state) && out_.find(t->name) == nullptr)
        throw emit_error("the output " + o.array + " needs " + t->name, "the merged state does not hold it under that name");
    const bool wraps = can_leave_64_bits(o.value);
    structure_each e{&o, out_.names.make(o.array + "_at"), cast(prepared(value, wraps), o.type), {}};
    if (out_.adjoined) e.at_start = cast(prepared(substitute(o.value, start), wraps), o.type);
    out_.each.push_back(std::move(e));
  }

  //! A flag is needed where no value stands for "nothing yet", or where merging two of them would not give one (inf − inf).
  void flag() {
    substitution empty;
    for (const structure_variable& v : out_.state) {
      if (!v.from->init_is_identity || !v.init) out_.has_flag = true;
      if (!v.init) continue;
      empty[symbol(symbol_kind::left, v.from->name, v.kept)] = v.init;
      empty[symbol(symbol_kind::right, v.from->name, v.kept)] = v.init;
    }
    for (const structure_variable& v : out_.state)
      if (v.init && substitute(v.merge, empty) != v.init) out_.has_flag = true;
  }

  void collect_symbols() {
    std::vector<term> formulas;
    for (const structure_variable& v : out_.state)
      for (const term t : {v.init, v.lift, v.step, v.merge, v.from->extent})
        if (t) formulas.push_back(t);
    for (const structure_each& e : out_.each)
      for (const term t : {e.value, e.at_start})
        if (t) formulas.push_back(t);
    for (const auto* answers : {&out_.answers, &out_.empty_answers})
      for (const output& o : *answers)
        for (const term t : {o.value, o.extent})
          if (t) formulas.push_back(t);
    std::set<term> used;
    for (const term f : formulas)
      for (const term t : symbols(f)) used.insert(t);
    for (const term t : used) input_of(t);
    for (const parameter& p : s_.parameters) member_of(p, used);
    term length;
    for (const term t : used)
      if (t->is_symbol(symbol_kind::length)) {
        if (length && length != t)
          throw emit_error("the sizes of two containers are needed (" + length->name + " and " + t->name + ")",
                           "a piece of the input knows one length; pass the other one as a number");
        if (!length) out_.members.push_back({"length", "std::int64_t", {}, false});
        length = t;
      }
    for (const term t : used)
      if (t->is_symbol(symbol_kind::result))
        throw emit_error("the result " + t->name + " of an earlier pass is needed",
                         "the decision does not say how it follows from the merged state");
  }

  void input_of(term t) {
    if (t->is_symbol(symbol_kind::index)) {
      if (!out_.input_names.contains(t))
        out_.inputs.insert(out_.inputs.begin(), {out_.names.of("input:index", t->name), long_type, {}, 0, {}});
      out_.input_names[t] = out_.names.of("input:index", t->name);
      return;
    }
    for (const pass& p : s_.passes)
      for (const element& e : p.elements) {
        if (e.symbol != t) continue;
        const std::string key = "input:" + e.array + "@" + std::to_string(e.offset);
        const std::string like = e.array + (e.offset == 0  ? ""
                                            : e.offset < 0 ? "_before" + std::to_string(-e.offset)
                                                           : "_after" + std::to_string(e.offset));
        const std::string name = out_.names.of(key, e.array.empty() ? t->name : like);
        const bool known = std::any_of(out_.inputs.begin(), out_.inputs.end(), [&](const emitted_input& i) { return i.name == name; });
        if (!known) out_.inputs.push_back({name, t->type, e.array, e.offset, e.row_extent});
        out_.input_names[t] = name;
        return;
      }
  }

  void member_of(const parameter& p, const std::set<term>& used) {
    for (const term t : used) {
      if (t->name != p.name || out_.input_names.contains(t)) continue;
      const bool is_array = t->is_symbol(symbol_kind::array);
      if (!is_array && !t->is_symbol(symbol_kind::parameter)) continue;
      const std::string name = out_.names.of("member:" + p.name, p.name);
      if (std::any_of(out_.members.begin(), out_.members.end(), [&](const emitted_member& m) { return m.name == name; })) continue;
      out_.members.push_back({name, is_array ? "const " + cpp_name(t->type) + "*" : cpp_name(t->type), p.name, is_array});
    }
  }

  const spec& s_;
  const decision& d_;
  structure out_;
  identifiers fields_{reserved};
  std::map<std::string, std::vector<term>> extents_;
};

}  // namespace

const structure_variable* structure::find(const std::string& variable) const {
  for (const structure_variable& v : state)
    if (v.from->name == variable) return &v;
  return nullptr;
}

bool structure::varies(const node& n) const {
  if (!n.is_symbol(symbol_kind::state) && !n.is_symbol(symbol_kind::left) && !n.is_symbol(symbol_kind::right)) return false;
  const structure_variable* v = find(n.name);
  return v != nullptr && v->from->extent;
}

std::string structure::text(term t, const spelling& how) const {
  return to_cpp(t, [&](const node& n) -> std::string {
    if (!n.is(op::symbol)) return {};
    if (const auto i = input_names.find(term(&n)); i != input_names.end()) return i->second;
    if (n.symbol == symbol_kind::component) return "j";
    if (n.symbol == symbol_kind::length) return "length";
    if (n.symbol == symbol_kind::parameter || n.symbol == symbol_kind::array) {
      for (const emitted_member& m : members)
        if (m.parameter == n.name) return m.name;
      return {};
    }
    const std::string& object = n.symbol == symbol_kind::left ? how.left : n.symbol == symbol_kind::right ? how.right : how.state;
    // Bound symbols of inner folds have names of their own, which variables may share.
    const bool of_state = n.symbol == symbol_kind::state || n.symbol == symbol_kind::left || n.symbol == symbol_kind::right;
    const structure_variable* v = of_state ? find(n.name) : nullptr;
    if (v == nullptr) return {};
    return object + "." + v->field + (v->from->extent ? "[j]" : "");
  });
}

structure analyse_structure(const spec& s, const decision& d) {
  if (d.verdict != verdict::associative) throw emit_error(s.function + " has no merge to emit", "its verdict is not \"associative\"");
  return builder(s, d).build();
}

}  // namespace twofold::analyser
