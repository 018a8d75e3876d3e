// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The program called in-process, with its output caught; files in a folder of the test's own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "npy.hpp"
#include "subcommand.hpp"

namespace twofold::tests {

struct outcome {
  int exit = 0;
  std::string out, err;
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

inline std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

//! Runs `twofold WORDS…`.
inline outcome program(std::vector<std::string> words) {
  words.insert(words.begin(), "twofold");
  std::vector<const char*> argv;
  for (const std::string& w : words) argv.push_back(w.c_str());
  argv.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  outcome o;
  o.exit = cli::run_program(static_cast<int>(words.size()), argv.data());
  std::fflush(nullptr);
  o.out = testing::internal::GetCapturedStdout();
  o.err = testing::internal::GetCapturedStderr();
  return o;
}

//! A folder that is gone with the test.
class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "twofold-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~folder() { std::filesystem::remove_all(path_); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    cli::write_file(*this / name, text);
    return *this / name;
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

//! An array of T as .npy contents.
template <class T>
cli::npy_array array_of(const char* dtype, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  cli::npy_array a{dtype, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(a.data.data(), values.data(), a.data.size());
  return a;
}

inline const std::string loops = TWOFOLD_SOURCE_DIR "/examples/loops/";

}  // namespace twofold::tests
