// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scalars of every dtype, read from text and shown.
#include "scalar_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace twofold::cli {
using json = nlohmann::ordered_json;

namespace {

//! Calls f with a value of the C++ type that the dtype names.
template <class F>
auto with_type(const std::string& dtype, F&& f) {
  if (dtype == "<f4") return f(float{});
  if (dtype == "<f8") return f(double{});
  if (dtype == "|i1") return f(std::int8_t{});
  if (dtype == "<i2") return f(std::int16_t{});
  if (dtype == "<i4") return f(std::int32_t{});
  if (dtype == "<i8") return f(std::int64_t{});
  if (dtype == "<u2") return f(std::uint16_t{});
  if (dtype == "<u4") return f(std::uint32_t{});
  if (dtype == "<u8") return f(std::uint64_t{});
  return f(std::uint8_t{});  // |u1 and |b1: a byte
}

template <class T>
T element(const npy_array& a, std::size_t i) {
  T v;
  std::memcpy(&v, a.data.data() + i * sizeof(T), sizeof v);
  return v;
}

json number_json(double d, const std::string& shortest) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d > 0 ? "inf" : "-inf";
  // 10 of a float type is 10.0: a script that reads it sees the type
  return json::parse(shortest.find_first_of(".e") == std::string::npos ? shortest + ".0" : shortest);
}

template <class T>
double distance_of(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) && std::isnan(y)) return 0;
    return x == y ? 0 : std::abs(static_cast<double>(x) - static_cast<double>(y));
  } else {
    // in the type itself, modulo 2^64: doubles of two large neighbours may be equal
    const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
    return static_cast<double>(x > y ? a - b : b - a);
  }
}

}  // namespace

bool parse_scalar(const std::string& text, const std::string& dtype, npy_array& out) {
  out = {dtype, {}, std::vector<std::byte>(dtype_bytes(dtype))};
  if (dtype == "|b1") {
    const bool on = text == "true" || text == "1";
    if (!on && text != "false" && text != "0") return false;
    out.data[0] = std::byte{on};
    return true;
  }
  return with_type(dtype, [&](auto v) {
    const char* begin = text.data() + (text.size() > 1 && text[0] == '+');
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, v);
    if (error != std::errc{} || stop != end || text.empty()) return false;
    std::memcpy(out.data.data(), &v, sizeof v);
    return true;
  });
}

double element_value(const npy_array& a, std::size_t i) {
  return with_type(a.dtype, [&](auto v) { return static_cast<double>(element<decltype(v)>(a, i)); });
}

json element_json(const npy_array& a, std::size_t i) {
  if (a.dtype == "|b1") return element<std::uint8_t>(a, i) != 0;
  return with_type(a.dtype, [&](auto v) -> json {
    const auto x = element<decltype(v)>(a, i);
    if constexpr (std::is_floating_point_v<decltype(v)>)
      return number_json(static_cast<double>(x), std::isfinite(x) ? fmt::format("{}", x) : "0");
    else return x;
  });
}

std::string element_text(const npy_array& a, std::size_t i) {
  const json j = element_json(a, i);
  return j.is_string() ? j.get<std::string>() : j.dump();
}

json array_json(const npy_array& a, const std::string& file) {
  if (a.shape.empty()) return element_json(a, 0);
  if (a.count() <= 16 && file.empty()) {
    json list = json::array();
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.count()); ++i) list.push_back(element_json(a, i));
    return list;
  }
  return {{"dtype", dtype_name(a.dtype)}, {"shape", a.shape}, {"file", file.empty() ? json(nullptr) : json(file)}};
}

double max_difference(const npy_array& a, const npy_array& b) {
  double worst = 0;
  with_type(a.dtype, [&](auto v) {
    using T = decltype(v);
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.count()); ++i) {
      const double d = distance_of(element<T>(a, i), element<T>(b, i));
      if (std::isnan(d)) worst = std::numeric_limits<double>::quiet_NaN();
      else if (d > worst) worst = d;  // false once worst is NaN
    }
  });
  return worst;
}

}  // namespace twofold::cli
