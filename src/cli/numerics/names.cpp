// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Names on the command line: operators, formats, exponentials.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "failure.hpp"
#include "nearest.hpp"
#include "numerics/question.hpp"
#include "twofold/numerics/primitives.hpp"

namespace twofold::cli::accuracy {
namespace {

struct named_format {
  const char* name;
  numerics::format format;
};
constexpr named_format formats[] = {
    {"f64", numerics::fp64},  {"f32", numerics::fp32},  {"tf32", numerics::tf32},   {"f16", numerics::fp16},
    {"bf16", numerics::bf16}, {"e4m3", numerics::e4m3}, {"e5m2", numerics::e5m2},   {"fp64", numerics::fp64},
    {"fp32", numerics::fp32}, {"fp16", numerics::fp16}, {"double", numerics::fp64}, {"float", numerics::fp32},
};

//! Exponentials beyond the library's table: that of double, and polynomials in place of the hardware's.
constexpr primitive own_primitives[] = {
    {"exp2", 1.03 * 0x1p-29, 0, numerics::fp64, "glibc: 0.511 ulp documented"},
    {"poly5", 2.4, 0, numerics::fp32, "degree 5 on [0, 1), Horner in fp32"},
    {"poly4", 51, 0, numerics::fp32, "degree 4 on [0, 1), Horner in fp32"},
    {"poly3", 1471, 0, numerics::fp32, "degree 3 on [0, 1), Horner in fp32"},
};

//! Powers of two of the library's table, by names without blanks.
std::vector<primitive> exponentials() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const numerics::primitive& p : numerics::primitives) {
      all.emplace_back(p.name);
      std::replace(all.back().begin(), all.back().end(), ' ', '.');
    }
    return all;
  }();
  std::vector<primitive> list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const numerics::primitive& p = numerics::primitives[i];
    const double unit = p.result->unit_roundoff() * 0x1p24;
    if (names[i].find("ex2") == std::string::npos && names[i].find("exp2") == std::string::npos) continue;
    list.push_back({names[i].c_str(), p.guaranteed() * unit, p.measured * unit, *p.result, p.documented > 0 ? p.source : p.file});
  }
  list.insert(list.end(), std::begin(own_primitives), std::end(own_primitives));
  return list;
}

struct named_operation {
  const char* name;
  operation what;
};
constexpr named_operation operations[] = {
    {"attention", operation::attention},     {"softmax", operation::softmax},   {"logsumexp", operation::log_sum_exp},
    {"log_sum_exp", operation::log_sum_exp}, {"lse", operation::log_sum_exp},   {"sum", operation::sum},
    {"welford", operation::variance},        {"variance", operation::variance}, {"moments", operation::moments},
    {"affine", operation::affine},           {"scan", operation::affine},
};

}  // namespace

const numerics::format* find_format(const std::string& name) {
  const auto f = std::find_if(std::begin(formats), std::end(formats), [&](const named_format& x) { return name == x.name; });
  return f == std::end(formats) ? nullptr : &f->format;
}
const primitive* find_primitive(const std::string& name) {
  static const std::vector<primitive> all = exponentials();
  const auto p = std::find_if(all.begin(), all.end(), [&](const primitive& x) { return name == x.name; });
  return p == all.end() ? nullptr : &*p;
}
std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const named_format& f : formats)
    if (names.size() < 7) names.emplace_back(f.name);
  return names;
}
std::vector<std::string> primitive_names() {
  std::vector<std::string> names;
  for (const primitive& p : exponentials()) names.emplace_back(p.name);
  return names;
}
std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const named_operation& o : operations) names.emplace_back(o.name);
  return names;
}

operation find_operation(const std::string& name) {
  for (const named_operation& o : operations)
    if (name == o.name) return o.what;
  const std::string meant = nearest(name, operation_names());
  throw failure(exit_code::bad_input, "TF2130", "no operator named \"" + name + "\"",
                fmt::format("operators are: {}", fmt::join(operation_names(), ", ")),
                meant.empty() ? "a loop of your own: twofold numerics FILE:FUNCTION" : "did you mean \"twofold numerics " + meant + "\"?");
}

}  // namespace twofold::cli::accuracy
