#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A refutation runs: the witness of each refuted example, compiled with the loop as it stands, gives the two results that were said.

    confirm_witness.py PROGRAM COMPILER SOURCE_DIR
"""
import json
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

REFUTED = ["running_quantizer.cpp:quantized_dot", "vote.cpp:majority"]


def call(function, witness, pieces, element_type):
    """C++ that prints f(pieces one after the other), every array being one column of the elements."""
    rows = [row for piece in pieces for row in piece]
    names = [e.split("[")[0] for e in witness["elements"]]
    arrays = "".join(f"const {element_type} {name}[] = {{{', '.join(row[k] for row in rows)}}}; " for k, name in enumerate(names))
    return f'{{ {arrays}std::cout << std::setprecision(17) << {function}({", ".join(names)}, {len(rows)}) << "\\n"; }}'


def main():
    program, compiler, root = sys.argv[1:4]
    failures = 0
    for loop in REFUTED:
        source, function = loop.split(":")
        path = Path(root) / "examples/loops" / source
        answer = json.loads(subprocess.run([program, "check", f"{path}:{function}", "--json"], stdout=subprocess.PIPE, check=False).stdout)
        witness = answer["counterexample"]
        element_type = "int" if "const int*" in path.read_text() else "double"
        text = f'#include <iomanip>\n#include <iostream>\n#include "{path}"\nint main() {{\n'
        for right in ("right", "right2"):
            text += call(function, witness, [witness["left"], witness[right], witness["suffix"]], element_type) + "\n"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "witness.cpp"
            file.write_text(text + "}\n")
            subprocess.run([compiler, "-std=c++20", "-o", str(file.with_suffix("")), str(file)], check=True)
            got = subprocess.run([str(file.with_suffix(""))], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
        said = [witness["result"], witness["result2"]]
        good = said[0] != said[1] and all(Fraction(g) == Fraction(s) for g, s in zip(got, said))
        failures += not good
        print(f"{'ok   ' if good else 'WRONG'} {loop}: said {said}, the compiled loop gives {got}")
    return 1 if failures else 0


sys.exit(main())
