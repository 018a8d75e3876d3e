#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Documents say what is true: docs_check.py [TWOFOLD]. Prints each statement that is not, and exits 1.

    links      every relative link names a file (and a heading of it) that exists
    excerpts   a block after `<!-- from FILE -->` stands word for word in FILE
    tests      `Suite.Name` (or `Suite/0.Name` of a typed suite) names a test that stands under tests/
    figures    a line after `<!-- figures from FILE -->` names a result file in bench/results that exists
    output     given the program: a ```console block whose first line is `$ twofold …` is what that command prints now,
               times apart; `…` on a line of its own stands for lines left out
"""
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
EXCERPT = re.compile(r"<!-- from (\S+) -->\n```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
FIGURES = re.compile(r"<!-- figures from (\S+) -->")
CONSOLE = re.compile(r"^```console\n\$ twofold (.*?)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TEST = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\((\w+), *(\w+)\)")
NAMED_TEST = re.compile(r"`([A-Z]\w+)(?:/\d+)?\.([A-Z]\w+)`")
TIMES = re.compile(r"\d+(\.\d+)? ?(ms|s)\b")


def documents():
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])


def anchors(path):
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


def broken_links(path, text):
    outside_code = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for target in LINK.findall(outside_code):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, heading = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        if not there.exists():
            yield f"link to {target}: no such file"
        elif heading and heading not in anchors(there):
            yield f"link to {target}: no such heading"


def strange_excerpts(text):
    for file, block in EXCERPT.findall(text):
        source = ROOT / file
        if not source.is_file():
            yield f"excerpt from {file}: no such file"
        elif block not in source.read_text(encoding="utf-8"):
            yield f"excerpt from {file}: does not stand there:\n{block}"
    for file in FIGURES.findall(text):
        if not (ROOT / file).is_file():
            yield f"figures from {file}: no such file"


def known_tests():
    return {match for path in (ROOT / "tests").rglob("*_test.*") for match in TEST.findall(path.read_text(encoding="utf-8"))}


def unknown_tests(text, known):
    for suite, name in NAMED_TEST.findall(text):
        if (suite, name) not in known:
            yield f"test {suite}.{name}: there is none"


def matches(shown, real):
    """Equal line by line, times apart; an ellipsis stands for any lines."""
    pattern = "".join("(?:.*\n)*?" if line.strip() in ("…", "...") else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in real)) is not None


def other_outputs(text, twofold):
    for command, shown in CONSOLE.findall(text):
        done = subprocess.run([twofold, *shlex.split(command)], capture_output=True, text=True, cwd=ROOT, stdin=subprocess.DEVNULL)
        real = [TIMES.sub("TIME", line.rstrip()) for line in done.stdout.splitlines()]
        if not matches([TIMES.sub("TIME", line.rstrip()) for line in shown.splitlines()], real):
            yield f"twofold {command}: prints something else now:\n{done.stdout}{done.stderr}"


def main():
    twofold = str(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else None
    wrong, known = 0, known_tests()
    for path in documents():
        text = path.read_text(encoding="utf-8")
        found = [*broken_links(path, text), *strange_excerpts(text), *unknown_tests(text, known), *(other_outputs(text, twofold) if twofold else [])]
        for message in found:
            print(f"{path.relative_to(ROOT)}: {message}")
        wrong += len(found)
    print(f"{len(documents())} documents, {wrong} statements that do not hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
