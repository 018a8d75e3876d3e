// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file One loop's reads as the elements of its tuple: x[i + c] is a number, x[i·d + …] and x[i][…] are rows.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "frontend/passes.hpp"
#include "frontend/refusal.hpp"

namespace twofold::analyser::frontend {
namespace {

bool is_array_read(const node& n) { return n.is(op::read) && n.args[0]->is_symbol(symbol_kind::array); }

//! A read at ±k + start (in units of rows where width is set), at `within` in its row.
struct moving_read {
  term whole{};
  int direction = 1;
  polynomial start{};
  term width{}, within{};
};

class reader {
 public:
  reader(const record& l, const recording& r, const std::map<int, array_info>& arrays) : loop_(l), recording_(r), arrays_(arrays) {}

  pass build() {
    for (const carried& v : loop_.state) collect(v.step);
    for (const written& w : loop_.writes) collect(w.value);
    choose_index();
    for (const moving_read& m : reads_) add_element(m);
    const auto order = [&](const element& e) {
      const auto a =
          std::find_if(arrays_.begin(), arrays_.end(), [&](const auto& x) { return x.second.external && x.second.name == e.array; });
      return std::pair(a == arrays_.end() ? 0 : a->first, e.offset);
    };
    std::stable_sort(elements_.begin(), elements_.end(), [&](const element& x, const element& y) { return order(x) < order(y); });
    pass p;
    p.where = loop_.where;
    p.index = index_name();
    p.reverse = direction_ < 0;
    const polynomial one = to_polynomial(number(1L, long_type)), count = to_polynomial(loop_.count);
    p.begin = to_term(direction_ > 0 ? base_ : base_ - count + one);
    p.end = direction_ > 0 && loop_.last && base_ == to_polynomial(loop_.first) && to_polynomial(loop_.last) == base_ + count
                ? loop_.last
                : to_term(direction_ > 0 ? base_ + count : base_ + one);
    p.elements = elements_;
    for (const moving_read& m : reads_) refuse_before_start(m, p.begin);
    for (const carried& v : loop_.state) {
      state_variable s{.name = v.name,
                       .type = v.type,
                       .symbol = v.symbol,
                       .init = finish(v.init),
                       .step = finish(rewrite(v.step)),
                       .extent = v.extent,
                       .component = {},
                       .where = v.where};
      if (v.extent) s.component = position();
      p.state.push_back(std::move(s));
    }
    for (const written& w : loop_.writes) {
      element_output o{arrays_.at(w.object).name, arrays_.at(w.object).element, finish(rewrite(w.value)), false};
      o.is_scan = contains(o.value, [](const node& n) { return n.is_symbol(symbol_kind::state); });
      p.outputs.push_back(std::move(o));
    }
    p.position_aware = position_aware_;
    return p;
  }

 private:
  //! The source's own name, unless that variable walks in another direction than the reads.
  std::string index_name() const { return direction_ == loop_.direction ? loop_.index_name : "i"; }

  [[noreturn]] void refuse(const char* code, term at, std::string what, std::string why, std::string fix) const {
    refuse_at(code, site(recording_, at, loop_.where), std::move(what), std::move(why), std::move(fix));
  }

  const array_info* info(const std::string& name) const {
    for (const auto& [id, a] : arrays_)
      if (a.external && a.name == name) return &a;
    return nullptr;
  }

  void collect(term t) {
    (void)contains(t, [&](const node& n) {
      if (is_array_read(n) && mentions(term(&n), k_)) add_read(term(&n));
      return false;
    });
  }

