// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Recognises the twist by shifts (count, mean, squares about the mean) and counts what its formulas round.
#include "bound/centred.hpp"

#include <algorithm>

#include "prove/normal.hpp"

namespace twofold::analyser::bounding {
namespace {

//! A product of differences and of factors that are never rounded.
struct chain {
  int differences = 0;  // right mean − left mean; in steps element − mean
  int residuals = 0;    // element − the mean after the step
  double roundings = 0;
};

//! The symbols of one variable on both sides: of a merge, or of a step, whose right side is the element.
struct sides {
  term left, right;
};

class centred_reader {
 public:
  centred_reader(factors& f, const merged_variable& count, const merged_variable& mean) : f_(f), count_(count), mean_(mean) {}

  //! count is the number of elements and mean their mean, by the exact normal form.
  bool means() {
    if (!mean_.lift || !mean_.step || !count_.step || !count_.lift || !f_.exact(mean_.lift)) return false;
    if (mean_.init && !is_number(mean_.init, 0)) return false;
    x_ = mean_.lift;
    const term n = real(state(count_)), after = real(count_.step), m = real(state(mean_));
    return same(after, add(n, number(1))) && same(real(count_.lift), number(1)) &&
           same(mul(after, real(mean_.step)), add(mul(n, m), real(x_)));
  }
  //! squares is Σ(x − mean)².
  bool squares(const merged_variable& v) {
    if (!v.lift || !v.step || (v.init && !is_number(v.init, 0))) return false;
    const term n = real(state(count_)), after = real(count_.step), m = real(state(mean_)), next = real(mean_.step);
    const term before = add(real(state(v)), mul(n, mul(m, m)));
    return same(real(v.lift), number(0)) && same(add(real(v.step), mul(after, mul(next, next))), add(before, mul(real(x_), real(x_))));
  }

  //! Of the mean: `step` and `merge` round the mean itself, `difference` what moves it. In units of the reader's u.
  bool read_mean(variable_bound& b) {
    const sides merge{left(mean_), right(mean_)}, step{state(mean_), x_};
    const auto m = moved(mean_.merge, merge), s = moved(mean_.step, step);
    if (!m || !s) return false;
    b.mean_merge = m->first, b.mean_step = s->first;
    b.difference = std::max(m->second, s->second);
    return true;
  }
  bool read_squares(variable_bound& b, const merged_variable& v) {
    const auto m = added(v.merge, {left(v), right(v)}, {left(mean_), right(mean_)}), s = added(v.step, {state(v), {}}, {state(mean_), x_});
    if (!m || !s || m->second.residuals > 0) return false;
    b.merge = m->first, b.step = s->first;
    // A residual is the difference times (n − 1)/n, with what the new mean lost: the difference's roundings, at most once more.
    b.lift = std::max(m->second.roundings, s->second.roundings + (s->second.residuals > 0 ? b.difference : 0));
    b.walk = s->second.residuals > 0 ? b.mean_step : 0;
    return true;
  }

 private:
  static term state(const merged_variable& v) { return symbol(symbol_kind::state, v.name, v.type); }
  static term left(const merged_variable& v) { return symbol(symbol_kind::left, v.name, v.type); }
  static term right(const merged_variable& v) { return symbol(symbol_kind::right, v.name, v.type); }
  static term real(term t) { return t->type.kind == sort::real ? retype(t, double_type) : cast(t, double_type); }
  bool same(term a, term b) {
    try {
      return normal_.equal(a, b);
    } catch (const std::runtime_error&) {  // no normal form
      return false;
    }
  }
  static bool is_difference(term t, term a, term b) {
    if (!t->is(op::add)) return false;
    const auto minus = [](term u, term v) { return u->is(op::neg) && u->args[0] == v; };
    return (t->args[0] == a && minus(t->args[1], b)) || (t->args[1] == a && minus(t->args[0], b));
  }

