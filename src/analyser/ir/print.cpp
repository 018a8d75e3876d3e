// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Terms as text: C++ that compiles, and the formulas of reports.
#include <cmath>
#include <cstdio>
#include <limits>

#include "ir/nearest.hpp"
#include "ir/term.hpp"

namespace twofold::analyser {
namespace {

// C++ binding strength; larger binds tighter.
enum strength {
  of_select = 1,
  of_or,
  of_and,
  of_bit_or,
  of_bit_xor,
  of_bit_and,
  of_equality,
  of_relation,
  of_shift,
  of_sum,
  of_product,
  of_unary,
  of_atom
};

using namer = std::function<std::string(const node&)>;

struct printer {
  bool cpp;
  const namer& names;
  mutable int left = 20'000;  // operations and symbols that a formula may still write

  struct text {
    std::string s;
    int strength;
  };

  std::string at(term t, int needed) const {
    text x = print(t);
    return x.strength < needed ? "(" + x.s + ")" : x.s;
  }

  std::string symbol_text(const node& n) const {
    if (names)
      if (std::string s = names(n); !s.empty()) return s;
    switch (n.symbol) {
      case symbol_kind::left:
        return "a." + n.name;
      case symbol_kind::right:
        return "b." + n.name;
      case symbol_kind::accumulator:
        return cpp ? "tf_acc_" + n.name : "acc";
      case symbol_kind::inner_index:
        return cpp ? "tf_i_" + n.name : "k";
      default:
        return n.name;
    }
  }

  std::string number_text(const node& n) const {
    if (n.type.kind == sort::boolean) return n.value == 0 ? "false" : "true";
    if (n.type.kind == sort::integer) {
      std::string s = n.value.get_num().get_str();
      if (!cpp) return s;
      if (n.type.is_signed && n.type.bits == 64 && n.value == mpq_class(mpz_class("-9223372036854775808")))
        return "std::numeric_limits<std::int64_t>::min()";
      if (n.type.is_signed && n.type.bits == 32 && n.value == -2147483648L) return "std::numeric_limits<int>::min()";
      if (!n.type.is_signed) s += n.type.bits == 64 ? "ull" : "u";
      else if (n.type.bits == 64) s += "ll";
      return s;
    }
    const double d = cpp && n.type.bits == 32 ? nearest<float>(n.value) : nearest<double>(n.value);
    if (!std::isfinite(d)) return cpp ? (d < 0 ? "-" : "") + limits(n, "infinity") : n.value.get_str();
    if (mpq_class(d) != n.value && !cpp) return n.value.get_str();
    char buffer[40];
    if (n.value.get_den() == 1 && std::abs(d) < 1e15) std::snprintf(buffer, sizeof buffer, "%.0f", d);
    else
      for (int digits = 1; digits <= 17; ++digits) {
        std::snprintf(buffer, sizeof buffer, "%.*g", digits, d);
        const double back = std::strtod(buffer, nullptr);
        if (n.type.bits == 32 && cpp ? static_cast<float>(back) == static_cast<float>(d) : back == d) break;
      }
    std::string s = buffer;
    if (!cpp) return s;
    if (s.find_first_of(".e") == std::string::npos) s += ".0";
    return n.type.bits == 32 ? s + "f" : s;
  }

  std::string limits(const node& n, const char* member) const { return "std::numeric_limits<" + cpp_name(n.type) + ">::" + member + "()"; }

  //! Of integers: the end of their range, which an extremum over any numbers leaves as an infinity does (std::numeric_limits' infinity of
  //! an integer is 0).
  text limit(const node& n, bool most) const {
    if (n.type.kind == sort::integer) return {limits(n, most ? "max" : "lowest"), of_atom};
    return most ? text{limits(n, "infinity"), of_atom} : text{"-" + limits(n, "infinity"), of_unary};
  }

  text binary(const node& n, const char* symbol, int s, bool right_tighter = false) const {
    return {at(n.args[0], s) + " " + symbol + " " + at(n.args[1], s + (right_tighter ? 1 : 0)), s};
  }
  text function(const std::string& name, const node& n) const {
    std::string s = name + "(";
    for (std::size_t i = 0; i < n.args.size(); ++i) s += (i ? ", " : "") + print(n.args[i]).s;
    return {s + ")", of_atom};
  }

  text sum(const node& n) const {
    const term b = n.args[1];
    if (b->is(op::neg)) return {at(n.args[0], of_sum) + " - " + at(b->args[0], of_sum + 1), of_sum};
    if (b->is(op::number) && b->value < 0 && b->type.kind != sort::boolean && !(cpp && b->type.kind == sort::integer))
      return {at(n.args[0], of_sum) + " - " + number_text(*number(mpq_class(-b->value), b->type)), of_sum};
    return binary(n, "+", of_sum, cpp);  // C++ evaluates a + (b + c) as written
  }

