// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scans on the device against folds on the host: every kind, every way of cutting, sizes around the edges of tiles and waves,
//! misaligned bases, poisoned outputs, guard zones, dirty workspaces. One JSON object a line; exit 1 where anything differs.
#include "scan_common.cuh"
#include "twofold/cuda/scan_columns.cuh"
#include "twofold/cuda/segmented.cuh"
#include "twofold/ops/affine.hpp"
#include "twofold/ops/log_sum_exp.hpp"
#include "twofold/ops/sum.hpp"

namespace twofold {
using cuda::arrays;
using cuda::heads;

static int failures = 0, checks = 0;
static void report(bool right, const char* what, const char* kind, index n, const char* more = "") {
  ++checks;
  if (right) return;
  if (++failures > 40) return;
  std::printf("{\"wrong\":\"%s\",\"kind\":\"%s\",\"n\":%ld,\"more\":\"%s\"}\n", what, kind, static_cast<long>(n), more);
  std::fflush(stdout);
}

//! Does a piece begin at i?
static std::vector<char> begin_of_pieces(heads h, index n, index row, int seed) {
  std::vector<char> v(static_cast<std::size_t>(n), 0);
  for (index i = 0; i < n; ++i)
    v[static_cast<std::size_t>(i)] = h == heads::rows    ? i % row == 0
                                     : h == heads::flags ? hashed(static_cast<std::uint64_t>(i) * 7 + seed) % 97 == 0 && (i / 9000) % 3 != 1
                                                         : 0;
  return v;
}

//! The fold that the device must reproduce: answers of the host, piece by piece.
template <scan_kind Kind, class R, class Lift, class T>
void reference(const R& r, const state_of<R>& init, Lift&& lift, const std::vector<char>& begin, std::vector<T>& y) {
  const index n = static_cast<index>(begin.size());
  state_of<R> s = init;
  for (index k = 0; k < n; ++k) {
    const index i = Kind.order == walk::forward ? k : n - 1 - k;
    const bool fresh = Kind.order == walk::forward ? begin[i] : i + 1 < n && begin[i + 1];
    if (fresh) s = init;
    const auto before = s;
    s = Kind.order == walk::suffix ? r.combine(lift(i), s) : r.combine(s, lift(i));
    y[static_cast<std::size_t>(i)] = r.finalize(Kind.ends == bounds::exclusive ? before : s);
  }
}

//! Exact, non-commutative, 8-byte states: affine maps modulo 2^32.
using exact = cuda::as_states<affine_recurrence<std::uint32_t>>;
using step = affine<std::uint32_t>;

template <scan_kind Kind, heads Heads>
void check_exact(const char* kind, index n, index row, int shift_in, int shift_out, bool in_place, int blocks = 0) {
  const exact r;
  std::vector<step> x(static_cast<std::size_t>(n)), want(x.size());
  for (index i = 0; i < n; ++i) x[i] = {hashed(3 * i) | 1, hashed(3 * i + 1)};
  const auto begin = begin_of_pieces(Heads, n, row, 5);
  const step init{3, 7};
  reference<Kind>(
      r, init, [&](index i) { return x[i]; }, begin, want);
  guarded<step> in(x.size(), shift_in), out(x.size(), shift_out);
  in.set(x);
  out.poison();
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(n) / 32 + 1, 0);
  for (index i = 0; i < n; ++i) bits[i / 32] |= static_cast<std::uint32_t>(begin[i]) << (i % 32);
  guarded<std::uint32_t> flags(bits.size(), 0);
  flags.set(bits);
  step* const to = in_place ? in.data : out.data;
  const arrays<const step> from{in.data};
  const arrays<step> dest{to};
  auto plan = cuda::plan_scan<Kind, Heads>(r, from, dest, n);
  if (blocks > 0) {  // few blocks: many waves of a short array
    plan = cuda::detail::plan_waves<cuda::detail::shape_of<Kind, Heads, exact, arrays<const step>, arrays<step>>>(n, false);
    if (plan.blocks > blocks) plan.blocks = blocks;
  }
  guarded<unsigned char> work(plan.workspace, 0);
  CHECK(cudaMemset(work.data, n % 3 == 0 ? 0 : 0xff, plan.workspace));
  for (int repeat = 0; repeat < (in_place ? 1 : 2); ++repeat) {
    if (repeat) out.poison();
    if constexpr (Heads == heads::none) cuda::scan<Kind>(r, init, from, dest, n, plan, work.data);
    else if constexpr (Heads == heads::rows) cuda::scan_rows<Kind>(r, init, from, dest, row ? n / row : 0, row, plan, work.data);
    else cuda::scan_flagged<Kind>(r, init, from, dest, flags.data, n, plan, work.data);
    CHECK(cudaDeviceSynchronize());
    const auto got = in_place ? in.get() : out.get();
    index wrong = -1;
    for (index i = 0; i < n && wrong < 0; ++i)
      if (!(got[i] == want[i])) wrong = i;
    char more[120];
    std::snprintf(more, sizeof more, "first at %ld, row %ld, shifts %d %d, in place %d, repeat %d", static_cast<long>(wrong),
                  static_cast<long>(row), shift_in, shift_out, in_place, repeat);
    report(wrong < 0, "affine mod 2^32", kind, n, more);
  }
  report(in.intact() && out.intact() && work.intact(), "a guard zone was written", kind, n);
}

