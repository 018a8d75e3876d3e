// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The output of attention (T2, sharp form): in fp32 with the running bound, and with P in narrow formats, its denominator shared
//! or not.
#include <cmath>

#include "emulated.hpp"

namespace harness {
namespace {

//! The row in double: the output, and what T2 needs to know of the values.
struct wide_row {
  double output = 0;
  num::value_spread spread;
};
wide_row weigh(const input& in, float scale) {
  const double c = static_cast<double>(scale);
  const auto n = in.x.size();
  double at = -INFINITY, sum = 0, o = 0;
  for (const float s : in.x) at = std::fmax(at, static_cast<double>(s) * c);
  std::vector<double> w(n);
  for (std::size_t i = 0; i < n; ++i) {
    w[i] = in.x[i] == -INFINITY ? 0 : std::exp2(static_cast<double>(in.x[i]) * c - at);
    sum += w[i], o += w[i] * static_cast<double>(in.y[i]);
  }
  wide_row r;
  r.output = o / sum;
  r.spread = {0, std::fabs(r.output), 0, 0, 0};
  for (std::size_t i = 0; i < n; ++i) {
    if (w[i] == 0) continue;
    const double v = static_cast<double>(in.y[i]), share = w[i] / sum, apart = std::fabs(v - r.output);
    r.spread.mean_magnitude += share * std::fabs(v);
    r.spread.deviation += share * apart;
    r.spread.far_deviation += share * (at - static_cast<double>(in.x[i]) * c) * num::detail::ln2 * apart;
    r.spread.largest = std::fmax(r.spread.largest, std::fabs(v));
  }
  return r;
}

class row_suite : public suite {
 public:
  explicit row_suite(const char* name) : suite(name, num::score_families) {}
  //! Values 0, 1, 3 or 10 standard deviations off 0, one-signed, constant, alternating, or one spike.
  void draw(tf::laws::random& g, const num::family& f, tf::index n, input& in) const override {
    fill(g, f, n, in.x);
    in.y.resize(in.x.size());
    const auto kind = g.next() % 7;
    const double offset = kind < 4 ? (kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? 3 : 10) : 3;
    for (std::size_t i = 0; i < in.y.size(); ++i) {
      const double v = kind == 4   ? offset
                       : kind == 5 ? (i % 2 ? -1 : 1)
                       : kind == 6 ? (i == 0 ? 1000 : 0.01)
                                   : offset + num::detail::normal(g);
      in.y[i] = static_cast<float>(v);
    }
  }
};

template <class Gauge>
class library_attention : public row_suite {
 public:
  library_attention(const char* name, num::reference_rule rule) : row_suite(name) { arithmetic_.reference = rule; }
  void check(const input& in, const sink& report) const override {
    const tf::attention<float, 1, Gauge> plain(1, 1.0);
    const tf::certified<tf::attention<float, 1, Gauge>> op(plain);
    const wide_row want = weigh(in, plain.how.score.scale);
    const auto src = tf::zip(in.x, tf::row_source<float>{in.y.data(), in.size(), 1, 1});
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op, src, way, in);
      const auto answer = op.finalize(s);
      const double error = std::fabs(static_cast<double>(answer.output[0]) - want.output);
      report("T2", way, error, num::attention_output(u32, shape, static_cast<double>(in.size()), arithmetic_, want.spread) + 1e-37);
      report("running", way, error, answer.error[0]);
    }
  }

 private:
  num::attention_arithmetic arithmetic_;
};

class narrow : public row_suite {
 public:
  narrow(const char* name, const narrow_attention& op) : row_suite(name), op_(op) {
    arithmetic_.p = op.p, arithmetic_.shared = op.shared, arithmetic_.offset = op.offset;
  }
  void check(const input& in, const sink& report) const override {
    const wide_row want = weigh(in, op_.scale);
    const auto src = tf::zip(in.x, in.y);
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op_, src, way, in);
      report("T2", way, std::fabs(static_cast<double>(op_.finalize(s)) - want.output),
             num::attention_output(u32, shape, static_cast<double>(in.size()), arithmetic_, want.spread) + 1e-37);
    }
  }

 private:
  narrow_attention op_;
  num::attention_arithmetic arithmetic_;
};

}  // namespace

void add_attention_suites(suites& all) {
  all.push_back(std::make_unique<library_attention<tf::gauge::integer>>("attention, integer gauge", num::reference_rule::integer));
  all.push_back(std::make_unique<library_attention<tf::gauge::maximum>>("attention, maximum", num::reference_rule::maximum));
  all.push_back(std::make_unique<narrow>("attention, bf16 P, shared", narrow_attention{&num::bf16, true}));
  all.push_back(std::make_unique<narrow>("attention, bf16 P, not shared", narrow_attention{&num::bf16, false}));
  all.push_back(std::make_unique<narrow>("attention, fp16 P, shared, offset 8", narrow_attention{&num::fp16, true, 8}));
  all.push_back(std::make_unique<narrow>("attention, e4m3 P, shared, offset 8", narrow_attention{&num::e4m3, true, 8}));
}

}  // namespace harness
