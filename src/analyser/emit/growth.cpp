// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds of integer formulas in terms of the bound of a state's integers.
#include "emit/growth.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "emit/structure.hpp"

namespace twofold::analyser {
namespace {

constexpr double most_of_a_step = 1 << 20, most = 2147483647.0;
//! The integers of states of counted_elements elements.
constexpr double of_a_state = most_of_a_step * (counted_elements + 1);

//! |value| ≤ states·B + rest.
struct bound {
  double states = 0, rest = 0;
  friend bound operator+(const bound& a, const bound& b) { return {a.states + b.states, a.rest + b.rest}; }
  friend bound either(const bound& a, const bound& b) { return {std::max(a.states, b.states), std::max(a.rest, b.rest)}; }
  [[nodiscard]] bool fits(double limit = most) const { return states * of_a_state + rest <= limit; }
};

class bounds {
 public:
  //! @param small  elements are taken to be small
  explicit bounds(bool small) : small_(small) {}

  //! Nothing where some integer of the formula may not fit; of other types: 0.
  std::optional<bound> of(term t) {
    if (const auto it = done_.find(t); it != done_.end()) return it->second;
    std::optional<bound> b = t->type.kind == sort::integer ? integer(*t) : other(*t);
    if (b && !b->fits()) b = {};
    return done_[t] = b;
  }

 private:
  std::optional<bound> other(const node& n) {
    for (const term a : n.args)
      if (!of(a)) return {};
    return bound{};
  }
  std::optional<bound> symbol_of(const node& n) const {
    if (n.symbol == symbol_kind::state || n.symbol == symbol_kind::left || n.symbol == symbol_kind::right) return bound{1, 0};
    if (n.symbol != symbol_kind::element) return {};
    const double largest = std::ldexp(1.0, n.type.is_signed ? n.type.bits - 1 : n.type.bits) - 1;
    return bound{0, small_ ? std::min<double>(largest, small_element) : largest};
  }
  std::optional<bound> integer(const node& n) {
    if (n.is(op::number)) return bound{0, std::abs(n.value.get_d())};
    if (n.is(op::symbol)) return symbol_of(n);
    if (n.is(op::cast)) {  // of 64 bits: the same number, or the same modulo 2^64
      const std::optional<bound> b = of(n.args[0]);
      if (!b || n.args[0]->type.kind == sort::real) return {};
      if (n.args[0]->type.kind == sort::boolean) return bound{0, 1};
      return b->fits(std::ldexp(1.0, n.type.bits - 1) - 1) ? b : std::nullopt;
    }
    std::optional<bound> sum, largest;
    for (std::size_t i = n.is(op::select) ? 1 : 0; i < n.args.size(); ++i) {
      const std::optional<bound> b = of(n.args[i]);
      if (!b) return {};
      sum = sum ? *sum + *b : *b, largest = largest ? either(*largest, *b) : *b;
    }
    if (n.is(op::add)) return sum;
    if (n.is(op::min) || n.is(op::max)) return largest;
    if (n.is(op::neg) || n.is(op::abs)) return *largest + bound{0, 1};  // of the least number, too
    if (n.is(op::select)) return of(n.args[0]) ? largest : std::nullopt;
    return {};
  }

  bool small_;
  std::map<term, std::optional<bound>> done_;
};

bool fits(const structure& s, bool small) {
  bounds all(small);
  bool any = false;
  for (const structure_variable& v : s.state) {
    if (v.from->extent || v.settled) return false;
    const bool is_integer = v.kept.kind == sort::integer;
    if (is_integer && !v.kept.is_signed) return false;  // modulo 2^bits: as it is
    for (const term t : {v.init, v.lift, v.step}) {
      if (!t) continue;
      const std::optional<bound> b = all.of(t);
      if (!b || (is_integer && (b->states > 1 || b->rest > most_of_a_step))) return false;
    }
    if (!all.of(v.merge)) return false;
    any = any || is_integer;
  }
  return any;
}

}  // namespace

growth growth_of(const structure& s) {
  if (fits(s, false)) return growth::by_constants;
  return fits(s, true) ? growth::by_elements : growth::unknown;
}

}  // namespace twofold::analyser
