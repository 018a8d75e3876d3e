// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file C++ types as values: what a variable or a parameter of a type looks like in memory.
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {
namespace {

//! Fixed arrays up to this many entries become scalars; longer ones are array objects.
constexpr long unrolled_entries = 16;

const clang::ClassTemplateSpecializationDecl* specialization(clang::QualType t) {
  return llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(t.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl());
}

}  // namespace

executor::executor(clang::ASTContext& context, bool unroll_top) : context_(context), unroll_top_(unroll_top) {}

location executor::where(source l) const {
  // Files as they are: what #line says is the source's own invention, and reports quote the file that they name.
  const clang::PresumedLoc p = context_.getSourceManager().getPresumedLoc(context_.getSourceManager().getExpansionLoc(l), false);
  if (p.isInvalid()) return {};
  return {p.getFilename(), static_cast<int>(p.getLine()), static_cast<int>(p.getColumn())};
}

void executor::refuse(const char* code, source at, std::string what, std::string why, std::string fix) const {
  refuse_at(code, where(at), std::move(what), std::move(why), std::move(fix));
}

std::optional<type> executor::scalar_type(clang::QualType t) const {
  t = t.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (const auto* e = t->getAs<clang::EnumType>()) {
    if (!e->getDecl()->isComplete()) return std::nullopt;
    t = e->getDecl()->getIntegerType().getCanonicalType().getUnqualifiedType();
  }
  const auto* b = t->getAs<clang::BuiltinType>();
  if (!b) return std::nullopt;
  if (b->getKind() == clang::BuiltinType::Bool) return boolean_type;
  if (b->getKind() == clang::BuiltinType::Float) return float_type;
  if (b->getKind() == clang::BuiltinType::Double) return double_type;
  if (!b->isInteger()) return std::nullopt;
  const auto bits = context_.getTypeSize(t);
  if (bits > 64) return std::nullopt;
  return type{sort::integer, static_cast<std::uint8_t>(bits), b->isSignedInteger()};
}

type executor::need_scalar_type(clang::QualType t, source at) const {
  if (auto s = scalar_type(t)) return *s;
  refuse("TF4003", at, "a value of type '" + t.getAsString() + "'",
         "only bool, char, integers up to 64 bits, float and double are read as numbers",
         "use float or double, or a struct of such fields");
}

std::string executor::std_name(clang::QualType t) {
  const auto* r = t.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  if (!r || !r->getIdentifier()) return {};
  return r->isInStdNamespace() ? r->getName().str() : std::string();
}

bool executor::is_iterator(clang::QualType t) {
  const auto* r = t.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  return r && r->getIdentifier() &&
         (r->getName() == "__normal_iterator" || r->getName() == "_Bit_const_iterator" || r->getName() == "_Bit_iterator_base");
}

clang::QualType executor::container_element(clang::QualType t) const {
  const std::string name = std_name(t);
  if (name != "vector" && name != "span" && name != "array" && name != "basic_string" && name != "basic_string_view" &&
      name != "initializer_list")
    return {};
  const auto* s = specialization(t);
  if (!s || s->getTemplateArgs().size() == 0 || s->getTemplateArgs()[0].getKind() != clang::TemplateArgument::Type) return {};
  const clang::QualType element = s->getTemplateArgs()[0].getAsType();
  const bool proxies = name == "vector" && element->isBooleanType() && !t.getNonReferenceType().isConstQualified();
  return proxies ? clang::QualType() : element;  // a vector<bool> that is only read is an array of bool
}

std::optional<long> executor::fixed_extent(clang::QualType t) const {
  t = t.getNonReferenceType();
  if (const auto* a = context_.getAsConstantArrayType(t)) return static_cast<long>(a->getSize().getZExtValue());
  const std::string name = std_name(t);
  if (name != "array" && name != "span") return std::nullopt;
  const auto* s = specialization(t);
  if (s->getTemplateArgs().size() < 2 || s->getTemplateArgs()[1].getKind() != clang::TemplateArgument::Integral) return std::nullopt;
  const llvm::APSInt n = s->getTemplateArgs()[1].getAsIntegral();
  if (n.isAllOnes()) return std::nullopt;  // std::dynamic_extent
  return static_cast<long>(n.getZExtValue());
}

namespace {
clang::QualType entry_type(clang::ASTContext& c, clang::QualType t, clang::QualType container) {
  if (!container.isNull()) return container;
  if (const auto* a = c.getAsArrayType(t.getNonReferenceType())) return a->getElementType();
  return {};
}
}  // namespace

//! The value of a fresh variable of type t, zero or indeterminate.
value executor::zero(clang::QualType t, source at, bool indeterminate) {
  t = t.getNonReferenceType();
  if (auto s = scalar_type(t)) return indeterminate ? value::indeterminate(*s) : value::of(number(0L, *s));
  const clang::QualType element = entry_type(context_, t, container_element(t));
  if (!element.isNull() && fixed_extent(t) && std_name(t) != "span") {
    const long n = *fixed_extent(t);
    if (n <= unrolled_entries) return value::aggregate(std::vector<value>(static_cast<std::size_t>(n), zero(element, at, indeterminate)));
    const type e = need_scalar_type(element, at);
    array_info info{.name = name_hint_, .element = e, .extents = {number(n, long_type)}, .where = where(at)};
    const int id = new_array(info);
    if (!indeterminate) memory_.arrays[id].base = number(0L, e);
    return value::view({id, {number(0L, long_type)}, {}}, number(n, long_type), true);
  }
  if (std_name(t) == "vector") {
    array_info info{.name = name_hint_, .element = need_scalar_type(element, at), .extents = {number(0L, long_type)}, .where = where(at)};
    return value::view({new_array(info), {number(0L, long_type)}, {}}, number(0L, long_type), true);
  }
  if (t->isPointerType() || is_iterator(t)) return {};
  if (!optional_value(t).isNull()) return empty_optional(t, at, indeterminate);
  if (const auto* r = t->getAsCXXRecordDecl(); r && r->hasDefinition()) {
    const bool pair = std_name(t) == "pair";  // has an empty base
    if (r->isUnion() || (r->getNumBases() > 0 && !pair) || (!pair && r->isInStdNamespace()))
      refuse("TF4003", at, "a variable of type '" + t.getAsString() + "'",
             "unions, derived classes and other library types have no reading here",
             "use a struct of numbers, std::vector, std::array or std::span");
    std::vector<value> fields;
    const std::string hint = name_hint_;
    for (const auto* f : r->fields()) {
      name_hint_ = hint + "." + f->getNameAsString();
      fields.push_back(zero(f->getType(), at, indeterminate));
    }
    name_hint_ = hint;
    return value::aggregate(std::move(fields));
  }
  refuse("TF4003", at, "a variable of type '" + t.getAsString() + "'", "this type has no reading as numbers",
         "use numbers, structs of numbers, or arrays of numbers");
}

//! What a parameter holds when the function starts. Arrays become external array objects, numbers parameter symbols.
value executor::parameter_value(clang::QualType t, const std::string& name, source at, bool is_const, bool by_reference) {
  if (auto s = scalar_type(t)) return value::of(symbol(symbol_kind::parameter, name, *s));
  array_info info{.name = name, .external = true, .read_only = is_const, .parameter = true, .where = where(at)};
  info.restrict_qualified = t.isRestrictQualified();
  // Peel dimensions: pointer, fixed array or container of …; each is one index.
  clang::QualType element = t;
  bool pointer_first = false;
  while (true) {
    const bool outermost = info.extents.empty();
    const std::string level = std::string(info.extents.size(), '*') + name;
    if (element->isPointerType()) {
      pointer_first |= outermost;
      info.extents.emplace_back();
      element = element->getPointeeType();
    } else if (auto n = fixed_extent(element)) {
      info.extents.push_back(number(*n, long_type));
      element = entry_type(context_, element, container_element(element));
    } else if (!container_element(element).isNull()) {
      info.extents.push_back(symbol(symbol_kind::length, (outermost ? name : name + "[0]") + ".size()", type{sort::integer, 64, false}));
      if (!outermost) recording_.assume("all rows of " + name + " have " + name + "[0].size() entries");
      element = container_element(element);
    } else {
      break;
    }
    if (outermost) info.read_only |= element.isConstQualified() || (by_reference && is_const);
    else info.read_only |= element.isConstQualified();
    if (std_name(t) == "basic_string_view") info.read_only = true;
  }
  if (!info.extents.empty() && scalar_type(element)) {
    if (info.rank() > 2)
      refuse("TF4003", at, "parameter '" + name + "' with " + std::to_string(info.rank()) + " dimensions",
             "arrays have one or two dimensions here", "pass a flat row-major pointer");
    info.element = *scalar_type(element);
    const term extent = info.extents[0];
    const int id = new_array(info);
    const place first{id, {number(0L, long_type)}, {}};
    return pointer_first ? value::pointer(first) : value::view(first, extent, false);
  }
  const auto* r = element->getAsCXXRecordDecl();
  if (r && r->hasDefinition() && !r->isUnion() && (std_name(element) == "pair" || (r->getNumBases() == 0 && !r->isInStdNamespace())) &&
      !r->isLambda()) {
    check_class(element, at);
    if (std::find(unfolding_.begin(), unfolding_.end(), r) != unfolding_.end())
      refuse("TF4003", at, "parameter '" + name + "', which points to more of its own kind ('" + r->getNameAsString() + "')",
             "chains of objects have no reading as arrays", "pass an array of numbers");
    unfolding_.push_back(r);
    if (info.rank() == 1 && (!pointer_first || element.isConstQualified())) {
      const value entries = array_of_structs(info, element, at);
      unfolding_.pop_back();
      return pointer_first ? value::pointer(entries.at) : entries;
    }
    if (info.extents.size() == 1 && pointer_first) {  // state* s: one object
      unfolding_.pop_back();
      value object = parameter_value(element, name, at, false, true);
      const int id = new_cell(std::move(object), name, at);
      objects_[id].type = element;
      return value::pointer({id, {}, {}});
    }
    if (info.extents.empty()) {
      std::vector<value> fields;
      for (const auto* f : r->fields())
        fields.push_back(parameter_value(f->getType(), name + "." + f->getNameAsString(), at, is_const, by_reference));
      unfolding_.pop_back();
      return value::aggregate(std::move(fields));
    }
  }
  refuse("TF4003", at, "parameter '" + name + "' of type '" + t.getAsString() + "'",
         "this type has no reading as numbers or arrays of numbers",
         "pass pointers with a length, std::span, std::vector, std::array or numbers");
}

//! An array of structs is one array for each number in them.
value executor::array_of_structs(const array_info& whole, clang::QualType element, source at) {
  array_info outer{.name = whole.name, .extents = whole.extents, .read_only = true, .where = whole.where};
  const std::function<void(clang::QualType, const std::string&, std::vector<int>)> add = [&](clang::QualType t, const std::string& name,
                                                                                             std::vector<int> path) {
    path.push_back(0);
    for (const auto* f : t->getAsCXXRecordDecl()->fields()) {
      const clang::QualType inner = f->getType();
      const std::string full = name + "." + f->getNameAsString();
      path.back() = static_cast<int>(f->getFieldIndex());
      if (const auto s = scalar_type(inner); s && !inner->isReferenceType()) {
        array_info one = whole;
        one.name = full, one.element = *s, one.read_only = one.of_structs = true;
        outer.fields.emplace_back(path, new_array(std::move(one)));
      } else if (const auto* r = inner->getAsCXXRecordDecl();
                 r && r->hasDefinition() && !r->isUnion() && r->getNumBases() == 0 && !r->isInStdNamespace()) {
        check_class(inner, at);
        add(inner, full, path);
      } else {
        refuse("TF4003", at, "parameter '" + whole.name + "', whose entries hold '" + full + "' of type '" + inner.getAsString() + "'",
               "structs in arrays hold numbers and structs of numbers here", "pass an array of its own for it");
      }
    }
  };
  add(element, whole.name, {});
  const int id = new_array(std::move(outer));
  objects_[id].type = element.getUnqualifiedType();
  return value::view({id, {number(0L, long_type)}, {}}, whole.extents[0], false);
}

void executor::set_extent(int array, term extent) {
  array_info& info = arrays_.at(array);
  info.extents[0] = extent;
  for (const auto& [path, field] : info.fields) arrays_.at(field).extents[0] = extent;
}

//! What lies at `path` in the entry of an array of structs.
value executor::load_struct(const place& p, clang::QualType t, source at) {
  const array_info& info = arrays_.at(p.object);
  std::vector<int> path;
  for (const step& s : p.path) path.push_back(s.at);
  if (scalar_type(t))
    for (const auto& [field, array] : info.fields)
      if (field == path) return value::of(read_entry(array, p.index, at));
  const auto* r = t.getNonReferenceType()->getAsCXXRecordDecl();
  if (!r) refuse("TF4003", at, "this part of a struct", "it has no reading as numbers", "use its fields");
  value whole = value::aggregate({});
  for (const auto* f : r->fields()) {
    place field = p;
    field.path.push_back({static_cast<int>(f->getFieldIndex()), {}});
    whole.children.push_back(load_struct(field, f->getType(), at));
  }
  return whole;
}

void executor::declare_parameter(const clang::ParmVarDecl* p) {
  const clang::QualType t = p->getType().getNonReferenceType();
  const bool reference = p->getType()->isReferenceType();
  if (t.isVolatileQualified())
    refuse("TF4004", p->getLocation(), "a volatile parameter", "every access of a volatile object is an effect of its own",
           "drop volatile");
  // An array parameter decays; the type as written still tells its first extent.
  const clang::QualType original = p->getOriginalType().getNonReferenceType();
  const bool constant = t.isConstQualified();
  value v = parameter_value(t, p->getNameAsString(), p->getLocation(), constant, reference);
  if (v.what == value::kind::pointer && v.at.index.size() == 1 && arrays_.contains(v.at.object))
    if (auto n = fixed_extent(original); n && original->isArrayType()) set_extent(v.at.object, number(*n, long_type));
  if ((v.what == value::kind::pointer || v.what == value::kind::view) && arrays_.contains(v.at.object))
    arrays_[v.at.object].cpp_type = p->getType().getAsString();
  const bool by_value_container = !reference && v.what == value::kind::view && std_name(t) != "span" && std_name(t) != "basic_string_view";
  if (arrays_.contains(v.at.object))
    for (const auto& [path, field] : arrays_[v.at.object].fields) arrays_[field].cpp_type = p->getType().getAsString();
  if (by_value_container) arrays_[v.at.object].read_only = true;  // a copy: writing it would have no effect outside
  const place at{new_cell(std::move(v), p->getNameAsString(), p->getLocation()), {}, {}};
  objects_[at.object].type = t;
  frames_.back().variables[p] = at;
  parameters_.push_back({p, at, reference && !constant});
}

//! `last` of [first, last): a position in first's array. False if first is no array of numbers.
bool executor::declare_end(const clang::ParmVarDecl* end, const clang::ParmVarDecl* first) {
  const value array = memory_.cells.at(frames_.back().variables.at(first).object);
  if (array.what != value::kind::pointer || array.at.index.size() != 1 || !arrays_.contains(array.at.object)) return false;
  array_info& info = arrays_.at(array.at.object);
  if (info.rank() != 1 || info.extents[0]) return false;
  const term length = symbol(symbol_kind::length, end->getNameAsString() + " - " + first->getNameAsString(), long_type);
  set_extent(array.at.object, length);
  recording_.assume("[" + first->getNameAsString() + ", " + end->getNameAsString() + ") is a range");
  const place at{new_cell(value::pointer({array.at.object, {length}, {}}), end->getNameAsString(), end->getLocation()), {}, {}};
  objects_[at.object].type = end->getType();
  frames_.back().variables[end] = at;
  return true;
}

std::vector<std::pair<std::string, value>> executor::fields_of(clang::QualType t, const value& v) const {
  std::vector<std::pair<std::string, value>> out;
  if (v.what != value::kind::aggregate) return {{"", v}};
  if (const clang::QualType held = optional_value(t); !held.isNull()) {
    out.emplace_back("has_value", v.children.at(0));
    for (auto& [name, child] : fields_of(held, v.children.at(1))) out.emplace_back("value" + (name.empty() ? "" : "." + name), child);
    return out;
  }
  const auto* r = t.getNonReferenceType()->getAsCXXRecordDecl();
  std::size_t i = 0;
  if (r && !fixed_extent(t)) {
    for (const auto* f : r->fields()) {
      for (auto& [name, child] : fields_of(f->getType(), v.children.at(i)))
        out.emplace_back(f->getNameAsString() + (name.empty() || name[0] == '[' ? "" : ".") + name, child);
      ++i;
    }
    return out;
  }
  const clang::QualType element = entry_type(context_, t, container_element(t));
  for (const value& c : v.children) {
    for (auto& [name, child] : fields_of(element, c))
      out.emplace_back("[" + std::to_string(i) + "]" + (name.empty() ? "" : "." + name), child);
    ++i;
  }
  return out;
}

}  // namespace twofold::analyser::frontend
