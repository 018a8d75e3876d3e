// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The search for a witness of Lemma 1, shortest first.
#include "refute/refute.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "refute/runner.hpp"
#include "refute/solved.hpp"

namespace twofold::analyser {
namespace {

constexpr std::size_t most_words = 20'000;  // of one length
constexpr std::size_t longest_suffix = 2;
constexpr std::size_t bounded_share = 1500, least_bounded = 40;  // one of so many steps may go by bounds, which cost about a millisecond

using clock = std::chrono::steady_clock;
using word = std::vector<letter_id>;

//! All words of `length` letters over the first `letters` ones, in lexicographic order.
bool next_word(word& w, std::size_t letters) {
  for (std::size_t k = w.size(); k-- > 0;) {
    if (++w[k] < letters) return true;
    w[k] = 0;
  }
  return false;
}

//! How many letters may be used so that there are at most `most` words; 0 if even two are too many.
std::size_t affordable(std::size_t length, std::size_t letters, std::size_t most) {
  for (std::size_t k = letters; k > 0; --k) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < length && count <= most; ++i) count *= k;
    if (count <= most && (k > 1 || letters == 1)) return k;
  }
  return 0;
}

struct witness {
  word context, right, right2, suffix;  // context: letters before the right piece, the left element last
  std::size_t weight() const {
    std::size_t w = 0;
    for (const word* part : {&context, &right, &right2, &suffix})
      for (letter_id l : *part) w += l;
    return w;
  }
  friend bool operator<(const witness& a, const witness& b) {
    if (a.weight() != b.weight()) return a.weight() < b.weight();
    return std::tie(a.context, a.right, a.right2, a.suffix) < std::tie(b.context, b.right, b.right2, b.suffix);
  }
};

bool apart(const exact& a, const exact& b) { return !(a == b); }

template <class Value>
bool differ(const std::vector<std::optional<Value>>& a, const std::vector<std::optional<Value>>& b) {
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    if (a[k] && b[k] && apart(*a[k], *b[k])) return true;
  return false;
}

//! Functions with irrational values: then two results may be shown to differ by bounds, where exact ones do not exist.
bool has_irrational_calls(const spec& s) {
  const auto irrational = [](const node& n) { return n.is(op::call) && n.type.kind == sort::real; };
  for (const pass& p : s.passes)
    for (const state_variable& v : p.state)
      if (contains(v.step, irrational)) return true;
  return std::any_of(s.outputs.begin(), s.outputs.end(), [&](const output& o) { return contains(o.value, irrational); });
}

//! Lengths of the pieces that are tried together.
struct shape {
  std::size_t right, right2, suffix;
};

//! Simple letters; where asked for, few of them and those that make short words meet.
alphabet letters_for(const spec& s, const setting& fixed, const collision_options& o) {
  alphabet r = make_alphabet(s, fixed, o.letters);
  if (!o.solve) return r;
  constexpr std::size_t simple = 12;
  const auto meeting = meeting_letters(s, fixed, r, simple);
  if (meeting.empty()) r.letters.clear();  // what simple letters show has been tried
  else if (r.letters.size() > simple) r.letters.resize(simple);
  r.letters.insert(r.letters.end(), meeting.begin(), meeting.end());
  return r;
}

//! The search under one choice of parameters.
class searcher {
 public:
  searcher(const spec& s, const setting& fixed, const collision_options& o, clock::time_point deadline, std::size_t steps)
      : most_steps_(steps),
        spec_(s),
        fixed_(fixed),
        options_(o),
        deadline_(deadline),
        letters_(letters_for(s, fixed, o)),
        runner_(s, fixed, letters_) {
    if (!o.key.empty()) runner_.restrict_key(o.key);
    if (has_irrational_calls(s)) bounded_.emplace(s, fixed, letters_);
    positional_ = runner_.uses_index() || runner_.uses_length();
    several_passes_ = s.passes.size() > 1;
  }

  bool late() const { return clock::now() > deadline_; }
  bool spent() const { return runner_.steps() > most_steps_; }

  std::optional<counterexample> find(const shape& lengths) {
    if (positional_ && lengths.right != lengths.right2) return std::nullopt;
    const std::size_t window = runner_.before();
    const std::size_t k = affordable(window + lengths.right2, letters_.letters.size(), most_words >> (3 * lengths.suffix));
    if (k == 0) return std::nullopt;
    std::optional<witness> best;
    word context(window, 0);
    do search_after(context, lengths, k, best);
    while (next_word(context, k) && !late() && !spent());
    return best ? explain(*best) : std::nullopt;
  }

 private:
  place whole(std::size_t n) const { return {runner_.origin(static_cast<long>(n)), static_cast<long>(n)}; }
  //! Where the right piece stands in a whole of n iterations. Passes before the last one speak of the piece alone.
  place after_left(std::size_t n, std::size_t piece) const {
    return {runner_.origin(static_cast<long>(n)) + runner_.direction(), static_cast<long>(several_passes_ ? piece : n)};
  }

