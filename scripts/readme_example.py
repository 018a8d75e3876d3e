#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the first C++ block of README.md: what the tests compile is what the reader sees. With --lines, the number of its lines."""
import pathlib
import re
import sys

readme = pathlib.Path(__file__).resolve().parent.parent / "README.md"
blocks = re.findall(r"^```cpp\n(.*?)^```$", readme.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
if not blocks:
    sys.exit("README.md has no C++ block")
print(f"{sum(1 for line in blocks[0].splitlines() if line.strip())}\n" if "--lines" in sys.argv else blocks[0], end="")
