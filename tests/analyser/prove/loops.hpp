// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops with their merges, written by hand as terms: what the checker is tested on without a front end.
#pragma once

#include <string>
#include <vector>

#include "prove/prove.hpp"

namespace twofold::analyser::testing {

inline constexpr type unsigned_type{sort::integer, 32, false};

inline term element(const char* name, type t = double_type) { return symbol(symbol_kind::element, name, t); }
inline term parameter(const char* name, type t = double_type) { return symbol(symbol_kind::parameter, name, t); }
inline term num(long v, type t = double_type) { return number(v, t); }
inline term exp(term a) { return call("exp", {a}, a->type); }

//! A loop and a candidate merge. Merges are written over `a(name)` and `b(name)`, steps over `s(name)`.
struct example {
  pass loop;
  candidate merge;

  example& variable(const std::string& name, type t, term init, role kind = role::carried) {
    candidate::variable v;
    v.name = name, v.type = t, v.kind = kind, v.init = init;
    v.symbol = symbol(symbol_kind::state, name, t);
    merge.variables.push_back(v);
    return *this;
  }
  example& added(const std::string& name, type t, term init) { return variable(name, t, init, role::added); }
  example& reads(term e) {
    analyser::element r;
    r.symbol = e;
    loop.elements.push_back(r);
    return *this;
  }
  candidate::variable& at(const std::string& name) {
    for (auto& v : merge.variables)
      if (v.name == name) return v;
    throw std::out_of_range(name);
  }
  term s(const std::string& name) { return at(name).symbol; }
  term a(const std::string& name) { return symbol(symbol_kind::left, name, at(name).type); }
  term b(const std::string& name) { return symbol(symbol_kind::right, name, at(name).type); }
  example& step(const std::string& name, term t) {
    at(name).step = t;
    return *this;
  }
  example& combine(const std::string& name, term t) {
    at(name).merge = t;
    return *this;
  }

