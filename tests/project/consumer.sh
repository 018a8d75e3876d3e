#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The README's example against an installed Twofold, in every way a stranger may use it:
#   consumer.sh SOURCE BUILD find_package|add_subdirectory|pkg_config|headers|attention
# (attention: not the README's example but a call of twofold::attention, from C++ and from C, as far as it goes without a device).
# The installation is moved after it was made: nothing may remember where it was built.
set -euo pipefail
source=$(realpath "$1")
build=$(realpath "$2")
way=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 "$source/scripts/readme_example.py" >"$work/main.cpp"
cmake --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/moved"
prefix=$work/moved
if grep -rIlF -e "$source" -e "$work/first" "$prefix"/lib* "$prefix"/include "$prefix"/share 2>/dev/null; then
  echo "the files above name the folder they were built or first installed in"
  exit 1
fi

case $way in
  find_package)
    cmake -S "$source/tests/project/consumer/find_package" -B "$work/b" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DMAIN="$work/main.cpp" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    cmake --build "$work/b"
    "$work/b/consumer" >"$work/out"
    ;;
  add_subdirectory)
    cmake -S "$source/tests/project/consumer/add_subdirectory" -B "$work/b" -G Ninja -DTWOFOLD_SOURCE="$source" -DMAIN="$work/main.cpp" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    cmake --build "$work/b"
    "$work/b/consumer" >"$work/out"
    ;;
  pkg_config)
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name twofold.pc)")
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046
    g++ -std=c++20 "$work/main.cpp" $(pkg-config --cflags --libs twofold) -o "$work/consumer"
    "$work/consumer" >"$work/out"
    ;;
  attention)
    cmake -S "$source/tests/project/consumer/attention" -B "$work/b" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    cmake --build "$work/b"
    "$work/b/from_cpp"
    "$work/b/from_c"
    exit
    ;;
  headers)  # plain g++ and the include folder, nothing else: threaded schedules then use the calling thread
    g++ -std=c++20 -I"$prefix/include" "$work/main.cpp" -o "$work/consumer"
    "$work/consumer" >"$work/out"
    ;;
  *) echo "consumer.sh: no such way: $way" && exit 2 ;;
esac

cat "$work/out"
diff "$source/tests/project/readme.expected" "$work/out"
