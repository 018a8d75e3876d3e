// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Whole files in, whole files out: a reader never sees a file that is half written.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "failure.hpp"
#include "npy.hpp"

namespace twofold::cli {
namespace {

struct descriptor {
  int fd;
  ~descriptor() {
    if (fd >= 0) close(fd);
  }
};

[[noreturn]] void cannot(const char* doing, const std::string& path) {
  throw failure(exit_code::bad_input, "TF2125", std::string("cannot ") + doing + " \"" + path + "\"", std::strerror(errno),
                "check the path, its folder and its permissions");
}

bool write_all(int fd, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

std::string read_file(const std::string& path) {
  const descriptor in{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat about {};
  if (in.fd < 0 || fstat(in.fd, &about) != 0) cannot("read", path);
  std::string bytes;
  if (about.st_size > 0) bytes.reserve(static_cast<std::size_t>(about.st_size));
  char block[1 << 16];
  for (;;) {
    const ssize_t n = read(in.fd, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) cannot("read", path);
    if (n == 0) return bytes;
    bytes.append(block, static_cast<std::size_t>(n));
  }
}

void write_file(const std::string& path, const std::string& bytes) {
  std::string temporary = path + ".XXXXXX";
  {
    const descriptor out{mkostemp(temporary.data(), O_CLOEXEC)};
    if (out.fd < 0) cannot("write", path);
    const mode_t mask = umask(0);
    umask(mask);
    if (!write_all(out.fd, bytes) || fchmod(out.fd, 0666 & ~mask) != 0) {
      const int reason = errno;
      unlink(temporary.c_str());
      errno = reason;
      cannot("write", path);
    }
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(temporary.c_str());
    errno = reason;
    cannot("write", path);
  }
}

}  // namespace twofold::cli
