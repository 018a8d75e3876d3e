#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops compiled for AVX2 and AVX-512 share no function with a program: own_namespace.py LIBRARY.

Of a function that several objects define the linker keeps any one. Were one of them compiled for instructions that a machine has not, programs would
die there that never asked for it. So every symbol which such an object defines weakly lies in the namespace of its instructions.
"""
import re
import subprocess
import sys


def main(library):
    done = subprocess.run(["nm", "--defined-only", library], capture_output=True, text=True)
    if done.returncode != 0:
        print("nm is not here")
        return 77
    wrong, seen, member = [], 0, ""
    for line in done.stdout.splitlines():
        if line.endswith(":"):
            member = line[:-1]
        found = re.match(r"[0-9a-f]* ([WVu]) (\S+)", line)
        target = re.match(r"(avx2|avx512)[.]", member)
        if not found or not target:
            continue
        seen += 1
        if f"{len(target[1])}{target[1]}" not in found[2]:
            wrong.append(f"{member}: {found[2]}")
    print(f"{seen} weak symbols, {len(wrong)} outside of their namespace", *wrong[:20], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
