// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loops as C++ text, read once, each decided by name.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "analyse.hpp"
#include "frontend/frontend.hpp"

namespace twofold::analyser::corpus {

//! All specs of a source text, by function. What the front end refuses is reported by the test that asks for it.
class source {
 public:
  explicit source(const std::string& name, const std::string& text) {
    const std::string file = testing::TempDir() + "/" + name + ".cpp";
    std::ofstream(file) << text;
    const frontend_result r = read_source(file, "", {});
    for (const spec& s : r.specs) specs_.emplace(s.function, s);
    for (const frontend_error& e : r.errors) errors_ += "line " + std::to_string(e.where.line) + ": " + e.what + " (" + e.why + ")\n";
  }
  const spec* find(const std::string& function) const {
    auto it = specs_.find(function);
    return it == specs_.end() ? nullptr : &it->second;
  }
  const std::string& errors() const { return errors_; }

 private:
  std::map<std::string, spec> specs_;
  std::string errors_;
};

inline std::vector<std::string> names(const decision& d, role r) {
  std::vector<std::string> n;
  for (const merged_variable& v : d.state)
    if (v.role == r) n.push_back(v.name);
  return n;
}

inline std::string told(const decision& d) {
  std::string r;
  for (const std::string& t : d.tried) r += "  tried: " + t + "\n";
  for (const merged_variable& v : d.state) r += "  " + v.name + " <- " + to_text(v.merge) + "\n";
  return r;
}

struct expectation {
  const char* function;
  verdict answer;
  std::vector<std::string> carried;  // associative only
  int added = 0;                     // at most so many: fewer is better
};

inline void expect_decided(const source& from, const expectation& e) {
  SCOPED_TRACE(e.function);
  const spec* s = from.find(e.function);
  ASSERT_NE(s, nullptr) << from.errors();
  const decision d = decide_loop(*s, {});
  ASSERT_EQ(d.verdict, e.answer) << told(d);
  if (d.verdict == verdict::not_associative) {
    ASSERT_TRUE(d.counterexample);
    EXPECT_EQ(d.scope, scope::this_state);
    EXPECT_FALSE(d.tried.empty()) << "that lifting failed must be said";
    EXPECT_NE(d.counterexample->result, d.counterexample->result2);
  }
  if (d.verdict != verdict::associative) return;
  ASSERT_TRUE(d.proof);
  EXPECT_TRUE(d.proof->proved);
  EXPECT_EQ(names(d, role::carried), e.carried) << told(d);
  EXPECT_LE(names(d, role::added).size(), static_cast<std::size_t>(e.added)) << told(d);
  for (const merged_variable& v : d.state) {
    EXPECT_TRUE(v.merge && v.step) << v.name;
    EXPECT_TRUE(v.role == role::carried || !v.why.empty()) << v.name << " has no reason";
  }
}

}  // namespace twofold::analyser::corpus
