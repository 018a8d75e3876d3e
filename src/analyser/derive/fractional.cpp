// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Steps that are a fraction of two linear functions of the state: v ↦ (p·v + q)/(r·v + s). A piece acts as the product of its 2×2
//! matrices, and nothing is divided before the end: v = N/D in homogeneous coordinates. (Continued fractions, pivots of tridiagonal
//! matrices, impedance ladders, scalar filters of Kalman.)
#include <algorithm>
#include <array>

#include "derive/part.hpp"
#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {
namespace {

//! (p·v + q)/(r·v + s), entries free of v.
using mobius = std::array<term, 4>;

class fraction_reader {
 public:
  explicit fraction_reader(term v) : v_(v) {}

  std::optional<mobius> operator()(term t) const {
    const term zero = number(0, t->type), one = number(1, t->type);
    if (!has_symbol(t, v_)) return mobius{zero, t, zero, one};
    if (t == v_) return mobius{one, zero, zero, one};
    switch (t->kind) {
      case op::cast:
        return t->type.kind == sort::real && t->args[0]->type.kind == sort::real ? (*this)(t->args[0]) : std::nullopt;
      case op::neg: {
        auto a = (*this)(t->args[0]);
        if (a) *a = {neg((*a)[0]), neg((*a)[1]), (*a)[2], (*a)[3]};
        return a;
      }
      case op::select:
        return chosen(t);
      case op::add:
      case op::mul:
      case op::div: {
        const auto a = (*this)(t->args[0]), b = (*this)(t->args[1]);
        if (!a || !b) return std::nullopt;
        return t->is(op::add)   ? fraction_sum(*a, *b)
               : t->is(op::mul) ? fraction_product(*a, *b)
                                : fraction_product(*a, {(*b)[2], (*b)[3], (*b)[0], (*b)[1]});
      }
      default:
        return std::nullopt;
    }
  }

 private:
  static bool whole(const mobius& m) { return is_number(m[2], 0); }
  static bool fixed(const mobius& m) { return is_number(m[0], 0) && is_number(m[2], 0); }

  static std::optional<mobius> fraction_sum(const mobius& a, const mobius& b) {
    if (fixed(a) && !fixed(b)) return fraction_sum(b, a);
    if (fixed(b))  // n/d + c
      return mobius{add(mul(a[0], b[3]), mul(a[2], b[1])), add(mul(a[1], b[3]), mul(a[3], b[1])), mul(a[2], b[3]), mul(a[3], b[3])};
    if (whole(a) && whole(b))
      return mobius{add(mul(a[0], b[3]), mul(b[0], a[3])), add(mul(a[1], b[3]), mul(b[1], a[3])), a[2], mul(a[3], b[3])};
    if (a[2] == b[2] && a[3] == b[3]) return mobius{add(a[0], b[0]), add(a[1], b[1]), a[2], a[3]};
    return std::nullopt;
  }
  static std::optional<mobius> fraction_product(const mobius& a, const mobius& b) {
    const auto scaled = [](const mobius& m, term n, term d) { return mobius{mul(m[0], n), mul(m[1], n), mul(m[2], d), mul(m[3], d)}; };
    if (fixed(a)) return scaled(b, a[1], a[3]);
    if (fixed(b)) return scaled(a, b[1], b[3]);
    // (p·v + q)/s · s'/(r'·v + t'): one numerator and one denominator
    const bool over = whole(a) && is_number(b[0], 0), under = whole(b) && is_number(a[0], 0);
    if (over) return mobius{mul(a[0], b[1]), mul(a[1], b[1]), mul(a[3], b[2]), mul(a[3], b[3])};
    if (under) return fraction_product(b, a);
    if (a[0] == b[2] && a[1] == b[3]) return mobius{b[0], b[1], a[2], a[3]};  // n/d · m/n
    return std::nullopt;
  }
  std::optional<mobius> chosen(term t) const {
    if (has_symbol(t->args[0], v_)) return std::nullopt;
    const auto a = (*this)(t->args[1]), b = (*this)(t->args[2]);
    if (!a || !b) return std::nullopt;
    mobius r;
    for (std::size_t i = 0; i < 4; ++i) r[i] = select(t->args[0], (*a)[i], (*b)[i]);
    return r;
  }

  term v_;
};

mobius after_fraction(const mobius& a, const mobius& b) {
  return {add(mul(a[0], b[0]), mul(a[1], b[2])), add(mul(a[0], b[1]), mul(a[1], b[3])), add(mul(a[2], b[0]), mul(a[3], b[2])),
          add(mul(a[2], b[1]), mul(a[3], b[3]))};
}

//! A flag that every step sets: after the first element it says nothing.
bool set_by_every_step(const candidate::variable& v) {
  return v.type.kind == sort::boolean && is_number(v.step, 1) && v.init && is_number(v.init, 0);
}

}  // namespace

