// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Scans: one answer per element, from the state of everything before it. Two levels: summaries of the tiles,
//! the carries that their merge gives, then each tile from its carry. The bracketing is fixed by index, the carries
//! never depend on who is done first.
#pragma once

#include "twofold/schedule/blocks.hpp"
#include "twofold/schedule/output.hpp"
#include "twofold/schedule/reversed.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! Which elements answer i covers, and in which order the operator sees them. f is combine:
//!   forward   x_0 … x_i        f(f(a, b), c), from the left
//!   suffix    x_i … x_{n−1}    f(a, f(b, c)): read from the right, order kept
//!   backward  x_{n−1} … x_i    f(f(c, b), a): the array reversed, scanned, and reversed again
//! suffix and backward differ where f is not commutative.
enum class walk : unsigned char { forward, suffix, backward };
//! inclusive: answer i includes element i. exclusive: it does not; the first answer (the last for suffix, backward)
//! is init alone.
enum class bounds : unsigned char { inclusive, exclusive };

struct scan_kind {
  bounds ends = bounds::inclusive;
  walk order = walk::forward;
};
inline constexpr scan_kind inclusive{}, exclusive{bounds::exclusive}, suffix{bounds::inclusive, walk::suffix},
    backward{bounds::inclusive, walk::backward};

namespace detail {

inline constexpr index scan_wave = index{1} << 18;  // elements summarised before they are answered: small enough to stay in cache

//! Answers for one tile: push on from the carry.
template <class R, class S, class T>
void scan_tile(const R& r, const S& tile, const array_output<T>& out, state_of<R> s, bounds ends) {
  for (index i = 0, n = tile.size(); i < n; ++i) {
    if (ends == bounds::inclusive) {
      push_at(r, s, tile, i);
      out[i] = r.finalize(s);
    } else {
      auto answer = r.finalize(s);
      push_at(r, s, tile, i);  // read before the answer is written: the output may be the input
      out[i] = std::move(answer);
    }
  }
}

//! The state of everything before the next tile: the parts before its part, then the tiles before it in its part.
template <class R>
class carries {
 public:
  carries(const R& r, bool tree, const state_of<R>* init) : r_(&r), init_(init), tree_(tree), parts_(r, tree), tiles_(r, tree) {}

  void begin_part() {
    if (!tiles_.empty()) parts_.add(0, tiles_.result());
    tiles_ = merger<R>(*r_, tree_);
  }
  [[nodiscard]] state_of<R> before_next() const {
    if (parts_.empty() && tiles_.empty()) return init_ ? *init_ : r_->identity();
    state_of<R> before = parts_.empty() ? tiles_.result() : parts_.result();
    if (!parts_.empty() && !tiles_.empty()) combine_into(*r_, before, tiles_.result());
    return init_ ? r_->combine(*init_, before) : before;
  }
  void add(state_of<R>&& summary) { tiles_.add(0, std::move(summary)); }

