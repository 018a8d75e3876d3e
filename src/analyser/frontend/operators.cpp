// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Operators, conversions and assignments.
#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {
namespace {

using clang::BinaryOperatorKind;
using clang::dyn_cast;

bool from_boolean(term t) { return t->is(op::cast) && t->args[0]->type.kind == sort::boolean; }

//! The boolean behind an integer that was promoted from one.
term as_boolean(term t) {
  if (from_boolean(t)) return t->args[0];
  if (t->type.kind == sort::boolean) return t;
  if (is_number(t, 0) || is_number(t, 1)) return boolean(is_number(t, 1));
  return {};
}

//! What isdigit and its like said, which return 0 or any other number (library.cpp).
term as_class(term t) {
  while (t->is(op::cast) && t->type.kind == sort::integer && t->type.bits >= 32) t = t->args[0];
  const auto any = [](term x) { return x->is_symbol(symbol_kind::opaque) && x->name.rfind("is", 0) == 0; };
  if (any(t)) return boolean(true);
  return t->is(op::select) && any(t->args[1]) && is_number(t->args[2], 0) ? t->args[0] : term{};
}

}  // namespace

term executor::truth(term t) {
  if (t->type.kind == sort::boolean) return t;
  if (from_boolean(t)) return t->args[0];
  if (const term yes = as_class(t)) return yes;
  if (t->is(op::bit_and) || t->is(op::bit_or) || t->is(op::bit_xor)) {
    const term a = as_boolean(t->args[0]), b = as_boolean(t->args[1]);
    if (a && b) return t->is(op::bit_and) ? logical_and(a, b) : t->is(op::bit_or) ? logical_or(a, b) : logical_not(equal(a, b));
  }
  return cast(t, boolean_type);
}

term executor::convert_to(term t, type to, source at) {
  const type from = t->type;
  if (from == to) return t;
  if (to.kind == sort::boolean) return truth(t);
  const location l = exploring_ ? location{} : where(at);
  const auto place = [&] { return std::to_string(l.line) + ":" + std::to_string(l.column); };
  if (!exploring_ && !is_constant(t)) {
    if (from.kind == sort::real && to.kind == sort::real && to.bits < from.bits)
      recording_.note(cpp_name(from) + " to " + cpp_name(to) + " at " + place() + " is treated as exact");
    if (from.kind == sort::real && to.kind == sort::integer)
      recording_.note(cpp_name(from) + " to " + cpp_name(to) + " at " + place() + " truncates");
    // Positions and bounds are read as integers, whatever their type: there, no conversion may wrap.
    const bool index_only =
        to.is_modular() && to.bits < from.bits &&
        contains(t,
                 [](const node& n) {
                   return n.is_symbol(symbol_kind::index) || n.is_symbol(symbol_kind::length) || n.is_symbol(symbol_kind::parameter);
                 }) &&
        !contains(t, [](const node& n) { return n.is(op::read) || n.is_symbol(symbol_kind::state); });
    const bool loses = index_only || (to.is_signed && (to.bits < from.bits || (to.bits == from.bits && !from.is_signed)));
    if (from.kind == sort::integer && to.kind == sort::integer && loses &&
        !contains(t, [](const node& n) { return n.is_symbol(symbol_kind::opaque); }))
      recording_.narrowings.emplace_back(t, "the conversion to " + cpp_name(to) + " at " + place() + " does not change the value");
  }
  return cast(t, to);
}

