// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Reads assumptions and evaluates them exactly on the values of a witness.
#include "assume.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "failure.hpp"
#include "narrow.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

[[noreturn]] void not_understood(const std::string& part, const std::string& why) {
  throw failure(exit_code::bad_input, "TF2121", "the assumption \"" + part + "\" is not understood", why,
                "write comparisons of names and numbers, |name| for a magnitude, or noalias, with commas between: 'n>=1, |g|<=1, noalias'");
}

class reader {
 public:
  explicit reader(const std::string& text) : text_(text) {}

  assumption read() {
    assumption a{text_, false, {}};
    comparison::operand left = operand();
    if (done()) {
      if (left.name != "noalias") not_understood(text_, "it compares nothing");
      a.no_alias = true;
      return a;
    }
    while (!done()) {
      const std::string relation = this->relation();
      const comparison::operand right = operand();
      a.all.push_back({left, right, relation});
      left = right;
    }
    return a;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool done() {
    blanks();
    return at_ == text_.size();
  }
  std::string relation() {
    blanks();
    for (const char* r : {"<=", ">=", "==", "!=", "<", ">"})
      if (text_.compare(at_, std::string(r).size(), r) == 0) {
        at_ += std::string(r).size();
        return r;
      }
    not_understood(text_, "a relation (<, <=, >, >=, ==, !=) is expected at \"" + text_.substr(at_) + "\"");
  }
  comparison::operand operand() {
    blanks();
    if (at_ < text_.size() && text_[at_] == '|') {
      ++at_;
      comparison::operand inner = operand();
      blanks();
      if (at_ == text_.size() || text_[at_] != '|') not_understood(text_, "a | is not closed");
      ++at_;
      inner.magnitude = true;
      return inner;
    }
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return {word(), false, {}};
    return {{}, false, number()};
  }
  std::string word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) ++at_;
    const std::string name = text_.substr(start, at_ - start);
    if (text_.compare(at_, 3, "[i]") == 0) at_ += 3;  // x[i] says no more than x: every element
    return name;
  }
  //! As C++ reads it: with a point it is a double, so that 0.1 here is the 0.1 of the loop.
  mpq_class number() {
    const std::size_t start = at_;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    std::string digits;
    bool point = false, any = false;
    for (; at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || (text_[at_] == '.' && !point)); ++at_) {
      digits += text_[at_];
      (text_[at_] == '.' ? point : any) = true;
    }
    if (!any) not_understood(text_, "a name or a number is expected at \"" + text_.substr(start) + "\"");
    mpq_class v;
    if (point) {
      double nearest = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), nearest);
      v = mpq_class(nearest);
    } else {
      v = mpq_class(mpz_class(digits, 10));
    }
    return text_[start] == '-' ? mpq_class(-v) : v;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

std::optional<mpq_class> rational(const std::string& text) {
  mpq_class v;
  if (text == "true") return mpq_class(1);
  if (text == "false") return mpq_class(0);
  if (v.set_str(text, 10) != 0 || v.get_den() == 0) return std::nullopt;
  v.canonicalize();
  return v;
}

//! Every value that a name takes in a witness: one for a parameter, one an iteration for an array.
std::vector<std::optional<mpq_class>> values_of(const std::string& name, const spec& s, const counterexample& x) {
  const auto p = std::find_if(s.parameters.begin(), s.parameters.end(), [&](const parameter& q) { return q.name == name; });
  const bool length = p != s.parameters.end() && p->role == parameter_role::length;
  // the second word of a witness may be longer than the first, whose length is the one that is written
  const long longer = x.right2.empty() ? 0 : std::ssize(x.right2) - std::ssize(x.right);
  const auto both = [&](const std::optional<mpq_class>& n) -> std::vector<std::optional<mpq_class>> {
    return length && n && longer != 0 ? std::vector{n, std::optional(mpq_class(*n + longer))} : std::vector{n};
  };
  for (const auto& [parameter, value] : x.parameters)
    if (parameter == name) return both(rational(value));
  if (length) return both(mpq_class(static_cast<unsigned long>(x.left.size() + x.right.size() + x.suffix.size())));
  std::vector<std::optional<mpq_class>> values;
  for (const auto* piece : {&x.left, &x.right, &x.right2, &x.suffix})
    for (const auto& tuple : *piece)
      for (std::size_t i = 0; i < tuple.size() && i < x.elements.size(); ++i)
        if (x.elements[i] == name || x.elements[i].starts_with(name + "[") || x.elements[i].starts_with(name + "@"))
          values.push_back(rational(tuple[i]));
  return values;
}

}  // namespace

std::vector<assumption> parse_assumptions(const std::string& text) {
  std::vector<assumption> all;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto first = part.find_first_not_of(" \t\n");
    if (first == std::string::npos) not_understood(text, "there is nothing between two commas");
    part = part.substr(first, part.find_last_not_of(" \t\n") - first + 1);
    all.push_back(reader(part).read());
  }
  return all;
}

spec under(const std::vector<assumption>& assumptions, spec s) {
  for (const assumption& a : assumptions)
    for (const comparison& c : a.all) {
      for (const auto* o : {&c.left, &c.right}) {
        if (o->name.empty()) continue;
        const bool known = std::any_of(s.parameters.begin(), s.parameters.end(), [&](const parameter& p) { return p.name == o->name; });
        if (!known) not_understood(a.text, "\"" + o->name + "\" is neither a parameter nor an array of " + s.function);
      }
      s.given.push_back(c);
    }
  if (is_void(s)) {
    std::string all;
    for (const assumption& a : assumptions) all += (all.empty() ? "" : ", ") + a.text;
    throw failure(exit_code::bad_input, "TF2121", "no input satisfies \"" + all + "\"", "the assumptions contradict each other",
                  "leave one of them out: whatever is said of no input is true");
  }
  return s;
}

std::optional<std::string> broken_by(const std::vector<assumption>& assumptions, const spec& s, const counterexample& x) {
  for (const assumption& a : assumptions)
    for (const comparison& c : a.all)
      if (!holds(c, [&](const std::string& name) { return values_of(name, s, x); })) return a.text;
  return std::nullopt;
}

}  // namespace twofold::cli
