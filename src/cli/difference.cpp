// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Comparing answers entry by entry.
#include "difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "scalar_text.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

bool same_bytes(const npy_array& a, const npy_array& b, std::size_t i, std::size_t size) {
  return std::memcmp(a.data.data() + i * size, b.data.data() + i * size, size) == 0;
}

difference between(const std::string& name, const npy_array& loop, const npy_array& merged, bool rounds) {
  difference d;
  const bool is_float = loop.dtype.starts_with("<f");
  d.name = name, d.type = dtype_name(loop.dtype), d.is_exact = !is_float && !rounds;
  const std::size_t size = dtype_bytes(loop.dtype);
  for (std::size_t i = 0; i < static_cast<std::size_t>(loop.count()); ++i) {
    if (same_bytes(loop, merged, i, size)) continue;
    bool special = false;
    if (is_float) {
      const double x = element_value(loop, i), y = element_value(merged, i);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      special = !std::isfinite(x) || !std::isfinite(y);
      if (!special) d.size = std::max(d.size, std::abs(x - y));
    }
    d.special += special;
    if (++d.entries > 1 && !(special && d.special == 1)) continue;
    d.first = i;
    d.loop = element_text(loop, i), d.merged = element_text(merged, i);
  }
  return d;
}

}  // namespace

bool comparison::exact_agree() const {
  return std::none_of(found.begin(), found.end(), [](const difference& d) { return d.is_exact; });
}

bool comparison::explained() const {
  return std::none_of(found.begin(), found.end(), [](const difference& d) { return d.unexplained; });
}

bool merge_rounds(const decision& d) {
  const auto rounds = [](const node& n) {
    return n.type.kind == sort::real && (n.is(op::add) || n.is(op::mul) || n.is(op::div) || n.is(op::call) || n.is(op::inner_fold));
  };
  return std::any_of(d.state.begin(), d.state.end(), [&](const merged_variable& v) { return v.merge && contains(v.merge, rounds); });
}

comparison compare(const answers& loop, const answers& merged, bool rounds) {
  comparison c;
  for (std::size_t k = 0; k < loop.values.size(); ++k) {
    const auto& [name, value] = loop.values[k];
    difference d = between(name, value, merged.values[k].second, rounds);
    if (d.entries > 0) c.found.push_back(std::move(d));
    const double here = max_difference(merged.values[k].second, value);
    if (!(here <= c.worst)) c.worst = here;  // NaN stays
  }
  return c;
}

std::vector<std::string> in_words(const comparison& c) {
  std::vector<std::string> lines;
  for (const difference& d : c.found) {
    if (d.unexplained)
      lines.push_back(fmt::format("{} differs by up to {:.3g}, and at most {:.3g} was allowed: more than rounding explains", d.name, d.size,
                                  d.allowed));
    if (!d.is_exact && d.special == 0) continue;
    const std::string entries = d.entries > 1 ? fmt::format(" in {} entries", d.entries) : "";
    const std::string at = d.entries > 1 ? fmt::format("at [{}] ", d.first) : "";
    if (d.is_exact)
      lines.push_back(fmt::format("{} is exact ({}), yet it differs{}: {}the loop gives {}, the merge {}", d.name, d.type, entries, at,
                                  d.loop, d.merged));
    else
      lines.push_back(fmt::format("{} is NaN or infinite on one side alone{}: {}the loop gives {}, the merge {}", d.name,
                                  d.special > 1 ? fmt::format(" in {} entries", d.special) : "", at, d.loop, d.merged));
  }
  return lines;
}

}  // namespace twofold::cli
