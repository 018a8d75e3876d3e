// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Arrays in NumPy's .npy format (versions 1, 2 and 3; little endian), read and written whole.
//! Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "files.hpp"

namespace twofold::cli {

//! One array: row-major bytes, NumPy's own name of the element type ("<f4", "|b1", …) and the shape.
struct npy_array {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;

  [[nodiscard]] std::int64_t count() const;  // product of the shape
};

//! Bytes of one element of a supported dtype, 0 for any other.
std::size_t dtype_bytes(const std::string& dtype);
//! "float32" for "<f4", as people call it.
std::string dtype_name(const std::string& dtype);

//! @errors TF2125 cannot be read · TF2110 not an .npy file or a header that makes no sense · TF2111 truncated, or more or less
//!         data than the shape says · TF2112 an element type that no loop can read (big endian, complex, strings, objects)
npy_array read_npy(const std::string& path);

//! Contents of a file of version 1.0, C order.
std::string npy_bytes(const npy_array& a);
//! Written beside the goal and renamed, so that nothing half-written is ever seen. @errors TF2125
void write_npy(const std::string& path, const npy_array& a);

}  // namespace twofold::cli
