// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Decides every loop of the corpus and compares with what is true of it. Exits 1 unless all that is not on the list of known gaps is
//! right.
//!
//!     twofold_loops [--shard I/N] [--only TEXT] [--alone] [--json FILE] [--gaps FILE] [--allow FILE]… [--seconds S] FILE…
//!
//! --gaps: each loop on the list must fail still; --allow: each may, unless it is unsound.
//! --alone reads each function by itself, as `twofold check FILE:FUNCTION` does, and times reading too.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "analyse.hpp"
#include "corpus.hpp"
#include "derive/graph.hpp"
#include "frontend/frontend.hpp"
#include "heap.hpp"

namespace twofold::loops {
namespace {

namespace fs = std::filesystem;
using analyser::decision;
using analyser::frontend_error;
using analyser::spec;

struct arguments {
  std::vector<fs::path> files;
  std::string only;
  fs::path json, gaps;
  std::vector<fs::path> allowances;
  int shard = 0, shards = 1;
  bool alone = false;
  double seconds = 10;
};

//! What came out, and whether it is right.
struct outcome {
  expectation expected;
  std::string verdict;  // associative, not_associative, unknown, refused, absent
  std::string code;     // of a refusal
  std::string grade;    // right; heavier (the verdict is right, with more state than needed); wrong, unknown, unsound
  std::string detail;
  int added = 0;
  double read_ms = 0, decide_ms = 0;
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

const char* word(analyser::verdict v) {
  switch (v) {
    case analyser::verdict::associative:
      return "associative";
    case analyser::verdict::not_associative:
      return "not_associative";
    default:
      return "unknown";
  }
}

//! A positive verdict for what has no merge, or a refutation of a state that merges, is unsound; the rest is only not right.
void grade(outcome& o) {
  const expectation& e = o.expected;
  const bool negative = e.kind == 'N';
  if (o.verdict == "associative" && negative) o.grade = "unsound";
  else if (o.verdict == "not_associative" && e.kind == 'H') o.grade = "unsound";
  else if (o.verdict == e.verdict || (negative && e.verdict == "unknown" && o.verdict == "not_associative"))
    o.grade = o.verdict == "associative" && o.added > e.added ? "heavier" : "right";
  else o.grade = o.verdict == "unknown" ? "unknown" : "wrong";
  if (o.grade == "right" && !e.code.empty() && e.code != o.code) o.grade = "wrong";
  if (o.grade == "heavier") o.detail = fmt::format("{} added variables, {} are enough", o.added, e.added);
  if (o.grade == "wrong" && o.detail.empty()) o.detail = "refused with " + o.code;
}

//! The loop's own variables that the merged state does without: it is as large as what it adds less these.
int own_variables_gone(const spec& s, const decision& d) {
  if (s.passes.size() != 1 || d.state.empty()) return 0;
  const analyser::pass& loop = s.passes[0];
  std::vector<analyser::term> observed;
  for (const analyser::output& out : s.outputs)
    for (std::size_t i = 0; i < s.results.size(); ++i)
      if (contains(out.value, [&](const analyser::node& n) { return analyser::term(&n) == s.results[i]; }))
        observed.push_back(loop.state[i].symbol);
  for (const analyser::element_output& out : loop.outputs) observed.push_back(out.value);
  const std::vector<bool> seen = analyser::deriving::observable(loop, observed);
  int gone = 0;
  for (std::size_t i = 0; i < loop.state.size(); ++i)
    gone += seen[i] && std::none_of(d.state.begin(), d.state.end(), [&](const auto& v) { return v.name == loop.state[i].name; });
  return gone;
}

void decide(outcome& o, const spec& s, double seconds) {
  analyser::options options;
  options.seconds = seconds;
  const auto start = std::chrono::steady_clock::now();
  const decision d = analyser::decide_loop(s, options);
  o.decide_ms = milliseconds_since(start);
  o.verdict = word(d.verdict);
  for (const analyser::merged_variable& v : d.state) o.added += v.role == analyser::role::added;
  if (o.expected.kind != 'H')  // what merges as it is carries its own variables
    o.added = std::max(0, o.added - own_variables_gone(s, d));
  if (o.verdict != o.expected.verdict)
    for (const std::string& t : d.tried) o.detail += "\n      tried: " + t.substr(0, 240);
  if (d.verdict == analyser::verdict::not_associative && o.expected.witness && !d.counterexample) o.detail = "no witness";
}

void refuse(outcome& o, const frontend_error& e) {
  o.verdict = "refused";
  o.code = e.code;
  o.detail = fmt::format("{}:{}: {}: {} ({})", e.where.line, e.where.column, e.code, e.what, e.why);
}

const spec* find(const analyser::frontend_result& r, const std::string& function) {
  for (const spec& s : r.specs)
    if (s.function == function) return &s;
  return nullptr;
}

//! The error that lies within a function: between its first line and that of the next.
const frontend_error* error_between(const analyser::frontend_result& r, int first, int next) {
  for (const frontend_error& e : r.errors)
    if (e.where.line >= first && e.where.line < next) return &e;
  return nullptr;
}

std::vector<outcome> run_file(const fs::path& file, const arguments& a, const std::map<std::string, std::string>& gaps) {
  const std::vector<expectation> expected = read_expectations(file);
  analyser::frontend_options options;
  options.cache_dir = (fs::temp_directory_path() / "twofold-loops").string();
  analyser::frontend_result whole;
  if (!a.alone) whole = analyser::read_source(file.string(), "", options);
  std::vector<outcome> r;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const expectation& e = expected[i];
    if (!a.only.empty() && (e.file + ":" + e.function).find(a.only) == std::string::npos) continue;
    outcome o;
    o.expected = e;
    const int next = i + 1 < expected.size() ? expected[i + 1].line : 1 << 30;
    const spec* s = find(whole, e.function);
    const frontend_error* wrong = s ? nullptr : error_between(whole, e.line, next);
    analyser::frontend_result own;
    if (!s && !wrong) {  // asked for by name; or refused inside of a helper elsewhere
      const auto start = std::chrono::steady_clock::now();
      own = analyser::read_source(file.string(), e.function, options);
      o.read_ms = milliseconds_since(start);
      s = find(own, e.function);
      if (!s && !own.errors.empty()) wrong = &own.errors[0];
    }
    if (s) {
      const bool known = gaps.count(e.file + ":" + e.function) != 0;  // a tenth of the time shows that it is still a gap
      decide(o, *s, known ? a.seconds / 10 : a.seconds);
      grade(o);
      if ((o.grade == "unknown" || o.grade == "heavier") &&
          gaps.count(e.file + ":" + e.function) == 0) {  // solvers are asked for a while only: on a busy machine, ask again
        outcome again;
        again.expected = e;
        decide(again, *s, a.seconds);
        o = again;
      }
    } else if (wrong) refuse(o, *wrong);
    else o.verdict = "absent";
    grade(o);
    r.push_back(o);
  }
  return r;
}

void print_table(const std::vector<outcome>& all, const std::map<std::string, std::string>& gaps) {
  fmt::print("{:<8}{:>7}{:>7}{:>9}{:>7}{:>9}{:>9}{:>12}\n", "class", "loops", "right", "heavier", "wrong", "unknown", "unsound",
             "known gaps");
  for (const char kind : std::string("HAMNR")) {
    std::map<std::string, int> n;
    int loops = 0, known = 0;
    for (const outcome& o : all) {
      if (o.expected.kind != kind) continue;
      ++loops;
      ++n[o.grade];
      known += o.grade != "right" && gaps.count(o.expected.file + ":" + o.expected.function);
    }
    fmt::print("{:<8}{:>7}{:>7}{:>9}{:>7}{:>9}{:>9}{:>12}\n", kind, loops, n["right"], n["heavier"], n["wrong"], n["unknown"], n["unsound"],
               known);
  }
}

void write_json(const std::vector<outcome>& all, const fs::path& file) {
  nlohmann::json r = nlohmann::json::array();
  for (const outcome& o : all)
    r.push_back({{"file", o.expected.file},
                 {"function", o.expected.function},
                 {"class", std::string(1, o.expected.kind)},
                 {"expected", o.expected.verdict},
                 {"verdict", o.verdict},
                 {"code", o.code},
                 {"grade", o.grade},
                 {"added", o.added},
                 {"read_ms", o.read_ms},
                 {"decide_ms", o.decide_ms}});
  std::ofstream(file) << r.dump(1) << "\n";
}

arguments parse(int argc, char** argv) {
  arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string s = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : throw std::runtime_error(s + " needs a value"); };
    if (s == "--shard") {
      const std::string v = value();
      if (std::sscanf(v.c_str(), "%d/%d", &a.shard, &a.shards) != 2) throw std::runtime_error("--shard needs I/N");
    } else if (s == "--only") {
      a.only = value();
    } else if (s == "--json") {
      a.json = value();
    } else if (s == "--gaps") {
      a.gaps = value();
    } else if (s == "--allow") {
      a.allowances.emplace_back(value());
    } else if (s == "--seconds") {
      a.seconds = std::stod(value());
    } else if (s == "--alone") {
      a.alone = true;
    } else {
      a.files.emplace_back(s);
    }
  }
  return a;
}

