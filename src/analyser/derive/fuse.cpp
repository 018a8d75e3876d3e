// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One online loop from several passes. First the passes that need no earlier result, by the mechanisms for one pass; then every
//! later sum, separated. A piece is represented by the loop's own results on that piece, plus only those sums that these do not
//! determine: (m, l, o) and not (m, Σe^x, Σe^x v); (count, mean, M2) and not (count, Σx, Σx²).
#include <algorithm>
#include <deque>

#include "derive/sampling.hpp"
#include "derive/separation.hpp"

namespace twofold::analyser::deriving {
namespace {

//! An additive coordinate: φ over the online state, and what one element adds.
struct sum {
  polynomial phi, gain;
};

struct late_variable {
  const state_variable* source;
  term result;
  term gain;  // over elements and results
  separated parts;
};

//! a = ratio·b, the ratio being a number times what parameters alone make up: Σx = n·Σ(x/n).
std::optional<polynomial> ratio(const polynomial& a, const polynomial& b) {
  if (a.empty() || a.size() != b.size()) return std::nullopt;
  const auto fixed = [](const node& n) {
    return !n.is(op::symbol) || n.is_symbol(symbol_kind::parameter) || n.is_symbol(symbol_kind::length);
  };
  for (const auto& [m, c] : b) {
    const monomial by = times(a.begin()->first, m, -1);
    if (mentions(by, [&](const node& n) { return !fixed(n); })) continue;
    const polynomial r = single(by, mpq_class(a.begin()->second / c));
    if (times(b, r) == a) return r;
  }
  return std::nullopt;
}

term real(term t) { return t->type.kind == sort::real ? t : cast(t, double_type); }
term without_cast(term t) {
  while (t->is(op::cast)) t = t->args[0];
  return t;
}
//! A quotient 0/d, d ≠ 0, is 0: what the lift of a deviation leaves in a step.
term without_zeros(term t) {
  if (t->args.empty()) return t;
  std::vector<term> args;
  for (term a : t->args) args.push_back(without_zeros(a));
  if (t->is(op::div) && is_number(args[0], 0)) return args[0];
  return rebuild(t, std::move(args));
}

monomial exponential_part(const monomial& m) {
  monomial e;
  for (const auto& [atom, k] : m)
    if (is_exponential(atom)) e[atom] = k;
  return e;
}

//! x2, xy …: a name for a product of plain symbols.
std::string label(const polynomial& p, const std::string& otherwise) {
  std::string r;
  for (const auto& [atom, k] : p.begin()->first) {
    if (p.size() != 1 || !atom->is(op::symbol) || k.get_den() != 1 || sgn(k) < 0) return otherwise;
    r += atom->name + (k == 1 ? "" : k.get_str());
  }
  return r.empty() ? otherwise : r;
}

class fusion {
 public:
  fusion(const spec& s, bool raw, std::vector<std::string>& tried) : s_(s), tried_(tried), raw_(raw) {}

  std::optional<derivation> run() {
    if (!same_range()) return std::nullopt;
    collect();
    if (!early()) return std::nullopt;
    for (auto& v : late_)
      if (!split(v)) return std::nullopt;
    represent_means();
    for (const auto& v : late_)
      if (!represent(v)) return std::nullopt;
    return result();
  }

 private:
  bool same_range() {
    const pass* first = nullptr;
    for (const pass& p : s_.passes) {
      if (p.state.empty()) continue;
      if (first && (p.begin != first->begin || p.end != first->end || p.reverse != first->reverse)) {
        tried_.push_back("the passes do not walk the same range in the same direction");
        return false;
      }
      if (!first) {
        first = &p;
        loop_ = p;
        loop_.state.clear();
        loop_.elements.clear();
        loop_.outputs.clear();
      }
    }
    return first != nullptr;
  }

