// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Calls: functions of the user are inlined, those of the standard library are known by name.
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;

constexpr std::size_t deepest_call = 24;

bool is_library(const clang::ASTContext& c, const clang::FunctionDecl* f) {
  return f->isInStdNamespace() || f->getBuiltinID() != 0 || c.getSourceManager().isInSystemHeader(f->getLocation()) ||
         f->getLocation().isInvalid();
}

}  // namespace

std::pair<value, place> executor::argument(const expression* e, clang::QualType parameter) {
  if (parameter->isReferenceType()) return {value{}, locate(e)};
  return {copy(evaluate(e), e->getExprLoc()), place{}};
}

std::vector<std::pair<value, place>> executor::arguments_of(const clang::FunctionDecl* f, const clang::CallExpr* e, unsigned first) {
  std::vector<std::pair<value, place>> out;
  for (unsigned i = first; i < e->getNumArgs(); ++i) {
    if (i - first >= f->getNumParams())
      refuse("TF4024", e->getExprLoc(), "a call with a variable number of arguments", "they have no names",
             "use a fixed number of parameters");
    out.push_back(argument(e->getArg(i), f->getParamDecl(i - first)->getType()));
  }
  return out;
}

//! Runs a function's body in a new frame and returns its value; a reference comes back as a pointer.
value executor::run_body(const clang::FunctionDecl* f, frame made, source at) {
  made.function = f;
  made.returned = new_cell(value::of(boolean(false)), "", at);
  const clang::QualType t = f->getReturnType();
  value empty;
  if (!t->isVoidType() && !t->isReferenceType()) empty = zero(t, at, true);
  made.result = new_cell(std::move(empty), "", at);
  objects_[made.result].type = t;
  const int returned = made.returned, result = made.result;
  frames_.push_back(std::move(made));
  execute(f->getBody());
  value v = memory_.cells.at(result);
  frames_.pop_back();
  memory_.cells.erase(returned);
  memory_.cells.erase(result);
  return v;
}

value executor::inline_call(const clang::FunctionDecl* f, const std::vector<std::pair<value, place>>& arguments, place self, source at,
                            const value* closure) {
  const clang::FunctionDecl* definition = nullptr;
  if (!f->getBody(definition) || !definition)
    refuse("TF4023", at, "a call of '" + f->getQualifiedNameAsString() + "'", "its body is not in this file, so what it does is not known",
           "define it in the same file");
  if (definition->isVariadic())
    refuse("TF4024", at, "a call of '" + f->getNameAsString() + "'", "it takes a variable number of arguments",
           "use a fixed number of parameters");
  for (const frame& other : frames_)
    if (other.function == definition)
      refuse("TF4025", at, "a recursive call of '" + f->getNameAsString() + "'", "recursion is not unfolded", "write it as a loop");
  if (frames_.size() > deepest_call)
    refuse("TF4002", at, "calls nested deeper than " + std::to_string(deepest_call), "the depth is limited", "flatten the helpers");
  frame made;
  made.self = std::move(self);
  for (std::size_t i = 0; i < arguments.size() && i < definition->getNumParams(); ++i) {
    const auto* p = definition->getParamDecl(static_cast<unsigned>(i));
    if (p->getType()->isReferenceType()) made.variables[p] = arguments[i].second;
    else {
      made.variables[p] = {new_cell(arguments[i].first, p->getNameAsString(), p->getLocation()), {}, {}};
      objects_[made.variables[p].object].type = p->getType();
    }
  }
  if (closure && closure->code) {
    const auto* lambda = static_cast<const clang::LambdaExpr*>(closure->code);
    std::size_t i = 0;
    for (const auto& c : lambda->captures()) {
      const value& held = closure->children.at(i++);
      if (c.capturesThis()) made.self = held.at;
      else if (!c.capturesVariable()) continue;
      else if (c.getCaptureKind() == clang::LCK_ByRef) made.variables[c.getCapturedVar()] = held.at;
      else made.variables[c.getCapturedVar()] = {new_cell(held, c.getCapturedVar()->getNameAsString(), at), {}, {}};
    }
  }
  return run_body(definition, std::move(made), at);
}

