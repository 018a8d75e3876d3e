// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Allocation of identifiers.
#include "emit/identifiers.hpp"

#include <cctype>

namespace twofold::analyser {

std::string identifiers::make(const std::string& name) {
  std::string s;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) s += c;
    else if (!s.empty() && s.back() != '_') s += '_';  // never two underscores: such names are reserved
  }
  while (!s.empty() && s.back() == '_') s.pop_back();
  if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0])) != 0) s = "v" + s;
  std::string unique = s;
  for (int k = 0; !taken_.insert(unique).second; ++k) unique = k == 0 ? s + "_" : s + std::to_string(k + 1);
  return unique;
}

std::string identifiers::of(const std::string& key, const std::string& name) {
  const auto it = given_.find(key);
  return it != given_.end() ? it->second : given_[key] = make(name);
}

}  // namespace twofold::analyser