  //! Which variables outputs can see, across passes; those that need no result go into one loop.
  void collect() {
    std::vector<term> wanted;
    for (const auto& o : s_.outputs) wanted.push_back(o.value);
    for (const auto& p : s_.passes)
      for (const auto& o : p.outputs) wanted.push_back(o.value);
    std::size_t base = s_.results.size();
    std::vector<std::vector<std::pair<const state_variable*, term>>> needed(s_.passes.size());
    for (std::size_t k = s_.passes.size(); k-- > 0;) {
      const pass& p = s_.passes[k];
      base -= p.state.size();
      std::vector<bool> in(p.state.size());
      for (bool grown = true; grown;) {
        grown = false;
        for (std::size_t i = 0; i < p.state.size(); ++i) {
          const auto uses = [&](term t) { return has_symbol(t, p.state[i].symbol) || has_symbol(t, s_.results[base + i]); };
          if (in[i] || std::none_of(wanted.begin(), wanted.end(), uses)) continue;
          in[i] = grown = true;
          wanted.push_back(p.state[i].step);
          wanted.push_back(p.state[i].init);
        }
      }
      for (std::size_t i = 0; i < p.state.size(); ++i)
        if (in[i]) needed[k].emplace_back(&p.state[i], s_.results[base + i]);
    }
    for (std::size_t k = 0; k < s_.passes.size(); ++k) distribute(s_.passes[k], needed[k]);
  }

  void distribute(const pass& p, const std::vector<std::pair<const state_variable*, term>>& needed) {
    const auto is_result = [](const node& n) { return n.is_symbol(symbol_kind::result); };
    std::set<term> late;
    for (bool grown = true; grown;) {
      grown = false;
      for (const auto& [v, r] : needed) {
        if (late.contains(v->symbol)) continue;
        const bool depends = contains(v->step, is_result) || contains(v->init, is_result) ||
                             std::any_of(late.begin(), late.end(), [&](term l) { return has_symbol(v->step, l); });
        if (depends) {
          late.insert(v->symbol);
          grown = true;
        }
      }
    }
    substitution rename;
    for (const auto& [v, r] : needed) {
      if (late.contains(v->symbol)) continue;
      const term to = symbol(symbol_kind::state, unique(v->name), v->type);
      if (to != v->symbol) rename[v->symbol] = to;
    }
    for (const auto& [v, r] : needed) {
      if (late.contains(v->symbol)) {
        late_.push_back({v, r, {}, {}});
        continue;
      }
      state_variable copy = *v;
      copy.symbol = substitute(v->symbol, rename);
      copy.name = copy.symbol->name;
      copy.step = substitute(v->step, rename);
      loop_.state.push_back(copy);
      value_[r] = copy.symbol;
    }
    loop_.elements.insert(loop_.elements.end(), p.elements.begin(), p.elements.end());
    loop_.position_aware |= p.position_aware;
  }

  std::string unique(const std::string& stem) {
    std::string name = stem;
    for (int k = 2; !names_.insert(name).second; ++k) name = stem + "_" + std::to_string(k);
    return name;
  }

  bool early() {
    std::vector<term> all;
    for (const auto& v : loop_.state) all.push_back(v.symbol);
    auto r = all_parts(loop_, all, tried_);
    if (!r) return false;
    known_ = std::move(*r);
    const substitution decoded(known_.decode.begin(), known_.decode.end());
    for (auto& [result, value] : value_) value = substitute(value, decoded);
    for (const auto& c : known_.coordinates)
      if (c.monoid == "+" && c.lift && !c.phi->type.is_modular()) sums_.push_back({expanded(real(c.phi)), expanded(real(c.lift))});
    return true;
  }

  bool split(late_variable& v) {
    const state_variable& x = *v.source;
    v.gain = substitute(x.step, {{x.symbol, number(0, x.type)}});
    if (x.type.kind != sort::real || has_state(v.gain) || !same_on_samples(x.step, add(x.symbol, v.gain))) {
      tried_.push_back("a later pass updates " + x.name + " in another way than by adding to it");
      return false;
    }
    v.parts = separate(v.gain);
    if (!v.parts.mixed) return true;
    tried_.push_back("what the later pass adds to " + x.name + " does not separate: " + to_text(v.parts.mixed) +
                     " is no finite sum of products of a function of the element and a function of the earlier results");
    return false;
  }

