// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Compiling user's loops with the system compiler, with a cache in which names are hashes of contents.
#include "compiler.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cache.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "process.hpp"
#include "terminal.hpp"
#include "version.hpp"

namespace twofold::cli {
namespace fs = std::filesystem;

namespace {

constexpr double longest_compilation = 300;

std::vector<std::string> words(const char* text) {
  std::istringstream in(text != nullptr ? text : "");
  std::vector<std::string> out;
  for (std::string w; in >> w;) out.push_back(w);
  return out;
}

//! Errors first; a page of them is enough.
std::string excerpt(const std::string& output) {
  std::istringstream in(output);
  std::string out;
  std::size_t lines = 0;
  for (std::string line; lines < 12 && std::getline(in, line);) {
    if (line.find("error") == std::string::npos && lines == 0) continue;
    out += (lines > 0 ? "\n" : "") + line;
    ++lines;
  }
  return out.empty() ? output.substr(0, 1000) : out;
}

}  // namespace

compiler system_compiler() {
  // $CXX may hold arguments ("ccache g++"); only its words are used, nothing is interpreted.
  std::vector<std::string> candidates{"c++", "g++", "clang++"};
  const std::vector<std::string> chosen = words(std::getenv("CXX"));
  if (!chosen.empty()) candidates = {chosen.back()};
  for (const std::string& c : candidates) {
    const auto path = find_program(c);
    const auto said = path ? run_process({*path, "--version"}, 10) : std::nullopt;
    if (said && said->status == 0) return {*path, said->output};
  }
  throw failure(
      exit_code::environment, "TF5101", "no C++ compiler is found",
      chosen.empty() ? "neither c++ nor g++ nor clang++ is on PATH" : "$CXX names \"" + candidates.front() + "\", which does not run",
      "apt-get install g++, or set CXX to a compiler");
}

std::vector<std::string> header_folders() {
  std::vector<std::string> found;
  for (const char* folder : {TWOFOLD_SOURCE_INCLUDE, TWOFOLD_INSTALL_INCLUDE})
    if (fs::exists(std::string(folder) + "/twofold/algebra/config.hpp")) found.emplace_back(folder);
  return found;
}

namespace {

//! Last bytes of a shared object: a hash of all others. Loaders ignore what follows the sections.
std::string seal_of(std::string_view bytes) { return "\ntwofold " + content_hash(bytes); }

bool is_whole(const std::string& library) {
  const std::string bytes = read_file(library);
  const std::size_t seal = seal_of({}).size();
  return bytes.size() > seal && std::string_view(bytes).substr(bytes.size() - seal) == seal_of({bytes.data(), bytes.size() - seal});
}

//! From the source text to stem.so. `kept`: the folder outlives this run.
compiled build(const compiler& c, const std::string& source, const std::vector<std::string>& flags, const std::string& stem, bool kept) {
  // The process id keeps two programs that compile the same loop apart; the rename is what publishes.
  const std::string mine = fmt::format("{}.{}", stem, getpid()), library = stem + ".so";
  const std::string text = mine + ".cpp", object = mine + ".so";
  write_file(text, source);
  std::vector<std::string> command{c.path};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {text, "-o", object});
  const auto start = std::chrono::steady_clock::now();
  const auto result = run_process(command, longest_compilation);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::error_code ignored;
  if (!result || result->status != 0 || result->timed_out) {
    fs::remove(object, ignored);
    fs::rename(text, stem + ".failed.cpp", ignored);
    throw failure(
        exit_code::environment, "TF5102",
        result && result->timed_out ? "the compiler did not finish within five minutes" : "the compiler refuses the loop with its merge",
        result ? excerpt(result->output) : "it could not be started",
        "compile your source alone first: " + c.path + " -std=c++20 -c FILE" +
            (kept ? "; what was compiled is kept as " + stem + ".failed.cpp" : ""));
  }
  const std::string bytes = read_file(object);
  fs::remove(object, ignored);
  write_file(library, bytes + seal_of(bytes));
  fs::rename(text, stem + ".cpp", ignored);
  return {library, false, seconds, {}};
}

}  // namespace

compiled compile_library(const std::string& source, const std::string& depends, const std::vector<std::string>& flags,
                         const std::string& cache) {
  const compiler c = system_compiler();
  std::string key = version + '\0' + c.path + '\0' + c.version + '\0' + source + '\0' + depends;
  for (const std::string& f : flags) key += '\0' + f;
  const std::string name = content_hash(key);
  try {
    make_cache(cache);
    const std::string stem = cache + "/" + name, library = stem + ".so";
    if (fs::exists(library) && is_whole(library)) return {library, true, 0, {}};
    return build(c, source, flags, stem, true);
  } catch (const failure& f) {
    if (f.code != "TF5103" && f.code != "TF2125") throw;
    say("twofold: " + f.what_was_wrong + " (" + f.why + "): the compiled loop is not kept");
  }
  const auto folder = std::make_shared<const temporary_folder>();
  compiled built = build(c, source, flags, folder->path + "/" + name, false);
  built.holds = folder;
  return built;
}

}  // namespace twofold::cli