term executor::arithmetic(BinaryOperatorKind k, term a, term b, type t, source at) {
  const bool shift = k == clang::BO_Shl || k == clang::BO_Shr;
  if (a->type != t) a = convert_to(a, t, at);
  if (b->type != t) b = shift ? cast(b, t) : convert_to(b, t, at);
  if (t.kind == sort::real && !(is_constant(a) && is_constant(b))) {
    // inf - inf and 0 * inf are NaN, where terms would cancel
    const auto infinite = [](term x) { return contains(x, [](const node& n) { return n.is(op::infinity) || n.is(op::minus_infinity); }); };
    const bool both = infinite(a) && infinite(b),
               by_zero = k == clang::BO_Mul && ((infinite(a) && is_number(b, 0)) || (infinite(b) && is_number(a, 0)));
    if (both || by_zero)
      refuse("TF4038", at, "arithmetic on values that may be infinite", "it may give NaN, and verdicts are about numbers",
             "keep a flag that says whether there is a value");
  }
  switch (k) {
    case clang::BO_Add:
      return add(a, b);
    case clang::BO_Sub:
      return sub(a, b);
    case clang::BO_Mul:
      return mul(a, b);
    case clang::BO_Div:
      return t.kind == sort::real ? div(a, b) : make(op::quotient, {a, b}, t);
    case clang::BO_Rem:
      return make(op::remainder, {a, b}, t);
    case clang::BO_Shl:
      return make(op::shift_left, {a, b}, t);
    case clang::BO_Shr:
      return make(op::shift_right, {a, b}, t);
    case clang::BO_And:
      return make(op::bit_and, {a, b}, t);
    case clang::BO_Or:
      return make(op::bit_or, {a, b}, t);
    case clang::BO_Xor:
      return make(op::bit_xor, {a, b}, t);
    default:
      refuse("TF4001", at, "this operator", "it has no reading here", "use arithmetic and comparisons");
  }
}

term executor::compare(BinaryOperatorKind k, term a, term b) {
  if (const term p = as_boolean(a), q = as_boolean(b); p && q && (from_boolean(a) || from_boolean(b) || a->type.kind == sort::boolean)) {
    if (k == clang::BO_EQ) return equal(p, q);
    if (k == clang::BO_NE) return logical_not(equal(p, q));
  }
  if (k == clang::BO_EQ || k == clang::BO_NE) {
    const term p = is_number(b, 0) ? as_class(a) : is_number(a, 0) ? as_class(b) : term{};
    if (p) return k == clang::BO_NE ? p : logical_not(p);
  }
  switch (k) {
    case clang::BO_LT:
      return marked_comparison(op::less, a, b);
    case clang::BO_GT:
      return marked_comparison(op::less, b, a);
    case clang::BO_LE:
      return marked_comparison(op::less_equal, a, b);
    case clang::BO_GE:
      return marked_comparison(op::less_equal, b, a);
    case clang::BO_EQ:
      return marked_comparison(op::equal, a, b);
    default:
      return logical_not(marked_comparison(op::equal, a, b));
  }
}

term executor::compare_pointers(BinaryOperatorKind k, const value& a, const value& b, source at) {
  const bool same = a.at.object == b.at.object && a.at.index.size() == b.at.index.size() && a.at.path.size() == b.at.path.size();
  if (!same || !a.at.valid())
    refuse("TF4010", at, "a comparison of pointers into different arrays", "only positions in one array compare", "compare indices");
  if (!a.at.index.empty()) return compare(k, cast(a.at.index.back(), long_type), cast(b.at.index.back(), long_type));
  const auto entry = [&](const value& v) {
    return v.at.path.empty()          ? number(0L, long_type)
           : v.at.path.back().dynamic ? v.at.path.back().dynamic
                                      : number(v.at.path.back().at, long_type);
  };
  return compare(k, cast(entry(a), long_type), cast(entry(b), long_type));
}

//! to − from, both positions in one array; the extremum's own position stands for the pointer to it.
std::optional<term> executor::pointer_distance(const value& from, const value& to) const {
  const auto position_in = [&](const value& v) -> std::pair<int, term> {
    if (const auto s = stand_ins_.find(v.at.object); s != stand_ins_.end() && s->second.position)
      return {s->second.copy_of, s->second.position};
    return {v.at.object, v.at.index.empty() ? term() : v.at.index.back()};
  };
  const auto [a, i] = position_in(from);
  const auto [b, j] = position_in(to);
  if (a != b || !i || !j) return std::nullopt;
  return sub(cast(j, long_type), cast(i, long_type));
}

