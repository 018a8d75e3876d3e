// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Shared libraries by dlopen.
#include "shared_library.hpp"

#include <dlfcn.h>

namespace twofold::device {

shared_library::shared_library(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    if (why_.empty()) why_ = dlerror();
  }
}

void* shared_library::find(const char* name) const { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

}  // namespace twofold::device
