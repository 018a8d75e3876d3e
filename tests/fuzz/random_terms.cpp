// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Random well-typed terms, and specs made of them.
#include "fuzz/random_terms.hpp"

namespace twofold::analyser::fuzz {
namespace {

const type types[] = {boolean_type,
                      int_type,
                      long_type,
                      float_type,
                      double_type,
                      {sort::integer, 8, false},
                      {sort::integer, 8, true},
                      {sort::integer, 16, true},
                      {sort::integer, 32, false},
                      {sort::integer, 64, false}};

class maker {
 public:
  maker(draw& d, spec& s) : d_(d), s_(s) {}

  void fill() {
    const std::size_t passes = d_.chance(80) ? 1 : 2;
    s_.function = "f";
    s_.parameters.push_back({"n", "int", int_type, parameter_role::length, {}});
    n_ = symbol(symbol_kind::parameter, "n", int_type);
    for (const char* name : {"c", "q"}) {
      const type t = any_type();
      s_.parameters.push_back({name, cpp_name(t), t, parameter_role::scalar, {}});
      scope_.push_back(symbol(symbol_kind::parameter, name, t));
    }
    const type table_type = any_type();
    table_ = symbol(symbol_kind::array, "table", table_type);
    s_.parameters.push_back(
        {"table", "const " + cpp_name(table_type) + "*", table_type, parameter_role::invariant_array, {number(4L, long_type)}});
    for (std::size_t i = 0; i < passes; ++i) pass_of(i);
    for (std::size_t i = 0; i < 1 + d_.below(2); ++i) {
      const type t = any_type();
      s_.outputs.push_back({i == 0 ? "return" : "return.b", t, of(t, 3), {}, {}});
    }
    s_.return_type = cpp_name(s_.outputs[0].type);
  }

 private:
  type any_type() { return types[d_.below(std::size(types))]; }

  void pass_of(std::size_t number_of_pass) {
    const auto outer = scope_;
    pass p;
    p.index = "i";
    p.reverse = d_.chance(20);
    p.begin = number(d_.chance(85) ? 0L : d_.between(-1, 3), int_type);
    p.end = d_.chance(90) ? n_ : of(int_type, 2);
    for (const char* name : {"x", "y"}) {
      if (name[0] == 'y' && d_.chance(50)) continue;
      const type t = any_type();
      const std::string array = name + std::to_string(number_of_pass);
      const bool row = d_.chance(15);
      const long offset = d_.chance(80) ? 0 : d_.between(-2, 2);
      s_.parameters.push_back({array, "const " + cpp_name(t) + "*", t, parameter_role::input_array, {n_}});
      if (row) s_.parameters.back().extents.push_back(number(2L, long_type));
      p.elements.push_back(
          {symbol(row ? symbol_kind::array : symbol_kind::element, array, t), array, offset, row ? number(2L, long_type) : term{}});
      if (!row) scope_.push_back(p.elements.back().symbol);
      else scope_.push_back(read(p.elements.back().symbol, {number(d_.between(0, 1), long_type)}, t));
    }
    if (d_.chance(30)) scope_.push_back(symbol(symbol_kind::index, "i", long_type)), p.position_aware = true;
    std::vector<term> states;
    for (std::size_t i = 0; i < 1 + d_.below(3); ++i) states.push_back(symbol(symbol_kind::state, "s" + std::to_string(i), any_type()));
    const auto before = scope_;
    scope_.insert(scope_.end(), states.begin(), states.end());
    for (term x : states) {
      const auto all = scope_;
      scope_ = outer;
      const term init = d_.chance(60) ? constant(x->type) : of(x->type, 2);
      scope_ = all;
      p.state.push_back({x->name, x->type, x, init, of(x->type, 1 + static_cast<int>(d_.below(5))), {}, {}, {}});
    }
    if (d_.chance(20)) {
      const type t = any_type();
      p.outputs.push_back({"out" + std::to_string(number_of_pass), t, of(t, 3), true});
      s_.parameters.push_back({p.outputs.back().array, cpp_name(t) + "*", t, parameter_role::output_array, {n_}});
    }
    scope_ = outer;
    for (term x : states) {
      const term r = symbol(symbol_kind::result, x->name + (number_of_pass == 0 ? "" : "@1"), x->type);
      s_.results.push_back(r);
      scope_.push_back(r);
    }
    s_.passes.push_back(std::move(p));
  }

