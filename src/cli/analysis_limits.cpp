// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Limits as options, and a process that keeps to them.
#include "analysis_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "limits.hpp"

namespace twofold::cli {
namespace {

constexpr double least_seconds = 0.001, most_seconds = 1e6;
constexpr std::size_t most_mebibytes = std::size_t{1} << 24;

template <class T>
bool in_range(const std::string& text, T least, T most) {
  T v{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  return error == std::errc{} && stop == text.data() + text.size() && v >= least && v <= most;  // false for NaN
}

std::string check_seconds(const std::string& text) {
  if (in_range(text, least_seconds, most_seconds)) return {};
  return fmt::format("\"{}\" is no time limit: give seconds from {} to {:.0f}", text, least_seconds, most_seconds);
}
std::string check_mebibytes(const std::string& text) {
  if (in_range<std::size_t>(text, 0, most_mebibytes)) return {};
  return fmt::format("\"{}\" is no memory limit: give whole MiB from 1 to {}, or 0 for none", text, most_mebibytes);
}

}  // namespace

CLI::Option* add_seconds(CLI::App* sub, const std::string& name, double& seconds, const std::string& description) {
  return sub->add_option(name, seconds, description)->check(check_seconds)->type_name("SECONDS");
}

void add_limits(CLI::App* sub, analysis_limits& l, const std::string& time_of) {
  add_seconds(sub, "--seconds", l.seconds, "time limit " + time_of)->capture_default_str();
  sub->add_option("--memory", l.mebibytes, "memory limit of the analysis in MiB; 0: none")
      ->check(check_mebibytes)
      ->type_name("MIB")
      ->capture_default_str();
}

exit_code in_own_process(const analysis_limits& l, const std::string& what, bool json,
                         const std::function<exit_code(const std::function<void()>& analysed)>& work) {
  const supervised_result r = run_supervised({l.seconds, l.mebibytes, 3},
                                             [&](const std::function<void()>& lift) { return reported(json, [&] { return work(lift); }); });
  switch (r.how) {
    case ending::finished:
      return static_cast<exit_code>(r.status);
    case ending::out_of_time:
      throw failure(exit_code::undecided, "TF4101", fmt::format("the time limit of {} s was met while {} was analysed", l.seconds, what),
                    "the source is large, or the loop hard to decide", "raise the limit with --seconds");
    case ending::out_of_memory:
      throw failure(exit_code::undecided, "TF4102",
                    fmt::format("the memory limit of {} MiB was met while {} was analysed", l.mebibytes, what),
                    "the source includes a great deal, or formulas grew", "raise the limit with --memory");
    default:
      throw failure(exit_code::internal, "TF7001",
                    "work on " + what + " ended by itself" + (r.signal != 0 ? fmt::format(" (signal {})", r.signal) : ""),
                    "this is a mistake in twofold, not in your source", "report it with the command line and the source");
  }
}

}  // namespace twofold::cli
