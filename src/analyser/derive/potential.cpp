// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sums in disguise: coordinates φ(s) whose increment under the step depends on the element alone. Candidates are monomials in
//! the variables times exponentials that occur in the step; their coefficients solve a linear system over exact samples, with
//! e^k taken as 2^k (sound for finding, since only e^(a+b) = e^a·e^b is used; the checker proves what is found).
#include <algorithm>

#include "derive/linear.hpp"
#include "derive/sampling.hpp"
#include "derive/transport.hpp"
#include "ir/evaluate.hpp"

namespace twofold::analyser::deriving {
namespace {

constexpr std::size_t max_columns = 160;

term atom_of(const candidate::variable& v) { return v.type.kind == sort::real ? v.symbol : cast(v.symbol, double_type); }

//! A variable that is updated by max or min has no place in a sum beside exponentials, only in exponents.
bool is_extremum(const candidate::variable& v) { return v.merge && (v.merge->is(op::max) || v.merge->is(op::min)); }

class search {
 public:
  search(const part& p) : p_(p) {
    for (const auto* v : p.variables) own_.push_back(carried(*v));
    const auto needed = [&](const candidate::variable& w) {
      return std::any_of(own_.begin(), own_.end(), [&](const auto& v) { return has_symbol(v.step, w.symbol); });
    };
    for (const auto& w : p.upstream)
      if (w.type.kind != sort::boolean && needed(w)) upstream_.push_back(w);
    for (const auto& v : own_) steps_[v.symbol] = v.step;
    for (const auto& w : upstream_) steps_[w.symbol] = w.step;
    find_exponentials();
  }

  //! Coordinates that mention one of the part's own variables, simplest first.
  std::vector<coordinate> run() {
    choose_basis();
    if (basis_.empty() || basis_.size() > max_columns) return {};
    if (!sample()) return {};
    std::vector<coordinate> found;
    for (const auto& v : rows_->null_space())
      if (auto c = coordinate_of(v)) found.push_back(*c);
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.phi.size() < b.phi.size(); });
    return found;
  }

 private:
  bool is_own(const node& n) const {
    return std::any_of(own_.begin(), own_.end(), [&](const auto& v) { return &n == &*v.symbol; });
  }

  //! e^u for every u = c·(state variable) that occurs in an exponent of the steps, also inside a max or min there.
  void find_exponentials() {
    std::set<term> arguments;
    for (const auto& [s, step] : steps_)
      (void)contains(step, [&](const node& n) {
        if (n.is(op::call) && (n.name == "exp" || n.name == "exp2")) arguments.insert(term(&n));
        return false;
      });
    for (term e : arguments)
      for (const auto& [m, c] : expanded(e->args[0]))
        for (const auto& [atom, k] : m) {
          if (!has_state(atom) || k != 1) continue;
          monomial others = m;
          others.erase(atom);
          for (term s : symbols(atom)) {
            if (!s->is_symbol(symbol_kind::state) || s->type.kind != sort::real || !steps_.contains(s)) continue;
            monomial whole = others;
            whole[s] = 1;
            const term exponent = to_term(whole, s->type);
            if (mentions(others, [](const node& n) { return n.is_symbol(symbol_kind::state) || n.is_symbol(symbol_kind::element); }))
              continue;
            for (const mpq_class& power : {mpq_class(::abs(c)), mpq_class(1)})
              for (int sign : {1, -1}) exponentials_.insert({{call(e->name, {exponent}, e->type), power * sign}});
            in_exponents_.insert(s);
          }
        }
  }

  void choose_basis() {
    std::vector<monomial> atoms;
    for (const auto* list : {&upstream_, &own_})
      for (const auto& v : *list)
        if (!(is_extremum(v) && !exponentials_.empty()) && !(v.init && has_infinity(v.init))) atoms.push_back({{atom_of(v), 1}});
    std::vector<monomial> products{{}};
    std::set<monomial> seen;
    const auto extend = [&](int degree, bool squares) {
      std::vector<monomial> r{{}}, last{{}};
      for (int d = 0; d < degree; ++d) {
        std::vector<monomial> next;
        for (const auto& m : last)
          for (const auto& a : atoms) {
            if (!squares && m.contains(a.begin()->first)) continue;
            const monomial n = times(m, a);
            if (std::find(r.begin(), r.end(), n) == r.end() && std::find(next.begin(), next.end(), n) == next.end()) next.push_back(n);
          }
        r.insert(r.end(), next.begin(), next.end());
        last = next;
      }
      return r;
    };
    if (exponentials_.empty()) {
      products = extend(3, true);
      for (const auto& a : atoms)
        for (const auto& b : atoms)
          for (int k = 3; k <= 4; ++k)
            if (a != b) products.push_back(times(a, b, k));
    } else {
      products = extend(atoms.size() > 4 ? 2 : 3, false);
    }
    for (const auto& m : products) {
      if (!m.empty() && (exponentials_.empty() || m.size() < 3)) basis_.push_back(m);
      for (const auto& e : exponentials_) basis_.push_back(times(m, e));
    }
  }

