// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `twofold check`: does the loop merge? Reads and decides in a child process under limits; never runs the code it is given.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "analyse.hpp"
#include "analysis_limits.hpp"
#include "assume.hpp"
#include "cache.hpp"
#include "decision_json.hpp"
#include "diagnostics.hpp"
#include "files.hpp"
#include "frontend/frontend.hpp"
#include "html.hpp"
#include "json_text.hpp"
#include "limits.hpp"
#include "prove/evidence.hpp"
#include "report.hpp"
#include "subcommand.hpp"
#include "target.hpp"
#include "terminal.hpp"

namespace twofold::cli {
using namespace analyser;
using json = nlohmann::ordered_json;

namespace {

//! What a table of special values may take.
constexpr double behaviour_seconds = 5;  // it takes milliseconds; what is cut off would not be the same every time

struct check_options {
  std::string what, merge, assume, proof_folder, html, format = "text", cache;
  std::vector<std::string> include_dirs;
  analysis_limits limits;
};

//! What one loop's analysis hands to the program: an exit code, and the result as JSON or as text for stdout or stderr.
struct entry {
  exit_code exit = exit_code::done;
  json object;
  std::string page, html, complaint, line;
};

std::string pack(const entry& e) {
  const json j{{"exit", static_cast<int>(e.exit)}, {"object", e.object}, {"page", e.page}, {"html", e.html},
               {"complaint", e.complaint},         {"line", e.line}};
  return json_text(j, -1) + "\n";
}
entry unpack(const std::string& line) {
  const json j = json::parse(line);
  return {static_cast<exit_code>(j["exit"].get<int>()), j["object"], j["page"], j["html"], j["complaint"], j["line"]};
}
entry refused(const failure& f) {
  return {f.exit, json{{"schema", 1}, {"error", to_json(f)}}, {}, {}, to_text(f, colour_on_stderr()), gcc_line(f)};
}

//! What is known of a loop, in all forms that were asked for.
entry told(exit_code exit, const spec& s, const decision& d, const circumstances& c, const check_options& o) {
  const std::string html = o.html.empty() ? "" : html_section(s, d, c, read_file(s.where.file.empty() ? s.file : s.where.file));
  return {exit, to_json(s, d, c), report(s, d, c, style{colour_on_stdout()}), html, {}, gcc_line(s, d, c)};
}

exit_code exit_of(verdict v) {
  return v == verdict::associative ? exit_code::done : v == verdict::not_associative ? exit_code::negative : exit_code::undecided;
}

frontend_options reading(const check_options& o) { return {.include_dirs = o.include_dirs, .standard = "c++20", .cache_dir = o.cache}; }

//! The witness must lie in the domain that the user asked about.
void hold_against(const std::vector<assumption>& assumed, const spec& s, decision& d) {
  if (!d.counterexample) return;
  const auto broken = broken_by(assumed, s, *d.counterexample);
  if (!broken) return;
  d.tried.push_back("the witness found lies outside \"" + *broken + "\": it says nothing about the narrower domain");
  d.verdict = verdict::unknown;
  d.scope.reset();
  d.counterexample.reset();
}

options budget(double seconds) { return {.seconds = seconds, .max_nodes = 2'000'000, .seed = 1}; }

decision check_merge(const spec& s, const check_options& o) {
  const target t = parse_function_target(o.merge, "check --merge");
  const merge_result m = read_merge(t.file, t.function, s, reading(o));
  if (!m.errors.empty()) throw failure(m.errors.front());
  return check_user_merge(s, m.merge, budget(o.limits.seconds));
}

std::string in_words(const replay& r, unsigned left_out) {
  const std::string rest = left_out == 0 ? "" : fmt::format("; {} obligations have no such form and are left out", left_out);
  if (r.confirmed) return fmt::format("replayed by cvc5: {} answers, each unsat", r.answers) + rest;
  return (r.ran ? "cvc5 does not confirm it: " : "not replayed: ") + r.text + rest;
}

constexpr const char* how_to_replay =
    "Each FUNCTION.smt2 holds the proof obligations of one loop, in SMT-LIB 2, without division: quotients are compared by "
    "cross-multiplying, and\n"
    "exponentials are opaque positive numbers with the instances of e^s * e^t = e^(s+t) that are needed. Every (check-sat) answers "
    "\"unsat\".\n"
    "\n"
    "    cvc5 --incremental --lang=smt2 FUNCTION.smt2\n"
    "    z3 -smt2 FUNCTION.smt2\n"
    "\n"
    "Any other answer, an error, or fewer answers than there are (check-sat) means that the proof is not confirmed. What the obligations "
    "mean,\n"
    "and why they suffice, is said by the comments in each file: (lift) a . lift(x) = f_x(a) and (push) a . f_x(b) = f_x(a . b) give\n"
    "h(u v) = h(u) . h(v) for all pieces u and v, by induction on v.\n";

void write_evidence(const spec& s, const decision& d, const check_options& o, circumstances& c) {
  if (o.proof_folder.empty() || !d.proof || d.proof->smt.empty()) return;
  c.evidence_file = o.proof_folder + "/" + s.function + ".smt2";
  write_files({{c.evidence_file, d.proof->smt}, {o.proof_folder + "/README.txt", how_to_replay}});
  c.replayed = in_words(replay_with_cvc5(d.proof->smt, o.limits.seconds), not_written(d.proof->smt));
}

//! What was asked: said in every report, also where a limit was met.
circumstances asked(const check_options& o) {
  circumstances c;
  c.user_merge.source = o.merge;
  for (const assumption& a : parse_assumptions(o.assume)) c.assumed.push_back(a.text);
  return c;
}

entry examine(const spec& source, const check_options& o) {
  const auto assumed = parse_assumptions(o.assume);
  const spec s = under(assumed, source);
  circumstances c = asked(o);
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
  if (!o.merge.empty()) {
    c.user_merge.answer = check_merge(s, o);
    hold_against(assumed, s, c.user_merge.answer);
  }
  // A merge that is right decides the loop; one that is not says nothing of it, so the loop is decided by itself in the time that is left.
  constexpr double least = 0.5;
  decision d = c.user_merge.answer.verdict == verdict::associative ? c.user_merge.answer
                                                                   : decide_loop(s, budget(std::max(least, o.limits.seconds - elapsed())));
  c.milliseconds = elapsed() * 1000;
  hold_against(assumed, s, d);
  write_evidence(s, d, o, c);
  c.behaviour = behaviour_of(s, d, behaviour_seconds);
  return told(exit_of(o.merge.empty() ? d.verdict : c.user_merge.answer.verdict), s, d, c, o);
}

//! A limit was met or the analysis fell over: unknown, and what would help.
entry interrupted(const spec& s, const check_options& o, const limited_result& r) {
  if (r.how == ending::crashed)
    return refused(
        {exit_code::internal, "TF7001",
         fmt::format("the analysis of {} ended by itself{}", s.function, r.signal != 0 ? fmt::format(" (signal {})", r.signal) : ""),
         "this is a mistake in twofold, not in your source", "report it with the source", s.where});
  decision d;
  d.tried.push_back(r.how == ending::out_of_time
                        ? fmt::format("the time limit of {} s was met (TF4101): raise it with --seconds", o.limits.seconds)
                        : fmt::format("the memory limit of {} MiB was met (TF4102): raise it with --memory", o.limits.mebibytes));
  circumstances c = asked(o);
  c.milliseconds = r.how == ending::out_of_time ? o.limits.seconds * 1000 : 0;
  return told(exit_code::undecided, s, d, c, o);
}

double patience(const check_options& o) { return o.proof_folder.empty() ? 1 : o.limits.seconds + 3; }  // replay takes time of its own

entry examine_limited(const spec& s, const check_options& o) {
  const limits l{o.limits.seconds, o.limits.mebibytes, patience(o)};
  const limited_result r = run_limited(l, [&](const answer_sink& answer) {
    try {
      answer(pack(examine(s, o)));
    } catch (const failure& f) {
      answer(pack(refused(f)));
    } catch (const limit_error& e) {
      decision d;
      d.tried.push_back(std::string("a limit of the analysis was met: ") + e.what());
      answer(pack(told(exit_code::undecided, s, d, asked(o), o)));
    }
  });
  return r.how == ending::finished ? unpack(r.answer) : interrupted(s, o, r);
}

//! Everything that looks at the source happens in a child: the front end may not bring the program down either.
std::vector<entry> examine_source(const target& t, const check_options& o) {
  const limits l{o.limits.seconds, o.limits.mebibytes, patience(o) + 2};
  const limited_result r = run_limited(l, [&](const answer_sink& answer) {
    const frontend_result read = read_source(t.file, t.function, reading(o));
    for (const frontend_error& e : read.errors) answer(pack(refused(failure(e))));
    for (const spec& s : read.specs) answer(pack(examine_limited(s, o)));
  });
  std::vector<entry> entries;
  for (std::size_t start = 0, end; (end = r.answer.find('\n', start)) != std::string::npos; start = end + 1)
    entries.push_back(unpack(r.answer.substr(start, end - start)));
  if (r.how == ending::out_of_time)
    entries.push_back(refused({exit_code::undecided, "TF4101",
                               fmt::format("the time limit of {} s was met while \"{}\" was read", o.limits.seconds, t.file),
                               "the source is large, or its templates are deep", "raise the limit with --seconds"}));
  if (r.how == ending::out_of_memory)
    entries.push_back(refused({exit_code::undecided, "TF4102",
                               fmt::format("the memory limit of {} MiB was met while \"{}\" was read", o.limits.mebibytes, t.file),
                               "the source includes a great deal", "raise the limit with --memory"}));
  if (r.how == ending::crashed)
    entries.push_back(refused({exit_code::internal, "TF7001",
                               "reading \"" + t.file + "\" ended by itself" + (r.signal != 0 ? fmt::format(" (signal {})", r.signal) : ""),
                               "this is a mistake in twofold, not in your source", "report it with the source"}));
  return entries;
}

void print_json(const std::vector<entry>& entries, bool one) {
  json out = one ? entries.front().object : json{{"schema", 1}, {"results", json::array()}};
  if (!one)
    for (const entry& e : entries) out["results"].push_back(e.object);
  print_result(json_text(out) + "\n");
}

void write_html(const target& t, const std::vector<entry>& entries, const std::string& file) {
  std::vector<std::string> names, sections;
  for (const entry& e : entries) {
    if (e.html.empty()) continue;
    names.push_back(e.object.value("function", ""));
    sections.push_back(e.html);
  }
  if (sections.empty()) return;  // what is wrong is said on stderr
  write_file(file, html_page(t.function.empty() ? t.file : t.file + ":" + t.function, names, sections));
}

exit_code check(const check_options& o, bool as_json) {
  const target t = parse_target(o.what);
  parse_assumptions(o.assume);  // wrong use is said before anything is read
  if (!o.merge.empty() && t.function.empty())
    throw failure(exit_code::bad_input, "TF2120", "--merge needs one loop", "a merge belongs to one function",
                  "twofold check FILE:FUNCTION --merge FILE:COMBINE");
  if (!o.html.empty()) expect_writable({o.html});
  if (!o.proof_folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(o.proof_folder, error);
    if (!std::filesystem::is_directory(o.proof_folder))
      throw failure(exit_code::bad_input, "TF2125", "the folder \"" + o.proof_folder + "\" cannot be made",
                    error ? error.message() : "there is a file of that name", "name a folder with --proof DIR");
  }
  const std::vector<entry> entries = examine_source(t, o);
  if (entries.empty())
    throw failure(exit_code::bad_input, "TF2106", "\"" + t.file + "\" holds no function with a loop over a range",
                  "there is nothing to decide", "name a file with functions that walk an array");
  if (!o.html.empty()) write_html(t, entries, o.html);
  exit_code worst = exit_code::done;
  for (const entry& e : entries) worst = std::max(worst, e.exit);
  if (as_json) print_json(entries, entries.size() == 1 && !t.function.empty());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (o.format == "gcc" && !as_json) {
      print_result(entries[i].line);
      continue;
    }
    if (!as_json && !entries[i].page.empty()) print_result((i > 0 ? "\n" : "") + entries[i].page);
    if (!entries[i].complaint.empty()) say(entries[i].complaint);
  }
  return worst;
}

constexpr const char* check_examples =
    "examples:\n"
    "  twofold check softmax_online.cpp:denominator\n"
    "  twofold check softmax.cpp --json\n"
    "  twofold check welford.cpp:variance --merge mine.cpp:combine       is my merge right?\n"
    "  twofold check ema.cpp:smooth --assume 'n>=1, |x|<=1, noalias'\n"
    "  twofold check softmax_online.cpp --html report.html               a page with pictures, of every loop of the file\n"
    "  twofold check softmax.cpp --format gcc                            file:line:column: note: ... for editors and build systems\n"
    "  twofold check welford.cpp:variance --proof evidence/              writes SMT-LIB, replayed by cvc5\n"
    "exit: 0 associative, 1 not associative, 3 unknown or a limit was met, 4 unsupported construct; of several loops the largest";

}  // namespace

