// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Affine recurrences modulo a number: s ↦ (A·s + c) mod m (checksums, rolling hashes, digits of a residue). A piece acts by the
//! product of its matrices; its constant is the piece's own result less what the initial values contribute, so only the entries of the
//! matrix that are not the same for every piece are added.
#include <algorithm>

#include "derive/condition.hpp"
#include "derive/part.hpp"
#include "derive/semiring.hpp"

namespace twofold::analyser::deriving {
namespace {

constexpr std::size_t most_variables = 3;
using square_matrix = std::vector<std::vector<term>>;

//! The modulus that t is a remainder by.
std::optional<mpz_class> modulus_of(term t) {
  while (t->is(op::cast)) t = t->args[0];
  if (!t->is(op::remainder) || !t->args[1]->is(op::number) || t->args[1]->value < 2) return std::nullopt;
  return t->args[1]->value.get_num();
}

class residues {
 public:
  residues(mpz_class m, type t) : m_(number(mpq_class(m), t)), type_(t) {}

  //! States are residues already.
  [[nodiscard]] term of(term t) const {
    const bool residue = t->is(op::symbol) && !t->is_symbol(symbol_kind::element) && !t->is_symbol(symbol_kind::parameter) &&
                         !t->is_symbol(symbol_kind::index);
    return residue ? t : make(op::remainder, {t, m_}, type_);
  }
  [[nodiscard]] term sum(term a, term b) const { return is_number(a, 0) ? b : is_number(b, 0) ? a : of(add(a, b)); }
  [[nodiscard]] term product(term a, term b) const {
    if (is_number(a, 0) || is_number(b, 0)) return number(0, type_);
    return is_number(a, 1) ? b : is_number(b, 1) ? a : of(mul(a, b));
  }
  [[nodiscard]] term minus(term a, term b) const { return is_number(b, 0) ? a : of(add(a, sub(m_, b))); }
  [[nodiscard]] square_matrix product(const square_matrix& a, const square_matrix& b) const {
    square_matrix r = a;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < a.size(); ++j) {
        r[i][j] = number(0, type_);
        for (std::size_t k = 0; k < a.size(); ++k) r[i][j] = sum(r[i][j], product(a[i][k], b[k][j]));
      }
    return r;
  }

 private:
  term m_;
  type type_;
};

//! Remainders by m within sums and products say nothing where the whole is one.
term without_remainders(term t, const mpz_class& m) {
  if (t->args.empty()) return t;
  if (t->is(op::remainder) && t->args[1]->is(op::number) && t->args[1]->value == m) return without_remainders(t->args[0], m);
  if (!t->is(op::add) && !t->is(op::mul) && !t->is(op::select) && !t->is(op::shift_left) && !t->is(op::cast)) return t;
  std::vector<term> args;
  for (std::size_t i = 0; i < t->args.size(); ++i)
    args.push_back(t->is(op::select) && i == 0 ? t->args[i] : without_remainders(t->args[i], m));
  return rebuild(t, std::move(args));
}

std::optional<square_matrix> residue_matrix(const std::vector<const state_variable*>& all, const mpz_class& m, const residues& mod) {
  std::vector<term> symbols;
  for (const auto* v : all) symbols.push_back(v->symbol);
  square_matrix a;
  for (const auto* v : all) {
    term step = v->step;
    const auto r = linear_row(semiring::plus_times, tidied(without_remainders(step, m)), symbols);
    if (!r) return std::nullopt;
    a.emplace_back();
    for (std::size_t j = 0; j < all.size(); ++j) {
      const entry& e = (*r)[j];
      if (!is_number(e.present, 0) && !is_number(e.present, 1)) return std::nullopt;
      const term value = is_number(e.present, 0) ? number(0, v->type) : e.value;
      if (has_state(value)) return std::nullopt;
      a.back().push_back(mod.of(value));
    }
  }
  return a;
}

}  // namespace

std::optional<part_result> modular(const part& p, std::vector<std::string>&) {
  const auto all = with_upstream(p);
  if (all.size() > most_variables) return std::nullopt;
  const type t = all[0]->type;
  std::optional<mpz_class> m;
  for (const auto* v : all) {
    const auto own = modulus_of(v->step);
    if (!own || (m && *own != *m) || v->type != t || !t.is_modular() || v->extent) return std::nullopt;
    m = own;
    if (!v->init->is(op::number) || v->init->value >= *m) return std::nullopt;
  }
  if (*m * *m >= (mpz_class(1) << t.bits)) return std::nullopt;  // a product of residues would wrap
  const residues mod(*m, t);
  const auto step = residue_matrix(all, *m, mod);
  if (!step) return std::nullopt;

  // entries that are the same number for every piece
  const std::size_t n = all.size();
  std::vector<std::vector<bool>> fixed(n, std::vector<bool>(n, true));
  const auto with_names = [&](const std::function<term(std::size_t, std::size_t)>& name) {
    square_matrix r = *step;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (!fixed[i][j]) r[i][j] = name(i, j);
    return r;
  };
  for (bool changed = true; changed;) {
    changed = false;
    const square_matrix next = mod.product(*step, with_names([&](std::size_t i, std::size_t j) {
      return symbol(symbol_kind::opaque, "entry " + std::to_string(i) + " " + std::to_string(j), t);
    }));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (fixed[i][j] && ((*step)[i][j] != next[i][j] || !(*step)[i][j]->is(op::number))) {
          fixed[i][j] = false;
          changed = true;
        }
  }

  part_result r;
  r.mechanism = "affine modulo a number";
  for (const auto* v : p.variables) {
    r.variables.push_back(carried(*v));
    r.invariant.push_back(less(v->symbol, number(mpq_class(*m), t)));
  }
  std::vector<candidate::variable> added;
  std::vector<std::vector<std::size_t>> at(n, std::vector<std::size_t>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (fixed[i][j]) continue;
      candidate::variable c =
          added_variable(i == j ? "factor" : all[i]->name + "_from_" + all[j]->name, p, added, t,
                         "the merge must know by which factor, modulo " + m->get_str() + ", the right piece passes on " + all[j]->name);
      c.init = number(i == j ? 1 : 0, t);
      c.lift = (*step)[i][j];
      at[i][j] = added.size();
      added.push_back(c);
      r.invariant.push_back(less(c.symbol, number(mpq_class(*m), t)));
    }
  const auto named = [&](symbol_kind side) {
    return with_names([&](std::size_t i, std::size_t j) { return symbol(side, added[at[i][j]].name, t); });
  };
  const square_matrix right = named(symbol_kind::right);
  const square_matrix merged = mod.product(right, named(symbol_kind::left)), pushed = mod.product(*step, named(symbol_kind::state));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (!fixed[i][j]) {
        added[at[i][j]].merge = merged[i][j];
        added[at[i][j]].step = pushed[i][j];
      }
  for (auto& v : r.variables) {
    const std::size_t i =
        static_cast<std::size_t>(std::find_if(all.begin(), all.end(), [&](const auto* u) { return u->symbol == v.symbol; }) - all.begin());
    v.merge = right_of(v.symbol);
    for (std::size_t j = 0; j < n; ++j)
      v.merge = mod.sum(v.merge, mod.product(right[i][j], mod.minus(left_of(all[j]->symbol), all[j]->init)));
  }
  r.variables.insert(r.variables.end(), added.begin(), added.end());
  return r;
}

}  // namespace twofold::analyser::deriving
