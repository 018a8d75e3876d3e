// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Asking before running: whatever a reduction or a scan would refuse is known before, with its reason, and
//! nothing is thrown.
#pragma once

#include <optional>

#include "twofold/schedule/rows.hpp"
#include "twofold/schedule/segmented.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! Yes, or the error that running would throw.
class can_run_answer {
 public:
  can_run_answer() = default;
  explicit can_run_answer(error why) : why_(std::move(why)) {}
  explicit operator bool() const { return !why_; }
  [[nodiscard]] const char* reason() const { return why_ ? why_->what() : ""; }  //!< "" for yes
  [[nodiscard]] const std::optional<error>& refusal() const { return why_; }

 private:
  std::optional<error> why_;
};

//! @name What is to be run, as values: references to the data, nothing copied.
//! @{
template <class Data>
struct reduce_problem {
  const Data& data;
  schedule by = {};
};
template <class In, class Out>
struct scan_problem {
  const In& in;
  Out& out;
  schedule by = {};
};
template <class Data, class Offsets, class Out>
struct segmented_problem {
  const Data& data;
  const Offsets& offsets;
  Out& out;  //!< one result per segment
  schedule by = {};
};
template <class Data>
reduce_problem(const Data&) -> reduce_problem<Data>;
template <class Data>
reduce_problem(const Data&, schedule) -> reduce_problem<Data>;
template <class In, class Out>
scan_problem(const In&, Out&) -> scan_problem<In, Out>;
template <class In, class Out>
scan_problem(const In&, Out&, schedule) -> scan_problem<In, Out>;
template <class Data, class Offsets, class Out>
segmented_problem(const Data&, const Offsets&, Out&) -> segmented_problem<Data, Offsets, Out>;
template <class Data, class Offsets, class Out>
segmented_problem(const Data&, const Offsets&, Out&, schedule) -> segmented_problem<Data, Offsets, Out>;
//! @}

namespace detail {
template <class Check>
can_run_answer asked(const Check& check) {
  try {
    check();
    return {};
  } catch (const error& why) {
    return can_run_answer(why);
  }
}
}  // namespace detail

//! @brief  Would reduce, scan, segmented_reduce accept this? Reads offsets, never elements.
//! @example if (auto yes = can_run(scan_problem{signal, out, tiles{512}}); !yes) report(yes.reason());
//! @{
template <class Data>
can_run_answer can_run(const reduce_problem<Data>& p) {
  return detail::asked([&] { (void)plan_of(as_source(p.data).size(), p.by); });
}
template <class In, class Out>
can_run_answer can_run(const scan_problem<In, Out>& p) {
  return detail::asked([&] { detail::check_scan(as_source(p.in), as_output(p.out), p.by); });
}
template <class Data, class Offsets, class Out>
can_run_answer can_run(const segmented_problem<Data, Offsets, Out>& p) {
  return detail::asked([&] { (void)detail::check_segments(as_source(p.data), p.offsets, as_output(p.out), p.by); });
}
//! @}

TWOFOLD_END_NAMESPACE
