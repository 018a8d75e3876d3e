#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes follow the layers of cmake/layers.txt; prints each one that does not, and exits 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def read_rules(path):
    allowed, external = {}, {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            left, right = (part.strip() for part in line.split(":"))
            if left.startswith("extern "):
                external[left.removeprefix("extern ").strip()] = right.split()
            else:
                allowed[left] = right.split()
    return allowed, external


def layer_of(path, layers):
    """The layer whose folder is the longest that holds the file."""
    holding = [layer for layer in layers if path.is_relative_to(ROOT / layer)]
    return max(holding, key=len, default=None)


def resolve(name, including):
    """The file of ours that an include names, or None for one from outside."""
    for base in (including.parent, ROOT / "include", ROOT / "src", ROOT / "src" / "analyser", ROOT / "src" / "cli"):
        if (base / name).is_file():
            return (base / name).resolve()
    return None


def wrong_includes(path, allowed, external):
    mine = layer_of(path, allowed)
    if mine is None:
        yield f"{path.relative_to(ROOT)}: belongs to no layer; add its folder to cmake/layers.txt"
        return
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        target = resolve(name, path)
        if target is not None:
            theirs = layer_of(target, allowed)
            if theirs != mine and theirs not in allowed[mine]:
                yield f'{path.relative_to(ROOT)}: includes "{name}", but {mine} may not use {theirs}'
        else:
            for prefix, users in external.items():
                if name.startswith(prefix) and mine not in users:
                    yield f"{path.relative_to(ROOT)}: includes <{name}>, which only {', '.join(users)} may"


def main():
    allowed, external = read_rules(ROOT / "cmake" / "layers.txt")
    files = sorted(p for top in ("include", "src") for p in (ROOT / top).rglob("*") if p.suffix in (".hpp", ".cpp", ".cuh", ".cu", ".h"))
    wrong = [message for path in files for message in wrong_includes(path, allowed, external)]
    print("\n".join(wrong + [f"{len(files)} files, {len(wrong)} includes against the layers"]))
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
