// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Names of the source made into C++ identifiers that do not meet each other or the words of the emitted code.
#pragma once

#include <map>
#include <set>
#include <string>

namespace twofold::analyser {

class identifiers {
 public:
  explicit identifiers(std::set<std::string> reserved) : taken_(std::move(reserved)) {}

  //! A fresh identifier that looks like `name`: "m@1" becomes m_1, a reserved word gets an underscore behind it.
  std::string make(const std::string& name);
  //! The identifier given to a key before, or a fresh one that looks like `name`.
  std::string of(const std::string& key, const std::string& name);
  [[nodiscard]] bool taken(const std::string& name) const { return taken_.contains(name); }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::string> given_;
};

}  // namespace twofold::analyser
