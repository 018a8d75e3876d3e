# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peers of the row benchmark: PyTorch, eager and compiled, on the same shapes, cold. One JSON object a line: rows_peers.py [eager|compile].
rows_peers.py interleaved ROWS TOP_K: the programs of rows_main.cu and top_k.cu and eager PyTorch take turns, shape by shape."""
import json
import statistics
import subprocess
import sys

import torch
import torch.nn.functional as F

DEVICE = "cuda"
FLUSH = torch.empty(256 << 20, dtype=torch.uint8, device=DEVICE)
TARGET = torch.zeros(1 << 24, dtype=torch.long, device=DEVICE)
SHAPES = ((1 << 20, 256), (1 << 17, 2048), (1 << 15, 8192), (1 << 13, 32768), (1 << 10, 262144), (16, 1 << 24), (1, 1 << 28), (131071, 1000), (4096, 50257), (1 << 24, 17))
OPS = {
    "sum": (lambda x: x.sum(-1), 1),
    "max": (lambda x: x.amax(-1), 1),
    "argmax": (lambda x: torch.argmax(x, -1), 1),
    "logsumexp": (lambda x: torch.logsumexp(x, -1), 1),
    "var_mean": (lambda x: torch.var_mean(x, -1), 1),
    "cross_entropy": (lambda x: F.cross_entropy(x, TARGET[: x.shape[0]], reduction="none"), 1),
    "softmax": (lambda x: torch.softmax(x, -1), 2),
    "log_softmax": (lambda x: torch.log_softmax(x, -1), 2),
    "layer_norm": (lambda x: F.layer_norm(x, (x.shape[-1],)), 2),
    "rms_norm": (lambda x: F.rms_norm(x, (x.shape[-1],)), 2),
    "topk8": (lambda x: torch.topk(x, 8, dim=-1), 1),
}


def median_ms(run):
    run()
    torch.cuda.synchronize()
    times = []
    for _ in range(7):
        FLUSH.zero_()
        a, b = torch.cuda.Event(True), torch.cuda.Event(True)
        a.record()
        run()
        b.record()
        b.synchronize()
        times.append(a.elapsed_time(b))
        if times[0] > 30 and len(times) == 2:  # two are enough to see that it is slow
            break
    return statistics.median(times)


def main(mode, programs):
    compiled = {("softmax", 2048), ("logsumexp", 2048), ("var_mean", 2048), ("layer_norm", 2048), ("rms_norm", 2048), ("softmax", 32768),
                ("logsumexp", 32768), ("var_mean", 32768), ("layer_norm", 32768), ("rms_norm", 32768)}
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        for rows, columns in SHAPES:
            kind = {torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16"}[dtype]
            for number, program in enumerate(programs):
                torch.cuda.empty_cache()
                arguments = ["time", *([] if number else [""]), kind, str(columns)]
                print(subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False).stdout, end="", flush=True)
            x = torch.rand(rows, columns, device=DEVICE, dtype=dtype) * 8 - 4
            for name, (run, traffic) in OPS.items():
                if name in ("cross_entropy", "topk8") and columns > 262144:
                    continue
                if mode == "compile":
                    if (name, columns) not in compiled:
                        continue
                    run = torch.compile(run, dynamic=False)
                try:
                    ms = median_ms(lambda: run(x))
                except Exception as why:  # a peer that cannot is a result too
                    print(json.dumps({"what": "peer", "mode": mode, "op": name, "rows": rows, "columns": columns, "error": str(why)[:80]}), flush=True)
                    continue
                print(json.dumps({"what": "peer", "mode": mode, "op": name, "type": kind, "rows": rows, "columns": columns, "ms": round(ms, 4),
                                  "gbs": round(traffic * x.numel() * x.element_size() / ms / 1e6)}), flush=True)
            del x


if len(sys.argv) > 1 and sys.argv[1] == "interleaved":
    main("eager", sys.argv[2:])
else:
    main(sys.argv[1] if len(sys.argv) > 1 else "eager", [])
