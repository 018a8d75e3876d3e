// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Schedules as text, both ways. Grammar, without blanks:
//!     schedule := word { "," word }
//!     word     := "fold" | "tree" | "reproducible" | "threads" [ "=" count ] | ( "lanes" | "tiles" | "split" ) "="
//!     count count    := a decimal number from 1 to 2^63 − 1
//! Each word at most once, at most one of fold, tree and reproducible, in any order. Printed in one order:
//! lanes, tiles, split, then tree or reproducible, then threads; `fold` is printed only where nothing else is.
#pragma once

#include <string_view>

#include "twofold/schedule/plan.hpp"

TWOFOLD_BEGIN_NAMESPACE

//! The printed form, held in place: the longest has 4 counts of 19 digits and every word.
class schedule_text {
 public:
  [[nodiscard]] constexpr std::string_view view() const { return {text_, static_cast<std::size_t>(length_)}; }
  constexpr operator std::string_view() const { return view(); }
  [[nodiscard]] constexpr const char* c_str() const { return text_; }
  friend constexpr bool operator==(const schedule_text& a, std::string_view b) { return a.view() == b; }

  constexpr void append(std::string_view more) {
    for (char c : more) text_[length_++] = c;
  }
  constexpr void append(index count) {
    char digits[20] = {};
    int n = 0;
    do digits[n++] = static_cast<char>('0' + count % 10);
    while ((count /= 10) > 0);
    while (n > 0) text_[length_++] = digits[--n];
  }

 private:
  char text_[160] = {};
  int length_ = 0;
};

//! @brief The text that `parse_schedule` reads back: parse_schedule(to_text(s)) == s for every schedule.
constexpr schedule_text to_text(const schedule& s) {
  schedule_text out;
  const auto word = [&out](std::string_view name, index count = 0) {
    if (!out.view().empty()) out.append(",");
    out.append(name);
    if (count > 0) out.append("="), out.append(count);
  };
  if (s.lanes_per_tile() > 0) word("lanes", s.lanes_per_tile());
  if (s.tile_size() > 0) word("tiles", s.tile_size());
  if (s.parts() > 0) word("split", s.parts());
  if (s.merged_by() == merging::tree) word("tree");
  if (s.merged_by() == merging::reproducible) word("reproducible");
  if (s.threaded()) word("threads", s.thread_limit());
  if (out.view().empty()) word("fold");
  return out;
}

namespace detail {

inline constexpr std::string_view schedule_words = "fold, tree, reproducible, threads[=N], lanes=N, tiles=N, split=N";

[[noreturn]] inline void refuse_text(std::string_view all, index at, std::string_view word, const char* why) {
  throw error("TF2205",
              "the schedule \"" + std::string(all) + "\", at character " + std::to_string(at + 1) + ": \"" + std::string(word) + "\"", why,
              "words are " + std::string(schedule_words) + ", joined by commas: tiles=128,split=8,tree");
}

//! The count after "=", or −1 where it is none (empty, not all digits, 0, or 2^63 and above).
constexpr index parse_count(std::string_view digits) {
  if (digits.empty()) return -1;
  index n = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') return -1;
    const index d = c - '0';
    if (n > (PTRDIFF_MAX - d) / 10) return -1;
    n = n * 10 + d;
  }
  return n > 0 ? n : -1;
}

constexpr schedule parse_word(std::string_view all, index at, std::string_view word) {
  const std::size_t equals = word.find('=');
  const bool counted = equals != std::string_view::npos;
  const std::string_view name = word.substr(0, equals);
  const bool plain = name == "fold" || name == "tree" || name == "reproducible";
  if (!plain && name != "threads" && name != "lanes" && name != "tiles" && name != "split")
    refuse_text(all, at, word, word.empty() ? "a word is missing here" : "no such word");
  if (plain && counted) refuse_text(all, at, word, "this word takes no count");
  if (!plain && !counted && name != "threads") refuse_text(all, at, word, "this word needs a count");
  const index count = counted ? parse_count(word.substr(equals + 1)) : 0;
  if (count < 0) refuse_text(all, at, word, "a count is a decimal number from 1 to 9223372036854775807");
  if (name == "fold") return fold{};
  if (name == "tree") return tree{};
  if (name == "reproducible") return reproducible{};
  if (name == "threads") return threads{count};
  if (name == "lanes") return lanes{count};
  if (name == "tiles") return tiles{count};
  return split{count};
}

//! True where adding `word` to `s` would say something twice.
constexpr bool already_said(const schedule& s, const schedule& word) {
  return (s.lanes_per_tile() > 0 && word.lanes_per_tile() > 0) || (s.tile_size() > 0 && word.tile_size() > 0) ||
         (s.parts() > 0 && word.parts() > 0) || (s.threaded() && word.threaded()) || (s.merging_said() && word.merging_said());
}

}  // namespace detail

//! @brief  The schedule that a text names (grammar: top of this file).
//! @errors TF2205 with the place and the word where the text is not a schedule · TF2203 where its words cannot stand
//!         together
//! @example parse_schedule("tiles=128,split=8,tree,threads=2")
constexpr schedule parse_schedule(std::string_view text) {
  schedule s;
  for (std::size_t at = 0;;) {
    const std::size_t comma = text.find(',', at);
    const std::string_view word = text.substr(at, comma == std::string_view::npos ? comma : comma - at);
    const schedule next = detail::parse_word(text, static_cast<index>(at), word);
    if (detail::already_said(s, next))
      detail::refuse_text(text, static_cast<index>(at), word,
                          next.merging_said() ? "only one of fold, tree and reproducible" : "this word was said before");
    s = s | next;
    if (comma == std::string_view::npos) break;
    at = comma + 1;
  }
  (void)plan_of(0, s);  // words that cannot stand together are refused here rather than at the first use
  return s;
}

TWOFOLD_END_NAMESPACE
