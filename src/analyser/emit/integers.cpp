// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Rewrites signed arithmetic of emitted formulas.
#include "emit/integers.hpp"

namespace twofold::analyser {
namespace {

constexpr type wide_unsigned{sort::integer, 64, false};

bool is_signed_integer(type t) { return t.kind == sort::integer && t.is_signed; }
bool is_ring(const node& n) { return n.is(op::add) || n.is(op::mul) || n.is(op::neg); }
bool is_state(const node& n) {
  return n.is(op::symbol) && (n.symbol == symbol_kind::state || n.symbol == symbol_kind::left || n.symbol == symbol_kind::right ||
                              n.symbol == symbol_kind::opaque);
}

class widener {
 public:
  explicit widener(bool wraps) : wraps_(wraps) {}

  term of(term t) {
    if (const auto it = done_.find(t); it != done_.end()) return it->second;
    return done_[t] = is_signed_integer(t->type) ? integer(t) : other(t);
  }

 private:
  //! A value of a signed type, as a 64-bit term.
  term integer(term t) {
    const node& n = *t;
    if (n.is(op::number)) return number(n.value, long_type);
    if (is_state(n)) return symbol(n.symbol, n.name, long_type);
    if (n.args.empty() || n.is(op::read) || n.is(op::inner_fold)) return cast(t, long_type);
    if (n.is(op::cast)) return narrowed(t);
    if (wraps_ && is_ring(n)) return cast(modular(t), long_type);
    std::vector<term> args;
    for (const term a : n.args) args.push_back(of(a));
    return n.is(op::call) ? call(n.name, std::move(args), long_type) : make(n.kind, std::move(args), long_type);
  }
  //! Casts that keep every value vanish; others are made first.
  term narrowed(term t) {
    const term a = t->args[0];
    const type from = a->type;
    const bool keeps = from.kind != sort::integer || (from.is_signed ? from.bits <= t->type.bits : from.bits < t->type.bits);
    const term inner = of(a);
    return keeps ? cast(inner, long_type) : cast(cast(inner, t->type), long_type);
  }
  //! The same value modulo 2^64, without conversions between the operations of one sum.
  term modular(term t) {
    const node& n = *t;
    if (!is_ring(n)) return cast(of(t), wide_unsigned);
    if (const auto it = modular_.find(t); it != modular_.end()) return it->second;
    std::vector<term> args;
    for (const term a : n.args) args.push_back(modular(a));
    return modular_[t] = make(n.kind, std::move(args), wide_unsigned);
  }
  term other(term t) {
    if (t->args.empty() || t->is(op::read) || t->is(op::inner_fold)) return t;
    std::vector<term> args;
    for (const term a : t->args) args.push_back(of(a));
    return t->is(op::cast) ? cast(args[0], t->type) : rebuild(t, std::move(args));
  }

  bool wraps_;
  std::map<term, term> done_, modular_;
};

}  // namespace

type state_type(type t) { return is_signed_integer(t) ? long_type : t; }

term widened(term t, bool wraps) { return widener(wraps).of(t); }

bool can_leave_64_bits(term t) {
  return contains(t, [](const node& n) {
    if (!is_signed_integer(n.type) || !is_ring(n)) return false;
    return n.type.bits == 64 || (n.is(op::mul) && !n.args[0]->is(op::number) && !n.args[1]->is(op::number));
  });
}

}  // namespace twofold::analyser