  //! Exact values of every atom before and after the step; rows are differences of increments at two states with the same element.
  bool sample() {
    std::vector<term> atoms, roots;
    for (const auto& m : basis_)
      for (const auto& [atom, k] : m)
        if (std::find(atoms.begin(), atoms.end(), atom) == atoms.end()) atoms.push_back(atom);
    for (term a : atoms) roots.push_back(a);
    for (term a : atoms) {
      const term after = substitute(a, steps_);
      roots.push_back(to_term(expanded(after), after->type));
    }
    exact_program program(roots, true);
    rows_.emplace(basis_.size());
    std::size_t quiet = 0, groups = 0;
    while (groups < 400 && quiet < 12) {
      ++groups;
      const std::size_t before = rows_->rank();
      const mpq_class scale = groups % 2 ? 1 : 2;
      for (term s : program.inputs())
        if (!s->is_symbol(symbol_kind::state)) program.set(s, {exact::kind::finite, draw(s) * scale});
      std::optional<std::vector<residue>> first;
      for (int k = 0; k < 6; ++k) {
        for (term s : program.inputs())
          if (s->is_symbol(symbol_kind::state)) program.set(s, {exact::kind::finite, draw(s)});
        program.run();
        const auto row = increments(program, atoms);
        if (!row) continue;
        if (!first) {
          first = row;
          continue;
        }
        std::vector<residue> difference(basis_.size());
        for (std::size_t j = 0; j < basis_.size(); ++j) difference[j] = add_mod((*row)[j], prime - (*first)[j]);
        rows_->add(std::move(difference));
      }
      quiet = rows_->rank() == before ? quiet + 1 : 0;
      if (groups == 40 && rows_->rank() == 0) return false;
    }
    return rows_->rank() > 0;
  }

  mpq_class draw(term s) {
    const auto uniform = [&](int lo, int hi) {
      return mpq_class(static_cast<int>(lo + static_cast<int>(random_() % static_cast<unsigned>(hi - lo + 1))));
    };
    if (s->type.kind == sort::boolean) return uniform(0, 1);
    if (s->is_symbol(symbol_kind::state)) {
      if (in_exponents_.contains(s)) return uniform(-6, 6);
      const mpq_class size = s->type.kind == sort::integer ? uniform(1, 12) : mpq_class(uniform(1, 40) / uniform(1, 2));
      return random_() % 3 == 0 && !s->type.is_modular() ? mpq_class(-size) : size;
    }
    if (s->type.is_modular()) return uniform(0, 9);
    const mpq_class v = uniform(-9, 9);
    return s->is_symbol(symbol_kind::parameter) && v == 0 ? mpq_class(3) : v;
  }

  std::optional<std::vector<residue>> increments(const exact_program& program, const std::vector<term>& atoms) const {
    std::map<term, std::pair<residue, residue>> value;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      const exact *a = program.value(i), *b = program.value(atoms.size() + i);
      if (!a || !b || a->kind != exact::kind::finite || b->kind != exact::kind::finite) return std::nullopt;
      const auto x = to_mod(a->value), y = to_mod(b->value);
      if (!x || !y) return std::nullopt;
      value[atoms[i]] = {*x, *y};
    }
    std::vector<residue> row;
    for (const auto& m : basis_) {
      residue before = 1, after = 1;
      for (const auto& [atom, k] : m) {
        auto [x, y] = value[atom];
        if (k.get_den() != 1 || (sgn(k) < 0 && (x == 0 || y == 0))) return std::nullopt;
        if (sgn(k) < 0) {
          x = inverse_mod(x);
          y = inverse_mod(y);
        }
        for (long i = std::abs(k.get_num().get_si()); i > 0; --i) {
          before = mul_mod(before, x);
          after = mul_mod(after, y);
        }
      }
      row.push_back(add_mod(after, before ? prime - before : 0));
    }
    return row;
  }

  std::optional<coordinate> coordinate_of(const std::vector<residue>& v) const {
    coordinate c;
    bool own = false;
    for (std::size_t j = 0; j < basis_.size(); ++j) {
      if (v[j] == 0) continue;
      const auto r = to_rational(v[j]);
      if (!r) return std::nullopt;
      c.phi = plus(std::move(c.phi), single(basis_[j], *r));
      own |= mentions(basis_[j], [&](const node& n) { return is_own(n); });
    }
    return own ? std::optional(c) : std::nullopt;
  }

  const part& p_;
  std::vector<candidate::variable> own_, upstream_;
  substitution steps_;
  std::set<monomial> exponentials_;
  std::set<term> in_exponents_;
  std::vector<monomial> basis_;
  std::optional<row_space> rows_;
  std::minstd_rand random_{20};
};

