// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Bounds by induction and running bounds of loops as C++ text: on the harness's families and under several bracketings no error is
//! above them, and adversaries come near. The scale of each bound is computed by a loop of its own.
#include <cmath>

#include "bound/induction.hpp"
#include "bound/running.hpp"
#include "corpus.hpp"
#include "twofold/numerics/bounds.hpp"
#include "twofold/numerics/families.hpp"

namespace twofold::analyser {
namespace {

using namespace bounding;

const corpus::source& loops() {
  static const corpus::source s("rounding_loops", R"cpp(
#include <cmath>
#include <limits>

    float sum(const float* x, int n) {
      float s = 0;
      for (int i = 0; i < n; ++i) s += x[i];
      return s;
    }
    double sum_scale(const float* x, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) s += std::fabs(x[i]);
      return s;
    }

    float late(const float* x, int n) {
      float s = 3;
      for (int i = 0; i < n; ++i) s += x[i];
      return s;
    }

    double mixed(const float* x, const float* y, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) s += x[i] * y[i];
      return s;
    }
    double mixed_scale(const float* x, const float* y, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) s += std::fabs(double(x[i]) * y[i]);
      return s;
    }

    float narrowed(const double* x, const double* y, int n) {
      float s = 0;
      for (int i = 0; i < n; ++i) s += x[i] * y[i];
      return s;
    }
    double narrowed_scale(const double* x, const double* y, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) s += std::fabs(x[i] * y[i]);
      return s;
    }

    float squares(const float* x, int n) {
      float s = 0;
      for (int i = 0; i < n; ++i) s += x[i] * x[i];
      return s;
    }
    double squares_scale(const float* x, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i) s += double(x[i]) * x[i];
      return s;
    }

    float chosen(const float* x, const float* y, int n) {
      float s = 0;
      for (int i = 0; i < n; ++i)
        if (x[i] > 0) s += y[i] * 0.1f;
      return s;
    }
    double chosen_scale(const float* x, const float* y, int n) {
      double s = 0;
      for (int i = 0; i < n; ++i)
        if (x[i] > 0) s += std::fabs(y[i] * 0.1f);
      return s;
    }

    float product(const float* x, int n) {
      float p = 1;
      for (int i = 0; i < n; ++i) p *= 1 + x[i];
      return p;
    }
    float roots(const float* x, int n) {
      float p = 1;
      for (int i = 0; i < n; ++i) p *= std::sqrt(std::fabs(x[i]) + 1);
      return p;
    }

    float weights(const float* x, int n) {
      float m = -std::numeric_limits<float>::infinity(), l = 0;
      for (int i = 0; i < n; ++i) {
        const float k = std::fmax(m, x[i]);
        l = l * std::exp(m - k) + std::exp(x[i] - k);
        m = k;
      }
      return l;
    }
    float output(const float* x, const float* v, int n) {
      float m = -std::numeric_limits<float>::infinity(), l = 0, o = 0;
      for (int i = 0; i < n; ++i) {
        const float k = std::fmax(m, x[i]), f = std::exp(m - k), w = std::exp(x[i] - k);
        l = l * f + w;
        o = o * f + w * v[i];
        m = k;
      }
      return o / l;
    }
    double output_scale(const float* x, const float* v, int n) {
      double m = -std::numeric_limits<double>::infinity(), l = 0, most = 0;
      for (int i = 0; i < n; ++i) {
        const double k = std::fmax(m, double(x[i]));
        l = l * std::exp(m - k) + std::exp(x[i] - k);
        m = k;
        most = std::fmax(most, std::fabs(double(v[i])));
      }
      return l * most;
    }

    float recurrence(const float* a, const float* x, int n) {
      float h = 0;
      for (int i = 0; i < n; ++i) h = a[i] * h + x[i];
      return h;
    }
    double recurrence_scale(const float* a, const float* x, int n) {
      double h = 0;
      for (int i = 0; i < n; ++i) h = std::fabs(double(a[i])) * h + std::fabs(double(x[i]));
      return h;
    }

    float fading(const float* t, const float* x, int n) {
      float h = 0;
      for (int i = 0; i < n; ++i) h = std::exp(-std::fabs(t[i])) * h + x[i];
      return h;
    }
    double fading_scale(const float* t, const float* x, int n) {
      double h = 0;
      for (int i = 0; i < n; ++i) h = std::exp(-std::fabs(double(t[i]))) * h + std::fabs(double(x[i]));
      return h;
    }

    float faded(const float* t, const float* x, int n, float k) {
      float h = 0;
      for (int i = 0; i < n; ++i) h = std::exp(-k * t[i]) * h + x[i];
      return h;
    }

    float charged(const float* a, const float* x, int n, float k) {
      float h = 0;
      for (int i = 0; i < n; ++i) h = a[i] * h + std::exp(k * x[i]);
      return h;
    }

    float variance(const float* x, int n) {
      float count = 0, mean = 0, m2 = 0;
      for (int i = 0; i < n; ++i) {
        count += 1;
        const float d = x[i] - mean;
        mean += d / count;
        m2 += d * (x[i] - mean);
      }
      return m2 / count;
    }
    double wide_variance(const float* x, int n) {
      int count = 0;
      double mean = 0, m2 = 0;
      for (int i = 0; i < n; ++i) {
        const double d = x[i] - mean;
        m2 += d * d * count / (count + 1);
        count++;
        mean += d / count;
      }
      return m2 / count;
    }
    float textbook(const float* x, int n) {
      float count = 0, mean = 0, m2 = 0;
      for (int i = 0; i < n; ++i) {
        const float square = m2 + count * mean * mean + x[i] * x[i];
        mean = (mean * count + x[i]) / (count + 1);
        count += 1;
        m2 = square - count * mean * mean;
      }
      return m2 / count;
    }
    double mean_scale(const float* x, int n) {
      double s = 0;
      int c = 0;
      for (int i = 0; i < n; ++i) {
        s += double(x[i]) * x[i];
        ++c;
      }
      return std::sqrt(s / c);
    }
  )cpp");
  return s;
}

