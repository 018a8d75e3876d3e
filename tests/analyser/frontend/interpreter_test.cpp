// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The specs of real loops, run by the machine interpreter, against the same loops compiled: integers bit for bit, reals to
//! the last bit where the order of operations is the same, else to a few units.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "ir/evaluate.hpp"
#include "support.hpp"

namespace loops {
#include "loops/effects.cpp"
#include "loops/entries.cpp"
#include "loops/integers.cpp"
#include "loops/ranges.cpp"
#include "loops/reals.cpp"
#include "loops/references.cpp"
}  // namespace loops

namespace twofold::analyser::test {
namespace {

using outputs = std::map<std::string, std::vector<machine>>;

template <class T>
machine to_machine(T v) {
  if constexpr (std::is_floating_point_v<T>) return {static_cast<double>(v)};
  else if constexpr (std::is_enum_v<T>) return to_machine(static_cast<std::underlying_type_t<T>>(v));
  else if constexpr (std::is_signed_v<T>) return {static_cast<std::int64_t>(v)};
  else return {static_cast<std::uint64_t>(v)};
}

//! Draws entries: small ones often, so that branches are taken; special ones if asked for.
struct generator {
  std::mt19937_64 random{12345};
  bool special = false;
  std::string alphabet;

  template <class T>
  T draw() {
    if constexpr (std::is_same_v<T, bool>) return random() % 3 != 0;
    else if constexpr (std::is_same_v<T, char>)
      return alphabet.empty() ? static_cast<char>(random() % 128) : alphabet[random() % alphabet.size()];
    else if constexpr (std::is_floating_point_v<T>) {
      if (special && random() % 4 == 0) {
        const T values[] = {T(0),
                            -T(0),
                            std::numeric_limits<T>::infinity(),
                            -std::numeric_limits<T>::infinity(),
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::denorm_min()};
        return values[random() % 6];
      }
      if (random() % 2) return static_cast<T>(static_cast<int>(random() % 13) - 6) / 2;
      return static_cast<T>(std::normal_distribution<double>(0, 3)(random));
    } else {
      if (random() % 4 == 0 && sizeof(T) < 4) return static_cast<T>(random());
      if (random() % 4 == 0 && std::is_unsigned_v<T>) return static_cast<T>(random());
      return static_cast<T>(static_cast<int>(random() % 9) - (std::is_signed_v<T> ? 4 : 0));
    }
  }
};

//! One call's arguments, kept alive; and what the interpreter is given.
struct call_data {
  generator& g;
  const spec& s;
  std::size_t n, d;
  std::size_t next = 0, lengths = 0;
  run_inputs in{};
  outputs expected{};
  std::vector<std::function<void()>> after{};
  std::vector<std::shared_ptr<void>> kept{};

  const parameter& take() { return s.parameters.at(next++); }