  term constant(type t) {
    if (t.kind == sort::boolean) return boolean(d_.chance(50));
    if (t.kind == sort::real) {
      switch (d_.below(12)) {
        case 0:
          return infinity(t);
        case 1:
          return minus_infinity(t);
        case 2:
          return nan(t);
        case 3:
          return number(mpq_class(mpz_class(1) << static_cast<unsigned>(d_.below(1100)), 1), t);
        case 4:
          return number(mpq_class(1, mpz_class(1) << static_cast<unsigned>(d_.below(1100))), t);
        default:
          return number(mpq_class(d_.between(-9, 9), d_.pick({1L, 1L, 2L, 3L, 10L})), t);
      }
    }
    if (d_.chance(25)) return number(mpq_class((mpz_class(1) << (t.bits - d_.below(2))) - static_cast<long>(d_.below(2))), t);
    return number(d_.between(-9, 70), t);
  }

  term leaf(type t) {
    std::vector<term> fitting;
    for (term x : scope_)
      if (x->type == t) fitting.push_back(x);
    if (!fitting.empty() && d_.chance(70)) return d_.pick(fitting);
    if (!scope_.empty() && d_.chance(40)) return cast(d_.pick(scope_), t);
    return constant(t);
  }

  term of(type t, int depth) {
    if (depth <= 0) return leaf(t);
    const auto sub = [&] { return of(t, depth - 1); };
    if (d_.chance(12)) return select(of(boolean_type, depth - 1), sub(), sub());
    if (d_.chance(10)) return cast(of(any_type(), depth - 1), t);
    if (d_.chance(4)) {
      const std::string name = d_.pick({"t", "t2"});
      const term acc = symbol(symbol_kind::accumulator, name, t), j = symbol(symbol_kind::inner_index, name, long_type);
      scope_.push_back(acc), scope_.push_back(j);
      const term body = sub();
      scope_.resize(scope_.size() - 2);
      return inner_fold(name, d_.chance(80) ? number(d_.between(-1, 4), long_type) : of(long_type, 1), leaf(t), body);
    }
    if (table_->type == t && d_.chance(10))
      return read(table_, {d_.chance(70) ? number(d_.between(0, 3), long_type) : of(long_type, 1)}, t);
    switch (t.kind) {
      case sort::boolean: {
        const type u = any_type();
        switch (d_.below(7)) {
          case 0:
            return logical_and(sub(), sub());
          case 1:
            return logical_or(sub(), sub());
          case 2:
            return logical_not(sub());
          case 3:
            return less(of(u, depth - 1), of(u, depth - 1));
          case 4:
            return less_equal(of(u, depth - 1), of(u, depth - 1));
          default:
            return equal(of(u, depth - 1), of(u, depth - 1));
        }
      }
      case sort::real:
        switch (d_.below(11)) {
          case 0:
            return div(sub(), sub());
          case 1:
            return call(d_.pick({"exp", "log", "sqrt", "floor", "ceil", "trunc", "round", "tanh", "sin", "unknown_function"}), {sub()}, t);
          case 2:
            return call("pow", {sub(), leaf(t)}, t);
          case 3:
            return abs(sub());
          default:
            return ring(t, depth);
        }
      default:
        switch (d_.below(12)) {
          case 0:
            return analyser::make(op::quotient, {sub(), sub()}, t);
          case 1:
            return analyser::make(op::remainder, {sub(), sub()}, t);
          case 2:
            return analyser::make(d_.pick({op::shift_left, op::shift_right}),
                                  {sub(), d_.chance(50) ? sub() : number(d_.between(-1, t.bits + 1), t)}, t);
          case 3:
          case 4:
            return analyser::make(d_.pick({op::bit_and, op::bit_or, op::bit_xor}), {sub(), sub()}, t);
          case 5:
            return analyser::make(op::bit_not, {sub()}, t);
          case 6:
            return t.is_signed ? abs(sub()) : sub();
          default:
            return ring(t, depth);
        }
    }
  }
  term ring(type t, int depth) {
    const auto sub = [&] { return of(t, depth - 1); };
    switch (d_.below(7)) {
      case 0:
        return mul(sub(), sub());
      case 1:
        return neg(sub());
      case 2:
        return min(sub(), sub());
      case 3:
        return max(sub(), sub());
      case 4:
        return analyser::sub(sub(), sub());
      default:
        return add(sub(), sub());
    }
  }

  draw& d_;
  spec& s_;
  std::vector<term> scope_;
  term n_, table_;
};

}  // namespace

spec random_spec(draw& random) {
  spec s;
  maker(random, s).fill();
  return s;
}

}  // namespace twofold::analyser::fuzz