template <scan_kind Kind, heads Heads>
void check_sizes(const char* kind, bool small_only) {
  constexpr index tile = cuda::detail::shape_of<Kind, Heads, exact, arrays<const step>, arrays<step>>::tile;
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  std::vector<index> sizes{0, 1, 2, 15, 16, 17, 31, 33, 511, 512, 513, tile - 1, tile, tile + 1, 3 * tile + 5, 9 * tile - 7, 40 * tile - 1};
  if (!small_only)
    sizes.insert(sizes.end(), {sms * tile - 1, sms * tile, sms * tile + 1, 5 * sms * tile + 3 * tile + 11, 14 * sms * tile + 77});
  for (const index n : sizes) {
    const bool long_one = n > 40 * tile;
    for (const int shift : {0, 1, 2, 3}) {
      if (long_one && shift > 1) break;
      if (Heads == heads::rows) {
        for (const index row : {index{1}, index{7}, index{16}, index{100}, index{5000}, index{100003}})
          if (row <= n && (!long_one || row == 7 || row == 5000))
            check_exact<Kind, Heads>(kind, n / row * row, row, shift, shift / 2, false, shift);
      } else {
        check_exact<Kind, Heads>(kind, n, 0, shift, shift == 3 ? 1 : 0, false);
        if (shift == 0) check_exact<Kind, Heads>(kind, n, 0, 0, 0, false, 1), check_exact<Kind, Heads>(kind, n, 0, 0, 0, false, 3);
        if (shift < 2) check_exact<Kind, Heads>(kind, n, 0, shift, 0, true);
      }
    }
  }
  std::printf("{\"checked\":\"%s\",\"so_far\":%d,\"failures\":%d}\n", kind, checks, failures);
  std::fflush(stdout);
}

