#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The layer check itself must notice: an upward include, an outside header in the wrong folder, a folder of no layer.
set -u
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
fresh() {
  rm -rf "${root:?}"/*
  mkdir -p "$root/cmake" "$root/include/twofold/algebra" "$root/include/twofold/cpu" "$root/src/analyser/derive"
  cp "$1/cmake/layers.txt" "$root/cmake/"
  echo '#include <vector>' >"$root/include/twofold/algebra/a.hpp"
  echo '#include "twofold/algebra/a.hpp"' >"$root/include/twofold/cpu/c.hpp"
  echo '#include <vector>' >"$root/src/analyser/derive/d.cpp"
}
expect() {  # NAME CODE
  python3 "$source/scripts/layers.py" "$root" >"$root.out"
  local code=$?
  if ((code != $2)); then
    echo "$1: exit $code, expected $2"
    cat "$root.out"
    exit 1
  fi
}
source=$1
fresh "$source" && expect "a clean tree" 0
echo '#include "twofold/cpu/c.hpp"' >"$root/include/twofold/algebra/a.hpp" && expect "algebra using cpu" 1
fresh "$source" && echo '#include <z3++.h>' >"$root/src/analyser/derive/d.cpp" && expect "derive naming Z3" 1
fresh "$source" && echo '  #  include "clang/AST/AST.h"' >"$root/src/analyser/derive/d.cpp" && expect "derive naming Clang" 1
fresh "$source" && mkdir -p "$root/src/new" && echo >"$root/src/new/n.cpp" && expect "a folder of no layer" 1
rm -f "$root.out"