int run(const arguments& a) {
  const std::map<std::string, std::string> gaps = a.gaps.empty() ? std::map<std::string, std::string>{} : read_gaps(a.gaps);
  std::map<std::string, std::string> allowed;
  for (const fs::path& file : a.allowances) allowed.merge(read_gaps(file));
  std::vector<outcome> all;
  for (std::size_t i = 0; i < a.files.size(); ++i) {
    if (static_cast<int>(i) % a.shards != a.shard) continue;
    for (outcome& o : run_file(a.files[i], a, gaps)) all.push_back(std::move(o));
  }
  int failures = 0;
  for (const outcome& o : all) {
    const std::string name = o.expected.file + ":" + o.expected.function;
    const bool known = gaps.count(name) != 0;
    if (o.grade != "unsound" && (allowed.count(name) != 0 || allowed.count(o.expected.folder + "/") != 0)) continue;
    if (o.grade == "right" && known) fmt::print("{}: right now: strike it off the list of known gaps\n", name);
    if (o.grade != "right" && (!known || o.grade == "unsound"))
      fmt::print("{}:{}: {}: [{}] expected {}, got {}{}\n", name, o.expected.line, o.grade, o.expected.kind, o.expected.verdict, o.verdict,
                 o.detail.empty() ? "" : ": " + o.detail);
    // How little state suffices depends on what a solver finds in its time; the verdict does not, and must be right.
    const bool state_alone = o.grade == "heavier" || (o.grade == "right" && known && gaps.at(name).find("state") != std::string::npos);
    failures += ((o.grade == "right") == known && !state_alone) || o.grade == "unsound";
  }
  print_table(all, gaps);
  if (!a.json.empty()) write_json(all, a.json);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace twofold::loops

int main(int argc, char** argv) {
  twofold::analyser::keep_freed_memory();
  try {
    return twofold::loops::run(twofold::loops::parse(argc, argv));
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}
