// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Construction of objects, and the members of vector, span, array, string and unique_ptr.
#include <clang/AST/DeclTemplate.h>

#include <set>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {
namespace {

using clang::dyn_cast;
constexpr type size_type{sort::integer, 64, false};
term zero_index() { return number(0L, long_type); }

}  // namespace

value executor::member_of(const std::string& name, const value& object, const expression* object_expression, const clang::CallExpr* e,
                          unsigned first_argument) {
  const source at = e->getExprLoc();
  const auto argument_term = [&](unsigned i) { return scalar(e->getArg(first_argument + i)); };
  const bool array = object.what == value::kind::aggregate;
  if (object.what != value::kind::view && !array)
    refuse("TF4023", at, "a call of '" + name + "'", "the object is not an array that is understood here",
           "use std::vector, std::span or std::array of numbers");
  const term extent = array ? number(static_cast<long>(object.children.size()), size_type) : object.extent;
  const auto need_extent = [&] {
    if (!extent) refuse("TF4020", at, "the size of this array", "it is not known", "pass the length as a parameter");
    return cast(extent, size_type);
  };
  const auto start = [&] {
    if (!array) return object.at;
    place p = object_expression->isGLValue() ? locate(object_expression) : temporary(object, at);
    p.path.push_back({0, {}});
    return p;
  };
  if (name == "size" || name == "length") return value::of(need_extent());
  if (name == "ssize") return value::of(cast(need_extent(), long_type));
  if (name == "empty") return value::of(equal(need_extent(), number(0L, size_type)));
  if (name == "data" || name == "begin" || name == "cbegin" || name == "c_str") return value::pointer(start());
  if (name == "end" || name == "cend") return value::pointer(subscript(value::pointer(start()), need_extent(), at));
  if (name == "at" || name == "operator[]") return value::pointer(subscript(value::pointer(start()), argument_term(0), at));
  if (name == "front") return value::pointer(start());
  if (name == "back") return value::pointer(subscript(value::pointer(start()), sub(need_extent(), number(1L, size_type)), at));
  if (!array && name == "subspan") {
    const term from = argument_term(0);
    const bool open = e->getNumArgs() - first_argument < 2 || clang::isa<clang::CXXDefaultArgExpr>(e->getArg(first_argument + 1));
    const term count = open ? sub(need_extent(), cast(from, size_type)) : argument_term(1);
    return value::view(subscript(value::pointer(object.at), from, at), count, false);
  }
  if (!array && name == "first") return value::view(object.at, argument_term(0), false);
  if (!array && name == "last")
    return value::view(subscript(value::pointer(object.at), sub(need_extent(), argument_term(0)), at), argument_term(0), false);
  if (name == "fill" || name == "assign" || name == "resize") {
    if (array && name == "fill") {
      const value v = evaluate(e->getArg(first_argument));
      store(locate(object_expression), value::aggregate(std::vector<value>(object.children.size(), v)), at);
      return {};
    }
    if (!array && object.owner && is_number(object.at.index.at(0), 0) && (name == "fill" || depth_ == 0)) {
      array_info& info = arrays_.at(object.at.object);
      const bool keep = name == "resize" && info.extents[0] && !is_number(info.extents[0], 0);
      if (!keep) {
        const unsigned given = e->getNumArgs() - first_argument;
        term fill = number(0L, info.element);
        if (name == "fill") fill = convert_to(argument_term(0), info.element, at);
        else if (given > 1) fill = convert_to(argument_term(1), info.element, at);
        memory_.arrays[object.at.object] = {fill, {}};
        if (name != "fill") {
          info.extents[0] = argument_term(0);
          value v = object;
          v.extent = info.extents[0];
          store(locate(object_expression), v, at);
        }
        return {};
      }
    }
  }
  if (name == "reserve" || name == "shrink_to_fit") return {};
  if (name == "push_back" || name == "emplace_back" || name == "insert" || name == "append" || name == "operator+=")
    refuse("TF4026", at, "a container that grows ('" + name + "')",
           "state of a size that depends on the data has no merge of constant size", "give it its final size before the loop");
  refuse("TF4023", at, "a call of '" + name + "'", "this member has no reading here", "use an index and the size");
}

std::optional<value> executor::container_member(const clang::CXXMemberCallExpr* e) {
  const auto* method = e->getMethodDecl();
  if (!method) return std::nullopt;
  const auto* object = e->getImplicitObjectArgument();
  const clang::QualType t = object->getType()->isPointerType() ? object->getType()->getPointeeType() : object->getType();
  const std::string holder = std_name(t);
  const std::string name = method->getNameAsString();
  if (holder == "optional") return optional_member(name, object, e, 0);
  if (holder == "unique_ptr" && name == "get") return evaluate(object);
  if (is_iterator(t) && name == "base") return evaluate(object);
  if (container_element(t).isNull()) return std::nullopt;
  if (object->getType()->isPointerType()) {
    const place p = dereference(evaluate(object), e->getExprLoc());
    return member_of(name, load(p, t, e->getExprLoc()), object, e, 0);
  }
  return member_of(name, evaluate(object), object, e, 0);
}

