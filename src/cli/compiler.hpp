// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The system's C++ compiler, used by `run`: found, asked for its version, and its results kept by content.
#pragma once

#include <string>
#include <vector>

namespace twofold::cli {

struct compiler {
  std::string path;
  std::string version;  // what --version prints: part of the key of cached results
};

//! $CXX, else c++, g++ or clang++ on PATH. @errors TF5101 where there is none or it does not run
compiler system_compiler();

//! Folders that hold <twofold/twofold.hpp>: the source tree this program was built from, else where it was installed.
std::vector<std::string> header_folders();

struct compiled {
  std::string library;  // path of the shared object
  bool from_cache = false;
  double seconds = 0;  // spent compiling
};

//! Compiles one source text into a shared object, or finds it in `cache`: the key is the text, `depends` (text of what it includes),
//! the flags and the versions of the compiler and of twofold. The object appears by renaming, never half written.
//! @errors TF5102 the compiler refuses (with its first messages) · TF5103 the cache cannot be used
compiled compile_library(const std::string& source, const std::string& depends, const std::vector<std::string>& flags,
                         const std::string& cache);

}  // namespace twofold::cli
