// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Integers in SMT-LIB: conversions, unsigned words that do not wrap, and integers that may be read as reals.
#include <algorithm>

#include "prove/smt_writer.hpp"

namespace twofold::analyser {

using smt::both;
using smt::constant;
using smt::named;
using smt::negation;
using smt::power_of_two;
using smt::sexp;

namespace {
bool is_whole(type t) { return t.kind == sort::integer; }
//! Something that integers of ℤ go into or come from other than sums, products and conversions to reals.
bool beyond_rings(const node& n) {
  const bool ring =
      is_whole(n.type) && !n.type.is_modular() && (n.is(op::symbol) || n.is(op::number) || n.is(op::add) || n.is(op::neg) || n.is(op::mul));
  if (is_whole(n.type) && !ring) return true;
  if (n.is(op::cast) && n.type.kind == sort::real) return false;
  return !ring && std::any_of(n.args.begin(), n.args.end(), [](term a) { return is_whole(a->type); });
}
}  // namespace

bool smt::says_nothing_of_integers(const obligation& o, const std::vector<term>& known) {
  if (o.left->type.kind != sort::real || contains(o.left, beyond_rings) || contains(o.right, beyond_rings)) return false;
  for (term t : known) {
    const bool bound = (t->is(op::less) || t->is(op::less_equal) || t->is(op::equal)) && is_whole(t->args[0]->type);
    if (bound ? contains(t->args[0], beyond_rings) || contains(t->args[1], beyond_rings) : contains(t, beyond_rings)) return false;
  }
  return true;
}

smt_writer::quotient smt_writer::converted(term t) {
  const term a = t->args[0];
  const bool integral = is_int(t->type);
  if (a->type.kind == sort::boolean) return choose(condition(a), constant(1), constant(0), integral);
  if (!integral) return is_int(a->type) ? as_real(a) : value(a);
  if (!is_int(a->type)) {
    const std::string x = whole(a);
    return written(wrapped(sexp("ite", sexp(">=", x, "0.0"), sexp("to_int", x), sexp("-", sexp("to_int", sexp("-", x)))), t->type),
                   t->type);
  }
  if (t->type.is_modular())
    return written(a->type.is_modular() ? wrapped(integer(a), t->type, most(a)) : wrapped(integer(a), t->type), t->type);
  if (t->type.bits > a->type.bits || (t->type.bits == a->type.bits && a->type.is_signed)) return value(a);
  const std::string half = power_of_two(t->type.bits - 1);
  return written(sexp("-", sexp("mod", sexp("+", integer(a), half), power_of_two(t->type.bits)), half), t->type);
}

//! x & mask, mask ≥ 0: the runs of its ones, each by remainders of what is above it; x may be negative (two's complement).
std::string smt_writer::masked(const std::string& x, const mpz_class& mask) {
  std::vector<std::string> runs;
  for (mp_bitcnt_t low = mpz_scan1(mask.get_mpz_t(), 0); low != ~mp_bitcnt_t{0};) {
    const mp_bitcnt_t end = mpz_scan0(mask.get_mpz_t(), low);
    const std::string from = power_of_two(static_cast<unsigned>(low)), many = power_of_two(static_cast<unsigned>(end - low));
    runs.push_back(low == 0 ? sexp("mod", x, many) : sexp("*", from, sexp("mod", sexp("div", x, from), many)));
    low = mpz_scan1(mask.get_mpz_t(), end);
  }
  return runs.empty() ? "0" : runs.size() == 1 ? runs[0] : smt::all_of("+", runs);
}

//! One operand a number: x | m = x + m − (x & m), x ^ m = x + m − 2 (x & m). Others: smt_words.
smt_writer::quotient smt_writer::bits(term t) {
  if (t->is(op::bit_not)) {
    const mpz_class ones = t->type.is_modular() ? mpz_class((mpz_class(1) << t->type.bits) - 1) : mpz_class(-1);
    return written(sexp("-", smt::numeral(mpq_class(ones), true), integer(t->args[0])), t->type);
  }
  const bool first = t->args[0]->is(op::number);
  const term m = t->args[first ? 0 : 1], x = t->args[first ? 1 : 0];
  if (!m->is(op::number) || m->value < 0) throw unwritable("operations on bits");
  const std::string of = integer(x), common = define("i", "Int", masked(of, m->value.get_num())), mask = smt::numeral(m->value, true);
  if (t->is(op::bit_and)) return named(common);
  return written(sexp("-", sexp("+", of, mask), t->is(op::bit_or) ? common : sexp("*", "2", common)), t->type);
}

//! A conversion goes through sums and products of ℤ, so that polynomials over the reals are seen as such.
smt_writer::quotient smt_writer::as_real(term t) {
  const auto& a = t->args;
  if (t->is(op::number)) return constant(t->value);
  if (!t->type.is_modular()) {
    if (t->is(op::add) || t->is(op::neg)) return real_sum(t);
    if (t->is(op::mul)) return times(as_real(a[0]), as_real(a[1]));
    if (relaxed_) return named(opaque(t, "Real"));
  }
  return written(sexp("to_real", integer(t)), double_type);
}

//! In [0, 2^w). Where it is seen from ranges that nothing wraps, that is claimed, and the remainder left away: products beside nested
//! remainders by large powers are more than a solver finds its way through.
std::string smt_writer::wrapped(const std::string& e, type t, const std::optional<mpz_class>& top) {
  if (!t.is_modular()) return e;
  const std::string end = power_of_two(t.bits);
  if (!top || *top >= mpz_class(1) << t.bits) return sexp("mod", e, end);
  const std::string name = define("i", "Int", e);
  if (unwrapped_.insert(name).second) in_range_.emplace_back(negation(both(sexp("<=", "0", name), sexp("<", name, end))), "nothing wraps");
  return name;
}

//! What an unsigned term is at most, seen from types, remainders and the hypotheses' bounds.
mpz_class smt_writer::most(term t) {
  if (const auto it = most_.find(t); it != most_.end()) return it->second;
  const auto& a = t->args;
  const mpz_class top = (mpz_class(1) << t->type.bits) - 1;
  mpz_class r = top;
  const bool natural = t->type.is_modular();
  if (t->is(op::number)) r = t->value.get_num();
  else if (!natural) r = top;
  else if (t->is(op::add)) r = most(a[0]) + most(a[1]);
  else if (t->is(op::mul)) r = most(a[0]) * most(a[1]);
  else if (t->is(op::remainder) && a[1]->is(op::number) && a[1]->value > 0) r = std::min(most(a[0]), mpz_class(a[1]->value.get_num() - 1));
  else if (t->is(op::quotient) || t->is(op::shift_right)) r = most(a[0]);
  else if (t->is(op::max) || t->is(op::min)) r = std::max(most(a[0]), most(a[1]));
  else if (t->is(op::select)) r = std::max(most(a[1]), most(a[2]));
  else if (t->is(op::cast) && a[0]->type.kind == sort::boolean) r = 1;
  else if (t->is(op::cast) && a[0]->type.is_modular()) r = most(a[0]);
  if (natural && r > top) r = top;
  return most_.emplace(t, r).first->second;
}
//! Bounds of symbols in what is known, s < m and s <= m.
void smt_writer::note_bounds(const std::vector<term>& known) {
  for (term t : known)
    if ((t->is(op::less) || t->is(op::less_equal)) && t->args[0]->is(op::symbol) && t->args[0]->type.is_modular() &&
        t->args[1]->is(op::number))
      most_[t->args[0]] = t->args[1]->value.get_num() - (t->is(op::less) ? 1 : 0);
}

}  // namespace twofold::analyser
