// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Normalised conditions to Z3, and its models back. Only this file and its translation name Z3.
#include "prove/solver.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "prove/solver_translation.hpp"

namespace twofold::analyser {
namespace {

bool operates_on_bits(const node& n) {
  switch (n.kind) {
    case op::bit_and:
    case op::bit_or:
    case op::bit_xor:
    case op::bit_not:
      return true;
    case op::shift_left:
    case op::shift_right:
      return n.type.is_modular();
    default:
      return false;
  }
}

//! Monomials of a term if it were multiplied out, about: Z3 does so before it counts its first step.
double expansion(term t, std::map<term, double>& done) {
  if (t->args.empty()) return 1;
  if (const auto it = done.find(t); it != done.end()) return it->second;
  double sum = 0, product = 1, most = 1;
  for (term a : t->args) {
    const double n = expansion(a, done);
    sum += n, product *= n, most = std::max(most, n);
  }
  return done[t] = std::min(1e9, t->is(op::mul) || t->is(op::div) ? product : t->is(op::add) ? sum : most);
}
bool multiplies_out(const std::vector<term>& conditions) {
  std::map<term, double> done;
  for (term c : conditions)
    if (expansion(c, done) > 2000) return true;
  return false;
}

//! Quotients of words: Z3 writes a divider out bit by bit, which it counts as few steps and takes minutes over.
bool divides_words(const std::vector<term>& conditions) {
  bool words = false, divides = false;
  for (term c : conditions) {
    words |= contains(c, [](const node& n) { return n.type.is_modular(); });
    divides |= contains(c, [](const node& n) { return n.is(op::remainder) || n.is(op::quotient); });
  }
  return words && divides;
}

std::optional<mpq_class> value_of(const z3::expr& e) {
  if (e.is_true() || e.is_false()) return mpq_class(e.is_true() ? 1 : 0);
  if (!e.is_numeral()) return std::nullopt;
  mpq_class v;
  if (v.set_str(Z3_get_numeral_string(e.ctx(), e), 10) != 0) return std::nullopt;
  v.canonicalize();
  return v;
}

//! Interrupts a solver once its time is over. Z3's own timer is not used: up to 4.8.12 one that has run out lies locked among the idle
//! ones while a tactic with a timer of its own takes the next of them, and the question then waits for itself for ever.
class time_limit {
 public:
  time_limit(z3::solver& s, double seconds)
      : end_(clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(std::clamp(seconds, 0.001, 600.0)))),
        watch_([this, &s](const std::stop_token& answered) { wait(s, answered); }) {}

 private:
  using clock = std::chrono::steady_clock;

  void wait(z3::solver& s, const std::stop_token& answered) {
    std::unique_lock lock(mutex_);
    // again and again: the first may come before the question has begun
    for (auto until = end_;; until = clock::now() + std::chrono::milliseconds(5)) {
      over_.wait_until(lock, answered, until, [] { return false; });
      if (answered.stop_requested()) return;
      Z3_solver_interrupt(s.ctx(), s);
    }
  }

  clock::time_point end_;
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread watch_;  // last: it uses the others
};

}  // namespace

struct solver::implementation {
  z3::context context;
  normaliser normal;
  translation integers{context, normal, false}, bits{context, normal, true};
  // making a solver with all its tactics costs milliseconds: most questions are answered by a bare one that is kept
  // It counts its steps instead of watching a clock: a timer thread per question costs more than most answers, and a count repeats.
  z3::solver bare{context, z3::solver::simple{}};
  unsigned bare_steps = 0;

  static solver_answer read(translation& t, z3::solver& s, z3::check_result answer) {
    solver_answer r;
    if (answer == z3::unsat) r.result = solver_answer::kind::unsatisfiable;
    else if (answer == z3::unknown) r.reason = s.reason_unknown();
    else {
      r.result = solver_answer::kind::satisfiable;
      const z3::model m = s.get_model();
      for (const auto& [symbol, e] : t.symbols)
        if (const auto v = value_of(m.eval(e, true))) r.model.emplace(symbol, *v);
    }
    return r;
  }

  static constexpr double steps_per_second = 4e6;  // about
  solver_answer ask_bare(translation& t, const z3::expr_vector& all, double seconds) {
    const unsigned steps = seconds < 0.15 ? 400'000 : static_cast<unsigned>(0.25 * steps_per_second);
    if (steps != bare_steps) {
      z3::params p(context);
      p.set("rlimit", bare_steps = steps);
      bare.set(p);
    }
    bare.push();
    bare.add(all);
    const solver_answer r = read(t, bare, bare.check());
    bare.pop();
    return r;
  }

  solver_answer ask(translation& t, const std::vector<term>& conditions, double seconds) {
    solver_answer r;
    try {
      z3::expr_vector all(context);
      for (term c : conditions) all.push_back(t.condition(c));
      for (const z3::expr& f : t.facts) all.push_back(f);
      const bool large = multiplies_out(conditions) || divides_words(conditions);
      if (!large) r = ask_bare(t, all, seconds);
      if (r.result != solver_answer::kind::unknown || (!large && seconds <= 0.25)) return r;
      z3::solver full(context);
      full.add(all);
      const z3::check_result answer = [&] {
        const time_limit limit(full, large ? seconds : seconds - 0.25);
        return full.check();
      }();
      r = read(t, full, answer);
    } catch (const z3::exception& e) {
      bare.reset();  // a question may have been left half asked
      bare_steps = 0;
      r.reason = e.msg();
    } catch (const not_normal& e) {
      r.reason = e.what();
    } catch (const std::domain_error& e) {
      r.reason = e.what();
    } catch (const limit_error& e) {
      r.reason = e.what();
    }
    return r;
  }
};

solver::solver() {
  z3::set_param("memory_max_size", "400");  // MiB, of this process: `check` promises a bound
  p_ = std::make_unique<implementation>();
}
solver::~solver() = default;

solver_answer solver::satisfiable(const std::vector<term>& conditions, double seconds) {
  bool words = false, bits = false;
  for (term c : conditions) {
    words |= contains(c, [](const node& n) { return n.type.is_modular(); });
    bits |= contains(c, operates_on_bits);
  }
  if (!words) return p_->ask(p_->integers, conditions, seconds);
  if (!bits)
    if (solver_answer r = p_->ask(p_->integers, conditions, seconds / 2); r.result != solver_answer::kind::unknown) return r;
  return p_->ask(p_->bits, conditions, bits ? seconds : seconds / 2);
}

bool solver::implies(const std::vector<term>& hypotheses, term conclusion, double seconds) {
  std::vector<term> c = hypotheses;
  c.push_back(logical_not(conclusion));
  return satisfiable(c, seconds).result == solver_answer::kind::unsatisfiable;
}

}  // namespace twofold::analyser
