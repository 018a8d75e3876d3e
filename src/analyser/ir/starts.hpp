// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a loop answers where no element is read.
#pragma once

#include "ir/spec.hpp"

namespace twofold::analyser {

//! `value`, a term over results, with every variable of every pass at its start. A vector that is read at a component is its start there.
//! @returns null where that start holds a fold, whose own index would be taken for the component.
[[nodiscard]] term where_nothing_is_read(const spec& s, term value);

}  // namespace twofold::analyser