//! Calls a lambda, a function, or a function object of the library with values.
value executor::invoke(const value& callee, const std::vector<value>& arguments, source at) {
  if (callee.what != value::kind::closure)
    refuse("TF4023", at, "a call of an unknown function", "which function it is depends on the caller",
           "call a function or a lambda of this file");
  if (!callee.name.empty()) {
    const std::map<std::string, clang::BinaryOperatorKind> operators{
        {"plus", clang::BO_Add},    {"minus", clang::BO_Sub},   {"multiplies", clang::BO_Mul}, {"divides", clang::BO_Div},
        {"modulus", clang::BO_Rem}, {"bit_and", clang::BO_And}, {"bit_or", clang::BO_Or},      {"bit_xor", clang::BO_Xor}};
    const std::map<std::string, clang::BinaryOperatorKind> comparisons{{"less", clang::BO_LT},       {"greater", clang::BO_GT},
                                                                       {"less_equal", clang::BO_LE}, {"greater_equal", clang::BO_GE},
                                                                       {"equal_to", clang::BO_EQ},   {"not_equal_to", clang::BO_NE}};
    if (arguments.size() == 2) {
      term a = arguments[0].scalar, b = arguments[1].scalar;
      // std::plus<T> converts what it is given to T, and its result; std::plus<> takes things as they are
      const std::optional<type> own = callee.children.empty() ? std::nullopt : std::optional(callee.children[0].type);
      if (own) a = convert_to(a, *own, at), b = convert_to(b, *own, at);
      // the usual arithmetic conversions between what the fold carries and what it reads
      type common = a->type;
      if (a->type != b->type) {
        if (a->type.kind == sort::real || b->type.kind == sort::real)
          common = a->type.kind != sort::real     ? b->type
                   : b->type.kind != sort::real   ? a->type
                   : a->type.bits >= b->type.bits ? a->type
                                                  : b->type;
        else common = a->type.bits > b->type.bits || (a->type.bits == b->type.bits && !a->type.is_signed) ? a->type : b->type;
      }
      if (common.kind != sort::real && common.bits < 32) common = int_type;
      a = convert_to(a, common, at), b = convert_to(b, common, at);
      if (auto k = operators.find(callee.name); k != operators.end())
        return value::of(convert_to(arithmetic(k->second, a, b, common, at), own ? *own : common, at));
      if (auto k = comparisons.find(callee.name); k != comparisons.end()) return value::of(compare(k->second, a, b));
      if (callee.name == "logical_and") return value::of(logical_and(truth(a), truth(b)));
      if (callee.name == "logical_or") return value::of(logical_or(truth(a), truth(b)));
    }
    refuse("TF4023", at, "a call of std::" + callee.name, "it has no reading here", "use a lambda");
  }
  const clang::FunctionDecl* f = nullptr;
  if (callee.code) {
    const auto* lambda = static_cast<const clang::LambdaExpr*>(callee.code);
    f = lambda->getCallOperator();
    if (lambda->isMutable()) refuse("TF4023", at, "a mutable lambda", "it carries state of its own", "capture the state by reference");
    if (const auto* generic = lambda->getDependentCallOperator()) {
      const clang::FunctionDecl* only = nullptr;
      int n = 0;
      for (const auto* s : generic->specializations())
        if (s->getBody()) only = s, ++n;
      if (n != 1) refuse("TF4023", at, "a generic lambda", "it is used with several types", "name the parameter types");
      f = only;
    }
  } else {
    f = static_cast<const clang::FunctionDecl*>(callee.function);
  }
  if (f->getNumParams() != arguments.size())
    refuse("TF4023", at, "a call with other arguments than parameters", "defaults are not filled in here", "pass all arguments");
  std::vector<std::pair<value, place>> bound;
  for (unsigned i = 0; i < f->getNumParams(); ++i) {
    const auto* p = f->getParamDecl(i);
    value v = arguments[i];
    const clang::QualType t = p->getType();
    if (v.what == value::kind::pointer && !t->isReferenceType() && !t->isPointerType() && !is_iterator(t)) v = load(v.at, t, at);
    if (v.what == value::kind::scalar && scalar_type(t)) v = value::of(convert_to(v.scalar, *scalar_type(t), at));
    if (t->isReferenceType())
      bound.emplace_back(value{}, v.what == value::kind::pointer && !t.getNonReferenceType()->isPointerType() && !is_iterator(t)
                                      ? v.at
                                      : temporary(v, at));
    else bound.emplace_back(v, place{});
  }
  value r = inline_call(f, bound, {}, at, &callee);
  if (f->getReturnType()->isReferenceType() && r.what == value::kind::pointer) r = load(r.at, f->getReturnType(), at);
  return r;
}

