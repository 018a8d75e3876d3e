// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Helpers of the front end's tests: sources given as text.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "frontend/dump.hpp"
#include "frontend/frontend.hpp"

namespace twofold::analyser::test {

//! A file that is gone when the test is over.
class source_file {
 public:
  explicit source_file(const std::string& text) {
    static int number = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("twofold_frontend_" + std::to_string(::getpid()) + "_" + std::to_string(number++) + ".cpp"))
                .string();
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~source_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  source_file(const source_file&) = delete;
  source_file& operator=(const source_file&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

//! The standard headers are parsed once for all tests.
inline frontend_options cached() {
  frontend_options o;
  o.cache_dir = (std::filesystem::temp_directory_path() / "twofold_test_preambles").string();
  return o;
}

inline frontend_result read_text(const std::string& text, const std::string& function = "", const frontend_options& options = {}) {
  const source_file f(text);
  return read_source(f.path(), function, options);
}

//! "3:5: TF4013: goto: a jump into …"
inline std::string describe(const frontend_error& e) {
  return std::to_string(e.where.line) + ":" + std::to_string(e.where.column) + ": " + e.code + ": " + e.what + ": " + e.why + "; " + e.fix;
}

}  // namespace twofold::analyser::test
