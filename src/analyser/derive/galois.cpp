// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Registers that are linear over GF(2): v ↦ L(v) ⊕ g(x) with one matrix L of bits (cyclic codes, shift registers with feedback). A
//! piece of n elements acts by Lⁿ. If some M with M(bᵢ) = bᵢ₊₁ along the bits commutes with L, then Lⁿ(bᵢ) = Mⁱ(Lⁿ(b₀)): the bits are
//! powers of one element of GF(2)[X]/P, M is the multiplication by X, and the one word Lⁿ(b₀) stands for the whole matrix. L is read off
//! the values of the step at single bits; P is solved for.
#include <algorithm>

#include "derive/part.hpp"
#include "ir/evaluate.hpp"

namespace twofold::analyser::deriving {
namespace {

//! The step as a function of numbers.
class register_step {
 public:
  explicit register_step(const state_variable& v) : v_(v), program_({v.step}) {}

  std::optional<mpz_class> operator()(const mpz_class& value, unsigned seed) {
    std::minstd_rand random(seed + 1);
    for (term s : program_.inputs()) {
      mpz_class e = static_cast<unsigned long>(random());
      mpz_fdiv_r_2exp(e.get_mpz_t(), e.get_mpz_t(), s->type.kind == sort::boolean ? 1 : s->type.is_signed ? 7 : s->type.bits);
      program_.set(s, {exact::kind::finite, s == v_.symbol ? mpq_class(value) : mpq_class(e)});
    }
    program_.run();
    const exact* r = program_.value(0);
    if (!r || r->kind != exact::kind::finite || r->value.get_den() != 1 || sgn(r->value) < 0) return std::nullopt;
    return r->value.get_num();
  }

 private:
  const state_variable& v_;
  exact_program program_;
};

mpz_class bit(std::size_t i) { return mpz_class(1) << i; }

//! Images of the single bits, the same for all elements; nothing if the step is not linear in that sense on samples.
std::optional<std::vector<mpz_class>> images_of_bits(const state_variable& v) {
  register_step step(v);
  std::vector<mpz_class> columns;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const auto zero = step(0, seed);
    if (!zero) return std::nullopt;
    for (std::size_t i = 0; i < v.type.bits; ++i) {
      const auto image = step(bit(i), seed);
      if (!image) return std::nullopt;
      const mpz_class column = *image ^ *zero;
      if (seed == 0) columns.push_back(column);
      else if (columns[i] != column) return std::nullopt;
    }
    std::minstd_rand random(seed + 77);
    for (int k = 0; k < 8; ++k) {  // linear: the image of a word is the sum of those of its bits
      mpz_class word = static_cast<unsigned long>(random()) * mpz_class(static_cast<unsigned long>(random())), sum = *zero;
      mpz_fdiv_r_2exp(word.get_mpz_t(), word.get_mpz_t(), v.type.bits);
      for (std::size_t i = 0; i < v.type.bits; ++i)
        if (mpz_tstbit(word.get_mpz_t(), i)) sum ^= columns[i];
      const auto image = step(word, seed);
      if (!image || *image != sum) return std::nullopt;
    }
  }
  return columns;
}

mpz_class applied(const std::vector<mpz_class>& matrix, const mpz_class& v) {
  mpz_class r = 0;
  for (std::size_t i = 0; i < matrix.size(); ++i)
    if (mpz_tstbit(v.get_mpz_t(), i)) r ^= matrix[i];
  return r;
}

//! Multiplication by X: upwards bit i goes to bit i + 1 and the highest to `feedback`; downwards the other way round.
struct multiplication {
  bool upwards = true;
  mpz_class feedback;
  std::size_t bits = 0;

