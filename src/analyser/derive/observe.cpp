// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Exact runs on a grid of pieces.
#include "derive/observe.hpp"

#include <algorithm>

#include "derive/part.hpp"

namespace twofold::analyser::deriving {

bool run_set::within(const run_set& other) const {
  for (std::size_t k = 0; k < words_.size(); ++k)
    if (words_[k] & ~other.words_[k]) return false;
  return true;
}
bool run_set::meets(const run_set& other) const {
  for (std::size_t k = 0; k < words_.size(); ++k)
    if (words_[k] & other.words_[k]) return true;
  return false;
}
bool run_set::empty() const {
  return std::all_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w == 0; });
}
std::size_t run_set::common(const run_set& other) const {
  // bits are added up within words, four words at a time: without a machine instruction for it a call for each word costs ten times as much
  constexpr std::uint64_t ones = ~std::uint64_t{0}, two = ones / 3, four = ones / 5, eight = ones / 17;
  std::uint64_t n = 0;
  for (std::size_t k = 0; k < words_.size(); k += 4) {
    std::uint64_t sum = 0;
    for (std::size_t i = k; i < k + 4; ++i) {
      std::uint64_t w = words_[i] & other.words_[i];
      w -= w >> 1 & two;
      w = (w & four) + (w >> 2 & four);
      sum += (w + (w >> 4)) & eight;
    }
    n += (((sum & 0x00ff00ff00ff00ffULL) + (sum >> 8 & 0x00ff00ff00ff00ffULL)) * 0x0001000100010001ULL) >> 48;
  }
  return n;
}
run_set run_set::operator&(const run_set& other) const {
  run_set r = *this;
  for (std::size_t k = 0; k < words_.size(); ++k) r.words_[k] &= other.words_[k];
  return r;
}
run_set run_set::operator|(const run_set& other) const {
  run_set r = *this;
  for (std::size_t k = 0; k < words_.size(); ++k) r.words_[k] |= other.words_[k];
  return r;
}
run_set run_set::operator-(const run_set& other) const {
  run_set r = *this;
  for (std::size_t k = 0; k < words_.size(); ++k) r.words_[k] &= ~other.words_[k];
  return r;
}

observations::observations(const std::vector<candidate::variable>& all, std::size_t most, unsigned seed)
    : all_(all), runner_(all, seed), random_(seed + 2) {
  constexpr std::size_t lefts = 6, rights = 60, in_runs = 10;
  most = std::min(most, run_set::capacity);
  for (std::size_t k = 0; k < 2 * (most / (lefts * in_runs) + 1) && runs_.size() < most; ++k) {
    if (!start_round(lefts, rights)) continue;
    round& r = rounds_.back();
    for (std::size_t i = 0; i < r.left.size(); ++i)
      for (std::size_t j = 0; j < std::min(in_runs, r.right.size()) && runs_.size() < most; ++j)
        if (const auto w = whole(r, i, j)) runs_.push_back({r.left[i].state, r.right[j].state, *w, rounds_.size() - 1});
  }
  for (std::size_t k = 0; k < runs_.size(); ++k) every_.insert(k);
}

namespace {
constexpr std::size_t systematic = 20;  // so many right pieces, and there are all of two letters too
}

bool observations::start_round(std::size_t lefts, std::size_t rights) {
  runner_.choose_parameters();
  const std::size_t most = 3 + rounds_.size() % 4;
  word letters;
  for (std::size_t i = 0; i < 24 && letters.size() < most; ++i)
    if (const auto one = runner_.draw(1); one && std::find(letters.begin(), letters.end(), one->word[0]) == letters.end())
      letters.push_back(one->word[0]);
  if (letters.empty()) return false;
  rounds_.push_back({runner_.parameter_values(), pieces(lefts, letters), pieces(rights, letters), {}});
  if (rights > systematic)  // what tells two pieces apart is often short
    for (const auto& x : letters)
      for (const auto& y : letters)
        if (const auto s = runner_.run({x, y})) rounds_.back().right.push_back({{x, y}, keep(*s)});
  return true;
}

bool observations::refutes(term merge, std::size_t target) {
  constexpr std::size_t tries = 24, pieces_each = 8, enough = 24;
  exact_program p({merge}, true);
  std::size_t found = 0;
  for (std::size_t k = 0; k < tries; ++k) {
    if (!start_round(pieces_each, pieces_each)) continue;
    round& r = rounds_.back();
    for (std::size_t i = 0; i < runner_.parameters().size(); ++i) p.set(runner_.parameters()[i], r.parameters[i]);
    const std::size_t before = runs_.size();
    for (std::size_t i = 0; i < r.left.size(); ++i)
      for (std::size_t j = 0; j < r.right.size(); ++j) {
        const auto w = whole(r, i, j);
        if (!w) continue;
        for (std::size_t v = 0; v < all_.size(); ++v) {
          p.set(left_of(all_[v].symbol), states_[r.left[i].state][v]);
          p.set(right_of(all_[v].symbol), states_[r.right[j].state][v]);
        }
        p.run();
        const exact* m = p.value(0);
        if (m && *m == states_[*w][target]) continue;
        if (runs_.size() == run_set::capacity) return true;
        every_.insert(runs_.size());
        runs_.push_back({r.left[i].state, r.right[j].state, *w, rounds_.size() - 1});
        if (++found == enough) return true;
      }
    if (runs_.size() == before) rounds_.pop_back();
  }
  return found > 0;
}