  void add_read(term r) {
    const std::string& name = r->args[0]->name;
    const auto odd = [&](std::string why) {
      refuse("TF4033", r, "a read of '" + name + "'", std::move(why),
             "read at the loop index, at a fixed offset from it, or in the row that belongs to it");
    };
    const bool nested = std::any_of(r->args.begin() + 1, r->args.end(), [&](term i) {
      return contains(i, [&](const node& n) { return is_array_read(n) || n.is_symbol(symbol_kind::state); });
    });
    if (nested) {
      // A table looked up by the data is fine as long as the table itself does not move with the loop.
      if (affine_in(to_polynomial(r->args[1]), k_) && !affine_in(to_polynomial(r->args[1]), k_)->slope.is_zero())
        odd("the position depends on the data");
      return;
    }
    const auto form = affine_in(to_polynomial(r->args[1]), k_);
    if (!form) odd("the position is not the loop index times a constant, plus something");
    if (form->slope.is_zero()) {
      odd("the row depends on the loop index in another way than by its number");
    }
    moving_read m{.whole = r};
    const auto slope = form->slope.constant();
    if (r->args.size() == 3) {
      const array_info* a = info(name);
      if (!slope || abs(*slope) != 1) odd("rows are taken in steps other than one");
      if (mentions(r->args[2], k_)) odd("the position in the row depends on the loop index");
      m.direction = *slope > 0 ? 1 : -1;
      m.start = form->rest;
      m.within = r->args[2];
      m.width = a && a->extents[1] ? a->extents[1] : term{};
      if (!m.width) odd("the length of its rows is not known");
    } else if (slope && abs(*slope) == 1 && !has_rows(name)) {
      m.direction = *slope > 0 ? 1 : -1;
      m.start = form->rest;
    } else {
      split_row(*form, m, odd);
    }
    reads_.push_back(m);
  }

  //! Does any read of the array move by more than one entry per iteration?
  bool has_rows(const std::string& name) const {
    const auto by_rows = [&](const node& n) {
      if (!is_array_read(n) || n.args[0]->name != name) return false;
      const auto f = affine_in(to_polynomial(n.args[1]), k_);
      const auto slope = f ? f->slope.constant() : std::nullopt;
      return f && !f->slope.is_zero() && !(slope && abs(*slope) == 1);
    };
    return std::any_of(loop_.state.begin(), loop_.state.end(), [&](const carried& v) { return contains(v.step, by_rows); });
  }

  //! slope·k + rest = width·(±k + start) + within.
  void split_row(const affine_form& form, moving_read& m, const std::function<void(std::string)>& odd) const {
    polynomial width = form.slope;
    const bool negative = std::all_of(width.terms.begin(), width.terms.end(), [](const auto& t) { return t.second < 0; });
    if (negative) width = polynomial{} - width;
    if (std::any_of(width.terms.begin(), width.terms.end(), [&](const auto& t) {
          return t.second < 0 || std::any_of(t.first.begin(), t.first.end(), [](term a) {
                   return !a->is_symbol(symbol_kind::parameter) && !a->is_symbol(symbol_kind::length);
                 });
        }))
      odd("the length of a row is neither a number nor a parameter");
    m.direction = negative ? -1 : 1;
    polynomial inside;
    if (const auto w = width.constant()) {
      for (const auto& [monomial, c] : form.rest.terms) {
        mpz_class whole, part;
        mpz_fdiv_qr(whole.get_mpz_t(), part.get_mpz_t(), c.get_mpz_t(), w->get_mpz_t());
        if (!monomial.empty() && part != 0) whole = 0, part = c;
        if (whole != 0) m.start.terms[monomial] = whole;
        if (part != 0) inside.terms[monomial] = part;
      }
    } else {
      if (width.terms.size() != 1) odd("the length of a row is not a single parameter");
      const auto& [wm, wc] = *width.terms.begin();
      for (const auto& [monomial, c] : form.rest.terms) {
        std::vector<term> others;
        std::set_difference(monomial.begin(), monomial.end(), wm.begin(), wm.end(), std::back_inserter(others));
        const bool divides = std::includes(monomial.begin(), monomial.end(), wm.begin(), wm.end()) && c % wc == 0;
        if (divides) m.start.terms[others] = c / wc;
        else inside.terms[monomial] = c;
      }
    }
    m.width = to_term(width);
    m.within = to_term(inside);
  }

  //! Outputs are written at the index (`out[index] = value` is what a spec can say), so they choose it.
  void index_of_writes() {
    for (const written& w : loop_.writes) {
      const auto form = affine_in(to_polynomial(w.index), k_);
      const auto slope = form ? form->slope.constant() : std::nullopt;
      const std::string name = "the writes to '" + arrays_.at(w.object).name + "' in this loop";
      if (!slope || abs(*slope) != 1)
        refuse_at("TF4022", w.where, name, "the position is not the loop index plus a constant", "write at the loop index");
      const int direction = *slope > 0 ? 1 : -1;
      if (&w != &loop_.writes.front() && (direction != direction_ || !(form->rest == base_)))
        refuse_at("TF4022", w.where, name, "two outputs are written at different positions in one iteration",
                  "write all outputs at the loop index");
      direction_ = direction;
      base_ = form->rest;
    }
    for (const moving_read& m : reads_) {
      const std::string& name = m.whole->args[0]->name;
      if (m.direction != direction_)
        refuse("TF4034", m.whole, "a read of '" + name + "' that walks against the writes", "what is read first is written last",
               "write at the position that is read: reverse the output in a loop of its own");
      if (!(m.start - base_).constant())
        refuse("TF4035", m.whole, "a read of '" + name + "' at an offset from the writes that is not a number",
               "the elements of one iteration must lie at fixed distances", "pass the shifted array as a parameter of its own");
    }
  }

