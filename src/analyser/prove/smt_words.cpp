// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Words in SMT-LIB's bit-vectors.
#include "prove/smt_words.hpp"

#include <map>
#include <set>
#include <sstream>

#include "prove/brief.hpp"
#include "prove/domain.hpp"
#include "prove/smt_writer.hpp"

namespace twofold::analyser::smt {
namespace {

using unwritable = smt_writer::unwritable;

class word_writer {
 public:
  std::string script(const obligation& o) {
    std::vector<std::string> known;
    for (term h : o.hypotheses) try {
        known.push_back(condition(h));
      } catch (const unwritable&) {  // claimed without it
      }
    const bool truth = o.left->type.kind == sort::boolean;
    const std::string left = truth ? condition(o.left) : word(o.left), right = truth ? condition(o.right) : word(o.right);
    std::vector<std::pair<std::string, std::string>> claims;  // no braced list: what is in it may throw
    claims.emplace_back(negation(sexp("=", left, right)), "");
    for (term t : {o.left, o.right})
      for (const auto& d : domain_conditions(t)) {
        std::string under = negation(condition(d.condition));
        for (term g : d.guards) under = both(condition(g), under);
        claims.emplace_back(under, " ; defined: " + brief(d.where));
      }
    std::string r = "(push 1)\n" + head_.str();
    for (const std::string& h : known) r += "(assert " + h + ")\n";
    for (const auto& [c, why] : claims) r += "(push 1)" + why + "\n(assert " + c + ")\n(check-sat)\n(pop 1)\n";
    return r + "(pop 1)\n";
  }

 private:
  static std::string number_word(const mpz_class& v, unsigned bits) {
    mpz_class r = v % (mpz_class(1) << bits);
    if (r < 0) r += mpz_class(1) << bits;
    return sexp("_", "bv" + r.get_str(), std::to_string(bits));
  }
  std::string define(const std::string& sort, const std::string& body) {
    std::string& name = defined_[{sort, body}];
    if (!name.empty()) return name;
    name = "w" + std::to_string(defined_.size());
    head_ << "(define-fun " << name << " () " << sort << " " << body << ")\n";
    return name;
  }
  std::string declared(term t, const std::string& sort) {
    std::string name;
    for (char c : brief(t)) name += c == '|' || c == '\\' ? '_' : c;
    for (; !names_.insert(name).second; name += "'") {
    }
    name = "|" + name + "|";
    head_ << "(declare-const " << name << " " << sort << ")\n";
    return name;
  }

  //! n such that −2^n ≤ t < 2^n for a signed term, over ℤ, seen from its operands; where that does not fit its type: unwritable.
  unsigned length(term t) {
    const auto& a = t->args;
    unsigned n = 0;
    switch (t->kind) {
      case op::number:
        n = static_cast<unsigned>(mpz_sizeinbase(t->value.get_num_mpz_t(), 2));
        break;
      case op::cast:
        n = a[0]->type.kind == sort::boolean ? 1U
            : a[0]->type.is_signed           ? std::min(length(a[0]), t->type.bits - 1U)
                                             : std::min<unsigned>(a[0]->type.bits, t->type.bits - 1U);
        break;
      case op::bit_and:
      case op::bit_or:
      case op::bit_xor:
      case op::max:
      case op::min:
        n = std::max(length(a[0]), length(a[1]));
        break;
      case op::select:
        n = std::max(length(a[1]), length(a[2]));
        break;
      case op::bit_not:
      case op::shift_right:
        n = length(a[0]);
        break;
      case op::neg:
        n = length(a[0]) + 1;
        break;
      case op::add:
        n = std::max(length(a[0]), length(a[1])) + 1;
        break;
      case op::mul:
        n = length(a[0]) + length(a[1]);
        break;
      case op::shift_left:
        if (!a[1]->is(op::number)) throw unwritable("a shift by a variable amount");
        n = length(a[0]) + static_cast<unsigned>(a[1]->value.get_num().get_ui());
        break;
      default:
        throw unwritable("a signed word of unknown range");
    }
    if (n >= t->type.bits) throw unwritable("a signed word that may overflow");
    return n;
  }

