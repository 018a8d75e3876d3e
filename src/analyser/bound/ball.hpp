// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Values with a guaranteed distance: |x − exact| ≤ e, where x is what the machine computes and `exact` is the same term over the
//! reals (design.md, D4). Every operation adds what its own rounding can lose, in all orders; radii are computed in double and rounded up.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "ir/program.hpp"

namespace twofold::analyser::bounding {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

//! How real operations are carried out: `machine` rounds each node to its own type, as compiled code does; `wide` computes all in long
//! double, for a reference.
enum class precision : std::uint8_t { machine, wide };

struct ball {
  long double x = 0;   // reals; centre
  double e = 0;        // radius; infinite where nothing is guaranteed
  std::int64_t i = 0;  // integers (bit pattern for unsigned) and booleans
  sort kind = sort::real;
  bool certain = true;  // integers and booleans: rounding cannot change them
};

//! Ends of a ball of reals, rounded outwards.
inline long double lower_end(const ball& b) { return std::nextafter(b.x - b.e, -HUGE_VALL); }
inline long double upper_end(const ball& b) { return std::nextafter(b.x + b.e, HUGE_VALL); }

struct ball_slot {
  ball v;
  bool defined = false;
  const char* fault = "a symbol without a value";
};

//! Domain for analyser::program.
class ball_domain {
 public:
  using value = ball;
  using slot = ball_slot;
  explicit ball_domain(precision p) : precision_(p) {}

  void constant(const node& n, slot& out) const;
  void assign(slot& out, const ball& v, type t) const;
  void undefine(slot& out, const char* why) const {
    out.defined = false;
    out.fault = why;
  }
  [[nodiscard]] std::optional<std::int64_t> index(const slot& s) const;
  void set_index(slot& out, std::int64_t i) const { put(out, {0, 0, i, sort::integer, true}); }
  void apply(const node& n, function f, std::span<const slot* const> args, slot& out) const;

 private:
  static void put(slot& out, const ball& b) {
    out.v = b;
    out.defined = true;
  }
  [[nodiscard]] double roundoff(type t) const;
  [[nodiscard]] bool rounding_once(type t) const;
  [[nodiscard]] long double stored(long double x, type t) const;
  void rounded(slot& out, type t, long double x, double e, double ulps, bool from_infinite) const;
  void arithmetic(const node& n, const ball& a, const ball& b, slot& out) const;
  void integers(const node& n, const ball& a, const ball& b, slot& out) const;
  void extreme(const node& n, const ball& a, const ball& b, bool least, slot& out) const;
  void compare(const node& n, const ball& a, const ball& b, slot& out) const;
  void choose(const ball& condition, const slot& then, const slot& otherwise, slot& out) const;
  void convert(const ball& a, type from, type to, slot& out) const;
  void call(const node& n, function f, std::span<const slot* const> args, slot& out) const;
  precision precision_;
};

using ball_program = program<ball_domain>;

//! The loss of one call of a library function in the format of that many bits, in units of u: what glibc documents, doubled from ulps.
double call_roundings(function f, unsigned bits);

}  // namespace twofold::analyser::bounding
