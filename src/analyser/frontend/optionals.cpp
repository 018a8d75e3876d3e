// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file std::optional: a boolean and a value, which is 0 while there is none.
#include <clang/AST/DeclTemplate.h>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {

clang::QualType executor::optional_value(clang::QualType t) const {
  if (std_name(t) != "optional") return {};
  const auto* s =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(t.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl());
  if (!s || s->getTemplateArgs().size() != 1 || s->getTemplateArgs()[0].getKind() != clang::TemplateArgument::Type) return {};
  return s->getTemplateArgs()[0].getAsType();
}

value executor::empty_optional(clang::QualType t, source at, bool indeterminate) {
  return value::aggregate(
      {indeterminate ? value::indeterminate(boolean_type) : value::of(boolean(false)), zero(optional_value(t), at, indeterminate)});
}

//! What an optional of type t becomes where e is put into it.
value executor::optional_from(const expression* e, clang::QualType t) {
  const source at = e->getExprLoc();
  if (std_name(e->getType()) == "nullopt_t") return empty_optional(t, at, false);
  const clang::QualType held = optional_value(t), given = optional_value(e->getType());
  if (!given.isNull()) {
    if (context_.hasSameUnqualifiedType(held, given)) return copy(evaluate(e), at);
    refuse("TF4003", at, "a conversion of one optional to another", "it has no reading here", "convert the value");
  }
  value v = evaluate(e);
  if (const auto s = scalar_type(held); s && v.what == value::kind::scalar) v = value::of(convert_to(v.scalar, *s, at));
  else if (scalar_type(held)) refuse("TF4003", at, "what is put into this optional", "it has no reading as a number", "use numbers");
  return value::aggregate({value::of(boolean(true)), copy(v, at)});
}

std::optional<value> executor::optional_member(const std::string& name, const expression* object, const clang::CallExpr* e,
                                               unsigned first) {
  const source at = e->getExprLoc();
  const clang::QualType t = object->getType()->isPointerType() ? object->getType()->getPointeeType() : object->getType();
  place p = object->getType()->isPointerType() ? dereference(evaluate(object), at)
            : object->isGLValue()              ? locate(object)
                                               : temporary(evaluate(object), at);
  const value v = load(p, t, at);
  if (name == "has_value" || name == "operator bool") return v.children.at(0);
  if (name == "reset") {
    store(p, empty_optional(t, at, false), at);
    return value{};
  }
  if (name == "value_or") {
    const type held = need_scalar_type(optional_value(t), at);
    return value::of(select(v.children.at(0).scalar, v.children.at(1).scalar, convert_to(scalar(e->getArg(first)), held, at)));
  }
  if (name == "emplace" && e->getNumArgs() == first + 1) {
    store(p, optional_from(e->getArg(first), t), at);
    p.path.push_back({1, {}});
    return value::pointer(p);
  }
  if (name == "value") recording_.assume("no value of an empty optional is asked for");
  if (name == "value" || name == "operator*" || name == "operator->") {
    p.path.push_back({1, {}});
    return value::pointer(p);
  }
  return std::nullopt;
}

}  // namespace twofold::analyser::frontend