  text fold(const node& n) const {
    if (!cpp) {
      const term body = n.args[2];
      const bool plain_sum = body->is(op::add) && body->args[0]->is_symbol(symbol_kind::accumulator);
      if (plain_sum && is_number(n.args[1], 0)) return {"sum(" + print(body->args[1]).s + ")", of_atom};
      return {"fold(" + print(n.args[1]).s + "; " + print(body).s + ")", of_atom};
    }
    const std::string acc = "tf_acc_" + n.name, i = "tf_i_" + n.name;  // no names that a source would use
    return {"[&] { " + cpp_name(n.type) + " " + acc + " = " + print(n.args[1]).s + "; for (std::int64_t " + i + " = 0; " + i + " < " +
                at(n.args[0], of_shift) + "; ++" + i + ") " + acc + " = " + print(n.args[2]).s + "; return " + acc + "; }()",
            of_atom};
  }

  text print(term t) const {
    const node& n = *t;
    if (!cpp && left-- <= 0) return {"…", of_atom};
    switch (n.kind) {
      case op::number:
        return {number_text(n), n.value < 0 ? of_unary : of_atom};
      case op::infinity:
        return cpp ? limit(n, true) : text{"inf", of_atom};
      case op::minus_infinity:
        return cpp ? limit(n, false) : text{"-inf", of_unary};
      case op::nan:
        return {cpp ? limits(n, "quiet_NaN") : "nan", of_atom};
      case op::symbol:
        return {symbol_text(n), of_atom};
      case op::add:
        return sum(n);
      case op::mul:
        return binary(n, "*", of_product, cpp);
      case op::div:
        return binary(n, "/", of_product, true);
      case op::quotient:
        return binary(n, "/", of_product, true);
      case op::remainder:
        return binary(n, "%", of_product, true);
      case op::neg:
        return {"-" + at(n.args[0], of_unary + 1), of_unary};
      case op::bit_not:
        return {"~" + at(n.args[0], of_unary + 1), of_unary};
      case op::min:
      case op::max: {
        const char* name = n.is(op::min) ? "min" : "max";
        return function(cpp ? std::string("std::") + name + "<" + cpp_name(n.type) + ">" : name, n);
      }
      case op::abs:
        return function(cpp ? "std::abs" : "abs", n);
      case op::shift_left:
        return binary(n, "<<", of_shift, true);
      case op::shift_right:
        return binary(n, ">>", of_shift, true);
      case op::bit_and:
        return binary(n, "&", of_bit_and, true);
      case op::bit_or:
        return binary(n, "|", of_bit_or, true);
      case op::bit_xor:
        return binary(n, "^", of_bit_xor, true);
      case op::less:
        return binary(n, "<", of_relation, true);
      case op::less_equal:
        return binary(n, "<=", of_relation, true);
      case op::equal:
        return binary(n, "==", of_equality, true);
      case op::logical_and:
        return binary(n, cpp ? "&&" : "and", of_and);
      case op::logical_or: {  // parenthesised && inside ||, as compilers ask
        const auto side = [&](term a) { return a->is(op::logical_and) ? "(" + print(a).s + ")" : at(a, of_or); };
        return {side(n.args[0]) + (cpp ? " || " : " or ") + side(n.args[1]), of_or};
      }
      case op::logical_not:
        return {(cpp ? "!" : "not ") + at(n.args[0], of_unary), of_unary};
      case op::select:
        return {at(n.args[0], of_select + 1) + " ? " + at(n.args[1], of_select + 1) + " : " + at(n.args[2], of_select), of_select};
      case op::cast:
        if (!cpp) return print(n.args[0]);
        return {"static_cast<" + cpp_name(n.type) + ">(" + print(n.args[0]).s + ")", of_atom};
      case op::call:
        return function((cpp ? "std::" : "") + n.name, n);
      case op::read: {
        std::string s = symbol_text(*n.args[0]);
        // a vector of the state is called by its generic component, which is not the one that is read here
        if (!n.args[0]->is_symbol(symbol_kind::array) && s.ends_with(']')) s.erase(s.rfind('['));
        for (std::size_t i = 1; i < n.args.size(); ++i)  // a constant position needs no type
          s += "[" + (n.args[i]->is(op::number) ? n.args[i]->value.get_str() : print(n.args[i]).s) + "]";
        return {s, of_atom};
      }
      case op::inner_fold:
        return fold(n);
    }
    return {"?", of_atom};
  }
};

}  // namespace

std::string to_cpp(term t, const namer& names) { return printer{true, names}.print(t).s; }
std::string to_text(term t, const namer& names) { return printer{false, names}.print(t).s; }

}  // namespace twofold::analyser
