// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What a source may make Clang read: files below the roots that were given, and no others.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

#include <string>
#include <vector>

namespace twofold::analyser::frontend {

struct source_roots {
  std::vector<std::string> folders;  // of the source and of -I: a file counts as below by its real path, links followed
  std::vector<std::string> trusted;  // the compiler's own and the system's headers: links that lead out of these are followed
  std::vector<std::string> files;    // single files, as they are named
};

//! The real files, of which those outside of the roots do not exist: an include of one fails as any other file that is not there, and
//! neither its text nor whether it is there gets into a message.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> only_below(const source_roots& roots);

}  // namespace twofold::analyser::frontend
