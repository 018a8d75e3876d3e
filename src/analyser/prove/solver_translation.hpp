// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Conditions as Z3 expressions. Part of solver.cpp, which alone includes it (and Z3, whose header is slow to compile).
#pragma once

#include <z3++.h>

#include <set>

#include "prove/atoms.hpp"

namespace twofold::analyser {

class translation {
 public:
  translation(z3::context& c, normaliser& f, bool bits) : c_(c), f_(f), bits_(bits) {}

  std::map<term, z3::expr> symbols;  // what a model is asked for
  std::vector<z3::expr> facts;       // true of the opaque constants

  z3::expr condition(term t) {
    if (const auto it = conditions_.find(t); it != conditions_.end()) return it->second;
    const z3::expr e = make_condition(t);
    conditions_.emplace(t, e);
    return e;
  }

 private:
  enum class relation { positive, not_negative, zero };

  z3::expr make_condition(term t) {
    const auto& a = t->args;
    switch (t->kind) {
      case op::number:
        return c_.bool_val(t->value != 0);
      case op::logical_not:
        return !condition(a[0]);
      case op::logical_and:
        return condition(a[0]) && condition(a[1]);
      case op::logical_or:
        return condition(a[0]) || condition(a[1]);
      case op::select:
        return z3::ite(condition(a[0]), condition(a[1]), condition(a[2]));
      case op::less:
      case op::less_equal:
      case op::equal:
        return comparison(t);
      case op::symbol:
        return symbol(t, c_.bool_const(name(t).c_str()));
      default:
        return constant(key(t), c_.bool_sort());
    }
  }
  term key(term t) { return to_term(f_(t), t->type); }

  z3::expr comparison(term t) {
    const term a = t->args[0], b = t->args[1];
    if (a->type.kind == sort::boolean) {
      const z3::expr x = condition(a), y = condition(b);
      return t->is(op::equal) ? x == y : t->is(op::less) ? !x && y : !x || y;
    }
    if (a->type.is_modular()) {
      if (bits_) {
        const z3::expr x = word(a), y = word(b);
        return t->is(op::equal) ? x == y : t->is(op::less) ? z3::ult(x, y) : z3::ule(x, y);
      }
      const z3::expr x = representative(a), y = representative(b);
      return t->is(op::equal) ? x == y : t->is(op::less) ? x < y : x <= y;
    }
    if (plain(a) && plain(b)) {
      const bool integer = a->type.kind == sort::integer;
      const z3::expr x = as_written(a, integer), y = as_written(b, integer);
      return t->is(op::equal) ? x == y : t->is(op::less) ? x < y : x <= y;
    }
    const rational d = f_.comparable(f_(b) - f_(a));
    return sign(t->is(op::equal) ? relation::zero : t->is(op::less) ? relation::positive : relation::not_negative, d);
  }

  //! Without quotients and functions a term is translated as it stands: no expansion, and choices stay shared.
  bool plain(term t) {
    const auto it = plain_.find(t);
    if (it != plain_.end()) return it->second;
    bool r = false;
    switch (t->kind) {
      case op::number:
        r = true;
        break;
      case op::symbol:
        r = !t->type.is_modular();
        break;
      case op::add:
      case op::mul:
      case op::neg:
      case op::max:
      case op::min:
      case op::abs:
        r = !t->type.is_modular();
        for (term a : t->args) r = r && plain(a);
        break;
      case op::select:
        r = !t->type.is_modular() && plain(t->args[1]) && plain(t->args[2]);
        break;
      case op::cast:
        r = t->args[0]->type.kind == sort::boolean ? !t->type.is_modular()
                                                   : t->type.kind == sort::real && !t->args[0]->type.is_modular() && plain(t->args[0]);
        break;
      default:
        break;
    }
    return plain_[t] = r;
  }
  z3::expr as_written(term t, bool integer) {
    const z3::expr e = written(t);
    return e.is_int() && !integer ? z3::to_real(e) : e;
  }
  z3::expr written(term t) {
    if (const auto it = written_.find(t); it != written_.end()) return it->second;
    const bool integer = t->type.kind == sort::integer;
    const auto arg = [&](std::size_t i) { return as_written(t->args[i], integer); };
    const auto make = [&]() -> z3::expr {
      switch (t->kind) {
        case op::number:
          return numeral(t->value, integer);
        case op::add:
          return arg(0) + arg(1);
        case op::mul:
          return arg(0) * arg(1);
        case op::neg:
          return -arg(0);
        case op::max:
          return z3::ite(arg(0) < arg(1), arg(1), arg(0));
        case op::min:
          return z3::ite(arg(1) < arg(0), arg(1), arg(0));
        case op::abs:
          return z3::ite(arg(0) >= 0, arg(0), -arg(0));
        case op::select:
          return z3::ite(condition(t->args[0]), arg(1), arg(2));
        case op::cast:
          return t->args[0]->type.kind == sort::boolean ? z3::ite(condition(t->args[0]), numeral(1, integer), numeral(0, integer)) : arg(0);
        default:
          return atom(t);
      }
    };
    const z3::expr e = make();
    written_.emplace(t, e);
    return e;
  }

