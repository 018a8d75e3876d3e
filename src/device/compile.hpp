// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Device code from text, by NVRTC: found when running, with every header embedded, kept by content.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "failure.hpp"

namespace twofold::device {

//! Where compiled code is kept. The key holds everything that the code depends on: text, headers, options, architecture, versions.
struct keeper {
  std::function<std::optional<std::string>(const std::string& key)> find;
  std::function<void(const std::string& key, const std::string& code)> keep;
};

struct compiled {
  std::string code;  // machine code for the architecture (cubin)
  bool from_cache = false;
  double seconds = 0;  // spent compiling, or looking up
};

//! "13.0", or why there is no NVRTC.
std::string compiler_version();

//! @brief   Compiles CUDA C++ text. Functions without an attribute are device functions; exceptions and the standard library do not exist.
//! @param   name: what messages call the text; architecture: "sm_90a"
//! @errors  TF3104 no NVRTC, or one that does not know the architecture · TF3105 the text does not compile (with the first messages)
//! @cost    about half a second; nothing of the device is touched
compiled compile(const std::string& text, const std::string& name, const std::string& architecture, const keeper& kept);

}  // namespace twofold::device
