// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops over other algebras than the sums and semirings of derive_test.cpp: bits, residues, slopes with bounds, signed products,
//! fractions, loops that pass over elements or end early, and "nothing yet" as an infinity.
#include "expect.hpp"

namespace {

using namespace loops;

constexpr type u8{sort::integer, 8, false}, u16{sort::integer, 16, false}, u32{sort::integer, 32, false}, u64{sort::integer, 64, false};

term at(op k, term a, long b) { return make(k, {a, number(b, a->type)}, a->type); }
term bit_xor(term a, term b) { return make(op::bit_xor, {a, b}, a->type); }
term has(term t, long mask) { return logical_not(equal(at(op::bit_and, t, mask), number(0, t->type))); }

// --- linear over GF(2)
term times_x(term t, long top, long polynomial) {
  const term moved = at(op::shift_left, t, 1);
  return select(has(t, top), bit_xor(moved, number(polynomial, t->type)), moved);
}
term reflected(term t, long polynomial) {
  const term moved = at(op::shift_right, t, 1);
  return select(has(t, 1), bit_xor(moved, number(polynomial, t->type)), moved);
}
TEST(galois, cyclic_codes_of_either_direction) {
  const term c16 = st("c", u16), x16 = el("x", u16), c8 = st("c", u8), x8 = el("x", u8), c32 = st("c", u32), x32 = el("x", u32);
  term up = bit_xor(c16, at(op::shift_left, x16, 8)), down = bit_xor(c32, at(op::bit_and, x32, 255)), small = bit_xor(c8, x8);
  for (int k = 0; k < 8; ++k) {
    up = times_x(up, 0x8000, 0x1021);
    down = reflected(down, 0x82f63b78);
    small = times_x(small, 0x80, 0x07);
  }
  expect_merges(single({{c16, number(0xffff, u16), up}}), 1);
  expect_merges(single({{c32, number(0xffffffff, u32), down}}), 1);
  expect_merges(single({{c8, number(0, u8), small}}), 1);
}
TEST(galois, shift_registers) {
  const term s = st("s", u32), b = el("b", u32);
  expect_merges(single({{s, number(0, u32), bit_xor(at(op::shift_left, s, 3), b)}}), 1);
  expect_merges(single({{s, number(1, u32), bit_xor(at(op::shift_right, s, 1), b)}}), 1);
}
TEST(galois, refuses_a_carry) {
  const term s = st("s", u32), b = el("b", u32);
  EXPECT_FALSE(proved(single({{s, number(0, u32), add(bit_xor(at(op::shift_left, s, 4), b), at(op::bit_and, s, 1))}})));
}

// --- modulo a number
term rem(term t, long m) { return at(op::remainder, t, m); }
TEST(modular, rolling_hashes_and_two_sums) {
  const term h = st("h", u64), p = el("p", u8), a = st("a", u32), b = st("b", u32);
  expect_merges(single({{h, number(7, u64), rem(add(mul(h, number(257, u64)), cast(p, u64)), 1000000007)}}), 1);
  const term next = rem(add(a, cast(p, u32)), 65521);
  expect_merges(single({{a, number(1, u32), next}, {b, number(0, u32), rem(add(b, next), 65521)}}), 1);
}
TEST(modular, refuses_where_the_product_wraps) {
  const term h = st("h", u32), p = el("p", u8);
  EXPECT_FALSE(proved(single({{h, number(0, u32), rem(add(mul(h, number(65599, u32)), cast(p, u32)), 1000003)}})));
}
TEST(closure, shifts_are_products) {
  const term h = st("h", u32), p = el("p", u8);
  expect_merges(single({{h, number(5381, u32), add(add(at(op::shift_left, h, 5), h), cast(p, u32))}}), 1);
}

// --- bounds with slopes
const term x = el("x"), m = st("m"), s = st("s"), v = st("v");
TEST(bounded, slopes) {
  expect_merges(single({{m, num(0), max(mul(num(0.5), m), x)}}), 1);
  expect_merges(single({{m, num(0), max(abs(x), mul(num(0.95), m))}}), 1);
  expect_merges(single({{s, num(0), min(num(10), max(num(-10), add(mul(num(0.5), s), x)))}}), 3);
  expect_merges(single({{s, num(0), max(mul(num(-2), s), x)}}), 4);
}
TEST(bounded, comparisons_spelt_out) {
  const term t = add(s, x);
  expect_merges(single({{s, num(0), select(less(num(10), t), num(10), select(less(t, num(-10)), num(-10), t))}}), 2);
}

// --- signed products
TEST(products, of_prefixes_and_suffixes) {
  const term p = st("p"), best = st("best"), hi = st("hi"), lo = st("lo"), next = mul(p, x);
  expect_merges(single({{p, num(1), next, false}, {best, num(1), max(best, next)}}), 1);
  expect_merges(single({{p, num(1), next, false}, {best, num(1), min(best, next)}}), 1);
  const term a = mul(hi, x), b = mul(lo, x);
  expect_merges(single({{hi, num(1), max(num(1), max(a, b))}, {lo, num(1), min(num(1), min(a, b))}}), 1);
}

// --- fractions
TEST(fractional, one_matrix_is_enough) {
  const term d = st("d"), started = st("started", boolean_type);
  expect_merges(single({{d, num(0), div(num(1), add(x, d))}}), 3);
  expect_merges(single({{started, boolean(false), boolean(true), false}, {d, num(0), select(started, sub(x, div(num(1), d)), x)}}), 3);
}

// --- loops that pass over elements, or end
TEST(guarded, weights_that_count) {
  const term w = el("w"), sum = st("sum"), mean = st("mean"), some = less(num(0), w), total = add(sum, w);
  expect_merges(
      single({{sum, num(0), select(some, total, sum)}, {mean, num(0), select(some, add(mean, mul(div(w, total), sub(x, mean))), mean)}}),
      0);
}
TEST(thaw, depth_after_the_exit_does_not_matter) {
  const term depth = st("depth", int_type), done = st("done", boolean_type), b = el("b", int_type), next = add(depth, b);
  const term result = result_of(done), left = result_of(depth);
  expect_merges(
      several({{{depth, integer(0), select(done, depth, next)}, {done, boolean(false), logical_or(done, less(next, integer(0)))}}},
              {{"return", select(result, boolean(false), equal(left, integer(0)))}}),
      1);
  // the depth at the exit is asked for: nothing may run on
  EXPECT_FALSE(
      proved(several({{{depth, integer(0), select(done, depth, next)}, {done, boolean(false), logical_or(done, less(next, integer(0)))}}},
                     {{"return", left}})));
}

// --- nothing yet
TEST(unbounded, second_largest_of_one_element) {
  const term a = st("a"), b = st("b");
  expect_merges(single({{a, minus_infinity(), max(a, x)}, {b, minus_infinity(), max(b, min(a, x))}}), 0);
}
TEST(unbounded, keys_that_do_not_occur) {
  const term key = el("key", long_type), j = symbol(symbol_kind::component, "j", long_type), best = st("best");
  expect_merges(single({{best, minus_infinity(), select(equal(key, j), max(best, x), best), true, true}}), 0);
}

// --- vectors
TEST(closure, vectors_with_a_decay) {
  const term h = st("h"), g = el("g");
  const auto d = expect_merges(single({{h, num(0), add(mul(g, h), x), true, true}}), 1);
  for (const auto& w : d.merge.variables)
    if (w.kind == role::added) {
      EXPECT_FALSE(w.extent) << "one decay for all components";
    }
}

TEST(closure, no_flag_beside_a_factor_that_is_carried) {
  const term a = st("a", long_type), b = st("b", long_type), open = el("open", boolean_type);
  expect_merges(single({{a, integer(0), b}, {b, integer(1), select(open, add(a, b), integer(0))}}), 2);
}
//! "Where there is a second one it is not below the first" is an order under a flag.
TEST(replay, order_under_a_flag) {
  const term first = st("first"), second = st("second"), has = st("second_set", boolean_type), started = st("first_set", boolean_type);
  const term larger = max(first, x);
  expect_merges(single({{first, num(0), select(started, min(first, x), x)},
                        {second, num(0), select(has, min(second, larger), select(started, larger, num(0)))},
                        {has, boolean(false), logical_or(has, started)},
                        {started, boolean(false), boolean(true), false}}),
                0);
}
TEST(potential, a_logarithm_of_a_sum_that_is_carried) {
  const term a = st("a"), high = max(a, x);
  expect_merges(single({{a, minus_infinity(), add(high, call("log1p", {exp(sub(min(a, x), high))}, double_type))}}), 0);
}

// --- coordinates
TEST(differences, the_sum_above_its_lowest) {
  const term low = st("low"), best = st("best"), next = add(s, x);
  expect_merges(single({{s, num(0), next, false}, {best, num(0), max(best, sub(next, low))}, {low, num(0), min(low, next), false}}), 1);
}

}  // namespace
