// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A loop run as its source says, and the same input cut into pieces that are merged as a decision says.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/draw.hpp"
#include "fuzz/value.hpp"
#include "ir/decision.hpp"

namespace twofold::analyser::fuzz {

using letter = std::map<term, value>;  // what one iteration reads
using word = std::vector<letter>;
using answers = std::vector<value>;  // outputs, in the order of the spec

//! The symbols that iterations of the loop read.
[[nodiscard]] std::vector<term> elements_of(const spec& s);

class source_loop {
 public:
  source_loop(const spec& s, std::map<term, value> parameters);
  //! All results, pass by pass. The first `first` entries of a longer input may be left out: the index starts there.
  [[nodiscard]] std::vector<value> state_after(const word& w, long first = 0);
  [[nodiscard]] answers outputs(const std::vector<value>& results, std::size_t length);
  [[nodiscard]] answers run(const word& w) { return outputs(state_after(w), w.size()); }

 private:
  const spec& spec_;
  std::map<term, value> parameters_;
  std::vector<line> inits_, steps_;
  line outputs_;
};

class merged_loop {
 public:
  merged_loop(const spec& s, const decision& d, std::map<term, value> parameters);
  //! The word bracketed at random; leaves are single elements, or neighbours pushed one by one.
  [[nodiscard]] answers run(const word& w, draw& random);
  //! Cut once, after `left` elements, both parts pushed.
  [[nodiscard]] answers cut(const word& w, std::size_t left);

 private:
  using state = std::vector<value>;
  state leaf(const word& w, std::size_t from, std::size_t to);
  state merge(const state& a, const state& b);
  state tree(const word& w, std::size_t from, std::size_t to, draw& random);
  answers finish(const state& s, std::size_t length);

  const spec& spec_;
  const decision& decision_;
  std::map<term, value> parameters_;
  std::vector<term> states_, lefts_, rights_;
  line lift_, step_, merge_, finalize_;
};

}  // namespace twofold::analyser::fuzz
