// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Specs and decisions made by hand, so that reports, JSON and emitters are tested without the analyser.
#pragma once

#include "ir/decision.hpp"

namespace twofold::tests {
using namespace analyser;

struct example {
  spec loop;
  decision answer;
};

inline term state(const char* n, type t) { return symbol(symbol_kind::state, n, t); }
inline term left(const char* n, type t) { return symbol(symbol_kind::left, n, t); }
inline term right(const char* n, type t) { return symbol(symbol_kind::right, n, t); }

inline merged_variable variable(const char* name, type t, role r, term init, bool neutral, term lift, term step, term merge,
                                const char* why = "") {
  merged_variable v;
  v.name = name, v.type = t, v.role = r, v.init = init, v.init_is_identity = neutral, v.lift = lift, v.step = step, v.merge = merge,
  v.why = why;
  return v;
}

//! float denominator(const float* x, std::size_t n): state (m, l), return l.
inline example softmax() {
  const term x = symbol(symbol_kind::element, "x", float_type), n = symbol(symbol_kind::parameter, "n", type{sort::integer, 64, false});
  const auto e = [](term t) { return call("exp", {t}, float_type); };
  const auto step_of = [&](term m, term l, term mx) { return add(mul(l, e(sub(m, mx))), e(sub(x, mx))); };
  const term m = state("m", float_type), l = state("l", float_type), grown = max(m, x);
  const term top = max(left("m", float_type), right("m", float_type));
  const term merged =
      add(mul(left("l", float_type), e(sub(left("m", float_type), top))), mul(right("l", float_type), e(sub(right("m", float_type), top))));
  example s;
  s.loop.file = "softmax.cpp", s.loop.function = "denominator", s.loop.where = {"softmax.cpp", 5, 3};
  s.loop.signature = "float denominator(const float* x, std::size_t n)", s.loop.return_type = "float";
  s.loop.parameters = {{"x", "const float*", float_type, parameter_role::input_array, {n}},
                       {"n", "std::size_t", n->type, parameter_role::length, {}}};
  pass p;
  p.index = "i", p.begin = number(0, n->type), p.end = n, p.where = s.loop.where;
  p.elements = {{x, "x", 0, {}}};
  p.state = {{"m", float_type, m, minus_infinity(float_type), grown, {}, {}, {}},
             {"l", float_type, l, number(0, float_type), step_of(m, l, grown), {}, {}, {}}};
  s.loop.passes = {p};
  s.loop.results = {symbol(symbol_kind::result, "m", float_type), symbol(symbol_kind::result, "l", float_type)};
  s.loop.outputs = {{"return", float_type, s.loop.results[1], {}, {}}};
  decision& d = s.answer;
  d.verdict = verdict::associative;
  d.state = {variable("m", float_type, role::carried, minus_infinity(float_type), true, x, grown, top),
             variable("l", float_type, role::carried, number(0, float_type), true, number(1, float_type), p.state[1].step, merged)};
  d.finalize = {{"return", float_type, l, {}, {}}};
  d.commutative = ternary::proved;
  d.twist = twist{{{"m", "max", m, x}, {"l·e^m", "+", mul(l, e(m)), e(x)}},
                  "the rescale is the change of coordinates: e^(a.m-m) · e^(m-m') = e^(a.m-m')",
                  true};
  d.proof = proof{true, "push rule, exact normaliser, rescales as opaque variables", {"m", "l"}, "(set-logic QF_NRA)\n(check-sat)\n"};
  d.merge_over_step = 1.5;
  return s;
}

//! long longest(const int* x, int n): longest run of non-zero elements, with the leading run and a flag added.
inline example streaks() {
  const term x = symbol(symbol_kind::element, "x", int_type), n = symbol(symbol_kind::parameter, "n", int_type);
  const term one = number(1, int_type), zero = number(0, int_type), hit = logical_not(equal(x, zero));
  const term best = state("best", int_type), current = state("current", int_type), lead = state("lead", int_type),
             all = state("all", boolean_type);
  const auto a = [](const char* v, type t = int_type) { return left(v, t); };
  const auto b = [](const char* v, type t = int_type) { return right(v, t); };
  const term run = select(hit, add(current, one), zero);
  example s;
  s.loop.file = "streaks.cpp", s.loop.function = "longest_run", s.loop.where = {"streaks.cpp", 3, 3};
  s.loop.signature = "int longest_run(const int* x, int n)", s.loop.return_type = "int";
  s.loop.parameters = {{"x", "const int*", int_type, parameter_role::input_array, {n}}, {"n", "int", int_type, parameter_role::length, {}}};
  pass p;
  p.index = "i", p.begin = zero, p.end = n, p.where = s.loop.where;
  p.elements = {{x, "x", 0, {}}};
  p.state = {{"best", int_type, best, zero, max(best, run), {}, {}, {}}, {"current", int_type, current, zero, run, {}, {}, {}}};
  s.loop.passes = {p};
  s.loop.results = {symbol(symbol_kind::result, "best", int_type), symbol(symbol_kind::result, "current", int_type)};
  s.loop.outputs = {{"return", int_type, s.loop.results[0], {}, {}}};
  decision& d = s.answer;
  d.verdict = verdict::associative;
  const term unit = select(hit, one, zero);
  d.state = {variable("best", int_type, role::carried, zero, true, unit, max(best, run),
                      max(max(a("best"), b("best")), add(a("current"), b("lead")))),
             variable("current", int_type, role::carried, zero, true, unit, run,
                      select(b("all", boolean_type), add(a("current"), b("current")), b("current"))),
             variable("lead", int_type, role::added, zero, true, unit, select(logical_and(all, hit), add(lead, one), lead),
                      select(a("all", boolean_type), add(a("lead"), b("lead")), a("lead")), "length of the run at the left edge"),
             variable("all", boolean_type, role::added, boolean(true), true, hit, logical_and(all, hit),
                      logical_and(a("all", boolean_type), b("all", boolean_type)), "whether that run is the whole piece")};
  d.finalize = {{"return", int_type, best, {}, {}}};
  d.commutative = ternary::refuted;
  d.proof = proof{true, "push rule, Z3", {}, ""};
  d.merge_over_step = 2;
  return s;
}

//! int majority(const int* votes, int n), refuted.
inline example vote() {
  example s;
  s.loop.file = "vote.cpp", s.loop.function = "majority", s.loop.where = {"vote.cpp", 4, 3};
  s.loop.signature = "int majority(const int* votes, int n)", s.loop.return_type = "int";
  const term n = symbol(symbol_kind::parameter, "n", int_type);
  s.loop.parameters = {{"votes", "const int*", int_type, parameter_role::input_array, {n}},
                       {"n", "int", int_type, parameter_role::length, {}}};
  s.answer.verdict = verdict::not_associative;
  s.answer.scope = scope::this_state;
  counterexample x;
  x.elements = {"votes"};
  x.left = {{"0"}}, x.right = {{"2"}}, x.right2 = {{"1"}, {"2"}, {"2"}}, x.suffix = {};
  x.state = "(2, 1)", x.result = "0", x.result2 = "2";
  s.answer.counterexample = x;
  s.answer.tried = {"sum in disguise: no coordinate found", "lifting: nothing of constant size found"};
  return s;
}

inline example undecided() {
  example s = vote();
  s.answer = {};
  s.answer.tried = {"the time limit of 10 s was met (TF4101): raise it with --seconds"};
  return s;
}

//! void blend(const float* w, const float* v, float* out, int n, int d): out[j] = sum w[i] v[i][j] / sum w.
inline example weighted_rows() {
  const term w = symbol(symbol_kind::element, "w", float_type), v = symbol(symbol_kind::array, "v_row", float_type);
  const term n = symbol(symbol_kind::parameter, "n", int_type), width = symbol(symbol_kind::parameter, "d", int_type),
             j = symbol(symbol_kind::component, "j", long_type);
  const term total = state("total", float_type), o = state("o", float_type), entry = mul(w, read(v, {j}, float_type));
  example s;
  s.loop.file = "blend.cpp", s.loop.function = "blend", s.loop.where = {"blend.cpp", 2, 3};
  s.loop.signature = "void blend(const float* w, const float* v, float* out, int n, int d)", s.loop.return_type = "void";
  s.loop.parameters = {{"w", "const float*", float_type, parameter_role::input_array, {n}},
                       {"v", "const float*", float_type, parameter_role::input_array, {n, width}},
                       {"out", "float*", float_type, parameter_role::output_array, {width}},
                       {"n", "int", int_type, parameter_role::length, {}},
                       {"d", "int", int_type, parameter_role::length, {}}};
  pass p;
  p.index = "i", p.begin = number(0, int_type), p.end = n, p.where = s.loop.where;
  p.elements = {{w, "w", 0, {}}, {v, "v", 0, width}};
  p.state = {{"total", float_type, total, number(0, float_type), add(total, w), {}, {}, {}},
             {"o", float_type, o, number(0, float_type), add(o, entry), width, j, {}}};
  s.loop.passes = {p};
  s.loop.results = {symbol(symbol_kind::result, "total", float_type), symbol(symbol_kind::result, "o", float_type)};
  s.loop.outputs = {{"out", float_type, div(s.loop.results[1], s.loop.results[0]), width, j}};
  decision& d = s.answer;
  d.verdict = verdict::associative;
  d.state = {variable("total", float_type, role::carried, number(0, float_type), true, w, p.state[0].step,
                      add(left("total", float_type), right("total", float_type))),
             variable("o", float_type, role::carried, number(0, float_type), true, entry, p.state[1].step,
                      add(left("o", float_type), right("o", float_type)))};
  d.state[1].extent = width, d.state[1].component = j;
  d.finalize = {{"out", float_type, div(o, total), width, j}};
  d.proof = proof{true, "push rule, exact normaliser", {}, ""};
  return s;
}

}  // namespace twofold::tests
