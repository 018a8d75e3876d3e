// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Mean and standard deviation of NIST's certified data sets under every schedule: digits reached beside the most
//! that the data, once rounded to double, can give; errors against the proved bound.  nist FOLDER  (default:
//! examples/data/nist) Exits 1 if an error exceeds its bound, or if `tree` with the pivot gauge is more than 8 ulp off.
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "twofold/numerics/bounds.hpp"
#include "twofold/twofold.hpp"

namespace tf = twofold;

namespace {

struct moments {
  double mean = 0, m2 = 0, deviation = 0;
};

struct data_set {
  std::string name;
  std::string certified_mean, certified_deviation;  // decimal text: not rounded to double
  std::vector<double> x;
};

//! A 200-bit number with just the operations needed here.
class wide {
 public:
  wide() {
    mpfr_init2(v_, 200);
    mpfr_set_zero(v_, 1);
  }
  explicit wide(double x) : wide() { mpfr_set_d(v_, x, MPFR_RNDN); }
  explicit wide(const std::string& text) : wide() { mpfr_set_str(v_, text.c_str(), 10, MPFR_RNDN); }
  wide(const wide& o) : wide() { mpfr_set(v_, o.v_, MPFR_RNDN); }
  wide& operator=(const wide& o) {
    mpfr_set(v_, o.v_, MPFR_RNDN);
    return *this;
  }
  ~wide() { mpfr_clear(v_); }
  friend wide operator+(const wide& a, const wide& b) {
    wide r;
    mpfr_add(r.v_, a.v_, b.v_, MPFR_RNDN);
    return r;
  }
  friend wide operator-(const wide& a, const wide& b) {
    wide r;
    mpfr_sub(r.v_, a.v_, b.v_, MPFR_RNDN);
    return r;
  }
  friend wide operator*(const wide& a, const wide& b) {
    wide r;
    mpfr_mul(r.v_, a.v_, b.v_, MPFR_RNDN);
    return r;
  }
  friend wide operator/(const wide& a, const wide& b) {
    wide r;
    mpfr_div(r.v_, a.v_, b.v_, MPFR_RNDN);
    return r;
  }
  [[nodiscard]] wide root() const {
    wide r;
    mpfr_sqrt(r.v_, v_, MPFR_RNDN);
    return r;
  }
  [[nodiscard]] double rounded() const { return mpfr_get_d(v_, MPFR_RNDN); }

