"""The world `log` beside the truth: policies on a table with every outcome, and on logs of its rows.

    log_world_truth.py REIN_PROGRAM [--rows N] [--logs N]

Makes shoppers whose outcomes under all three mails are drawn (a table), and logs in which a rule chose one mail
per shopper with known probabilities. Every policy plays the table and each log at several budgets. Columns: the
reward per 100 rounds on the table; the mean over the logs, and the standard deviation between logs; and the same
for the dollars spent.
"""

import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import tempfile

MAILS = ("none", "short", "catalog")
DOLLARS = (0.0, 0.05, 0.4)
POLICIES = ("ccb", "squarecb", "lagrange", "greedy", "uniform")
RATES = (0.05, 0.1, 0.2)


def chances(recency, visits):
    """Not linear: a catalog helps only those who were away for long."""
    base = 0.08 + 0.1 * visits
    return base, base + 0.1 + 0.1 * visits, base + (0.45 if recency > 0.6 else 0.05)


def shoppers(rows, seed):
    rng = random.Random(seed)
    for _ in range(rows):
        recency, visits = round(rng.random(), 3), round(rng.random(), 3)
        bought = [int(rng.random() < chance) for chance in chances(recency, visits)]
        paid = [round(dollars * (0.75 + 0.5 * rng.random()), 4) for dollars in DOLLARS]
        yield recency, visits, bought, paid


def write_table(path, rows, seed):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["x_recency", "x_visits", "r0", "r1", "r2", "c0", "c1", "c2"])
        for recency, visits, bought, paid in shoppers(rows, seed):
            out.writerow([0.5 * recency, 0.5 * visits, *bought, *paid])


def write_log(path, rows, seed):
    """Other shoppers of the same kind. Catalogs go mostly to those who were away for long."""
    rng = random.Random(seed + 1000)
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["x_recency", "x_visits", "a", "p", "r", "c_dollars"])
        for name in MAILS:  # the same ids in every log
            out.writerow([0.25, 0.25, name, 1 / 3, 0, DOLLARS[MAILS.index(name)]])
        for recency, visits, bought, paid in shoppers(rows, seed):
            catalog = 0.15 + 0.35 * recency
            odds = [(1 - catalog) / 2, (1 - catalog) / 2, catalog]
            mail = rng.choices(range(3), odds)[0]
            out.writerow([0.5 * recency, 0.5 * visits, MAILS[mail], round(odds[mail], 6), bought[mail], paid[mail]])


def played(program, world, rounds, seeds, first=1):
    """Reward and spending per 100 rounds, by policy."""
    done = subprocess.run([program, "run", "--world", world, "--policy", ",".join(POLICIES), "--rounds", str(rounds),
                           "--seeds", str(seeds), "--first-seed", str(first), "--json"],
                          check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    per = 100 / found["rounds"]
    return [(per * one["reward"]["mean"], per * one["spend"][0]["mean"]) for one in found["policies"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rein")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--logs", type=int, default=10)
    given = parser.parse_args()
    print("| dollars per round | policy | reward, table | reward, logs | dollars, table | dollars, logs |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "table.csv")
        logs = [os.path.join(folder, f"log{i}.csv") for i in range(given.logs)]
        write_table(table, 4 * given.rows, 0)
        for i, log in enumerate(logs):
            write_log(log, given.rows, i + 1)
        for rate in RATES:
            truth = played(given.rein, f'table(file="{table}",cost_range=[0,0.5],reward_range=[0,1],names=dollars,'
                                       f"rate={rate})", given.rows, 20)
            # Other seeds for every log: seeds decide who is lucky in the first rounds.
            seen = [played(given.rein, f'log(file="{log}",rate={rate},scale=none)', given.rows, 4, 1 + 4 * i)
                    for i, log in enumerate(logs)]
            for i, policy in enumerate(POLICIES):
                rewards, dollars = [one[i][0] for one in seen], [one[i][1] for one in seen]
                print(f"| {rate} | {policy} | {truth[i][0]:.2f} | {statistics.mean(rewards):.2f} ± "
                      f"{statistics.stdev(rewards):.2f} | {truth[i][1]:.2f} | {statistics.mean(dollars):.2f} |")


if __name__ == "__main__":
    main()
