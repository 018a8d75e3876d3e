#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures and the generated lines of docs/numerics.md from bench/results: numerics_figures.py [--check] (1 if a page or figure is stale).

Every number in the chapter stands between `<!-- generated NAME -->` and `<!-- end -->`, and is written by this script.
"""
import json
import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS, PAGE, FIGURES = ROOT / "bench/results", ROOT / "docs/numerics.md", ROOT / "docs/figures"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00")  # told apart by colour-blind eyes, on white and on black


def load(name):
    path = RESULTS / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def rows(result, what):
    series = {}
    for r in result["rows"]:
        if r["what"] == what:
            series.setdefault(r["how"], []).append(r)
    return series


class Chart:
    """Lines over logarithmic axes. x = 0 is drawn one step left of the least positive x and labelled 0."""
    W, H, LEFT, RIGHT, TOP, BOTTOM = 640, 340, 62, 210, 34, 44

    def __init__(self, title, x_name, y_name):
        self.title, self.x_name, self.y_name, self.lines = title, x_name, y_name, []

    def line(self, name, points, dashed=False, colour=None):
        self.lines.append((name, points, dashed, len(self.lines) if colour is None else colour))

    def svg(self):
        xs = sorted({x for _, points, *_ in self.lines for x, _ in points})
        ys = [y for _, points, *_ in self.lines for _, y in points if y > 0]
        least = min(x for x in xs if x > 0)
        step = min((math.log10(b / a) for a, b in zip(xs, xs[1:]) if a > 0), default=1)
        zero = least / 10 ** step
        x_low, x_high = math.log10(zero if xs[0] == 0 else least), math.log10(xs[-1])
        y_low, y_high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))

        def px(x):
            return self.LEFT + (math.log10(x if x > 0 else zero) - x_low) / (x_high - x_low) * (self.W - self.LEFT - self.RIGHT)

        def py(y):
            return self.H - self.BOTTOM - (math.log10(y) - y_low) / (y_high - y_low) * (self.H - self.TOP - self.BOTTOM)

        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.W} {self.H}" font-family="sans-serif" font-size="12" role="img">',
               f"<title>{self.title}</title>",
               "<style>text{fill:#222}.a{stroke:#999}.g{stroke:#ddd}@media(prefers-color-scheme:dark){text{fill:#ddd}.g{stroke:#444}}</style>",
               f'<text x="{self.LEFT}" y="18" font-size="14" font-weight="bold">{self.title}</text>']
        right, base = self.W - self.RIGHT, self.H - self.BOTTOM
        for e in range(y_low, y_high + 1):
            y = py(10 ** e)
            out.append(f'<line class="g" x1="{self.LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
            out.append(f'<text x="{self.LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{power(e)}</text>')
        for x in xs:
            out.append(f'<line class="a" x1="{px(x):.1f}" x2="{px(x):.1f}" y1="{base}" y2="{base + 4}"/>')
            out.append(f'<text x="{px(x):.1f}" y="{base + 17}" text-anchor="middle">{tick(x)}</text>')
        out.append(f'<line class="a" x1="{self.LEFT}" x2="{right}" y1="{base}" y2="{base}"/>')
        out.append(f'<text x="{(self.LEFT + right) / 2:.0f}" y="{self.H - 8}" text-anchor="middle">{self.x_name}</text>')
        out.append(f'<text transform="translate(14 {(self.TOP + base) / 2:.0f}) rotate(-90)" text-anchor="middle">{self.y_name}</text>')
        ends = []
        for name, points, dashed, colour in self.lines:
            path = " ".join(f"{px(x):.1f},{py(y):.1f}" for x, y in points if y > 0)
            dash = ' stroke-dasharray="5 4"' if dashed else ""
            out.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[colour % 5]}" stroke-width="2"{dash}/>')
            if not dashed:
                out += [f'<circle cx="{px(x):.1f}" cy="{py(y):.1f}" r="2.5" fill="{COLOURS[colour % 5]}"/>' for x, y in points if y > 0]
            ends.append([py(points[-1][1]), name, colour])
        ends.sort()
        for i in range(1, len(ends)):  # labels keep 14 apart
            ends[i][0] = max(ends[i][0], ends[i - 1][0] + 14)
        over = max(0, ends[-1][0] - base)
        for y, name, colour in ends:
            out.append(f'<text x="{right + 8}" y="{y - over + 4:.1f}" style="fill:{COLOURS[colour % 5]}">{name}</text>')
        return "\n".join(out + ["</svg>", ""])


def raised(n):
    return str(n).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def power(e):
    return {-1: "0.1", 0: "1", 1: "10", 2: "100", 3: "1000"}.get(e) or "10" + raised(e)


def tick(x):
    if x >= 64 and x == int(x) and int(x) & (int(x) - 1) == 0:
        return "2" + raised(int(x).bit_length() - 1)
    return f"{x:g}"


def figures(defaults):
    def points(series, key):
        return [(r["x"], r[key]) for r in series]

    chart = Chart("One rounding of the reference", "offset of the scores", "root mean square error of l, in u")
    for how, series in rows(defaults, "offset").items():
        if how != "tf::softmax":
            chart.line(how, points(series, "rms"))
    yield "numerics_offset.svg", chart.svg()
    chart = Chart("Tiling lowers the error: measured and guaranteed", "elements n", "largest error of l, in u")
    for k, (how, series) in enumerate(rows(defaults, "length").items()):
        chart.line(how, points(series, "max"), colour=k)
        chart.line(how + ": bound", points(series, "bound"), dashed=True, colour=k)
    yield "numerics_length.svg", chart.svg()
    chart = Chart("The denominator from the rounded weights", "mean of V (deviation 1)", "error of O, in 2⁻⁸")
    for what, label in (("denominator", ""), ("denominator, equal weights", ", equal weights")):
        for how, series in rows(defaults, what).items():
            chart.line(("rounded" if "rounded weights" in how else "unrounded") + " l" + label, points(series, "rms"))
    yield "numerics_denominator.svg", chart.svg()
    chart = Chart("A reference near the mean", "offset of the data (deviation 1)", "error of M2, in u")
    for how, series in rows(defaults, "variance").items():
        chart.line(how, points(series, "rms"))
    yield "numerics_variance.svg", chart.svg()


def of(series, x, key):
    return next(r[key] for r in series if r["x"] == x)


def generated(defaults, weights, cpu, gpu):
    offset, length, variance = rows(defaults, "offset"), rows(defaults, "length"), rows(defaults, "variance")
    shares, equal = rows(defaults, "denominator"), rows(defaults, "denominator, equal weights")
    rising = {how: s[0] for how, s in rows(defaults, "rising scores, loop").items()}
    before, after = "l from the weights before rounding", "l from the rounded weights"
    at = 1e4
    yield "gains", "\n".join([
        "| default | instead of | where | error instead of | gain |", "| --- | --- | --- | --- | --- |",
        *[f"| {d} | {i} | {w} | {a:.2g} {unit} instead of {b:.3g} {unit} | {b / a:.0f}× |" for d, i, w, a, b, unit in (
            ("one rounded reference", "m and m·c mixed", "scores around 10⁴, worst of 200 rows", of(offset["one rounded reference"], at, "max"),
             of(offset["mixed references"], at, "max"), "u"),
            ("integer reference (`tf::softmax`)", "m and m·c mixed", "the same", of(offset["tf::softmax"], at, "max"),
             of(offset["mixed references"], at, "max"), "u"),
            ("(M, l) of splits", "their log-sum-exps", "the same, 8 splits", of(offset["one rounded reference"], at, "max"),
             of(offset["log-sum-exps of splits"], at, "max"), "u"),
            ("tiles of 64 under a tree", "one pass", "65536 scores, worst of 64 rows", of(length["tiles of 64, tree"], 65536, "max"),
             of(length["one pass"], 65536, "max"), "u"),
            ("shared denominator", "unrounded one", "bf16 weights, V = 3 ± 1, rms", of(shares[after], 3, "rms"), of(shares[before], 3, "rms"), "·2⁻⁸"),
            ("shared denominator", "unrounded one", "1023 equal weights, V = 3 ± 1, rms", of(equal[after], 3, "rms"), of(equal[before], 3, "rms"), "·2⁻⁸"),
            ("`tf::welford`", "n, mean, M2", "data around 10⁴ ± 1, fp32, worst of 100", of(variance["tf::welford"], at, "max"),
             of(variance["n, mean, M2"], at, "max"), "u"))]])
    yield "rising", (f"On rows whose scores rise slowly a loop moves its reference {rising['maximum']['x']:.0f} times in 4096 elements under the maximum, "
                     f"{rising['integer']['x']:.0f} times under integers and {rising['lazy, 8, integer']['x']:.0f} times when it is also lazy; the errors are "
                     f"{rising['maximum']['rms']:.1f}u, {rising['integer']['rms']:.1f}u and {rising['lazy, 8, integer']['rms']:.1f}u (rms).")
    if weights:
        worst = {r["below"]: r for r in weights["rows"]}
        yield "weights", (f"Over every float the weight errs by at most {worst[128]['worst_u']:.2f}u for |s| < 128, {worst[1024]['worst_u']:.2f}u below 1024 "
                          f"and {max(r['worst_u'] for r in weights['rows']):.2f}u below 2²⁰.")
    if cpu:
        lines = ["| input | data | vectors | plain sum | reproducible sum | time, of the plain one's |", "| --- | --- | --- | --- | --- | --- |"]
        for r in cpu["rows"]:
            size = r["n"] * (4 if r["type"] == "fp32" else 8)
            name = f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
            lines.append(f"| {name}, {r['type']} | {r['data']} | {r['vectors']} | {r['plain_gbs']:.0f} GB/s | {r['reproducible_gbs']:.0f} GB/s | {r['ratio']:.2f}× |")
            if "ratio_2_threads" in r:
                lines.append(f"| {name}, {r['type']}, 2 threads | {r['data']} | {r['vectors']} | {r['plain_2_threads_gbs']:.0f} GB/s | "
                             f"{r['reproducible_2_threads_gbs']:.0f} GB/s | {r['ratio_2_threads']:.2f}× |")
        yield "cpu", "\n".join(lines)
    if gpu:
        bits = [r for r in gpu["rows"] if r["what"] == "bits"]
        times = {r["op"]: r for r in gpu["rows"] if r["what"] == "time"}
        total, other = sum(r["reductions"] for r in bits), sum(r["different"] for r in bits)
        lines = [f"On one H200, {total} reductions by {len(bits)} operators ({', '.join(r['op'].replace('_', ' ') for r in bits)}; cuts of the grid, batches of 1, 3 and 64, arrays off an aligned address, three orders, sizes to 2²²) "
                 f"against states made by a CPU: {other} with a different bit."]
        if times:
            lines += ["", "| operator, from memory | plain | reproducible | speed, of the plain one's |", "| --- | --- | --- | --- |"]
        for op in ("sum_f32", "log_sum_exp_f32", "sum_f64"):
            if op in times and "plain_" + op in times:
                plain, ours = times["plain_" + op]["gbs"], times[op]["gbs"]
                lines.append(f"| {op.replace('_', ' ')} | {plain:.0f} GB/s | {ours:.0f} GB/s | {ours / plain:.2f} |")
        lines += [f"| {op.replace('_', ' ')} | | {times[op]['gbs']:.0f} GB/s | |" for op in ("variance_f32", "dot_f32", "dot_f64") if op in times]
        yield "gpu", "\n".join(lines)


def main(check):
    results = [load(n) for n in ("numerics_defaults.json", "reproducible_weights.json", "reproducible_cpu.json", "h200_reproducible.json")]
    files = {FIGURES / name: svg for name, svg in figures(results[0])}
    page = PAGE.read_text(encoding="utf-8")
    for name, text in generated(*results):
        pattern = re.compile(rf"(<!-- generated {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page = pattern.sub(lambda m, text=text: m.group(1) + text + "\n" + m.group(2), page)
    files[PAGE] = page
    stale = [p for p, text in files.items() if not p.is_file() or p.read_text(encoding="utf-8") != text]
    if check:
        for p in stale:
            print(f"{p.relative_to(ROOT)}: not what bench/results says; run scripts/numerics_figures.py")
        return 1 if stale else 0
    FIGURES.mkdir(exist_ok=True)
    for p in stale:
        p.write_text(files[p], encoding="utf-8")
        print(f"wrote {p.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
