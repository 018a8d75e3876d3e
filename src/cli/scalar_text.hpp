// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Values on the command line and in results: text ↔ the bytes of a C++ scalar.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "npy.hpp"

namespace twofold::cli {

//! `text` as one value of a dtype. False where it is not one, or does not fit. inf, -inf and nan are values of float types.
bool parse_scalar(const std::string& text, const std::string& dtype, npy_array& out);

//! Element i. Floating-point numbers that JSON has no word for are the strings "NaN", "inf", "-inf".
nlohmann::ordered_json element_json(const npy_array& a, std::size_t i);
//! The same for people: NaN and infinities without quotes.
std::string element_text(const npy_array& a, std::size_t i);
double element_value(const npy_array& a, std::size_t i);

//! A scalar as it is; up to 16 elements as a list; more as {"dtype","shape","file"}.
nlohmann::ordered_json array_json(const npy_array& a, const std::string& file);

//! Largest |a − b| over the elements; elements that are both NaN, or equal infinities, differ by 0; one NaN makes it NaN.
double max_difference(const npy_array& a, const npy_array& b);

}  // namespace twofold::cli
