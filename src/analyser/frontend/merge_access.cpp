// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the reading of a merge needs of the executor: a call on symbolic states.
#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {

value executor::symbolic_value(clang::QualType t, const std::string& name, const leaf_maker& leaf) {
  if (const auto s = scalar_type(t)) {
    const term x = leaf(name, *s, false);
    return value::of(cast(x, *s));
  }
  const clang::QualType element = t->isPointerType() ? t->getPointeeType() : container_element(t);
  const auto* fixed = context_.getAsConstantArrayType(t);
  const clang::QualType entry = fixed ? fixed->getElementType() : element;
  if (!entry.isNull() && scalar_type(entry)) {
    name_hint_ = name;
    // A small fixed array is unrolled wherever it occurs, so its entries are variables of their own.
    if (fixed_extent(t)) {
      value v = zero(t, {}, true);
      if (v.what == value::kind::aggregate) {
        for (std::size_t i = 0; i < v.children.size(); ++i)
          v.children[i] = value::of(leaf(name + "[" + std::to_string(i) + "]", *scalar_type(entry), false));
        return v;
      }
    }
    array_info info{.name = name, .element = *scalar_type(entry), .extents = {term{}}};
    const int id = new_array(info);
    // a pointer to a single number, or an array: the state says which
    memory_.arrays[id].base = leaf(name, info.element, true);
    const place first{id, {number(0L, long_type)}, {}};
    return t->isPointerType() ? value::pointer(first) : value::view(first, {}, !std_name(t).empty() && std_name(t) == "vector");
  }
  if (const auto* r = t->getAsCXXRecordDecl(); r && r->hasDefinition() && !r->isUnion() && r->getNumBases() == 0) {
    std::vector<value> fields;
    for (const auto* f : r->fields()) fields.push_back(symbolic_value(f->getType(), f->getNameAsString(), leaf));
    return value::aggregate(std::move(fields));
  }
  refuse("TF4003", {}, "a state of type '" + t.getAsString() + "'", "this type has no reading as numbers",
         "use numbers, structs of numbers and arrays of numbers");
}

value executor::symbolic_parameter(const clang::ParmVarDecl* p) {
  return parameter_value(p->getType().getNonReferenceType(), p->getNameAsString(), p->getLocation(), true, p->getType()->isReferenceType());
}

value executor::blank(clang::QualType t, const clang::ParmVarDecl* p) {
  if (!t->isPointerType()) return zero(t, p->getLocation(), true);
  const clang::QualType target = t->getPointeeType();
  if (const auto s = scalar_type(target)) {
    array_info info{.name = p->getNameAsString(), .element = *s, .extents = {term{}}, .where = where(p->getLocation())};
    return value::pointer({new_array(info), {number(0L, long_type)}, {}});
  }
  return value::pointer({new_cell(zero(target, p->getLocation(), true), p->getNameAsString(), p->getLocation()), {}, {}});
}

value executor::call_with(const clang::FunctionDecl* f, const std::vector<std::pair<const clang::ParmVarDecl*, value>>& arguments) {
  frame made;
  const clang::FunctionDecl* definition = nullptr;
  f->getBody(definition);
  for (const auto& [p, v] : arguments) {
    value held = v;
    const bool pointer_to_object = p->getType()->isPointerType() && v.what == value::kind::aggregate;
    place at{new_cell(held, p->getNameAsString(), p->getLocation()), {}, {}};
    objects_[at.object].type = p->getType();
    if (pointer_to_object) at = {new_cell(value::pointer(at), p->getNameAsString(), p->getLocation()), {}, {}};
    made.variables[p] = at;
    globals_[p] = at;  // where value_after finds it
  }
  return run_body(definition ? definition : f, std::move(made), f->getLocation());
}

value executor::value_after(const clang::ParmVarDecl* p) {
  const value v = memory_.cells.at(globals_.at(p).object);
  if (v.what == value::kind::pointer && v.at.index.empty() && memory_.cells.contains(v.at.object)) return memory_.cells.at(v.at.object);
  return v;
}

term executor::content_of(const value& v) const {
  if (v.what == value::kind::scalar) return v.scalar;
  if (v.what != value::kind::view && v.what != value::kind::pointer) return {};
  const auto a = memory_.arrays.find(v.at.object);
  if (a == memory_.arrays.end()) return {};
  // `*m = …` through a pointer to one number
  if (a->second.entries.size() == 1 && is_number(a->second.entries[0].index.at(0), 0)) return a->second.entries[0].value;
  return a->second.entries.empty() ? a->second.base : term{};
}

}  // namespace twofold::analyser::frontend
