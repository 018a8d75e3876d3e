// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The names of the functions that the interpreters know.
#include <map>
#include <string_view>

#include "ir/program.hpp"

namespace twofold::analyser {

function find_function(std::string_view name) {
  static const std::map<std::string_view, function> names = {
      {"exp", function::exp},         {"exp2", function::exp2},       {"expm1", function::expm1},      {"log", function::log},
      {"log2", function::log2},       {"log10", function::log10},     {"log1p", function::log1p},      {"sqrt", function::sqrt},
      {"cbrt", function::cbrt},       {"pow", function::pow},         {"sin", function::sin},          {"cos", function::cos},
      {"tan", function::tan},         {"asin", function::asin},       {"acos", function::acos},        {"atan", function::atan},
      {"sinh", function::sinh},       {"cosh", function::cosh},       {"tanh", function::tanh},        {"erf", function::erf},
      {"erfc", function::erfc},       {"floor", function::floor},     {"ceil", function::ceil},        {"trunc", function::trunc},
      {"round", function::round},     {"lround", function::round},    {"llround", function::round},    {"nearbyint", function::nearbyint},
      {"rint", function::nearbyint},  {"lrint", function::nearbyint}, {"llrint", function::nearbyint}, {"abs", function::abs},
      {"fabs", function::abs},        {"fmin", function::fmin},       {"fmax", function::fmax},        {"fmod", function::fmod},
      {"fdim", function::fdim},       {"hypot", function::hypot},     {"fma", function::fma},          {"copysign", function::copysign},
      {"atan2", function::atan2},     {"isnan", function::isnan},     {"isinf", function::isinf},      {"isfinite", function::isfinite},
      {"signbit", function::signbit}, {"gcd", function::gcd},         {"lcm", function::lcm}};
  if (name.starts_with("std::")) name.remove_prefix(5);
  if (auto it = names.find(name); it != names.end()) return it->second;
  if (name.ends_with('f'))
    if (auto it = names.find(name.substr(0, name.size() - 1)); it != names.end()) return it->second;
  return function::unknown;
}

}  // namespace twofold::analyser
