"""LOE2D's own protocol: digits as a bandit, reward N(1 or 0, sd), cost 0.5 - reward, 50 trials.

    pendigits.py REIN_PROGRAM TABLE_FOLDER [--seeds 50] [--sd 0.05] [--variance V] [--out out/peers]

Writes the noisy table to a temporary file, runs `rein compare --report OUT/pendigits.html` on it and prints the
average reward and the average violation (the sum of 0.5 - reward, over t) after several t, with 95 % intervals
over trials. The paper says N(1, 0.05) and not whether that is a variance: --variance 0.05 takes it for one. A
trial is a shuffle of the rows; the noise of a row and action is drawn once. Printed constants first; then every
policy with the best of 8 settings, chosen on seeds 1001 to 1003.
"""

import argparse
import csv
import gzip
import os
import random
import tempfile

import peers
import side

TIMES = [500, 1000, 2000, 5000, 10992]
PRINTED = ["loe2d", "loe2d(balanced=1)", "lagrange", "lagrange(eta=margin,margin=0.5)",
           "lagrange(dual=fixed_share)", "pgd", "weakly_adaptive", "ccb(tuning=theory)", "ccb"]
TUNED = [("loe2d", peers.LOE2D), ("lagrange", peers.LAGRANGE), ("lagrange(eta=margin,margin=0.5)", peers.LAGRANGE),
         ("pgd", peers.PGD), ("weakly_adaptive", peers.WEAKLY), ("ccb(tuning=theory)", peers.LOE2D)]


def write_noisy(source, target, sd):
    """The table with normal noise on every reward, cut at five standard deviations, and costs to match."""
    chance = random.Random(7)
    with gzip.open(source, "rt") as rows, open(target, "w", newline="") as out:
        reader = csv.DictReader(rows)
        context = [n for n in reader.fieldnames if n.startswith("x_")]
        actions = sum(n[0] == "r" and n[1:].isdigit() for n in reader.fieldnames)
        writer = csv.writer(out)
        writer.writerow(context + [f"r{a}" for a in range(actions)] + [f"c{a}" for a in range(actions)])
        for row in reader:
            rewards = []
            for a in range(actions):
                noise = chance.gauss(0, sd)
                while abs(noise) > 5 * sd:
                    noise = chance.gauss(0, sd)
                rewards.append(round(float(row[f"r{a}"]) + noise, 6))
            writer.writerow([row[n] for n in context] + rewards + [f"{0.5 - r:.6f}" for r in rewards])


def print_curves(told):
    print(f"{'average reward at t =':58}" + "".join(f"{t:>16}" for t in TIMES))
    for what, sign in (("reward", None), ("ccv", 0)):
        if sign is not None:
            print(f"{'average violation at t =':58}" + "".join(f"{t:>16}" for t in TIMES))
        for policy in told["policies"]:
            curve = policy["curves"]
            line = f"{policy['spec']:58}"
            numbers = curve[what] if sign is None else curve[what][sign]
            for t in TIMES:
                i = min(range(len(curve["rounds"])), key=lambda j: abs(curve["rounds"][j] - t))
                at = curve["rounds"][i]
                line += f"{numbers['mean'][i] / at:9.3f} ±{(numbers['high'][i] - numbers['low'][i]) / 2 / at:5.3f}"
            print(line)
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--sd", type=float, default=0.05)
    parser.add_argument("--variance", type=float, default=None, help="instead of --sd")
    parser.add_argument("--out", default="out/peers")
    words = parser.parse_args()
    sd = words.variance ** 0.5 if words.variance is not None else words.sd
    runner = side.Runner(words.program, words.out, words.seeds)
    choosing = side.Runner(words.program, words.out, 3)
    name = f"pendigits_sd{sd:.3f}"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pendigits.csv")
        write_noisy(os.path.join(words.folder, "pendigits.csv.gz"), path, sd)
        world = (f'table(cost_range=[{-0.5 - 5 * sd:g},{0.5 + 5 * sd:g}],file="{path}",order=shuffled,'
                 f"reward_range=[{-5 * sd:g},{1 + 5 * sd:g}])")
        more = ["--no-long-term", "--fresh"]  # a new table every time: nothing to resume
        policies = list(PRINTED)
        for spec, grid in TUNED:
            found = choosing.rows(name + "_grid", world, [spec], 0, grid, [*more, "--first-seed", "1001"])
            policies.append(side.best(found, 0)[0])
        page = os.path.join(words.out, name + ".html")
        title = f"LOE2D's protocol: pendigits, reward noise of sd {sd:.3f}"
        told = runner.report(name, world, list(dict.fromkeys(policies)), 0, None,
                             [*more, "--report", page, "--title", title])
    print(f"{title}, {told['rounds']} rounds, {words.seeds} trials; the last {len(TUNED)} are the best of 8 settings\n")
    print_curves(told)
    print(f"report: {page}")


if __name__ == "__main__":
    main()
