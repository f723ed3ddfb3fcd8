"""SquareCBwK's own experiment, on the world fixed_context: medians of the regret over 10 runs.

    squarecbwk.py [--rein build/rein] [--runs 10] [--policy 'squarecbwk(null=0)']

Two tables, as in the paper: regret against the horizon, T = 1000 .. 12000 at 5 and at 52 features, with
the exponent of a fit of log regret to log T; and regret against the number of features, 10 .. 100 at T =
2000. Three actions and a null action, four resources, B = T / 4, noise of sd 0.2.
"""

import argparse
import csv
import io
import math
import statistics
import subprocess

HORIZONS = [1000, 2000, 4000, 8000, 12000]
FEATURES = [10, 20, 40, 70, 100]


def regrets(options, d, rounds):
    command = [options.rein, "run", "--world", f"fixed_context(d={d})", "--policy", options.policy,
               "--rounds", str(rounds), "--seeds", str(options.runs), "--csv"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [float(row["regret"]) for row in csv.DictReader(io.StringIO(out))]


def exponent(xs, ys):
    """The slope of log y against log x, by least squares."""
    xs, ys = [math.log(x) for x in xs], [math.log(y) for y in ys]
    mx, my = statistics.mean(xs), statistics.mean(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rein", default="build/rein")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--policy", default="squarecbwk(null=0)")
    options = parser.parse_args()
    print(f"{options.policy}, medians over {options.runs} runs")
    for d in (5, 52):
        medians = [statistics.median(regrets(options, d, t)) for t in HORIZONS]
        for t, median in zip(HORIZONS, medians):
            print(f"  d = {d:3d}  T = {t:5d}  regret {median:7.1f}  regret / T {median / t:.4f}")
        print(f"  d = {d:3d}  regret grows as T^{exponent(HORIZONS, medians):.2f}")
    for d in FEATURES:
        median = statistics.median(regrets(options, d, 2000))
        print(f"  d = {d:3d}  T =  2000  regret {median:7.1f}")


if __name__ == "__main__":
    main()