//! Objects of the standard library.
value executor::construct_library(const std::string& name, const clang::CXXConstructExpr* e) {
  const source at = e->getExprLoc();
  unsigned n = e->getNumArgs();
  while (n > 0 && clang::isa<clang::CXXDefaultArgExpr>(e->getArg(n - 1))) --n;  // allocators and the like
  static const std::set<std::string> operators{"plus",     "minus",        "multiplies",  "divides",   "modulus",    "bit_and",
                                               "bit_or",   "bit_xor",      "less",        "greater",   "less_equal", "greater_equal",
                                               "equal_to", "not_equal_to", "logical_and", "logical_or"};
  if (operators.contains(name)) {
    value closure;
    closure.what = value::kind::closure, closure.name = name;
    const auto* made = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(e->getType()->getAsCXXRecordDecl());
    if (made && made->getTemplateArgs().size() == 1 && !made->getTemplateArgs()[0].getAsType()->isVoidType())
      closure.children.push_back(value::indeterminate(need_scalar_type(made->getTemplateArgs()[0].getAsType(), at)));
    return closure;
  }
  if (name == "optional" && n <= 1) return n == 0 ? zero(e->getType(), at, false) : optional_from(e->getArg(0), e->getType());
  const auto* constructor = e->getConstructor();
  if (constructor->isCopyOrMoveConstructor() && n == 1) {
    if (!copies_plainly(e->getType()))
      refuse("TF4003", at, "a copy of '" + e->getType().getAsString() + "'", "a copy constructor inside of it does more than to copy",
             "copy the parts one by one");
    return copy(evaluate(e->getArg(0)), at);
  }
  if (name == "pair" || name == "tuple") {
    std::vector<value> fields;
    const auto* r = e->getType()->getAsCXXRecordDecl();
    if (n == 0) return zero(e->getType(), at, false);
    if (name == "pair") {
      unsigned i = 0;
      for (const auto* f : r->fields()) {
        value v = evaluate(e->getArg(i++));
        if (auto s = scalar_type(f->getType()); s && v.what == value::kind::scalar) v = value::of(convert_to(v.scalar, *s, at));
        fields.push_back(std::move(v));
        if (i == n) break;
      }
      return value::aggregate(std::move(fields));
    }
  }
  if (name == "unique_ptr" && n == 1) return evaluate(e->getArg(0));
  const clang::QualType element = container_element(e->getType());
  if (!element.isNull() && name != "vector" && name != "array") {  // span, string_view
    if (n == 1) {
      const value v = evaluate(e->getArg(0));
      if (v.what == value::kind::view) return value::view(v.at, v.extent, false);
      if (v.what == value::kind::aggregate && e->getArg(0)->isGLValue()) {
        place p = locate(e->getArg(0));
        p.path.push_back({0, {}});
        return value::view(p, number(static_cast<long>(v.children.size()), size_type), false);
      }
    }
    if (n == 2) {
      const value first = evaluate(e->getArg(0)), second = evaluate(e->getArg(1));
      if (first.what == value::kind::pointer && second.what == value::kind::scalar) return value::view(first.at, second.scalar, false);
      if (first.what == value::kind::pointer && second.what == value::kind::pointer && first.at.object == second.at.object &&
          !first.at.index.empty())
        return value::view(first.at, sub(cast(second.at.index.back(), long_type), cast(first.at.index.back(), long_type)), false);
    }
  }
  if (name == "vector") {
    if (element.isNull())
      refuse("TF4003", at, "a std::vector<bool> that is written", "its entries are bits behind proxies", "use std::vector<char>");
    if (n == 0) return zero(e->getType(), at, false);
    const expression* a = e->getArg(0);
    array_info info{.name = name_hint_.empty() ? "vector" : name_hint_, .element = need_scalar_type(element, at), .where = where(at)};
    term fill = number(0L, info.element);
    if (a->getType()->isIntegralOrEnumerationType() && n <= 2) {
      info.extents = {scalar(a)};
      if (n == 2) fill = convert_to(scalar(e->getArg(1)), info.element, at);
      const term extent = info.extents[0];
      const int id = new_array(std::move(info));
      memory_.arrays[id].base = fill;
      return value::view({id, {zero_index()}, {}}, extent, true);
    }
    const value first = evaluate(a);
    if (n == 1 && first.what == value::kind::aggregate) {
      info.extents = {number(static_cast<long>(first.children.size()), size_type)};
      const term extent = info.extents[0];
      const int id = new_array(std::move(info));
      for (std::size_t i = 0; i < first.children.size(); ++i)
        memory_.arrays[id].entries.push_back({{number(static_cast<long>(i), long_type)}, first.children[i].scalar});
      return value::view({id, {zero_index()}, {}}, extent, true);
    }
    if (n == 2 && first.what == value::kind::pointer && first.at.index.size() == 1) {
      const value last = evaluate(e->getArg(1));
      if (last.what == value::kind::pointer && last.at.object == first.at.object) {
        info.extents = {sub(cast(last.at.index[0], long_type), cast(first.at.index[0], long_type))};
        const term extent = info.extents[0];
        const term base = read_entry(first.at.object, {add(cast(first.at.index[0], long_type), position())}, at);
        const int id = new_array(std::move(info));
        memory_.arrays[id].base = base;
        return value::view({id, {zero_index()}, {}}, extent, true);
      }
    }
  }
  if (n == 0) return zero(e->getType(), at, false);
  if (n == 1 && is_iterator(e->getType())) return evaluate(e->getArg(0));
  refuse("TF4023", at, "a construction of '" + e->getType().getAsString() + "'", "this constructor has no reading here",
         "use numbers, structs of numbers, or std::vector of a known length");
}

