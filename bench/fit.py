"""Fits the time of a round to the count of its multiply-adds.

    fit.py BENCHMARK_JSON

vaw (shared): nanoseconds = start + explore K + predict K d^2 / 2 + learn 1.5 d^2, K rounded up to the
eight lanes that actions run in. adagrad: start + explore K + predict (m + 1) K d. Predicting and
learning run at different speeds (lanes are busy in one, memory in the other), so each has its own
unit. For every point the measured time stands over the fitted one: near 1 all along means that cost
grows as said.
"""

import json
import math
import re
import sys


def lanes(k):
    return (k + 7) // 8 * 8


MODELS = {
    "vaw": [("start", lambda k, d, m: 1.0),
            ("K", lambda k, d, m: k),
            ("K d^2 / 2", lambda k, d, m: lanes(k) * d * d / 2),
            ("1.5 d^2", lambda k, d, m: 1.5 * d * d)],
    "adagrad": [("start", lambda k, d, m: 1.0),
                ("K", lambda k, d, m: k),
                ("(m + 1) K d", lambda k, d, m: (m + 1) * k * d)],
}


def points(report, oracle):
    for bench in report["benchmarks"]:
        found = re.fullmatch(rf"rounds/{oracle}/K:(\d+)/d:(\d+)/m:(\d+)", bench["name"])
        if found:
            yield tuple(int(x) for x in found.groups()), bench["cpu_time"]  # nanoseconds


def solve(matrix, right):
    """Gaussian elimination with pivoting."""
    n = len(right)
    rows = [list(matrix[i]) + [right[i]] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def fit(terms, measured):
    """Least squares of the relative error; a term that would come out negative is left out."""
    used = list(range(len(terms)))
    while True:
        rows = [[terms[i][1](*kdm) / time for i in used] for kdm, time in measured]
        matrix = [[sum(r[i] * r[j] for r in rows) for j in range(len(used))]
                  for i in range(len(used))]
        units = solve(matrix, [sum(r[i] for r in rows) for i in range(len(used))])
        if min(units) >= 0:
            return [dict(zip(used, units)).get(i, 0.0) for i in range(len(terms))]
        del used[units.index(min(units))]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    for oracle, terms in MODELS.items():
        measured = list(points(report, oracle))
        units = fit(terms, measured)
        formula = " + ".join(f"{unit:.4g} ({name})" for unit, (name, _) in zip(units, terms))
        print(f"\n{oracle}: nanoseconds per round = {formula}")
        errors = []
        for kdm, time in measured:
            ratio = time / sum(unit * term(*kdm) for unit, (_, term) in zip(units, terms))
            errors.append(math.log(ratio) ** 2)
            k, d, m = kdm
            print(f"  K={k:<5} d={d:<4} m={m}  {time:12.0f} ns   measured / fitted {ratio:.2f}")
        print(f"  typical error of the fit: {math.exp(math.sqrt(sum(errors) / len(errors))):.2f} times")


if __name__ == "__main__":
    main()