value executor::call(const clang::CallExpr* e) {
  const source at = e->getExprLoc();
  if (const auto* o = dyn_cast<clang::CXXOperatorCallExpr>(e))
    if (auto v = operator_call(o)) return *v;
  if (const auto* m = dyn_cast<clang::CXXMemberCallExpr>(e)) {
    if (auto v = container_member(m)) return *v;
    const auto* method = m->getMethodDecl();
    if (!method) refuse("TF4023", at, "a call through a member pointer", "which function it is is not known", "call it by name");
    if (method->isVirtual())
      refuse("TF4023", at, "a virtual call of '" + method->getNameAsString() + "'", "which function it is depends on the object",
             "call a plain function");
    if (is_library(context_, method))
      refuse("TF4023", at, "a call of '" + method->getQualifiedNameAsString() + "'",
             "this member of the standard library has no reading here", "use plain loops and arithmetic");
    const auto* object = m->getImplicitObjectArgument();
    place self;
    if (object->getType()->isPointerType()) self = dereference(evaluate(object), at);
    else if (object->isGLValue()) self = locate(object);
    else self = temporary(evaluate(object), at);
    return inline_call(method, arguments_of(method, e, 0), self, at);
  }
  const clang::FunctionDecl* f = e->getDirectCallee();
  if (!f) {
    std::vector<value> arguments;
    const value callee = evaluate(e->getCallee());
    for (const auto* a : e->arguments()) arguments.push_back(evaluate(a));
    return invoke(callee, arguments, at);
  }
  if (is_library(context_, f)) {
    if (scalar_type(e->getType()))
      if (auto c = constant_value(e)) return *c;
    if (auto v = library_function(f, e)) return *v;
    if (f->isNoReturn()) {
      const std::string ends = f->getNameAsString();
      recording_.assume(ends.find("assert") != std::string::npos ? "no assertion fails" : "no call of " + ends + " is reached");
      return {};
    }
    refuse("TF4023", at, "a call of '" + f->getQualifiedNameAsString() + "'",
           "this function of the library has effects, or no reading here", "use arithmetic, <cmath>, <algorithm> and <numeric>");
  }
  return inline_call(f, arguments_of(f, e, 0), {}, at);
}

