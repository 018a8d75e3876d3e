// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Letters and parameter values for the refuter.
#include "refute/alphabet.hpp"

#include <algorithm>
#include <set>

namespace twofold::analyser {

exact exact_of(const mpq_class& v) {
  exact e;
  e.value = v;
  e.value.canonicalize();
  return e;
}

namespace {

template <class Visit>
void each_node(term t, Visit visit) {
  static_cast<void>(contains(t, [&](const node& n) {
    visit(n);
    return false;
  }));
}

const parameter* find_parameter(const spec& s, const std::string& name) {
  for (const parameter& p : s.parameters)
    if (p.name == name) return &p;
  return nullptr;
}

std::vector<term> all_terms(const spec& s) {
  std::vector<term> r;
  const auto keep = [&](term t) {
    if (t) r.push_back(t);
  };
  for (const pass& p : s.passes) {
    keep(p.begin);
    keep(p.end);
    for (const state_variable& v : p.state) {
      keep(v.init);
      keep(v.step);
      keep(v.extent);
    }
    for (const element& e : p.elements) keep(e.row_extent);
    for (const element_output& o : p.outputs) keep(o.value);
  }
  for (const output& o : s.outputs) {
    keep(o.value);
    keep(o.extent);
  }
  return r;
}

//! Symbols that count something inside one iteration: extents of rows and vectors, trips of inner folds.
std::set<term> inner_extents(const spec& s) {
  std::set<term> r;
  const auto keep = [&](term t) {
    if (!t) return;
    for (term u : symbols(t))
      if (u->is_symbol(symbol_kind::parameter) || u->is_symbol(symbol_kind::length)) r.insert(u);
  };
  for (const pass& p : s.passes) {
    for (const state_variable& v : p.state) keep(v.extent);
    for (const element& e : p.elements) keep(e.row_extent);
  }
  for (const output& o : s.outputs) keep(o.extent);
  for (const parameter& p : s.parameters)
    for (std::size_t k = p.role == parameter_role::input_array ? 1 : 0; k < p.extents.size(); ++k) keep(p.extents[k]);
  for (term t : all_terms(s))
    each_node(t, [&](const node& n) {
      if (n.is(op::inner_fold)) keep(n.args[0]);
    });
  for (term n : range_symbols(s)) r.erase(n);
  return r;
}

//! Numbers that the loop compares with (thresholds, the characters of a tokenizer) and, among integers, adds ('0') or divides by: an
//! element and a state meet in one step of a truncation only if they are larger than the divisor.
std::vector<mpq_class> constants_of(const spec& s, type t) {
  std::set<mpq_class> found;
  const auto visit = [&](const node& n) {
    const bool divides = n.is(op::quotient) && n.args[1]->is(op::number) && n.args[1]->type.kind == t.kind;
    if (divides && ::abs(n.args[1]->value) < 1000) found.insert(n.args[1]->value * n.args[1]->value);
    const bool compares = n.is(op::less) || n.is(op::less_equal) || n.is(op::equal) || n.is(op::min) || n.is(op::max);
    if (!compares && !divides && !(n.is(op::add) && t.kind == sort::integer)) return;
    for (term a : n.args)
      if (a->is(op::number) && a->type.kind == t.kind) found.insert(n.is(op::add) ? mpq_class(::abs(a->value)) : a->value);
  };
  for (const pass& p : s.passes) {
    for (const state_variable& v : p.state) each_node(v.step, visit);
    for (const element_output& o : p.outputs) each_node(o.value, visit);
  }
  return {found.begin(), found.end()};
}

//! Whether v is a value of type t.
bool representable(const mpq_class& v, type t) {
  if (t.kind == sort::real) return true;
  if (v.get_den() != 1) return false;
  if (t.kind == sort::boolean) return v == 0 || v == 1;
  mpz_class high = 1;
  high <<= t.is_signed ? t.bits - 1 : t.bits;
  return v < high && v >= (t.is_signed ? mpz_class(-high) : mpz_class(0));
}

//! Where a real state starts, if that is far from the small numbers, and a step of the loop's scale away from there.
std::vector<mpq_class> landmarks(const spec& s) {
  std::vector<mpq_class> r;
  for (const pass& p : s.passes)
    for (const state_variable& v : p.state) {
      if (v.type.kind != sort::real || !v.init->is(op::number) || ::abs(v.init->value) <= 5) continue;
      r.push_back(v.init->value);
      each_node(v.step, [&](const node& n) {
        if (!n.is(op::div) || !n.args[1]->is(op::number) || r.size() > 6) return;
        r.push_back(v.init->value + n.args[1]->value);
        r.push_back(v.init->value - n.args[1]->value);
      });
    }
  return r;
}

using entries = std::vector<std::optional<mpq_class>>;

//! What the caller grants leaves this value of a parameter, or of an entry of an array.
bool is_left(const spec& s, const std::string& name, const mpq_class& v) {
  const auto values = [&](const std::string& n) { return n == name ? entries{v} : entries{}; };
  return std::all_of(s.given.begin(), s.given.end(), [&](const comparison& c) { return holds(c, values); });
}

//! The same of one letter, or of the parameters alone. What is no rational number is left.
bool is_left(const spec& s, const setting& fixed, const std::vector<tape>& tapes, const std::vector<std::vector<exact>>& letter) {
  if (s.given.empty()) return true;
  const auto values = [&](const std::string& name) {
    entries r;
    for (std::size_t k = 0; k < letter.size(); ++k)
      if (tapes[k].array == name)
        for (const exact& e : letter[k]) r.emplace_back(e.value);
    for (const auto& [symbol, e] : fixed.scalars)
      if (symbol->name == name) r.emplace_back(e.value);
    return r;
  };
  return std::all_of(s.given.begin(), s.given.end(), [&](const comparison& c) { return holds(c, values); });
}

//! Values of one entry, simple ones first.
std::vector<exact> domain(const spec& s, const tape& array) {
  const type t = array.element;
  const parameter* p = find_parameter(s, array.array);
  const bool characters = p && p->cpp_type.find("char") != std::string::npos && t.kind == sort::integer;
  std::vector<mpq_class> constants, values;
  // char and short promote: their comparisons are between ints
  for (const mpq_class& c : constants_of(s, t))
    if (::abs(c) > 3 || c.get_den() > 2) constants.push_back(c);
  if (characters && !constants.empty()) values = constants;
  else if (characters) values = {97, 98, 99, 100, 113};  // the last one differs in a high bit
  else if (t.is_modular()) {
    const mpz_class top = mpz_class(1) << t.bits;
    values = {0, 1, mpq_class(top - 1), 2, mpq_class(top - 2), 3};
  } else if (t.kind == sort::real) values = {0, 1, -1, 2, mpq_class(1, 2), 3, -2, mpq_class(-1, 2), 4, 5};
  else values = {0, 1, -1, 2, -2, 3, 4, 5};
  if (!characters) values.insert(values.begin() + std::min<std::ptrdiff_t>(4, std::ssize(values)), constants.begin(), constants.end());
  if (t.kind == sort::real) {
    const std::vector<mpq_class> far = landmarks(s);
    values.insert(values.begin() + 3, far.begin(), far.end());
  }
  for (const mpq_class& c : constants) {
    values.push_back(c + 1);
    values.push_back(c - 1);
  }
  const std::vector<mpq_class> granted = examples(s.given, array.array, t.kind != sort::real);
  values.insert(values.begin(), granted.begin(), granted.end());
  std::vector<exact> r;
  for (const mpq_class& v : values)
    if (representable(v, t) && is_left(s, array.array, v) && std::find(r.begin(), r.end(), exact_of(v)) == r.end())
      r.push_back(exact_of(v));
  return r;
}

exact parameter_value(const spec& s, const std::string& name, type t, std::size_t which) {
  static const std::vector<mpq_class> reals{2, mpq_class(1, 2), 1, 3, -1}, integers{2, 1, 3, 0}, truths{0, 1};
  const std::vector<mpq_class>& all = t.kind == sort::real ? reals : t.kind == sort::boolean ? truths : integers;
  std::vector<mpq_class> list;
  for (const mpq_class& v : all)
    if (is_left(s, name, v)) list.push_back(v);
  for (const mpq_class& v : examples(s.given, name, t.kind != sort::real))
    if (representable(v, t) && std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
  return exact_of(list.empty() ? all[which % all.size()] : list[which % list.size()]);
}

//! Characters are quoted where the array is declared as one of characters.
std::string entry_text(const spec& s, const std::string& array, const exact& v) {
  const parameter* p = find_parameter(s, array);
  if (p && p->element.kind == sort::boolean) return v.value == 0 ? "false" : "true";
  const bool characters = p && p->cpp_type.find("char") != std::string::npos && p->element.kind == sort::integer;
  if (!characters || v.value < 32 || v.value > 126) return to_text(v);
  const char c = static_cast<char>(v.value.get_num().get_si());
  return c == '\'' || c == '\\' ? std::string("'\\") + c + "'" : std::string("'") + c + "'";
}

std::size_t extent_of(term e, const setting& fixed, std::size_t otherwise) {
  if (!e) return otherwise;
  const std::optional<exact> v = evaluate(e, fixed.scalars);
  return v && v->kind == exact::kind::finite && v->value >= 0 && v->value < 64 ? v->value.get_num().get_ui() : otherwise;
}

void fill_invariant_arrays(const spec& s, setting& fixed, std::size_t which) {
  std::set<term> rows, arrays;
  for (const pass& p : s.passes)
    for (const element& e : p.elements) rows.insert(e.symbol);
  for (term t : all_terms(s))
    for (term u : symbols(t))
      if (u->is_symbol(symbol_kind::array) && !rows.contains(u)) arrays.insert(u);
  for (term a : arrays) {
    const parameter* p = find_parameter(s, a->name);
    std::vector<std::size_t> shape;
    if (p)
      for (term e : p->extents) shape.push_back(extent_of(e, fixed, 8));
    if (shape.empty()) shape.push_back(8);
    std::size_t size = 1;
    for (std::size_t e : shape) size *= e;
    std::vector<exact>& values = fixed.arrays[a];
    for (std::size_t k = 0; k < size; ++k) values.push_back(parameter_value(s, a->name, a->type, which + k));
    if (shape.size() > 1) fixed.shapes[a] = shape;
  }
}

}  // namespace

std::vector<term> range_symbols(const spec& s) {
  std::set<term> r;
  for (const pass& p : s.passes)
    for (term bound : {p.begin, p.end})
      if (bound)
        for (term u : symbols(bound)) {
          const parameter* q = find_parameter(s, u->name);
          if (u->is_symbol(symbol_kind::length) || (q && q->role == parameter_role::length) || u == p.end) r.insert(u);
        }
  return {r.begin(), r.end()};
}

std::vector<setting> settings(const spec& s) {
  const std::set<term> inner = inner_extents(s);
  const std::vector<term> range = range_symbols(s);
  std::set<term> scalars;
  bool has_arrays = false;
  for (term t : all_terms(s))
    for (term u : symbols(t)) {
      if (u->is_symbol(symbol_kind::parameter) && !inner.contains(u) && std::find(range.begin(), range.end(), u) == range.end())
        scalars.insert(u);
      has_arrays |= u->is_symbol(symbol_kind::array);
    }
  std::vector<setting> r;
  const std::size_t choices = scalars.empty() ? (has_arrays && inner.empty() ? 2 : 1) : 4;
  const std::size_t tries = s.given.empty() ? choices : 5 * choices;  // parameters may be compared with each other
  for (std::size_t d = 1; d <= (inner.empty() ? 1u : 2u); ++d)
    for (std::size_t which = 0, kept = 0; which < tries && kept < choices; ++which) {
      setting one;
      for (term e : inner) one.scalars[e] = exact_of(mpq_class(d));
      std::size_t shift = which;
      for (term p : scalars) one.scalars[p] = parameter_value(s, p->name, p->type, shift++);
      if (!is_left(s, one, {}, {})) continue;
      fill_invariant_arrays(s, one, which);
      r.push_back(std::move(one));
      ++kept;
    }
  return r;
}

namespace {

//! Where the step adds c·e of one entry e, c a number: letters that lead from the initial state to where another letter leads, e being
//! solved for. Pieces of one element then end in equal states, though the rest of the step (a logistic function, say) is what it is.
void add_solved_letters(const spec& s, const setting& fixed, std::size_t most, alphabet& to) {
  if (s.passes.size() != 1 || s.passes[0].state.size() != 1 || to.tapes.size() < 2) return;
  const state_variable& v = s.passes[0].state[0];
  if (v.type.kind != sort::real || v.extent || to.tapes.size() != s.passes[0].elements.size() || to.letters.empty()) return;
  for (const tape& t : to.tapes)
    if (t.width != 0) return;
  exact_program step({v.step});
  const std::optional<exact> start = evaluate(v.init, fixed.scalars);
  if (!start) return;
  const auto value = [&](const std::vector<std::vector<exact>>& letter) -> std::optional<mpq_class> {
    for (const auto& [symbol, x] : fixed.scalars) step.set(symbol, x);
    step.set(v.symbol, *start);
    for (std::size_t k = 0; k < to.tapes.size(); ++k)
      for (const element& e : s.passes[0].elements)
        if (e.array == to.tapes[k].array) step.set(e.symbol, letter[k][0]);
    step.run();
    const exact* r = step.value(0);
    if (!r || r->kind != exact::kind::finite) return std::nullopt;
    return r->value;
  };
  for (std::size_t k = 0; k < to.tapes.size(); ++k) {
    if (to.tapes[k].element.kind != sort::real) continue;
    const auto moved = [&](std::vector<std::vector<exact>> letter, const mpq_class& by) {
      letter[k][0] = exact_of(letter[k][0].value + by);
      return letter;
    };
    std::optional<mpq_class> slope;  // the same at all letters, whatever the entry is
    bool affine = true;
    for (const auto& letter : to.letters) {
      const auto a = value(letter), b = value(moved(letter, 1)), c = value(moved(letter, 3));
      if (!a || !b || !c) continue;
      affine &= *c - *a == 3 * (*b - *a) && (!slope || *slope == *b - *a);
      slope = *b - *a;
    }
    if (!affine || !slope || *slope == 0) continue;
    std::optional<mpq_class> target;
    for (const auto& letter : to.letters)
      if (!target) target = value(letter);
    std::vector<std::vector<std::vector<exact>>> solved;
    const std::size_t room = std::max<std::size_t>(1, most / 8);
    for (const auto& letter : to.letters) {
      const auto here = value(letter);
      if (!here || solved.size() >= room) continue;
      const auto x = moved(letter, mpq_class((*target - *here) / *slope));
      const auto in = [&](const auto& list) { return std::find(list.begin(), list.end(), x) != list.end(); };
      if (!in(to.letters) && !in(solved) && is_left(s, fixed, to.tapes, x)) solved.push_back(x);
    }
    if (to.letters.size() + solved.size() > most) to.letters.resize(most - solved.size());
    to.letters.insert(to.letters.begin() + std::min<std::ptrdiff_t>(4, std::ssize(to.letters)), solved.begin(), solved.end());
    return;
  }
}

}  // namespace

alphabet make_alphabet(const spec& s, const setting& fixed, std::size_t most) {
  alphabet r;
  for (const pass& p : s.passes)
    for (const element& e : p.elements) {
      if (std::any_of(r.tapes.begin(), r.tapes.end(), [&](const tape& t) { return t.array == e.array; })) continue;
      const parameter* q = find_parameter(s, e.array);
      r.tapes.push_back({e.array, q ? q->element : e.symbol->type, e.row_extent ? extent_of(e.row_extent, fixed, 1) : 0});
    }
  std::vector<std::vector<exact>> coordinates;  // tape by tape, entry by entry
  for (const tape& t : r.tapes) coordinates.insert(coordinates.end(), std::max<std::size_t>(1, t.width), domain(s, t));
  // all tuples of coordinates by increasing sum of positions: the simplest letters first
  std::size_t longest = 0;
  for (const auto& c : coordinates) longest += c.size();
  std::vector<std::size_t> at(coordinates.size(), 0);
  const auto emit = [&] {
    std::vector<std::vector<exact>> letter;
    std::size_t k = 0;
    for (const tape& t : r.tapes) {
      letter.emplace_back();
      for (std::size_t j = 0; j < std::max<std::size_t>(1, t.width); ++j, ++k) letter.back().push_back(coordinates[k][at[k]]);
    }
    if (is_left(s, fixed, r.tapes, letter)) r.letters.push_back(std::move(letter));
  };
  const auto place = [&](auto& self, std::size_t k, std::size_t left) -> void {
    if (r.letters.size() >= most) return;
    if (k == at.size()) return left == 0 ? emit() : void();
    for (at[k] = 0; at[k] < coordinates[k].size() && at[k] <= left; ++at[k]) self(self, k + 1, left - at[k]);
  };
  for (std::size_t sum = 0; sum <= longest && r.letters.size() < most; ++sum) place(place, 0, sum);
  add_solved_letters(s, fixed, most, r);
  return r;
}

std::string alphabet::text(const spec& s, const std::string& array, letter_id l) const {
  std::size_t t = 0;
  while (tapes[t].array != array) ++t;
  const std::vector<exact>& entries = letters[l][t];
  if (tapes[t].width == 0) return entry_text(s, array, entries[0]);
  std::string r = "[";
  for (std::size_t j = 0; j < entries.size(); ++j) r += (j ? ", " : "") + entry_text(s, array, entries[j]);
  return r + "]";
}

}  // namespace twofold::analyser
