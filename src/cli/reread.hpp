// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Soundness is local: what is emitted is read again by the front end, and that text is proved equal to the merge that was proved.
#pragma once

#include <string>

#include "emit/cpp.hpp"

namespace twofold::cli {

struct reread {
  bool proved = false;
  std::string why;  // why not: the front end does not read this text, or equality stayed open
};

//! @errors TF7001 where the text that would be emitted computes something else
reread read_again(const analyser::cpp_reduction& r, const analyser::spec& s, double seconds);

}  // namespace twofold::cli
