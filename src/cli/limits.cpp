// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The child's life: limits set, work done, one answer written to a pipe. A thread could not be stopped, nor could memory
//! be given back; a process can, and a fork of this program takes about a millisecond.
#include "limits.hpp"

#include <fcntl.h>
#include <gmp.h>
#include <poll.h>
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

constexpr int status_memory = 97, status_exception = 98;

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
bool collect(int pipe, double seconds, std::string& text) {
  using clock = std::chrono::steady_clock;
  const std::chrono::duration<double> patience(seconds);
  auto end = clock::now() + patience;
  char block[1 << 16];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
    pollfd p{pipe, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&p, 1, static_cast<int>(std::min<long long>(left, 1 << 30)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t n = read(pipe, block, sizeof block);
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

limited_result run_limited(const limits& l, const std::function<void(const answer_sink&)>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (pid == 0) {
    close(ends[0]);
    child(ends[1], l, work);
  }
  close(ends[1]);
  limited_result r;
  const bool in_time = collect(ends[0], l.seconds + l.grace, r.answer);
  close(ends[0]);
  if (!in_time) kill(pid, SIGKILL);
  int status = 0;
  rusage used{};
  while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  if (!in_time) r.how = ending::out_of_time;
  else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) r.how = ending::finished;
  else if (WIFEXITED(status) && WEXITSTATUS(status) == status_memory) r.how = ending::out_of_memory;
  else if (near_memory_limit(used, l)) r.how = ending::out_of_memory;
  else r.how = ending::crashed;
  if (WIFSIGNALED(status)) r.signal = WTERMSIG(status);
  return r;
}

}  // namespace twofold::cli
