// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The merge of every loop of the corpus under attack: its evidence is written down for other solvers, and one-token mutants of it
//! must be shown wrong (by exact runs, or by the checker at an exact point) or be proved to be the same merge.
//!
//!     twofold_evidence [--every N] [--mutants N] [--evidence FOLDER] [--json FILE] [--only TEXT] [--seconds S] FILE…
//!
//! --every N: each Nth loop that is expected to merge; --mutants N: at most so many of one merge, spread over all of them (0: none).
//! Exits 1 where a mutant is proved although runs show that it is wrong, or where nothing was proved at all.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "corpus.hpp"
#include "derive/derive.hpp"
#include "derive/sampling.hpp"
#include "frontend/frontend.hpp"
#include "prove/evidence.hpp"
#include "prove/mutate.hpp"

namespace twofold::loops {
namespace {

namespace fs = std::filesystem;
using namespace analyser;

struct arguments {
  std::vector<fs::path> files;
  std::string only;
  fs::path json, evidence;
  std::size_t every = 1, most_mutants = 0;
  double seconds = 10;
};

//! What became of one loop's mutants.
struct attack {
  std::string loop;
  std::size_t claims = 0, left_out = 0;  // of the evidence
  std::size_t mutants = 0, wrong_on_words = 0, refuted = 0, equal = 0;
  std::vector<std::string> open, unsound;
};

struct proved_merge {
  derivation from;
  std::string smt;
};
std::optional<proved_merge> prove(const spec& s, double seconds) {
  for (const derivation& d : derive(s, seconds).found)
    if (check_result r = check_passes(s, d.separations, d.merge, d.finalize, seconds); r.result == outcome::proved)
      return proved_merge{d, std::move(r.proof.smt)};
  return std::nullopt;
}

bool wrong_on_words(const candidate& c, unsigned seed) {
  try {
    return deriving::word_runner(c.variables, seed).differs(300);
  } catch (const limit_error&) {
    return false;
  }
}

void try_mutants(attack& a, const spec& s, const derivation& d, const arguments& options) {
  const std::vector<mutant> all = mutants(d.merge);
  const std::size_t stride = std::max<std::size_t>(1, (all.size() + options.most_mutants - 1) / options.most_mutants);
  for (std::size_t k = 0; k < all.size(); k += stride) {
    ++a.mutants;
    if (wrong_on_words(all[k].merge, 1)) {
      ++a.wrong_on_words;
      continue;
    }
    check_result r;
    try {
      r = check_passes(s, d.separations, all[k].merge, d.finalize, options.seconds / 4);
    } catch (const limit_error& e) {
      r.failed = e.what();
    }
    if (r.result == outcome::refuted) ++a.refuted;
    else if (r.result == outcome::unknown) a.open.push_back(all[k].description + ": " + r.failed);
    else if (wrong_on_words(all[k].merge, 7)) a.unsound.push_back(all[k].description);
    else ++a.equal;
  }
}

std::vector<attack> attack_file(const fs::path& file, const arguments& options, std::size_t& next) {
  frontend_options reading;
  reading.cache_dir = (fs::temp_directory_path() / "twofold-loops").string();
  std::vector<attack> r;
  for (const expectation& e : read_expectations(file)) {
    const std::string name = e.file + ":" + e.function;
    if (e.verdict != "associative" || name.find(options.only) == std::string::npos || next++ % options.every != 0) continue;
    reset_terms(20'000'000);  // mutants by the hundred, of one loop
    const frontend_result own = read_source(file.string(), e.function, reading);
    for (const spec& s : own.specs) {
      if (s.function != e.function) continue;
      std::optional<proved_merge> proved;
      try {
        proved = prove(s, options.seconds);
      } catch (const limit_error&) {
      }
      if (!proved) continue;  // what is not proved is the corpus's own business
      attack a;
      a.loop = name;
      const std::string asked = "(check-sat)";
      for (std::size_t at = proved->smt.find(asked); at != std::string::npos; at = proved->smt.find(asked, at + 1)) ++a.claims;
      a.left_out = not_written(proved->smt);
      if (!options.evidence.empty()) std::ofstream(options.evidence / (e.file + "." + e.function + ".smt2")) << proved->smt;
      try {
        if (options.most_mutants > 0) try_mutants(a, s, proved->from, options);
      } catch (const limit_error& limit) {
        a.open.push_back(std::string("the rest of the mutants: ") + limit.what());
      }
      fmt::print("{}: {} claims, {} left out; {} mutants: {} wrong on words, {} refuted, {} equal, {} open\n", a.loop, a.claims, a.left_out,
                 a.mutants, a.wrong_on_words, a.refuted, a.equal, a.open.size());
      for (const std::string& o : a.open) fmt::print("    open: {}\n", o);
      for (const std::string& o : a.unsound) fmt::print("    PROVED THOUGH WRONG: {}\n", o);
      std::cout.flush();
      r.push_back(std::move(a));
    }
  }
  return r;
}

arguments parse(int argc, char** argv) {
  arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string s = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : throw std::runtime_error(s + " needs a value"); };
    if (s == "--every") a.every = std::stoul(value());
    else if (s == "--mutants") a.most_mutants = std::stoul(value());
    else if (s == "--evidence") a.evidence = value();
    else if (s == "--json") a.json = value();
    else if (s == "--only") a.only = value();
    else if (s == "--seconds") a.seconds = std::stod(value());
    else a.files.emplace_back(s);
  }
  if (a.every == 0) throw std::runtime_error("--every needs a number above 0");
  return a;
}

int run(const arguments& a) {
  if (!a.evidence.empty()) fs::create_directories(a.evidence);
  std::size_t next = 0;
  attack sum;
  nlohmann::json rows = nlohmann::json::array();
  for (const fs::path& file : a.files)
    for (const attack& one : attack_file(file, a, next)) {
      sum.claims += one.claims, sum.left_out += one.left_out, sum.mutants += one.mutants;
      sum.wrong_on_words += one.wrong_on_words, sum.refuted += one.refuted, sum.equal += one.equal;
      sum.open.insert(sum.open.end(), one.open.begin(), one.open.end());
      sum.unsound.insert(sum.unsound.end(), one.unsound.begin(), one.unsound.end());
      rows.push_back({{"loop", one.loop},
                      {"claims", one.claims},
                      {"obligations_left_out", one.left_out},
                      {"mutants", one.mutants},
                      {"wrong_on_words", one.wrong_on_words},
                      {"refuted", one.refuted},
                      {"proved_equal", one.equal},
                      {"open", one.open},
                      {"unsound", one.unsound}});
    }
  fmt::print(
      "{} loops, {} claims, {} obligations left out; {} mutants: {} wrong on words, {} refuted, {} proved equal, {} open, {} unsound\n",
      rows.size(), sum.claims, sum.left_out, sum.mutants, sum.wrong_on_words, sum.refuted, sum.equal, sum.open.size(), sum.unsound.size());
  if (!a.json.empty()) std::ofstream(a.json) << rows.dump(1) << "\n";
  return sum.unsound.empty() && !rows.empty() ? 0 : 1;
}

}  // namespace
}  // namespace twofold::loops

int main(int argc, char** argv) {
  try {
    return twofold::loops::run(twofold::loops::parse(argc, argv));
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}
