# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a lazy reference costs in accuracy, emulated in float64 with weights rounded to bf16: errors of the output and how often references move, by slack.

usage: attention_gauge.py > bench/results/attention_gauge.json   (needs numpy, no GPU)
"""
import json

import numpy as np

RANDOM = np.random.default_rng(1)


def bf16(x):
    u = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    return ((u + 0x7fff + ((u >> 16) & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)


def fold(scores, values, slack, tile=128, rows=16):
    """Tiles from the last to the first; references move by vote of the rows of a warp. Returns the output and the share of tiles in which they move."""
    at, l = np.full(len(scores), -np.inf), np.zeros(len(scores))
    o, moves, first = np.zeros((len(scores), values.shape[1])), [], True
    for begin in range(scores.shape[1] - tile, -1, -tile):
        x = scores[:, begin:begin + tile]
        m = x.max(1)
        moved = (m > at + (0 if first else slack)).reshape(-1, rows).any(1).repeat(rows)
        following = np.where(moved, np.maximum(at, m), at)
        factor = np.exp2(at - following)
        at, l, o = following, l * factor, o * factor[:, None]
        p = np.exp2(x - at[:, None]).astype(np.float32)
        l, o = l + p.sum(1), o + bf16(p).astype(np.float64) @ values[begin:begin + tile]
        moves.append(moved.mean())
        first = False
    return o / l[:, None], float(np.mean(moves))


def main():
    out = []
    for name in ("normal", "outliers", "scale 16"):
        d, keys = 128, 2048
        q, k, v = RANDOM.standard_normal((512, d)), RANDOM.standard_normal((keys, d)), RANDOM.standard_normal((keys, d))
        if name == "outliers":
            q.reshape(-1)[::97] *= 30
            k.reshape(-1)[::89] *= 30
        elif name == "scale 16":
            q *= 16
        q, k, v = (bf16(t).astype(np.float64) for t in (q, k, v))
        scores = q @ k.T / np.sqrt(d) * 1.4426950408889634
        p = np.exp2(scores - scores.max(1)[:, None])
        want = (p / p.sum(1)[:, None]) @ v
        for slack in (0, 0.5, 1, 2, 3, 4, 8):
            got, moves = fold(scores, v, slack)
            out.append({"name": name, "d": d, "keys": keys, "slack": slack, "error": float(f"{np.linalg.norm(bf16(got) - want) / np.linalg.norm(want):.4e}"),
                        "moves": round(moves, 3)})
    print(json.dumps({"schema": 1, "what": "attention_gauge", "date": "2026-11-30", "program": "bench/cuda/attention_gauge.py", "rows": out},
                     separators=(", ", ": ")).replace("}, {", "},\n{"))


if __name__ == "__main__":
    main()
