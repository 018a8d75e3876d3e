// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Small loops of ordinary C++, drawn from a grammar: well typed, defined for most inputs, of every kind that the front end reads.
#pragma once

#include <string>
#include <vector>

#include "fuzz/draw.hpp"

namespace twofold::analyser::fuzz {

//! A function and how it is called.
struct program_text {
  struct argument {
    std::string type;  // of the number, or of the array's entries: "unsigned char"
    std::string name;
    bool array = false, output = false;
  };
  std::string text;                 // helpers and the function itself
  std::string name;                 // of the function
  std::string returns;              // its type; "void"
  std::vector<std::string> fields;  // of what it returns, where that is a struct
  std::vector<argument> arguments;  // arrays have n entries; one of the numbers is n
  bool needs_element = false;       // undefined for n = 0
};

inline const char* const program_includes =
    "#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n#include <numeric>\n#include <span>\n\n";

[[nodiscard]] program_text draw_program(draw& random, const std::string& name);

}  // namespace twofold::analyser::fuzz
