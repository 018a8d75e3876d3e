// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Saving and loading states, so that they merge wherever and whenever they were made.
//!
//! The format, all numbers little-endian whatever the machine:
//!     "TFST" · version u16 · tag length u16 · operator tag · payload size u64 · payload · CRC-32 of all before
//! The payload is, for each number of the state, one byte for its type and its bytes; a vector of run-time size is
//! preceded by its length. Nothing is believed: every length is checked against the bytes that are there before
//! anything is allocated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "twofold/algebra/error.hpp"
#include "twofold/algebra/fields.hpp"
#include "twofold/algebra/opposite.hpp"
#include "twofold/algebra/product.hpp"
#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

using bytes = std::vector<std::uint8_t>;
inline constexpr std::uint16_t state_version = 1;

namespace detail {

//! The name under which a reduction's states are saved: its `tag`. States of an opposite are states of the same
//! monoid read backwards.
template <class R>
struct operator_tag {
  static std::string name() {
    static_assert(
        requires { R::tag; },
        "TF1013: to save states, give the operator `static constexpr const char* tag = \"name\"` "
        "(TF1013: twofold explain TF1013)");
    return R::tag;
  }
};
template <class R>
struct operator_tag<opposite<R>> {
  static std::string name() { return "opposite(" + operator_tag<R>::name() + ")"; }
};
template <class... R>
struct operator_tag<product<R...>> {
  static std::string name() {
    std::string all;
    ((all += (all.empty() ? "" : ",") + operator_tag<R>::name()), ...);
    return "product(" + all + ")";
  }
};

//! One byte that names a type of number: kind in the high half, size in bytes in the low half. 0x70 is a length.
template <class T>
constexpr std::uint8_t type_code() {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8,
                "TF1014: only numbers of at most 8 bytes are the same on every machine "
                "(TF1014: twofold explain TF1014)");
  constexpr int kind = std::is_same_v<T, bool> ? 1 : std::is_floating_point_v<T> ? 2 : std::is_signed_v<T> ? 3 : 4;
  return static_cast<std::uint8_t>(kind << 4 | sizeof(T));
}
inline constexpr std::uint8_t length_code = 0x78;

inline std::string type_name(std::uint8_t code) {
  const char* const kinds[] = {"?", "bool", "float", "signed", "unsigned"};
  if (code == length_code) return "a length";
  if (code >> 4 == 0 || code >> 4 > 4) return "an unknown type";
  return std::string(kinds[code >> 4]) + " of " + std::to_string(code & 15) + " bytes";
}

inline void put(bytes& out, std::uint64_t x, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<std::uint8_t>(x >> (8 * i)));
}
inline std::uint64_t take(const std::uint8_t* from, std::size_t size) {
  std::uint64_t x = 0;
  for (std::size_t i = 0; i < size; ++i) x |= std::uint64_t{from[i]} << (8 * i);
  return x;
}

//! The bits of a number as an unsigned integer, and back.
template <class T>
constexpr std::uint64_t to_bits(const T& x) {
  if constexpr (std::is_same_v<T, float>) return __builtin_bit_cast(std::uint32_t, x);
  else if constexpr (std::is_same_v<T, double>) return __builtin_bit_cast(std::uint64_t, x);
  else return static_cast<std::uint64_t>(x);
}
template <class T>
constexpr T from_bits(std::uint64_t b) {
  if constexpr (std::is_same_v<T, float>) return __builtin_bit_cast(float, static_cast<std::uint32_t>(b));
  else if constexpr (std::is_same_v<T, double>) return __builtin_bit_cast(double, b);
  else return static_cast<T>(b);
}

//! CRC-32 (ISO 3309), bit by bit: states are small.
inline std::uint32_t crc32(const std::uint8_t* data, std::size_t size) {
  std::uint32_t c = ~0u;
  for (std::size_t i = 0; i < size; ++i) {
    c ^= data[i];
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (0xedb88320u & (0u - (c & 1)));
  }
  return ~c;
}

struct field_writer {
  bytes& out;
  template <class T>
  void operator()(const T& x) const {
    if constexpr (std::is_enum_v<T>) {
      (*this)(static_cast<std::underlying_type_t<T>>(x));
    } else {
      out.push_back(type_code<T>());
      put(out, to_bits(x), sizeof(T));
    }
  }
  template <class V>
  void sized(const V& v) const {
    out.push_back(length_code);
    put(out, static_cast<std::uint64_t>(v.size()), 8);
    for (index i = 0; i < v.size(); ++i) (*this)(v[i]);
  }
};

//! Reads fields until one does not fit; then keeps the first complaint and reads nothing more.
struct field_reader {
  const std::uint8_t* at;
  const std::uint8_t* end;
  std::string complaint{};
  int field = 0;

