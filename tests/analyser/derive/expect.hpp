// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What is expected of a derivation: the checker accepts it, it is small, and its merge gives the loop's state on random splits.
#pragma once

#include <gtest/gtest.h>

#include "derive/sampling.hpp"
#include "loops.hpp"

namespace loops {

//! The first candidate that the checker accepts.
inline std::optional<derivation> proved(const spec& s) {
  for (const derivation& d : derive(s, 5).found) {
    const check_result c = check_passes(s, d.separations, d.merge, d.finalize, 10);
    if (c.result == outcome::proved) return d;
  }
  return std::nullopt;
}

inline std::vector<std::string> names(const derivation& d, role kind) {
  std::vector<std::string> r;
  for (const auto& v : d.merge.variables)
    if (v.kind == kind) r.push_back(v.name);
  return r;
}
inline term merge_of(const derivation& d, const std::string& name) {
  for (const auto& v : d.merge.variables)
    if (v.name == name) return v.merge;
  return {};
}

//! Proved with at most `added` variables more than the loop has (its own may be told by the others); the merge is right on random words.
inline derivation expect_merges(const spec& s, std::size_t added) {
  const auto d = proved(s);
  EXPECT_TRUE(d.has_value());
  if (!d) return {};
  std::size_t gone = 0;
  if (s.passes.size() == 1)
    for (const auto& [from, to] : d->merge.decode) gone += from->is_symbol(symbol_kind::state);
  EXPECT_LE(names(*d, role::added).size(), added + gone) << describe(*d);
  EXPECT_FALSE(deriving::word_runner(d->merge.variables, 99).differs(500)) << describe(*d);
  for (const auto& v : d->merge.variables)
    if (v.kind == role::added) {
      EXPECT_FALSE(v.why.empty()) << v.name;
    }
  return *d;
}

}  // namespace loops
