// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Writes obligations as SMT-LIB 2 from the terms as they stand (not from their normal forms, which are what is to be confirmed).
#include "prove/evidence.hpp"

#include <sstream>
#include <string>

#include "prove/brief.hpp"
#include "prove/normal.hpp"
#include "prove/smt_words.hpp"
#include "prove/smt_writer.hpp"

namespace twofold::analyser {

namespace {

constexpr const char* left_out = "; not written: ";

//! Each claim of a nested script by itself, with all that is declared and assumed where it stands: solvers decide more of a script that
//! is not incremental.
std::string one_by_one(const std::string& nested) {
  std::vector<std::string> scopes{""};
  std::string out;
  std::istringstream lines(nested);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("(push 1)")) scopes.push_back(line.size() > 9 ? line.substr(9) + "\n" : "");
    else if (line == "(pop 1)") scopes.pop_back();
    else if (line != "(check-sat)") scopes.back() += line + "\n";
    else {
      out += "(reset)\n(set-logic ALL)\n";
      for (const std::string& s : scopes) out += s;
      out += "(check-sat)\n";
    }
  }
  return out;
}

//! As bit-vectors, where the claim speaks of bits and of nothing that is no word; else empty.
std::string words(const obligation& o) {
  const auto of_bits = [](const node& n) { return n.is(op::bit_and) || n.is(op::bit_or) || n.is(op::bit_xor) || n.is(op::bit_not); };
  if (!contains(o.left, of_bits) && !contains(o.right, of_bits)) return {};
  try {
    return one_by_one(smt::script_of_words(o));
  } catch (const smt_writer::unwritable&) {
    return {};
  }
}

std::string written(const claim& c) {
  if (c.cases.empty()) return one_by_one(smt_writer().script(c.whole));
  std::string r = one_by_one(smt_writer().definedness(c.whole)) + one_by_one(smt_writer().cover(c.cases));
  for (const proof_case& one : c.cases) {
    if (one.left == one.right) continue;
    r += "; case";
    for (term t : one.path) r += (t == one.path.front() ? " " : ", ") + brief(t);
    r += "\n" + one_by_one(smt_writer().script({"", c.whole.hypotheses, one.left, one.right}, one.path));
  }
  return r;
}

}  // namespace

std::string evidence_of(const std::vector<claim>& claims) {
  std::ostringstream out;
  out << "; Evidence of a merge: every check-sat answers unsat. Real and integer arithmetic, no division; exponentials are products of\n"
         "; opaque positive reals e^b; that an exponent is the sum of the b that are multiplied is claimed too, and where a proof went\n"
         "; through cases, each case and that there is no other.\n";
  for (const claim& c : claims) {
    out << "\n; " << c.whole.name << "\n";
    try {
      const std::string as_words = words(c.whole);
      out << (as_words.empty() ? written(c) : as_words);
    } catch (const smt_writer::unwritable& e) {
      out << left_out << e.what() << "\n";
    } catch (const limit_error& e) {
      out << left_out << e.what() << "\n";
    } catch (const not_normal& e) {
      out << left_out << e.what() << "\n";
    }
  }
  return out.str();
}

std::string evidence(const std::vector<obligation>& obligations) {
  std::vector<claim> claims;
  for (const obligation& o : obligations) claims.push_back({o, {}});
  return evidence_of(claims);
}

unsigned not_written(const std::string& smt) {
  unsigned n = 0;
  for (std::size_t at = smt.find(left_out); at != std::string::npos; at = smt.find(left_out, at + 1)) ++n;
  return n;
}

}  // namespace twofold::analyser
