// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file dK and dV, sums over the queries, against long double: on every family, on inputs made to round one way, and on inputs that a
//! search makes worse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "backward.hpp"

using namespace backward;

namespace {

//! Queries over the same keys and values.
struct batch {
  std::vector<problem> rows;          // of equal v and k
  std::vector<std::vector<float>> q;  // [query][width]
  [[nodiscard]] std::size_t keys() const { return rows[0].n(); }
};

batch make_batch(tf::laws::random& g, const num::family& f, tf::index keys, int queries, double value_offset) {
  batch b;
  for (int r = 0; r < queries; ++r) {
    b.rows.push_back(make(g, f, keys, value_offset));
    if (r > 0) b.rows.back().v = b.rows[0].v, b.rows.back().k = b.rows[0].k;
    b.q.emplace_back();
    for (int j = 0; j < width; ++j) b.q.back().push_back(static_cast<float>(num::round_to(num::bf16, 1 + num::detail::normal(g))));
  }
  return b;
}

struct ratios {
  double d_k = 0, d_v = 0;
  [[nodiscard]] double worst() const { return std::max(d_k, d_v); }
};

//! Largest measured/bound over keys and columns.
ratios measure(const batch& b, const num::backward_arithmetic& given) {
  const std::size_t keys = b.keys(), columns = keys * width;
  std::vector<float> d_k(columns), d_v(columns);
  std::vector<real> want_k(columns), want_v(columns);
  std::vector<double> errors(columns), magnitudes(columns), allowed_v(columns);
  const auto queries = static_cast<double>(b.rows.size());
  const num::tree_shape one{static_cast<double>(keys), 0};
  const auto rounded = [&](float x) { return given.ds ? static_cast<float>(num::round_to(*given.ds, static_cast<double>(x))) : x; };
  for (std::size_t r = 0; r < b.rows.size(); ++r) {
    const problem& p = b.rows[r];
    const wide_pass want = wide(p);
    const num::backward_arithmetic a = for_row(given, want);
    const narrow_pass got = narrow(p, a);
    for (std::size_t i = 0; i < keys; ++i) {
      const num::gradient_sizes sizes = sizes_of(want, i);
      const bool absent = p.s[i] == -INFINITY;
      const double of_score = absent ? 0 : sizes.weight * num::score_gradient_terms(u, one, static_cast<double>(keys), a, sizes).total();
      const double of_weight =
          absent ? 0 : sizes.weight * num::value_gradient_terms(u, one, static_cast<double>(keys), a, sizes, queries).total();
      for (int j = 0; j < width; ++j) {
        const std::size_t at = i * width + static_cast<std::size_t>(j), column = static_cast<std::size_t>(j);
        d_k[at] += got.d_s[i] * b.q[r][column];
        d_v[at] += rounded(got.w[i]) * p.d_out[column];
        const real q = static_cast<real>(b.q[r][column]), d_out = static_cast<real>(p.d_out[column]);
        want_k[at] += want.d_s[i] * q;
        want_v[at] += want.w[i] * d_out;
        errors[at] += of_score * static_cast<double>(std::fabs(q));
        magnitudes[at] += static_cast<double>(std::fabs(want.d_s[i] * q));
        allowed_v[at] += of_weight * static_cast<double>(std::fabs(d_out));
      }
    }
  }
  ratios worst;
  const double floor = 1e-36;  // underflow of the accumulators
  for (std::size_t at = 0; at < columns; ++at) {
    const double off_k = static_cast<double>(std::fabs(static_cast<real>(d_k[at]) - want_k[at]));
    const double off_v = static_cast<double>(std::fabs(static_cast<real>(d_v[at]) - want_v[at]));
    worst.d_k = std::max(worst.d_k, off_k / (num::gradient_terms(u, queries, errors[at], magnitudes[at]).total() + floor));
    worst.d_v = std::max(worst.d_v, off_v / (allowed_v[at] + floor));
  }
  return worst;
}

num::backward_arithmetic arithmetic(const num::format* p, bool shared, const num::format* stored = nullptr) {
  num::backward_arithmetic a;
  a.forward.p = p, a.forward.shared = shared, a.stored_output = stored, a.ds = p;
  return a;
}

}  // namespace

