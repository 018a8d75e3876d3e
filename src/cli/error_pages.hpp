// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The pages of docs/errors, put into the program when it is built, so that `explain` works without a network or a checkout.
#pragma once

#include <span>
#include <string_view>

namespace twofold::cli {

struct error_page {
  std::string_view code;  // "TF2111"
  std::string_view text;  // Markdown: message, cause, smallest reproducer, fix
};

//! In order of their codes. Defined in the source that cmake/embed.cmake writes.
std::span<const error_page> error_pages();

}  // namespace twofold::cli
