#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What including the umbrella header costs, in CPU seconds above an empty file: compile_cost.py INCLUDE_DIR COMPILER [LIMIT].

CPU time of the compiler and its children, the smallest of five runs each: the machine may be busy, the work is the same.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def cpu_seconds(compiler, include, text, folder, runs=5):
    source = pathlib.Path(folder) / "unit.cpp"
    source.write_text(text)
    best = float("inf")
    for _ in range(runs):
        before = os.times()
        subprocess.run([compiler, "-std=c++20", "-c", f"-I{include}", str(source), "-o", str(source) + ".o"], check=True)
        after = os.times()
        best = min(best, after.children_user + after.children_system - before.children_user - before.children_system)
    return best


def main(include, compiler, limit="1.0"):
    with tempfile.TemporaryDirectory() as folder:
        empty = cpu_seconds(compiler, include, "", folder)
        for header in ("twofold/algebra/reduction.hpp", "twofold/twofold.hpp"):
            cost = cpu_seconds(compiler, include, f"#include <{header}>\n", folder) - empty
            print(f"{header}: {cost:.2f} CPU s above an empty file ({compiler}; limit {limit})")
    return 0 if cost < float(limit) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
