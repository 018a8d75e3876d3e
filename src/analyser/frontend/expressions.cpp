// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Expressions to values, and glvalues to places.
#include <clang/AST/Expr.h>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {
namespace {

using clang::dyn_cast;
using clang::isa;

mpq_class exact_value(const llvm::APFloat& f) {
  llvm::APFloat d = f;
  bool lost = false;
  d.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return mpq_class(d.convertToDouble());
}

mpz_class exact_value(const llvm::APSInt& v) {
  llvm::SmallString<40> text;
  v.toString(text, 10);
  return mpz_class(std::string(text.begin(), text.end()));
}

}  // namespace

term executor::scalar(const expression* e) {
  const value v = evaluate(e);
  if (v.what != value::kind::scalar || !v.scalar)
    refuse("TF4003", e->getExprLoc(), "this expression", "a number is needed here and it has no reading as one", "use numbers");
  return v.scalar;
}

term executor::condition(const expression* e) { return truth(scalar(e)); }

value executor::from_constant(const clang::APValue& v, clang::QualType t, source at) {
  if (v.isInt()) return value::of(number(mpq_class(exact_value(v.getInt())), need_scalar_type(t, at)));
  if (v.isFloat()) {
    const type s = need_scalar_type(t, at);
    const llvm::APFloat& f = v.getFloat();
    if (f.isNaN()) return value::of(nan(s));
    if (f.isInfinity()) return value::of(f.isNegative() ? minus_infinity(s) : infinity(s));
    return value::of(number(exact_value(f), s));
  }
  if (v.isStruct()) {
    std::vector<value> fields;
    unsigned i = 0;
    for (const auto* f : t->getAsCXXRecordDecl()->fields()) fields.push_back(from_constant(v.getStructField(i++), f->getType(), at));
    // std::array holds one built-in array
    if (fixed_extent(t) && fields.size() == 1) return fields[0];
    return value::aggregate(std::move(fields));
  }
  if (v.isArray()) {
    const clang::QualType element = context_.getAsArrayType(t)->getElementType();
    std::vector<value> entries;
    for (unsigned i = 0; i < v.getArraySize(); ++i)
      entries.push_back(from_constant(i < v.getArrayInitializedElts() ? v.getArrayInitializedElt(i) : v.getArrayFiller(), element, at));
    return value::aggregate(std::move(entries));
  }
  refuse("TF4003", at, "a constant of type '" + t.getAsString() + "'", "it has no reading as numbers", "use numbers");
}

std::optional<value> executor::constant_value(const expression* e) {
  if (e->isValueDependent() || !scalar_type(e->getType())) return std::nullopt;
  clang::Expr::EvalResult r;
  if (!e->EvaluateAsRValue(r, context_) || r.HasSideEffects) return std::nullopt;
  if (!r.Val.isInt() && !r.Val.isFloat()) return std::nullopt;
  return from_constant(r.Val, e->getType(), e->getExprLoc());
}

//! Globals: constants only. A table of constants becomes an aggregate.
value executor::global(const clang::VarDecl* v, source at) {
  const clang::QualType t = v->getType();
  const clang::VarDecl* definition = nullptr;
  const auto* init = v->getAnyInitializer(definition);
  const bool constant =
      t.isConstQualified() || (context_.getAsArrayType(t) && context_.getBaseElementType(t).isConstQualified()) || v->isConstexpr();
  if (t.isVolatileQualified() || !constant || !init)
    refuse("TF4009", at, "the global variable '" + v->getNameAsString() + "'", "its value may change behind the loop's back",
           "pass it as a parameter, or make it constexpr");
  if (scalar_type(t)) {
    // Initialised once, before or at the first call: nothing of this call may be in it.
    frame alone;
    alone.returned = new_cell(value::of(boolean(false)), "", at);
    frames_.push_back(std::move(alone));
    try {
      const term x = convert_to(scalar(init), *scalar_type(t), at);
      frames_.pop_back();
      return value::of(x);
    } catch (const refusal&) {
      refuse("TF4009", at, "the constant '" + v->getNameAsString() + "'", "what it is initialised with is not the same in all calls",
             "make it a local variable without static, or constexpr");
    }
  }
  const clang::APValue* c = definition ? definition->evaluateValue() : nullptr;
  if (!c) refuse("TF4009", at, "the global '" + v->getNameAsString() + "'", "its value is not a constant", "make it constexpr");
  return from_constant(*c, t, at);
}

