// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Pieces of SMT-LIB text, and products of named factors, from which quotients are made without dividing.
#pragma once

#include <algorithm>
#include <map>
#include <string>

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
inline std::string product(const std::string& a, const std::string& b) {
  if (b.empty() || b == "1.0") return a;
  if (a.empty() || a == "1.0") return b;
  return sexp("*", a, b);
}
inline std::string numeral(const mpq_class& v, bool integer) {
  const mpz_class n = abs(v.get_num());
  std::string r = n.get_str() + (integer ? "" : ".0");
  if (v.get_den() != 1) r = sexp("/", r, v.get_den().get_str() + ".0");
  return sgn(v) < 0 ? sexp("-", r) : r;
}
inline std::string power_of_two(unsigned n) { return mpz_class(mpz_class(1) << n).get_str(); }
inline std::string sort_name(type t) { return t.kind == sort::boolean ? "Bool" : t.kind == sort::integer ? "Int" : "Real"; }

//! A product of powers of named reals; the empty one is 1.
class factors {
 public:
  factors() = default;
  explicit factors(const std::string& name, unsigned power = 1) {
    if (power > 0 && name != "1.0") powers_[name] = power;
  }
  [[nodiscard]] const std::map<std::string, unsigned>& powers() const { return powers_; }
  [[nodiscard]] bool empty() const { return powers_.empty(); }
  [[nodiscard]] std::string text() const {
    std::string r = "1.0";
    for (const auto& [name, power] : powers_)
      for (unsigned i = 0; i < power; ++i) r = product(r, name);
    return r;
  }
  template <class Keep>
  [[nodiscard]] factors only(const Keep& keep) const {
    factors r;
    for (const auto& [name, power] : powers_)
      if (keep(name, power)) r.powers_[name] = power;
    return r;
  }
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
  friend factors lcm(const factors& a, const factors& b) { return a * b / common(a, b); }

 private:
  std::map<std::string, unsigned> powers_;
};

}  // namespace twofold::analyser::smt
