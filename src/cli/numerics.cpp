// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `twofold numerics`: can it overflow, how wrong can it be, what would help. Of an operator by name, or of a loop of the user's own.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>

#include "analysis_limits.hpp"
#include "cache.hpp"
#include "files.hpp"
#include "json_text.hpp"
#include "nearest.hpp"
#include "numerics/html.hpp"
#include "numerics/report.hpp"
#include "numerics/user_loop.hpp"
#include "subcommand.hpp"
#include "terminal.hpp"
#include "twofold/schedule/text.hpp"

namespace twofold::cli {
using namespace accuracy;

namespace {

constexpr const char* numerics_examples =
    "examples:\n"
    "  twofold numerics attention --state f32 --p bf16 --exp ex2.approx --n 131072 --b 128 --schedule tiles,split=64 --vmax 8\n"
    "  twofold numerics softmax --n 65536 --b 64 --gauge integer\n"
    "  twofold numerics sum --n 1000000 --schedule fold --sum compensated\n"
    "  twofold numerics variance --n 100000 --kappa 1e4 --json\n"
    "  twofold numerics scan --rho 0.999 --n 1000000 --schedule tree --html scan.html\n"
    "  twofold numerics softmax_online.cpp:denominator --n 2000 --schedule tiles=64,tree      your own loop: compiled and run\n"
    "  twofold numerics welford.cpp:variance --input x=lottery.npy --certify\n"
    "operators: attention, softmax, logsumexp, sum, variance, moments, scan\n"
    "formats:   f64, f32, tf32, f16, bf16, e4m3, e5m2\n"
    "exit: 0 done, 1 --certify found an error above its bound, 2 wrong use, or a format that cannot hold what occurs";

struct numerics_options {
  std::string what, state = "f32", p, exp, schedule, gauge, sum = "plain", html;
  double n = 131072;
  std::int64_t b = 0, head = 128, order = 4;
  double vmax = 1, tau = 8, offset = 0, kappa = 10, rho = 0.99, qk = 0, range = 16, seconds = 2;
  std::uint64_t seed = 1;
  bool separate = false, fused = false, certify = false;
  bool n_given = false;
  std::vector<std::string> inputs, settings, include_dirs;
  std::int64_t inner = 8;
  std::string cache;
  analysis_limits limits;
};

[[noreturn]] void refuse(const std::string& what, const std::string& why, const std::string& fix) {
  throw failure(exit_code::bad_input, "TF2130", what, why, fix);
}

void expect_between(const char* option, double value, double low, double high, const char* meaning) {
  if (value >= low && value <= high) return;
  refuse(fmt::format("{} {:g}", option, value), fmt::format("{} lies in [{:g}, {:g}]", meaning, low, high),
         fmt::format("a value in that range"));
}

numerics::format format_of(const char* option, const std::string& name) {
  if (const numerics::format* f = find_format(name)) return *f;
  refuse(fmt::format("{} {}", option, name), fmt::format("formats are: {}", fmt::join(format_names(), ", ")), "one of these");
}

primitive primitive_of(const std::string& name) {
  if (const primitive* p = find_primitive(name)) return *p;
  const std::string meant = nearest(name, primitive_names());
  refuse("--exp " + name, fmt::format("exponentials are: {}", fmt::join(primitive_names(), ", ")),
         meant.empty() ? "one of these" : "did you mean --exp " + meant + "?");
}

//! "tiles,split=64" with --b 128 is "tiles=128,split=64"; --b alone, or nothing, is tiles.
schedule schedule_of(const numerics_options& o) {
  const std::int64_t b = o.b > 0 ? o.b : 128;
  std::string text;
  bool tiled = false;
  for (std::size_t start = 0; start <= o.schedule.size() && !o.schedule.empty();) {
    const std::size_t end = std::min(o.schedule.find(',', start), o.schedule.size());
    std::string word = o.schedule.substr(start, end - start);
    if (word == "tiles") word += fmt::format("={}", b);
    else if (word.starts_with("tiles=") && o.b > 0 && word != fmt::format("tiles={}", o.b))
      refuse(fmt::format("--b {} with --schedule {}", o.b, o.schedule), "the size of a tile is said twice", "leave one out");
    tiled = tiled || word.starts_with("tiles");
    text += (text.empty() ? "" : ",") + word;
    start = end + 1;
  }
  if (!tiled && (o.b > 0 || o.schedule.empty())) text = fmt::format("tiles={}", b) + (text.empty() ? "" : "," + text);
  try {
    return parse_schedule(text);
  } catch (const twofold::error& e) {
    throw failure(exit_code::bad_input, e.code(), e.asked(), e.limit(), e.works());
  }
}

accuracy::gauge gauge_of(const std::string& name, double& tau) {
  if (name.empty() || name == "max") return gauge::maximum;
  if (name == "integer") return gauge::integer;
  if (name == "lazy") return gauge::lazy;
  refuse("--gauge " + name, "references are: max, lazy (see --tau), integer", fmt::format("one of these; tau is {:g}", tau));
}

question question_of(const numerics_options& o) {
  question q;
  q.name = o.what;
  q.what = find_operation(o.what);
  q.state = format_of("--state", o.state);
  if (q.state.precision < 8) refuse("--state " + o.state, "states of 8 bits are of no use", "--state bf16, f16, f32 or f64");
  q.exp = primitive_of(!o.exp.empty() ? o.exp : q.state.precision == 53 ? "exp2" : "exp2f");
  q.p = o.p.empty() ? q.exp.argument : format_of("--p", o.p);
  expect_between("--n", o.n, 1, 0x1p40, "a number of elements");
  expect_between("--vmax", o.vmax, 1e-30, 1e30, "the size of values");
  expect_between("--tau", o.tau, 0, 100, "how far a reference may lag, in powers of two,");
  expect_between("--offset", o.offset, -120, 120, "the offset of P, in powers of two,");
  expect_between("--kappa", o.kappa, 0, 1e12, "|mean| by standard deviation");
  expect_between("--rho", o.rho, 0, 1e6, "the size of a");
  expect_between("--range", o.range, 0, 1e6, "the size of scores, in nats,");
  expect_between("--seconds", o.seconds, 0, 1e5, "time for measuring");
  expect_between("--head", static_cast<double>(o.head), 1, 1e6, "elements of a query");
  expect_between("--order", static_cast<double>(o.order), 2, 4, "the order of moments");
  expect_between("--qk", o.qk, 0, 1e30, "the size of a product of entries");
  if (o.n != std::floor(o.n) || o.offset != std::floor(o.offset))
    refuse("--n and --offset are whole numbers", "one of them has a fraction", "round it");
  q.n = static_cast<std::int64_t>(o.n);
  q.vmax = o.vmax, q.tau = o.tau, q.offset = o.offset, q.kappa = o.kappa, q.rho = o.rho, q.qk = o.qk, q.range = o.range;
  q.head = static_cast<int>(o.head), q.order = static_cast<int>(o.order);
  q.gauge = gauge_of(o.gauge, q.tau);
  q.shared = !o.separate, q.fused = o.fused, q.seconds = o.seconds, q.seed = o.seed, q.certify = o.certify;
  if (o.sum == "pairwise") q.sum = summing::pairwise;
  else if (o.sum == "compensated") q.sum = summing::compensated;
  else if (o.sum != "plain") refuse("--sum " + o.sum, "sums are: plain, pairwise, compensated", "one of these");
  return with_schedule(q, schedule_of(o));
}

//! A line on a terminal's stderr that says how far measuring is; gone when it is done.
class progress_line {
 public:
  progress tell() {
    if (isatty(STDERR_FILENO) != 1) return {};
    return [this](double part) {
      const int percent = static_cast<int>(100 * part);
      if (percent == shown_) return;
      shown_ = percent;
      std::fprintf(stderr, "\rmeasuring %3d %%", percent);
    };
  }
  ~progress_line() {
    if (shown_ >= 0) std::fprintf(stderr, "\r\033[K");
  }