  [[nodiscard]] std::size_t at(std::size_t i) const { return upwards ? i : bits - 1 - i; }  // the bit that Xⁱ is
  [[nodiscard]] std::vector<mpz_class> matrix() const {
    std::vector<mpz_class> m(bits);
    for (std::size_t i = 0; i + 1 < bits; ++i) m[at(i)] = bit(at(i + 1));
    m[at(bits - 1)] = feedback;
    return m;
  }
  [[nodiscard]] term times_x(term t) const {
    const type w = t->type;
    const term one = number(1, w), moved = make(upwards ? op::shift_left : op::shift_right, {t, one}, w);
    if (feedback == 0) return moved;
    return select(is_set(t, at(bits - 1)), make(op::bit_xor, {moved, number(mpq_class(feedback), w)}, w), moved);
  }
  static term is_set(term t, std::size_t i) {
    return logical_not(equal(make(op::bit_and, {t, number(mpq_class(bit(i)), t->type)}, t->type), number(0, t->type)));
  }
  //! a·b in GF(2)[X]/P.
  [[nodiscard]] term product(term a, term b) const {
    const type w = a->type;
    term sum = number(0, w);
    for (std::size_t i = 0; i < bits; ++i, b = i < bits ? times_x(b) : b) {
      const term summand = select(is_set(a, at(i)), b, number(0, w));
      sum = i == 0 ? summand : make(op::bit_xor, {sum, summand}, w);
    }
    return sum;
  }
};

//! A multiplication that L commutes with.
std::optional<multiplication> commuting(const std::vector<mpz_class>& l) {
  const std::size_t n = l.size();
  for (const bool upwards : {true, false}) {
    multiplication m{upwards, 0, n};
    for (std::size_t i = 0; i + 1 < n; ++i) {  // M(L bᵢ) = L bᵢ₊₁ tells the feedback where L bᵢ has the last bit
      const mpz_class& image = l[m.at(i)];
      if (!mpz_tstbit(image.get_mpz_t(), m.at(n - 1))) continue;
      mpz_class moved = upwards ? mpz_class(image << 1) : mpz_class(image >> 1);
      mpz_fdiv_r_2exp(moved.get_mpz_t(), moved.get_mpz_t(), n);
      m.feedback = l[m.at(i + 1)] ^ moved;
      break;
    }
    const std::vector<mpz_class> x = m.matrix();
    bool commutes = true;
    for (std::size_t i = 0; i < n && commutes; ++i) commutes = applied(x, l[i]) == applied(l, x[i]);
    if (commutes) return m;
  }
  return std::nullopt;
}

}  // namespace

std::optional<part_result> galois(const part& p, std::vector<std::string>& tried) {
  if (p.variables.size() != 1 || p.variables[0]->extent || !p.variables[0]->type.is_modular()) return std::nullopt;
  const state_variable& v = *p.variables[0];
  const bool reads_others = std::any_of(p.loop.state.begin(), p.loop.state.end(),
                                        [&](const state_variable& w) { return &w != &v && has_symbol(v.step, w.symbol); });
  const bool on_bits = contains(v.step, [](const node& n) { return n.is(op::bit_xor) || n.is(op::shift_right) || n.is(op::bit_or); });
  if (reads_others || !on_bits || !v.init->is(op::number)) return std::nullopt;
  const auto l = images_of_bits(v);
  const auto x = l ? commuting(*l) : std::nullopt;
  if (!x) {
    tried.push_back("the step of " + v.name + " is not linear on bits with one matrix that is a multiplication of polynomials");
    return std::nullopt;
  }
  candidate::variable own = carried(v), power = added_variable("power", p, {}, v.type,
                                                               "the merge must know what the right piece multiplies an incoming word by "
                                                               "(bits as polynomials over GF(2))");
  power.init = number(mpq_class(bit(x->at(0))), v.type);
  power.lift = number(mpq_class((*l)[x->at(0)]), v.type);
  power.step =
      make(op::bit_xor, {substitute(v.step, {{v.symbol, power.symbol}}), substitute(v.step, {{v.symbol, number(0, v.type)}})}, v.type);
  power.merge = x->product(left_of(power.symbol), right_of(power.symbol));
  term incoming = left_of(v.symbol);
  if (!is_number(v.init, 0)) incoming = make(op::bit_xor, {incoming, v.init}, v.type);
  own.merge = make(op::bit_xor, {x->product(incoming, right_of(power.symbol)), right_of(v.symbol)}, v.type);
  part_result r;
  r.variables = {own, power};
  r.mechanism = "linear over GF(2)";
  return r;
}

}  // namespace twofold::analyser::deriving
