// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Calls NVRTC. Its few prototypes are written out here: a build needs no CUDA.
#include "compile.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "headers.hpp"
#include "shared_library.hpp"

namespace twofold::device {
namespace {

struct program_tag;
using program = program_tag*;

struct nvrtc {
  int (*version)(int*, int*) = nullptr;
  int (*create)(program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy)(program*) = nullptr;
  int (*compile)(program, int, const char* const*) = nullptr;
  int (*log_size)(program, std::size_t*) = nullptr;
  int (*log)(program, char*) = nullptr;
  int (*code_size)(program, std::size_t*) = nullptr;
  int (*code)(program, char*) = nullptr;
  const char* (*error)(int) = nullptr;
  std::string why;  // it cannot be used; empty: it can

  nvrtc() {
    std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so"};
    if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0')
      names.insert(names.begin(), std::string(home) + "/lib64/libnvrtc.so.13");
    names.insert(names.end(), {"/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so"});
    const shared_library library(names);
    if (library.empty()) {
      why = library.why();
      return;
    }
    library.get(version, "nvrtcVersion");
    library.get(create, "nvrtcCreateProgram");
    library.get(destroy, "nvrtcDestroyProgram");
    library.get(compile, "nvrtcCompileProgram");
    library.get(log_size, "nvrtcGetProgramLogSize");
    library.get(log, "nvrtcGetProgramLog");
    library.get(code_size, "nvrtcGetCUBINSize");
    library.get(code, "nvrtcGetCUBIN");
    library.get(error, "nvrtcGetErrorString");
    if (!version || !create || !destroy || !compile || !log_size || !log || !code_size || !code || !error)
      why = "it lacks a function that CUDA 12 and later have";
  }
};

const nvrtc& api() {
  static const nvrtc one;
  return one;
}

std::string version_text() {
  int major = 0, minor = 0;
  api().version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

//! The first lines that name an error, at most a page.
std::string excerpt(const std::string& log) {
  std::string out;
  int lines = 0;
  for (std::size_t at = 0; at < log.size() && lines < 12;) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    if (lines > 0 || line.find("error") != std::string::npos) out += (lines++ > 0 ? "\n" : "") + line;
    at = end + 1;
  }
  return out.empty() ? log.substr(0, 1000) : out;
}

std::string compile_now(const std::string& text, const std::string& name, const std::vector<std::string>& options) {
  std::vector<const char*> names, texts, words;
  for (const header& h : headers()) names.push_back(h.name), texts.push_back(h.text);
  for (const std::string& o : options) words.push_back(o.c_str());
  program p = nullptr;
  const auto fail = [](int e) {
    if (e != 0)
      throw failure("TF3105", "the merged loop does not compile for the GPU", api().error(e),
                    "run it on the CPU with --device cpu, and report this with your loop");
  };
  fail(api().create(&p, text.c_str(), name.c_str(), static_cast<int>(names.size()), texts.data(), names.data()));
  const struct guard {
    program* p;
    ~guard() { api().destroy(p); }
  } destroys{&p};
  const int result = api().compile(p, static_cast<int>(words.size()), words.data());
  std::size_t size = 0;
  if (result != 0) {
    std::string log;
    if (api().log_size(p, &size) == 0 && size > 0) {
      log.resize(size);
      api().log(p, log.data());
      log.resize(size - 1);
    }
    if (log.find("gpu-architecture") != std::string::npos)
      throw failure("TF3104", "NVRTC " + version_text() + " does not know this GPU", excerpt(log), "install the CUDA 13 toolkit");
    throw failure("TF3105", "the merged loop does not compile for the GPU", excerpt(log),
                  "run it on the CPU with --device cpu, and report this with your loop");
  }
  fail(api().code_size(p, &size));
  std::string code(size, '\0');
  fail(api().code(p, code.data()));
  return code;
}

}  // namespace

std::string compiler_version() { return api().why.empty() ? version_text() : "none: " + api().why; }

compiled compile(const std::string& text, const std::string& name, const std::string& architecture, const keeper& kept) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  if (!api().why.empty())
    throw failure("TF3104", "the run-time compiler of CUDA is not found", api().why,
                  "install the CUDA 13 toolkit (libnvrtc.so.13), put it on LD_LIBRARY_PATH or set CUDA_HOME; or --device cpu");
  // Quicker compilation (--Ofast-compile) leaves loops rolled and rows in local memory: a tenth of the speed was measured.
  const std::vector<std::string> options{"--gpu-architecture=" + architecture, "--std=c++20", "--device-as-default-execution-space",
                                         "--no-source-include"};
  std::string key = "cubin " + version_text() + '\0' + name;
  for (const std::string& o : options) key += '\0' + o;
  for (const header& h : headers()) key += std::string("\0", 1) + h.name + '\0' + h.text;
  key += '\0' + text;
  if (auto code = kept.find(key)) return {std::move(*code), true, seconds()};
  compiled c{compile_now(text, name, options), false, 0};
  kept.keep(key, c.code);
  c.seconds = seconds();
  return c;
}

}  // namespace twofold::device