  template <class T>
  std::shared_ptr<std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>>> entries(const parameter& p, std::size_t size) {
    using stored = std::conditional_t<std::is_same_v<T, bool>, char, T>;
    auto v = std::make_shared<std::vector<stored>>();
    for (std::size_t i = 0; i < size; ++i) {
      v->push_back(static_cast<stored>(g.draw<T>()));
      in.arrays[p.name].push_back(to_machine(static_cast<T>(v->back())));
    }
    in.arrays[p.name];
    kept.push_back(v);
    return v;
  }
};

template <class A>
struct argument {
  static A make(call_data& c) {  // a number
    const parameter& p = c.take();
    A v;
    if (p.role == parameter_role::length) v = static_cast<A>(c.lengths++ == 0 ? c.n : c.d);
    else v = c.g.draw<A>();
    c.in.scalars[p.name] = to_machine(v);
    return v;
  }
};
template <class T>
struct argument<const T*> {
  static const T* make(call_data& c) {
    const parameter& p = c.take();
    const bool columns = p.role == parameter_role::invariant_array;
    auto v = c.entries<T>(p, columns                 ? c.d
                             : p.extents.size() == 2 ? c.n * (p.extents[1]->is(op::number) ? p.extents[1]->value.get_num().get_ui() : c.d)
                                                     : c.n);
    return reinterpret_cast<const T*>(v->data());
  }
};
//! An array of structs: for each number in them an array of its own.
template <>
struct argument<const std::vector<loops::place_on_line>&> {
  static const std::vector<loops::place_on_line>& make(call_data& c) {
    auto v = std::make_shared<std::vector<loops::place_on_line>>(c.n);
    const auto at = c.entries<double>(c.take(), c.n);
    const auto who = c.entries<int>(c.take(), c.n);
    for (std::size_t i = 0; i < c.n; ++i) (*v)[i] = {(*at)[i], (*who)[i]};
    c.kept.push_back(v);
    return *v;
  }
};
template <>
struct argument<const loops::place_on_line*> {
  static const loops::place_on_line* make(call_data& c) { return argument<const std::vector<loops::place_on_line>&>::make(c).data(); }
};
template <>
struct argument<const std::vector<bool>&> {
  static const std::vector<bool>& make(call_data& c) {
    const auto bits = c.entries<bool>(c.take(), c.n);
    auto v = std::make_shared<std::vector<bool>>(bits->begin(), bits->end());
    c.kept.push_back(v);
    return *v;
  }
};
template <class T>
struct argument<T*> {
  static T* make(call_data& c) {
    const parameter& p = c.take();
    const std::string name = p.name;
    const std::size_t size = std::max<std::size_t>(c.n * c.d, 64);
    auto v = std::make_shared<std::vector<T>>();
    const bool read_too = std::any_of(c.s.passes.begin(), c.s.passes.end(), [&](const pass& l) {
      return std::any_of(l.elements.begin(), l.elements.end(), [&](const element& e) { return e.array == name; });
    });
    if (read_too) v = c.entries<T>(p, c.n);
    else v->resize(size);
    c.kept.push_back(v);
    c.expected[name];
    c.after.push_back([v, name, &c] {
      for (const T& x : *v) c.expected[name].push_back(to_machine(x));
    });
    return v->data();
  }
};
template <class T>
struct argument<T&> {
  static T& make(call_data& c) {
    const std::string name = c.take().name;
    auto v = std::make_shared<T>(c.g.draw<T>());
    c.in.scalars[name] = to_machine(*v);
    c.kept.push_back(v);
    c.after.push_back([v, name, &c] { c.expected[name] = {to_machine(*v)}; });
    return *v;
  }
};
template <class T>
struct argument<std::span<const T>> {
  static std::span<const T> make(call_data& c) { return *c.entries<T>(c.take(), c.n); }
};
template <class T>
struct argument<const std::vector<T>&> {
  static const std::vector<T>& make(call_data& c) { return *c.entries<T>(c.take(), c.n); }
};
template <>
struct argument<std::string_view> {
  static std::string_view make(call_data& c) {
    auto v = c.entries<char>(c.take(), c.n);
    return {v->data(), v->size()};
  }
};

void give_result(outputs& o, const loops::welford_result& r) {
  o["return.mean"] = {{r.mean}};
  o["return.variance"] = {{r.variance}};
}
void give_result(outputs& o, const loops::place_on_line& r) {
  o["return.at"] = {{r.at}};
  o["return.who"] = {to_machine(r.who)};
}
template <class T>
void give_result(outputs& o, const std::optional<T>& r) {
  o["return.has_value"] = {to_machine(r.has_value())};
  o["return.value"] = {to_machine(r.value_or(T{}))};
}
template <class T>
requires std::is_arithmetic_v<T>
void give_result(outputs& o, T r) { o["return"] = {to_machine(r)}; }

double real(const machine& m) {
  return std::visit([](auto v) { return static_cast<double>(v); }, m.value);
}

bool same(const machine& a, const machine& b, double tolerance) {
  if (!std::holds_alternative<double>(b.value))
    return std::visit([](auto v) { return static_cast<std::uint64_t>(v); }, a.value) ==
           std::visit([](auto v) { return static_cast<std::uint64_t>(v); }, b.value);
  const double x = real(a), y = real(b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  return x == y || std::abs(x - y) <= tolerance * std::max(std::abs(x), std::abs(y));
}

struct how {
  double tolerance = 0;
  bool special = false;
  std::size_t from = 0;
  std::string alphabet = "()ab  \n";
};

const frontend_result& file_of(const std::string& name) {
  static std::map<std::string, frontend_result> all;
  auto [it, fresh] = all.try_emplace(name);
  if (fresh) it->second = read_source(std::string(TWOFOLD_SOURCE_DIR) + "/tests/analyser/frontend/loops/" + name, "", cached());
  return it->second;
}

template <class R, class... A>
void compare(const std::string& file, const std::string& name, R (*f)(A...), const how& h) {
  const frontend_result& r = file_of(file);
  const auto s = std::find_if(r.specs.begin(), r.specs.end(), [&](const spec& x) { return x.function == name; });
  if (s == r.specs.end()) {
    std::string why = "not read";
    for (const frontend_error& e : r.errors) why += "\n" + describe(e);
    FAIL() << name << ": " << why;
  }
  generator g;
  g.special = h.special, g.alphabet = h.alphabet;
  for (std::size_t round = 0; round < 60; ++round) {
    call_data c{.g = g, .s = *s, .n = h.from + round % 23, .d = 1 + round % 4};
    const std::tuple<A...> arguments{argument<A>::make(c)...};
    if constexpr (std::is_void_v<R>) std::apply(f, arguments);
    else give_result(c.expected, std::apply(f, arguments));
    for (const auto& a : c.after) a();
    outputs got;
    try {
      got = run_machine(*s, c.in);
    } catch (const std::exception& e) {
      FAIL() << name << " n=" << c.n << ": " << e.what() << "\n" << dump(*s);
    }
    ASSERT_FALSE(got.empty()) << name;
    for (const auto& [what, values] : got) {
      ASSERT_TRUE(c.expected.contains(what)) << name << ": " << what << "\n" << dump(*s);
      ASSERT_LE(values.size(), c.expected[what].size()) << name << ": " << what;
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_TRUE(same(values[i], c.expected[what][i], h.tolerance))
            << name << " n=" << c.n << " d=" << c.d << ": " << what << "[" << i << "] is " << real(values[i]) << ", compiled "
            << real(c.expected[what][i]) << "\n"
            << dump(*s);
    }
  }
}

#define COMPARE(file, function, ...) \
  TEST(Interpreter, function) { compare(file, #function, &loops::function, how{__VA_ARGS__}); }

COMPARE("effects.cpp", sought_by_condition)
COMPARE("effects.cpp", two_positions)
COMPARE("effects.cpp", sought_backwards)
COMPARE("effects.cpp", counted_down)
COMPARE("effects.cpp", counted_down_and_left)
COMPARE("effects.cpp", looks_counted)
COMPARE("effects.cpp", last_look_kept)
COMPARE("effects.cpp", sign_of_last_look)
COMPARE("effects.cpp", looks_by_reference)
COMPARE("effects.cpp", stepped_once)
COMPARE("effects.cpp", operand_with_an_effect)
COMPARE("effects.cpp", chosen_or_infinite)
COMPARE("effects.cpp", infinite_where_not_positive)
COMPARE("effects.cpp", field_beside_array, .from = 1)
COMPARE("effects.cpp", wrapped_index)
COMPARE("effects.cpp", wrapped_comparison)
COMPARE("effects.cpp", own_started, .from = 1)
COMPARE("effects.cpp", own_previous, .from = 1)
COMPARE("effects.cpp", previous_beside_array, .from = 1)
COMPARE("entries.cpp", last_of_the_largest, .from = 1)
COMPARE("entries.cpp", value_of_the_smallest, .from = 1)
COMPARE("entries.cpp", largest_by_pointer, .from = 1)
COMPARE("entries.cpp", last_above_previous_hit)
COMPARE("entries.cpp", first_and_last, .from = 1)
COMPARE("entries.cpp", spread_and_ends, .tolerance = 1e-14, .from = 1)
COMPARE("entries.cpp", shifted_sum_of_squares, .from = 1)
COMPARE("entries.cpp", above_first, .from = 1)
COMPARE("entries.cpp", summed_until_marker)
COMPARE("entries.cpp", left_in_two_ways)
COMPARE("entries.cpp", until_the_sum_is_large, .from = 1)
COMPARE("entries.cpp", counted_in_the_condition)
COMPARE("entries.cpp", continued)
COMPARE("entries.cpp", two_sought)
COMPARE("entries.cpp", sought_with_the_index_moved)
COMPARE("entries.cpp", smallest_or_minus_one)
COMPARE("entries.cpp", leftmost)
COMPARE("entries.cpp", earliest_leftmost)
COMPARE("entries.cpp", weighted)
COMPARE("entries.cpp", longest_run_of_true)
COMPARE("entries.cpp", count_of_true)
COMPARE("entries.cpp", bits_set)
COMPARE("entries.cpp", parity_of_all)
COMPARE("entries.cpp", first_larger)
COMPARE("entries.cpp", largest_if_any)
COMPARE("entries.cpp", since_reset)
COMPARE("ranges.cpp", stopped_at)
COMPARE("ranges.cpp", two_ends)
COMPARE("ranges.cpp", wrapped_and_widened)
COMPARE("ranges.cpp", table_by_wrapped_sum)
COMPARE("ranges.cpp", decayed_output)
COMPARE("ranges.cpp", pairs_after_first)
COMPARE("ranges.cpp", digits)
COMPARE("ranges.cpp", decayed_if_not_first)
COMPARE("references.cpp", reference_to_either)
COMPARE("references.cpp", counted_either)
COMPARE("references.cpp", added_to_either)
COMPARE("references.cpp", pointer_to_either)
COMPARE("references.cpp", method_of_either)
COMPARE("references.cpp", field_of_either)
COMPARE("references.cpp", larger_while_it_changes)
COMPARE("references.cpp", clamped_while_it_changes)
COMPARE("references.cpp", larger_kept)
COMPARE("references.cpp", copied_with_effect)
COMPARE("references.cpp", moved_pointer)
COMPARE("references.cpp", added_as_integers)
COMPARE("references.cpp", added_as_bytes)
COMPARE("references.cpp", subtracted_unsigned)
COMPARE("reals.cpp", online_softmax, .special = false)
COMPARE("reals.cpp", online_softmax_branch)
COMPARE("reals.cpp", softmax_three_walks, .from = 1)
COMPARE("reals.cpp", softmax_in_place)
COMPARE("reals.cpp", log_sum_exp_numeric, .tolerance = 1e-15, .from = 1)
COMPARE("reals.cpp", welford)
COMPARE("reals.cpp", welford_by_index)
COMPARE("reals.cpp", variance_two_walks)
COMPARE("reals.cpp", mean_of_struct, .special = true)
COMPARE("reals.cpp", ema, .special = true)
COMPARE("reals.cpp", ema_from_first, .from = 1)
COMPARE("reals.cpp", horner_pointer, .special = true)
COMPARE("reals.cpp", horner_reverse, .special = true)
COMPARE("reals.cpp", reverse_unsigned, .special = true)
COMPARE("reals.cpp", dot, .special = true)
COMPARE("reals.cpp", dot_iterators, .special = true)
COMPARE("reals.cpp", total_variation, .from = 1)
COMPARE("reals.cpp", total_variation_flag)
COMPARE("reals.cpp", trapezoid)
COMPARE("reals.cpp", quantised)
COMPARE("reals.cpp", range_of, .special = true)
COMPARE("reals.cpp", range_out, .from = 1)
COMPARE("reals.cpp", argmax, .from = 1)
COMPARE("reals.cpp", clamp_walk, .special = true)
COMPARE("reals.cpp", sum_until_negative, .special = true)
COMPARE("reals.cpp", first_above, .special = true)
COMPARE("reals.cpp", skip_negative, .special = true)
COMPARE("reals.cpp", lambda_sum, .special = true)
COMPARE("reals.cpp", norm, .special = true)
COMPARE("reals.cpp", attention)
COMPARE("reals.cpp", attention_online)
COMPARE("reals.cpp", matrix_sum, .tolerance = 1e-12)
COMPARE("reals.cpp", max_of_row_minima, .special = true)
COMPARE("reals.cpp", column_means, .special = true)
COMPARE("reals.cpp", pairs, .special = true)
COMPARE("reals.cpp", prefix_sum, .special = true)
COMPARE("reals.cpp", normalise, .special = true)
COMPARE("reals.cpp", mixed_precision, .special = true)
COMPARE("reals.cpp", makes_no_difference)
COMPARE("reals.cpp", tells_the_first)
COMPARE("reals.cpp", masked_softmax)
COMPARE("reals.cpp", lowest_positive)
COMPARE("reals.cpp", ema_through_memory, .from = 1)
COMPARE("reals.cpp", prefix_through_memory, .from = 1)
COMPARE("reals.cpp", prefix_in_place, .from = 1)
COMPARE("reals.cpp", suffix_through_memory, .from = 1)
COMPARE("reals.cpp", decayed_past, .from = 1)
COMPARE("reals.cpp", places_of_row_maxima)
COMPARE("reals.cpp", best_left_strip)
COMPARE("reals.cpp", best_top_left_rectangle)

COMPARE("integers.cpp", kadane)
COMPARE("integers.cpp", max_from_first, .from = 1)
COMPARE("integers.cpp", max_from_minimum)
COMPARE("integers.cpp", sorted_previous)
COMPARE("integers.cpp", sorted_neighbours)
COMPARE("integers.cpp", balanced)
COMPARE("integers.cpp", words)
COMPARE("integers.cpp", majority)
COMPARE("integers.cpp", longest_run)
COMPARE("integers.cpp", parse_number)
COMPARE("integers.cpp", polynomial_hash)
COMPARE("integers.cpp", checksum16)
COMPARE("integers.cpp", xor_all)
COMPARE("integers.cpp", sum_of_bytes)
COMPARE("integers.cpp", average_of_bytes)
COMPARE("integers.cpp", shifts)
COMPARE("integers.cpp", adler)
COMPARE("integers.cpp", count_even)
COMPARE("integers.cpp", any_zero)
COMPARE("integers.cpp", first_index)
COMPARE("integers.cpp", index_with_break)
COMPARE("integers.cpp", last_index)
COMPARE("integers.cpp", weighted_by_index)
COMPARE("integers.cpp", alternating)
COMPARE("integers.cpp", gcd_all)
COMPARE("integers.cpp", countdown)
COMPARE("integers.cpp", two_counters)
COMPARE("integers.cpp", automaton)
COMPARE("integers.cpp", table_walk)
COMPARE("integers.cpp", histogram)
COMPARE("integers.cpp", small_histogram)
COMPARE("integers.cpp", second_largest)
COMPARE("integers.cpp", truncated)
COMPARE("integers.cpp", early_exits)
COMPARE("integers.cpp", longest_equal_run)

}  // namespace
}  // namespace twofold::analyser::test
