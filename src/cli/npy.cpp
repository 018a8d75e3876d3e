// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The .npy format: magic, version, a header that is a Python literal, then the bytes. Every length is checked before it is
//! believed; the header is read by a small scanner that accepts exactly what NumPy writes (in any order of keys and spacing).
#include "npy.hpp"

#include <array>
#include <cctype>
#include <cstring>
#include <optional>

#include "failure.hpp"

namespace twofold::cli {
namespace {

struct element_kind {
  const char* dtype;
  const char* name;
  std::size_t bytes;
};
constexpr std::array<element_kind, 11> kinds{{{"<f4", "float32", 4},
                                              {"<f8", "float64", 8},
                                              {"|i1", "int8", 1},
                                              {"<i2", "int16", 2},
                                              {"<i4", "int32", 4},
                                              {"<i8", "int64", 8},
                                              {"|u1", "uint8", 1},
                                              {"<u2", "uint16", 2},
                                              {"<u4", "uint32", 4},
                                              {"<u8", "uint64", 8},
                                              {"|b1", "bool", 1}}};

[[noreturn]] void malformed(const std::string& path, const std::string& why) {
  throw failure(exit_code::bad_input, "TF2110", "\"" + path + "\" is not an .npy file that can be read", why,
                "write it with numpy.save(path, array)");
}
[[noreturn]] void wrong_size(const std::string& path, const std::string& why) {
  throw failure(exit_code::bad_input, "TF2111", "\"" + path + "\" does not hold what its header says", why,
                "the file was cut off or changed after it was written: write it again with numpy.save(path, array)");
}
[[noreturn]] void wrong_type(const std::string& path, const std::string& descr) {
  throw failure(exit_code::bad_input, "TF2112", "\"" + path + "\" has elements of type " + descr, "no loop here can read that type",
                "convert it: numpy.save(path, array.astype(numpy.float32)), or float64, int32, …, bool");
}

//! Reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class header_scanner {
 public:
  header_scanner(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  struct result {
    std::optional<std::string> descr;
    std::optional<bool> fortran;
    std::optional<std::vector<std::int64_t>> shape;
  };

  result read() {
    result r;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !r.descr) r.descr = descr();
      else if (key == "fortran_order" && !r.fortran) r.fortran = boolean();
      else if (key == "shape" && !r.shape) r.shape = tuple();
      else malformed(path_, "its header has an unexpected or repeated key '" + key + "'");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    blanks();
    if (at_ != text_.size()) malformed(path_, "its header goes on after the closing brace");
    return r;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool accept(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) malformed(path_, std::string("its header lacks a '") + c + "' at byte " + std::to_string(at_));
  }
  std::string string() {
    const char quote = accept('\'') ? '\'' : (expect('"'), '"');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) malformed(path_, "a string of its header does not end");
    std::string s(text_.substr(at_, end - at_));
    at_ = end + 1;
    return s;
  }
  std::string descr() {
    blanks();
    if (at_ < text_.size() && text_[at_] == '[') wrong_type(path_, "a structure");
    return string();
  }
  bool boolean() {
    blanks();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    malformed(path_, "fortran_order is neither True nor False");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(integer());
      if (shape.size() > 64) malformed(path_, "it has more than 64 dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }
  std::int64_t integer() {
    blanks();
    std::int64_t v = 0;
    const std::size_t start = at_;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_)
      if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, text_[at_] - '0', &v))
        malformed(path_, "a dimension does not fit 64 bits");
    if (at_ == start) malformed(path_, "a dimension is not a non-negative integer");
    return v;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t v = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) v = v << 8 | static_cast<unsigned char>(bytes[i]);
  return v;
}

//! NumPy writes one-byte types with '|'; '=' and '<' mean the same on a little-endian machine.
std::string canonical(std::string descr) {
  if (descr.size() < 2) return descr;
  const bool one_byte = descr.substr(1) == "i1" || descr.substr(1) == "u1" || descr.substr(1) == "b1";
  if (one_byte) descr[0] = '|';
  else if (descr[0] == '=') descr[0] = '<';
  return descr;
}

//! Bytes of the data, or nothing where the product overflows.
std::optional<std::int64_t> bytes_of(const std::vector<std::int64_t>& shape, std::size_t element) {
  std::int64_t n = static_cast<std::int64_t>(element);
  bool overflow = false, empty = false;
  for (const std::int64_t d : shape) {
    empty = empty || d == 0;
    overflow = __builtin_mul_overflow(n, d, &n) || overflow;
  }
  if (empty) return 0;
  return overflow ? std::nullopt : std::optional(n);
}

