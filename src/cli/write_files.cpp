// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Writing: every file complete beside its goal first, then all of them renamed; what cannot be finished is undone.
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "failure.hpp"
#include "files.hpp"

namespace twofold::cli {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void unwritable(const std::string& path, const std::string& why,
                             const std::string& fix = "check the path, its folder and its permissions") {
  throw failure(exit_code::bad_input, "TF2125", "cannot write \"" + path + "\"", why, fix);
}

//! Where the bytes for a path go.
struct goal {
  std::string path;  // as given
  std::string real;  // links followed; what is renamed over
  bool exists = false, special = false;
  struct stat about {};
};

//! The last name in a chain of links, the first that is not there. A link may lead to a file that does not exist yet.
std::string end_of_links(const std::string& path) {
  constexpr int longest_chain = 40;
  fs::path at = path;
  for (int i = 0; i < longest_chain; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(at, error))) return at.string();
    const fs::path to = fs::read_symlink(at, error);
    if (error) unwritable(path, error.message());
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  unwritable(path, std::strerror(ELOOP));
}

//! The result of the program goes there: a file in its middle would spoil both.
bool is_own_output(const struct stat& about) {
  for (const int own : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat other {};
    if (fstat(own, &other) != 0 || other.st_dev != about.st_dev || other.st_ino != about.st_ino) continue;
    if (!S_ISCHR(about.st_mode) || isatty(own) == 1) return true;  // /dev/null may be both
  }
  return false;
}

goal resolve(const std::string& path) {
  goal g{path, {}, false, false, {}};
  if (path.empty()) unwritable(path, "the name is empty", "name a file");
  if (stat(path.c_str(), &g.about) == 0) {
    g.exists = true;
    if (S_ISDIR(g.about.st_mode)) unwritable(path, "it is a folder", "name a file in it");
    if (S_ISBLK(g.about.st_mode) || S_ISSOCK(g.about.st_mode)) unwritable(path, "it is neither a file nor a pipe", "name a file");
    if (is_own_output(g.about))
      unwritable(path, "it is where this program's own result and messages go", "name another file, or leave the option out");
    g.special = !S_ISREG(g.about.st_mode);
    if (access(path.c_str(), W_OK) != 0) unwritable(path, std::strerror(errno));
    if (g.special) return g;
    char real[PATH_MAX];
    if (realpath(path.c_str(), real) == nullptr) unwritable(path, std::strerror(errno));
    g.real = real;
  } else if (errno == ENOENT) {
    g.real = end_of_links(path);
  } else {
    unwritable(path, std::strerror(errno));
  }
  const fs::path end = fs::path(g.real);
  const std::string folder = end.has_parent_path() ? end.parent_path().string() : ".";
  if (!end.has_filename()) unwritable(path, "it ends in a slash, as a folder does", "name a file in it");
  if (access(folder.c_str(), W_OK | X_OK) != 0) unwritable(path, std::string(std::strerror(errno)) + " (\"" + folder + "\")");
  std::error_code error;
  if (const fs::path canonical = fs::canonical(folder, error); !error) g.real = (canonical / end.filename()).string();
  return g;
}

std::vector<goal> resolve_all(const std::vector<std::string>& paths) {
  std::vector<goal> goals;
  for (const std::string& p : paths) {
    goal g = resolve(p);
    for (const goal& other : goals) {
      const bool same = g.exists && other.exists ? g.about.st_dev == other.about.st_dev && g.about.st_ino == other.about.st_ino
                                                 : !g.special && !other.special && g.real == other.real;
      if (same && !(g.special && S_ISCHR(g.about.st_mode)))
        unwritable(p, "\"" + other.path + "\" is the same file, and the second result would replace the first",
                   "give each a file of its own");
    }
    goals.push_back(std::move(g));
  }
  return goals;
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

//! Into a device or a pipe. Nobody at the other end is an error, not a reason to wait or to be killed.
void write_through(const goal& g, const std::string& bytes) {
  const int fd = open(g.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0 && errno == ENXIO) unwritable(g.path, "it is a pipe that nobody reads", "start what reads it first, or name a file");
  if (fd < 0) unwritable(g.path, std::strerror(errno));
  fcntl(fd, F_SETFL, 0);  // wait for a slow reader
  struct sigaction before {
  }, ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  const bool fine = write_all(fd, bytes);
  const int reason = errno;
  sigaction(SIGPIPE, &before, nullptr);
  close(fd);
  if (!fine) unwritable(g.path, std::strerror(reason));
}

//! One complete file beside its goal; gone with this object unless it was put in place and kept.
class beside {
 public:
  beside(const goal& g, const std::string& bytes) : goal_(g) {
    const std::string folder = fs::path(g.real).parent_path().string();
    name_ = folder + "/.twofold-XXXXXX";
    const int fd = mkostemp(name_.data(), O_CLOEXEC);
    if (fd < 0) {
      name_.clear();
      unwritable(g.path, std::strerror(errno));
    }
    const mode_t mask = umask(0);
    umask(mask);
    const bool fine = write_all(fd, bytes) && fchmod(fd, g.exists ? g.about.st_mode & 07777 : 0666 & ~mask) == 0;
    const int reason = errno;
    close(fd);
    if (!fine) {
      unlink(name_.c_str());
      unwritable(g.path, std::strerror(reason));
    }
  }
  beside(beside&& b) noexcept : goal_(b.goal_), name_(std::move(b.name_)), before_(std::move(b.before_)), placed_(b.placed_) {
    b.name_.clear(), b.before_.clear();
  }
  beside& operator=(beside&&) = delete;
  ~beside() {
    if (!name_.empty()) unlink(name_.c_str());
    if (!before_.empty()) unlink(before_.c_str());
  }

  void place() {
    if (goal_.exists) {  // a second name for what was there, so that it can come back
      before_ = name_ + ".old";
      if (link(goal_.real.c_str(), before_.c_str()) != 0) before_.clear();
    }
    if (rename(name_.c_str(), goal_.real.c_str()) != 0) unwritable(goal_.path, std::strerror(errno));
    name_.clear();
    placed_ = true;
  }
  void undo() {
    if (!placed_) return;
    if (!goal_.exists) unlink(goal_.real.c_str());
    else if (!before_.empty() && rename(before_.c_str(), goal_.real.c_str()) == 0) before_.clear();
  }

 private:
  const goal& goal_;
  std::string name_, before_;
  bool placed_ = false;
};

}  // namespace

void expect_writable(const std::vector<std::string>& paths) { resolve_all(paths); }

void write_files(const std::vector<file_contents>& files) {
  std::vector<std::string> paths;
  for (const file_contents& f : files) paths.push_back(f.path);
  const std::vector<goal> goals = resolve_all(paths);
  std::vector<beside> complete;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!goals[i].special) complete.emplace_back(goals[i], files[i].bytes);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (goals[i].special) write_through(goals[i], files[i].bytes);
  try {
    for (beside& b : complete) b.place();
  } catch (...) {
    for (beside& b : complete) b.undo();
    throw;
  }
}

void write_file(const std::string& path, const std::string& bytes) { write_files({{path, bytes}}); }

}  // namespace twofold::cli
