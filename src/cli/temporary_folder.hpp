// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A folder of this process alone, gone with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "failure.hpp"

namespace twofold::cli {

struct temporary_folder {
  std::string path;

  //! @errors TF5103
  temporary_folder() {
    std::error_code error;
    const std::filesystem::path above = std::filesystem::temp_directory_path(error);
    path = (error ? std::filesystem::path("/tmp") : above) / "twofold-XXXXXX";
    if (mkdtemp(path.data()) == nullptr)
      throw failure(exit_code::environment, "TF5103", "no temporary folder can be made",
                    "the folder for temporary files may be full or read-only", "set TMPDIR to another");
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
};

}  // namespace twofold::cli
