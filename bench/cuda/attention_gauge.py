# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a lazy reference costs in accuracy, emulated in float64 with weights rounded to bf16: errors of the output and how often references move, by rule.

A rule says when the reference of a row moves to its largest score so far: where a newcomer exceeds it by more than a slack; or where the newcomer's
weight is at least a share of the sum of weights so far (and it exceeds the reference by at most 4 otherwise). Then references that follow the largest
score, in tiles of fewer and of more keys, over tiles of 128.

usage: attention_gauge.py > bench/results/attention_gauge.json   (needs numpy, no GPU)
"""
import json

import numpy as np

RANDOM = np.random.default_rng(5)
D, ROWS, TILE, WARP = 64, 512, 128, 16


def bf16(x):
    u = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    return ((u + 0x7fff + ((u >> 16) & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)


def fold(scores, values, rule, tile=TILE):
    """Tiles from the last to the first; references move by vote of the rows of a warp. A thread knows the largest score and the sum of weights of its
    own columns only. Returns the output, and the share of tiles after the first in which those of a warp, of half its rows, move."""
    rows, keys = scores.shape
    at, l, o = np.full(rows, -np.inf), np.zeros((rows, 4)), np.zeros((rows, values.shape[1]))
    warps, halves = [], []
    for begin in range(keys - tile, -1, -tile):
        x = scores[:, begin:begin + tile]
        m = x.reshape(rows, -1, 4, 2).max((1, 3))
        first = begin == keys - tile
        wants = np.ones(rows, bool) if first else rule(m - at[:, None], 4 * l).any(1)
        following = np.where(wants.reshape(-1, WARP).any(1).repeat(WARP), np.maximum(at, m.max(1)), at)
        moved, factor = following != at, np.exp2(at - following)[:, None]
        at = following
        p = np.exp2(x - at[:, None]).astype(np.float32)
        l = l * factor + p.reshape(rows, -1, 4, 2).sum((1, 3))
        o = o * factor + bf16(p).astype(np.float64) @ values[begin:begin + tile]
        if not first:
            warps.append(moved.reshape(-1, WARP).any(1).mean()), halves.append(moved.reshape(-1, 8).any(1).mean())
    return bf16(o / l.sum(1)[:, None]), float(np.mean(warps)), float(np.mean(halves))


def slack(s):
    return lambda above, l: above > s


def share(f):
    return lambda above, l: (above > 0) & ((np.exp2(np.minimum(above, 99)) >= f * l) | (above > 4))


RULES = {"slack 0": slack(0), **{f"slack {s}": slack(s) for s in (0.5, 1, 2, 4, 8)}, **{f"share 1/{n}": share(1 / n) for n in (8, 32, 64, 128)}}


def draw(name, keys):
    """Scores in log2 units, values, and the answer."""
    q, k, v = RANDOM.standard_normal((ROWS, D)), RANDOM.standard_normal((keys, D)), RANDOM.standard_normal((keys, D))
    if name == "outliers":
        q.reshape(-1)[::97] *= 30
        k.reshape(-1)[::89] *= 30
    elif name.startswith("scale"):
        q *= float(name.split()[1])
    q, k, v = (bf16(t).astype(np.float64) for t in (q, k, v))
    scores = q @ k.T / np.sqrt(D) * 1.4426950408889634
    p = np.exp2(scores - scores.max(1)[:, None])
    return scores, v, (p / p.sum(1)[:, None]) @ v


def compared(name, keys, seeds, ways, first):
    """Errors of each way (a rule and a tile) and how far they lie above the first's."""
    found = {way: [] for way in ways}
    for _ in range(seeds):
        scores, v, want = draw(name, keys)
        for way, (rule, tile) in ways.items():
            got, warps, halves = fold(scores, v, rule, tile)
            found[way].append((np.linalg.norm(got - want) / np.linalg.norm(want), warps, halves))
    exact = np.array(found[first])[:, 0]
    for way, x in found.items():
        error, warps, halves = np.array(x).T
        above = 100 * (error / exact - 1)
        yield {"name": name, "d": D, "keys": keys, "rule": way, "error": float(f"{error.mean():.4e}"), "above": round(above.mean(), 2),
               "deviation": round(above.std(ddof=1) / seeds**0.5, 2), "warps": round(warps.mean(), 3), "halves": round(halves.mean(), 3)}


def main():
    out = []
    for name, keys, seeds in (("normal", 512, 8), ("normal", 2048, 8), ("normal", 8192, 4), ("scale 4", 2048, 8), ("scale 16", 2048, 8), ("outliers", 2048, 8)):
        out += compared(name, keys, seeds, {rule: (f, TILE) for rule, f in RULES.items()}, "slack 0")
    for name, keys in (("normal", 512), ("normal", 2048), ("scale 4", 2048), ("scale 16", 2048), ("outliers", 2048)):
        out += compared(name, keys, 20, {f"tiles of {tile} keys": (slack(0), tile) for tile in (128, 32, 64, 256)}, "tiles of 128 keys")
    print(json.dumps({"schema": 2, "what": "attention_gauge", "date": "2026-12-01", "program": "bench/cuda/attention_gauge.py", "rows": out},
                     separators=(", ", ": ")).replace("}, {", "},\n{"))


if __name__ == "__main__":
    main()
