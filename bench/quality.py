"""Reward and spend of tuning=auto on real tables, one default for all.

    quality.py REIN_PROGRAM TABLE_FOLDER [--seeds 10]

TABLE_FOLDER holds NAME.csv.gz for the names below (not part of rein). Reward is shown as a share of
what a learner earned that sees the outcome of every action (figures of the prototype that the tuning
was derived with); spend in units of the budget, or cost over rounds where the budget is 0.
"""

import argparse
import csv
import io
import os
import subprocess

# name: budget a round, what the full-information learner earned a round
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


def run(program, path, rate, policy, seeds, order):
    budget = f"rate={rate}," if rate > 0 else ""
    world = f'table(file="{path}",{budget}order={order})'
    out = subprocess.run([program, "run", "--world", world, "--policy", policy, "--rounds", "0",
                          "--seeds", str(seeds), "--no-long-term", "--csv"],
                         check=True, capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(out.stdout)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=int, default=10)
    words = parser.parse_args()
    for title, spec in (("with a horizon", "ccb(tuning=auto)"),
                        ("without a horizon", "ccb(horizon=0,tuning=auto)")):
        print(f"\n{spec}, {title}, {words.seeds} seeds")
        print(f"{'table':24}{'reward':>9}{'share':>9}{'spend':>9}{'worst':>9}{'us/round':>10}")
        shares = []
        for name, (rate, learner) in TABLES.items():
            path = os.path.join(words.folder, name + ".csv.gz")
            for order in ("shuffled", "file") if name == "bank_marketing" else ("shuffled",):
                rows = run(words.program, path, rate, spec, words.seeds, order)
                rounds = float(rows[0]["rounds"])
                reward = sum(float(r["reward"]) for r in rows) / len(rows) / rounds
                spends = [float(r["spend cost"]) / rounds / (rate or 1.0) for r in rows]
                cpu = sum(float(r["cpu_seconds"]) for r in rows) / len(rows) / rounds * 1e6
                share = reward / (learner if order == "shuffled" else 0.0220)
                if order == "shuffled":
                    shares.append(share)
                print(f"{name + ('' if order == 'shuffled' else ' (file order)'):24}{reward:9.4f}"
                      f"{100 * share:8.1f}%{sum(spends) / len(spends):9.4f}{max(spends):9.4f}{cpu:10.1f}")
        print(f"{'mean share':24}{'':9}{100 * sum(shares) / len(shares):8.1f}%")


if __name__ == "__main__":
    main()
