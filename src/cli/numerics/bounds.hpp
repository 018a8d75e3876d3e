// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The guarantee for a question: which bound holds, term by term, and which term is the largest.
#pragma once

#include <string>
#include <vector>

#include "numerics/question.hpp"
#include "numerics/shape.hpp"
#include "twofold/numerics/bounds.hpp"

namespace twofold::cli::accuracy {

struct bound_term {
  std::string what;     // "leaf sums", "merges of parts"
  std::string formula;  // "(b-1)u"
  double units = 0;     // in units of u, first order
};

//! |error| / scale ≤ first/(1 − first), first = u·Σ units: higher orders are covered where first < 1, else nothing is guaranteed.
struct guarantee {
  std::string quantity;     // "|dl|/l"
  std::string relative_to;  // "l", "Σ|x|"
  std::vector<bound_term> terms;
  double u = 0;
  double squared_units = 0;  // of a square's root: the term (squared_units·u)², compensated sums
  [[nodiscard]] double units() const;
  [[nodiscard]] double value() const;
  [[nodiscard]] std::string formula() const;
  [[nodiscard]] const bound_term& largest() const;
};

//! W((n−1)/e): the weighted mean of the distances to the maximum, in nats, is never more.
double mean_distance(double n);

//! The part of the bound on l that the schedule decides: leaf sums and merges.
double schedule_units(const question& q, const tree& t);

//! d of theorem T5: merges on a path, and the addition of an element where it is walked to.
double height_of(const question& q);

//! The main guarantee of the operator.
guarantee guarantee_of(const question& q, const tree& t);

//! A part of the error of an attention output, as a multiple of max|v|.
struct output_part {
  std::string what;     // "P", "state", "scores"
  std::string formula;  // "2^-8*MAD"
  double value = 0;     // with MAD ≤ max|v|; in the units of v
  bool known = true;    // scores need |q||k|
};
std::vector<output_part> output_parts(const question& q, const tree& t);

//! The question in the library's words; `p` points into the question.
numerics::attention_arithmetic arithmetic_of(const question& q);

//! The part of the state in |ΔO| as the library bounds it, with every error that l and O share charged to MAD ≤ max|v|.
double state_part(const question& q);

//! Is P rounded to a format of its own?
inline bool narrow_p(const question& q) { return q.p.precision < q.exp.argument.precision; }

//! x in the format.
double rounded(const numerics::format& f, double x);

//! The same question under another schedule.
question with_schedule(question q, const schedule& s);

//! What a change would do to the guarantee.
struct advice {
  std::string text;
  double before = 0, after = 0;  // in units of u
};
std::vector<advice> advice_for(const question& q);

//! Least tile size for which tiles do not make the worst case worse than one pass: 2 + ε_r/u, or 1 where rescales are exact.
double crossover(const question& q);

}  // namespace twofold::cli::accuracy
