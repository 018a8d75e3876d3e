// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a term of a loop sees at one moment of a word, and tuples of values as numbers. Internal to word_runner.
#pragma once

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "refute/alphabet.hpp"
#include "refute/enclosure.hpp"

namespace twofold::analyser::refuting {

inline std::size_t mix_hash(std::size_t h, std::size_t v) { return h ^ (v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2)); }
inline std::size_t hash_of(const mpz_class& z) {
  return mix_hash(mpz_get_ui(z.get_mpz_t()), mpz_size(z.get_mpz_t()) * 4 + static_cast<std::size_t>(sgn(z) + 1));
}
inline std::size_t hash_of(const mpq_class& q) { return mix_hash(hash_of(q.get_num()), hash_of(q.get_den())); }
inline std::size_t hash_of(const exact& e) {
  const std::size_t h = static_cast<std::size_t>(e.kind) + 1;
  return e.kind == exact::kind::finite ? mix_hash(h, hash_of(e.value)) : h;
}
inline std::size_t hash_of(const enclosure& e) { return e.thick ? mix_hash(hash_of(e.low), hash_of(e.high)) : hash_of(e.v); }
struct tuple_hash {
  template <class Value>
  std::size_t operator()(const std::vector<Value>& t) const {
    std::size_t h = t.size();
    for (const Value& e : t) h = mix_hash(h, hash_of(e));
    return h;
  }
};

//! Tuples of values as small numbers.
template <class Value>
class tuple_table {
 public:
  int number(std::vector<Value> t) {
    const auto [it, fresh] = numbers_.try_emplace(std::move(t), static_cast<int>(tuples_.size()));
    if (fresh) tuples_.push_back(&it->first);
    return it->second;
  }
  const std::vector<Value>& operator[](int n) const { return *tuples_[static_cast<std::size_t>(n)]; }

 private:
  std::unordered_map<std::vector<Value>, int, tuple_hash> numbers_;
  std::vector<const std::vector<Value>*> tuples_;
};

//! Everything a term may ask for at one moment.
template <class Value>
struct moment {
  std::span<const letter_id> string;
  long at = 0;  // iteration, counted in the word
  long index = 0, length = 0;
  const std::vector<Value>* state = nullptr;    // of the running pass
  const std::vector<Value>* results = nullptr;  // of the earlier ones
};

struct slice {
  std::size_t at = 0, extent = 1;
  bool vector = false;
};

//! What the symbols of one pass, or of the outputs, stand for.
struct meaning {
  enum class kind { element, state, result, index, length };
  kind what;
  slice where;           // state, result
  std::size_t tape = 0;  // element
  long offset = 0;       // element: letters after the first of the window; length: what the parameter is more than it
};
using dictionary = std::map<term, meaning>;

inline exact integer(long v) {
  exact e;
  e.value = v;
  return e;
}

//! Number systems that words can be run in.
struct exact_system {
  using value = exact;
  using program = exact_program;
};
struct enclosure_system {
  using value = enclosure;
  using program = enclosure_program;
};

//! Letters in a number system: letter → tape → entries.
template <class Value>
using letters_as = std::vector<std::vector<std::vector<Value>>>;

//! A program whose inputs are bound to the moment.
template <class System>
class bound_program {
  using value_type = typename System::value;

 public:
  bound_program(std::vector<term> roots, const dictionary& names, const setting& fixed, bool powers_of_two)
      : program_(std::move(roots), powers_of_two) {
    for (term s : program_.inputs()) {
      if (auto it = names.find(s); it != names.end()) inputs_.emplace_back(program_.slot(s), it->second);
      else if (s->is_symbol(symbol_kind::component)) components_.push_back(program_.slot(s));
      else if (auto v = fixed.scalars.find(s); v != fixed.scalars.end()) program_.set(s, v->second);
    }
    for (term a : program_.arrays()) {
      if (auto it = names.find(a); it != names.end()) arrays_.emplace_back(a, it->second);
      else if (auto v = fixed.arrays.find(a); v != fixed.arrays.end()) {
        auto shape = fixed.shapes.find(a);
        fixed_arrays_.emplace_back(v->second.begin(), v->second.end());
        program_.set_array(a, fixed_arrays_.back(), shape == fixed.shapes.end() ? std::vector<std::size_t>{} : shape->second);
      }
    }
  }
  bool uses(enum meaning::kind k) const {
    return std::any_of(inputs_.begin(), inputs_.end(), [&](const auto& i) { return i.second.what == k; });
  }

  void run(const moment<value_type>& now, const letters_as<value_type>& letters, std::size_t component) {
    for (const auto& [slot, m] : inputs_) {
      switch (m.what) {
        case meaning::kind::element:
          program_.set(slot, entries(now, letters, m)[0]);
          break;
        case meaning::kind::index:
          program_.set(slot, integer(now.index));
          break;
        case meaning::kind::length:
          program_.set(slot, integer(now.length + m.offset));
          break;
        default:
          program_.set(slot, (*(m.what == meaning::kind::state ? now.state : now.results))[m.where.at + (m.where.vector ? component : 0)]);
      }
    }
    for (const auto& [array, m] : arrays_) {
      if (m.what == meaning::kind::element) program_.set_array(array, entries(now, letters, m));
      else
        program_.set_array(array,
                           std::span(*(m.what == meaning::kind::state ? now.state : now.results)).subspan(m.where.at, m.where.extent));
    }
    for (std::size_t c : components_) program_.set(c, integer(static_cast<long>(component)));
    program_.run();
  }
  const value_type* value(std::size_t root) const { return program_.value(root); }

 private:
  static const std::vector<value_type>& entries(const moment<value_type>& now, const letters_as<value_type>& letters, const meaning& m) {
    return letters[now.string[static_cast<std::size_t>(now.at + m.offset)]][m.tape];
  }

  typename System::program program_;
  std::deque<std::vector<value_type>> fixed_arrays_;
  std::vector<std::pair<std::size_t, meaning>> inputs_;
  std::vector<std::pair<term, meaning>> arrays_;
  std::vector<std::size_t> components_;
};

}  // namespace twofold::analyser::refuting
