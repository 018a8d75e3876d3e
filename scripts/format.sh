#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Lays out every C++ file as .clang-format says: format.sh; or only checks: format.sh --check (77: another clang-format would
# judge otherwise). Inputs of tests, the example loops (whose lines reports name) and generated files are left alone.
set -u
cd "$(dirname "$0")/.." || exit 1
tool=$(command -v clang-format-14 || command -v clang-format) || { echo "format: no clang-format (apt-get install clang-format)"; exit 77; }
version=$("$tool" --version | sed 's/.*version \([0-9]*\).*/\1/')
if [[ $version != 14 ]]; then
  echo "format: clang-format $version lays out otherwise than version 14 (Debian 12), which this project uses"
  exit 77
fi
files() {
  find include src tests examples bench \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cuh' -o -name '*.cu' \) -print0 |
    grep -zvE '^examples/loops/|^tests/.*/(refused|golden|broken|loops|inputs)/|/ptx/wgmma(_half)?.cuh$'
}
if [[ ${1:-} == --check ]]; then
  files | xargs -0 "$tool" --dry-run -Werror --ferror-limit=1
else
  files | xargs -0 "$tool" -i
fi
