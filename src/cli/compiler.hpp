// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The system's C++ compiler, used by `run`: found, asked for its version, and its results kept by content.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

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
  double seconds = 0;                             // spent compiling
  std::shared_ptr<const temporary_folder> holds;  // where the object is, if the cache could not be used
};

//! Compiles one source text into a shared object, or finds it in `cache`: the key is the text, `depends` (text of what it includes),
//! the flags and the versions of the compiler and of twofold. The object appears by renaming, never half written, and carries a hash of
//! itself: one that was damaged is compiled again. Where the cache cannot be used, that is said and a temporary folder takes its place.
//! @errors TF5102 the compiler refuses (with its first messages) · TF5103 not even a temporary folder can be made
compiled compile_library(const std::string& source, const std::string& depends, const std::vector<std::string>& flags,
                         const std::string& cache);

}  // namespace twofold::cli
