// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the parts of the harness share: an input, the ways of bracketing it, and suites, each of which measures one
//! operator on an input under every way and reports measured/bound.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "twofold/numerics/bounds.hpp"
#include "twofold/numerics/certified.hpp"
#include "twofold/numerics/families.hpp"
#include "twofold/numerics/ways.hpp"
#include "twofold/schedule/reduce.hpp"

namespace harness {

namespace tf = twofold;
namespace num = twofold::numerics;

inline constexpr double u32 = 0x1p-24;

//! One draw: the data, and what decides the brackets.
struct input {
  std::vector<float> x, y;  //!< scores, values or scales; and values or offsets where there are two
  tf::index tile = 1;
  std::uint64_t tree = 0;  //!< seed of the random tree
  [[nodiscard]] tf::index size() const { return static_cast<tf::index>(x.size()); }
};

using num::way_count;
using num::ways;

//! The state under a way of bracketing, and the shape that the bounds are told.
template <class R, class S>
std::pair<tf::state_of<R>, num::tree_shape> evaluate(const R& r, const S& src, int way, const input& in) {
  const tf::index n = src.size(), b = in.tile;
  if (way == num::random_tree) {
    std::vector<tf::state_of<R>> leaves;
    for (tf::index i = 0; i < n; i += b) leaves.push_back(tf::leaf(r, src.sub(i, i + b < n ? i + b : n)));
    tf::laws::random g(in.tree);
    struct subtree {
      tf::state_of<R> state;
      double height;
    };
    const subtree all = num::over_random_tree(
        g, 0, leaves.size(),
        [&](std::size_t k) {
          return subtree{leaves[k], 0};
        },
        [&](const subtree& x, const subtree& y) {
          return subtree{r.combine(x.state, y.state), (x.height > y.height ? x.height : y.height) + 1};
        });
    const bool pushes = tf::detail::leaf_is_pushes<R, S>;
    const double piece = static_cast<double>(b < n ? b : n);
    return {all.state, {pushes ? 1 : piece, all.height, pushes ? piece : 1}};
  }
  const tf::schedule s = num::schedule_of_way(way, n, b);
  return {tf::reduce_state(r, src, s), num::shape_of(n, s)};
}

//! Receives one comparison: which bound, under which way, what was measured, what was allowed.
using sink = std::function<void(const char* bound, int way, double measured, double allowed)>;

class suite {
 public:
  suite(const char* name, std::span<const num::family> of) : title(name), families(of) {}
  virtual ~suite() = default;
  virtual void draw(tf::laws::random& g, const num::family& f, tf::index n, input& in) const = 0;
  virtual void check(const input& in, const sink& report) const = 0;
  const char* title;
  std::span<const num::family> families;

 protected:
  //! n numbers of a family, rounded to float.
  static void fill(tf::laws::random& g, const num::family& f, tf::index n, std::vector<float>& x) {
    static thread_local std::vector<double> wide;
    wide.resize(static_cast<std::size_t>(n));
    f.fill(g, wide.data(), n, u32);
    x.assign(wide.begin(), wide.end());
  }
};
using suites = std::vector<std::unique_ptr<suite>>;
void add_softmax_suites(suites& all);
void add_attention_suites(suites& all);
void add_variance_suites(suites& all);
void add_sum_suites(suites& all);

//! Tightness, the negative control and the check of the wide reference: true where all is as it should be. Writes lines to stdout, and
//! JSON members to `json`.
bool run_controls(std::string& json);

}  // namespace harness
