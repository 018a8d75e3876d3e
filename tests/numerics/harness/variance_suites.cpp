// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Mean, variance, covariance and higher moments, of this library's operators and of Chan's three-number merge (T4).
#include <cmath>

#include "harness.hpp"
#include "twofold/ops/covariance.hpp"

namespace harness {
namespace {

using real = long double;

//! n, mean, Σ(x−mean)^k and κ, in 64 bits; the first element is taken off first, so that an offset costs the reference nothing.
struct wide_moments {
  double mean = 0, magnitude = 0, sigma = 0, kappa = 0, central[5] = {}, absolute[5] = {};
};
wide_moments measure(const std::vector<float>& x) {
  const real n = static_cast<real>(x.size()), pivot = x[0];
  real m = 0;
  for (const float e : x) m += static_cast<real>(e) - pivot;
  m /= n;
  real c[5] = {}, a[5] = {}, size = 0;
  for (const float e : x) {
    const real d = (static_cast<real>(e) - pivot) - m;
    real power = d;
    for (int k = 1; k <= 4; ++k, power *= d) c[k] += power, a[k] += std::fabs(power);
    size += std::fabs(static_cast<real>(e));
  }
  wide_moments w;
  w.mean = static_cast<double>(pivot + m), w.magnitude = static_cast<double>(size / n);
  for (int k = 1; k <= 4; ++k) w.central[k] = static_cast<double>(c[k]), w.absolute[k] = static_cast<double>(a[k]);
  w.sigma = std::sqrt(w.central[2] / static_cast<double>(n));
  w.kappa = num::variance_condition(static_cast<double>(n), w.mean, w.central[2]);
  return w;
}
//! The a-priori bounds speak of data whose squares neither overflow nor underflow.
bool in_domain(const wide_moments& w) { return w.central[2] > 1e-25 && w.central[2] < 1e33; }

//! Chan's merge of (n, mean, M2), anchored at the larger side.
struct chan {
  struct state {
    long n;
    float mean, m2;
  };
  [[nodiscard]] state identity() const { return {0, 0, 0}; }
  [[nodiscard]] state lift(float x) const { return {1, x, 0}; }
  [[nodiscard]] state combine(const state& a, const state& b) const {
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    if (a.n < b.n) return combine(b, a);
    const float n = static_cast<float>(a.n) + static_cast<float>(b.n), d = b.mean - a.mean, share = static_cast<float>(b.n) / n;
    return {a.n + b.n, std::fma(d, share, a.mean), std::fma(d * d, static_cast<float>(a.n) * share, a.m2 + b.m2)};
  }
  [[nodiscard]] state finalize(const state& s) const { return s; }
};

class value_suite : public suite {
 public:
  explicit value_suite(const char* name) : suite(name, num::value_families) {}
  void draw(tf::laws::random& g, const num::family& f, tf::index n, input& in) const override { fill(g, f, n, in.x); }
};

class library_welford : public value_suite {
 public:
  library_welford() : value_suite("welford") {}
  void check(const input& in, const sink& report) const override {
    const wide_moments want = measure(in.x);
    const tf::certified<tf::welford<float, float>> op;
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op, tf::as_source(in.x), way, in);
      const auto answer = op.finalize(s);
      const auto m2 = op.m2(s);
      const double mean_error = std::fabs(static_cast<double>(answer.mean.value) - want.mean);
      const double m2_error = std::fabs(static_cast<double>(m2.value) - want.central[2]);
      report("mean, running", way, mean_error, answer.mean.error);
      report("M2, running", way, m2_error, m2.error);
      if (!in_domain(want)) continue;
      report("mean", way, mean_error, num::welford_mean(u32, shape, std::fabs(want.mean), want.sigma));
      report("M2", way, m2_error, num::welford_m2(u32, shape, want.kappa) * want.central[2]);
    }
  }
};

