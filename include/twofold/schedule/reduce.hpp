// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reductions: one engine for every operator, source and schedule.
#pragma once

#include "twofold/schedule/blocks.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! @brief  The state of all elements, bracketed as the schedule says.
//! @math   lift(x_0) • … • lift(x_{n−1}), bracketed by plan_of(n, schedule)
//! @shape  data: anything as_source accepts (vector, span, array, zip(x, y…), indexed, masked, rows) of n elements
//! @laws   needs: combine associative, identity neutral. Order is kept; commutativity is never used. n = 0 gives
//!         identity().
//! @order  the same bits for equal (n, schedule), whatever the executor and however many threads it has
//! @errors TF2203, TF2204 (plan.hpp); what the operator throws
//! @cost   n pushes (or leaves of n elements in all), one combine per tile; threaded: at most 65536 states held
template <reduction R, class Data>
state_of<R> reduce_state(const R& r, const Data& data, const schedule& s = {}, const executor& ex = default_executor()) {
  const auto src = as_source(data);
  const plan p = plan_of(src.size(), s);
  if (p.size == 0) return r.identity();
  if (p.parts == 1 && p.tiles_in(p.part(0)) == 1) return detail::tile_state(r, src, p);  // nothing to merge
  detail::merger<R> whole(r, p.tree);
  std::optional<detail::merger<R>> part;
  index current = 0;
  detail::for_each_state(r, src, p, 0, ex, [&](index of, int level, state_of<R>&& state) {
    if (part && of != current) {
      whole.add(0, part->result());
      part.reset();
    }
    if (!part) part.emplace(r, p.tree);
    current = of;
    part->add(level, std::move(state));
  });
  whole.add(0, part->result());
  return whole.result();
}

//! @brief  reduce_state, finalised: the answer.
//! @example float z = reduce(log_sum_exp<float>{}, logits, threads{} | tiles{512} | tree{});
//! @see    reduce_state for shapes, laws, order and errors
template <reduction R, class Data>
auto reduce(const R& r, const Data& data, const schedule& s = {}, const executor& ex = default_executor()) {
  return r.finalize(reduce_state(r, data, s, ex));
}

//! @brief  finalize(init • x_0 • … • x_{n−1}). `init` is a state, is not the identity, and is applied exactly once.
template <reduction R, class Data>
auto reduce_from(const R& r, const state_of<R>& init, const Data& data, const schedule& s = {}, const executor& ex = default_executor()) {
  const auto src = as_source(data);
  if (src.size() == 0) return r.finalize(init);
  return r.finalize(r.combine(init, reduce_state(r, src, s, ex)));
}

TWOFOLD_END_NAMESPACE
