// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The child shares only the memory of answers with the program; inputs are its own copy.
#include "execute.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "failure.hpp"
#include "glue/frame.hpp"
#include "twofold/cpu/threads.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

enum class stage : int { loading, sequential, scheduled, done };

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

bool call(void* library, const char* name, stage at, call_memory& m, const binding& b, const std::string& schedule, report_block& report) {
  report.at = at;
  const auto f = reinterpret_cast<entry_point>(dlsym(library, name));
  const executor ex = cpu::threads_executor();
  twofold_run::frame frame{
      m.parameters.data(), m.outputs.data(), b.first, b.last, schedule.c_str(), ex.self, reinterpret_cast<void (*)()>(ex.run), 0, {}};
  const bool fine = f != nullptr && f(&frame) == 0;
  report.milliseconds[at == stage::scheduled] = frame.milliseconds;
  if (!fine) std::snprintf(report.message, sizeof report.message, "%s", f == nullptr ? dlerror() : frame.message);
  return fine;
}

[[noreturn]] void child(const std::string& library, call_memory& sequential, call_memory& scheduled, const binding& b,
                        const std::string& schedule, report_block& report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // what the user's code prints is not the result
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    std::snprintf(report.message, sizeof report.message, "%s", dlerror());
    _exit(1);
  }
  if (!call(handle, "twofold_sequential", stage::sequential, sequential, b, schedule, report)) _exit(1);
  if (!call(handle, "twofold_scheduled", stage::scheduled, scheduled, b, schedule, report)) _exit(1);
  report.at = stage::done;
  std::fflush(nullptr);
  _exit(0);
}

[[noreturn]] void explain_end(const report_block& r, int status) {
  const char* where = r.at == stage::loading      ? "loading the compiled code"
                      : r.at == stage::sequential ? "the loop itself"
                                                  : "the loop under the schedule";
  if (WIFSIGNALED(status))
    throw failure(exit_code::bad_input, "TF3102",
                  fmt::format("{} was killed by signal {} ({})", where, WTERMSIG(status), strsignal(WTERMSIG(status))),
                  "the code read or wrote outside its arrays, divided by zero, or overflowed its stack",
                  "run the loop alone under a sanitizer; check the lengths that were set");
  if (r.at == stage::loading)
    throw failure(exit_code::environment, "TF5102", "the compiled code cannot be loaded", r.message,
                  "remove the cache folder and try again");
  if (r.at == stage::done)
    throw failure(exit_code::bad_input, "TF3102", "the loop's code left the program", "it called exit or its like",
                  "leave that out of the loop's file");
  throw failure(exit_code::bad_input, "TF3103", std::string(where) + " failed: " + (*r.message != '\0' ? r.message : "it left the program"),
                "an exception was thrown, or a check of the arrays failed", "check the inputs; run the loop alone");
}

}  // namespace

executed execute(const std::string& library, const spec& s, const cpp_reduction& r, const binding& b, const std::string& schedule) {
  call_memory sequential(s, r, b), scheduled(s, r, b);
  const shared_memory memory(aligned(sizeof(report_block)) + sequential.bytes() + scheduled.bytes());
  auto& report = *new (memory.data()) report_block;
  sequential.lay_out(memory.data() + aligned(sizeof(report_block)), true);
  scheduled.lay_out(memory.data() + aligned(sizeof(report_block)) + sequential.bytes(), false);
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw failure(exit_code::environment, "TF3102", "no process can be started", std::strerror(errno), "close other programs");
  if (pid == 0) child(library, sequential, scheduled, b, schedule, report);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || report.at != stage::done) explain_end(report, status);
  return {sequential.collect(report.milliseconds[0]), scheduled.collect(report.milliseconds[1])};
}

}  // namespace twofold::cli
