"""Reward and spend of ccb as it comes on real tables: one default for all, nothing chosen per table.

    quality.py REIN_PROGRAM TABLE_FOLDER [--seeds 10] [--first-seed 1] [--policy SPEC]...

TABLE_FOLDER holds NAME.csv.gz for the names below (not part of rein; docs/lab/tables.md says where they come
from). Share is of what the full-information learner earned (docs/comparators.md): our own on the same
seeds, or the figure published with the method, whichever is higher. Spend is in units of the budget, or
cost over rounds where the budget is 0.
"""

import argparse
import csv
import gzip
import io
import json
import os
import random
import subprocess
import tempfile

# name: budget per round, published reward per round of the full-information learner
TABLES = {
    "llm_routing": (0.005, 0.8765),
    "ml_api_rafdb": (0.3, 0.7171),
    "ml_api_expw": (0.3, 0.7224),
    "warfarin": (0.08, 0.6278),
    "bank_marketing": (0.02, 0.0560),
    "credit_default": (0.0, 0.3758),
    "letter": (0.35, 0.5014),
    "pendigits": (0.0, 0.8597),
}


def run(words, world, policy, *more):
    command = [words.program, "run", "--world", world, "--policy", policy, "--rounds", "0", "--seeds",
               str(words.seeds), "--first-seed", str(words.first_seed), "--delay", str(words.delay),
               "--no-long-term", *more]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def learners(words, worlds):
    """Reward and spend per round of the full-information learner on every world."""
    found = {}
    for title, (world, _, published) in worlds.items():
        answer = json.loads(run(words, world, "uniform", "--references", "--json"))
        own = answer["references"][0]["reward"]["mean"] / answer["rounds"]
        found[title] = max(own, published) if words.offer == 1.0 else own
    return found


def print_table(words, worlds, learned, policy):
    print(f"\n{policy}, {words.seeds} seeds")
    print(f"{'table':28}{'reward':>9}{'share':>9}{'spend':>9}{'worst':>9}{'us/round':>10}")
    shares = []
    for title, (world, rate, _) in worlds.items():
        rows = list(csv.DictReader(io.StringIO(run(words, world, policy, "--csv"))))
        rounds = float(rows[0]["rounds"])
        reward = sum(float(r["reward"]) for r in rows) / len(rows) / rounds
        spends = [float(r["spend cost"]) / rounds / (rate or 1.0) for r in rows]
        cpu = sum(float(r["cpu_seconds"]) for r in rows) / len(rows) / rounds * 1e6
        shares.append(reward / learned[title])
        print(f"{title:28}{reward:9.4f}{100 * shares[-1]:8.1f}%{sum(spends) / len(spends):9.4f}"
              f"{max(spends):9.4f}{cpu:10.1f}", flush=True)
    print(f"{'mean':28}{'':9}{100 * sum(shares) / len(shares):8.1f}%")
    print(f"{'mean, none over 100':28}{'':9}{100 * sum(min(s, 1) for s in shares) / len(shares):8.1f}%")


def with_second_cost(path, folder):
    """A copy of the table with a second cost, a latency in another order than the first, d0, d1, ..."""
    copy = os.path.join(folder, os.path.basename(path))
    chance = random.Random(1)
    with gzip.open(path, "rt") as rows, gzip.open(copy, "wt", compresslevel=1) as out:
        header = next(rows).rstrip("\n").split(",")
        actions = sum(name[0] == "r" and name[1:].isdigit() for name in header)
        out.write(",".join(header + [f"d{a}" for a in range(actions)]) + "\n")
        for row in rows:
            slow = [(0.1 + 0.5 * (7919 * a % actions) / actions) * (0.5 + chance.random())
                    for a in range(actions)]
            out.write(row.rstrip("\n") + "".join(f",{x:.4f}" for x in slow) + "\n")
    return copy


def two_costs(words, name, path, rate, folder):
    """The table with a second budget, 85 % of what the learner would use of it if it were free."""
    copy = with_second_cost(path, folder)
    start = f'table(file="{copy}",cost=["c","d"],names=["cost","delay"],'
    free = json.loads(run(words, f"{start}rate=[{rate or 1},1])", "uniform", "--references", "--json"))
    second = round(0.85 * free["references"][0]["spend"][1]["mean"] / free["rounds"], 5)
    return f"{start}rate=[{rate},{second}])", second


def offered(words, name, world):
    """The world with only a share of its actions in each round; action 0 is the cheapest."""
    if words.offer == 1.0:
        return world
    always = -1 if name == "pendigits" else 0
    return f"subset(always={always},of={world},share={words.offer})"


def main_second(words):
    for policy in words.policy or ["ccb", "ccb(horizon=0)"]:
        print(f"\n{policy}, two budgets, {words.seeds} seeds")
        print(f"{'table':28}{'share':>9}{'spend 1':>9}{'worst':>9}{'spend 2':>9}{'worst':>9}")
        for name in words.tables.split(","):
            rate = TABLES[name][0]
            if rate == 0:
                continue
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(words.folder, name + ".csv.gz")
                world, second = two_costs(words, name, path, rate, folder)
                informed = json.loads(run(words, world, "uniform", "--references", "--json"))
                rows = list(csv.DictReader(io.StringIO(run(words, world, policy, "--csv"))))
            rounds = float(rows[0]["rounds"])
            reward = sum(float(r["reward"]) for r in rows) / len(rows)
            share = reward / informed["references"][0]["reward"]["mean"]
            line = f"{name:28}{100 * share:8.1f}%"
            for cost, budget in (("cost", rate), ("delay", second)):
                spends = [float(r[f"spend {cost}"]) / rounds / budget for r in rows]
                line += f"{sum(spends) / len(spends):9.4f}{max(spends):9.4f}"
            print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--delay", type=int, default=0, help="rounds that outcomes come late")
    parser.add_argument("--offer", type=float, default=1.0, help="share of actions offered in a round")
    parser.add_argument("--policy", action="append",
                        help="[ccb, then ccb(horizon=0)]; may be given again")
    parser.add_argument("--tables", default=",".join(TABLES), help="names with commas")
    parser.add_argument("--second", action="store_true",
                        help="a second cost with a budget of its own (the tables whose first is above 0)")
    words = parser.parse_args()
    if words.second:
        main_second(words)
        return
    worlds = {}
    for name in words.tables.split(","):
        rate, published = TABLES[name]
        path = os.path.join(words.folder, name + ".csv.gz")
        budget = f"rate={rate}," if rate > 0 else ""
        worlds[name] = (offered(words, name, f'table(file="{path}",{budget}order=shuffled)'), rate, published)
        if name == "bank_marketing":  # its rows are in the order of time: real drift
            world = f'table(file="{path}",{budget}order=file)'
            worlds[name + ", file order"] = (offered(words, name, world), rate, 0.022)
    learned = learners(words, worlds)
    print("full-information learner:", ", ".join(f"{k} {v:.4f}" for k, v in learned.items()))
    for policy in words.policy or ["ccb", "ccb(horizon=0)"]:
        print_table(words, worlds, learned, policy)


if __name__ == "__main__":
    main()
