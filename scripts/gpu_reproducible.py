#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines of bench/cuda/reproducible.cu become bench/results/h200_reproducible.json: gpu_reproducible.py LINES [DATE [DEVICE]].

Refuses lines that report a difference.
"""
import json
import sys
from pathlib import Path

RESULT = Path(__file__).resolve().parent.parent / "bench/results/h200_reproducible.json"


def main(path, date="2026-11-30", device="NVIDIA H200"):
    rows = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue  # what a tool printed between the lines
    bits, times = ([r for r in rows if r["what"] == what] for what in ("bits", "time"))
    if any(r["different"] for r in bits) or any(r["same_as_cpu"] == 0 for r in times) or not bits:
        print(f"{path}: a difference, or nothing to keep")
        return 1
    head = {"schema": 1, "what": "reproducible", "date": date, "device": device, "cuda": "13.0", "program": "bench/cuda/reproducible.cu"}
    text = json.dumps({**head, "rows": bits + times}, separators=(", ", ": ")).replace("}, {", "},\n{")
    RESULT.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