  void choose_index() {
    if (!loop_.writes.empty()) return index_of_writes();
    direction_ = reads_.empty() ? loop_.direction : reads_.front().direction;
    for (const moving_read& m : reads_)
      if (m.direction != direction_)
        refuse("TF4034", m.whole, "a read that walks against the loop", "one iteration would read both ends of the range",
               "walk in one direction");
    base_ = to_polynomial(loop_.first);
    if (reads_.empty()) return;
    const auto near = [&](const polynomial& b) {
      return std::all_of(reads_.begin(), reads_.end(), [&](const moving_read& m) { return (m.start - b).constant().has_value(); });
    };
    if (direction_ > 0 && loop_.direction > 0 && near(base_)) {
      // x[i - 1] alone is x at the index, the range being one earlier
      mpz_class low = *(reads_.front().start - base_).constant(), high = low;
      for (const moving_read& m : reads_) {
        const mpz_class d = *(m.start - base_).constant();
        low = std::min(low, d), high = std::max(high, d);
      }
      const mpz_class shift = low > 0 ? low : high < 0 ? high : mpz_class(0);
      base_ = base_ + to_polynomial(number(mpq_class(shift), long_type));
      return;
    }
    base_ = reads_.front().start;
    for (const moving_read& m : reads_)
      if (const auto d = (m.start - base_).constant(); d && ((direction_ < 0 && *d > 0) || (direction_ > 0 && *d < 0))) base_ = m.start;
    if (!near(base_))
      refuse("TF4035", reads_.front().whole, "reads at offsets that are not numbers",
             "the elements of one iteration must lie at fixed distances", "pass the shifted array as a parameter of its own");
  }

  //! x_prev may be an array of its own, and a.b lie beside a_b: where names could be confused, the array's number is part of them. (No
  //! name of a source has an apostrophe.)
  std::string distinction(const std::string& array) const {
    const auto plain = [](std::string name) {
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    };
    const auto extends = [](const std::string& longer, const std::string& shorter) { return longer.rfind(shorter + "_", 0) == 0; };
    const std::string own = plain(array);
    int number = 0;
    bool confusable = false;
    for (const auto& [id, a] : arrays_) {
      if (!a.external) continue;
      if (a.name == array) {
        number = id;
        continue;
      }
      const std::string other = plain(a.name);
      confusable |= other == own || extends(other, own) || extends(own, other);
    }
    return confusable ? "'" + std::to_string(number) : "";
  }

  void refuse_before_start(const moving_read& m, term begin) const {
    const auto first = (to_polynomial(begin) + m.start - base_).constant();
    if (first && *first < 0)
      refuse("TF4035", m.whole, "a read of '" + m.whole->args[0]->name + "' before its first entry",
             "the first iteration would read position " + first->get_str(), "start the loop where all its reads exist");
  }

  void add_element(const moving_read& m) {
    const std::string& name = m.whole->args[0]->name;
    const long offset = (m.start - base_).constant()->get_si();
    if (std::abs(offset) > 64)
      refuse("TF4035", m.whole, "a read far from the loop index", "offsets up to 64 are read",
             "pass the shifted array as a parameter of its own");
    std::string symbol_name = name;
    if (offset == -1) symbol_name += "_prev";
    else if (offset == 1) symbol_name += "_next";
    else if (offset != 0) symbol_name += (offset < 0 ? "_m" : "_p") + std::to_string(std::abs(offset));
    std::replace(symbol_name.begin(), symbol_name.end(), '.', '_');
    symbol_name += distinction(name);
    const type t = m.whole->type;
    element e{symbol(m.width ? symbol_kind::array : symbol_kind::element, symbol_name, t), name, offset, m.width};
    for (const element& known : elements_)
      if (known.array == name && !same_rows(known, e))
        refuse("TF4033", m.whole, "a read of '" + name + "'",
               "the array is read in rows of different lengths, or both by entries and by rows", "read it in one way");
    if (std::none_of(elements_.begin(), elements_.end(), [&](const element& x) { return x.symbol == e.symbol; })) elements_.push_back(e);
    replaced_[m.whole] = m.width ? read(e.symbol, {m.within}, t) : e.symbol;
  }