//! Rows first: column-major two-dimensional data is turned over, more dimensions are refused.
std::vector<std::byte> row_major(const std::string& path, const std::vector<std::int64_t>& shape, std::size_t size, std::string_view data) {
  if (shape.size() > 2)
    throw failure(exit_code::bad_input, "TF2113", "\"" + path + "\" is in Fortran order", "only one and two dimensions are turned over",
                  "numpy.save(path, numpy.ascontiguousarray(array))");
  std::vector<std::byte> out(data.size());
  const auto rows = static_cast<std::size_t>(shape[0]), columns = static_cast<std::size_t>(shape[1]);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) std::memcpy(out.data() + (i * columns + j) * size, data.data() + (j * rows + i) * size, size);
  return out;
}

}  // namespace

std::int64_t npy_array::count() const {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;  // cannot overflow: the data was read
  return n;
}

std::size_t dtype_bytes(const std::string& dtype) {
  for (const element_kind& k : kinds)
    if (dtype == k.dtype) return k.bytes;
  return 0;
}

std::string dtype_name(const std::string& dtype) {
  for (const element_kind& k : kinds)
    if (dtype == k.dtype) return k.name;
  return "'" + dtype + "'";
}

npy_array read_npy(const std::string& path) {
  constexpr std::size_t longest_header = 1 << 20;
  input_file file(path);
  const auto text = [&](std::size_t n) {
    std::string t(n, '\0');
    t.resize(file.read(t.data(), n));
    return t;
  };
  const std::string magic = text(8);
  if (magic.substr(0, 6) != "\x93NUMPY") malformed(path, magic.empty() ? "it is empty" : "it does not begin with the six bytes \\x93NUMPY");
  if (magic.size() < 8) wrong_size(path, "it ends within the first ten bytes");
  const int major = static_cast<unsigned char>(magic[6]);
  if (major < 1 || major > 3) malformed(path, "its format version is " + std::to_string(major) + ", versions 1 to 3 are known");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::string length_text = text(length_bytes);
  if (length_text.size() < length_bytes) wrong_size(path, "it ends before its header");
  const std::size_t length = little_endian(length_text);
  const std::uint64_t start = 8 + length_bytes, left = file.size() > start ? file.size() - start : 0;
  if (length > left)
    wrong_size(path, "the header is said to take " + std::to_string(length) + " bytes, the file has " + std::to_string(left) + " left");
  if (length > longest_header) malformed(path, "its header is said to take " + std::to_string(length) + " bytes, which none does");
  const std::string header_text = text(length);
  const auto header = header_scanner(header_text, path).read();
  if (!header.descr || !header.fortran || !header.shape) malformed(path, "its header lacks descr, fortran_order or shape");

  npy_array a{canonical(*header.descr), *header.shape, {}};
  const std::size_t size = dtype_bytes(a.dtype);
  if (size == 0) wrong_type(path, "'" + *header.descr + "'");
  const auto expected = bytes_of(a.shape, size);
  if (!expected) wrong_size(path, "the product of its dimensions does not fit 64 bits");
  const auto wanted = static_cast<std::uint64_t>(*expected);
  if (wanted != left - length)
    wrong_size(path, "the shape asks for " + std::to_string(wanted) + " bytes of data, the file has " + std::to_string(left - length));
  const bool turned = *header.fortran && a.shape.size() > 1;
  expect_memory(turned ? 2 * wanted : wanted, "\"" + path + "\"");
  a.data.resize(wanted);
  if (file.read(a.data.data(), wanted) != wanted) wrong_size(path, "it became shorter while it was read");
  if (turned) a.data = row_major(path, a.shape, size, {reinterpret_cast<const char*>(a.data.data()), a.data.size()});
  if (a.dtype == "|b1")
    for (const std::byte b : a.data)  // any other byte would be undefined behaviour when the loop reads a bool
      if (std::to_integer<unsigned>(b) > 1) malformed(path, "a bool of it is neither 0 nor 1");
  return a;
}

std::string npy_bytes(const npy_array& a) {
  std::string shape;
  for (const std::int64_t d : a.shape) shape += std::to_string(d) + ", ";
  if (a.shape.size() > 1) shape.resize(shape.size() - 2);
  else if (a.shape.size() == 1) shape.resize(shape.size() - 1);  // (3,)
  std::string header = "{'descr': '" + a.dtype + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';  // the data starts at a multiple of 64
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(a.data.data()), a.data.size());
  return bytes;
}

void write_npy(const std::string& path, const npy_array& a) { write_file(path, npy_bytes(a)); }

}  // namespace twofold::cli
