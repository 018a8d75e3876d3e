// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One GPU through its driver, found when running: memory, compiled code, launches, times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "failure.hpp"

namespace twofold::device {

class gpu;

//! Loads the driver's library and nothing more: whether there is a device shows when it is started. @errors TF3106
void expect_driver();

//! Device memory.
class memory {
 public:
  memory(const gpu& on, std::size_t bytes);
  ~memory();
  memory(memory&& other) noexcept : on_(other.on_), at_(other.at_), bytes_(other.bytes_) { other.at_ = 0; }
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  memory& operator=(memory&&) = delete;
  [[nodiscard]] std::uint64_t address() const { return at_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void write(const void* from, std::size_t bytes);
  void fill(std::size_t bytes);                      //!< with anything, asynchronously
  void copy(const memory& from, std::size_t bytes);  //!< on the device, asynchronously
  void read(void* to, std::size_t bytes, std::size_t from) const;

 private:
  const gpu* on_;
  std::uint64_t at_ = 0;
  std::size_t bytes_ = 0;
};

//! A kernel of compiled code, which must outlive it.
struct kernel {
  void* function = nullptr;
};

class gpu {
 public:
  //! The first device. @errors TF3106 no driver, no device, or one that is too old
  gpu();
  ~gpu();
  gpu(const gpu&) = delete;
  gpu& operator=(const gpu&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
  [[nodiscard]] int shared_memory() const { return shared_; }  // of a block, at most
  //! "sm_90a": what to compile for.
  [[nodiscard]] std::string architecture() const;

  //! Loads machine code; it stays until the gpu goes. @errors TF3107
  void load(const std::string& code);
  //! Reads a __constant__ variable of the code. @errors TF3107
  void read_constant(const char* name, void* to, std::size_t bytes) const;
  //! @errors TF3107 no such kernel, or no such shared memory
  [[nodiscard]] kernel find(const char* name, std::size_t shared_bytes) const;
  //! One argument, by value. @errors TF3107
  void launch(const kernel& k, unsigned blocks, unsigned threads, std::size_t shared_bytes, void* argument) const;
  //! Milliseconds between two marks on the device; mark(0), launches, mark(1), elapsed().
  void mark(int which) const;
  [[nodiscard]] double elapsed() const;

 private:
  friend class memory;
  struct driver;
  void check(int result, const char* doing) const;
  std::unique_ptr<driver> api_;
  std::string name_;
  int device_ = 0, major_ = 0, minor_ = 0, multiprocessors_ = 0, shared_ = 0;
  void* module_ = nullptr;
  void* events_[2] = {};
};

}  // namespace twofold::device
