// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Files as the program reads and writes them: only regular files are read, and a group of results appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace twofold::cli {

//! A regular file, open for reading. A folder, pipe, socket or device is refused: it has no size, and reading it may never end.
class input_file {
 public:
  //! @errors TF2125
  explicit input_file(std::string path);
  ~input_file();
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  //! Reads up to n bytes; fewer at the end of the file only. @errors TF2125
  std::size_t read(void* to, std::size_t n);

 private:
  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

//! "a pipe", "a device", "a folder" or "a socket"; empty for a regular file and where nothing is there. Links are followed.
std::string special_kind(const std::string& path);

//! Refuses to hold what would not fit the memory that is free. @errors TF2125
void expect_memory(std::uint64_t bytes, const std::string& what);

//! The whole of a text or binary file. @errors TF2125
std::string read_file(const std::string& path);

struct file_contents {
  std::string path, bytes;
};

//! Writes all files or none. Links are followed. Each is written beside its goal and renamed when all are complete; an existing goal keeps
//! its permissions. A device or a pipe that somebody reads cannot be renamed over: it is written through, before anything is renamed.
//! @errors TF2125, also for a folder, for standard output (the result goes there) and for one file that is named twice
void write_files(const std::vector<file_contents>& files);
void write_file(const std::string& path, const std::string& bytes);

//! What write_files would refuse, found before any work is done. @errors TF2125
void expect_writable(const std::vector<std::string>& paths);

}  // namespace twofold::cli