std::optional<part_result> fractional(const part& p, std::vector<std::string>& tried) {
  if (p.variables.size() != 1 || p.variables[0]->extent || p.variables[0]->type.kind != sort::real) return std::nullopt;
  const state_variable& v = *p.variables[0];
  const bool read_elsewhere = std::any_of(p.loop.state.begin(), p.loop.state.end(),
                                          [&](const state_variable& w) { return &w != &v && has_symbol(w.step, v.symbol); });
  if (read_elsewhere) return std::nullopt;
  substitution later, first;
  part_result r;
  for (const auto& u : p.upstream)
    if (has_symbol(v.step, u.symbol) && set_by_every_step(u)) {
      later[u.symbol] = boolean(true);
      first[u.symbol] = boolean(false);
      r.invariant.push_back(u.symbol);
    }
  const auto step = fraction_reader(v.symbol)(substitute(v.step, later)), start = fraction_reader(v.symbol)(substitute(v.step, first));
  const bool begins_anew = start && is_number((*start)[0], 0) && is_number((*start)[2], 0);  // whatever the initial value
  const bool from_infinity = v.init->is(op::infinity) || v.init->is(op::minus_infinity);     // one point, in homogeneous coordinates
  if (has_infinity(v.init) && !begins_anew && !from_infinity) return std::nullopt;
  const auto free = [](const std::optional<mobius>& m) { return m && std::none_of(m->begin(), m->end(), has_state); };
  if (!free(step) || !free(start)) {
    tried.push_back("the step of " + v.name + " is no quotient of two linear functions of it");
    return std::nullopt;
  }
  const auto add_variable = [&](const std::string& stem, term lift, const char* why) {
    r.variables.push_back(added_variable(stem, p, r.variables, v.type, why));
    r.variables.back().lift = lift;
  };
  // numerator and denominator of the piece's own result, then the fraction by which it acts on what comes in
  const term from = begins_anew || from_infinity ? number(0, v.type) : v.init;
  const mobius own = after_fraction(*start, {from, number(0, v.type), number(1, v.type), number(0, v.type)});
  // where the first step is like any other, the piece's own result is the fraction at the initial value
  // (the first pivot a of d ↦ a − 1/d is the fraction at infinity)
  const bool at_infinity = from_infinity || (begins_anew && same_on_samples(mul((*step)[0], (*start)[3]), mul((*step)[2], (*start)[1])));
  const bool alike = at_infinity || *start == *step;
  const std::size_t results = alike ? 0 : 2;
  if (!alike) {
    add_variable(v.name + "_over", own[0], "the value is carried as a quotient that is taken at the end only");
    add_variable(v.name + "_under", own[2], "the value is carried as a quotient that is taken at the end only");
  }
  const char* entries[] = {"p", "q", "r", "s"};
  for (std::size_t i = 0; i < 4; ++i)
    add_variable(std::string("m_") + entries[i], (*step)[i],
                 "the merge must know the fraction by which the right piece acts on what comes in");
  const auto acts = [&](symbol_kind side) {
    mobius m;
    for (std::size_t i = 0; i < 4; ++i) m[i] = symbol(side, r.variables[results + i].name, v.type);
    return m;
  };
  const auto result_of = [&](symbol_kind side) {
    const term zero = number(0, v.type);
    if (alike) return mobius{zero, zero, zero, zero};
    return mobius{symbol(side, r.variables[0].name, v.type), zero, symbol(side, r.variables[1].name, v.type), zero};
  };
  const auto put = [&](const mobius& value, const mobius& action, term candidate::variable::*to) {
    if (!alike) {
      r.variables[0].*to = value[0];
      r.variables[1].*to = value[2];
    }
    for (std::size_t i = 0; i < 4; ++i) r.variables[results + i].*to = action[i];
  };
  put(after_fraction(*step, result_of(symbol_kind::state)), after_fraction(*step, acts(symbol_kind::state)), &candidate::variable::step);
  put(after_fraction(acts(symbol_kind::right), result_of(symbol_kind::left)),
      after_fraction(acts(symbol_kind::right), acts(symbol_kind::left)), &candidate::variable::merge);
  term over = r.variables[0].symbol, under = r.variables[1].symbol;
  if (alike) {
    const mobius m = acts(symbol_kind::state);
    over = at_infinity ? m[0] : add(mul(m[0], from), m[1]);
    under = at_infinity ? m[2] : add(mul(m[2], from), m[3]);
  }
  r.decode.emplace_back(v.symbol, div(over, under));
  r.along.push_back(logical_not(equal(under, number(0, v.type))));
  r.mechanism = "linear fractions";
  return r;
}

}  // namespace twofold::analyser::deriving
