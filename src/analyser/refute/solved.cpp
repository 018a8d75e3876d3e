// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Peeling terms, and letters that make two short words meet.
#include "refute/solved.hpp"

#include <algorithm>
#include <set>

namespace twofold::analyser {
namespace {

bool reads(term t, term x) {
  return contains(t, [&](const node& n) { return &n == &*x; });
}

mpz_class modulus_of(type t) { return mpz_class(1) << t.bits; }

mpq_class reduced(const mpq_class& v, type t) {
  if (!t.is_modular() || v.get_den() != 1) return v;
  mpz_class r;
  mpz_fdiv_r_2exp(r.get_mpz_t(), v.get_num().get_mpz_t(), t.bits);
  return r;
}

//! Both square roots of a rational, if they are rational.
std::vector<mpq_class> roots(const mpq_class& v) {
  if (v < 0 || !mpz_perfect_square_p(v.get_num().get_mpz_t()) || !mpz_perfect_square_p(v.get_den().get_mpz_t())) return {};
  const mpq_class r(sqrt(v.get_num()), sqrt(v.get_den()));
  return v == 0 ? std::vector<mpq_class>{0} : std::vector<mpq_class>{r, -r};
}

class peeler {
 public:
  peeler(term x, const exact_environment& env) : x_(x), env_(env) {}

  std::vector<exact> run(term t, const mpq_class& target) {
    peel(t, target);
    return std::move(found_);
  }

 private:
  std::optional<mpq_class> value(term t) const {
    const auto v = evaluate(t, env_);
    return v && v->kind == exact::kind::finite ? std::optional(v->value) : std::nullopt;
  }

  void peel(term t, const mpq_class& target) {
    constexpr std::size_t most = 8;
    if (found_.size() >= most) return;
    if (t == x_) {
      found_.push_back(exact_of(target));
      return;
    }
    if (t->is(op::select)) {
      for (const std::size_t branch : {1, 2})
        if (reads(t->args[branch], x_)) peel(t->args[branch], target);
      return;
    }
    if (t->args.size() == 1) return unary(t, target);
    if (t->args.size() != 2) return;
    const bool first = reads(t->args[0], x_), second = reads(t->args[1], x_);
    if (first && second) return twice(t, target);
    if (!first && !second) return;
    const auto other = value(t->args[first ? 1 : 0]);
    if (other) binary(t, t->args[first ? 0 : 1], *other, first, target);
  }

  void unary(term t, const mpq_class& target) {
    const term inner = t->args[0];
    if (t->is(op::neg)) peel(inner, reduced(-target, t->type));
    if (t->is(op::cast)) peel(inner, reduced(target, inner->type));
    if (t->is(op::bit_not) && t->type.is_modular()) peel(inner, reduced(-target - 1, t->type));
    if (t->is(op::abs))
      for (const mpq_class& v : {target, mpq_class(-target)}) peel(inner, v);
  }

  void binary(term t, term inner, const mpq_class& other, bool first, const mpq_class& target) {
    const bool modular = t->type.is_modular();
    if (t->is(op::add)) peel(inner, reduced(target - other, t->type));
    if (t->is(op::min) || t->is(op::max)) peel(inner, target);
    if (t->is(op::mul) && !modular && other != 0) peel(inner, target / other);
    if (t->is(op::div) && first) peel(inner, target * other);
    if (t->is(op::div) && !first && target != 0) peel(inner, other / target);
    if (!modular || target.get_den() != 1 || other.get_den() != 1) return;
    const mpz_class m = modulus_of(t->type);
    if (t->is(op::bit_xor)) peel(inner, mpq_class(target.get_num() ^ other.get_num()));
    mpz_class inverse;
    if (t->is(op::mul) && mpz_invert(inverse.get_mpz_t(), other.get_num().get_mpz_t(), m.get_mpz_t()) != 0)
      peel(inner, reduced(target * inverse, t->type));
  }

