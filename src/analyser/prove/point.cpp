// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exact points: substitution and folding do the evaluation, so no second semantics is trusted here.
#include "prove/point.hpp"

#include <set>
#include <unordered_map>

#include "prove/brief.hpp"

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

}  // namespace

std::string difference::text() const {
  std::string r;
  for (const auto& [s, v] : point) r += (r.empty() ? "" : ", ") + brief(s) + " = " + v.get_str();
  return r + ": left = " + brief(left) + ", right = " + brief(right);
}

std::optional<difference> differ_at(const model& point, term left, term right, const std::vector<term>& hypotheses) {
  substitution s;
  for (const auto& [symbol, v] : point) s.emplace(symbol, number(v, symbol->type));
  for (term h : hypotheses)
    if (const auto v = value_of(unrolled(substitute(h, s))); !v || !v->is_constant() || v->constant() == 0) return std::nullopt;
  const term l = unrolled(substitute(left, s)), r = unrolled(substitute(right, s));
  const auto x = value_of(l), y = value_of(r);
  if (!x || !y) return std::nullopt;
  if (left->type.is_modular() ? *x == *y : (*x - *y).is_zero()) return std::nullopt;
  return difference{point, to_term(*x, left->type), to_term(*y, right->type)};
}

std::optional<difference> differ_somewhere(term left, term right, const std::vector<term>& hypotheses, unsigned count,
                                           time_point deadline) {
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
  lcg random{0x9e3779b97f4a7c15ULL};
  for (unsigned round = 0; round < count && std::chrono::steady_clock::now() < deadline; ++round) {
    model point;
    for (term s : free) point.emplace(s, counts.contains(s) ? mpq_class(1) : sample(s->type, round, random));
    substitution s;
    for (const auto& [symbol, v] : point) s.emplace(symbol, number(v, symbol->type));
    std::set<term> entries;
    for (term t : roots) reads_of(unrolled(substitute(t, s)), entries);
    if (!entries.empty()) {  // arrays have been read at known places by now: name each entry
      std::vector<term> closed;
      substitution values;
      for (term e : entries) values.emplace(e, number(sample(e->type, round, random), e->type));
      for (term t : roots) closed.push_back(substitute(unrolled(substitute(t, s)), values));
      if (auto d = differ_at({}, closed[0], closed[1], {closed.begin() + 2, closed.end()})) {
        d->point = point;
        for (const auto& [e, v] : values) d->point.emplace(e, v->value);
        return d;
      }
      continue;
    }
    if (auto d = differ_at(point, left, right, hypotheses)) return d;
  }
  return std::nullopt;
}

}  // namespace twofold::analyser
