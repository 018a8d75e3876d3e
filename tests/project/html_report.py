#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`check --html` of the example loops and of hostile names: html_report.py PROGRAM LOOPS_FOLDER.

Pages are well-formed, load nothing, hold what the report says, and are the same bytes every time."""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

PROGRAM, LOOPS = sys.argv[1:3]
HOSTILE = r'''
// "quotes" & <tags> in the source: </pre><script>alert(1)</script> ' ]]> -->
int f(const int* x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s = s < x[i] && x[i] > 3 ? x[i] : s;
  return s;
}
'''
WANTED = {
    "softmax_online.cpp:denominator": ["associative: states of neighbouring pieces merge", "The merge", "Why: a plain monoid", "Proof", "In machine arithmetic", "from the right", "φ"],
    "vote.cpp:majority": ["not associative with this state", "The witness", "≠", "The other, which ends in the same state"],
    "streaks.cpp:longest_run": ["associative with added state", "added", "splitting pays"],
    "attention_naive.cpp:attention": ["a.o[j]", "The merge"],
}


def page(target, folder, name="page.html"):
    file = pathlib.Path(folder) / name
    done = subprocess.run([PROGRAM, "check", target, "--html", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert file.is_file(), f"{target}: no page, exit {done.returncode}\n{done.stderr.decode()}"
    return file.read_bytes().decode()


def faults(text):
    """What is wrong with a page, in words."""
    try:
        root = tree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    except tree.ParseError as error:
        yield f"not well-formed: {error}"
        return
    ids = {e.get("id") for e in root.iter() if e.get("id")}
    for e in root.iter():
        if e.tag in ("script", "link", "img", "iframe", "object", "embed", "base", "form"):
            yield f"<{e.tag}>"
        for key, value in e.attrib.items():
            if key.startswith("on") or key in ("src", "srcset", "data", "action", "background"):
                yield f"{key}={value}"
            if key.endswith("href") and (not value.startswith("#") or value[1:] not in ids):
                yield f"a reference to {value}"
            for used in re.findall(r"url\(([^)]*)\)", value):
                if used.removeprefix("#") not in ids:
                    yield f"a reference to {used}"
    if re.search(r"https?://|@import|url\(", "".join(e.text or "" for e in root.iter("style"))):
        yield "the style sheet loads something"
    for svg in root.iter("svg"):
        width, height = (float(v) for v in (svg.get("viewBox") or "0 0 0 0").split()[2:])
        for box in svg.iter("rect"):
            x, y, w, h = (float(box.get(k)) for k in ("x", "y", "width", "height"))
            if x < -1 or y < 0 or x + w > width + 1 or y + h > height + 1:
                yield f"a box at {x:.0f}, {y:.0f} leaves its picture of {width:.0f} × {height:.0f}"


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for loop, words in WANTED.items():
            text = page(f"{LOOPS}/{loop}", folder)
            wrong += [f"{loop}: {f}" for f in faults(text)]
            plain = "".join(tree.fromstring(text.removeprefix("<!DOCTYPE html>\n")).itertext())
            wrong += [f"{loop}: does not say “{w}”" for w in words if w not in plain]
            again = re.sub(r"<b>\d+ ms</b>", "", page(f"{LOOPS}/{loop}", folder, "again.html"))
            if again != re.sub(r"<b>\d+ ms</b>", "", text):
                wrong.append(f"{loop}: another page the second time")
        strange = pathlib.Path(folder) / "a<b>&'\"\n\x01c.cpp"
        strange.write_text(HOSTILE)
        text = page(f"{strange}:f", folder)
        wrong += [f"hostile names: {f}" for f in faults(text)]
        many = page(f"{LOOPS}/attention_variants.cpp", folder)
        wrong += [f"several loops: {f}" for f in faults(many)]
        if many.count("<section") < 2 or "<nav>" not in many:
            wrong.append("several loops: no contents")
    print("\n".join(wrong) or f"{len(WANTED) + 2} pages, well-formed, self-contained, the same twice")
    return 1 if wrong else 0


sys.exit(main())
