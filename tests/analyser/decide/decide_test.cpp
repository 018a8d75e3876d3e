// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file From C++ text to a verdict: loops that merge as they are, with added state, and not at all.
#include "corpus.hpp"
#include "stages.hpp"

#include <ctime>

namespace twofold::analyser {
namespace {

using corpus::expect_decided;
using corpus::expectation;

const corpus::source& loops() {
  static const corpus::source s("decide_loops", R"cpp(
#include <algorithm>
#include <cmath>
#include <limits>

    double sum(const double* x, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) s += x[i];
      return s;
    }
    int length(const double* x, int n) {
      int k = 0;
      for (int i = 0; i < n; ++i) {
        if (x[i] == x[i]) ++k;
        else ++k;
      }
      return k;
    }
    double smallest(const double* x, int n) {
      double m = std::numeric_limits<double>::infinity();
      for (int i = 0; i < n; ++i) m = std::min(m, x[i]);
      return m;
    }
    double product(const double* x, int n) {
      double p = 1;
      for (int i = 0; i < n; ++i) p *= x[i];
      return p;
    }
    unsigned parity(const unsigned* x, int n) {
      unsigned p = 0;
      for (int i = 0; i < n; ++i) p ^= x[i];
      return p;
    }
    bool any_negative(const double* x, int n) {
      bool any = false;
      for (int i = 0; i < n; ++i) any = any || x[i] < 0;
      return any;
    }
    double last(const double* x, int n) {
      double l = 0;
      for (int i = 0; i < n; ++i) l = x[i];
      return l;
    }
    double range(const double* x, int n) {
      double lo = 1e300, hi = -1e300;
      for (int i = 0; i < n; ++i) {
        lo = std::min(lo, x[i]);
        hi = std::max(hi, x[i]);
      }
      return hi - lo;
    }
    int count_above(const double* x, int n, double c) {
      int k = 0;
      for (int i = 0; i < n; ++i)
        if (x[i] > c) ++k;
      return k;
    }
    double mean(const double* x, int n) {
      double s = 0;
      int k = 0;
      for (int i = 0; i < n; ++i) {
        s += x[i];
        ++k;
      }
      return s / k;
    }
    double max_prefix(const double* x, int n) {
      double s = 0, best = 0;
      for (int i = 0; i < n; ++i) {
        s += x[i];
        best = std::max(best, s);
      }
      return best;
    }
    double kahan(const double* x, int n) {
      double s = 0, c = 0;
      for (int i = 0; i < n; ++i) {
        double y = x[i] - c;
        double t = s + y;
        c = (t - s) - y;
        s = t;
      }
      return s;
    }

    double kadane(const double* x, int n) {
      double here = 0, best = 0;
      for (int i = 0; i < n; ++i) {
        here = std::max(here + x[i], 0.0);
        best = std::max(best, here);
      }
      return best;
    }
    double relu_sum(const double* x, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) s = std::max(s + x[i], 0.0);
      return s;
    }
    double horner(const double* x, int n, double at) {
      double v = 0;
      for (int i = 0; i < n; ++i) v = v * at + x[i];
      return v;
    }
    double halving(const double* x, int n) {
      double a = 0;
      for (int i = 0; i < n; ++i) a = (a + x[i]) / 2;
      return a;
    }
    double gated(const double* g, const double* x, int n) {
      double h = 0;
      for (int i = 0; i < n; ++i) h = g[i] * h + x[i];
      return h;
    }
    bool sorted(const double* x, int n) {
      bool ok = true;
      double previous = -std::numeric_limits<double>::infinity();
      for (int i = 0; i < n; ++i) {
        if (x[i] < previous) ok = false;
        previous = x[i];
      }
      return ok;
    }
    int longest_run(const bool* x, int n) {
      int best = 0, current = 0;
      for (int i = 0; i < n; ++i) {
        current = x[i] ? current + 1 : 0;
        best = std::max(best, current);
      }
      return best;
    }
    double running_mean(const double* x, int n) {
      double mean = 0;
      for (int i = 0; i < n; ++i) mean += (x[i] - mean) / (i + 1);
      return mean;
    }
    double falling_weights(const double* x, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) s += x[i] * i;
      return s;
    }
    double blur(const double* x, int n) {
      double last = 0, s = 0;
      for (int i = 0; i < n; ++i) {
        last = 0.5 * (last + x[i]);
        s += last;
      }
      return s;
    }
    void clipped(const int* x, int* y, int n) {
      int s = 0;
      for (int i = 0; i < n; ++i) {
        s += x[i];
        if (s > 127) s = 127;
        if (s < -128) s = -128;
        y[i] = s;
      }
    }