 private:
  const R* r_;
  const state_of<R>* init_;
  bool tree_;
  merger<R> parts_, tiles_;
};

//! One tile of a wave: where it is, its summary, then its carry.
template <class State>
struct scan_item {
  extent where;
  bool opens_part = false;
  State state;
};

//! The next tiles, enough to keep every thread busy and few enough to stay in cache.
template <class State>
void next_wave(std::vector<scan_item<State>>& wave, const plan& p, index& part, index& tile, const State& identity) {
  wave.clear();
  for (index elements = 0; part < p.parts; ++part, tile = 0) {
    const extent e = p.part(part);
    for (const index n = p.tiles_in(e); tile < n; ++tile) {
      const auto held = static_cast<index>(wave.size());
      if (held == wave_states || (elements >= scan_wave && (!p.threaded || held >= blocks_wanted))) return;
      wave.push_back({p.tile_of(e, tile), tile == 0, identity});
      elements += wave.back().where.size();
    }
  }
}

//! Forward scan of a source into an output of the same length.
template <class R, class S, class T>
void scan_forward(const R& r, const S& src, const array_output<T>& out, const plan& p, bounds ends, const state_of<R>* init,
                  const executor& ex) {
  if (p.size == 0) return;
  if (p.parts == 1 && p.tiles_in(p.part(0)) == 1) return scan_tile(r, src, out, init ? *init : r.identity(), ends);
  carries<R> carry(r, p.tree, init);
  std::vector<scan_item<state_of<R>>> wave;
  const index limit = p.threaded ? p.thread_limit : 1;
  for (index part = 0, tile = 0; part < p.parts;) {
    next_wave(wave, p, part, tile, r.identity());
    const auto n = static_cast<index>(wave.size());
    const auto summarise = [&](index k) {
      auto& item = wave[static_cast<std::size_t>(k)];
      if (item.where.last < p.size) item.state = tile_state(r, src.sub(item.where.first, item.where.last), p);
    };
    ex(n, limit, task(summarise));
    for (auto& item : wave) {  // summaries become carries
      if (item.opens_part) carry.begin_part();
      state_of<R> before = carry.before_next();
      carry.add(std::move(item.state));
      item.state = std::move(before);
    }
    const auto answer = [&](index k) {
      auto& item = wave[static_cast<std::size_t>(k)];
      scan_tile(r, src.sub(item.where.first, item.where.last), out.sub(item.where.first, item.where.last), std::move(item.state), ends);
    };
    ex(n, limit, task(answer));
  }
}

template <class R, class S, class T>
void scan_any(const R& r, const S& src, const array_output<T>& out, scan_kind kind, const plan& p, const state_of<R>* init,
              const executor& ex) {
  switch (kind.order) {
    case walk::forward:
      return scan_forward(r, src, out, p, kind.ends, init, ex);
    case walk::backward:
      return scan_forward(r, reversed_source<S>{src}, out.reversed(), p, kind.ends, init, ex);
    case walk::suffix:
      return scan_forward(exchanged<R>{r}, reversed_source<S>{src}, out.reversed(), p, kind.ends, init, ex);
  }
}

//! Everything that can be refused, before anything is written.
template <class S, class T>
plan check_scan(const S& src, const array_output<T>& out, const schedule& s) {
  const plan p = plan_of(src.size(), s);
  if (out.size() != p.size) refuse_length("a scan's output", out.size(), p.size);
  refuse_overlap_of(out, src, in_place::allowed);
  return p;
}

template <class R, class In, class Out>
void scan_checked(const R& r, const In& in, Out&& out, scan_kind kind, const schedule& s, const state_of<R>* init, const executor& ex) {
  const auto src = as_source(in);
  const auto to = as_output(out);
  scan_any(r, src, to, kind, check_scan(src, to, s), init, ex);
}

}  // namespace detail

//! @brief  out[i] = finalize of the state of the elements that `kind` names (inclusive, exclusive, suffix, backward,
//!         or any pair scan_kind{bounds, walk}).
//! @math   tiles as in plan.hpp, counted from the end where the scan starts. The carry into a tile is the merge, as
//!         the schedule says, of the parts before its part and of the tiles before it in its part; within the tile
//!         elements are pushed on the carry. Plain `fold` is the sequential scan.
//! @shape  in: n elements; out: exactly n, and may be the input itself (same first element and stride), never overlap
//!         otherwise
//! @laws   needs: combine associative, identity neutral. Order is kept.
//! @order  the same bits for equal (n, schedule, kind), whatever the executor
//! @errors TF2206 output of another length · TF2207 output overlaps an input elsewhere · plan_of's
//! @cost   one tile: n pushes. More: 2n pushes, one merge per tile (tree: log2 of the tiles before it), at most 65536
//!         states held
template <reduction R, class In, class Out>
void scan(const R& r, const In& in, Out&& out, scan_kind kind, const schedule& s = {}, const executor& ex = default_executor()) {
  detail::scan_checked(r, in, out, kind, s, nullptr, ex);
}
//! Inclusive, forward.
template <reduction R, class In, class Out>
void scan(const R& r, const In& in, Out&& out, const schedule& s = {}, const executor& ex = default_executor()) {
  detail::scan_checked(r, in, out, inclusive, s, nullptr, ex);
}
//! The same with `init`, a state, merged before the first element the scan meets (after it for suffix: order is
//! kept), exactly once in every answer.
template <reduction R, class In, class Out>
void scan_from(const R& r, const state_of<R>& init, const In& in, Out&& out, scan_kind kind = {}, const schedule& s = {},
               const executor& ex = default_executor()) {
  detail::scan_checked(r, in, out, kind, s, &init, ex);
}

TWOFOLD_END_NAMESPACE