  //! The bits of the next field, if it has this type.
  std::uint64_t next(std::uint8_t code) {
    if (!complaint.empty()) return 0;
    const std::size_t size = code & 15;
    const std::string where = "field " + std::to_string(++field);
    if (at == end) {
      complaint = where + " is missing";
    } else if (*at != code) {
      complaint = where + " is " + type_name(*at) + " where " + type_name(code) + " is expected";
    } else if (static_cast<std::size_t>(end - at) < 1 + size) {
      complaint = where + " is cut off";
    } else {
      const std::uint64_t b = take(at + 1, size);
      at += 1 + size;
      return b;
    }
    return 0;
  }
  template <class T>
  void operator()(T& x) {
    if constexpr (std::is_enum_v<T>) x = static_cast<T>(from_bits<std::underlying_type_t<T>>(next(type_code<std::underlying_type_t<T>>())));
    else x = from_bits<T>(next(type_code<T>()));
  }
  template <class V>
  void sized(V& v) {
    const std::uint64_t n = next(length_code);
    using T = std::remove_cvref_t<decltype(v[0])>;
    if (complaint.empty() && n > static_cast<std::uint64_t>(end - at) / (1 + sizeof(T)))
      complaint = "a vector of " + std::to_string(n) + " numbers does not fit the bytes that follow";
    if (!complaint.empty()) return;
    v.resize(static_cast<index>(n));
    for (index i = 0; i < v.size(); ++i) (*this)(v[i]);
  }
};

inline constexpr std::size_t header_size = 8;  // magic, version, tag length

//! The payload of a well-formed file, or why it is not one.
inline result<std::string_view> open_state(const std::uint8_t* data, std::size_t size, const std::string& tag) {
  const std::string asked = "to load a state of " + tag;
  const auto cut = [&](std::size_t need) {
    return error("TF2303", asked, std::to_string(size) + " bytes where " + std::to_string(need) + " are announced",
                 "the whole file, as it was saved");
  };
  if (size < 4 || data[0] != 'T' || data[1] != 'F' || data[2] != 'S' || data[3] != 'T')
    return error("TF2301", asked, "the bytes do not begin with \"TFST\"", "bytes that save_state wrote");
  if (size < header_size) return cut(header_size);
  const auto version = take(data + 4, 2);
  if (version != state_version)
    return error("TF2302", asked, "saved in version " + std::to_string(version) + " of the format",
                 "version " + std::to_string(state_version) + ": load and save it again with the Twofold that wrote it, or recompute");
  const std::size_t tag_size = take(data + 6, 2), payload_at = header_size + tag_size + 8;
  if (size < payload_at) return cut(payload_at);
  const std::uint64_t payload = take(data + header_size + tag_size, 8);
  if (payload > size || payload_at + payload + 4 != size) return cut(payload > SIZE_MAX / 2 ? SIZE_MAX : payload_at + payload + 4);
  if (take(data + size - 4, 4) != crc32(data, size - 4))
    return error("TF2304", asked, "the checksum does not match: bytes have changed since it was saved", "an intact copy");
  const std::string_view found(reinterpret_cast<const char*>(data) + header_size, tag_size);
  if (found != tag) return error("TF2305", asked, "this is a state of " + std::string(found), "the operator that made it");
  return std::string_view(reinterpret_cast<const char*>(data) + payload_at, payload);
}

}  // namespace detail

//! @brief  A state as bytes, the same on every machine.
//! @cost   one byte more per number than the numbers themselves, and a header
template <reduction R>
[[nodiscard]] bytes save_state(const R&, const state_of<R>& s) {
  const std::string tag = detail::operator_tag<R>::name();
  bytes payload, out = {'T', 'F', 'S', 'T'};
  for_each_field(s, detail::field_writer{payload});
  detail::put(out, state_version, 2);
  detail::put(out, tag.size(), 2);
  out.insert(out.end(), tag.begin(), tag.end());
  detail::put(out, payload.size(), 8);
  out.insert(out.end(), payload.begin(), payload.end());
  detail::put(out, detail::crc32(out.data(), out.size()), 4);
  return out;
}

//! @brief  The state that was saved, bit for bit.
//! @errors TF2301 not a state · TF2302 another version · TF2303 truncated, or a size that is not the announced one ·
//!         TF2304 damaged · TF2305 of another operator · TF2306 other types of numbers, or a content that this
//!         operator cannot have
template <reduction R>
[[nodiscard]] result<state_of<R>> load_state(const R& r, const std::uint8_t* data, std::size_t size) {
  const std::string tag = detail::operator_tag<R>::name();
  const auto payload = detail::open_state(data, size, tag);
  if (!payload) return payload.why();
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(payload->data());
  detail::field_reader reader{begin, begin + payload->size()};
  state_of<R> s = r.identity();
  for_each_field(s, reader);
  if (reader.complaint.empty() && reader.at != reader.end) reader.complaint = "there are more fields than a state has";
  if constexpr (requires {
                  { r.valid(s) } -> std::convertible_to<bool>;
                }) {
    if (reader.complaint.empty() && !r.valid(s)) reader.complaint = "its sizes are not those of this operator";
  }
  if (!reader.complaint.empty())
    return error("TF2306", "to load a state of " + tag, reader.complaint,
                 "an operator with the same types and sizes as the one that made it");
  return s;
}
//! Bytes in anything with data() and size().
template <reduction R, class Bytes>
[[nodiscard]] result<state_of<R>> load_state(const R& r, const Bytes& b) {
  static_assert(sizeof(*b.data()) == 1);
  return load_state(r, reinterpret_cast<const std::uint8_t*>(b.data()), b.size());
}

TWOFOLD_END_NAMESPACE