struct bounded_loop {
  spec loop;
  decision state;  // answers are the variables of the state
};
bounded_loop decided(const char* function) {
  const spec* s = loops().find(function);
  if (s == nullptr) throw std::runtime_error(function + (": " + loops().errors()));
  bounded_loop b{*s, decide_loop(*s, {})};
  EXPECT_EQ(b.state.verdict, verdict::associative) << function << "\n" << corpus::told(b.state);
  return b;
}

variable_bound bound_of(const bounded_loop& b, const std::string& name) {
  for (const variable_bound& v : induct(b.state))
    if (v.name == name) return v;
  ADD_FAILURE() << "no variable " << name;
  return {};
}

//! Arrays of a family, each rounded to its type; the second of values or of the same family.
loop_data draw(const spec& s, int n, const numerics::family& f, laws::random& g) {
  loop_data d;
  d.last = n;
  const numerics::family* next = &f;
  for (const parameter& p : s.parameters) {
    if (p.extents.empty() && p.element.kind != sort::real) {
      for (const symbol_kind k : {symbol_kind::parameter, symbol_kind::length})
        d.scalars[symbol(k, p.name, p.element)] = {0, 0, n, sort::integer, true};
      continue;
    }
    if (p.role == parameter_role::scalar) {
      d.scalars[symbol(symbol_kind::parameter, p.name, p.element)] = {0.75L, 0, 0, sort::real, true};
      continue;
    }
    std::vector<double> wide(static_cast<std::size_t>(n));
    const bool narrow = p.element.bits == 32;
    next->fill(g, wide.data(), n, narrow ? 0x1p-24 : 0x1p-53);
    for (const double v : wide)
      d.arrays[symbol(symbol_kind::array, p.name, p.element)].push_back(
          {narrow ? static_cast<long double>(static_cast<float>(v)) : static_cast<long double>(v), 0, 0, sort::real, true});
    next = &numerics::value_families[g.next() % std::size(numerics::value_families)];
  }
  return d;
}

struct way {
  bracket how;
  double pushes, merges;
};
bracket over(int first, int last, int tile, bool tree) {
  if (last - first <= tile) return {first, last, {}};
  if (tree) {
    int left = tile;
    while (2 * left < last - first) left *= 2;
    return {first, last, {over(first, first + left, tile, true), over(first + left, last, tile, true)}};
  }
  bracket chain{first, last, {}};
  for (int k = first; k < last; k += tile) chain.parts.push_back({k, std::min(last, k + tile), {}});
  return chain;
}
std::vector<way> ways(int n) {
  const int tile = std::min(n, 7);
  const double tiles = std::ceil(n / static_cast<double>(tile));
  return {{{0, n, {}}, n - 1.0, 0},
          {over(0, n, tile, false), tile - 1.0, tiles - 1},
          {over(0, n, tile, true), tile - 1.0, numerics::balanced_levels(tiles)},
          {over(0, n, 1, true), 0, numerics::balanced_levels(n)}};
}

ball value(const std::vector<bounded_answer>& all, const std::string& name) {
  for (const bounded_answer& a : all)
    if (a.name == name) return a.values[0];
  ADD_FAILURE() << name;
  return {};
}

struct claimed {
  const char* function;
  const char* variable;
  induction_kind kind;
  const char* scale;  // a loop; empty: the variable itself
  double attained;    // the worst ratio is at least that
};

