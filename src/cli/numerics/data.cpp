// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Inputs for a user's loop.
#include "numerics/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "failure.hpp"
#include "ir/evaluate.hpp"
#include "npy.hpp"
#include "twofold/numerics/families.hpp"

namespace twofold::cli::accuracy {
using namespace analyser;
using bounding::ball;

namespace {

struct drawn {
  const char* kind;
  const numerics::family* family;
};
const std::vector<drawn>& all_families() {
  static const std::vector<drawn> all = [] {
    std::vector<drawn> list;
    for (const auto& f : numerics::score_families) list.push_back({"scores", &f});
    for (const auto& f : numerics::value_families) list.push_back({"values", &f});
    for (const auto& f : numerics::scale_families) list.push_back({"scales", &f});
    return list;
  }();
  return all;
}

//! Lengths: symbols of extents and of the loop's range, each with a size.
std::map<term, std::int64_t> sizes_for(const spec& s, const data_request& r) {
  std::map<term, std::int64_t> sizes;
  const auto learn = [&](term t, std::int64_t size) {
    if (!t) return;
    for (term x : symbols(t)) {
      if (!(x->is_symbol(symbol_kind::parameter) || x->is_symbol(symbol_kind::length)) || sizes.contains(x)) continue;
      const auto set = r.values.scalars.find(x->name);
      sizes[x] = set != r.values.scalars.end() ? std::atoll(set->second.c_str()) : size;
    }
  };
  for (const pass& p : s.passes) learn(p.end, r.n), learn(p.begin, 0);
  for (const parameter& p : s.parameters)
    for (term e : p.extents) learn(e, r.inner);
  for (const pass& p : s.passes)
    for (const element& e : p.elements) learn(e.row_extent, r.inner);
  return sizes;
}

std::int64_t value_of(term t, const std::map<term, std::int64_t>& sizes, const spec& s) {
  exact_environment env;
  for (const auto& [x, v] : sizes) env[x].value = mpq_class(static_cast<signed long>(v));
  const auto v = evaluate(t, env);
  if (!v || v->kind != exact::kind::finite || v->value.get_den() != 1 || !v->value.get_num().fits_slong_p())
    throw failure(exit_code::bad_input, "TF2116", "the length " + to_text(t) + " does not follow from n",
                  "arrays for the check are made to measure", "give arrays with --input, or lengths with --set", s.where);
  return std::max<std::int64_t>(0, v->value.get_num().get_si());
}

template <class T>
void append(npy_array& a, T v) {
  const auto at = a.data.size();
  a.data.resize(at + sizeof v);
  std::memcpy(a.data.data() + at, &v, sizeof v);
}

void append_value(npy_array& a, type t, double real, std::int64_t whole) {
  if (t.kind == sort::boolean) return append(a, static_cast<std::uint8_t>(whole & 1));
  if (t.kind == sort::real) return t.bits == 32 ? append(a, static_cast<float>(real)) : append(a, real);
  if (!t.is_signed) whole = std::abs(whole);
  switch (t.bits) {
    case 8:
      return append(a, static_cast<std::int8_t>(whole));
    case 16:
      return append(a, static_cast<std::int16_t>(whole));
    case 32:
      return append(a, static_cast<std::int32_t>(whole));
    default:
      return append(a, whole);
  }
}

npy_array array_for(const parameter& p, std::vector<std::int64_t> shape, const numerics::family& f, laws::random& random) {
  npy_array a{dtype_of(p.element), std::move(shape), {}};
  std::vector<double> real(static_cast<std::size_t>(a.count()));
  const bool is_real = p.element.kind == sort::real;
  if (is_real && !real.empty()) f.fill(random, real.data(), a.count(), p.element.bits == 32 ? 0x1p-24 : 0x1p-53);
  for (const double v : real) append_value(a, p.element, v, is_real ? 0 : static_cast<std::int64_t>(random.next() % 101) - 50);
  return a;
}

ball ball_of(const npy_array& a, std::size_t i, type t) {
  const std::size_t bytes = dtype_bytes(a.dtype);
  const std::byte* at = a.data.data() + i * bytes;
  const auto as = [&]<class T>(T v) {
    std::memcpy(&v, at, sizeof v);
    return v;
  };
  if (t.kind == sort::real)
    return {bytes == 4 ? static_cast<long double>(as(float{})) : static_cast<long double>(as(double{})), 0, 0, sort::real, true};
  std::int64_t v = 0;
  switch (bytes) {
    case 1:
      v = t.is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
      break;
    case 2:
      v = t.is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
      break;
    case 4:
      v = t.is_signed ? static_cast<std::int64_t>(as(std::int32_t{})) : static_cast<std::int64_t>(as(std::uint32_t{}));
      break;
    default:
      v = as(std::int64_t{});
  }
  return {0, 0, v, t.kind, true};
}

}  // namespace

int data_families() { return static_cast<int>(all_families().size()); }
std::string data_family(int k) {
  const drawn& d = all_families()[static_cast<std::size_t>(k)];
  return fmt::format("{}, {}", d.kind, d.family->name);
}

given make_data(const spec& s, const data_request& r, int family, std::uint64_t seed, const std::string& folder) {
  laws::random random(seed * 0x9E3779B97F4A7C15u + static_cast<unsigned>(family));
  const numerics::family* next = all_families()[static_cast<std::size_t>(family)].family;
  const std::map<term, std::int64_t> sizes = sizes_for(s, r);
  given g = r.values;
  std::int64_t last_read = 0;
  for (const pass& p : s.passes)
    for (const element& e : p.elements) last_read = std::max<std::int64_t>(last_read, e.offset);
  for (const parameter& p : s.parameters) {
    if (is_array(p)) {
      if (g.arrays.contains(p.name) || p.role == parameter_role::output_array) continue;
      std::vector<std::int64_t> shape;
      for (std::size_t k = 0; k < p.extents.size(); ++k) {
        const term e = p.extents[k];
        shape.push_back(e ? value_of(e, sizes, s) : k == 0 ? r.n + last_read : r.inner);
      }
      if (shape.empty()) shape.push_back(r.n + last_read);
      const std::string path = fmt::format("{}/{}.npy", folder, p.name);
      write_npy(path, array_for(p, shape, *next, random));
      g.arrays[p.name] = path;
      if (p.element.kind == sort::real && random.next() % 2 == 0)
        next = &numerics::value_families[random.next() % std::size(numerics::value_families)];
      continue;
    }
    if (g.scalars.contains(p.name)) continue;
    const term x = symbol(symbol_kind::parameter, p.name, p.element);
    if (auto it = sizes.find(x); it != sizes.end()) g.scalars[p.name] = std::to_string(it->second);
    else if (p.role == parameter_role::scalar)
      g.scalars[p.name] = p.element.kind == sort::real ? "0.25" : p.element.kind == sort::boolean ? "true" : "3";
  }
  return g;
}

bounding::loop_data loop_data_of(const spec& s, const binding& b) {
  bounding::loop_data d;
  d.first = b.first, d.last = b.last;
  for (const auto& [x, v] : b.sizes) d.scalars[x] = {0, 0, v, sort::integer, true};
  for (std::size_t k = 0; k < s.parameters.size(); ++k) {
    const parameter& p = s.parameters[k];
    const npy_array& a = b.parameters[k].value;
    if (!is_array(p)) {
      if (a.data.empty()) continue;
      const ball v = ball_of(a, 0, p.element);
      d.scalars[symbol(symbol_kind::parameter, p.name, p.element)] = v;
      d.scalars[symbol(symbol_kind::length, p.name, p.element)] = v;
      continue;
    }
    const term name = symbol(symbol_kind::array, p.name, p.element);
    std::vector<ball>& entries = d.arrays[name];
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.count()); ++i) entries.push_back(ball_of(a, i, p.element));
    if (a.shape.size() > 1) {
      std::vector<std::size_t>& shape = d.shapes[name];
      for (const std::int64_t n : a.shape) shape.push_back(static_cast<std::size_t>(n));
    } else if (p.extents.size() > 1 && p.extents[1]) {
      const auto row = static_cast<std::size_t>(std::max<std::int64_t>(1, size_of(p.extents[1], b, p.name)));
      d.shapes[name] = {entries.size() / row, row};
    }
  }
  return d;
}

}  // namespace twofold::cli::accuracy
