// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One obligation: normal form, then small exact points, then case splitting, then Z3 on the whole; and, always, that both sides
//! are defined wherever the hypotheses hold.
#include <algorithm>
#include <set>

#include "prove/bits.hpp"
#include "prove/brief.hpp"
#include "prove/decide.hpp"

namespace twofold::analyser {
namespace {

double seconds_until(time_point t) { return std::chrono::duration<double>(t - std::chrono::steady_clock::now()).count(); }

//! Products, quotients and functions, on which the solver alone is weak: the normal form goes first.
bool needs_normal_form(term t) {
  return contains(t, [](const node& n) {
    if (n.is(op::mul) && n.type.kind != sort::boolean) return !n.args[0]->is(op::number) && !n.args[1]->is(op::number);
    return n.is(op::div) || (n.is(op::call) && n.type.kind == sort::real);
  });
}

//! Different extrema and choices in t. With many of them the normal form, which takes their sets apart, is slow, and a linear solver is
//! not.
std::size_t choices(term t) {
  std::set<term> seen;
  (void)contains(t, [&](const node& n) {
    if (n.is(op::select) || n.is(op::max) || n.is(op::min)) seen.insert(term(&n));
    return false;
  });
  return seen.size();
}
constexpr std::size_t many_choices = 24;

bool speaks_of_bits(term t) {
  return contains(t, [](const node& n) { return n.is(op::bit_xor) || n.is(op::bit_and) || n.is(op::bit_or) || n.is(op::shift_right); });
}

bool has_logarithm(term t) {
  return contains(t, [](const node& n) { return n.is(op::call) && n.name == "log"; });
}

//! Unsigned s < m is its own remainder by m, which says more to the normal form than a bound does.
substitution remainders_of_themselves(const std::vector<term>& hypotheses) {
  substitution r;
  for (term h : hypotheses)
    if (h->is(op::less) && h->args[0]->is(op::symbol) && h->args[0]->type.is_modular() && h->args[1]->is(op::number) &&
        h->args[1]->value > 0)
      r[h->args[0]] = make(op::remainder, h->args, h->args[0]->type);
  return r;
}

std::vector<term> with(std::vector<term> a, const std::vector<term>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

std::optional<std::string> prover::undefined(term t, const std::vector<term>& hypotheses) {
  for (const domain_condition& d : domain_conditions(t)) {
    const auto facts = with(hypotheses, d.guards);
    if (std::find(facts.begin(), facts.end(), d.condition) != facts.end()) continue;
    if (certain(d.condition) || z3_.implies(facts, d.condition, std::min(1.0, seconds_until(deadline_)))) continue;
    std::string text = "it is not known that " + brief(d.condition) + ", needed by " + brief(d.where);
    if (!d.guards.empty()) text += " where " + brief(d.guards.back());
    return text;
  }
  return std::nullopt;
}

bool prover::certain(term condition) {
  try {
    return normal_(condition) == rational(1);
  } catch (const not_normal&) {
    return false;
  }
}

obligation_result prover::equality(term left, term right, const std::vector<term>& hypotheses) {
  obligation_result r;
  if ((speaks_of_bits(left) || speaks_of_bits(right)) && equal_bits(left, right))  // first: the normal form of nested choices is large
    return {outcome::proved, "bit by bit, polynomials over GF(2)", ""};
  const bool linear =
      std::none_of(hypotheses.begin(), hypotheses.end(), needs_normal_form) && !needs_normal_form(left) && !needs_normal_form(right);
  const bool asked_first = linear && choices(left) + choices(right) > many_choices;
  if (asked_first)
    if (auto whole = by_solver(left, right, hypotheses, std::min(1.0, seconds_until(deadline_) / 2)); whole.result != outcome::unknown)
      return whole;
  try {
    if (normal_.equal(left, right)) return {outcome::proved, "exact normal form", ""};
    if (const substitution small = remainders_of_themselves(hypotheses); !small.empty())
      if (normal_.equal(substitute(left, small), substitute(right, small))) return {outcome::proved, "exact normal form", ""};
  } catch (const not_normal& e) {
    r.detail = e.what();
  } catch (const limit_error& e) {
    r.detail = e.what();  // too large as a whole: cases may be small
  }
  if (linear && !asked_first)
    if (auto whole = by_solver(left, right, hypotheses, std::min(1.0, seconds_until(deadline_) / 2)); whole.result != outcome::unknown)
      return whole;
  if (const auto d = differ_somewhere(left, right, hypotheses, 60, deadline_, without_value::differs))
    return {outcome::refuted, "exact point", d->text()};

  try {
    split_result s = split(left, right, hypotheses, z3_, deadline_);
    if (s.proved)
      return {outcome::proved, "case split (" + std::to_string(s.cells) + " cases), exact normal form" + (s.used_solver ? " and Z3" : ""),
              "", std::move(s.cases)};
    if (!s.open.empty()) r.detail = "open where " + brief(s.open.back());
  } catch (const limit_error& e) {
    r.detail = e.what();
  } catch (const not_normal& e) {
    r.detail = e.what();
  }
  if (left->type.kind == sort::real && (has_logarithm(left) || has_logarithm(right))) try {  // e^s = e^t is s = t
      const term e_left = analyser::call("exp", {left}, left->type), e_right = analyser::call("exp", {right}, right->type);
      split_result s = split(e_left, e_right, hypotheses, z3_, deadline_);
      if (s.proved)
        return {outcome::proved, "exponentials of both sides, case split (" + std::to_string(s.cells) + " cases), exact normal form", "",
                std::move(s.cases)};
      const time_point soon = std::min(deadline_, deadline_in(0.5));
      if (const auto d = differ_somewhere(e_left, e_right, hypotheses, 60, soon, without_value::differs))
        return {outcome::refuted, "exact point, exponentials of both sides", d->text(), {}};
    } catch (const limit_error&) {
    } catch (const not_normal&) {
    }
  if (seconds_until(deadline_) <= 0) return {outcome::unknown, "", "time"};
  auto whole = by_solver(left, right, hypotheses, std::min(2.0, seconds_until(deadline_)));
  if (whole.result != outcome::unknown) return whole;
  if (const auto d = differ_somewhere(left, right, hypotheses, 1500, std::min(deadline_, deadline_in(0.5)), without_value::differs))
    return {outcome::refuted, "exact point", d->text()};
  if (r.detail.empty()) r.detail = whole.detail;
  return r;
}

obligation_result prover::by_solver(term left, term right, const std::vector<term>& hypotheses, double seconds) {
  const auto a = z3_.satisfiable(with(hypotheses, {logical_not(analyser::equal(left, right))}), seconds);
  if (a.result == solver_answer::kind::unsatisfiable) return {outcome::proved, "Z3", ""};
  substitution point;
  for (const auto& [s, v] : a.model) point.emplace(s, number(v, s->type));
  if (a.result == solver_answer::kind::satisfiable)
    if (const auto d = differ_at(point, left, right, hypotheses, without_value::differs))
      return {outcome::refuted, "Z3 model, evaluated exactly", d->text()};
  return {outcome::unknown, "",
          a.result == solver_answer::kind::satisfiable ? "the solver's model does not evaluate exactly" : "Z3: " + a.reason};
}

obligation_result prover::decide(const obligation& o) {
  try {
    for (term t : {o.left, o.right})
      if (contains(t, is_special)) return {outcome::unknown, "", "an infinity or NaN remains in " + brief(t)};
    std::vector<term> hypotheses;
    for (term h : o.hypotheses) {
      if (is_number(h, 0)) return {outcome::proved, "contradictory hypotheses", ""};
      if (!is_number(h, 1) && !contains(h, is_special)) hypotheses.push_back(h);
    }
    auto r = equality(o.left, o.right, hypotheses);
    if (r.result != outcome::proved) return r;
    for (term t : {o.left, o.right})
      if (auto why = undefined(t, hypotheses)) return {outcome::unknown, "", *why};
    return r;
  } catch (const limit_error& e) {
    return {outcome::unknown, "", e.what()};
  } catch (const not_normal& e) {
    return {outcome::unknown, "", e.what()};
  } catch (const std::domain_error& e) {
    return {outcome::unknown, "", e.what()};
  }
}

obligation_result decide(const obligation& o, double seconds) { return prover(seconds).decide(o); }

bool proved_equal(term a, term b, const std::vector<term>& hypotheses, double seconds) {
  return decide({"", hypotheses, a, b}, seconds).result == outcome::proved;
}

}  // namespace twofold::analyser
