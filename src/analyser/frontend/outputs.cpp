// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A whole function: parameters in, spec out.
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/QualTypeNames.h>

#include <algorithm>

#include "frontend/executor.hpp"
#include "frontend/range_ends.hpp"

namespace twofold::analyser::frontend {
namespace {

//! The generic component of a vector is written without an index.
term without_index(term t) {
  substitution s;
  (void)contains(t, [&](const node& n) {
    if (n.is(op::read) && n.args.size() == 2 && n.args[1] == position() && n.args[0]->is_symbol(symbol_kind::result))
      s[term(&n)] = n.args[0];
    return false;
  });
  return substitute(t, s);
}

//! All terms of a spec.
std::vector<term> terms_of(const spec& s) {
  std::vector<term> all;
  for (const pass& p : s.passes) {
    for (const state_variable& v : p.state) all.insert(all.end(), {v.init, v.step});
    for (const element_output& o : p.outputs) all.push_back(o.value);
    all.insert(all.end(), {p.begin, p.end});
    for (const element& e : p.elements)
      if (e.row_extent) all.push_back(e.row_extent);
  }
  for (const output& o : s.outputs) all.push_back(o.value);
  return all;
}

//! Does t read a vector of results elsewhere than at the generic component, or in a fold over all of its components?
bool reads_out_of_place(const spec& s, term t) {
  if (t->is(op::read) && t->args[0]->is_symbol(symbol_kind::result)) return true;
  if (t->is(op::inner_fold)) {
    substitution known;
    const term index = symbol(symbol_kind::inner_index, t->name, long_type);
    std::size_t k = 0;
    for (const pass& p : s.passes)
      for (const state_variable& v : p.state) {
        const term result = s.results[k++];
        if (v.extent && to_polynomial(v.extent) == to_polynomial(t->args[0]))
          known[read(result, {index}, v.type)] = symbol(symbol_kind::opaque, "component of " + v.name, v.type);
      }
    t = inner_fold(t->name, t->args[0], t->args[1], substitute(t->args[2], known));
    if (!t->is(op::inner_fold)) return reads_out_of_place(s, t);
  }
  return std::any_of(t->args.begin(), t->args.end(), [&](term a) { return reads_out_of_place(s, a); });
}

bool reads_array(const spec& s, const array_info& info) {
  for (const pass& p : s.passes)
    for (const element& e : p.elements)
      if (e.array == info.name) return true;
  return mentions_any(terms_of(s), symbol(symbol_kind::array, info.name, info.element));
}

//! Extents of an array that is read at positions free of the loop: from the fold or vector that walks it.
term walked_extent(const spec& s, term array) {
  term found;
  const auto by_fold = [&](const node& n) {
    if (!n.is(op::inner_fold)) return false;
    return contains(n.args[2], [&](const node& r) {
      if (r.is(op::read) && r.args[0] == array && r.args[1]->is_symbol(symbol_kind::inner_index) && r.args[1]->name == n.name)
        found = n.args[0];
      return static_cast<bool>(found);
    });
  };
  for (term t : terms_of(s))
    if (contains(t, by_fold)) return found;
  const auto by_component = [&](term t, term extent) {
    return extent && contains(t, [&](const node& r) { return r.is(op::read) && r.args[0] == array && r.args[1] == position(); });
  };
  for (const pass& p : s.passes)
    for (const state_variable& v : p.state)
      if (by_component(v.init, v.extent) || by_component(v.step, v.extent)) return v.extent;
  for (const output& o : s.outputs)
    if (by_component(o.value, o.extent)) return o.extent;
  return {};
}

void describe_array(spec& s, const array_info& info, parameter& p) {
  const term array = symbol(symbol_kind::array, info.name, info.element);
  p.role = parameter_role::invariant_array;
  p.extents = info.extents;
  std::erase(p.extents, term{});
  if (const auto entries =
          std::count_if(s.outputs.begin(), s.outputs.end(), [&](const output& o) { return o.name == info.name && o.extent; });
      entries && p.extents.empty())
    for (const output& o : s.outputs)
      if (o.name == info.name) p.extents = {o.extent};
  // the range that the loops are seen to read, where nothing better is known
  const pass* reader = nullptr;
  long furthest = 0;
  term row;
  for (const pass& l : s.passes)
    for (const element& e : l.elements) {
      if (e.array != info.name) continue;
      p.role = parameter_role::input_array;
      if (!reader || e.offset > furthest) reader = &l, furthest = e.offset;
      if (e.row_extent) row = e.row_extent;
    }
  if (reader) {
    const term end = furthest == 0 ? reader->end : to_term(to_polynomial(reader->end) + to_polynomial(number(furthest, long_type)));
    p.extents = {info.extents[0] ? info.extents[0] : end};
    if (row) p.extents.push_back(row);
  }
  if (p.role == parameter_role::invariant_array && p.extents.empty())
    if (const term extent = walked_extent(s, array)) p.extents = {extent};
  for (const pass& l : s.passes)
    for (const element_output& o : l.outputs)
      if (o.array == info.name) {
        p.role = parameter_role::output_array;
        if (p.extents.empty()) p.extents = {l.end};
      }
  for (const output& o : s.outputs)
    if (o.name == info.name || o.name.rfind(info.name + "[", 0) == 0) {
      p.role = parameter_role::output_array;
      if (p.extents.empty() && o.extent) p.extents = {o.extent};
    }
}

}  // namespace

//! Memory behind parameters that may overlap: what is written, against what is read and what else is written. Types tell apart, as
//! in C++ (all but those of one byte), and so does restrict.
void executor::assume_apart(const clang::FunctionDecl* f, const spec& s) {
  struct touched {
    std::string root;
    type element;
  };
  std::vector<touched> out, in;
  const auto root = [](const std::string& name) { return name.substr(0, name.find_first_of(".[")); };
  for (const output& o : s.outputs)
    if (root(o.name) != "return") out.push_back({root(o.name), o.type});
  for (const pass& p : s.passes)
    for (const element_output& o : p.outputs)
      if (root(o.array) != "return") out.push_back({root(o.array), o.type});
  const auto restricted = [&](const std::string& name) {
    return std::any_of(arrays_.begin(), arrays_.end(), [&](const auto& a) { return a.second.name == name && a.second.restrict_qualified; });
  };
  for (const parameter& q : s.parameters)
    for (const auto* p : f->parameters()) {
      const clang::QualType t = p->getType();
      const bool array = q.role == parameter_role::input_array || q.role == parameter_role::invariant_array;
      const bool outside = t->isPointerType() || t->isReferenceType() || (array && t->isRecordType());
      const bool copied = array && !t->isReferenceType() && std_name(t) == "vector";
      if (p->getNameAsString() == root(q.name) && outside && !copied && q.role != parameter_role::output_array)
        in.push_back({root(q.name), q.element});
    }
  const auto clash = [&](const touched& a, const touched& b) {
    return a.root != b.root && (a.element == b.element || a.element.bits == 8 || b.element.bits == 8) && !restricted(a.root) &&
           !restricted(b.root);
  };
  const auto any = [&](const std::vector<touched>& others) {
    return std::any_of(out.begin(), out.end(), [&](const touched& a) {
      return std::any_of(others.begin(), others.end(), [&](const touched& b) { return clash(a, b); });
    });
  };
  if (any(in)) recording_.assume("outputs do not alias inputs");
  if (any(out)) recording_.assume("outputs do not alias one another");
}

spec executor::run(const clang::FunctionDecl* f) {
  const source at = f->getLocation();
  if (f->isVariadic())
    refuse("TF4024", at, "a function with a variable number of arguments", "they have no names", "use a fixed number of parameters");
  if (clang::isa<clang::CXXMethodDecl>(f) && clang::cast<clang::CXXMethodDecl>(f)->isInstance())
    refuse("TF4003", at, "a member function", "its object is not a parameter", "write a free function");
  frame top;
  top.function = f;
  top.returned = new_cell(value::of(boolean(false)), "", at);
  const clang::QualType t = f->getReturnType();
  frames_.push_back(std::move(top));
  const auto ends = range_ends(f);
  for (const auto* p : f->parameters()) {
    const auto end = ends.find(p);
    if (end == ends.end() || !declare_end(p, end->second)) declare_parameter(p);
  }
  value empty;
  if (!t->isVoidType()) {
    if (t->isReferenceType() || t->isPointerType())
      refuse("TF4003", at, "a function that returns a pointer or reference", "a position is not a number here", "return an index");
    name_hint_ = "result";
    empty = zero(t, at, true);
    name_hint_.clear();
  }
  frames_.back().result = new_cell(std::move(empty), "", at);
  objects_[frames_.back().result].type = t;
  execute(f->getBody());
  return finish(f);
}

spec executor::finish(const clang::FunctionDecl* f) {
  spec s;
  s.file = where(f->getLocation()).file;
  s.function = f->getNameAsString();
  s.where = where(f->getLocation());
  clang::PrintingPolicy policy(context_.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.SuppressUnwrittenScope = true;
  // scopes in full: the text is read again outside of the function's namespaces
  const auto in_full = [&](clang::QualType type) { return clang::TypeName::getFullyQualifiedType(type, context_); };
  s.return_type = in_full(f->getReturnType()).getAsString(policy);
  std::string qualified;
  llvm::raw_string_ostream qualified_text(qualified);
  f->printQualifiedName(qualified_text, policy);
  s.signature = s.return_type + " " + qualified_text.str() + "(";
  for (const auto* p : f->parameters()) {
    std::string declaration;
    llvm::raw_string_ostream text(declaration);
    in_full(p->getOriginalType()).print(text, policy, p->getName());
    s.signature += (p == *f->param_begin() ? "" : ", ") + text.str();
  }
  s.signature += ")";

  std::vector<array_result> results;
  const auto add_outputs = [&](const std::string& name, clang::QualType t, const value& v, bool always) {
    for (auto& [field, held] : fields_of(t, v)) {
      const std::string full = name + (field.empty() || field[0] == '[' ? "" : ".") + field;
      if (held.what == value::kind::view && held.owner) {
        const int id = held.at.object;
        const contents& c = memory_.arrays.at(id);
        if (!c.base || !c.entries.empty())
          refuse("TF4022", f->getLocation(), "the array '" + full + "' that is returned", "not all of it is written by loops",
                 "write all entries in a loop");
        arrays_.at(id).name = full;
        results.push_back({id, c, written_counts_.contains(id) ? written_counts_.at(id) : held.extent});
        continue;
      }
      if (held.what != value::kind::scalar || !held.scalar) continue;
      if (!always && held.scalar->is_symbol(symbol_kind::parameter) && held.scalar->name == full) continue;  // not written
      s.outputs.push_back({full, held.type, held.scalar, {}, {}});
    }
  };
  if (!f->getReturnType()->isVoidType()) add_outputs("return", f->getReturnType(), memory_.cells.at(frames_.back().result), true);
  for (const parameter_info& p : parameters_) {
    const value& v = memory_.cells.at(p.at.object);
    if (p.writable && v.what != value::kind::view) add_outputs(p.decl->getNameAsString(), p.decl->getType(), v, false);
    if (v.what == value::kind::pointer && v.at.index.empty())
      add_outputs(p.decl->getNameAsString(), p.decl->getType()->getPointeeType(), memory_.cells.at(v.at.object), false);
  }
  for (const auto& [id, info] : arrays_) {
    if (!info.parameter || info.read_only) continue;
    const contents& c = memory_.arrays.at(id);
    if (!c.base && c.entries.empty()) continue;
    results.push_back({id, c, written_counts_.contains(id) ? written_counts_.at(id) : term{}});
  }
  make_passes(s, recording_, arrays_, results);
  for (output& o : s.outputs) {
    o.value = without_index(o.value);
    if (reads_out_of_place(s, o.value))
      refuse("TF4036", f->getLocation(),
             "the output '" + o.name + "', which reads a vector of the state at another place than its own component",
             "a component of the answer may depend on the vectors only at the same place", "write each component from its own");
    if (contains(o.value, [](const node& n) {
          return n.is_symbol(symbol_kind::opaque) || n.is_symbol(symbol_kind::state) || (n.is_symbol(symbol_kind::index));
        }))
      refuse("TF4037", f->getLocation(), "the output '" + o.name + "'", "it depends on what is known inside of a loop only",
             "assign it after the loop from variables");
  }

  // --- parameters
  const auto ends = range_ends(f);
  for (const auto* p : f->parameters()) {
    const std::string name = p->getNameAsString();
    bool array = ends.contains(p) && memory_.cells.at(frames_.back().variables.at(p).object).what == value::kind::pointer &&
                 arrays_.contains(memory_.cells.at(frames_.back().variables.at(p).object).at.object) &&
                 arrays_.at(memory_.cells.at(frames_.back().variables.at(p).object).at.object).name != name;  // the end of another's array
    for (const auto& [id, info] : arrays_) {
      if (!info.parameter || (info.name != name && info.name.rfind(name + ".", 0) != 0)) continue;
      if (info.of_structs && !reads_array(s, info)) continue;
      parameter q{info.name,
                  info.cpp_type.empty() ? p->getType().getAsString(policy) : p->getOriginalType().getAsString(policy),
                  info.element,
                  parameter_role::scalar,
                  {}};
      describe_array(s, info, q);
      s.parameters.push_back(std::move(q));
      array = true;
    }
    std::vector<std::pair<std::string, value>> leaves_of;
    const clang::QualType t = p->getType()->isPointerType() ? p->getType()->getPointeeType() : p->getType().getNonReferenceType();
    if (const auto scalar = scalar_type(t); scalar && !array) {
      const bool written = p->getType()->isReferenceType() &&
                           std::any_of(s.outputs.begin(), s.outputs.end(), [&](const output& o) { return o.name == name; });
      const bool used = mentions_any(terms_of(s), symbol(symbol_kind::parameter, name, *scalar));
      s.parameters.push_back(
          {name, p->getType().getAsString(policy), *scalar, written && !used ? parameter_role::output_array : parameter_role::scalar, {}});
    } else if (t->isRecordType() && container_element(t).isNull() && !array) {
      // fields, by the names that their symbols carry
      for (term x : [&] {
             std::vector<term> all;
             for (term y : terms_of(s))
               for (term z : symbols(y))
                 if (z->is_symbol(symbol_kind::parameter) && z->name.rfind(name + ".", 0) == 0 &&
                     std::find(all.begin(), all.end(), z) == all.end())
                   all.push_back(z);
             return all;
           }())
        s.parameters.push_back({x->name, cpp_name(x->type), x->type, parameter_role::scalar, {}});
    }
  }
  std::vector<term> bounds;
  for (const pass& p : s.passes) {
    bounds.insert(bounds.end(), {p.begin, p.end});
    for (const state_variable& v : p.state)
      if (v.extent) bounds.push_back(v.extent);
    for (const element& e : p.elements)
      if (e.row_extent) bounds.push_back(e.row_extent);
  }
  for (const parameter& p : s.parameters) bounds.insert(bounds.end(), p.extents.begin(), p.extents.end());
  for (parameter& p : s.parameters)
    if (p.role == parameter_role::scalar && p.element.kind == sort::integer &&
        mentions_any(bounds, symbol(symbol_kind::parameter, p.name, p.element)))
      p.role = parameter_role::length;

  // --- assumptions
  const bool writes =
      std::any_of(s.parameters.begin(), s.parameters.end(), [](const parameter& p) { return p.role == parameter_role::output_array; });
  const bool reads = std::any_of(s.parameters.begin(), s.parameters.end(), [](const parameter& p) {
    return p.role == parameter_role::input_array || p.role == parameter_role::invariant_array;
  });
  bool proved = true;
  for (const auto& [id, info] : arrays_)
    if (info.parameter && !info.read_only) proved &= info.restrict_qualified;
  if (writes && reads && !proved) recording_.assume("outputs do not alias inputs");
  assume_apart(f, s);
  for (const auto& [t, text] : recording_.narrowings)
    if (mentions_any(terms_of(s), t) || true) recording_.assume(text);
  s.assumptions = recording_.assumptions;
  s.notes = recording_.notes;
  return s;
}

}  // namespace twofold::analyser::frontend