value executor::construct(const clang::CXXConstructExpr* e) {
  const source at = e->getExprLoc();
  const auto* c = e->getConstructor();
  const auto* r = c->getParent();
  if (e->getType()->isArrayType()) return zero(e->getType(), at, true);
  if (r->isLambda() && e->getNumArgs() == 1) return evaluate(e->getArg(0));
  if (const std::string name = std_name(e->getType()); !name.empty()) return construct_library(name, e);
  if (is_iterator(e->getType()) && e->getNumArgs() >= 1) return evaluate(e->getArg(0));
  check_class(e->getType(), at);
  if (c->isCopyOrMoveConstructor() && e->getNumArgs() == 1 && (c->isTrivial() || (c->isDefaulted() && copies_plainly(e->getType()))))
    return copy(evaluate(e->getArg(0)), at);
  if (c->isTrivial() && c->isDefaultConstructor()) return zero(e->getType(), at, !e->requiresZeroInitialization());
  const clang::FunctionDecl* definition = nullptr;
  if (!c->getBody(definition))
    refuse("TF4023", at, "a constructor of '" + r->getNameAsString() + "'", "its body is not in this file", "define it in the same file");
  for (const frame& other : frames_)
    if (other.function == definition)
      refuse("TF4025", at, "a constructor that calls itself", "recursion is not unfolded", "write it as a loop");
  const auto* constructor = clang::cast<clang::CXXConstructorDecl>(definition);
  frame made;
  made.self = temporary(zero(e->getType(), at, true), at);
  objects_[made.self.object].type = e->getType();
  for (unsigned i = 0; i < e->getNumArgs() && i < constructor->getNumParams(); ++i) {
    const auto* p = constructor->getParamDecl(i);
    auto [v, place_of] = argument(e->getArg(i), p->getType());
    made.variables[p] = p->getType()->isReferenceType() ? place_of : place{new_cell(std::move(v), p->getNameAsString(), at), {}, {}};
  }
  const place self = made.self;
  // The initialisers run in the constructor's own frame.
  made.function = constructor;
  made.returned = new_cell(value::of(boolean(false)), "", at);
  made.result = new_cell(value{}, "", at);
  frames_.push_back(made);
  for (const auto* init : constructor->inits()) {
    if (!init->isMemberInitializer())
      refuse("TF4003", at, "a base class or delegating constructor", "only fields are initialised", "use a plain struct");
    place field = self;
    field.path.push_back({static_cast<int>(init->getMember()->getFieldIndex()), {}});
    store(field, evaluate(init->getInit()), at);
  }
  execute(constructor->getBody());
  frames_.pop_back();
  return memory_.cells.at(self.object);
}

value executor::initialise_list(const clang::InitListExpr* e) {
  const source at = e->getExprLoc();
  const clang::QualType t = e->getType();
  if (scalar_type(t)) return e->getNumInits() ? evaluate(e->getInit(0)) : zero(t, at, false);
  const auto place_names = name_hint_;
  if (const auto* a = context_.getAsConstantArrayType(t)) {
    value v = zero(t, at, false);
    const auto n = static_cast<unsigned>(a->getSize().getZExtValue());
    for (unsigned i = 0; i < n && i < e->getNumInits(); ++i) {
      const value entry = evaluate(e->getInit(i));
      if (v.what == value::kind::aggregate) v.children[i] = entry;
      else memory_.arrays[v.at.object].entries.push_back({{number(static_cast<long>(i), long_type)}, entry.scalar});
    }
    return v;
  }
  const auto* r = t->getAsCXXRecordDecl();
  if (r && std_name(t) == "array") return e->getNumInits() ? evaluate(e->getInit(0)) : zero(t, at, false);
  if (r && r->isAggregate() && r->getNumBases() == 0 && !r->isUnion()) {
    check_class(t, at);
    std::vector<value> fields;
    unsigned i = 0;
    for (const auto* f : r->fields()) {
      name_hint_ = f->getNameAsString();
      fields.push_back(i < e->getNumInits() ? evaluate(e->getInit(i)) : zero(f->getType(), at, false));
      ++i;
    }
    name_hint_ = place_names;
    return value::aggregate(std::move(fields));
  }
  refuse("TF4003", at, "an initialiser of type '" + t.getAsString() + "'", "it has no reading as numbers",
         "use structs and arrays of numbers");
}

}  // namespace twofold::analyser::frontend
