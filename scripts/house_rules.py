#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what a reader may rely on in every source file; prints each breach, and exits 1 if there is one.

    licence   the first line names it            @file   C++ files say in one sentence what they hold
    size      more than 700 lines is an error, more than 400 a warning; median and largest are printed
    unfinished  no marks of work left undone     tabs, trailing blanks: none
    mutants   each text that bench/cuda/mutants.py replaces stands in its file once

Inputs of tests (folders refused, golden, broken, inputs under tests/) are what users might write, and are free.
"""
import pathlib
import re
import runpy
import statistics
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
WARN_LINES, MAX_LINES = 400, 700
TOPS = ("include", "src", "tests", "examples", "bench", "scripts")
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")
INPUTS = {"refused", "golden", "broken", "inputs"}
CPP = (".hpp", ".cpp", ".cuh", ".cu", ".h")


def sources():
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*")):
            inputs = top == "tests" and INPUTS.intersection(path.relative_to(ROOT).parts)
            if path.suffix in CPP + (".py", ".sh") and not inputs:
                yield path


def breaches(path):
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    where = path.relative_to(ROOT)
    if LICENCE not in "\n".join(lines[:2]):
        yield f"{where}:1: does not begin with the licence line"
    if path.suffix in CPP and "@file" not in "\n".join(lines[:4]):
        yield f"{where}:2: no `//! @file` sentence"
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield f"{where}:{len(lines)}: must end with one newline"
    if len(lines) > MAX_LINES:
        yield f"{where}: {len(lines)} lines; at most {MAX_LINES}"
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield f"{where}:{number}: unfinished: {line.strip()[:80]}"
        if line != line.rstrip() or ("\t" in line and path.suffix in CPP):
            yield f"{where}:{number}: tab or trailing blank"


def lost_mutants():
    table = ROOT / "bench/cuda/mutants.py"
    known = runpy.run_path(str(table)) if table.exists() else {"MUTANTS": []}
    for what, name, old, *_ in known["MUTANTS"]:
        found = (ROOT / known["CUDA"] / name).read_text(encoding="utf-8").count(old)
        if found != 1:
            yield f"{table.relative_to(ROOT)}: {what}: its text stands in {name} {found} times"


def main():
    files = list(sources())
    wrong = [message for path in files for message in breaches(path)] + list(lost_mutants())
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    for path, lines in sorted(sizes.items(), key=lambda item: -item[1]):
        if lines > WARN_LINES:
            print(f"warning: {path.relative_to(ROOT)}: {lines} lines; is there a seam?")
    largest = max(sizes, key=sizes.get)
    print("\n".join(wrong))
    print(f"{len(files)} files, median {statistics.median(sizes.values()):.0f} lines, largest {sizes[largest]} ({largest.relative_to(ROOT)}), {len(wrong)} breaches")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
