"""How regret and violation of a policy grow on worlds with adversarial contexts.

    growth.py REIN_PROGRAM [--policy ccb] [--seeds 4] [--first 15] [--last 20]

Runs horizons of 2^first to 2^last rounds on linear(d=4,k=4) in five orders and prints, for each, the slope of
the logarithm of the mean against the logarithm of the rounds; "not positive" where a mean is not.
"""

import argparse
import csv
import io
import math
import subprocess

COLUMNS = {"regret": "regret", "long-term regret": "regret_long_term", "CCV": "ccv cost",
           "largest CCV": "ccv_max cost"}


def means(words, order, rounds):
    command = [words.program, "run", "--world", f"linear(d=4,k=4,order={order})", "--policy", words.policy,
               "--rounds", str(rounds), "--seeds", str(words.seeds), "--csv"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(io.StringIO(out)))
    return {name: sum(float(row[key]) for row in rows) / len(rows) for name, key in COLUMNS.items()}


def slope(horizons, values):
    if min(values) <= 0.0:
        return "not positive"
    xs, ys = [math.log(x) for x in horizons], [math.log(y) for y in values]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return f"{sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--policy", default="ccb")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=15)
    parser.add_argument("--last", type=int, default=20)
    words = parser.parse_args()
    horizons = [2 ** n for n in range(words.first, words.last + 1)]
    for order in ("iid", "switching", "cyclic", "drift", "adaptive"):
        found = [means(words, order, rounds) for rounds in horizons]
        for name in COLUMNS:
            values = [row[name] for row in found]
            print(f"{order:10} {name:17} {slope(horizons, values):>12}   "
                  + " ".join(f"{value:.4g}" for value in values), flush=True)


if __name__ == "__main__":
    main()
