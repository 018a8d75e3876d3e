# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where attention on the GPU is short of its goals, and how it got where it is: text for two documents, from result files alone (gpu_attention.py).

Floors are what no kernel of these tiles can be faster than: bytes of q, k, v and the output at the rate of a copy; products, exponentials and
instructions of whole tiles at the highest clock seen. Counters tell their own clock: instructions over issue slots used.
"""
import json
import math
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
PROCESSORS, SCHEDULERS, MATRIX, SPECIAL = 132, 4, 4096, 16  # of an H200: multiprocessors; of each: schedulers, bf16 operations and exponentials a clock
WEAK_GOAL, BEST_GOAL, MEAN_GOAL, BOUND_GOAL = 1.10, 0.98, 1.03, 0.90
NAME = {False: "full", True: "causal"}


def load(name):
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))["rows"]


def tile_keys(d, causal, s):
    """shapes.hpp, plain scores."""
    if d == 64:
        return 64 if s <= (1024 if causal else 512) else 128
    if d == 128:
        return 128 if causal or s <= 4096 else 176
    return 64 if s <= (1024 if causal else 512) else 80


def tiles_of_rows(length, keys, left=None, causal=True):
    """Tiles of keys that each 64 rows of a sequence see, on average."""
    found = []
    for row in range(0, length, 64):
        last = min(row + 63, length - 1) if causal else length - 1
        found.append(last // keys - (max(0, row - left) if left is not None else 0) // keys + 1)
    return sum(found) / len(found)


def highest_clock(counters):
    return max(r["mhz"] for r in counters if r["what"] == "power") * 1e6


def copy_rate():
    return next(r["gbs"] for r in load("h200_prototype_row_ring.json") if r["what"] == "memcpy") * 1e9


def counted(counters):
    """Each counted launch with what follows from it: the clock, clocks and instructions of a warp's 64 rows, tiles of 128 keys among them."""
    for r in (r for r in counters if r["what"] == "counters"):
        rows = 16384 * 2048 // r["d"] / 64  # groups of 64 rows, one warpgroup's at a time
        seconds = r["microseconds"] * 1e-6
        clock = r["warp_instructions"] / (PROCESSORS * SCHEDULERS * r["issue_percent"] / 100 * seconds)
        tile = 4 * 64 * 128 * r["d"] / MATRIX  # clocks of the matrix unit
        clocks = clock * seconds * PROCESSORS / rows  # of a multiprocessor, for each 64 rows
        yield {**r, "clock": clock, "instructions": r["warp_instructions"] / rows / 4, "clocks": clocks, "tiles": clocks * r["matrix_percent"] / 100 / tile}


def short_cells(cells, flash3):
    """(d, causal, s): (microseconds, rate over the best peer's, that peer, what was asked)."""
    for (d, causal, s), c in sorted(cells.items()):
        best = max(c["cudnn"], flash3[d, causal, s])
        weak = s <= 1024 and (d == 64 or causal)
        goal, ratio = WEAK_GOAL if weak else BEST_GOAL, c["twofold"] / best
        if ratio < goal:
            yield (d, causal, s), c["twofold_ms"] * 1000, ratio, "cuDNN" if best == c["cudnn"] else "FlashAttention-3", goal


