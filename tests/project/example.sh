#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs an example and compares what it prints: example.sh PROGRAM EXPECTED
set -euo pipefail
out=$("$1")
echo "$out"
diff "$2" <(echo "$out")
