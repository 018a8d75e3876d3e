#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention on the CPU beside its peers: cpu_attention.py BENCH_ATTENTION [--ggml TEST_BACKEND_OPS] [--rounds N]

Peers run at their best settings, in turn with ours, on the same number of threads: PyTorch's scaled_dot_product_attention where torch can be
imported (PyPI), ggml's FLASH_ATTN_EXT where its test-backend-ops is given. A figure is the best of all rounds; what the machine can multiply and read
is measured beside them. Writes
bench/results/cpuN_attention.json. --page makes docs/performance/cpu_attention.md from it and measures nothing.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import time

from bench import RESULTS, ROOT, machine, wait_until_quiet

# name, type, batch, heads, kv heads, queries, keys, head size, causal
SHAPES = [
    ("prefill 64", "f32", 1, 8, 8, 2048, 2048, 64, 0),
    ("prefill 72", "f32", 1, 8, 8, 2048, 2048, 72, 0),
    ("prefill 80", "f32", 1, 8, 8, 2048, 2048, 80, 0),
    ("prefill 96", "f32", 1, 8, 8, 2048, 2048, 96, 0),
    ("prefill 112", "f32", 1, 4, 4, 2048, 2048, 112, 0),
    ("prefill 128", "f32", 1, 4, 4, 2048, 2048, 128, 0),
    ("prefill 128 causal", "f32", 1, 4, 4, 2048, 2048, 128, 1),
    ("prefill 256", "f32", 1, 2, 2, 2048, 2048, 256, 0),
    ("prefill 64", "bf16", 1, 8, 8, 2048, 2048, 64, 0),
    ("prefill 72", "bf16", 1, 8, 8, 2048, 2048, 72, 0),
    ("prefill 128", "bf16", 1, 4, 4, 2048, 2048, 128, 0),
    ("prefill 128 causal", "bf16", 1, 4, 4, 2048, 2048, 128, 1),
    ("prefill 256", "bf16", 1, 2, 2, 2048, 2048, 256, 0),
    ("512 queries, 16 heads per kv head, 256", "f16", 1, 32, 2, 512, 10000, 256, 0),
    ("prefill 72, 5776 keys", "f16", 1, 16, 16, 5776, 5776, 72, 0),
    ("decode 128", "f16", 1, 8, 8, 1, 16384, 128, 0),
    ("decode 128, 4 heads per kv head", "f16", 1, 32, 8, 1, 16384, 128, 0),
    ("decode 128", "bf16", 1, 8, 8, 1, 16384, 128, 0),
    ("decode 128", "f32", 1, 8, 8, 1, 16384, 128, 0),
    ("decode 64, 8 heads per kv head", "f16", 1, 64, 8, 1, 7680, 64, 0),
]


class Ours:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def __call__(self, shape, threads, seconds):
        return self.ask(*shape[1:], threads, seconds)

    def ceiling(self, *what):
        return self.ask(*what, 0.1)["per_second"]


class Torch:
    def __init__(self, threads):
        import torch
        torch.set_num_threads(threads)
        self.torch, self.version, self.kept = torch, torch.__version__, None

    def __call__(self, shape, seconds):
        torch = self.torch
        name, kind, batch, heads, kv_heads, queries, keys, size, causal = shape
        if self.kept is None or self.kept[0] != shape:
            dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[kind]
            made = [torch.randn(batch, h, n, size, dtype=torch.float32).to(dtype) for h, n in ((heads, queries), (kv_heads, keys), (kv_heads, keys))]
            self.kept = (shape, made)
        q, k, v = self.kept[1]

        def run():
            with torch.no_grad():
                torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(causal), enable_gqa=heads != kv_heads)
        run()
        best, spent, runs = 1e300, 0.0, 0
        while spent < seconds or runs < 3:
            begin = time.perf_counter()
            run()
            took = time.perf_counter() - begin
            best, spent, runs = min(best, took), spent + took, runs + 1
        return best


def ggml(program, shape):
    """Seconds of ggml's FLASH_ATTN_EXT for this shape, from its own driver (it has no causal masks here and pads nothing)."""
    name, kind, batch, heads, kv_heads, queries, keys, size, causal = shape
    if causal or kind == "bf16":
        return None
    pattern = f"hsk={size},hsv={size},nh={kv_heads},nr23=\\[{heads // kv_heads},1\\],kv={keys},nb={queries},.*type_K={kind}"
    done = subprocess.run([program, "perf", "-o", "FLASH_ATTN_EXT", "-b", "CPU", "-p", pattern], capture_output=True, text=True)
    found = [float(us) * 1e-6 for us in re.findall(r"([\d.]+) us/run", done.stdout)]
    return min(found) if found else None


def load():
    return os.getloadavg()[0]