std::vector<observations::piece> observations::pieces(std::size_t count, const word& letters) {
  const auto draw = [&] {
    word w{letters[random_() % letters.size()]};
    const std::size_t length = random_() % 2 ? 1 + random_() % 5 : 6 + random_() % 14;
    while (w.size() < length) w.push_back(random_() % 2 ? w.back() : letters[random_() % letters.size()]);
    return w;
  };
  const auto neighbour = [&](word w) {  // one letter, or one part of it, is another one; or it is gone, or there twice
    const std::size_t at = random_() % w.size(), how = random_() % 6;
    const auto where = w.begin() + static_cast<std::ptrdiff_t>(at);
    const auto& other = letters[random_() % letters.size()];
    if (how == 0 && w.size() > 1) w.erase(where);
    else if (how == 1) w.insert(where, word::value_type(w[at]));
    else if (how == 2 || other.empty()) w[at] = other;
    else w[at][how % other.size()] = other[how % other.size()];
    return w;
  };
  std::vector<piece> r;
  word w;
  for (std::size_t k = 0; k < count; ++k) {
    w = k % 3 ? neighbour(w) : draw();
    if (const auto s = runner_.run(w)) r.push_back({w, keep(*s)});
  }
  return r;
}

std::optional<std::size_t> observations::whole(round& r, std::size_t left, std::size_t right) {
  const auto [it, fresh] = r.whole.try_emplace({left, right});
  if (fresh)
    if (const auto s = runner_.run_on(states_[r.left[left].state], r.right[right].letters)) it->second = keep(*s);
  return it->second;
}

std::size_t observations::keep(const word_runner::state& s) {
  std::vector<unsigned> identity;
  for (const exact& e : s) identity.push_back(numbers_.try_emplace(e, static_cast<unsigned>(numbers_.size())).first->second);
  states_.push_back(s);
  identity_.push_back(std::move(identity));
  return states_.size() - 1;
}

bool observations::contradictory(const std::vector<std::size_t>& kept, const std::vector<std::size_t>& targets) {
  for (round& r : rounds_) {
    runner_.use_parameters(r.parameters);
    std::map<std::vector<unsigned>, std::size_t> seen;
    for (std::size_t j = 0; j < r.right.size(); ++j) {
      std::vector<unsigned> holds;
      for (std::size_t i : kept) holds.push_back(identity_[r.right[j].state][i]);
      const auto [it, fresh] = seen.try_emplace(std::move(holds), j);
      if (!fresh && tells_apart(r, it->second, j, targets)) return true;
    }
  }
  return false;
}

bool observations::tells_apart(round& r, std::size_t v, std::size_t w, const std::vector<std::size_t>& targets) {
  for (std::size_t i = 0; i < r.left.size(); ++i) {
    const auto a = whole(r, i, v), b = whole(r, i, w);
    if (!a || !b) continue;
    for (std::size_t t : targets)
      if (identity_[*a][t] != identity_[*b][t]) return true;
  }
  return false;
}

bool observations::alike(std::size_t v, std::size_t w, bool opposite) const {
  if (all_[v].type != all_[w].type || (opposite && all_[v].type.kind != sort::boolean)) return false;
  return std::all_of(identity_.begin(), identity_.end(), [&](const auto& s) { return (s[v] != s[w]) == opposite; });
}

std::vector<run_set> observations::evaluate(const std::vector<term>& terms, const std::size_t* target, std::size_t first) const {
  std::vector<run_set> r(terms.size());
  exact_program p(terms, true);
  std::size_t in = static_cast<std::size_t>(-1), left = in;
  for (std::size_t k = first; k < runs_.size(); ++k) {
    const run& x = runs_[k];
    if (x.in != in) {
      in = x.in;
      for (std::size_t i = 0; i < runner_.parameters().size(); ++i) p.set(runner_.parameters()[i], rounds_[in].parameters[i]);
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (x.left != left) p.set(left_of(all_[i].symbol), states_[x.left][i]);
      p.set(right_of(all_[i].symbol), states_[x.right][i]);
    }
    left = x.left;
    p.run();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const exact* v = p.value(i);
      if (v && (target ? *v == states_[x.whole][*target] : v->value != 0)) r[i].insert(k);
    }
  }
  return r;
}

}  // namespace twofold::analyser::deriving
