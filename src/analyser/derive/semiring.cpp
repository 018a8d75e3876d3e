// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reading a step as a row over a semiring.
#include "derive/semiring.hpp"

#include <algorithm>
#include <map>

#include "derive/polynomial.hpp"

namespace twofold::analyser::deriving {
namespace {

bool always(const entry& e) { return is_number(e.present, 1); }
bool never(const entry& e) { return is_number(e.present, 0); }

//! c with p = c·q, for polynomials p and q.
std::optional<mpq_class> multiple(const polynomial& p, const polynomial& q) {
  if (p.empty() || p.size() != q.size()) return std::nullopt;
  const mpq_class c = p.begin()->second / q.begin()->second;
  for (auto i = p.begin(), j = q.begin(); i != p.end(); ++i, ++j)
    if (i->first != j->first || i->second != j->second * c) return std::nullopt;
  return c;
}

//! max or min in place of a choice between two values by a comparison of their difference.
term as_extremum(term t) {
  const term c = t->args[0], yes = t->args[1], no = t->args[2];
  const bool comparison = c->is(op::less) || c->is(op::less_equal);
  const bool ordered = t->type.kind == sort::real || (t->type.kind == sort::integer && t->type.is_signed);
  if (!comparison || !ordered) return t;
  for (term a : {c->args[0], c->args[1], yes, no})
    if (contains(a, [](const node& n) { return n.is(op::infinity) || n.is(op::minus_infinity) || n.is(op::nan); })) return t;
  if (c->args[0]->type.is_modular() || c->args[1]->type.is_modular()) return t;
  const polynomial condition = plus(expanded(c->args[1]), expanded(c->args[0]), -1);
  const polynomial difference = plus(expanded(yes), expanded(no), -1);
  const auto factor = multiple(difference, condition);
  if (!factor) return t;
  return sgn(*factor) > 0 ? max(no, yes) : min(no, yes);
}

class row_reader {
 public:
  row_reader(semiring s, const std::vector<term>& variables, const std::vector<bool>& flipped)
      : s_(s), variables_(variables), flipped_(flipped) {}

  //! The row of t, or of −t.
  std::optional<row> operator()(term t, bool negated) {
    if (!speaks(t)) return constant_row(negated ? neg(t) : t);
    if (const auto at = std::find(variables_.begin(), variables_.end(), t); at != variables_.end())
      return variable(static_cast<std::size_t>(at - variables_.begin()), negated);
    const bool plain = s_ == semiring::plus_times;
    switch (t->kind) {
      case op::select:
        return choice(t, negated);
      case op::cast:
        return converted(t, negated);
      case op::neg:
        return (*this)(t->args[0], !negated);
      case op::add:
        return plain ? both(t, negated) : shifted(t, negated);
      case op::max:
      case op::min: {
        const bool joins = !plain && (t->is(op::max) != negated) == (s_ == semiring::max_plus);
        return joins ? both(t, negated) : std::nullopt;
      }
      case op::mul:
        if (!plain) return std::nullopt;
        if (!speaks(t->args[0])) return times((*this)(t->args[1], negated), t->args[0]);
        return speaks(t->args[1]) ? std::nullopt : times((*this)(t->args[0], negated), t->args[1]);
      case op::shift_left:  // by a number: a product, exact in ℤ and modulo 2^w
        if (!plain || !t->args[1]->is(op::number) || t->args[1]->value < 0 || t->args[1]->value >= t->type.bits) return std::nullopt;
        return times((*this)(t->args[0], negated), number(mpq_class(mpz_class(1) << t->args[1]->value.get_num().get_ui()), t->type));
      case op::div:
        if (!plain || speaks(t->args[1])) return std::nullopt;
        return times((*this)(t->args[0], negated), div(number(1, t->type), t->args[1]));
      default:
        return std::nullopt;
    }
  }

 private:
  bool speaks(term t) const {
    return contains(t, [&](const node& n) {
      return n.is(op::symbol) && std::find(variables_.begin(), variables_.end(), term(&n)) != variables_.end();
    });
  }
  row zeros(type t) const { return row(variables_.size() + 1, absent(t)); }

  std::optional<row> variable(std::size_t j, bool negated) {
    const bool flipped = j < flipped_.size() && flipped_[j];
    const type t = variables_[j]->type;
    row r = zeros(t);
    if (s_ == semiring::plus_times) r[j] = {boolean(true), number(negated ? -1 : 1, t)};
    else if (negated != flipped) return std::nullopt;
    else r[j] = one(s_, t);
    return r;
  }