value executor::pointer_step(const value& v, term by, bool backwards, source at) {
  by = cast(by, long_type);
  return value::pointer(subscript(v, backwards ? neg(by) : by, at));
}

value executor::evaluate_cast(const clang::CastExpr* e) {
  const expression* sub = e->getSubExpr();
  const source at = e->getExprLoc();
  switch (e->getCastKind()) {
    case clang::CK_LValueToRValue: {
      const expression* inner = sub->IgnoreParens();
      if (sub->getType().isVolatileQualified())
        refuse("TF4004", at, "a volatile access", "every access of a volatile object is an effect of its own", "drop volatile");
      if (clang::isa<clang::ConditionalOperator>(inner)) return evaluate(inner);
      return load(locate(sub), sub->getType(), at);
    }
    case clang::CK_UncheckedDerivedToBase:
    case clang::CK_DerivedToBase:
      if (is_iterator(sub->getType())) return evaluate(sub);
      break;
    case clang::CK_NoOp:
    case clang::CK_ConstructorConversion:
    case clang::CK_UserDefinedConversion:
    case clang::CK_FunctionToPointerDecay:
      return evaluate(sub);
    case clang::CK_ArrayToPointerDecay: {
      if (clang::isa<clang::StringLiteral>(sub->IgnoreParens()))
        refuse("TF4003", at, "a string literal", "it is not data of the loop", "compare with character literals");
      place p = locate(sub);
      if (arrays_.contains(p.object)) {
        p.index.push_back(number(0L, long_type));
        return value::pointer(p);
      }
      const value v = load(p, sub->getType(), at);
      if (v.what == value::kind::view) return value::pointer(v.at);
      p.path.push_back({0, {}});
      return value::pointer(p);
    }
    case clang::CK_ToVoid:
      evaluate(sub);
      return {};
    case clang::CK_IntegralCast:
    case clang::CK_FloatingCast:
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral:
    case clang::CK_IntegralToBoolean:
    case clang::CK_FloatingToBoolean:
    case clang::CK_BooleanToSignedIntegral:
      return value::of(convert_to(scalar(sub), need_scalar_type(e->getType(), at), at));
    case clang::CK_NullToPointer:
      return value::pointer({});
    default:
      break;
  }
  refuse("TF4001", at, "a conversion from '" + sub->getType().getAsString() + "' to '" + e->getType().getAsString() + "'",
         "it reinterprets memory or changes the class", "convert between numbers only");
}

place executor::step_in_place(const clang::UnaryOperator* e, value* before) {
  const place p = locate(e->getSubExpr());  // once: the operand may have effects of its own
  const value old = load(p, e->getSubExpr()->getType(), e->getExprLoc());
  if (before) *before = old;
  const bool down = e->isDecrementOp();
  const source at = e->getExprLoc();
  if (old.what == value::kind::pointer) {
    store(p, pointer_step(old, number(1L, long_type), down, at), at);
    return p;
  }
  const type t = old.type;
  if (t.kind == sort::boolean) refuse("TF4001", at, "++ on a bool", "it is not arithmetic", "assign true");
  // Narrow integers are promoted, stepped and converted back: what may leave the type is an assumption here as in c = c + 1.
  const type computed = t.kind == sort::integer && t.bits < int_type.bits ? int_type : t;
  const term stepped =
      arithmetic(down ? clang::BO_Sub : clang::BO_Add, convert_to(old.scalar, computed, at), number(1L, computed), computed, at);
  store(p, value::of(convert_to(stepped, t, at)), at);
  return p;
}

