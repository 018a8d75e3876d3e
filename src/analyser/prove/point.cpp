// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exact points: substitution and folding do the evaluation, so no second semantics is trusted here.
#include "prove/point.hpp"

#include <set>
#include <unordered_map>

#include "ir/decision.hpp"
#include "prove/brief.hpp"
#include "prove/domain.hpp"

namespace twofold::analyser {
namespace {

//! Inner folds with a small known count, written out.
term unrolled(term t, std::unordered_map<std::uint32_t, term>& done) {
  if (t->args.empty()) return t;
  if (const auto it = done.find(t->id); it != done.end()) return it->second;
  std::vector<term> args;
  for (term a : t->args) args.push_back(unrolled(a, done));
  term r;
  if (t->is(op::inner_fold) && args[0]->is(op::number) && args[0]->value >= 0 && args[0]->value <= 4) {
    r = args[1];
    for (long j = 0; j < args[0]->value; ++j)
      r = substitute(args[2], {{symbol(symbol_kind::accumulator, t->name, t->type), r},
                               {symbol(symbol_kind::inner_index, t->name, long_type), number(j, long_type)}});
    r = unrolled(r, done);
  } else {
    r = rebuild(t, std::move(args));
  }
  done.emplace(t->id, r);
  return r;
}
term unrolled(term t) {
  std::unordered_map<std::uint32_t, term> done;
  return unrolled(t, done);
}

//! Entries of arrays at known positions are free variables: each distinct read node is one.
void reads_of(term t, std::set<term>& found) {
  (void)contains(t, [&](const node& n) {
    if (n.is(op::read)) found.insert(term(&n));
    return false;
  });
}

//! A value that a proof of difference may rest on: a rational function of one power of e.
std::optional<rational> value_of(term t) {
  if (contains(t, is_special)) return std::nullopt;
  const auto r = normalise(t, 0.05);
  if (!r) return std::nullopt;
  term generator;
  for (const polynomial* p : {&r->num(), &r->den()})
    for (const auto& [m, c] : p->terms())
      for (const factor& f : m) {
        if (!is_generator(f.atom) || !is_number(f.atom->args[0], 1)) return std::nullopt;
        generator = f.atom;
      }
  return r;
}

struct lcg {
  std::uint64_t state;
  std::uint64_t next() { return state = state * 6364136223846793005ULL + 1442695040888963407ULL, state >> 33; }
};

mpq_class sample(type t, unsigned round, lcg& random) {
  if (t.kind == sort::boolean) return mpq_class(static_cast<long>(random.next() % 2));
  static const int small[] = {1, 0, 2, -1, 3, -2, 5, -3};
  const long v = small[random.next() % (round < 16 ? 4 : 8)];
  if (t.is_modular()) {
    const mpz_class top = mpz_class(1) << t.bits;
    if (round > 8 && random.next() % 4 == 0) return mpq_class(top - 1 - static_cast<long>(random.next() % 3));
    if (round > 8 && random.next() % 4 == 0) return mpq_class(mpz_class(top / 2 - static_cast<long>(random.next() % 2)));
    return mpq_class(std::abs(v));
  }
  mpq_class r(v);
  if (t.kind == sort::real && round > 24 && random.next() % 4 == 0) r /= 2;
  return r;
}

//! Whether every operation of a closed term has a value; unknown where that is not seen by evaluation.
ternary defined(term t) {
  ternary r = ternary::proved;
  for (const domain_condition& d : domain_conditions(t)) {
    const auto v = value_of(d.condition);
    const bool known = d.guards.empty() && v && v->is_constant();  // a guard that is true has been folded away
    if (known && v->constant() == 0) return ternary::refuted;
    if (!known) r = ternary::unknown;
  }
  return r;
}

bool takes_a_logarithm(term t) {
  return contains(t, [](const node& n) { return n.is(op::call) && n.name == "log"; });
}

}  // namespace

std::string difference::text() const {
  std::string r;
  for (const auto& [s, v] : point) r += (r.empty() ? "" : ", ") + brief(s) + " = " + brief(v);
  return left ? r + ": left = " + brief(left) + ", right = " + brief(right) : r + ": a side has no value";
}

std::optional<difference> differ_at(const substitution& point, term left, term right, const std::vector<term>& hypotheses,
                                    without_value undefined) {
  for (term h : hypotheses)
    if (const auto v = value_of(unrolled(substitute(h, point))); !v || !v->is_constant() || v->constant() == 0) return std::nullopt;
  const term l = unrolled(substitute(left, point)), r = unrolled(substitute(right, point));
  difference found{{point.begin(), point.end()}, {}, {}};
  const auto x = value_of(l), y = value_of(r);
  if (x && y) {
    if (left->type.is_modular() ? *x == *y : (*x - *y).is_zero()) return std::nullopt;
    found.left = to_term(*x, left->type), found.right = to_term(*y, right->type);
    return found;
  }
  if (undefined == without_value::differs)
    for (term t : {l, r})
      if (defined(t) == ternary::refuted) return found;
  if (left->type.kind != sort::real) return std::nullopt;
  const auto d = value_of(sub(l, r));  // what is irrational may be in both alike
  if (!d || d->is_zero() || defined(l) != ternary::proved || defined(r) != ternary::proved) return std::nullopt;
  found.left = l, found.right = r;
  return found;
}

std::optional<difference> differ_somewhere(term left, term right, const std::vector<term>& hypotheses, unsigned count, time_point deadline,
                                           without_value undefined) {
  std::set<term> free;
  const auto gather = [&](term t) {
    for (term s : symbols(t))
      if (!s->is_symbol(symbol_kind::array) && !s->is_symbol(symbol_kind::accumulator) && !s->is_symbol(symbol_kind::inner_index))
        free.insert(s);
  };
  gather(left), gather(right);
  for (term h : hypotheses) gather(h);
  // a row of one entry makes inner folds over it finite
  std::vector<term> roots{left, right};
  roots.insert(roots.end(), hypotheses.begin(), hypotheses.end());
  std::set<term> counts;
  for (term t : roots)
    (void)contains(t, [&](const node& n) {
      if (n.is(op::inner_fold))
        for (term s : symbols(n.args[0])) counts.insert(s);
      return false;
    });
  const bool logarithms = takes_a_logarithm(left) || takes_a_logarithm(right);
  lcg random{0x9e3779b97f4a7c15ULL};
  for (unsigned round = 0; round < count && std::chrono::steady_clock::now() < deadline; ++round) {
    substitution point;
    for (term s : free) {
      const term v = number(counts.contains(s) ? mpq_class(1) : sample(s->type, round, random), s->type);
      const bool power = logarithms && s->type.kind == sort::real && random.next() % 2 == 0;
      point.emplace(s, power ? call("exp", {v}, s->type) : v);
    }
    std::set<term> entries;
    for (term t : roots) reads_of(unrolled(substitute(t, point)), entries);
    if (!entries.empty()) {  // arrays have been read at known places by now: name each entry
      std::vector<term> closed;
      substitution values;
      for (term e : entries) values.emplace(e, number(sample(e->type, round, random), e->type));
      for (term t : roots) closed.push_back(substitute(unrolled(substitute(t, point)), values));
      if (auto d = differ_at({}, closed[0], closed[1], {closed.begin() + 2, closed.end()}, undefined)) {
        d->point = {point.begin(), point.end()};
        d->point.insert(values.begin(), values.end());
        return d;
      }
      continue;
    }
    if (auto d = differ_at(point, left, right, hypotheses, undefined)) return d;
  }
  return std::nullopt;
}

}  // namespace twofold::analyser