def floors(cells, flash3):
    counters = load("h200_attention_counters.json")
    clock, copy = highest_clock(counters), copy_rate()
    instructions = {(r["d"], r["name"] == "causal", r["s"]): r["warp_instructions"] for r in counters if r["what"] == "counters" and r["name"] in ("full", "causal")}
    out = ["| d, mask, S | µs | of the best peer | asked | µs asked | memory | matrix unit | exponentials | issue slots |", "|---|---|---|---|---|---|---|---|---|"]
    for (d, causal, s), us, ratio, peer, goal in short_cells(cells, flash3):
        keys = tile_keys(d, causal, s)
        scores = 16384 * (2048 // d) * tiles_of_rows(s, keys, causal=causal) * keys
        issue = instructions.get((d, causal, s))
        out.append(f"| {d} {NAME[causal]} {s} | {us:.0f} | {ratio:.3f} {peer} | {goal:.2f} | {us * ratio / goal:.0f} | {4 * 16384 * 2048 * 2 / copy * 1e6:.0f} | "
                   f"{4 * d * scores / (PROCESSORS * MATRIX * clock) * 1e6:.0f} | {scores / (PROCESSORS * SPECIAL * clock) * 1e6:.0f} | "
                   + (f"{issue / (PROCESSORS * SCHEDULERS * clock) * 1e6:.0f}" if issue else "–") + " |")
    return [f"Microseconds. Memory: q, k, v and the output once at {copy / 1e9:.0f} GB/s. Matrix unit, exponentials: whole tiles of 64 rows at {clock / 1e6:.0f} MHz. Issue slots: "
            "instructions counted, where they were.", "", *out]


def counters_table():
    out = ["| what | d | µs | MHz | tiles of 128 keys for each 64 rows | instructions of a warp for them | issue slots | matrix unit | exponentials | L2 |", "|---|---|---|---|---|---|---|---|---|---|"]
    for r in counted(load("h200_attention_counters.json")):
        out.append(f"| {r['name'].replace('_', ' ')} {r['s']} | {r['d']} | {r['microseconds']:.0f} | {r['clock'] / 1e6:.0f} | {r['tiles']:.2f} | {r['instructions']:.0f} | "
                   f"{r['issue_percent']:.0f} % | {r['matrix_percent']:.0f} % | {r['special_percent']:.0f} % | {r['l2_percent']:.0f} % |")
    return out


def where_it_goes(cells, masked):
    """Of head size 64, of which a long launch, a short one and a window were counted in the same tiles."""
    found = {(r["name"], r["d"], r["s"]): r for r in counted(load("h200_attention_counters.json"))}
    long, short, window = found["full", 64, 8192], found["full", 64, 1024], found["window_1024", 64, 8192]
    step = (long["instructions"] - short["instructions"]) / (8192 / 128 - 1024 / 128)
    outside = short["instructions"] - 1024 / 128 * step
    each = long["clocks"] / long["instructions"]
    tiles = tiles_of_rows(8192, 128, left=1024)
    bound = long["clocks"] / (8192 / 128) * tiles  # clocks of those tiles at the long launch's rate
    rest = {k: r["clocks"] - r["instructions"] * each for k, r in (("short", short), ("window", window))}
    extra = window["instructions"] - tiles * step
    allowed = (bound / BOUND_GOAL - rest["window"]) / each - tiles * step
    document = tiles_of_rows(2048, 128)
    full64, packed = (next(r["twofold"] for r in masked if (r["name"], r["d"]) == (name, 64)) for name in ("full", "documents_2048"))
    visible = 2049 / 2 / (document * 128)
    predicted = long["clocks"] / (8192 / 128) * document / ((document * step + outside + (extra - outside) / 2) * each + rest["window"])
    measured = packed / (full64 * visible)
    c = cells[64, False, 1024]
    wanted = c["cudnn_ms"] / WEAK_GOAL / c["twofold_ms"]
    allowed_short = (short["clocks"] * wanted - rest["short"]) / each - 1024 / 128 * step
    w128, full128 = found["window_1024", 128, 8192], next(r["twofold"] for r in masked if r["name"] == "full" and r["d"] == 128)
    shares = [4 * 16384 * 2048 * 2 / copy_rate() / c["twofold_ms"] * 1000 for (d, causal, s), c in cells.items() if s == 512 and (d == 64 or causal)]
    busy = full128 * 1e12 / (PROCESSORS * MATRIX * w128["clock"])
    return [
        f"Head size 64: a step of 128 keys is {step:.0f} instructions of a warp, everything else of its 64 rows {outside:.0f} (from 8192 and 1024 keys). In the long launch an instruction takes "
        f"{each:.2f} clocks of its scheduler. At that price instructions alone are {100 * short['instructions'] * each / short['clocks']:.0f} % of the time at S = 1024 and "
        f"{100 * window['instructions'] * each / window['clocks']:.0f} % of the window's; what is left, {100 * rest['short'] / short['clocks']:.0f} and {100 * rest['window'] / window['clocks']:.0f} %, is the "
        "last wave, the launch and latencies that nothing fills. No unit is full: matrix unit and exponentials are busy six tenths of the time each even in the long launch, since what one needs the other makes.",
        "",
        f"- **The window** sees {tiles:.2f} tiles for each 64 rows ({window['tiles']:.2f} by the count of the matrix unit) and takes {extra:.0f} instructions beside their steps: "
        f"{outside:.0f} outside the loop as every row block has, and {extra - outside:.0f} more, for boundary tiles above all. For {BOUND_GOAL:.2f} of the bound at this price {allowed:.0f} would be left for both.",
        f"- **Documents** of 2048 were not counted. With {document:.1f} tiles for each 64 rows and one boundary tile they would by this arithmetic be at {predicted:.2f} of their bound; measured: {measured:.2f}.",
        f"- **S = 1024**, full: {outside:.0f} instructions outside eight steps; {WEAK_GOAL:.2f} of cuDNN in this page's run would leave {allowed_short:.0f}.",
        f"- **Head size 128**: the window keeps the matrix unit busy {w128['matrix_percent']:.0f} % of the time at {w128['clock'] / 1e6:.0f} MHz; the full mask's rate in the table would be {100 * busy:.0f} % at that clock, "
        f"so {BOUND_GOAL:.2f} of the bound asks for {100 * BOUND_GOAL * busy:.0f} %. No long launch of this size was counted, so its instructions cannot be split the same way.",
        f"- **S = 512**: the four tensors alone are {100 * min(shares):.0f} to {100 * max(shares):.0f} % of the time (what the cold cache writes back beside them not counted), and L2 is half to four fifths used. Products "
        "begin when the first keys have come and outputs leave when the last product is done: with one to eight tiles of keys a row block, memory and matrix unit take turns more than they overlap."]


USED = {64: "between", 128: "under", 256: "before"}  # where outputs are multiplied (shapes.hpp)
SHAPES = {(64, False, 512): "g4k64_s8/group132f0", (64, False, 1024): "g3p_s8/group132f0", (64, True, 512): "g4k64_s8/group132f0", (64, True, 1024): "g4k64_s8/group132f0",
          (128, True, 512): "q2k2v3p_s8/group66f0", (128, True, 1024): "q2k2v3p_s8/group66f0", (128, True, 2048): "q1s3p_s8/group33f0", (256, True, 512): "64p_s8/group66f0",
          (256, True, 1024): "64p_s8/group33f0", (256, True, 4096): "80p_s8"}  # as run 6 of h200_attention_schedules.json names what is used


def other_schedule(r):
    """Run 2 took head size 256 without its schedule for short sequences."""
    return r["run"] == 2 and r["d"] == 256 and r.get("s", 8192) <= 1024


def rules(rows, **cell):
    """For each run that measured this cell with the rule in use: that rule, the best other exact one, lagging references."""
    for r in rows:
        used = USED[cell["d"]]
        if r["what"] != "speed" or any(r.get(k) != v for k, v in cell.items()) or used not in r or other_schedule(r):
            continue
        exact = {k: v for k, v in r.items() if isinstance(v, float) and k not in ("cudnn", used) and not k.startswith(("lazy", "share"))}
        best = max(exact, key=exact.get)
        yield f"run {r['run']}: {r[used]:.0f}; {best.replace('_', ' ')} {exact[best]:.0f}; lagging {r['lazy']:.0f}"


def tried(cells, flash3):
    schedules = [r for r in load("h200_attention_schedules.json") if r["run"] == 6]
    references = load("h200_attention_references.json")
    out = ["| d, mask | S | schedules of run 6: how many, in use, best other | outputs multiplied elsewhere |", "|---|---|---|---|"]
    for (d, causal, s), *_ in short_cells(cells, flash3):
        mine = {}
        for r in schedules:
            if (r["d"], r["causal"], r["s"]) == (d, causal, s):
                mine[r["name"]] = max(r["tflops"], mine.get(r["name"], 0))
        used = mine.pop(SHAPES[d, causal, s])
        best = max(mine, key=mine.get)
        found = list(rules(references, d=d, causal=causal, s=s))
        out.append(f"| {d} {NAME[causal]} | {s} | {len(mine) + 1}; {used:.0f}; {mine[best]:.0f} ({best}) | {'. '.join(found) if found else '–'} |")
    for name in ("window_1024", "documents_2048"):
        for d in (64, 128):
            out.append(f"| {d} {name.replace('_', ' ')} | 8192 | – | {'. '.join(rules(references, d=d, name=name))} |")
    return out


def price(d, causal, s):
    """How much faster lagging references were in this cell: mean over the runs."""
    found = [r["lazy"] / r[USED[d]] for r in load("h200_attention_references.json")
             if r["what"] == "speed" and (r["d"], r.get("causal"), r.get("s")) == (d, causal, s) and USED[d] in r and not other_schedule(r)]
    return sum(found) / len(found)


def short_of_goals(cells, flash3, masked):
    below = [(cell, ratio) for cell, _, ratio, _, goal in short_cells(cells, flash3) if goal == BEST_GOAL]
    prices = [(d, *(100 * (f(price(d, c, s) for c in (False, True) for s in (512, 1024, 2048, 4096, 8192, 16384)) - 1) for f in (min, max))) for d in USED]
    narrow = [r["under_176_keys"] / r["under"] for r in load("h200_attention_references.json") if "under_176_keys" in r and (r["d"], r.get("causal"), r.get("s")) == (128, False, 8192)]
    best = [c["twofold"] / max(c["cudnn"], flash3[k]) for k, c in cells.items()]
    means = [math.exp(sum(map(math.log, x)) / len(x)) for x in (best, [r * price(*k) for k, r in zip(cells, best)])]
    lagging = "; ".join(f"{d} {NAME[c]} {s}: {r:.3f}, with lagging references {r * price(d, c, s):.3f}" for (d, c, s), r in below)
    return ["## Short of the goals: floors, counters, what was tried", "",
            "<!-- figures from bench/results/h200_attention_counters.json -->", "<!-- figures from bench/results/h200_attention_schedules.json -->",
            "<!-- figures from bench/results/h200_attention_references.json -->", "<!-- figures from bench/results/h200_prototype_row_ring.json -->",
            f"Asked for: {BEST_GOAL} of the best of cuDNN and FlashAttention-3 in each cell; {WEAK_GOAL:.2f} where those are weak, head size 64 and causal masks up to 1024 keys; windows and documents "
            f"{BOUND_GOAL:.2f} of their tiles' bound. These cells are short of it; the figures above are the best reached with exact references.", "",
            *floors(cells, flash3), "",
            "Every floor lies below the time asked, so none of them forbids it; each speaks of one unit as if nothing had to wait for another. What the hardware counted. The kernels counted "
            "had references that lag; those of today take " + ", ".join(f"{round(lo, 1) + 0:.1f} to {hi:.1f} % longer at {d}" for d, lo, hi in prices) + " (below 0: they are faster there), and have not been counted:", "",
            *counters_table(), "", *where_it_goes(cells, masked), "",
            f"The bound of windows and documents at 128 is taken from the full mask's rate in tiles of 176 keys; in tiles of 128, as they have, it is {100 * (narrow[0] - 1):.1f} % lower, and they are as much nearer to it.", "",
            f"Cells below {BEST_GOAL} of FlashAttention-3's figures ({lagging}): what they lack is the price of references that do not lag, which is paid for errors no larger than cuDNN's "
            f"([design](../design/attention_gpu.md#accuracy-of-the-weights)). The same holds of the geometric mean over all cells, of which {MEAN_GOAL} was asked: {means[0]:.3f}, and {means[1]:.3f} with lagging "
            "references. FlashAttention-3 was not in the run: its figures are those of another day, the better of two runs where they differed.", "",
            "What was tried in these cells, TFLOP/s, compare within a run (names: the result files' `program`; lagging references have larger errors and are no way out; run 6 was of kernels that had them); more in the "
            "[design](../design/attention_gpu.md#what-did-not-pay) and the [log](log.md):", "",
            *tried(cells, flash3), ""]


def ladder():
    """From two products without a softmax to the kernel: rows of (step, file, figures)."""
    skeleton, steps = load("h200_prototype_wgmma_skeleton.json"), load("h200_prototype_attention_ladder.json")
    now, exact = load("h200_attention.json"), load("h200_attention_exact.json")
    gemm = sum(r["tflops"] for r in now if r["what"] == "gemm_bf16_8192") / sum(r["what"] == "gemm_bf16_8192" for r in now)
    columns = [(64, 0), (64, 1), (128, 0), (128, 1), (256, 0), (256, 1)]

    def prototype(s, **wanted):
        for d, causal in columns:
            found = [r for r in steps if r["what"] == "attention" and (r["d"], r["causal"], r["sequence"]) == (d, causal, s) and r["polynomial"] == 0 and all(r[k] in v for k, v in wanted.items())]
            yield max(((r["tflops"], r["over_cublas"]) for r in found), default=None)

    def product(s, share):
        for d, causal in columns:
            r = next(r for r in now if r["what"] == "attention_forward" and r["dtype"] == "bfloat16" and (r["d"], r["causal"], r["s"]) == (d, bool(causal), s))
            yield r["twofold"], r["twofold"] / share

    def beside_cudnn(rows, key, s):
        for d, causal in columns:
            found = [r for r in rows if (r.get("d"), r.get("causal"), r.get("s")) == (d, bool(causal), s) and key in r
                     and r["what"] in ("speed", "attention_forward") and r.get("dtype") != "float16"]
            yield (sum(r[key] for r in found) / len(found), sum(r[key] / r["cudnn"] for r in found) / len(found)) if found else None

    def line(step, figures, sign=""):
        return f"| {step} | " + " | ".join(f"{f[0]:.0f}, {f[1]:.2f}{sign}" if f else "–" for f in figures) + " |"

    bare = [max(((r["tflops"], r["over_cublas"]) for r in skeleton if r["what"] == "skeleton" and (r["d"], r["sequence"]) == (d, 8192) and not causal), default=None) for d, causal in columns]
    out = []
    for s in (8192, 1024):
        out += [f"S = {s}:", "", "| step | " + " | ".join(f"{d} {NAME[bool(c)]}" for d, c in columns) + " |", "|---|" + "---|" * len(columns)]
        if s == 8192:
            out.append(line("two products, no softmax", bare))
        out += [line("softmax after the products", prototype(s, overlap=[0])),
                line("the next Q·Kᵀ under the softmax", prototype(s, overlap=[1], turns=[0], lazy=[0])),
                line("and turns, wider tiles, or references that lag", prototype(s, overlap=[1], turns=[0, 1], lazy=[0, 1])),
                line("tiles that flow, are planned by a thread of their own and dealt in groups, two slots of queries, four stages at 64; references still lag", beside_cudnn(exact, "lazy", s), " ×"),
                line("references that do not lag: the kernel", beside_cudnn(now, "twofold", s), " ×"), line("the same, of the matrix product", product(s, gemm)), ""]
    return out


def compiling():
    """What a unit costs to compile, where that was measured."""
    file = RESULTS / "attention_compile.json"
    if not file.exists():
        return []
    result = json.loads(file.read_text(encoding="utf-8"))
    rows = result["rows"]
    first, last = min(rows, key=lambda r: r["seconds"]), max(rows, key=lambda r: r["seconds"])
    return ["", f"<!-- figures from {file.relative_to(ROOT)} -->",
            f"- compiling ({result['date']}, nvcc {result['cuda']} -O3, {result['machine']}, one unit after the other, seconds of a processor): {len(rows)} units, {first['seconds']:.0f} ({first['name'].replace('_', ' ')}) to "
            f"{last['seconds']:.0f} s ({last['name'].replace('_', ' ')}), together {sum(r['seconds'] for r in rows):.0f} s; at most {max(r['peak_mb'] for r in rows)} MB. Kernels that spill registers: "
            f"{sum(r['spilling'] for r in rows if r['name'].endswith('plain'))} of {sum(r['kernels'] for r in rows if r['name'].endswith('plain'))} plain ones, "
            f"{sum(r['spilling'] for r in rows)} of all {sum(r['kernels'] for r in rows)}; C75xx: {sum(r['serialised'] for r in rows)}."]


def tiles_and_errors():
    """What fewer and more keys a tile do to errors, references following the largest score."""
    rows = [r for r in load("attention_gauge.json") if r["rule"].startswith("tiles of")]
    names = [f"{r['name']}, {r['keys']}" for r in rows if r["rule"] == "tiles of 128 keys"]
    device = {f"{r['name']}, {r['s']}": r["twofold_over_flash2"] for r in load("h200_attention.json") if r["what"] == "attention_error" and (r["d"], r["causal"]) == (128, False)}
    out = ["| keys a tile | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for keys in (32, 64, 256):
        mine = {f"{r['name']}, {r['keys']}": r for r in rows if r["rule"] == f"tiles of {keys} keys"}
        out.append(f"| {keys} | " + " | ".join(f"{mine[n]['above']:+.2f} ± {mine[n]['deviation']:.2f} %" for n in names) + " |")
    out.append("| device, 128 full: FlashAttention-2's (64 keys) over those here | " + " | ".join(f"{-device[n][0]:+.2f} ± {device[n][1]:.2f} %" for n in names) + " |")
    run = [r for r in load("h200_attention_schedules.json") if r["run"] == 8 and r["what"] == "schedule" and (r["d"], r["causal"]) == (128, True) and "kv1" not in r["name"]]
    short = [(r["s"], r["tflops"], max(x["tflops"] for x in run if x["s"] == r["s"])) for r in sorted(run, key=lambda r: r["s"]) if r["name"] == "new_64q2s5p"]
    return out + ["", "What tiles of 64 keys cost at 128 causal (run 8 of `h200_attention_schedules.json`), TFLOP/s against the best of that run: "
                  + "; ".join(f"S = {n}: {mine:.0f}, {best:.0f}" for n, mine, best in short) + ".", ""]


PARTS = {"the ladder": ladder, "tiles and errors": tiles_and_errors}


def with_parts(page):
    """The design page with what is made from result files in its places."""
    for name, lines in PARTS.items():
        begin, end = f"<!-- {name}: scripts/gpu_attention.py tables -->\n", f"<!-- end of {name} -->"
        before, rest = page.split(begin)
        page = before + begin + "\n".join(lines()) + end + rest.split(end)[1]
    return page