  // --- the number of elements
  term length_symbol() const {
    const term end = loop_.end ? without_cast(loop_.end) : term();
    const bool from_zero = loop_.begin && is_number(loop_.begin, 0);
    return from_zero && end && end->is(op::symbol) ? end : term();
  }
  bool is_length(term atom) const {
    atom = without_cast(atom);
    return atom->is_symbol(symbol_kind::length) || (length_symbol() && atom == length_symbol());
  }
  const polynomial& count() {
    const polynomial one = constant(1);
    for (const auto& s : sums_)
      if (s.gain == one) return s.phi;
    const term n = symbol(symbol_kind::state, unique("count"), double_type);
    candidate::variable v;
    v.name = n->name;
    v.type = double_type;
    v.kind = role::added;
    v.symbol = n;
    v.init = number(0);
    v.step = add(n, number(1));
    v.merge = add(left_of(n), right_of(n));
    v.why = "the merge must know how many elements each piece has";
    known_.variables.push_back(v);
    known_.invariant.push_back(less_equal(number(1), n));
    return add_sum(expanded(n), one);
  }
  const polynomial& add_sum(const polynomial& phi, const polynomial& gain) {
    sums_.push_back({phi, gain});
    known_.coordinates.push_back({to_text(to_term(phi, double_type)), "+", to_term(phi, double_type), to_term(gain, double_type)});
    return sums_.back().phi;
  }

  // --- means
  //! A sum S that later passes read only as S/W: represented by its mean, so that nothing cancels.
  void represent_means() {
    if (raw_) return;
    std::vector<candidate::variable> replaced;
    for (std::size_t i = 0; i < known_.variables.size(); ++i) {
      const candidate::variable v = known_.variables[i];
      term result;
      for (const auto& [r, value] : value_)
        if (value == v.symbol) result = r;
      const auto weight = result && v.type.kind == sort::real ? weight_of(result) : std::nullopt;
      const auto own = std::find_if(sums_.begin(), sums_.end(), [&](const sum& s) { return s.phi == single({{v.symbol, 1}}); });
      const bool read = std::any_of(known_.variables.begin(), known_.variables.end(),
                                    [&](const auto& w) { return w.name != v.name && has_symbol(w.step, v.symbol); });
      if (!weight || own == sums_.end() || read || !is_number(v.init, 0)) continue;
      const polynomial gain = own->gain;
      const polynomial total = is_length(*weight) ? count() : expanded(substitute(*weight, value_));
      const auto scale = std::find_if(sums_.begin(), sums_.end(), [&](const sum& s) { return s.phi == total; });
      if (scale == sums_.end()) continue;
      const polynomial unit = scale->gain;
      const term mean = symbol(symbol_kind::state, unique(v.name == "sum" || v.name == "s" ? "mean" : "mean_" + v.name), v.type);
      candidate::variable m = v;
      m.name = mean->name;
      m.symbol = mean;
      const polynomial phi = times(total, single({{mean, 1}}));
      m.lift = to_term(times(gain, inverse(unit, v.type)), v.type);
      std::erase_if(known_.variables, [&](const auto& w) { return w.symbol == v.symbol; });
      const auto s = solve({phi, {}}, m, known_.variables);
      if (!s) {
        known_.variables.insert(known_.variables.begin() + static_cast<std::ptrdiff_t>(i), v);
        continue;
      }
      std::erase_if(known_.coordinates, [&](const auto& c) { return c.phi == v.symbol; });
      std::erase_if(sums_, [&](const sum& c) { return c.phi == single({{v.symbol, 1}}); });
      finish(m, *s);
      value_[result] = to_term(phi, v.type);
      if (gain.size() == 1 && gain.begin()->first.size() == 1 && gain.begin()->first.begin()->second == 1 && unit == constant(1))
        means_[gain.begin()->first.begin()->first] = div(result, *weight);
      add_sum(phi, gain);
      i = static_cast<std::size_t>(-1);
    }
  }

  //! W, if every later pass reads the result only in powers of result/W.
  std::optional<term> weight_of(term result) const {
    std::optional<term> weight;
    for (const auto& v : late_)
      for (const auto& t : v.parts.terms) {
        const auto it = t.b.find(result);
        if (it == t.b.end()) {
          if (mentions(t.b, [&](const node& n) { return &n == &*result; })) return std::nullopt;
          continue;
        }
        bool found = false;
        for (const auto& [atom, k] : t.b) {
          if (sgn(k) >= 0 || sgn(it->second) <= 0 || -k < it->second || (weight && *weight != atom)) continue;
          if (!is_length(atom) && !value_.contains(without_cast(atom))) continue;
          weight = atom;
          found = true;
          break;
        }
        if (!found) return std::nullopt;
      }
    return weight;
  }

