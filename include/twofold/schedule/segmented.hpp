// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Many independent ranges in one array: segment k is the elements [offsets[k], offsets[k + 1]) (CSR). Each is
//! bracketed as if it stood alone, so its bits do not depend on its neighbours; threads share out the segments, and a
//! long one is itself shared out.
#pragma once

#include "twofold/schedule/ranges.hpp"
#include "twofold/schedule/reduce.hpp"
#include "twofold/schedule/scan.hpp"

TWOFOLD_BEGIN_NAMESPACE
namespace detail {

[[noreturn]] inline void refuse_offsets(index k, index value, index before, index n) {
  throw error(
      "TF2208", "segment offsets with offsets[" + std::to_string(k) + "] = " + std::to_string(value),
      value < before ? "it is below the offset before it, " + std::to_string(before) : "the data has " + std::to_string(n) + " elements",
      "offsets that start at 0 or above, never fall, and end at " + std::to_string(n) + " or below; m segments have m + 1 offsets");
}
[[noreturn]] inline void refuse_no_offsets() {
  throw error("TF2208", "no segment offsets", "m segments have m + 1 offsets", "one offset, 0, for no segments");
}

//! Offsets of any integer type, read once each into 64 bits; checked as a whole before anything is computed.
template <class Offsets>
std::vector<extent> segments_of(const Offsets& offsets, index n) {
  const auto m = static_cast<index>(offsets.size()) - 1;
  if (m < 0) refuse_no_offsets();
  std::vector<extent> out(static_cast<std::size_t>(m));
  index before = 0;
  for (index k = 0; k <= m; ++k) {
    const auto raw = offsets.data()[k];
    const index value =
        raw > decltype(raw){} && static_cast<std::uintmax_t>(raw) > static_cast<std::uintmax_t>(n) ? n + 1 : static_cast<index>(raw);
    if (value < before || value > n) refuse_offsets(k, value, before, n);
    if (k < m) out[static_cast<std::size_t>(k)].first = value;
    if (k > 0) out[static_cast<std::size_t>(k - 1)].last = value;
    before = value;
  }
  return out;
}

//! Everything that a segmented reduction can refuse, before anything is written.
template <class S, class Offsets, class T>
std::vector<extent> check_segments(const S& src, const Offsets& offsets, const array_output<T>& out, const schedule& s) {
  (void)plan_of(src.size(), s);
  auto segments = segments_of(offsets, src.size());
  const auto m = static_cast<index>(segments.size());
  if (out.size() != m) refuse_length("a segmented reduction's output", out.size(), m);
  refuse_overlap_of(out, src, in_place::refused);
  return segments;
}

template <class R, class Data, class Offsets, class Out>
void segmented_scan_checked(const R& r, const Data& data, const Offsets& offsets, Out&& out, scan_kind kind, const schedule& s,
                            const state_of<R>* init, const executor& ex) {
  const auto src = as_source(data);
  const auto to = as_output(out);
  (void)check_scan(src, to, s);
  const auto segments = segments_of(offsets, src.size());
  const auto size_of = [&](index k) { return segments[static_cast<std::size_t>(k)].size(); };
  for_each_range(static_cast<index>(segments.size()), size_of, s, ex, [&](index k, const executor& inner) {
    const extent e = segments[static_cast<std::size_t>(k)];
    scan_any(r, src.sub(e.first, e.last), to.sub(e.first, e.last), kind, plan_of(e.size(), s), init, inner);
  });
}

}  // namespace detail

//! @brief  out[k] = reduce(r, elements [offsets[k], offsets[k+1]), schedule) for every segment k; finalize(identity)
//!         for an empty one.
//! @shape  data: n elements; offsets: m + 1 integers, 0 ≤ offsets[0] ≤ … ≤ offsets[m] ≤ n (elements outside take no
//!         part); out: m
//! @order  the bits of a segment are those of reduce on it alone
//! @errors TF2206 output not of length m · TF2207 output overlaps the data · TF2208 offsets that fall or leave the
//!         data (first one named); all before anything is written
template <reduction R, class Data, class Offsets, class Out>
void segmented_reduce(const R& r, const Data& data, const Offsets& offsets, Out&& out, const schedule& s = {},
                      const executor& ex = default_executor()) {
  const auto src = as_source(data);
  const auto to = as_output(out);
  const auto segments = detail::check_segments(src, offsets, to, s);
  const auto size_of = [&](index k) { return segments[static_cast<std::size_t>(k)].size(); };
  detail::for_each_range(static_cast<index>(segments.size()), size_of, s, ex, [&](index k, const executor& inner) {
    const extent e = segments[static_cast<std::size_t>(k)];
    to[k] = reduce(r, src.sub(e.first, e.last), s, inner);
  });
}

//! @brief  scan within every segment; nothing is carried from one to the next. Elements outside all segments are not
//!         written.
//! @see    scan for kinds, aliasing and order; segmented_reduce for offsets
template <reduction R, class Data, class Offsets, class Out>
void segmented_scan(const R& r, const Data& data, const Offsets& offsets, Out&& out, scan_kind kind = {}, const schedule& s = {},
                    const executor& ex = default_executor()) {
  detail::segmented_scan_checked(r, data, offsets, out, kind, s, nullptr, ex);
}
//! The same with `init` once in every answer of every segment.
template <reduction R, class Data, class Offsets, class Out>
void segmented_scan_from(const R& r, const state_of<R>& init, const Data& data, const Offsets& offsets, Out&& out, scan_kind kind = {},
                         const schedule& s = {}, const executor& ex = default_executor()) {
  detail::segmented_scan_checked(r, data, offsets, out, kind, s, &init, ex);
}

TWOFOLD_END_NAMESPACE
