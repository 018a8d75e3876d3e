# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of Twofold against PyTorch's cuDNN and FlashAttention-2 back ends: one process, launches in turn, cold L2, random data, medians.

usage: attention_peers.py LIBRARY [--masks [--flex] | --errors] [--head D]   LIBRARY: a shared library with the C interface of attention
One JSON object a line: {"what","d","causal","s","b","h","twofold_ms","cudnn_ms","flash2_ms","twofold","cudnn","flash2" (TFLOP/s)}.
--errors: errors against float64, over seeds, and what shared_rounding costs.
"""
import ctypes
import json
import statistics
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

i64, ptr = ctypes.c_int64, ctypes.c_void_p


class Strides(ctypes.Structure):
    _fields_ = [(n, i64) for n in ("batch", "head", "row")]


class Problem(ctypes.Structure):
    _fields_ = ([("type", ctypes.c_int32)] + [(n, ptr) for n in ("q", "k", "v", "out")] +
                [(n, i64) for n in ("batch", "heads", "kv_heads", "queries", "keys", "head_size", "value_size")] +
                [(n, Strides) for n in ("q_stride", "k_stride", "v_stride", "out_stride")] +
                [("score_factor", ctypes.c_double), ("shared_rounding", ctypes.c_bool), ("alignment", ctypes.c_int32)] + [(n, i64) for n in ("left", "right", "prefix")] +
                [(n, ptr) for n in ("key_lengths", "key_starts", "query_offsets", "key_offsets")] + [(n, i64) for n in ("query_rows", "key_rows")] +
                [("softcap", ctypes.c_double), ("alibi_slopes", ptr), ("bias", ptr), ("bias_stride", Strides), ("bias_column", i64), ("sinks", ptr)] +
                [(n, ptr) for n in ("lse_ln", "lse_log2", "state_at", "state_l", "state_o")])


def strides(t):
    return Strides(t.stride(0), t.stride(1), t.stride(2))


class Twofold:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.twofold_attention_forward.argtypes = [ctypes.POINTER(Problem), ptr, ctypes.c_size_t, ptr, ctypes.c_char_p, ctypes.c_size_t]
        self.workspace = torch.zeros(256, dtype=torch.uint8, device="cuda")
        self.message = ctypes.create_string_buffer(512)

    def problem(self, q, k, v, out, causal=False, **more):
        p = Problem(type=0 if q.dtype == torch.bfloat16 else 1, q=q.data_ptr(), k=k.data_ptr(), v=v.data_ptr(), out=out.data_ptr(),
                    batch=q.shape[0], heads=q.shape[1], kv_heads=k.shape[1], queries=q.shape[2], keys=k.shape[2], head_size=q.shape[3],
                    value_size=v.shape[3], q_stride=strides(q), k_stride=strides(k), v_stride=strides(v), out_stride=strides(out), alignment=1,
                    left=-1, right=0 if causal else -1, bias_column=1)
        for name, value in more.items():
            setattr(p, name, value)
        return p

    def run(self, p):
        stream = torch.cuda.current_stream().cuda_stream
        if self.lib.twofold_attention_forward(ctypes.byref(p), self.workspace.data_ptr(), 256, stream, self.message, 512):
            raise RuntimeError(self.message.value.decode())


def in_turn(calls, repeats):
    """Medians of each call, run one after the other in every round, L2 cold before each."""
    flush = in_turn.flush
    for f in calls.values():
        for _ in range(3):
            f()
    torch.cuda.synchronize()
    times = {name: [] for name in calls}
    for _ in range(repeats):
        for name, f in calls.items():
            flush.zero_()
            a, b = torch.cuda.Event(True), torch.cuda.Event(True)
            a.record()
            f()
            b.record()
            b.synchronize()
            times[name].append(a.elapsed_time(b))
    return {name: statistics.median(t) for name, t in times.items()}


def cell(twofold, d, causal, s, dtype, repeats):
    b, h = 16384 // s, 2048 // d
    q, k, v = (torch.randn(b, h, s, d, device="cuda", dtype=dtype) for _ in range(3))
    out = torch.empty_like(q)
    p = twofold.problem(q, k, v, out, causal)

    def peer(backend):
        def f():
            with sdpa_kernel(backend):
                return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return f

    calls = {"twofold": lambda: twofold.run(p), "cudnn": peer(SDPBackend.CUDNN_ATTENTION)}
    if s in (2048, 8192):
        calls["flash2"] = peer(SDPBackend.FLASH_ATTENTION)
    error = (calls["cudnn"]().float() - (twofold.run(p), out)[1].float()).norm() / out.float().norm()
    flops = 4 * s * s * d * h * b * (0.5 if causal else 1)
    ms = in_turn(calls, repeats)
    print(json.dumps({"what": "attention_forward", "dtype": str(dtype).split(".")[-1], "d": d, "causal": causal, "s": s, "b": b, "h": h,
                      "difference_from_cudnn": float(f"{error:.2e}"), **{f"{n}_ms": round(t, 4) for n, t in ms.items()},
                      **{n: round(flops / t / 1e9, 1) for n, t in ms.items()}}), flush=True)


def masked(twofold, d, name, flex, repeats=9, s=8192, b=2):
    """One mask at S = 8192, B = 2; TFLOP/s count visible pairs only. flex: also FlexAttention, compiled."""
    h = 2048 // d
    q, k, v = (torch.randn(b, h, s, d, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    out = torch.empty_like(q)
    score = mask = keep = None
    more, share = {}, 0.5
    if name == "full":
        more, share = dict(right=-1), 1.0
    elif name == "window_1024":
        more, share = dict(left=1024), (1025 * s - 1024 * 1025 / 2) / s**2

        def mask(b, h, q, k):
            return (q >= k) & (q - k <= 1024)
    elif name == "documents_2048":
        keep = torch.arange(0, b * s + 1, 2048, dtype=torch.int32, device="cuda")
        share = 2048 / s / 2
        q, k, v, out = (t.view(1, b, h, s, d).permute(0, 2, 1, 3, 4).reshape(1, h, b * s, d) for t in (q, k, v, out))
        more = dict(batch=b * s // 2048, queries=2048, keys=2048, query_offsets=keep.data_ptr(), key_offsets=keep.data_ptr(), query_rows=b * s,
                    key_rows=b * s)

        def mask(b, h, q, k):
            return (q // 2048 == k // 2048) & (q >= k)
    elif name == "prefix_1024":
        more, share = dict(prefix=1024), 0.5 + 0.5 * (1024 / s)**2
    elif name == "alibi_causal":
        keep = torch.exp2(-0.5 * torch.arange(1, h + 1, device="cuda", dtype=torch.float32))
        more = dict(alibi_slopes=keep.data_ptr())
    elif name == "softcap_full":
        more, share = dict(softcap=30.0, right=-1), 1.0
    p = twofold.problem(q, k, v, out, True, **more)
    calls = {"twofold": lambda: twofold.run(p)}
    if flex:
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        rows = q.shape[2]
        blocks = create_block_mask(mask, None, None, rows, rows, device="cuda")
        compiled = torch.compile(flex_attention, dynamic=False)
        calls["flex"] = lambda: compiled(q, k, v, score_mod=score, block_mask=blocks)
    ms = in_turn(calls, repeats)
    flops = 4 * s * s * d * h * b * share
    row = {"what": "attention_masked", "name": name, "d": d, "s": s, "b": b, "h": h, **{f"{n}_ms": round(t, 4) for n, t in ms.items()},
           **{n: round(flops / t / 1e9, 1) for n, t in ms.items()}}
    if flex:
        row["difference_from_flex"] = float(f"{((calls['flex']().float() - out.float()).norm() / out.float().norm()).item():.2e}")
    print(json.dumps(row), flush=True)


ERROR_CASES = [("normal", 512), ("normal", 2048), ("normal", 8192)] + [
    (name, 2048) for name in ("scale 4", "scale 16", "outliers", "values far from 0", "equal scores", "repeated weights")]


def error_inputs(name, shape):
    q, k, v = (torch.randn(shape, device="cuda") for _ in range(3))
    if name == "equal scores":
        q = torch.zeros_like(q)
    elif name == "repeated weights":  # two values of the score: every row's weights are 1 and one that rounds
        k = torch.zeros_like(k)
        k[..., 0] = torch.where(torch.rand(k.shape[:-1], device="cuda") < 0.5, 0.0, -0.8)
        q = torch.zeros_like(q)
        q[..., 0] = shape[-1]**0.5
    elif name == "outliers":
        q.view(-1)[::97] *= 30
        k.view(-1)[::89] *= 30
    elif name.startswith("scale"):
        q *= float(name.split()[1])
    if name in ("values far from 0", "equal scores", "repeated weights"):
        v += 3
    return [t.bfloat16() for t in (q, k, v)]


def errors(twofold, d, causal, name, s, seeds=20):
    """Errors against float64 of the same inputs, seed by seed: Frobenius, relative, and the largest in units of the outputs' root mean square. Before
    them what rounding the exact answer to bf16 alone gives; after them how far Twofold's lie above the others', in percent: mean and standard error."""
    heads = max(2, 16384 // s)  # with fewer FlashAttention-2 splits the keys, which makes its errors smaller
    seeds = seeds if s <= 2048 else max(3, seeds // 4)
    shape, rows = (1, heads, s, d), {}
    hide = torch.full((s, s), float("-inf"), device="cuda", dtype=torch.float64).triu(1) if causal else 0.0
    for seed in range(seeds):
        torch.manual_seed(1000 * seed + d + causal)
        q, k, v = error_inputs(name, shape)
        want = torch.stack([torch.softmax(q[0, j].double() @ k[0, j].double().T / d**0.5 + hide, -1) @ v[0, j].double() for j in range(heads)])[None]
        out = torch.empty_like(q)

        def note(label, x):
            e = x.double() - want
            rows.setdefault(label, []).append(((e.norm() / want.norm()).item(), (e.abs().max() / want.norm() * want.numel()**0.5).item()))

        note("rounding_alone", want.bfloat16())
        for label, more in (("twofold", {}), ("twofold_shared", dict(shared_rounding=True))):
            out.fill_(float("nan"))
            twofold.run(twofold.problem(q, k, v, out, causal, **more))
            note(label, out)
        for label, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash2", SDPBackend.FLASH_ATTENTION)):
            with sdpa_kernel(backend):
                note(label, F.scaled_dot_product_attention(q, k, v, is_causal=causal))
    row = {"what": "attention_error", "name": name, "d": d, "causal": causal, "s": s, "seeds": seeds}
    for label, found in rows.items():
        row[label], row[label + "_largest"] = (float(f"{statistics.mean(x):.4e}") for x in zip(*found))
        if label.startswith("twofold"):
            for other in ("cudnn", "flash2"):
                row[f"{label}_over_{other}"] = label, other
    for key, (label, other) in [(k, v) for k, v in row.items() if isinstance(v, tuple)]:
        above = [100 * (x[0] / y[0] - 1) for x, y in zip(rows[label], rows[other])]
        row[key] = [round(statistics.mean(above), 3), round(statistics.stdev(above) / len(above)**0.5, 3)]
    print(json.dumps(row), flush=True)


def shared_cost(twofold, d, causal, s=8192, b=2):
    h = 2048 // d
    q, k, v = (torch.randn(b, h, s, d, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    out = torch.empty_like(q)
    p, r = (twofold.problem(q, k, v, out, causal, shared_rounding=x) for x in (False, True))
    ms = in_turn({"plain": lambda: twofold.run(p), "shared": lambda: twofold.run(r)}, 11)
    flops = 4 * s * s * d * h * b * (0.5 if causal else 1)
    print(json.dumps({"what": "shared_rounding_cost", "d": d, "causal": causal, "s": s, **{n: round(flops / t / 1e9, 1) for n, t in ms.items()}}), flush=True)


def main():
    in_turn.flush = torch.empty(768 << 20, dtype=torch.uint8, device="cuda")
    twofold = Twofold(sys.argv[1])
    print(json.dumps({"what": "environment", "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
                      "device": torch.cuda.get_device_name()}), flush=True)
    if "--errors" in sys.argv:
        for d in (64, 128, 256):
            for causal in (False, True):
                for name, s in ERROR_CASES:
                    errors(twofold, d, causal, name, s)
                shared_cost(twofold, d, causal)
        return
    if "--masks" in sys.argv:
        for name in ("full", "causal", "window_1024", "documents_2048", "prefix_1024", "alibi_causal", "softcap_full"):
            for d in (64, 128):
                masked(twofold, d, name, "--flex" in sys.argv and name in ("window_1024", "documents_2048"))
        return
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    for part in range(2):
        ms = in_turn({"gemm": lambda: a @ b}, 9)["gemm"]
        print(json.dumps({"what": "gemm_bf16_8192", "tflops": round(2 * 8192**3 / ms / 1e9, 1)}), flush=True)
        if part == 0:
            for d in (int(sys.argv[sys.argv.index("--head") + 1]),) if "--head" in sys.argv else (64, 128, 256):
                for causal in (False, True):
                    for s in (512, 1024, 2048, 4096, 8192, 16384):
                        cell(twofold, d, causal, s, torch.bfloat16, 9)
                    if d == 128:
                        cell(twofold, d, causal, 4096, torch.float16, 9)


if __name__ == "__main__":
    main()
