// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The pool of hash-consed terms, and the constructors that fold constants, neutral operands and infinities.
//! Folding is sound for finite symbols only: x·0 = 0 and x − x = 0 hold because no symbol stands for an infinity or NaN. What may have
//! no value (1/y) is not folded away: that it has one is for the checker to prove.
#include "ir/term.hpp"

#include <deque>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ir/deadline.hpp"

namespace twofold::analyser {
namespace {

constexpr std::uint32_t max_depth = 4000;

struct pool {
  std::deque<node> nodes;
  std::unordered_multimap<std::size_t, const node*> index;
  std::size_t limit = 2'000'000;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::uint32_t until_look = 0;  // constructions until the clock is read again
};
pool& the_pool() {
  static pool p;
  return p;
}

void mix(std::size_t& h, std::size_t v) { h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2); }

std::size_t hash_of(const node& n) {
  std::size_t h = static_cast<std::size_t>(n.kind) * 131 + static_cast<std::size_t>(n.type.kind) * 7 + n.type.bits * 2 + n.type.is_signed;
  for (term a : n.args) mix(h, a->id);
  if (n.kind == op::number) {
    mix(h, mpz_get_ui(n.value.get_num_mpz_t()) * 2 + (sgn(n.value) < 0));
    mix(h, mpz_get_ui(n.value.get_den_mpz_t()));
  }
  if (n.kind == op::symbol) mix(h, static_cast<std::size_t>(n.symbol) + 77);
  if (!n.name.empty()) mix(h, std::hash<std::string>{}(n.name));
  return h;
}

bool same_node(const node& a, const node& b) {
  return a.kind == b.kind && a.type == b.type && a.symbol == b.symbol && a.args == b.args && a.name == b.name && a.value == b.value;
}

term intern(node&& n) {
  pool& p = the_pool();
  if (p.until_look-- == 0) {
    p.until_look = 255;
    if (std::chrono::steady_clock::now() > p.deadline) throw limit_error("its share of the time");
  }
  const std::size_t h = hash_of(n);
  for (auto [it, end] = p.index.equal_range(h); it != end; ++it)
    if (same_node(*it->second, n)) return term(it->second);
  if (p.nodes.size() >= p.limit) throw limit_error("more than " + std::to_string(p.limit) + " expression nodes");
  n.depth = 0;
  n.total = !is_partial(n);
  for (term a : n.args) n.depth = std::max(n.depth, a->depth + 1), n.total &= a->total;
  if (n.depth > max_depth) throw limit_error("expressions nested deeper than " + std::to_string(max_depth));
  n.id = static_cast<std::uint32_t>(p.nodes.size());
  p.nodes.push_back(std::move(n));
  p.index.emplace(h, &p.nodes.back());
  return term(&p.nodes.back());
}

term raw(op k, std::vector<term> args, type t, std::string name = {}) {
  return intern(node{k, t, std::move(args), mpq_class(), {}, std::move(name), 0, 0});
}

// --- constants
mpq_class wrapped(const mpq_class& v, type t) {
  if (t.kind != sort::integer) return v;
  mpz_class m = 1, r;
  m <<= t.bits;
  mpz_fdiv_r(r.get_mpz_t(), v.get_num_mpz_t(), m.get_mpz_t());
  if (t.is_signed && r >= m / 2) r -= m;
  return r;
}
bool is_num(term t) { return t->is(op::number); }
bool is_inf(term t) { return t->is(op::infinity) || t->is(op::minus_infinity); }
bool is_nan(term t) { return t->is(op::nan); }
int sign_of(term t) { return t->is(op::infinity) ? 1 : t->is(op::minus_infinity) ? -1 : sgn(t->value); }
term signed_infinity(int s, type t) { return s > 0 ? infinity(t) : minus_infinity(t); }

mpz_class truncated(const mpq_class& v) {
  mpz_class r;
  mpz_tdiv_q(r.get_mpz_t(), v.get_num_mpz_t(), v.get_den_mpz_t());
  return r;
}
mpz_class floored(const mpq_class& v) {
  mpz_class r;
  mpz_fdiv_q(r.get_mpz_t(), v.get_num_mpz_t(), v.get_den_mpz_t());
  return r;
}

term fold_integer(op k, term a, term b, type t) {  // both numbers of integer type
  const mpz_class x = a->value.get_num(), y = b->value.get_num();
  mpz_class r;
  switch (k) {
    case op::quotient:
      if (y == 0) return raw(k, {a, b}, t);
      mpz_tdiv_q(r.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
      break;
    case op::remainder:
      if (y == 0) return raw(k, {a, b}, t);
      mpz_tdiv_r(r.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
      break;
    case op::shift_left:
      if (y < 0 || y >= t.bits) return raw(k, {a, b}, t);
      r = x << y.get_ui();
      break;
    case op::shift_right:
      if (y < 0 || y >= t.bits) return raw(k, {a, b}, t);
      mpz_fdiv_q_2exp(r.get_mpz_t(), x.get_mpz_t(), y.get_ui());
      break;
    case op::bit_and:
      r = x & y;
      break;
    case op::bit_or:
      r = x | y;
      break;
    default:
      r = x ^ y;
      break;
  }
  return number(mpq_class(r), t);
}

term fold_call(const std::string& f, const std::vector<term>& args, type t) {
  const auto zero_at = [&](std::string_view n) { return f == n; };
  if (args.size() != 1) {
    if (f == "pow" && is_number(args[1], 1)) return args[0];
    if (f == "pow" && is_number(args[1], 0) && args[0]->total) return number(1, t);
    return {};
  }
  const term a = args[0];
  if (is_nan(a)) return nan(t);
  if (f == "exp" || f == "exp2") {
    if (is_number(a, 0)) return number(1, t);
    if (a->is(op::minus_infinity)) return number(0, t);
    if (a->is(op::infinity)) return infinity(t);
    if (f == "exp2" && is_num(a) && a->value.get_den() == 1 && ::abs(a->value.get_num()) <= 1100) {
      mpq_class r = 1;
      const long k = a->value.get_num().get_si();
      if (k >= 0) mpq_mul_2exp(r.get_mpq_t(), r.get_mpq_t(), static_cast<unsigned long>(k));
      else mpq_div_2exp(r.get_mpq_t(), r.get_mpq_t(), static_cast<unsigned long>(-k));
      return number(r, t);
    }
  }
  if (f == "log" || f == "log2" || f == "log10") {
    if (is_number(a, 1)) return number(0, t);
    if (is_number(a, 0)) return minus_infinity(t);
    if (a->is(op::infinity)) return infinity(t);
  }
  if (f == "sqrt") {
    if (a->is(op::infinity)) return infinity(t);
    if (is_num(a) && sgn(a->value) >= 0 && mpz_perfect_square_p(a->value.get_num_mpz_t()) && mpz_perfect_square_p(a->value.get_den_mpz_t()))
      return number(mpq_class(sqrt(a->value.get_num()), sqrt(a->value.get_den())), t);
  }
  if (is_number(a, 0) && (zero_at("tanh") || zero_at("sin") || zero_at("expm1") || zero_at("log1p") || zero_at("atan")))
    return number(0, t);
  if (is_number(a, 0) && zero_at("cos")) return number(1, t);
  const bool rounding = f == "floor" || f == "ceil" || f == "trunc" || f == "round" || f == "nearbyint" || f == "rint";
  if (rounding && is_inf(a)) return signed_infinity(sign_of(a), t);
  if (rounding && a->type.kind == sort::integer) return cast(a, t);
  if (rounding && is_num(a)) {
    const mpq_class half(1, 2), v = a->value;
    if (f == "floor") return number(floored(v), t);
    if (f == "ceil") return number(mpq_class(-floored(-v)), t);
    if (f == "trunc") return number(mpq_class(truncated(v)), t);
    if (f == "round") return number(mpq_class(sgn(v) < 0 ? -floored(-v + half) : floored(v + half)), t);
    mpz_class lo = floored(v);
    const mpq_class rest = v - lo;
    if (rest > half || (rest == half && mpz_odd_p(lo.get_mpz_t()))) lo += 1;
    return number(mpq_class(lo), t);
  }
  return {};
}

}  // namespace

bool operator<(term a, term b) { return a->id < b->id; }

std::string cpp_name(type t) {
  if (t.kind == sort::boolean) return "bool";
  if (t.kind == sort::real) return t.bits == 32 ? "float" : "double";
  if (t.bits == 32) return t.is_signed ? "int" : "unsigned";
  return (t.is_signed ? "std::int" : "std::uint") + std::to_string(t.bits) + "_t";
}

term number(const mpq_class& v, type t) {
  if (t.kind == sort::boolean) return intern(node{op::number, t, {}, mpq_class(sgn(v) != 0 ? 1 : 0), {}, {}, 0, 0});
  mpq_class w = t.is_modular() ? wrapped(v, t) : v;  // signed integers are ℤ
  w.canonicalize();
  return intern(node{op::number, t, {}, std::move(w), {}, {}, 0, 0});
}
term number(long v, type t) { return number(mpq_class(v), t); }
term boolean(bool b) { return number(b ? 1 : 0, boolean_type); }
term infinity(type t) { return raw(op::infinity, {}, t); }
term minus_infinity(type t) { return raw(op::minus_infinity, {}, t); }
term nan(type t) { return raw(op::nan, {}, t); }
term symbol(symbol_kind k, std::string_view name, type t) {
  return intern(node{op::symbol, t, {}, mpq_class(), k, std::string(name), 0, 0});
}

bool is_number(term t, long v) { return is_num(t) && t->value == v; }
bool is_constant(term t) { return is_num(t) || is_inf(t) || is_nan(t); }

term add(term a, term b) {
  const type t = a->type;
  if (is_nan(a) || is_nan(b)) return nan(t);
  if (is_inf(a) && is_inf(b)) return a == b ? a : nan(t);
  if (is_inf(a)) return a;
  if (is_inf(b)) return b;
  if (is_num(a) && is_num(b)) return number(a->value + b->value, t);
  if (is_number(a, 0)) return b;
  if (is_number(b, 0)) return a;
  if (a->total && ((b->is(op::neg) && b->args[0] == a) || (a->is(op::neg) && a->args[0] == b))) return number(0, t);
  return raw(op::add, {a, b}, t);
}
term sub(term a, term b) { return add(a, neg(b)); }
term neg(term a) {
  if (is_nan(a)) return a;
  if (is_inf(a)) return signed_infinity(-sign_of(a), a->type);
  if (is_num(a)) return number(-a->value, a->type);
  if (a->is(op::neg)) return a->args[0];
  return raw(op::neg, {a}, a->type);
}
term mul(term a, term b) {
  const type t = a->type;
  if (is_nan(a) || is_nan(b)) return nan(t);
  if (is_inf(a) || is_inf(b)) {
    if (is_constant(a) && is_constant(b)) {
      const int s = sign_of(a) * sign_of(b);
      return s == 0 ? nan(t) : signed_infinity(s, t);
    }
    return raw(op::mul, {a, b}, t);
  }
  if (is_num(a) && is_num(b)) return number(a->value * b->value, t);
  if ((is_number(a, 0) && b->total) || (is_number(b, 0) && a->total)) return number(0, t);
  if (is_number(a, 1)) return b;
  if (is_number(b, 1)) return a;
  if (!t.is_modular() && is_number(a, -1)) return neg(b);
  if (!t.is_modular() && is_number(b, -1)) return neg(a);
  return raw(op::mul, {a, b}, t);
}
term div(term a, term b) {
  const type t = a->type;
  if (is_nan(a) || is_nan(b)) return nan(t);
  if (is_inf(b)) return is_inf(a) ? nan(t) : number(0, t);
  if (is_number(b, 0) && is_constant(a)) return sign_of(a) == 0 ? nan(t) : signed_infinity(sign_of(a), t);
  if (is_inf(a) && is_num(b)) return signed_infinity(sign_of(a) * sign_of(b), t);
  if (is_num(a) && is_num(b)) return number(a->value / b->value, t);
  if (is_number(b, 1)) return a;
  return raw(op::div, {a, b}, t);
}

namespace {
term extremum(op k, term a, term b) {
  const op absorbing = k == op::max ? op::infinity : op::minus_infinity, neutral = k == op::max ? op::minus_infinity : op::infinity;
  if (is_nan(a) || is_nan(b)) return nan(a->type);
  if (a == b) return a;
  if (a->is(neutral) || b->is(absorbing)) return b;
  if (b->is(neutral) || a->is(absorbing)) return a;
  if (is_num(a) && is_num(b)) return (a->value < b->value) == (k == op::max) ? b : a;
  return raw(k, {a, b}, a->type);
}
}  // namespace
term min(term a, term b) { return extremum(op::min, a, b); }
term max(term a, term b) { return extremum(op::max, a, b); }
term abs(term a) {
  if (is_nan(a)) return a;
  if (is_inf(a)) return infinity(a->type);
  if (is_num(a)) return number(mpq_class(::abs(a->value)), a->type);
  if (a->is(op::abs) || a->type.is_modular()) return a;
  if (a->is(op::neg)) return abs(a->args[0]);
  return raw(op::abs, {a}, a->type);
}

namespace {
//! −1, 0, 1 where the order of a and b is known for all finite symbols; 2 where it is not; 3 where NaN makes every comparison false.
int order(term a, term b) {
  if (is_nan(a) || is_nan(b)) return 3;
  if (a == b) return a->total ? 0 : 2;
  if (is_num(a) && is_num(b)) return a->value < b->value ? -1 : 1;
  if (is_inf(a)) return sign_of(a);
  if (is_inf(b)) return -sign_of(b);
  return 2;
}
}  // namespace
term less(term a, term b) {
  const int o = order(a, b);
  return o == 2 ? raw(op::less, {a, b}, boolean_type) : boolean(o == -1);
}
term less_equal(term a, term b) {
  const int o = order(a, b);
  return o == 2 ? raw(op::less_equal, {a, b}, boolean_type) : boolean(o == -1 || o == 0);
}
term equal(term a, term b) {
  if (a->type.kind == sort::boolean && a != b) {
    if (is_num(a)) return sgn(a->value) != 0 ? b : logical_not(b);
    if (is_num(b)) return sgn(b->value) != 0 ? a : logical_not(a);
  }
  const int o = order(a, b);
  return o == 2 ? raw(op::equal, {a, b}, boolean_type) : boolean(o == 0);
}
term logical_not(term a) {
  if (is_num(a)) return boolean(a->value == 0);
  if (a->is(op::logical_not)) return a->args[0];
  return raw(op::logical_not, {a}, boolean_type);
}
term logical_and(term a, term b) {
  if (is_num(a)) return a->value == 0 ? a : b;
  if (is_num(b) && (b->value != 0 || a->total)) return b->value == 0 ? b : a;
  if (a == b) return a;
  if (a->total && a == logical_not(b)) return boolean(false);
  return raw(op::logical_and, {a, b}, boolean_type);
}
term logical_or(term a, term b) {
  if (is_num(a)) return a->value == 0 ? b : a;
  if (is_num(b) && (b->value == 0 || a->total)) return b->value == 0 ? a : b;
  if (a == b) return a;
  if (a->total && a == logical_not(b)) return boolean(true);
  return raw(op::logical_or, {a, b}, boolean_type);
}
term select(term c, term x, term y) {
  if (is_num(c)) return c->value != 0 ? x : y;
  if (x == y && c->total) return x;
  if (c->is(op::logical_not)) return select(c->args[0], y, x);
  if (x->type.kind == sort::boolean) {
    if (is_number(x, 1)) return logical_or(c, y);
    if (is_number(x, 0)) return logical_and(logical_not(c), y);
    if (is_number(y, 0)) return logical_and(c, x);
    if (is_number(y, 1)) return logical_or(logical_not(c), x);
  }
  return raw(op::select, {c, x, y}, x->type);
}
term cast(term a, type to) {
  if (a->type == to) return a;
  if (is_nan(a) && to.kind == sort::real) return nan(to);
  if (is_inf(a) && to.kind == sort::real) return signed_infinity(sign_of(a), to);
  if (to.kind == sort::boolean) return logical_not(equal(a, number(0, a->type)));
  if (is_num(a)) return to.kind == sort::integer ? number(wrapped(mpq_class(truncated(a->value)), to), to) : number(a->value, to);
  return raw(op::cast, {a}, to);
}
term call(std::string_view function, std::vector<term> args, type t) {
  std::string name(function);
  if (term folded = fold_call(name, args, t)) return folded;
  return raw(op::call, std::move(args), t, std::move(name));
}
term read(term array, std::vector<term> index, type element) {
  index.insert(index.begin(), array);
  return raw(op::read, std::move(index), element);
}
term inner_fold(std::string_view name, term count, term init, term body) {
  if (is_number(count, 0)) return init;
  return raw(op::inner_fold, {count, init, body}, init->type, std::string(name));
}

term make(op kind, std::vector<term> args, type t) {
  switch (kind) {
    case op::add:
      return add(args[0], args[1]);
    case op::mul:
      return mul(args[0], args[1]);
    case op::neg:
      return neg(args[0]);
    case op::div:
      return div(args[0], args[1]);
    case op::min:
      return min(args[0], args[1]);
    case op::max:
      return max(args[0], args[1]);
    case op::abs:
      return abs(args[0]);
    case op::less:
      return less(args[0], args[1]);
    case op::less_equal:
      return less_equal(args[0], args[1]);
    case op::equal:
      return equal(args[0], args[1]);
    case op::logical_and:
      return logical_and(args[0], args[1]);
    case op::logical_or:
      return logical_or(args[0], args[1]);
    case op::logical_not:
      return logical_not(args[0]);
    case op::select:
      return select(args[0], args[1], args[2]);
    case op::cast:
      return cast(args[0], t);
    case op::bit_not:
      return is_num(args[0]) ? number(mpq_class(-args[0]->value - 1), t) : raw(kind, std::move(args), t);
    case op::quotient:
    case op::remainder:
    case op::shift_left:
    case op::shift_right:
    case op::bit_and:
    case op::bit_or:
    case op::bit_xor:
      if (is_num(args[0]) && is_num(args[1])) return fold_integer(kind, args[0], args[1], t);
      return raw(kind, std::move(args), t);
    default:
      return raw(kind, std::move(args), t);
  }
}
term rebuild(term t, std::vector<term> args) {
  if (args.empty()) return t;
  if (t->is(op::call)) return call(t->name, std::move(args), t->type);
  if (t->is(op::inner_fold)) return inner_fold(t->name, args[0], args[1], args[2]);
  return make(t->kind, std::move(args), t->type);
}

bool is_partial(const node& n) {
  const auto& a = n.args;
  switch (n.kind) {
    case op::div:
    case op::quotient:
    case op::remainder:
      return !a[1]->is(op::number) || sgn(a[1]->value) == 0;
    case op::shift_left:
    case op::shift_right:
      return !a[1]->is(op::number) || sgn(a[1]->value) < 0 || a[1]->value >= n.type.bits;
    case op::call: {
      static const std::set<std::string_view> functions{"log",  "log2",  "log10", "log1p", "sqrt",      "acos",
                                                        "asin", "acosh", "atanh", "fmod",  "remainder", "pow"};
      return functions.contains(n.name);
    }
    default:
      return false;
  }
}

bool is_special(const node& n) { return n.is(op::infinity) || n.is(op::minus_infinity) || n.is(op::nan); }

bool contains(term t, const std::function<bool(const node&)>& pred) {
  std::unordered_set<std::uint32_t> seen;
  std::vector<term> todo{t};
  while (!todo.empty()) {
    const term u = todo.back();
    todo.pop_back();
    if (!seen.insert(u->id).second) continue;
    if (pred(*u)) return true;
    for (term a : u->args) todo.push_back(a);
  }
  return false;
}
std::vector<term> symbols(term t) {
  std::map<std::uint32_t, term> found;
  (void)contains(t, [&](const node& n) {
    if (n.is(op::symbol)) found.emplace(n.id, term(&n));
    return false;
  });
  std::vector<term> r;
  for (auto& [id, s] : found) r.push_back(s);
  return r;
}
std::size_t count_nodes(std::span<const term> roots) {
  std::unordered_set<std::uint32_t> seen;
  for (term r : roots)
    (void)contains(r, [&](const node& n) {
      seen.insert(n.id);
      return false;
    });
  return seen.size();
}

namespace {
term substitute_into(term t, const substitution& s, std::unordered_map<std::uint32_t, term>& done) {
  if (auto it = s.find(t); it != s.end()) return it->second;
  if (t->args.empty()) return t;
  if (auto it = done.find(t->id); it != done.end()) return it->second;
  std::vector<term> args;
  bool changed = false;
  for (term a : t->args) {
    args.push_back(substitute_into(a, s, done));
    changed |= args.back() != a;
  }
  const term r = changed ? rebuild(t, std::move(args)) : t;
  done.emplace(t->id, r);
  return r;
}
}  // namespace
term substitute(term t, const substitution& s) {
  std::unordered_map<std::uint32_t, term> done;
  return substitute_into(t, s, done);
}

construction_deadline::construction_deadline(double seconds) : before_(the_pool().deadline) {
  the_pool().until_look = 0;
  using namespace std::chrono;
  the_pool().deadline = std::min(before_, steady_clock::now() + duration_cast<steady_clock::duration>(duration<double>(seconds)));
}
construction_deadline::~construction_deadline() { the_pool().deadline = before_; }

void within_construction_deadline() {
  const auto end = the_pool().deadline;
  if (end != std::chrono::steady_clock::time_point::max() && std::chrono::steady_clock::now() > end)
    throw limit_error("its share of the time");
}

void reset_terms(std::size_t max_nodes) {
  the_pool().index.clear();
  the_pool().nodes.clear();
  the_pool().limit = max_nodes;
}

}  // namespace twofold::analyser
