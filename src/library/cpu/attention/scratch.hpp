// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Memory that a thread keeps for its next task: no allocation while work repeats.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace twofold::cpu::detail {

//! Pieces of one aligned buffer per thread, taken in turn; a new `scratch` takes all back.
class scratch {
 public:
  explicit scratch(std::size_t bytes) {
    if (bytes > held().size) {
      held().data.reset(static_cast<std::byte*>(std::aligned_alloc(64, round(bytes))));
      if (!held().data) throw std::bad_alloc();
      held().size = round(bytes);
    }
    next_ = held().data.get();
  }
  //! n numbers, at a multiple of 64 bytes; their contents are whatever was there.
  template <class T>
  T* take(std::int64_t n) {
    T* piece = reinterpret_cast<T*>(next_);
    next_ += round(static_cast<std::size_t>(n) * sizeof(T));
    return piece;
  }
  static constexpr std::size_t round(std::size_t bytes) { return (bytes + 127) / 64 * 64; }

 private:
  struct release {
    void operator()(std::byte* p) const { std::free(p); }
  };
  struct buffer {
    std::unique_ptr<std::byte, release> data;
    std::size_t size = 0;
  };
  static buffer& held() {
    thread_local buffer b;
    return b;
  }
  std::byte* next_;
};

}  // namespace twofold::cpu::detail