//! Worst measured/bound of the bound for all data; running bounds are checked on the way.
double worst_ratio(const claimed& c) {
  const bounded_loop b = decided(c.function);
  const variable_bound v = bound_of(b, c.variable);
  EXPECT_EQ(v.kind, c.kind) << c.function << ": " << v.why << "\n" << corpus::told(b.state);
  decision states = b.state;
  states.finalize.clear();
  std::optional<bounded_loop> scale, rms;
  if (*c.scale != 0) scale = decided(c.scale);
  if (c.kind == induction_kind::spread) rms = decided("mean_scale");
  laws::random g(11);
  double worst = 0;
  std::vector<const numerics::family*> all;
  for (const auto& f : numerics::score_families) all.push_back(&f);
  for (const auto& f : numerics::value_families) all.push_back(&f);
  for (const auto& f : numerics::scale_families) all.push_back(&f);
  for (const numerics::family* f : all)
    for (const int n : {1, 2, 9, 90}) {
      const loop_data data = draw(b.loop, n, *f, g);
      try {
        const auto wide = run_bounded(b.loop, states, data, {0, n, {}}, precision::wide);
        const ball exact = value(wide, c.variable);
        const ball size = scale ? run_bounded(scale->loop, scale->state, data, {0, n, {}}, precision::wide)[0].values[0] : exact;
        const auto large = static_cast<double>(std::fabs(size.x));
        if (!(large < 1e30 && large > 1e-25) || !std::isfinite(exact.e)) continue;
        double kappa = 1;
        if (rms) {
          const auto of_x = static_cast<double>(run_bounded(rms->loop, rms->state, data, {0, n, {}}, precision::wide)[0].values[0].x);
          kappa = std::sqrt(n * of_x * of_x / large);
        }
        for (const way& w : ways(n)) {
          const ball m = value(run_bounded(b.loop, states, data, w.how, precision::machine), c.variable);
          const double first = v.units(w.pushes, w.merges, n, numerics::mean_distance(n), kappa) * v.u;
          const double off = std::max(0.0, static_cast<double>(std::fabs(m.x - exact.x)) - exact.e);
          EXPECT_LE(off, m.e) << c.function << ", " << f->name << ", n = " << n;
          if (first >= 1) continue;
          const double bound = first / (1 - first) * large + 1e-37;
          worst = std::max(worst, off / bound);
          EXPECT_LE(off, bound) << c.function << "." << c.variable << ", " << f->name << ", n = " << n << ", " << w.pushes << " pushes, "
                                << w.merges << " merges";
        }
      } catch (const no_bound&) {  // an infinite element, say
      }
    }
  return worst;
}

TEST(rounding, errors_stay_below_the_bounds_of_all_data) {
  using kind = induction_kind;
  for (const claimed& c : std::vector<claimed>{{"sum", "s", kind::sum, "sum_scale", 0.9},
                                               {"mixed", "s", kind::sum, "mixed_scale", 0.3},
                                               {"narrowed", "s", kind::sum, "narrowed_scale", 0.3},
                                               {"squares", "s", kind::sum, "", 0.3},
                                               {"chosen", "s", kind::sum, "chosen_scale", 0.2},
                                               {"product", "p", kind::product, "", 0.1},
                                               {"roots", "p", kind::product, "", 0.1},
                                               {"weights", "l", kind::weighted, "", 0.2},
                                               {"output", "o", kind::weighted, "output_scale", 0.1},
                                               {"recurrence", "h", kind::affine, "recurrence_scale", 0.2},
                                               {"fading", "h", kind::affine, "fading_scale", 0.05},
                                               {"variance", "mean", kind::mean, "mean_scale", 0.1},
                                               {"variance", "m2", kind::spread, "", 0.02}}) {
    const double worst = worst_ratio(c);
    EXPECT_GT(worst, c.attained) << c.function << "." << c.variable;
  }
}

//! What no induction covers is said to have no bound: a rounded exponent of any size, squares that cancel, a start that rounds.
TEST(rounding, no_bound_is_claimed_where_none_holds) {
  EXPECT_EQ(bound_of(decided("faded"), "h").kind, induction_kind::other);
  EXPECT_EQ(bound_of(decided("charged"), "h").kind, induction_kind::other);
  EXPECT_EQ(bound_of(decided("textbook"), "m2").kind, induction_kind::other);
  EXPECT_EQ(bound_of(decided("variance"), "count").kind, induction_kind::exact);
}

//! Formulas: pushes and merges of an online softmax; a variance under a fold.
TEST(rounding, units_are_those_of_the_formulas) {
  const variable_bound l = bound_of(decided("weights"), "l");
  EXPECT_NEAR(l.units(10, 3, 100, 4, 1), 13 * (1 + 1 + 1.1) + 1.1 + 4, 1e-9);  // product, sum, exp; the leaf's exp; W
  const variable_bound m2 = bound_of(decided("variance"), "m2");
  // Levels 100: the mean's own rounding; d/count rounds twice, a count's cast never; d·(x − mean') once each.
  EXPECT_NEAR(m2.mean_step, 1, 1e-12);
  EXPECT_NEAR(m2.step, 1, 1e-12);
  EXPECT_GE(m2.difference, 2);
  EXPECT_NEAR(m2.units(99, 0, 100, 0, 7), 2 * (7 * 100 + m2.difference * 10) + 100 + m2.lift + 7 * std::sqrt(2 * (1 + std::log(100.0))),
              1e-9);
}

}  // namespace
}  // namespace twofold::analyser