 private:
  int shown_ = -1;
};

constexpr std::int64_t longest_measured = 1 << 21;

void measure_into(answer& a, bool with_curves) {
  if (a.question.seconds <= 0) return;
  progress_line line;
  question q = a.question;
  q.n = std::min(q.n, longest_measured);
  q = with_schedule(q, q.how);
  a.measured_n = q.n;
  if (q.certify) a.certified = certify(q, q.seconds, line.tell());
  const double own = with_curves ? 0.5 : 1;
  a.measured = measure(q, own * q.seconds, 1'000'000'000, line.tell());
  if (with_curves) a.curves = draw_data(q, (1 - own) * q.seconds, line.tell());
}

exit_code about_operator(const numerics_options& o, bool as_json) {
  answer a = answer_to(question_of(o));
  measure_into(a, !o.html.empty() || as_json);
  if (!o.html.empty()) write_file(o.html, html_page(a));
  print_result(as_json ? json_text(to_json(a)) + "\n" : report(a, style{colour_on_stdout()}));
  const auto breaks = [](const certified_way& w) { return w.measured.worst_ratio() > 1; };
  const bool above = a.measured.worst_ratio() > 1 || std::any_of(a.certified.begin(), a.certified.end(), breaks);
  return a.question.certify && above ? exit_code::negative : exit_code::done;
}

std::map<std::string, std::string> named(const std::vector<std::string>& list, const char* option) {
  std::map<std::string, std::string> out;
  for (const std::string& entry : list) {
    const auto equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos)
      refuse(fmt::format("{} {}", option, entry), "each is NAME=…", fmt::format("{} {}=…", option, entry));
    if (!out.emplace(entry.substr(0, equals), entry.substr(equals + 1)).second)
      refuse(fmt::format("{} {} is given twice", option, entry.substr(0, equals)), "a parameter has one value", "leave one out");
  }
  return out;
}

exit_code about_loop(const numerics_options& o, bool as_json) {
  expect_between("--n", o.n, 1, 1e8, "a number of iterations");
  expect_between("--inner", static_cast<double>(o.inner), 1, 1e6, "a length");
  loop_question q;
  q.what = o.what;
  numerics_options by_default = o;
  if (o.schedule.empty() && o.b == 0) by_default.schedule = "fold";
  q.how = schedule_of(by_default);
  q.data = {o.n_given ? static_cast<std::int64_t>(o.n) : 1000, o.inner, {named(o.inputs, "--input"), named(o.settings, "--set")}};
  q.include_dirs = o.include_dirs, q.cache = o.cache, q.seconds = o.seconds, q.seed = o.seed, q.certify = o.certify;
  q.deviations = o.kappa, q.curves = !o.html.empty();
  return in_own_process(o.limits, o.what, as_json, [&](const std::function<void()>& analysed) {
    progress_line line;
    const loop_report r = examine_loop(q, o.limits.seconds, analysed, line.tell());
    if (!o.html.empty()) write_file(o.html, html_page(r));
    print_result(as_json ? json_text(to_json(r)) + "\n" : report(r, style{colour_on_stdout()}));
    return o.certify && above(r) ? exit_code::negative : exit_code::done;
  });
}

bool is_loop(const std::string& what) {
  const std::vector<std::string> known = operation_names();
  return std::find(known.begin(), known.end(), what) == known.end() && what.find_first_of(":./") != std::string::npos;
}

}  // namespace

void add_numerics(CLI::App& app, program& p) {
  auto o = std::make_shared<numerics_options>();
  CLI::App* sub = add_subcommand(app, p, "numerics", "overflow, error bounds and measured errors of an operator, by formats and schedule",
                                 numerics_examples);
  sub->add_option("target", o->what, "an operator, or FILE:FUNCTION")->required();
  sub->add_option("--state", o->state, "format of the state")->capture_default_str();
  sub->add_option("--p", o->p, "attention: format of the weights that multiply V; default: that of the exponential");
  sub->add_option("--exp", o->exp, "the exponential: exp2f, exp2, ex2.approx, cuda.exp2f, poly3, poly4, poly5, ex2.approx.f16");
  CLI::Option* n = sub->add_option("--n", o->n, "number of elements; of a loop: 1000")->capture_default_str();
  sub->add_option("--b", o->b, "elements of a tile");
  sub->add_option("--schedule", o->schedule, "how elements are bracketed, e.g. tiles,split=64; default: tiles");
  sub->add_option("--vmax", o->vmax, "largest |v|, |x| or |b|")->capture_default_str();
  sub->add_option("--gauge", o->gauge, "reference of the weights: max, lazy, integer");
  sub->add_option("--tau", o->tau, "how far a reference may lag behind the maximum, powers of two")->capture_default_str();
  sub->add_option("--offset", o->offset, "weights are scaled by 2^offset")->capture_default_str();
  sub->add_flag("--separate-denominator", o->separate, "attention: l is summed before P is rounded");
  sub->add_flag("--fma", o->fused, "merges use fused multiply-add");
  sub->add_option("--head", o->head, "elements of a query; the scale is log2(e)/sqrt(head)")->capture_default_str();
  sub->add_option("--qk", o->qk, "largest product of an entry of a query and one of a key");
  sub->add_option("--range", o->range, "logsumexp: largest |score|, nats")->capture_default_str();
  sub->add_option("--sum", o->sum, "plain, pairwise, compensated")->capture_default_str();
  sub->add_option("--kappa", o->kappa, "variance, moments: |mean| by standard deviation")->capture_default_str();
  sub->add_option("--order", o->order, "moments: 2, 3 or 4")->capture_default_str();
  sub->add_option("--rho", o->rho, "scan: largest |a|")->capture_default_str();
  sub->add_option("--seconds", o->seconds, "time for measuring; 0: bounds alone")->capture_default_str();
  sub->add_option("--seed", o->seed, "of the first input")->capture_default_str();
  sub->add_option("--html", o->html, "file for a page with plots");
  sub->add_option("--input", o->inputs, "a loop: NAME=file.npy in place of made inputs");
  sub->add_option("--set", o->settings, "a loop: NAME=value for scalars and lengths");
  sub->add_option("--inner", o->inner, "a loop: lengths other than n")->capture_default_str();
  sub->add_option("-I", o->include_dirs, "a loop: folder to search for includes");
  sub->add_option("--cache", o->cache, "a loop: folder for compiled loops")->default_str(default_cache());
  sub->add_option("--memory", o->limits.mebibytes, "a loop: memory limit of the analysis in MiB; 0: none")->capture_default_str();
  sub->add_flag("--certify", o->certify,
                "the harness: every family of inputs under ten ways of bracketing; exit code 1 where an error is above its bound");
  sub->callback([o, n, &p] {
    p.action = [o, n, &p] {
      o->n_given = n->count() > 0;
      if (o->cache.empty()) o->cache = default_cache();
      return is_loop(o->what) ? about_loop(*o, p.json) : about_operator(*o, p.json);
    };
  });
}

}  // namespace twofold::cli
