// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Loop against merge, in the loop's own arithmetic, where real numbers end.
#include "special_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages.hpp"
#include "trial.hpp"

namespace twofold::analyser {
namespace {

constexpr std::size_t longest = 3;

struct named_value {
  const char* name;
  double value;
};

//! The special values of the loop's own format.
std::vector<named_value> specials(type t) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double largest = t.bits == 32 ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
  return {{"NaN", std::numeric_limits<double>::quiet_NaN()},
          {"+inf", infinity},
          {"-inf", -infinity},
          {"+0", 0.0},
          {"-0", -0.0},
          {"largest", largest}};
}

std::string text(const readings& w, std::size_t from, std::size_t to, const std::vector<term>& elements) {
  std::string r = "[";
  for (std::size_t i = from; i < to; ++i) {
    if (i > from) r += ", ";
    if (elements.size() > 1) r += "(";
    for (std::size_t k = 0; k < elements.size(); ++k) r += (k ? ", " : "") + to_text(w[i][k], elements[k]->type);
    if (elements.size() > 1) r += ")";
  }
  return r + "]";
}

std::string text(const std::vector<machine>& answers, const std::vector<output>& outputs, bool all_digits = false) {
  std::string r;
  for (std::size_t i = 0; i < answers.size(); ++i)
    r += (i ? ", " : "") + to_text(answers[i], outputs[i].type, !all_digits ? 6 : outputs[i].type.bits == 32 ? 9 : 17);
  return answers.size() == 1 ? r : "(" + r + ")";
}

enum class likeness { same, rounded, different };
likeness compared(const std::vector<machine>& a, const std::vector<machine>& b) {
  constexpr double thousandth = 1e-3;
  likeness r = likeness::same;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (same(a[i], b[i])) continue;
    const double *x = std::get_if<double>(&a[i].value), *y = std::get_if<double>(&b[i].value);
    const bool close = x != nullptr && y != nullptr && std::isfinite(*x) && std::isfinite(*y) && *x != *y &&
                       std::abs(*x - *y) <= thousandth * std::max(std::abs(*x), std::abs(*y));
    if (!close) return likeness::different;
    r = likeness::rounded;
  }
  return r;
}

//! A value for every component of the tuple: v where the component is a floating-point number, else 1.
reading tuple_of(const std::vector<term>& elements, double v) {
  reading r;
  for (const term e : elements) r.push_back(e->type.kind == sort::real ? convert({v}, e->type) : convert({std::int64_t{1}}, e->type));
  return r;
}

class comparer {
 public:
  comparer(const spec& s, trial& t, const stopwatch& time) : spec_(s), trial_(t), time_(time) {}

  //! Both answers on a word cut after `left` elements; nothing where the program has undefined behaviour.
  std::optional<std::pair<std::vector<machine>, std::vector<machine>>> both(const readings& w, std::size_t left) {
    try {
      const std::vector<machine> loop = trial_.loop_answers(w);
      return std::pair(loop, trial_.answers(trial_.merge(trial_.leaf(w, 0, left), trial_.leaf(w, left, w.size())), w.size()));
    } catch (const evaluation_error&) {
      return std::nullopt;
    }
  }

  special_row row(const named_value& v) {
    special_row r;
    r.value = v.name;
    const reading special = tuple_of(trial_.elements(), v.value), ordinary = tuple_of(trial_.elements(), 1);
    for (std::size_t n = 2; n <= longest; ++n)
      for (unsigned places = 1; places < 1U << n; ++places) {
        readings w;
        for (std::size_t i = 0; i < n; ++i) w.push_back((places >> i & 1U) != 0 ? special : ordinary);
        for (std::size_t left = 1; left < n && !time_.over(); ++left) note(r, w, left);
      }
    return r;
  }

  std::optional<rounding_witness> rounding() {
    std::optional<rounding_witness> worst;
    const std::vector<double> numbers{1, 1e16, -1e16, 0.1, 3, 1e8, -1e8};
    for (std::size_t code = 0; code < numbers.size() * numbers.size() * numbers.size() && !time_.over(); ++code) {
      readings w;
      for (std::size_t i = 0, rest = code; i < longest; ++i, rest /= numbers.size())
        w.push_back(tuple_of(trial_.elements(), numbers[rest % numbers.size()]));
      for (std::size_t left = 1; left < longest; ++left) consider(worst, w, left);
    }
    return worst;
  }

 private:
  void note(special_row& r, const readings& w, std::size_t left) {
    const auto answers = both(w, left);
    if (!answers) return;
    ++r.splits;
    const likeness how = compared(answers->first, answers->second);
    r.rounded += how == likeness::rounded;
    if (how != likeness::different || ++r.differ > 1) return;
    r.left = text(w, 0, left, trial_.elements()), r.right = text(w, left, w.size(), trial_.elements());
    r.loop = text(answers->first, spec_.outputs), r.merge = text(answers->second, spec_.outputs);
  }

  void consider(std::optional<rounding_witness>& worst, const readings& w, std::size_t left) {
    const auto answers = both(w, left);
    if (!answers) return;
    for (std::size_t i = 0; i < answers->first.size(); ++i) {
      const double *x = std::get_if<double>(&answers->first[i].value), *y = std::get_if<double>(&answers->second[i].value);
      if (x == nullptr || y == nullptr || !std::isfinite(*x) || !std::isfinite(*y) || *x == *y) continue;
      const double relative = std::abs(*x - *y) / std::max(std::abs(*x), std::abs(*y));
      if (worst && relative <= worst->relative) continue;
      worst = rounding_witness{text(w, 0, left, trial_.elements()), text(w, left, w.size(), trial_.elements()),
                               text(answers->first, spec_.outputs, true), text(answers->second, spec_.outputs, true), relative};
    }
  }

  const spec& spec_;
  trial& trial_;
  const stopwatch& time_;
};

}  // namespace

machine_behaviour behaviour_of(const spec& s, const decision& d, double seconds) {
  machine_behaviour r;
  if (d.verdict != verdict::associative || s.outputs.empty()) return r;  // a scan has no one answer
  const std::unique_ptr<trial> small = trial::of(s, d);
  if (!small) return r;
  const auto& elements = small->elements();
  const auto real = std::find_if(elements.begin(), elements.end(), [](term e) { return e->type.kind == sort::real; });
  if (real == elements.end()) return r;
  const stopwatch time(seconds);
  comparer c(s, *small, time);
  for (const named_value& v : specials((*real)->type)) r.special.push_back(c.row(v));
  r.rounding = c.rounding();
  return r;
}

}  // namespace twofold::analyser