  //! The loop is the candidate's own carried part.
  example& close() {
    for (const auto& v : merge.variables) {
      if (v.kind != role::carried) continue;
      state_variable u;
      u.name = v.name, u.type = v.type, u.symbol = v.symbol, u.init = v.init, u.step = v.step, u.extent = v.extent,
      u.component = v.component;
      loop.state.push_back(u);
    }
    return *this;
  }
};

inline example sum() {
  example e;
  const term x = element("x");
  e.reads(x).variable("s", double_type, num(0));
  return e.step("s", add(e.s("s"), x)).combine("s", add(e.a("s"), e.b("s"))).close();
}

inline example softmax_online() {
  example e;
  const term x = element("x");
  e.reads(x).variable("m", double_type, minus_infinity()).variable("l", double_type, num(0));
  const term m = max(e.s("m"), x), k = max(e.a("m"), e.b("m"));
  e.step("m", m).step("l", add(mul(e.s("l"), exp(sub(e.s("m"), m))), exp(sub(x, m))));
  e.combine("m", k).combine("l", add(mul(e.a("l"), exp(sub(e.a("m"), k))), mul(e.b("l"), exp(sub(e.b("m"), k)))));
  return e.close();
}

inline example attention() {
  example e = softmax_online();
  e.loop.state.clear();
  const term row = symbol(symbol_kind::array, "v", double_type), j = symbol(symbol_kind::component, "j", long_type),
             d = parameter("d", long_type);
  e.reads(row).variable("o", double_type, num(0));
  e.at("o").extent = d, e.at("o").component = j;
  const term x = element("x"), m = max(e.s("m"), x), k = max(e.a("m"), e.b("m"));
  e.step("o", add(mul(e.s("o"), exp(sub(e.s("m"), m))), mul(exp(sub(x, m)), read(row, {j}, double_type))));
  e.combine("o", add(mul(e.a("o"), exp(sub(e.a("m"), k))), mul(e.b("o"), exp(sub(e.b("m"), k)))));
  return e.close();
}

//! Welford with an integer count that starts at 0; every non-empty state has n ≥ 1.
inline example welford() {
  example e;
  const term x = element("x");
  e.reads(x).variable("n", long_type, num(0, long_type)).variable("mean", double_type, num(0)).variable("M2", double_type, num(0));
  const term n1 = add(e.s("n"), num(1, long_type)), delta = sub(x, e.s("mean")), mean = add(e.s("mean"), div(delta, cast(n1, double_type)));
  e.step("n", n1).step("mean", mean).step("M2", add(e.s("M2"), mul(delta, sub(x, mean))));
  const term n = add(e.a("n"), e.b("n")), na = cast(e.a("n"), double_type), nb = cast(e.b("n"), double_type), nr = cast(n, double_type);
  const term shift = sub(e.b("mean"), e.a("mean"));
  e.combine("n", n).combine("mean", add(e.a("mean"), div(mul(shift, nb), nr)));
  e.combine("M2", add(add(e.a("M2"), e.b("M2")), div(mul(mul(shift, shift), mul(na, nb)), nr)));
  e.merge.invariant.push_back(less_equal(num(1, long_type), e.s("n")));
  return e.close();
}

inline example ema() {
  example e;
  const term x = element("x"), g = parameter("g");
  e.reads(x).variable("h", double_type, num(0)).added("p", double_type, num(1));
  e.step("h", add(mul(g, e.s("h")), mul(sub(num(1), g), x))).step("p", mul(g, e.s("p")));
  e.combine("h", add(mul(e.b("p"), e.a("h")), e.b("h"))).combine("p", mul(e.a("p"), e.b("p")));
  return e.close();
}

inline example max_segment_sum(type t = int_type) {
  example e;
  const term x = element("x", t), zero = num(0, t);
  e.reads(x).variable("mts", t, zero).variable("mss", t, zero).added("sum", t, zero).added("mps", t, zero);
  const term mts = max(add(e.s("mts"), x), zero);
  e.step("mts", mts).step("mss", max(e.s("mss"), mts)).step("sum", add(e.s("sum"), x)).step("mps", max(e.s("mps"), add(e.s("sum"), x)));
  e.combine("sum", add(e.a("sum"), e.b("sum"))).combine("mps", max(e.a("mps"), add(e.a("sum"), e.b("mps"))));
  e.combine("mts", max(e.b("mts"), add(e.a("mts"), e.b("sum"))))
      .combine("mss", max(max(e.a("mss"), e.b("mss")), add(e.a("mts"), e.b("mps"))));
  e.close();
  const auto at_most = [&](term x1, const char* y) { e.merge.invariant.push_back(less_equal(x1, e.s(y))); };
  at_most(zero, "mts"), at_most(zero, "mps"), at_most(e.s("sum"), "mts"), at_most(e.s("sum"), "mps"), at_most(e.s("mts"), "mss"),
      at_most(e.s("mps"), "mss");
  return e;
}

inline example max_prefix_sum(type t) {
  example e;
  const term x = element("x", t);
  e.reads(x).variable("sum", t, num(0, t)).variable("mps", t, num(0, t));
  e.step("sum", add(e.s("sum"), x)).step("mps", max(e.s("mps"), add(e.s("sum"), x)));
  e.combine("sum", add(e.a("sum"), e.b("sum"))).combine("mps", max(e.a("mps"), add(e.a("sum"), e.b("mps"))));
  e.merge.invariant.push_back(less_equal(e.s("sum"), e.s("mps")));
  return e.close();
}

inline example longest_run() {
  example e;
  const term x = element("x", boolean_type), zero = num(0, int_type), one = num(1, int_type);
  e.reads(x)
      .variable("best", int_type, zero)
      .variable("current", int_type, zero)
      .added("lead", int_type, zero)
      .added("all", boolean_type, boolean(true));
  const term current = select(x, add(e.s("current"), one), zero);
  e.step("current", current).step("best", max(e.s("best"), current));
  e.step("all", logical_and(e.s("all"), x)).step("lead", select(logical_and(e.s("all"), x), add(e.s("lead"), one), e.s("lead")));
  e.combine("all", logical_and(e.a("all"), e.b("all")));
  e.combine("lead", select(e.a("all"), add(e.a("lead"), e.b("lead")), e.a("lead")));
  e.combine("current", select(e.b("all"), add(e.a("current"), e.b("current")), e.b("current")));
  e.combine("best", max(max(e.a("best"), e.b("best")), add(e.a("current"), e.b("lead"))));
  e.close();
  e.merge.invariant = {less_equal(zero, e.s("lead")), less_equal(e.s("current"), e.s("best")), less_equal(zero, e.s("current")),
                       logical_or(logical_not(e.s("all")), equal(e.s("lead"), e.s("current"))), less_equal(e.s("lead"), e.s("best"))};
  return e;
}

//! ok and the previous element; the first element is added. The state of nothing is adjoined.
inline example is_sorted() {
  example e;
  const term x = element("x");
  e.reads(x).variable("ok", boolean_type, boolean(true)).variable("prev", double_type, minus_infinity()).added("first", double_type, {});
  e.step("ok", logical_and(e.s("ok"), less_equal(e.s("prev"), x))).step("prev", x).step("first", e.s("first"));
  e.at("first").lift = x;
  e.combine("ok", logical_and(logical_and(e.a("ok"), e.b("ok")), less_equal(e.a("prev"), e.b("first"))));
  e.combine("prev", e.b("prev")).combine("first", e.a("first"));
  return e.close();
}

inline example brackets() {
  example e;
  const term x = element("x", int_type), zero = num(0, int_type), one = num(1, int_type);
  e.reads(x).variable("count", int_type, zero).variable("ok", boolean_type, boolean(true)).added("least", int_type, zero);
  const term count = add(e.s("count"), select(equal(x, num(40, int_type)), one, select(equal(x, num(41, int_type)), neg(one), zero)));
  e.step("count", count).step("ok", logical_and(e.s("ok"), less_equal(zero, count))).step("least", min(e.s("least"), count));
  e.combine("count", add(e.a("count"), e.b("count"))).combine("least", min(e.a("least"), add(e.a("count"), e.b("least"))));
  e.combine("ok", logical_and(e.a("ok"), less_equal(zero, add(e.a("count"), e.b("least")))));
  e.close();
  e.merge.invariant = {equal(e.s("ok"), less_equal(zero, e.s("least"))), less_equal(e.s("least"), zero),
                       less_equal(e.s("least"), e.s("count"))};
  return e;
}

//! First index of the maximum, from −∞; the number of elements is added because an index is relative to its piece.
inline example argmax() {
  example e;
  const term x = element("x");
  e.reads(x)
      .variable("best", double_type, minus_infinity())
      .variable("at", long_type, num(0, long_type))
      .variable("n", long_type, num(0, long_type));
  const term better = less(e.s("best"), x);
  e.step("best", select(better, x, e.s("best")))
      .step("at", select(better, e.s("n"), e.s("at")))
      .step("n", add(e.s("n"), num(1, long_type)));
  const term right = less(e.a("best"), e.b("best"));
  e.combine("best", select(right, e.b("best"), e.a("best"))).combine("at", select(right, add(e.a("n"), e.b("at")), e.a("at")));
  e.combine("n", add(e.a("n"), e.b("n")));
  return e.close();
}

inline example word_count() {
  example e;
  const term x = element("x", int_type), zero = num(0, int_type), one = num(1, int_type);
  const term letter = logical_not(equal(x, num(32, int_type)));
  e.reads(x).variable("count", int_type, zero).variable("inside", boolean_type, boolean(false)).added("first", boolean_type, {});
  e.step("count", add(e.s("count"), select(logical_and(letter, logical_not(e.s("inside"))), one, zero)))
      .step("inside", letter)
      .step("first", e.s("first"));
  e.at("first").lift = letter;
  e.combine("count", sub(add(e.a("count"), e.b("count")), select(logical_and(e.a("inside"), e.b("first")), one, zero)));
  e.combine("inside", e.b("inside")).combine("first", e.a("first"));
  return e.close();
}

inline example atoi(type t = long_type) {
  example e;
  const term x = element("x", t);
  e.reads(x).variable("value", t, num(0, t)).added("scale", t, num(1, t));
  e.step("value", add(mul(num(10, t), e.s("value")), x)).step("scale", mul(num(10, t), e.s("scale")));
  e.combine("value", add(mul(e.a("value"), e.b("scale")), e.b("value"))).combine("scale", mul(e.a("scale"), e.b("scale")));
  return e.close();
}

inline example first_last() {
  example e;
  const term x = element("x");
  e.reads(x).variable("first", double_type, {}).variable("last", double_type, {});
  e.step("first", e.s("first")).step("last", x).combine("first", e.a("first")).combine("last", e.b("last"));
  e.at("first").lift = x, e.at("last").lift = x;
  for (const auto& v : e.merge.variables) {
    state_variable u;
    u.name = v.name, u.type = v.type, u.symbol = v.symbol, u.init = num(0), u.step = v.step;
    if (v.name == "last") e.loop.state.push_back(u);
  }
  return e;
}

//! Running-max quantiser, s += round(7x/m), rescaled when m grows. Without the rounding this is a merge; with it, it is none.
inline example quantiser(bool rounded) {
  example e;
  const term x = element("x");
  e.reads(x).variable("m", double_type, num(1)).variable("s", double_type, num(0));
  const auto q = [&](term t) { return rounded ? call("round", {t}, double_type) : t; };
  const term m = max(e.s("m"), abs(x)), k = max(e.a("m"), e.b("m"));
  e.step("m", m).step("s", add(mul(e.s("s"), div(e.s("m"), m)), q(div(mul(num(7), x), m))));
  e.combine("m", k).combine("s", add(div(mul(e.a("s"), e.a("m")), k), div(mul(e.b("s"), e.b("m")), k)));
  e.merge.invariant.push_back(less_equal(num(1), e.s("m")));
  return e.close();
}

}  // namespace twofold::analyser::testing