  std::optional<chain> chain_of(term t, const sides& of) const {
    const node& n = *t;
    if (is_difference(t, of.left, of.right) || is_difference(t, of.right, of.left)) return chain{1, 0, f_.cost(n.type)};
    if (of.right == x_ && (is_difference(t, x_, mean_.step) || is_difference(t, mean_.step, x_))) return chain{0, 1, f_.cost(n.type)};
    if (const auto free = f_.factor_of(t); free && free->product.empty() && free->argument == 0 && !reads_elements(t))
      return chain{0, 0, free->roundings};
    if (n.is(op::neg)) return chain_of(n.args[0], of);
    if (n.is(op::cast) && n.type.kind == sort::real && n.args[0]->type.kind == sort::real) {
      auto inside = chain_of(n.args[0], of);
      if (inside && !wider(n.args[0]->type, n.type)) inside->roundings += f_.cost(n.type);
      return inside;
    }
    if (!n.is(op::mul) && !n.is(op::div)) return std::nullopt;
    const auto a = chain_of(n.args[0], of), b = chain_of(n.args[1], of);
    if (!a || !b || (n.is(op::div) && b->differences + b->residuals > 0)) return std::nullopt;
    return chain{a->differences + b->differences, a->residuals + b->residuals, a->roundings + b->roundings + f_.cost(n.type)};
  }
  static bool reads_elements(term t) {
    return contains(t, [](const node& n) { return n.is_symbol(symbol_kind::element) || n.is(op::read); });
  }

  //! left + (one difference)·factors: roundings of the sum, and of what is added.
  std::optional<std::pair<double, double>> moved(term t, const sides& of) const {
    if (t->is(op::cast) && t->type.kind == sort::real && t->args[0]->type.kind == sort::real) {
      auto inside = moved(t->args[0], of);
      if (inside && !wider(t->args[0]->type, t->type)) inside->first += f_.cost(t->type);
      return inside;
    }
    if (!t->is(op::add)) return std::nullopt;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      if (stripped(t->args[k]) != of.left) continue;
      const auto c = chain_of(t->args[1 - k], of);
      if (!c || c->differences != 1 || c->residuals != 0) return std::nullopt;
      return std::pair{f_.cost(t->type), c->roundings};
    }
    return std::nullopt;
  }
  //! Without conversions that keep every value.
  static term stripped(term t) {
    while (t->is(op::cast) && wider(t->args[0]->type, t->type)) t = t->args[0];
    return t;
  }

  //! left + right + (a square of the difference)·factors, in any order: additions on the longest path, and the square.
  std::optional<std::pair<double, chain>> added(term t, const sides& sums, const sides& means) const {
    double path = 0;
    int found = 0;
    std::optional<chain> square;
    const auto visit = [&](const auto& self, term u, double above) -> bool {
      if (stripped(u) == sums.left || (sums.right && stripped(u) == sums.right)) {
        path = std::max(path, above), ++found;
        return true;
      }
      if (const auto c = chain_of(u, means); c && c->differences + c->residuals == 2 && c->residuals < 2 && !square) {
        path = std::max(path, above), square = c;
        return true;
      }
      if (u->is(op::cast) && u->type.kind == sort::real && u->args[0]->type.kind == sort::real)
        return self(self, u->args[0], above + (wider(u->args[0]->type, u->type) ? 0 : f_.cost(u->type)));
      if (!u->is(op::add)) return false;
      const double next = above + f_.cost(u->type);
      return self(self, u->args[0], next) && self(self, u->args[1], next);
    };
    if (!visit(visit, t, 0) || !square || found != (sums.right ? 2 : 1)) return std::nullopt;
    return std::pair{path, *square};
  }

  factors& f_;
  const merged_variable &count_, &mean_;
  term x_;
  normaliser normal_{deadline_in(1)};
};

}  // namespace

void find_centred(factors& f, std::vector<variable_bound>& all) {
  const decision& d = f.given();
  if (!d.proof || !d.proof->proved) return;  // the factors of a merge are the right ones because the merge is
  const auto open = [&](std::size_t k) { return all[k].kind == induction_kind::other && d.state[k].type.kind == sort::real; };
  for (const merged_variable& count : d.state) {
    if (!f.is_exact(count.name)) continue;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!open(k)) continue;
      centred_reader r(f, count, d.state[k]);
      f.in_units_of(all[k].u);
      if (!r.means() || !r.read_mean(all[k])) continue;
      all[k].kind = induction_kind::mean;
      all[k].scale = "rms of the elements";
      all[k].why = "the mean, moved by a part of the difference of means: errors of pieces are averaged";
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (!open(j) || !r.squares(d.state[j])) continue;
        f.in_units_of(all[j].u);
        if (!r.read_mean(all[j]) || !r.read_squares(all[j], d.state[j])) continue;
        all[j].kind = induction_kind::spread;
        all[j].positive = true;
        all[j].scale = all[j].name;
        all[j].why =
            "squares about the mean: rounded means are exact means of elements that are a little off, which costs the condition "
            "number kappa of the data";
      }
      return;
    }
  }
}

}  // namespace twofold::analyser::bounding
