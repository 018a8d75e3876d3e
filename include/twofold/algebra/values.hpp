// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Vectors of numbers inside a state: of a size known when compiling, or only when running.
#pragma once

#include "twofold/algebra/reduction.hpp"

TWOFOLD_BEGIN_NAMESPACE

inline constexpr int dynamic = -1;  //!< a size known only when running

//! N numbers in place: usable in device code.
template <class T, int N>
struct values {
  T data_[N]{};
  constexpr values() = default;
  TWOFOLD_HD constexpr explicit values(index) {}
  [[nodiscard]] TWOFOLD_HD static constexpr index size() { return N; }
  TWOFOLD_HD constexpr T& operator[](index i) { return data_[i]; }
  TWOFOLD_HD constexpr const T& operator[](index i) const { return data_[i]; }
  TWOFOLD_HD constexpr const T* data() const { return data_; }
  template <class Self, class F>
  TWOFOLD_HD static constexpr void each_field(Self& self, F&& f) {
    for (auto& x : self.data_) f(x);
  }
  TWOFOLD_HD friend constexpr bool operator==(const values& a, const values& b) {
    for (index i = 0; i < N; ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }
};

//! A run-time number of values, on the heap of the host. None at all costs no allocation: the empty state is cheap.
template <class T>
struct values<T, dynamic> {
  constexpr values() = default;
  constexpr explicit values(index n) : data_(n > 0 ? new T[static_cast<std::size_t>(n)]() : nullptr), size_(n > 0 ? n : 0) {}
  constexpr values(const values& other) : values(other.size_) {
    for (index i = 0; i < size_; ++i) data_[i] = other.data_[i];
  }
  constexpr values(values&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  constexpr values& operator=(const values& other) {
    if (this == &other) return *this;
    if (size_ != other.size_) return *this = values(other);
    for (index i = 0; i < size_; ++i) data_[i] = other.data_[i];
    return *this;
  }
  constexpr values& operator=(values&& other) noexcept {
    T* const data = data_;
    const index size = size_;
    data_ = other.data_, size_ = other.size_;
    other.data_ = data, other.size_ = size;
    return *this;
  }
  constexpr ~values() { delete[] data_; }

  [[nodiscard]] constexpr index size() const { return size_; }
  constexpr T& operator[](index i) { return data_[i]; }
  constexpr const T& operator[](index i) const { return data_[i]; }
  constexpr const T* data() const { return data_; }
  constexpr void resize(index n) {
    if (n != size_) *this = values(n);
  }
  template <class Self, class F>
  static constexpr void each_field(Self& self, F&& f) {
    for (index i = 0; i < self.size_; ++i) f(self.data_[i]);
  }
  friend constexpr bool operator==(const values& a, const values& b) {
    if (a.size_ != b.size_) return false;
    for (index i = 0; i < a.size_; ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }

 private:
  T* data_ = nullptr;
  index size_ = 0;
};

TWOFOLD_END_NAMESPACE