    int majority(const int* v, int n) {
      int candidate = 0, count = 0;
      for (int i = 0; i < n; ++i) {
        if (count == 0) {
          candidate = v[i];
          count = 1;
        } else if (v[i] == candidate) ++count;
        else --count;
      }
      return candidate;
    }
    double quantized(const double* x, const double* w, int n) {
      double largest = 0, s = 0;
      for (int i = 0; i < n; ++i) {
        largest = std::max(largest, std::abs(x[i]));
        const double step = largest / 8;
        if (step > 0) s += std::round(x[i] / step) * step * w[i];
      }
      return s;
    }
    double logistic(const double* r, int n) {
      double s = 0.5;
      for (int i = 0; i < n; ++i) s = r[i] * s * (1 - s);
      return s;
    }
    double median_walk(const double* x, int n) {
      double m = 0;
      for (int i = 0; i < n; ++i) {
        if (x[i] > m) m += 1;
        else if (x[i] < m) m -= 1;
      }
      return m;
    }
  )cpp");
  return s;
}

TEST(decide, merges_as_they_are) {
  for (const expectation& e :
       {expectation{"sum", verdict::associative, {"s"}}, expectation{"length", verdict::associative, {"k"}},
        expectation{"smallest", verdict::associative, {"m"}}, expectation{"product", verdict::associative, {"p"}},
        expectation{"parity", verdict::associative, {"p"}}, expectation{"any_negative", verdict::associative, {"any"}},
        expectation{"last", verdict::associative, {"l"}}, expectation{"range", verdict::associative, {"lo", "hi"}},
        expectation{"count_above", verdict::associative, {"k"}}, expectation{"mean", verdict::associative, {"s", "k"}},
        expectation{"max_prefix", verdict::associative, {"s", "best"}}})
    expect_decided(loops(), e);
}
TEST(decide, merges_with_added_state) {
  for (const expectation& e :
       {expectation{"kadane", verdict::associative, {"here", "best"}, 2}, expectation{"relu_sum", verdict::associative, {"s"}, 1},
        expectation{"horner", verdict::associative, {"v"}, 1}, expectation{"halving", verdict::associative, {"a"}, 1},
        expectation{"gated", verdict::associative, {"h"}, 1}, expectation{"sorted", verdict::associative, {"ok", "previous"}, 2},
        expectation{"longest_run", verdict::associative, {"best", "current"}, 2}})
    expect_decided(loops(), e);
}
//! Pieces count their own elements where that is less to hold than what they do at their place in the input; else they know their place.
TEST(decide, an_index_is_carried_where_that_is_less) {
  expect_decided(loops(), {"running_mean", verdict::associative, {"mean", "i"}, 0});
  expect_decided(loops(), {"falling_weights", verdict::associative, {"s"}, 0});
  const auto knows_its_place = [](const char* f) {
    const decision d = decide_loop(*loops().find(f), {});
    return std::any_of(d.assumptions.begin(), d.assumptions.end(), [](const auto& a) { return a.find("global position") != a.npos; });
  };
  EXPECT_FALSE(knows_its_place("running_mean"));
  EXPECT_TRUE(knows_its_place("falling_weights"));
}
//! The last value's decay tells its part in the sum, and the sum the last value's.
TEST(decide, what_is_an_affine_combination_of_the_rest_is_not_carried) {
  expect_decided(loops(), {"blur", verdict::associative, {"last", "s"}, 1});
}
//! The composed bounds tell the value itself; the output of every iteration is read off them.
TEST(decide, what_an_output_reads_may_be_decoded) {
  expect_decided(loops(), {"clipped", verdict::associative, {}, 3});
  const decision d = decide_loop(*loops().find("clipped"), {});
  ASSERT_EQ(d.decode.size(), 1U);
  EXPECT_EQ(d.decode[0].first->name, "s");
  for (term t : symbols(d.decode[0].second))
    EXPECT_TRUE(std::any_of(d.state.begin(), d.state.end(), [&](const auto& v) { return v.name == t->name; })) << t->name;
}
TEST(decide, does_not_merge) {
  for (const char* f : {"majority", "quantized", "logistic", "median_walk"}) expect_decided(loops(), {f, verdict::not_associative, {}});
}
TEST(decide, a_compensated_sum_is_a_sum_and_the_report_says_so) {
  const spec* s = loops().find("kahan");
  ASSERT_NE(s, nullptr) << loops().errors();
  const decision d = decide_loop(*s, {});
  ASSERT_EQ(d.verdict, verdict::associative) << corpus::told(d);
  bool said = false;
  for (const std::string& note : d.notes) said |= note.find("compensates rounding") != std::string::npos;
  EXPECT_TRUE(said);
}
TEST(decide, added_variables_say_which_pieces_need_them) {
  const spec* s = loops().find("longest_run");
  ASSERT_NE(s, nullptr) << loops().errors();
  const decision d = decide_loop(*s, {});
  for (const merged_variable& v : d.state)
    if (v.role == role::added) {
      EXPECT_NE(v.why.find("end in the same"), std::string::npos) << v.why;
    }
}
TEST(decide, commutativity) {
  const auto of = [](const char* f) {
    const spec* s = loops().find(f);
    return s ? decide_loop(*s, {}).commutative : ternary::unknown;
  };
  EXPECT_EQ(of("sum"), ternary::proved);
  EXPECT_EQ(of("smallest"), ternary::proved);
  EXPECT_EQ(of("last"), ternary::refuted);
  EXPECT_EQ(of("max_prefix"), ternary::refuted);
}
TEST(decide, keeps_its_time_limit) {
  options o;
  o.seconds = 0.3;
  for (const char* f : {"logistic", "kadane", "quantized", "sorted"}) {
    const spec* s = loops().find(f);
    ASSERT_NE(s, nullptr);
    const std::clock_t start = std::clock();  // processor time: a busy machine is not our fault
    static_cast<void>(decide_loop(*s, o));
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2) << f;
  }
}