  //! The merge, written with differences where possible; the online step is the merge with one element.
  void finish(candidate::variable v, const solved& s) {
    const auto better = shifted(s, v, known_.variables);
    v.merge = better ? *better : s.merge;
    known_.variables.push_back(v);
    substitution one;
    for (const auto& w : known_.variables) {
      one[left_of(w.symbol)] = w.symbol;
      one[right_of(w.symbol)] = lift_of(w, known_.variables);
    }
    known_.variables.back().step = without_zeros(substitute(v.merge, one));
  }

  // --- later sums
  polynomial over_state(const monomial& b, bool counted) {
    return map_atoms(single(b), [&](term atom) -> term {
      if (counted && is_length(atom)) return to_term(count(), double_type);
      return substitute(atom, value_);
    });
  }

  //! The factor that all b_k share and that only parameters make up: it can wait until the end.
  monomial shared_factor(const std::vector<separated_term>& terms) const {
    monomial common = terms.front().b;
    for (const auto& t : terms)
      for (auto it = common.begin(); it != common.end();) {
        const auto here = t.b.find(it->first);
        const bool parameter = !contains(it->first, [](const node& n) { return n.is_symbol(symbol_kind::result); });
        if (!parameter || here == t.b.end() || sgn(here->second) != sgn(it->second)) {
          it = common.erase(it);
          continue;
        }
        if (::abs(here->second) < ::abs(it->second)) it->second = here->second;
        ++it;
      }
    return common;
  }

  const sum* find_sum(const polynomial& gain) const {
    for (const auto& s : sums_)
      if (ratio(gain, s.gain)) return &s;
    return nullptr;
  }

  bool represent(const late_variable& v) {
    const type t = v.source->type;
    if (v.parts.terms.empty()) {
      value_[v.result] = substitute(v.source->init, value_);
      return true;
    }
    const monomial shared = shared_factor(v.parts.terms);
    const bool several = v.parts.terms.size() > 1;
    std::vector<polynomial> factors;
    for (const auto& p : v.parts.terms) factors.push_back(over_state(times(p.b, shared, -1), several));
    std::optional<std::size_t> own;
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const auto& gain = v.parts.terms[k].a;
      if (factors[k].size() != 1 || find_sum(gain) || gain == constant(1) || (raw_ && several)) continue;
      if (!own || factors[k].begin()->first.size() < factors[*own].begin()->first.size()) own = k;
    }
    for (std::size_t k = 0; k < factors.size(); ++k)
      if (k != own && !find_sum(v.parts.terms[k].a)) add_raw(v, k, factors[k]);
    polynomial rest;
    for (std::size_t k = 0; k < factors.size(); ++k) {
      if (k == own) continue;
      const sum* s = find_sum(v.parts.terms[k].a);
      if (!s) return false;
      rest = plus(std::move(rest), times(times(factors[k], s->phi), *ratio(v.parts.terms[k].a, s->gain)));
    }
    polynomial whole = rest;
    if (own) {
      const monomial& b = factors[*own].begin()->first;
      const monomial gauge = several ? b : exponential_part(b);
      const mpq_class scale = factors[*own].begin()->second;
      candidate::variable x = carried(*v.source);
      x.symbol = symbol(symbol_kind::state, unique(x.name), t);
      x.name = x.symbol->name;
      x.init = number(0, t);
      const polynomial phi =
          times(plus(single({{x.symbol, 1}}), rest, -1), single(times({}, gauge, -1), several ? mpq_class(1 / scale) : mpq_class(1)));
      if (!add_variable(x, phi, v.parts.terms[*own].a)) return false;
      whole = several ? single({{x.symbol, 1}}) : single(times(times(monomial{{x.symbol, 1}}, b), gauge, -1), scale);
    }
    const polynomial outside = over_state(shared, false);
    value_[v.result] = add(substitute(v.source->init, value_), to_term(times(whole, outside), t));
    return true;
  }