  //! What x is read in twice: squares, sums and products with numbers, rotations and xorshifts.
  void twice(term t, const mpq_class& target) {
    if (t->is(op::mul) && t->args[0] == t->args[1] && !t->type.is_modular()) {
      for (const mpq_class& r : roots(target)) peel(t->args[0], r);
      return;
    }
    const bool joins = t->is(op::bit_or) || t->is(op::bit_xor) || t->is(op::add);
    if (!t->type.is_modular() || !joins || target.get_den() != 1) return;
    const auto a = shifted(t->args[0]), b = shifted(t->args[1]);
    if (!a || !b || !(a->what == b->what)) return;
    const long w = t->type.bits;
    const mpz_class bits = target.get_num();
    if (a->left + b->right == w && a->right == 0 && b->left == 0) return peel(a->what, rotated(bits, w - a->left, w));
    if (b->left + a->right == w && b->right == 0 && a->left == 0) return peel(a->what, rotated(bits, w - b->left, w));
    const bool plain_first = a->left + a->right == 0, plain_second = b->left + b->right == 0;
    if (!t->is(op::bit_xor) || plain_first == plain_second) return;
    const shift by = plain_first ? *b : *a;
    mpz_class v = bits;  // fixed after as many rounds as the shift has room for
    for (long k = 0; k < w; k += by.left + by.right) v = bits ^ moved(v, by, w);
    peel(by.what, mpq_class(v));
  }

  struct shift {
    term what;
    long left = 0, right = 0;
  };
  static std::optional<shift> shifted(term t) {
    if (!t->is(op::shift_left) && !t->is(op::shift_right) && !(t->is(op::mul) && t->args[1]->is(op::number))) {
      if (t->is(op::quotient) && t->args[1]->is(op::number)) return power(t, false);
      return shift{t};
    }
    if (t->is(op::mul)) return power(t, true);
    if (!t->args[1]->is(op::number) || t->args[1]->value < 1 || t->args[1]->value >= t->type.bits) return std::nullopt;
    const long by = t->args[1]->value.get_num().get_si();
    return t->is(op::shift_left) ? shift{t->args[0], by, 0} : shift{t->args[0], 0, by};
  }
  //! A product with, or a quotient by, a power of two.
  static std::optional<shift> power(term t, bool left) {
    const mpz_class n = t->args[1]->value.get_num();
    if (n < 2 || mpz_popcount(n.get_mpz_t()) != 1) return shift{t};
    const long by = static_cast<long>(mpz_scan1(n.get_mpz_t(), 0));
    return left ? shift{t->args[0], by, 0} : shift{t->args[0], 0, by};
  }
  static mpz_class moved(const mpz_class& v, const shift& by, long w) {
    mpz_class r = (v << by.left) >> by.right, kept;
    mpz_fdiv_r_2exp(kept.get_mpz_t(), r.get_mpz_t(), static_cast<mp_bitcnt_t>(w));
    return kept;
  }
  static mpq_class rotated(const mpz_class& v, long left, long w) {
    const mpz_class high = moved(v, {{}, left, 0}, w), low = v >> (w - left);
    return mpq_class(high + low);
  }

  const term x_;
  const exact_environment& env_;
  std::vector<exact> found_;
};

using letter = std::vector<std::vector<exact>>;

class letter_solver {
 public:
  letter_solver(const spec& s, const setting& fixed, const alphabet& letters) : p_(s.passes[0]), fixed_(fixed), letters_(letters) {
    for (const state_variable& v : p_.state) start_[v.symbol] = evaluate(v.init, fixed.scalars).value_or(exact{exact::kind::nan, {}});
    for (std::size_t k = 0; k < letters.tapes.size(); ++k)
      for (const element& e : p_.elements)
        if (e.array == letters.tapes[k].array) entries_.push_back(e.symbol);
    std::vector<term> steps;
    for (const state_variable& v : p_.state) steps.push_back(v.step);
    step_ = exact_program(steps);
  }

  std::vector<letter> run(std::size_t most) {
    constexpr std::size_t tried = 12;
    const std::size_t n = std::min(tried, letters_.letters.size());
    std::vector<std::optional<exact_environment>> after;
    for (std::size_t k = 0; k < n; ++k) after.push_back(step(start_, letters_.letters[k]));
    std::vector<std::pair<std::size_t, letter>> found;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) {
        if (!after[a] || !after[b] || *after[b] == start_) continue;
        for (const letter& c : meeting(*after[b], *after[a], letters_.letters[b])) {
          const auto same = [&](const auto& x) { return x.second == c; };
          if (std::find(letters_.letters.begin(), letters_.letters.end(), c) != letters_.letters.end()) continue;
          if (std::none_of(found.begin(), found.end(), same)) found.emplace_back(length_of(c), c);
        }
      }
    std::stable_sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<letter> r;
    for (const auto& [length, c] : found)
      if (r.size() < most) r.push_back(c);
    return r;
  }