value executor::evaluate(const expression* e) {
  const depth_guard guard(expression_depth_);
  if (expression_depth_ > deepest_nesting)
    refuse("TF4002", e->getExprLoc(), "an expression nested deeper than " + std::to_string(deepest_nesting), "the depth is limited",
           "name intermediate results");
  e = e->IgnoreParens();
  const source at = e->getExprLoc();
  if (const auto* x = dyn_cast<clang::FullExpr>(e)) return evaluate(x->getSubExpr());
  if (const auto* x = dyn_cast<clang::CXXBindTemporaryExpr>(e)) {
    check_class(x->getType(), at);
    return evaluate(x->getSubExpr());
  }
  if (const auto* x = dyn_cast<clang::CXXDefaultArgExpr>(e)) return evaluate(x->getExpr());
  if (const auto* x = dyn_cast<clang::CXXDefaultInitExpr>(e)) return evaluate(x->getExpr());
  if (const auto* x = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e)) return evaluate(x->getReplacement());
  if (const auto* x = dyn_cast<clang::CXXRewrittenBinaryOperator>(e)) return evaluate(x->getSemanticForm());
  if (const auto* x = dyn_cast<clang::CXXStdInitializerListExpr>(e)) return evaluate(x->getSubExpr());
  if (const auto* x = dyn_cast<clang::MaterializeTemporaryExpr>(e)) return evaluate(x->getSubExpr());
  if (const auto* x = dyn_cast<clang::FloatingLiteral>(e)) return from_constant(clang::APValue(x->getValue()), e->getType(), at);
  if (isa<clang::IntegerLiteral, clang::CharacterLiteral, clang::CXXBoolLiteralExpr, clang::UnaryExprOrTypeTraitExpr, clang::TypeTraitExpr>(
          e))
    if (auto c = constant_value(e)) return *c;
  if (isa<clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr>(e)) return zero(e->getType(), at, false);
  if (const auto* x = dyn_cast<clang::CastExpr>(e)) return evaluate_cast(x);
  if (const auto* x = dyn_cast<clang::BinaryOperator>(e)) return evaluate_binary(x);
  if (const auto* x = dyn_cast<clang::UnaryOperator>(e)) return evaluate_unary(x);
  if (const auto* x = dyn_cast<clang::ConditionalOperator>(e)) {
    value a, b;
    conditionally(
        condition(x->getCond()), at,
        [&] {
          a = evaluate(x->getTrueExpr());
          memory_.cells[-1] = a;
        },
        [&] {
          b = evaluate(x->getFalseExpr());
          memory_.cells[-1] = b;
        });
    value r = memory_.cells[-1];
    memory_.cells.erase(-1);
    return r;
  }
  if (const auto* x = dyn_cast<clang::CXXConstructExpr>(e)) return construct(x);
  if (const auto* x = dyn_cast<clang::InitListExpr>(e)) return initialise_list(x);
  if (const auto* x = dyn_cast<clang::CallExpr>(e)) {
    const value v = call(x);
    // an entry of a const vector<bool> is handed over as its value
    const bool names_entry = x->isGLValue() || scalar_type(x->getType());
    const bool refers = v.what == value::kind::pointer && names_entry && !x->getType()->isPointerType() && !is_iterator(x->getType());
    return refers ? load(v.at, x->getType(), at) : v;
  }
  if (isa<clang::CXXThisExpr>(e)) return value::pointer(frames_.back().self);
  if (const auto* x = dyn_cast<clang::LambdaExpr>(e)) {
    value closure;
    closure.what = value::kind::closure;
    closure.code = x;
    auto init = x->capture_init_begin();
    for (const auto& c : x->captures()) {
      if (c.capturesThis()) closure.children.push_back(value::pointer(frames_.back().self));
      else if (c.getCaptureKind() == clang::LCK_ByRef) closure.children.push_back(value::pointer(locate(*init)));
      else closure.children.push_back(evaluate(*init));
      ++init;
    }
    return closure;
  }
  if (const auto* x = dyn_cast<clang::CXXNewExpr>(e)) {
    const auto count = x->getArraySize();
    if (!x->isArray() || !count || !*count)
      refuse("TF4011", at, "a dynamic allocation of one object", "only arrays of numbers are allocated", "use a local variable");
    const term n = scalar(*count);
    array_info info{.name = name_hint_.empty() ? "allocated" : name_hint_,
                    .element = need_scalar_type(x->getAllocatedType(), at),
                    .extents = {n},
                    .where = where(at)};
    const int id = new_array(info);
    if (x->hasInitializer()) memory_.arrays[id].base = number(0L, info.element);
    return value::pointer({id, {number(0L, long_type)}, {}});
  }
  if (isa<clang::CXXDeleteExpr>(e)) return {};
  if (isa<clang::CXXThrowExpr>(e))
    refuse("TF4012", at, "a throw", "exceptions leave the loop in a way that no merge can follow", "return a flag instead");
  if (isa<clang::AtomicExpr>(e))
    refuse("TF4004", at, "an atomic operation", "its order against other threads is an effect", "use plain variables");
  if (const auto* x = dyn_cast<clang::DeclRefExpr>(e))
    if (const auto* f = dyn_cast<clang::FunctionDecl>(x->getDecl())) {
      value closure;
      closure.what = value::kind::closure, closure.function = f;
      return closure;
    }
  if (e->isGLValue()) return load(locate(e), e->getType(), at);
  if (auto c = constant_value(e)) return *c;
  refuse("TF4001", at, std::string("an expression of kind ") + e->getStmtClassName(), "it has no reading here",
         "use arithmetic, comparisons, calls and array accesses");
}