  std::optional<row> constant_row(term t) {
    row r = zeros(t->type);
    r.back() = free_entry(t);
    return r;
  }
  //! A free term, with its absent cases (the semiring's zero chosen by a condition) taken apart.
  entry free_entry(term t) {
    const bool zero = s_ == semiring::plus_times ? is_number(t, 0) : t->is(s_ == semiring::max_plus ? op::minus_infinity : op::infinity);
    if (zero) return absent(t->type);
    if (t->is(op::select)) return chosen(t->args[0], free_entry(t->args[1]), free_entry(t->args[2]));
    return {boolean(true), t};
  }
  std::optional<row> choice(term t, bool negated) {
    if (speaks(t->args[0])) return std::nullopt;
    auto a = (*this)(t->args[1], negated), b = (*this)(t->args[2], negated);
    if (!a || !b) return std::nullopt;
    for (std::size_t j = 0; j < a->size(); ++j) (*a)[j] = chosen(t->args[0], (*a)[j], (*b)[j]);
    return a;
  }
  std::optional<row> both(term t, bool negated) {
    auto a = (*this)(t->args[0], negated), b = (*this)(t->args[1], negated);
    if (!a || !b) return std::nullopt;
    for (std::size_t j = 0; j < a->size(); ++j) (*a)[j] = joined(s_, (*a)[j], (*b)[j]);
    return a;
  }
  std::optional<row> shifted(term t, bool negated) {
    const bool left = speaks(t->args[0]);
    const term by = t->args[left ? 1 : 0];
    if (left && speaks(by)) return std::nullopt;
    return times((*this)(t->args[left ? 0 : 1], negated), negated ? neg(by) : by);
  }
  std::optional<row> times(std::optional<row> r, term factor) {
    if (!r) return r;
    const entry f = free_entry(factor);
    for (entry& e : *r) e = scaled(s_, e, f);
    return r;
  }
  std::optional<row> converted(term t, bool negated) {
    const type from = t->args[0]->type, to = t->type;
    const bool exact =
        !to.is_modular() && !from.is_modular() && from.kind != sort::boolean && (to.kind == sort::real || from.kind == sort::integer);
    if (!exact) return std::nullopt;
    auto r = (*this)(t->args[0], negated);
    if (!r) return r;
    for (entry& e : *r) e.value = cast(e.value, to);
    return r;
  }

  semiring s_;
  const std::vector<term>& variables_;
  const std::vector<bool>& flipped_;
};

}  // namespace

const char* name_of(semiring s) { return s == semiring::plus_times ? "(+, ×)" : s == semiring::max_plus ? "(max, +)" : "(min, +)"; }
entry absent(type t) { return {boolean(false), number(0, t)}; }
entry one(semiring s, type t) { return {boolean(true), number(s == semiring::plus_times ? 1 : 0, t)}; }

entry joined(semiring s, const entry& a, const entry& b) {
  if (never(a)) return b;
  if (never(b)) return a;
  const auto sum = [&](term x, term y) { return s == semiring::plus_times ? add(x, y) : s == semiring::max_plus ? max(x, y) : min(x, y); };
  const term present = logical_or(a.present, b.present);
  if (always(a) && always(b)) return {present, sum(a.value, b.value)};
  return {present, select(a.present, select(b.present, sum(a.value, b.value), a.value), b.value)};
}
entry scaled(semiring s, const entry& a, const entry& b) {
  if (never(a)) return a;
  if (never(b)) return b;
  return {logical_and(a.present, b.present), s == semiring::plus_times ? mul(a.value, b.value) : add(a.value, b.value)};
}
entry chosen(term c, const entry& a, const entry& b) {
  const term present = select(c, a.present, b.present);
  if (never(a)) return {present, b.value};
  if (never(b)) return {present, a.value};
  return {present, select(c, a.value, b.value)};
}

namespace {
//! Each shared subterm once: eight nested choices of a cyclic code are 6561 as a tree.
term tidied(term t, std::map<term, term>& done) {
  if (t->args.empty()) return t;
  if (const auto it = done.find(t); it != done.end()) return it->second;
  std::vector<term> args;
  for (term a : t->args) args.push_back(tidied(a, done));
  const term r = rebuild(t, std::move(args));
  return done[t] = r->is(op::select) ? as_extremum(r) : r;
}
}  // namespace

term tidied(term t) {
  std::map<term, term> done;
  return tidied(t, done);
}

entry settled(semiring s, const entry& e) {
  if (s != semiring::plus_times || always(e)) return e;
  return {boolean(true), select(e.present, e.value, number(0, e.value->type))};
}

std::optional<row> linear_row(semiring s, term t, const std::vector<term>& variables, const std::vector<bool>& flipped, bool negated) {
  auto r = row_reader(s, variables, flipped)(t, negated);
  if (r) r->back() = settled(s, r->back());
  return r;
}

}  // namespace twofold::analyser::deriving
