// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Terms as vectors of polynomials over GF(2).
#include "prove/bits.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

namespace twofold::analyser {
namespace {

constexpr std::size_t most_monomials = 1 << 16, most_work = 1 << 22, most_bits = 160;

struct not_bits {};

//! Ids of monomials, in increasing order; their exclusive or. Monomial 0 is 1.
using anf = std::vector<std::uint32_t>;

struct bit_vector {
  std::vector<anf> bits;  // lowest first
  anf sign;               // all further ones
  [[nodiscard]] const anf& at(std::size_t i) const { return i < bits.size() ? bits[i] : sign; }
};

class bit_reader {
 public:
  bit_vector operator()(term t) {
    if (const auto it = done_.find(&*t); it != done_.end()) return it->second;
    bit_vector w = visit(t);
    if (w.bits.size() > most_bits) throw not_bits{};
    return done_[&*t] = std::move(w);
  }

  bool same(const bit_vector& a, const bit_vector& b) const {
    for (std::size_t i = 0; i <= std::max(a.bits.size(), b.bits.size()); ++i)
      if (a.at(i) != b.at(i)) return false;
    return true;
  }

 private:
  // --- polynomials
  anf sum(const anf& a, const anf& b) {
    anf r;
    spend(a.size() + b.size());
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(r));
    if (r.size() > most_monomials) throw not_bits{};
    return r;
  }
  anf product(const anf& a, const anf& b) {
    if (a.empty() || b.empty()) return {};
    if (a == one()) return b;
    if (b == one()) return a;
    spend(a.size() * b.size());
    std::vector<std::uint32_t> all;
    all.reserve(a.size() * b.size());
    for (std::uint32_t x : a)
      for (std::uint32_t y : b) all.push_back(times(x, y));
    std::sort(all.begin(), all.end());
    anf r;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t j = i;
      while (j < all.size() && all[j] == all[i]) ++j;
      if ((j - i) % 2 != 0) r.push_back(all[i]);
      i = j;
    }
    if (r.size() > most_monomials) throw not_bits{};
    return r;
  }
  anf either(const anf& a, const anf& b) { return sum(sum(a, b), product(a, b)); }
  static anf one() { return {0}; }
  anf inverted(const anf& a) { return sum(a, one()); }
  anf chosen(const anf& c, const anf& a, const anf& b) { return sum(product(c, sum(a, b)), b); }
  void spend(std::size_t n) {
    if ((work_ += n) > most_work) throw not_bits{};
  }

  std::uint32_t monomial_of(std::vector<std::uint32_t> bits) {
    const auto [it, fresh] = ids_.try_emplace(bits, static_cast<std::uint32_t>(monomials_.size()));
    if (fresh) monomials_.push_back(std::move(bits));
    return it->second;
  }
  std::uint32_t times(std::uint32_t a, std::uint32_t b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    const std::uint64_t key = (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b);
    if (const auto it = products_.find(key); it != products_.end()) return it->second;
    std::vector<std::uint32_t> r;
    std::set_union(monomials_[a].begin(), monomials_[a].end(), monomials_[b].begin(), monomials_[b].end(), std::back_inserter(r));
    return products_[key] = monomial_of(std::move(r));
  }

  // --- words
  static std::size_t width(type t) { return t.kind == sort::boolean ? 1 : t.bits; }
  static bool is_bounded(type t) { return t.kind == sort::boolean || t.is_modular(); }
  //! As a value of type t: unsigned ones wrap, signed ones are whole numbers.
  static bit_vector fitted(bit_vector w, type t) {
    if (!is_bounded(t)) return w;
    const anf high = w.sign;
    w.bits.resize(width(t), high);
    w.sign.clear();
    return w;
  }
  bit_vector constant(const mpz_class& v) {
    bit_vector w;
    mpz_class rest = v;
    while (rest != 0 && rest != -1) {
      w.bits.push_back(mpz_odd_p(rest.get_mpz_t()) ? one() : anf{});
      mpz_fdiv_q_2exp(rest.get_mpz_t(), rest.get_mpz_t(), 1);
    }
    if (rest == -1) w.sign = one();
    return w;
  }
  template <class F>
  bit_vector bitwise(const bit_vector& a, const bit_vector& b, F f) {
    bit_vector r;
    for (std::size_t i = 0; i < std::max(a.bits.size(), b.bits.size()); ++i) r.bits.push_back(f(a.at(i), b.at(i)));
    r.sign = f(a.sign, b.sign);
    return r;
  }
  bit_vector boolean_word(anf a) { return {{std::move(a)}, {}}; }
  anf truth(const bit_vector& w) {  // some bit is set
    anf none = inverted(w.sign);
    for (const anf& b : w.bits) none = product(none, inverted(b));
    return inverted(none);
  }
  bit_vector shifted_left(bit_vector w, std::size_t k) {
    w.bits.insert(w.bits.begin(), k, anf{});
    return w;
  }
  //! Bit by bit with a carry; small only where few bits meet.
  bit_vector total(const bit_vector& a, const bit_vector& b, type t) {
    bit_vector r;
    anf carry;
    const std::size_t n = is_bounded(t) ? width(t) : std::max(a.bits.size(), b.bits.size()) + 1;
    for (std::size_t i = 0; i < n; ++i) {
      const anf both = sum(a.at(i), b.at(i));
      r.bits.push_back(sum(both, carry));
      carry = sum(product(a.at(i), b.at(i)), product(carry, both));
    }
    if (!is_bounded(t)) r.sign = sum(sum(a.sign, b.sign), carry);
    return r;
  }
  static std::size_t amount(term t) {
    if (!t->is(op::number) || t->value < 0 || t->value >= 64) throw not_bits{};
    return t->value.get_num().get_ui();
  }

