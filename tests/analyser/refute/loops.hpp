// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops for the tests of the refuter, written directly in the IR.
#pragma once

#include <string>
#include <vector>

#include "ir/spec.hpp"

namespace twofold::analyser::loops {

inline const type char_type{sort::integer, 8, true};
inline const type unsigned_type{sort::integer, 32, false};

inline term state(const std::string& name, type t = double_type) { return symbol(symbol_kind::state, name, t); }
inline term result(const std::string& name, type t = double_type) { return symbol(symbol_kind::result, name, t); }
inline term read_of(const std::string& array, long offset = 0, type t = double_type) {
  return symbol(symbol_kind::element, array + (offset == 0 ? "[i]" : "[i" + std::to_string(offset) + "]"), t);
}
inline term length() { return symbol(symbol_kind::parameter, "n", int_type); }
inline term index() { return symbol(symbol_kind::index, "i", int_type); }
inline term real(long v) { return number(v, double_type); }
inline term integer(long v) { return number(v, int_type); }

//! A spec over 0 ≤ i < n, built pass by pass.
class builder {
 public:
  builder() {
    spec_.function = "f";
    spec_.parameters.push_back({"n", "int", int_type, parameter_role::length, {}});
    add_pass();
  }
  builder& add_pass() {
    pass p;
    p.index = "i";
    p.begin = integer(0);
    p.end = length();
    spec_.passes.push_back(p);
    return *this;
  }
  builder& reads(const std::string& array, type t = double_type, long offset = 0, const char* cpp = nullptr) {
    bool known = false;
    for (const parameter& p : spec_.parameters) known |= p.name == array;
    if (!known) spec_.parameters.push_back({array, cpp ? cpp : "const " + cpp_name(t) + "*", t, parameter_role::input_array, {length()}});
    spec_.passes.back().elements.push_back({read_of(array, offset, t), array, offset, {}});
    return *this;
  }
  builder& reads_rows(const std::string& array, term width, type t = double_type) {
    spec_.parameters.push_back({array, "const double*", t, parameter_role::input_array, {length(), width}});
    spec_.passes.back().elements.push_back({symbol(symbol_kind::array, array, t), array, 0, width});
    return *this;
  }
  builder& scalar(const std::string& name, type t = double_type) {
    spec_.parameters.push_back({name, cpp_name(t), t, parameter_role::scalar, {}});
    return *this;
  }
  builder& carries(const std::string& name, type t, term init, term step, term extent = {}, term component = {}) {
    spec_.passes.back().state.push_back({name, t, state(name, t), init, step, extent, component, {}});
    spec_.results.push_back(result(name, t));
    return *this;
  }
  builder& returns(term value, type t = double_type, const std::string& name = "return") {
    spec_.outputs.push_back({name, t, value, {}, {}});
    return *this;
  }
  builder& writes(const std::string& array, term value, bool is_scan) {
    spec_.passes.back().outputs.push_back({array, double_type, value, is_scan});
    return *this;
  }
  builder& position_aware() {
    spec_.passes.back().position_aware = true;
    return *this;
  }
  builder& reversed() {
    spec_.passes.back().reverse = true;
    return *this;
  }
  builder& from(long begin) {
    spec_.passes.back().begin = integer(begin);
    return *this;
  }
  operator spec() const { return spec_; }

