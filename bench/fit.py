"""Fits what a round costs to the count of its multiply-adds.

    fit.py BENCHMARK_JSON

vaw (shared): seconds = start + unit (K d^2 / 2 + 1.5 d^2); adagrad: seconds = start + unit (m + 1) K d.
Prints the fit, and for every point the measured time over the fitted one: near 1 all along means
that cost grows as said.
"""

import json
import math
import re
import sys

MODELS = {
    "vaw": ("K d^2 / 2 + 1.5 d^2", lambda k, d, m: k * d * d / 2 + 1.5 * d * d),
    "adagrad": ("(m + 1) K d", lambda k, d, m: (m + 1) * k * d),
}


def points(report, oracle):
    for bench in report["benchmarks"]:
        found = re.fullmatch(rf"rounds/{oracle}/K:(\d+)/d:(\d+)/m:(\d+)", bench["name"])
        if found:
            yield tuple(int(x) for x in found.groups()), bench["cpu_time"]  # nanoseconds


def fit(pairs):
    """Least squares of the relative error of start + unit * work."""
    sums = [0.0] * 5
    for work, time in pairs:
        a, b = 1 / time, work / time
        for i, term in enumerate((a * a, a * b, b * b, a, b)):
            sums[i] += term
    aa, ab, bb, a, b = sums
    unit = (aa * b - ab * a) / (aa * bb - ab * ab)
    return (a - unit * ab) / aa, unit


def main():
    report = json.load(open(sys.argv[1]))
    for oracle, (formula, work) in MODELS.items():
        measured = list(points(report, oracle))
        start, unit = fit([(work(*kdm), time) for kdm, time in measured])
        errors = []
        print(f"\n{oracle}: nanoseconds a round = {start:.0f} + {unit:.4f} ({formula})")
        for (k, d, m), time in measured:
            ratio = time / (start + unit * work(k, d, m))
            errors.append(math.log(ratio) ** 2)
            print(f"  K={k:<5} d={d:<4} m={m}  {time:12.0f} ns   measured / fitted {ratio:.2f}")
        print(f"  typical error of the fit: {math.exp(math.sqrt(sum(errors) / len(errors))):.2f} times")


if __name__ == "__main__":
    main()
