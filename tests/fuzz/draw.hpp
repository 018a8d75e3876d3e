// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Random choices that are the same for a seed on every machine and with every standard library.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace twofold::analyser::fuzz {

//! SplitMix64. Every loop has a seed of its own, so that one that failed can be made again alone.
class draw {
 public:
  explicit draw(std::uint64_t seed) : state_(seed ^ 0xd1b54a32d192ed03ULL) { state_ = next() ^ (seed << 32 | seed >> 32); }
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  //! 0 … n−1
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  long between(long low, long high) { return low + static_cast<long>(below(static_cast<std::size_t>(high - low + 1))); }
  bool chance(int percent) { return static_cast<int>(below(100)) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& of) {
    return of[below(of.size())];
  }
  template <class T>
  T pick(std::initializer_list<T> of) {
    return of.begin()[below(of.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace twofold::analyser::fuzz
