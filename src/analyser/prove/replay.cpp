// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Replays evidence with cvc5, run as a process: never linked, and never trusted beyond the word unsat.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "prove/evidence.hpp"

extern char** environ;

namespace twofold::analyser {
namespace {

struct temporary_file {
  std::string path;
  explicit temporary_file(const std::string& text) {
    std::error_code error;
    path = (std::filesystem::temp_directory_path(error) / "twofold-evidence-XXXXXX").string();
    const int fd = ::mkstemp(path.data());
    if (fd < 0) {
      path.clear();
      return;
    }
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    ::close(fd);
    if (done < text.size()) {
      ::unlink(path.c_str());
      path.clear();
    }
  }
  ~temporary_file() {
    if (!path.empty()) ::unlink(path.c_str());
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
};

struct process {
  bool started = false, timed_out = false;
  int status = 0;
  std::string output;
};

process run(const std::vector<std::string>& words, double seconds) {
  process r;
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return r;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 2);
  std::vector<char*> argv;
  for (const auto& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  if (error == 0) {
    r.started = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    char buffer[4096];
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
      pollfd p{pipe_ends[0], POLLIN, 0};
      if (left <= 0 || ::poll(&p, 1, static_cast<int>(left)) == 0) {
        r.timed_out = true;
        ::kill(child, SIGKILL);
        break;
      }
      const ssize_t n = ::read(pipe_ends[0], buffer, sizeof buffer);
      if (n <= 0) break;
      r.output.append(buffer, static_cast<std::size_t>(n));
    }
    ::waitpid(child, &r.status, 0);
  }
  ::close(pipe_ends[0]);
  return r;
}

unsigned count(const std::string& text, const std::string& word) {
  unsigned n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++n;
  return n;
}

}  // namespace

replay replay_with_cvc5(const std::string& smt, double seconds) {
  replay r;
  const temporary_file file(smt);
  if (file.path.empty()) return r.text = "no temporary file could be written", r;
  const process p = run({"cvc5", "--incremental", "--lang=smt2", file.path}, seconds);
  // a shell-less spawn of an absent program fails at once, or the child exits with 127
  if (!p.started || (WIFEXITED(p.status) && WEXITSTATUS(p.status) == 127))
    return r.text = "cvc5 is not installed (apt-get install cvc5)", r;
  if (p.timed_out) return r.text = "cvc5 did not finish in time", r;
  r.ran = true;
  std::istringstream lines(p.output);
  for (std::string line; std::getline(lines, line);) {
    if (line == "unsat") {
      ++r.answers;
      continue;
    }
    if (!line.empty()) return r.text = "cvc5 answered: " + line, r;
  }
  const unsigned asked = count(smt, "(check-sat)");
  if (!WIFEXITED(p.status) || WEXITSTATUS(p.status) != 0) return r.text = "cvc5 failed", r;
  if (r.answers != asked || asked == 0)
    return r.text = "cvc5 gave " + std::to_string(r.answers) + " of " + std::to_string(asked) + " answers", r;
  r.confirmed = true;
  r.text = "replayed by cvc5: " + std::to_string(asked) + " claims";
  return r;
}

}  // namespace twofold::analyser