place executor::locate(const expression* e) {
  const depth_guard guard(expression_depth_);
  if (expression_depth_ > deepest_nesting)
    refuse("TF4002", e->getExprLoc(), "an expression nested deeper than " + std::to_string(deepest_nesting), "the depth is limited",
           "name intermediate results");
  e = e->IgnoreParens();
  const source at = e->getExprLoc();
  if (const auto* x = dyn_cast<clang::DeclRefExpr>(e)) {
    const clang::ValueDecl* d = x->getDecl();
    if (d->getType().isVolatileQualified())
      refuse("TF4004", at, "a volatile access", "every access of a volatile object is an effect of its own", "drop volatile");
    if (auto v = frames_.back().variables.find(d); v != frames_.back().variables.end()) return v->second;
    if (const auto* b = dyn_cast<clang::BindingDecl>(d); b && b->getBinding()) return locate(b->getBinding());
    if (auto g = globals_.find(d); g != globals_.end() && memory_.cells.contains(g->second.object)) return g->second;
    if (const auto* v = dyn_cast<clang::VarDecl>(d); v && (v->hasGlobalStorage() || v->getType().isConstQualified())) {
      if (v->isStaticLocal() && !v->getType().isConstQualified() && !v->isConstexpr())
        refuse("TF4009", at, "the static variable '" + v->getNameAsString() + "'", "its value survives from call to call",
               "make it a parameter or a local variable");
      const place p{new_cell(global(v, at), v->getNameAsString(), v->getLocation()), {}, {}};
      return globals_[d] = p;
    }
    refuse("TF4001", at, "the name '" + d->getNameAsString() + "'", "it is not a variable that is known here",
           "use parameters and local variables");
  }
  if (const auto* x = dyn_cast<clang::MemberExpr>(e)) {
    const auto* field = dyn_cast<clang::FieldDecl>(x->getMemberDecl());
    if (!field) {
      if (const auto* v = dyn_cast<clang::VarDecl>(x->getMemberDecl())) return temporary(global(v, at), at);
      refuse("TF4001", at, "a member that is not a field", "only fields are state", "use a field");
    }
    if (field->getType().isVolatileQualified())
      refuse("TF4004", at, "a volatile access", "every access of a volatile object is an effect of its own", "drop volatile");
    if (field->isBitField()) check_class(context_.getRecordType(field->getParent()), at);
    place p = x->isArrow()                ? dereference(evaluate(x->getBase()), at)
              : x->getBase()->isGLValue() ? locate(x->getBase())
                                          : temporary(evaluate(x->getBase()), at);
    if (arrays_.contains(p.object) && arrays_.at(p.object).fields.empty())
      refuse("TF4003", at, "an array of structs", "arrays hold numbers here, unless they are parameters", "use one array per field");
    p.path.push_back({static_cast<int>(field->getFieldIndex()), {}});
    if (field->getType()->isReferenceType()) return dereference(load(p, field->getType(), at), at);
    return p;
  }
  if (const auto* x = dyn_cast<clang::ArraySubscriptExpr>(e)) return subscript(evaluate(x->getBase()), scalar(x->getIdx()), at);
  if (const auto* x = dyn_cast<clang::UnaryOperator>(e)) {
    if (x->getOpcode() == clang::UO_Deref) return dereference(evaluate(x->getSubExpr()), at);
    if (x->isPrefix() && x->isIncrementDecrementOp()) return step_in_place(x);
    if (x->getOpcode() == clang::UO_Extension) return locate(x->getSubExpr());
  }
  if (const auto* x = dyn_cast<clang::BinaryOperator>(e)) {
    if (x->isAssignmentOp()) return assign(x);
    if (x->getOpcode() == clang::BO_Comma) {
      evaluate(x->getLHS());
      return locate(x->getRHS());
    }
  }
  if (const auto* x = dyn_cast<clang::ConditionalOperator>(e); x && x->isGLValue()) return locate_conditional(x);
  if (const auto* x = dyn_cast<clang::CastExpr>(e)) {
    const auto k = x->getCastKind();
    const bool base_of_iterator = k == clang::CK_UncheckedDerivedToBase && is_iterator(x->getSubExpr()->getType());
    if (k == clang::CK_NoOp || base_of_iterator) return locate(x->getSubExpr());
    return temporary(evaluate(x), at);
  }
  if (const auto* x = dyn_cast<clang::FullExpr>(e)) return locate(x->getSubExpr());
  if (const auto* x = dyn_cast<clang::MaterializeTemporaryExpr>(e)) return temporary(evaluate(x->getSubExpr()), at);
  if (const auto* x = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e)) return locate(x->getReplacement());
  if (const auto* x = dyn_cast<clang::CallExpr>(e)) {
    if (const auto chosen = locate_choice(x)) return *chosen;
    const value v = call(x);
    if (v.what == value::kind::pointer && x->isGLValue() && !x->getType()->isPointerType() && !is_iterator(x->getType())) return v.at;
    return x->isGLValue() && v.what == value::kind::scalar ? stand_for_copy(v, -1, at) : temporary(v, at);
  }
  if (!e->isGLValue()) return temporary(evaluate(e), at);
  refuse("TF4001", at, std::string("an expression of kind ") + e->getStmtClassName(), "it names no object that is understood here",
         "use variables, fields and array entries");
}

