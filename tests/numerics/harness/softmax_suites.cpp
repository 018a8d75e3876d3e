// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file l and log-sum-exp under every gauge (T1, T3), with the running bound (T6) where the library's operator runs.
#include <cmath>

#include "emulated.hpp"

namespace harness {
namespace {

//! Σ 2^(s·c − y), y the largest s·c; both in double, where the products of floats are exact.
struct wide_sum {
  double at = -INFINITY, sum = 0;
};
wide_sum weigh(const input& in, float scale) {
  wide_sum w;
  const double c = static_cast<double>(scale);
  for (const float s : in.x) w.at = std::fmax(w.at, static_cast<double>(s) * c);
  for (const float s : in.x)
    if (s != -INFINITY) w.sum += std::exp2(static_cast<double>(s) * c - w.at);
  return w;
}
//! |l·2^(M − at)/sum − 1|.
double off(double l, double reference, const wide_sum& w) { return std::fabs(l * std::exp2(reference - w.at) / w.sum - 1); }

class score_suite : public suite {
 public:
  explicit score_suite(const char* name) : suite(name, num::score_families) {}
  void draw(tf::laws::random& g, const num::family& f, tf::index n, input& in) const override { fill(g, f, n, in.x); }
};

template <class Gauge>
class library_softmax : public score_suite {
 public:
  library_softmax(const char* name, const num::weight_arithmetic& w) : score_suite(name), arithmetic_(w) {}
  void check(const input& in, const sink& report) const override {
    const tf::certified<tf::softmax<float, Gauge>> op;
    const wide_sum want = weigh(in, op.how.of.score.scale);
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op, tf::as_source(in.x), way, in);
      const double l = static_cast<double>(s.amount.sum), error = off(l, static_cast<double>(s.at), want);
      report("T1", way, error, num::softmax_sum(u32, shape, static_cast<double>(in.size()), arithmetic_));
      report("running", way, error * want.sum * std::exp2(want.at - static_cast<double>(s.at)), op.how.error(s.amount));
    }
  }

 private:
  num::weight_arithmetic arithmetic_;
};

class emulated : public score_suite {
 public:
  emulated(const char* name, const emulated_softmax& op) : score_suite(name), op_(op) {}
  void check(const input& in, const sink& report) const override {
    const wide_sum want = weigh(in, op_.scale);
    auto w = op_.arithmetic();
    if (op_.how == style::mixed) w.mixed_reference = std::fabs(largest_reference(in));
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op_, tf::as_source(in.x), way, in);
      const double at =
          op_.how == style::consistent ? static_cast<double>(s.m * op_.scale) : static_cast<double>(s.m) * static_cast<double>(op_.scale);
      report(op_.how == style::mixed ? "T1 + G" : "T1", way, off(static_cast<double>(s.l), at, want),
             num::softmax_sum(u32, shape, static_cast<double>(in.size()), w));
    }
  }

 private:
  //! max c|m| over all references that any tile or merge may use.
  [[nodiscard]] double largest_reference(const input& in) const {
    double most = 0;
    for (const float s : in.x)
      if (s != -INFINITY) most = std::fmax(most, std::fabs(static_cast<double>(s) * static_cast<double>(op_.scale)));
    return most;
  }
  emulated_softmax op_;
};

template <class Gauge>
class library_log_sum_exp : public score_suite {
 public:
  library_log_sum_exp(const char* name, num::reference_rule rule) : score_suite(name) {
    arithmetic_.reference = rule;
    arithmetic_.compensated = true, arithmetic_.scale_roundings = num::log2_e_roundings;
  }
  void check(const input& in, const sink& report) const override {
    double most = -INFINITY, sum = 0;
    for (const float s : in.x) most = std::fmax(most, static_cast<double>(s));
    for (const float s : in.x) sum += std::exp(static_cast<double>(s) - most);
    const double want = most + std::log(sum);
    const tf::certified<tf::log_sum_exp<float, Gauge>> op;
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op, tf::as_source(in.x), way, in);
      const auto answer = op.finalize(s);
      const double error = std::fabs(static_cast<double>(answer.value) - want);
      report("T3", way, error, num::log_sum_exp(u32, shape, static_cast<double>(in.size()), std::fabs(want), arithmetic_));
      report("running", way, error, answer.error);
    }
  }

 private:
  num::weight_arithmetic arithmetic_;
};

num::weight_arithmetic gauge(num::reference_rule rule, double tau = 0) {
  num::weight_arithmetic w;
  w.reference = rule, w.tau = tau;
  return w;
}

}  // namespace

void add_softmax_suites(suites& all) {
  using rule = num::reference_rule;
  all.push_back(std::make_unique<library_softmax<tf::gauge::integer>>("softmax, integer gauge", gauge(rule::integer)));
  all.push_back(std::make_unique<library_softmax<tf::gauge::maximum>>("softmax, maximum", gauge(rule::maximum)));
  all.push_back(std::make_unique<library_softmax<tf::gauge::lazy<8>>>("softmax, lazy 8", gauge(rule::lazy, 8)));
  all.push_back(
      std::make_unique<library_softmax<tf::gauge::lazy<8, tf::gauge::integer>>>("softmax, lazy 8 integer", gauge(rule::lazy_integer, 8)));
  all.push_back(std::make_unique<emulated>("softmax, difference", emulated_softmax{style::difference}));
  all.push_back(std::make_unique<emulated>("softmax, mixed references", emulated_softmax{style::mixed}));
  all.push_back(std::make_unique<emulated>("softmax, exp2 off by 4u at random", emulated_softmax{style::consistent, 0x1p-22}));
  all.push_back(std::make_unique<emulated>("softmax, exp2 off by 4u downwards", emulated_softmax{style::consistent, 0x1p-22, true}));
  all.push_back(std::make_unique<library_log_sum_exp<tf::gauge::integer>>("log-sum-exp, integer gauge", rule::integer));
  all.push_back(std::make_unique<library_log_sum_exp<tf::gauge::maximum>>("log-sum-exp, maximum", rule::maximum));
}

}  // namespace harness