TEST(BackwardColumns, MeasuredErrorsStayBelowTheBounds) {
  tf::laws::random g(6);
  for (const num::format* p : {static_cast<const num::format*>(nullptr), &num::bf16, &num::fp16})
    for (const bool shared : {true, false}) {
      ratios all;
      for (const num::family& f : num::score_families)
        for (const int queries : {1, 3, 40})
          for (const double offset : {0.0, 3.0}) {
            const ratios r = measure(make_batch(g, f, queries == 3 ? 65 : 12, queries, offset), arithmetic(p, shared, p));
            EXPECT_LE(r.d_k, 1) << f.name << ", " << queries << " queries";
            EXPECT_LE(r.d_v, 1) << f.name << ", " << queries << " queries";
            all.d_k = std::max(all.d_k, r.d_k), all.d_v = std::max(all.d_v, r.d_v);
          }
      EXPECT_GT(all.d_k, 0.1) << (p ? p->name : "fp32");
      EXPECT_GT(all.d_v, 0.2) << (p ? p->name : "fp32");
    }
}

//! Two keys whose first weight lies just below the middle of two bf16 numbers, for every query, and gradients of one sign: the casts of
//! all queries lose half a unit each, the same way, and dV shows it.
TEST(BackwardColumns, CastsOfOneSignReachTheBoundOfDV) {
  tf::laws::random g(7);
  batch b = make_batch(g, num::score_families[0], 2, 30, 0);
  const double w = 0.5 * (1 + 0x1p-8 - 0x1p-14);  // rounds down to 1/2, and 1 − w up
  for (problem& p : b.rows) {
    p.s = {0, static_cast<float>(std::log(1 / w - 1))};
    for (float& d : p.d_out) d = 1;
  }
  const ratios r = measure(b, arithmetic(&num::bf16, true));
  EXPECT_LE(r.d_v, 1);
  EXPECT_GT(r.d_v, 0.9);
}

//! A weight below half of the least fp16 number is gone, whatever its roundoff says.
TEST(BackwardColumns, WeightsBelowTheSmallestNumberAreCounted) {
  tf::laws::random g(8);
  batch b = make_batch(g, num::score_families[0], 2, 4, 0);
  for (problem& p : b.rows) p.s = {0, -18};  // e^-18 < 2^-25
  const ratios r = measure(b, arithmetic(&num::fp16, true));
  EXPECT_LE(r.worst(), 1);
  EXPECT_GT(r.d_v, 0.4);
}

//! Hill climbing on the bits of scores, queries and gradients.
TEST(BackwardColumns, ASearchFindsNothingAboveTheBounds) {
  tf::laws::random g(9);
  for (const num::format* p : {static_cast<const num::format*>(nullptr), &num::bf16})
    for (int start = 0; start < 6; ++start) {
      const num::family& f = num::score_families[g.next() % std::size(num::score_families)];
      batch b = make_batch(g, f, 6, 5, start % 2 ? 3 : 0);
      double best = measure(b, arithmetic(p, start % 3 > 0)).worst();
      for (int step = 0; step < 400; ++step) {
        batch next = b;
        const std::size_t row = g.next() % next.rows.size();
        const auto kind = g.next() % 3;
        std::vector<float>& v = kind == 0 ? next.rows[row].s : kind == 1 ? next.rows[row].d_out : next.q[row];
        float& e = v[g.next() % v.size()];
        std::uint32_t bits = 0;
        std::memcpy(&bits, &e, 4);
        bits ^= 1U << (g.next() % 23);
        if (std::isfinite(e)) std::memcpy(&e, &bits, 4);
        if (const double r = measure(next, arithmetic(p, start % 3 > 0)).worst(); r >= best) best = r, b = next;
      }
      EXPECT_LE(best, 1) << f.name;
    }
}