  //! A sum that no result determines: added, with the exponential factor that keeps it small.
  void add_raw(const late_variable& v, std::size_t k, const polynomial& factor) {
    const polynomial gain = plus({}, v.parts.terms[k].a, mpq_class(1 / v.parts.terms[k].a.rbegin()->second));
    if (gain == constant(1)) {
      (void)count();
      return;
    }
    if (!raw_ && add_central(gain, v.source->type)) return;
    candidate::variable x = carried(*v.source);
    x.kind = role::added;
    x.name = unique("sum_" + label(gain, x.name));
    x.symbol = symbol(symbol_kind::state, x.name, x.type);
    x.init = number(0, x.type);
    x.why = "the merge must know the sum of " + to_text(to_term(gain, x.type)) + " over each piece";
    const monomial gauge = factor.size() == 1 ? exponential_part(factor.begin()->first) : monomial{};
    (void)add_variable(x, times(single({{x.symbol, 1}}), single(times({}, gauge, -1))), gain);
  }

  //! Σx^k where the mean of x is carried: the central sum Σ(x − mean)^k says the same and does not cancel.
  bool add_central(const polynomial& gain, type t) {
    if (gain.size() != 1 || gain.begin()->first.size() != 1) return false;
    const auto& [x, k] = *gain.begin()->first.begin();
    const auto mean = means_.find(x);
    if (mean == means_.end() || k.get_den() != 1 || k > 4) return false;
    term power = number(1, t);
    for (mpz_class i = 0; i < k.get_num(); ++i) power = mul(power, sub(x, mean->second));
    added_.push_back({});
    state_variable& s = added_.back();
    s.name = "M" + k.get_str();
    s.type = t;
    s.symbol = symbol(symbol_kind::state, s.name, t);
    s.init = number(0, t);
    late_variable v{&s, symbol(symbol_kind::result, unique("central_" + s.name), t), power, separate(power)};
    if (v.parts.mixed || !represent(v)) return false;
    for (auto& known : known_.variables)
      if (known.kind == role::carried && known.symbol == value_[v.result]) {
        known.kind = role::added;
        known.why = "the merge must know " + to_text(power) + " summed over each piece";
      }
    value_.erase(v.result);
    return true;
  }

  bool add_variable(candidate::variable x, const polynomial& phi, const polynomial& gain) {
    const auto f = linear_in(phi, x.symbol);
    const auto s = solve({phi, {}}, x, known_.variables);
    if (!f || !s) return false;
    substitution one;
    for (const auto& w : known_.variables) one[w.symbol] = lift_of(w, known_.variables);
    const auto at_one = [&](const polynomial& p) { return map_atoms(p, [&](term atom) { return substitute(atom, one); }); };
    x.lift = to_term(times(plus(gain, at_one(f->rest), -1), inverse(at_one(f->slope), x.type)), x.type);
    finish(x, *s);
    if (s->sum.empty()) return false;
    const bool grows =
        phi.size() == 1 && std::all_of(gain.begin(), gain.end(), [](const auto& g) {
          return sgn(g.second) > 0 && std::all_of(g.first.begin(), g.first.end(), [](const auto& a) { return is_exponential(a.first); });
        });
    if (grows) known_.invariant.push_back(less(number(0, x.type), x.symbol));
    add_sum(phi, gain);
    return true;
  }

  derivation result() {
    derivation d;
    d.mechanism = known_.mechanism + ", separation of passes";
    d.merge.variables = known_.variables;
    d.merge.invariant = known_.invariant;
    d.merge.twist.emplace();
    d.merge.twist->coordinates = known_.coordinates;
    for (const auto& [r, value] : value_) d.merge.decode.emplace_back(r, value);
    for (const auto& v : late_) {
      separation s{v.source->name, {}};
      for (const auto& t : v.parts.terms) s.parts.emplace_back(to_term(t.a, v.source->type), to_term(t.b, v.source->type));
      d.separations.push_back(s);
    }
    d.finalize = s_.outputs;
    for (auto& o : d.finalize) o.value = substitute(o.value, value_);
    return d;
  }

  const spec& s_;
  std::vector<std::string>& tried_;
  pass loop_;
  std::set<std::string> names_;
  std::vector<late_variable> late_;
  part_result known_;
  std::vector<sum> sums_;
  substitution value_;  // result → term over the online state
  substitution means_;  // element → mean, over results
  std::deque<state_variable> added_;
  bool raw_;  // plain sums only
};

}  // namespace

std::optional<derivation> fuse(const spec& s, representation r, std::vector<std::string>& tried) {
  return fusion(s, r == representation::sums, tried).run();
}

}  // namespace twofold::analyser::deriving