//! Offsets of segments, some empty, with elements outside of all of them at both ends.
static std::vector<index> some_offsets(index n, int seed) {
  std::vector<index> o{n > 20 ? 3 : 0};
  const index end = n > 20 ? n - 2 : n;
  for (std::uint64_t k = 0; o.back() < end; ++k) {
    const std::uint32_t h = hashed(k * 31 + static_cast<std::uint64_t>(seed));
    const index length = h % 5 == 0 ? 0 : h % 41 == 1 ? h % 20000 : h % (seed % 2 ? 7 : 120);
    if (h % 61 == 2) o.insert(o.end(), h % 50, o.back());
    o.push_back(o.back() + length < end ? o.back() + length : end);
  }
  o.push_back(end);
  return o;
}
static void check_segments(index n, int seed, int blocks) {
  const exact r;
  std::vector<step> x(static_cast<std::size_t>(n));
  for (index i = 0; i < n; ++i) x[i] = {hashed(3 * i) | 1, hashed(3 * i + 1)};
  const step init{3, 7}, untouched{~0u, ~0u};
  const std::vector<index> o = some_offsets(n, seed);
  const index m = static_cast<index>(o.size()) - 1;
  std::vector<step> totals(static_cast<std::size_t>(m)), scanned(x.size(), untouched);
  for (index k = 0; k < m; ++k) {
    step s = init;
    for (index i = o[k]; i < o[k + 1]; ++i) s = scanned[i] = r.combine(s, x[i]);
    totals[k] = s;
  }
  guarded<step> in(x.size(), 0), out(x.size(), 0), sums(totals.size(), 0);
  guarded<index> offsets(o.size(), 0);
  in.set(x);
  offsets.set(o);
  out.poison();
  sums.poison();
  const arrays<const step> from{in.data};
  const auto reduce = cuda::plan_segmented_reduce(r, from, arrays<step>{sums.data}, n, m);
  auto scan = cuda::plan_segmented_scan(r, from, arrays<step>{out.data}, n, m);
  if (blocks > 0 && !scan.scan.small && blocks < scan.scan.blocks) scan.scan.blocks = blocks;
  guarded<unsigned char> work(reduce.workspace > scan.workspace ? reduce.workspace : scan.workspace, 0);
  CHECK(cudaMemset(work.data, 0xee, work.bytes));
  cuda::segmented_reduce(r, init, from, arrays<step>{sums.data}, offsets.data, m, n, reduce, work.data);
  cuda::segmented_scan(r, init, from, arrays<step>{out.data}, offsets.data, m, n, scan, work.data);
  CHECK(cudaDeviceSynchronize());
  const auto got = sums.get(), all = out.get();
  index wrong = -1, wrong_scan = -1;
  for (index k = 0; k < m && wrong < 0; ++k)
    if (!(got[k] == totals[k])) wrong = k;
  for (index i = 0; i < n && wrong_scan < 0; ++i)
    if (!(all[i] == scanned[i])) wrong_scan = i;
  char more[160];
  std::snprintf(more, sizeof more, "first segment %ld of %ld, seed %d, blocks %d", static_cast<long>(wrong), static_cast<long>(m), seed,
                reduce.scan.blocks);
  report(wrong < 0, "segmented reduce", "", n, more);
  std::snprintf(more, sizeof more, "first at %ld, %ld segments, seed %d", static_cast<long>(wrong_scan), static_cast<long>(m), seed);
  report(wrong_scan < 0, "segmented scan", "", n, more);
  report(in.intact() && out.intact() && sums.intact() && work.intact() && offsets.intact(), "a guard zone was written by segments", "", n);
}
//! Two outputs of other types than the state, ties, NaN.
static void check_places(index n) {
  const running_maximum r;
  std::vector<float> x(static_cast<std::size_t>(n)), values(x.size());
  std::vector<std::int32_t> places(x.size());
  place32 s = r.identity();
  for (index i = 0; i < n; ++i) {
    const std::uint32_t h = hashed(i);
    x[i] = h % 9999 == 1 && i > n / 2 ? __builtin_nanf("") : static_cast<float>(h % 4096 + i / 100);
    r.push_into(s, i, x[i]), values[i] = s.value, places[i] = s.position;
  }
  guarded<float> in(x.size(), 0), out(x.size(), 0);
  guarded<std::int32_t> where(x.size(), 1);
  in.set(x), out.poison(), where.poison();
  const arrays<const float> from{in.data};
  const arrays<float, std::int32_t> to{out.data, {where.data}};
  const auto plan = cuda::plan_scan(r, from, to, n);
  guarded<unsigned char> work(plan.workspace, 0);
  cuda::scan(r, from, to, n, plan, work.data);
  CHECK(cudaDeviceSynchronize());
  const auto got = out.get();
  report(where.get() == places && std::memcmp(got.data(), values.data(), values.size() * 4) == 0, "running maximum", "two outputs", n);
  report(in.intact() && out.intact() && where.intact() && work.intact(), "a guard zone was written by two outputs", "", n);
}
static void check_all_segments(bool small) {
  for (const index n : {1, 7, 2048, 2049, 8192, 300000, 1100003}) check_places(n);
  for (const index n : {1, 5, 31, 33, 100, 4095, 4096, 4097, 20000, 100003})
    for (const int seed : {1, 2, 3, 4})
      for (const int blocks : {0, 3}) check_segments(n, seed, blocks);
  if (!small) check_segments(6000007, 6, 0), check_segments(6000007, 7, 0);
  std::printf("{\"checked\":\"segments\",\"so_far\":%d,\"failures\":%d}\n", checks, failures);
  std::fflush(stdout);
}

