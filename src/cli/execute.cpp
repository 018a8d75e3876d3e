// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The child shares only the memory of answers with the program; inputs are its own copy.
#include "execute.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "failure.hpp"
#include "glue/frame.hpp"
#include "twofold/cpu/threads.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

enum class stage : int { loading, absent, sequential, scheduled, done };

//! Memory that the child writes and the program reads.
class shared_memory {
 public:
  explicit shared_memory(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
    at_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~shared_memory() { munmap(at_, bytes_); }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(at_); }

 private:
  void* at_;
  std::size_t bytes_;
};

struct report_block {
  stage at = stage::loading;
  bool told = false;  // the child ended by itself and says why in `message`: nobody else called exit
  char message[1024] = {};
  double milliseconds[2] = {};
};

std::size_t aligned(std::size_t n) { return (n + 63) / 64 * 64; }

//! The slots of one call, laid out in shared memory: written arrays first, then answers.
class call_memory {
 public:
  call_memory(const spec& s, const cpp_reduction& r, const binding& b) : spec_(s), reduction_(r), binding_(b) {
    for (const bound& p : b.parameters)
      if (is_shared(p)) bytes_ += aligned(p.value.data.size());
    for (const emitted_output& o : r.outputs) {
      const std::int64_t count = o.extent ? size_of(o.extent, b, o.name) : 1;
      npy_array a{dtype_of(o.type), {}, {}};
      if (o.extent) a.shape = {count};
      a.data.resize(static_cast<std::size_t>(count) * dtype_bytes(a.dtype));
      bytes_ += aligned(a.data.size());
      outputs_.push_back(std::move(a));
    }
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  //! Slots over `memory`. Written arrays start with their given contents.
  void lay_out(std::byte* memory, bool answers_go_to_parameters) {
    parameters.clear();
    outputs.clear();
    for (const bound& p : binding_.parameters) {
      std::byte* data = const_cast<std::byte*>(p.value.data.data());  // read-only ones are the child's own after the fork
      if (is_shared(p)) {
        data = memory;
        std::copy(p.value.data.begin(), p.value.data.end(), data);
        memory += aligned(p.value.data.size());
      }
      parameters.push_back(slot_of(p.value, data, row_of(p)));
    }
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const std::size_t p = parameter_of(reduction_.outputs[k].name);
      if (answers_go_to_parameters && p < parameters.size()) outputs.push_back(parameters[p]);
      else outputs.push_back(slot_of(outputs_[k], memory, 1));
      memory += aligned(outputs_[k].data.size());
    }
  }

  //! Everything that the call produced, after it.
  [[nodiscard]] answers collect(double milliseconds) const {
    answers a{{}, milliseconds};
    for (std::size_t k = 0; k < outputs_.size(); ++k) a.values.emplace_back(reduction_.outputs[k].name, contents(outputs_[k], outputs[k]));
    for (std::size_t i = 0; i < binding_.parameters.size(); ++i) {
      const bound& p = binding_.parameters[i];
      const bool each =
          std::any_of(reduction_.each.begin(), reduction_.each.end(), [&](const emitted_each& e) { return e.array == p.name; });
      if (each) a.values.emplace_back(p.name, contents(p.value, parameters[i]));
    }
    return a;
  }

  std::vector<twofold_run::slot> parameters, outputs;

 private:
  bool is_shared(const bound& p) const {
    if (p.is_written) return true;
    const auto writes = [&](const auto& list, auto name) {
      return std::any_of(list.begin(), list.end(), [&](const auto& e) { return e.*name == p.name; });
    };
    return writes(reduction_.each, &emitted_each::array) || writes(reduction_.outputs, &emitted_output::name);
  }
  std::size_t parameter_of(const std::string& name) const {
    for (std::size_t i = 0; i < binding_.parameters.size(); ++i)
      if (binding_.parameters[i].name == name) return i;
    return binding_.parameters.size();
  }
  //! Elements of a row: the matrix's own, else what the loop reads as a row.
  std::int64_t row_of(const bound& p) const {
    if (p.value.shape.size() == 2) return p.value.shape[1];
    for (const pass& each : spec_.passes)
      for (const element& e : each.elements)
        if (e.array == p.name && e.row_extent) return size_of(e.row_extent, binding_, "a row of " + p.name);
    return 1;
  }
  static twofold_run::slot slot_of(const npy_array& a, std::byte* data, std::int64_t row) {
    return {data, a.count(), row > 0 ? a.count() / row : 0, row, static_cast<std::int64_t>(dtype_bytes(a.dtype))};
  }
  static npy_array contents(const npy_array& like, const twofold_run::slot& s) {
    npy_array a{like.dtype, like.shape, {}};
    const auto* from = static_cast<const std::byte*>(s.data);
    a.data.assign(from, from + s.count * s.bytes);
    return a;
  }

  const spec& spec_;
  const cpp_reduction& reduction_;
  const binding& binding_;
  std::vector<npy_array> outputs_;
  std::size_t bytes_ = 0;
};

using entry_point = int (*)(twofold_run::frame*);

report_block* told_here = nullptr;  // of the child, for the handler below

void tell(const char* why) { std::snprintf(told_here->message, sizeof told_here->message, "%s", why); }

//! What is thrown where nothing may be, in a constructor of a global variable or a function that is noexcept, ends here.
[[noreturn]] void tell_exception() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    tell("std::terminate was called");
  } catch (const std::exception& e) {
    tell(e.what());
  } catch (...) {
    tell("something that is not a std::exception was thrown");
  }
  told_here->told = true;
  _exit(1);
}