  bit_vector visit(term t) {
    const auto arg = [&](std::size_t i) { return (*this)(t->args[i]); };
    if (t->type.kind == sort::real) throw not_bits{};
    switch (t->kind) {
      case op::number:
        return fitted(constant(t->value.get_num()), t->type);
      case op::symbol: {
        // of a signed symbol no bound is known; one that is bound in a fold has a value only where the fold is written out
        if (!is_bounded(t->type) || t->is_symbol(symbol_kind::accumulator) || t->is_symbol(symbol_kind::inner_index)) throw not_bits{};
        bit_vector w;
        for (std::size_t i = 0; i < width(t->type); ++i) w.bits.push_back({monomial_of({variables_++})});
        return w;
      }
      case op::bit_xor:
        return bitwise(arg(0), arg(1), [&](const anf& a, const anf& b) { return sum(a, b); });
      case op::bit_and:
      case op::logical_and:
        return bitwise(arg(0), arg(1), [&](const anf& a, const anf& b) { return product(a, b); });
      case op::bit_or:
      case op::logical_or:
        return bitwise(arg(0), arg(1), [&](const anf& a, const anf& b) { return either(a, b); });
      case op::logical_not:
      case op::bit_not: {
        bit_vector w = arg(0);
        for (anf& b : w.bits) b = inverted(b);
        w.sign = inverted(w.sign);
        return fitted(std::move(w), t->type);
      }
      case op::shift_left:
        return fitted(shifted_left(arg(0), amount(t->args[1])), t->type);
      case op::shift_right: {
        bit_vector w = arg(0);
        const std::size_t k = std::min(amount(t->args[1]), w.bits.size());
        w.bits.erase(w.bits.begin(), w.bits.begin() + static_cast<std::ptrdiff_t>(k));
        return fitted(w, t->type);
      }
      case op::mul:
        for (std::size_t i : {0, 1})
          if (const term f = t->args[i]; f->is(op::number) && f->value > 0 && mpz_popcount(f->value.get_num_mpz_t()) == 1)
            return fitted(shifted_left(arg(1 - i), mpz_sizeinbase(f->value.get_num_mpz_t(), 2) - 1), t->type);
        throw not_bits{};
      case op::add:
        return total(arg(0), arg(1), t->type);
      case op::select: {
        const anf c = arg(0).at(0);
        return bitwise(arg(1), arg(2), [&](const anf& a, const anf& b) { return chosen(c, a, b); });
      }
      case op::equal:
        return boolean_word(inverted(truth(bitwise(arg(0), arg(1), [&](const anf& a, const anf& b) { return sum(a, b); }))));
      case op::cast:
        return cast_word(arg(0), t->type);
      case op::inner_fold:
        return unrolled(t);
      default:
        throw not_bits{};
    }
  }

  bit_vector cast_word(const bit_vector& w, type to) {
    if (to.kind == sort::boolean) return boolean_word(truth(w));
    if (is_bounded(to)) return fitted(w, to);
    for (std::size_t i = to.bits - 1u; i < w.bits.size(); ++i)  // it fits: no wrap
      if (w.bits[i] != w.sign) throw not_bits{};
    return w;
  }

  bit_vector unrolled(term t) {
    const term count = t->args[0], body = t->args[2];
    if (!count->is(op::number) || count->value > 64) throw not_bits{};
    term value = t->args[1];
    const term acc = symbol(symbol_kind::accumulator, t->name, t->type), index = symbol(symbol_kind::inner_index, t->name, long_type);
    for (long k = 0; k < count->value.get_num().get_si(); ++k) value = substitute(body, {{acc, value}, {index, number(k, long_type)}});
    return (*this)(value);
  }

  std::unordered_map<const node*, bit_vector> done_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> ids_{{{}, 0}};
  std::vector<std::vector<std::uint32_t>> monomials_{{}};
  std::unordered_map<std::uint64_t, std::uint32_t> products_;
  std::uint32_t variables_ = 0;
  std::size_t work_ = 0;
};

}  // namespace

bool equal_bits(term a, term b) {
  const auto foreign = [](const node& n) {  // seen at once, before anything is written out
    const bool unbounded = n.is(op::symbol) && n.type.kind != sort::boolean && !n.type.is_modular() &&
                           !n.is_symbol(symbol_kind::accumulator) && !n.is_symbol(symbol_kind::inner_index);
    return unbounded || n.type.kind == sort::real || n.is(op::less) || n.is(op::less_equal) || n.is(op::read);
  };
  if (contains(a, foreign) || contains(b, foreign)) return false;
  try {
    bit_reader bits;
    const bit_vector x = bits(a), y = bits(b);
    return bits.same(x, y);
  } catch (const not_bits&) {
    return false;
  } catch (const limit_error&) {
    return false;
  }
}

}  // namespace twofold::analyser
