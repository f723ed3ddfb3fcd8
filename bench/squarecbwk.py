"""SquareCBwK's own experiment, on the world fixed_context: medians of the regret over 10 runs.

    squarecbwk.py [--rein build/rein] [--runs 10] [--policy 'squarecbwk(null=0)']... [--svg FILE]

Two tables, as in the paper: regret against the horizon, T = 1000 .. 12000 at 5 and at 52 features, with
the exponent of a fit of log regret to log T; and regret against the number of features, 10 .. 100 at T =
2000. Three actions and a null action, four resources, B = T / 4, noise of sd 0.2. --policy may be given
again; --svg draws both tables.
"""

import argparse
import csv
import io
import math
import statistics
import subprocess

HORIZONS = [1000, 2000, 4000, 8000, 12000]
FEATURES = [10, 20, 40, 70, 100]
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#000000"]


def regrets(options, policy, d, rounds):
    command = [options.rein, "run", "--world", f"fixed_context(d={d})", "--policy", policy,
               "--rounds", str(rounds), "--seeds", str(options.runs), "--no-long-term", "--csv"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [float(row["regret"]) for row in csv.DictReader(io.StringIO(out))]


def exponent(xs, ys):
    """The slope of log y against log x, by least squares."""
    xs, ys = [math.log(x) for x in xs], [math.log(y) for y in ys]
    mx, my = statistics.mean(xs), statistics.mean(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def panel(left, title, label, lines, top):
    """One chart, 330 by 260: lines are (xs, ys, colour, dash)."""
    widest = max(max(xs) for xs, _, _, _ in lines)
    out = [f'<text x="{left + 165}" y="22" text-anchor="middle" font-weight="bold">{title}</text>',
           f'<text x="{left + 190}" y="288" text-anchor="middle">{label}</text>']
    step = 10 ** math.floor(math.log10(top))
    step = step / 2 if top / step < 3 else step
    for i in range(int(top / step) + 1):
        y = 250 - 210 * i * step / top
        out.append(f'<line x1="{left + 50}" x2="{left + 330}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ccc"/>'
                   f'<text x="{left + 45}" y="{y + 4:.1f}" text-anchor="end">{i * step:g}</text>')
    last = -math.inf
    for x in lines[0][0]:
        if 280 * (x - last) / widest < 25:
            continue  # no space beside the last number
        last = x
        out.append(f'<text x="{left + 50 + 280 * x / widest:.1f}" y="266" text-anchor="middle">{x}</text>')
    for xs, ys, colour, dash in lines:
        points = [(left + 50 + 280 * x / widest, 250 - 210 * min(y, top) / top) for x, y in zip(xs, ys)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"'
                   + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
    return out


def write_svg(path, horizons, features):
    """horizons and features: (policy, d, medians)."""
    policies = list(dict.fromkeys(policy for policy, _, _ in horizons))
    colour = dict(zip(policies, COLOURS))
    first = [(HORIZONS, ys, colour[p], "6 4" if d == 52 else "") for p, d, ys in horizons]
    second = [(FEATURES, ys, colour[p], "") for p, _, ys in features]
    height = 310 + 18 * len(policies)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" font-family="sans-serif" '
           'font-size="12">', f'<rect width="720" height="{height}" fill="white"/>']
    out += panel(0, "regret, d = 5 (line) and 52 (dashes)", "rounds T", first,
                 1.05 * max(max(ys) for _, ys, _, _ in first))
    out += panel(370, "regret at T = 2000", "features d", second, 1.05 * max(max(ys) for _, ys, _, _ in second))
    for i, policy in enumerate(policies):
        y = 312 + 18 * i
        out.append(f'<line x1="50" x2="80" y1="{y}" y2="{y}" stroke="{colour[policy]}" stroke-width="3"/>'
                   f'<text x="88" y="{y + 4}">{policy}</text>')
    with open(path, "w") as file:
        file.write("\n".join([*out, "</svg>"]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rein", default="build/rein")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--policy", action="append")
    parser.add_argument("--svg")
    options = parser.parse_args()
    horizons, features = [], []
    for policy in options.policy or ["squarecbwk(null=0)"]:
        print(f"{policy}, medians over {options.runs} runs")
        for d in (5, 52):
            medians = [statistics.median(regrets(options, policy, d, t)) for t in HORIZONS]
            horizons.append((policy, d, medians))
            for t, median in zip(HORIZONS, medians):
                print(f"  d = {d:3d}  T = {t:5d}  regret {median:7.1f}  regret / T {median / t:.4f}")
            print(f"  d = {d:3d}  regret grows as T^{exponent(HORIZONS, medians):.2f}", flush=True)
        medians = [statistics.median(regrets(options, policy, d, 2000)) for d in FEATURES]
        features.append((policy, 0, medians))
        for d, median in zip(FEATURES, medians):
            print(f"  d = {d:3d}  T =  2000  regret {median:7.1f}", flush=True)
    if options.svg:
        write_svg(options.svg, horizons, features)


if __name__ == "__main__":
    main()