  //! Reads become elements, the iteration number the index.
  term rewrite(term t) {
    if (auto it = done_.find(t->id); it != done_.end()) return it->second;
    term r = t;
    if (auto it = replaced_.find(t); it != replaced_.end()) {
      std::vector<term> args;
      for (term a : it->second->args) args.push_back(it->second->is(op::read) && a == it->second->args[0] ? a : rewrite(a));
      r = args.empty() ? it->second : rebuild(it->second, args);
    } else if (const term i = as_index(t)) {
      r = i;
    } else if (!t->args.empty()) {
      std::vector<term> args;
      for (term a : t->args) args.push_back(rewrite(a));
      r = rebuild(t, args);
    }
    done_.emplace(t->id, r);
    return r;
  }

  //! A value that is the loop's own index, up to a constant.
  term as_index(term t) {
    if (t->type.kind != sort::integer || t->is(op::read) || !mentions(t, k_)) return {};
    if (widens_what_wraps(t, k_)) return {};
    const polynomial k = to_polynomial(k_);
    const auto shift = (to_polynomial(t) - (direction_ > 0 ? base_ + k : base_ - k)).constant();
    if (!shift && t != k_) return {};
    position_aware_ = true;
    const term i = symbol(symbol_kind::index, index_name(), long_type);
    if (shift) return add(cast(i, t->type), number(mpq_class(*shift), t->type));
    const polynomial moved = direction_ > 0 ? to_polynomial(i) - base_ : base_ - to_polynomial(i);
    return to_term(moved, t->type);
  }

  //! Vectors at the generic component are written without an index; nothing may be left that has no meaning in a spec.
  term finish(term t) {
    const substitution s = generic_components(t);
    t = substitute(t, s);
    (void)contains(t, [&](const node& n) {
      if (n.is(op::read) && (n.args[0]->is_symbol(symbol_kind::state) || n.args[0]->is_symbol(symbol_kind::result)))
        refuse("TF4036", term(&n), "a read of the vector '" + n.args[0]->name + "' at another place than its own component",
               "a component of the state may depend on the other vectors only at the same place",
               "write the loop over components so that each one uses its own index");
      if (n.is_symbol(symbol_kind::opaque) && n.name.rfind("is", 0) == 0 && n.name.find('@') == std::string::npos)
        refuse("TF4023", term(&n), "the value of " + n.name + " as a number", "only whether it is 0 is known", "compare it with 0");
      if (n.is_symbol(symbol_kind::opaque))
        refuse("TF4037", term(&n),
               "a read of '" + n.name.substr(0, n.name.find('@')) + "', which an earlier loop wrote from its running state",
               "a scan is an output, it cannot be read again", "do the work in the loop that scans");
      return false;
    });
    if (mentions(t, k_))
      refuse("TF4033", t, "the loop index", "it is used in a way that is not understood", "use it in reads and as a number");
    return t;
  }
  static substitution generic_components(term t) {
    substitution s;
    (void)contains(t, [&](const node& n) {
      if (n.is(op::read) && n.args.size() == 2 && n.args[1] == position() &&
          (n.args[0]->is_symbol(symbol_kind::state) || n.args[0]->is_symbol(symbol_kind::result)))
        s[term(&n)] = n.args[0];
      return false;
    });
    return s;
  }

  const record& loop_;
  const recording& recording_;
  const std::map<int, array_info>& arrays_;
  const term k_ = iteration_symbol(0);
  std::vector<moving_read> reads_;
  std::vector<element> elements_;
  std::map<term, term> replaced_;
  std::unordered_map<std::uint32_t, term> done_;
  int direction_ = 1;
  polynomial base_;
  bool position_aware_ = false;
};

}  // namespace

pass to_pass(const record& l, const recording& r, const std::map<int, array_info>& arrays) { return reader(l, r, arrays).build(); }

}  // namespace twofold::analyser::frontend