value executor::evaluate_unary(const clang::UnaryOperator* e) {
  const source at = e->getExprLoc();
  if (e->isIncrementDecrementOp()) {
    value old;
    const place p = step_in_place(e, &old);
    return e->isPostfix() ? old : load(p, e->getType(), at);
  }
  switch (e->getOpcode()) {
    case clang::UO_Plus:
      return evaluate(e->getSubExpr());
    case clang::UO_Minus:
      return value::of(neg(scalar(e->getSubExpr())));
    case clang::UO_LNot:
      return value::of(logical_not(condition(e->getSubExpr())));
    case clang::UO_Not: {
      const term a = scalar(e->getSubExpr());
      return value::of(make(op::bit_not, {a}, a->type));
    }
    case clang::UO_AddrOf:
      if (e->getSubExpr()->getType()->isFunctionType()) return evaluate(e->getSubExpr());
      return value::pointer(locate(e->getSubExpr()));
    case clang::UO_Deref:
      return load(locate(e), e->getType(), at);
    case clang::UO_Extension:
      return evaluate(e->getSubExpr());
    default:
      break;
  }
  refuse("TF4001", at, "this operator", "it has no reading here", "use arithmetic and comparisons");
}

place executor::assign(const clang::BinaryOperator* e) {
  const source at = e->getExprLoc();
  if (e->getLHS()->getType().isVolatileQualified())
    refuse("TF4004", at, "a volatile access", "every access of a volatile object is an effect of its own", "drop volatile");
  if (const auto* c = dyn_cast<clang::CompoundAssignOperator>(e)) {
    const value by = evaluate(c->getRHS());
    const place p = locate(c->getLHS());
    const value old = load(p, c->getLHS()->getType(), at);
    const auto k = clang::BinaryOperator::getOpForCompoundAssignment(c->getOpcode());
    if (old.what == value::kind::pointer) {
      store(p, pointer_step(old, by.scalar, k == clang::BO_Sub, at), at);
      return p;
    }
    const type computed = need_scalar_type(c->getComputationResultType(), at);
    const term left = convert_to(old.scalar, need_scalar_type(c->getComputationLHSType(), at), at);
    store(p, value::of(convert_to(arithmetic(k, left, by.scalar, computed, at), old.type, at)), at);
    return p;
  }
  const value v = evaluate(e->getRHS());
  const place p = locate(e->getLHS());
  store(p, copy(v, at), at);
  return p;
}

value executor::evaluate_binary(const clang::BinaryOperator* e) {
  const source at = e->getExprLoc();
  const auto k = e->getOpcode();
  if (e->isAssignmentOp()) return load(assign(e), e->getType(), at);
  if (k == clang::BO_Comma) {
    evaluate(e->getLHS());
    return evaluate(e->getRHS());
  }
  if (k == clang::BO_LAnd || k == clang::BO_LOr) {
    const term a = condition(e->getLHS());
    term b = boolean(k == clang::BO_LOr);
    const auto right = [&] { b = condition(e->getRHS()); };
    if (k == clang::BO_LAnd) conditionally(a, at, right, [] {});
    else
      conditionally(
          a, at, [] {}, right);
    if (is_number(a, k == clang::BO_LOr ? 1 : 0)) return value::of(boolean(k == clang::BO_LOr));
    return value::of(k == clang::BO_LAnd ? logical_and(a, b) : logical_or(a, b));
  }
  const value a = evaluate(e->getLHS()), b = evaluate(e->getRHS());
  const bool pa = a.what == value::kind::pointer, pb = b.what == value::kind::pointer;
  if (pa && pb) {
    if (k == clang::BO_Sub) {
      if (const auto d = pointer_distance(b, a)) return value::of(*d);
      refuse("TF4010", at, "a difference of pointers into different arrays", "only positions in one array have a distance", "use indices");
    }
    return value::of(compare_pointers(k, a, b, at));
  }
  if (pa && (k == clang::BO_Add || k == clang::BO_Sub)) return pointer_step(a, b.scalar, k == clang::BO_Sub, at);
  if (pb && k == clang::BO_Add) return pointer_step(b, a.scalar, false, at);
  if (a.what != value::kind::scalar || b.what != value::kind::scalar)
    refuse("TF4003", at, "this operation", "its operands are not both numbers", "use numbers");
  if (e->isComparisonOp()) return value::of(compare(k, a.scalar, b.scalar));
  return value::of(arithmetic(k, a.scalar, b.scalar, need_scalar_type(e->getType(), at), at));
}

}  // namespace twofold::analyser::frontend