def measure(arguments):
    threads = os.cpu_count() or 1
    ours, peer = Ours(arguments.program), None
    try:
        peer = Torch(threads)
    except ImportError:
        print("PyTorch is not installed: its column stays empty (pip install torch)")
    wait_until_quiet()
    before, rows = load(), []
    for shape in SHAPES:
        best = {"twofold": None, "pytorch": None, "ggml": None}
        name, kind, batch, heads, kv_heads, queries, keys, size, causal = shape
        operations = 4 * batch * heads * queries * keys * size * (0.5 if causal else 1)
        read = 2 * batch * kv_heads * keys * size * (4 if kind == "f32" else 2)
        multiply = reading = 0
        said = {}
        for turn in range(arguments.rounds):
            said = ours(shape, threads, arguments.seconds)
            if "error" in said:
                raise SystemExit(f"{shape}: {said['error']}")
            found = {"twofold": said["seconds"]}
            if peer:
                found["pytorch"] = peer(shape, arguments.seconds)
            if arguments.ggml and turn < 2:  # its driver measures for seconds
                found["ggml"] = ggml(arguments.ggml, shape)
            for who, seconds in found.items():
                if seconds is not None:
                    best[who] = min(best[who] or 1e300, seconds)
            multiply, reading = max(multiply, ours.ceiling("multiply")), max(reading, ours.ceiling("read", read))
        row = {"name": name, "type": kind, "shape": shape[2:], "kernel": said["kernel"], "target": said["target"], "operations": operations, "bytes": read,
               "most_operations_per_second": multiply, "most_bytes_per_second": reading,
               **{f"{who}_seconds": s for who, s in best.items()}}
        rows.append(row)
        print(f"{name:40s} {kind:4s} " + "  ".join(f"{who} {operations / s / 1e9:8.1f}" for who, s in best.items() if s) + f" GFLOP/s of {multiply / 1e9:.0f}", flush=True)
    here = machine()
    entry = {"schema": 1, "what": "attention", "date": datetime.date.today().isoformat(), "machine": here, "threads": threads, "load": [before, load()],
             "rounds": arguments.rounds, "pytorch": peer.version if peer else None, "rows": rows}
    path = RESULTS / f"{here['label']}_attention.json"
    path.write_text(json.dumps(entry, indent=1) + "\n")
    print(f"wrote {path.relative_to(ROOT)}")


def floor_seconds(row):
    return max(row["operations"] / row["most_operations_per_second"], row["bytes"] / row["most_bytes_per_second"])


def page():
    """docs/performance/cpu_attention.md from the result file."""
    lines = ["# Attention on the CPU", ""]
    for path in sorted(RESULTS.glob("cpu*_attention.json")):
        entry = json.loads(path.read_text())
        lines += [f"<!-- figures from bench/results/{path.name} -->",
                  f"Made by `scripts/cpu_attention.py --page` from `bench/results/{path.name}`: {entry['machine']['cpu']}, {entry['threads']} threads, "
                  f"{entry['date']}, load {entry['load'][0]:.1f} before and {entry['load'][1]:.1f} after; PyTorch {entry['pytorch']}, ggml by its own "
                  f"driver where it has the shape; best of {entry['rounds']} rounds in turn, every shape checked against float64 first. "
                  "How the kernels work: [design](../design/attention_cpu.md).", "",
                  "Ratios above 1: Twofold is that many times as fast. The floor of a shape is the time of its operations at the rate of a loop of fused "
                  "multiply-adds of floats, or of reading K and V once at the rate of a loop that reads as many bytes, whichever is longer; both loops "
                  "ran in turn with the contenders. Products of pairs of bfloat16 may go below it.", "",
                  "| what | type | kernel | GFLOP/s | GB/s of K and V | of its floor | against PyTorch | against ggml |", "|---|---|---|---|---|---|---|---|"]
        for r in entry["rows"]:
            ratio = [f"{r[f'{who}_seconds'] / r['twofold_seconds']:.2f}" if r[f"{who}_seconds"] else "–" for who in ("pytorch", "ggml")]
            rate, read = r["operations"] / r["twofold_seconds"] / 1e9, r["bytes"] / r["twofold_seconds"] / 1e9
            floor = f"{floor_seconds(r) / r['twofold_seconds']:.2f}" if "most_bytes_per_second" in r else "–"
            lines.append(f"| {r['name']} | {r['type']} | {r['kernel']}, {r['target']} | {rate:.0f} | {read:.1f} | {floor} | {ratio[0]} | {ratio[1]} |")
        lines.append("")
    (ROOT / "docs" / "performance" / "cpu_attention.md").write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=pathlib.Path)
    parser.add_argument("--ggml", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    if arguments.page:
        return page()
    if not arguments.program:
        parser.error("the program bench_attention, or --page")
    measure(arguments)


if __name__ == "__main__":
    main()
