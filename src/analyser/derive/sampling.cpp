// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exact random tests. e^k is taken as 2^k, so elements are small integers.
#include "derive/sampling.hpp"

#include <algorithm>

#include "derive/opaque.hpp"
#include "derive/part.hpp"

namespace twofold::analyser::deriving {
namespace {

bool is_bound(const node& n) { return n.is_symbol(symbol_kind::accumulator) || n.is_symbol(symbol_kind::inner_index); }

}  // namespace

value_source::value_source(const std::vector<term>& terms, unsigned seed) : random_(seed) {
  const mpq_class largest(mpz_class(1) << 64);  // INT_MIN as "nothing yet"; what is larger is DBL_MAX and the like
  std::set<mpq_class> found;
  for (term t : terms)
    if (t)
      (void)contains(t, [&](const node& n) {
        const bool divides = n.is(op::remainder) || n.is(op::quotient);  // what is far below the divisor does not show it
        if (n.is(op::less) || n.is(op::less_equal) || n.is(op::equal) || divides)
          for (term a : n.args)
            if (a->is(op::number) && a->type.kind != sort::boolean && ::abs(a->value) <= largest) found.insert(a->value);
        return false;
      });
  constants_.assign(found.begin(), found.end());
}

exact value_source::draw(term s) {
  const auto finite = [](mpq_class v) { return exact{exact::kind::finite, std::move(v)}; };
  const type t = s->type;
  if (t.kind == sort::boolean) return finite(static_cast<long>(below(2)));
  if (opaque_terms::stands_for_positive(s)) return finite(mpq_class(static_cast<long>(1 + below(6))) / static_cast<long>(1 + below(2)));
  if (!constants_.empty() && below(4) != 0) {  // a constant that is compared with, or a neighbour of one
    mpq_class c = constants_[below(constants_.size())];
    if (below(2) == 0) c += static_cast<long>(below(5)) - 2;
    const mpz_class top = mpz_class(1) << (t.is_signed ? t.bits - 1 : t.bits);
    const bool in_range = c < mpq_class(top) && c >= (t.is_signed ? mpq_class(-top) : mpq_class(0));
    if (t.kind != sort::integer || (c.get_den() == 1 && in_range)) return finite(c);
  }
  const long spread = below(4) == 0 ? 9 : 3;
  const long v = static_cast<long>(below(static_cast<std::size_t>(2 * spread + 1))) - spread;
  if (t.is_modular()) return finite(v < 0 ? -v : v);
  return finite(v);
}

bool same_on_samples(term a, term b, int rounds) {
  if (a == b) return true;
  exact_program program({a, b}, true);
  value_source source({a, b});
  int defined = 0;
  for (int k = 0; k < rounds; ++k) {
    for (term s : program.inputs()) program.set(s, source.draw(s));
    program.run();
    const exact *x = program.value(0), *y = program.value(1);
    if (!x || !y) continue;
    ++defined;
    if (!(*x == *y)) return false;
  }
  return defined > 0;
}

word_runner::word_runner(const std::vector<candidate::variable>& variables, unsigned seed)
    : variables_(variables), source_([&] {
        std::vector<term> all;
        for (const auto& v : variables) all.push_back(v.step);
        return value_source(all, seed);
      }()) {
  std::vector<term> steps, lifts, merges, inits;
  for (const auto& v : variables_) {
    steps.push_back(v.step);
    lifts.push_back(v.lift ? v.lift : number(0));
    merges.push_back(v.merge ? v.merge : number(0));
    inits.push_back(v.init ? v.init : number(0));
  }
  std::set<term> all;
  for (const auto* list : {&steps, &lifts, &merges, &inits})
    for (term t : *list)
      for (term s : symbols(t)) all.insert(s);
  for (term s : all) {
    if (s->is_symbol(symbol_kind::element) || s->is_symbol(symbol_kind::index)) inputs_.push_back(s);
    else if (!s->is_symbol(symbol_kind::state) && !s->is_symbol(symbol_kind::left) && !s->is_symbol(symbol_kind::right) && !is_bound(*s))
      parameters_.push_back(s);
  }
  step_.emplace(steps, true);
  lift_.emplace(lifts, true);
  merge_.emplace(merges, true);
  init_.emplace(inits, true);
  choose_parameters();
}

void word_runner::choose_parameters() {
  std::vector<exact> values;
  for (term s : parameters_) values.push_back(source_.draw(s));
  use_parameters(values);
}

void word_runner::use_parameters(const std::vector<exact>& values) {
  parameter_values_ = values;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    for (auto* p : {&*step_, &*lift_, &*merge_, &*init_}) p->set(parameters_[i], values[i]);
}

std::optional<word_runner::state> word_runner::run(const std::vector<std::vector<exact>>& word) {
  state s;
  init_->run();
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const exact* v = init_->value(i);
    if (!v) return std::nullopt;
    s.push_back(*v);
  }
  bool first = true;
  for (const auto& letter : word) {
    if (!advance(s, letter, first)) return std::nullopt;
    first = false;
  }
  return s;
}

std::optional<word_runner::state> word_runner::run_on(state s, const std::vector<std::vector<exact>>& word) {
  for (const auto& letter : word)
    if (!advance(s, letter, false)) return std::nullopt;
  return s;
}

bool word_runner::advance(state& s, const std::vector<exact>& letter, bool first) {
  exact_program& step = *step_;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    step.set(inputs_[i], letter[i]);
    if (first) lift_->set(inputs_[i], letter[i]);
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) step.set(variables_[i].symbol, s[i]);
  step.run();
  if (first) lift_->run();
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const exact* v = first && variables_[i].lift ? lift_->value(i) : step.value(i);
    if (!v) return false;
    s[i] = *v;
  }
  return true;
}

std::optional<word_runner::piece> word_runner::draw(std::size_t length) {
  piece p;
  for (std::size_t k = 0; k < length; ++k) {
    p.word.emplace_back();
    for (term s : inputs_) p.word.back().push_back(source_.draw(s));
  }
  auto s = run(p.word);
  if (!s) return std::nullopt;
  p.value = *s;
  return p;
}

bool word_runner::differs(int rounds) {
  for (int k = 0; k < rounds; ++k) {
    if (k % 8 == 0) choose_parameters();
    const auto u = draw(1 + source_.below(4)), v = draw(1 + source_.below(4));
    if (!u || !v) continue;
    auto word = u->word;
    word.insert(word.end(), v->word.begin(), v->word.end());
    const auto both = run(word);
    if (!both) continue;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      merge_->set(left_of(variables_[i].symbol), u->value[i]);
      merge_->set(right_of(variables_[i].symbol), v->value[i]);
    }
    merge_->run();
    for (std::size_t i = 0; i < variables_.size(); ++i)
      if (const exact* m = variables_[i].merge ? merge_->value(i) : nullptr; m && !(*m == (*both)[i])) return true;
  }
  return false;
}

}  // namespace twofold::analyser::deriving