  //! Pieces that begin after the same letters.
  void search_after(const word& context, const shape& lengths, std::size_t k, std::optional<witness>& best) {
    std::unordered_map<std::uint64_t, word> first;  // by state (and last letters): the first right piece of its class
    enumerate(context, lengths, lengths.right, k, [&](std::uint64_t id, const word& right) {
      const auto [it, fresh] = first.try_emplace(id, right);
      if (!fresh && lengths.right == lengths.right2) compare(context, it->second, right, lengths, k, best);
    });
    if (lengths.right == lengths.right2) return;
    enumerate(context, lengths, lengths.right2, k, [&](std::uint64_t id, const word& right2) {
      if (auto it = first.find(id); it != first.end()) compare(context, it->second, right2, lengths, k, best);
    });
  }

  template <class Visit>
  void enumerate(const word& context, const shape& lengths, std::size_t size, std::size_t k, Visit visit) {
    word right(size, 0), string;
    std::size_t count = 0;
    do {
      if ((++count & 0xf) == 0 && (late() || spent())) return;
      string = context;
      string.insert(string.end(), right.begin(), right.end());
      const int state = runner_.run(string, after_left(1 + size + lengths.suffix, size));
      if (state == word_runner::none) continue;
      std::uint64_t id = static_cast<std::uint64_t>(runner_.key(state));
      if (lengths.suffix > 0)
        for (std::size_t j = 0; j < runner_.before(); ++j) id = id * 256 + string[string.size() - 1 - j];
      visit(id, right);
    } while (next_word(right, k));
  }

  //! Tries every left element and suffix on two right pieces of one class.
  void compare(const word& context, const word& right, const word& right2, const shape& lengths, std::size_t k,
               std::optional<witness>& best) {
    for (std::size_t x = 0; x < k; ++x) {
      word before{static_cast<letter_id>(x)};
      before.insert(before.end(), context.begin(), context.end());
      word suffix(lengths.suffix, 0);
      do {
        witness w{before, right, right2, suffix};
        if ((!best || w < *best) && tells_apart(w)) best = std::move(w);
      } while (next_word(suffix, k) && !late());
      if (late()) return;
    }
  }

  static word join(const word& a, const word& b, const word& c) {
    word r = a;
    r.insert(r.end(), b.begin(), b.end());
    r.insert(r.end(), c.begin(), c.end());
    return r;
  }

  bool tells_apart(const witness& w) {
    const word one = join(w.context, w.right, w.suffix), two = join(w.context, w.right2, w.suffix);
    const place at = whole(one.size() - runner_.before()), at2 = whole(two.size() - runner_.before());
    const int s1 = runner_.run(one, at), s2 = runner_.run(two, at2);
    if (s1 == word_runner::none || s2 == word_runner::none) return tells_apart_by_bounds(w, one, at, two, at2);
    if (!options_.reaches_output) return runner_.key(s1) != runner_.key(s2);
    if (s1 == s2 && w.suffix.empty() && at.length == at2.length && spec_.passes.back().outputs.empty()) return false;
    if (const int n1 = runner_.observation_of(s1), n2 = runner_.observation_of(s2); n1 != word_runner::none && n2 != word_runner::none)
      return n1 != n2;
    const auto o1 = runner_.observe(one, at, w.suffix.size()), o2 = runner_.observe(two, at2, w.suffix.size());
    if (differ(o1, o2)) return true;
    const auto missing = [](const auto& v) { return !v.has_value(); };
    if (std::none_of(o1.begin(), o1.end(), missing) && std::none_of(o2.begin(), o2.end(), missing)) return false;
    return tells_apart_by_bounds(w, one, at, two, at2);
  }

  //! The right pieces are exact; what the left element makes of them may be irrational, and is then enclosed between rationals.
  bool tells_apart_by_bounds(const witness& w, const word& one, place at, const word& two, place at2) {
    if (!bounded_ || !options_.reaches_output || bounded_runs_ >= std::max(least_bounded, most_steps_ / bounded_share) || late())
      return false;
    ++bounded_runs_;
    return differ(bounded_->observe(one, at, w.suffix.size()), bounded_->observe(two, at2, w.suffix.size()));
  }