place executor::dereference(const value& pointer, source at) {
  if (pointer.what != value::kind::pointer || !pointer.at.valid())
    refuse("TF4003", at, "a dereference", "what it points to is not known", "use pointers into the arrays that are passed");
  return pointer.at;
}

place executor::subscript(const value& base, term index, source at) {
  place p;
  index = cast(index, index->type.is_modular() && index->type.bits == 64 ? index->type : long_type);
  if (base.what == value::kind::pointer || base.what == value::kind::view) {
    p = base.at;
    if (!p.path.empty() && !arrays_.contains(p.object)) {  // into a fixed array
      step& s = p.path.back();
      if (index->is(op::number) && !s.dynamic) {
        s.at += static_cast<int>(index->value.get_num().get_si());
        return p;
      }
      // A pointer that was moved already: both movements count, whichever of them are numbers.
      const term moved = add(s.dynamic ? cast(s.dynamic, index->type) : number(static_cast<long>(s.at), index->type), index);
      if (moved->is(op::number)) s = {static_cast<int>(moved->value.get_num().get_si()), {}};
      else s = {0, moved};
      return p;
    }
    if (p.index.empty()) {  // pointer to one object
      if (is_number(index, 0)) return p;
      refuse("TF4006", at, "an access beyond a single object", "the pointer points to one object", "pass an array");
    }
    p.index.back() = add(cast(p.index.back(), index->type), index);
    return p;
  }
  refuse("TF4003", at, "a subscript", "its base is not an array that is understood here", "use arrays of numbers");
}

}  // namespace twofold::analyser::frontend
