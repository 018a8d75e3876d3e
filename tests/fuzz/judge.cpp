// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Associative: the merge against the loop, on random brackets and on pieces that the loop's own state cannot tell apart.
//! Not associative: the witness, run again.
#include "fuzz/judge.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "fuzz/reference.hpp"

namespace twofold::analyser::fuzz {
namespace {

constexpr int random_words = 16, trees = 3;
constexpr std::size_t letters_of_search = 4, longest_of_search = 3, most_pairs = 60;

bool exponentiates(const spec& s) {
  const auto is_exp = [](const node& n) { return n.is(op::call); };
  return std::any_of(s.passes.begin(), s.passes.end(), [&](const pass& p) {
    return std::any_of(p.state.begin(), p.state.end(), [&](const state_variable& v) { return contains(v.step, is_exp); });
  });
}

value random_value(type t, bool whole, draw& random) {
  if (t.kind == sort::boolean) return finite(random.between(0, 1));
  if (t.is_modular()) {
    static const std::vector<mpq_class> corners{0, 1, 2, 3, 7, mpq_class("2147483648"), mpq_class("4294967295"), mpq_class("4294967294")};
    return finite(random.pick(corners));
  }
  if (t.kind == sort::real && !whole && random.chance(25)) return finite(mpq_class(random.between(-5, 7), 2));
  return finite(random.between(-3, 4));
}

struct setting {
  std::map<term, value> parameters;
  std::vector<term> elements;
  bool whole;

  setting(const spec& s, draw& random) : elements(elements_of(s)), whole(exponentiates(s)) {
    for (const parameter& p : s.parameters)
      if (p.role == parameter_role::scalar)
        parameters[symbol(symbol_kind::parameter, p.name, p.element)] = random_value(p.element, whole, random);
  }
  [[nodiscard]] letter random_letter(draw& random) const {
    letter r;
    for (const term e : elements) r[e] = random_value(e->type, whole, random);
    return r;
  }
};

std::string text(const std::vector<value>& v) {
  std::string r;
  for (const value& x : v) r += (r.empty() ? "(" : ", ") + to_text(x);
  return r + ")";
}
std::string text(const word& w, const std::vector<term>& elements) {
  std::string r = "[";
  for (const letter& x : w) {
    if (r.size() > 1) r += ", ";
    std::vector<value> tuple;
    for (const term e : elements) tuple.push_back(x.at(e));
    r += tuple.size() == 1 ? to_text(tuple[0]) : text(tuple);
  }
  return r + "]";
}

//! Values that are known on both sides and differ, or are known for the loop and undefined for the merge.
bool contradict(const answers& loop, const answers& merge) {
  for (std::size_t i = 0; i < loop.size() && i < merge.size(); ++i) {
    if (!loop[i].known() || merge[i].is == value::kind::inexact) continue;
    if (!(loop[i] == merge[i])) return true;
  }
  return loop.size() != merge.size();
}

//! Calls visit(left, right, right2): right pieces of the same state under a small alphabet, and every letter before them.
template <class Visit>
void colliding_pieces(source_loop& loop, const setting& fixed, draw& random, Visit visit) {
  std::vector<letter> alphabet;
  for (std::size_t i = 0; i < letters_of_search; ++i) alphabet.push_back(fixed.random_letter(random));
  std::map<std::string, word> first;
  std::vector<word> frontier{{}};
  std::size_t pairs = 0;
  for (std::size_t n = 1; n <= longest_of_search; ++n) {
    std::vector<word> longer;
    for (const word& w : frontier)
      for (const letter& x : alphabet) {
        longer.push_back(w);
        longer.back().push_back(x);
        const word& piece = longer.back();
        const auto [at, fresh] = first.try_emplace(text(loop.state_after(piece)), piece);
        if (fresh || pairs >= most_pairs) continue;
        ++pairs;
        for (const letter& l : alphabet) visit(l, at->second, piece);
      }
    frontier = std::move(longer);
  }
}

word joined(const letter& left, const word& right) {
  word r{left};
  r.insert(r.end(), right.begin(), right.end());
  return r;
}

std::optional<std::string> disagreement(const sample& s, const decision& d, draw& random, evidence& e) {
  const setting fixed(s.loop, random);
  source_loop loop(s.loop, fixed.parameters);
  merged_loop merged(s.loop, d, fixed.parameters);
  const auto compare = [&](const word& w, const answers& got) -> std::optional<std::string> {
    const answers want = loop.run(w);
    ++e.splits;
    if (!contradict(want, got)) return std::nullopt;
    std::string with;
    for (const auto& [name, v] : fixed.parameters) with += " " + name->name + " = " + to_text(v);
    return "the loop gives " + text(want) + " on " + text(w, fixed.elements) + with + ", the merge " + text(got);
  };
  for (int k = 0; k < random_words; ++k) {
    word w;
    for (long n = random.between(1, 7); n > 0; --n) w.push_back(fixed.random_letter(random));
    for (int t = 0; t < trees; ++t)
      if (auto found = compare(w, merged.run(w, random))) return found;
  }
  if (s.loop.passes.size() > 1 || s.loop.passes[0].position_aware) return std::nullopt;
  std::optional<std::string> found;
  colliding_pieces(loop, fixed, random, [&](const letter& left, const word& right, const word& right2) {
    if (found) return;
    ++e.collisions;
    for (const word* piece : {&right, &right2}) {
      const word w = joined(left, *piece);
      if (!found) found = compare(w, merged.cut(w, 1));
    }
  });
  return found;
}

std::optional<value> read(const std::string& number) {
  if (number == "true" || number == "false") return finite(number == "true" ? 1 : 0);
  mpq_class q;
  if (q.set_str(number, 10) != 0) return std::nullopt;
  q.canonicalize();
  return finite(q);
}

//! Results that no output can see do not belong to the state (D1).
std::set<std::size_t> observed(const spec& s) {
  std::set<term> live;
  for (const output& o : s.outputs)
    for (const term t : symbols(o.value)) live.insert(t);
  for (bool grown = true; grown;) {
    grown = false;
    std::size_t r = 0;
    for (const pass& p : s.passes)
      for (const state_variable& v : p.state) {
        if (live.count(s.results[r++]) == 0 && live.count(v.symbol) == 0) continue;
        for (const term from : {v.step, v.init})
          for (const term t : symbols(from)) grown |= live.insert(t).second;
      }
  }
  std::set<std::size_t> kept;
  std::size_t r = 0;
  for (const pass& p : s.passes)
    for (const state_variable& v : p.state) {
      if (live.count(s.results[r]) > 0 || live.count(v.symbol) > 0) kept.insert(r);
      ++r;
    }
  return kept;
}

std::optional<std::string> false_witness(const sample& s, const decision& d, evidence& e) {
  if (!d.counterexample) return "a refutation without a witness";
  const counterexample& c = *d.counterexample;
  std::map<term, value> parameters;
  for (const parameter& p : s.loop.parameters)
    for (const auto& [name, number] : c.parameters)
      if (name == p.name)
        if (const auto v = read(number)) parameters[symbol(symbol_kind::parameter, p.name, p.element)] = *v;
  const std::vector<term> elements = elements_of(s.loop);
  std::map<std::string, term> by_name;
  for (const pass& p : s.loop.passes)
    for (const element& x : p.elements) by_name[x.array + "[i]"] = x.symbol;
  const auto piece = [&](const counterexample::piece& p) -> std::optional<word> {
    word w;
    for (const auto& tuple : p) {
      letter l;
      for (std::size_t k = 0; k < tuple.size(); ++k) {
        const auto name = by_name.find(c.elements.size() > k ? c.elements[k] : "");
        const auto v = read(tuple[k]);
        if (name == by_name.end() || !v) return std::nullopt;
        l[name->second] = *v;
      }
      w.push_back(std::move(l));
    }
    return w;
  };
  const auto left = piece(c.left), right = piece(c.right), right2 = piece(c.right2), suffix = piece(c.suffix);
  if (!left || !right || !right2 || !suffix) return "a witness that cannot be read";
  if (left->size() != 1) return "the left part of a witness is not one element";
  source_loop loop(s.loop, parameters);
  const std::vector<value> one = loop.state_after(*right, 1), two = loop.state_after(*right2, 1);
  for (const std::size_t r : observed(s.loop))
    if (!one[r].known() || !(one[r] == two[r])) return "the right parts end in different states: " + text(one) + " and " + text(two);
  const auto whole = [&](const word& r) {
    word w = *left;
    w.insert(w.end(), r.begin(), r.end());
    w.insert(w.end(), suffix->begin(), suffix->end());
    return loop.run(w);
  };
  const answers a = whole(*right), b = whole(*right2);
  e.witness = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].known() && b[i].known() && !(a[i] == b[i])) return std::nullopt;
    if (a[i].is == value::kind::inexact || b[i].is == value::kind::inexact)
      return std::nullopt;  // irrational: bounds decide, not this oracle
  }
  return "the outputs of a witness do not differ: " + text(a) + " and " + text(b);
}