bool call(void* library, const char* name, stage at, call_memory& m, const binding& b, const std::string& schedule, report_block& report) {
  report.at = at;
  const auto f = reinterpret_cast<entry_point>(dlsym(library, name));
  const executor ex = cpu::threads_executor();
  twofold_run::frame frame{
      m.parameters.data(), m.outputs.data(), b.first, b.last, schedule.c_str(), ex.self, reinterpret_cast<void (*)()>(ex.run), 0, {}};
  const bool fine = f != nullptr && f(&frame) == 0;
  report.milliseconds[at == stage::scheduled] = frame.milliseconds;
  if (!fine) tell(f == nullptr ? dlerror() : frame.message);
  return fine;
}

//! Loading runs the constructors of the file's global variables: what they throw may come out of dlopen, or end in std::terminate.
void* load(const std::string& library) {
  void* (*volatile open_library)(const char*, int) = dlopen;  // declared never to throw, which is not so: the catch would be left out
  try {
    return open_library(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  } catch (...) {
    tell_exception();
  }
}

[[noreturn]] void child(const std::string& library, call_memory& sequential, call_memory& scheduled, const binding& b,
                        const std::string& schedule, report_block& report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // what the user's code prints is not the result
  told_here = &report;
  std::set_terminate(tell_exception);
  void* handle = load(library);
  bool fine = handle != nullptr;
  if (!fine) {
    tell(dlerror());
    report.at = stage::absent;
  }
  fine = fine && call(handle, "twofold_sequential", stage::sequential, sequential, b, schedule, report);
  fine = fine && call(handle, "twofold_scheduled", stage::scheduled, scheduled, b, schedule, report);
  report.told = true;
  if (fine) report.at = stage::done;
  std::fflush(nullptr);
  _exit(fine ? 0 : 1);
}

const char* where_it_ended(stage at) {
  if (at == stage::loading) return "what the file does when it is loaded, before any loop,";
  return at == stage::sequential ? "the loop itself" : "the loop under the schedule";
}

[[noreturn]] void explain_end(const report_block& r, int status) {
  const std::string where = where_it_ended(r.at);
  const bool loading = r.at == stage::loading;
  if (WIFSIGNALED(status))
    throw failure(exit_code::bad_input, "TF3102",
                  fmt::format("{} was killed by signal {} ({})", where, WTERMSIG(status), strsignal(WTERMSIG(status))),
                  loading ? "an initialiser of a global variable, or a function with the attribute constructor, failed"
                          : "the code read or wrote outside its arrays, divided by zero, or overflowed its stack",
                  loading ? "initialise global variables with constants, or keep the loop in a file of its own"
                          : "run the loop alone under a sanitizer; check the lengths that were set");
  if (r.at == stage::absent)
    throw failure(exit_code::environment, "TF5102", "the compiled code cannot be loaded", r.message,
                  "a function that the file only declares is missing there: define it; if the cache is on a file system that forbids to "
                  "run what is on it, name another with --cache DIR");
  if (!r.told)
    throw failure(exit_code::bad_input, "TF3102", fmt::format("{} left the program with status {}", where, WEXITSTATUS(status)),
                  "it called exit or its like", "leave that out of the loop's file");
  throw failure(exit_code::bad_input, "TF3103", where + " failed: " + r.message,
                loading ? "an initialiser of a global variable threw" : "an exception was thrown, or a check of the arrays failed",
                loading ? "initialise global variables with constants, or keep the loop in a file of its own"
                        : "check the inputs; run the loop alone");
}

[[noreturn]] void explain_limit(const report_block& r, double seconds) {
  throw failure(exit_code::undecided, "TF4101", fmt::format("the time limit of {} s was met while {} ran", seconds, where_it_ended(r.at)),
                "the input is large, or the code does not end", "raise the limit with --run-seconds");
}

//! Waits for the end of a process that holds the other end of the pipe; false where it had to be killed.
bool ends_in_time(pid_t pid, int pipe, double seconds, int& status) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::duration<double>(seconds);
  bool in_time = false;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
    pollfd p{pipe, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&p, 1, static_cast<int>(std::min<long long>(left, 1 << 30)));
    if (ready < 0 && errno == EINTR) continue;
    in_time = ready > 0;
    break;
  }
  if (!in_time) kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return in_time;
}

}  // namespace

executed execute(const std::string& library, const spec& s, const cpp_reduction& r, const binding& b, const std::string& schedule,
                 double seconds) {
  call_memory sequential(s, r, b), scheduled(s, r, b);
  const shared_memory memory(aligned(sizeof(report_block)) + sequential.bytes() + scheduled.bytes());
  auto& report = *new (memory.data()) report_block;
  sequential.lay_out(memory.data() + aligned(sizeof(report_block)), true);
  scheduled.lay_out(memory.data() + aligned(sizeof(report_block)) + sequential.bytes(), false);
  std::fflush(nullptr);
  int alive[2];  // nothing is ever written: the end of the child closes it
  const pid_t pid = pipe2(alive, O_CLOEXEC) == 0 ? fork() : -1;
  if (pid < 0) throw failure(exit_code::environment, "TF3102", "no process can be started", std::strerror(errno), "close other programs");
  if (pid == 0) {
    close(alive[0]);
    child(library, sequential, scheduled, b, schedule, report);
  }
  close(alive[1]);
  int status = 0;
  const bool in_time = ends_in_time(pid, alive[0], seconds, status);
  close(alive[0]);
  try {
    if (!in_time) explain_limit(report, seconds);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || report.at != stage::done) explain_end(report, status);
  } catch (failure& f) {
    f.where = s.where;
    throw;
  }
  return {sequential.collect(report.milliseconds[0]), scheduled.collect(report.milliseconds[1])};
}

}  // namespace twofold::cli