void add_check(CLI::App& app, program& p) {
  auto o = std::make_shared<check_options>();
  CLI::App* sub =
      add_subcommand(app, p, "check", "decide whether a loop is secretly associative; derive and prove its merge", check_examples);
  sub->add_option("target", o->what, "FILE[:FUNCTION]; without a function, every loop of the file")->required();
  sub->add_option("--merge", o->merge, "FILE:COMBINE, your own merge: is it right?");
  sub->add_option("--assume", o->assume, "narrow the domain: 'n>=1, |g|<=1, noalias'");
  sub->add_option("--proof", o->proof_folder, "folder for the evidence, FUNCTION.smt2");
  sub->add_option("--format", o->format, "text, or gcc: one line for each loop, as compilers write it")
      ->check(CLI::IsMember({"text", "gcc"}))
      ->capture_default_str();
  sub->add_option("--html", o->html, "also write the report as one page for a browser");
  add_limits(sub, o->limits, "for each loop");
  sub->add_option("-I", o->include_dirs, "folder to search for includes");
  sub->add_option("--cache", o->cache, "folder for precompiled headers")->default_str(default_cache());
  sub->callback([o, &p] {
    p.action = [o, &p] {
      if (o->cache.empty()) o->cache = default_cache();
      return check(*o, p.json);
    };
  });
}

}  // namespace twofold::cli