  //! d > 0, d ≥ 0 or d = 0 without division. Indicators are resolved first: only then is the denominator the branch's own.
  z3::expr sign(relation k, const rational& d) {
    if (const term i = indicator_over_quotient(d))
      return z3::ite(condition(i), sign(k, resolved(d, i, true)), sign(k, resolved(d, i, false)));
    const rational r = d.is_zero() ? d : rational(d.num() * inverse(generator_content(d.num())), d.den());
    const bool integer = is_integer_valued(r);
    z3::expr n = sum(r.num(), integer);
    if (k != relation::zero && !r.is_polynomial()) n = n * sum(r.den(), false);
    const z3::expr zero = integer ? c_.int_val(0) : c_.real_val(0);
    return k == relation::zero ? n == zero : k == relation::positive ? n > zero : n >= zero;
  }
  static term indicator_over_quotient(const rational& r) {
    if (r.is_polynomial()) return {};
    const auto all = indicators(r.num());
    if (all.size() > 8) throw limit_error("a quotient with more than 8 choices");
    return all.empty() ? term() : *all.begin();
  }
  z3::expr value(const rational& r, bool integer) {
    if (const term i = indicator_over_quotient(r))
      return z3::ite(condition(i), value(resolved(r, i, true), integer), value(resolved(r, i, false), integer));
    const z3::expr n = sum(r.num(), integer);
    return r.is_polynomial() ? n : n / sum(r.den(), false);
  }
  z3::expr real_value(term t) { return value(f_(t), false); }
  z3::expr own_value(term t) { return value(f_(t), t->type.kind == sort::integer); }

  z3::expr numeral(const mpq_class& v, bool integer) {
    return integer ? c_.int_val(v.get_str().c_str()) : c_.real_val(v.get_str().c_str());
  }
  z3::expr sum(const polynomial& p, bool integer) {
    z3::expr r = numeral(0, integer);
    bool first = true;
    for (const auto& [m, c] : p.terms()) {
      z3::expr x = numeral(c, integer);
      bool unit = c == 1;
      z3::expr when = c_.bool_val(true);
      for (const factor& f : m) {
        if (f.atom->type.kind == sort::boolean) {
          when = when && condition(f.atom);
          continue;
        }
        z3::expr b = base(f);
        if (!integer && b.is_int()) b = z3::to_real(b);
        const mpz_class exponent = abs(f.exponent.get_num());
        if (exponent > 64) throw limit_error("a power too large for the solver");
        const unsigned long n = exponent.get_ui();
        for (unsigned long i = 0; i < n; ++i) {
          x = sgn(f.exponent) < 0 ? x / b : unit ? b : x * b;
          unit = false;
        }
      }
      if (!when.is_true()) x = z3::ite(when, x, numeral(0, integer));
      r = first ? x : r + x;
      first = false;
    }
    return r;
  }
  //! The constant for an atom, or for the q-th root of a generator.
  z3::expr base(const factor& f) {
    const z3::expr whole = atom(f.atom);
    const mpz_class q = f.exponent.get_den();
    if (q == 1) return whole;
    const std::string n = "root!" + q.get_str() + "!" + std::to_string(f.atom->id);
    const z3::expr r = c_.real_const(n.c_str());
    if (roots_.insert(n).second) {
      facts.push_back(r > 0);
      if (q <= 8) {
        z3::expr product = r;
        for (long i = 1; i < q.get_si(); ++i) product = product * r;
        facts.push_back(product == whole);
      }
    }
    return r;
  }

