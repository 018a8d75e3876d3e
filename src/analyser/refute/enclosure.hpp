// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Real numbers by rational bounds: what shows that two irrational results differ. Equality is never concluded from bounds.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ir/evaluate.hpp"

namespace twofold::analyser {

//! An exact value, or (thick) a finite real between two rationals about 2^-192 apart.
struct enclosure {
  exact v;
  bool thick = false;
  mpq_class low, high;
  enclosure() = default;
  enclosure(const exact& e) : v(e) {}
  friend bool operator==(const enclosure& a, const enclosure& b) {
    return a.thick == b.thick && (a.thick ? a.low == b.low && a.high == b.high : a.v == b.v);
  }
};
//! Whether a and b are certainly different.
[[nodiscard]] bool apart(const enclosure& a, const enclosure& b);
[[nodiscard]] std::string to_text(const enclosure& e);  // exact, or "0.76159…"

//! The twin of exact_program: functions with irrational values (exp, log, sqrt, tanh, sin, cos, pow and what is made of them) are
//! bounded. A comparison that the bounds do not decide is undefined.
class enclosure_program {
 public:
  explicit enclosure_program(std::vector<term> roots, bool unused = false);
  ~enclosure_program();
  enclosure_program(enclosure_program&&) noexcept;
  enclosure_program& operator=(enclosure_program&&) noexcept;

  [[nodiscard]] const std::vector<term>& inputs() const;
  [[nodiscard]] const std::vector<term>& arrays() const;
  [[nodiscard]] std::size_t slot(term symbol) const;
  void set(std::size_t slot, const enclosure& v);
  void set(term symbol, const enclosure& v) { set(slot(symbol), v); }
  void set_array(term array, std::span<const enclosure> entries, std::vector<std::size_t> shape = {});
  void run();
  [[nodiscard]] const enclosure* value(std::size_t root) const;

 private:
  struct implementation;
  std::unique_ptr<implementation> p_;
};

}  // namespace twofold::analyser