//! φ(lift x) − φ(s0), where every infinity folds away.
term gain_of(const coordinate& c, const part& p) {
  substitution lift, start;
  for (const auto& v : p.loop.state) {
    lift[v.symbol] = lift_of(v, p.loop);
    start[v.symbol] = v.init;
  }
  const type t = double_type;
  const term all = to_term(c.phi, t);
  const term at = substitute(all, lift);
  if (has_infinity(at)) return {};
  polynomial before;
  for (const auto& [m, k] : c.phi) {
    const bool zero =
        std::any_of(m.begin(), m.end(), [&](const auto& f) { return sgn(f.second) > 0 && is_number(substitute(f.first, start), 0); });
    if (!zero) before = plus(std::move(before), placed(single(m, k), start));
  }
  const term s0 = to_term(before, t);
  if (has_infinity(s0)) return {};
  return to_term(expanded(sub(at, s0)), t);
}

std::string name_of(const polynomial& phi) { return to_text(to_term(phi, double_type)); }

//! v > 0 where its coordinate only gains positive amounts: needed where the merge divides by v.
bool only_gains(const coordinate& c) {
  if (!c.lift) return false;
  const polynomial gain = expanded(c.lift);
  return !gain.empty() && std::all_of(gain.begin(), gain.end(), [](const auto& f) {
    return sgn(f.second) > 0 && std::all_of(f.first.begin(), f.first.end(), [](const auto& a) { return is_exponential(a.first); });
  });
}

}  // namespace

std::optional<part_result> potential(const part& p, std::vector<std::string>& tried) {
  const auto numeric = [](const auto* v) { return v->type.kind == sort::real; };
  if (!std::all_of(p.variables.begin(), p.variables.end(), numeric)) return std::nullopt;
  const std::vector<coordinate> found = search(p).run();
  part_result r;
  r.mechanism = "sum in disguise";
  std::vector<candidate::variable> known = p.upstream;
  std::vector<const state_variable*> open = p.variables;
  while (!open.empty()) {
    const std::size_t before = open.size();
    for (auto it = open.begin(); it != open.end(); ++it) {
      candidate::variable v = carried(**it);
      const auto settled = [&](const node& n) {
        return n.is_symbol(symbol_kind::state) && &n != &*v.symbol &&
               std::none_of(known.begin(), known.end(), [&](const auto& w) { return &n == &*w.symbol; });
      };
      bool done = false;
      for (coordinate c : found) {
        const bool here = std::any_of(c.phi.begin(), c.phi.end(),
                                      [&](const auto& f) { return mentions(f.first, [&](const node& n) { return &n == &*v.symbol; }); });
        const bool foreign = std::any_of(c.phi.begin(), c.phi.end(), [&](const auto& f) { return mentions(f.first, settled); });
        if (!here || foreign) continue;
        c.lift = gain_of(c, p);
        const auto s = solve(c, v, known);
        if (!s || has_infinity(s->merge)) continue;
        const auto better = s->sum.empty() ? std::nullopt : shifted(*s, v, known);
        v.merge = better ? *better : s->merge;
        if (only_gains(c) && c.phi.size() == 1 && linear_in(c.phi, v.symbol)) r.invariant.push_back(less(number(0, v.type), v.symbol));
        r.coordinates.push_back({name_of(c.phi), "+", to_term(c.phi, double_type), c.lift});
        done = true;
        break;
      }
      if (!done) continue;
      known.push_back(v);
      word_runner runner(known);
      if (runner.differs()) {
        tried.push_back("what looked like a sum in " + v.name + " is none in rare cases");
        return std::nullopt;
      }
      r.variables.push_back(v);
      open.erase(it);
      break;
    }
    if (open.size() == before) {
      tried.push_back("no combination of products of " + open.front()->name +
                      " with exponentials and the variables it reads is a plain sum");
      return std::nullopt;
    }
  }
  return r;
}

}  // namespace twofold::analyser::deriving
