#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`twofold run` of naive attention on a model's q, k, v under every schedule against a float64 reference: run_attention.py TWOFOLD EXAMPLES.

The smaller of two limits: the guarantee of float arithmetic (scores carry d roundings of |q||k|, the weights n, relative to the largest |v|), and
64 roundings of the largest |v|, far below it, so that the loss of one key of weight 10^-5 would show.
"""
import ast
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

SCHEDULES = ("fold", "tree", "lanes=8", "tiles=16", "tiles=128,tree", "split=8", "tiles=32,split=8,tree", "threads", "threads=2,tiles=64,tree",
             "reproducible", "tiles=1,tree", "tiles=4096", "split=400")
UNIT = 2.0**-24


def read_npy(path):
    """(shape, values) of a little-endian float array."""
    blob = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<H", blob[8:10])
    header = ast.literal_eval(blob[10 : 10 + size].decode())
    code = {"<f4": "f", "<f8": "d"}[header["descr"]]
    count = math.prod(header["shape"])
    return header["shape"], struct.unpack(f"<{count}{code}", blob[10 + size :])


def reference(q, k, v, n, d, scale):
    scores = [scale * math.fsum(q[j] * k[i * d + j] for j in range(d)) for i in range(n)]
    top = max(scores)
    p = [math.exp(s - top) for s in scores]
    total = math.fsum(p)
    return [math.fsum(p[i] * v[i * d + j] for i in range(n)) / total for j in range(d)]


def error_bound(q, k, v, n, d, scale):
    dots = [scale * math.fsum(abs(q[j] * k[i * d + j]) for j in range(d)) for i in range(n)]
    guarantee = 2 * UNIT * (2 * (d + 2) * max(dots) + n + 8)
    return min(guarantee, 64 * UNIT) * max(map(abs, v))


def main(twofold, examples):
    data = pathlib.Path(examples) / "data" / "attention"
    (d,), q = read_npy(data / "q.npy")
    (n, _), k = read_npy(data / "k.npy")
    _, v = read_npy(data / "v.npy")
    scale = struct.unpack("f", struct.pack("f", 1 / math.sqrt(d)))[0]
    right, bound = reference(q, k, v, n, d, scale), error_bound(q, k, v, n, d, scale)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for schedule in SCHEDULES:
            out = pathlib.Path(folder) / "o.npy"
            command = [twofold, "run", f"{examples}/loops/attention_naive.cpp:attention", "--set", f"scale={scale!r}", "--schedule", schedule]
            command += [part for name in "qkv" for part in ("--input", f"{name}={data / name}.npy")] + ["--output", f"o={out}", "--json"]
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                print(f"WRONG {schedule}: exit {done.returncode}: {done.stdout[:300]} {done.stderr[:500]}")
                failed += 1
                continue
            shape, got = read_npy(out)
            difference = max(abs(a - b) for a, b in zip(got, right, strict=True))
            good = difference <= bound and json.loads(done.stdout)["max_difference"] <= 2 * bound
            print(f"{'ok   ' if good else 'WRONG'} {schedule:24} largest difference from float64 {difference:.2e} (bound {bound:.2e})")
            failed += not good
            out.unlink()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
