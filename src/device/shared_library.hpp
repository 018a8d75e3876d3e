// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A shared library that may be absent, found when running: programs that never use a GPU need nothing of CUDA.
#pragma once

#include <string>
#include <vector>

namespace twofold::device {

class shared_library {
 public:
  //! The first of `names` that loads; paths or names that the loader searches for. None: empty().
  explicit shared_library(const std::vector<std::string>& names);
  // Never unloaded, so that copies are fine: drivers start threads and register handlers.
  [[nodiscard]] bool empty() const { return handle_ == nullptr; }
  [[nodiscard]] const std::string& why() const { return why_; }  //!< what the loader said, where empty

  //! The function, or null.
  template <class F>
  void get(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(find(name));
  }

 private:
  [[nodiscard]] void* find(const char* name) const;
  void* handle_ = nullptr;
  std::string why_;
};

}  // namespace twofold::device
