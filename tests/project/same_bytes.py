#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same input gives the same bytes: same_bytes.py PROGRAM LOOPS_FOLDER. JSON, evidence and report of several loops, in environments
that differ in size, language, folder and cache. Only time_ms may differ."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, LOOPS = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
SOURCES = ["streaks.cpp:longest_run", "welford.cpp:variance", "vote.cpp:majority", "word_count.cpp:word_count", "argmax.cpp:argmax"]


def said(loop, folder, environment):
    everything = {**os.environ, **environment, "XDG_CACHE_HOME": f"{folder}/cache"}
    out = b""
    for words in (["--json"], ["--proof", "evidence"], ["--format", "gcc"]):
        out += subprocess.run([PROGRAM, "check", f"{LOOPS}/{loop}", "--seconds", "60", *words], cwd=folder, env=everything, stdout=subprocess.PIPE, check=False).stdout
    for file in sorted(pathlib.Path(folder).glob("evidence/*")):
        out += file.read_bytes()
    return re.sub(rb'"time_ms": [0-9.e+-]+', b"", out)


def main():
    different = 0
    for loop in SOURCES:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory(prefix="a much longer name ") as two:
            first = said(loop, one, {"LC_ALL": "C"})
            second = said(loop, two, {"LC_ALL": "C.UTF-8", "PADDING": "x" * 5000, "TZ": "Asia/Tokyo", "COLUMNS": "40"})
        same = first == second
        different += not same
        print(f"{'ok   ' if same else 'OTHER'} {loop}: {len(first)} bytes")
    return 1 if different else 0


sys.exit(main())