 private:
  std::optional<exact_environment> step(const exact_environment& from, const letter& c) {
    for (const auto& [symbol, v] : fixed_.scalars) step_.set(symbol, v);
    for (const auto& [symbol, v] : from) step_.set(symbol, v);
    for (std::size_t k = 0; k < entries_.size(); ++k) step_.set(entries_[k], c[k][0]);
    step_.run();
    exact_environment to;
    for (std::size_t i = 0; i < p_.state.size(); ++i) {
      const exact* v = step_.value(i);
      if (!v || v->kind != exact::kind::finite) return std::nullopt;
      to[p_.state[i].symbol] = *v;
    }
    return to;
  }

  //! Each variable solved for by an entry of its own; the other entries stay as they are.
  std::vector<letter> meeting(const exact_environment& from, const exact_environment& to, const letter& base) {
    std::vector<letter> r;
    std::vector<bool> solved(p_.state.size()), taken(entries_.size());
    solve(from, to, base, solved, taken, r);
    return r;
  }
  void solve(const exact_environment& from, const exact_environment& to, const letter& c, std::vector<bool>& solved,
             std::vector<bool>& taken, std::vector<letter>& out) {
    constexpr std::size_t enough = 4;
    if (out.size() >= enough) return;
    if (const auto there = step(from, c); there && *there == to) {
      out.push_back(c);
      return;
    }
    for (std::size_t i = 0; i < p_.state.size(); ++i) {
      if (solved[i]) continue;
      solved[i] = true;
      for (std::size_t k = 0; k < entries_.size(); ++k) {
        if (taken[k] || !reads(p_.state[i].step, entries_[k])) continue;
        taken[k] = true;
        exact_environment env = from;
        env.insert(fixed_.scalars.begin(), fixed_.scalars.end());
        for (std::size_t j = 0; j < entries_.size(); ++j)
          if (j != k) env[entries_[j]] = c[j][0];
        for (const exact& v : solutions(p_.state[i].step, to.at(p_.state[i].symbol), entries_[k], env)) {
          if (!fits(v.value, letters_.tapes[k].element)) continue;
          letter next = c;
          next[k][0] = v;
          solve(from, to, next, solved, taken, out);
        }
        taken[k] = false;
      }
      solved[i] = false;
    }
  }

  static bool fits(const mpq_class& v, type t) {
    if (t.kind == sort::real) return mpz_sizeinbase(v.get_num().get_mpz_t(), 2) < 50 && mpz_sizeinbase(v.get_den().get_mpz_t(), 2) < 50;
    if (t.kind != sort::integer || v.get_den() != 1) return false;
    const mpz_class high = mpz_class(1) << (t.is_signed ? t.bits - 1 : t.bits);
    return v < high && v >= (t.is_signed ? mpz_class(-high) : mpz_class(0));
  }
  //! Binary fractions are what a compiled loop can be given; others come last.
  static std::size_t length_of(const letter& c) {
    std::size_t r = 0;
    for (const auto& tape : c)
      for (const exact& e : tape) {
        const mpz_class& d = e.value.get_den();
        r += mpz_sizeinbase(e.value.get_num().get_mpz_t(), 2) + mpz_sizeinbase(d.get_mpz_t(), 2) +
             (mpz_popcount(d.get_mpz_t()) == 1 ? 0 : 100);
      }
    return r;
  }

  const pass& p_;
  const setting& fixed_;
  const alphabet& letters_;
  exact_environment start_;
  std::vector<term> entries_;  // by tape
  exact_program step_{{}};
};

}  // namespace

std::vector<exact> solutions(term t, const exact& target, term x, const exact_environment& env) {
  return target.kind == exact::kind::finite ? peeler(x, env).run(t, target.value) : std::vector<exact>{};
}

std::vector<letter> meeting_letters(const spec& s, const setting& fixed, const alphabet& letters, std::size_t most) {
  constexpr std::size_t most_variables = 3;
  if (s.passes.size() != 1 || s.passes[0].state.empty() || s.passes[0].state.size() > most_variables) return {};
  const pass& p = s.passes[0];
  const bool plain = letters.tapes.size() == p.elements.size() && letters.tapes.size() <= 3 &&
                     std::all_of(letters.tapes.begin(), letters.tapes.end(), [](const tape& t) { return t.width == 0; }) &&
                     std::none_of(p.state.begin(), p.state.end(), [](const state_variable& v) { return static_cast<bool>(v.extent); });
  return plain ? letter_solver(s, fixed, letters).run(most) : std::vector<letter>{};
}

}  // namespace twofold::analyser