  z3::expr atom(term a) {
    if (const auto it = atoms_.find(a); it != atoms_.end()) return it->second;
    const z3::expr e = make_atom(a);
    atoms_.emplace(a, e);
    return e;
  }
  z3::expr make_atom(term a) {
    const bool integer = a->type.kind == sort::integer;
    switch (a->kind) {
      case op::symbol:
        if (a->type.is_modular() && bits_) return z3::bv2int(word(a), false);
        return ranged(a, symbol(a, integer ? c_.int_const(name(a).c_str()) : c_.real_const(name(a).c_str())));
      case op::div:
        return numeral(1, false) / real_value(a->args[1]);
      case op::abs: {
        const z3::expr v = own_value(a->args[0]);
        return z3::ite(v >= 0, v, -v);
      }
      case op::cast:
        return ranged_cast(a);
      case op::call:
        return call(a);
      case op::max:
      case op::min: {
        if (a->type.is_modular()) break;
        const z3::expr x = own_value(a->args[0]), y = own_value(a->args[1]);
        return a->is(op::max) ? z3::ite(x < y, y, x) : z3::ite(y < x, y, x);
      }
      case op::quotient:
      case op::remainder:
        if (!a->type.is_modular()) return division(a, own_value(a->args[0]), own_value(a->args[1]));
        break;
      case op::shift_right:
        if (!a->type.is_modular() && a->args[1]->is(op::number) && a->args[1]->value < 64)
          return own_value(a->args[0]) / numeral(mpq_class(mpz_class(1) << a->args[1]->value.get_num().get_ui()), true);
        break;
      default:
        break;
    }
    if (a->type.is_modular()) return bits_ ? z3::bv2int(word(a), false) : modular_atom(a);
    return ranged(a, constant(a, integer ? c_.int_sort() : c_.real_sort()));
  }

  //! C++ truncates towards zero, Z3 rounds so that the remainder is not negative.
  z3::expr division(term a, const z3::expr& x, const z3::expr& y) {
    const z3::expr q = z3::ite(x >= 0, x / y, -((-x) / y));
    return a->is(op::quotient) ? q : x - y * q;
  }
  z3::expr floor(const z3::expr& v) { return z3::expr(c_, Z3_mk_real2int(c_, v)); }
  z3::expr truncated(const z3::expr& v) { return z3::ite(v >= 0, floor(v), -floor(-v)); }

  z3::expr call(term a) {
    const std::string& f = a->name;
    if (f == "floor") return floor(real_value(a->args[0]));
    if (f == "ceil") return -floor(-real_value(a->args[0]));
    if (f == "trunc") return truncated(real_value(a->args[0]));
    if (f == "round") {
      const z3::expr v = real_value(a->args[0]), half = c_.real_val(1, 2);
      return z3::ite(v >= 0, floor(v + half), -floor(half - v));
    }
    if (f == "rint" || f == "nearbyint") return constant(a, c_.int_sort());
    const z3::expr r = constant(a, a->type.kind == sort::integer ? c_.int_sort() : c_.real_sort());
    if (is_generator(a)) facts.push_back(r > 0);
    if (f == "sqrt") {
      const z3::expr t = real_value(a->args[0]);
      facts.push_back(r >= 0 && z3::implies(t >= 0, r * r == t));
    }
    if (f == "tanh" || f == "sin" || f == "cos") facts.push_back(r >= -1 && r <= 1);
    return ranged(a, r);
  }

  z3::expr power_of_two(unsigned n) { return numeral(mpq_class(mpz_class(1) << n), true); }
  //! Unsigned constants lie in [0, 2^w).
  z3::expr ranged(term a, const z3::expr& e) {
    if (a->type.is_modular()) facts.push_back(e >= 0 && e < power_of_two(a->type.bits));
    return e;
  }
  z3::expr ranged_cast(term a) {
    const term from = a->args[0];
    const unsigned bits = a->type.bits;
    if (a->type.is_modular() && bits_) return z3::bv2int(word(a), false);
    const z3::expr v = from->type.kind == sort::real ? truncated(real_value(from))
                       : from->type.is_modular()     ? representative(from)
                                                     : own_value(from);
    if (a->type.kind == sort::real) return v;  // an unsigned value; `sum` makes it real
    if (a->type.is_modular()) return from->type.is_modular() ? v : z3::mod(v, power_of_two(bits));
    if (from->type.kind == sort::real) return v;
    return from->type.is_modular() && from->type.bits < bits
               ? v
               : z3::mod(v + power_of_two(bits - 1), power_of_two(bits)) - power_of_two(bits - 1);
  }

