// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Writes the emitted merge to a temporary file, reads it as a user's merge, and compares term by term.
#include "reread.hpp"

#include "failure.hpp"
#include "frontend/frontend.hpp"
#include "npy.hpp"
#include "prove/prove.hpp"
#include "temporary_folder.hpp"

namespace twofold::cli {
using namespace analyser;

namespace {

//! A loop whose state is the emitted structure's: all that read_merge asks of it.
spec with_fields(const cpp_reduction& r, const spec& s) {
  spec loop = s;
  loop.passes.resize(1);
  loop.passes[0].state.clear();
  for (const emitted_field& f : r.state) {
    state_variable v;
    v.name = f.name, v.type = f.type, v.extent = f.extent, v.symbol = symbol(symbol_kind::state, f.name, f.type);
    if (f.extent) v.component = symbol(symbol_kind::component, "j", long_type);
    loop.passes[0].state.push_back(v);
  }
  return loop;
}

//! Parameters of the loop by the names that the structure gives them (the loop's `a` may not be called so beside the left state).
substitution own_names(const std::vector<term>& merge, const cpp_reduction& r) {
  substitution own;
  for (term t : merge)
    for (term u : symbols(t))
      for (const emitted_member& m : r.members)
        if (m.name == u->name && !m.parameter.empty() && (u->is_symbol(symbol_kind::parameter) || u->is_symbol(symbol_kind::array)))
          own.emplace(u, symbol(u->symbol, m.parameter, u->type));
  return own;
}

//! In one line, so that it fits a comment.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

}  // namespace

reread read_again(const cpp_reduction& r, const spec& s, double seconds) {
  const temporary_folder folder;
  const std::string file = folder.path + "/merge.cpp";
  write_file(file,
             "#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n#include <limits>\n#include "
             "<numeric>\n#include <vector>\n" +
                 r.merge_text);
  const merge_result read = read_merge(file, "combine_into", with_fields(r, s), {});
  if (!read.errors.empty()) return {false, one_line(read.errors.front().what + ": " + read.errors.front().why)};
  const substitution own = own_names(read.merge, r);
  for (std::size_t k = 0; k < r.state.size(); ++k) {
    const obligation same{"emitted " + r.state[k].name, {}, substitute(read.merge.at(k), own), r.state[k].merge};
    if (same.left == same.right) continue;
    const obligation_result answer = decide(same, seconds / static_cast<double>(r.state.size()));
    if (answer.result == outcome::refuted)
      throw failure(exit_code::internal, "TF7001",
                    "the text for " + r.state[k].variable + " would compute something else than what was proved", answer.detail,
                    "report it with the source; nothing was written");
    if (answer.result != outcome::proved) return {false, one_line(r.state[k].variable + ": " + answer.detail)};
  }
  return {true, {}};
}

}  // namespace twofold::cli