//! "Not associative with this state" is said only where lifting was tried to its end.
TEST(decide, a_lifting_cut_short_refutes_nothing) {
  decision d;
  d.counterexample.emplace();
  d.counterexample->state = "s = 0";
  conclude_from_witness(d, lifting::unfinished);
  EXPECT_EQ(d.verdict, verdict::unknown);
  EXPECT_FALSE(d.counterexample);
  ASSERT_EQ(d.tried.size(), 1U);
  EXPECT_NE(d.tried[0].find("was not tried to the end"), std::string::npos);

  decision e;
  e.counterexample.emplace();
  conclude_from_witness(e, lifting::failed);
  EXPECT_EQ(e.verdict, verdict::not_associative);
  EXPECT_EQ(e.scope, scope::this_state);
  EXPECT_TRUE(e.counterexample);
}

//! One variable starts from no value (its lift is given): those that do not read it still have the state of one element.
TEST(Decide, EveryVariableHasALiftBesideAnAdjoinedOne) {
  reset_terms();
  const corpus::source from("lift_beside", R"cpp(
#include <algorithm>
    int f(const int* x, int n) {
      int place = 0, best = -1, before = -1, last = 0;
      for (int i = 0; i < n; ++i) {
        best = std::max(best, place + x[i]);
        ++place;
        before = last;
        last = 2;
      }
      return best + before;
    })cpp");
  const spec* s = from.find("f");
  ASSERT_NE(s, nullptr) << from.errors();
  const decision d = decide_loop(*s, {});
  ASSERT_EQ(d.verdict, verdict::associative) << corpus::told(d);
  for (const merged_variable& v : d.state) EXPECT_TRUE(v.lift) << v.name;
}

}  // namespace
}  // namespace twofold::analyser
