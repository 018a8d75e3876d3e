// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Eigen and Boost.Accumulators, on one thread as they are.
#include "contenders.hpp"

#if __has_include(<boost/accumulators/accumulators.hpp>)
#include <boost/accumulators/accumulators.hpp>
#include <boost/accumulators/statistics/stats.hpp>
#include <boost/accumulators/statistics/variance.hpp>
#define BENCH_BOOST 1
#endif
#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define BENCH_EIGEN 1
#endif

namespace bench {

void add_header_peers([[maybe_unused]] std::vector<contender>& all) {
  for (const size_class& c : sizes) {
    [[maybe_unused]] const float* const x = signal();
    [[maybe_unused]] const twofold::index n = c.elements;
    [[maybe_unused]] const auto items = static_cast<double>(n), bytes = 4 * items;
    [[maybe_unused]] const truth& t = truth_of(n);
#if defined(BENCH_EIGEN)
    const Eigen::Map<const Eigen::ArrayXf> a(x, n);
    all.push_back({std::string("sum/") + c.name + "/eigen_1_thread", items, bytes, [a] { return static_cast<double>(a.sum()); }, t.sum,
                   1e-4 * items});
    all.push_back(
        {std::string("max/") + c.name + "/eigen_1_thread", items, bytes, [a] { return static_cast<double>(a.maxCoeff()); }, t.largest, 0});
    all.push_back({std::string("log_sum_exp/") + c.name + "/eigen_1_thread", items, bytes,
                   [a] {
                     const float most = a.maxCoeff();
                     return static_cast<double>(most + std::log((a - most).exp().sum()));
                   },
                   t.log_sum_exp, 1e-3});
#endif
#if defined(BENCH_BOOST)
    all.push_back({std::string("variance/") + c.name + "/boost_accumulators_1_thread", items, bytes,
                   [x, n] {
                     namespace ba = boost::accumulators;
                     ba::accumulator_set<double, ba::stats<ba::tag::variance>> set;
                     for (twofold::index i = 0; i < n; ++i) set(x[i]);
                     return ba::variance(set) * static_cast<double>(n) / static_cast<double>(n - 1);
                   },
                   t.variance, 1e-6});
#endif
  }
}

}  // namespace bench
