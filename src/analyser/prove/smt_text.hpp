// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Pieces of SMT-LIB text, and quotients of products of named factors: nothing is divided.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ir/term.hpp"

namespace twofold::analyser::smt {

//! Arguments, not a braced list: where a part throws (a term that no solver can be asked about), GCC 12 ends the life of the list's array
//! before it destroys the strings in it.
template <class... Parts>
std::string sexp(const Parts&... parts) {
  std::string r = "(";
  const auto add = [&](const std::string& p) {
    if (!p.empty()) r += (r.size() > 1 ? " " : "") + p;
  };
  (add(parts), ...);
  return r + ")";
}
inline std::string all_of(const char* head, const std::vector<std::string>& parts) {
  std::string r = std::string("(") + head;
  for (const std::string& p : parts) r += " " + p;
  return r + ")";
}
inline std::string negation(const std::string& a) { return a == "true" ? "false" : a == "false" ? "true" : sexp("not", a); }
inline std::string both(const std::string& a, const std::string& b) {
  if (a == "false" || b == "false") return "false";
  return a == "true" ? b : b == "true" ? a : sexp("and", a, b);
}
inline std::string either(const std::string& a, const std::string& b) {
  if (a == "true" || b == "true") return "true";
  return a == "false" ? b : b == "false" ? a : sexp("or", a, b);
}
inline std::string numeral(const mpq_class& v, bool integer) {
  const mpz_class n = abs(v.get_num());
  std::string r = n.get_str() + (integer ? "" : ".0");
  if (v.get_den() != 1) r = sexp("/", r, v.get_den().get_str() + ".0");
  return sgn(v) < 0 ? sexp("-", r) : r;
}
inline std::string power_of_two(unsigned n) { return mpz_class(mpz_class(1) << n).get_str(); }
inline std::string sort_name(type t) { return t.kind == sort::boolean ? "Bool" : t.kind == sort::integer ? "Int" : "Real"; }

//! A product of powers of names; the empty one is 1.
class factors {
 public:
  factors() = default;
  explicit factors(const std::string& name, unsigned power = 1) {
    if (power > 0) powers_[name] = power;
  }
  [[nodiscard]] const std::map<std::string, unsigned>& powers() const { return powers_; }
  [[nodiscard]] bool empty() const { return powers_.empty(); }
  template <class Keep>
  [[nodiscard]] factors only(const Keep& keep) const {
    factors r;
    for (const auto& [name, power] : powers_)
      if (keep(name)) r.powers_[name] = power;
    return r;
  }
  friend bool operator==(const factors&, const factors&) = default;
  friend factors operator*(factors a, const factors& b) {
    for (const auto& [name, power] : b.powers_) a.powers_[name] += power;
    return a;
  }
  //! a/b, b dividing a.
  friend factors operator/(factors a, const factors& b) {
    for (const auto& [name, power] : b.powers_)
      if ((a.powers_[name] -= power) == 0) a.powers_.erase(name);
    return a;
  }
  friend factors common(const factors& a, const factors& b) {
    factors r;
    for (const auto& [name, power] : a.powers_)
      if (const auto it = b.powers_.find(name); it != b.powers_.end()) r.powers_[name] = std::min(power, it->second);
    return r;
  }
  friend factors lcm(const factors& a, const factors& b) { return a * (b / common(a, b)); }

 private:
  std::map<std::string, unsigned> powers_;
};

//! scale·f.
inline std::string text(const mpq_class& scale, const factors& f, bool integer = false) {
  if (f.empty() || sgn(scale) == 0) return numeral(scale, integer);
  std::vector<std::string> parts;
  if (scale != 1) parts.push_back(numeral(scale, integer));
  for (const auto& [name, power] : f.powers()) parts.insert(parts.end(), power, name);
  return parts.size() == 1 ? parts[0] : all_of("*", parts);
}

//! scale·num/den. That den is not 0 is claimed where a term divides, so what is in both may be cancelled.
struct quotient {
  mpq_class scale = 1;
  factors num, den;
};
inline quotient constant(const mpq_class& v) { return {v, {}, {}}; }
inline quotient named(const std::string& name, unsigned power = 1) { return {1, factors(name, power), {}}; }
inline bool is_zero(const quotient& q) { return sgn(q.scale) == 0; }
inline quotient cancelled(quotient q) {
  const factors shared = common(q.num, q.den);
  q.num = q.num / shared;
  q.den = q.den / shared;
  return is_zero(q) ? constant(0) : q;
}
inline quotient times(const quotient& x, const quotient& y) {
  return cancelled({mpq_class(x.scale * y.scale), x.num * y.num, x.den * y.den});
}
//! y is not the number 0.
inline quotient over(const quotient& x, const quotient& y) {
  return cancelled({mpq_class(x.scale / y.scale), x.num * y.den, x.den * y.num});
}

}  // namespace twofold::analyser::smt
