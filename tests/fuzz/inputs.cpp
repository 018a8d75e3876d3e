// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Inputs that nobody should be able to hurt the analyser with: mutated and drawn sources through the front end, and loops of the
//! IR that no front end makes through printers, interpreters and the decision. Whatever comes in, an answer must come out, in time and
//! the same every time, and nothing of a file outside of the source's folder may be in it.
//!
//!     fuzz_inputs --level ir|source [--from SEED] [--count N] [--seconds S] [--json FILE] [--show SEED] [--corpus FOLDER]…
//!
//! Chunks of seeds run in processes of their own: what kills one is counted, printed with its seed, and the next seed goes on.
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyse.hpp"
#include "frontend/dump.hpp"
#include "frontend/frontend.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/program_text.hpp"
#include "fuzz/random_terms.hpp"
#include "ir/evaluate.hpp"

namespace twofold::analyser::fuzz {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

constexpr std::uint64_t seeds_per_process = 500;
constexpr long most_seconds = 60;  // of CPU time for one input, under the sanitizers
constexpr double reading_seconds = 120;
constexpr std::size_t codes = 10000, most_terms = 1000;

struct options_of_run {
  std::string level = "source", json;
  std::vector<std::string> corpus;
  std::uint64_t from = 1, count = 1000;
  double seconds = 0;
  bool show = false;
};

//! What the processes count together.
struct counts {
  std::uint64_t now, inputs, loops, decided, twice, limits;
  std::uint64_t by_code[codes];
};

struct fault {
  std::uint64_t seed;
  std::string how;
};
struct wrong_answer {
  std::string how;
};

std::string slurp(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

//! Small data for any spec; most fit its parameters.
run_inputs data_for(const spec& s, draw& d) {
  run_inputs in;
  const auto value = [&](type t) -> machine {
    const long v = d.between(-3, 9);
    if (t.kind == sort::real) return {static_cast<double>(v) / 2};
    if (t.is_signed) return {static_cast<std::int64_t>(v)};
    return {static_cast<std::uint64_t>(t.kind == sort::boolean ? v & 1 : v < 0 ? 200 : v)};
  };
  for (const parameter& p : s.parameters) {
    if (p.role == parameter_role::length) in.scalars[p.name] = p.element.is_signed ? machine{std::int64_t{4}} : machine{std::uint64_t{4}};
    else if (p.role == parameter_role::scalar) in.scalars[p.name] = value(p.element);
    else if (p.role != parameter_role::output_array)
      for (int i = 0; i < 12; ++i) in.arrays[p.name].push_back(value(p.element));
  }
  return in;
}

//! Everything that may be done with a loop, in little time.
void use(const spec& s, draw& d, counts& c, bool decide) {
  ++c.loops;
  const std::string text = dump(s);
  if (text.empty()) throw wrong_answer{"a loop without text"};
  std::vector<term> terms;
  for (const pass& p : s.passes)
    for (const state_variable& v : p.state) terms.push_back(v.init), terms.push_back(v.step);
  for (const output& o : s.outputs) terms.push_back(o.value);
  if (terms.size() > most_terms) throw limit_error("a loop of more than " + std::to_string(most_terms) + " variables and outputs");
  for (term t : terms) (void)to_cpp(t);
  try {
    (void)run_machine(s, data_for(s, d));
  } catch (const evaluation_error&) {
  }
  exact_program exactly(terms);
  for (term t : exactly.inputs()) exactly.set(t, exact{exact::kind::finite, mpq_class(d.between(-5, 5))});
  exactly.run();
  if (!decide) return;
  ++c.decided;
  const decision r = decide_loop(s, {.seconds = 0.1, .max_nodes = 50'000, .seed = 1});
  for (const merged_variable& v : r.state) (void)to_cpp(v.merge);
}

void one_of_ir(std::uint64_t seed, counts& c, bool show) {
  draw d(seed);
  reset_terms(d.chance(5) ? 80 : 100'000);
  try {
    const spec s = random_spec(d);
    if (show) std::cout << dump(s) << std::flush;
    use(s, d, c, d.chance(2));
  } catch (const limit_error&) {
    ++c.limits;
  }
}

//! The texts that the mutations begin with, and the folder in which everything lies.
struct workshop {
  fs::path folder = fs::temp_directory_path() / ("twofold_inputs_" + std::to_string(::getpid()));
  forbidden secret{(folder / "secret.hpp").string(), "canary8913"};
  std::vector<source_pieces> corpus;
  frontend_options reading;

  explicit workshop(const std::vector<std::string>& folders) {
    fs::create_directories(folder / "in");
    std::ofstream(secret.path) << "int " << secret.word << " = " << secret.word << "_too;\n";
    reading.cache_dir = (folder / "cache").string();
    std::vector<fs::path> files;
    for (const std::string& f : folders)
      for (const auto& e : fs::directory_iterator(f))
        if (e.path().extension() == ".cpp") files.push_back(e.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& f : files)
      if (source_pieces p = cut_up(slurp(f)); !p.pieces.empty()) corpus.push_back(std::move(p));
  }
};

std::string text_of(std::uint64_t seed, const workshop& w) {
  draw d(seed);
  if (!w.corpus.empty() && d.chance(70)) return mutated_source(d, w.corpus, w.secret);
  program_text p = draw_program(d, "f");
  if (d.chance(40)) return program_includes + p.text;
  return mutated_source(d, {{program_includes, {p.text}}}, w.secret);
}

std::string answer_of(const frontend_result& r) {
  std::string all;
  for (const spec& s : r.specs) all += dump(s);
  for (const frontend_error& e : r.errors)
    all += e.where.file + ":" + std::to_string(e.where.line) + ":" + std::to_string(e.where.column) + ": " + e.code + ": " + e.what + ": " +
           e.why + "; " + e.fix + "\n";
  return all;
}

frontend_result answer(const std::string& file, const frontend_options& o) {
  reset_terms(200'000);
  const construction_deadline end(reading_seconds);
  return read_source(file, "", o);
}

void check_answer(const frontend_result& r, const workshop& w, counts& c) {
  if (r.specs.empty() && r.errors.empty()) throw wrong_answer{"no answer"};
  const std::string all = answer_of(r);
  if (all.find(w.secret.word) != std::string::npos || all.find("'there'") != std::string::npos)
    throw wrong_answer{"an answer that knows a forbidden file: " + all};
  for (const frontend_error& e : r.errors) {
    const unsigned long code = e.code.size() == 6 && e.code.starts_with("TF") ? std::strtoul(e.code.c_str() + 2, nullptr, 10) : 0;
    if (code == 0 || code >= codes || e.what.empty() || e.fix.empty()) throw wrong_answer{"an error without a code or words: " + all};
    if ((e.kind == frontend_error::kind::bad_input) != (code < 4000)) throw wrong_answer{"an error of another kind than its code: " + all};
    if (!fs::exists(TWOFOLD_SOURCE_DIR "/docs/errors/" + e.code + ".md")) throw wrong_answer{"an error without a page: " + all};
    if (e.where.file == w.secret.path) throw wrong_answer{"an error in a forbidden file"};
    ++c.by_code[code];
  }
}

void one_of_source(std::uint64_t seed, counts& c, const workshop& w, bool show) {
  const std::string file = (w.folder / "in" / "source.cpp").string();
  const std::string text = text_of(seed, w);
  std::ofstream(file, std::ios::binary) << text;
  if (show) std::cout << text << std::flush;
  const frontend_result r = answer(file, w.reading);
  if (show) std::cout << answer_of(r) << std::flush;
  check_answer(r, w, c);
  draw d(seed + 1);
  for (const spec& s : r.specs) {
    try {
      use(s, d, c, d.chance(1));
    } catch (const limit_error&) {
      ++c.limits;
    }
  }
  if (!d.chance(4)) return;
  ++c.twice;
  const std::string before = answer_of(r);
  if (const std::string again = answer_of(answer(file, w.reading)); again != before)
    throw wrong_answer{"two answers: " + before + "and: " + again};
}

[[noreturn]] void process(std::uint64_t from, std::uint64_t to, const options_of_run& o, const workshop& w, counts& c,
                          clock::time_point end) {
  for (std::uint64_t seed = from; seed < to && clock::now() < end; ++seed) {
    c.now = seed;
    const itimerval left{{0, 0}, {most_seconds, 0}};
    ::setitimer(ITIMER_PROF, &left, nullptr);
    try {
      if (o.level == "ir") one_of_ir(seed, c, o.show);
      else one_of_source(seed, c, w, o.show);
    } catch (const wrong_answer& e) {
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), e.how.c_str());
      std::fflush(nullptr);
      ::_exit(3);
    }
    ++c.inputs;
  }
  std::fflush(nullptr);
  ::_exit(0);
}

int run(const options_of_run& o) {
  const workshop w(o.corpus);
  auto& c = *static_cast<counts*>(::mmap(nullptr, sizeof(counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const auto start = clock::now();
  const auto end = o.seconds > 0 ? start + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(o.seconds))
                                 : clock::time_point::max();
  std::vector<fault> faults;
  const std::uint64_t stop = o.from + o.count;
  std::uint64_t seed = o.from;
  while (seed < stop && clock::now() < end && faults.size() < 50) {
    std::fflush(nullptr);
    const std::uint64_t to = std::min(stop, seed + seeds_per_process);
    const pid_t child = ::fork();
    if (child == 0) process(seed, to, o, w, c, end);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      seed = to;
      continue;
    }
    faults.push_back({c.now, WIFSIGNALED(status) ? (WTERMSIG(status) == SIGPROF ? "hang" : "signal " + std::to_string(WTERMSIG(status)))
                             : WEXITSTATUS(status) == 3 ? "wrong answer"
                                                        : "exit " + std::to_string(WEXITSTATUS(status))});
    std::printf("FAULT %s seed %llu: %s\n", o.level.c_str(), static_cast<unsigned long long>(c.now), faults.back().how.c_str());
    ++c.inputs;
    seed = c.now + 1;
  }
  fs::remove_all(w.folder);
  nlohmann::ordered_json found = nlohmann::ordered_json::array(), refused = nlohmann::ordered_json::object();
  for (const fault& f : faults) found.push_back({{"seed", f.seed}, {"how", f.how}});
  for (std::size_t i = 0; i < codes; ++i)
    if (c.by_code[i] > 0) refused["TF" + std::to_string(i)] = c.by_code[i];
  const double wall = std::chrono::duration<double>(clock::now() - start).count();
  std::printf("%s: seeds %llu … %llu: %llu inputs, %llu loops, %llu decided, %llu read twice, %llu limits met, %zu faults, %.0f s\n",
              o.level.c_str(), static_cast<unsigned long long>(o.from), static_cast<unsigned long long>(o.from + c.inputs),
              static_cast<unsigned long long>(c.inputs), static_cast<unsigned long long>(c.loops),
              static_cast<unsigned long long>(c.decided), static_cast<unsigned long long>(c.twice),
              static_cast<unsigned long long>(c.limits), faults.size(), wall);
  if (!o.json.empty())
    std::ofstream(o.json) << nlohmann::ordered_json{{"level", o.level},   {"first_seed", o.from}, {"inputs", c.inputs},
                                                    {"loops", c.loops},   {"decided", c.decided}, {"read_twice", c.twice},
                                                    {"limits", c.limits}, {"faults", found},      {"refused", refused},
                                                    {"wall_s", wall}}
                                 .dump(1)
                          << "\n";
  return faults.empty() ? 0 : 1;
}

}  // namespace
}  // namespace twofold::analyser::fuzz

int main(int argc, char** argv) {
  twofold::analyser::fuzz::options_of_run o;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (i + 1 == argc) return std::fprintf(stderr, "%s needs a value\n", flag.c_str()), 2;
    const char* value = argv[++i];
    if (flag == "--level") o.level = value;
    else if (flag == "--from") o.from = std::strtoull(value, nullptr, 10);
    else if (flag == "--count") o.count = std::strtoull(value, nullptr, 10);
    else if (flag == "--seconds") o.seconds = std::atof(value);
    else if (flag == "--json") o.json = value;
    else if (flag == "--corpus") o.corpus.emplace_back(value);
    else if (flag == "--show") o.from = std::strtoull(value, nullptr, 10), o.count = 1, o.show = true;
    else return std::fprintf(stderr, "no option %s\n", flag.c_str()), 2;
  }
  if (o.level != "ir" && o.level != "source") return std::fprintf(stderr, "--level ir or source\n"), 2;
  return twofold::analyser::fuzz::run(o);
}
