#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every tracked C++ file is as `make format` would leave it: format.sh ROOT CLANG_FORMAT. 77: another version would judge otherwise.
set -u
cd "$1" || exit 1
version=$("$2" --version | sed 's/.*version \([0-9]*\).*/\1/')
if [[ $version != 14 ]]; then
  echo "clang-format $version: layout is judged by version 14 (Debian 12); not checked"
  exit 77
fi
find include src tests examples bench \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cuh' -o -name '*.cu' \) -print0 |
  xargs -0 "$2" --dry-run -Werror --ferror-limit=1
