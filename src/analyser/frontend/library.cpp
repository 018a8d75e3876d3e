// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The standard library by name: <cmath>, small functions of <algorithm> and <utility>, <cctype>.
#include <set>

#include "frontend/executor.hpp"

namespace twofold::analyser::frontend {
namespace {

//! "expf", "__builtin_exp", "exp" → "exp".
std::string plain_name(std::string n) {
  if (n.rfind("__builtin_", 0) == 0) n = n.substr(10);
  return n;
}

const std::set<std::string>& unary_functions() {
  static const std::set<std::string> names{"exp", "exp2", "expm1", "log",  "log2",  "log10", "log1p",     "sqrt", "cbrt",
                                           "sin", "cos",  "tan",   "asin", "acos",  "atan",  "sinh",      "cosh", "tanh",
                                           "erf", "erfc", "floor", "ceil", "trunc", "round", "nearbyint", "rint"};
  return names;
}
const std::set<std::string>& character_functions() {
  static const std::set<std::string> names{"isdigit", "isupper", "islower", "isalpha", "isalnum", "isspace", "toupper", "tolower"};
  return names;
}
const std::set<std::string>& binary_functions() {
  static const std::set<std::string> names{"pow", "fmod", "fdim", "hypot", "copysign", "atan2"};
  return names;
}

}  // namespace

term executor::character_class(const std::string& name, term c) {
  const type t = c->type;
  const auto between = [&](char low, char high) {
    return logical_and(less_equal(number(static_cast<long>(low), t), c), less_equal(c, number(static_cast<long>(high), t)));
  };
  const term upper = between('A', 'Z'), lower = between('a', 'z'), digit = between('0', '9');
  if (name == "isdigit") return digit;
  if (name == "isupper") return upper;
  if (name == "islower") return lower;
  if (name == "isalpha") return logical_or(upper, lower);
  if (name == "isalnum") return logical_or(logical_or(upper, lower), digit);
  if (name == "isspace") return logical_or(equal(c, number(32L, t)), between('\t', '\r'));
  if (name == "toupper") return select(lower, sub(c, number(32L, t)), c);
  if (name == "tolower") return select(upper, add(c, number(32L, t)), c);
  return {};
}

std::optional<value> executor::math_function(const std::string& wanted, const clang::CallExpr* e) {
  const source at = e->getExprLoc();
  std::string name = wanted;
  const auto known = [&](const std::string& n) {
    return unary_functions().contains(n) || binary_functions().contains(n) || n == "fabs" || n == "fmax" || n == "fmin" || n == "fma" ||
           n == "lrint" || n == "lround" || n == "llround";
  };
  if (!known(name) && name.size() > 1 && (name.back() == 'f' || name.back() == 'l') && known(name.substr(0, name.size() - 1)))
    name.pop_back();
  if (e->getNumArgs() == 0) return std::nullopt;
  const bool absolute = name == "abs" || name == "fabs" || name == "labs" || name == "llabs";
  if (known(name) || absolute) {
    const type t = need_scalar_type(e->getType(), at);
    std::vector<term> a;
    for (const auto* x : e->arguments()) {
      const term v = scalar(x);
      a.push_back(t.kind == sort::real ? convert_to(v, t, at) : v);
    }
    if (absolute) return value::of(convert_to(analyser::abs(a[0]), t, at));
    if (name == "fmax" || name == "fmin") {
      recording_.note("std::" + name + " ignores a NaN, the max and min of the report do not");
      return value::of(name == "fmax" ? max(a[0], a[1]) : min(a[0], a[1]));
    }
    if (name == "fma") return value::of(add(mul(a[0], a[1]), a[2]));
    if (name == "lround" || name == "llround" || name == "lrint")
      return value::of(cast(analyser::call(name == "lrint" ? "nearbyint" : "round", {a[0]}, a[0]->type), t));
    if (name == "rint") name = "nearbyint";
    if (name == "pow" && a[1]->is(op::number) && a[1]->value.get_den() == 1 && a[1]->value >= 2 && a[1]->value <= 4) {
      term p = a[0];
      for (long i = a[1]->value.get_num().get_si(); i > 1; --i) p = mul(p, a[0]);
      return value::of(p);
    }
    if (name == "hypot" && a.size() == 3) return std::nullopt;
    return value::of(analyser::call(name, a, t));
  }
  const std::set<std::string> special{"isnan", "isinf", "isinf_sign", "isfinite", "isnormal", "signbit"};
  if (special.contains(name)) {
    const term x = scalar(e->getArg(0));
    const type t = need_scalar_type(e->getType(), at);
    recording_.note("std::" + name + " is evaluated on finite numbers");
    if (name == "signbit") return value::of(cast(less(x, number(0L, x->type)), t));
    if (x->is(op::nan) || x->is(op::infinity) || x->is(op::minus_infinity)) {
      const bool yes = x->is(op::nan) ? name == "isnan" : name.rfind("isinf", 0) == 0;
      return value::of(cast(boolean(yes), t));
    }
    // An extremum that starts at −inf may still be infinite: the comparison says so.
    if (contains(x, [](const node& n) { return n.is(op::nan); }))
      refuse("TF4038", at, "a value that may be NaN", "verdicts are about numbers, and NaN is none",
             "keep a flag that says whether there is a value");
    if (name == "isnan") return value::of(cast(boolean(false), t));
    const term infinite =
        logical_or(marked_comparison(op::equal, x, infinity(x->type)), marked_comparison(op::equal, x, minus_infinity(x->type)));
    return value::of(cast(name.rfind("isinf", 0) == 0 ? infinite : logical_not(infinite), t));
  }
  return std::nullopt;
}

std::optional<value> executor::library_function(const clang::FunctionDecl* f, const clang::CallExpr* e) {
  if (!f->getIdentifier()) return std::nullopt;
  const std::string name = plain_name(f->getName().str());
  const source at = e->getExprLoc();
  const unsigned n = e->getNumArgs();
  if (auto v = math_function(name, e)) return v;
  if (name == "expect" || name == "launder") return evaluate(e->getArg(0));
  if (n == 1 && (name.starts_with("popcount") || name.starts_with("parity")) && f->getParamDecl(0)->getType()->isIntegerType()) {
    // a fold over the bits, so that nobody needs to know one more function
    const term x = scalar(e->getArg(0));
    const type t = need_scalar_type(e->getType(), at);
    const type counted{sort::integer, x->type.bits, false};
    const term bits = symbol(symbol_kind::accumulator, "bit", t), which = symbol(symbol_kind::inner_index, "bit", long_type);
    const term count = number(static_cast<long>(x->type.bits), long_type);
    const term shifted = make(op::shift_right, {convert_to(x, counted, at), cast(which, counted)}, counted);
    const term one = cast(make(op::bit_and, {shifted, number(1L, counted)}, counted), t);
    const term body = name[1] == 'o' ? add(bits, one) : make(op::bit_xor, {bits, one}, t);
    return value::of(inner_fold("bit", count, number(0L, t), body));
  }
  if (n == 1 && character_functions().contains(name) && f->getParamDecl(0)->getType()->isIntegerType())
    if (const term t = character_class(name, scalar(e->getArg(0)))) {
      const type r = need_scalar_type(e->getType(), at);
      if (t->type.kind != sort::boolean) return value::of(convert_to(t, r, at));
      // any number but 0 means yes
      const term yes = symbol(symbol_kind::opaque, name, r);
      recording_.sites.try_emplace(yes, where(at));
      return value::of(select(t, yes, number(0L, r)));
    }
  if (!f->isInStdNamespace()) return std::nullopt;
  if ((name == "min" || name == "max") && n >= 1) {
    const bool is_max = name == "max";
    const auto pick = [&](term a, term b) { return is_max ? max(a, b) : min(a, b); };
    if (n == 2 && scalar_type(e->getArg(0)->getType())) return value::of(pick(scalar(e->getArg(0)), scalar(e->getArg(1))));
    if (n == 1) {
      const value list = evaluate(e->getArg(0));
      if (list.what == value::kind::aggregate && !list.children.empty()) {
        term m = list.children[0].scalar;
        for (std::size_t i = 1; i < list.children.size(); ++i) m = pick(m, list.children[i].scalar);
        return value::of(m);
      }
    }
    if (n == 3 && scalar_type(e->getArg(0)->getType())) {
      const term a = scalar(e->getArg(0)), b = scalar(e->getArg(1));
      const value less_than = evaluate(e->getArg(2));
      const term c =
          is_max ? invoke(less_than, {value::of(a), value::of(b)}, at).scalar : invoke(less_than, {value::of(b), value::of(a)}, at).scalar;
      return value::of(select(truth(c), b, a));
    }
    return std::nullopt;
  }
  if (name == "clamp" && n == 3) return value::of(min(max(scalar(e->getArg(0)), scalar(e->getArg(1))), scalar(e->getArg(2))));
  if ((name == "move" || name == "forward" || name == "as_const") && n == 1)
    return e->getArg(0)->isGLValue() ? value::pointer(locate(e->getArg(0))) : evaluate(e->getArg(0));
  if (name == "swap" && n == 2) {
    const place a = locate(e->getArg(0)), b = locate(e->getArg(1));
    const value x = load(a, e->getArg(0)->getType(), at), y = load(b, e->getArg(1)->getType(), at);
    store(a, y, at), store(b, x, at);
    return value{};
  }
  if (name == "exchange" && n == 2) {
    const place p = locate(e->getArg(0));
    const value old = load(p, e->getArg(0)->getType(), at);
    value next = evaluate(e->getArg(1));
    if (old.what == value::kind::scalar && next.what == value::kind::scalar) next = value::of(convert_to(next.scalar, old.type, at));
    store(p, next, at);
    return old;
  }
  if (name == "lerp" && n == 3) {
    const term a = scalar(e->getArg(0)), b = scalar(e->getArg(1)), t = scalar(e->getArg(2));
    return value::of(add(a, mul(t, sub(b, a))));
  }
  if ((name == "gcd" || name == "lcm") && n == 2) {
    const type t = need_scalar_type(e->getType(), at);
    return value::of(analyser::call(name, {convert_to(scalar(e->getArg(0)), t, at), convert_to(scalar(e->getArg(1)), t, at)}, t));
  }
  if (name == "make_pair" || name == "make_tuple") {
    std::vector<value> fields;
    for (const auto* a : e->arguments()) fields.push_back(evaluate(a));
    return value::aggregate(std::move(fields));
  }
  if (name == "make_unique" && n == 1 && std_name(e->getType()) == "unique_ptr") {
    const auto* r = clang::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(e->getType()->getAsCXXRecordDecl());
    const clang::QualType array = r ? r->getTemplateArgs()[0].getAsType() : clang::QualType();
    if (array.isNull() || !array->isArrayType()) return std::nullopt;
    array_info info{.name = name_hint_,
                    .element = need_scalar_type(context_.getAsArrayType(array)->getElementType(), at),
                    .extents = {scalar(e->getArg(0))},
                    .where = where(at)};
    const type element = info.element;
    const int id = new_array(std::move(info));
    memory_.arrays[id].base = number(0L, element);
    return value::pointer({id, {number(0L, long_type)}, {}});
  }
  const std::set<std::string> members{"size", "ssize", "begin", "end", "cbegin", "cend", "data", "empty"};
  if (members.contains(name) && n == 1) return member_of(name, evaluate(e->getArg(0)), e->getArg(0), e, 1);
  if ((name == "distance" || name == "next" || name == "prev") && n >= 1) {
    const value a = evaluate(e->getArg(0));
    if (name == "distance") {
      const value b = evaluate(e->getArg(1));
      if (a.what == value::kind::pointer && b.what == value::kind::pointer)
        if (const auto d = pointer_distance(a, b)) return value::of(*d);
    } else if (a.what == value::kind::pointer) {
      return pointer_step(a, n > 1 ? scalar(e->getArg(1)) : number(1L, long_type), name == "prev", at);
    }
    return std::nullopt;
  }
  return algorithm(name, e);
}

}  // namespace twofold::analyser::frontend