 private:
  spec spec_;
};

// --- loops that do not merge

inline spec majority() {
  const term c = state("candidate", int_type), k = state("count", int_type), x = read_of("votes", 0, int_type);
  const term empty = equal(k, integer(0)), same = equal(x, c);
  return builder()
      .reads("votes", int_type)
      .carries("candidate", int_type, integer(0), select(empty, x, c))
      .carries("count", int_type, integer(0), select(empty, integer(1), select(same, add(k, integer(1)), sub(k, integer(1)))))
      .returns(result("candidate", int_type), int_type);
}
//! Each x is rounded to a multiple of an eighth of the largest magnitude seen so far.
inline spec running_quantizer() {
  const term m = state("largest"), s = state("sum"), x = read_of("x"), w = read_of("w");
  const term largest = max(m, abs(x)), step = div(largest, real(8));
  const term rounded = mul(mul(call("round", {div(x, step)}, double_type), step), w);
  return builder()
      .reads("x")
      .reads("w")
      .carries("largest", double_type, real(0), largest)
      .carries("sum", double_type, real(0), select(less(real(0), step), add(s, rounded), s))
      .returns(result("sum"));
}
inline spec logistic_map() {
  const term s = state("s"), x = read_of("x");
  return builder().reads("x").carries("s", double_type, number(mpq_class(1, 2)), mul(mul(x, s), sub(real(1), s))).returns(result("s"));
}
inline spec larger_than_index() {
  const term s = state("sum"), k = state("k", int_type), x = read_of("x");
  return builder()
      .reads("x")
      .carries("sum", double_type, real(0), select(less(cast(k, double_type), x), add(s, x), s))
      .carries("k", int_type, integer(0), add(k, integer(1)))
      .returns(result("sum"));
}
//! A running estimate of the median: one step up or down per element.
inline spec median_walk() {
  const term m = state("m"), x = read_of("x");
  return builder()
      .reads("x")
      .carries("m", double_type, real(0), select(less(m, x), add(m, real(1)), select(less(x, m), sub(m, real(1)), m)))
      .returns(result("m"));
}

//! A recurrent cell without a gate.
inline spec recurrent_cell() {
  const term h = state("h"), x = read_of("x"), w = symbol(symbol_kind::parameter, "w", double_type);
  return builder()
      .reads("x")
      .scalar("w")
      .carries("h", double_type, real(0), call("tanh", {add(mul(w, h), x)}, double_type))
      .returns(result("h"));
}

// --- loops that merge only with added state

inline spec is_sorted() {
  const term ok = state("ok", boolean_type), prev = state("prev"), x = read_of("x");
  return builder()
      .reads("x")
      .carries("ok", boolean_type, boolean(true), logical_and(ok, less_equal(prev, x)))
      .carries("prev", double_type, minus_infinity(), x)
      .returns(result("ok", boolean_type), boolean_type);
}
inline spec kadane() {
  const term cur = state("cur"), best = state("best"), x = read_of("x");
  const term next = max(add(cur, x), real(0));
  return builder()
      .reads("x")
      .carries("cur", double_type, real(0), next)
      .carries("best", double_type, real(0), max(best, next))
      .returns(result("best"));
}
inline spec running_mean_of_two() {
  const term a = state("a"), x = read_of("x");
  return builder().reads("x").carries("a", double_type, real(0), div(add(a, x), real(2))).returns(result("a"));
}
inline spec longest_run() {
  const term cur = state("current", int_type), best = state("best", int_type), x = read_of("x", 0, boolean_type);
  const term next = select(x, add(cur, integer(1)), integer(0));
  return builder()
      .reads("x", boolean_type)
      .carries("best", int_type, integer(0), max(best, next))
      .carries("current", int_type, integer(0), next)
      .returns(result("best", int_type), int_type);
}
inline spec brackets() {
  const term d = state("depth", int_type), ok = state("ok", boolean_type), x = cast(read_of("text", 0, char_type), int_type);
  const term next =
      add(add(d, select(equal(x, integer('(')), integer(1), integer(0))), select(equal(x, integer(')')), integer(-1), integer(0)));
  return builder()
      .reads("text", char_type, 0, "const char*")
      .carries("depth", int_type, integer(0), next)
      .carries("ok", boolean_type, boolean(true), logical_and(ok, less_equal(integer(0), next)))
      .returns(logical_and(result("ok", boolean_type), equal(result("depth", int_type), integer(0))), boolean_type);
}
//! y[i] = (1 − α)·a + α·x: the scan of an exponential average.
inline spec smooth() {
  const term a = state("a"), x = read_of("x"), alpha = symbol(symbol_kind::parameter, "alpha", double_type);
  const term next = add(mul(sub(real(1), alpha), a), mul(alpha, x));
  return builder().reads("x").scalar("alpha").carries("a", double_type, real(0), next).writes("y", next, true);
}
//! Two passes: the deviation from the mean in absolute value does not separate.
inline spec absolute_deviation() {
  const term mean = div(result("sum"), cast(length(), double_type)), x = read_of("x");
  return builder()
      .reads("x")
      .carries("sum", double_type, real(0), add(state("sum"), x))
      .add_pass()
      .reads("x")
      .carries("dev", double_type, real(0), add(state("dev"), abs(sub(x, mean))))
      .returns(div(result("dev"), cast(length(), double_type)));
}
//! (sum, largest prefix sum) modulo 2^32: merges over ℤ only.
inline spec unsigned_prefix() {
  const term s = state("sum", unsigned_type), b = state("best", unsigned_type), x = read_of("x", 0, unsigned_type);
  return builder()
      .reads("x", unsigned_type)
      .carries("sum", unsigned_type, number(0, unsigned_type), add(s, x))
      .carries("best", unsigned_type, number(0, unsigned_type), max(b, add(s, x)))
      .returns(result("best", unsigned_type), unsigned_type);
}

// --- loops that merge as they are

inline spec sum() { return builder().reads("x").carries("s", double_type, real(0), add(state("s"), read_of("x"))).returns(result("s")); }
inline spec maximum() {
  return builder().reads("x").carries("m", double_type, minus_infinity(), max(state("m"), read_of("x"))).returns(result("m"));
}
inline spec last() { return builder().reads("x").carries("l", double_type, real(0), read_of("x")).returns(result("l")); }
inline spec first() {
  const term seen = state("seen", boolean_type);
  return builder()
      .reads("x")
      .carries("f", double_type, real(0), select(seen, state("f"), read_of("x")))
      .carries("seen", boolean_type, boolean(false), boolean(true))
      .returns(result("f"));
}
inline spec welford() {
  const term n = state("n"), mean = state("mean"), m2 = state("m2"), x = read_of("x");
  const term count = add(n, real(1)), delta = sub(x, mean), next = add(mean, div(delta, count));
  return builder()
      .reads("x")
      .carries("n", double_type, real(0), count)
      .carries("mean", double_type, real(0), next)
      .carries("m2", double_type, real(0), add(m2, mul(delta, sub(x, next))))
      .returns(result("mean"), double_type, "mean")
      .returns(div(result("m2"), result("n")), double_type, "variance");
}
inline spec affine_with_product() {
  const term p = state("p"), h = state("h"), a = read_of("a"), b = read_of("b");
  return builder()
      .reads("a")
      .reads("b")
      .carries("p", double_type, real(1), mul(p, a))
      .carries("h", double_type, real(0), add(mul(a, h), b))
      .returns(result("h"))
      .returns(result("p"), double_type, "p");
}
inline spec matrix_product() {
  const term p = state("p"), q = state("q"), r = state("r"), s = state("s");
  const term a = read_of("a"), b = read_of("b"), c = read_of("c"), d = read_of("d");
  return builder()
      .reads("a")
      .reads("b")
      .reads("c")
      .reads("d")
      .carries("p", double_type, real(1), add(mul(p, a), mul(q, c)))
      .carries("q", double_type, real(0), add(mul(p, b), mul(q, d)))
      .carries("r", double_type, real(0), add(mul(r, a), mul(s, c)))
      .carries("s", double_type, real(1), add(mul(r, b), mul(s, d)))
      .returns(result("p"), double_type, "p")
      .returns(result("q"), double_type, "q")
      .returns(result("r"), double_type, "r")
      .returns(result("s"), double_type, "s");
}
//! Σ |x[i] − x[i−1]|: neighbours are read from the array, so nothing is carried.
inline spec total_variation() {
  return builder()
      .from(1)
      .reads("x")
      .reads("x", double_type, -1)
      .carries("sum", double_type, real(0), add(state("sum"), abs(sub(read_of("x"), read_of("x", -1)))))
      .returns(result("sum"));
}
//! Σ of x[i] > i with the loop's own index: lift(i, x) knows the position.
inline spec larger_than_position() {
  const term x = read_of("x");
  return builder()
      .reads("x")
      .position_aware()
      .carries("sum", double_type, real(0), add(state("sum"), select(less(cast(index(), double_type), x), x, real(0))))
      .returns(result("sum"));
}
inline spec mean_two_pass_variance() {
  const term mean = div(result("sum"), cast(length(), double_type)), x = read_of("x"), d = sub(x, mean);
  return builder()
      .reads("x")
      .carries("sum", double_type, real(0), add(state("sum"), x))
      .add_pass()
      .reads("x")
      .carries("m2", double_type, real(0), add(state("m2"), mul(d, d)))
      .returns(div(result("m2"), cast(length(), double_type)));
}
//! Weighted sum of rows: o[j] += w·v[i][j].
inline spec weighted_rows() {
  const term d = symbol(symbol_kind::parameter, "d", int_type), j = symbol(symbol_kind::component, "j", int_type);
  const term o = state("o"), row = symbol(symbol_kind::array, "v", double_type);
  spec s = builder()
               .scalar("d", int_type)
               .reads("w")
               .reads_rows("v", d)
               .carries("o", double_type, real(0), add(o, mul(read_of("w"), read(row, {j}, double_type))), d, j);
  s.outputs.push_back({"o", double_type, result("o"), d, j});
  return s;
}

}  // namespace twofold::analyser::loops