  std::string word(term t) {
    if (const auto it = words_.find(t); it != words_.end()) return it->second;
    if (t->type.kind != sort::integer) throw unwritable("operations on bits beside reals");
    if (t->type.is_signed) (void)length(t);
    const std::string sort = sexp("_", "BitVec", std::to_string(t->type.bits));
    const std::string r = t->is(op::symbol)   ? declared(t, sort)
                          : t->is(op::number) ? number_word(t->value.get_num(), t->type.bits)
                                              : define(sort, made(t));
    return words_[t] = r;
  }
  std::string made(term t) {
    const auto& a = t->args;
    const auto of = [&](const char* name) { return sexp(name, word(a[0]), word(a[1])); };
    switch (t->kind) {
      case op::add:
        return of("bvadd");
      case op::mul:
        return of("bvmul");
      case op::neg:
        return sexp("bvneg", word(a[0]));
      case op::bit_and:
        return of("bvand");
      case op::bit_or:
        return of("bvor");
      case op::bit_xor:
        return of("bvxor");
      case op::bit_not:
        return sexp("bvnot", word(a[0]));
      case op::max:
        return sexp("ite", order(true, a[0], a[1]), word(a[1]), word(a[0]));
      case op::min:
        return sexp("ite", order(true, a[0], a[1]), word(a[0]), word(a[1]));
      case op::select:
        return sexp("ite", condition(a[0]), word(a[1]), word(a[2]));
      case op::shift_left:
      case op::shift_right:
        if (!a[1]->is(op::number) || a[1]->value < 0 || a[1]->value >= t->type.bits) throw unwritable("a shift by a variable amount");
        return sexp(t->is(op::shift_left) ? "bvshl"
                    : t->type.is_signed   ? "bvashr"
                                          : "bvlshr",
                    word(a[0]), number_word(a[1]->value.get_num(), t->type.bits));
      case op::cast:
        return converted(t);
      default:
        throw unwritable("operations on bits beside " + brief(t));
    }
  }
  std::string converted(term t) {
    const term a = t->args[0];
    const unsigned to = t->type.bits, from = a->type.bits;
    if (a->type.kind == sort::boolean) return sexp("ite", condition(a), number_word(1, to), number_word(0, to));
    const std::string x = word(a);
    if (to == from) return x;
    if (to < from) return "((_ extract " + std::to_string(to - 1) + " 0) " + x + ")";
    return std::string("((_ ") + (a->type.is_signed ? "sign" : "zero") + "_extend " + std::to_string(to - from) + ") " + x + ")";
  }
  std::string order(bool or_equal, term a, term b) {
    const std::string name = std::string(a->type.is_signed ? "bvsl" : "bvul") + (or_equal ? "e" : "t");
    return sexp(name, word(a), word(b));
  }

  std::string condition(term t) {
    const auto& a = t->args;
    switch (t->kind) {
      case op::number:
        return t->value != 0 ? "true" : "false";
      case op::symbol:
        if (const auto it = words_.find(t); it != words_.end()) return it->second;
        return words_[t] = declared(t, "Bool");
      case op::logical_not:
        return negation(condition(a[0]));
      case op::logical_and:
        return both(condition(a[0]), condition(a[1]));
      case op::logical_or:
        return either(condition(a[0]), condition(a[1]));
      case op::select:
        return define("Bool", sexp("ite", condition(a[0]), condition(a[1]), condition(a[2])));
      case op::equal:
        if (a[0]->type.kind == sort::boolean) return sexp("=", condition(a[0]), condition(a[1]));
        return sexp("=", word(a[0]), word(a[1]));
      case op::less:
      case op::less_equal:
        return order(t->is(op::less_equal), a[0], a[1]);
      default:
        throw unwritable("operations on bits beside " + brief(t));
    }
  }

  std::ostringstream head_;
  std::map<std::pair<std::string, std::string>, std::string> defined_;
  std::map<term, std::string> words_;
  std::set<std::string> names_;
};

}  // namespace

std::string script_of_words(const obligation& o) { return word_writer().script(o); }

}  // namespace twofold::analyser::smt
