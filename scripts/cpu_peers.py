#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times NumPy and PyTorch on the jobs of bench_cpu, as JSON on stdout: cpu_peers.py REPETITIONS THREADS. Run by cpu_bench.py, in turn with bench_cpu.

A process of its own, for both bring thread pools. Whichever of the two cannot be imported is left out, and named in "missing". Every contender writes
into memory that is there before (out=), and is checked against float64 first: one that is wrong is named in "wrong" and not timed.
"""
import json
import random
import sys
import time

SIZES = {"16KiB": 1 << 12, "256KiB": 1 << 16, "256MiB": 1 << 26}
SHAPES = ((1 << 19, 1 << 7), (1 << 14, 1 << 12), (1 << 11, 1 << 15), (16, 1 << 12))
SHORTEST = 0.05  # seconds of one figure, as bench_cpu's


def close(got, want, tolerance):
    return abs(float(got) - float(want)) <= tolerance * max(1.0, abs(float(want)))


def contenders(numpy, torch, threads):
    """(job/size/who, run, its answer is right)"""
    generator = numpy.random.default_rng(1)
    x = generator.standard_normal(1 << 26, dtype=numpy.float32) * numpy.float32(2) + numpy.float32(1)
    room = numpy.zeros_like(x)
    for name, n in SIZES.items():
        a, y = x[:n], room[:n]
        wide = a.astype(numpy.float64)
        total, largest, variance = wide.sum(), wide.max(), wide.var(ddof=1)
        lse = largest + numpy.log(numpy.exp(wide - largest).sum())
        del wide
        yield f"sum/{name}/numpy_1_thread", lambda a=a: a.sum(), lambda r, w=total: close(r, w, 1e-4)
        yield f"max/{name}/numpy_1_thread", lambda a=a: a.max(), lambda r, w=largest: float(r) == w
        yield f"variance/{name}/numpy_1_thread", lambda a=a: a.var(ddof=1), lambda r, w=variance: close(r, w, 1e-3)
        yield f"inclusive_scan/{name}/numpy_1_thread", lambda a=a, y=y: numpy.cumsum(a, out=y)[-1], lambda r, w=total: close(r, w, 1e-2)
        if torch:
            t, z = torch.from_numpy(a), torch.from_numpy(y)
            yield f"sum/{name}/pytorch", lambda t=t: t.sum(), lambda r, w=total: close(r, w, 1e-4)
            yield f"max/{name}/pytorch", lambda t=t: t.max(), lambda r, w=largest: float(r) == w
            yield f"variance/{name}/pytorch", lambda t=t: t.var(), lambda r, w=variance: close(r, w, 1e-3)
            yield f"log_sum_exp/{name}/pytorch", lambda t=t: torch.logsumexp(t, 0), lambda r, w=lse: close(r, w, 1e-4)
            yield f"inclusive_scan/{name}/pytorch", lambda t=t, z=z: torch.cumsum(t, 0, out=z)[-1], lambda r, w=total: close(r, w, 1e-2)
    if not torch:
        return
    aten = torch.ops.aten
    for rows, columns in SHAPES:
        name = f"{rows}x{columns}"
        t = torch.from_numpy(x[:rows * columns]).view(rows, columns)
        z = torch.from_numpy(room[:rows * columns]).view(rows, columns)
        mean, scale = torch.empty(rows, 1), torch.empty(rows, 1)
        last = t[-1].double()
        soft = torch.softmax(last, 0)[-1]
        norm = ((last[-1] - last.mean()) / (last.var(unbiased=False) + 1e-5).sqrt())
        rms = last[-1] / ((last * last).mean() + 1e-5).sqrt()
        yield f"softmax/{name}/pytorch", lambda t=t, z=z: torch.softmax(t, 1, out=z)[-1, -1], lambda r, w=soft: abs(float(r) - w) <= 1e-4 * w
        yield f"log_softmax/{name}/pytorch", lambda t=t, z=z: torch.log_softmax(t, 1, out=z)[-1, -1], lambda r, w=soft.log(): close(r, w, 1e-5)
        yield (f"layer_norm/{name}/pytorch",
               lambda t=t, z=z, c=columns, m=mean, s=scale: aten.native_layer_norm.out(t, [c], None, None, 1e-5, out0=z, out1=m, out2=s)[0][-1, -1],
               lambda r, w=norm: close(r, w, 1e-4))
        yield f"rms_norm/{name}/pytorch", lambda t=t, c=columns: torch.rms_norm(t, (c,), None, 1e-5)[-1, -1], lambda r, w=rms: close(r, w, 1e-4)


def timed(run):
    runs, spent = 0, 0.0
    while spent < SHORTEST:
        many = max(1, runs)
        begin = time.perf_counter()
        for _ in range(many):
            run()
        spent += time.perf_counter() - begin
        runs += many
    return spent / runs


def main(repetitions, threads):
    body = {"missing": [], "versions": {}, "wrong": [], "seconds": {}}
    try:
        import numpy
    except ImportError:
        print(json.dumps(dict(body, missing=["numpy", "torch"])))
        return
    body["versions"]["numpy"] = numpy.__version__
    try:
        import torch
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        body["versions"]["pytorch"] = torch.__version__
    except ImportError:
        torch = None
        body["missing"].append("torch")
    right = []
    for name, run, is_right in contenders(numpy, torch, threads):
        if is_right(run()):
            right.append((name, run))
        else:
            body["wrong"].append(name)
    order = [c for c in right for _ in range(repetitions)]
    random.Random(1).shuffle(order)
    for name, run in order:
        body["seconds"].setdefault(name, []).append(timed(run))
    print(json.dumps(body))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]))
