// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The child's life: limits set, work done, one answer written to a pipe. A thread could not be stopped, nor could memory
//! be given back; a process can, and a fork of this program takes about a millisecond.
#include "limits.hpp"

#include <fcntl.h>
#include <gmp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>

namespace twofold::cli {
namespace {

constexpr int status_memory = 97, status_exception = 98;  // above every exit code of the program

[[noreturn]] void memory_ended() { _exit(status_memory); }

void* allocate_or_end(std::size_t n) {
  void* p = std::malloc(n);
  if (p == nullptr && n > 0) memory_ended();
  return p;
}
void* reallocate_or_end(void* old, std::size_t, std::size_t n) {
  void* p = std::realloc(old, n);
  if (p == nullptr && n > 0) memory_ended();
  return p;
}
void release(void* p, std::size_t) { std::free(p); }

//! Private writable memory of this process in bytes, what RLIMIT_DATA counts.
rlim_t data_now() {
  std::ifstream status("/proc/self/status");
  std::string key;
  while (status >> key) {
    rlim_t kib = 0;
    if (key == "VmData:" && status >> kib) return kib * 1024;
  }
  return 0;
}

void limit_memory(std::size_t mebibytes) {
  if (mebibytes == 0) return;
  rlimit r{};
  if (getrlimit(RLIMIT_DATA, &r) != 0) return;
  const rlim_t wanted = data_now() + static_cast<rlim_t>(mebibytes) * 1024 * 1024;
  r.rlim_cur = r.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, r.rlim_max);
  setrlimit(RLIMIT_DATA, &r);
  std::set_new_handler(memory_ended);
  mp_set_memory_functions(allocate_or_end, reallocate_or_end, release);  // GMP would abort with a message of its own
}

bool write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

[[noreturn]] void child(int answer, const limits& l, const std::function<void(const answer_sink&)>& work) {
  limit_memory(l.mebibytes);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  try {
    work([answer](const std::string& part) {
      if (!write_all(answer, part)) _exit(status_exception);
    });
    _exit(0);
  } catch (const std::bad_alloc&) {
    memory_ended();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "twofold: %s\n", e.what());
    _exit(status_exception);
  }
}

//! Reads the pipe until the child closes it or nothing came for so many seconds. True: closed in time.
bool collect(int end_of_pipe, double seconds, std::string& text) {
  using clock = std::chrono::steady_clock;
  const std::chrono::duration<double> patience(seconds);
  auto end = clock::now() + patience;
  char block[1 << 16];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
    pollfd p{end_of_pipe, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&p, 1, static_cast<int>(std::min<long long>(left, 1 << 30)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t n = ::read(end_of_pipe, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(block, static_cast<std::size_t>(n));
    end = clock::now() + patience;
  }
}

//! A solver that runs out of memory may abort instead of throwing: then the peak tells.
bool near_memory_limit(const rusage& used, const limits& l) {
  return l.mebibytes > 0 && static_cast<std::size_t>(used.ru_maxrss) >= l.mebibytes * 1024 * 9 / 10;
}

}  // namespace

namespace {

//! The end of a child: by its exit status, its signal, or the limit that it met.
ending wait_for(pid_t pid, bool in_time, const limits& l, int& status) {
  if (!in_time) kill(pid, SIGKILL);
  rusage used{};
  while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  if (!in_time) return ending::out_of_time;
  if (WIFEXITED(status) && WEXITSTATUS(status) == status_memory) return ending::out_of_memory;
  if (WIFEXITED(status) && WEXITSTATUS(status) < status_memory) return ending::finished;
  return near_memory_limit(used, l) ? ending::out_of_memory : ending::crashed;
}

struct fork_with_pipe {
  int ends[2] = {-1, -1};
  pid_t pid = -1;
  fork_with_pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
    std::fflush(nullptr);
    pid = fork();
    if (pid < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    close(ends[pid == 0 ? 0 : 1]);
  }
};

}  // namespace

limited_result run_limited(const limits& l, const std::function<void(const answer_sink&)>& work) {
  const fork_with_pipe f;
  if (f.pid == 0) child(f.ends[1], l, work);
  limited_result r;
  const bool in_time = collect(f.ends[0], l.seconds + l.grace, r.answer);
  close(f.ends[0]);
  int status = 0;
  r.how = wait_for(f.pid, in_time, l, status);
  if (r.how == ending::finished && WEXITSTATUS(status) != 0) r.how = ending::crashed;  // somebody called exit
  if (WIFSIGNALED(status)) r.signal = WTERMSIG(status);
  return r;
}

supervised_result run_supervised(const limits& l, const std::function<int(const std::function<void()>&)>& work) {
  const fork_with_pipe f;
  if (f.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    rlimit before{};
    getrlimit(RLIMIT_DATA, &before);
    limit_memory(l.mebibytes);
    const int status = work([&] {
      setrlimit(RLIMIT_DATA, &before);
      std::set_new_handler(nullptr);
      write_all(f.ends[1], "lifted");
      close(f.ends[1]);
    });
    std::fflush(nullptr);
    _exit(status);
  }
  std::string lifted;
  const bool in_time = collect(f.ends[0], l.seconds + l.grace, lifted);
  close(f.ends[0]);
  supervised_result r;
  int status = 0;
  r.how = wait_for(f.pid, in_time, lifted.empty() ? l : limits{l.seconds, 0, l.grace}, status);
  if (WIFSIGNALED(status)) r.signal = WTERMSIG(status);
  if (WIFEXITED(status)) r.status = WEXITSTATUS(status);
  return r;
}

}  // namespace twofold::cli
