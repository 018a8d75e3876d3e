// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The one error type of the library. Nothing aborts, nothing prints: bad input is thrown as `error` by
//! functions that return a plain value, and handed back by those that return `result<T>` (loading a state), where
//! failure is ordinary.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "twofold/algebra/config.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! What was asked, which limit was met, what would work, and a code that `twofold explain` knows.
class error : public std::exception {
 public:
  error(std::string code, std::string asked, std::string limit, std::string works)
      : code_(std::move(code)), asked_(std::move(asked)), limit_(std::move(limit)), works_(std::move(works)) {
    message_ = code_ + ": " + asked_ + ": " + limit_;
    if (!works_.empty()) message_ += "; what would work: " + works_;
  }
  [[nodiscard]] const std::string& code() const noexcept { return code_; }    //!< "TF####"
  [[nodiscard]] const std::string& asked() const noexcept { return asked_; }  //!< what was asked, as the user said it
  [[nodiscard]] const std::string& limit() const noexcept { return limit_; }  //!< why it cannot be
  [[nodiscard]] const std::string& works() const noexcept { return works_; }  //!< what would work
  //! "TF####: asked: limit; what would work: works"
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string code_, asked_, limit_, works_, message_;
};

//! A value, or the error that explains why there is none.
template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : value_(std::move(value)) {}
  result(error why) : why_(std::move(why)) {}
  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return value_.has_value(); }
  //! The value; throws the error where there is none.
  [[nodiscard]] const T& value() const& {
    if (!value_) throw *why_;
    return *value_;
  }
  [[nodiscard]] T value() && {
    if (!value_) throw *why_;
    return std::move(*value_);
  }
  const T& operator*() const noexcept { return *value_; }  //!< only where there is a value
  const T* operator->() const noexcept { return &*value_; }
  [[nodiscard]] const error& why() const noexcept { return *why_; }  //!< only where there is none

 private:
  std::optional<T> value_;
  std::optional<error> why_;
};

TWOFOLD_END_NAMESPACE