//! The values of one loop's letters and parameters for another one that reads the same arrays under symbols of its own.
struct translation {
  std::map<term, term> elements;

  translation(const spec& from, const spec& to) {
    for (const pass& p : from.passes)
      for (const element& x : p.elements)
        for (const pass& q : to.passes)
          for (const element& y : q.elements)
            if (x.array == y.array && x.offset == y.offset) elements[x.symbol] = y.symbol;
  }
  [[nodiscard]] word operator()(const word& w) const {
    word r;
    for (const letter& l : w) {
      letter& other = r.emplace_back();
      for (const auto& [symbol, v] : l)
        if (const auto it = elements.find(symbol); it != elements.end()) other[it->second] = v;
    }
    return r;
  }
};

}  // namespace

std::optional<std::string> differ(const spec& a, const spec& b, std::uint64_t seed) {
  draw random(seed ^ 0x72656164ULL);
  const setting fixed(a, random);
  const translation to_b(a, b);
  source_loop one(a, fixed.parameters), two(b, fixed.parameters);
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < b.outputs.size(); ++i) place[b.outputs[i].name] = i;
  for (int k = 0; k < random_words; ++k) {
    word w;
    for (long n = random.between(1, 6); n > 0; --n) w.push_back(fixed.random_letter(random));
    const answers x = one.run(w), y = two.run(to_b(w));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = place.find(a.outputs[i].name);
      if (at == place.end()) return "no output " + a.outputs[i].name;
      const value& v = y[at->second];
      if (x[i].known() && v.is != value::kind::inexact && !(x[i] == v))
        return a.outputs[i].name + " of " + text(w, fixed.elements) + " is " + to_text(x[i]) + " as written, " + to_text(v) + " as read";
    }
  }
  return std::nullopt;
}

std::optional<std::string> wrong(const sample& s, const decision& d, std::uint64_t seed, evidence& e) {
  draw random(seed ^ 0x6a75646765ULL);
  switch (d.verdict) {
    case verdict::associative:
      if (!d.proof || !d.proof->proved) return "associative without a proof";
      return disagreement(s, d, random, e);
    case verdict::not_associative:
      if (d.scope == scope::any_constant_size && s.answer != known::open) return "said to have no merge of constant size, made to have one";
      if (s.answer == known::merges) return "said not to merge, made to merge";
      return false_witness(s, d, e);
    default:
      return std::nullopt;
  }
}

}  // namespace twofold::analyser::fuzz