template <scan_kind Kind>
void check_columns(const char* kind, index batches, index length, index columns, int shift, index parts) {
  const exact r;
  const std::size_t n = static_cast<std::size_t>(batches * length * columns);
  std::vector<step> x(n), want(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = {hashed(3 * i) | 1, hashed(3 * i + 1)};
  const step init{3, 7};
  std::vector<step> line(static_cast<std::size_t>(length)), answer(line.size());
  const std::vector<char> one(line.size(), 0);
  for (index b = 0; b < batches; ++b)
    for (index c = 0; c < columns; ++c) {
      for (index l = 0; l < length; ++l) line[l] = x[(b * length + l) * columns + c];
      reference<Kind>(
          r, init, [&](index i) { return line[i]; }, one, answer);
      for (index l = 0; l < length; ++l) want[(b * length + l) * columns + c] = answer[l];
    }
  guarded<step> in(n, shift), out(n, shift / 2);
  in.set(x);
  out.poison();
  const arrays<const step> from{in.data};
  auto plan = cuda::plan_scan_columns(r, from, batches, length, columns);
  if (parts > 0 && parts <= length) {
    plan.part = (length + parts - 1) / parts, plan.parts = (length + plan.part - 1) / plan.part;
    plan.workspace = sizeof(step) * static_cast<std::size_t>(plan.parts * batches * columns);
  }
  guarded<unsigned char> work(plan.workspace, 0);
  cuda::scan_columns<Kind>(r, init, from, arrays<step>{out.data}, batches, length, columns, plan, work.data);
  CHECK(cudaDeviceSynchronize());
  const auto got = out.get();
  std::size_t wrong = n;
  for (std::size_t i = 0; i < n && wrong == n; ++i)
    if (!(got[i] == want[i])) wrong = i;
  char more[120];
  std::snprintf(more, sizeof more, "[%ld, %ld, %ld] first at %zu, shift %d, parts %ld", static_cast<long>(batches),
                static_cast<long>(length), static_cast<long>(columns), wrong, shift, static_cast<long>(plan.parts));
  report(wrong == n, "columns", kind, static_cast<index>(n), more);
  report(in.intact() && out.intact() && work.intact(), "a guard zone was written by columns", kind, static_cast<index>(n));
}
static void check_all_columns() {
  constexpr scan_kind ex_suffix{bounds::exclusive, walk::suffix};
  for (const index columns : {1, 2, 31, 32, 33, 64, 100})
    for (const index length : {1, 7, 8, 9, 47, 200, 1000})
      for (const index parts : {0, 1, 3}) {
        check_columns<inclusive>("inclusive", 2, length, columns, parts, parts);
        check_columns<ex_suffix>("exclusive suffix", 3, length, columns, 0, parts);
        check_columns<backward>("backward", 1, length, columns, 1, parts);
      }
  check_columns<exclusive>("exclusive", 3, 3000, 130, 0, 0);
  std::printf("{\"checked\":\"columns\",\"so_far\":%d,\"failures\":%d}\n", checks, failures);
  std::fflush(stdout);
}

static int run(int argc, char** argv) {
  const bool small = argc > 1 && std::strcmp(argv[1], "small") == 0;
  constexpr scan_kind ex_suffix{bounds::exclusive, walk::suffix}, ex_backward{bounds::exclusive, walk::backward};
  check_sizes<inclusive, heads::none>("inclusive", small);
  check_sizes<exclusive, heads::none>("exclusive", small);
  check_sizes<suffix, heads::none>("suffix", small);
  check_sizes<ex_backward, heads::none>("exclusive backward", small);
  check_sizes<inclusive, heads::rows>("rows inclusive", small);
  check_sizes<ex_suffix, heads::rows>("rows exclusive suffix", small);
  check_sizes<backward, heads::rows>("rows backward", small);
  check_sizes<exclusive, heads::flags>("pieces exclusive", small);
  check_sizes<suffix, heads::flags>("pieces suffix", small);
  check_sizes<inclusive, heads::flags>("pieces inclusive", small);
  check_all_columns();
  check_all_segments(small);
  std::printf("{\"what\":\"scan_check\",\"checks\":%d,\"failures\":%d,\"small\":%s}\n", checks, failures, small ? "true" : "false");
  return failures ? 1 : 0;
}
}  // namespace twofold

int main(int argc, char** argv) { return twofold::run(argc, argv); }
