// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The folder where twofold keeps what it can make again: compiled loops, precompiled preambles.
#pragma once

#include <string>
#include <string_view>

namespace twofold::cli {

//! $XDG_CACHE_HOME/twofold, else ~/.cache/twofold, else a folder of this user under the temporary folder.
std::string default_cache();
//! Makes the folder (and those above it), readable by this user alone. @errors TF5103
void make_cache(const std::string& folder);
//! A name for contents: 128 bits of FNV-1a as 32 hexadecimal digits. Collisions by accident are out of reach; it is not cryptographic,
//! and need not be: the folder belongs to the user.
std::string content_hash(std::string_view bytes);

}  // namespace twofold::cli
