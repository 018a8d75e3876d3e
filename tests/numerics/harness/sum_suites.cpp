// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sums, plain and better, and affine recurrences (T5).
#include <cmath>

#include "harness.hpp"

namespace harness {
namespace {

template <class R>
class library_sum : public suite {
 public:
  using prior = double (*)(const num::tree_shape&);
  library_sum(const char* name, bool compensated, prior bound)
      : suite(name, num::value_families), compensated_(compensated), bound_(bound) {}
  void draw(tf::laws::random& g, const num::family& f, tf::index n, input& in) const override { fill(g, f, n, in.x); }
  void check(const input& in, const sink& report) const override {
    long double sum = 0, size = 0;
    for (const float e : in.x) sum += static_cast<long double>(e), size += std::fabs(static_cast<long double>(e));
    const double want = static_cast<double>(sum), magnitude = static_cast<double>(size);
    const tf::certified<R> op;
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op, tf::as_source(in.x), way, in);
      const auto answer = op.finalize(s);
      const double error = static_cast<double>(std::fabs(static_cast<long double>(answer.value) - sum));
      const double last = compensated_ ? u32 * std::fabs(want) * (1 + u32) : 0;
      report("a priori", way, error, last + bound_(shape) * magnitude);
      report("running", way, error, answer.error);
    }
  }

 private:
  bool compensated_;
  prior bound_;
};

class library_affine : public suite {
 public:
  library_affine() : suite("affine recurrence", num::scale_families) {}
  void draw(tf::laws::random& g, const num::family& f, tf::index n, input& in) const override {
    fill(g, f, n, in.x);
    fill(g, num::value_families[g.next() % std::size(num::value_families)], n, in.y);
  }
  void check(const input& in, const sink& report) const override {
    long double want = 0;
    std::vector<double> a(in.x.begin(), in.x.end()), b(in.y.begin(), in.y.end());
    for (std::size_t i = 0; i < a.size(); ++i) want = want * static_cast<long double>(a[i]) + static_cast<long double>(b[i]);
    const double exact = static_cast<double>(want);
    double largest = 0;
    for (const double e : b) largest = std::fmax(largest, std::fabs(e));
    const tf::certified<tf::affine_recurrence<float>> op;
    for (int way = 0; way < way_count; ++way) {
      const auto [s, shape] = evaluate(op, tf::zip(in.x, in.y), way, in);
      const auto answer = op.finalize(s);
      const double error = std::fabs(static_cast<double>(answer.value) - exact), height = num::affine_height(shape);
      const double first = num::affine(u32, height, a.data(), b.data(), static_cast<long>(a.size()));
      // second order: every product picks up at most 2n roundings; underflow: one subnormal per operation
      const double prior = first / (1 - 2 * static_cast<double>(in.size()) * u32) + 1e-44 * static_cast<double>(in.size()) * (1 + largest);
      if (std::isfinite(answer.value)) report("T5", way, error, prior);
      report("running", way, error, answer.error);
    }
  }
};

}  // namespace

void add_sum_suites(suites& all) {
  using tf::compensated_sum;
  using tf::pairwise_sum;
  using tf::sum;
  using shape = const num::tree_shape&;
  all.push_back(std::make_unique<library_sum<sum<float>>>("sum", false, [](shape t) { return num::sum(u32, t); }));
  all.push_back(
      std::make_unique<library_sum<pairwise_sum<float>>>("pairwise sum", false, [](shape t) { return num::pairwise_sum(u32, t); }));
  all.push_back(
      std::make_unique<library_sum<compensated_sum<float>>>("compensated sum", true, [](shape t) { return num::compensated_sum(u32, t); }));
  all.push_back(std::make_unique<library_affine>());
}

}  // namespace harness
