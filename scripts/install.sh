#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what Twofold needs on Debian 12 and is not there yet, by name. Asks for nothing if nothing is missing.
#   scripts/install.sh            installs what is missing
#   scripts/install.sh --peers    also what the benchmarks compare with
#   scripts/install.sh --check    only says what is missing; exit 5 if something is
set -euo pipefail

build=(g++ cmake ninja-build make pkg-config python3 ccache)
program=(clang-19 libclang-19-dev llvm-19-dev libflint-dev libgmp-dev libz3-dev z3 cvc5 libcli11-dev nlohmann-json3-dev libfmt-dev)
library=(libtbb-dev libhwy-dev)
peers=(libeigen3-dev libboost-dev libdnnl-dev)  # measured beside Twofold; the benchmarks do without what is missing
tests=(libgtest-dev librapidcheck-dev libmpfr-dev libbenchmark-dev clang-format-14)
packages=("${build[@]}" "${program[@]}" "${library[@]}" "${tests[@]}")
[[ ${1:-} == --peers ]] && packages+=("${peers[@]}")

if ! command -v dpkg-query >/dev/null; then
  echo "install.sh: this is not a Debian system; please install the equivalents of: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  [[ $status == ii* || $status == hi* ]] || missing+=("$package")
done

if ((${#missing[@]} == 0)); then
  echo "install: everything is there (${#packages[@]} packages)" >&2
  exit 0
fi
echo "install: missing: ${missing[*]}" >&2
[[ ${1:-} == --check ]] && exit 5

get=(apt-get)
if ((EUID != 0)); then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    get=(sudo -n apt-get)
  else
    echo "install: not root, and sudo would ask for a password; please run:" >&2
    echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 5
  fi
fi
export DEBIAN_FRONTEND=noninteractive
"${get[@]}" update -qq
"${get[@]}" install -y -qq --no-install-recommends "${missing[@]}" >&2
