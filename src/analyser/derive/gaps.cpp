// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file See gaps.hpp.
#include "derive/gaps.hpp"

#include <algorithm>

#include "derive/sampling.hpp"

namespace twofold::analyser::deriving {
namespace {

//! Which data variables are, as the rows speak of them, never above (over (min, +): never below) which others, at the start and on runs.
class order_seen {
 public:
  order_seen(const pass& loop, const group& g) : n_(g.data.size()), holds_(n_ * n_, true) {
    std::vector<candidate::variable> all;
    std::vector<std::size_t> at;
    for (const state_variable& v : loop.state) {
      if (v.extent) {
        holds_.assign(n_ * n_, false);
        return;
      }
      all.push_back(carried(v));
    }
    for (const auto* v : g.data) at.push_back(static_cast<std::size_t>(v - loop.state.data()));
    const auto take = [&](const std::vector<exact>& values) {
      for (std::size_t u = 0; u < n_; ++u)
        for (std::size_t v = 0; v < n_; ++v) {
          const exact &a = values[u], &b = values[v];
          const bool finite = a.kind == exact::kind::finite && b.kind == exact::kind::finite;
          const mpq_class x = g.is_flipped(u) ? mpq_class(-a.value) : a.value, y = g.is_flipped(v) ? mpq_class(-b.value) : b.value;
          if (!finite || (g.over == semiring::min_plus ? x < y : x > y)) holds_[u * n_ + v] = false;
        }
    };
    std::vector<exact> start;
    for (const auto* v : g.data) start.push_back(evaluate(v->init, {}).value_or(exact{exact::kind::nan, {}}));
    take(start);
    word_runner runs(all, 3);
    constexpr std::size_t choices = 3, words = 20, longest = 5;
    for (std::size_t c = 0; c < choices; ++c) {
      runs.choose_parameters();
      for (std::size_t k = 0; k < words; ++k) {
        const auto piece = runs.draw(1 + k % longest);
        if (!piece) continue;
        std::vector<exact> values;
        for (std::size_t i : at) values.push_back(piece->value[i]);
        take(values);
      }
    }
  }
  [[nodiscard]] bool within(std::size_t u, std::size_t v) const { return u != v && holds_[u * n_ + v]; }

 private:
  std::size_t n_;
  std::vector<bool> holds_;
};

}  // namespace

std::optional<summary> without_gaps(const pass& loop, const group& g, const summary& step) {
  const std::size_t n = g.data.size();
  if (g.over == semiring::plus_times || g.states.size() != 1 || !g.lag.empty() || n < 2) return std::nullopt;
  summary filled = step;
  std::optional<order_seen> order;
  bool changed = false;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      entry& gap = filled[0].rows[i][j];
      if (is_number(gap.present, 1)) continue;
      for (std::size_t k = 0; k < n; ++k) {
        const entry& over = step[0].rows[i][k];
        if (k == j || !is_number(over.present, 1)) continue;
        if (!order) order.emplace(loop, g);
        if (!order->within(j, k)) continue;
        gap = is_number(gap.present, 0) ? over : joined(g.over, gap, over);
        changed = true;
        break;
      }
    }
  return changed ? std::optional(filled) : std::nullopt;
}

}  // namespace twofold::analyser::deriving