  // --- what the witness says, run again without memory of the search
  counterexample::piece tuples(const word& string, std::size_t from, std::size_t count) const {
    const pass& p = spec_.passes.back();
    const bool reversed = runner_.direction() < 0;
    long low = 0;
    for (const pass& q : spec_.passes)
      for (const element& e : q.elements) low = std::min(low, reversed ? -e.offset : e.offset);
    counterexample::piece r;
    for (std::size_t t = from; t < from + count; ++t) {
      std::vector<std::string>& tuple = r.emplace_back();
      for (const element* e : all_elements(p)) {
        const long at = static_cast<long>(t) + (reversed ? -e->offset : e->offset) - low;
        tuple.push_back(letters_.text(spec_, e->array, string[static_cast<std::size_t>(at)]));
      }
    }
    return r;
  }
  //! Distinct reads of all passes.
  std::vector<const element*> all_elements(const pass&) const {
    std::vector<const element*> r;
    for (const pass& p : spec_.passes)
      for (const element& e : p.elements)
        if (std::none_of(r.begin(), r.end(), [&](const element* o) { return o->array == e.array && o->offset == e.offset; }))
          r.push_back(&e);
    return r;
  }
  std::optional<counterexample> explain(const witness& w) {
    word_runner fresh(spec_, fixed_, letters_);
    if (!options_.key.empty()) fresh.restrict_key(options_.key);
    const std::size_t window = fresh.before();
    const word inner(w.context.begin() + 1, w.context.end());
    const word one = join(w.context, w.right, w.suffix), two = join(w.context, w.right2, w.suffix);
    const std::size_t n1 = one.size() - window, n2 = two.size() - window;
    const int right = fresh.run(join(inner, w.right, {}), after_left(n1, w.right.size()));
    const int right2 = fresh.run(join(inner, w.right2, {}), after_left(n2, w.right2.size()));
    if (right == word_runner::none || right2 == word_runner::none || fresh.key(right) != fresh.key(right2)) return std::nullopt;
    counterexample c;
    for (const element* e : all_elements(spec_.passes.back())) c.elements.push_back(read_text(*e));
    c.left = tuples(one, 0, 1);
    c.right = tuples(one, 1, w.right.size());
    c.right2 = tuples(two, 1, w.right2.size());
    c.suffix = tuples(one, 1 + w.right.size(), w.suffix.size());
    c.state = fresh.state_text(right);
    if (options_.reaches_output) {
      if (!results(c, fresh, w, one, two) && (!bounded_ || !results(c, *bounded_, w, one, two))) return std::nullopt;
    } else {
      c.result = fresh.state_text(fresh.run(one, whole(n1)));
      c.result2 = fresh.state_text(fresh.run(two, whole(n2)));
    }
    describe_setting(c, n1);
    return c;
  }

  //! The outputs of both words, if they differ.
  template <class Runner>
  bool results(counterexample& c, Runner& runner, const witness& w, const word& one, const word& two) const {
    const auto o1 = runner.observe(one, whole(one.size() - runner.before()), w.suffix.size());
    const auto o2 = runner.observe(two, whole(two.size() - runner.before()), w.suffix.size());
    if (!differ(o1, o2)) return false;
    c.result = runner.observation_text(o1);
    c.result2 = runner.observation_text(o2);
    return true;
  }

  std::string read_text(const element& e) const {
    const std::string& index = spec_.passes.front().index.empty() ? "i" : spec_.passes.front().index;
    const std::string shift = e.offset == 0 ? "" : e.offset > 0 ? " + " + std::to_string(e.offset) : " - " + std::to_string(-e.offset);
    return e.array + "[" + index + shift + "]";
  }

  void describe_setting(counterexample& c, std::size_t n) const {
    for (const auto& [symbol, v] : fixed_.scalars) c.parameters.emplace_back(symbol->name, to_text(v));
    for (const auto& [array, entries] : fixed_.arrays) {
      std::string text = "{";
      for (std::size_t j = 0; j < entries.size(); ++j) text += (j ? ", " : "") + to_text(entries[j]);
      c.parameters.emplace_back(array->name, text + "}");
    }
    if (!runner_.uses_length()) return;
    if (const auto length = runner_.length_parameter(static_cast<long>(n)))
      c.parameters.emplace_back(length->first, std::to_string(length->second));
  }

  const std::size_t most_steps_;
  const spec& spec_;
  const setting& fixed_;
  const collision_options& options_;
  const clock::time_point deadline_;
  const alphabet letters_;
  word_runner runner_;
  std::optional<bounded_word_runner> bounded_;
  std::size_t bounded_runs_ = 0;
  bool positional_ = false, several_passes_ = false;
};

}  // namespace

std::optional<counterexample> collision(const spec& s, const collision_options& o) {
  if (s.passes.empty()) return std::nullopt;
  const clock::time_point deadline = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(o.seconds));
  const std::vector<setting> choices = settings(s);
  std::vector<std::unique_ptr<searcher>> searchers;
  for (const setting& fixed : choices) searchers.push_back(std::make_unique<searcher>(s, fixed, o, deadline, o.steps / choices.size()));
  for (std::size_t total = 3; total <= static_cast<std::size_t>(o.longest); ++total)
    for (std::size_t suffix = 0; suffix <= std::min(longest_suffix, total - 3) && (suffix == 0 || o.reaches_output); ++suffix)
      for (std::size_t right2 = total - 1 - suffix - 1; 2 * right2 >= total - 1 - suffix; --right2)
        for (auto& search : searchers) {
          if (search->late()) return std::nullopt;
          if (search->spent()) continue;
          if (auto found = search->find({total - 1 - suffix - right2, right2, suffix})) return found;
        }
  return std::nullopt;
}

std::optional<counterexample> refute(const spec& s, double seconds, unsigned) {
  collision_options o;
  o.seconds = seconds;
  o.longest = 12;
  const auto start = clock::now();
  if (auto found = collision(s, o)) return found;
  o.seconds -= std::chrono::duration<double>(clock::now() - start).count();
  o.longest = 5;
  o.solve = true;
  return o.seconds > 0 ? collision(s, o) : std::nullopt;
}

}  // namespace twofold::analyser