  //! The number in [0, 2^w) that an unsigned term denotes.
  z3::expr representative(term t) {
    if (bits_) return z3::bv2int(word(t), false);
    return reduced(f_(t), t->type.bits);
  }
  z3::expr reduced(const rational& r, unsigned bits) {
    const auto& terms = r.num().terms();
    if (r.is_constant()) return numeral(r.constant(), true);
    if (terms.size() == 1 && terms.begin()->second == 1 && terms.begin()->first.size() == 1) {
      const factor& f = terms.begin()->first[0];
      if (f.exponent == 1 && f.atom->type.is_modular() && f.atom->type.bits <= bits) return atom(f.atom);
    }
    return z3::mod(sum(r.num(), true), power_of_two(bits));
  }
  z3::expr modular_atom(term a) {
    const auto arg = [&](std::size_t i) { return representative(a->args[i]); };
    switch (a->kind) {
      case op::max:
        return z3::ite(arg(0) < arg(1), arg(1), arg(0));
      case op::min:
        return z3::ite(arg(1) < arg(0), arg(1), arg(0));
      case op::quotient:
        return arg(0) / arg(1);
      case op::remainder:
        return z3::mod(arg(0), arg(1));
      default:
        return ranged(a, constant(a, c_.int_sort()));
    }
  }

  //! Unsigned terms as bit-vectors, by their structure.
  z3::expr word(term t) {
    if (const auto it = words_.find(t); it != words_.end()) return it->second;
    const z3::expr e = make_word(t);
    words_.emplace(t, e);
    return e;
  }
  z3::expr make_word(term t) {
    const unsigned w = t->type.bits;
    const auto arg = [&](std::size_t i) { return word(t->args[i]); };
    const auto amount = [&]() -> z3::expr {
      const term s = t->args[1];
      if (s->is(op::number)) return c_.bv_val(s->value.get_num().get_str().c_str(), w);
      if (s->type.is_modular()) return resized(word(s), s->type.bits, w);
      return z3::int2bv(w, own_value(s));
    };
    switch (t->kind) {
      case op::number:
        return c_.bv_val(t->value.get_num().get_str().c_str(), w);
      case op::symbol:
        return symbol(t, c_.bv_const(name(t).c_str(), w));
      case op::add:
        return arg(0) + arg(1);
      case op::mul:
        return arg(0) * arg(1);
      case op::neg:
        return -arg(0);
      case op::bit_and:
        return arg(0) & arg(1);
      case op::bit_or:
        return arg(0) | arg(1);
      case op::bit_xor:
        return arg(0) ^ arg(1);
      case op::bit_not:
        return ~arg(0);
      case op::quotient:
        return z3::udiv(arg(0), arg(1));
      case op::remainder:
        return z3::urem(arg(0), arg(1));
      case op::shift_left:
        return z3::shl(arg(0), amount());
      case op::shift_right:
        return z3::lshr(arg(0), amount());
      case op::max:
        return z3::ite(z3::ult(arg(0), arg(1)), arg(1), arg(0));
      case op::min:
        return z3::ite(z3::ult(arg(1), arg(0)), arg(1), arg(0));
      case op::select:
        return z3::ite(condition(t->args[0]), arg(1), arg(2));
      case op::cast: {
        const term a = t->args[0];
        if (a->type.is_modular()) return resized(word(a), a->type.bits, w);
        if (a->type.kind == sort::boolean) return z3::ite(condition(a), c_.bv_val(1, w), c_.bv_val(0, w));
        return z3::int2bv(w, a->type.kind == sort::real ? truncated(real_value(a)) : own_value(a));
      }
      default:
        return constant(key(t), c_.bv_sort(w));
    }
  }
  z3::expr resized(const z3::expr& e, unsigned from, unsigned to) {
    return from == to ? e : from > to ? e.extract(to - 1, 0) : z3::zext(e, to - from);
  }

  std::string name(term t) { return "s!" + std::to_string(t->id); }
  z3::expr symbol(term t, const z3::expr& e) {
    symbols.emplace(t, e);
    return e;
  }
  z3::expr constant(term t, const z3::sort& s) { return c_.constant(("o!" + std::to_string(t->id)).c_str(), s); }

  z3::context& c_;
  normaliser& f_;
  bool bits_;
  std::map<term, z3::expr> conditions_, atoms_, words_, written_;
  std::map<term, bool> plain_;
  std::set<std::string> roots_;
};

}  // namespace twofold::analyser
