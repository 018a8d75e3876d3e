// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Writes obligations as SMT-LIB 2 from the terms as they stand (not from their normal forms, which are what is to be confirmed).
#include "prove/evidence.hpp"

#include <map>
#include <set>
#include <sstream>

#include "prove/domain.hpp"
#include "prove/normal.hpp"
#include "prove/smt_writer.hpp"

namespace twofold::analyser {

std::string evidence(const std::vector<obligation>& obligations) {
  std::ostringstream out;
  out << "; Evidence of a merge: every check-sat answers unsat. Real and integer arithmetic, no division; exponentials are opaque\n"
         "; positive reals, with the instances of e^s e^t = e^(s+t) that are used; the premise s+t of each instance is checked first.\n"
         "(set-logic ALL)\n";
  for (const obligation& o : obligations) {
    out << "\n; " << o.name << "\n";
    try {
      out << smt_writer().script(o);
    } catch (const smt_writer::unwritable& e) {
      out << "; not written: " << e.what() << "\n";
    } catch (const limit_error& e) {
      out << "; not written: " << e.what() << "\n";
    }
  }
  return out.str();
}

}  // namespace twofold::analyser