std::optional<value> executor::operator_call(const clang::CXXOperatorCallExpr* e) {
  const source at = e->getExprLoc();
  const auto* f = e->getDirectCallee();
  if (!f) return std::nullopt;
  const auto* method = dyn_cast<clang::CXXMethodDecl>(f);
  if (method && method->getParent()->isLambda()) {
    const value closure = evaluate(e->getArg(0));
    if (closure.what != value::kind::closure)
      refuse("TF4023", at, "a call of an unknown lambda", "its body is not known here", "define it in the function");
    if (static_cast<const clang::LambdaExpr*>(closure.code)->isMutable())
      refuse("TF4023", at, "a mutable lambda", "it carries state of its own", "capture the state by reference");
    return inline_call(f, arguments_of(f, e, 1), {}, at, &closure);
  }
  const std::string holder = std_name(e->getArg(0)->getType());
  const bool iterator = is_iterator(e->getArg(0)->getType());
  if (!iterator && holder.empty() && !(method && is_library(context_, f))) {
    if (method && !is_library(context_, f)) {
      if (method->isTrivial() && (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())) {
        const value v = evaluate(e->getArg(1));
        const place p = locate(e->getArg(0));
        store(p, copy(v, at), at);
        return value::pointer(p);
      }
      const place self = e->getArg(0)->isGLValue() ? locate(e->getArg(0)) : temporary(evaluate(e->getArg(0)), at);
      return inline_call(f, arguments_of(f, e, 1), self, at);
    }
    if (!is_library(context_, f)) return inline_call(f, arguments_of(f, e, 0), {}, at);
  }
  const auto operation = e->getOperator();
  if (holder == "optional" && (operation == clang::OO_Star || operation == clang::OO_Arrow) && e->getNumArgs() == 1)
    return optional_member("operator*", e->getArg(0), e, 1);
  if (holder == "optional" && operation == clang::OO_Equal) {
    value v = optional_from(e->getArg(1), e->getArg(0)->getType());
    const place p = locate(e->getArg(0));
    store(p, v, at);
    return value::pointer(p);
  }
  if (operation == clang::OO_Equal) {
    const value v = evaluate(e->getArg(1));
    const place p = locate(e->getArg(0));
    store(p, copy(v, at), at);
    return value::pointer(p);
  }
  if (operation == clang::OO_Subscript) {
    const term i = scalar(e->getArg(1));
    const value base = evaluate(e->getArg(0));
    if (base.what != value::kind::aggregate) return value::pointer(subscript(base, i, at));
    if (!e->getArg(0)->isGLValue())
      return value::pointer(subscript(value::pointer([&] {
                                        place p = temporary(base, at);
                                        p.path.push_back({0, {}});
                                        return p;
                                      }()),
                                      i, at));
    place p = locate(e->getArg(0));
    p.path.push_back({0, {}});
    return value::pointer(subscript(value::pointer(p), i, at));
  }
  if (operation == clang::OO_Call) {
    std::vector<value> arguments;
    for (unsigned i = 1; i < e->getNumArgs(); ++i) arguments.push_back(evaluate(e->getArg(i)));
    return invoke(evaluate(e->getArg(0)), arguments, at);
  }
  if (!iterator && holder != "unique_ptr" && !is_iterator(e->getArg(e->getNumArgs() - 1)->getType()))
    refuse("TF4023", at, "this operator of '" + e->getArg(0)->getType().getAsString() + "'", "it has no reading here",
           "use numbers and arrays of numbers");
  switch (operation) {
    case clang::OO_Star:
    case clang::OO_Arrow:
      if (e->getNumArgs() == 1) return value::pointer(dereference(evaluate(e->getArg(0)), at));
      break;
    case clang::OO_PlusPlus:
    case clang::OO_MinusMinus: {
      const place p = locate(e->getArg(0));
      const value old = load(p, e->getArg(0)->getType(), at);
      store(p, pointer_step(old, number(1L, long_type), operation == clang::OO_MinusMinus, at), at);
      return e->getNumArgs() == 2 ? old : value::pointer(p);
    }
    case clang::OO_PlusEqual:
    case clang::OO_MinusEqual: {
      const place p = locate(e->getArg(0));
      store(p, pointer_step(load(p, e->getArg(0)->getType(), at), scalar(e->getArg(1)), operation == clang::OO_MinusEqual, at), at);
      return value::pointer(p);
    }
    default:
      break;
  }
  const value a = evaluate(e->getArg(0)), b = evaluate(e->getArg(1));
  const std::map<clang::OverloadedOperatorKind, clang::BinaryOperatorKind> comparisons{
      {clang::OO_EqualEqual, clang::BO_EQ}, {clang::OO_ExclaimEqual, clang::BO_NE}, {clang::OO_Less, clang::BO_LT},
      {clang::OO_Greater, clang::BO_GT},    {clang::OO_LessEqual, clang::BO_LE},    {clang::OO_GreaterEqual, clang::BO_GE}};
  if (a.what == value::kind::pointer && b.what == value::kind::pointer) {
    if (auto k = comparisons.find(operation); k != comparisons.end()) return value::of(compare_pointers(k->second, a, b, at));
    if (operation == clang::OO_Minus)
      if (const auto d = pointer_distance(b, a)) return value::of(*d);
  }
  if (a.what == value::kind::pointer && b.what == value::kind::scalar && (operation == clang::OO_Plus || operation == clang::OO_Minus))
    return pointer_step(a, b.scalar, operation == clang::OO_Minus, at);
  if (b.what == value::kind::pointer && a.what == value::kind::scalar && operation == clang::OO_Plus)
    return pointer_step(b, a.scalar, false, at);
  refuse("TF4023", at, "this operator of an iterator", "it has no reading here", "use an index");
}

}  // namespace twofold::analyser::frontend