class chans : public value_suite {
 public:
  chans() : value_suite("Chan's merge") {}
  void check(const input& in, const sink& report) const override {
    const wide_moments want = measure(in.x);
    if (!in_domain(want)) return;
    const chan op;
    input single = in;
    single.tile = 1;  // T4's trees have single elements as leaves
    for (const int way : {0, 2, 3, 8, 9}) {
      const auto [s, shape] = evaluate(op, tf::as_source(in.x), way, single);
      report("T4 mean", way, std::fabs(static_cast<double>(s.mean) - want.mean),
             num::chan_mean(u32, shape, static_cast<double>(in.size()), want.magnitude, want.sigma));
      report("T4 M2", way, std::fabs(static_cast<double>(s.m2) - want.central[2]), num::chan_m2(u32, shape, want.kappa) * want.central[2]);
    }
  }
};

class library_moments : public value_suite {
 public:
  library_moments() : value_suite("moments to order 4") {}
  void check(const input& in, const sink& report) const override {
    const wide_moments want = measure(in.x);
    const tf::certified<tf::moments<float, 4, float>> op;
    const double n = static_cast<double>(in.size());
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op, tf::as_source(in.x), way, in);
      const auto answer = op.finalize(s);
      for (int k = 2; k <= 4; ++k) {
        static constexpr const char* running[] = {"", "", "2nd, running", "3rd, running", "4th, running"};
        static constexpr const char* prior[] = {"", "", "2nd", "3rd", "4th"};
        const double error = std::fabs(static_cast<double>(answer.central[k].value) - want.central[k] / n);
        report(running[k], way, error, answer.central[k].error);
        if (!in_domain(want) || !(want.absolute[4] < 1e34) || !(want.absolute[4] > 1e-25)) continue;
        report(prior[k], way, error, (num::central_moment(u32, shape, want.kappa, k) + 2 * u32) * want.absolute[k] / n);
      }
    }
  }
};

class library_covariance : public suite {
 public:
  library_covariance() : suite("covariance", num::value_families) {}
  void draw(tf::laws::random& g, const num::family& f, tf::index n, input& in) const override {
    fill(g, f, n, in.x);
    if (g.next() % 2) {
      fill(g, num::value_families[g.next() % std::size(num::value_families)], n, in.y);
    } else {  // correlated
      in.y = in.x;
      for (float& y : in.y) y = -2 * y + static_cast<float>(num::detail::normal(g));
    }
  }
  void check(const input& in, const sink& report) const override {
    const wide_moments x = measure(in.x), y = measure(in.y);
    if (!in_domain(x) || !in_domain(y)) return;
    real want = 0;
    for (std::size_t i = 0; i < in.x.size(); ++i)
      want += (static_cast<real>(in.x[i]) - static_cast<real>(x.mean)) * (static_cast<real>(in.y[i]) - static_cast<real>(y.mean));
    want -= static_cast<real>(in.x.size()) * mean_of(in.x, x.mean) * mean_of(in.y, y.mean);
    tf::covariance<float, float> op;
    op.correction = 0;
    const double n = static_cast<double>(in.size());
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op, tf::zip(in.x, in.y), way, in);
      const double error = std::fabs(static_cast<double>(op.finalize(s).covariance) * n - static_cast<double>(want));
      report("C_xy", way, error, (num::covariance(u32, shape, x.kappa, y.kappa) + 2 * u32) * std::sqrt(x.central[2] * y.central[2]));
    }
  }

 private:
  //! What rounding the mean to double left of it.
  static real mean_of(const std::vector<float>& x, double mean) {
    real m = 0;
    for (const float e : x) m += static_cast<real>(e) - static_cast<real>(mean);
    return m / static_cast<real>(x.size());
  }
};

}  // namespace

void add_variance_suites(suites& all) {
  all.push_back(std::make_unique<library_welford>());
  all.push_back(std::make_unique<chans>());
  all.push_back(std::make_unique<library_moments>());
  all.push_back(std::make_unique<library_covariance>());
}

}  // namespace harness