 private:
  mpfr_t v_;
};

double distance(const wide& a, const wide& b) { return std::abs((a - b).rounded()); }

struct wide_moments {
  wide mean, m2, deviation;
};

wide_moments in_200_bits(const std::vector<double>& x) {
  const wide n(static_cast<double>(x.size()));
  wide_moments r;
  for (double v : x) r.mean = r.mean + wide(v);
  r.mean = r.mean / n;
  for (double v : x) r.m2 = r.m2 + (wide(v) - r.mean) * (wide(v) - r.mean);
  r.deviation = (r.m2 / (n - wide(1.0))).root();
  return r;
}

template <class Gauge>
moments under(const std::vector<double>& x, const tf::schedule& s) {
  const tf::welford<double, double, Gauge> op;
  const auto state = tf::reduce_state(op, x, s);
  const auto result = op.finalize(state);
  return {result.mean, op.m2(state), result.standard_deviation()};
}

//! Number of decimal digits that agree (log relative error); the certified values have 15.
double digits(double computed, const std::string& certified) {
  const wide c(certified);
  const double error = distance(wide(computed), c);
  return error == 0 ? 15 : std::min(15.0, std::max(0.0, -std::log10(error / std::abs(c.rounded()))));
}

double ulps(double computed, const wide& right) {
  const double r = std::abs(right.rounded());
  return distance(wide(computed), right) / (std::nextafter(r, HUGE_VAL) - r);
}

std::vector<data_set> load(const std::string& folder) {
  static constexpr const char* certified[][3] = {{"PiDigits", "4.53480000000000", "2.86733906028871"},
                                                 {"Lottery", "518.958715596330", "291.699727470969"},
                                                 {"Lew", "-177.435000000000", "277.332168044316"},
                                                 {"Mavro", "2.00185600000000", "0.000429123454003053"},
                                                 {"Michelso", "299.852400000000", "0.0790105478190518"},
                                                 {"NumAcc1", "10000002", "1"},
                                                 {"NumAcc2", "1.2", "0.1"},
                                                 {"NumAcc3", "1000000.2", "0.1"},
                                                 {"NumAcc4", "10000000.2", "0.1"}};
  std::vector<data_set> sets;
  for (const auto& [name, mean, deviation] : certified) {
    std::ifstream file(folder + "/" + name + ".csv");
    data_set set{name, mean, deviation, {}};
    for (double v; file >> v;) set.x.push_back(v);
    if (set.x.empty()) {
      std::fprintf(stderr, "nist: cannot read %s/%s.csv; give the folder: nist examples/data/nist\n", folder.c_str(), name);
      std::exit(2);
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

//! A column of the table: a gauge and a schedule.
struct column {
  const char* name;
  moments (*compute)(const std::vector<double>&, const tf::schedule&);
  tf::schedule schedule;
};

//! Largest error of a column over all sets, in units of its bounds.
struct worst {
  double mean = 0, m2 = 0, own_mean = 0, own_m2 = 0, ulps = 0;
};

void print_table(const char* title, const std::vector<data_set>& sets, const std::vector<column>& columns, bool of_mean) {
  std::printf("\n%s\n%-10s%6s", title, "set", "n");
  for (const column& c : columns) std::printf("%9s", c.name);
  std::printf("%9s\n", "most");
  for (const data_set& set : sets) {
    const std::string& certified = of_mean ? set.certified_mean : set.certified_deviation;
    std::printf("%-10s%6zu", set.name.c_str(), set.x.size());
    for (const column& c : columns) {
      const moments m = c.compute(set.x, c.schedule);
      std::printf("%9.1f", digits(of_mean ? m.mean : m.deviation, certified));
    }
    const wide_moments right = in_200_bits(set.x);
    std::printf("%9.1f\n", digits((of_mean ? right.mean : right.deviation).rounded(), certified));
  }
}

worst measure(const std::vector<data_set>& sets, const column& c) {
  namespace bounds = tf::numerics;
  constexpr double u = 0x1p-53;
  worst w;
  for (const data_set& set : sets) {
    const wide_moments right = in_200_bits(set.x);
    const moments m = c.compute(set.x, c.schedule);
    const auto n = static_cast<double>(set.x.size());
    const auto shape = bounds::shape_of(static_cast<tf::index>(set.x.size()), c.schedule);
    const double mean = std::abs(right.mean.rounded()), m2 = right.m2.rounded(), sigma = std::sqrt(m2 / n);
    const double kappa = std::sqrt(1 + mean * mean / (sigma * sigma));
    double magnitude = 0;
    for (double x : set.x) magnitude += std::abs(x) / n;

    const double mean_error = distance(wide(m.mean), right.mean), m2_error = distance(wide(m.m2), right.m2) / m2;
    w.mean = std::max(w.mean, mean_error / bounds::chan_mean(u, shape, n, magnitude, sigma));
    w.m2 = std::max(w.m2, m2_error / bounds::chan_m2(u, shape, kappa));
    w.own_mean = std::max(w.own_mean, mean_error / bounds::welford_mean(u, shape, mean, sigma));
    w.own_m2 = std::max(w.own_m2, m2_error / bounds::welford_m2(u, shape, kappa));
    w.ulps = std::max({w.ulps, ulps(m.mean, right.mean), ulps(m.deviation, right.deviation)});
  }
  return w;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<data_set> sets = load(argc > 1 ? argv[1] : "examples/data/nist");
  const auto mean = under<tf::gauge::mean>, pivot = under<tf::gauge::pivot>;
  const std::vector<column> columns = {{"fold", mean, tf::fold{}},
                                       {"lanes=8", mean, tf::lanes{8}},
                                       {"tiles=64", mean, tf::tiles{64}},
                                       {"split=7", mean, tf::split{7}},
                                       {"threads", mean, tf::threads{} | tf::tiles{64} | tf::tree{}},
                                       {"repr.", mean, tf::reproducible{}},
                                       {"tree", mean, tf::tree{}},
                                       {"tree/piv", pivot, tf::tree{}}};
  print_table("Certified digits of the mean (at most 15; last column: the most that the data, rounded to double, can give)", sets, columns,
              true);
  print_table("Certified digits of the standard deviation", sets, columns, false);

  std::printf("\nLargest error over the nine sets, against the exact moments of the same doubles (200 bits)\n%-16s", "");
  for (const column& c : columns) std::printf("%9s", c.name);
  std::vector<worst> all;
  for (const column& c : columns) all.push_back(measure(sets, c));
  const auto line = [&](const char* name, auto value) {
    std::printf("\n%-16s", name);
    for (const worst& w : all) std::printf("%9.2g", value(w));
  };
  line("mean / T4", [](const worst& w) { return w.mean; });
  line("M2 / T4", [](const worst& w) { return w.m2; });
  line("mean / own", [](const worst& w) { return w.own_mean; });
  line("M2 / own", [](const worst& w) { return w.own_m2; });
  line("ulps", [](const worst& w) { return w.ulps; });
  std::printf("\nT4: the bound for Chan's merge; own: the bound for this library's operator. 1 is the limit.\n");

  bool good = all.back().ulps <= 8;
  for (const worst& w : all) good = good && std::max({w.mean, w.m2, w.own_mean, w.own_m2}) <= 1;
  std::printf(good ? "all within their bounds; tree with the pivot gauge within 8 ulp\n" : "A BOUND IS BROKEN\n");
  return good ? 0 : 1;
}
